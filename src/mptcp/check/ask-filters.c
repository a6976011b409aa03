// SPDX-License-Identifier: LGPL-2.1-or-later
/* Whether this machine filters packets at all: without that, something else drops them. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <sys/syscall.h>
#include <linux/bpf.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include "ask.h"
#include "mptcp/netlink/nl.h"

/* BPF_TCX_INGRESS and BPF_TCX_EGRESS, which Linux 6.1 does not have (linux/bpf.h) */
#define TCX_INGRESS 46
#define TCX_EGRESS 47

/* Note what a chain with a hook filters, unless it lets everything pass. */
static int take_chain(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[NFTA_CHAIN_USE + 1];
	unsigned int *found = arg;
	struct nfgenmsg message;
	uint32_t rules = 0, policy = htonl(NF_ACCEPT);
	int err = nl_msg_attrs(nlh, sizeof(message), tb, NFTA_CHAIN_USE);

	if (err || !tb[NFTA_CHAIN_HOOK])
		return err;
	memcpy(&message, mnl_nlmsg_get_payload(nlh), sizeof(message));
	(void)nl_u32(tb[NFTA_CHAIN_USE], &rules);
	(void)nl_u32(tb[NFTA_CHAIN_POLICY], &policy);
	if (!rules && policy == htonl(NF_ACCEPT))
		return 0;
	if (message.nfgen_family == NFPROTO_ARP)
		*found |= FILTER_ARP;
	else if (message.nfgen_family == NFPROTO_NETDEV || message.nfgen_family == NFPROTO_BRIDGE)
		*found |= FILTER_ARP | FILTER_IP;
	else
		*found |= FILTER_IP;
	return 0;
}

static int ask_tables(unsigned int *found)
{
	const struct nfgenmsg message = { .version = NFNETLINK_V0 };
	struct nl nl;
	int err = nl_open(&nl, NETLINK_NETFILTER);

	if (err)
		return err;
	nl_request(&nl, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETCHAIN, NLM_F_DUMP);
	memcpy(mnl_nlmsg_put_extra_header(nl.req, sizeof(message)), &message, sizeof(message));
	err = nl_dump(&nl, take_chain, NULL, found);
	nl_close(&nl);
	return err;
}

/* Add @bit if a table of the old iptables is in use. Return 0 or -errno. */
static int ask_old_tables(const char *file, unsigned int bit, unsigned int *found)
{
	const int fd = open(file, O_RDONLY | O_CLOEXEC);
	int err = 0;
	ssize_t n;
	char byte;

	/* Without its module there is no file. */
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	n = read(fd, &byte, 1);
	if (n < 0)
		err = -errno;
	else if (n)
		*found |= bit;
	close(fd);
	return err;
}

static int take_filter(const struct nlmsghdr *nlh, void *arg)
{
	unsigned int *found = arg;

	if (nlh->nlmsg_type == RTM_NEWTFILTER)
		*found |= FILTER_TC;
	return 0;
}

static int ask_traffic_control(struct check *c, unsigned int *found)
{
	static const uint32_t parents[] = { TC_H_INGRESS, TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS),
					    TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS) };
	struct nl nl;
	int err = nl_open(&nl, NETLINK_ROUTE);

	if (err)
		return err;
	for (size_t i = 0; i < c->snap->n_links && !err; i++)
		for (size_t j = 0; j < 3 && !err; j++) {
			const struct tcmsg message = { .tcm_ifindex = c->snap->links[i].ifindex,
						       .tcm_parent = parents[j] };

			nl_request(&nl, RTM_GETTFILTER, NLM_F_DUMP);
			memcpy(mnl_nlmsg_put_extra_header(nl.req, sizeof(message)), &message,
			       sizeof(message));
			err = nl_dump(&nl, take_filter, NULL, found);
			/* There is nothing to attach filters to, or the link is gone. */
			if (err == -EINVAL || err == -ENODEV || err == -ENOENT)
				err = 0;
		}
	nl_close(&nl);
	return err;
}

/*
 * Since Linux 6.6, programs of traffic control can do without its filters (tcx). Return 0 or -errno.
 */
static int ask_tcx(int ifindex, uint32_t type, unsigned int *found)
{
	union bpf_attr attr = { .query = { .target_fd = (uint32_t)ifindex, .attach_type = type } };

	if (!syscall(__NR_bpf, BPF_PROG_QUERY, &attr, sizeof(attr))) {
		*found |= attr.query.prog_cnt ? FILTER_BPF : 0;
		return 0;
	}
	/* The kernel has no such programs, or the link is gone. */
	return errno == EINVAL || errno == ENOSYS || errno == ENODEV ? 0 : -errno;
}

static int ask_programs(const struct check *c, unsigned int *found)
{
	int err = 0;

	FOR_EACH(link, c->snap->links, c->snap->n_links) {
		if (link->has_xdp)
			*found |= FILTER_BPF;
		if (*found & FILTER_BPF || err)
			break;
		err = ask_tcx(link->ifindex, TCX_INGRESS, found)
			      ?: ask_tcx(link->ifindex, TCX_EGRESS, found);
	}
	return err;
}

int ask_filters(struct check *c)
{
	static const struct {
		const char *file;
		unsigned int bit;
	} old[] = {
		{ "/proc/thread-self/net/ip_tables_names", FILTER_IP },
		{ "/proc/thread-self/net/ip6_tables_names", FILTER_IP },
		{ "/proc/thread-self/net/arp_tables_names", FILTER_ARP },
	};
	unsigned int found = 0;
	int err = ask_tables(&found);

	/* A kernel without nftables has none. */
	if (!err || err == -EPROTONOSUPPORT || err == -EINVAL)
		err = ask_traffic_control(c, &found);
	for (size_t i = 0; i < sizeof(old) / sizeof(*old) && !err; i++)
		err = ask_old_tables(old[i].file, old[i].bit, &found);
	if (err == -ENOMEM)
		c->err = err;
	if (!err)
		err = ask_programs(c, &found);
	return err ? err : (int)found;
}
