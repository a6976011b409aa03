/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Internal interface of the rules: the data that they read and functions that report findings. */
#pragma once

#include <nvme/mptcp/check.h>
#include "ask-path.h"
#include "unheard.h"
#include "owners.h"
#include <nvme/mptcp/plan.h>
#include "rule.h"
#include "subject.h"
#include "mptcp/plan/find-link.h"
#include "mptcp/plan/keep-own.h"
#include "mptcp/plan/keep-rate.h"
#include "mptcp/snapshot/command.h"
#include "mptcp/snapshot/json.h"
#include "mptcp/snapshot/snapshot.h"
#include "mptcp/snapshot/target.h"

struct check;

/* Declare the function of each rule in rule-list.h. */
#define RULE_FUNCTION(id, severity, sides, function, title) \
	void rule_##function(struct check *c, enum rule_id rule);
RULES(RULE_FUNCTION)
#undef RULE_FUNCTION

struct pair {
	char *key;
	char *value;
};

/* How a command relates to others. By default, the first of equal commands is printed. */
enum fix_kind {
	FIX_PLAIN,
	FIX_NOTICE, /* makes connections apply the commands before it: only the last is printed */
	FIX_OF_PORT, /* disables a port or enables it again: each one is printed */
	FIX_ADD,
	FIX_SETUP, /* computes a plan on the machine where it runs */
	FIX_INSPECT, /* inspects something that only a report of the other side can confirm */
};

struct fix {
	enum nvme_mptcp_role side;
	enum fix_kind kind;
	char *command;
};

struct nvme_mptcp_finding {
	enum rule_id rule;
	enum nvme_mptcp_severity severity;
	enum nvme_mptcp_role side; /* the side that has to be fixed */
	size_t order; /* of discovery */
	struct subject subject; /* names are cleared: @object has copies */
	char *object[SUBJECT_OBJECTS];
	char *text; /* text of the subject */
	char *why;
	struct pair *evidence;
	size_t n_evidence;
	struct fix *fixes;
	size_t n_fixes;
};

struct nvme_mptcp_findings {
	unsigned int role; /* ON_* of this side and of the peer's report */
	unsigned int own_role; /* ON_* of this side */
	struct nvme_mptcp_finding *finding;
	size_t n;
	size_t ignored; /* number of findings left out */
	char *trial; /* JSON of the trial that the findings are based on, or NULL */
	char *peer; /* name of the machine whose report is the other side, or NULL */
	char *connects_by; /* transport that a connection to the given address would use, or NULL */
};

struct portal {
	struct socket_address address;
	const struct nvme_mptcp_ctrl *ctrl; /* a controller connected to it, or NULL */
};

/* A link of the host that could carry subflows but has neither a subflow nor an endpoint. */
struct idle {
	const struct nvme_mptcp_link *link;
	char address[ADDRESS_TEXT];
};

/* Cached result of check_link_is_unrouted() for a path. */
struct unrouted_path {
	struct in6_addr local, remote;
	const struct nvme_mptcp_link *link;
	bool crossed; /* the link does not lead to @remote */
};

#define MAX_UNROUTED_PATHS 64

/* A module, and the alias that requests it. */
struct offer {
	const char *module; /* "nvme_tcp" */
	const char *alias; /* "nvme-mptcp" */
};
extern const struct offer check_nvmet_offer; /* ports of nvmet that carry MPTCP */

struct join_proof;

/* State of keep in this network namespace. */
struct kept {
	struct keep_own own;
	bool runs; /* false: keep ended without restoring what it took out of use */
	int64_t now; /* time of the clock that own.outs[].since uses */
};

/*
 * Queries for facts that are not in a snapshot. route, neighbour, setting, has_family, offers and
 * probe_result exist always; without another one, nothing is known. Tests replace them.
 */
struct check_ops {
	/* Look up a route. @src may be NULL, @ifindex 0. Returns 0 or -errno such as -ENETUNREACH. */
	int (*route)(struct check *c, const struct in6_addr *src, int ifindex,
		     const struct in6_addr *dst, struct route_answer *ret);
	bool (*has_multipath_route)(struct check *c, const struct in6_addr *dst);
	/* Find the route that the @i-th firewall mark of the routing rules gives; false: no more marks. */
	bool (*marked_route)(struct check *c, const struct path_ends *ends, size_t i,
			     struct marked_route *ret);
	/* Name the rule or route that forbids packets; false: unknown. */
	bool (*forbids)(struct check *c, const struct path_ends *ends, char *text, size_t size);
	/* Return NUD_* of a neighbour, or -errno: -ENOENT if the kernel has no entry. */
	int (*neighbour)(struct check *c, int ifindex, const struct in6_addr *ip);
	/* Return the last number in a file below /proc/sys/, or NVME_MPTCP_UNKNOWN. */
	int64_t (*setting)(struct check *c, const char *path);
	int64_t (*setting_number)(struct check *c, const char *path, size_t i); /* from 0 on */
	bool (*has_family)(struct check *c, int family); /* of MPTCP sockets */
	/* Return 1 if the kernel provides @offer, 0 if not, or NVME_MPTCP_UNKNOWN. */
	int (*offers)(struct check *c, const struct offer *offer);
	/* Return the least number of endpoints that the kernel can hold; 0: unknown. */
	uint32_t (*table)(struct check *c);
	/* Return the greatest limit that the kernel accepts; 0: unknown. */
	uint32_t (*limit_max)(struct check *c);
	/* True if the service @unit runs. @process is the name of its process. */
	bool (*is_active)(struct check *c, const char *unit, const char *process);
	/* Setup's plan for a side. @traddrs: NULL-terminated, or NULL for any. 0 or -errno. */
	int (*plan)(struct check *c, enum nvme_mptcp_role role, const char *const *traddrs,
		    nvme_mptcp_plan_t *ret);
	/* The only other namespace with @source's connections to @portal, or (NULL) a listener. */
	bool (*netns_of)(struct check *c, const struct socket_address *portal,
			 const struct in6_addr *source, char *name, size_t size);
	/* Send probe packets: see ask-path.h. */
	int (*probe_result)(struct check *c, const struct path_ends *ends,
			    struct probe_result *ret);
	enum announced (*announced)(struct check *c, const struct path_ends *ends);
	void (*sizes)(struct check *c, struct size_probe *probe, size_t n);
	void (*losses)(struct check *c, struct size_probe *probe, size_t n);
	int (*attempt)(struct check *c, const struct path_ends *ends, int answer_ms,
		       struct probe_result *ret);
	int (*open)(struct check *c, const struct path_ends *ends, size_t n, size_t *ret);
	bool (*same_broadcast_domain)(struct check *c, int one, int other,
				      const struct in6_addr *local, const struct in6_addr *remote);
	void (*owners)(struct check *c, struct owner *all, size_t n); /* see owners.h */
	/* Like probe_result(), but send the SYN to one of the machines that have the next hop's address. */
	int (*probe_via_mac)(struct check *c, const struct path_ends *ends,
			     const struct hardware *to, struct probe_result *ret);
	/* Find hardware addresses of other machines on a link. Returns their number or -errno. */
	int (*machines)(struct check *c, int ifindex, struct hardware ret[static MACHINES]);
	/* Send an echo request to all machines on the link. 1: one answers, 0: none does, or -errno. */
	int (*echo_on_link)(struct check *c, const struct path_ends *ends);
	/* ask_once_told() */
	bool (*answers_once_told)(struct check *c, const struct path_ends *ends, int ifindex);
	/* True if a trial connection gets the subflow that @proof describes. Takes seconds. */
	bool (*joins)(struct check *c, const struct join_proof *proof);
	/* Connect like nvme-tcp to the portal of a controller that the relay serves. */
	enum steered (*steered)(const struct nvme_mptcp_ctrl *ctrl);
	int (*filters)(struct check *c); /* Return bits of enum filter, or -errno. */
	/* Find a policy of IPsec that drops packets from or to @ip. Returns 0, -ENOENT or -errno. */
	int (*ipsec)(struct check *c, const struct in6_addr *ip, struct ipsec *ret);
	int (*kept)(struct check *c, struct kept *ret); /* read its state: 0 or -errno */
	/*
	 * Measure delivery rates as keep does, for two seconds or until a link is found slow. The
	 * caller clears *@ret. Returns 0 or -ENOMEM.
	 */
	int (*rates)(struct check *c, struct keep_rates *ret);
};

struct check {
	struct nvme_mptcp_snapshot *snap;
	struct nvme_mptcp_snapshot *before;
	const char *const *ctrls;
	const char *unrelayed; /* see check_args */
	struct nvme_mptcp_findings *findings;
	unsigned int role; /* ON_* */
	bool before_connecting; /* the caller gave an address */
	struct portal *portals; /* distinct addresses; at most MAX_PORTALS */
	size_t n_portals;
	const struct nvme_mptcp_connection **conns; /* of the controllers, or of a target's hosts */
	size_t n_conns;
	struct target nvmet; /* nvmet configuration of this machine */
	const struct check_ops *ops;
	struct idle *idle; /* see check_idle_links() */
	size_t n_idle;
	bool idle_known;
	bool plan_printed; /* a finding has the commands of the host's plan */
	nvme_mptcp_plan_t plan[NVME_MPTCP_ROLE_TARGET + 1]; /* see check_plan() */
	bool plan_known[NVME_MPTCP_ROLE_TARGET + 1];
	struct unrouted_path unrouted[MAX_UNROUTED_PATHS]; /* most recent ones */
	size_t n_unrouted;
	bool no_probes; /* do not send packets */
	bool has_relay; /* the other side has one */
	struct size_probe paths[SIZES]; /* paths with established subflows, see rules-probe.c */
	size_t n_paths;
	bool paths_known;
	struct path_probe asked[MAX_PATH_PROBES];
	struct heard heard[MAX_HEARD];
	size_t n_heard;
	int64_t waited; /* milliseconds in which such errors were noted */
	size_t n_asked;
	const struct check *earlier; /* a recent check whose answers still apply, or NULL */
	struct owners *owners; /* queried once */
	struct kept kept; /* queried once */
	bool kept_known;
	struct nl nl; /* for route lookups */
	struct nvme_mptcp_trial *trial; /* or NULL */
	const char *other_netns; /* network namespace of the other side, if known */
	struct nvme_mptcp_peer *peer; /* the other side's report, or NULL */
	int err; /* -ENOMEM */
};

#define MAX_PORTALS 64

/* Return setup's plan for a side of this machine, computed once; NULL if unknown. */
nvme_mptcp_plan_t check_plan(struct check *c, enum nvme_mptcp_role role);

/* True if setup is known to change nothing on that side. */
bool check_is_set_up(struct check *c, enum nvme_mptcp_role role);

/* True if setup would follow announcements, but a link of its plan is idle and none were followed. */
bool check_awaits_announcements(struct check *c);

/* True if setup uses the host's own endpoints; without a plan, if there are idle links. */
bool check_uses_own_endpoints(struct check *c);

/* True if setup's method is NVME_MPTCP_METHOD_ROUTED but finds no further source address. */
bool check_has_no_further_source(struct check *c);

/* Report joins that wait for addresses in networks that their link does not reach. */
void check_unroutable_joins(struct check *c, enum rule_id rule);

/* True if the target announced an address in the link's network to the trial. */
bool check_is_announced_on(const struct check *c, const struct nvme_mptcp_link *link);

/* True if all connections to @dst (@by_others: any to other targets) have a subflow from @ep. */
bool check_is_used_for(const struct check *c, const struct nvme_mptcp_endpoint *ep,
		       const struct in6_addr *dst, bool by_others);

/* True if R01 reported that the endpoint of this address has no route to a portal. */
bool check_has_no_route(const struct check *c, const struct in6_addr *local);

/* True if setup uses this link, or if there is no plan. */
bool check_plans_link(struct check *c, enum nvme_mptcp_role role,
		      const struct nvme_mptcp_link *link);

/*
 * True if this kernel does not support laminar endpoints, which it may show nevertheless: only
 * kernels that support them count them per connection. Call it only if there is such an endpoint.
 */
bool check_laminar_is_unsupported(const struct check *c);
bool check_plans_limits(struct check *c, enum nvme_mptcp_role role);
/* Add the plan's steps and make connections apply them; without a plan, add the setup command. */
void fix_plan(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role role);

/* Raise the subflow limit to @least or the kernel's maximum. True if it rises or suffices. */
bool fix_limits(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role role,
		size_t least);

void fix_setup(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role role);
void fix_relay(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role role);
/* Have a port carry MPTCP: with a relay, which needs no transport of the kernel, if one runs. */
void fix_plain_port(struct check *c, struct nvme_mptcp_finding *f, const struct target_port *port);

/*
 * Fix a join from @local over @link that cannot succeed: delete its endpoint if connections follow
 * announcements there; otherwise make the target announce addresses.
 */
void fix_unroutable_join(struct check *c, struct nvme_mptcp_finding *f,
			 const struct in6_addr *local, const struct nvme_mptcp_link *link);

/* Add the repair command, which renews endpoints unless that closes working subflows. */
void fix_repair(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side);

/* Add the command that ends the pause of MPTCP after a blackhole. */
void fix_blackhole(struct check *c, struct nvme_mptcp_finding *f);

/* Reset controllers that can reconnect. Only fix_reset_whole() resets one with all its subflows. */
void fix_reset_ctrl(struct check *c, struct nvme_mptcp_finding *f,
		    const struct nvme_mptcp_ctrl *ctrl);
void fix_reset_whole(struct check *c, struct nvme_mptcp_finding *f,
		     const struct nvme_mptcp_ctrl *ctrl);
void fix_reset_all(struct check *c, struct nvme_mptcp_finding *f);

/* Remove duplicate commands, in printing order, once all findings are final. Returns 0 or -ENOMEM. */
int fix_remove_duplicates(struct nvme_mptcp_findings *findings);

/* Add a command that links a subsystem to a port, which enables the port. */
void fix_offer(struct check *c, struct nvme_mptcp_finding *f, const struct target_port *port,
	       const char *subsystem);

/* Add commands that disable a port, set an attribute, and link the same subsystems again. */
void fix_port(struct check *c, struct nvme_mptcp_finding *f, const struct target_port *port,
	      const char *attribute, const char *value);

/* Set the reverse path filter of a link to loose mode. */
void fix_rp_filter(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
		   const char *link);

/* Make links answer ARP only for their own addresses. */
void fix_arp(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
	     const struct nvme_mptcp_link *const *links, size_t n);

/* Return "ip rule" or, for IPv6, "ip -6 rule": without a family, ip-rule(8) uses IPv4. */
const char *fix_rule_tool(const struct in6_addr *ip);

/* Enlarge the receive buffer of a side. @most is its present maximum in bytes, or 0. */
#define FIX_BUFFER 33554432LL /* bytes; enough for 128 KiB at queue depth 64 over several links */
void fix_buffer(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
		int64_t most);

/* Reset the controllers of connections that @is_such selects. */
void fix_reset(struct check *c, struct nvme_mptcp_finding *f,
	       bool (*is_such)(const struct check *c, const struct nvme_mptcp_connection *conn));

/* True if the trial's events show the outcome of each subflow, so that counters are not needed. */
bool check_has_events(const struct check *c);

/* True if a new connection of the controller does not reach the relay. Adds why, and a command. */
bool check_misses_relay(struct check *c, struct nvme_mptcp_finding *f,
			const struct nvme_mptcp_ctrl *ctrl);

bool check_has_found(const struct check *c, enum rule_id rule);
bool check_has_found_module(const struct check *c, const char *module); /* by K06 */
bool check_has_found_path(const struct check *c, enum rule_id rule, const struct in6_addr *local,
			  const struct in6_addr *remote);
bool check_has_found_link(const struct check *c, enum rule_id rule, const char *link);

/* Report F10, R05 or A13 if this host, or something it can observe, stops packets of a path. */
void check_report_path(struct check *c, const struct path_ends *ends);

/* True if F10, R05 or A13 has a finding about packets between these addresses. */
bool check_has_path_finding(const struct check *c, const struct in6_addr *local,
			    const struct in6_addr *remote);

/* Report working paths, the first @n of c->paths, whose packets or replies use another link. */
void check_report_returns(struct check *c, size_t n);

/* True if the route to @dst has several next hops. */
bool check_has_ways(struct check *c, const struct in6_addr *dst);

/* Return a setting of a link below net/ipv4/conf, or the one of "all" if that is larger. */
int64_t check_link_setting(struct check *c, const struct nvme_mptcp_link *link, const char *name);

bool check_same_ends(const struct path_ends *x, const struct path_ends *y);
/* Return the entry of a path, new or known; NULL if the table is full or probes are off. */
struct path_probe *check_find_probe(struct check *c, const struct path_ends *ends);
/* Probe a path, once. Returns NULL if probes are off or the table is full. */
const struct probe_result *check_probe_path(struct check *c, const struct path_ends *ends);

struct nvme_mptcp_event;
void check_ends_of(const struct nvme_mptcp_event *ev, struct path_ends *ret);

/* The side that this check runs on, and the other side. */
enum nvme_mptcp_role check_side(const struct check *c);
enum nvme_mptcp_role check_other_side(const struct check *c);
bool check_covers_ctrl(const struct check *c, const struct nvme_mptcp_ctrl *ctrl);
/* True if only the address, not the portals, is loopback or link-local: ambiguous elsewhere. */
bool check_has_local_scope(const struct check *c, const struct in6_addr *ip);

/*
 * Add commands that delete an endpoint, or add it with @flags and @dev (NULL: the same, "": none),
 * or both. If a working subflow would end, a sentence replaces them (fix-gate.c). True if commands
 * were added.
 */
bool fix_delete(struct check *c, struct nvme_mptcp_finding *f,
		const struct nvme_mptcp_endpoint *ep);
void fix_add(struct check *c, struct nvme_mptcp_finding *f, const struct nvme_mptcp_endpoint *ep,
	     int64_t flags, const char *dev);
/* Delete an endpoint whose subflows new connections replace by following announcements. */
bool fix_delete_announced(struct check *c, struct nvme_mptcp_finding *f,
			  const struct nvme_mptcp_endpoint *ep);
bool fix_replace(struct check *c, struct nvme_mptcp_finding *f,
		 const struct nvme_mptcp_endpoint *ep, int64_t flags, const char *dev);

/* True if keep has taken an endpoint of this link out of use. Keep restores it without help. */
bool check_is_out_of_use(struct check *c, const struct nvme_mptcp_link *link);
/* True if the link is a port of a bridge or bond, where replies never arrive. A08 reports it. */
bool check_is_enslaved(struct check *c, const struct nvme_mptcp_link *link);

/* Report an announced address whose link is in a VRF from which nothing is accepted. */
bool check_report_vrf(struct check *c, enum rule_id rule, const struct nvme_mptcp_endpoint *ep);
/* True if this host has a dead network card that announced addresses may lead to. */
bool check_has_dead_link(const struct check *c);

/* Find links of the host that reach a portal and are not used, once. Returns their number. */
size_t check_idle_links(struct check *c);

/* Return the identifier with which the target announced an address; 0: unknown. */
unsigned int check_announced_id(const struct check *c, const struct in6_addr *remote);

/* True if the host has exactly one wire with an address of the portals' family. */
bool check_has_one_segment(const struct check *c);
/* True if the endpoint's address may be missing only because a link is down. */
bool check_link_may_be_down(const struct check *c, const struct nvme_mptcp_endpoint *ep);

/* True if @link works but no route over it leads to @remote, and no routing rule explains that. */
bool check_link_is_unrouted(struct check *c, const struct nvme_mptcp_link *link,
			    const struct in6_addr *local, const struct in6_addr *remote);

/* True if an endpoint whose device does not have its address starts subflows from @local over @link. */
bool check_is_misplaced(const struct check *c, const struct in6_addr *local,
			const struct nvme_mptcp_link *link);

/* Return -errno if a rule or route forbids the path, else 0. IPv4 ignores these for bound sockets. */
int check_prohibiting_route(struct check *c, const struct in6_addr *local,
			    const struct in6_addr *remote);

struct nvme_mptcp_finding *finding_add_endpoint(struct check *c, enum rule_id rule,
						const struct nvme_mptcp_endpoint *ep);

/* True if all connections start from the endpoint's address. */
bool check_is_initial(const struct check *c, const struct nvme_mptcp_endpoint *ep);

/* True if a portal has the family of @ip, or if there are no portals. */
bool check_has_portal_family(const struct check *c, const struct in6_addr *ip);

/* True if the endpoint is on its own device and is of the kind that this side uses. */
bool check_is_relevant(const struct check *c, const struct nvme_mptcp_endpoint *ep);

/* True if another rule has a warning or error about this endpoint, or F10 about packets from it. */
bool check_endpoint_has_warning(const struct check *c, const struct nvme_mptcp_endpoint *ep);

/* Return a counter's growth since the earlier snapshot, if any, or its value; 0 if unknown. */
int64_t check_counter_growth(const struct check *c, const char *group, const char *name);

/* Return a counter's value since the namespace was created, for events that only connecting causes. */
int64_t check_counter_total(const struct check *c, const char *group, const char *name);

/* True if the busiest connection received more data than it sent between both snapshots. */
bool check_receives(struct check *c);

/* True if a subflow on this wire has a long round trip and its throughput is limited by loss. */
bool check_is_loss_limited(const struct check *c, const struct nvme_mptcp_link *link);

size_t check_ask_paths(struct check *c); /* fills c->paths, once; returns n_paths */
/* Return the bytes that these subflows moved between both snapshots, in both directions. */
int64_t check_path_growth(struct check *c, const struct path_ends *ends);

/* True if the trial has all subflows that endpoints and announcements should give it. */
bool check_trial_is_complete(const struct check *c);

/* True if a connection or the trial followed an announcement; if unknown, use check_announced(). */
bool check_has_followed(const struct check *c);

/* Return how many addresses were announced to the trial or, without one, to this namespace so far. */
int64_t check_announced(const struct check *c);

/* Return how many addresses were announced to the trial or, without one, between both snapshots. */
int64_t check_recent_announcements(const struct check *c);

/* Return a counter's growth. If that is 0 and @hit (connections show the effect), return its value. */
int64_t check_counter_growth_or_total(const struct check *c, const char *name, bool hit);

/* True if no other program's connection came or went meanwhile, so that it made no counter grow. */
bool check_owns_counter_growth(struct check *c);
/* True if the endpoint belongs to another program and does not affect NVMe. */
bool check_is_foreign_endpoint(struct check *c, const struct nvme_mptcp_endpoint *ep);

/* True if a working subflow of any program, except a trial's, depends on this endpoint. */
bool check_carries(struct check *c, const struct nvme_mptcp_endpoint *ep);

/* What must replace the subflows that end with an endpoint. */
enum gate_proof {
	GATE_REDUNDANT, /* the connection has another subflow on the same wire */
	GATE_ANNOUNCED, /* as above, or new connections follow an announcement instead */
	GATE_REJOIN, /* the subflow can start again: a trial connection can be joined like that */
};

/*
 * True if it is safe to print a command that deletes an endpoint or renews it on @dev (NULL: on its
 * device), disables a port, or makes a controller reconnect. If not, the finding gets the reason.
 * fix_gate_reset(): true if the controller can gain something by a reset.
 */
bool fix_gate_endpoint(struct check *c, struct nvme_mptcp_finding *f,
		       const struct nvme_mptcp_endpoint *ep, enum gate_proof proof,
		       const char *dev);
bool fix_gate_port(struct check *c, struct nvme_mptcp_finding *f, const struct target_port *port);
bool fix_gate_reconnect(struct check *c, struct nvme_mptcp_finding *f,
			const struct nvme_mptcp_ctrl *ctrl);
bool fix_gate_reset(struct check *c, const struct nvme_mptcp_ctrl *ctrl);

/* True if a subflow between these addresses is established over this link. */
bool check_is_carried(const struct check *c, const struct nvme_mptcp_link *link,
		      const struct in6_addr *local, const struct in6_addr *remote);

/* True if each connection has a working subflow from @local over @link, to any address. */
bool check_is_used_by_all(const struct check *c, const struct in6_addr *local,
			  const struct nvme_mptcp_link *link);

/* Return a link whose wire several subflows of one connection share; NULL if there is none. */
const struct nvme_mptcp_link *check_crowded_segment(const struct check *c);

/* True if there are connections, and each one fell back to plain TCP. */
bool check_all_fell_back(const struct check *c);

/* True if nvmet has a port whose transport uses several links. */
bool check_has_ports(const struct check *c);

/* True if all controllers bypass the relay, so that only a reset moves them to MPTCP. */
bool check_all_bypassed(const struct check *c);

bool check_has_extra_subflows(const struct check *c);
#define FOR_EACH_ENDPOINT(c, ep) FOR_EACH(ep, (c)->snap->endpoints, (c)->snap->n_endpoints)

#define FOR_EACH_CONN(c, conn) \
	for (const struct nvme_mptcp_connection *const *conn##_at = (c)->conns, *conn; \
	     conn##_at && conn##_at < (c)->conns + (c)->n_conns && (conn = *conn##_at); \
	     conn##_at++)

#define FOR_EACH_SUBFLOW(c, conn, sf) \
	FOR_EACH_CONN(c, conn) \
		FOR_EACH(sf, conn->subflows, conn->n_subflows)

int check_run(struct check *c); /* Run the rules on a snapshot. Returns 0 or -ENOMEM. */
void finding_sort_all(struct nvme_mptcp_findings *findings);
int check_prepare(struct check *c, const char *traddr, const char *trsvcid,
		  enum nvme_mptcp_role role);
int check_add_connection(struct check *c, const struct nvme_mptcp_connection *conn);
void check_clear(struct check *c);

#include "diverted.h"
#include "finding.h"
#include "join-findings.h"
#include "management-links.h"
#include "limited.h"
#include "next-hop.h"
#include "option-loss.h"
