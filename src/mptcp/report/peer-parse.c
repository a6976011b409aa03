// SPDX-License-Identifier: LGPL-2.1-or-later
/* Convert a report to a snapshot of the machine that it describes. */
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <linux/rtnetlink.h>

#include "transport.h"
#include "peer-sockets.h"
#include "peer-read.h"
#include "mptcp/netlink/uapi.h"

#ifndef IFF_LOWER_UP
#define IFF_LOWER_UP (1 << 16)
#endif

#define MAX_PEER_SETTINGS 4096
#define MAX_PEER_PORTS 1024
#define MAX_LINK_COUNT 4096
#define MAX_ADDRESSES 65536
#define NAME 64
#define NQN 223

/* Note missing parts as problems, so that rules do not take them for empty. */
static void parse_missing(struct peer_reader *r, struct json_object *in, void *arg)
{
	struct nvme_mptcp_peer *peer = arg;
	const char *part = peer_read_word(r, in, "part", MUST, NAME);
	const char *text = peer_read_text(r, in, "text", MUST, 4096);
	const int number = (int)peer_read_number(r, in, "errno", MUST, 1, 4095);

	if (r->err)
		return;
	if (!strcmp(part, "routes"))
		peer->has_routes = false;
	for (int i = 0; i < NVME_MPTCP_PARTS; i++)
		if (!strcmp(part, nvme_mptcp_part_name(i)))
			problem_set(peer->snap, i, number, "%s", text);
}

static void parse_link(struct peer_reader *r, struct json_object *in, void *arg)
{
	static const char *const kinds[] = { "physical", "veth", "virtual" };
	struct nvme_mptcp_snapshot *snap = arg;
	const char *name = peer_read_word(r, in, "name", MUST, LINK_NAME - 1);
	const int ifindex = (int)peer_read_number(r, in, "ifindex", MUST, 1, INT_MAX);
	const int64_t mtu = peer_read_number(r, in, "mtu", MAY, 0, UINT32_MAX);
	const int64_t speed = peer_read_number(r, in, "speed_mbps", MAY, 0, INT_MAX);
	const int master = (int)peer_read_number(r, in, "master", MAY, 0, INT_MAX);
	const int wire = (int)peer_read_number(r, in, "wire", MAY, 1, INT_MAX);
	const char *type = peer_read_word(r, in, "type", MAY, LINK_NAME - 1);
	const int parent = (int)peer_read_number(r, in, "parent", MAY, 1, INT_MAX);
	const int vlan = (int)peer_read_number(r, in, "vlan", MAY, 0, 4095);
	const int gate = (int)peer_read_number(r, in, "vlan_gate", MAY, 1, INT_MAX);
	const int active = (int)peer_read_number(r, in, "active_port", MAY, 1, INT_MAX);
	const bool unmonitored = peer_read_bool(r, in, "unmonitored") == 1;
	const bool no_partner = peer_read_bool(r, in, "no_partner") == 1;
	const int64_t aggregator = peer_read_number(r, in, "aggregator", MAY, 1, UINT16_MAX);
	const int64_t table = peer_read_number(r, in, "table", MAY, 1, UINT32_MAX);
	const int kind =
		peer_read_choice(r, in, "kind", MAY, kinds, sizeof(kinds) / sizeof(*kinds));
	const bool up = peer_read_bool(r, in, "up") == 1;
	const bool carrier = peer_read_bool(r, in, "carrier") == 1;
	struct nvme_mptcp_link *link = peer_add(r, in, &snap->links, &snap->n_links, sizeof(*link),
						MAX_LINK_COUNT, "links");

	if (!link)
		return;
	str_copy(link->name, sizeof(link->name), name, strlen(name));
	link->ifindex = ifindex;
	link_set_kind(link, type, parent > 0 ? parent : 0);
	link->vlan = vlan > 0 ? vlan : 0;
	link->vlan_gate = gate > 0 ? gate : 0;
	link->active_port = active > 0 ? active : 0;
	link->unmonitored = unmonitored;
	link->no_partner = no_partner;
	link->aggregator = aggregator > 0 ? (uint16_t)aggregator : 0;
	link->table = table > 0 ? (uint32_t)table : 0;
	link->mtu = mtu;
	link->speed = speed;
	link->master = master > 0 ? master : 0;
	link->wire = wire > 0 ? wire : ifindex;
	link->kind = kind > 0 ? (enum nvme_mptcp_link_kind)kind : NVME_MPTCP_LINK_PHYSICAL;
	link->flags = (up ? IFF_UP : 0U) | (carrier ? IFF_LOWER_UP : 0U) |
		      (strcmp(name, "lo") ? 0U : IFF_LOOPBACK);
}

static void parse_address(struct peer_reader *r, struct json_object *in, void *arg)
{
	struct nvme_mptcp_snapshot *snap = arg;
	struct in6_addr ip = {};
	const bool v4 = peer_read_ip(r, in, "address", MUST, &ip) && address_is_v4(&ip);
	const int64_t ifindex = peer_read_number(r, in, "ifindex", MUST, 1, INT_MAX);
	const int64_t prefix = peer_read_number(r, in, "prefix", MUST, 0, v4 ? 32 : 128);
	const int64_t scope = peer_read_number(r, in, "scope", MUST, 0, 255);
	const int64_t flags =
		peer_read_bits(r, in, "flags", link_address_flags, LINK_ADDRESS_FLAGS);
	struct local_address *added = peer_add(r, in, &snap->addresses, &snap->n_addresses,
					       sizeof(*added), MAX_ADDRESSES, "addresses");

	if (added)
		*added = (struct local_address){
			.ip = ip,
			.ifindex = (int)ifindex,
			.prefix = (uint8_t)(prefix + (v4 ? 96 : 0)),
			.scope = (uint8_t)scope,
			.flags = flags > 0 ? (uint32_t)flags : 0,
		};
}

static void parse_endpoint(struct peer_reader *r, struct json_object *in, void *arg)
{
	struct nvme_mptcp_snapshot *snap = arg;
	struct nvme_mptcp_endpoint ep = { .subflows = NVME_MPTCP_UNKNOWN }, *added;
	int64_t port, ifindex;

	ep.id = (uint8_t)peer_read_number(r, in, "id", MUST, 1, 255);
	if (peer_read_ip(r, in, "address", MUST, &ep.ip))
		address_text(&ep.ip, ep.address);
	port = peer_read_number(r, in, "port", MAY, 0, UINT16_MAX);
	ifindex = peer_read_number(r, in, "ifindex", MAY, 0, INT_MAX);
	ep.port = port > 0 ? (uint16_t)port : 0;
	ep.ifindex = ifindex > 0 ? (int)ifindex : 0;
	ep.flags = peer_read_bits(r, in, "flags", endpoint_flag_names, ENDPOINT_FLAGS);
	added = peer_add(r, in, &snap->endpoints, &snap->n_endpoints, sizeof(ep), UINT8_MAX,
			 "endpoints");
	if (added)
		*added = ep;
}

static void parse_listener(struct peer_reader *r, struct json_object *in, void *arg)
{
	struct nvme_mptcp_snapshot *snap = arg;
	const struct socket_address local = peer_read_ends(r, in, "local");
	struct listener *listener = peer_add(r, in, &snap->listeners, &snap->n_listeners,
					     sizeof(*listener), SIZE_MAX, "listeners");

	if (listener)
		listener->local = local;
}

static int add_subsystem(const char *nqn, void *arg)
{
	struct target_port *port = arg;
	char **added = array_add(&port->subsystems, &port->n_subsystems, sizeof(*added));

	return added ? str_set(added, nqn) : -ENOMEM;
}

static void parse_port(struct peer_reader *r, struct json_object *in, void *arg)
{
	struct nvme_mptcp_peer *peer = arg;
	const char *name = peer_read_word(r, in, "name", MUST, NAME);
	const char *trtype = peer_read_word(r, in, "trtype", MAY, NAME);
	const bool relay = peer_read_bool(r, in, "relay") > 0;
	const char *traddr = peer_read_text(r, in, "traddr", MAY, 256);
	const int64_t trsvcid = peer_read_number(r, in, "trsvcid", MAY, 1, UINT16_MAX);
	struct in6_addr ip = {};
	/* With other transports traddr is not an IP address. */
	const bool has_ip = traddr && trsvcid > 0 && peer_read_ip(r, in, "traddr", MUST, &ip);
	struct target_port *port = peer_add(r, in, &peer->ports, &peer->n_ports, sizeof(*port),
					    MAX_PEER_PORTS, "ports");

	if (!port)
		return;
	peer_keep(r, &port->name, name);
	peer_keep(r, &port->trtype, trtype);
	peer_keep(r, &port->traddr, has_ip ? traddr : NULL);
	port->relayed = relay;
	port->subflows = relay || (trtype && nvmf_transport_has(trtype, NVMF_TRANSPORT_SUBFLOWS));
	port->has_address = has_ip;
	if (has_ip)
		port->address = (struct socket_address){ ip, (uint16_t)trsvcid };
	peer_read_words(r, in, "subsystems", NQN, add_subsystem, port);
}

/* True for "ipv4". */
static bool read_family(struct peer_reader *r, struct json_object *in)
{
	static const char *const families[] = { "ipv4", "ipv6" };
	const int family = peer_read_choice(r, in, "family", MUST, families, 2);

	if (!r->err && family < 0)
		peer_fail(r, in, "the family is ipv4 or ipv6");
	return !family;
}

static uint8_t route_type(const char *name)
{
	for (uint8_t type = 0; type < __RTN_MAX; type++)
		if (!strcmp(route_type_name(type), name))
			return type;
	return RTN_UNSPEC;
}

static void parse_route(struct peer_reader *r, struct json_object *in, void *arg)
{
	struct nvme_mptcp_peer *peer = arg;
	struct route_entry entry = { .v4 = read_family(r, in) }, *added;
	int64_t ifindex;
	const char *type;

	entry.table = (uint32_t)peer_read_number(r, in, "table", MUST, 0, UINT32_MAX);
	ifindex = peer_read_number(r, in, "ifindex", MAY, 0, INT_MAX);
	entry.ifindex = ifindex > 0 ? (int)ifindex : 0;
	entry.metric = peer_read_number(r, in, "metric", MAY, 0, UINT32_MAX);
	type = peer_read_word(r, in, "type", MUST, NAME);
	entry.has_gateway = peer_read_bool(r, in, "gatewayed") == 1;
	peer_read_ip(r, in, "gateway", MAY, &entry.gateway);
	entry.is_silent = peer_read_bool(r, in, "gateway_silent") == 1;
	entry.has_source = peer_read_ip(r, in, "source", MAY, &entry.source);
	peer_read_prefix(r, in, "dst", entry.v4, &entry.dst);
	added = peer_add(r, in, &peer->routes.route, &peer->routes.n_routes, sizeof(entry),
			 MAX_ROUTES, "routes");
	if (!added)
		return;
	entry.type = route_type(type);
	*added = entry;
}

static void parse_policy(struct peer_reader *r, struct json_object *in, void *arg)
{
	struct nvme_mptcp_peer *peer = arg;
	struct policy_entry entry = { .v4 = read_family(r, in) }, *added;
	const char *iif, *oif;

	entry.table = (uint32_t)peer_read_number(r, in, "table", MUST, 0, UINT32_MAX);
	entry.priority = (uint32_t)peer_read_number(r, in, "priority", MUST, 0, UINT32_MAX);
	entry.action = (uint8_t)peer_read_number(r, in, "action", MUST, 0, UINT8_MAX);
	iif = peer_read_word(r, in, "iif", MAY, LINK_NAME - 1);
	oif = peer_read_word(r, in, "oif", MAY, LINK_NAME - 1);
	entry.other = peer_read_bool(r, in, "other_selectors") == 1;
	entry.has_from = peer_read_prefix(r, in, "from", entry.v4, &entry.from);
	entry.has_to = peer_read_prefix(r, in, "to", entry.v4, &entry.to);
	if (iif)
		str_copy(entry.iif, sizeof(entry.iif), iif, strlen(iif));
	if (oif)
		str_copy(entry.oif, sizeof(entry.oif), oif, strlen(oif));
	added = peer_add(r, in, &peer->routes.policy, &peer->routes.n_policies, sizeof(entry),
			 MAX_POLICIES, "rules");
	if (added)
		*added = entry;
}

/* Parse an MPTCP setting. Name and value may be used in commands, so both must be plain words. */
static void parse_setting(struct peer_reader *r, struct json_object *dict, const char *key,
			  void *arg)
{
	struct nvme_mptcp_snapshot *snap = arg;
	const char *value = peer_read_text(r, dict, key, MUST, 512);
	struct setting *setting;

	if (!r->err && snap->n_settings == MAX_PEER_SETTINGS)
		peer_fail(r, dict, "more than %d settings", MAX_PEER_SETTINGS);
	/* Skip lists of several words; no rule uses them. */
	if (r->err || !peer_is_word(key, NAME) || !peer_is_word(value, NAME))
		return;
	setting = peer_add(r, dict, &snap->settings, &snap->n_settings, sizeof(*setting),
			   MAX_PEER_SETTINGS, "settings");
	if (setting) {
		peer_keep(r, &setting->name, key);
		peer_keep(r, &setting->value, value);
	}
}

static void parse_sysctl(struct peer_reader *r, struct json_object *dict, const char *key,
			 void *arg)
{
	struct nvme_mptcp_peer *peer = arg;
	const int64_t value = peer_read_number(r, dict, key, MAY, INT_MIN, INT_MAX);
	struct peer_setting *setting = peer_add(r, dict, &peer->settings, &peer->n_settings,
						sizeof(*setting), MAX_PEER_SETTINGS, "sysctls");

	if (setting) {
		peer_keep(r, &setting->path, key);
		setting->value = value;
	}
}

static void parse_limits(struct peer_reader *r, struct json_object *in,
			 struct nvme_mptcp_snapshot *snap)
{
	struct json_object *dict = peer_read_dict(r, in, "limits", MUST);

	peer_enter(r, "limits");
	snap->limit_subflows = peer_read_number(r, dict, "subflows", MAY, 0, INT_MAX);
	snap->limit_add_addr_accepted =
		peer_read_number(r, dict, "add_addr_accepted", MAY, 0, INT_MAX);
	peer_leave(r);
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
	link_find_vrfs(snap);
}

static void parse_network(struct peer_reader *r, struct json_object *top,
			  struct json_object *snapshot, struct nvme_mptcp_peer *peer)
{
	struct nvme_mptcp_snapshot *snap = peer->snap;

	peer_read_each(r, top, "missing", MUST, parse_missing, peer);
	peer_enter(r, "snapshot");
	peer_read_each(r, snapshot, "links", MUST, parse_link, snap);
	peer_read_each(r, snapshot, "endpoints", MUST, parse_endpoint, snap);
	peer_leave(r);
	peer_read_each(r, top, "addresses", MUST, parse_address, snap);
	peer_read_each(r, top, "listeners", MUST, parse_listener, snap);
	peer_read_each(r, top, "ports", MUST, parse_port, peer);
	peer_read_each(r, top, "routes", MUST, parse_route, peer);
	peer_read_each(r, top, "rules", MUST, parse_policy, peer);
	sort(snap);
}

static void parse_counters(struct peer_reader *r, struct json_object *top,
			   struct nvme_mptcp_peer *peer)
{
	struct json_object *now = peer_read_dict(r, top, "counters", MUST);
	struct json_object *grown = peer_read_dict(r, top, "grown", MAY);

	peer_enter(r, "counters");
	peer_parse_counters(r, now, NULL, &peer->snap->counters);
	peer_leave(r);
	if (r->err || !grown)
		return;
	peer->before = snapshot_new();
	if (!peer->before) {
		r->err = -ENOMEM;
		return;
	}
	peer_enter(r, "grown");
	peer_parse_counters(r, now, grown, &peer->before->counters);
	peer_leave(r);
}

static void parse_filters(struct peer_reader *r, struct json_object *top,
			  struct nvme_mptcp_peer *peer)
{
	struct json_object *in = peer_read_dict(r, top, "filters", MAY);

	peer->filters = -ENODATA;
	if (!in)
		return;
	peer_enter(r, "filters");
	peer->filters = (peer_read_bool(r, in, "ip") == 0 ? 0 : FILTER_IP) |
			(peer_read_bool(r, in, "arp") == 0 ? 0 : FILTER_ARP) |
			(peer_read_bool(r, in, "tc") == 0 ? 0 : FILTER_TC) |
			(peer_read_bool(r, in, "bpf") == 1 ? FILTER_BPF : 0);
	peer_leave(r);
}

static void parse_roles(struct peer_reader *r, struct json_object *top,
			struct nvme_mptcp_peer *peer)
{
	static const char *const names[] = { "", "host", "target" };
	struct json_object *findings = peer_read_dict(r, top, "findings", MUST);
	int64_t bits;

	peer_enter(r, "findings");
	bits = peer_read_bits(r, findings, "roles", names, 3);
	peer_parse_findings(r, findings, peer);
	peer_leave(r);
	peer->role = bits > 0 ? (unsigned int)bits & ON_BOTH : 0;
}

/* Check kind and version first, to recognize other documents and other versions. */
static void parse_kind(struct peer_reader *r, struct json_object *top, struct nvme_mptcp_peer *peer)
{
	struct json_object *kernel;
	const char *kind;
	int64_t version;

	if (json_object_get_type(top) != json_type_object)
		peer_fail(r, top, "this is not a report: an object is expected");
	else if (!json_object_object_get_ex(top, "report", NULL))
		peer_fail(r, top, "not written by %s report: \"report\" is missing",
			  snapshot_program());
	kind = peer_read_text(r, top, "report", MUST, NAME);
	if (kind && strcmp(kind, REPORT_KIND))
		peer_fail(r, top, "not written by %s report", snapshot_program());
	version = peer_read_number(r, top, "version", MUST, 0, INT_MAX);
	if (!r->err && version != REPORT_VERSION)
		peer_fail(r, top,
			  "the report has version %lld, and this program reads version %d: "
			  "use the same version of %s on both sides",
			  (long long)version, REPORT_VERSION, snapshot_connect_program());
	peer_keep(r, &peer->hostname, peer_read_text(r, top, "hostname", MAY, 256));
	peer->taken = peer_read_number(r, top, "taken_s", MUST, 0, INT64_MAX);
	kernel = peer_read_dict(r, top, "kernel", MUST);
	peer->has_ipv6 = peer_read_bool(r, kernel, "mptcp_ipv6") != 0;
}

/* Commands name the other side's network namespace: ignore a name that a shell interprets. */
static void parse_netns(struct peer_reader *r, struct json_object *snapshot,
			struct nvme_mptcp_peer *peer)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789._-+@/";
	const char *netns = peer_read_text(r, snapshot, "netns", MAY, PATH_MAX);

	if (netns && *netns && *netns != '-' && !netns[strspn(netns, plain)])
		peer_keep(r, &peer->snap->netns, netns);
}

int peer_parse_document(struct peer_reader *r, struct json_object *top,
			struct nvme_mptcp_peer *peer)
{
	struct json_object *snapshot;

	parse_kind(r, top, peer);
	parse_filters(r, top, peer);
	parse_roles(r, top, peer);
	peer_read_members(r, top, "sysctls", parse_sysctl, peer);
	parse_counters(r, top, peer);
	snapshot = peer_read_dict(r, top, "snapshot", MUST);
	parse_network(r, top, snapshot, peer);
	peer_enter(r, "snapshot");
	peer_read_members(r, snapshot, "settings", parse_setting, peer->snap);
	parse_netns(r, snapshot, peer);
	parse_limits(r, snapshot, peer->snap);
	peer_parse_connections(r, snapshot, peer->snap);
	peer_leave(r);
	return r->err;
}
