/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What becomes of a packet between two addresses, asked with packets of our own. */
#ifndef NVME_MPTCP_ASK_WAY_H
#define NVME_MPTCP_ASK_WAY_H

#include <sys/socket.h>

#include "mptcp/snapshot/snapshot.h"

struct check;

/* From where to where; @ifindex 0: by whichever link the routes give. */
struct way_ends {
	struct in6_addr local;
	struct socket_address remote;
	int ifindex;
};

/* What was seen on the wire of a plain TCP connection that was tried, and reset if it came about. */
struct way_answer {
	bool known; /* it could be watched, which takes CAP_NET_RAW */
	bool connected;
	bool sent; /* a SYN left this machine */
	bool answered, refused; /* SYN/ACK or RST came in by @came_by */
	int came_by;
	uint8_t ttl; /* of that RST */
	bool misaddressed; /* a reply came to another hardware address */
	bool closed; /* the RST comes from a closed port, not from a firewall */
	bool rejected; /* the RST is that of a packet filter */
	bool nearer; /* which is on this side of the target */
	bool unreachable; /* an ICMP message reported it; @from: whose */
	bool filtered; /* and only packet filters send its code */
	bool no_route; /* or routers without a route */
	struct in6_addr from;
	int err; /* of the connect, a positive errno; 0: none yet */
};

/*
 * Takes half a second if nothing answers, three times that if nothing leaves, and seven times that where a router
 * may still tell. 0 or -errno.
 */
int ask_way(struct check *c, const struct way_ends *ends, struct way_answer *ret);

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
