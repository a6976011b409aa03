// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp monitor: print the links that carry a controller after events of its subflows. */
#include <search.h>

#include "monitor-links.h"
#include "mptcp.h"

/*
 * Subflows come and go together: print SETTLED_MS after the last event, but at most AT_MOST_MS
 * after the first one.
 */
#define SETTLED_MS 1000
#define AT_MOST_MS 5000

struct monitored {
	char *names; /* must be first: compare() takes a pointer to it */
	char *printed; /* text printed last, or NULL */
	bool noted;
};

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_monitored(void *node)
{
	struct monitored *ctrl = node;

	free(ctrl->names);
	free(ctrl->printed);
	free(ctrl);
}

void monitor_links_cleanup(struct monitored_links *links)
{
	tdestroy(links->tree, free_monitored);
	links->tree = NULL;
}

static int64_t microseconds(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t milliseconds(void)
{
	return microseconds(CLOCK_MONOTONIC) / 1000;
}

static struct monitored *find(const struct monitored_links *links, const char *names)
{
	struct monitored **node = tfind(&names, &links->tree, compare);

	return node ? *node : NULL;
}

static struct monitored *add(struct monitored_links *links, const char *names)
{
	struct monitored *ctrl = calloc(1, sizeof(*ctrl));

	if (!ctrl)
		return NULL;
	ctrl->names = strdup(names);
	if (ctrl->names && tsearch(ctrl, &links->tree, compare))
		return ctrl;
	free_monitored(ctrl);
	return NULL;
}

int monitor_links_note(struct monitored_links *links, const char *names)
{
	struct monitored *ctrl = find(links, names);

	if (!ctrl)
		ctrl = add(links, names);
	if (!ctrl)
		return -ENOMEM;
	ctrl->noted = true;
	links->last = milliseconds();
	if (!links->since)
		links->since = links->last;
	return 0;
}

int monitor_links_wait(const struct monitored_links *links)
{
	const int64_t settled = links->last + SETTLED_MS, most = links->since + AT_MOST_MS;
	const int64_t left = (settled < most ? settled : most) - milliseconds();

	if (!links->since)
		return -1;
	return left > 0 ? (int)left : 0;
}

static size_t count_on(nvme_mptcp_coverage_t coverage)
{
	return nvme_mptcp_coverage_count(coverage, NVME_MPTCP_COVERED) +
	       nvme_mptcp_coverage_count(coverage, NVME_MPTCP_SUPERFLUOUS);
}

static void count_links(nvme_mptcp_set_t set, size_t *carrying, size_t *all)
{
	*carrying = *all = 0;
	nvme_mptcp_for_each_coverage(set, coverage) {
		const size_t missing = nvme_mptcp_coverage_count(coverage, NVME_MPTCP_MISSING);

		*carrying += !missing && count_on(coverage);
		*all += missing || count_on(coverage);
	}
}

/*
 * Write ", h2 (1 of 2 connections: it has no carrier)", with @begin instead of ", ". False if @n is
 * 0.
 */
static bool put_link(FILE *text, struct out *out, nvme_mptcp_coverage_t coverage, size_t n,
		     const char *begin)
{
	const size_t all =
		count_on(coverage) + nvme_mptcp_coverage_count(coverage, NVME_MPTCP_MISSING);
	const char *trouble = nvme_mptcp_coverage_trouble(coverage);
	nvme_mptcp_link_t link = nvme_mptcp_coverage_link(coverage);

	if (!n)
		return false;
	fprintf(text, "%s%s (%zu of %zu connection%s%s%s)", begin,
		link ? out_safe(out, nvme_mptcp_link_name(link)) : "a link", n, all,
		all == 1 ? "" : "s", trouble ? ": " : "", trouble ? trouble : "");
	return true;
}

static void put_links(FILE *text, struct out *out, nvme_mptcp_set_t set)
{
	size_t carrying, all;
	bool any = false;

	count_links(set, &carrying, &all);
	if (all)
		fprintf(text, "%zu of %zu", carrying, all);
	else
		fputs("no connection", text);
	nvme_mptcp_for_each_coverage(set, coverage)
		any |= put_link(text, out, coverage,
				nvme_mptcp_coverage_count(coverage, NVME_MPTCP_MISSING),
				any ? ", " : "  missing: ");
	any = false;
	nvme_mptcp_for_each_coverage(set, coverage)
		any |= put_link(text, out, coverage,
				nvme_mptcp_coverage_count(coverage, NVME_MPTCP_SUPERFLUOUS),
				any ? ", " : "  more than one: ");
}

static void put_array(struct out *out, nvme_mptcp_set_t set, const char *key,
		      enum nvme_mptcp_coverage_state state)
{
	out_array(out, key);
	nvme_mptcp_for_each_coverage(set, coverage) {
		const size_t n = nvme_mptcp_coverage_count(coverage, state);
		nvme_mptcp_link_t link = nvme_mptcp_coverage_link(coverage);

		if (!n)
			continue;
		out_object(out, NULL);
		out_str(out, "link", link ? nvme_mptcp_link_name(link) : NULL);
		out_uint(out, "connections", n);
		out_str(out, "trouble", nvme_mptcp_coverage_trouble(coverage));
		out_end(out);
	}
	out_end(out);
}

static void show_json(struct out *out, const char *names, nvme_mptcp_set_t set)
{
	size_t carrying, all;

	count_links(set, &carrying, &all);
	out_object(out, NULL);
	out_int(out, "time_us", microseconds(CLOCK_REALTIME));
	out_str(out, "event", "links");
	out_str(out, "controller", names);
	out_uint(out, "links", all);
	out_uint(out, "carrying", carrying);
	put_array(out, set, "missing", NVME_MPTCP_MISSING);
	put_array(out, set, "superfluous", NVME_MPTCP_SUPERFLUOUS);
	out_end(out);
}

void monitor_show_start(struct out *out, int64_t us, const char *ctrl, enum out_colour colour,
			const char *what)
{
	time_t seconds = (time_t)(us / 1000000);
	char clock[16] = "", padded[40];
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	snprintf(padded, sizeof(padded), "%-19s", what);
	out_text(out, "%s.%03d  %-7s  %s", clock, (int)(us / 1000 % 1000),
		 ctrl ? out_safe(out, ctrl) : "-", out_paint(out, colour, padded));
}

static void show_text(struct out *out, const char *names, nvme_mptcp_set_t set, const char *text)
{
	size_t carrying, all;

	count_links(set, &carrying, &all);
	monitor_show_start(out, microseconds(CLOCK_REALTIME), names,
			   carrying < all ? OUT_YELLOW : OUT_GREEN, "links");
	out_text(out, "  %s\n", text);
}

static int show(struct command *cmd, struct monitored *ctrl, nvme_mptcp_set_t set)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		return -ENOMEM;
	put_links(stream, cmd->out, set);
	if (fclose(stream)) {
		free(text);
		return -ENOMEM;
	}
	if (!ctrl->printed || strcmp(ctrl->printed, text)) {
		if (out_is_json(cmd->out))
			show_json(cmd->out, ctrl->names, set);
		else
			show_text(cmd->out, ctrl->names, set, text);
	}
	free(ctrl->printed);
	ctrl->printed = text;
	return 0;
}

static int show_if_noted(struct command *cmd, const struct monitored_links *links,
			 const char *names, nvme_mptcp_set_t set)
{
	struct monitored *ctrl = find(links, names);

	if (!ctrl || !ctrl->noted)
		return 0;
	ctrl->noted = false;
	return show(cmd, ctrl, set);
}

/* Return the names of the controllers as in events, "nvme0,nvme1"; the caller frees them. */
static char *names_of(nvme_mptcp_shared_t shared)
{
	nvme_mptcp_ctrl_t ctrl;
	char *names = NULL;

	for (size_t i = 0; (ctrl = nvme_mptcp_shared_ctrl(shared, i)); i++) {
		char *longer;

		if (asprintf(&longer, "%s%s%s", names ? names : "", names ? "," : "",
			     nvme_mptcp_ctrl_name(ctrl)) < 0)
			longer = NULL;
		free(names);
		if (!longer)
			return NULL;
		names = longer;
	}
	return names;
}

/* Forget what was printed for a controller that is gone, to print its links when it comes back. */
static void forget_gone(const void *node, VISIT visit, void *closure)
{
	struct monitored *ctrl = *(struct monitored *const *)node;

	if ((visit != postorder && visit != leaf) || !ctrl->noted)
		return;
	free(ctrl->printed);
	ctrl->printed = NULL;
	ctrl->noted = false;
}

int monitor_links_show(struct command *cmd, const char *netns, struct monitored_links *links)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = NULL;
	int err = mptcp_take_snapshot(cmd, netns, &snap);

	if (err)
		return err;
	links->since = links->last = 0;
	nvme_mptcp_for_each_ctrl(snap, ctrl) {
		if (!err)
			err = show_if_noted(cmd, links, nvme_mptcp_ctrl_name(ctrl),
					    nvme_mptcp_ctrl_connections(ctrl));
	}
	nvme_mptcp_for_each_shared(snap, shared) {
		_cleanup_(free) char *names = names_of(shared);

		if (!names)
			err = -ENOMEM;
		if (!err)
			err = show_if_noted(cmd, links, names,
					    nvme_mptcp_shared_connections(shared));
	}
	if (err)
		return command_fail(cmd, -err, NVME_COMMAND " %s", cmd->name);
	twalk_r(links->tree, forget_gone, NULL);
	return 0;
}
