// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules C: connections and their subflows. doc/mptcp-rules.md */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "rules.h"

#define RTT_SKEW 8 /* times the round trip of the fastest subflow */
#define LOSS_FLOOR (1 << 20) /* bytes; a share of less is meaningless */
#define SOME_LOSS 500 /* one byte in so many retransmitted limits throughput on a long path */
#define DROPS 4 /* retransmissions; fewer may be due to late acknowledgements */
#define LATELY_MS 60000
#define QUEUED 3 /* times the minimum round trip: packets are queued */
/* Segments. With 5 % random loss the window stays below sqrt(1.5 * 20), which fills no queue. */
#define WINDOW_OF_LOSS 8
#define RTT_FLOOR_US 10000 /* less may be a busy machine, not a long path */

/* Return the first connection of a controller that uses plain TCP, or NULL. */
static const struct nvme_mptcp_connection *first_fallback(const struct nvme_mptcp_ctrl *ctrl)
{
	const struct nvme_mptcp_connection *conn = ctrl->set.first;

	while (conn && conn->fallback != 1)
		conn = conn->next;
	return conn;
}

/* True if the kernel did not try MPTCP: after a blackhole it uses plain TCP for a while. */
static bool is_suspended(const struct check *c, const struct nvme_mptcp_connection *conn)
{
	return conn && conn->cookie &&
	       check_counter_total(c, "MPTcpExt", "MPCapableSYNTXDisabled") > 0;
}

#define RELAY_PLAIN \
	"the relay made them without MPTCP, which had no reply or was disabled. The target "

/* Return why the connection uses TCP although nothing shows that now; NULL: something may. */
static const char *explain_past(struct check *c, const struct nvme_mptcp_connection *conn,
				const struct path_ends *ends)
{
	const struct probe_result *probe_result = check_probe_path(c, ends);

	if (relayed_is_plain(conn) && check_has_found(c, RULE_K02))
		return "MPTCP is disabled on this host (net.mptcp.enabled), so the relay connects "
		       "without it";
	if (!probe_result || !probe_result->known)
		return NULL;
	if (is_suspended(c, conn) && probe_result->option_arrived)
		return "SYNs with the MPTCP option were lost, so the kernel makes plain TCP "
		       "connections for a while (blackhole_timeout, doubling). The target answers "
		       "such SYNs now";
	if (relayed_is_plain(conn) && probe_result->option_arrived)
		return RELAY_PLAIN
			"answers SYNs with the MPTCP option now, so a reset brings MPTCP back";
	if (relayed_is_plain(conn) && !probe_result->answered && !check_drops_option(c, ends))
		return RELAY_PLAIN "accepts no new connections now";
	return NULL;
}

static void explain_plain(struct check *c, struct nvme_mptcp_finding *f,
			  const struct nvme_mptcp_connection *conn)
{
	struct path_ends ends = check_conn_ends(conn);
	const char *past;

	ends.option = OPTION_CAPABLE;
	past = explain_past(c, conn, &ends);
	if (past)
		finding_why_more(c, f, "%s", past);
	else
		check_explain_fallback(c, f, &ends, NULL);
}

void rule_fallback(struct check *c, enum rule_id rule)
{
	FOR_EACH(ctrl, c->snap->ctrls, c->snap->n_ctrls) {
		const struct nvme_mptcp_connection *conn;
		struct nvme_mptcp_finding *f;
		int64_t plain;

		if (!check_covers_ctrl(c, ctrl) || !ctrl->set.fallback)
			continue;
		plain = check_counter_total(c, "MPTcpExt", "MPCapableFallbackSYNACK");
		f = finding_why_subject(
			c, finding_add(c, rule, subject_ctrl(ctrl->name)),
			"has %zu of its connections in fallback to plain TCP, over one link each: ",
			ctrl->set.fallback);
		finding_fact(c, f, "fallback", "%zu", ctrl->set.fallback);
		finding_number(c, f, "MPCapableFallbackSYNACK", plain);
		conn = first_fallback(ctrl);
		if (conn)
			explain_plain(c, f, conn);
		/* Until that ends, a reset leads to plain TCP again. */
		if (is_suspended(c, conn))
			fix_blackhole(c, f);
		fix_reset_ctrl(c, f, ctrl);
	}
}

void rule_not_established(struct check *c, enum rule_id rule)
{
	size_t n = 0;

	FOR_EACH_CONN(c, conn) {
		const struct nvme_mptcp_subflow *initial = conn->subflows;

		if (conn->fallback != 1 && conn->n_subflows && initial->flags > 0 &&
		    initial->state == STATE_ESTABLISHED &&
		    !(initial->flags & NVME_MPTCP_SUBFLOW_FULLY_ESTABLISHED))
			n++;
	}
	if (n)
		finding_why(c, finding_add(c, rule, subject_connections(n)),
			    "Connections are not fully established yet: subflows are added after "
			    "the first data");
}

/* Subflows of a controller that is not live end with its connections. N02 reports it. */
static bool is_down(const struct nvme_mptcp_ctrl *ctrl)
{
	return ctrl && ctrl->state && strcmp(ctrl->state, "live") != 0;
}

/* True if it works, or its SYN is still retransmitted, or F01 reports it as unconfirmed. */
static bool may_work(const struct nvme_mptcp_subflow *sf)
{
	return subflow_carries(sf) || sf->state == STATE_SYN_SENT || subflow_is_unconfirmed(sf);
}

/* C05: subflows that an endpoint once had and that the kernel does not create again. */
void rule_subflow_gone(struct check *c, enum rule_id rule)
{
	/* In a trial, F02 and F03 report why its joins failed. */
	if (c->trial || check_has_found(c, RULE_F02) || check_has_found(c, RULE_F03))
		return;
	FOR_EACH_ENDPOINT(c, ep) {
		struct nvme_mptcp_finding *f;
		size_t missing = 0;
		bool dead = false;

		if (!endpoint_starts_by_itself(ep) || !endpoint_is_usable(ep) ||
		    check_endpoint_has_warning(c, ep) || ep->subflows == NVME_MPTCP_UNKNOWN)
			continue;
		FOR_EACH_CONN(c, conn) {
			bool has = address_equal(&conn->local.ip, &ep->ip), open = false;

			if (is_down(conn->ctrl))
				continue;
			for (size_t j = 0; j < conn->n_subflows && !has; j++) {
				if (!address_equal(&conn->subflows[j].local.ip, &ep->ip))
					continue;
				has = may_work(&conn->subflows[j]);
				open |= conn->subflows[j].state == STATE_ESTABLISHED;
			}
			/* A subflow of this endpoint is established, but none works. */
			dead |= !has && open;
			missing += !has && conn->fallback != 1 &&
				   address_same_family(&conn->remote.ip, &ep->ip) &&
				   conn->value[NVME_MPTCP_CONN_LOCAL_ADDR_MAX] > 0 &&
				   conn->value[NVME_MPTCP_CONN_LOCAL_ADDR_USED] >=
					   conn->value[NVME_MPTCP_CONN_LOCAL_ADDR_MAX] &&
				   conn->value[NVME_MPTCP_CONN_EXTRA_SUBFLOWS] <
					   conn->value[NVME_MPTCP_CONN_SUBFLOWS_MAX];
		}
		if (!missing)
			continue;
		f = finding_why_subject(c, finding_add_endpoint(c, rule, ep),
					"lost its subflow on %zu connection%s over %s, %s. The "
					"kernel does not try again by itself",
					missing, missing == 1 ? "" : "s", ep->link->name,
					dead ? "closed, refused or dead" : "closed or refused");
		finding_fact(c, f, "connections", "%zu", missing);
		finding_fact(c, f, "link", "%s", ep->link->name);
		fix_repair(c, f, NVME_MPTCP_ROLE_HOST);
	}
}

void rule_queues_uneven(struct check *c, enum rule_id rule)
{
	FOR_EACH(ctrl, c->snap->ctrls, c->snap->n_ctrls) {
		size_t least = SIZE_MAX, most = 0;
		struct nvme_mptcp_finding *f;

		/* C13 reports links without subflows, with commands that restore them. */
		if (!check_covers_ctrl(c, ctrl) || nvme_mptcp_set_missing(&ctrl->set))
			continue;
		nvme_mptcp_for_each_connection(&ctrl->set, conn) {
			size_t n = connection_count_established(conn);

			if (conn->fallback == 1)
				continue;
			least = n < least ? n : least;
			most = n > most ? n : most;
		}
		if (least >= most)
			continue;
		f = finding_why_subject(c, finding_add(c, rule, subject_ctrl(ctrl->name)),
					"has queues with different numbers of "
					"subflows: some are faster than others");
		finding_fact(c, f, "least", "%zu", least);
		finding_fact(c, f, "most", "%zu", most);
		/* A repair keeps working subflows, including surplus ones. */
		fix_reset_ctrl(c, f, ctrl);
	}
}

/* Return the link's round trip without queueing delay. */
static int64_t link_rtt(const struct nvme_mptcp_subflow *sf)
{
	int64_t least = sf->value[NVME_MPTCP_MIN_RTT_US];

	return least > 0 ? least : sf->value[NVME_MPTCP_RTT_US];
}

/* Data sent long ago says nothing about the link now. An unknown time counts as recent. */
static bool has_sent_lately(const struct nvme_mptcp_subflow *sf)
{
	return sf->value[NVME_MPTCP_LAST_DATA_SENT_MS] <= LATELY_MS;
}

/* True if the subflow retransmits more than 5 % of its data. */
static bool is_lossy(const struct nvme_mptcp_subflow *sf)
{
	int64_t sent = sf->value[NVME_MPTCP_BYTES_SENT];

	return sent > LOSS_FLOOR && has_sent_lately(sf) &&
	       sf->value[NVME_MPTCP_BYTES_RETRANS] > sent / 20;
}

/* True if data is retransmitted on a long path: there, loss limits the congestion window. */
static bool is_held_by_loss(const struct nvme_mptcp_subflow *sf)
{
	int64_t sent = sf->value[NVME_MPTCP_BYTES_SENT];

	return sf->state == STATE_ESTABLISHED && sf->link && sent > LOSS_FLOOR &&
	       has_sent_lately(sf) && sf->value[NVME_MPTCP_BYTES_RETRANS] > sent / SOME_LOSS &&
	       sf->value[NVME_MPTCP_MIN_RTT_US] >= RTT_FLOOR_US;
}

bool check_is_loss_limited(const struct check *c, const struct nvme_mptcp_link *link)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (link_shares_segment(sf->link, link) && is_held_by_loss(sf))
			return true;
	return false;
}

/* Return the first subflow that loss limits and that is alone on its wire; NULL if there is none. */
static const struct nvme_mptcp_subflow *find_held(const struct nvme_mptcp_connection *conn)
{
	FOR_EACH(sf, conn->subflows, conn->n_subflows) {
		size_t n = 0;

		for (size_t j = 0; j < conn->n_subflows; j++)
			n += link_shares_segment(conn->subflows[j].link, sf->link);
		if (n == 1 && is_held_by_loss(sf))
			return sf;
	}
	return NULL;
}

static void report_long_lossy(struct check *c, enum rule_id rule)
{
	const struct nvme_mptcp_subflow *held = NULL;
	struct nvme_mptcp_finding *f;

	for (size_t i = 0; i < c->n_conns && !held; i++)
		held = find_held(c->conns[i]);
	if (!held)
		return;
	f = finding_why_subject(
		c, finding_add(c, rule, subject_link(held->link->name)),
		"loses packets on a long path: the congestion window limits its subflow to less "
		"than the link could carry. Several subflows on the link carry more");
	finding_number(c, f, "min_rtt_us", held->value[NVME_MPTCP_MIN_RTT_US]);
	finding_number(c, f, "cwnd", held->value[NVME_MPTCP_CWND]);
	finding_number(c, f, "bytes_sent", held->value[NVME_MPTCP_BYTES_SENT]);
	finding_number(c, f, "bytes_retrans", held->value[NVME_MPTCP_BYTES_RETRANS]);
}

/* True if a queue overflows: unlike with random loss, packets wait long and few get through. */
static bool overflows(const struct nvme_mptcp_subflow *sf)
{
	const int64_t rate = sf->value[NVME_MPTCP_DELIVERY_RATE];
	const int64_t least = sf->value[NVME_MPTCP_MIN_RTT_US];
	int64_t best = 0;

	FOR_EACH(other, sf->connection->subflows, sf->connection->n_subflows)
		if (other->state == STATE_ESTABLISHED &&
		    other->value[NVME_MPTCP_DELIVERY_RATE] > best)
			best = other->value[NVME_MPTCP_DELIVERY_RATE];
	return rate > 0 && 4 * rate <= best && least > 0 &&
	       sf->value[NVME_MPTCP_RTT_US] >= QUEUED * least &&
	       sf->value[NVME_MPTCP_CWND] > WINDOW_OF_LOSS;
}

static void report_lossy(struct check *c, enum rule_id rule)
{
	const struct nvme_mptcp_subflow *worst = NULL;
	struct nvme_mptcp_finding *f;

	for (size_t i = 0; i < c->n_conns && !worst; i++)
		for (size_t j = 0; j < c->conns[i]->n_subflows && !worst; j++)
			if (c->conns[i]->subflows[j].link && is_lossy(&c->conns[i]->subflows[j]))
				worst = &c->conns[i]->subflows[j];
	if (!worst) {
		report_long_lossy(c, rule);
		return;
	}
	f = finding_why_subject(
		c, finding_add(c, rule, subject_link(worst->link->name)),
		overflows(worst)
			? "delivers less than a quarter of what other links of the same "
			  "connections do, and drops packets to %s when its queue is full: it is "
			  "slow (speed, duplex, a rate limit) rather than faulty"
			: "loses more than one packet in twenty to %s. Retransmissions delay the "
			  "rest",
		worst->remote_text);
	finding_number(c, f, "delivery_rate", worst->value[NVME_MPTCP_DELIVERY_RATE]);
	finding_number(c, f, "bytes_sent", worst->value[NVME_MPTCP_BYTES_SENT]);
	finding_number(c, f, "bytes_retrans", worst->value[NVME_MPTCP_BYTES_RETRANS]);
}

/*
 * Find the fastest and the slowest link by the lowest round trip of any subflow: one subflow seems
 * slow if an idle peer delays its acknowledgement, but not those of all queues.
 */
static void find_extremes(const struct check *c, const int64_t *rtt,
			  const struct nvme_mptcp_link **fast, const struct nvme_mptcp_link **slow)
{
	const struct nvme_mptcp_link *links = c->snap->links;

	*fast = *slow = NULL;
	for (size_t i = 0; i < c->snap->n_links; i++) {
		if (!rtt[i])
			continue;
		if (!*fast || rtt[i] < rtt[*fast - links])
			*fast = &links[i];
		if (!*slow || rtt[i] > rtt[*slow - links])
			*slow = &links[i];
	}
}

/* Return the round trip of each link, in the snapshot's order, 0: unknown. The caller frees the array. */
static int64_t *measure_links(const struct check *c)
{
	int64_t *rtt = calloc(c->snap->n_links + 1, sizeof(*rtt));

	for (size_t i = 0; rtt && i < c->n_conns; i++) {
		FOR_EACH(sf, c->conns[i]->subflows, c->conns[i]->n_subflows) {
			int64_t *least = sf->link ? &rtt[sf->link - c->snap->links] : NULL;

			if (least && sf->state == STATE_ESTABLISHED && link_rtt(sf) > 0 &&
			    (!*least || link_rtt(sf) < *least))
				*least = link_rtt(sf);
		}
	}
	return rtt;
}

/*
 * True if the link answers an echo request in less. A subflow that carries nothing has measured only
 * its handshake, when this machine or the link may have been busy.
 */
static bool answers_in(struct check *c, const struct nvme_mptcp_link *link, int64_t us)
{
	const size_t n = check_ask_paths(c);

	for (size_t i = 0; i < n; i++)
		if (c->paths[i].ends.ifindex == link->ifindex && c->paths[i].small &&
		    1000 * c->paths[i].rtt_ms < us)
			return true;
	return false;
}

void rule_link_slow(struct check *c, enum rule_id rule)
{
	_cleanup_(free) int64_t *rtt = measure_links(c);
	const struct nvme_mptcp_link *fast, *slow;
	struct nvme_mptcp_finding *f;
	int64_t least, most, limit = RTT_FLOOR_US;

	report_lossy(c, rule);
	if (!rtt) {
		c->err = -ENOMEM;
		return;
	}
	find_extremes(c, rtt, &fast, &slow);
	if (!fast || fast == slow)
		return;
	least = rtt[fast - c->snap->links];
	most = rtt[slow - c->snap->links];
	if (RTT_SKEW * least > limit)
		limit = RTT_SKEW * least;
	if (most < limit || answers_in(c, slow, limit))
		return;
	f = finding_add(c, rule, subject_link(slow->name));
	finding_why_subject(
		c, f, "has a much higher latency than link %s: data sent over it delays the rest",
		fast->name);
	finding_number(c, f, "slowest_us", most);
	finding_number(c, f, "fastest_us", least);
}

/* C04: the kernel stops using a subflow whose data is not acknowledged. */
void rule_subflow_stale(struct check *c, enum rule_id rule)
{
	int64_t now = check_counter_growth(c, "MPTcpExt", "SubflowStale");
	int64_t ever = check_counter_total(c, "MPTcpExt", "SubflowStale");
	const struct nvme_mptcp_subflow *dead = NULL;
	struct nvme_mptcp_finding *f;

	if (!ever)
		return;
	for (size_t i = 0; i < c->n_conns && !dead; i++)
		for (size_t j = 0; j < c->conns[i]->n_subflows && !dead; j++)
			if (c->conns[i]->subflows[j].state == STATE_ESTABLISHED &&
			    c->conns[i]->subflows[j].value[NVME_MPTCP_TIMEOUTS] > 0)
				dead = &c->conns[i]->subflows[j];
	if (!dead && !(c->before && now && check_owns_counter_growth(c)))
		return;
	f = finding_add(c, rule,
			dead && dead->link ? subject_link(dead->link->name)
					   : subject_all(NVME_MPTCP_SUBJECT_SUBFLOW));
	finding_why(c, f,
		    "A subflow has received no acknowledgement for several time-outs, and the "
		    "kernel does not use it until one arrives: its path is broken");
	if (dead)
		finding_fact(c, f, "subflow", "%s -> %s", dead->local_text, dead->remote_text);
	finding_number(c, f, "SubflowStale", ever);
	finding_number(c, f, "SubflowRecover",
		       check_counter_total(c, "MPTcpExt", "SubflowRecover"));
	finding_fix(c, f, check_side(c), NVME_MPTCP_COMMAND " show-subflows");
}

void rule_join_without_proof(struct check *c, enum rule_id rule)
{
	int64_t n = check_counter_growth(c, "MPTcpExt", "MPJoinSynAckHMacFailure");
	struct nvme_mptcp_finding *f;

	if (!n || !check_owns_counter_growth(c))
		return;
	f = finding_why(c, finding_add(c, rule, subject_all(NVME_MPTCP_SUBJECT_JOIN)),
			"Replies to joins fail authentication: another machine has "
			"that address, or a middlebox answers in the target's place");
	finding_number(c, f, "MPJoinSynAckHMacFailure", n);
}

/*
 * True if MPTCP retransmits data that TCP has delivered: the receiver's buffer was full. In a
 * trial, this is due to late acknowledgements on a busy machine.
 */
static bool is_dropped_by_peer(struct check *c)
{
	return c->before && c->n_conns && !c->trial &&
	       check_counter_growth(c, "MPTcpExt", "MPTCPRetrans") >= DROPS &&
	       !check_counter_growth(c, "Tcp", "RetransSegs") &&
	       !check_counter_growth(c, "MPTcpExt", "SubflowStale") &&
	       /* While data is received, retransmitted commands are not dropped data. */
	       !check_receives(c);
}

void rule_buffer_overrun(struct check *c, enum rule_id rule)
{
	int64_t dropped = c->before ? check_counter_growth(c, "MPTcpExt", "NoDSSInWindow") : 0;
	bool by_peer = !dropped && is_dropped_by_peer(c);
	int64_t most = c->ops->setting(c, "net/ipv4/tcp_rmem");
	struct nvme_mptcp_finding *f;

	/* C15 explains it: one link is slower. */
	if ((!dropped && !by_peer) || check_has_found(c, RULE_C15))
		return;
	f = finding_why(c, finding_add(c, rule, subject_kernel("receive buffer")),
			"%s drops data that TCP had delivered already, because more is in flight "
			"than its receive buffer holds, and receives it again after a time-out. "
			"Enlarge the buffer, or use a lower queue depth",
			by_peer ? "The other side" : "This side");
	finding_number(c, f, "NoDSSInWindow", dropped);
	finding_number(c, f, "MPTCPRetrans", check_counter_growth(c, "MPTcpExt", "MPTCPRetrans"));
	if (most > 0 && !by_peer)
		finding_number(c, f, "tcp_rmem", most);
	fix_buffer(c, f, by_peer ? check_other_side(c) : check_side(c), by_peer ? 0 : most);
}
