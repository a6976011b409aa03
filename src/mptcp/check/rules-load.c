// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules C15, C16, C18: links of a connection that wait for each other. doc/mptcp-rules.md */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "rules.h"

#define UNEQUAL 2 /* factor by which the slow link is slower or delivers less */
#define LOAD_FLOOR (16 << 10) /* bytes between both snapshots; less is no load */
#define SHARE_FLOOR (1 << 20) /* bytes of a subflow; a share of less is meaningless */
#define QUEUE_FLOOR_US 20000 /* queueing delay of a link; less may be a busy machine */
#define DROPS 4 /* packets dropped since boot; fewer do not matter */
#define MANY_SUBFLOWS 64
#define SEVERAL_WRITES (256 << 10) /* bytes in flight, more than one large write */

/* The connection that moved the most data between both snapshots. */
struct busiest {
	const struct nvme_mptcp_connection *conn, *then;
	int64_t moved;
	bool receives; /* true: it mainly receives; false: it mainly sends */
};

static int64_t grown(const struct nvme_mptcp_connection *now,
		     const struct nvme_mptcp_connection *then,
		     enum nvme_mptcp_connection_value value)
{
	int64_t growth = now->value[value] - then->value[value];

	return then->value[value] == NVME_MPTCP_UNKNOWN || growth < 0 ? 0 : growth;
}

static void update_busiest(const struct nvme_mptcp_connection *conn,
			   const struct nvme_mptcp_connection *then, struct busiest *ret)
{
	int64_t received = grown(conn, then, NVME_MPTCP_CONN_BYTES_RECEIVED);
	int64_t sent = grown(conn, then, NVME_MPTCP_CONN_BYTES_ACKED);
	int64_t moved = received > sent ? received : sent;

	if (moved > ret->moved)
		*ret = (struct busiest){ conn, then, moved, received > sent };
}

/* Map the connections of the first snapshot by inode. The caller frees the map; NULL if out of memory. */
static struct idmap *map_before(const struct nvme_mptcp_snapshot *before)
{
	struct idmap *known = idmap_new(before->n_connections);

	for (size_t i = 0; known && i < before->n_connections; i++) {
		if (idmap_put(known, before->connections[i].inode, &before->connections[i])) {
			idmap_free(known);
			return NULL;
		}
	}
	return known;
}

static int find_busiest(const struct check *c, struct busiest *ret)
{
	_cleanup_(idmap_free) struct idmap *known = map_before(c->before);

	*ret = (struct busiest){};
	if (!known)
		return -ENOMEM;
	FOR_EACH_CONN(c, conn) {
		const struct nvme_mptcp_connection *then = idmap_get(known, conn->inode);

		if (then && conn->fallback != 1)
			update_busiest(conn, then, ret);
	}
	return 0;
}

bool check_receives(struct check *c)
{
	struct busiest busiest;

	if (find_busiest(c, &busiest)) {
		c->err = -ENOMEM;
		return false;
	}
	return busiest.receives;
}

/* True if the subflow carries part of the load: its link works and it is no backup. */
static bool shares_load(const struct nvme_mptcp_subflow *sf)
{
	return sf->state == STATE_ESTABLISHED && sf->link && link_is_alive(sf->link) &&
	       sf->flags >= 0 &&
	       !(sf->flags & (NVME_MPTCP_SUBFLOW_BKUP_REM | NVME_MPTCP_SUBFLOW_BKUP_LOC));
}

/* Return the counter of the data direction; the other one has only commands. */
static enum nvme_mptcp_subflow_value carried(const struct busiest *busiest)
{
	return busiest->receives ? NVME_MPTCP_BYTES_RECEIVED : NVME_MPTCP_BYTES_ACKED;
}

/* Return a value of a subflow or, if @then has the subflow, the growth of the value since then. */
static int64_t value_of(const struct nvme_mptcp_subflow *sf,
			const struct nvme_mptcp_connection *then,
			enum nvme_mptcp_subflow_value value)
{
	for (size_t i = 0; then && i < then->n_subflows; i++)
		if (address_port_equal(&then->subflows[i].local, &sf->local) &&
		    address_port_equal(&then->subflows[i].remote, &sf->remote))
			return sf->value[value] - then->subflows[i].value[value];
	return sf->value[value];
}

static int64_t moved_between(const struct nvme_mptcp_connection *conn,
			     const struct nvme_mptcp_connection *then, const struct path_ends *ends)
{
	int64_t moved = 0;

	FOR_EACH(sf, conn->subflows, conn->n_subflows) {
		int64_t received = value_of(sf, then, NVME_MPTCP_BYTES_RECEIVED);
		int64_t sent = value_of(sf, then, NVME_MPTCP_BYTES_ACKED);

		if (address_equal(&sf->local.ip, &ends->local) &&
		    address_equal(&sf->remote.ip, &ends->remote.ip))
			moved += (received > 0 ? received : 0) + (sent > 0 ? sent : 0);
	}
	return moved;
}

int64_t check_path_growth(struct check *c, const struct path_ends *ends)
{
	_cleanup_(idmap_free) struct idmap *known = c->before ? map_before(c->before) : NULL;
	int64_t moved = 0;

	if (!known && c->before)
		c->err = -ENOMEM;
	for (size_t i = 0; known && i < c->n_conns; i++) {
		const struct nvme_mptcp_connection *then = idmap_get(known, c->conns[i]->inode);

		if (then)
			moved += moved_between(c->conns[i], then, ends);
	}
	return moved;
}

/* Return the median of a value, or of its growth since @then, without @slow; 0: no subflows. */
static int64_t median_of_others(const struct nvme_mptcp_connection *conn,
				const struct nvme_mptcp_connection *then,
				const struct nvme_mptcp_subflow *slow,
				enum nvme_mptcp_subflow_value value)
{
	int64_t values[MANY_SUBFLOWS];
	size_t n = 0;

	for (size_t i = 0; i < conn->n_subflows && n < MANY_SUBFLOWS; i++)
		if (&conn->subflows[i] != slow && shares_load(&conn->subflows[i]))
			values[n++] = value_of(&conn->subflows[i], then, value);
	return keep_rate_median(values, n);
}

/* Return the subflow that has carried the least data since it was created. */
static const struct nvme_mptcp_subflow *least_of(const struct busiest *busiest)
{
	const struct nvme_mptcp_subflow *least = NULL;
	enum nvme_mptcp_subflow_value value = carried(busiest);

	FOR_EACH(sf, busiest->conn->subflows, busiest->conn->n_subflows)
		if (shares_load(sf) && (!least || sf->value[value] < least->value[value]))
			least = sf;
	return least;
}

/* True if the subflow has at most half the median of the others, and that is at least @floor. */
static bool is_small_share(const struct busiest *busiest, const struct nvme_mptcp_subflow *sf,
			   const struct nvme_mptcp_connection *then, int64_t floor)
{
	int64_t others = median_of_others(busiest->conn, then, sf, carried(busiest));

	return others >= floor && UNEQUAL * value_of(sf, then, carried(busiest)) <= others;
}

/* True if a receiver's few packets wait behind data on this link, longer than on the others. */
static bool is_waiting(const struct busiest *busiest, const struct nvme_mptcp_subflow *sf)
{
	int64_t rtt = sf->value[NVME_MPTCP_RTT_US];

	return rtt - sf->value[NVME_MPTCP_MIN_RTT_US] >= QUEUE_FLOOR_US &&
	       2 * rtt >= 3 * median_of_others(busiest->conn, NULL, sf, NVME_MPTCP_RTT_US);
}

/*
 * A small share since the subflow was created may have other reasons: it is younger or had no load.
 * The sending side knows the delivery rates of all subflows. The receiving side uses the recent
 * shares or, while all links wait for a timeout and there are none, the link that is last to empty
 * its queue.
 */
static bool is_slow(const struct busiest *busiest, const struct nvme_mptcp_subflow *sf)
{
	int64_t rate = sf->value[NVME_MPTCP_DELIVERY_RATE];

	if (!is_small_share(busiest, sf, NULL, SHARE_FLOOR))
		return false;
	if (busiest->receives)
		return is_small_share(busiest, sf, busiest->then, SHARE_FLOOR / 4) ||
		       is_waiting(busiest, sf);
	return rate > 0 && UNEQUAL * rate <= median_of_others(busiest->conn, NULL, sf,
							      NVME_MPTCP_DELIVERY_RATE);
}

/* True if it got less than half of the links' delivery rates while data was retransmitted. */
static bool is_held_up(const struct check *c, const struct busiest *busiest)
{
	int64_t ms = c->snap->taken - c->before->taken, rates = 0;

	for (size_t i = 0; i < busiest->conn->n_subflows; i++)
		if (shares_load(&busiest->conn->subflows[i]))
			rates += busiest->conn->subflows[i].value[NVME_MPTCP_DELIVERY_RATE];
	return check_counter_growth(c, "MPTcpExt", "MPTCPRetrans") > 0 && ms > 0 &&
	       busiest->moved * 1000 / ms * 2 < rates;
}

/*
 * True if the receive buffer drops data. Drops come in bursts, with seconds in between while the
 * peer waits for its timeout, so drops since boot count while the buffer is as small as then.
 */
static bool drops_data(struct check *c)
{
	return check_counter_growth(c, "MPTcpExt", "NoDSSInWindow") > 0 ||
	       (check_counter_total(c, "MPTcpExt", "NoDSSInWindow") >= DROPS &&
		c->ops->setting(c, "net/ipv4/tcp_rmem") < FIX_BUFFER);
}

static const struct nvme_mptcp_endpoint *endpoint_of(const struct check *c,
						     const struct nvme_mptcp_subflow *sf)
{
	FOR_EACH_ENDPOINT(c, ep)
		if (address_equal(&ep->ip, &sf->local.ip) &&
		    !endpoint_has(ep, NVME_MPTCP_ENDPOINT_IMPLICIT))
			return ep;
	return NULL;
}

static size_t count_sharing(const struct nvme_mptcp_connection *conn)
{
	size_t n = 0;

	for (size_t i = 0; i < conn->n_subflows; i++)
		n += shares_load(&conn->subflows[i]);
	return n;
}

static void state_unequal(struct check *c, struct nvme_mptcp_finding *f,
			  const struct busiest *busiest, const struct nvme_mptcp_subflow *slow)
{
	static const enum nvme_mptcp_subflow_value shown[] = { NVME_MPTCP_RTT_US, NVME_MPTCP_CWND,
							       NVME_MPTCP_DELIVERY_RATE };
	char key[48];

	finding_number(c, f, "bytes", slow->value[carried(busiest)]);
	finding_number(c, f, "others_bytes",
		       median_of_others(busiest->conn, NULL, slow, carried(busiest)));
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		const char *name = nvme_mptcp_subflow_value_name(shown[i]);

		finding_fact(c, f, name, "%lld", (long long)slow->value[shown[i]]);
		snprintf(key, sizeof(key), "others_%s", name);
		finding_fact(c, f, key, "%lld",
			     (long long)median_of_others(busiest->conn, NULL, slow, shown[i]));
	}
	finding_number(c, f, "moved", busiest->moved);
	finding_number(c, f, "NoDSSInWindow", check_counter_total(c, "MPTcpExt", "NoDSSInWindow"));
	finding_number(c, f, "MPTCPRetrans", check_counter_growth(c, "MPTcpExt", "MPTCPRetrans"));
}

/*
 * A larger receive buffer helps existing connections, unless it is large already or this host
 * writes (measured): then make the slow link a backup for when the others fail.
 */
static void fix_unequal(struct check *c, struct nvme_mptcp_finding *f,
			const struct busiest *busiest, const struct nvme_mptcp_subflow *slow)
{
	const struct nvme_mptcp_endpoint *ep = endpoint_of(c, slow);
	enum nvme_mptcp_role here = check_side(c), there = check_other_side(c);
	long long largest = busiest->receives ? c->ops->setting(c, "net/ipv4/tcp_rmem") : 0;
	bool backup = largest >= FIX_BUFFER || (!busiest->receives && here == NVME_MPTCP_ROLE_HOST);
	const unsigned int id = ep ? ep->id : check_announced_id(c, &slow->remote.ip);

	if (backup && id && count_sharing(busiest->conn) > 2)
		finding_fix(c, f, ep ? here : there, "ip mptcp endpoint change id %u backup", id);
	else if (!backup || ep)
		fix_buffer(c, f, busiest->receives ? here : there, largest);
}

void rule_links_unequal(struct check *c, enum rule_id rule)
{
	const struct nvme_mptcp_subflow *slow;
	struct nvme_mptcp_finding *f;
	struct busiest busiest;

	if (!c->before || c->trial)
		return;
	if (find_busiest(c, &busiest)) {
		c->err = -ENOMEM;
		return;
	}
	if (busiest.moved < LOAD_FLOOR)
		return;
	slow = least_of(&busiest);
	if (!slow || !is_slow(&busiest, slow) ||
	    !(busiest.receives ? drops_data(c) : is_held_up(c, &busiest)))
		return;
	f = finding_add(c, rule, subject_link(slow->link->name));
	finding_why(c, f,
		    "Link %s is several times slower than the others: its late data holds up what "
		    "the others delivered, until the receive buffer %s overruns. %s",
		    slow->link->name, busiest.receives ? "here" : "of the other side",
		    busiest.receives || check_side(c) != NVME_MPTCP_ROLE_HOST
			    ? "A larger receive buffer, making that link "
			      "a backup, or a queue depth of 8 helps"
			    : "Making that link a backup helps; a larger receive buffer does not");
	state_unequal(c, f, &busiest, slow);
	fix_unequal(c, f, &busiest, slow);
}

/* Make the slow link a backup if another link is left to carry the load. */
static void fix_slow(struct check *c, struct nvme_mptcp_finding *f,
		     const struct nvme_mptcp_subflow *slow)
{
	const struct nvme_mptcp_endpoint *ep = endpoint_of(c, slow);

	if (ep && count_sharing(slow->connection) > 1)
		finding_fix(c, f, check_side(c), "ip mptcp endpoint change id %u backup", ep->id);
}

static void report_slow_delivery(struct check *c, enum rule_id rule,
				 const struct nvme_mptcp_subflow *slow)
{
	struct nvme_mptcp_finding *f = finding_add(c, rule, subject_link(slow->link->name));

	finding_why_subject(c, f,
			    "delivers less than a quarter of what other links of the same "
			    "connections do, though data waits for it, and holds up what they "
			    "carry. As a backup it holds up nothing; keep makes it one "
			    "automatically. Check cable, duplex and switch port (ethtool %s)",
			    slow->link->name);
	finding_number(c, f, "delivery_rate", slow->value[NVME_MPTCP_DELIVERY_RATE]);
	finding_number(c, f, "others_delivery_rate",
		       median_of_others(slow->connection, NULL, slow, NVME_MPTCP_DELIVERY_RATE));
	fix_slow(c, f, slow);
}

static void report_all_slow(struct check *c, enum rule_id rule, const struct keep_rates *rates)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (shares_load(sf) && keep_rates_is_slow(rates, &sf->local.ip) &&
		    !check_has_found_link(c, RULE_C15, sf->link->name) &&
		    !check_has_found_link(c, rule, sf->link->name))
			report_slow_delivery(c, rule, sf);
}

/* Use keep's criterion. Without load there is nothing to measure, and C15 covers more severe cases. */
void rule_link_delivers_little(struct check *c, enum rule_id rule)
{
	struct keep_rates rates = {};
	struct busiest busiest;
	int err;

	if (!c->before || c->trial || c->no_probes || !c->ops->rates)
		return;
	err = find_busiest(c, &busiest);
	if (!err && busiest.moved >= LOAD_FLOOR && count_sharing(busiest.conn) > 1)
		err = c->ops->rates(c, &rates);
	if (err)
		c->err = err;
	else
		report_all_slow(c, rule, &rates);
	keep_rates_clear(&rates);
}

/* Subflows with load, how many have nothing to send, and the most bytes in flight on one. */
struct flight {
	size_t n, quiet;
	int64_t most;
};

static struct flight flight_of(const struct nvme_mptcp_connection *conn)
{
	struct flight flight = {};

	FOR_EACH(sf, conn->subflows, conn->n_subflows) {
		int64_t segments = sf->value[NVME_MPTCP_UNACKED];
		int64_t bytes = segments * sf->value[NVME_MPTCP_MSS];

		if (!shares_load(sf) || segments < 0)
			continue;
		flight.n++;
		flight.quiet += segments <= 1 && !sf->value[NVME_MPTCP_BYTES_NOTSENT];
		flight.most = bytes > flight.most ? bytes : flight.most;
	}
	return flight;
}

static bool most_are_quiet(const struct flight *flight)
{
	return flight->n > 1 && 2 * flight->quiet >= flight->n && flight->most >= SEVERAL_WRITES;
}

/*
 * C16: in both snapshots, written data waits on one link while most others have nothing to send,
 * and nothing is lost: the target has not asked for the data of the pending requests yet.
 */
void rule_writes_wait(struct check *c, enum rule_id rule)
{
	struct nvme_mptcp_finding *f;
	struct flight now, then;
	struct busiest busiest;

	if (!c->before || c->trial || check_has_found(c, RULE_C15) || check_has_found(c, RULE_C12))
		return;
	if (find_busiest(c, &busiest)) {
		c->err = -ENOMEM;
		return;
	}
	if (busiest.receives || busiest.moved < SHARE_FLOOR || !busiest.conn->ctrl ||
	    check_counter_growth(c, "Tcp", "RetransSegs") > 0)
		return;
	now = flight_of(busiest.conn);
	then = flight_of(busiest.then);
	if (!most_are_quiet(&now) || !most_are_quiet(&then))
		return;
	f = finding_why_subject(
		c, finding_add(c, rule, subject_ctrl(busiest.conn->ctrl->name)),
		"writes over one link while most of the others wait: the target requests a "
		"write's data after its command has arrived, and the request waits for the "
		"slowest link, behind the data of earlier writes. With param_inline_data_size "
		"131072, the target's port accepts the data with the command; the kernel accepts "
		"that value only before a subsystem is linked to the port");
	finding_fact(c, f, "quiet", "%zu", now.quiet);
	finding_fact(c, f, "subflows", "%zu", now.n);
	finding_number(c, f, "in_flight", now.most);
}
