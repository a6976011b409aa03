// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which endpoints and limits give each connection one subflow on every link. What each kind of
 * endpoint really gives was measured; doc/man/nvme-mptcp-setup.scd describes the methods that are left.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/if_addr.h>
#include <net/if.h>

#include "base/address.h"
#include "base/str.h"
#include "mptcp/check/rules.h"
#include "mptcp/netlink/netns.h"
#include "steps.h"

#define MAX_TARGETS 64
/* Seconds until an announcement is repeated: what is planned, and what is still left alone. */
#define PATIENCE_S 2
#define MOST_PATIENCE_S 10

struct setup {
	struct planner *p;
	const struct nvme_mptcp_snapshot *snap;
	const struct nvme_mptcp_setup_args *args;
	struct nvme_mptcp_plan *plan;
	struct in6_addr targets[MAX_TARGETS];
	size_t n_targets;
	bool v4;
};

static int add_target(struct setup *s, const struct in6_addr *ip)
{
	for (size_t i = 0; i < s->n_targets; i++)
		if (address_equal(&s->targets[i], ip))
			return 0;
	if (s->n_targets == MAX_TARGETS)
		return -EINVAL;
	s->targets[s->n_targets++] = *ip;
	return 0;
}

static int read_targets(struct setup *s)
{
	struct ip_addr ip;

	for (size_t i = 0; s->args->traddrs && s->args->traddrs[i]; i++) {
		if (address_parse(s->args->traddrs[i], &ip) || add_target(s, &ip.in6))
			return -EINVAL;
		if (!address_same_family(&ip.in6, &s->targets[0]))
			return -EINVAL;
	}
	/* A controller's portal of the other family is set up by another call. */
	for (size_t i = 0; !s->args->traddrs && i < s->snap->n_ctrls; i++) {
		const struct nvme_mptcp_ctrl *ctrl = &s->snap->ctrls[i];

		if (s->args->role == NVME_MPTCP_ROLE_HOST && ctrl->has_portal &&
		    (!s->n_targets || address_same_family(&ctrl->portal.ip, &s->targets[0])))
			add_target(s, &ctrl->portal.ip);
	}
	return 0;
}

/* Has somebody chosen it already, or is a target in its network? */
static int merit(const struct setup *s, const struct local_address *a)
{
	int points = a->flags & IFA_F_SECONDARY ? 0 : 1;

	for (size_t i = 0; i < s->snap->n_endpoints; i++)
		if (address_equal(&s->snap->endpoints[i].ip, &a->ip))
			points += 2;
	for (size_t i = 0; i < s->n_targets; i++)
		if (link_address_has(a, &s->targets[i]))
			return points + 4;
	return points;
}

static const struct local_address *address_of(const struct setup *s,
					      const struct nvme_mptcp_link *link)
{
	const struct local_address *best = NULL;

	for (size_t i = 0; i < s->snap->n_addresses; i++) {
		const struct local_address *a = &s->snap->addresses[i];

		if (a->ifindex != link->ifindex || !link_address_is_global(a, s->v4))
			continue;
		if (!best || merit(s, a) > merit(s, best))
			best = a;
	}
	return best;
}

/* Does this link lead to @dst: is it in the link's network, or behind a gateway of it? */
static bool reaches(struct setup *s, int ifindex, const struct in6_addr *dst)
{
	struct route_answer route;

	if (link_network_has(s->snap, ifindex, dst))
		return true;
	return !s->p->route(s->p, ifindex, dst, &route) && route.gateway;
}

static void choose_family(struct setup *s)
{
	if (s->n_targets) {
		s->v4 = address_is_v4(&s->targets[0]);
		return;
	}
	for (int v4 = 1; v4 >= 0; v4--) {
		s->v4 = v4;
		for (size_t i = 0; i < s->snap->n_links; i++) {
			const struct nvme_mptcp_link *link = &s->snap->links[i];

			if (!(link->flags & IFF_LOOPBACK) && !link_trouble(link) &&
			    address_of(s, link))
				return;
		}
	}
	s->v4 = true;
}

static int use_link(struct setup *s, const struct nvme_mptcp_link *link)
{
	const bool asked_for = s->args->devices && str_in_list(s->args->devices, link->name);
	const struct local_address *address = address_of(s, link);
	const char *trouble = link_trouble(link);
	struct plan_link *use;

	if (s->args->devices && !asked_for)
		return 0;
	if (!asked_for && ((link->flags & IFF_LOOPBACK) || (!address && !trouble)))
		return 0;
	if (!trouble && (link->flags & IFF_LOOPBACK))
		trouble = "it is a loopback";
	if (!trouble && !address)
		trouble = s->v4 ? "it has no global IPv4 address" : "it has no global IPv6 address";
	if (trouble) {
		/* Interfaces that nobody asked for and nobody uses are not worth a word. */
		if (asked_for || address)
			plan_note(s->plan, NVME_MPTCP_ROLE_AUTO, NULL, "%s is left out: %s",
				  link->name, trouble);
		return 0;
	}
	use = array_add(&s->plan->links, &s->plan->n_links, sizeof(*use));
	if (!use)
		return -ENOMEM;
	use->ifindex = link->ifindex;
	use->ip = address->ip;
	str_copy(use->name, sizeof(use->name), link->name, strlen(link->name));
	address_text(&use->ip, use->address);
	return 0;
}

static int find_links(struct setup *s)
{
	for (size_t i = 0; s->args->devices && s->args->devices[i]; i++) {
		bool known = false;

		for (size_t j = 0; j < s->snap->n_links && !known; j++)
			known = !strcmp(s->snap->links[j].name, s->args->devices[i]);
		if (!known)
			return -ENODEV;
	}
	for (size_t i = 0; i < s->snap->n_links; i++)
		if (use_link(s, &s->snap->links[i]))
			return -ENOMEM;
	return s->plan->n_links ? 0 : -ENOLINK;
}

/* Keeps the links that @dst can be reached by. */
static void keep_reaching(struct setup *s, const struct in6_addr *dst)
{
	char text[ADDRESS_TEXT];
	size_t kept = 0;

	address_text(dst, text);
	for (size_t i = 0; i < s->plan->n_links; i++) {
		const struct plan_link link = s->plan->links[i];

		if (reaches(s, link.ifindex, dst))
			s->plan->links[kept++] = link;
		else
			plan_note(s->plan, NVME_MPTCP_ROLE_AUTO, NULL,
				  "%s is left out: %s is not in its network, and no gateway of it "
				  "leads there",
				  link.name, text);
	}
	s->plan->n_links = kept;
}

static size_t count_reaching(struct setup *s, const struct in6_addr *dst)
{
	size_t n = 0;

	for (size_t i = 0; i < s->plan->n_links; i++)
		n += reaches(s, s->plan->links[i].ifindex, dst);
	return n;
}

/* Do the routes to the targets use each of the links, and each once? */
static bool routes_are_distinct(struct setup *s)
{
	bool used[MAX_TARGETS] = {};

	if (s->n_targets != s->plan->n_links)
		return false;
	for (size_t i = 0; i < s->n_targets; i++) {
		struct route_answer route;
		size_t j = 0;

		if (s->p->route(s->p, 0, &s->targets[i], &route))
			return false;
		while (j < s->plan->n_links && s->plan->links[j].ifindex != route.ifindex)
			j++;
		if (j == s->plan->n_links || used[j])
			return false;
		used[j] = true;
	}
	return true;
}

static bool all_reach_all(struct setup *s)
{
	for (size_t i = 0; i < s->n_targets; i++)
		if (count_reaching(s, &s->targets[i]) != s->plan->n_links)
			return false;
	return true;
}

static enum nvme_mptcp_plan_method choose_method(struct setup *s)
{
	if (s->n_targets > 1 && routes_are_distinct(s))
		return NVME_MPTCP_METHOD_ANNOUNCED;
	if (s->n_targets > 1 && s->n_targets >= s->plan->n_links && all_reach_all(s)) {
		if (s->p->laminar)
			return NVME_MPTCP_METHOD_LAMINAR;
		if (s->p->laminar_err)
			plan_note(
				s->plan, NVME_MPTCP_ROLE_AUTO, NULL,
				"whether this kernel has laminar endpoints is not known (%s); the "
				"plan does without",
				strerror(-s->p->laminar_err));
	}
	if (s->n_targets && count_reaching(s, &s->targets[0]) > 1) {
		keep_reaching(s, &s->targets[0]);
		return NVME_MPTCP_METHOD_SUBFLOW;
	}
	return NVME_MPTCP_METHOD_ANNOUNCED;
}

static void want(struct setup *s, int64_t flags)
{
	for (size_t i = 0; i < s->plan->n_links; i++) {
		const struct plan_link *link = &s->plan->links[i];
		struct endpoint_spec *spec =
			array_add(&s->plan->wanted, &s->plan->n_wanted, sizeof(*spec));

		if (!spec) {
			s->plan->err = -ENOMEM;
			return;
		}
		spec->ip = link->ip;
		spec->ifindex = link->ifindex;
		spec->flags = flags;
		str_copy(spec->device, sizeof(spec->device), link->name, strlen(link->name));
	}
}

static void wanted_step(struct nvme_mptcp_plan *plan, enum step_action action,
			const struct endpoint_spec *old, const struct endpoint_spec *new)
{
	if (plan->role == NVME_MPTCP_ROLE_TARGET)
		plan_step(plan, action, old, new,
			  "Announces the address, so that hosts join over %s", new->device);
	else if (plan->method == NVME_MPTCP_METHOD_LAMINAR)
		plan_step(plan, action, old, new,
			  "An announced address is joined over %s, which no other subflow uses",
			  new->device);
	else
		plan_step(plan, action, old, new, "Each connection starts a subflow over %s",
			  new->device);
}

/* One endpoint that is wanted against the one that has its address. */
static void settle(struct setup *s, const struct endpoint_spec *wanted)
{
	const struct nvme_mptcp_endpoint *found = NULL;
	struct nvme_mptcp_plan *plan = s->plan;
	struct endpoint_spec old, new = *wanted;

	for (size_t i = 0; i < s->snap->n_endpoints; i++)
		if (address_equal(&s->snap->endpoints[i].ip, &wanted->ip) &&
		    !s->snap->endpoints[i].port)
			found = &s->snap->endpoints[i];
	/* The kernel drops its own by itself. */
	if (!found || endpoint_has(found, NVME_MPTCP_ENDPOINT_IMPLICIT)) {
		wanted_step(plan, STEP_ADD, NULL, &new);
		return;
	}
	if (found->flags == wanted->flags && found->ifindex == wanted->ifindex)
		return;
	endpoint_spec_of(s->snap, found, &old);
	new.id = old.id;
	if (!s->args->replace) {
		plan_note(plan, NVME_MPTCP_ROLE_AUTO, NULL,
			  "endpoint %u (%s) is there with other settings than %s needs, and is "
			  "kept: --replace changes it",
			  found->id, found->address, wanted->device);
		return;
	}
	if (found->ifindex == wanted->ifindex &&
	    !((found->flags ^ wanted->flags) & ~ENDPOINT_FLAGS_LIVE))
		wanted_step(plan, STEP_FLAGS, &old, &new);
	else
		wanted_step(plan, STEP_REPLACE, &old, &new);
}

static bool is_wanted(const struct nvme_mptcp_plan *plan, const struct in6_addr *ip)
{
	for (size_t i = 0; i < plan->n_wanted; i++)
		if (address_equal(&plan->wanted[i].ip, ip))
			return true;
	return false;
}

/* What somebody else made and what would add subflows to those that are planned. */
static bool is_obstacle(const struct setup *s, const struct nvme_mptcp_endpoint *ep)
{
	if (address_is_v4(&ep->ip) != s->v4)
		return false;
	if (is_wanted(s->plan, &ep->ip) && !ep->port)
		return false;
	if (s->plan->role == NVME_MPTCP_ROLE_TARGET)
		return endpoint_announces(ep) || endpoint_starts_subflows(ep);
	return endpoint_starts_subflows(ep);
}

static size_t clear_obstacles(struct setup *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->snap->n_endpoints; i++) {
		const struct nvme_mptcp_endpoint *ep = &s->snap->endpoints[i];
		struct endpoint_spec old;

		if (!is_obstacle(s, ep))
			continue;
		if (!s->args->replace) {
			kept++;
			plan_note(s->plan, NVME_MPTCP_ROLE_AUTO, NULL,
				  "endpoint %u (%s) was made by somebody else and is kept: it may "
				  "add subflows to those planned; --replace deletes it",
				  ep->id, ep->address);
			continue;
		}
		endpoint_spec_of(s->snap, ep, &old);
		plan_step(s->plan, STEP_DELETE, &old, NULL,
			  "It would add subflows to those that are planned");
	}
	return kept;
}

static int64_t at_most(const struct setup *s, int64_t limit)
{
	return s->p->limit_max && limit > s->p->limit_max ? (int64_t)s->p->limit_max : limit;
}

/*
 * A limit is raised only if it does not suffice, and then with room: a subflow that died may be
 * counted by either side for a while, the initial one always, and what it took of add_addr_accepted
 * is never given back. Without room for them, nothing of that can be repaired.
 */
static int64_t raised(const struct setup *s, int64_t now, int64_t need)
{
	const int64_t room = 2 * need + 2;

	if (now >= need)
		return now;
	if (s->p->limit_max)
		return at_most(s, room);
	return need > LIMIT_ALWAYS ? need : room < LIMIT_ALWAYS ? room : LIMIT_ALWAYS;
}

static void set_limits(struct setup *s, size_t extra)
{
	struct nvme_mptcp_plan *plan = s->plan;
	const struct pm_limits old = plan->limits;
	const int64_t need = at_most(s, (int64_t)(plan->n_links - 1 + extra));
	char needed[96];
	const char *why = needed;

	plan->limits.subflows = raised(s, old.subflows, need);
	snprintf(needed, sizeof(needed),
		 "Each connection has %lld subflow%s besides the initial one%s", (long long)need,
		 need == 1 ? "" : "s", plan->limits.subflows > need ? ", and may lose some" : "");
	if (plan->role == NVME_MPTCP_ROLE_HOST) {
		if (plan->method != NVME_MPTCP_METHOD_SUBFLOW) {
			plan->limits.add_addr_accepted =
				raised(s, old.add_addr_accepted,
				       at_most(s, (int64_t)(plan->n_links - 1)));
			if (plan->limits.add_addr_accepted != old.add_addr_accepted)
				why = "The addresses that the target announces have to be "
				      "accepted, and their subflows permitted";
		} else if (old.add_addr_accepted > 0) {
			plan->limits.add_addr_accepted = 0;
			why = "Subflows to announced addresses would share links with those that "
			      "the host starts";
		}
	}
	if (plan->limits.subflows != old.subflows ||
	    plan->limits.add_addr_accepted != old.add_addr_accepted)
		plan_limits_step(plan, &old, &plan->limits, why);
	if ((int64_t)(plan->n_links - 1) > need)
		plan_note(
			plan, NVME_MPTCP_ROLE_AUTO, NULL,
			"This kernel permits %lld subflows besides the initial one: %zu links are "
			"more than a connection can use",
			(long long)need, plan->n_links);
}

/*
 * One announcement is under way at a time. A host that still handles the one before drops the next
 * (counter AddAddrDrop), and the target repeats it, up to three times, only after this time-out: with
 * the kernel's 120 seconds, a connection may lack links for minutes.
 */
static void repeat_soon(struct setup *s)
{
	const char *text = nvme_mptcp_setting(s->args->snap, "add_addr_timeout");
	int64_t now = text ? atoll(text) : NVME_MPTCP_UNKNOWN;

	if (s->plan->n_links < 3 || now == NVME_MPTCP_UNKNOWN || (now && now <= MOST_PATIENCE_S))
		return;
	plan_setting_step(s->plan, "add_addr_timeout", now, PATIENCE_S,
			  "A host drops announcements that come while it handles one; this repeats "
			  "them soon");
}

static void add_host_notes(struct setup *s)
{
	char command[ADDRESS_TEXT + 64] = "nvme mptcp setup --role target --apply";
	char text[ADDRESS_TEXT];

	if (s->plan->method == NVME_MPTCP_METHOD_SUBFLOW)
		return;
	if (s->n_targets) {
		address_text(&s->targets[0], text);
		snprintf(command, sizeof(command),
			 "nvme mptcp setup --role target --traddr %s --apply", text);
	}
	plan_note(s->plan, NVME_MPTCP_ROLE_TARGET, command,
		  "The target has to announce its addresses, one on each link");
}

static int make(struct setup *s)
{
	struct nvme_mptcp_plan *plan = s->plan;
	size_t extra;
	int err;

	choose_family(s);
	err = find_links(s);
	if (err)
		return err;
	if (plan->n_links == 1) {
		plan->method = NVME_MPTCP_METHOD_SINGLE;
		plan_note(
			plan, NVME_MPTCP_ROLE_AUTO, NULL,
			"%s is the only link: the initial subflow is all that a connection can have",
			plan->links[0].name);
		return plan->err;
	}
	if (plan->role == NVME_MPTCP_ROLE_TARGET) {
		plan->method = NVME_MPTCP_METHOD_SIGNAL;
		want(s, NVME_MPTCP_ENDPOINT_SIGNAL);
	} else {
		plan->method = choose_method(s);
		if (plan->method == NVME_MPTCP_METHOD_LAMINAR)
			want(s, NVME_MPTCP_ENDPOINT_LAMINAR);
		else if (plan->method == NVME_MPTCP_METHOD_SUBFLOW)
			want(s, NVME_MPTCP_ENDPOINT_SUBFLOW);
	}
	extra = clear_obstacles(s);
	/* Limits first: endpoints take effect on living connections at once. */
	set_limits(s, extra);
	if (plan->role == NVME_MPTCP_ROLE_TARGET)
		repeat_soon(s);
	for (size_t i = 0; i < plan->n_wanted; i++)
		settle(s, &plan->wanted[i]);
	if (plan->role == NVME_MPTCP_ROLE_HOST)
		add_host_notes(s);
	return plan->err;
}

static bool has_parts(const struct nvme_mptcp_snapshot *snap)
{
	static const enum nvme_mptcp_part parts[] = { NVME_MPTCP_LIMITS, NVME_MPTCP_ENDPOINTS,
						      NVME_MPTCP_LINKS, NVME_MPTCP_ADDRESSES };

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (snap->problem[parts[i]].err)
			return false;
	return true;
}

int plan_setup(struct planner *p, const struct nvme_mptcp_setup_args *args,
	       struct nvme_mptcp_plan **ret)
{
	struct setup s = { .p = p, .snap = args->snap, .args = args };
	int err;

	if (args->role != NVME_MPTCP_ROLE_HOST && args->role != NVME_MPTCP_ROLE_TARGET)
		return -EINVAL;
	if (!has_parts(args->snap))
		return -ENODATA;
	err = read_targets(&s);
	if (err)
		return err;
	s.plan = plan_new(args->snap, args->role, NVME_MPTCP_METHOD_SINGLE);
	if (!s.plan)
		return -ENOMEM;
	err = s.plan->err ? s.plan->err : make(&s);
	if (err) {
		nvme_mptcp_plan_free(s.plan);
		return err;
	}
	*ret = s.plan;
	return 0;
}

static int ask_route(struct planner *p, int ifindex, const struct in6_addr *dst,
		     struct route_answer *ret)
{
	return route_ask(&p->nl, NULL, ifindex, dst, ret);
}

struct job {
	const struct nvme_mptcp_setup_args *args;
	struct nvme_mptcp_plan *plan;
};

static int setup(void *arg)
{
	struct job *job = arg;
	const struct nvme_mptcp_snapshot *snap = job->args->snap;
	const struct pm_limits limits = { snap->limit_subflows, snap->limit_add_addr_accepted };
	struct planner p = { .snap = snap, .route = ask_route };
	_cleanup_(editor_close) struct editor e;
	int err = editor_open(&e);

	/* Without privileges the plan asks for no more than it needs. */
	if (!err && has_parts(snap))
		editor_limit_max(&e, &limits, &p.limit_max);
	p.laminar_err = plan_ask_laminar(&p.laminar);
	err = nl_open(&p.nl, NETLINK_ROUTE);
	if (!err)
		err = plan_setup(&p, job->args, &job->plan);
	nl_close(&p.nl);
	return err;
}

int nvme_mptcp_setup(const struct nvme_mptcp_setup_args *args, nvme_mptcp_plan_t *ret)
{
	struct job job = { .args = args };
	int err = args->args_size < (int)sizeof(*args) || !args->snap
			  ? -EINVAL
			  : netns_run(args->snap->netns, setup, &job);

	if (err) {
		errno = -err;
		return -1;
	}
	*ret = job.plan;
	return 0;
}
