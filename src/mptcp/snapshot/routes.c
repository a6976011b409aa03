// SPDX-License-Identifier: LGPL-2.1-or-later
/* Routing tables and rules: read in two dumps, and looked up like net/ipv4/fib_* does. */
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>

#include "routes.h"

const char *route_type_name(unsigned int type)
{
	static const char *const names[] = {
		[RTN_UNICAST] = "unicast",
		[RTN_BLACKHOLE] = "blackhole",
		[RTN_UNREACHABLE] = "unreachable",
		[RTN_PROHIBIT] = "prohibit",
		[RTN_THROW] = "throw",
	};

	return type < sizeof(names) / sizeof(*names) && names[type] ? names[type] : "other";
}

/* Take a prefix such as 10.0.0.0/8; without an attribute it includes all addresses of the family. */
static int take_prefix(const struct nlattr *attr, bool v4, uint8_t length, struct prefix *ret)
{
	struct prefix prefix = { .length = v4 ? length + 96 : length };

	if (length > (v4 ? 32 : 128))
		return -EBADMSG;
	if (attr && (v4 ? nl_addr4(attr, &prefix.ip) : nl_addr6(attr, &prefix.ip)))
		return -EBADMSG;
	if (!attr && v4)
		prefix.ip.s6_addr[10] = prefix.ip.s6_addr[11] = 0xff;
	*ret = prefix;
	return 0;
}

static int take_ip(const struct nlattr *attr, bool v4, struct in6_addr *ret, bool *has)
{
	if (!attr)
		return 0;
	*has = true;
	return v4 ? nl_addr4(attr, ret) : nl_addr6(attr, ret);
}

static int add_route(struct routes *routes, const struct route_entry *entry)
{
	if (routes->n_routes == MAX_ROUTES) {
		routes->too_many = true;
		return 0;
	}
	return array_push(&routes->route, &routes->n_routes, entry, sizeof(*entry));
}

/* Next hops follow each other, each with its own attributes. */
static int add_hops(struct routes *routes, const struct nlattr *attr, struct route_entry entry)
{
	const char *at = mnl_attr_get_payload(attr);
	size_t left = mnl_attr_get_payload_len(attr);

	while (left >= sizeof(struct rtnexthop)) {
		const struct nlattr *tb[RTA_VIA + 1];
		struct rtnexthop hop;
		int err;

		memcpy(&hop, at, sizeof(hop));
		if (hop.rtnh_len < sizeof(hop) || hop.rtnh_len > left ||
		    nl_attrs(at + sizeof(hop), hop.rtnh_len - sizeof(hop), tb, RTA_VIA))
			return -EBADMSG;
		entry.ifindex = hop.rtnh_ifindex;
		/* RTA_VIA is a gateway of the other family. */
		entry.has_gateway = tb[RTA_VIA] != NULL;
		if (take_ip(tb[RTA_GATEWAY], entry.v4, &entry.gateway, &entry.has_gateway))
			return -EBADMSG;
		err = add_route(routes, &entry);
		if (err)
			return err;
		nl_advance(&at, &left, hop.rtnh_len);
	}
	return 0;
}

static bool is_kept(const struct rtmsg *msg)
{
	return (msg->rtm_family == AF_INET || msg->rtm_family == AF_INET6) &&
	       !(msg->rtm_flags & RTM_F_CLONED) && msg->rtm_type != RTN_LOCAL &&
	       msg->rtm_type != RTN_BROADCAST && msg->rtm_type != RTN_ANYCAST &&
	       msg->rtm_type != RTN_MULTICAST;
}

static int take_route(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[RTA_TABLE > RTA_VIA ? RTA_TABLE + 1 : RTA_VIA + 1];
	const unsigned int max = sizeof(tb) / sizeof(*tb) - 1;
	const struct rtmsg *msg = mnl_nlmsg_get_payload(nlh);
	struct route_entry entry = {};
	uint32_t u32;

	if (nlh->nlmsg_type != RTM_NEWROUTE || nl_msg_attrs(nlh, sizeof(*msg), tb, max))
		return -EBADMSG;
	if (!is_kept(msg))
		return 0;
	entry.v4 = msg->rtm_family == AF_INET;
	entry.type = msg->rtm_type;
	entry.protocol = msg->rtm_protocol;
	entry.table = nl_u32(tb[RTA_TABLE], &u32) ? msg->rtm_table : u32;
	entry.metric = nl_u32(tb[RTA_PRIORITY], &u32) ? 0 : u32;
	entry.ifindex = nl_u32(tb[RTA_OIF], &u32) || u32 > INT32_MAX ? 0 : (int)u32;
	if (take_prefix(tb[RTA_DST], entry.v4, msg->rtm_dst_len, &entry.dst) ||
	    take_ip(tb[RTA_GATEWAY], entry.v4, &entry.gateway, &entry.has_gateway) ||
	    take_ip(tb[RTA_PREFSRC], entry.v4, &entry.source, &entry.has_source))
		return -EBADMSG;
	if (tb[RTA_MULTIPATH])
		return add_hops(arg, tb[RTA_MULTIPATH], entry);
	entry.has_gateway |= tb[RTA_VIA] != NULL;
	return add_route(arg, &entry);
}

static void take_name(const struct nlattr *attr, char name[static LINK_NAME])
{
	const char *text = attr ? nl_str(attr) : NULL;

	if (text)
		str_copy(name, LINK_NAME, text, strlen(text));
}

/* True for attributes that are read, that do not select, or that each rule has. */
static bool is_known_attr(unsigned int type)
{
	switch (type) {
	case FRA_DST:
	case FRA_SRC:
	case FRA_IIFNAME:
	case FRA_OIFNAME:
	case FRA_GOTO:
	case FRA_PRIORITY:
	case FRA_FLOW: /* class for the packets that match */
	case FRA_TABLE:
	case FRA_FWMASK: /* belongs to FRA_FWMARK */
	case FRA_PAD:
	case FRA_PROTOCOL: /* origin of the rule */
		return true;
	default:
		return false;
	}
}

/* Mask 0 ignores the mark; the kernel shows all ones if nothing is suppressed. */
static bool is_without_effect(const struct nlattr *attr)
{
	const unsigned int type = mnl_attr_get_type(attr);
	uint32_t value;

	if (nl_u32(attr, &value))
		return false;
	return type == FRA_FWMARK
		       ? !value
		       : (type == FRA_SUPPRESS_IFGROUP || type == FRA_SUPPRESS_PREFIXLEN) &&
				 value == UINT32_MAX;
}

/* True if the rule selects by an attribute that is not read; newer kernels add such attributes. */
static bool selects_by_other(const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;

	/* nl_msg_attrs() has checked the lengths. */
	mnl_attr_for_each(
		attr, nlh,
		sizeof(struct fib_rule_hdr)) if (!is_known_attr(mnl_attr_get_type(attr)) &&
						 !is_without_effect(attr)) return true;
	return false;
}

static int take_policy(const struct nlmsghdr *nlh, void *arg)
{
	const struct nlattr *tb[FRA_OIFNAME + 1];
	const struct fib_rule_hdr *msg = mnl_nlmsg_get_payload(nlh);
	struct routes *routes = arg;
	struct policy_entry *entry;
	struct prefix from, to;
	uint32_t u32;
	bool v4;

	if (nlh->nlmsg_type != RTM_NEWRULE || nl_msg_attrs(nlh, sizeof(*msg), tb, FRA_OIFNAME))
		return -EBADMSG;
	v4 = msg->family == AF_INET;
	if (!v4 && msg->family != AF_INET6)
		return 0;
	if (take_prefix(tb[FRA_SRC], v4, msg->src_len, &from) ||
	    take_prefix(tb[FRA_DST], v4, msg->dst_len, &to))
		return -EBADMSG;
	if (routes->n_policies == MAX_POLICIES) {
		routes->too_many = true;
		return 0;
	}
	entry = array_add(&routes->policy, &routes->n_policies, sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	entry->v4 = v4;
	entry->from = from;
	entry->to = to;
	entry->has_from = msg->src_len;
	entry->has_to = msg->dst_len;
	entry->action = msg->action;
	entry->table = nl_u32(tb[FRA_TABLE], &u32) ? msg->table : u32;
	entry->priority = nl_u32(tb[FRA_PRIORITY], &u32) ? 0 : u32;
	entry->mark = nl_u32(tb[FRA_FWMARK], &u32) ? 0 : u32;
	entry->other = msg->tos || (msg->flags & FIB_RULE_INVERT) || selects_by_other(nlh);
	take_name(tb[FRA_IIFNAME], entry->iif);
	take_name(tb[FRA_OIFNAME], entry->oif);
	return 0;
}

static int note(struct routes *routes, const struct nl *nl, int err)
{
	if (!err && (nl->reply.malformed || nl->reply.interrupted))
		err = -EAGAIN;
	if (err && !routes->problem.err)
		routes->problem.err = -err;
	return err == -ENOMEM ? err : 0;
}

static int dump_policies(struct nl *nl, struct routes *ret)
{
	mnl_nlmsg_put_extra_header(nl_request(nl, RTM_GETRULE, 0), sizeof(struct fib_rule_hdr));
	return note(ret, nl, nl_dump_array(nl, take_policy, &ret->n_policies, ret));
}

int route_dump(struct routes *ret)
{
	_cleanup_(nl_close) struct nl nl = {};
	int err = nl_open(&nl, NETLINK_ROUTE);

	*ret = (struct routes){};
	if (err)
		return note(ret, &nl, err);
	mnl_nlmsg_put_extra_header(nl_request(&nl, RTM_GETROUTE, 0), sizeof(struct rtmsg));
	err = note(ret, &nl, nl_dump_array(&nl, take_route, &ret->n_routes, ret));
	return err ? err : dump_policies(&nl, ret);
}

int route_dump_policies(struct nl *nl, struct routes *ret)
{
	*ret = (struct routes){};
	return dump_policies(nl, ret);
}

void route_clear(struct routes *routes)
{
	free(routes->route);
	free(routes->policy);
	free(routes->problem.text);
	*routes = (struct routes){};
}

/* Find the longest prefix, and among equal ones the smallest metric. */
static const struct route_entry *look_up(const struct routes *routes, uint32_t table, int ifindex,
					 const struct in6_addr *dst, bool v4)
{
	const struct route_entry *best = NULL;

	for (size_t i = 0; i < routes->n_routes; i++) {
		const struct route_entry *entry = &routes->route[i];

		if (entry->table != table || entry->v4 != v4 || !prefix_has(&entry->dst, dst) ||
		    (ifindex && entry->ifindex && entry->ifindex != ifindex))
			continue;
		if (!best || entry->dst.length > best->dst.length ||
		    (entry->dst.length == best->dst.length && entry->metric < best->metric))
			best = entry;
	}
	return best;
}

/* True if the rule's addresses and interfaces fit, whatever else it selects by. */
static bool may_apply(const struct policy_entry *policy, const struct in6_addr *src,
		      const char *ifname, const struct in6_addr *dst, bool v4)
{
	/* Packets of this machine have "lo" as incoming interface. */
	return policy->v4 == v4 && (!*policy->iif || !strcmp(policy->iif, "lo")) &&
	       (!*policy->oif || (ifname && !strcmp(policy->oif, ifname))) &&
	       (!policy->has_from || (src && prefix_has(&policy->from, src))) &&
	       (!policy->has_to || prefix_has(&policy->to, dst));
}

static bool applies(const struct policy_entry *policy, const struct in6_addr *src,
		    const char *ifname, const struct in6_addr *dst, bool v4)
{
	return !policy->other && may_apply(policy, src, ifname, dst, v4);
}

/* Return the kernel's error for a type of route or rule that forbids packets. */
static int forbid(bool blackhole, bool unreachable, bool prohibit)
{
	return blackhole     ? -EINVAL
	       : unreachable ? -EHOSTUNREACH
	       : prohibit    ? -EACCES
			     : -ENETUNREACH;
}

int route_find_in(const struct routes *routes, uint32_t table, int ifindex,
		  const struct in6_addr *dst, struct route_answer *ret)
{
	const bool v4 = address_is_v4(dst);
	const struct route_entry *entry = look_up(routes, table, ifindex, dst, v4);

	if (!entry || entry->type == RTN_THROW)
		return -ENOENT;
	if (entry->type != RTN_UNICAST)
		return forbid(entry->type == RTN_BLACKHOLE, entry->type == RTN_UNREACHABLE,
			      entry->type == RTN_PROHIBIT);
	*ret = (struct route_answer){
		.ifindex = entry->ifindex,
		.gateway = entry->has_gateway,
		.is_default = entry->dst.length <= (v4 ? 96 : 0) + DEFAULT_PREFIX,
		.table = entry->table,
		.hop = entry->has_gateway ? entry->gateway : *dst,
	};
	if (entry->has_source)
		ret->source = entry->source;
	return 0;
}

int route_find(const struct routes *routes, const struct in6_addr *src, int ifindex,
	       const char *ifname, const struct in6_addr *dst, struct route_answer *ret)
{
	bool v4 = address_is_v4(dst);

	for (size_t i = 0; i < routes->n_policies; i++) {
		const struct policy_entry *policy = &routes->policy[i];
		int err;

		if (!applies(policy, src, ifname, dst, v4) || policy->action == FR_ACT_NOP ||
		    policy->action == FR_ACT_GOTO)
			continue;
		if (policy->action != FR_ACT_TO_TBL)
			return forbid(policy->action == FR_ACT_BLACKHOLE, false,
				      policy->action == FR_ACT_PROHIBIT);
		err = route_find_in(routes, policy->table, ifindex, dst, ret);
		if (err != -ENOENT)
			return err;
	}
	/* With a device, IPv4 takes the peer for a neighbour. */
	if (!ifindex || !v4)
		return -ENETUNREACH;
	*ret = (struct route_answer){ .ifindex = ifindex, .assumed = true, .hop = *dst };
	return 0;
}

static bool is_forbidding(const struct route_entry *entry)
{
	return entry->type == RTN_BLACKHOLE || entry->type == RTN_UNREACHABLE ||
	       entry->type == RTN_PROHIBIT;
}

bool route_find_forbidding(const struct routes *routes, const struct in6_addr *src, int ifindex,
			   const char *ifname, const struct in6_addr *dst, struct forbidding *ret)
{
	const bool v4 = address_is_v4(dst);

	FOR_EACH(policy, routes->policy, routes->n_policies) {
		const struct route_entry *entry = NULL;

		/* Packets have no mark unless a firewall sets one. */
		if (policy->mark || !may_apply(policy, src, ifname, dst, v4) ||
		    policy->action == FR_ACT_NOP || policy->action == FR_ACT_GOTO)
			continue;
		if (policy->action == FR_ACT_TO_TBL) {
			entry = look_up(routes, policy->table, ifindex, dst, v4);
			if (!entry || entry->type == RTN_THROW)
				continue;
			if (!is_forbidding(entry) && policy->other)
				continue;
			if (!is_forbidding(entry))
				return false;
		}
		*ret = (struct forbidding){ policy, entry };
		return true;
	}
	return false;
}
