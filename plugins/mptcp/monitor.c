// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp monitor */
#include <poll.h>

#include "monitor-links.h"
#include "mptcp.h"

struct monitor_args {
	const char *netns;
	unsigned int count;
};

static const struct arg monitor_options[] = {
	OPT_NETNS(struct monitor_args, netns),
	OPT(UINT, "count", 'c', struct monitor_args, count, "N", "end after this many events"),
	OPT_FORMAT,
	OPT_VERBOSE,
	OPT_END,
};

/* True if @name, "nvme1", is in the list @names, "nvme0,nvme1". */
static bool has_name(const char *names, const char *name)
{
	size_t length = strlen(name);

	while (names && *names) {
		size_t n = strcspn(names, ",");

		if (n == length && !memcmp(names, name, n))
			return true;
		names += n + (names[n] == ',');
	}
	return false;
}

static bool is_wanted(const struct command *cmd, nvme_mptcp_event_t ev)
{
	/* Lost events may be about any controller. */
	if (!cmd->argc || nvme_mptcp_event_type(ev) == NVME_MPTCP_EVENT_LOST)
		return true;
	for (int i = 0; i < cmd->argc; i++) {
		const char *slash = strrchr(cmd->argv[i], '/');

		if (has_name(nvme_mptcp_event_ctrl(ev), slash ? slash + 1 : cmd->argv[i]))
			return true;
	}
	return false;
}

static enum out_colour colour_of(unsigned int type)
{
	switch (type) {
	case NVME_MPTCP_EVENT_LOST:
		return OUT_RED;
	case NVME_MPTCP_EVENT_CLOSED:
	case NVME_MPTCP_EVENT_REMOVED:
	case NVME_MPTCP_EVENT_SUBFLOW_CLOSED:
	case NVME_MPTCP_EVENT_LINK_DOWN:
		return OUT_YELLOW;
	case NVME_MPTCP_EVENT_ESTABLISHED:
	case NVME_MPTCP_EVENT_SUBFLOW_ESTABLISHED:
	case NVME_MPTCP_EVENT_LINK_UP:
		return OUT_GREEN;
	default:
		return OUT_PLAIN;
	}
}

/* Format the type of an event as words: "subflow-closed" becomes "subflow closed". */
static const char *words(unsigned int type, char text[static 32])
{
	const char *name = nvme_mptcp_event_type_name(type);

	if (name)
		snprintf(text, 32, "%s", name);
	else
		snprintf(text, 32, "event %u", type);
	for (char *dash = strchr(text, '-'); dash; dash = strchr(dash, '-'))
		*dash = ' ';
	return text;
}

static void show_ends(struct out *out, nvme_mptcp_event_t ev)
{
	const char *local = nvme_mptcp_event_local(ev);
	const char *remote = nvme_mptcp_event_remote(ev);
	const char *link = nvme_mptcp_event_link(ev);

	if (local && remote)
		out_text(out, "  %s -> %s", local, remote);
	else if (local || remote)
		out_text(out, "  %s", local ? local : remote);
	if (link)
		out_text(out, "  %s", out_safe(out, link));
}

static void show_why(struct out *out, nvme_mptcp_event_t ev)
{
	int64_t error = nvme_mptcp_event_value(ev, NVME_MPTCP_EVENT_ERROR);
	int64_t reset = nvme_mptcp_event_value(ev, NVME_MPTCP_EVENT_RESET_REASON);
	const char *reason = nvme_mptcp_event_reason(ev);

	if (nvme_mptcp_event_value(ev, NVME_MPTCP_EVENT_BACKUP) == 1)
		out_text(out, "  backup");
	if (nvme_mptcp_event_value(ev, NVME_MPTCP_EVENT_NO_JOIN_ID0) == 1)
		out_text(out, "  no joins to this address");
	if (error > 0)
		out_text(out, "  %s", strerror((int)error));
	if (reason)
		out_text(out, "  reset: %s", reason);
	else if (reset > 0)
		out_text(out, "  reset: reason %" PRId64, reset);
	if (nvme_mptcp_event_type(ev) == NVME_MPTCP_EVENT_LOST)
		out_text(out, "  some events were lost: they arrived faster than they were read");
}

static void show_event(struct command *cmd, nvme_mptcp_event_t ev)
{
	unsigned int type = nvme_mptcp_event_type(ev);
	int64_t token = nvme_mptcp_event_token(ev);
	int64_t id_local = nvme_mptcp_event_value(ev, NVME_MPTCP_EVENT_ID_LOCAL);
	int64_t id_remote = nvme_mptcp_event_value(ev, NVME_MPTCP_EVENT_ID_REMOTE);
	char text[32], local[MPTCP_NUMBER_TEXT], remote[MPTCP_NUMBER_TEXT];
	struct out *out = cmd->out;

	monitor_show_start(out, nvme_mptcp_event_time(ev), nvme_mptcp_event_ctrl(ev),
			   colour_of(type), words(type, text));
	if (token != NVME_MPTCP_UNKNOWN)
		out_text(out, "  %08" PRIx64, token);
	show_ends(out, ev);
	if (id_local != NVME_MPTCP_UNKNOWN || id_remote != NVME_MPTCP_UNKNOWN)
		out_text(out, "  ids %s/%s", mptcp_number_text(id_local, local),
			 mptcp_number_text(id_remote, remote));
	show_why(out, ev);
	out_text(out, "\n");
}

static int show_json(struct command *cmd, nvme_mptcp_event_t ev)
{
	_cleanup_(free) char *document = nvme_mptcp_event_to_json(ev);

	if (!document)
		return command_fail(cmd, errno, NVME_COMMAND " %s", cmd->name);
	out_json(cmd->out, NULL, document);
	return 0;
}

/* Wait for an event, at most @ms. Return 1 with an event, 0 without one, -1 after a message. */
static int next_event(struct command *cmd, nvme_mptcp_monitor_t mon, int ms,
		      nvme_mptcp_event_t *ret)
{
	struct pollfd fd = { .fd = nvme_mptcp_monitor_get_fd(mon), .events = POLLIN };
	int found = nvme_mptcp_monitor_next(mon, ret);

	if (!found && (poll(&fd, 1, ms) >= 0 || errno == EINTR))
		found = nvme_mptcp_monitor_next(mon, ret);
	if (found < 0)
		command_fail(cmd, errno, "reading MPTCP events");
	return found;
}

/* True if @ev may change which links carry a controller. */
static bool moves_links(nvme_mptcp_event_t ev)
{
	switch (nvme_mptcp_event_type(ev)) {
	case NVME_MPTCP_EVENT_ESTABLISHED:
	case NVME_MPTCP_EVENT_CLOSED:
	case NVME_MPTCP_EVENT_SUBFLOW_ESTABLISHED:
	case NVME_MPTCP_EVENT_SUBFLOW_CLOSED:
	case NVME_MPTCP_EVENT_LINK_DOWN:
	case NVME_MPTCP_EVENT_LINK_UP:
		return nvme_mptcp_event_ctrl(ev);
	default:
		return false;
	}
}

/*
 * Note an event for each controller in @names, and for the list itself: shared connections belong
 * to several controllers.
 */
static int note_all(struct monitored_links *links, const char *names)
{
	int err = monitor_links_note(links, names);

	while (!err && strchr(names, ',')) {
		_cleanup_(free) char *name = strndup(names, strcspn(names, ","));

		err = name ? monitor_links_note(links, name) : -ENOMEM;
		names = strchr(names, ',') + 1;
	}
	return err ? err : monitor_links_note(links, names);
}

static int handle_event(struct command *cmd, nvme_mptcp_event_t ev, struct monitored_links *links)
{
	if (!out_is_json(cmd->out))
		show_event(cmd, ev);
	else if (show_json(cmd, ev))
		return 1;
	if (moves_links(ev) && note_all(links, nvme_mptcp_event_ctrl(ev)))
		return command_fail(cmd, ENOMEM, NVME_COMMAND " %s", cmd->name);
	return out_finish(cmd->out) ? 1 : 0;
}

/* Print events until --count of them were printed, or without end if it is 0. */
static int follow(struct command *cmd, nvme_mptcp_monitor_t mon, const struct monitor_args *args,
		  struct monitored_links *links)
{
	nvme_mptcp_event_t ev;
	unsigned int seen = 0;
	int found, err;

	while (!args->count || seen < args->count) {
		found = next_event(cmd, mon, monitor_links_wait(links), &ev);
		if (found < 0)
			return 1;
		if (!monitor_links_wait(links)) {
			err = monitor_links_show(cmd, args->netns, links);
			if (err || out_finish(cmd->out))
				return err ? err : 1;
		}
		if (!found || !is_wanted(cmd, ev))
			continue;
		seen++;
		err = handle_event(cmd, ev, links);
		if (err)
			return err;
	}
	return 0;
}

static int monitor(struct command *cmd)
{
	_cleanup_(nvme_mptcp_monitor_close) nvme_mptcp_monitor_t mon = NULL;
	_cleanup_(monitor_links) struct monitored_links links = {};
	const struct monitor_args *args = cmd->args;

	if (nvme_mptcp_monitor_open(args->netns, &mon)) {
		if (errno == EPERM)
			return command_fail_as(cmd, MPTCP_EXIT_NO_ANSWER, 0,
					       "MPTCP events: the kernel shows them to root only "
					       "(CAP_NET_ADMIN)");
		if (errno == EOPNOTSUPP)
			return command_fail_as(
				cmd, MPTCP_EXIT_NO_ANSWER, 0,
				"MPTCP events: this kernel has no MPTCP path manager");
		return command_fail_as(cmd, MPTCP_EXIT_NO_ANSWER, errno,
				       "MPTCP events of network namespace %s",
				       args->netns ? args->netns : "(the current one)");
	}
	out_compact(cmd->out);
	return follow(cmd, mon, args, &links);
}

const struct command_spec mptcp_monitor_command = {
	.name = "monitor",
	.summary = "Print events of connections and subflows as they happen",
	.operands = "[DEVICE...]",
	.description =
		"Prints one line, or one JSON document, for each event of the MPTCP path manager: connections that\n"
		"open and close, subflows that form or close, with the reason, and addresses that the peer announces.\n"
		"Each event has the name of the controller, or - if the connection has none. Links that go down or\n"
		"come back are printed with the controllers that they are meant to carry. One second after the\n"
		"last event, a line shows how many links carry the controller, and what is missing on the others.\n"
		"With devices, only their events are printed. An interrupt ends it.",
	.options = monitor_options,
	.args_size = sizeof(struct monitor_args),
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = -1,
	.run = monitor,
};
