// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme fdp status, update: reclaim unit handles (I/O Management Receive and Send, 12h and 1Dh) */
#include "device/request.h"
#include "fdp.h"

struct status_args {
	uint32_t nsid;
	bool raw;
};

/* Read the head, then the whole status into a buffer that the caller frees. */
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

static const struct field *const status_fields =
	FIELDS(FIELD_LABELLED(DEC, struct nvme_fdp_ruh_status_desc, earutr, "earutr",
			      "  Estimated Active Reclaim Unit Time Remaining (EARUTR)"),
	       FIELD_LABELLED(DEC, struct nvme_fdp_ruh_status_desc, ruamw, "ruamw",
			      "  Reclaim Unit Available Media Writes (RUAMW)"));

static void show_handle(struct out *out, const struct nvme_fdp_ruh_status_desc *handle)
{
	const unsigned int pid = le16toh(handle->pid), ruhid = le16toh(handle->ruhid);

	out_text(out, "Placement Identifier %u; Reclaim Unit Handle Identifier %u\n", pid, ruhid);
	out_listing(out, NULL, OUT_PAD_COLON, 0);
	out_uint(out_json_only(out), "pid", pid);
	out_uint(out_json_only(out), "ruhid", ruhid);
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
	return out_ends(out, 2);
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

DEVICE_COMMAND_BINARY(fdp_status_command, "status", "Show the reclaim unit handles of a namespace",
		      BINARY(OPT_NSID(struct status_args),
			     OPT_FLAG("raw-binary", 'b', struct status_args, raw,
				      "write the answer's bytes")),
		      struct status_args, .run = status);

#define MAX_PIDS 256

struct update_args {
	uint32_t nsid;
	const char *pids;
	uint64_t numbers[MAX_PIDS]; /* parsed from pids */
};

static int measure_update(struct command *cmd, __u32 *data_len)
{
	struct update_args *args = cmd->args;
	const int n = fdp_parse(cmd, args->pids, UINT16_MAX, "placement identifiers", "pids",
				args->numbers, MAX_PIDS);

	*data_len = n < 0 ? 0 : (__u32)n * sizeof(__le16);
	return n < 0;
}

static int build_update(struct command *cmd, struct nvme_passthru_cmd *c)
{
	const struct update_args *args = cmd->args;
	const unsigned int n = c->data_len / sizeof(__le16);
	__le16 *pids = request_data(c);

	for (unsigned int i = 0; i < n; i++)
		pids[i] = htole16((uint16_t)args->numbers[i]);
	c->cdw10 = NVME_IO_MGMT_SEND_RUH_UPDATE | (n - 1) << 16;
	return device_nsid(cmd, cmd->device, args->nsid, &c->nsid) ? 1 : 0;
}

REQUEST_COMMAND(fdp_update_command, "update", "Give placement identifiers new reclaim units",
		GENERIC(OPT_NSID(struct update_args),
			OPT(STR, "pids", 'p', struct update_args, pids, "N,...",
			    "placement identifiers that get new reclaim units")),
		struct update_args, .opcode = nvme_cmd_io_mgmt_send, .io = true,
		.measure = measure_update, .build = build_update, .what = "update",
		.success = "update: Success");
