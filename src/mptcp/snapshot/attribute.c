// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Attribute connections to controllers. A kernel that shows each controller's queues gives the
 * exact answer. Other kernels do not link a queue to its socket, so the addresses decide. Where
 * several controllers fit, nothing is guessed.
 *
 * join.c groups connections with equal remote address, port, local address and device. A controller
 * that fits one of a group fits all of them: one lookup per group, and one step per connection.
 */
#include "queues.h"
#include "record.h"

/* A group that fits several controllers, kept until records and elimination are tried. */
struct open_group {
	size_t first, end; /* range in snap->connections */
	struct nvme_mptcp_ctrl **candidates; /* the first n_lacking may have connections missing */
	size_t n_candidates;
	size_t n_lacking;
	size_t left; /* unattributed connections */
};

struct work {
	struct nvme_mptcp_snapshot *snap;
	struct shown_queues shown;
	struct nvme_mptcp_ctrl **by_portal;
	size_t n_by_portal;
	struct open_group *groups;
	size_t n_groups;
};

static int by_portal(const void *a, const void *b)
{
	const struct nvme_mptcp_ctrl *x = *(struct nvme_mptcp_ctrl *const *)a;
	const struct nvme_mptcp_ctrl *y = *(struct nvme_mptcp_ctrl *const *)b;

	return address_port_compare(&x->portal, &y->portal) ?: ((x > y) - (x < y));
}

static int index_portals(struct work *work)
{
	struct nvme_mptcp_snapshot *snap = work->snap;

	work->by_portal = calloc(snap->n_ctrls + 1, sizeof(struct nvme_mptcp_ctrl *));
	if (!work->by_portal)
		return -ENOMEM;
	for (size_t i = 0; i < snap->n_ctrls; i++)
		if (snap->ctrls[i].has_portal)
			work->by_portal[work->n_by_portal++] = &snap->ctrls[i];
	qsort(work->by_portal, work->n_by_portal, sizeof(struct nvme_mptcp_ctrl *), by_portal);
	return 0;
}

/* Return the index of the first controller whose portal is not before @portal. */
static size_t find_portal(const struct work *work, const struct socket_address *portal)
{
	size_t low = 0, high = work->n_by_portal;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (address_port_compare(&work->by_portal[middle]->portal, portal) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Return the controller that the relay names for @conn, or NULL. */
static struct nvme_mptcp_ctrl *find_named(const struct work *work,
					  const struct nvme_mptcp_connection *conn)
{
	for (size_t i = find_portal(work, &conn->remote); i < work->n_by_portal; i++) {
		struct nvme_mptcp_ctrl *ctrl = work->by_portal[i];

		if (address_port_compare(&ctrl->portal, &conn->remote))
			break;
		if (relayed_owns(ctrl, conn->relayed))
			return ctrl;
	}
	return NULL;
}

/* True if the zone of a link-local traddr fits: fe80::1%eth1 and fe80::1%eth2 are two portals. */
static bool fits_zone(const struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_ctrl *ctrl,
		      const struct nvme_mptcp_connection *conn)
{
	const char *zone = ctrl->traddr ? strchr(ctrl->traddr, '%') : NULL;
	const struct nvme_mptcp_link *link = link_by_index(snap, conn->ifindex);
	char number[16];

	if (!zone || !conn->ifindex || !IN6_IS_ADDR_LINKLOCAL(&ctrl->portal.ip))
		return true;
	snprintf(number, sizeof(number), "%d", conn->ifindex);
	return !strcmp(zone + 1, number) || !link || !strcmp(zone + 1, link->name);
}

/* Return 0 if @conn does not fit, 2 if it is bound to the controller's host_iface, else 1. */
static int fits(const struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_ctrl *ctrl,
		const struct nvme_mptcp_connection *conn)
{
	const struct nvme_mptcp_link *link, *vrf;

	if (ctrl->is_served != relayed_is_host(conn))
		return 0;
	if (ctrl->has_source && !address_equal(&ctrl->source, &conn->local.ip))
		return 0;
	if (!fits_zone(snap, ctrl, conn))
		return 0;
	if (!ctrl->host_iface || !snap->n_links)
		return 1;
	link = link_by_index(snap, conn->ifindex);
	if (!link)
		return 0;
	/* A report has the link of a connection that is bound to a VRF. */
	vrf = link_vrf(snap, link);
	return !strcmp(link->name, ctrl->host_iface)	     ? 2
	       : vrf && !strcmp(vrf->name, ctrl->host_iface) ? 1
							     : 0;
}

/* True if the controller shows all its queues, so that any other connection is not its own. */
static bool shows_all(const struct nvme_mptcp_ctrl *ctrl)
{
	return ctrl->shows_queues && ctrl->expected >= 0 &&
	       ctrl->n_queues >= (size_t)ctrl->expected;
}

/*
 * A controller that is connecting may own a connection that it does not show yet, but only as the
 * sole candidate. Of several candidates, drop those that show queues. Return the number left of @n.
 */
static size_t drop_showing_ctrls(struct nvme_mptcp_ctrl **ctrls, size_t n)
{
	size_t left = 0;

	if (n < 2)
		return n;
	for (size_t i = 0; i < n; i++)
		if (!ctrls[i]->shows_queues)
			ctrls[left++] = ctrls[i];
	return left;
}

/* Collect controllers that may own @conn. *@decided is true if exactly one fits by address. */
static int find_candidates(struct work *work, const struct nvme_mptcp_connection *conn,
			   struct nvme_mptcp_ctrl ***ret, size_t *n, bool *decided)
{
	size_t fitting = 0;
	size_t from = find_portal(work, &conn->remote);
	size_t to = from;
	int best = 1;

	while (to < work->n_by_portal &&
	       !address_port_compare(&work->by_portal[to]->portal, &conn->remote))
		to++;
	*n = 0;
	*ret = NULL;
	if (from == to)
		return 0;
	*ret = calloc(to - from, sizeof(struct nvme_mptcp_ctrl *));
	if (!*ret)
		return -ENOMEM;
	for (size_t i = from; i < to; i++) {
		int fit = fits(work->snap, work->by_portal[i], conn);

		if (fit < best)
			continue;
		if (fit > best) {
			best = fit;
			*n = fitting = 0;
		}
		fitting++;
		if (!shows_all(work->by_portal[i]))
			(*ret)[(*n)++] = work->by_portal[i];
	}
	*n = drop_showing_ctrls(*ret, *n);
	*decided = fitting == 1;
	return 0;
}

static void append_conn(struct nvme_mptcp_set *set, struct nvme_mptcp_connection *conn,
			enum nvme_mptcp_attribution attribution)
{
	conn->attribution = attribution;
	conn->set = set;
	conn->next = NULL;
	if (set->last)
		set->last->next = conn;
	else
		set->first = conn;
	set->last = conn;
	set->count++;
}

static void assign_conn(struct nvme_mptcp_ctrl *ctrl, struct nvme_mptcp_connection *conn,
			enum nvme_mptcp_attribution attribution)
{
	conn->ctrl = ctrl;
	append_conn(&ctrl->set, conn, attribution);
}

/* True if the connection can carry a queue; a closing one is from before a reconnection. */
static bool is_alive(const struct nvme_mptcp_connection *conn)
{
	return conn->state == STATE_ESTABLISHED || conn->state == STATE_SYN_SENT ||
	       conn->state == STATE_CLOSE_WAIT;
}

static bool same_group(const struct nvme_mptcp_connection *x, const struct nvme_mptcp_connection *y)
{
	return !address_port_compare(&x->remote, &y->remote) &&
	       address_equal(&x->local.ip, &y->local.ip) && x->ifindex == y->ifindex &&
	       !x->relayed == !y->relayed;
}

static int sort_group(struct work *work, size_t first, size_t end)
{
	struct nvme_mptcp_snapshot *snap = work->snap;
	_cleanup_(free) struct nvme_mptcp_ctrl **candidates = NULL;
	struct open_group *group;
	size_t n = 0, left = 0;
	bool decided = false;
	int err;

	err = find_candidates(work, &snap->connections[first], &candidates, &n, &decided);
	if (err)
		return err;
	for (size_t i = first; i < end; i++) {
		struct nvme_mptcp_connection *conn = &snap->connections[i];
		struct nvme_mptcp_ctrl *owner = relayed_is_host(conn)
							? find_named(work, conn)
							: ctrl_queues_owner(&work->shown, conn);

		/* Accepted by the relay of this target for a host. */
		if (conn->relayed && conn->relayed->is_target)
			append_conn(&snap->other, conn, NVME_MPTCP_NONE);
		/* Owned by a program, or relayed for a controller that is gone. */
		else if (conn->relayed ? conn->relayed->cntlid >= 0 && !owner
				       : conn->pid > 0 || conn->is_foreign)
			append_conn(&snap->userspace, conn, NVME_MPTCP_USERSPACE);
		else if (owner)
			assign_conn(owner, conn, NVME_MPTCP_EXACT);
		else if (!n || !is_alive(conn))
			append_conn(&snap->other, conn, NVME_MPTCP_NONE);
		else if (n == 1)
			assign_conn(candidates[0], conn,
				    decided && (!conn->pid || conn->relayed) ? NVME_MPTCP_EXACT
									     : NVME_MPTCP_INFERRED);
		else
			left++;
	}
	if (!left)
		return 0;
	group = array_add(&work->groups, &work->n_groups, sizeof(*group));
	if (!group)
		return -ENOMEM;
	*group = (struct open_group){ first, end, steal_ptr(&candidates), n, n, left };
	return 0;
}

/* Add the tokens of one controller's record to @by_token. */
static int read_record(const struct nvme_mptcp_snapshot *snap, struct nvme_mptcp_ctrl *ctrl,
		       struct idmap *by_token)
{
	struct record record;
	int err = record_read(snap->record_dir, ctrl->name, &record);

	if (err)
		return err;
	/* The record is of an earlier controller of that name, or of another namespace. */
	if (!record.subsysnqn || !ctrl->subsysnqn || strcmp(record.subsysnqn, ctrl->subsysnqn) ||
	    (snap->netns_id && record.netns != snap->netns_id))
		record.n_tokens = 0;
	for (size_t i = 0; i < record.n_tokens && !err; i++)
		err = idmap_put(by_token, record.tokens[i], ctrl);
	record_clear(&record);
	return err;
}

static int read_records(struct work *work, struct idmap *by_token)
{
	struct nvme_mptcp_snapshot *snap = work->snap;

	for (size_t i = 0; i < work->n_groups; i++) {
		for (size_t j = 0; j < work->groups[i].n_candidates; j++) {
			struct nvme_mptcp_ctrl *ctrl = work->groups[i].candidates[j];
			int err;

			if (ctrl->record_read)
				continue;
			ctrl->record_read = true;
			err = read_record(snap, ctrl, by_token);
			if (err == -ENOMEM)
				return err;
			if (err && err != -ENOENT)
				problem_set(snap, NVME_MPTCP_RECORDS, err, "%s/%s: %s",
					    snap->record_dir, ctrl->name,
					    err == -EBADMSG ? "not a record" : strerror(-err));
		}
	}
	return 0;
}

/* Attribute by the records that connect wrote, unless the addresses contradict them. */
static int use_records(struct work *work)
{
	_cleanup_(idmap_free) struct idmap *by_token = NULL;
	struct nvme_mptcp_snapshot *snap = work->snap;
	int err;

	if (!work->n_groups)
		return 0;
	by_token = idmap_new(snap->n_connections);
	if (!by_token)
		return -ENOMEM;
	err = read_records(work, by_token);
	if (err)
		return err;
	for (size_t i = 0; i < work->n_groups; i++) {
		struct open_group *group = &work->groups[i];

		for (size_t j = group->first; j < group->end; j++) {
			struct nvme_mptcp_connection *conn = &snap->connections[j];
			struct nvme_mptcp_ctrl *ctrl;

			if (conn->set || !conn->has_token)
				continue;
			ctrl = idmap_get(by_token, conn->token);
			if (!ctrl || address_port_compare(&ctrl->portal, &conn->remote) ||
			    !fits(snap, ctrl, conn))
				continue;
			assign_conn(ctrl, conn, NVME_MPTCP_RECORDED);
			group->left--;
		}
	}
	return 0;
}

static bool has_all_connections(const struct nvme_mptcp_ctrl *ctrl)
{
	return ctrl->expected >= 0 && ctrl->set.count >= (size_t)ctrl->expected;
}

/*
 * Controllers that have all their connections cannot own more. If exactly one other controller is
 * left, and its expected count allows all unattributed connections of the group, they are its own.
 */
static bool eliminate(struct work *work, struct open_group *group)
{
	struct nvme_mptcp_ctrl *ctrl;
	size_t n = 0;

	for (size_t i = 0; i < group->n_lacking; i++) {
		ctrl = group->candidates[i];
		if (has_all_connections(ctrl))
			continue;
		group->candidates[i] = group->candidates[n];
		group->candidates[n++] = ctrl;
	}
	group->n_lacking = n;
	if (n != 1)
		return false;
	ctrl = group->candidates[0];
	if (ctrl->expected < 0 || ctrl->set.count + group->left > (size_t)ctrl->expected)
		return false;
	for (size_t i = group->first; i < group->end; i++)
		if (!work->snap->connections[i].set)
			assign_conn(ctrl, &work->snap->connections[i], NVME_MPTCP_INFERRED);
	group->left = 0;
	return true;
}

static int by_ctrl_name(const void *a, const void *b)
{
	const struct nvme_mptcp_ctrl *x = *(struct nvme_mptcp_ctrl *const *)a;
	const struct nvme_mptcp_ctrl *y = *(struct nvme_mptcp_ctrl *const *)b;

	return (x > y) - (x < y);
}

static void share(struct work *work, struct open_group *group)
{
	struct nvme_mptcp_snapshot *snap = work->snap;
	struct nvme_mptcp_shared *shared = &snap->shared[snap->n_shared++];

	shared->ctrls = steal_ptr(&group->candidates);
	/* Too many for one controller: some are left over from one that is gone, so any may own them. */
	shared->n_ctrls = group->n_lacking > 1 ? group->n_lacking : group->n_candidates;
	qsort(shared->ctrls, shared->n_ctrls, sizeof(struct nvme_mptcp_ctrl *), by_ctrl_name);
	for (size_t i = group->first; i < group->end; i++) {
		struct nvme_mptcp_connection *conn = &snap->connections[i];

		if (conn->set)
			continue;
		conn->shared = shared;
		append_conn(&shared->set, conn, NVME_MPTCP_SHARED);
	}
	for (size_t i = 0; i < shared->n_ctrls; i++)
		shared->ctrls[i]->n_shared += shared->set.count;
}

static int attribute_group(struct work *work)
{
	struct nvme_mptcp_snapshot *snap = work->snap;
	size_t n_open = 0;
	bool progress;
	int err;

	err = ctrl_queues_index(snap, &work->shown) ?: index_portals(work);
	if (err)
		return err;
	for (size_t first = 0, end; first < snap->n_connections; first = end) {
		for (end = first + 1; end < snap->n_connections; end++)
			if (!same_group(&snap->connections[first], &snap->connections[end]))
				break;
		err = sort_group(work, first, end);
		if (err)
			return err;
	}

	err = use_records(work);
	if (err)
		return err;

	/* Each further round settles at least one group, so the loop ends. */
	do {
		progress = false;
		for (size_t i = 0; i < work->n_groups; i++)
			if (work->groups[i].left && eliminate(work, &work->groups[i]))
				progress = true;
	} while (progress);

	for (size_t i = 0; i < work->n_groups; i++)
		n_open += work->groups[i].left > 0;
	if (!n_open)
		return 0;
	snap->shared = calloc(n_open, sizeof(*snap->shared));
	if (!snap->shared)
		return -ENOMEM;
	for (size_t i = 0; i < work->n_groups; i++)
		if (work->groups[i].left)
			share(work, &work->groups[i]);
	return 0;
}

int snapshot_attribute(struct nvme_mptcp_snapshot *snap)
{
	struct work work = { .snap = snap };
	int err = attribute_group(&work);

	for (size_t i = 0; i < work.n_groups; i++)
		free(work.groups[i].candidates);
	free(work.groups);
	free(work.by_portal);
	free(work.shown.queue);
	return err;
}

static struct nvme_mptcp_usage *usage_of(struct nvme_mptcp_set *set,
					 const struct nvme_mptcp_link *link)
{
	struct nvme_mptcp_usage *usage;

	for (size_t i = 0; i < set->n_usage; i++)
		if (set->usage[i].link == link)
			return &set->usage[i];
	usage = array_add(&set->usage, &set->n_usage, sizeof(*usage));
	if (usage)
		*usage = (struct nvme_mptcp_usage){ .link = link,
						    .sent = NVME_MPTCP_UNKNOWN,
						    .received = NVME_MPTCP_UNKNOWN };
	return usage;
}

/* For subflows whose link is unknown, collect all links that one of them may use. */
static void add_possible(struct nvme_mptcp_usage *usage, const struct nvme_mptcp_subflow *sf)
{
	for (size_t i = 0; !sf->link && i < sf->n_possible; i++) {
		size_t at = 0;

		while (at < usage->n_possible && usage->possible[at] != sf->possible[i])
			at++;
		if (at == usage->n_possible && at < ROUTE_HOPS)
			usage->possible[usage->n_possible++] = sf->possible[i];
	}
}

static void add_known(int64_t *sum, int64_t value)
{
	if (value >= 0)
		*sum = *sum < 0 ? value : *sum + value;
}

static int sum_set(struct nvme_mptcp_set *set)
{
	for (const struct nvme_mptcp_connection *conn = set->first; conn; conn = conn->next) {
		set->subflows += conn->n_subflows;
		set->fallback += conn->fallback == 1;
		for (size_t i = 0; i < conn->n_subflows; i++) {
			const struct nvme_mptcp_subflow *sf = &conn->subflows[i];
			struct nvme_mptcp_usage *usage = usage_of(set, sf->link);

			if (!usage)
				return -ENOMEM;
			add_possible(usage, sf);
			if (subflow_carries(sf))
				usage->subflows++;
			else if (sf->state == STATE_ESTABLISHED)
				usage->dead++;
			else
				usage->pending++;
			add_known(&usage->sent, sf->value[NVME_MPTCP_BYTES_SENT]);
			add_known(&usage->received, sf->value[NVME_MPTCP_BYTES_RECEIVED]);
		}
	}
	if (set->n_usage)
		qsort(set->usage, set->n_usage, sizeof(*set->usage), link_compare);
	return 0;
}

int snapshot_sum(struct nvme_mptcp_snapshot *snap)
{
	int err = sum_set(&snap->userspace) ?: sum_set(&snap->other);

	for (size_t i = 0; i < snap->n_ctrls && !err; i++)
		err = sum_set(&snap->ctrls[i].set);
	for (size_t i = 0; i < snap->n_shared && !err; i++)
		err = sum_set(&snap->shared[i].set);
	return err;
}
