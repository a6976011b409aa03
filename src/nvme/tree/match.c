/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Comparing a controller with a requested address, as enum transport_match defines. */
#include <ifaddrs.h>
#include <strings.h>

#include "private.h"

/* Addresses of this host's interfaces, read on first use. */
struct interfaces {
	struct nvme_root *r;
	struct ifaddrs *list;
	bool own;
};

static const struct ifaddrs *interfaces_get(struct interfaces *interfaces)
{
	if (interfaces->list)
		return interfaces->list;
	if (interfaces->r && interfaces->r->ifaddrs)
		return interfaces->list = interfaces->r->ifaddrs;
	if (getifaddrs(&interfaces->list) < 0)
		return interfaces->list = NULL;
	if (interfaces->r && interfaces->r->scanning)
		interfaces->r->ifaddrs = interfaces->list;
	else
		interfaces->own = true;
	return interfaces->list;
}

static void interfaces_release(struct interfaces *interfaces)
{
	if (interfaces->own)
		freeifaddrs(interfaces->list);
}

static bool same_address(const char *a, const char *b)
{
	struct ip_addr ip_a, ip_b;
	bool a_is_ip = !address_parse(a, &ip_a), b_is_ip = !address_parse(b, &ip_b);

	if (a_is_ip && b_is_ip)
		return address_matches(&ip_a, &ip_b);
	return !a_is_ip && !b_is_ip && !strcasecmp(a, b);
}

/* True unless both sides have a value and they differ. */
static bool agree(const char *have, const char *want, bool (*same)(const char *, const char *))
{
	return str_is_unset(have) || str_is_unset(want) || same(have, want);
}

static bool same_text(const char *a, const char *b)
{
	return !strcasecmp(a, b);
}

static bool nqn_matches(struct nvme_ctrl *c, const char *subsysnqn)
{
	if (!subsysnqn)
		return true;
	/* A discovery subsystem may have a unique NQN behind the well-known one. */
	if (!strcmp(subsysnqn, NVME_DISC_SUBSYS_NAME))
		return nvme_ctrl_is_discovery_ctrl(c);
	return str_eq(nvme_ctrl_get_subsysnqn(c), subsysnqn);
}

/* The kernel reports the source of the connection: compare with that. */
static bool starts_from(struct nvme_ctrl *c, const struct ctrl_query *query,
			const struct ip_addr *source)
{
	struct interfaces interfaces = { .r = c->r };
	struct ip_addr wanted;
	const char *iface;
	bool match;

	if (!str_is_unset(query->host_traddr) &&
	    (address_parse(query->host_traddr, &wanted) || !address_matches(&wanted, source)))
		return false;
	if (str_is_unset(query->host_iface))
		return true;
	if (!str_is_unset(c->options.cfg.host_iface))
		return !strcmp(c->options.cfg.host_iface, query->host_iface);
	iface = address_interface(interfaces_get(&interfaces), source);
	match = iface && !strcmp(iface, query->host_iface);
	interfaces_release(&interfaces);
	return match;
}

/* True if a connection bound to @iface would start from @addr. */
static bool iface_fits(struct interfaces *interfaces, const char *iface, const char *addr,
		       bool is_source)
{
	const struct ifaddrs *list = interfaces_get(interfaces);
	const char *owner;
	struct ip_addr ip;

	if (address_parse(addr, &ip))
		return false;
	if (!is_source)
		return address_is_primary(list, iface, &ip);
	owner = address_interface(list, &ip);
	return owner && !strcmp(owner, iface);
}

/* Kernels before 6.1 do not report the source: compare with the values of the connect. */
static bool may_start_from(struct nvme_ctrl *c, const struct ctrl_query *query)
{
	struct interfaces interfaces = { .r = c->r };
	const char *have_traddr =
		str_is_unset(c->options.cfg.host_traddr) ? NULL : c->options.cfg.host_traddr;
	const char *have_iface =
		str_is_unset(c->options.cfg.host_iface) ? NULL : c->options.cfg.host_iface;
	bool match = true;

	if (!str_is_unset(query->host_traddr)) {
		if (have_traddr)
			match = same_address(have_traddr, query->host_traddr);
		else if (have_iface)
			match = iface_fits(&interfaces, have_iface, query->host_traddr,
					   query->host_traddr_is_source);
	}
	if (match && !str_is_unset(query->host_iface)) {
		if (have_iface)
			match = !strcmp(have_iface, query->host_iface);
		else if (have_traddr)
			match = iface_fits(&interfaces, query->host_iface, have_traddr, false);
	}
	interfaces_release(&interfaces);
	return match;
}

/* Store the source address in @address. False if there is none. */
static bool parse_source(const char *address, struct ip_addr *ret)
{
	char text[INET6_ADDRSTRLEN + 32];
	size_t len;
	const char *value = address_value(address, "src_addr", &len);

	if (!value || len >= sizeof(text))
		return false;
	str_copy(text, sizeof(text), value, len);
	return !address_parse(text, ret);
}

static bool ask_source(struct nvme_ctrl *c, struct ip_addr *ret)
{
	return parse_source(ctrl_address(c), ret);
}

bool ctrl_known_source(const struct nvme_ctrl *c, struct ip_addr *ret)
{
	return parse_source(c->address ? c->address : c->portal, ret);
}

static bool host_side_matches(struct nvme_ctrl *c, const struct ctrl_query *query)
{
	struct ip_addr source;

	if (str_is_unset(query->host_traddr) && str_is_unset(query->host_iface))
		return true;
	return ask_source(c, &source) ? starts_from(c, query, &source) : may_start_from(c, query);
}

static bool strict_matches(struct nvme_ctrl *c, const struct ctrl_query *query)
{
	const char *have = str_is_unset(c->trsvcid) ? NULL : c->trsvcid;
	const char *want = str_is_unset(query->trsvcid) ? NULL : query->trsvcid;

	return str_eq(have, want) && c->traddr && query->traddr &&
	       same_address(c->traddr, query->traddr) && nqn_matches(c, query->subsysnqn) &&
	       host_side_matches(c, query);
}

static bool loose_matches(struct nvme_ctrl *c, const struct ctrl_query *query,
			  bool (*same)(const char *, const char *))
{
	return agree(c->traddr, query->traddr, same) &&
	       agree(c->options.cfg.host_traddr, query->host_traddr, same) &&
	       agree(c->options.cfg.host_iface, query->host_iface, same_text) &&
	       agree(c->trsvcid, query->trsvcid, same_text) && nqn_matches(c, query->subsysnqn);
}

bool ctrl_matches(struct nvme_ctrl *c, const struct ctrl_query *query)
{
	if (!query->transport_name || strcmp(c->transport_name, query->transport_name) != 0)
		return false;
	switch (query->transport->match) {
	case MATCH_IP_STRICT:
		return strict_matches(c, query);
	case MATCH_IP_LOOSE:
		return loose_matches(c, query, same_address);
	case MATCH_STRINGS:
		break;
	}
	return loose_matches(c, query, same_text);
}

struct ctrl_query ctrl_query(const char *transport, const char *traddr, const char *trsvcid,
			     const char *subsysnqn, const char *host_traddr, const char *host_iface)
{
	return (struct ctrl_query){
		.transport = transport_by_name(transport),
		.transport_name = transport,
		.traddr = traddr,
		.trsvcid = trsvcid,
		.subsysnqn = subsysnqn,
		.host_traddr = host_traddr,
		.host_iface = host_iface,
	};
}

bool nvme_ctrl_config_match(struct nvme_ctrl *c, const char *transport, const char *traddr,
			    const char *trsvcid, const char *subsysnqn, const char *host_traddr,
			    const char *host_iface)
{
	const struct ctrl_query query =
		ctrl_query(transport, traddr, trsvcid, subsysnqn, host_traddr, host_iface);

	return ctrl_matches(c, &query);
}

nvme_ctrl_t nvme_ctrl_find(nvme_subsystem_t s, const char *transport, const char *traddr,
			   const char *trsvcid, const char *subsysnqn, const char *host_traddr,
			   const char *host_iface)
{
	const struct ctrl_query query =
		ctrl_query(transport, traddr, trsvcid, subsysnqn, host_traddr, host_iface);

	return index_find(s, &query, NULL, NULL);
}
