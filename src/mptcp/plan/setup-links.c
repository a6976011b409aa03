// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Chooses the links that setup uses: those that coverage wants (link_best_reason()), one per wire,
 * as many as the kernel supports, with notes on the others; or those that the caller names.
 */
#include <linux/if_addr.h>
#include <net/if.h>

#include "mptcp/snapshot/coverage.h"
#include "setup.h"

static int add_target(struct setup *s, const struct in6_addr *ip)
{
	for (size_t i = 0; i < s->n_targets; i++)
		if (address_equal(&s->targets[i], ip))
			return 0;
	if (s->n_targets == SETUP_TARGETS)
		return failure_note(-EINVAL, "traddr: more than %d addresses", SETUP_TARGETS);
	s->targets[s->n_targets++] = *ip;
	return 0;
}

static void add_first_family(struct setup *s, const struct in6_addr *ip)
{
	/* Another call sets up addresses of the other family. */
	if (!s->n_targets || address_same_family(ip, &s->targets[0]))
		add_target(s, ip);
}

static bool starts_subflows(const struct setup *s)
{
	for (size_t i = 0; i < s->snap->n_endpoints; i++)
		if (endpoint_starts_subflows(&s->snap->endpoints[i]))
			return true;
	return false;
}

/*
 * If this host joins announced addresses and starts no subflows of its own, connections of
 * controllers show further addresses of targets in addition to the portals.
 */
static void add_joined(struct setup *s)
{
	if (s->snap->limit_add_addr_accepted <= 0 || starts_subflows(s))
		return;
	FOR_EACH(ctrl, s->snap->ctrls, s->snap->n_ctrls) {
		if (!ctrl->has_portal)
			continue;
		nvme_mptcp_for_each_connection(&ctrl->set, conn)
			for (size_t j = 0; j < conn->n_subflows; j++)
				if (subflow_carries(&conn->subflows[j]))
					add_first_family(s, &conn->subflows[j].remote.ip);
	}
}

static int read_targets(struct setup *s)
{
	const bool is_host = s->args->role == NVME_MPTCP_ROLE_HOST;
	struct ip_addr ip;

	for (size_t i = 0; s->args->traddrs && s->args->traddrs[i]; i++) {
		if (address_parse(s->args->traddrs[i], &ip))
			return failure_refuse_address("traddr", s->args->traddrs[i], -EINVAL);
		if (add_target(s, &ip.in6))
			return -EINVAL;
		if (!address_same_family(&ip.in6, &s->targets[0]))
			return failure_note(-EINVAL,
					    "traddr=%s,%s: all must be IP addresses of one family",
					    s->args->traddrs[0], s->args->traddrs[i]);
	}
	if (s->args->traddrs)
		return 0;
	for (size_t i = 0; is_host && i < s->snap->n_ctrls; i++)
		if (s->snap->ctrls[i].has_portal)
			add_first_family(s, &s->snap->ctrls[i].portal.ip);
	for (size_t i = 0; !is_host && i < s->p->nvmet.n_ports; i++) {
		const struct target_port *port = &s->p->nvmet.ports[i];

		if (port->has_address && port->subflows &&
		    !target_port_in_other_netns(port, s->snap))
			add_first_family(s, &port->address.ip);
	}
	/* Those that a relay carries once it runs. */
	for (size_t i = 0; !is_host && !s->n_targets && i < s->p->nvmet.n_ports; i++)
		if (s->p->nvmet.ports[i].relayable)
			add_first_family(s, &s->p->nvmet.ports[i].address.ip);
	return 0;
}

/* The trial gives "192.0.2.1", "192.0.2.1:4420" or "[2001:db8::1]:4420". */
bool setup_announced(const struct setup *s, size_t i, struct in6_addr *ret)
{
	const char *text = nvme_mptcp_trial_announced_address(s->args->trial, i);
	const bool has_port = text && (*text == '[' || strchr(text, ':') == strrchr(text, ':'));
	const char *begin = text ? text + (*text == '[') : "";
	const size_t n = has_port ? strcspn(begin, *text == '[' ? "]" : ":") : strlen(begin);
	char address[ADDRESS_TEXT];
	struct ip_addr ip;

	snprintf(address, sizeof(address), "%.*s", (int)n, begin);
	if (!text || address_parse(address, &ip))
		return false;
	*ret = ip.in6;
	return true;
}

/* Use the connection of the trial, and add what the target announces if one address is given. */
static void read_trial(struct setup *s)
{
	nvme_mptcp_trial_t trial = s->args->trial;
	struct in6_addr ip;

	if (nvme_mptcp_trial_outcome(trial) == NVME_MPTCP_TRIAL_MPTCP)
		s->conn = nvme_mptcp_trial_connection(trial);
	if (!s->args->traddrs || s->n_targets != 1 || s->snap->limit_add_addr_accepted <= 0)
		return;
	for (size_t i = 0; setup_announced(s, i, &ip); i++)
		add_first_family(s, &ip);
}

int setup_read_targets(struct setup *s)
{
	const int err = read_targets(s);

	if (!err && s->args->trial)
		read_trial(s);

	/* If addresses are given, the caller asks about no others: check asks about one portal. */
	if (!err && s->args->role == NVME_MPTCP_ROLE_HOST && !s->args->traddrs)
		add_joined(s);
	return err;
}

const struct nvme_mptcp_endpoint *setup_endpoint_at(const struct setup *s,
						    const struct in6_addr *ip)
{
	const struct nvme_mptcp_endpoint *found = NULL;

	for (size_t i = 0; i < s->snap->n_endpoints; i++)
		if (address_equal(&s->snap->endpoints[i].ip, ip) && !s->snap->endpoints[i].port)
			found = &s->snap->endpoints[i];
	return found;
}

static bool has_family(struct setup *s, bool v4)
{
	s->v4 = v4;
	FOR_EACH(link, s->snap->links, s->snap->n_links)
		if (!(link->flags & IFF_LOOPBACK) && !link_trouble(link) &&
		    setup_address_of(s, link))
			return true;
	return false;
}

void setup_choose_family(struct setup *s)
{
	const bool is_told = s->args->traddrs || s->args->role == NVME_MPTCP_ROLE_HOST;
	const bool v4 = !s->n_targets || address_is_v4(&s->targets[0]);

	if (s->n_targets && is_told) {
		s->v4 = v4;
		return;
	}
	/* A port of "::" serves hosts of both families. */
	if (has_family(s, v4)) {
		if (!v4 && IN6_IS_ADDR_UNSPECIFIED(&s->targets[0]) && has_family(s, true))
			plan_note(s->plan, NVME_MPTCP_ROLE_AUTO, NULL,
				  "The port serves hosts of both families. The plan is for IPv6; "
				  "use --traddr with an IPv4 address of this target to plan IPv4");
		s->v4 = v4;
	} else if (!has_family(s, !v4)) {
		s->v4 = v4;
	}
}

static void leave_out(struct setup *s, const char *name, const char *why)
{
	plan_note(s->plan, NVME_MPTCP_ROLE_AUTO, NULL, "%s is left out: %s", name, why);
}

void setup_exclude_link(struct setup *s, size_t i, const char *why, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, why);
	vsnprintf(text, sizeof(text), why, ap);
	va_end(ap);
	leave_out(s, s->links[i].link->name, text);
	memmove(&s->links[i], &s->links[i + 1], (s->n_links - i - 1) * sizeof(*s->links));
	s->n_links--;
}

static const struct setup_link *link_with(const struct setup *s, const struct in6_addr *ip)
{
	for (size_t i = 0; i < s->n_links; i++)
		if (address_equal(&s->links[i].address->ip, ip))
			return &s->links[i];
	return NULL;
}

/* Return the VRF of a target's link if the kernel gives its ports no connections from there. */
static const struct nvme_mptcp_link *refusing_vrf(const struct setup *s,
						  const struct nvme_mptcp_link *link)
{
	if (s->args->role != NVME_MPTCP_ROLE_TARGET || !s->p->setting ||
	    s->p->setting("net/ipv4/tcp_l3mdev_accept") != 0)
		return NULL;
	return link_vrf(s->snap, link);
}

static int consider_link(struct setup *s, const struct nvme_mptcp_link *link)
{
	const bool asked_for = s->args->devices && str_in_list(s->args->devices, link->name);
	const struct local_address *address = setup_address_of(s, link);
	const struct nvme_mptcp_link *vrf = refusing_vrf(s, link);
	const char *trouble = link_trouble(link);
	const struct setup_link *same;
	char text[128];
	struct setup_link *use;

	if (s->args->devices && !asked_for)
		return 0;
	if (!asked_for && ((link->flags & IFF_LOOPBACK) || (!address && !trouble)))
		return 0;
	if (!trouble && (link->flags & IFF_LOOPBACK))
		trouble = "it is a loopback interface";
	if (!trouble && !address)
		trouble = s->v4 ? "it has no global IPv4 address" : "it has no global IPv6 address";
	if (!trouble && vrf) {
		snprintf(text, sizeof(text),
			 "it belongs to the VRF %s, from which ports accept no connections "
			 "(net.ipv4.tcp_l3mdev_accept is 0)",
			 vrf->name);
		trouble = text;
	}
	same = address ? link_with(s, &address->ip) : NULL;
	if (!trouble && same) {
		snprintf(text, sizeof(text), "it has the same address as %s", same->link->name);
		trouble = text;
	}
	if (trouble) {
		/* No note on interfaces that the caller has not named and that have no address. */
		if (asked_for || address)
			leave_out(s, link->name, trouble);
		return 0;
	}
	use = array_add(&s->links, &s->n_links, sizeof(*use));
	if (!use)
		return -ENOMEM;
	use->link = link;
	use->address = address;
	return 0;
}

static void ask_leads(struct setup *s)
{
	const bool is_host = s->args->role == NVME_MPTCP_ROLE_HOST;

	FOR_EACH(l, s->links, s->n_links) {
		const struct in6_addr *src = &l->address->ip;

		for (size_t j = 0; is_host && j < s->n_targets; j++) {
			l->to[j] = s->p->reach(s->p, src, l->link->ifindex, &s->targets[j]);
			if (l->to[j] > l->reach)
				l->reach = l->to[j];
		}
		l->has_default =
			s->p->reach(s->p, src, l->link->ifindex, link_external_address(s->v4)) ==
			LINK_REACH_DEFAULT_ROUTE;
	}
}

static bool any_link_leads(const struct setup *s)
{
	for (size_t i = 0; i < s->n_links; i++)
		if (s->links[i].reach != LINK_REACH_NONE)
			return true;
	return false;
}

/* True if the link has an address that hosts are known to connect to. */
static bool is_named(const struct setup *s, const struct nvme_mptcp_link *link)
{
	for (size_t i = 0; i < s->snap->n_addresses; i++)
		for (size_t j = 0; j < s->n_targets; j++)
			if (s->snap->addresses[i].ifindex == link->ifindex &&
			    address_equal(&s->snap->addresses[i].ip, &s->targets[j]))
				return true;
	return false;
}

/* True if a default route distinguishes links of this kind: some of them have one, but not all. */
static bool default_distinguishes(const struct setup *s, enum nvme_mptcp_link_kind kind)
{
	bool some = false, all = true;

	for (size_t i = 0; i < s->n_links; i++) {
		some |= s->links[i].link->kind == kind && s->links[i].has_default;
		all &= s->links[i].link->kind != kind || s->links[i].has_default;
	}
	return some && !all;
}

/*
 * Assume where links lead, since the other side is unknown: links of the best kind lead there,
 * except those that a default route marks as links for everything else.
 */
static void assume_leads(struct setup *s)
{
	enum nvme_mptcp_link_kind best = NVME_MPTCP_LINK_VIRTUAL;
	bool marks;

	s->is_assumed = true;
	for (size_t i = 0; i < s->n_links; i++)
		if (s->links[i].link->kind < best)
			best = s->links[i].link->kind;
	marks = default_distinguishes(s, best);
	FOR_EACH(l, s->links, s->n_links) {
		const bool is_virtual = l->link->kind == NVME_MPTCP_LINK_VIRTUAL;
		const bool leads =
			is_named(s, l->link) || (!is_virtual && !(marks && l->has_default));

		l->reach = l->link->kind == best && leads ? LINK_REACH_ON_LINK
							  : LINK_REACH_DEFAULT_ROUTE;
	}
}

/*
 * If only one address of the target is known and all links that lead there have a default route,
 * that marks none of them: it is how they lead to the target's only network.
 */
static void trust_defaults(struct setup *s)
{
	if (s->n_targets != 1)
		return;
	for (size_t i = 0; i < s->n_links; i++)
		if (s->links[i].reach != LINK_REACH_NONE && !s->links[i].has_default &&
		    s->links[i].link->kind != NVME_MPTCP_LINK_VIRTUAL)
			return;
	for (size_t i = 0; i < s->n_links; i++)
		if (s->links[i].reach == LINK_REACH_DEFAULT_ROUTE)
			s->links[i].reach = LINK_REACH_GATEWAY;
}

static struct link_best best_offer(const struct setup *s)
{
	struct link_best best = {};

	for (size_t i = 0; i < s->n_links; i++)
		link_best_update(&best, s->links[i].link, s->links[i].reach);
	return best;
}

/* Note links without a way out ("docker0, virbr0") together: there may be dozens. */
static void note_no_way_out(struct setup *s, const char *names)
{
	if (*names)
		plan_note(s->plan, NVME_MPTCP_ROLE_AUTO, NULL,
			  "Bridges without a network card, tunnels and links of containers are "
			  "left out: %s. Use --dev to include one",
			  names);
}

static void add_name(char *names, size_t size, const char *name)
{
	const size_t n = strlen(names);

	if (n + LINK_NAME + 8 < size)
		snprintf(names + n, size - n, "%s%s", n ? ", " : "", name);
	else if (n + 5 < size && (n < 4 || strcmp(names + n - 4, " ...")))
		snprintf(names + n, size - n, " ...");
}

static size_t count_wanted(const struct setup *s, const struct link_best *best, size_t target)
{
	size_t n = 0;

	FOR_EACH(l, s->links, s->n_links)
		n += l->to[target] != LINK_REACH_NONE &&
		     coverage_reason_wants(link_best_reason(best, l->link, l->reach));
	return n;
}

/*
 * True if a link that leads to no known target may lead to announced addresses: only portals are
 * known, not several given addresses, which are all, and one link leads to each.
 */
static bool may_reach(const struct setup *s, const struct setup_link *l,
		      const struct link_best *best)
{
	if (!s->n_targets || (s->n_targets > 1 && s->args->traddrs) ||
	    l->reach != LINK_REACH_NONE || l->link->kind != best->kind ||
	    l->link->kind == NVME_MPTCP_LINK_VIRTUAL)
		return false;
	for (size_t i = 0; i < s->n_targets; i++)
		if (count_wanted(s, best, i) != 1)
			return false;
	return true;
}

static void leave_out_for(struct setup *s, size_t i, enum nvme_mptcp_reason reason)
{
	char text[ADDRESS_TEXT] = "";

	if (s->n_targets)
		address_text(&s->targets[0], text);
	if (reason == NVME_MPTCP_ELSEWHERE && s->n_targets > 1)
		setup_exclude_link(s, i,
				   "no address of a target is in its network, "
				   "and no route over it leads to one");
	else if (reason == NVME_MPTCP_ELSEWHERE)
		setup_exclude_link(s, i,
				   "%s is not in its network, and no route over it leads there",
				   text);
	else if (!s->is_assumed)
		setup_exclude_link(s, i,
				   "only its default route leads to %s, while other links are in "
				   "that network or have their own routes. Use --dev LINK,... to "
				   "include it",
				   text);
	else
		setup_exclude_link(
			s, i,
			"it has a default route, like a management link, and other links "
			"have none. Use --dev LINK,... to include it");
}

static void keep_storage_links(struct setup *s)
{
	const struct link_best best = best_offer(s);
	char names[512] = "";

	for (size_t i = 0; i < s->n_links; i++)
		s->links[i].may_reach = may_reach(s, &s->links[i], &best);
	for (size_t i = 0; i < s->n_links;) {
		const struct setup_link *l = &s->links[i];
		enum nvme_mptcp_reason reason = link_best_reason(&best, l->link, l->reach);

		if (coverage_reason_wants(reason) || l->may_reach) {
			i++;
		} else if (reason == NVME_MPTCP_NO_WAY_OUT ||
			   l->link->kind == NVME_MPTCP_LINK_VIRTUAL) {
			add_name(names, sizeof(names), l->link->name);
			memmove(&s->links[i], &s->links[i + 1],
				(--s->n_links - i) * sizeof(*s->links));
		} else {
			leave_out_for(s, i, reason);
		}
	}
	note_no_way_out(s, names);
}

static int compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/*
 * True if @a is preferred to @b on the same wire: it is in the portal's network, has a better route
 * to a target, has an endpoint, or comes first.
 */
static bool is_preferred_on_wire(const struct setup *s, const struct setup_link *a,
				 const struct setup_link *b)
{
	int order = compare(a->to[0] == LINK_REACH_ON_LINK, b->to[0] == LINK_REACH_ON_LINK);

	if (!order)
		order = compare(a->reach, b->reach);
	if (!order)
		order = compare(setup_endpoint_at(s, &a->address->ip) != NULL,
				setup_endpoint_at(s, &b->address->ip) != NULL);
	return order ? order > 0 : a->link->ifindex < b->link->ifindex;
}

static const struct setup_link *better_on_wire(const struct setup *s, const struct setup_link *l)
{
	for (size_t i = 0; i < s->n_links; i++)
		if (&s->links[i] != l && link_shares_segment(s->links[i].link, l->link) &&
		    is_preferred_on_wire(s, &s->links[i], l))
			return &s->links[i];
	return NULL;
}

static void keep_one_of_each_wire(struct setup *s)
{
	for (size_t i = 0; i < s->n_links;) {
		const struct setup_link *better = better_on_wire(s, &s->links[i]);

		if (!better)
			i++;
		else if (s->args->devices)
			plan_note(s->plan, NVME_MPTCP_ROLE_AUTO, NULL,
				  "%s shares the wire of %s: both together carry no more than one",
				  s->links[i++].link->name, better->link->name);
		else
			setup_exclude_link(s, i, "it shares the wire of %s", better->link->name);
	}
}

/* Prefer a link with an endpoint, in a target's network, faster, with larger MTU, or first. */
static bool is_better(const struct setup *s, const struct setup_link *a, const struct setup_link *b)
{
	int order = compare(setup_endpoint_at(s, &a->address->ip) != NULL,
			    setup_endpoint_at(s, &b->address->ip) != NULL);

	if (!order)
		order = compare(a->reach == LINK_REACH_ON_LINK, b->reach == LINK_REACH_ON_LINK);
	if (!order)
		order = compare(a->speed, b->speed);
	if (!order)
		order = compare(a->link->mtu, b->link->mtu);
	return order ? order > 0 : a->link->ifindex < b->link->ifindex;
}

void setup_keep_best(struct setup *s, size_t room, const char *why)
{
	for (size_t i = 0; s->n_links > room && i < s->n_links; i++)
		s->links[i].speed = s->p->speed(s->p, s->links[i].link);
	while (s->n_links > room) {
		size_t worst = 0;

		for (size_t i = 1; i < s->n_links; i++)
			if (is_better(s, &s->links[worst], &s->links[i]))
				worst = i;
		setup_exclude_link(s, worst, "%s", why);
	}
}

int setup_find_links(struct setup *s)
{
	int err = plan_check_devices(s->snap, s->args->devices);

	for (size_t i = 0; i < s->snap->n_links && !err; i++)
		err = consider_link(s, &s->snap->links[i]);
	if (err)
		return err;
	ask_leads(s);
	if (!s->args->devices) {
		if (s->args->role == NVME_MPTCP_ROLE_HOST && any_link_leads(s))
			trust_defaults(s);
		else
			assume_leads(s);
		if (s->n_links)
			keep_storage_links(s);
	}
	keep_one_of_each_wire(s);
	return s->n_links
		       ? 0
		       : failure_note(-ENOLINK,
				      "no usable link: a link must be up, with a carrier and a "
				      "global address of the target's family. Bridges without a "
				      "network card and tunnels are used only if --dev names them");
}
