/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The objects behind the handles of <nvme/mptcp.h>. Reading (settings.c, pm.c, diag.c, link.c,
 * route.c, owner.c, controller.c) fills arrays; snapshot_join() (join.c) then connects them. Arrays
 * grow only while reading, so pointers between objects exist only afterwards.
 */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/address.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "base/str.h"
#include <nvme/mptcp.h>
#include "counters.h"
#include "endpoint.h"
#include "mptcp/netlink/nl.h"

#define LINK_NAME 16 /* IFNAMSIZ */
#define ROUTE_HOPS 8 /* links of a route's next hops; more are left out */

/* How many there are: programs ask for names until there is none, so that they see what is added. */
#define NVME_MPTCP_PARTS (NVME_MPTCP_RECORDS + 1)
#define NVME_MPTCP_CONN_VALUES (NVME_MPTCP_CONN_FULLMESH_MAX + 1)
#define NVME_MPTCP_VALUES (NVME_MPTCP_RECEIVED_CE_BYTES + 1)

struct idmap;

struct problem {
	int err; /* positive errno, 0: none */
	char *text;
};

struct setting {
	char *name;
	char *value;
};

struct nvme_mptcp_link {
	int ifindex;
	int master;
	unsigned int flags;
	int64_t mtu;
	int64_t speed;
	bool used;
	bool usable; /* nvme_mptcp_link_is_usable() of either family */
	bool vrf; /* one that others belong to, with their addresses on them */
	bool in_vrf; /* it belongs to such a one: its routes are those of that table */
	int parent; /* the interface that a VLAN, macvlan or the like lies on, 0: none known here */
	uint8_t role; /* enum link_role: where its packets go, by the name of its kind */
	enum nvme_mptcp_link_kind kind;
	int wire; /* index of the interface whose cable it shares; its own if it shares none */
	char name[LINK_NAME];
};

/* An address of this network namespace and the interface that has it. */
struct local_address {
	struct in6_addr ip;
	int ifindex;
	uint32_t flags; /* IFA_F_* */
	uint8_t prefix;
	uint8_t scope;
};

struct nvme_mptcp_endpoint {
	struct in6_addr ip;
	int64_t flags;
	int64_t subflows;
	int ifindex;
	uint16_t port;
	uint8_t id;
	const struct nvme_mptcp_link *device;
	const struct nvme_mptcp_link *link;
	char address[ADDRESS_TEXT];
};

struct nvme_mptcp_subflow {
	struct socket_address local, remote;
	uint32_t inode;
	uint32_t token;
	bool has_token;
	uint64_t cookie; /* of a connection without a token, else 0 */
	bool is_bound;
	bool has_no_address; /* no interface that is up has its local address, as far as is known */
	bool has_no_route; /* to its peer, where it is bound to no device */
	uint8_t state;
	uint8_t family; /* of its socket, which may have IPv4 addresses and be one of IPv6 */
	uint8_t tos; /* or the traffic class */
	int ifindex; /* bound to, 0: none */
	uint32_t uid, mark; /* the kernel shows marks to root only: 0 */
	int16_t id_local, id_remote; /* or NVME_MPTCP_UNKNOWN */
	int64_t flags;
	const struct nvme_mptcp_link *link; /* that it leaves by; NULL: it is not known */
	const struct nvme_mptcp_link
		*possible[ROUTE_HOPS]; /* where its route has several next hops */
	size_t n_possible;
	struct nvme_mptcp_connection *connection;
	int64_t value[NVME_MPTCP_VALUES];
	char local_text[ADDRESS_TEXT];
	char remote_text[ADDRESS_TEXT];
};

struct nvme_mptcp_connection {
	struct socket_address local, remote;
	uint32_t inode;
	uint32_t uid;
	uint32_t token;
	bool has_token;
	uint64_t cookie; /* of its only subflow if it fell back before it got a token, else 0 */
	uint8_t state;
	int8_t fallback; /* 1, 0 or NVME_MPTCP_UNKNOWN */
	int ifindex; /* bound to, 0: none */
	int64_t pid; /* that holds it, 0: the kernel does */
	bool is_foreign; /* it leads to no portal and comes to no listener: no process was looked for */
	enum nvme_mptcp_attribution attribution;
	const struct nvme_mptcp_relay_connection
		*relayed; /* what the relay that has it tells; NULL: none has */
	struct nvme_mptcp_ctrl *ctrl;
	struct nvme_mptcp_shared *shared;
	struct nvme_mptcp_set *set; /* that it is listed in */
	const struct nvme_mptcp_connection *next; /* in the set */
	struct nvme_mptcp_subflow *subflows; /* a run of the snapshot's array */
	size_t n_subflows;
	int64_t value[NVME_MPTCP_CONN_VALUES];
	char local_text[ADDRESS_TEXT];
	char remote_text[ADDRESS_TEXT];
};

/* A socket that accepts connections: it explains a target, and carries nothing itself. */
struct listener {
	struct socket_address local;
	uint32_t inode;
	int ifindex;
};

struct nvme_mptcp_usage {
	const struct nvme_mptcp_link *link;
	const struct nvme_mptcp_link *possible[ROUTE_HOPS]; /* if that is not known */
	size_t n_possible;
	size_t subflows; /* that carry */
	size_t dead; /* established, and carry nothing */
	size_t pending;
	int64_t sent, received;
};

struct nvme_mptcp_set {
	struct nvme_mptcp_connection *first, *last;
	size_t count;
	size_t subflows;
	size_t fallback;
	struct nvme_mptcp_usage *usage;
	size_t n_usage;
	struct nvme_mptcp_coverage *coverage; /* see coverage.c */
	size_t n_coverage;
};

/* Both ends of the connection of a queue, as its controller shows them. */
struct ctrl_queue {
	struct socket_address local, remote;
};

struct nvme_mptcp_ctrl {
	char *name;
	char *subsystem; /* NULL before one has it */
	char *subsysnqn;
	char *transport;
	char *state;
	char *traddr, *trsvcid;
	char *host_traddr, *host_iface, *src_addr;
	int64_t expected;
	int cntlid; /* of one whose portal a relay serves, or NVME_MPTCP_UNKNOWN */
	bool is_served; /* a relay takes new connections to its portal; its transport is plain TCP */
	bool is_bypassed; /* and its connections go straight to the target all the same */
	struct socket_address portal;
	bool has_portal; /* traddr and trsvcid are an IP address and a port */
	struct in6_addr source; /* src_addr, else host_traddr */
	bool has_source;
	bool record_read;
	bool shows_queues; /* its kernel lists the live ones */
	struct ctrl_queue *queues;
	size_t n_queues;
	size_t n_shared;
	struct nvme_mptcp_set set;
};

/* Controllers of the same kind whose transport has one link: the first, and how many. */
struct plain_ctrls {
	char *name, *transport, *subsysnqn, *traddr, *trsvcid;
	size_t count;
};

struct portal_sockets;

/* Connections with equal ends, apart from the local port, fit the same controllers. */
struct nvme_mptcp_shared {
	struct nvme_mptcp_ctrl **ctrls;
	size_t n_ctrls;
	struct nvme_mptcp_set set;
};

struct nvme_mptcp_snapshot {
	struct problem problem[NVME_MPTCP_PARTS];
	char *netns;
	int64_t taken;
	int64_t limit_subflows;
	int64_t limit_add_addr_accepted;
	struct counters counters;
	uint64_t netns_id; /* 0: unknown */
	/* Bits of enum nvme_mptcp_connection_value that a report of an older version does not have. */
	uint64_t values_not_reported;
	const char *record_dir;

	struct setting *settings;
	size_t n_settings;
	struct nvme_mptcp_endpoint *endpoints;
	size_t n_endpoints;
	struct nvme_mptcp_connection *connections;
	size_t n_connections;
	struct portal_sockets *portals; /* where they lead to, see queues.c */
	size_t n_portals;
	struct nvme_mptcp_relay_status *relay; /* NULL: none runs, or it does not tell */
	struct listener *listeners;
	size_t n_listeners;
	struct nvme_mptcp_subflow *subflows;
	size_t n_subflows;
	size_t n_orphans; /* subflows without connection, behind the others */
	struct nvme_mptcp_link *links;
	size_t n_links;
	struct local_address *addresses;
	size_t n_addresses;
	struct nvme_mptcp_ctrl *ctrls;
	size_t n_ctrls;
	struct plain_ctrls plain;
	struct nvme_mptcp_shared *shared;
	size_t n_shared;
	struct nvme_mptcp_set userspace;
	struct nvme_mptcp_set other;
};

/* Does an MPTCP socket listen at an address, or at all of them? @port 0: at any port. */
bool snapshot_has_listener(const struct nvme_mptcp_snapshot *snap, const struct in6_addr *ip,
			   uint16_t port);

/* Appends to snap->problem[@part]; the first error counts, later ones are added in words. */
void problem_set(struct nvme_mptcp_snapshot *snap, enum nvme_mptcp_part part, int err,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Notes what was wrong with an answer: an error, or messages that are missing from it. */
void problem_of_answer(struct nvme_mptcp_snapshot *snap, enum nvme_mptcp_part part,
		       const struct nl *nl, int err, const char *what);

struct nvme_mptcp_snapshot *snapshot_new(void);

/* Each reads its part into the snapshot: -ENOMEM, or 0 with problems noted. */
int snapshot_read_settings(struct nvme_mptcp_snapshot *snap);
/* The number below /proc/sys/, the last one where there are several, or NVME_MPTCP_UNKNOWN. */
int64_t snapshot_sysctl(const char *path);
int snapshot_read_counters(struct nvme_mptcp_snapshot *snap);
int pm_read(struct nvme_mptcp_snapshot *snap);
int diag_read(struct nvme_mptcp_snapshot *snap);
int diag_read_connections(struct nvme_mptcp_snapshot *snap); /* without their subflows */
int snapshot_read_links(struct nvme_mptcp_snapshot *snap);
int snapshot_read_owners(struct nvme_mptcp_snapshot *snap);
int snapshot_read_ctrls(struct nvme_mptcp_snapshot *snap, nvme_root_t r);

/* Straight from /sys: also those that are being created, which no subsystem has yet. */
int snapshot_read_ctrls_sysfs(struct nvme_mptcp_snapshot *snap);
/* Of one that was read here. NULL: it has none of this name. */
const struct nvme_mptcp_ctrl *snapshot_find_ctrl(const struct nvme_mptcp_snapshot *snap,
						 const char *name);

void ctrl_free(struct nvme_mptcp_ctrl *ctrl);

static inline bool ctrl_state_is_live(const struct nvme_mptcp_ctrl *ctrl)
{
	return str_eq(ctrl->state, "live");
}

/* The portal of controller @name below class directory @classfd: 0, -EADDRNOTAVAIL: none; other -errno. */
int ctrl_read_portal(int classfd, const char *name, struct socket_address *ret);

/* Lines of queue_addrs, "NUMBER ADDRESS:PORT ADDRESS:PORT": 0 and an array to free, -EBADMSG, -ENOMEM. */
int ctrl_queues_parse(const char *text, struct ctrl_queue **ret, size_t *n);

/*
 * Queues and src_addr of the controller with this directory, whose state and portal are known, if it
 * is live and its kernel shows them: -ENOMEM, or 0 with problems noted.
 */
int ctrl_sockets_read(struct nvme_mptcp_snapshot *snap, struct nvme_mptcp_ctrl *ctrl, int dirfd);

/* nvme_mptcp_snapshot_take() without a tree, with what snapshot_read_ctrls_sysfs() finds. 0 or -errno. */
int snapshot_take_sysfs(const char *netns, struct nvme_mptcp_snapshot **ret);

/* Without controllers, owners and sets: what the network namespace alone gives. 0 or -errno. */
int snapshot_take_network(const char *netns, struct nvme_mptcp_snapshot **ret);

/* The same in a hurry: endpoints, connections, subflows, links and addresses. 0 or -errno. */
int snapshot_glance(const char *netns, struct nvme_mptcp_snapshot **ret);

/*
 * Which of several links subflows leave by, as far as the links' counters prove it. -ENOMEM, or 0 with
 * problems noted.
 */
int hops_decide(struct nvme_mptcp_snapshot *snap, struct nl *nl);

/* Which interface the kernel would send by, for subflows that are not bound; speeds of used links. */
int snapshot_read_routes(struct nvme_mptcp_snapshot *snap);
void snapshot_read_speeds(struct nvme_mptcp_snapshot *snap);

/* What its driver reports by now: Mbit/s or NVME_MPTCP_UNKNOWN. */
int64_t link_ask_speed(const struct nvme_mptcp_link *link);

/* Subflows to connections and links, endpoints to links; texts and order of everything. */
int snapshot_join(struct nvme_mptcp_snapshot *snap);

/* relayed.c: what a relay tells of connections; before they are put in order. -ENOMEM, or 0 with problems. */
int relayed_read(struct nvme_mptcp_snapshot *snap);
/* Does a relay serve any portals of this host? */
bool relayed_serves(const struct nvme_mptcp_snapshot *snap);
/* Does the relay of a target take connections to this port? */
bool relayed_takes(const struct nvme_mptcp_snapshot *snap, uint16_t port);
/* Does the relay serve the portal of a controller of plain TCP? Notes so, and where its connections lead. */
bool relayed_is_served(const struct nvme_mptcp_snapshot *snap, struct nvme_mptcp_ctrl *ctrl);
/* Does the relay of a host carry it? */
bool relayed_is_host(const struct nvme_mptcp_connection *conn);
/* Is this connection a queue of @ctrl? */
bool relayed_owns(const struct nvme_mptcp_ctrl *ctrl, const struct nvme_mptcp_relay_connection *c);
/* Which live controllers go past it, once connections have their controllers? -ENOMEM, or 0. */
int relayed_find_bypassed(struct nvme_mptcp_snapshot *snap);

/* Connections to controllers. */
int snapshot_attribute(struct nvme_mptcp_snapshot *snap);

/* What each set of connections uses. */
int snapshot_sum(struct nvme_mptcp_snapshot *snap);

/* The longest prefix of a default route: a VPN makes it in parts, as 0.0.0.0/1 and 128.0.0.0/1, or 2000::/3. */
#define DEFAULT_PREFIX 3

struct route_answer {
	int ifindex;
	bool gateway; /* through one, and not straight to the peer */
	bool assumed; /* there is no route: the kernel takes the peer for a neighbour */
	bool is_default; /* by a default route; known of route_ask_bound() and route_find() only */
	uint32_t table; /* that the route stands in, 0: unknown */
	struct in6_addr source; /* that the kernel sends from; "any" if it does not report one */
	struct in6_addr hop; /* the gateway, else the peer; "any" if it is of another kind */
};

/*
 * How the kernel would send a subflow's packets to @dst, whose port is 0 if it is not known: from @src if
 * that is not NULL, by interface @ifindex if that is not 0. 0, or -errno: -ENETUNREACH, ...
 */
int route_ask(struct nl *nl, const struct in6_addr *src, int ifindex,
	      const struct socket_address *dst, struct route_answer *ret);

/* Is this error of a question the answer that there is no route, and not a question that failed? */
bool route_is_none(int err);

/* A question about a route failed: noted with the links. -ENOMEM, or 0. */
int route_problem(struct nvme_mptcp_snapshot *snap, int err);

/*
 * The same for a socket that is bound to @src and @ifindex, as the subflows of an endpoint with a
 * device are.
 */
int route_ask_bound(struct nl *nl, const struct in6_addr *src, int ifindex,
		    const struct socket_address *dst, struct route_answer *ret);

/*
 * The same for a socket that is bound to nothing: the route to @dst chooses a source, and what rules
 * and tables make of that source decides.
 */
int route_ask_connect(struct nl *nl, const struct socket_address *dst, struct route_answer *ret);

/* Does the route to @dst have several next hops, of which the kernel picks one? */
bool route_has_hops(struct nl *nl, const struct socket_address *dst);

/* The hardware address of a network card. */
struct hardware {
	uint8_t byte[6];
};

/* What the kernel knows of a neighbour. */
struct neighbour {
	int state; /* NUD_* */
	bool has_hardware;
	struct hardware hardware;
};

/* 0, or -errno: -ENOENT if the kernel never asked for it. */
int route_ask_neighbour(struct nl *nl, int ifindex, const struct in6_addr *ip,
			struct neighbour *ret);

/* What the kernel reports of one link: the name of its kind or NULL, and what it lies on. */
void link_set_kind(struct nvme_mptcp_link *link, const char *kind, int parent);

/* Kinds and wires of all links, once they are all there and in the order of their indices. */
void link_sort_out(struct nvme_mptcp_snapshot *snap);

/* Is it one link, or do both lie on the same one (VLANs, macvlans, a bond)? */
bool link_same_wire(const struct nvme_mptcp_link *one, const struct nvme_mptcp_link *other);

/* Are connections and subflows complete, those of other users included? */
bool snapshot_shows_subflows(const struct nvme_mptcp_snapshot *snap);

struct nvme_mptcp_link *link_by_index(const struct nvme_mptcp_snapshot *snap, int ifindex);
/* The command by which the kernel starts subflows of new connections; NULL if it does already. */
const char *snapshot_kernel_manager(const struct nvme_mptcp_snapshot *snap);

const struct local_address *snapshot_find_address(const struct nvme_mptcp_snapshot *snap,
						  const struct in6_addr *ip);

/* Up, and with a signal? */
bool link_is_alive(const struct nvme_mptcp_link *link);

/* Is something in the way of a link? NULL if not, else a few words. */
const char *link_trouble(const struct nvme_mptcp_link *link);

/*
 * Does it only hold addresses, as a loopback or a dummy does? Packets from those leave by whichever links
 * the routes give.
 */
bool link_is_inner(const struct nvme_mptcp_link *link);

/* An address that peers can reach, of one family, and that the kernel would send from? */
bool link_address_is_global(const struct local_address *a, bool v4);

/* Is @ip in the network of an address, or of one of the addresses of @ifindex? */
bool link_address_has(const struct local_address *address, const struct in6_addr *ip);
bool link_network_has(const struct nvme_mptcp_snapshot *snap, int ifindex,
		      const struct in6_addr *ip);

/* "name" or "#7" for an interface. */
#define LINK_TEXT 24
const char *link_text(const struct nvme_mptcp_snapshot *snap, int ifindex,
		      char text[static LINK_TEXT]);

/* IFA_F_*, from bit 0. */
#define LINK_ADDRESS_FLAGS 11
extern const char *const link_address_flags[LINK_ADDRESS_FLAGS];

/*
 * Was it made while a path manager in user space was in charge? Then the kernel shows no limits for
 * it, whatever the settings are by now.
 */
bool connection_has_userspace_manager(const struct nvme_mptcp_snapshot *snap,
				      const struct nvme_mptcp_connection *conn);

size_t connection_count_established(const struct nvme_mptcp_connection *conn);
size_t connection_count_carrying(const struct nvme_mptcp_connection *conn);
/* Has it as many subflows besides the initial one as the limit permits? */
bool connection_is_full(const struct nvme_mptcp_connection *conn);
/*
 * Of one that lacks a subflow. The kernel stops to follow announcements at either limit, that of
 * announcements or that of subflows. It takes one off only if the target removes the address while a
 * subflow to it lives: those that died by themselves are never given back (mptcp_pm_add_addr_received()).
 */
bool connection_ignores_announcements(const struct nvme_mptcp_connection *conn);
/* Has it others, but none any more between the addresses that it began with? What replaces that one is counted. */
bool connection_lost_initial(const struct nvme_mptcp_connection *conn);

/*
 * Does it carry data: is it established, on a usable link, and does it make progress when it has data?
 * The kernel leaves a subflow established when its link goes down or loses its carrier and when its
 * address is deleted, so the state alone proves nothing. An unknown link gets the benefit of the doubt.
 */
bool subflow_carries(const struct nvme_mptcp_subflow *sf);

/* How long ago anything came from its peer; INT64_MAX if that is not known. */
int64_t subflow_heard_ms(const struct nvme_mptcp_subflow *sf);

/*
 * Has it timed out with something to deliver, and heard nothing since, while another subflow of its
 * connection was heard @siblings_ms ago, which is later? The carrier need not be gone. 3 % loss, 300 ms
 * more delay each way and full queues are not taken for that.
 */
bool subflow_is_silent(const struct nvme_mptcp_subflow *sf, int64_t siblings_ms);

/* What the subflows of some connections do now. */
enum subflow_pulse {
	SUBFLOWS_IDLE, /* nothing waits for its acknowledgement */
	SUBFLOWS_BUSY,
	SUBFLOWS_SILENT, /* one of them is, see subflow_is_silent() */
};

/* More ports than this are not looked at. */
#define SUBFLOW_PORTS 16

/* Those of some connections, in the order of their connections' tokens. From malloc(). */
struct subflow_beats {
	struct nvme_mptcp_subflow *subflows;
	size_t n;
};

/* Where to look for them: a dump for each port and family, which the kernel filters. */
struct subflow_places {
	uint16_t ports[SUBFLOW_PORTS];
	size_t n_ports;
	bool is_local; /* the ports of this side, not those of its peers */
	bool has_v4, has_v6; /* sockets of this family */
};

/*
 * Those that are established in the thread's network namespace and whose connections' tokens are in
 * @tokens. What they do in *@pulse. 0 or -errno.
 */
int subflow_feel_pulse(const struct idmap *tokens, const struct subflow_places *places,
		       struct subflow_beats *ret, enum subflow_pulse *pulse);

/*
 * The target's SYN/ACK came, and what proves the join to it, the third packet, did not arrive: the kernel
 * waits for its acknowledgement and sends nothing there.
 */
bool subflow_is_unconfirmed(const struct nvme_mptcp_subflow *sf);

/* Why one that is established carries nothing, in a few words about it or its link; NULL if it carries. */
const char *subflow_trouble(const struct nvme_mptcp_subflow *sf);

/* A join that waits for its answer since about three seconds? */
bool subflow_is_overdue(const struct nvme_mptcp_subflow *sf);

/* One message each: 0 and the object, or -EBADMSG. */
int pm_parse_endpoint(const struct nlmsghdr *nlh, struct nvme_mptcp_endpoint *ret);
int diag_parse_connection(const struct nlmsghdr *nlh, struct nvme_mptcp_connection *ret);
int diag_parse_subflow(const struct nlmsghdr *nlh, struct nvme_mptcp_subflow *ret);

/* Is this a socket of a connection, or one that listens? */
#define STATE_ESTABLISHED 1
#define STATE_SYN_SENT 2
#define STATE_CLOSE_WAIT 8
#define STATE_LISTEN 10

const char *diag_state_name(unsigned int state);
