// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules H: endpoints and limits of a host. doc/mptcp-rules.md */
#include <string.h>

#include "rules.h"
#include "mptcp/trial/trial-state.h"

typedef bool endpoint_is_fn(const struct nvme_mptcp_endpoint *ep);

/* Count endpoints that can give this connection another subflow. Initial addresses differ. */
static size_t count_for(const struct check *c, const struct nvme_mptcp_connection *conn,
			endpoint_is_fn *starts)
{
	size_t n = 0;

	FOR_EACH_ENDPOINT(c, ep)
		n += starts(ep) && address_same_family(&ep->ip, &conn->remote.ip) &&
		     !endpoint_is_initial(ep, conn);
	return n;
}

/* Return the most subflows that one connection gets from endpoints once it is established. */
static size_t count_starting(const struct check *c)
{
	size_t n = 0, most = 0;

	FOR_EACH_ENDPOINT(c, ep)
		n += endpoint_starts_subflows(ep) && check_has_portal_family(c, &ep->ip);
	if (!c->n_conns)
		return n;
	FOR_EACH_CONN(c, conn) {
		n = count_for(c, conn, endpoint_starts_subflows);
		most = n > most ? n : most;
	}
	return most;
}

void rule_signal_on_host(struct check *c, enum rule_id rule)
{
	if (c->role & ON_TARGET)
		return;
	FOR_EACH_ENDPOINT(c, ep) {
		struct nvme_mptcp_finding *f;

		if (!endpoint_announces(ep) || endpoint_starts_subflows(ep) ||
		    check_is_foreign_endpoint(c, ep))
			continue;
		f = finding_add_endpoint(c, rule, ep);
		finding_fact(c, f, "flags", "signal");
		if (check_carries(c, ep)) {
			/* Deleting it would close them; initial subflows need no endpoint. */
			finding_set_severity(f, NVME_MPTCP_INFO);
			finding_why_subject(
				c, f,
				"is announced to the target, which cannot connect back to a "
				"host. Live subflows start from its address, and changing it "
				"would close them: change it before connecting");
			continue;
		}
		finding_why_subject(c, f,
				    "is announced to the target, which cannot "
				    "connect back to a host: it creates no subflow");
		fix_replace(c, f, ep, endpoint_flags_for_host(ep->flags),
			    ep->link ? ep->link->name : NULL);
	}
}

void rule_other_family(struct check *c, enum rule_id rule)
{
	FOR_EACH_ENDPOINT(c, ep) {
		struct nvme_mptcp_finding *f;

		if (!endpoint_starts_subflows(ep) || check_has_portal_family(c, &ep->ip))
			continue;
		f = finding_why_subject(c, finding_add_endpoint(c, rule, ep),
					"has an %s address, but the target is "
					"reached over %s: no subflow starts from it",
					address_is_v4(&ep->ip) ? "IPv4" : "IPv6",
					address_is_v4(&ep->ip) ? "IPv6" : "IPv4");
		/* If others fit, this one is merely useless. */
		if (f && count_starting(c))
			f->severity = NVME_MPTCP_INFO;
		finding_fact(c, f, "address", "%s", ep->address);
		/* Other connections may use it; what is missing is an endpoint that fits. */
		if (!count_starting(c))
			fix_plan(c, f, NVME_MPTCP_ROLE_HOST);
	}
}

/* Raise the limit with setup's plan or, if that does not, by a command of its own. */
static void raise_limit(struct check *c, struct nvme_mptcp_finding *f, size_t wanted)
{
	if (check_plan(c, NVME_MPTCP_ROLE_HOST) && check_plans_limits(c, NVME_MPTCP_ROLE_HOST)) {
		fix_plan(c, f, NVME_MPTCP_ROLE_HOST);
		return;
	}
	if (fix_limits(c, f, NVME_MPTCP_ROLE_HOST, wanted) && c->n_conns && !c->trial)
		fix_repair(c, f, NVME_MPTCP_ROLE_HOST);
}

/* If the initial subflow is lost, its replacement from the endpoint also needs room. */
static size_t count_wanted(const struct check *c, const struct nvme_mptcp_connection *conn)
{
	const size_t wanted = count_for(c, conn, endpoint_starts_subflows);

	if (!connection_lost_initial(conn))
		return wanted;
	FOR_EACH_ENDPOINT(c, ep)
		if (endpoint_starts_by_itself(ep) && endpoint_is_usable(ep) &&
		    endpoint_is_initial(ep, conn))
			return wanted + 1;
	return wanted;
}

/* Fullmesh endpoints lead to each address of the target, others to one. */
static size_t count_subflows_of(const struct check *c, const struct nvme_mptcp_connection *conn)
{
	const int64_t accepted = conn ? conn->value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED] : 0;
	const size_t announced = accepted > 0 ? (size_t)accepted : 0;
	size_t n = 0;

	FOR_EACH_ENDPOINT(c, ep) {
		const bool mesh = endpoint_has(ep, NVME_MPTCP_ENDPOINT_FULLMESH);

		if (!endpoint_starts_subflows(ep) ||
		    !(conn ? address_same_family(&ep->ip, &conn->remote.ip)
			   : check_has_portal_family(c, &ep->ip)))
			continue;
		if (!conn || !endpoint_is_initial(ep, conn))
			n += endpoint_starts_by_itself(ep) || !mesh;
		if (mesh)
			n += announced;
	}
	return n;
}

static size_t count_subflows(const struct check *c)
{
	size_t most = c->n_conns ? 0 : count_subflows_of(c, NULL);

	FOR_EACH_CONN(c, conn) {
		const size_t n = count_subflows_of(c, conn);

		most = n > most ? n : most;
	}
	return most;
}

static void report_low_limit(struct check *c, enum rule_id rule)
{
	int64_t limit = c->snap->limit_subflows;
	size_t wanted = count_subflows(c);
	struct nvme_mptcp_finding *f;

	if (limit <= 0 || (int64_t)wanted <= limit || check_is_set_up(c, NVME_MPTCP_ROLE_HOST))
		return;
	f = finding_why(
		c, finding_add(c, rule, subject_limit(LIMIT_SUBFLOWS)),
		"Endpoints here could give a connection %zu more subflows, but the limit is %lld",
		wanted, (long long)limit);
	finding_set_severity(f, NVME_MPTCP_WARNING);
	finding_number(c, f, "subflows", limit);
	finding_fact(c, f, "endpoints", "%zu", count_starting(c));
	finding_fact(c, f, "wanted", "%zu", wanted);
	raise_limit(c, f, wanted);
}

void rule_subflow_limit_reached(struct check *c, enum rule_id rule)
{
	const struct nvme_mptcp_connection *full = NULL;
	int64_t limit = c->snap->limit_subflows;
	size_t n_full = 0, wanted = count_starting(c);
	struct nvme_mptcp_finding *f;

	FOR_EACH_CONN(c, conn) {
		/* Full, although further endpoints could start subflows. */
		if (!connection_is_full(conn) || connection_has_userspace_manager(c->snap, conn) ||
		    (int64_t)count_wanted(c, conn) <= conn->value[NVME_MPTCP_CONN_EXTRA_SUBFLOWS])
			continue;
		full = conn;
		n_full++;
	}
	if (!full && limit)
		report_low_limit(c, rule);
	if (full ? false : limit || check_is_set_up(c, NVME_MPTCP_ROLE_HOST))
		return;
	f = finding_why(c, finding_add(c, rule, subject_limit(LIMIT_SUBFLOWS)),
			limit ? "Connections have as many subflows as the limit allows, and some "
				"endpoints remain unused"
			      : "The limit of subflows is 0: no connection may have more than its "
				"initial subflow");
	finding_number(c, f, "subflows", limit);
	finding_fact(c, f, "endpoints", "%zu", wanted);
	if (full)
		finding_fact(c, f, "full_connections", "%zu", n_full);
	raise_limit(c, f, wanted > 8 ? wanted : (size_t)8);
}

/* H21: connections miss an address that others follow. */
void rule_announcement_dropped(struct check *c, enum rule_id rule)
{
	int64_t dropped = check_counter_growth(c, "MPTcpExt", "AddAddrDrop"), most = 0;
	const struct nvme_mptcp_connection *least = NULL;
	struct nvme_mptcp_finding *f;
	size_t n = 0;

	if (!dropped || !c->snap->limit_add_addr_accepted)
		return;
	FOR_EACH_CONN(c, conn)
		if (conn->value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED] > most)
			most = conn->value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED];
	FOR_EACH_CONN(c, conn) {
		int64_t accepted = conn->value[NVME_MPTCP_CONN_ADD_ADDR_ACCEPTED];

		if (accepted < 0 || accepted >= most || conn->fallback == 1)
			continue;
		if (!n++)
			least = conn;
	}
	/* If it was repeated in time, no connection misses it. */
	if (!n && (check_trial_is_complete(c) || !c->before))
		return;
	f = finding_why(c, finding_add(c, rule, subject_all(NVME_MPTCP_SUBJECT_ANNOUNCEMENT)),
			"This kernel dropped an announced address while it handled another "
			"one, and the target repeats it only after its add_addr_timeout (120 "
			"s). Shorten that, and reconnect controllers without a subflow there");
	finding_number(c, f, "AddAddrDrop", dropped);
	finding_fact(c, f, "connections", "%zu", n);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "sysctl -w net.mptcp.add_addr_timeout=2");
	if (least && least->ctrl)
		fix_reset_ctrl(c, f, least->ctrl);
}

/* True if the trial has a subflow on each link that leads to the target, without announcements. */
static bool has_all_it_starts(struct check *c)
{
	return c->trial && c->trial->conn && c->trial->starting > 0 &&
	       c->trial->established > c->trial->starting && !check_idle_links(c);
}

void rule_announcements_ignored(struct check *c, enum rule_id rule)
{
	int64_t announced = check_announced(c);
	bool now = check_recent_announcements(c) > 0;
	struct nvme_mptcp_finding *f;

	if (c->snap->limit_add_addr_accepted || !announced || check_all_bypassed(c) ||
	    check_is_set_up(c, NVME_MPTCP_ROLE_HOST) || has_all_it_starts(c))
		return;
	f = finding_add(c, rule, subject_limit(LIMIT_ADD_ADDR_ACCEPTED));
	/* The announcements may be old or from another target. */
	if (f && !now)
		f->severity = NVME_MPTCP_INFO;
	finding_why(c, f,
		    now ? "The target announces addresses, and this host accepts none: the limit "
			  "add_addr_accepted is 0, which is the default"
			: "Addresses have been announced to this host since it started, but it "
			  "accepts none: the limit add_addr_accepted is 0, which is the default");
	finding_fact(c, f, "add_addr_accepted", "0");
	finding_fact(c, f, now ? "announced" : "AddAddr", "%lld", (long long)announced);
	fix_plan(c, f, NVME_MPTCP_ROLE_HOST);
}

/* True if an established subflow from the endpoint's address uses this link. */
static bool carries_by(const struct check *c, const struct nvme_mptcp_endpoint *ep,
		       const struct nvme_mptcp_link *link)
{
	FOR_EACH_SUBFLOW(c, conn, sf)
		if (check_is_carried(c, link, &ep->ip, &sf->remote.ip))
			return true;
	return false;
}

void rule_route_by_other_link(struct check *c, enum rule_id rule)
{
	FOR_EACH_ENDPOINT(c, ep) {
		if (!endpoint_starts_subflows(ep) || ep->ifindex || !endpoint_egress_link(ep) ||
		    IN6_IS_ADDR_LINKLOCAL(&ep->ip) || carries_by(c, ep, ep->link))
			continue;
		FOR_EACH(portal, c->portals, c->n_portals) {
			struct nvme_mptcp_finding *f;
			struct route_answer route;

			if (!address_same_family(&portal->address.ip, &ep->ip) ||
			    c->ops->route(c, &ep->ip, 0, &portal->address.ip, &route) ||
			    route.ifindex == ep->link->ifindex)
				continue;
			f = finding_why_subject(
				c, finding_add_endpoint(c, rule, ep),
				"has no device, and the route from its address to %s leads over "
				"%s instead of %s, which has the address: that link stays idle",
				ADDRESS_STRING(&portal->address.ip),
				LINK_STRING(c->snap, route.ifindex), ep->link->name);
			finding_fact(c, f, "route_dev", "%s", LINK_STRING(c->snap, route.ifindex));
			finding_fact(c, f, "address_dev", "%s", ep->link->name);
			fix_replace(c, f, ep, ep->flags, ep->link->name);
			break;
		}
	}
}

void rule_wrong_device(struct check *c, enum rule_id rule)
{
	FOR_EACH_ENDPOINT(c, ep) {
		struct nvme_mptcp_finding *f;

		if (!endpoint_is_misplaced(ep) || carries_by(c, ep, ep->device))
			continue;
		f = finding_why_subject(c, finding_add_endpoint(c, rule, ep),
					"is on device %s, but %s has its address: packets "
					"leave over a link where the replies do not come back",
					ep->device->name, ep->link->name);
		finding_fact(c, f, "dev", "%s", ep->device->name);
		finding_fact(c, f, "address_dev", "%s", ep->link->name);
		if (!check_is_used_by_all(c, &ep->ip, ep->link))
			fix_replace(c, f, ep, ep->flags, ep->link->name);
		else if (f)
			f->severity = NVME_MPTCP_INFO;
	}
}

void rule_device_gone(struct check *c, enum rule_id rule)
{
	if (!c->snap->n_links)
		return;
	FOR_EACH_ENDPOINT(c, ep) {
		struct nvme_mptcp_finding *f;

		if (!ep->ifindex || ep->device)
			continue;
		f = finding_add_endpoint(c, rule, ep);
		finding_why_subject(c, f, "names an interface that no longer exists");
		finding_fact(c, f, "ifindex", "%d", ep->ifindex);
		if (ep->link)
			fix_replace(c, f, ep, ep->flags, ep->link->name);
		else
			fix_delete(c, f, ep);
	}
}

/* True if it is a subflow to an announced address and a backup because the target announces it as one. */
static bool is_announced_backup(const struct check *c, const struct nvme_mptcp_subflow *sf)
{
	FOR_EACH_ENDPOINT(c, ep)
		if (endpoint_has(ep, NVME_MPTCP_ENDPOINT_BACKUP) &&
		    address_equal(&ep->ip, &sf->local.ip))
			return false;
	return sf->flags > 0 &&
	       (sf->flags & (NVME_MPTCP_SUBFLOW_BKUP_REM | NVME_MPTCP_SUBFLOW_BKUP_LOC)) &&
	       !address_equal(&sf->remote.ip, &sf->connection->remote.ip);
}

/* H14 of the target: all further subflows of all connections are announced backups. */
static bool announced_backups(struct check *c, enum rule_id rule)
{
	const struct nvme_mptcp_connection *first = NULL;
	struct nvme_mptcp_finding *f;
	size_t n = 0;

	FOR_EACH_SUBFLOW(c, conn, sf) {
		if (!subflow_carries(sf) || (address_equal(&sf->local.ip, &conn->local.ip) &&
					     address_equal(&sf->remote.ip, &conn->remote.ip)))
			continue;
		if (!is_announced_backup(c, sf))
			return false;
		first = conn;
		n++;
	}
	if (!n)
		return false;
	f = finding_why(c, finding_add(c, rule, subject_all(NVME_MPTCP_SUBJECT_SUBFLOW)),
			"All further subflows are backups, because the target announces its "
			"addresses as backups. They carry nothing while the initial subflow works");
	finding_set_side(f, NVME_MPTCP_ROLE_TARGET);
	finding_fact(c, f, "backup_subflows", "%zu", n);
	for (size_t j = 0; j < first->n_subflows; j++)
		if (is_announced_backup(c, &first->subflows[j]) && first->subflows[j].id_remote > 0)
			finding_fix(c, f, NVME_MPTCP_ROLE_TARGET,
				    "ip mptcp endpoint change id %d nobackup",
				    (int)first->subflows[j].id_remote);
	return true;
}

void rule_all_backup(struct check *c, enum rule_id rule)
{
	struct nvme_mptcp_finding *f;
	size_t n = 0;

	if (announced_backups(c, rule))
		return;

	FOR_EACH_ENDPOINT(c, ep) {
		if (!endpoint_starts_subflows(ep) || check_is_initial(c, ep))
			continue;
		if (!endpoint_has(ep, NVME_MPTCP_ENDPOINT_BACKUP))
			return;
		n++;
	}
	if (!n)
		return;
	f = finding_why(c, finding_add(c, rule, subject_all(NVME_MPTCP_SUBJECT_ENDPOINT)),
			"All further subflows are backups. They carry nothing while the initial "
			"subflow works");
	finding_fact(c, f, "backup_endpoints", "%zu", n);
	FOR_EACH_ENDPOINT(c, ep)
		if (endpoint_starts_subflows(ep) && !check_is_initial(c, ep))
			finding_fix(c, f, check_side(c), "ip mptcp endpoint change id %u nobackup",
				    ep->id);
}

void rule_address_gone(struct check *c, enum rule_id rule)
{
	if (nvme_mptcp_snapshot_errno(c->snap, NVME_MPTCP_ADDRESSES))
		return;
	FOR_EACH_ENDPOINT(c, ep) {
		struct nvme_mptcp_finding *f;

		/*
		 * Leave to other rules: addresses that are only announced, addresses of a removed
		 * device, and the kernel's own endpoints.
		 */
		if (ep->link || snapshot_find_address(c->snap, &ep->ip) ||
		    (ep->ifindex && !ep->device) ||
		    endpoint_has(ep, NVME_MPTCP_ENDPOINT_IMPLICIT) ||
		    (endpoint_announces(ep) && !endpoint_starts_subflows(ep)))
			continue;
		f = finding_add_endpoint(c, rule, ep);
		finding_why_subject(
			c, f, "has an address that no interface has: no subflow can start from it");
		finding_fact(c, f, "address", "%s", ep->address);
		finding_number(c, f, "MPJoinSynTxBindErr",
			       check_counter_total(c, "MPTcpExt", "MPJoinSynTxBindErr"));
		if (check_link_may_be_down(c, ep) || check_explain_ipv6_off(c, f, ep))
			continue;
		fix_delete(c, f, ep);
		/* Its link may have another address now. */
		if ((c->role & ON_HOST) && !check_is_set_up(c, NVME_MPTCP_ROLE_HOST))
			fix_plan(c, f, NVME_MPTCP_ROLE_HOST);
	}
}

/* H20: connections for which the kernel has endpoints that it never tried. */
void rule_added_later(struct check *c, enum rule_id rule)
{
	const struct nvme_mptcp_connection *first = NULL;
	size_t n = 0, most = 0;
	struct nvme_mptcp_finding *f;

	FOR_EACH_CONN(c, conn) {
		const int64_t *value = conn->value;
		/* struct mptcp_info does not count endpoints that wait for announcements. */
		const size_t starting = count_for(c, conn, endpoint_starts_by_itself);

		if (conn->fallback || value[NVME_MPTCP_CONN_LOCAL_ADDR_USED] < 0 ||
		    value[NVME_MPTCP_CONN_LOCAL_ADDR_USED] >= (int64_t)starting ||
		    value[NVME_MPTCP_CONN_EXTRA_SUBFLOWS] >= value[NVME_MPTCP_CONN_SUBFLOWS_MAX] ||
		    value[NVME_MPTCP_CONN_BYTES_SENT] == 0)
			continue;
		if (!n++) {
			first = conn;
			most = starting;
		}
	}
	/* Limits cannot have been raised after a trial's connection was made. */
	if (!n || c->trial || check_has_found(c, RULE_H05) || check_has_found(c, RULE_H01))
		return;
	f = finding_why(c, finding_add(c, rule, subject_connections(n)),
			"Existing connections have not tried all endpoints, although the limits "
			"permit their subflows: limits were raised after connecting, which "
			"existing connections do not notice. Renewing an endpoint makes them try");
	finding_number(c, f, "local_addr_used", first->value[NVME_MPTCP_CONN_LOCAL_ADDR_USED]);
	finding_fact(c, f, "endpoints", "%zu", most);
	fix_repair(c, f, NVME_MPTCP_ROLE_HOST);
}
