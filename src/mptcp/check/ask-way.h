/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What becomes of a packet between two addresses, asked with packets of our own. */
#ifndef NVME_MPTCP_ASK_WAY_H
#define NVME_MPTCP_ASK_WAY_H

#include <sys/socket.h>

#include "mptcp/snapshot/snapshot.h"

struct check;

/* What the SYN carries. */
enum way_option {
	OPTION_NONE, /* that of a plain TCP connection */
	OPTION_CAPABLE, /* MP_CAPABLE, as for a connection over MPTCP */
	OPTION_JOIN, /* MP_JOIN of no connection: who knows MPTCP refuses that, others take no notice */
};

/* From where to where; @ifindex 0: by whichever link the routes give. */
struct way_ends {
	struct in6_addr local;
	struct socket_address remote;
	int ifindex;
	enum way_option option;
};

/* What was seen on the wire of a connection that was tried, and reset if it came about. */
struct way_answer {
	bool known; /* it could be watched, which takes CAP_NET_RAW */
	bool connected;
	bool sent; /* a SYN left this machine */
	bool answered, refused; /* SYN/ACK or RST came in by @came_by */
	int came_by;
	uint8_t ttl; /* of that answer */
	bool misaddressed; /* a reply came to another hardware address */
	bool closed; /* the RST comes from a closed port, not from a firewall */
	bool rejected; /* the RST is that of a packet filter */
	bool nearer; /* which is on this side of the target */
	bool unreachable; /* an ICMP message reported it; @from: whose */
	bool filtered; /* and only packet filters send its code */
	bool no_route; /* or routers without a route */
	bool expired; /* or that it was forwarded as often as it may be: around a loop, or to ask for that */
	struct in6_addr from;
	unsigned int
		hops; /* routers that are reached, of a SYN without an answer; @last: the last one */
	struct in6_addr last;
	int err; /* of the connect, a positive errno; 0: none yet */
	bool option_sent, option_answered; /* in the SYN that left, in the SYN/ACK that came in */
	bool option_arrived; /* and this machine's firewall let it pass with that */
	bool quoted,
		quoted_option; /* @from, or the target, complained of that SYN: had it the option? */
	bool asked_hop,
		heard_hop; /* IPv6: a request for the far end's card left, the answer came in */
	bool hop_kept; /* and the kernel sent none, or did not take the answer */
	bool padded; /* an option was taken out of the SYN/ACK, and no-operations are in its place */
};

/*
 * Takes half a second if nothing answers, 1.5 if nothing leaves, 3.5 where a router may still report why, and 9
 * where a join between the same addresses waits; counting routers takes up to 2.4 more. 0 or -errno.
 */
int ask_way(struct check *c, const struct way_ends *ends, struct way_answer *ret);

/* The same with an option, by a SYN made by hand: the kernel sends none while MPTCP is suspended. */
int ask_option(const struct way_ends *ends, struct way_answer *ret);

/* All packets of a port on the wire, and what routers say. A descriptor or -errno. */
int ask_watch_wire(bool v4, uint16_t port);
void ask_read_wire(int tap, const struct way_ends *ends, uint16_t port, struct way_answer *ret);

/* Has a TCP segment the MPTCP option, or a gap where one was? */
struct way_options {
	bool mptcp, padded;
	bool announces; /* an address */
};
struct way_options ask_read_options(const uint8_t *segment, size_t length);
/* What becomes of addresses that a target announces to a new connection between these ends. */
enum announced {
	ANNOUNCED_UNKNOWN,
	ANNOUNCED_NONE,
	ANNOUNCED_LOST, /* on the way */
	ANNOUNCED_ARRIVES, /* on this host's wire, and the kernel does not get it */
	ANNOUNCED_FOLLOWED,
};
enum announced ask_announced(struct check *c, const struct way_ends *ends);

uint16_t ask_port_of(int fd);
int64_t ask_now_ms(void);

/* As on the wire. */
uint16_t ask_get16(const uint8_t *p);
void ask_put16(uint8_t *p, uint16_t value);

/* As ask_way(), with one SYN to this card, whatever the kernel knows of its neighbours; IPv4 only. */
int ask_way_to(struct check *c, const struct way_ends *ends, const struct hardware *to,
	       struct way_answer *ret);

/* A socket bound to the near end. A descriptor or -errno. */
int ask_open_bound(const struct way_ends *ends, int type, int protocol);

/* The far end as system calls take it; the size. */
socklen_t ask_put_address(const struct in6_addr *ip, uint16_t port, int ifindex,
			  struct sockaddr_storage *ret);

#define SIZES 16

/* A path, and whether packets as large as its link takes get lost on it while small ones pass. */
struct size_probe {
	struct way_ends ends;
	int bound; /* the device of the subflow itself, 0: none */
	int64_t mtu;
	bool small, large; /* answered */
	bool told; /* a router reported that they are too large */
	int fd;
};

/* Echo requests by all of @probe at once; at most a second, which only silence takes. */
void ask_sizes(struct check *c, struct size_probe *probe, size_t n);

#endif /* NVME_MPTCP_ASK_WAY_H */
