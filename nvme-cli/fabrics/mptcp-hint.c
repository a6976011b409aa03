// SPDX-License-Identifier: GPL-2.0-or-later
/* On a terminal, warn of one link or plain TCP, noticed only at a failure. Scripts: mptcp check. */
#include "mptcp-hint.h"

#define SETTLE_TIMEOUT_MS 1000 /* ms until all subflows have joined */
#define SETTLE_INTERVAL_MS 100 /* ms between two snapshots */
#define MAX_LINKS 64

DEFINE_CLEANUP(nvme_mptcp_snapshot_t, nvme_mptcp_snapshot_free);

/* Links of a controller: those of its connection with the fewest links. */
struct carried {
	size_t connections, fallback;
	size_t found, expected; /* links */
};

struct links {
	nvme_mptcp_link_t link[MAX_LINKS];
	size_t n;
};

static void add(struct links *links, nvme_mptcp_link_t link)
{
	for (size_t i = 0; i < links->n; i++)
		if (links->link[i] == link)
			return;
	if (link && links->n < MAX_LINKS)
		links->link[links->n++] = link;
}

void hint_later(struct command *cmd, struct fresh *fresh, nvme_ctrl_t c)
{
	nvme_ctrl_t *grown;

	if (cmd->common.quiet || out_is_json(cmd->out) || !isatty(STDERR_FILENO) ||
	    !nvmf_transport_has(nvme_ctrl_get_transport(c), NVMF_TRANSPORT_SUBFLOWS))
		return;
	grown = reallocarray(fresh->ctrls, fresh->n + 1, sizeof(nvme_ctrl_t));
	if (!grown)
		return;
	fresh->ctrls = grown;
	fresh->ctrls[fresh->n++] = c;
}

/*
 * Return the number of links that a connection should use: its first one and those of the endpoints
 * that start subflows; at least one more than the accepted addresses of the target; at most one
 * more than the subflow limit.
 */
static size_t expected_links(nvme_mptcp_snapshot_t snap, nvme_mptcp_connection_t conn,
			     const struct links *found, const char *traddr)
{
	const int64_t limit = nvme_mptcp_limit_subflows(snap);
	const int64_t accepted =
		nvme_mptcp_connection_value(conn, NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED);
	struct links wanted = { .n = 0 };
	size_t expected;

	if (found->n)
		add(&wanted, found->link[0]);
	nvme_mptcp_for_each_endpoint(snap, ep)
		if (nvme_mptcp_endpoint_starts_by_itself(ep) && nvme_mptcp_endpoint_is_usable(ep) &&
		    nvme_mptcp_endpoint_fits(ep, traddr))
			add(&wanted, nvme_mptcp_endpoint_link(ep));
	expected = wanted.n;
	if (accepted > 0 && (size_t)accepted + 1 > expected)
		expected = (size_t)accepted + 1;
	if (limit >= 0 && expected > (size_t)limit + 1)
		expected = (size_t)limit + 1;
	return expected;
}

static void count_links(nvme_mptcp_snapshot_t snap, nvme_mptcp_ctrl_t ctrl, struct carried *ret)
{
	const char *traddr = nvme_mptcp_ctrl_traddr(ctrl);

	nvme_mptcp_for_each_connection(nvme_mptcp_ctrl_connections(ctrl), conn) {
		struct links found = { .n = 0 };
		size_t expected;

		ret->connections++;
		if (nvme_mptcp_connection_fallback(conn) == 1) {
			ret->fallback++;
			continue;
		}
		nvme_mptcp_for_each_subflow(conn, sf)
			if (nvme_mptcp_subflow_is_carrying(sf))
				add(&found, nvme_mptcp_subflow_link(sf));
		expected = expected_links(snap, conn, &found, traddr);
		/* A connection without visible subflows proves nothing. */
		if (!found.n || found.n >= expected)
			continue;
		if (!ret->expected || found.n < ret->found) {
			ret->found = found.n;
			ret->expected = expected;
		}
	}
}

static bool is_fresh(const struct fresh *fresh, const char *name)
{
	for (size_t i = 0; i < fresh->n; i++) {
		const char *fresh_name = nvme_ctrl_get_name(fresh->ctrls[i]);

		if (fresh_name && !strcmp(fresh_name, name))
			return true;
	}
	return false;
}

struct shortfall {
	size_t n; /* controllers with a fallback or too few links */
	char names[128]; /* of the first few */
	struct carried first;
};

static void find_shortfall(nvme_mptcp_snapshot_t snap, const struct fresh *fresh,
			   struct shortfall *ret)
{
	*ret = (struct shortfall){ 0 };
	nvme_mptcp_for_each_ctrl(snap, ctrl) {
		const char *name = nvme_mptcp_ctrl_name(ctrl);
		struct carried carried = { 0 };
		size_t length = strlen(ret->names);

		if (!is_fresh(fresh, name))
			continue;
		count_links(snap, ctrl, &carried);
		if (!carried.fallback && !carried.expected)
			continue;
		if (!ret->n++)
			ret->first = carried;
		if (length + strlen(name) + sizeof(" ...") < sizeof(ret->names))
			snprintf(ret->names + length, sizeof(ret->names) - length, "%s%s",
				 length ? " " : "", name);
	}
}

static void print_hint(struct command *cmd, const struct shortfall *seen)
{
	const struct carried *c = &seen->first;

	if (seen->n > 1)
		command_warn(
			cmd, 0,
			"%zu controllers do not use all links, or use plain TCP: see " NVME_MPTCP_COMMAND
			" check %s",
			seen->n, seen->names);
	else if (c->fallback)
		command_warn(
			cmd, 0,
			"%s: %zu of %zu connections fell back to plain TCP: see " NVME_MPTCP_COMMAND
			" check %s",
			seen->names, c->fallback, c->connections, seen->names);
	else
		command_warn(cmd, 0,
			     "%s uses only %zu of %zu links: see " NVME_MPTCP_COMMAND " check %s",
			     seen->names, c->found, c->expected, seen->names);
}

static bool is_complete(nvme_mptcp_snapshot_t snap)
{
	return !nvme_mptcp_snapshot_errno(snap, NVME_MPTCP_CONNECTIONS) &&
	       !nvme_mptcp_snapshot_errno(snap, NVME_MPTCP_SUBFLOWS) &&
	       !nvme_mptcp_snapshot_errno(snap, NVME_MPTCP_ENDPOINTS) &&
	       !nvme_mptcp_snapshot_errno(snap, NVME_MPTCP_LIMITS);
}

int64_t hint_clock_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* Take one snapshot. Return false if another would show no change. */
static bool is_settling(struct command *cmd, const struct fresh *fresh, struct shortfall *seen)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = NULL;

	seen->n = 0;
	if (nvme_mptcp_snapshot_take(cmd->root, NULL, &snap)) {
		command_warn(cmd, errno, "reading MPTCP connections");
		return false;
	}
	/* Sockets come and go while they are listed: the next snapshot may be complete. */
	if (!is_complete(snap))
		return true;
	find_shortfall(snap, fresh, seen);
	/* Joins take a moment. A connection that fell back stays plain TCP. */
	return seen->n > 1 || (seen->n && !seen->first.fallback);
}

void hint_at_links(struct command *cmd, struct fresh *fresh)
{
	const struct timespec pause = { .tv_nsec = SETTLE_INTERVAL_MS * 1000000L };
	const int64_t end = hint_clock_ms() + SETTLE_TIMEOUT_MS;
	struct shortfall seen = { 0 };

	if (!fresh->n)
		return;
	while (is_settling(cmd, fresh, &seen) && hint_clock_ms() < end)
		nanosleep(&pause, NULL);
	free(fresh->ctrls);
	*fresh = (struct fresh){ 0 };
	if (seen.n)
		print_hint(cmd, &seen);
}
