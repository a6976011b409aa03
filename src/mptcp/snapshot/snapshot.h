/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The objects behind the handles of <nvme/mptcp.h>. Reading (settings.c, pm.c, diag.c, link.c,
 * route.c, owner.c, controller.c) fills arrays; snapshot_join() (join.c) then connects them. Arrays
 * grow only while reading, so pointers between objects exist only afterwards.
 */
#pragma once

#include <netinet/in.h>

#include "shared/getter.h"
#include "counters.h"
#include "endpoint.h"
#include "mptcp/netlink/nl.h"

#define LINK_NAME 16 /* IFNAMSIZ */
#define ROUTE_HOPS 8 /* maximum number of next-hop links per route; further ones are dropped */

/* Sizes of enums. Private: programs ask for names until one is NULL. */
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

/* The hardware address of a network card. */
struct hardware {
	uint8_t byte[6];
};

struct nvme_mptcp_link {
	int ifindex;
	int master;
	unsigned int flags;
	int64_t mtu;
	int64_t speed;
	bool used;
	bool usable; /* nvme_mptcp_link_is_usable() for IPv4 or IPv6 */
	bool vrf; /* a VRF, whose ports keep their addresses */
	bool in_vrf; /* port of a VRF: the routes of that VRF's table apply */
	bool vrf_is_down; /* port of a VRF that is switched off: nothing gets through */
	int parent; /* interface below a VLAN, macvlan or similar; 0: none or unknown */
	uint8_t role; /* enum link_role, from the name of its kind */
	const char *type; /* the kernel's name of its kind, such as "vlan"; NULL: none or unknown */
	int vlan; /* id of a VLAN; 0: none */
	int active_port; /* the port that a bond sends over; 0: several, none or unknown */
	bool spreads; /* a bond that sends over all its ports without negotiating that */
	bool unmonitored; /* a bond that does not notice that a port is dead */
	bool no_partner; /* a bond by LACP (802.3ad) whose other end does not take part */
	uint16_t aggregator; /* the one that a bond by LACP uses; of its port, its own; 0: none */
	uint32_t table; /* of a VRF's routes; 0: unknown */
	bool filters_vlans; /* a bridge that lets VLANs pass as they are listed */
	int vlan_gate; /* the bridge below, or a port, that stops its VLAN; 0: none or unknown */
	enum nvme_mptcp_link_kind kind;
	int wire; /* ifindex of the interface whose cable it shares, its own if none */
	uint8_t port_state; /* BR_STATE_* of a bridge's port; 0 (disabled) for other links */
	bool has_xdp; /* an eBPF program sees what arrives before all else does */
	bool has_hardware;
	struct hardware hardware; /* its own address */
	char queueing[LINK_NAME]; /* root queueing discipline, such as "fq_codel"; "": unknown */
	struct in6_addr far_end; /* of a tunnel; "any" if it has none */
	char name[LINK_NAME];
};

/* An address of this network namespace and its interface. */
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
	bool has_no_address; /* no interface that is up has the address, or its device is gone */
	bool has_no_route; /* no route to its peer; only set if it is bound to no device */
	uint8_t state;
	uint8_t family; /* of the socket: an IPv6 socket may have IPv4 addresses */
	uint8_t tos; /* TOS or traffic class */
	int ifindex; /* bound to, 0: none */
	uint32_t uid, mark; /* mark is 0 without root: the kernel hides it */
	int16_t id_local, id_remote; /* or NVME_MPTCP_UNKNOWN */
	int64_t flags;
	const struct nvme_mptcp_link *link; /* outgoing link; NULL: unknown */
	const struct nvme_mptcp_link
		*possible[ROUTE_HOPS]; /* candidates for link, if its route has several next hops */
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
	int64_t pid; /* of the process that holds the socket; 0: the kernel */
	bool is_foreign; /* to no portal and to no listener: no process was searched for */
	enum nvme_mptcp_attribution attribution;
	const struct nvme_mptcp_relay_connection
		*relayed; /* from the relay that carries it; NULL: none does */
	struct nvme_mptcp_ctrl *ctrl;
	struct nvme_mptcp_shared *shared;
	struct nvme_mptcp_set *set; /* the set that lists it */
	const struct nvme_mptcp_connection *next; /* next one in set */
	struct nvme_mptcp_subflow *subflows; /* part of the snapshot's array */
	size_t n_subflows;
	int64_t value[NVME_MPTCP_CONN_VALUES];
	char local_text[ADDRESS_TEXT];
	char remote_text[ADDRESS_TEXT];
};

/* A listening socket. It indicates a target and carries no data. */
struct listener {
	struct socket_address local;
	uint32_t inode;
	int ifindex;
};

struct nvme_mptcp_usage {
	const struct nvme_mptcp_link *link;
	const struct nvme_mptcp_link *possible[ROUTE_HOPS]; /* candidates, if link is NULL */
	size_t n_possible;
	size_t subflows; /* that carry data */
	size_t dead; /* established, but carry no data */
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

/* Both ends of a queue's connection, as its controller shows them. */
struct ctrl_queue {
	struct socket_address local, remote;
};

struct nvme_mptcp_ctrl {
	char *name;
	char *subsystem; /* NULL until the controller belongs to one */
	char *subsysnqn;
	char *transport;
	char *state;
	char *traddr, *trsvcid;
	char *host_traddr, *host_iface, *src_addr;
	int64_t expected;
	int cntlid; /* if a relay serves its portal, else NVME_MPTCP_UNKNOWN */
	bool is_served; /* plain TCP, and a relay accepts new connections to its portal */
	bool is_bypassed; /* is_served, but its connections go directly to the target */
	struct socket_address portal;
	bool has_portal; /* traddr and trsvcid are an IP address and a port */
	struct in6_addr source; /* src_addr, else host_traddr */
	bool has_source;
	bool record_read;
	bool shows_queues; /* its kernel shows the live queues */
	struct ctrl_queue *queues;
	size_t n_queues;
	size_t n_shared;
	struct nvme_mptcp_set set;
};

/* Controllers of similar transports with a single link: the first one, and their count. */
struct plain_ctrls {
	char *name, *transport, *subsysnqn, *traddr, *trsvcid;
	char *bound; /* one whose relay cannot carry it, because of its host_iface */
	size_t count;
};

struct portal_sockets;

/* Connections that several controllers fit, and that differ in the local port at most. */
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
	/* Bits of enum nvme_mptcp_connection_value that an older report does not have. */
	uint64_t values_not_reported;
	const char *record_dir;

	struct setting *settings;
	size_t n_settings;
	struct nvme_mptcp_endpoint *endpoints;
	size_t n_endpoints;
	struct nvme_mptcp_connection *connections;
	size_t n_connections;
	struct portal_sockets *portals; /* sums of connections per portal, see queues.c */
	size_t n_portals;
	struct nvme_mptcp_relay_status *relay; /* NULL: none runs, or it does not answer */
	struct listener *listeners;
	size_t n_listeners;
	struct nvme_mptcp_subflow *subflows;
	size_t n_subflows;
	size_t n_orphans; /* subflows without connection, at the end of subflows */
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

/* True if an MPTCP socket listens at @ip, or at all addresses, and at @port (0: any port). */
bool snapshot_has_listener(const struct nvme_mptcp_snapshot *snap, const struct in6_addr *ip,
			   uint16_t port);

/* Append a problem to snap->problem[@part]. The first error is kept; later ones only add text. */
void problem_set(struct nvme_mptcp_snapshot *snap, enum nvme_mptcp_part part, int err,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Note an error of an answer, or that messages are missing from it. */
void problem_of_answer(struct nvme_mptcp_snapshot *snap, enum nvme_mptcp_part part,
		       const struct nl *nl, int err, const char *what);

struct nvme_mptcp_snapshot *snapshot_new(void);

/* Size of a buffer for the path of a setting. */
#define SETTING_PATH 256

/* Write a setting, by its name below /proc/sys/net/mptcp or its path. Return 0 or -errno. */
int setting_write(const char *name, int64_t value);

/* Each reads one part into the snapshot. Return -ENOMEM, or 0 with problems noted. */
int snapshot_read_settings(struct nvme_mptcp_snapshot *snap);
/* Return the (last) number in a file below /proc/sys/, or NVME_MPTCP_UNKNOWN. */
int64_t snapshot_sysctl(const char *path);
/* Return number @i of such a file, counted from 0. */
int64_t snapshot_sysctl_number(const char *path, size_t i);
int snapshot_read_counters(struct nvme_mptcp_snapshot *snap);
int pm_read(struct nvme_mptcp_snapshot *snap);
int diag_read(struct nvme_mptcp_snapshot *snap);
int diag_read_connections(struct nvme_mptcp_snapshot *snap); /* without their subflows */
/* Add the TCP sockets with these inodes as connections in fallback. Return 0 or -errno. */
int diag_read_plain(struct nvme_mptcp_snapshot *snap, const struct idmap *inodes);
/* Return the connections by inode; NULL if out of memory. */
struct idmap *diag_index_inodes(const struct nvme_mptcp_snapshot *snap);
struct idmap *diag_index_tokens(const struct nvme_mptcp_snapshot *snap);
int snapshot_read_links(struct nvme_mptcp_snapshot *snap);

/* Find what stops VLANs on bridges, once the links are known. Returns 0 or -ENOMEM. */
int snapshot_read_gates(struct nvme_mptcp_snapshot *snap);
int snapshot_read_owners(struct nvme_mptcp_snapshot *snap);
int snapshot_read_ctrls(struct nvme_mptcp_snapshot *snap, nvme_root_t r);

/* Read controllers from /sys, including those being created, which have no subsystem. */
int snapshot_read_ctrls_sysfs(struct nvme_mptcp_snapshot *snap);
/* Find a controller by name; NULL if none. */
const struct nvme_mptcp_ctrl *snapshot_find_ctrl(const struct nvme_mptcp_snapshot *snap,
						 const char *name);

void ctrl_free(struct nvme_mptcp_ctrl *ctrl);

static inline bool ctrl_state_is_live(const struct nvme_mptcp_ctrl *ctrl)
{
	return str_eq(ctrl->state, "live");
}

/* Parse an address and a port. False unless they are an IP address and a number. */
bool ctrl_parse_portal(const char *traddr, const char *trsvcid, struct socket_address *ret);

/* Read the portal of @name below @classfd. Return 0, -EADDRNOTAVAIL without one, or -errno. */
int ctrl_read_portal(int classfd, const char *name, struct socket_address *ret);

/* Parse lines "NUMBER ADDRESS:PORT ADDRESS:PORT". Return 0 and an array to free, or -errno. */
int ctrl_queues_parse(const char *text, struct ctrl_queue **ret, size_t *n);

/*
 * Read queues and src_addr of a controller from its directory, if it is live and its kernel shows
 * them. Its state and portal must be known. Return -ENOMEM, or 0 with problems noted.
 */
int ctrl_sockets_read(struct nvme_mptcp_snapshot *snap, struct nvme_mptcp_ctrl *ctrl, int dirfd);

/* nvme_mptcp_snapshot_take() with snapshot_read_ctrls_sysfs() and no tree. Return 0 or -errno. */
int snapshot_take_sysfs(const char *netns, struct nvme_mptcp_snapshot **ret);

/* Read the network namespace only, without controllers, owners and sets. Return 0 or -errno. */
int snapshot_take_network(const char *netns, struct nvme_mptcp_snapshot **ret);

/* A faster snapshot_take_network(), without settings, counters, relay and speeds. */
int snapshot_take_fast(const char *netns, struct nvme_mptcp_snapshot **ret);

/* Find outgoing links among several candidates that the links' counters prove. 0 or -ENOMEM. */
int hops_resolve(struct nvme_mptcp_snapshot *snap, struct nl *nl);

/* Find the outgoing links of unbound subflows, and read the speeds of used links. */
int snapshot_read_routes(struct nvme_mptcp_snapshot *snap);
void snapshot_read_speeds(struct nvme_mptcp_snapshot *snap);

/* Return the speed that the driver reports now, in Mbit/s, or NVME_MPTCP_UNKNOWN. */
int64_t link_ask_speed(const struct nvme_mptcp_link *link);

/* Link subflows to connections and links, and endpoints to links; format addresses and sort. */
int snapshot_join(struct nvme_mptcp_snapshot *snap);

/* Ask the relay what it carries, before snapshot_join() sorts. Return -ENOMEM, or 0. */
int relayed_read(struct nvme_mptcp_snapshot *snap);
/* True if a relay serves portals of this host. */
bool relayed_has_portals(const struct nvme_mptcp_snapshot *snap);
/* True if the relay of a target accepts connections to this port. */
bool relayed_accepts_port(const struct nvme_mptcp_snapshot *snap, uint16_t port);
/* True if the relay takes connections on the link. */
bool relayed_accepts_on(const struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_link *link);
/*
 * True if the relay serves the portal of @ctrl, a controller of plain TCP. Set its is_served, and
 * as its portal the one that the relayed connections lead to.
 */
bool relayed_is_served(const struct nvme_mptcp_snapshot *snap, struct nvme_mptcp_ctrl *ctrl,
		       bool *is_bound);
/* True if the relay of a host carries the connection. */
bool relayed_is_host(const struct nvme_mptcp_connection *conn);
/* True if the relay of a host connected over TCP: MPTCP had no reply, or was disabled. */
bool relayed_is_plain(const struct nvme_mptcp_connection *conn);
/* True if the connection is a queue of @ctrl. */
bool relayed_owns(const struct nvme_mptcp_ctrl *ctrl, const struct nvme_mptcp_relay_connection *c);
/* Set is_bypassed of live controllers that bypass the relay. Return 0 or -ENOMEM. */
int relayed_find_bypassed(struct nvme_mptcp_snapshot *snap);

/* Attribute connections to controllers. */
int snapshot_attribute(struct nvme_mptcp_snapshot *snap);

/* Sum up the links that each set of connections uses. */
int snapshot_sum(struct nvme_mptcp_snapshot *snap);

/* Maximum prefix of a default route: VPNs split it (0.0.0.0/1 and 128.0.0.0/1) or use 2000::/3. */
#define DEFAULT_PREFIX 3

struct route_answer {
	int ifindex;
	bool gateway; /* the peer is reached through a gateway */
	bool assumed; /* no route exists: the kernel takes the peer for a neighbour */
	int forbidden; /* -errno: it does so although a route or rule forbids packets */
	bool is_default; /* a default route; only set by route_ask_bound() and route_find() */
	uint32_t table; /* routing table; 0: unknown */
	uint32_t hop_limit; /* that the route sets; 0: none */
	uint32_t mtu; /* the same; only set by route_ask_bound() */
	struct in6_addr source; /* source address; "any" if the kernel does not report one */
	struct in6_addr hop; /* the gateway, else the peer; "any" if it is not an IP address */
};

/*
 * Ask for the route of a subflow's packets to @dst (port 0: unknown), from @src unless NULL, over
 * interface @ifindex unless 0. Return 0, or -errno such as -ENETUNREACH.
 */
int route_ask(struct nl *nl, const struct in6_addr *src, int ifindex,
	      const struct socket_address *dst, struct route_answer *ret);

/* True if @err says that there is no route, false if the query itself failed. */
bool route_is_none(int err);

/* Note a failed route query as a problem of the links. Return -ENOMEM or 0. */
int route_problem(struct nvme_mptcp_snapshot *snap, int err);

/* Like route_ask(), for sockets bound to @src and @ifindex, as those of endpoints with a device. */
int route_ask_bound(struct nl *nl, const struct in6_addr *src, int ifindex,
		    const struct socket_address *dst, struct route_answer *ret);

/* Like route_ask(), for packets that a firewall has marked; without @assumed. */
int route_ask_marked(struct nl *nl, const struct in6_addr *src, int ifindex,
		     const struct socket_address *dst, uint32_t mark, struct route_answer *ret);

/* Like route_ask(), for an unbound socket: ask again with the source that the route selects. */
int route_ask_connect(struct nl *nl, const struct socket_address *dst, struct route_answer *ret);

/* True if the route to @dst has several next hops, of which the kernel picks one. */
bool route_has_hops(struct nl *nl, const struct socket_address *dst);

/* An entry of the kernel's neighbour table. */
struct neighbour {
	int state; /* NUD_* */
	bool has_hardware;
	struct hardware hardware;
};

/* Return 0, or -errno: -ENOENT if the kernel has no such entry. */
int route_ask_neighbour(struct nl *nl, int ifindex, const struct in6_addr *ip,
			struct neighbour *ret);

/* Set the kind from the kernel's name for it, NULL if none, and the interface below. */
void link_set_kind(struct nvme_mptcp_link *link, const char *kind, int parent);

/* Take what the kernel tells of a VLAN, a bond or a VRF. @data: IFLA_INFO_DATA, or NULL. */
void link_take_data(struct nvme_mptcp_link *link, const struct nlattr *data);

/* True if a link is switched off, or all that is below it. */
bool link_is_bond(const struct nvme_mptcp_link *link);
bool link_is_off(const struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_link *link);

/* Note which links belong to a VRF. The links are sorted by index. */
void link_find_vrfs(struct nvme_mptcp_snapshot *snap);

/*
 * Return the VRF whose routes apply to a link, or to packets from an own address; NULL if none.
 * Sockets have to be bound to it, or to the link.
 */
const struct nvme_mptcp_link *link_vrf(const struct nvme_mptcp_snapshot *snap,
				       const struct nvme_mptcp_link *link);
const struct nvme_mptcp_link *link_vrf_of(const struct nvme_mptcp_snapshot *snap,
					  const struct in6_addr *own);

/* Work out kinds and wires of all links, once all are read and sorted by index. */
void link_classify(struct nvme_mptcp_snapshot *snap);

/* True if both are one link, or use the same one (VLANs, macvlans, ports of a bond). */
bool link_shares_segment(const struct nvme_mptcp_link *one, const struct nvme_mptcp_link *other);

/*
 * True if connections and subflows are complete, including those of other users. If not, there is
 * no coverage, and 0 missing subflows means nothing.
 */
bool snapshot_shows_subflows(const struct nvme_mptcp_snapshot *snap);

/* Order objects whose first member is a link, those without one last, for qsort(3). */
int link_compare(const void *a, const void *b);

struct nvme_mptcp_link *link_by_index(const struct nvme_mptcp_snapshot *snap, int ifindex);
/* Return the command that makes the kernel start subflows of new connections; NULL if it does. */
const char *snapshot_kernel_manager(const struct nvme_mptcp_snapshot *snap);

const struct local_address *snapshot_find_address(const struct nvme_mptcp_snapshot *snap,
						  const struct in6_addr *ip);

/* True if the link is up and has a carrier. */
/* True if an administrator has switched the link off, or the VRF that it belongs to. */
bool link_is_switched_off(const struct nvme_mptcp_link *link);
bool link_is_alive(const struct nvme_mptcp_link *link);

/* Return why the link cannot carry data, as a few words, or NULL. */
const char *link_trouble(const struct nvme_mptcp_link *link);

/* True if the link only holds addresses (loopback, dummy), whose packets use the routes' links. */
bool link_is_loopback_like(const struct nvme_mptcp_link *link);

/* True if peers can reach the address and the kernel selects it as a source, for one family. */
bool link_address_is_global(const struct local_address *a, bool v4);

/* True if @ip is in the network of an address, or of any address of @ifindex. */
bool link_address_has(const struct local_address *address, const struct in6_addr *ip);
bool link_network_has(const struct nvme_mptcp_snapshot *snap, int ifindex,
		      const struct in6_addr *ip);

/* Format an interface as its name, or as "#7" if it is unknown. */
#define LINK_TEXT 24
const char *link_text(const struct nvme_mptcp_snapshot *snap, int ifindex,
		      char text[static LINK_TEXT]);

/* Names of IFA_F_*, from bit 0. */
#define LINK_ADDRESS_FLAGS 11
extern const char *const link_address_flags[LINK_ADDRESS_FLAGS];

/*
 * True if a userspace path manager was in charge when the connection was created. The kernel then
 * shows no limits for it, even if the settings have changed since.
 */
bool connection_has_userspace_manager(const struct nvme_mptcp_snapshot *snap,
				      const struct nvme_mptcp_connection *conn);

size_t connection_count_established(const struct nvme_mptcp_connection *conn);
size_t connection_count_carrying(const struct nvme_mptcp_connection *conn);
/* True if it has as many additional subflows as the limit permits. */
bool connection_is_full(const struct nvme_mptcp_connection *conn);
/*
 * For a connection with a missing subflow: true if a limit keeps the kernel from following more
 * announcements. It decrements the count of announcements only if the target removes an address
 * while a subflow to it lives, not for subflows that die (mptcp_pm_add_addr_received()).
 */
bool connection_ignores_announcements(const struct nvme_mptcp_connection *conn);
/*
 * True if it has subflows, but none between its initial addresses. A replacement for the initial
 * subflow counts as additional.
 */
bool connection_lost_initial(const struct nvme_mptcp_connection *conn);

/*
 * True if the subflow is established, on a usable or unknown link, and makes progress when it has
 * data. The kernel leaves a subflow established when its link goes down or loses its carrier, and
 * when its address is deleted, so the state alone proves nothing.
 */
bool subflow_carries(const struct nvme_mptcp_subflow *sf);

/* Return the time in ms since anything came from its peer; INT64_MAX if unknown. */
int64_t subflow_silence_ms(const struct nvme_mptcp_subflow *sf);

/*
 * True if the subflow has timed out with unacknowledged data and its peer has been silent since,
 * while another subflow of the connection was heard later, @siblings_ms ago. 3 % loss, 300 ms more
 * delay in each direction, and full queues do not count as silence.
 */
bool subflow_is_silent(const struct nvme_mptcp_subflow *sf, int64_t siblings_ms);

/* State of a group of subflows. */
enum subflow_activity {
	SUBFLOWS_IDLE, /* no unacknowledged data */
	SUBFLOWS_BUSY,
	SUBFLOWS_SILENT, /* at least one is silent, see subflow_is_silent() */
};

#define SUBFLOW_PORTS 16 /* maximum number of ports that are dumped */

/* Subflows of some connections, sorted by token. The caller frees the array. */
struct subflow_samples {
	struct nvme_mptcp_subflow *subflows;
	size_t n;
};

/* Which sockets to dump: one dump for each port and family, filtered by the kernel. */
struct subflow_filter {
	uint16_t ports[SUBFLOW_PORTS];
	size_t n_ports;
	bool is_local; /* ports of the local end, not of the peer */
	bool has_v4, has_v6; /* dump sockets of this family */
};

/*
 * Read the established subflows in the thread's network namespace whose tokens are in @tokens, and
 * set *@pulse to their state. Return 0 or -errno.
 */
int subflow_sample(const struct idmap *tokens, const struct subflow_filter *places,
		   struct subflow_samples *ret, enum subflow_activity *pulse);

/*
 * True if the target answered the join with a SYN/ACK, but did not confirm the third packet, which
 * authenticates the host. The kernel sends no data before that confirmation.
 */
bool subflow_is_unconfirmed(const struct nvme_mptcp_subflow *sf);

/* Return why an established subflow carries no data, as a few words; NULL if it does. */
const char *subflow_trouble(const struct nvme_mptcp_subflow *sf);

/* True for a join whose SYN has been unanswered for about three seconds. */
bool subflow_is_overdue(const struct nvme_mptcp_subflow *sf);

/* Parse one message. Return 0 and the object, or -EBADMSG. */
int pm_parse_endpoint(const struct nlmsghdr *nlh, struct nvme_mptcp_endpoint *ret);
int diag_parse_connection(const struct nlmsghdr *nlh, struct nvme_mptcp_connection *ret);
int diag_parse_subflow(const struct nlmsghdr *nlh, struct nvme_mptcp_subflow *ret);

/* TCP states, from include/net/tcp_states.h. */
#define STATE_ESTABLISHED 1
#define STATE_SYN_SENT 2
#define STATE_CLOSE_WAIT 8
#define STATE_LISTEN 10

const char *diag_state_name(unsigned int state);
