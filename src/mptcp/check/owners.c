// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Rule A13, and F10 for neighbour entries: addresses that another machine has as well. Linux
 * answers ARP for each of its addresses on any link unless arp_ignore is set, so what answers for
 * the target's other addresses is the target.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <net/if.h>
#include <linux/neighbour.h>

#include "rules.h"
#include "mptcp/trial/trial-state.h"

#define HARDWARE_TEXT 18
#define PROXY_TRIES 3
#define NUD_USED (NUD_PERMANENT | NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE)

static void hardware_text(const struct hardware *hardware, char text[static HARDWARE_TEXT])
{
	const uint8_t *b = hardware->byte;

	snprintf(text, HARDWARE_TEXT, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4],
		 b[5]);
}

static bool has_hardware_of(const struct owner *o, const struct hardware *hardware)
{
	for (size_t i = 0; i < o->n; i++)
		if (!memcmp(&o->by[i], hardware, sizeof(*hardware)))
			return true;
	return false;
}

static bool has_all(const struct owner *o, const struct owner *other)
{
	for (size_t i = 0; i < other->n; i++)
		if (!has_hardware_of(o, &other->by[i]))
			return false;
	return o->n;
}

/* True for a VRRP address, which belongs to the present master. */
static bool is_virtual(const struct hardware *hardware)
{
	static const uint8_t vrrp[] = { 0, 0, 0x5e, 0, 1 };

	return !memcmp(hardware->byte, vrrp, sizeof(vrrp));
}

/* Find the next hop of a path. False if it is not on a live link that uses ARP or neighbour discovery. */
static bool find_hop(struct check *c, struct owner_path *way)
{
	const struct path_ends *ends = &way->ends;
	const struct nvme_mptcp_link *link;
	struct route_answer route = {};

	if (c->ops->route(c, &ends->local, ends->ifindex, &ends->remote.ip, &route))
		return false;
	way->ifindex = route.ifindex;
	way->hop = IN6_IS_ADDR_UNSPECIFIED(&route.hop) ? ends->remote.ip : route.hop;
	link = link_by_index(c->snap, route.ifindex);
	return link && link_is_alive(link) && !(link->flags & (IFF_LOOPBACK | IFF_POINTOPOINT));
}

static struct owner_path *find_owner_path(struct owners *all, const struct path_ends *ends)
{
	for (size_t i = 0; i < all->n_owner_paths; i++)
		if (all->owner_paths[i].ends.ifindex == ends->ifindex &&
		    address_equal(&all->owner_paths[i].ends.local, &ends->local) &&
		    address_equal(&all->owner_paths[i].ends.remote.ip, &ends->remote.ip))
			return &all->owner_paths[i];
	return NULL;
}

/* Connections share a few paths, so each is queried once. */
static void add_owner_path(struct check *c, const struct path_ends *ends, bool carries)
{
	struct owners *all = c->owners;
	struct owner_path *way = find_owner_path(all, ends);

	if (!way && all->n_owner_paths < MAX_OWNER_PATHS) {
		way = &all->owner_paths[all->n_owner_paths++];
		*way = (struct owner_path){ .ends = *ends };
		way->is_on_link = find_hop(c, way);
	}
	if (way)
		way->carries |= carries;
}

static void add_owner_paths(struct check *c)
{
	struct path_ends ends;

	FOR_EACH_SUBFLOW(c, conn, sf) {
		ends = (struct path_ends){ sf->local.ip, sf->remote, sf->ifindex };
		add_owner_path(c, &ends, subflow_carries(sf));
	}
	for (size_t i = 0; c->trial && i < c->trial->n_events; i++) {
		check_ends_of(&c->trial->events[i], &ends);
		if (c->trial->events[i].has_local && c->trial->events[i].has_remote)
			add_owner_path(c, &ends, false);
	}
	if (check_portal_ends(c, &ends))
		add_owner_path(c, &ends, false);
	FOR_EACH_ENDPOINT(c, ep)
		for (size_t i = 0; i < c->n_portals; i++) {
			ends = (struct path_ends){ ep->ip, c->portals[i].address, ep->ifindex };
			if (endpoint_starts_subflows(ep) && endpoint_is_usable(ep) &&
			    address_same_family(&ep->ip, &ends.remote.ip))
				add_owner_path(c, &ends, false);
		}
}

static void add_query(struct owners *all, int ifindex, const struct in6_addr *ip)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->owner[i].ifindex == ifindex && address_equal(&all->owner[i].ip, ip))
			return;
	if (all->n < MAX_OWNERS)
		all->owner[all->n++] = (struct owner){ .ifindex = ifindex, .ip = *ip };
}

/* True if data arrives from this next hop, which another machine's reply would stop. */
static bool is_hop_in_use(const struct owners *all, const struct owner_path *way)
{
	for (size_t i = 0; i < all->n_owner_paths; i++)
		if (all->owner_paths[i].carries && all->owner_paths[i].is_on_link &&
		    all->owner_paths[i].ifindex == way->ifindex &&
		    address_equal(&all->owner_paths[i].hop, &way->hop))
			return true;
	return false;
}

/* Query own addresses, next hops of failed paths, and known addresses of the target there. */
static void list_queries(struct owners *all)
{
	FOR_EACH(way, all->owner_paths, all->n_owner_paths) {
		if (!way->is_on_link)
			continue;
		add_query(all, way->ifindex, &way->ends.local);
		if (is_hop_in_use(all, way))
			continue;
		add_query(all, way->ifindex, &way->hop);
		for (size_t j = 0; j < all->n_owner_paths; j++)
			if (all->owner_paths[j].carries)
				add_query(all, way->ifindex, &all->owner_paths[j].ends.remote.ip);
	}
}

/* Send all queries at once, and only once; NULL if queries are not possible. */
static struct owners *learn_owners(struct check *c)
{
	if (c->owners || c->no_probes || !c->ops->owners || (c->role & ON_TARGET))
		return c->owners;
	c->owners = calloc(1, sizeof(*c->owners));
	if (!c->owners) {
		c->err = -ENOMEM;
		return NULL;
	}
	add_owner_paths(c);
	list_queries(c->owners);
	if (c->owners->n)
		c->ops->owners(c, c->owners->owner, c->owners->n);
	return c->owners;
}

/* True if a working subflow proves that the address is the target's. */
static bool is_proved_targets(const struct owners *all, const struct in6_addr *ip)
{
	for (size_t i = 0; i < all->n_owner_paths; i++)
		if (all->owner_paths[i].carries &&
		    address_equal(&all->owner_paths[i].ends.remote.ip, ip))
			return true;
	return false;
}

static const struct owner *find_query(const struct owners *all, int ifindex,
				      const struct in6_addr *ip)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->owner[i].ifindex == ifindex && address_equal(&all->owner[i].ip, ip))
			return &all->owner[i];
	return NULL;
}

/*
 * Return the query for another known address of the target that got an answer on this link; NULL if
 * none did. @far: only addresses outside the link's networks.
 */
static const struct owner *answers_as_target(const struct check *c, const struct owner *o, bool far)
{
	FOR_EACH(other, c->owners->owner, c->owners->n)
		if (other->ifindex == o->ifindex && other->n &&
		    !address_equal(&other->ip, &o->ip) &&
		    is_proved_targets(c->owners, &other->ip) &&
		    !(far && link_network_has(c->snap, o->ifindex, &other->ip)))
			return other;
	return NULL;
}

/* Return one of several machines with the address that refuses what another one accepts. */
static const struct hardware *find_impostor(struct check *c, const struct path_ends *ends,
					    const struct owner *o)
{
	const struct hardware *refuses = NULL;
	bool accepts = false;

	for (size_t i = 0; c->ops->probe_via_mac && i < o->n; i++) {
		struct probe_result answer = {};

		if (c->ops->probe_via_mac(c, ends, &o->by[i], &answer) || !answer.known)
			return NULL;
		accepts |= answer.answered;
		if (!answer.answered &&
		    (!refuses || (o->entry.has_hardware &&
				  !memcmp(&o->by[i], &o->entry.hardware, sizeof(*o->by)))))
			refuses = &o->by[i];
	}
	return accepts ? refuses : NULL;
}

/* True if the portals may be of different machines. */
static bool has_several_portals(const struct check *c)
{
	for (size_t i = 1; i < c->n_portals; i++)
		if (!address_equal(&c->portals[i].address.ip, &c->portals[0].address.ip))
			return true;
	return false;
}

/* Return a machine with the next hop's address that is not the expected one; NULL: none known. */
static const struct hardware *find_other(struct check *c, const struct path_ends *ends,
					 const struct owner *o)
{
	const struct owner *target = answers_as_target(c, o, false);

	if (!o->n || (target && has_all(target, o)))
		return NULL;
	target = address_equal(&o->ip, &ends->remote.ip) && !has_several_portals(c)
			 ? answers_as_target(c, o, true)
			 : NULL;
	for (size_t i = 0; target && i < o->n; i++)
		if (!has_hardware_of(target, &o->by[i]) && !is_virtual(&o->by[i]))
			return &o->by[i];
	if (o->n == 1 && !address_is_v4(&o->ip) && address_equal(&o->ip, &ends->remote.ip))
		return check_is_stranger(c, o) ? &o->by[0] : NULL;
	return o->n > 1 ? find_impostor(c, ends, o) : NULL;
}

/* Problems with the machines between two ends. */
struct misled {
	const struct owner *hop, *own; /* queries */
	const struct hardware *other; /* of a machine that has the hop's address */
	bool wrong_entry;
	bool is_shared; /* another machine has this host's address */
};

/*
 * True if the machine of the kernel's entry answers requests of an address, as a router with proxy
 * ARP does, but no probe. Then the entry is not wrong by chance.
 */
static bool is_proxied(struct check *c, const struct path_ends *ends, const struct owner *o)
{
	struct owner *own = &c->owners->owner[o - c->owners->owner];
	struct owner asked = { .ifindex = o->ifindex, .ip = o->ip, .from = ends->local };

	if (!own->is_told && !(o->entry.state & NUD_PERMANENT) && address_is_v4(&ends->local)) {
		c->ops->owners(c, &asked, 1);
		own->is_proxied = has_hardware_of(&asked, &o->entry.hardware);
	}
	own->is_told = true;
	return own->is_proxied;
}

static bool judge_machines(struct check *c, const struct path_ends *ends, struct misled *ret)
{
	struct owners *all = learn_owners(c);
	const struct owner_path *way = all ? find_owner_path(all, ends) : NULL;

	*ret = (struct misled){};
	if (!way || !way->is_on_link)
		return false;
	ret->hop = find_query(all, way->ifindex, &way->hop);
	ret->own = find_query(all, way->ifindex, &ends->local);
	ret->is_shared = ret->own && ret->own->n;
	ret->wrong_entry = ret->hop && ret->hop->n && ret->hop->entry.has_hardware &&
			   (ret->hop->entry.state & NUD_USED) &&
			   !has_hardware_of(ret->hop, &ret->hop->entry.hardware);
	if (ret->wrong_entry && is_proxied(c, ends, ret->hop)) {
		ret->wrong_entry = false;
		ret->other = &ret->hop->entry.hardware;
	} else if (ret->hop && !ret->wrong_entry) {
		ret->other = find_other(c, ends, ret->hop);
	}
	return ret->wrong_entry || ret->other || ret->is_shared;
}

bool check_neighbour_is_correct(struct check *c, int ifindex, const struct in6_addr *hop)
{
	const struct owners *all = learn_owners(c);
	const struct owner *o = all ? find_query(all, ifindex, hop) : NULL;

	return o && o->entry.has_hardware && has_hardware_of(o, &o->entry.hardware);
}

bool check_is_misdelivered(struct check *c, const struct path_ends *ends)
{
	struct misled misled;

	return judge_machines(c, ends, &misled);
}

static void wrong_entry(struct check *c, const struct path_ends *ends, const struct owner *o)
{
	struct nvme_mptcp_finding *f =
		finding_add_path(c, RULE_F10, &ends->local, &ends->remote.ip);
	const char *link = LINK_STRING(c->snap, o->ifindex), *hop = ADDRESS_STRING(&o->ip);
	char entry[HARDWARE_TEXT], right[HARDWARE_TEXT];

	hardware_text(&o->entry.hardware, entry);
	hardware_text(&o->by[0], right);
	finding_why(c, f,
		    "This host's neighbour entry for %s on %s is wrong: it has "
		    "the hardware address %s%s, but %s answers for that address",
		    hop, link, entry,
		    o->entry.state & NUD_PERMANENT ? ", which was set by hand and is never checked"
						   : "",
		    right);
	finding_fact(c, f, "neighbour", "%s", entry);
	finding_fact(c, f, "answers", "%s", right);
	finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip neighbour delete %s dev %s", hop,
		    LINK_WORD(link_by_index(c->snap, o->ifindex)->name));
}

/* Report an address of two machines. @other: the one that should not have it. */
static struct nvme_mptcp_finding *report_taken_address(struct check *c, const struct owner *o,
						       const struct hardware *other,
						       const char *whose)
{
	struct nvme_mptcp_finding *f;
	const char *link = LINK_STRING(c->snap, o->ifindex), *ip = ADDRESS_STRING(&o->ip);
	char by[HARDWARE_TEXT];

	if (check_has_found_address(c, RULE_A13, &o->ip))
		return NULL;
	hardware_text(other, by);
	f = finding_why(c, finding_add(c, RULE_A13, subject_address(&o->ip)),
			"Another machine %s %s address %s: on %s the "
			"hardware address %s, which is not %s, answers for it",
			o->is_proxied ? "answers ARP for" : "has", whose, ip, link, by, whose);
	if (o->is_proxied)
		finding_why_more(c, f,
				 ". It answers requests but no probes, as a router with proxy ARP "
				 "does (proxy_arp), and gets the packets");
	finding_fact(c, f, "link", "%s", link);
	finding_fact(c, f, "other_machine", "%s", by);
	for (size_t i = 0; i < o->n; i++)
		if (memcmp(&o->by[i], other, sizeof(*other))) {
			char right[HARDWARE_TEXT];

			hardware_text(&o->by[i], right);
			finding_fact(c, f, "answers_as_well", "%s", right);
			break;
		}
	/* A machine has no entry for an address of its own. */
	if (snapshot_find_address(c->snap, &o->ip))
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip neighbour show to %s", ip);
	else
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip neighbour show to %s dev %s", ip,
			    LINK_WORD(link_by_index(c->snap, o->ifindex)->name));
	return f;
}

/* Return the query for an address on a link, made now if it was not; NULL if it is not possible. */
static const struct owner *query_now(struct check *c, int ifindex, const struct in6_addr *ip)
{
	const struct nvme_mptcp_link *link = link_by_index(c->snap, ifindex);
	struct owners *all = learn_owners(c);
	size_t n;

	if (!all || !link || !address_is_v4(ip) ||
	    (link->flags & (IFF_LOOPBACK | IFF_POINTOPOINT | IFF_NOARP)))
		return NULL;
	n = all->n;
	add_query(all, ifindex, ip);
	if (all->n > n)
		c->ops->owners(c, &all->owner[n], 1);
	return find_query(all, ifindex, ip);
}

bool check_hop_answers(struct check *c, int ifindex, const struct in6_addr *hop)
{
	const struct owner *o = query_now(c, ifindex, hop);

	return !o || o->n;
}

bool check_is_owned(struct check *c, int ifindex, const struct in6_addr *ip)
{
	const struct owner *o = query_now(c, ifindex, ip);

	return o && o->n;
}

bool check_is_deaf(struct check *c, int ifindex, const struct in6_addr *ip)
{
	const struct owner *o = query_now(c, ifindex, ip);
	struct owner asked = { .ifindex = ifindex, .ip = *ip };

	if (!o || o->n != 1 || o->is_astray)
		return false;
	asked.to = &o->by[0];
	c->ops->owners(c, &asked, 1);
	return !asked.n;
}

bool check_is_one_card(struct check *c, int ifindex, const struct in6_addr *ip, int other,
		       const struct in6_addr *other_ip)
{
	const struct owner *one = query_now(c, ifindex, ip), *two = query_now(c, other, other_ip);

	return one && two && one->n && has_all(two, one);
}

bool check_is_targets_card(struct check *c, int ifindex, const struct in6_addr *ip)
{
	const struct owner *o = query_now(c, ifindex, ip);
	const struct owner *target = o && o->n ? answers_as_target(c, o, false) : NULL;

	return target && has_all(target, o);
}

bool check_hears_probes(struct check *c, const struct route_answer *route,
			const struct in6_addr *local)
{
	struct owner asked = { .ifindex = route->ifindex, .ip = route->hop, .from = *local };

	/* An enslaved link gets no replies. */
	if (!address_is_v4(&route->hop) || !address_is_v4(local) ||
	    !check_is_owned(c, route->ifindex, &route->hop) ||
	    check_is_enslaved(c, link_by_index(c->snap, route->ifindex)))
		return false;
	c->ops->owners(c, &asked, 1);
	return asked.n;
}

int check_neighbour_state(struct check *c, int ifindex, const struct in6_addr *ip)
{
	/* Solicitations of IPv6 change no entry. */
	const struct owner *o =
		c->owners && address_is_v4(ip) ? find_query(c->owners, ifindex, ip) : NULL;

	if (o)
		return o->entry.state ? o->entry.state : -ENOENT;
	return c->ops->neighbour(c, ifindex, ip);
}

bool check_report_duplicate_address(struct check *c, const struct in6_addr *local)
{
	const struct owners *all = learn_owners(c);

	for (size_t i = 0; all && i < all->n; i++)
		if (address_equal(&all->owner[i].ip, local) && all->owner[i].n) {
			(void)report_taken_address(c, &all->owner[i], &all->owner[i].by[0],
						   "this host's");
			return true;
		}
	return false;
}

bool check_is_unheard(struct check *c, const struct route_answer *route,
		      const struct in6_addr *local)
{
	return !check_hop_answers(c, route->ifindex, &route->hop) ||
	       (!route->gateway && check_is_owned(c, route->ifindex, &route->hop) &&
		!check_hears_probes(c, route, local));
}

bool check_explain_unheard_hop(struct check *c, struct nvme_mptcp_finding *f,
			       const struct route_answer *route, const struct in6_addr *local)
{
	const struct owners *all = learn_owners(c);
	const struct owner *o = all ? find_query(all, route->ifindex, &route->hop) : NULL;
	const char *hop = ADDRESS_STRING(&route->hop), *from = ADDRESS_STRING(local);
	const struct owner *target = o && !o->n ? answers_as_target(c, o, true) : NULL;

	if (o && !o->n && o->is_twin) {
		const struct nvme_mptcp_link *link = link_by_index(c->snap, route->ifindex);

		finding_why(c, f,
			    "The machine that has %s answers with the hardware address of %s, this "
			    "host's own link: a switch delivers packets for both to only one of "
			    "them. One of the two needs another hardware address",
			    hop, link->name);
		finding_fact(c, f, "same_hardware_address", "%s", link->name);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip link show dev %s",
			    LINK_WORD(link->name));
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip -br link show");
		return true;
	}
	if (target && !route->gateway) {
		finding_why(c, f,
			    "No machine answers ARP for %s on %s, but the target is there: it "
			    "answers for %s, another of its addresses. It does not have %s",
			    hop, LINK_STRING(c->snap, route->ifindex), ADDRESS_STRING(&target->ip),
			    hop);
		finding_fact(c, f, "target_answers_for", "%s", ADDRESS_STRING(&target->ip));
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip -br address show");
		return true;
	}
	if (!o || !o->n)
		return false;
	if (o->is_astray) {
		finding_why(
			c, f,
			"The next hop %s answers ARP on %s, but only a made-up hardware address "
			"gets the answer: a switch delivers what is sent to this link to another "
			"port. Another card has the same hardware address, or the switch's "
			"table is wrong",
			hop, LINK_STRING(c->snap, route->ifindex));
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip link show dev %s",
			    LINK_WORD(link_by_index(c->snap, route->ifindex)->name));
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip -br link show");
		return true;
	}
	finding_why(c, f,
		    "The next hop %s answers ARP on %s, but no request from %s: its routes reach "
		    "%s over another link, and a strict reverse path filter there (or arp_filter) "
		    "drops what comes from such addresses",
		    hop, LINK_STRING(c->snap, route->ifindex), from, from);
	finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip route get %s", from);
	return true;
}

static struct nvme_mptcp_finding *report_taken(struct check *c, const struct path_ends *ends,
					       const struct misled *misled)
{
	const struct owner *hop = misled->hop;

	if (misled->other)
		return report_taken_address(c, hop, misled->other,
					    address_equal(&hop->ip, &ends->remote.ip)
						    ? "the target's"
						    : "the router's");
	return misled->is_shared
		       ? report_taken_address(c, misled->own, &misled->own->by[0], "this host's")
		       : NULL;
}

void check_report_misdelivered(struct check *c, const struct path_ends *ends)
{
	struct misled misled;

	if (!judge_machines(c, ends, &misled))
		return;
	if (misled.wrong_entry)
		wrong_entry(c, ends, misled.hop);
	else
		(void)report_taken(c, ends, &misled);
}

void check_report_duplicates(struct check *c)
{
	const struct owners *all = learn_owners(c);

	for (size_t i = 0; all && i < all->n_owner_paths; i++) {
		const struct path_ends *ends = &all->owner_paths[i].ends;
		struct nvme_mptcp_finding *f;
		struct misled misled;

		if (!all->owner_paths[i].carries || !judge_machines(c, ends, &misled))
			continue;
		f = report_taken(c, ends, &misled);
		if (!f)
			continue;
		f->severity = NVME_MPTCP_WARNING;
		finding_why_more(
			c, f, ". This path works until a neighbour learns that hardware address");
	}
}

bool check_report_proxied(struct check *c, struct owner *own, const struct in6_addr *remote)
{
	const struct owner *target = query_now(c, own->ifindex, remote);

	if (!target || !address_is_v4(&own->from))
		return false;
	/* Linux delays such an answer by up to 0.8 s. */
	for (int i = 0; i < PROXY_TRIES && !own->n; i++)
		c->ops->owners(c, own, 1);
	own->is_proxied = own->n && !has_hardware_of(target, &own->by[0]);
	return own->is_proxied && report_taken_address(c, own, &own->by[0], "this host's");
}
