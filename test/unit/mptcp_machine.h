/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Made-up machines for the rules: a clean host, a clean target, and what their kernel answers. */
#pragma once

#include <errno.h>
#include <net/if.h>
#include <linux/if_addr.h>

#include "mptcp/check/rules.h"
#include "mptcp/plan/endpoint-edit.h"
#include "mptcp/plan/keep-state.h"
#include "mptcp/snapshot/coverage.h"
#include "mptcp/trial/trial-state.h"
#include "mptcp_messages.h"

#define LOWER_UP (1 << 16)

#ifndef PLUGINS_MPTCP_H /* which has it as well */
DEFINE_CLEANUP(nvme_mptcp_snapshot_t, nvme_mptcp_snapshot_free);
#endif

static inline struct in6_addr ip(const char *text)
{
	struct in6_addr result = { .s6_addr32 = { 0, 0, htonl(0xffff), 0 } };

	if (inet_pton(AF_INET, text, &result.s6_addr32[3]) != 1)
		assert_int_equal(inet_pton(AF_INET6, text, &result), 1);
	return result;
}

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
	int64_t tcp_rmem;
	int64_t be_liberal;
	bool no_ipv6;
	bool several_ways;
	int neighbour; /* NUD_*, 0: never asked for */
	int offers; /* -1: unknown */
	const char *active; /* a unit */
	const char *other_netns;
	struct way_answer way; /* of every connection that is tried */
	int64_t echoes; /* the largest packet that is answered; 0: none is */
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

static inline bool answer_ways(struct check *c, const struct in6_addr *dst)
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

static inline int answer_way(struct check *c, const struct way_ends *ends, struct way_answer *ret)
{
	*ret = kernel.way;
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
	.has_ways = answer_ways,
	.neighbour = answer_neighbour,
	.setting = answer_setting,
	.has_family = answer_family,
	.offers = answer_offer,
	.table = answer_table,
	.limit_max = answer_limit_max,
	.is_active = answer_active,
	.netns_of = answer_netns,
	.way = answer_way,
	.sizes = answer_sizes,
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
	struct nvme_mptcp_endpoint *ep =
		array_add(&snap->endpoints, &snap->n_endpoints, sizeof(*ep));

	ep->id = (uint8_t)id;
	ep->ip = ip(address);
	ep->ifindex = ifindex;
	ep->flags = flags;
	snprintf(ep->address, sizeof(ep->address), "%s", address);
	return ep;
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

/* Subflows of a link that have ended: nothing is closed by what is done to its endpoint. */
static inline void end_subflows(struct nvme_mptcp_snapshot *snap, int i)
{
	for (size_t n = 0; n < snap->n_subflows; n++)
		if (snap->subflows[n].ifindex == i)
			snap->subflows[n].state = 0;
}

static inline void add_connection(struct nvme_mptcp_snapshot *snap, uint32_t token)
{
	struct nvme_mptcp_connection *conn =
		array_add(&snap->connections, &snap->n_connections, sizeof(*conn));

	conn->local = (struct socket_address){ ip("10.1.1.2"), (uint16_t)(40000 + token) };
	conn->remote = (struct socket_address){ ip("10.1.1.1"), 4420 };
	conn->token = token;
	conn->has_token = true;
	conn->inode = token;
	conn->state = STATE_ESTABLISHED;
	conn->value[NVME_MPTCP_CONN_EXTRA_SUBFLOWS] = 2;
	conn->value[NVME_MPTCP_CONN_SUBFLOWS_MAX] = 8;
	conn->value[NVME_MPTCP_CONN_LOCAL_ADDR_USED] = 2;
	conn->value[NVME_MPTCP_CONN_LOCAL_ADDR_MAX] = 2;
	conn->value[NVME_MPTCP_CONN_BYTES_SENT] = 1000;
}

/* For a controller that is taken off the list. */
static inline void free_ctrl(struct nvme_mptcp_ctrl *ctrl)
{
	free(ctrl->name);
	free(ctrl->transport);
	free(ctrl->subsysnqn);
	free(ctrl->state);
}

/* A host with three links: one controller of two queues, a subflow on each link. */
static inline struct nvme_mptcp_snapshot *clean_host(void)
{
	struct nvme_mptcp_snapshot *snap = snapshot_new();
	struct nvme_mptcp_ctrl *ctrl;

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
	ctrl = array_add(&snap->ctrls, &snap->n_ctrls, sizeof(*ctrl));
	ctrl->name = strdup("nvme0");
	ctrl->transport = strdup("mptcp");
	ctrl->subsysnqn = strdup("nqn");
	ctrl->state = strdup("live");
	ctrl->expected = 2;
	ctrl->portal = (struct socket_address){ ip("10.1.1.1"), 4420 };
	ctrl->has_portal = true;
	for (uint32_t token = 1; token <= 2; token++) {
		add_connection(snap, token);
		for (int i = 1; i <= 3; i++)
			add_subflow(snap, token, i);
	}
	return snap;
}

/* A target with three links and one port for all addresses. */
static inline struct nvme_mptcp_snapshot *clean_target(struct check *c)
{
	struct nvme_mptcp_snapshot *snap = snapshot_new();
	struct listener *listener;
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
	listener = array_add(&snap->listeners, &snap->n_listeners, sizeof(*listener));
	listener->local = (struct socket_address){ in6addr_any, 4420 };
	port = array_add(&c->nvmet.ports, &c->nvmet.n_ports, sizeof(*port));
	port->name = strdup("1");
	port->trtype = strdup("mptcp");
	port->traddr = strdup("0.0.0.0");
	port->address = (struct socket_address){ ip("0.0.0.0"), 4420 };
	port->has_address = port->subflows = true;
	return snap;
}

/* Runs the rules; @expected are the ids that must come out, in the order of severity. */
/* It is read alone, in a log or in JSON: a sentence that begins with what it is about. */
static inline void assert_begins_with_subject(const char *why)
{
	static const char *const words[] = { "It", "Its", "They", "Their", "There" };

	assert_true(strlen(why) > 20);
	/* Names of services are as they are. */
	if (*why >= 'a' && *why <= 'z' && strncmp(why, "mptcpd ", strlen("mptcpd ")))
		fail_msg("begins in the middle of a sentence: %s", why);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t length = strlen(words[i]);

		if (!strncmp(why, words[i], length) && why[length] == ' ')
			fail_msg("begins without its subject: %s", why);
	}
}

/* Runs all rules over a snapshot as if it had just been taken; the findings are the caller's. */
static inline struct nvme_mptcp_findings *run_rules(struct check *c,
						    struct nvme_mptcp_snapshot *snap,
						    const struct check_ops *kernel_ops,
						    const char *traddr, enum nvme_mptcp_role role)
{
	struct nvme_mptcp_findings *findings = calloc(1, sizeof(*findings));

	assert_int_equal(snapshot_join(snap), 0);
	assert_int_equal(snapshot_attribute(snap), 0);
	assert_int_equal(snapshot_sum(snap), 0);
	assert_int_equal(snapshot_cover(snap, NULL), 0);
	c->snap = snap;
	c->findings = findings;
	c->ops = kernel_ops;
	assert_int_equal(check_prepare(c, traddr, NULL, role), 0);
	assert_int_equal(check_run(c), 0);
	return findings;
}

static inline void end_rules(struct check *c, nvme_mptcp_findings_t findings,
			     nvme_mptcp_snapshot_t snap)
{
	nvme_mptcp_findings_free(findings);
	check_clear(c);
	nvme_mptcp_snapshot_free(snap);
}

/* A program that has the commands under another name can run what is printed, as a shell gets it. */
static inline void assert_is_runnable(const char *command)
{
	static const char *const programs[] = {
		"another ",  "echo ",  "ethtool ",	"grep ",    "ip ",	   "ln ",
		"modprobe ", "mount ", "nft ",		"nsenter ", "nvme reset ", "ping ",
		"rm ",	     "sh -c ", "sudo another ", "sysctl ",  "systemctl ",  "tc ",
	};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (!strncmp(command, programs[i], strlen(programs[i])))
			return;
	fail_msg("no program of that name: %s", command);
}

static inline void assert_names_its_program(nvme_mptcp_finding_t f)
{
	static const char *const others[] = { "nvme mptcp", "nvme connect" };
	enum nvme_mptcp_role side;
	const char *command;

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		assert_null(strstr(nvme_mptcp_finding_why(f), others[i]));
		for (size_t j = 0; (command = nvme_mptcp_finding_fix(f, j, &side)); j++)
			assert_null(strstr(command, others[i]));
	}
	for (size_t j = 0; (command = nvme_mptcp_finding_fix(f, j, &side)); j++)
		assert_is_runnable(command);
}

static inline void expect_with(struct check *c, struct nvme_mptcp_snapshot *snap,
			       const char *traddr, enum nvme_mptcp_role role, const char *expected)
{
	struct nvme_mptcp_findings *findings;
	char got[256] = "";
	size_t n = 0;

	nvme_mptcp_set_command("another");
	findings = run_rules(c, snap, &ops, traddr, role);
	nvme_mptcp_set_command(NULL);
	nvme_mptcp_for_each_finding(findings, f) {
		assert_non_null(nvme_mptcp_finding_subject(f));
		/* Its rule's title stands where a finding says nothing of its own. */
		if (!f->why)
			fail_msg("%s does not say why", nvme_mptcp_finding_rule(f));
		assert_begins_with_subject(nvme_mptcp_finding_why(f));
		assert_names_its_program(f);
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%s", n ? " " : "",
				      nvme_mptcp_finding_rule(f));
	}
	assert_string_equal(got, expected);
	end_rules(c, findings, snap);
}

/* A trial of a clean host whose join by the third link was closed with @err: @closed is its event. */
static inline struct nvme_mptcp_trial trial_of_closed_join(const struct nvme_mptcp_snapshot *snap,
							   int64_t err,
							   struct nvme_mptcp_event *closed)
{
	*closed = (struct nvme_mptcp_event){ .type = NVME_MPTCP_EVENT_SUBFLOW_CLOSED,
					     .has_local = true,
					     .has_remote = true,
					     .local = { ip("10.1.3.2"), 40003 },
					     .remote = { ip("10.1.1.1"), 4420 } };
	for (int i = 0; i < NVME_MPTCP_EVENT_VALUES; i++)
		closed->value[i] = NVME_MPTCP_UNKNOWN;
	closed->value[NVME_MPTCP_EVENT_ERROR] = err;
	closed->value[NVME_MPTCP_EVENT_IFINDEX] = 3;
	return (struct nvme_mptcp_trial){ .outcome = NVME_MPTCP_TRIAL_MPTCP,
					  .portal = snap->ctrls[0].portal,
					  .conn = &snap->connections[0],
					  .expected = 3,
					  .established = 2,
					  .has_events = true,
					  .events = closed,
					  .n_events = 1 };
}

static inline void expect(struct nvme_mptcp_snapshot *snap, const char *expected)
{
	struct check c = {};

	expect_with(&c, snap, NULL, NVME_MPTCP_ROLE_AUTO, expected);
}

/* The worst one. */
static inline nvme_mptcp_finding_t first(nvme_mptcp_findings_t findings, const char *rule,
					 enum nvme_mptcp_severity severity)
{
	nvme_mptcp_finding_t f = nvme_mptcp_finding_next(findings, NULL);

	assert_string_equal(nvme_mptcp_finding_rule(f), rule);
	assert_int_equal(nvme_mptcp_finding_severity(f), severity);
	return f;
}

/* Is this among what a finding rests on? */
static inline void expect_text(nvme_mptcp_finding_t f, const char *name, const char *expected)
{
	const char *key, *value;

	for (size_t i = 0; (key = nvme_mptcp_finding_evidence(f, i, &value)); i++)
		if (!strcmp(key, name)) {
			assert_string_equal(value, expected);
			return;
		}
	fail_msg("%s is no evidence", name);
}

static inline void expect_fact(nvme_mptcp_finding_t f, const char *name, int64_t expected)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)expected);
	expect_text(f, name, text);
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
