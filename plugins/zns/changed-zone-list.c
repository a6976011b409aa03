// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme zns changed-zone-list: Changed Zone List (log page BFh) */
#include "device/logs/log-page.h"
#include "zns.h"

#define TOO_MANY UINT16_MAX /* more zones have changed than the log can list */

static int show_overflow(struct out *out)
{
	static const char text[] =
		"Too many zones have changed to fit into the log. Use report zones for changes.";

	out_object(out, NULL);
	out_text(out, "%s\n", text);
	out_str(out, "Result", text);
	return out_end(out);
}

static int show_changed_zone_list(struct command *cmd, const void *log, bool explain)
{
	const struct nvme_zns_changed_zone_log *changed = log;
	const struct log_bytes all = { .at = log, .size = sizeof(*changed) };
	const unsigned int n = le16toh(changed->nrzid);
	struct out *out = cmd->out;
	char label[16];

	out_text(out, "NVMe Changed Zone List:\n");
	if (n == TOO_MANY)
		return show_overflow(out);
	out_listing(out, NULL, OUT_COLON_PAD, 0);
	out_uint_as(out, "nrzid", n, "%u", n);
	for (unsigned int i = 0; i < n; i++) {
		if (i == NVME_ZNS_CHANGED_ZONES_MAX)
			return log_page_ends(cmd, "zone", i, n, &all);
		snprintf(label, sizeof(label), "zid %03u", i);
		out_uint(out, label, le64toh(changed->zid[i]));
	}
	return out_end(out);
}

/* The log is for one namespace: the device's own if none is given. */
static int changed_zone_list(struct command *cmd)
{
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	struct log_page_args *args = cmd->args;

	if (device_open(cmd, &dev) || device_nsid(cmd, &dev, args->nsid, &args->nsid))
		return 1;
	return log_page_run(cmd);
}

LOG_PAGE_COMMAND(zns_changed_zone_list_command, "changed-zone-list",
		 "List the zones that have changed",
		 BINARY(OPT_NSID(struct log_page_args), LOG_PAGE_OPT_RAE),
		 LOG_ARGS(.csi = NVME_CSI_ZNS), changed_zone_list,
		 .lid = NVME_LOG_LID_ZNS_CHANGED_ZONES,
		 .size = sizeof(struct nvme_zns_changed_zone_log), .what = "changed zone list",
		 .show = show_changed_zone_list);
