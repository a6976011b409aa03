/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Made-up machines for the rules: a clean host, a clean target, and what their kernel answers. */
#pragma once

#include <net/if.h>
#include <linux/if_addr.h>

#include "mptcp/check/rules.h"
#include "mptcp/plan/endpoint-edit.h"
#include "mptcp/plan/keep-state.h"
#include "mptcp/snapshot/coverage.h"
#include "mptcp/trial/trial-state.h"
#include "mptcp_messages.h"

#define LOWER_UP (1 << 16)

/* What the kernel would answer; a test changes it. */
static struct {
	int route_error;
	int rule_error; /* of a rule for a source, which IPv4 passes over where a device is given */
	int route_link; /* 0: the one that was asked for, else the owner of the source */
	bool no_gateway;
	bool way_without_device; /* from a source, as long as no device is given */
	int64_t rp_filter;
	int64_t arp_ignore; /* of all links together */
	int64_t arp_ignore_of_links; /* of each */
	uint32_t table; /* endpoints that it holds, at least */
	uint32_t limit_max; /* 0: unknown */
	int64_t tcp_rmem, rmem_numbers[2]; /* the last number, and those before */
	int64_t be_liberal;
	bool no_ipv6;
	bool several_ways;
	int neighbour; /* NUD_*, 0: never asked for */
	int offers; /* -1: unknown */
	const char *active; /* a unit */
	const char *other_netns;
	struct probe_result probe_result; /* of every connection that is tried */
	int64_t echoes; /* the largest packet that is answered; 0: none is */
	unsigned int lost_echoes; /* small ones, on link 3 */
	unsigned int nth_lost; /* of connections that are tried; 0: none is */
	unsigned int attempts;
	bool strips_joins; /* only plain TCP connects */
	size_t proofs; /* trials */
	size_t asked; /* for routes */
	const char *kept; /* what keep noted, or NULL */
	bool keep_has_ended;
	const char *slow; /* this side's address on a link that is, as keep finds it */
	size_t watched; /* how often rates were asked for */
} kernel;

static inline int answer_route(struct check *c, const struct in6_addr *src, int ifindex,
			       const struct in6_addr *dst, struct route_answer *ret)
{
	const struct local_address *owner = src ? snapshot_find_address(c->snap, src) : NULL;

	kernel.asked++;
	if (kernel.route_error)
		return kernel.route_error;
	if (kernel.rule_error && src && !ifindex)
		return kernel.rule_error;
	ret->ifindex = kernel.route_link ? kernel.route_link
		       : ifindex	 ? ifindex
		       : owner		 ? owner->ifindex
					 : 1;
	if (src && !ifindex && kernel.way_without_device)
		*ret = (struct route_answer){ .ifindex = owner->ifindex, .table = 100 };
	ret->gateway = !kernel.no_gateway || (!ifindex && kernel.way_without_device);
	ret->assumed = ifindex && !ret->gateway && !link_network_has(c->snap, ret->ifindex, dst);
	ret->hop = ret->gateway ? ip("10.1.1.254") : *dst;
	return 0;
}

static inline bool answer_multipath(struct check *c, const struct in6_addr *dst)
{
	return kernel.several_ways;
}

static inline int answer_neighbour(struct check *c, int ifindex, const struct in6_addr *address)
{
	return kernel.neighbour ? kernel.neighbour : -ENOENT;
}

static inline int64_t answer_setting(struct check *c, const char *path)
{
	return strstr(path, "rp_filter")  ? kernel.rp_filter
	       : strstr(path, "tcp_rmem") ? kernel.tcp_rmem
	       : strstr(path, "liberal")  ? kernel.be_liberal
	       : strstr(path, "/all/")	  ? kernel.arp_ignore
					  : kernel.arp_ignore_of_links;
}

static inline int64_t answer_setting_number(struct check *c, const char *path, size_t i)
{
	return i < 2 && strstr(path, "tcp_rmem") ? kernel.rmem_numbers[i] : NVME_MPTCP_UNKNOWN;
}

static inline bool answer_family(struct check *c, int family)
{
	return family != AF_INET6 || !kernel.no_ipv6;
}

static inline int answer_offer(struct check *c, const struct offer *offer)
{
	return kernel.offers;
}

static inline bool answer_active(struct check *c, const char *unit, const char *process)
{
	return kernel.active && strstr(kernel.active, unit);
}

static inline bool answer_netns(struct check *c, const struct socket_address *portal,
				const struct in6_addr *source, char *name, size_t size)
{
	if (kernel.other_netns)
		snprintf(name, size, "%s", kernel.other_netns);
	return kernel.other_netns;
}

static inline int answer_probe(struct check *c, const struct path_ends *ends,
			       struct probe_result *ret)
{
	*ret = kernel.probe_result;
	return 0;
}

static inline bool answer_joins(struct check *c, const struct join_proof *proof)
{
	kernel.proofs++;
	return !kernel.strips_joins;
}

static inline void answer_sizes(struct check *c, struct size_probe *probe, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		probe[i].small = kernel.echoes > 0;
		probe[i].large = kernel.echoes >= probe[i].mtu;
	}
}

static inline void answer_losses(struct check *c, struct size_probe *probe, size_t n)
{
	for (size_t i = 0; i < n; i++)
		probe[i].echoes = !kernel.echoes	       ? 0
				  : probe[i].ends.ifindex == 3 ? ECHOES - kernel.lost_echoes
							       : ECHOES;
}

static inline int answer_attempt(struct check *c, const struct path_ends *ends, int answer_ms,
				 struct probe_result *ret)
{
	const bool lost = kernel.nth_lost && ++kernel.attempts % kernel.nth_lost == 0;

	*ret = (struct probe_result){ .known = true, .sent = true, .connected = !lost };
	return 0;
}

static inline uint32_t answer_table(struct check *c)
{
	return kernel.table;
}

static inline uint32_t answer_limit_max(struct check *c)
{
	return kernel.limit_max;
}

#define KEEP_NOW 100000

static inline int answer_kept(struct check *c, struct kept *ret)
{
	ret->runs = !kernel.keep_has_ended;
	ret->now = KEEP_NOW;
	return kernel.kept ? keep_state_parse(kernel.kept, &ret->own) : -ENOENT;
}

static inline int answer_rates(struct check *c, struct keep_rates *ret)
{
	struct in6_addr *slow;

	kernel.watched++;
	if (!kernel.slow)
		return 0;
	slow = array_add(&ret->slow, &ret->n_slow, sizeof(*slow));
	*slow = ip(kernel.slow);
	return 0;
}

static const struct check_ops ops = {
	.route = answer_route,
	.has_multipath_route = answer_multipath,
	.neighbour = answer_neighbour,
	.setting = answer_setting,
	.setting_number = answer_setting_number,
	.has_family = answer_family,
	.offers = answer_offer,
	.table = answer_table,
	.limit_max = answer_limit_max,
	.is_active = answer_active,
	.netns_of = answer_netns,
	.probe_result = answer_probe,
	.sizes = answer_sizes,
	.losses = answer_losses,
	.attempt = answer_attempt,
	.joins = answer_joins,
	.kept = answer_kept,
	.rates = answer_rates,
};

/* A kernel that has everything, and with which nothing is wrong. */
static inline void reset_kernel(void)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.offers = 1;
	kernel.tcp_rmem = 6291456;
}

static inline void set(struct nvme_mptcp_snapshot *snap, const char *name, const char *value)
{
	struct setting *setting = array_add(&snap->settings, &snap->n_settings, sizeof(*setting));

	setting->name = strdup(name);
	setting->value = strdup(value);
}

static inline void replace(struct nvme_mptcp_snapshot *snap, const char *name, const char *value)
{
	for (size_t i = 0; i < snap->n_settings; i++) {
		if (strcmp(snap->settings[i].name, name))
			continue;
		free(snap->settings[i].value);
		snap->settings[i].value = strdup(value);
		return;
	}
	set(snap, name, value);
}

static inline void count(struct nvme_mptcp_snapshot *snap, const char *group, const char *name,
			 int64_t value)
{
	struct counter *counter =
		array_add(&snap->counters.counter, &snap->counters.n, sizeof(*counter));

	*counter = (struct counter){ group, name, value };
	counter_sort(&snap->counters);
}

static inline void add_address(struct nvme_mptcp_snapshot *snap, int ifindex, const char *text,
			       int prefix)
{
	struct local_address *address =
		array_add(&snap->addresses, &snap->n_addresses, sizeof(*address));

	address->ip = ip(text);
	address->ifindex = ifindex;
	address->prefix = (uint8_t)prefix;
	/* In the order that the search wants. */
	for (size_t i = snap->n_addresses - 1; i; i--) {
		struct local_address *x = &snap->addresses[i - 1], *y = x + 1, swap = *x;

		if (memcmp(&x->ip, &y->ip, sizeof(x->ip)) > 0) {
			*x = *y;
			*y = swap;
		}
	}
}

static inline void add_link(struct nvme_mptcp_snapshot *snap, int i)
{
	struct nvme_mptcp_link *link = array_add(&snap->links, &snap->n_links, sizeof(*link));
	char text[32];

	link->ifindex = i;
	link->flags = IFF_UP | LOWER_UP;
	link->mtu = 1500;
	snprintf(link->name, sizeof(link->name), "eth%d", i);
	snprintf(text, sizeof(text), "10.1.%d.2", i);
	add_address(snap, i, text, 120);
	snprintf(text, sizeof(text), "fd00:%d::2", i);
	add_address(snap, i, text, 64);
}

static inline struct nvme_mptcp_endpoint *add_endpoint(struct nvme_mptcp_snapshot *snap, int id,
						       const char *address, int ifindex,
						       int64_t flags)
{
	return new_endpoint(snap, id, ip(address), ifindex, flags);
}

static inline struct nvme_mptcp_subflow *add_subflow(struct nvme_mptcp_snapshot *snap,
						     uint32_t token, int i)
{
	struct nvme_mptcp_subflow *sf = array_add(&snap->subflows, &snap->n_subflows, sizeof(*sf));
	char text[32];

	for (int v = 0; v < NVME_MPTCP_VALUES; v++)
		sf->value[v] = NVME_MPTCP_UNKNOWN;
	snprintf(text, sizeof(text), "10.1.%d.2", i);
	sf->local = (struct socket_address){ ip(text), (uint16_t)(40000 + i) };
	snprintf(text, sizeof(text), "10.1.%d.1", i);
	sf->remote = (struct socket_address){ ip(text), 4420 };
	sf->token = token;
	sf->has_token = true;
	sf->ifindex = i;
	sf->state = STATE_ESTABLISHED;
	sf->id_local = (int16_t)(i - 1);
	sf->flags = NVME_MPTCP_SUBFLOW_FULLY_ESTABLISHED |
		    (i == 1 ? NVME_MPTCP_SUBFLOW_MCAP_LOC : NVME_MPTCP_SUBFLOW_JOIN_LOC);
	sf->value[NVME_MPTCP_RTT_US] = 3000;
	sf->value[NVME_MPTCP_PMTU] = 1500;
	return sf;
}

/* Sets a value of all subflows by a link; 0: by every link. */
static inline void set_value(struct nvme_mptcp_snapshot *snap, int link,
			     enum nvme_mptcp_subflow_value value, int64_t number)
{
	for (size_t i = 0; i < snap->n_subflows; i++)
		if (!link || snap->subflows[i].ifindex == link)
			snap->subflows[i].value[value] = number;
}

/* Subflows of a link that wait for an answer. */
static inline void set_waiting(struct nvme_mptcp_snapshot *snap, int link)
{
	for (size_t i = 0; i < snap->n_subflows; i++)
		if (snap->subflows[i].ifindex == link)
			snap->subflows[i].state = STATE_SYN_SENT;
	set_value(snap, link, NVME_MPTCP_TIMEOUTS, 2);
}

/* Sets a value of the first two connections. */
static inline void set_conn_value(struct nvme_mptcp_snapshot *snap,
				  enum nvme_mptcp_connection_value value, int64_t number)
{
	for (size_t i = 0; i < 2; i++)
		snap->connections[i].value[value] = number;
}

/* Subflows of a link that have ended: nothing is closed by what is done to its endpoint. */
static inline void end_subflows(struct nvme_mptcp_snapshot *snap, int i)
{
	for (size_t n = 0; n < snap->n_subflows; n++)
		if (snap->subflows[n].ifindex == i)
			snap->subflows[n].state = 0;
}

static inline struct nvme_mptcp_connection *add_connection(struct nvme_mptcp_snapshot *snap,
							   uint32_t token)
{
	struct nvme_mptcp_connection *conn =
		new_connection(snap, "10.1.1.2", "10.1.1.1", 4420, token);

	conn->value[NVME_MPTCP_CONN_EXTRA_SUBFLOWS] = 2;
	conn->value[NVME_MPTCP_CONN_SUBFLOWS_MAX] = 8;
	conn->value[NVME_MPTCP_CONN_LOCAL_ADDR_USED] = 2;
	conn->value[NVME_MPTCP_CONN_LOCAL_ADDR_MAX] = 2;
	conn->value[NVME_MPTCP_CONN_BYTES_SENT] = 1000;
	return conn;
}

static inline struct nvme_mptcp_ctrl *add_ctrl(struct nvme_mptcp_snapshot *snap, const char *name,
					       const char *subsysnqn, uint32_t expected,
					       const char *traddr, uint16_t port)
{
	struct nvme_mptcp_ctrl *ctrl = new_ctrl(snap, name, traddr, port, expected);

	ctrl->subsysnqn = subsysnqn ? strdup(subsysnqn) : NULL;
	ctrl->state = strdup("live");
	return ctrl;
}

static inline void set_state(struct nvme_mptcp_ctrl *ctrl, const char *state)
{
	free(ctrl->state);
	ctrl->state = strdup(state);
}

static inline void remove_ctrl(struct nvme_mptcp_snapshot *snap)
{
	struct nvme_mptcp_ctrl *ctrl = &snap->ctrls[--snap->n_ctrls];

	free(ctrl->name);
	free(ctrl->transport);
	free(ctrl->subsysnqn);
	free(ctrl->state);
}

/* A host with three links: one controller of two queues, a subflow on each link. */
static inline struct nvme_mptcp_snapshot *clean_host(void)
{
	struct nvme_mptcp_snapshot *snap = snapshot_new();

	reset_kernel();
	set(snap, "add_addr_timeout", "120");
	set(snap, "enabled", "1");
	set(snap, "path_manager", "kernel");
	set(snap, "scheduler", "default");
	snap->limit_subflows = 8;
	snap->limit_add_addr_accepted = 8;
	for (int i = 1; i <= 3; i++)
		add_link(snap, i);
	add_endpoint(snap, 1, "10.1.2.2", 2, NVME_MPTCP_ENDPOINT_SUBFLOW);
	add_endpoint(snap, 2, "10.1.3.2", 3, NVME_MPTCP_ENDPOINT_SUBFLOW);
	add_ctrl(snap, "nvme0", "nqn", 2, "10.1.1.1", 4420);
	for (uint32_t token = 1; token <= 2; token++) {
		add_connection(snap, token);
		for (int i = 1; i <= 3; i++)
			add_subflow(snap, token, i);
	}
	return snap;
}

static inline void add_listener(struct nvme_mptcp_snapshot *snap, struct in6_addr address,
				uint16_t port)
{
	struct listener *listener =
		array_add(&snap->listeners, &snap->n_listeners, sizeof(*listener));

	listener->local = (struct socket_address){ address, port };
}

/* A target with three links and one port for all addresses. */
static inline struct nvme_mptcp_snapshot *clean_target(struct check *c)
{
	struct nvme_mptcp_snapshot *snap = snapshot_new();
	struct target_port *port;

	reset_kernel();
	set(snap, "allow_join_initial_addr_port", "1");
	set(snap, "enabled", "1");
	snap->limit_subflows = 8;
	snap->limit_add_addr_accepted = 0;
	for (int i = 1; i <= 3; i++)
		add_link(snap, i);
	add_endpoint(snap, 1, "10.1.2.2", 2, NVME_MPTCP_ENDPOINT_SIGNAL);
	add_endpoint(snap, 2, "10.1.3.2", 3, NVME_MPTCP_ENDPOINT_SIGNAL);
	add_listener(snap, in6addr_any, 4420);
	port = array_add(&c->nvmet.ports, &c->nvmet.n_ports, sizeof(*port));
	port->name = strdup("1");
	port->trtype = strdup("mptcp");
	port->traddr = strdup("0.0.0.0");
	port->address = (struct socket_address){ ip("0.0.0.0"), 4420 };
	port->has_address = port->subflows = true;
	return snap;
}

/* The target's port offers another subsystem. */
static inline void enable_port(struct check *c, const char *subsysnqn)
{
	struct target_port *port = &c->nvmet.ports[0];

	*(char **)array_add(&port->subsystems, &port->n_subsystems, sizeof(char *)) =
		strdup(subsysnqn);
}

static inline void cover(struct nvme_mptcp_snapshot *snap)
{
	settle(snap);
	assert_int_equal(snapshot_cover(snap, NULL), 0);
}
