// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme format: NVM Express Base Specification 2.1, section 5.1.10 */
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "device/request.h"

#define FORMAT_TIMEOUT 600000
#define FORMAT_PAUSE 10 /* seconds */
#define FORMAT_NONE 0xff
#define FORMAT_MAX 63

struct format_args {
	uint32_t nsid;
	uint8_t lbaf, ses, pi, pil, ms;
	uint64_t block_size;
	bool reset, force;
};
#define ARGS struct format_args

static const struct request_part format_parts[] = {
	REQUEST_BITS(10, 4, 1, ARGS, ms),
	REQUEST_BITS(10, 5, 3, ARGS, pi),
	REQUEST_BITS(10, 8, 1, ARGS, pil),
	REQUEST_BITS(10, 9, 3, ARGS, ses),
	REQUEST_PART_END,
};

static int check_format(struct command *cmd)
{
	const struct format_args *args = cmd->args;

	if (args->block_size && args->lbaf != FORMAT_NONE)
		return command_fail(cmd, 0,
				    "Invalid specification of both LBAF and Block Size, please "
				    "specify only one");
	if (args->block_size & (args->block_size - 1))
		return command_fail(cmd, 0,
				    "Invalid value for block size (%llu), must be a power of two",
				    (unsigned long long)args->block_size);
	if (args->lbaf > FORMAT_MAX && args->lbaf != FORMAT_NONE)
		return command_fail(cmd, 0, "invalid lbaf:%u (up to %u)", args->lbaf, FORMAT_MAX);
	return request_check(cmd, format_parts);
}

struct plan {
	uint32_t nsid;
	uint32_t erased; /* the same, or NVME_NSID_ALL */
	uint8_t format, before; /* LBA formats; equal if the one in use is unknown */
	unsigned int block_size; /* of @format in bytes; 0: unknown */
};

static int find_format(struct command *cmd, const struct nvme_id_ns *ns, struct plan *plan)
{
	const struct format_args *args = cmd->args;
	const unsigned int n = ns->nlbaf + ns->nulbaf + 1U;

	plan->before = device_lbaf(ns->flbas);
	plan->format = args->lbaf == FORMAT_NONE ? plan->before : args->lbaf;
	if (args->block_size) {
		const int found = device_find_lbaf(ns, n, args->block_size);

		if (found < 0)
			return command_fail(cmd, 0,
					    "LBAF corresponding to given block size %llu not found "
					    "(" NVME_COMMAND " id-ns -H lists the formats)",
					    (unsigned long long)args->block_size);
		plan->format = (uint8_t)found;
	}
	if (ns->lbaf[plan->format].ds < 31)
		plan->block_size = 1U << ns->lbaf[plan->format].ds;
	return 0;
}

/* Nothing but Identify is sent before the namespaces are known not to be in use. */
static int make_plan(struct command *cmd, struct plan *plan, struct in_use_claim *claimed)
{
	const struct format_args *args = cmd->args;
	struct nvme_id_ctrl ctrl = { 0 };
	struct nvme_id_ns ns = { 0 };

	if (device_nsid(cmd, cmd->device, args->nsid, &plan->nsid) ||
	    in_use_claim(cmd, cmd->device, IN_USE_NS, plan->nsid, args->force, claimed) ||
	    device_identify_ctrl(cmd, &ctrl))
		return 1;
	/* Base Specification 2.1, figure 313: a command for one namespace may format all. */
	if (ctrl.fna & NVME_CTRL_FNA_FMT_ALL_NAMESPACES)
		plan->nsid = NVME_NSID_ALL;
	plan->erased = args->ses && ctrl.fna & NVME_CTRL_FNA_SEC_ALL_NAMESPACES ? NVME_NSID_ALL
										: plan->nsid;
	if (plan->erased == NVME_NSID_ALL &&
	    in_use_claim(cmd, cmd->device, IN_USE_NS, NVME_NSID_ALL, args->force, claimed))
		return 1;
	if (plan->nsid == NVME_NSID_ALL) {
		plan->format = plan->before = args->lbaf == FORMAT_NONE ? 0 : args->lbaf;
		return 0;
	}
	if (device_identify_ns(cmd, plan->nsid, &ns))
		return 1;
	return find_format(cmd, &ns, plan);
}

/* Give the user time to press Ctrl-C. */
static void warn(const struct device *dev, const struct plan *plan,
		 const struct in_use_claim *claimed)
{
	const bool counts = isatty(STDERR_FILENO);

	fprintf(stderr, "You are about to format %s, namespace %#x%s.\n", dev->name, plan->erased,
		plan->erased == NVME_NSID_ALL ? "(ALL namespaces)" : "");
	in_use_print(claimed, stderr);
	fprintf(stderr,
		"WARNING: Format may irrevocably delete this device's data.\n"
		"You have %d seconds to press Ctrl-C to cancel this operation.\n\n"
		"Use the force [--force] option to suppress this warning.\n",
		FORMAT_PAUSE);
	for (int left = FORMAT_PAUSE; left; left--) {
		if (counts)
			fprintf(stderr, "\r%2d ", left);
		sleep(1);
	}
	fprintf(stderr, "%sSending format operation ...\n", counts ? "\r" : "");
}

/* Make the kernel read the namespaces again: block size and partitions, or a controller's list. */
static int revalidate_namespaces(struct command *cmd, const struct plan *plan)
{
	const struct format_args *args = cmd->args;

	if (plan->format != plan->before && cmd->device->is_block && plan->block_size) {
		if (ioctl(cmd->device->fd, BLKBSZSET, &plan->block_size))
			command_warn(cmd, errno, "failed to set block size to %u",
				     plan->block_size);
		if (ioctl(cmd->device->fd, BLKRRPART))
			command_warn(cmd, errno, "failed to read the partitions of %s again",
				     cmd->device->path);
	} else if (args->lbaf != FORMAT_NONE && !cmd->device->is_block &&
		   nvme_ns_rescan(cmd->device->fd)) {
		return device_result(cmd, -1, "ns-rescan");
	}
	if (args->reset && !cmd->device->is_block && nvme_ctrl_reset(cmd->device->fd))
		return device_result(cmd, -1, "reset");
	return 0;
}

static int format(struct command *cmd)
{
	const struct format_args *args = cmd->args;
	_cleanup_(in_use_release) struct in_use_claim claimed = { 0 };
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	struct nvme_passthru_cmd c = {
		.opcode = nvme_admin_format_nvm,
		.timeout_ms = cmd->common.timeout ? cmd->common.timeout : FORMAT_TIMEOUT,
	};
	struct plan plan = { 0 };
	int ret;

	if (check_format(cmd) || device_open(cmd, &dev) || make_plan(cmd, &plan, &claimed))
		return 1;
	if (!args->force && !cmd->common.dry_run)
		warn(&dev, &plan, &claimed);
	c.nsid = plan.nsid;
	c.cdw10 = (plan.format & 0xfU) | (plan.format & 0x30U) << 8;
	request_put(cmd, format_parts, &c);
	ret = nvme_submit_passthru(dev.fd, NVME_IOCTL_ADMIN_CMD, &c, NULL);
	if (ret)
		return device_result(cmd, ret, "format");
	in_use_release_cleanup(&claimed);
	ret = revalidate_namespaces(cmd, &plan);
	return ret ? ret : command_succeed(cmd, "Success formatting namespace:%x", plan.nsid);
}

DEVICE_COMMAND(
	format_command, "format", "Erase namespaces and give them a block size",
	GENERIC(OPT(UINT, "namespace-id", 'n', ARGS, nsid, "N",
		    "namespace, 0xffffffff for all (default: the device's own)"),
		OPT(BYTE, "lbaf", 'l', ARGS, lbaf, "N", "LBA format; 255 is the one in use"),
		OPT(BYTE, "ses", 's', ARGS, ses, "N",
		    "secure erase: 0 none, 1 user data, 2 cryptographic"),
		OPT(BYTE, "pi", 'i', ARGS, pi, "N", "protection information type, 0 for none"),
		OPT(BYTE, "pil", 'p', ARGS, pil, "N",
		    "protection information: 0 in the last bytes of the metadata, 1 in the first"),
		OPT(BYTE, "ms", 'm', ARGS, ms, "N",
		    "metadata: 0 in a separate buffer, 1 after each block"),
		OPT_FLAG("reset", 'r', ARGS, reset, "reset the controller afterwards"),
		OPT_FLAG("force", 0, ARGS, force,
			 "format without a pause, even if a namespace is in use"),
		OPT(SUFFIX, "block-size", 'b', ARGS, block_size, "N",
		    "bytes of a block, instead of --lbaf")),
	ARGS, .defaults = &(const struct format_args){ .lbaf = FORMAT_NONE }, .run = format);
