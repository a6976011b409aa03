// SPDX-License-Identifier: LGPL-2.1-or-later
/* Policies of IPsec that drop packets of this machine, because no security association serves them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/xfrm.h>

#include "ask.h"
#include "mptcp/netlink/nl.h"

#define MAX_IPSEC 256

struct policy {
	struct xfrm_selector selector;
	uint32_t priority;
	bool out, blocks, needs; /* an association of @tmpl */
	struct xfrm_user_tmpl tmpl;
};

struct association {
	xfrm_address_t from, to;
	uint16_t family;
};

struct found {
	struct policy *policy;
	size_t n_policies;
	struct association *sa;
	size_t n_sas;
};

static struct in6_addr to_ip(const xfrm_address_t *address, uint16_t family)
{
	struct in6_addr ip;

	if (family == AF_INET)
		return (struct in6_addr){ .s6_addr32 = { 0, 0, htonl(0xffff), address->a4 } };
	memcpy(&ip, address->a6, sizeof(ip));
	return ip;
}

static bool covers(const xfrm_address_t *address, uint8_t length, uint16_t family,
		   const struct in6_addr *ip)
{
	const struct prefix prefix = { to_ip(address, family),
				       (uint8_t)(length + (family == AF_INET ? 96 : 0)) };

	return address_is_v4(ip) == (family == AF_INET) && prefix_has(&prefix, ip);
}

static int take_policy(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[XFRMA_TMPL + 1];
	struct xfrm_userpolicy_info info;
	struct found *found = arg;
	struct policy policy;
	int err = nl_msg_attrs(nlh, sizeof(info), tb, XFRMA_TMPL);

	if (err || found->n_policies == MAX_IPSEC)
		return err;
	memcpy(&info, mnl_nlmsg_get_payload(nlh), sizeof(info));
	if (info.dir != XFRM_POLICY_IN && info.dir != XFRM_POLICY_OUT)
		return 0;
	policy = (struct policy){ .selector = info.sel,
				  .priority = info.priority,
				  .out = info.dir == XFRM_POLICY_OUT,
				  .blocks = info.action == XFRM_POLICY_BLOCK };
	if (tb[XFRMA_TMPL] && mnl_attr_get_payload_len(tb[XFRMA_TMPL]) >= sizeof(policy.tmpl)) {
		memcpy(&policy.tmpl, mnl_attr_get_payload(tb[XFRMA_TMPL]), sizeof(policy.tmpl));
		policy.needs = !policy.tmpl.optional;
	}
	return array_push(&found->policy, &found->n_policies, &policy, sizeof(policy));
}

static int take_sa(const struct nlmsghdr *nlh, void *arg)
{
	struct found *found = arg;
	struct xfrm_usersa_info info;
	struct association sa;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(info) || found->n_sas == MAX_IPSEC)
		return 0;
	memcpy(&info, mnl_nlmsg_get_payload(nlh), sizeof(info));
	/* Without an index, it is still being negotiated. */
	if (!info.id.spi)
		return 0;
	sa = (struct association){ info.saddr, info.id.daddr, info.family };
	return array_push(&found->sa, &found->n_sas, &sa, sizeof(sa));
}

static bool is_any(const xfrm_address_t *address)
{
	static const xfrm_address_t any;

	return !memcmp(address, &any, sizeof(any));
}

/* True if an association has the ends of the policy's template or, without those, of its selector. */
static bool is_served(const struct found *found, const struct policy *policy)
{
	const struct xfrm_selector *s = &policy->selector;

	FOR_EACH(sa, found->sa, found->n_sas) {
		const struct in6_addr from = to_ip(&sa->from, sa->family),
				      to = to_ip(&sa->to, sa->family);

		if (is_any(&policy->tmpl.id.daddr)
			    ? covers(&s->daddr, s->prefixlen_d, s->family, &to)
			    : covers(&policy->tmpl.id.daddr, sa->family == AF_INET ? 32 : 128,
				     policy->tmpl.family, &to) &&
				      (is_any(&policy->tmpl.saddr) ||
				       covers(&policy->tmpl.saddr, sa->family == AF_INET ? 32 : 128,
					      policy->tmpl.family, &from)))
			return true;
	}
	return false;
}

/* True if the policy is about TCP between this address and others, whatever their ports. */
static bool concerns(const struct check *c, const struct policy *policy, const struct in6_addr *ip)
{
	const struct xfrm_selector *s = &policy->selector;
	const uint16_t own = ntohs(policy->out ? s->sport : s->dport);
	bool is_port = !(policy->out ? s->sport_mask : s->dport_mask);

	FOR_EACH(port, c->nvmet.ports, c->nvmet.n_ports)
		is_port |= port->has_address && port->address.port == own;
	return is_port && !(policy->out ? s->dport_mask : s->sport_mask) &&
	       (!s->proto || s->proto == IPPROTO_TCP) &&
	       covers(policy->out ? &s->saddr : &s->daddr,
		      policy->out ? s->prefixlen_s : s->prefixlen_d, s->family, ip);
}

static struct prefix peer_of(const struct policy *policy)
{
	const struct xfrm_selector *s = &policy->selector;

	return (struct prefix){ to_ip(policy->out ? &s->daddr : &s->saddr, s->family),
				(uint8_t)((policy->out ? s->prefixlen_d : s->prefixlen_s) +
					  (s->family == AF_INET ? 96 : 0)) };
}

/* True if one of more precedence lets the packets pass. */
static bool is_overruled(const struct check *c, const struct found *found,
			 const struct policy *policy, const struct in6_addr *ip)
{
	const struct prefix peer = peer_of(policy);

	FOR_EACH(other, found->policy, found->n_policies) {
		const struct prefix all = peer_of(other);

		if (other->out == policy->out && other->priority < policy->priority &&
		    !other->blocks && (!other->needs || is_served(found, other)) &&
		    concerns(c, other, ip) && all.length <= peer.length &&
		    prefix_has(&all, &peer.ip))
			return true;
	}
	return false;
}

static int dump(struct nl *nl, uint16_t type, nl_fn fn, size_t *n, struct found *found)
{
	nl_request(nl, type, NLM_F_DUMP);
	return nl_dump_array(nl, fn, n, found);
}

int ask_ipsec(struct check *c, const struct in6_addr *ip, struct ipsec *ret)
{
	struct found found = {};
	struct nl nl;
	int err = nl_open(&nl, NETLINK_XFRM);

	if (err) {
		c->err = err == -ENOMEM ? err : c->err;
		return err;
	}
	err = dump(&nl, XFRM_MSG_GETPOLICY, take_policy, &found.n_policies, &found);
	if (!err)
		err = dump(&nl, XFRM_MSG_GETSA, take_sa, &found.n_sas, &found);
	if (!err)
		err = -ENOENT;
	for (size_t i = 0; err == -ENOENT && i < found.n_policies; i++) {
		const struct policy *policy = &found.policy[i];

		if (!concerns(c, policy, ip) || is_overruled(c, &found, policy, ip) ||
		    (!policy->blocks && (!policy->needs || is_served(&found, policy))))
			continue;
		*ret = (struct ipsec){ peer_of(policy), policy->out, policy->blocks };
		err = 0;
	}
	free(found.policy);
	free(found.sa);
	nl_close(&nl);
	if (err == -ENOMEM)
		c->err = err;
	return err;
}
