// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp show-endpoints */
#include "mptcp.h"

#define MAX_FLAGS 16 /* more than any kernel has */

struct show_args {
	const char *netns;
};

static const struct arg show_options[] = {
	OPT_NETNS(struct show_args, netns),
	OPT_FORMAT,
	OPT_VERBOSE,
	OPT_END,
};

/* Return the side on which such an endpoint is useful. */
static const char *verdict(nvme_mptcp_endpoint_t ep)
{
	const bool announces = nvme_mptcp_endpoint_announces(ep);
	const bool starts = nvme_mptcp_endpoint_starts_by_itself(ep) ||
			    nvme_mptcp_endpoint_starts_when_announced(ep);

	if (nvme_mptcp_endpoint_flags(ep) == NVME_MPTCP_UNKNOWN)
		return "unknown";
	if (!announces)
		return starts ? "host" : "none";
	return starts ? "both" : "target";
}

static void put_flags(struct out *out, int64_t flags)
{
	struct out_flag names[MAX_FLAGS + 1] = {};
	size_t n = 0;

	if (flags == NVME_MPTCP_UNKNOWN) {
		out_unknown(out, NULL);
		return;
	}
	for (unsigned int bit = 0; bit < MAX_FLAGS; bit++) {
		const char *name = nvme_mptcp_endpoint_flag_name(1 << bit);

		if (name)
			names[n++] = (struct out_flag){ 1 << bit, name };
	}
	out_flags(out, NULL, (uint64_t)flags, names);
}

static const char *carrier(nvme_mptcp_link_t link)
{
	if (!nvme_mptcp_link_is_up(link))
		return "down";
	return nvme_mptcp_link_has_carrier(link) ? "up" : "no carrier";
}

static void show_head(struct command *cmd, nvme_mptcp_snapshot_t snap)
{
	int enabled = nvme_mptcp_is_enabled(snap);
	const char *manager = nvme_mptcp_path_manager(snap);
	const char *scheduler = nvme_mptcp_scheduler(snap);
	char text[MPTCP_NUMBER_TEXT];
	struct out *out = cmd->out;

	out_listing(out, NULL, OUT_COLON_PAD, 20);
	out_str(out, "enabled", enabled < 0 ? "unknown" : enabled ? "yes" : "no");
	out_str(out, "path manager", manager ? manager : "unknown");
	out_str(out, "scheduler", scheduler ? scheduler : "unknown");
	out_str_as(out, "limit subflows", "",
		   "%s in addition to the initial one, of each connection",
		   mptcp_number_text(nvme_mptcp_limit_subflows(snap), text));
	out_str_as(out, "limit add_addr", "", "%s announced addresses accepted",
		   mptcp_number_text(nvme_mptcp_limit_add_addr_accepted(snap), text));
	out_end(out);
}

static void show_row(struct command *cmd, nvme_mptcp_endpoint_t ep)
{
	nvme_mptcp_link_t device = nvme_mptcp_endpoint_device(ep);
	nvme_mptcp_link_t link = device ? device : nvme_mptcp_endpoint_link(ep);
	unsigned int port = nvme_mptcp_endpoint_port(ep);
	char text[MPTCP_NUMBER_TEXT];
	struct out *out = cmd->out;

	out_row(out);
	out_uint(out, NULL, nvme_mptcp_endpoint_id(ep));
	out_str(out, NULL, nvme_mptcp_endpoint_address(ep));
	if (port)
		out_uint(out, NULL, port);
	else
		out_unknown(out, NULL);
	put_flags(out, nvme_mptcp_endpoint_flags(ep));
	if (nvme_mptcp_endpoint_ifindex(ep) && !device)
		out_str_as(out, NULL, "", "gone (%d)", nvme_mptcp_endpoint_ifindex(ep));
	else
		out_str(out, NULL, device ? nvme_mptcp_link_name(device) : NULL);
	out_str(out, NULL, link ? nvme_mptcp_link_name(link) : NULL);
	out_colour(out, link && nvme_mptcp_link_has_carrier(link) ? OUT_PLAIN : OUT_YELLOW);
	out_str(out, NULL, link ? carrier(link) : NULL);
	out_str(out, NULL,
		mptcp_speed_text(link ? nvme_mptcp_link_speed(link) : NVME_MPTCP_UNKNOWN, text));
	out_str(out, NULL, verdict(ep));
	out_str(out, NULL, mptcp_number_text(nvme_mptcp_endpoint_subflows(ep), text));
}

static int show_endpoints(struct command *cmd)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = NULL;
	const struct show_args *args = cmd->args;
	_cleanup_(free) char *document = NULL;
	int status;

	status = mptcp_take_snapshot(cmd, args->netns, &snap);
	if (!status)
		status = mptcp_require(cmd, snap);
	if (status)
		return status;
	if (nvme_mptcp_snapshot_errno(snap, NVME_MPTCP_ENDPOINTS) &&
	    !nvme_mptcp_endpoint_next(snap, NULL))
		return command_fail_as(cmd, MPTCP_EXIT_NO_ANSWER, 0, "%s",
				       nvme_mptcp_snapshot_problem(snap, NVME_MPTCP_ENDPOINTS));
	mptcp_warn_problems(cmd, snap);
	if (out_is_json(cmd->out)) {
		document = nvme_mptcp_snapshot_to_json(
			snap, NVME_MPTCP_JSON_ENDPOINTS | NVME_MPTCP_JSON_PRETTY, NULL);
		if (!document)
			return command_fail(cmd, errno, NVME_COMMAND " %s", cmd->name);
		out_json_text(cmd->out, document);
		return 0;
	}
	show_head(cmd, snap);
	if (!nvme_mptcp_endpoint_next(snap, NULL)) {
		out_text(cmd->out,
			 "\nno endpoints: connections have only their initial subflow, and "
			 "subflows to\nannounced addresses if add_addr is above 0\n");
		return 0;
	}
	out_text(cmd->out, "\n");
	out_table(cmd->out, NULL, "ID:r", "ADDRESS", "PORT", "FLAGS", "DEV", "LINK", "CARRIER",
		  "SPEED:r", "USE", "SUBFLOWS:r");
	nvme_mptcp_for_each_endpoint(snap, ep)
		show_row(cmd, ep);
	return out_end(cmd->out);
}

const struct command_spec mptcp_show_endpoints_command = {
	.name = "show-endpoints",
	.summary = "Show MPTCP endpoints and limits",
	.description =
		"Shows the endpoints of the path manager: address, flags, the device of the endpoint's configuration\n"
		"(DEV), the link that has the address, the side on which it is useful (host: starts subflows; target:\n"
		"is announced to the host; both; none) and its number of subflows; and the limits, the path manager\n"
		"and the scheduler of this network namespace.",
	.options = show_options,
	.args_size = sizeof(struct show_args),
	.formats = OUT_TEXT | OUT_JSON,
	.run = show_endpoints,
};
