// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints the rules of a relay. */
#include "steering.h"

/* Match for the packet that begins a connection. */
#define RELAY_SYN "tcp flags & (syn | ack) == syn"

/* Longest pause between two SYNs of an attempt (TCP_RTO_MAX_SEC is 120, the last one is 64 s). */
#define RELAY_ATTEMPT "1m5s"

/* Idle time after which a connection is forgotten, that of nf_conntrack_tcp_timeout_established. */
#define RELAY_IDLE "5d"

/* Iterate over the IP versions of the portals. */
#define for_each_version(relay, version) \
	for (int version = 4; version <= 6; version += 2) \
		if (relay_has_portals(relay, version == 4))

bool relay_has_portals(const struct nvme_mptcp_relay *relay, bool is_v4)
{
	for (size_t i = 0; i < relay->n_portals; i++)
		if (address_is_v4(&relay->portals[i].ip) == is_v4)
			return true;
	return false;
}

/*
 * Print the set of connections that bypass the relay: those that existed before it, and those that
 * already use MPTCP. A SYN with the MPTCP option adds an entry; any other SYN from the same port
 * removes it, unless it belongs to an attempt that has no answer yet: without one, the kernel sends
 * the SYN again without the option. Each packet of a connection renews its entry. Attempts are in a
 * set of their own, for as long as the longest pause between two SYNs, or until another packet
 * follows.
 */
static void put_direct_set(FILE *to, const struct nvme_mptcp_relay *relay, int version)
{
	const char *separator = "\t\telements = { ";
	char local[ADDRESS_TEXT], remote[ADDRESS_TEXT];

	fprintf(to,
		"\n\tset direct%d {\n"
		"\t\ttype ipv%d_addr . inet_service . ipv%d_addr . inet_service\n"
		"\t\tsize 65535\n"
		"\t\tflags dynamic,timeout\n"
		"\t\ttimeout " RELAY_IDLE "\n",
		version, version, version);
	for (size_t i = 0; i < relay->n_direct; i++) {
		const struct relay_ends *ends = &relay->direct[i];

		if (address_is_v4(&ends->remote.ip) != (version == 4))
			continue;
		address_text(&ends->local.ip, local);
		address_text(&ends->remote.ip, remote);
		fprintf(to, "%s%s . %u . %s . %u", separator, local, ends->local.port, remote,
			ends->remote.port);
		separator = ", ";
	}
	fputs(*separator == ',' ? " }\n\t}\n" : "\t}\n", to);
	fprintf(to,
		"\n\tset attempts%d {\n"
		"\t\ttype ipv%d_addr . inet_service . ipv%d_addr . inet_service\n"
		"\t\tsize 65535\n"
		"\t\tflags dynamic,timeout\n"
		"\t\ttimeout " RELAY_ATTEMPT "\n"
		"\t}\n",
		version, version, version);
}

static void put_direct_chain(FILE *to, int version)
{
	const char *const ip = version == 4 ? "ip" : "ip6";
	char ends[64];

	snprintf(ends, sizeof(ends), "%s saddr . tcp sport . %s daddr . tcp dport", ip, ip);
	fprintf(to,
		"\n\tchain steer%d {\n"
		"\t\t" RELAY_SYN " tcp option mptcp exists update @attempts%d { %s }\n"
		"\t\t" RELAY_SYN " tcp option mptcp exists add @direct%d { %s } accept\n"
		"\t\t" RELAY_SYN " %s @attempts%d update @attempts%d { %s } accept\n"
		"\t\t" RELAY_SYN " delete @direct%d { %s }\n"
		"\t\t%s @direct%d delete @attempts%d { %s } update @direct%d { %s } accept\n"
		"\t\tmeta mark set 0x%x\n"
		"\t}\n",
		version, version, ends, version, ends, ends, version, version, ends, version, ends,
		ends, version, version, ends, version, ends, RELAY_MARK);
}

/*
 * Print the rule that changes the route of packets to portals. A set of addresses and ports needs a
 * single lookup, whatever its size.
 */
static void put_steering(FILE *to, const struct nvme_mptcp_relay *relay, int version)
{
	const char *separator = "";
	char text[ADDRESS_TEXT];

	fprintf(to, "\t\tmeta mark != 0x%x %s daddr . tcp dport { ", RELAY_OWN_MARK,
		version == 4 ? "ip" : "ip6");
	for (size_t i = 0; i < relay->n_portals; i++) {
		if (address_is_v4(&relay->portals[i].ip) != (version == 4))
			continue;
		address_text(&relay->portals[i].ip, text);
		fprintf(to, "%s%s . %u", separator, text, relay->portals[i].port);
		separator = ", ";
	}
	fprintf(to, " } goto steer%d\n", version);
}

static void put_interfaces(FILE *to, const struct nvme_mptcp_relay *relay)
{
	if (!relay->n_links) {
		fputs("iifname != \"lo\"", to);
		return;
	}
	fputs("iifname { ", to);
	for (size_t i = 0; i < relay->n_links; i++)
		fprintf(to, "%s\"%s\"", i ? ", " : "", relay->links[i]);
	fputs(" }", to);
}

static void put_listener(FILE *to, const struct nvme_mptcp_relay *relay,
			 const struct relay_listener *listener)
{
	const bool is_v4 = listener->family == AF_INET;
	char at[ADDRESS_TEXT];

	address_port_text(&listener->at, at);
	switch (listener->kind) {
	case RELAY_HOST:
		fprintf(to, "\t\tiifname \"lo\" meta mark 0x%x meta nfproto %s meta l4proto tcp ",
			RELAY_MARK, is_v4 ? "ipv4" : "ipv6");
		break;
	case RELAY_TARGET:
		fputs("\t\t", to);
		put_interfaces(to, relay);
		fprintf(to, " fib daddr type local meta nfproto %s tcp dport %u ",
			is_v4 ? "ipv4" : "ipv6", listener->portal.port);
		break;
	case RELAY_ADDRESS:
	case RELAY_REDIRECT:
		return;
	}
	fprintf(to, "tproxy %s to %s accept\n", is_v4 ? "ip" : "ip6", at);
}

static void put_redirects(FILE *to, const struct nvme_mptcp_relay *relay)
{
	bool any = false;

	for (size_t i = 0; i < relay->n_listeners; i++) {
		const struct relay_listener *listener = &relay->listeners[i];

		if (listener->kind != RELAY_REDIRECT)
			continue;
		if (!any)
			fputs("\n\tchain redirected {\n"
			      "\t\ttype nat hook prerouting priority dstnat; policy accept;\n",
			      to);
		any = true;
		fputs("\t\t", to);
		put_interfaces(to, relay);
		/* Match only SYNs: connection tracking considers an older connection new. */
		fprintf(to,
			" fib daddr type local meta nfproto %s tcp dport %u " RELAY_SYN
			" redirect to :%u\n",
			listener->family == AF_INET ? "ipv4" : "ipv6", listener->portal.port,
			listener->at.port);
	}
	if (any)
		fputs("\t}\n", to);
}

static void put_nft_table(FILE *to, const struct nvme_mptcp_relay *relay)
{
	/* The table of the program before the reload still exists: the names alternate. */
	fprintf(to, "table inet nvme_mptcp_relay%s {\n\tflags owner\n",
		relay->round % 2 ? "_2" : "");
	if (relay->n_portals) {
		for_each_version(relay, version)
			put_direct_set(to, relay, version);
		fputs("\n\tchain steer {\n"
		      "\t\ttype route hook output priority mangle; policy accept;\n",
		      to);
		for_each_version(relay, version)
			put_steering(to, relay, version);
		fputs("\t}\n", to);
		for_each_version(relay, version)
			put_direct_chain(to, version);
	}
	fputs("\n\tchain take {\n"
	      "\t\ttype filter hook prerouting priority mangle; policy accept;\n",
	      to);
	for (size_t i = 0; i < relay->n_listeners; i++)
		put_listener(to, relay, &relay->listeners[i]);
	fputs("\t}\n", to);
	put_redirects(to, relay);
	fputs("}\n", to);
}

static void put_mark_routes(FILE *to, const struct nvme_mptcp_relay *relay)
{
	for_each_version(relay, version)
		fprintf(to,
			"ip -%d route add local default dev lo table %d\n"
			"ip -%d rule add fwmark 0x%x table %d priority %d\n",
			version, RELAY_TABLE, version, RELAY_MARK, RELAY_TABLE, RELAY_PRIORITY);
}

int relay_rules_text(const struct nvme_mptcp_relay *relay, bool with_routes, char **ret)
{
	_cleanup_(text_wipe) struct text text = { 0 };

	if (text_open(&text) && !relay->by_address) {
		put_nft_table(text.stream, relay);
		if (with_routes)
			put_mark_routes(text.stream, relay);
	}
	if (text_close(&text))
		return -ENOMEM;
	*ret = text_take(&text);
	return 0;
}
