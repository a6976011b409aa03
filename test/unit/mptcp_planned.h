/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A machine as a snapshot shows it, and a kernel that changes it: what plans are tried on. */
#pragma once

#include <net/if.h>

#include "mptcp/plan/steps.h"
#include "mptcp_messages.h"

#define UP (IFF_UP | 0x10000 /* IFF_LOWER_UP */)
#define MAX_LINK_COUNT 10

DEFINE_CLEANUP(nvme_mptcp_plan_t, nvme_mptcp_plan_free);

static inline struct in6_addr numbered(const char *fmt, int i)
{
	char text[INET6_ADDRSTRLEN];

	/* The formats are those below. */
	snprintf(text, sizeof(text), "%.*s%d%s", (int)strcspn(fmt, "#"), fmt, i,
		 strchr(fmt, '#') + 1);
	return ip(text);
}

/* "#" is the number of the link. */
#define V4 "10.1.#.2"
#define V6 "fd00:1:#::2"
#define V4_TARGET "10.1.#.1"

static inline struct nvme_mptcp_link *add_link(struct nvme_mptcp_snapshot *snap, int i)
{
	struct nvme_mptcp_link *link = array_add(&snap->links, &snap->n_links, sizeof(*link));

	assert_non_null(link);
	link->ifindex = i;
	link->flags = UP;
	link->speed = NVME_MPTCP_UNKNOWN;
	snprintf(link->name, sizeof(link->name), "eth%d", i);
	return link;
}

static inline void add_address(struct nvme_mptcp_snapshot *snap, int ifindex,
			       struct in6_addr address)
{
	struct local_address *a = array_add(&snap->addresses, &snap->n_addresses, sizeof(*a));

	assert_non_null(a);
	a->ip = address;
	a->ifindex = ifindex;
	a->prefix = address_is_v4(&address) ? 96 + 24 : 64;
}

/* eth1 to eth@n with an IPv4 and an IPv6 address each, the kernel's limits after boot. */
static inline struct nvme_mptcp_snapshot *machine(int n)
{
	struct nvme_mptcp_snapshot *snap = snapshot_new();

	assert_non_null(snap);
	snap->limit_subflows = 2;
	snap->limit_add_addr_accepted = 0;
	for (int i = 1; i <= n; i++)
		add_link(snap, i);
	for (int i = 1; i <= n; i++)
		add_address(snap, i, numbered(V4, i));
	for (int i = 1; i <= n; i++)
		add_address(snap, i, numbered(V6, i));
	return snap;
}

static inline struct nvme_mptcp_connection *add_connection(struct nvme_mptcp_snapshot *snap,
							   uint32_t token)
{
	return new_connection(snap, "10.1.1.2", "10.1.1.1", 4420, token);
}

static inline struct nvme_mptcp_subflow *add_subflow(struct nvme_mptcp_snapshot *snap,
						     uint32_t token, int i, uint16_t port)
{
	struct nvme_mptcp_subflow *sf = array_add(&snap->subflows, &snap->n_subflows, sizeof(*sf));

	assert_non_null(sf);
	sf->local = (struct socket_address){ numbered(V4, i), port };
	sf->remote = (struct socket_address){ ip("10.1.1.1"), 4420 };
	sf->token = token;
	sf->has_token = true;
	sf->ifindex = i;
	sf->state = STATE_ESTABLISHED;
	return sf;
}

/* A kernel whose table of endpoints is that of a snapshot. */
struct kernel {
	struct editor e;
	struct nvme_mptcp_snapshot *snap;
	uint32_t limit_max;
	int fail_at; /* the request that is refused, from 1; 0: none */
	int requests;
	struct keep_own intended; /* to be added again */
	char log[1024];
};

static inline int request(struct editor *e, const char *what)
{
	struct kernel *k = (struct kernel *)e;
	size_t n = strlen(k->log);

	snprintf(k->log + n, sizeof(k->log) - n, "%s ", what);
	e->text[0] = '\0';
	if (++k->requests != k->fail_at)
		return 0;
	snprintf(e->text, sizeof(e->text), "refused");
	return -EPERM;
}

static inline int find(const struct kernel *k, const struct endpoint_spec *spec)
{
	for (size_t i = 0; i < k->snap->n_endpoints; i++)
		if (spec->id ? k->snap->endpoints[i].id == spec->id
			     : !memcmp(&k->snap->endpoints[i].ip, &spec->ip, sizeof(spec->ip)))
			return (int)i;
	return -ENOENT;
}

static inline int kernel_add(struct editor *e, const struct endpoint_spec *spec)
{
	struct kernel *k = (struct kernel *)e;
	int err = request(e, "add"), id = spec->id;

	if (err)
		return err;
	for (size_t i = 0; !spec->id && i < k->snap->n_endpoints; i++)
		if (k->snap->endpoints[i].id >= id)
			id = k->snap->endpoints[i].id + 1;
	new_endpoint(k->snap, id ? id : 1, spec->ip, spec->ifindex, spec->flags);
	return 0;
}

static inline int kernel_remove(struct editor *e, const struct endpoint_spec *spec)
{
	struct kernel *k = (struct kernel *)e;
	int err = request(e, "remove"), i = find(k, spec);

	if (err || i < 0)
		return err ? err : i;
	/* The room of the array follows from its count, so that a place stays, with no address. */
	k->snap->endpoints[i] = (struct nvme_mptcp_endpoint){ .flags = NVME_MPTCP_UNKNOWN };
	return 0;
}

static inline int kernel_set_flags(struct editor *e, const struct endpoint_spec *spec)
{
	struct kernel *k = (struct kernel *)e;
	int err = request(e, "flags"), i = find(k, spec);

	if (!err && i >= 0)
		k->snap->endpoints[i].flags = spec->flags;
	return err ? err : i < 0 ? i : 0;
}

static inline int kernel_set_limits(struct editor *e, const struct pm_limits *limits)
{
	struct kernel *k = (struct kernel *)e;
	int err = request(e, "limits");

	if (err)
		return err;
	if (limits->subflows > k->limit_max || limits->add_addr_accepted > k->limit_max) {
		snprintf(e->text, sizeof(e->text), "limit greater than maximum (%u)", k->limit_max);
		return -EINVAL;
	}
	if (limits->subflows != NVME_MPTCP_UNKNOWN)
		k->snap->limit_subflows = limits->subflows;
	if (limits->add_addr_accepted != NVME_MPTCP_UNKNOWN)
		k->snap->limit_add_addr_accepted = limits->add_addr_accepted;
	return 0;
}

static inline int kernel_find_id(struct editor *e, struct endpoint_spec *spec)
{
	struct kernel *k = (struct kernel *)e;
	int i = find(k, spec);

	if (i >= 0)
		spec->id = k->snap->endpoints[i].id;
	return i < 0 ? i : 0;
}

/* No requests of the kernel. */
static inline int kernel_intend(struct editor *e, const struct endpoint_spec *spec)
{
	struct kernel *k = (struct kernel *)e;

	return keep_own_add(&k->intended, spec, false) ? 0 : -ENOMEM;
}

static inline int kernel_fulfil(struct editor *e, const struct endpoint_spec *spec)
{
	struct kernel *k = (struct kernel *)e;
	struct keep_endpoint *kept = keep_own_find(&k->intended, &spec->ip, spec->port);

	assert_non_null(kept);
	keep_own_drop(&k->intended, kept);
	if (!k->intended.n_endpoints)
		keep_own_clear(&k->intended);
	return 0;
}

static inline struct kernel kernel_of(struct nvme_mptcp_snapshot *snap)
{
	return (struct kernel){
		.e = { .add = kernel_add,
		       .remove = kernel_remove,
		       .set_flags = kernel_set_flags,
		       .set_limits = kernel_set_limits,
		       .find_id = kernel_find_id,
		       .record_intent = kernel_intend,
		       .remove_intent = kernel_fulfil, },
		.snap = snap,
		.limit_max = 8,
	};
}

static inline size_t count(const struct nvme_mptcp_plan *plan, enum step_action action)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n_steps; i++)
		n += plan->steps[i].action == action;
	return n;
}

static inline bool has_note(nvme_mptcp_plan_t plan, const char *words)
{
	enum nvme_mptcp_role side;
	const char *text, *command;

	for (size_t i = 0; (text = nvme_mptcp_plan_note(plan, i, &side, &command)); i++)
		if (strstr(text, words) || (command && strstr(command, words)))
			return true;
	return false;
}
