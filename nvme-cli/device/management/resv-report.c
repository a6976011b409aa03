// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme resv-report: NVM Express Base Specification 2.1, section 7.8 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "commands.h"
#include "device/device.h"

#define REPORT_DEFAULT 0x1000 /* bytes */
#define REPORT_MAX_DWORDS (1U << 20)
#define CTRATT_HOST_ID_128 1

struct report_args {
	uint32_t nsid;
	uint32_t numd;
	bool extended;
	bool raw;
};

static const struct arg options[] = {
	OPT(UINT, "namespace-id", 'n', struct report_args, nsid, "N",
	    "namespace; the device's own if left out"),
	OPT(UINT, "numd", 'd', struct report_args, numd, "N", "dwords to read, less one"),
	OPT_FLAG("eds", 'e', struct report_args, extended,
		 "extended structure; hosts with 128-bit identifiers always get it"),
	OPT_FLAG("raw-binary", 'b', struct report_args, raw, "write the structure's bytes"),
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

struct report {
	struct nvme_resv_status *status;
	uint32_t size; /* bytes */
	bool extended;
};

static void report_free_cleanup(struct report *report)
{
	free(report->status);
}

static int fetch(struct command *cmd, const struct device *dev, uint32_t nsid,
		 struct report *report)
{
	const struct report_args *args = cmd->args;
	struct nvme_id_ctrl ctrl = { 0 };
	struct nvme_resv_report_args command = {
		.args_size = sizeof(command),
		.fd = dev->fd,
		.timeout = cmd->common.timeout,
		.nsid = nsid,
	};
	int ret = nvme_identify_ctrl(dev->fd, &ctrl);

	if (ret)
		return device_result(cmd, ret, "identify controller") || 1;
	report->extended = args->extended || le32toh(ctrl.ctratt) & CTRATT_HOST_ID_128;
	report->size = args->numd ? (args->numd + 1) * 4 : REPORT_DEFAULT;
	report->status = calloc(1, report->size + sizeof(*report->status));
	if (!report->status)
		return command_fail(cmd, ENOMEM, "%s", cmd->name);
	command.eds = report->extended;
	command.len = report->size;
	command.report = report->status;
	ret = nvme_resv_report(&command);
	return ret ? device_result(cmd, ret, "resv-report") || 1 : 0;
}

static void show_short(struct out *out, unsigned int index, const struct nvme_registered_ctrl *r)
{
	const uint64_t host = le64toh(r->hostid), key = le64toh(r->rkey);

	out_text(out, "regctl[%u] :\n  cntlid  : %x\n  rcsts   : %x\n", index, le16toh(r->cntlid),
		 r->rcsts);
	out_text(out, "  hostid  : %" PRIx64 "\n  rkey    : %" PRIx64 "\n", host, key);
	out_object(out, NULL);
	out_uint(out, "cntlid", le16toh(r->cntlid));
	out_uint(out, "rcsts", r->rcsts);
	out_uint(out, "hostid", host);
	out_uint(out, "rkey", key);
	out_end(out);
}

static void show_extended(struct out *out, unsigned int index,
			  const struct nvme_registered_ctrl_ext *r)
{
	const uint64_t key = le64toh(r->rkey);
	char host[2 * sizeof(r->hostid) + 1];

	field_format_bytes(host, r->hostid, sizeof(r->hostid), false);
	out_text(out, "regctlext[%u] :\n  cntlid     : %x\n  rcsts      : %x\n", index,
		 le16toh(r->cntlid), r->rcsts);
	out_text(out, "  rkey       : %" PRIx64 "\n  hostid     : %s\n", key, host);
	out_object(out, NULL);
	out_uint(out, "cntlid", le16toh(r->cntlid));
	out_uint(out, "rcsts", r->rcsts);
	out_uint(out, "rkey", key);
	out_str(out, "hostid", host);
	out_end(out);
}

/* Return the number of registrants within the data that was read. */
static unsigned int count_registrants(const struct report *report, unsigned int announced)
{
	const size_t head = report->extended ? offsetof(struct nvme_resv_status, regctl_eds)
					     : offsetof(struct nvme_resv_status, regctl_ds);
	const size_t each = report->extended ? sizeof(struct nvme_registered_ctrl_ext)
					     : sizeof(struct nvme_registered_ctrl);
	const size_t room = report->size < head ? 0 : (report->size - head) / each;

	return announced < room ? announced : (unsigned int)room;
}

static int show_resv_report(struct command *cmd, const struct report *report)
{
	const struct nvme_resv_status *s = report->status;
	const unsigned int announced = s->regctl[0] | s->regctl[1] << 8;
	const unsigned int n = count_registrants(report, announced);
	struct out *out = cmd->out;

	out_text(out, "\nNVME Reservation status:\n\n");
	out_listing(out, NULL, OUT_PAD_COLON, 10);
	out_uint(out, "gen", le32toh(s->gen));
	out_uint(out, "rtype", s->rtype);
	out_uint(out, "regctl", announced);
	out_uint(out, "ptpls", s->ptpls);
	out_array(out, report->extended ? "regctlext" : "regctls");
	for (unsigned int i = 0; i < n; i++) {
		if (report->extended)
			show_extended(out, i, &s->regctl_eds[i]);
		else
			show_short(out, i, &s->regctl_ds[i]);
	}
	out_end(out);
	out_text(out, "\n");
	return out_end(out);
}

static int resv_report(struct command *cmd)
{
	const struct report_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(report_free) struct report report = { 0 };
	uint32_t nsid;

	if (args->numd > REPORT_MAX_DWORDS)
		return command_fail(cmd, 0, "invalid numd:%u (up to %u)", args->numd,
				    REPORT_MAX_DWORDS);
	if (device_open(cmd, &dev) || device_nsid(cmd, &dev, args->nsid, &nsid) ||
	    fetch(cmd, &dev, nsid, &report))
		return 1;
	if (command_writes_bytes(cmd))
		return bytes_write(cmd, report.status, report.size);
	return show_resv_report(cmd, &report);
}

const struct command_spec resv_report_command = {
	.name = "resv-report",
	.summary = "Show the reservation of a namespace and who is registered",
	.operands = "DEVICE",
	.options = options,
	.args_size = sizeof(struct report_args),
	.formats = OUT_TEXT | OUT_JSON | OUT_BINARY,
	.max_operands = 1,
	.run = resv_report,
};
