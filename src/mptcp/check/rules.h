/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What rules see, and how they report what they find. */
#ifndef NVME_MPTCP_CHECK_PRIVATE_H
#define NVME_MPTCP_CHECK_PRIVATE_H

#include <nvme/mptcp/check.h>
#include "ask-way.h"
#include "owners.h"
#include <nvme/mptcp/plan.h>
#include "rule.h"
#include "subject.h"
#include "mptcp/plan/keep-own.h"
#include "mptcp/plan/keep-rate.h"
#include "mptcp/snapshot/command.h"
#include "mptcp/snapshot/json.h"
#include "mptcp/snapshot/snapshot.h"
#include "mptcp/snapshot/target.h"

struct check;

/* Each rule, as the table of rule-list.h has it. */
#define RULE_FUNCTION(id, severity, sides, function, title) \
	void rule_##function(struct check *c, enum rule_id rule);
RULES(RULE_FUNCTION)
#undef RULE_FUNCTION

struct pair {
	char *key;
	char *value;
};

/* What a command is to the others. Of equal ones the first is printed, if nothing else is noted. */
enum fix_kind {
	FIX_PLAIN,
	FIX_NOTICE, /* has connections notice the commands before it: the last one is printed */
	FIX_OF_PORT, /* takes a port out of use, or offers it again: each is printed */
	FIX_ADD, /* adds an endpoint */
	FIX_SETUP, /* works out a plan where it is run */
	FIX_LOOK, /* looks for what is a guess as long as only one side is known */
};

struct fix {
	enum nvme_mptcp_role side;
	enum fix_kind kind;
	char *command;
};

struct nvme_mptcp_finding {
	enum rule_id rule;
	enum nvme_mptcp_severity severity;
	enum nvme_mptcp_role side; /* where it is wrong */
	size_t order; /* of discovery */
	struct subject subject; /* its names are not kept: the objects are */
	char *object[SUBJECT_OBJECTS];
	char *text; /* of the subject */
	char *why;
	struct pair *evidence;
	size_t n_evidence;
	struct fix *fixes;
	size_t n_fixes;
};

struct nvme_mptcp_findings {
	unsigned int role; /* ON_*, of this side and of a report */
	unsigned int own_role; /* of this side */
	struct nvme_mptcp_finding *finding;
	size_t n;
	size_t ignored; /* of those that were found */
	char *trial; /* JSON of the trial that they rest on, or NULL */
	char *peer; /* name of the machine that the other side's report is of, or NULL */
	char *connects_by; /* what a connection to the address that was given would go by, or NULL */
};

/* An address that a host connects to, and where from. */
struct portal {
	struct socket_address address;
	const struct nvme_mptcp_ctrl *ctrl; /* one of those connected there, or NULL */
};

/* A link of the host that could carry subflows, and has none and no endpoint. */
struct idle {
	const struct nvme_mptcp_link *link;
	char address[ADDRESS_TEXT];
};

/* What became known of a way between two addresses. */
struct way {
	struct in6_addr local, remote;
	const struct nvme_mptcp_link *link;
	bool crossed; /* the link does not lead there */
};

#define MAX_WAYS 64

/* What of this host keeps packets or replies of a way back. */
enum way_verdict {
	WAY_FINE, /* nothing, as far as is known */
	WAY_FIREWALL,
	WAY_ELSEWHERE, /* replies come by another link */
	WAY_FORBIDDEN, /* a rule or route forbids it */
	WAY_MISLED, /* they go to, or replies come to, another machine: owners.h */
};

/* What packets of our own met; each question may take half a second. */
struct asked_way {
	struct way_ends ends;
	struct way_answer answer;
	enum way_verdict verdict;
	int forbidden; /* -errno of the route */
	bool is_asked, is_judged;
};

#define MAX_ASKED 16

/* What a module gives to the kernel, and by which alias it is asked for. */
struct offer {
	const char *module; /* "nvme_tcp" */
	const char *alias; /* "nvme-mptcp" */
};

struct join_proof;

/* What keep has noted of this network namespace. */
struct kept {
	struct keep_own own;
	bool runs; /* else it ended without putting back what it took out */
	int64_t now; /* by the clock of own.outs[].since */
};

/* Questions that a snapshot does not answer; tests answer them otherwise. */
struct check_ops {
	/* @src may be NULL, @ifindex 0. 0, or -errno of the kernel: -ENETUNREACH, ... */
	int (*route)(struct check *c, const struct in6_addr *src, int ifindex,
		     const struct in6_addr *dst, struct route_answer *ret);
	/* Does the route to @dst have several next hops? */
	bool (*has_ways)(struct check *c, const struct in6_addr *dst);
	/* NUD_* of a neighbour, or -errno: -ENOENT if it was never asked for. */
	int (*neighbour)(struct check *c, int ifindex, const struct in6_addr *ip);
	/* The last number in a file below /proc/sys/, or NVME_MPTCP_UNKNOWN. */
	int64_t (*setting)(struct check *c, const char *path);
	/* Can MPTCP sockets of this family be made? */
	bool (*has_family)(struct check *c, int family);
	/* 1, 0 or NVME_MPTCP_UNKNOWN. */
	int (*offers)(struct check *c, const struct offer *offer);
	/* How many endpoints the kernel has room for, at least; 0: unknown. */
	uint32_t (*table)(struct check *c);
	/* The greatest limit that the kernel takes; 0: unknown. */
	uint32_t (*limit_max)(struct check *c);
	/* Does this service run? @process is the name of its process. */
	bool (*is_active)(struct check *c, const char *unit, const char *process);
	/*
	 * What setup would do for a side, with these addresses of the target, ended by NULL; or NULL:
	 * any. -errno of nvme_mptcp_setup(); NULL: nobody can be asked.
	 */
	int (*plan)(struct check *c, enum nvme_mptcp_role role, const char *const *traddrs,
		    nvme_mptcp_plan_t *ret);
	/*
	 * The other network namespace that has connections from @source to @portal; with NULL the
	 * one where somebody listens there. False as well if there are several.
	 */
	bool (*netns_of)(struct check *c, const struct socket_address *portal,
			 const struct in6_addr *source, char *name, size_t size);
	/* See ask-way.h; these send packets. */
	int (*way)(struct check *c, const struct way_ends *ends, struct way_answer *ret);
	enum announced (*announced)(struct check *c, const struct way_ends *ends);
	void (*sizes)(struct check *c, struct size_probe *probe, size_t n);
	/* Does an ARP request from one link arrive at the other? NULL: that cannot be asked. */
	bool (*one_wire)(struct check *c, int one, int other, const struct in6_addr *local,
			 const struct in6_addr *remote);
	/* See owners.h. NULL: nobody can be asked. */
	void (*owners)(struct check *c, struct owner *all, size_t n);
	/* The same as way(), to one machine of those that have the next hop's address. */
	int (*way_to)(struct check *c, const struct way_ends *ends, const struct hardware *to,
		      struct way_answer *ret);
	/* Does a trial connection get the subflow that @proof describes? Takes seconds. */
	bool (*joins)(struct check *c, const struct join_proof *proof);
	/* 0 or -errno, if that cannot be read; NULL: keep is unknown here. */
	int (*kept)(struct check *c, struct kept *ret);
	/*
	 * Watches the connections as keep does, for two seconds or until a link is found slow: *@ret, to be
	 * cleared. 0 or -ENOMEM; NULL: there is nothing to watch.
	 */
	int (*rates)(struct check *c, struct keep_rates *ret);
};

struct check {
	struct nvme_mptcp_snapshot *snap;
	struct nvme_mptcp_snapshot *before;
	const char *const *ctrls;
	struct nvme_mptcp_findings *findings;
	unsigned int role; /* ON_* */
	bool before_connecting; /* an address was given */
	struct portal *portals; /* different addresses; at most MAX_PORTALS */
	size_t n_portals;
	const struct nvme_mptcp_connection *
		*conns; /* of the controllers, or of the target's hosts */
	size_t n_conns;
	struct target nvmet; /* of this machine */
	const struct check_ops *ops;
	struct idle *idle; /* see check_idle_links() */
	size_t n_idle;
	bool idle_known;
	bool plan_printed; /* a finding has the host's commands */
	nvme_mptcp_plan_t plan[NVME_MPTCP_ROLE_TARGET + 1]; /* see check_plan() */
	bool plan_known[NVME_MPTCP_ROLE_TARGET + 1];
	struct way ways[MAX_WAYS]; /* the latest ones */
	size_t n_ways;
	bool no_probes; /* no packets are to be sent */
	struct size_probe paths[SIZES]; /* that carry something, see rules-way.c */
	size_t n_paths;
	bool paths_known;
	struct asked_way asked[MAX_ASKED];
	size_t n_asked;
	const struct check *earlier; /* of seconds ago, whose answers still hold; or NULL */
	struct owners *owners; /* asked for once */
	struct kept kept; /* asked for once */
	bool kept_known;
	struct nl nl; /* for routes */
	struct nvme_mptcp_trial *trial; /* or NULL */
	const char *other_netns; /* the network namespace of the other side, if that is known */
	struct nvme_mptcp_peer *peer; /* what the other side reports, or NULL */
	int err; /* -ENOMEM */
};

#define MAX_PORTALS 64

/* A new finding; NULL without memory, which all functions below take. */
struct nvme_mptcp_finding *finding_add(struct check *c, enum rule_id rule, struct subject subject);
/* The same about a path; NULL also if the rule has found it already. */
struct nvme_mptcp_finding *finding_add_path(struct check *c, enum rule_id rule,
					    const struct in6_addr *local,
					    const struct in6_addr *remote);
/* The reason, a sentence that begins with its subject: it is read alone. */
void finding_why(struct check *c, struct nvme_mptcp_finding *f, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* What is to be said after that. */
void finding_why_more(struct check *c, struct nvme_mptcp_finding *f, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The same, of which the finding's subject is the beginning: "Endpoint 2 (10.1.2.2)" and this text. */
void finding_why_subject(struct check *c, struct nvme_mptcp_finding *f, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void finding_fact(struct check *c, struct nvme_mptcp_finding *f, const char *key, const char *fmt,
		  ...) __attribute__((format(printf, 4, 5)));
/* NULL: it has none of this key. */
const char *finding_get_fact(const struct nvme_mptcp_finding *f, const char *key);
/* What a probe proved: the refused port is closed; an echo request was answered. */
#define FACT_CLOSED "closed_port"
#define FACT_ECHO "echo"
#define FACT_REJECTED_BY "rejected_by"
#define FACT_NEXT_HOP "next_hop"
#define FACT_ROUTER "router"
#define FACT_OWN_ROUTE "own_route"
#define FACT_REMOTE "remote"
#define FACT_LEAVES_BY "leaves_by"
#define FACT_JOINS "joins"
/* The link that carries what another one ought to: C14 is explained by that. */
#define FACT_CROWDED "crowded"
/* Why that is so. */
#define ROUTES_CHOOSE "routes choose the link of subflows that follow announcements"
/*
 * A command that mends it, ready for a shell; of the side that is checked it gets the namespace that
 * was looked at, if that is not the caller's.
 */
void finding_fix(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The same in another namespace of this machine than the one that was looked at. */
void finding_fix_in(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
		    const char *netns, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* One that has its namespace already. */
void finding_fix_as_it_is(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
			  const char *command);

/* Notes what the command that was added last is to the others. */
void finding_fix_is(struct nvme_mptcp_finding *f, enum fix_kind kind);

/* Findings, as nvme_mptcp_findings_to_json() has them. */
void finding_encode_all(struct json_stream *s, const char *key, nvme_mptcp_findings_t findings);

/* Takes its commands back. */
void finding_drop_fixes(struct nvme_mptcp_finding *f);

/* Frees what belongs to it. */
void finding_clear(struct nvme_mptcp_finding *f);

/* What setup would do for a side of this machine, asked for once; NULL if that is not known. */
nvme_mptcp_plan_t check_plan(struct check *c, enum nvme_mptcp_role role);

/* Is it known that setup would do nothing? Then that side is as it is meant to be. */
bool check_is_set_up(struct check *c, enum nvme_mptcp_role role);

/*
 * Is this host set up to follow announcements on several links, one of which nothing uses, and has no
 * connection been announced any address?
 */
bool check_waits_in_vain(struct check *c);

/* Do the host's own endpoints, set up, give connections all that they can have? */
bool check_starts_by_itself(struct check *c);

/* Does setup, on a host whose links' addresses routers need not know, find no address to start subflows from? */
bool check_has_no_further_source(struct check *c);

/* Joins that wait for addresses in networks that their link does not lead to. */
void check_hopeless_joins(struct check *c, enum rule_id rule);

/* Did the trial meet an announced address in a network of the link? Counters name no address. */
bool check_is_announced_on(const struct check *c, const struct nvme_mptcp_link *link);

/* Do all connections to a target, or (@by_others) some to any other one, have a subflow from it? */
bool check_is_used_for(const struct check *c, const struct nvme_mptcp_endpoint *ep,
		       const struct in6_addr *dst, bool by_others);

/* Is it found that the endpoint of this address has no route to a portal? */
bool check_has_no_route(const struct check *c, const struct in6_addr *local);

/* Does setup, as far as is known, use this link? */
bool check_plans_link(struct check *c, enum nvme_mptcp_role role,
		      const struct nvme_mptcp_link *link);

/*
 * Does this side's kernel not know laminar endpoints? Kernels drop flags that they do not know, or keep
 * and show them; those that know this one count its endpoints in each connection. For when there is such an endpoint.
 */
bool check_lacks_laminar(const struct check *c);

/* Does setup change a limit? */
bool check_plans_limits(struct check *c, enum nvme_mptcp_role role);

/* The steps of that plan, and what makes connections notice; without one, the command that does it. */
void fix_plan(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role role);

/*
 * Its limits only, if they give room for @least subflows, or else a command that does, as far as that
 * kernel takes it. Is there more room then, or enough already?
 */
bool fix_limits(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role role,
		size_t least);

/* The command that sets up a side, whose plan is made there. */
void fix_setup(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role role);
/* The same with a relay. */
void fix_relay(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role role);

/*
 * Of a join from @local by @link that can lead nowhere: where connections follow announcements by that link,
 * its endpoint is of no use; elsewhere the target has to announce.
 */
void fix_hopeless(struct check *c, struct nvme_mptcp_finding *f, const struct in6_addr *local,
		  const struct nvme_mptcp_link *link);

/* Brings subflows back by renewing endpoints, where nothing that lives is lost by that. */
void fix_repair(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side);

/* Adds the command that ends the time of plain TCP after a blackhole. */
void fix_blackhole(struct check *c, struct nvme_mptcp_finding *f);

/* A controller is reset, if it comes back; the first one resets none that has all it can have. */
void fix_reset_ctrl(struct check *c, struct nvme_mptcp_finding *f,
		    const struct nvme_mptcp_ctrl *ctrl);
void fix_reset_whole(struct check *c, struct nvme_mptcp_finding *f,
		     const struct nvme_mptcp_ctrl *ctrl);
void fix_reset_all(struct check *c, struct nvme_mptcp_finding *f);

/*
 * Each command once, over all findings in the order printed; what makes connections notice comes
 * last. When no finding is taken back any more. 0 or -ENOMEM.
 */
int fix_tidy(struct nvme_mptcp_findings *findings);

/* Offers a subsystem on a port, which enables it. */
void fix_offer(struct check *c, struct nvme_mptcp_finding *f, const struct target_port *port,
	       const char *subsystem);

/* Takes a port out of use, sets an attribute, and offers the same subsystems again. */
void fix_port(struct check *c, struct nvme_mptcp_finding *f, const struct target_port *port,
	      const char *attribute, const char *value);

/* Loosens the reverse path filter of a link. */
void fix_rp_filter(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
		   const char *link);

/* Has links answer ARP for their own addresses alone; others may answer for those of a loopback. */
void fix_arp(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
	     const struct nvme_mptcp_link *const *links, size_t n);

/* "ip rule" or, where @ip is of IPv6, "ip -6 rule": without a family it is IPv4's. */
const char *fix_rule_tool(const struct in6_addr *ip);

/* A larger receive buffer on a side, where it is @most bytes by now, or 0. */
#define FIX_BUFFER 33554432LL /* bytes that carry 128 KiB at depth 64 over several links */
void fix_buffer(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
		int64_t most);

/* Resets the controllers that have such connections: they connect anew. */
void fix_reset(struct check *c, struct nvme_mptcp_finding *f,
	       bool (*is_such)(const struct check *c, const struct nvme_mptcp_connection *conn));

/* Do the events of a trial report of each subflow what became of it? Then counters are not needed. */
bool check_has_events(const struct check *c);

/* Has this rule found something already? */
bool check_has_found(const struct check *c, enum rule_id rule);

/* F10, R05 or A13, if it is this host that keeps packets back or something that it can see. */
void check_report_way(struct check *c, const struct way_ends *ends);

/* Has F10, R05 or A13 reported what becomes of packets between these addresses? */
bool check_has_found_way(const struct check *c, const struct in6_addr *local,
			 const struct in6_addr *remote);

/* Two links, each of which gets the replies to what leaves by the other one. @n: of c->paths */
void check_report_swapped(struct check *c, size_t n);

bool check_same_ends(const struct way_ends *x, const struct way_ends *y);

/* The entry of a way, new or known; NULL if there are too many, or no packets are to be sent. */
struct asked_way *check_find_way(struct check *c, const struct way_ends *ends);

/* What becomes of packets between both ends, asked once; NULL if no packets are to be sent. */
const struct way_answer *check_ask_way(struct check *c, const struct way_ends *ends);

/* F02: a join that a message says may not pass; @way: NULL, or what was asked. */
struct nvme_mptcp_finding *check_turned_away(struct check *c, const struct in6_addr *local,
					     const struct socket_address *remote,
					     const struct way_answer *way);

/* Does the next hop not answer? R08 of a join that needs it; NULL: there is one. */
bool check_is_silent(struct check *c, const struct route_answer *route);
struct nvme_mptcp_finding *check_silent_hop(struct check *c, const struct in6_addr *local,
					    const struct in6_addr *remote,
					    const struct route_answer *route);

/* The ends of a subflow that an event is about. */
struct nvme_mptcp_event;
void check_ends_of(const struct nvme_mptcp_event *ev, struct way_ends *ret);

/* The side that the check runs on, for commands. */
enum nvme_mptcp_role check_side(const struct check *c);
enum nvme_mptcp_role check_other_side(const struct check *c);

bool check_covers_ctrl(const struct check *c, const struct nvme_mptcp_ctrl *ctrl);

/*
 * Commands that delete an endpoint, and add it again with all that it has but @flags and @dev. A sentence
 * takes their place where a subflow that works would end (fix-gate.c); is a command printed?
 */
bool fix_delete(struct check *c, struct nvme_mptcp_finding *f,
		const struct nvme_mptcp_endpoint *ep);
void fix_add(struct check *c, struct nvme_mptcp_finding *f, const struct nvme_mptcp_endpoint *ep,
	     int64_t flags, const char *dev);
/* Deletes one where connections, once they are made again, follow announcements in its place. */
bool fix_delete_announced(struct check *c, struct nvme_mptcp_finding *f,
			  const struct nvme_mptcp_endpoint *ep);
bool fix_again(struct check *c, struct nvme_mptcp_finding *f, const struct nvme_mptcp_endpoint *ep,
	       int64_t flags, const char *dev);

/* Has keep taken an endpoint of this link out of use? It puts that back by itself. */
bool check_is_kept_out(struct check *c, const struct nvme_mptcp_link *link);

/* Is it a port of a bridge or a bond, where no reply reaches an address? Then A08 reports it. */
bool check_is_enslaved(struct check *c, const struct nvme_mptcp_link *link);
/* Has this host a network card that is dead, and that announcements may ask for? */
bool check_has_dead_link(const struct check *c);

/* Links of the host that reach a portal and are not used; worked out once. Their number. */
size_t check_idle_links(struct check *c);

/* Has the host a single wire with an address of the portals' family? */
bool check_has_one_wire(const struct check *c);

/* Could it be that its address only went for a while, since a link is down? */
bool check_is_away(const struct check *c, const struct nvme_mptcp_endpoint *ep);

/* Are two addresses in networks that do not meet, whatever link, neighbour or rule is mended? */
bool check_is_apart(struct check *c, const struct nvme_mptcp_link *link,
		    const struct in6_addr *local, const struct in6_addr *remote);

/* Does an endpoint on a device without its address start subflows from @local by @link? */
bool check_is_misplaced(const struct check *c, const struct in6_addr *local,
			const struct nvme_mptcp_link *link);

/* -errno of a rule or route that forbids the way, 0 if none does; with a device IPv4 passes over it. */
int check_forbidding(struct check *c, const struct in6_addr *local, const struct in6_addr *remote);

struct nvme_mptcp_finding *finding_add_endpoint(struct check *c, enum rule_id rule,
						const struct nvme_mptcp_endpoint *ep);

/* Is its address the one that all connections start from anyway? */
bool check_is_initial(const struct check *c, const struct nvme_mptcp_endpoint *ep);

/* Is it of the family of a portal, or is there none? */
bool check_fits_a_portal(const struct check *c, const struct in6_addr *ip);

/* Is it one that this side works with, and on its own device? */
bool check_concerns(const struct check *c, const struct nvme_mptcp_endpoint *ep);

/* Has another rule reported what is wrong with this endpoint? */
bool check_has_found_wrong(const struct check *c, const struct nvme_mptcp_endpoint *ep);

/* How much a counter has grown since the snapshot before, or since boot; 0 if unknown. */
int64_t check_counter_growth(const struct check *c, const char *group, const char *name);

/* What it is since the namespace was made: what happened once at connecting is long over. */
int64_t check_counter_total(const struct check *c, const char *group, const char *name);

/* Was the busiest connection's data received, between both snapshots, rather than sent? */
bool check_receives(struct check *c);

/* Is the way over a link long, and does loss decide what a subflow of it carries? */
bool check_loss_holds(const struct check *c, const struct nvme_mptcp_link *link);

/* Bytes that subflows between these addresses moved between both snapshots, both ways. */
int64_t check_path_growth(struct check *c, const struct way_ends *ends);

/* Has the trial all subflows that endpoints and announcements were to give it? */
bool check_trial_is_complete(const struct check *c);

/* Has a connection, or the trial, followed an announcement? Unknown counts as what this namespace counted. */
bool check_has_followed(const struct check *c);

/* Addresses that the target announced to the trial; without one, all that this namespace counted. */
int64_t check_announced(const struct check *c);

/* Those that it announced to the trial, or between both snapshots. */
int64_t check_announced_lately(const struct check *c);

/* How much it has grown, and if it has not but connections show that they were hit: its total. */
int64_t check_counter_lately(const struct check *c, const char *name, bool hit);

/*
 * Can what counters of this namespace grew by only be the trial's, or the controllers'? Not while
 * connections of other programs came or went between both samples.
 */
bool check_growth_is_ours(struct check *c);

/* Is it another program's endpoint, which NVMe has no harm of? */
bool check_is_of_others(struct check *c, const struct nvme_mptcp_endpoint *ep);

/* Does a subflow that works have its address, of whatever program? None of a trial, which is over. */
bool check_carries(struct check *c, const struct nvme_mptcp_endpoint *ep);

/* What takes the place of subflows that end with an endpoint. */
enum gate_proof {
	GATE_DOUBLED, /* the connection has another one on the same wire */
	GATE_ANNOUNCED, /* that, or one to an announced address, which new connections have too */
	GATE_AGAIN, /* it starts again: a trial connection is joined from that address */
};

/*
 * May a command be printed that deletes an endpoint, for good or to be added again on @dev (NULL: as it
 * is); that takes a port out of use; after which a controller has to come back? If not, the finding says why.
 */
bool fix_gate_endpoint(struct check *c, struct nvme_mptcp_finding *f,
		       const struct nvme_mptcp_endpoint *ep, enum gate_proof proof,
		       const char *dev);
bool fix_gate_port(struct check *c, struct nvme_mptcp_finding *f, const struct target_port *port);
bool fix_gate_return(struct check *c, struct nvme_mptcp_finding *f,
		     const struct nvme_mptcp_ctrl *ctrl);
bool fix_gate_reset(struct check *c, const struct nvme_mptcp_ctrl *ctrl);

/* Is a subflow established by this link between these addresses? */
bool check_is_carried(const struct check *c, const struct nvme_mptcp_link *link,
		      const struct in6_addr *local, const struct in6_addr *remote);

/*
 * Has each connection a subflow from @local by @link, to whatever address? Then that link is used, and what is
 * wrong with an endpoint of it costs nothing.
 */
bool check_is_used_by_all(const struct check *c, const struct in6_addr *local,
			  const struct nvme_mptcp_link *link);

/* A link that several subflows of one connection share, or whose wire they share; NULL: there is none. */
const struct nvme_mptcp_link *check_crowded_wire(const struct check *c);

/* Did a connection of the controllers fall back to plain TCP, or all of them? */
bool check_has_fallback(const struct check *c);
bool check_all_fell_back(const struct check *c);

/* Is there a port whose transport has several links? */
bool check_has_ports(const struct check *c);

/* Is there no connection over MPTCP, and have all controllers to be reset first to make one? */
bool check_all_bypassed(const struct check *c);

/* Does a connection have more than its initial subflow? */
bool check_has_extra_subflows(const struct check *c);

#define FOR_EACH_ENDPOINT(c, ep) \
	for (const struct nvme_mptcp_endpoint *ep = (c)->snap->endpoints; \
	     ep && ep < (c)->snap->endpoints + (c)->snap->n_endpoints; ep++)

/* The rules on a snapshot, with whatever answers their questions. 0 or -ENOMEM. */
int check_run(struct check *c);
void finding_sort_all(struct nvme_mptcp_findings *findings);
int check_prepare(struct check *c, const char *traddr, const char *trsvcid,
		  enum nvme_mptcp_role role);
int check_add_connection(struct check *c, const struct nvme_mptcp_connection *conn);
void check_clear(struct check *c);

#include "beside.h"
#include "plain.h"

#endif /* NVME_MPTCP_CHECK_PRIVATE_H */
