// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme error-log: Error Information (log page 01h) */
#include "device/device.h"

struct error_log_args {
	uint32_t entries;
	bool raw;
};

/* Meanings of an entry's trtype: Base Specification 2.0, figure 206. */
static const struct name transports[] = {
	{ 0, "The transport type is not indicated or the error is not transport related" },
	{ NVMF_TRTYPE_RDMA, "RDMA Transport error" },
	{ NVMF_TRTYPE_FC, "Fibre Channel Transport error" },
	{ NVMF_TRTYPE_TCP, "TCP Transport error" },
	{ NVMF_TRTYPE_MPTCP, "MPTCP Transport error" },
	{ NVMF_TRTYPE_LOOP, "Intra-host Transport error" },
	{ 0, NULL, NULL },
};

#define RULE ".................\n"

static void show_entry(struct out *out, unsigned int index, const struct nvme_error_log_page *e)
{
	uint16_t status = le16toh(e->status_field) >> 1;

	out_text(out, " Entry[%2u]   \n" RULE, index);
	out_listing(out, NULL, OUT_PAD_COLON, 16);
	out_uint(out, "error_count", le64toh(e->error_count));
	out_uint(out, "sqid", le16toh(e->sqid));
	out_uint_as(out, "cmdid", le16toh(e->cmdid), "%#x", le16toh(e->cmdid));
	out_uint_as(out, "status_field", status, "%#x (%s)", status,
		    nvme_status_to_string(status, false));
	out_uint_as(out, "phase_tag", le16toh(e->status_field) & 1, "%#x",
		    le16toh(e->status_field) & 1);
	out_uint_as(out_label(out, "parm_err_loc"), "parm_error_location",
		    le16toh(e->parm_error_location), "%#x", le16toh(e->parm_error_location));
	out_uint_as(out, "lba", le64toh(e->lba), "%#" PRIx64, (uint64_t)le64toh(e->lba));
	out_uint_as(out, "nsid", le32toh(e->nsid), "%#x", le32toh(e->nsid));
	out_uint(out, "vs", e->vs);
	out_uint_as(out, "trtype", e->trtype, "%#x (%s)", e->trtype,
		    name_or(transports, e->trtype, "Reserved"));
	out_uint(out, "csi", e->csi);
	out_uint_as(out, "opcode", e->opcode, "%#x", e->opcode);
	out_uint_as(out, "cs", le64toh(e->cs), "%#" PRIx64, (uint64_t)le64toh(e->cs));
	out_uint_as(out, "trtype_spec_info", le16toh(e->trtype_spec_info), "%#x",
		    le16toh(e->trtype_spec_info));
	out_uint(out, "log_page_version", e->log_page_version);
	out_end(out);
	out_text(out, RULE);
}

static int error_log(struct command *cmd)
{
	const struct error_log_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(free) struct nvme_error_log_page *log = NULL;
	struct out *out = cmd->out;
	struct nvme_id_ctrl id;
	uint32_t n = args->entries;
	int ret;

	if (!n)
		return command_fail(cmd, 0, "non-zero log-entries is required param");
	if (device_open(cmd, &dev) || device_identify_ctrl(cmd, &id))
		return 1;
	if (n > id.elpe + 1U)
		n = id.elpe + 1U;
	log = calloc(n, sizeof(*log));
	if (!log)
		return command_fail(cmd, ENOMEM, "error log");
	ret = nvme_get_log_error(dev.fd, n, false, log);
	if (ret)
		return device_result(cmd, ret, "error log");
	if (command_writes_bytes(cmd))
		return bytes_write(cmd, log, n * sizeof(*log));

	out_text(out, "Error Log Entries for device:%s entries:%u\n" RULE, out_safe(out, dev.name),
		 n);
	out_object(out, NULL);
	out_array(out, "errors");
	for (unsigned int i = 0; i < n; i++)
		show_entry(out, i, &log[i]);
	return out_ends(out, 2);
}

DEVICE_COMMAND_BINARY(error_log_command, "error-log", "Show the Error Information log",
		      BINARY(OPT(UINT, "log-entries", 'e', struct error_log_args, entries, "N",
				 "entries to read"),
			     OPT_FLAG("raw-binary", 'b', struct error_log_args, raw,
				      "write the log's bytes")),
		      struct error_log_args,
		      .defaults = &(const struct error_log_args){ .entries = 64 },
		      .run = error_log);
