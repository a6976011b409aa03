// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvme fdp status, nvme fdp update: reclaim unit handles of a namespace (I/O Management Receive and Send,
 * opcodes 12h and 1Dh)
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include "device/in-use.h"
#include "fdp.h"

struct status_args {
	uint32_t nsid;
	bool raw;
};

static const struct arg status_options[] = {
	OPT(UINT, "namespace-id", 'n', struct status_args, nsid, "N",
	    "namespace; the device's own if left out"),
	OPT_FLAG("raw-binary", 'b', struct status_args, raw, "write the answer's bytes"),
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

/*
 * Read the head, then the whole status into a buffer that the caller frees. Return the exit status.
 */
static int read_status(struct command *cmd, const struct device *dev, uint32_t nsid,
		       struct nvme_fdp_ruh_status **status, uint32_t *size)
{
	struct nvme_fdp_ruh_status head = { 0 };
	int ret = nvme_fdp_reclaim_unit_handle_status(dev->fd, nsid, sizeof(head), &head);

	if (ret)
		return device_result(cmd, ret, "reclaim unit handle status") || 1;
	*size = (uint32_t)(sizeof(head) + le16toh(head.nruhsd) * sizeof(*head.ruhss));
	*status = calloc(1, *size);
	if (!*status)
		return command_fail(cmd, ENOMEM, "%s", cmd->name);
	ret = nvme_fdp_reclaim_unit_handle_status(dev->fd, nsid, *size, *status);
	if (ret)
		return device_result(cmd, ret, "reclaim unit handle status");
	if (le16toh((*status)->nruhsd) <= le16toh(head.nruhsd))
		return 0;
	return command_fail(cmd, 0, "%s: now %u reclaim unit handles instead of %u; try again",
			    cmd->name, le16toh((*status)->nruhsd), le16toh(head.nruhsd));
}

static const struct field status_fields[] = {
	FIELD_LABELLED(DEC, struct nvme_fdp_ruh_status_desc, earutr, "earutr",
		       "  Estimated Active Reclaim Unit Time Remaining (EARUTR)"),
	FIELD_LABELLED(DEC, struct nvme_fdp_ruh_status_desc, ruamw, "ruamw",
		       "  Reclaim Unit Available Media Writes (RUAMW)"),
	FIELD_END,
};

static void show_handle(struct out *out, const struct nvme_fdp_ruh_status_desc *handle)
{
	const unsigned int pid = le16toh(handle->pid), ruhid = le16toh(handle->ruhid);

	out_text(out, "Placement Identifier %u; Reclaim Unit Handle Identifier %u\n", pid, ruhid);
	out_listing(out, NULL, OUT_PAD_COLON, 0);
	out_json_only(out);
	out_uint(out, "pid", pid);
	out_json_only(out);
	out_uint(out, "ruhid", ruhid);
	out_fields(out, status_fields, NULL, handle);
	out_text(out, "\n");
	out_end(out);
}

static int show_status(struct command *cmd, const struct nvme_fdp_ruh_status *status)
{
	const unsigned int n = le16toh(status->nruhsd);
	struct out *out = cmd->out;

	out_object(out, NULL);
	out_uint(out, "nruhsd", n);
	out_array(out, "ruhss");
	for (unsigned int i = 0; i < n; i++)
		show_handle(out, &status->ruhss[i]);
	out_end(out);
	return out_end(out);
}

static int status(struct command *cmd)
{
	const struct status_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(free) struct nvme_fdp_ruh_status *answer = NULL;
	uint32_t nsid, size = 0;

	if (device_open(cmd, &dev) || device_nsid(cmd, &dev, args->nsid, &nsid) ||
	    read_status(cmd, &dev, nsid, &answer, &size))
		return 1;
	if (command_writes_bytes(cmd))
		return bytes_write(cmd, answer, size);
	return show_status(cmd, answer);
}

const struct command_spec fdp_status_command = {
	.name = "status",
	.summary = "Show the reclaim unit handles of a namespace",
	.operands = "DEVICE",
	.options = status_options,
	.args_size = sizeof(struct status_args),
	.formats = OUT_TEXT | OUT_JSON | OUT_BINARY,
	.max_operands = 1,
	.run = status,
};

struct update_args {
	uint32_t nsid;
	const char *pids;
};

#define MAX_PIDS 256

static const struct arg update_options[] = {
	OPT(UINT, "namespace-id", 'n', struct update_args, nsid, "N",
	    "namespace; the device's own if left out"),
	OPT(STR, "pids", 'p', struct update_args, pids, "N,...",
	    "placement identifiers that get new reclaim units"),
	GENERIC_OPTIONS,
	OPT_END,
};

static int parse_pids(struct command *cmd, uint16_t pids[MAX_PIDS], unsigned int *n)
{
	const struct update_args *args = cmd->args;
	uint64_t numbers[MAX_PIDS];
	int found = args_list(args->pids, UINT16_MAX, numbers, MAX_PIDS);

	if (!found)
		return command_fail(cmd, 0, "no placement identifiers set");
	if (found == -E2BIG)
		return command_fail(cmd, 0, "%s: more than %u placement identifiers", cmd->name,
				    MAX_PIDS);
	if (found < 0)
		return command_fail(cmd, 0, "could not parse pids: '%s'", args->pids);
	*n = (unsigned int)found;
	for (unsigned int i = 0; i < *n; i++)
		pids[i] = htole16((uint16_t)numbers[i]);
	return 0;
}

static int update(struct command *cmd)
{
	const struct update_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	uint16_t pids[MAX_PIDS];
	unsigned int n = 0;
	uint32_t nsid;
	int ret;

	if (parse_pids(cmd, pids, &n) || device_open(cmd, &dev) || in_use_require_nvme(cmd, &dev) ||
	    device_nsid(cmd, &dev, args->nsid, &nsid))
		return 1;
	ret = nvme_fdp_reclaim_unit_handle_update(dev.fd, nsid, n, pids);
	if (ret)
		return device_result(cmd, ret, "update");
	return command_succeed(cmd, "update: Success");
}

const struct command_spec fdp_update_command = {
	.name = "update",
	.summary = "Give placement identifiers new reclaim units",
	.operands = "DEVICE",
	.options = update_options,
	.args_size = sizeof(struct update_args),
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = update,
};
