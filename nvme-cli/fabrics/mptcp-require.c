// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme connect --require: an exit status if MPTCP works with one link, or as plain TCP. */
#include "mptcp-hint.h"

#define REQUIRE_TIMEOUT_S 10 /* s until all subflows are established */
#define REQUIRE_INTERVAL_MS 100 /* ms between two snapshots */
#define REQUIRE_MAX 64

DEFINE_CLEANUP(nvme_mptcp_snapshot_t, nvme_mptcp_snapshot_free);

/* State of the controller's connections; @least: of the one with fewest links or subflows. */
struct found {
	bool is_listed; /* MPTCP or a relay carries the controller */
	size_t connections, fallback;
	int64_t expected; /* connections */
	size_t least;
	char problem[160]; /* why the snapshot may be incomplete */
};

int hint_parse_required(struct command *cmd, const char *text, const char *transport,
			struct requirement *ret)
{
	const char *value = strchr(text, '=');
	char *end = NULL;

	*ret = (struct requirement){ .text = text };
	ret->is_links = !strncmp(text, "links=", strlen("links="));
	if (value && value[1] >= '1' && value[1] <= '9' &&
	    (ret->is_links || !strncmp(text, "subflows=", strlen("subflows="))))
		ret->least = strtol(value + 1, &end, 10);
	if (!end || *end || ret->least > REQUIRE_MAX) {
		command_fail(cmd, 0,
			     "--require=%s: must be links=N or subflows=N with N from 1 to %d, "
			     "such as links=2",
			     text, REQUIRE_MAX);
		return -EINVAL;
	}
	/* Transport tcp qualifies as well, because a relay may carry it. */
	if (nvmf_transport_has(transport, NVMF_TRANSPORT_SRC_ADDR))
		return 0;
	command_fail(
		cmd, 0,
		"--require=%s: transport %s has no subflows; use mptcp, or tcp through " NVME_MPTCP_COMMAND
		" relay",
		text, transport);
	return -EINVAL;
}

static bool is_usable_subflow(nvme_mptcp_subflow_t sf)
{
	return nvme_mptcp_subflow_is_carrying(sf) && nvme_mptcp_subflow_is_confirmed(sf);
}

static size_t count_carrying_subflows(nvme_mptcp_connection_t conn)
{
	size_t n = 0;

	nvme_mptcp_for_each_subflow(conn, sf)
		n += is_usable_subflow(sf);
	return n;
}

/* Count links that share a wire as one. */
static size_t count_carrying_wires(nvme_mptcp_snapshot_t snap, nvme_mptcp_connection_t conn)
{
	nvme_mptcp_link_t wires[REQUIRE_MAX];
	size_t n = 0;

	nvme_mptcp_for_each_subflow(conn, sf) {
		nvme_mptcp_link_t link = nvme_mptcp_subflow_link(sf);
		size_t i = 0;

		if (!link || !is_usable_subflow(sf))
			continue;
		link = nvme_mptcp_link_wire(snap, link);
		while (i < n && wires[i] != link)
			i++;
		if (i == n && n < REQUIRE_MAX)
			wires[n++] = link;
	}
	return n;
}

static void add_required_set(const struct requirement *r, nvme_mptcp_snapshot_t snap,
			     nvme_mptcp_set_t set, struct found *found)
{
	nvme_mptcp_for_each_connection(set, conn) {
		const size_t n = r->is_links ? count_carrying_wires(snap, conn)
					     : count_carrying_subflows(conn);

		if (nvme_mptcp_connection_fallback(conn) == 1)
			found->fallback++;
		else if (found->connections == found->fallback || n < found->least)
			found->least = n;
		found->connections++;
	}
}

static void count_required(const struct requirement *r, nvme_mptcp_snapshot_t snap,
			   const char *name, struct found *found)
{
	nvme_mptcp_for_each_ctrl(snap, ctrl) {
		if (strcmp(nvme_mptcp_ctrl_name(ctrl), name) != 0 ||
		    nvme_mptcp_ctrl_is_bypassed(ctrl))
			continue;
		found->is_listed = true;
		found->expected = nvme_mptcp_ctrl_expected(ctrl);
		add_required_set(r, snap, nvme_mptcp_ctrl_connections(ctrl), found);
	}
	/* Some of these connections belong to the controller, but it is unknown which. */
	nvme_mptcp_for_each_shared(snap, sh) {
		nvme_mptcp_ctrl_t ctrl;

		for (size_t i = 0; (ctrl = nvme_mptcp_shared_ctrl(sh, i)); i++)
			if (!strcmp(nvme_mptcp_ctrl_name(ctrl), name))
				add_required_set(r, snap, nvme_mptcp_shared_connections(sh), found);
	}
}

static void note_first_problem(nvme_mptcp_snapshot_t snap, struct found *found)
{
	for (int part = 0; nvme_mptcp_part_name(part) && !found->problem[0]; part++) {
		const char *problem = nvme_mptcp_snapshot_problem(snap, part);

		if (problem)
			snprintf(found->problem, sizeof(found->problem), "%s", problem);
	}
}

static bool is_requirement_met(const struct requirement *r, const struct found *found)
{
	return found->connections && !found->fallback && found->least >= (size_t)r->least &&
	       (int64_t)found->connections >= found->expected;
}

/* Take snapshots until it is met, a connection fell back, or time is over. Return 0 or -errno. */
static int await_requirement(struct command *cmd, const struct requirement *r, const char *name,
			     struct found *found)
{
	const struct timespec pause = { .tv_nsec = REQUIRE_INTERVAL_MS * 1000000L };
	const int64_t end = hint_clock_ms() + REQUIRE_TIMEOUT_S * 1000LL;

	for (;;) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = NULL;

		*found = (struct found){ .expected = NVME_MPTCP_UNKNOWN };
		if (nvme_mptcp_snapshot_take(cmd->root, NULL, &snap))
			return -errno;
		count_required(r, snap, name, found);
		note_first_problem(snap, found);
		/* A connection that fell back stays plain TCP. */
		if (is_requirement_met(r, found) || found->fallback || hint_clock_ms() >= end)
			return 0;
		nanosleep(&pause, NULL);
	}
}

static int fail_requirement(struct command *cmd, const struct requirement *r, const char *name,
			    const struct found *found)
{
	char why[256];

	if (!found->is_listed)
		snprintf(why, sizeof(why),
			 "it uses neither MPTCP nor a relay, so each connection has one link");
	else if (found->fallback)
		snprintf(why, sizeof(why), "%zu of %zu connections fell back to plain TCP",
			 found->fallback, found->connections);
	else if (!found->connections || (int64_t)found->connections < found->expected)
		snprintf(why, sizeof(why), "%zu of %" PRId64 " connections are visible after %d s",
			 found->connections, found->expected, REQUIRE_TIMEOUT_S);
	else
		snprintf(why, sizeof(why), "a connection has only %zu after %d s", found->least,
			 REQUIRE_TIMEOUT_S);
	return command_fail(cmd, 0,
			    "%s: --require=%s is not met: %s%s%s%s. The controller stays connected "
			    "(" NVME_MPTCP_COMMAND " check %s prints the reason, " NVME_COMMAND
			    " disconnect -d %s disconnects it)",
			    name, r->text, why, found->problem[0] ? " (incomplete: " : "",
			    found->problem, found->problem[0] ? ")" : "", name, name);
}

int hint_await_required(struct command *cmd, const struct requirement *r, nvme_ctrl_t c)
{
	const char *name = nvme_ctrl_get_name(c);
	struct found found;
	int err = await_requirement(cmd, r, name, &found);

	if (err)
		return command_fail(cmd, -err,
				    "%s is connected, but --require=%s cannot be checked", name,
				    r->text);
	return is_requirement_met(r, &found) ? 0 : fail_requirement(cmd, r, name, &found);
}
