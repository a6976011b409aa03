/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Probes with our own packets that show what happens to packets between two addresses. */
#pragma once

#include <sys/socket.h>

#include "mptcp/snapshot/snapshot.h"

struct check;

/* MPTCP option of the SYN. */
enum probe_option {
	OPTION_NONE, /* none, as for plain TCP */
	OPTION_CAPABLE, /* MP_CAPABLE, as for an MPTCP connection */
	OPTION_JOIN, /* MP_JOIN with an unknown token: MPTCP listeners refuse it, others do not */
	OPTION_REPORT, /* no SYN for an answer: IP options that the far end reports as an error */
};

/* Ends of a path. @ifindex 0: routes choose the link. */
struct path_ends {
	struct in6_addr local;
	struct socket_address remote;
	int ifindex;
	enum probe_option option;
};

/* What was seen on the wire during a connection attempt, which is reset if it succeeds. */
struct probe_result {
	bool known; /* the wire could be watched, which requires CAP_NET_RAW */
	bool connected;
	bool sent; /* a SYN left this machine */
	bool looped; /* it was sent over lo, to @sent_to */
	int sent_below; /* the last link on which it was seen: a port of a bridge, for example */
	int sent_link; /* over this link; @sent_from, @sent_ttl: its source and hop limit there */
	struct in6_addr sent_from;
	struct socket_address sent_to; /* its destination there */
	uint8_t sent_ttl;
	bool answered, refused; /* a SYN/ACK or RST arrived over @reply_link */
	int reply_link;
	uint8_t ttl; /* of that reply */
	bool misaddressed; /* a reply was sent to another hardware address */
	bool closed; /* the RST is from a closed port, not from a firewall */
	bool rejected; /* the RST is from a packet filter */
	bool nearer; /* that filter is closer than the target */
	bool unreachable; /* an ICMP message reported it; @from: its sender */
	bool filtered; /* its code is one that only packet filters use */
	bool at_once,
		after_wait; /* it came at once, as of a route, or after asking for a neighbour */
	bool no_route; /* its code means that a router has no route */
	bool expired; /* hop limit exceeded, because of a loop or on purpose */
	struct in6_addr from;
	bool traced; /* routers were counted */
	unsigned int hops; /* routers reached by a SYN without a reply; @last: the last one */
	struct in6_addr last;
	int err; /* errno of the connect; 0: none yet */
	bool option_sent, option_answered; /* in the SYN sent, in the SYN/ACK received */
	bool option_refused; /* in the RST: an MPTCP listener refuses the join */
	bool option_arrived; /* and this machine's firewall passed the option */
	bool quoted,
		quoted_option; /* an ICMP error of @from quotes the SYN, with the option or not */
	bool hop_solicited,
		hop_advertised; /* a request for the hardware address left, a reply arrived */
	bool hop_filtered; /* but the kernel sent none or did not get the reply */
	uint16_t tag; /* of a VLAN, on what the far end sent to the link; 0: none */
	bool padded; /* the SYN/ACK has no-operations in place of an option */
};

/* ICMP errors about pending joins. */
struct heard {
	struct path_ends ends;
	struct probe_result answer;
};

#define MAX_HEARD 16

#define CLOSED_PORT 1 /* where nothing listens */
#define FEW_HOPS 16 /* no usual hop limit: systems start with 64, 128 or 255 */

#define WAY_MS 500 /* wait for an answer */

/* Connect once. @hops: hop limit, -1 for the default. Returns 0 or -errno. */
int ask_try_way(const struct path_ends *ends, int hops, int answer_ms, struct probe_result *ret);

/*
 * Probe a path with a TCP connection. Returns 0 or -errno. Takes 0.5 s if nothing answers, 1.5 s if
 * nothing is sent, 3.5 s if a router may still send an ICMP error, and 9 s if a join between the
 * same addresses is pending; counting routers takes up to 2.4 s more.
 */
int ask_probe_path(struct check *c, const struct path_ends *ends, struct probe_result *ret);

/*
 * True if a path on which nothing is answered works once the far end has got the near end's hardware
 * address in an ARP request. @ifindex: the link, which has the near end's address.
 */
bool ask_once_told(struct check *c, const struct path_ends *ends, int ifindex);

/* Probe a path with a hand-made SYN with an option: the kernel sends none while MPTCP is suspended. */
int ask_option(const struct path_ends *ends, struct probe_result *ret);

/* Watch all packets of a port and ICMP on all links. Returns a descriptor or -errno. */
int ask_open_capture(bool v4, uint16_t port);
void ask_read_capture(int tap, const struct path_ends *ends, uint16_t port,
		      struct probe_result *ret);

/* Options of a TCP segment. @padded: no-operations replace a removed option. */
struct segment_options {
	bool mptcp, padded;
	bool announces; /* ADD_ADDR that is not an echo */
};
struct segment_options ask_read_options(const uint8_t *segment, size_t length);
/* What happens to the addresses that a target announces to a new connection between these ends. */
enum announced {
	ANNOUNCED_UNKNOWN,
	ANNOUNCED_NONE,
	ANNOUNCED_LOST, /* on the path */
	ANNOUNCED_ARRIVES, /* on this host's wire, but the kernel does not get it */
	ANNOUNCED_FOLLOWED,
};
enum announced ask_announced(struct check *c, const struct path_ends *ends);

/* Where a new connection of this host to a portal of its relay arrives. */
enum steered { STEERED_UNKNOWN, STEERED_TO_RELAY, STEERED_PAST, STEERED_NOWHERE };

uint16_t ask_port_of(int fd);

struct sockaddr_ll;

#define IP4_PROTOCOL 9 /* offsets in headers */
#define IP6_PROTOCOL 6
#define IP6_HEADER 40
#define ND_TARGET offsetof(struct nd_neighbor_solicit, nd_ns_target) /* also in advertisements */

struct packet {
	const uint8_t *ip, *payload;
	size_t length; /* of the payload */
	uint8_t protocol;
	bool v4;
};

/* Take an IP packet apart. False if it is too short. */
bool ask_take_packet(const uint8_t *data, size_t length, bool v4, struct packet *ret);

/* Return the packet's source or, if @is_far, its destination. */
struct in6_addr ask_packet_address(const struct packet *packet, bool is_far);

/* Read one captured packet. Return its length, or -1 if there is none. *@tag: its VLAN, or 0. */
ssize_t ask_read_packet(int tap, uint8_t *data, size_t length, struct sockaddr_ll *where,
			uint16_t *tag);

/* True if the far end sent the packet: it replies, or asks for this end's hardware address. */
bool ask_is_from_there(const uint8_t *data, size_t length, uint16_t protocol,
		       const struct path_ends *ends);

/* Return the length of the next packet from others that arrives before @end, or 0. */
size_t ask_next_packet(int tap, int64_t end, uint8_t *data, size_t size, struct sockaddr_ll *where);

/* Read and write 16 bits in network byte order. */
uint16_t ask_get16(const uint8_t *p);
void ask_put16(uint8_t *p, uint16_t value);

/* Return the Internet checksum (RFC 1071) of the data and of what @sum has added up. */
uint16_t ask_checksum(uint32_t sum, const uint8_t *data, size_t length);

/* Like ask_probe_path(), with one SYN to this hardware address, whatever the neighbour table has. */
int ask_probe_via_mac(struct check *c, const struct path_ends *ends, const struct hardware *to,
		      struct probe_result *ret);

/* Machines that answer an echo request to all on a link. */
#define MACHINES 8

/* Open a socket bound to the near end. Returns a descriptor or -errno. */
int ask_open_bound(const struct path_ends *ends, int type, int protocol);

/* Write the far end as a socket address. Returns its size. */
socklen_t ask_put_address(const struct in6_addr *ip, uint16_t port, int ifindex,
			  struct sockaddr_storage *ret);

#define MOST_OPEN 16

/*
 * Open plain TCP connections between all these ends, which stay open until the last one is made or
 * one fails; then reset them. Returns 0 or -errno of the one that fails: -ETIMEDOUT if it gets no
 * reply in 3.5 s. *@ret: number of connections made.
 */
int ask_open(struct check *c, const struct path_ends *ends, size_t n, size_t *ret);

#define SIZES 16

/* A path, and whether full-sized packets are lost on it while small ones pass. */
struct size_probe {
	struct path_ends ends;
	int bound; /* device that the subflow is bound to, 0: none */
	int64_t mtu;
	bool small, large; /* a reply arrived */
	bool told; /* an ICMP error reported that they are too large */
	bool kept; /* large ones do not leave this host */
	unsigned int echoes; /* replies to small requests, of ECHOES */
	int64_t sent_ms, rtt_ms; /* of a small one */
	int fd;
};

#define ECHOES 10U

/* Send small echo requests for all probes and count the replies. Takes up to 0.5 s. */
void ask_losses(struct check *c, struct size_probe *probe, size_t n);

/* Send echo requests for all probes at once. Takes up to a second if some are not answered. */
void ask_sizes(struct check *c, struct size_probe *probe, size_t n);

/* What stops packets or replies of a path, as seen from this host. */
enum path_verdict {
	PATH_OK, /* no problem found */
	PATH_FILTERED,
	PATH_ASYMMETRIC, /* replies arrive over another link */
	PATH_PROHIBITED, /* a rule or route forbids it */
	PATH_MISDELIVERED, /* another machine gets the packets or replies, see owners.h */
	PATH_DIVERTED, /* packets leave otherwise than routes have it, see diverted.h */
};

/* Result of a probe with our own packets; a probe can take half a second. */
struct path_probe {
	struct path_ends ends;
	struct probe_result answer;
	enum path_verdict verdict;
	int forbidden; /* -errno of the route lookup */
	bool is_asked, is_judged;
	bool echo_asked, echo; /* an echo request got a reply */
	bool told_asked, told; /* ask_once_told() */
};

#define MAX_PATH_PROBES 32

/* Route of packets with a firewall mark (ip rule ... fwmark). */
struct marked_route {
	uint32_t mark;
	int err; /* -errno of the lookup; 0: @route is known */
	struct route_answer route;
};
