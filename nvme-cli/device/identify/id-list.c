// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme list-ns, list-ctrl: namespaces and controllers (CNS 02h, 07h, 10h, 12h, 13h, 1Ah) */
#include <endian.h>

#include "commands.h"
#include "device/device.h"

struct list_ns_args {
	uint32_t start;
	int csi;
	bool all;
};

static const struct arg list_ns_options[] = {
	OPT(UINT, "namespace-id", 'n', struct list_ns_args, start, "N", "first namespace to list"),
	OPT(INT, "csi", 'y', struct list_ns_args, csi, "N",
	    "only namespaces of this I/O command set"),
	OPT_FLAG("all", 'a', struct list_ns_args, all, "include allocated namespaces"),
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

static int identify_list(const struct list_ns_args *args, int fd, struct nvme_ns_list *list)
{
	uint32_t after = args->start - 1; /* the command lists identifiers greater than this one */

	if (args->csi < 0)
		return args->all ? nvme_identify_allocated_ns_list(fd, after, list)
				 : nvme_identify_active_ns_list(fd, after, list);
	return args->all ? nvme_identify_allocated_ns_list_csi(fd, after, args->csi, list)
			 : nvme_identify_active_ns_list_csi(fd, after, args->csi, list);
}

static int list_ns(struct command *cmd)
{
	const struct list_ns_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	struct nvme_ns_list list = { 0 };
	struct out *out = cmd->out;
	int ret;

	if (!args->start)
		return command_fail(cmd, 0, "Invalid --namespace-id 0: the first namespace is 1");
	if (device_open(cmd, &dev))
		return 1;
	ret = identify_list(args, dev.fd, &list);
	if (ret)
		return device_result(cmd, ret, "id namespace list");
	if (out_format(out) == OUT_BINARY)
		return bytes_write(cmd, &list, sizeof(list));

	out_object(out, NULL);
	out_text(out, "NVME Namespace List:\n");
	out_array(out, "nsid_list");
	for (unsigned int i = 0; i < NVME_ID_NS_LIST_MAX && list.ns[i]; i++) {
		uint32_t nsid = le32toh(list.ns[i]);

		if (cmd->common.verbose)
			out_text(out, "Identifier %4u: NSID %#x\n", i, nsid);
		else
			out_text(out, "[%4u]:%#x\n", i, nsid);
		out_object(out, NULL);
		out_uint(out, "nsid", nsid);
		out_end(out);
	}
	out_end(out);
	return out_end(out);
}

const struct command_spec list_ns_command = {
	.name = "list-ns",
	.summary = "List the namespaces of a controller",
	.operands = "DEVICE",
	.options = list_ns_options,
	.args_size = sizeof(struct list_ns_args),
	.defaults = &(const struct list_ns_args){ .start = 1, .csi = -1 },
	.formats = OUT_TEXT | OUT_JSON | OUT_BINARY,
	.max_operands = 1,
	.run = list_ns,
};

struct list_ctrl_args {
	uint16_t cntid;
	uint32_t nsid;
};

static const struct arg list_ctrl_options[] = {
	OPT(SHORT, "cntid", 'c', struct list_ctrl_args, cntid, "N", "first controller to list"),
	OPT(UINT, "namespace-id", 'n', struct list_ctrl_args, nsid, "N",
	    "only controllers of this namespace"),
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

static int list_ctrl(struct command *cmd)
{
	const struct list_ctrl_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	struct nvme_ctrl_list list = { 0 };
	struct out *out = cmd->out;
	unsigned int n;
	int ret;

	if (device_open(cmd, &dev))
		return 1;
	if (args->nsid)
		ret = nvme_identify_nsid_ctrl_list(dev.fd, args->nsid, args->cntid, &list);
	else
		ret = nvme_identify_ctrl_list(dev.fd, args->cntid, &list);
	if (ret)
		return device_result(cmd, ret, "id controller list");
	if (out_format(out) == OUT_BINARY)
		return bytes_write(cmd, &list, sizeof(list));

	n = le16toh(list.num);
	out_object(out, NULL);
	out_text(out, "num of ctrls present: %u\n", n);
	out_uint(out, "num_ctrl", n);
	if (n > NVME_ID_CTRL_LIST_MAX)
		n = NVME_ID_CTRL_LIST_MAX;
	out_array(out, "ctrl_list");
	for (unsigned int i = 0; i < n; i++) {
		uint16_t id = le16toh(list.identifier[i]);

		out_text(out, "[%4u]:%#x\n", i, id);
		out_object(out, NULL);
		out_uint(out, "ctrl_id", id);
		out_end(out);
	}
	out_end(out);
	return out_end(out);
}

const struct command_spec list_ctrl_command = {
	.name = "list-ctrl",
	.summary = "List the controllers of a subsystem",
	.operands = "DEVICE",
	.options = list_ctrl_options,
	.args_size = sizeof(struct list_ctrl_args),
	.formats = OUT_TEXT | OUT_JSON | OUT_BINARY,
	.max_operands = 1,
	.run = list_ctrl,
};
