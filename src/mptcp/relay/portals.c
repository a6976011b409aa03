// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reads from arguments and configuration which connections to relay. */
#include <ifaddrs.h>

#include "mptcp/plan/configured.h"
#include "steering.h"

#define DEFAULT_PORT 4420

DEFINE_CLEANUP(struct ifaddrs *, freeifaddrs);

/* The relay to fill, and the addresses of this machine to check against. */
struct parsing {
	struct nvme_mptcp_relay *relay;
	const struct ifaddrs *own;
	bool is_configured; /* reading the configuration */
	bool is_lenient; /* portals that cannot be relayed are left out, with a notice */
	size_t n_portals, n_ports; /* of other objects, which may name the same ones */
};

static int bad_portal(const char *text)
{
	return failure_note(-EINVAL,
			    "portal %s: not an address and port, such as 192.0.2.1:4420 or "
			    "[2001:db8::1]:4420 (names are not resolved)",
			    *text ? text : "\"\"");
}

int relay_parse_portal(const char *text, struct socket_address *ret)
{
	const char *port = text[0] == '[' ? strchr(text, ']') : strchr(text, ':');
	char address[ADDRESS_TEXT];
	struct socket_address at = { .port = DEFAULT_PORT };
	int64_t number;
	size_t length, zone;

	if (port && *port == ']')
		port++;
	else if (port && strchr(port + 1, ':')) /* a bare IPv6 address */
		port = NULL;
	length = port ? (size_t)(port - text) : strlen(text);
	zone = strcspn(text, "%");
	if (zone < length)
		length = zone;
	if (!length || length >= sizeof(address) - 1)
		return bad_portal(text);
	str_copy(address, sizeof(address), text, length);
	if (text[length] == '%' && text[0] == '[') {
		address[length] = ']';
		address[length + 1] = '\0';
	}
	if (address_parse_ip(address, &at.ip))
		return bad_portal(text);
	if (port && *port) {
		if (*port != ':' || port[1] < '1' || port[1] > '9' ||
		    str_parse_int(port + 1, 1, 65535, &number))
			return bad_portal(text);
		at.port = (uint16_t)number;
	}
	*ret = at;
	return 0;
}

struct socket_address relay_loopback_address(const struct socket_address *portal)
{
	struct socket_address at = *portal;

	memset(&at.ip, 0, 10);
	memset(&at.ip.s6_addr[10], 0xff, 2);
	at.ip.s6_addr[12] = 127;
	return at;
}

/* A portal with a zone, "192.0.2.1%eth1", is one to which connections are bound to a link. */
static const char *why_not(const struct parsing *p, const char *text,
			   const struct socket_address *portal, const char **iface)
{
	const struct ip_addr ip = { .in6 = portal->ip };

	if (IN6_IS_ADDR_LINKLOCAL(&portal->ip))
		return "is link-local, and connections to it are bound to a network interface, "
		       "which a relay does not support: use another address of the target";
	if (strchr(text, '%'))
		return "has connections that are bound to a network interface (host_iface, or a "
		       "zone such as %eth1), which a relay does not support";
	if (address_is_loopback(&portal->ip))
		return "is a loopback address: name the address of the target";
	if (IN6_IS_ADDR_UNSPECIFIED(&portal->ip) || IN6_IS_ADDR_MULTICAST(&portal->ip) ||
	    (address_is_v4(&portal->ip) &&
	     (!portal->ip.s6_addr[12] || portal->ip.s6_addr[12] >= 224)))
		return "is not a unicast address";
	*iface = address_interface(p->own, &ip);
	return *iface ? "is an address of this machine: for a target, name its ports (--port)"
		      : NULL;
}

/* Return a portal whose connections cannot be distinguished from those of @portal, or NULL. */
static const struct socket_address *find_overlap(const struct parsing *p,
						 const struct socket_address *portal)
{
	for (size_t i = 0; i < p->relay->n_portals; i++) {
		const struct socket_address *other = &p->relay->portals[i];
		const struct socket_address a = relay_loopback_address(portal),
					    b = relay_loopback_address(other);

		if (address_port_equal(portal, other) ||
		    (p->relay->by_address && address_port_equal(&a, &b)))
			return other;
	}
	return NULL;
}

static int refuse_overlap(const struct socket_address *portal, const struct socket_address *other)
{
	const struct socket_address stand_in = relay_loopback_address(portal);
	char a[ADDRESS_TEXT], b[ADDRESS_TEXT], c[ADDRESS_TEXT];

	address_port_text(portal, a);
	address_port_text(other, b);
	address_port_text(&stand_in, c);
	if (address_port_equal(portal, other))
		return failure_note(-EINVAL, "portal %s is given twice", a);
	return failure_note(-EINVAL,
			    "portals %s and %s would both have the loopback address %s: they "
			    "cannot both be relayed by address",
			    b, a, c);
}

static int add_steered(struct parsing *p, const char *text)
{
	struct socket_address portal, *added;
	const struct socket_address *other;
	const char *reason, *iface = NULL;
	char name[ADDRESS_TEXT];
	int err = relay_parse_portal(text, &portal);

	if (err && p->is_lenient)
		return relay_note(p->relay, "Portal %s is not relayed: names are not resolved",
				  text);
	if (err)
		return err;
	address_port_text(&portal, name);
	reason = why_not(p, text, &portal, &iface);
	if (reason && p->is_lenient)
		return relay_note(p->relay, "Portal %s is not relayed: it %s", name, reason);
	if (reason)
		return failure_note(-EINVAL, "portal %s: it %s%s%s%s", name, reason,
				    iface ? " (" : "", iface ? iface : "", iface ? ")" : "");
	other = find_overlap(p, &portal);
	if (other && address_port_equal(other, &portal) &&
	    (p->is_lenient || other < p->relay->portals + p->n_portals))
		return 0;
	if (other)
		return refuse_overlap(&portal, other);
	added = array_add(&p->relay->portals, &p->relay->n_portals, sizeof(*added));
	if (!added)
		return -ENOMEM;
	*added = portal;
	return 0;
}

static int add_relayed_port(struct parsing *p, const char *text)
{
	struct nvme_mptcp_relay *relay = p->relay;
	uint16_t *added;
	int64_t port;

	if (*text < '1' || *text > '9' || str_parse_int(text, 1, 65535, &port))
		return failure_note(-EINVAL, "port %s: not a number from 1 to 65535",
				    *text ? text : "\"\"");
	for (size_t i = 0; i < relay->n_ports; i++)
		if (relay->ports[i] == port)
			return i < p->n_ports ? 0
					      : failure_note(-EINVAL, "port %lld is given twice",
							     (long long)port);
	added = array_add(&relay->ports, &relay->n_ports, sizeof(*added));
	if (!added)
		return -ENOMEM;
	*added = (uint16_t)port;
	return 0;
}

/*
 * Add a link. Its name is written into rules, so it must be that of an interface, without special
 * characters.
 */
static int add_relayed_link(struct parsing *p, const char *link)
{
	struct nvme_mptcp_relay *relay = p->relay;
	const bool is_name = *link && strlen(link) < IFNAMSIZ,
		   exists = is_name && if_nametoindex(link);
	char(*added)[IFNAMSIZ];

	/* The others of a target work if a card is missing when it boots. */
	if (is_name && !exists && p->is_configured) {
		if (relay_note(relay,
			       "Link %s: no such network interface, until it appears (ip link "
			       "lists them)",
			       link))
			return -ENOMEM;
	} else if (!exists) {
		return failure_note(-ENODEV,
				    "link %s: no such network interface (ip link lists them)",
				    *link ? link : "\"\"");
	}
	if (strpbrk(link, "\"*\\"))
		return failure_note(-EINVAL, "link %s: its name cannot be used in nftables rules",
				    link);
	for (size_t i = 0; i < relay->n_links; i++)
		if (!strcmp(relay->links[i], link))
			return 0;
	added = array_add(&relay->links, &relay->n_links, sizeof(*added));
	if (!added)
		return -ENOMEM;
	str_copy(*added, sizeof(*added), link, strlen(link));
	return 0;
}

/* Adds an entry of a list in the configuration or in the arguments. */
typedef int (*add_fn)(struct parsing *p, const char *text);

static int add_texts(struct parsing *p, add_fn add, const char *const *texts)
{
	int err = 0;

	for (; !err && texts && *texts; texts++)
		err = add(p, *texts);
	return err;
}

/* Add the entries of a list, whose types were checked when it was read. */
static int add_list(struct parsing *p, add_fn add, struct json_object *object, const char *key)
{
	struct json_object *list;
	int err = 0;

	if (json_object_object_get_ex(object, key, &list))
		for (size_t i = 0; !err && i < json_object_array_length(list); i++)
			err = add(p, json_object_get_string(json_object_array_get_idx(list, i)));
	return err;
}

static int add_relay_object(struct parsing *p, struct json_object *object,
			    const char *const *auto_portals)
{
	struct json_object *portals;
	int err;

	p->n_portals = p->relay->n_portals;
	p->n_ports = p->relay->n_ports;
	json_object_object_get_ex(object, "portals", &portals);
	p->is_lenient = json_object_is_type(portals, json_type_string);
	err = p->is_lenient ? add_texts(p, add_steered, auto_portals)
			    : add_list(p, add_steered, object, "portals");
	p->is_lenient = false;
	if (!err)
		err = add_list(p, add_relayed_port, object, "ports");
	/* Only keep uses the links of a host: one that does not exist yet is no error. */
	if (!err && (!portals || json_object_object_get_ex(object, "ports", NULL)))
		err = add_list(p, add_relayed_link, object, "links");
	return err;
}

static bool asks_for_address(struct json_object *object)
{
	struct json_object *mode;

	return json_object_object_get_ex(object, "mode", &mode) &&
	       !strcmp(json_object_get_string(mode), "address");
}

static int add_objects(struct parsing *p, const struct nvme_mptcp_relay_args *args)
{
	const struct config_selection meant = { .config = args->config };
	const struct config_host *h;
	struct json_object *object;
	int err = 0;

	if (!args->config)
		return 0;
	/* Read the mode first: which portals overlap depends on it. */
	config_for_each(&meant, h)
		if (json_object_object_get_ex(h->mptcp, "relay", &object) &&
		    asks_for_address(object))
			p->relay->by_address = true;
	p->is_configured = true;
	config_for_each(&meant, h)
		if (!err && json_object_object_get_ex(h->mptcp, "relay", &object))
			err = add_relay_object(p, object, args->auto_portals);
	p->is_configured = false;
	p->n_portals = p->n_ports = 0;
	return err;
}

static int check_whole(const struct nvme_mptcp_relay *relay)
{
	if (!relay->n_portals && !relay->n_ports)
		return failure_note(-ENODATA,
				    "nothing to relay: a host names portals, a target ports");
	if (relay->by_address && relay->n_ports)
		return failure_note(-EINVAL, "mode address is for hosts: a target redirects "
					     "connections to its ports with rules");
	return 0;
}

int relay_parse(struct nvme_mptcp_relay *relay, const struct nvme_mptcp_relay_args *args)
{
	_cleanup_(freeifaddrs) struct ifaddrs *own = NULL;
	struct parsing p = { .relay = relay };
	int err = 0;

	if (getifaddrs(&own))
		return failure_note(-errno, "addresses of this machine: %s", strerror(errno));
	p.own = own;
	relay->by_address = args->by_address;
	relay->send_buffer = args->send_buffer;
	err = add_objects(&p, args);
	if (!err)
		err = add_texts(&p, add_steered, args->portals);
	if (!err)
		err = add_texts(&p, add_relayed_port, args->ports);
	if (!err)
		err = add_texts(&p, add_relayed_link, args->links);
	return err ? err : check_whole(relay);
}
