// SPDX-License-Identifier: LGPL-2.1-or-later
/* Convert a report to a snapshot of the machine that it describes. */
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <linux/rtnetlink.h>

#include "base/str.h"
#include "transport.h"
#include "peer-sockets.h"
#include "peer-read.h"
#include "mptcp/netlink/uapi.h"
#include "mptcp/snapshot/command.h"
#include "mptcp/snapshot/values.h"

#ifndef IFF_LOWER_UP
#define IFF_LOWER_UP (1 << 16)
#endif

#define MOST_SETTINGS 4096
#define MOST_PORTS 1024
#define MOST_LINKS 4096
#define MOST_ADDRESSES 65536
#define NAME 64
#define NQN 223

static int keep(char **field, const char *value)
{
	return str_set(field, value);
}

/* Note missing parts as problems, so that rules do not take them for empty. */
static int parse_missing(struct reader *r, struct json_object *in, void *arg)
{
	struct nvme_mptcp_peer *peer = arg;
	const char *part, *text;
	int64_t number;
	int err = peer_read_word(r, in, "part", MUST, NAME, &part);

	if (!err)
		err = peer_read_text(r, in, "text", MUST, 4096, &text);
	if (!err)
		err = peer_read_number(r, in, "errno", MUST, 1, 4095, &number);
	if (err)
		return err;
	if (!strcmp(part, "routes"))
		peer->has_routes = false;
	for (int i = 0; i < NVME_MPTCP_PARTS; i++)
		if (!strcmp(part, nvme_mptcp_part_name(i)))
			problem_set(peer->snap, i, (int)number, "%s", text);
	return 0;
}

static int parse_link(struct reader *r, struct json_object *in, void *arg)
{
	struct nvme_mptcp_snapshot *snap = arg;
	struct nvme_mptcp_link *link;
	static const char *const kinds[] = { "physical", "veth", "virtual" };
	int64_t ifindex, mtu, speed, master, wire;
	int up, carrier, kind;
	const char *name;
	int err = peer_read_word(r, in, "name", MUST, LINK_NAME - 1, &name);

	if (!err)
		err = peer_read_number(r, in, "ifindex", MUST, 1, INT_MAX, &ifindex);
	if (!err)
		err = peer_read_number(r, in, "mtu", MAY, 0, UINT32_MAX, &mtu);
	if (!err)
		err = peer_read_number(r, in, "speed_mbps", MAY, 0, INT_MAX, &speed);
	if (!err)
		err = peer_read_number(r, in, "master", MAY, 0, INT_MAX, &master);
	if (!err)
		err = peer_read_number(r, in, "wire", MAY, 1, INT_MAX, &wire);
	if (!err)
		err = peer_read_choice(r, in, "kind", MAY, kinds, sizeof(kinds) / sizeof(*kinds),
				       &kind);
	if (!err)
		err = peer_read_bool(r, in, "up", &up);
	if (!err)
		err = peer_read_bool(r, in, "carrier", &carrier);
	if (!err && snap->n_links == MOST_LINKS)
		err = reader_fail(r, reader_line(in), "more than %d links", MOST_LINKS);
	if (err)
		return err;
	link = array_add(&snap->links, &snap->n_links, sizeof(*link));
	if (!link)
		return -ENOMEM;
	str_copy(link->name, sizeof(link->name), name, strlen(name));
	link->ifindex = (int)ifindex;
	link->mtu = mtu;
	link->speed = speed;
	link->master = master > 0 ? (int)master : 0;
	link->wire = wire > 0 ? (int)wire : link->ifindex;
	link->kind = kind > 0 ? (enum nvme_mptcp_link_kind)kind : NVME_MPTCP_LINK_PHYSICAL;
	link->flags = (up == 1 ? IFF_UP : 0U) | (carrier == 1 ? IFF_LOWER_UP : 0U) |
		      (strcmp(name, "lo") ? 0U : IFF_LOOPBACK);
	return 0;
}

static int parse_address(struct reader *r, struct json_object *in, void *arg)
{
	struct nvme_mptcp_snapshot *snap = arg;
	struct local_address *added;
	int64_t ifindex, prefix, scope, flags;
	struct in6_addr ip;
	int err = peer_read_ip(r, in, "address", MUST, &ip, NULL);

	if (!err)
		err = peer_read_number(r, in, "ifindex", MUST, 1, INT_MAX, &ifindex);
	if (!err)
		err = peer_read_number(r, in, "prefix", MUST, 0, address_is_v4(&ip) ? 32 : 128,
				       &prefix);
	if (!err)
		err = peer_read_number(r, in, "scope", MUST, 0, 255, &scope);
	if (!err)
		err = peer_read_bits(r, in, "flags", link_address_flags, LINK_ADDRESS_FLAGS,
				     &flags);
	if (!err && snap->n_addresses == MOST_ADDRESSES)
		err = reader_fail(r, reader_line(in), "more than %d addresses", MOST_ADDRESSES);
	if (err)
		return err;
	added = array_add(&snap->addresses, &snap->n_addresses, sizeof(*added));
	if (!added)
		return -ENOMEM;
	added->ip = ip;
	added->ifindex = (int)ifindex;
	added->prefix = (uint8_t)(prefix + (address_is_v4(&ip) ? 96 : 0));
	added->scope = (uint8_t)scope;
	added->flags = flags > 0 ? (uint32_t)flags : 0;
	return 0;
}

static int parse_endpoint(struct reader *r, struct json_object *in, void *arg)
{
	struct nvme_mptcp_snapshot *snap = arg;
	struct nvme_mptcp_endpoint *ep;
	int64_t id, port, flags, ifindex;
	struct in6_addr ip;
	int err = peer_read_number(r, in, "id", MUST, 1, 255, &id);

	if (!err)
		err = peer_read_ip(r, in, "address", MUST, &ip, NULL);
	if (!err)
		err = peer_read_number(r, in, "port", MAY, 0, UINT16_MAX, &port);
	if (!err)
		err = peer_read_number(r, in, "ifindex", MAY, 0, INT_MAX, &ifindex);
	if (!err)
		err = peer_read_bits(r, in, "flags", endpoint_flag_names, ENDPOINT_FLAGS, &flags);
	if (!err && snap->n_endpoints == UINT8_MAX)
		err = reader_fail(r, reader_line(in), "more than %d endpoints", UINT8_MAX);
	if (err)
		return err;
	ep = array_add(&snap->endpoints, &snap->n_endpoints, sizeof(*ep));
	if (!ep)
		return -ENOMEM;
	ep->id = (uint8_t)id;
	ep->ip = ip;
	ep->port = port > 0 ? (uint16_t)port : 0;
	ep->ifindex = ifindex > 0 ? (int)ifindex : 0;
	ep->flags = flags;
	ep->subflows = NVME_MPTCP_UNKNOWN;
	address_text(&ip, ep->address);
	return 0;
}

static int parse_listener(struct reader *r, struct json_object *in, void *arg)
{
	struct nvme_mptcp_snapshot *snap = arg;
	struct socket_address local;
	struct listener *listener;
	int err = peer_read_ends(r, in, "local", &local);

	if (err)
		return err;
	listener = array_add(&snap->listeners, &snap->n_listeners, sizeof(*listener));
	if (!listener)
		return -ENOMEM;
	listener->local = local;
	return 0;
}

static int add_subsystem(const char *nqn, void *arg)
{
	struct target_port *port = arg;
	char **added = array_add(&port->subsystems, &port->n_subsystems, sizeof(*added));

	return added ? keep(added, nqn) : -ENOMEM;
}

static int parse_port(struct reader *r, struct json_object *in, void *arg)
{
	struct nvme_mptcp_peer *peer = arg;
	const char *name, *trtype, *traddr;
	struct target_port *port;
	struct in6_addr ip;
	bool has_ip = false;
	int64_t trsvcid;
	int relay = 0;
	int err = peer_read_word(r, in, "name", MUST, NAME, &name);

	if (!err)
		err = peer_read_word(r, in, "trtype", MAY, NAME, &trtype);
	if (!err)
		err = peer_read_bool(r, in, "relay", &relay);
	if (!err)
		err = peer_read_text(r, in, "traddr", MAY, 256, &traddr);
	if (!err)
		err = peer_read_number(r, in, "trsvcid", MAY, 1, UINT16_MAX, &trsvcid);
	/* With other transports traddr is not an IP address. */
	if (!err && traddr && trsvcid > 0)
		err = peer_read_ip(r, in, "traddr", MUST, &ip, &has_ip);
	if (err)
		return err;
	if (peer->n_ports == MOST_PORTS)
		return reader_fail(r, reader_line(in), "more than %d ports", MOST_PORTS);
	port = array_add(&peer->ports, &peer->n_ports, sizeof(*port));
	if (!port || keep(&port->name, name) || keep(&port->trtype, trtype) ||
	    (has_ip && keep(&port->traddr, traddr)))
		return -ENOMEM;
	port->relayed = relay > 0;
	port->subflows =
		port->relayed || (trtype && nvmf_transport_has(trtype, NVMF_TRANSPORT_SUBFLOWS));
	port->has_address = has_ip;
	if (has_ip)
		port->address = (struct socket_address){ ip, (uint16_t)trsvcid };
	return peer_read_words(r, in, "subsystems", NQN, add_subsystem, port);
}

static int read_family(struct reader *r, struct json_object *in, bool *v4)
{
	static const char *const families[] = { "ipv4", "ipv6" };
	int family;
	int err = peer_read_choice(r, in, "family", MUST, families, 2, &family);

	if (!err && family < 0)
		err = reader_fail(r, reader_line(in), "the family is ipv4 or ipv6");
	if (!err)
		*v4 = !family;
	return err;
}

static uint8_t route_type(const char *name)
{
	for (uint8_t type = 0; type < __RTN_MAX; type++)
		if (!strcmp(route_type_name(type), name))
			return type;
	return RTN_UNSPEC;
}

static int parse_route(struct reader *r, struct json_object *in, void *arg)
{
	struct nvme_mptcp_peer *peer = arg;
	struct route_entry entry = {}, *added;
	int64_t table, ifindex, metric;
	const char *type;
	int gatewayed;
	bool has;
	int err = read_family(r, in, &entry.v4);

	if (!err)
		err = peer_read_number(r, in, "table", MUST, 0, UINT32_MAX, &table);
	if (!err)
		err = peer_read_number(r, in, "ifindex", MAY, 0, INT_MAX, &ifindex);
	if (!err)
		err = peer_read_number(r, in, "metric", MAY, 0, UINT32_MAX, &metric);
	if (!err)
		err = peer_read_word(r, in, "type", MUST, NAME, &type);
	if (!err)
		err = peer_read_bool(r, in, "gatewayed", &gatewayed);
	if (!err)
		err = peer_read_ip(r, in, "gateway", MAY, &entry.gateway, NULL);
	if (!err)
		err = peer_read_ip(r, in, "source", MAY, &entry.source, &entry.has_source);
	if (!err)
		err = peer_read_prefix(r, in, "dst", entry.v4, &entry.dst, &has);
	if (err)
		return err;
	if (peer->routes.n_routes == MAX_ROUTES)
		return reader_fail(r, reader_line(in), "more than %d routes", MAX_ROUTES);
	added = array_add(&peer->routes.route, &peer->routes.n_routes, sizeof(*added));
	if (!added)
		return -ENOMEM;
	entry.table = (uint32_t)table;
	entry.ifindex = ifindex > 0 ? (int)ifindex : 0;
	entry.metric = metric;
	entry.type = route_type(type);
	entry.has_gateway = gatewayed == 1;
	*added = entry;
	return 0;
}

static int parse_policy(struct reader *r, struct json_object *in, void *arg)
{
	struct nvme_mptcp_peer *peer = arg;
	struct policy_entry entry = {}, *added;
	int64_t table, priority, action;
	const char *iif, *oif;
	int other;
	int err = read_family(r, in, &entry.v4);

	if (!err)
		err = peer_read_number(r, in, "table", MUST, 0, UINT32_MAX, &table);
	if (!err)
		err = peer_read_number(r, in, "priority", MUST, 0, UINT32_MAX, &priority);
	if (!err)
		err = peer_read_number(r, in, "action", MUST, 0, UINT8_MAX, &action);
	if (!err)
		err = peer_read_word(r, in, "iif", MAY, LINK_NAME - 1, &iif);
	if (!err)
		err = peer_read_word(r, in, "oif", MAY, LINK_NAME - 1, &oif);
	if (!err)
		err = peer_read_bool(r, in, "other_selectors", &other);
	if (!err)
		err = peer_read_prefix(r, in, "from", entry.v4, &entry.from, &entry.has_from);
	if (!err)
		err = peer_read_prefix(r, in, "to", entry.v4, &entry.to, &entry.has_to);
	if (err)
		return err;
	if (peer->routes.n_policies == MAX_POLICIES)
		return reader_fail(r, reader_line(in), "more than %d rules", MAX_POLICIES);
	added = array_add(&peer->routes.policy, &peer->routes.n_policies, sizeof(*added));
	if (!added)
		return -ENOMEM;
	entry.table = (uint32_t)table;
	entry.priority = (uint32_t)priority;
	entry.action = (uint8_t)action;
	entry.other = other == 1;
	if (iif)
		str_copy(entry.iif, sizeof(entry.iif), iif, strlen(iif));
	if (oif)
		str_copy(entry.oif, sizeof(entry.oif), oif, strlen(oif));
	*added = entry;
	return 0;
}

/* Parse an MPTCP setting. Name and value may be used in commands, so both must be plain words. */
static int parse_setting(struct reader *r, struct json_object *dict, const char *key,
			 struct nvme_mptcp_snapshot *snap)
{
	struct setting *setting;
	const char *value;
	int err = peer_read_text(r, dict, key, MUST, 512, &value);

	if (!err && snap->n_settings == MOST_SETTINGS)
		err = reader_fail(r, reader_line(dict), "more than %d settings", MOST_SETTINGS);
	/* Skip lists of several words; no rule uses them. */
	if (err || !peer_is_word(key, NAME) || !peer_is_word(value, NAME))
		return err;
	setting = array_add(&snap->settings, &snap->n_settings, sizeof(*setting));
	if (!setting || keep(&setting->name, key) || keep(&setting->value, value))
		return -ENOMEM;
	return 0;
}

static int parse_settings(struct reader *r, struct json_object *in,
			  struct nvme_mptcp_snapshot *snap)
{
	struct json_object *dict;
	int err = peer_read_dict(r, in, "settings", MUST, &dict);

	if (err)
		return err;
	peer_enter(r, "settings");
	json_object_object_foreach(dict, key, ignored) {
		(void)ignored;
		err = parse_setting(r, dict, key, snap);
		if (err)
			break;
	}
	peer_leave(r);
	return err;
}

static int parse_sysctl(struct reader *r, struct json_object *dict, const char *key,
			struct nvme_mptcp_peer *peer)
{
	struct peer_setting *setting;
	int64_t value;
	int err = peer_read_number(r, dict, key, MAY, INT_MIN, INT_MAX, &value);

	if (!err && peer->n_settings == MOST_SETTINGS)
		err = reader_fail(r, reader_line(dict), "more than %d sysctls", MOST_SETTINGS);
	if (err)
		return err;
	setting = array_add(&peer->settings, &peer->n_settings, sizeof(*setting));
	if (!setting || keep(&setting->path, key))
		return -ENOMEM;
	setting->value = value;
	return 0;
}

static int parse_sysctls(struct reader *r, struct json_object *top, struct nvme_mptcp_peer *peer)
{
	struct json_object *dict;
	int err = peer_read_dict(r, top, "sysctls", MUST, &dict);

	if (err)
		return err;
	peer_enter(r, "sysctls");
	json_object_object_foreach(dict, key, ignored) {
		(void)ignored;
		err = parse_sysctl(r, dict, key, peer);
		if (err)
			break;
	}
	peer_leave(r);
	return err;
}

static int parse_limits(struct reader *r, struct json_object *in, struct nvme_mptcp_snapshot *snap)
{
	struct json_object *dict;
	int err = peer_read_dict(r, in, "limits", MUST, &dict);

	peer_enter(r, "limits");
	if (!err)
		err = peer_read_number(r, dict, "subflows", MAY, 0, INT_MAX, &snap->limit_subflows);
	if (!err)
		err = peer_read_number(r, dict, "add_addr_accepted", MAY, 0, INT_MAX,
				       &snap->limit_add_addr_accepted);
	peer_leave(r);
	return err;
}

static int by_index(const void *a, const void *b)
{
	const struct nvme_mptcp_link *x = a, *y = b;

	return (x->ifindex > y->ifindex) - (x->ifindex < y->ifindex);
}

static int by_ip(const void *a, const void *b)
{
	const struct local_address *x = a, *y = b;
	int order = memcmp(&x->ip, &y->ip, sizeof(x->ip));

	return order ? order : (x->ifindex > y->ifindex) - (x->ifindex < y->ifindex);
}

/* Sort links and addresses as lookups expect. */
static void sort(struct nvme_mptcp_snapshot *snap)
{
	if (snap->n_links)
		qsort(snap->links, snap->n_links, sizeof(*snap->links), by_index);
	if (snap->n_addresses)
		qsort(snap->addresses, snap->n_addresses, sizeof(*snap->addresses), by_ip);
}

static int parse_network(struct reader *r, struct json_object *top, struct json_object *snapshot,
			 struct nvme_mptcp_peer *peer)
{
	struct nvme_mptcp_snapshot *snap = peer->snap;
	int err = peer_read_each(r, top, "missing", MUST, parse_missing, peer);

	peer_enter(r, "snapshot");
	if (!err)
		err = peer_read_each(r, snapshot, "links", MUST, parse_link, snap);
	if (!err)
		err = peer_read_each(r, snapshot, "endpoints", MUST, parse_endpoint, snap);
	peer_leave(r);
	if (!err)
		err = peer_read_each(r, top, "addresses", MUST, parse_address, snap);
	if (!err)
		err = peer_read_each(r, top, "listeners", MUST, parse_listener, snap);
	if (!err)
		err = peer_read_each(r, top, "ports", MUST, parse_port, peer);
	if (!err)
		err = peer_read_each(r, top, "routes", MUST, parse_route, peer);
	if (!err)
		err = peer_read_each(r, top, "rules", MUST, parse_policy, peer);
	sort(snap);
	return err;
}

static int parse_counters(struct reader *r, struct json_object *top, struct nvme_mptcp_peer *peer)
{
	struct json_object *now, *grown;
	int err = peer_read_dict(r, top, "counters", MUST, &now);

	if (!err)
		err = peer_read_dict(r, top, "grown", MAY, &grown);
	peer_enter(r, "counters");
	if (!err)
		err = peer_parse_counters(r, now, NULL, &peer->snap->counters);
	peer_leave(r);
	if (err || !grown)
		return err;
	peer->before = snapshot_new();
	if (!peer->before)
		return -ENOMEM;
	peer_enter(r, "grown");
	err = peer_parse_counters(r, now, grown, &peer->before->counters);
	peer_leave(r);
	return err;
}

static int parse_roles(struct reader *r, struct json_object *top, struct nvme_mptcp_peer *peer)
{
	static const char *const names[] = { "", "host", "target" };
	struct json_object *findings;
	int64_t bits = 0;
	int err = peer_read_dict(r, top, "findings", MUST, &findings);

	peer_enter(r, "findings");
	if (!err)
		err = peer_read_bits(r, findings, "roles", names, 3, &bits);
	if (!err)
		err = peer_parse_findings(r, findings, peer);
	peer_leave(r);
	peer->role = bits > 0 ? (unsigned int)bits & ON_BOTH : 0;
	return err;
}

/* Check kind and version first, to recognize other documents and other versions. */
static int parse_kind(struct reader *r, struct json_object *top, struct nvme_mptcp_peer *peer)
{
	const char *kind, *hostname = NULL;
	struct json_object *kernel;
	int64_t version;
	int ipv6 = 0, err;

	if (json_object_get_type(top) != json_type_object)
		return reader_fail(r, reader_line(top),
				   "this is not a report: an object is expected");
	if (!json_object_object_get_ex(top, "report", NULL))
		return reader_fail(r, reader_line(top),
				   "not written by %s report: \"report\" is missing",
				   snapshot_program());
	err = peer_read_text(r, top, "report", MUST, NAME, &kind);
	if (!err && strcmp(kind, REPORT_KIND))
		err = reader_fail(r, reader_line(top), "not written by %s report",
				  snapshot_program());
	if (!err)
		err = peer_read_number(r, top, "version", MUST, 0, INT_MAX, &version);
	if (!err && version != REPORT_VERSION)
		err = reader_fail(r, reader_line(top),
				  "the report has version %lld, and this program reads version %d: "
				  "use the same version of %s on both sides",
				  (long long)version, REPORT_VERSION, snapshot_connect_program());
	if (!err)
		err = peer_read_text(r, top, "hostname", MAY, 256, &hostname);
	if (!err)
		err = peer_read_number(r, top, "taken_s", MUST, 0, INT64_MAX, &peer->taken);
	if (!err)
		err = peer_read_dict(r, top, "kernel", MUST, &kernel);
	if (!err)
		err = peer_read_bool(r, kernel, "mptcp_ipv6", &ipv6);
	if (!err)
		err = keep(&peer->hostname, hostname);
	peer->has_ipv6 = ipv6 != 0;
	return err;
}

/*
 * Commands for the other side name its network namespace. Ignore a name that a shell would
 * interpret.
 */
static int parse_netns(struct reader *r, struct json_object *snapshot, struct nvme_mptcp_peer *peer)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789._-+@/";
	const char *netns = NULL;
	int err = peer_read_text(r, snapshot, "netns", MAY, PATH_MAX, &netns);

	if (err || !netns || !*netns || *netns == '-' || netns[strspn(netns, plain)])
		return err;
	return keep(&peer->snap->netns, netns);
}

int peer_parse_document(struct reader *r, struct json_object *top, struct nvme_mptcp_peer *peer)
{
	struct json_object *snapshot;
	int err = parse_kind(r, top, peer);

	if (!err)
		err = parse_roles(r, top, peer);
	if (!err)
		err = parse_sysctls(r, top, peer);
	if (!err)
		err = parse_counters(r, top, peer);
	if (!err)
		err = peer_read_dict(r, top, "snapshot", MUST, &snapshot);
	if (!err)
		err = parse_network(r, top, snapshot, peer);
	if (err)
		return err;
	peer_enter(r, "snapshot");
	err = parse_settings(r, snapshot, peer->snap);
	if (!err)
		err = parse_netns(r, snapshot, peer);
	if (!err)
		err = parse_limits(r, snapshot, peer->snap);
	if (!err)
		err = peer_parse_connections(r, snapshot, peer->snap);
	peer_leave(r);
	return err;
}
