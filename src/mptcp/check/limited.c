// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A firewall may limit the number of TCP connections (nft: ct count, iptables: connlimit). Joins
 * beyond the limit fail like those whose MPTCP option is dropped; but plain connections fail, too.
 */
#include <errno.h>

#include "rules.h"
#include "mptcp/trial/trial-state.h"

#define FACT_OPEN "open_connections"

static struct path_ends ends_of(const struct nvme_mptcp_subflow *sf)
{
	return (struct path_ends){ sf->local.ip, sf->remote, sf->ifindex };
}

/* Return the number of connections between these ends that succeed; *@err: why the next fails. */
static size_t count_open(struct check *c, const struct path_ends *ends, size_t n, int *err)
{
	size_t done = n;

	*err = c->no_probes || !c->ops->open ? -EOPNOTSUPP : c->ops->open(c, ends, n, &done);
	return done;
}

/* True if one connection too many fails while as many are open as the trial had, but not alone. */
static bool fails_beyond(struct check *c, const struct path_ends *ends, struct limited *ret)
{
	const struct nvme_mptcp_connection *conn = c->trial ? c->trial->conn : NULL;
	struct path_ends all[MOST_OPEN];
	size_t n = 0;
	int err;

	for (size_t i = 0; conn && i < conn->n_subflows && n < MOST_OPEN - 1; i++)
		if (conn->subflows[i].state == STATE_ESTABLISHED)
			all[n++] = ends_of(&conn->subflows[i]);
	all[n] = *ends;
	if (!n || count_open(c, ends, 1, &err) != 1 || err ||
	    count_open(c, all, n + 1, &err) != n || !err)
		return false;
	*ret = (struct limited){ err != -ETIMEDOUT, n, true };
	return count_open(c, ends, 1, &err) == 1 && !err;
}

/* True if a subflow of another connection than the trial's works between these ends. */
static bool has_working(const struct check *c, const struct path_ends *ends)
{
	FOR_EACH(sf, c->snap->subflows, c->snap->n_subflows)
		if (subflow_carries(sf) && !(c->trial && sf->connection == c->trial->conn) &&
		    address_equal(&sf->local.ip, &ends->local) &&
		    address_port_equal(&sf->remote, &ends->remote))
			return true;
	return false;
}

static bool is_refused_by_filter(const struct probe_result *way)
{
	return way && (way->unreachable ? way->filtered : way->rejected);
}

/* True if subflows work between these ends, the machine answers, and no new connection succeeds. */
static bool fails_beside_working(struct check *c, const struct path_ends *ends, bool refused)
{
	int err;

	if (!has_working(c, ends))
		return false;
	if (refused)
		return is_refused_by_filter(check_probe_path(c, ends));
	return check_answers_echo(c, ends) && !count_open(c, ends, 1, &err) && err == -ETIMEDOUT;
}

static size_t count_working(const struct check *c, uint16_t port)
{
	size_t n = 0;

	FOR_EACH(sf, c->snap->subflows, c->snap->n_subflows)
		n += subflow_carries(sf) && sf->remote.port == port &&
		     !(c->trial && sf->connection == c->trial->conn);
	return n;
}

bool check_is_limited(struct check *c, const struct path_ends *ends,
		      const struct nvme_mptcp_connection *conn, const struct probe_result *way,
		      struct limited *ret)
{
	const struct path_ends initial = conn && conn->n_subflows ? ends_of(conn->subflows) : *ends;
	const bool refused = is_refused_by_filter(way);

	/* The trial's connection is over: what it used is free again. */
	if (c->trial && c->trial->conn)
		return (!way || way->connected) && fails_beyond(c, ends, ret);
	if (!way || way->connected || way->answered ||
	    ((way->refused || way->unreachable) && !refused))
		return false;
	*ret = (struct limited){ refused, count_working(c, ends->remote.port), false, *ends };
	if (fails_beside_working(c, ends, refused))
		return true;
	ret->same = initial;
	return !check_same_ends(&initial, ends) && fails_beside_working(c, &initial, refused);
}

void check_say_limited(struct check *c, struct nvme_mptcp_finding *f, const struct limited *limited)
{
	const char *how = limited->refused ? "refused" : "dropped";

	if (limited->is_tried)
		finding_why_more(
			c, f,
			", because others are open: while %zu plain TCP connection%s open, "
			"as the trial had, another one is %s, too, and connects once "
			"%s closed",
			limited->open, limited->open == 1 ? " is" : "s are", how,
			limited->open == 1 ? "it is" : "they are");
	else
		finding_why_more(c, f,
				 ", and no further TCP connection is accepted, MPTCP or not: even "
				 "from %s to %s, where subflows work, a plain one is %s. From this "
				 "host, %zu are open",
				 ADDRESS_STRING(&limited->same.local),
				 ADDRESS_STRING(&limited->same.remote.ip), how, limited->open);
	finding_why_more(c, f,
			 ". A firewall, of the target or before it, limits the number of TCP "
			 "connections (nft: ct count, iptables: connlimit)%s. Each queue of a "
			 "controller needs one for each link",
			 limited->is_tried ? "" : ", or lets no new one pass");
	finding_number(c, f, FACT_OPEN, (int64_t)limited->open);
	finding_fact(c, f, "further_connections", "%s", how);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
}

bool check_knows_limit(const struct check *c)
{
	for (; c; c = c->earlier)
		FOR_EACH(f, c->findings->finding, c->findings->n)
			if (finding_get_fact(f, FACT_OPEN))
				return true;
	return false;
}
