// SPDX-License-Identifier: LGPL-2.1-or-later
/* Write all MPTCP data of this machine as one document with the schema mptcp-report.json. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <time.h>
#include <linux/neighbour.h>

#include "base/failure.h"
#include "base/versioned.h"
#include "mptcp/check/ask.h"
#include "peer.h"
#include "mptcp/check/rules.h"
#include "config.h"
#include "mptcp/netlink/netns.h"

#define MAX_LINK_COUNT 256 /* maximum number of links whose settings are written */
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const char *const groups[] = { "Ip", "MPTcpExt", "Tcp", "TcpExt" };

struct report {
	struct check c; /* for queries */
	struct nvme_mptcp_snapshot *snap, *before;
	struct routes routes;
	struct json_stream
		settings; /* separate document, because it is read inside the namespace */
	bool has_ipv6;
	int filters;
};

/* Write the settings of one link, or of "all". */
static void put_link_settings(struct report *r, const char *link)
{
	static const char *const names[][2] = {
		{ "ipv4", "rp_filter" },  { "ipv4", "arp_ignore" },   { "ipv4", "arp_announce" },
		{ "ipv4", "arp_filter" }, { "ipv6", "disable_ipv6" },
	};
	char path[96];

	for (size_t i = 0; i < COUNT(names); i++) {
		if (snprintf(path, sizeof(path), "net/%s/conf/%s/%s", names[i][0], link,
			     names[i][1]) < (int)sizeof(path))
			json_put_int(&r->settings, path, ask_setting(&r->c, path));
	}
}

/* True if the link has an address, or an endpoint that may lack its address. */
static bool has_address(const struct nvme_mptcp_snapshot *snap, int ifindex)
{
	for (size_t i = 0; i < snap->n_endpoints; i++)
		if (snap->endpoints[i].ifindex == ifindex)
			return true;
	for (size_t i = 0; i < snap->n_addresses; i++)
		if (snap->addresses[i].ifindex == ifindex)
			return true;
	return false;
}

/* Keys are paths below /proc/sys, because interface names may have dots. */
static void read_settings(struct report *r)
{
	static const char *const plain[] = {
		"net/ipv4/tcp_max_syn_backlog",
		"net/ipv4/tcp_l3mdev_accept",
		"net/ipv4/tcp_syncookies",
		"net/ipv4/tcp_rmem",
		"net/ipv4/tcp_wmem",
		"net/core/somaxconn",
		"net/ipv4/ip_default_ttl",
		"net/ipv4/ip_forward",
		"net/ipv6/bindv6only",
		"net/netfilter/nf_conntrack_tcp_be_liberal",
	};
	size_t n = 0;

	stream_dict(&r->settings, NULL);
	for (size_t i = 0; i < COUNT(plain); i++)
		json_put_int(&r->settings, plain[i], ask_setting(&r->c, plain[i]));
	put_link_settings(r, "all");
	for (size_t l = 0; l < r->snap->n_links && n < MAX_LINK_COUNT; l++) {
		const struct nvme_mptcp_link *link = &r->snap->links[l];

		/* A slash would lead to another directory; the kernel itself rejects "..". */
		if (strchr(link->name, '/') || !has_address(r->snap, link->ifindex))
			continue;
		n++;
		put_link_settings(r, link->name);
	}
	stream_end_dict(&r->settings);
}

/* Note gateways that the kernel has tried in vain. */
static void read_gateways(struct report *r)
{
	FOR_EACH(entry, r->routes.route, r->routes.n_routes) {
		struct neighbour hop;
		int err;

		if (!entry->has_gateway || !entry->ifindex ||
		    IN6_IS_ADDR_UNSPECIFIED(&entry->gateway))
			continue;
		err = ask_entry(&r->c, entry->ifindex, &entry->gateway, &hop);
		if (err == -ENOMEM)
			r->c.err = err;
		entry->is_silent = !err && (hop.state & (NUD_FAILED | NUD_INCOMPLETE));
	}
}

static int read_inside(void *arg)
{
	struct report *r = arg;
	int err;

	r->has_ipv6 = ask_kernel_ops.has_family(&r->c, AF_INET6);
	r->filters = ask_filters(&r->c);
	read_settings(r);
	err = route_dump(&r->routes);
	if (!err)
		read_gateways(r);
	return err ? err : r->c.err;
}

static void put_missing(struct json_stream *s, const char *part, int err, const char *text)
{
	stream_dict(s, NULL);
	stream_string(s, "part", part);
	json_put_int(s, "errno", err);
	stream_string(s, "text", text);
	stream_end_dict(s);
}

/* Write missing parts of the snapshot and of the report. */
static void put_all_missing(struct json_stream *s, const struct report *r)
{
	stream_list(s, "missing");
	for (int part = 0; part < NVME_MPTCP_PARTS; part++) {
		const char *text = nvme_mptcp_snapshot_problem(r->snap, part);

		if (text)
			put_missing(s, nvme_mptcp_part_name(part),
				    nvme_mptcp_snapshot_errno(r->snap, part), text);
	}
	if (r->routes.problem.err)
		put_missing(s, "routes", r->routes.problem.err, strerror(r->routes.problem.err));
	else if (r->routes.too_many)
		put_missing(s, "routes", E2BIG, "too many for a report");
	stream_end_list(s);
}

static void put_kernel(struct json_stream *s, const struct report *r)
{
	struct utsname name;

	stream_dict(s, "kernel");
	if (!uname(&name)) {
		stream_string(s, "release", name.release);
		stream_string(s, "version", name.version);
		stream_string(s, "machine", name.machine);
	}
	json_put_bool(s, "mptcp_ipv6", r->has_ipv6);
	stream_end_dict(s);
}

static void put_head(struct json_stream *s, const struct report *r)
{
	struct timespec now;
	struct utsname name;
	struct tm utc;
	char text[32];

	clock_gettime(CLOCK_REALTIME, &now);
	stream_string(s, "report", REPORT_KIND);
	json_put_int(s, "version", REPORT_VERSION);
	stream_string(s, "program", PROJECT_VERSION);
	json_put_int(s, "taken_s", now.tv_sec);
	if (gmtime_r(&now.tv_sec, &utc) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc))
		stream_string(s, "taken", text);
	if (!uname(&name))
		stream_string(s, "hostname", name.nodename);
	put_kernel(s, r);
}

static void put_counters(struct json_stream *s, const char *key,
			 const struct nvme_mptcp_snapshot *snap,
			 const struct nvme_mptcp_snapshot *before)
{
	stream_dict(s, key);
	for (size_t g = 0; g < COUNT(groups); g++) {
		stream_dict(s, groups[g]);
		FOR_EACH(counter, snap->counters.counter, snap->counters.n) {
			int64_t then = 0;

			if (strcmp(counter->group, groups[g]))
				continue;
			if (before)
				then = counter_get(&before->counters, counter->group,
						   counter->name);
			/* For growth, write only counters that have grown. */
			if (before && (then < 0 || counter->value <= then))
				continue;
			json_put_int(s, counter->name, counter->value - then);
		}
		stream_end_dict(s);
	}
	stream_end_dict(s);
}

static const char *link_name(const struct nvme_mptcp_snapshot *snap, int ifindex)
{
	const struct nvme_mptcp_link *link = link_by_index(snap, ifindex);

	return link ? link->name : NULL;
}

static void put_addresses(struct json_stream *s, const struct nvme_mptcp_snapshot *snap)
{
	stream_list(s, "addresses");
	FOR_EACH(address, snap->addresses, snap->n_addresses) {
		int shift = address_is_v4(&address->ip) ? 96 : 0;

		stream_dict(s, NULL);
		stream_string(s, "address", ADDRESS_STRING(&address->ip));
		json_put_int(s, "prefix", address->prefix - shift);
		stream_string(s, "link", link_name(snap, address->ifindex));
		json_put_int(s, "ifindex", address->ifindex);
		json_put_int(s, "scope", address->scope);
		json_put_flags(s, "flags", address->flags, link_address_flags, LINK_ADDRESS_FLAGS);
		stream_end_dict(s);
	}
	stream_end_list(s);
}

static void put_listeners(struct json_stream *s, const struct nvme_mptcp_snapshot *snap)
{
	stream_list(s, "listeners");
	for (size_t i = 0; i < snap->n_listeners; i++) {
		stream_dict(s, NULL);
		stream_string(s, "local", ADDRESS_PORT_STRING(&snap->listeners[i].local));
		stream_string(s, "link", link_name(snap, snap->listeners[i].ifindex));
		stream_end_dict(s);
	}
	stream_end_list(s);
}

static void put_ip(struct json_stream *s, const char *key, const struct in6_addr *ip, bool has)
{
	stream_string(s, key, has ? ADDRESS_STRING(ip) : NULL);
}

/* Write "10.0.0.0/8" or "default". */
static void put_prefix(struct json_stream *s, const char *key, const struct prefix *prefix, bool v4)
{
	int length = prefix->length - (v4 ? 96 : 0);
	char text[ADDRESS_TEXT + 8];

	snprintf(text, sizeof(text), "%s/%d", ADDRESS_STRING(&prefix->ip), length);
	stream_string(s, key, length ? text : "default");
}

static void put_routes(struct json_stream *s, const struct report *r)
{
	stream_list(s, "routes");
	FOR_EACH(entry, r->routes.route, r->routes.n_routes) {
		stream_dict(s, NULL);
		stream_string(s, "family", entry->v4 ? "ipv4" : "ipv6");
		json_put_int(s, "table", entry->table);
		stream_string(s, "type", route_type_name(entry->type));
		put_prefix(s, "dst", &entry->dst, entry->v4);
		json_put_bool(s, "gatewayed", entry->has_gateway);
		put_ip(s, "gateway", &entry->gateway,
		       entry->has_gateway && !IN6_IS_ADDR_UNSPECIFIED(&entry->gateway));
		if (entry->is_silent)
			json_put_bool(s, "gateway_silent", true);
		put_ip(s, "source", &entry->source, entry->has_source);
		stream_string(s, "link", link_name(r->snap, entry->ifindex));
		json_put_int(s, "ifindex", entry->ifindex ? entry->ifindex : NVME_MPTCP_UNKNOWN);
		json_put_int(s, "metric", entry->metric);
		json_put_int(s, "protocol", entry->protocol);
		stream_end_dict(s);
	}
	stream_end_list(s);
}

static void put_policies(struct json_stream *s, const struct report *r)
{
	stream_list(s, "rules");
	FOR_EACH(entry, r->routes.policy, r->routes.n_policies) {
		stream_dict(s, NULL);
		stream_string(s, "family", entry->v4 ? "ipv4" : "ipv6");
		json_put_int(s, "priority", entry->priority);
		json_put_int(s, "action", entry->action);
		json_put_int(s, "table", entry->table);
		put_prefix(s, "from", &entry->from, entry->v4);
		put_prefix(s, "to", &entry->to, entry->v4);
		stream_string(s, "iif", *entry->iif ? entry->iif : NULL);
		stream_string(s, "oif", *entry->oif ? entry->oif : NULL);
		json_put_bool(s, "other_selectors", entry->other);
		stream_end_dict(s);
	}
	stream_end_list(s);
}

static void put_ports(struct json_stream *s, const struct check *c)
{
	stream_list(s, "ports");
	FOR_EACH(port, c->nvmet.ports, c->nvmet.n_ports) {
		stream_dict(s, NULL);
		stream_string(s, "name", port->name);
		stream_string(s, "trtype", port->trtype);
		json_put_bool(s, "relay", port->relayed);
		stream_string(s, "traddr", port->traddr);
		json_put_int(s, "trsvcid",
			     port->has_address ? port->address.port : NVME_MPTCP_UNKNOWN);
		stream_list(s, "subsystems");
		for (size_t j = 0; j < port->n_subsystems; j++)
			stream_string(s, NULL, port->subsystems[j]);
		stream_end_list(s);
		stream_end_dict(s);
	}
	stream_end_list(s);
}

static void put_growth(struct json_stream *s, const struct report *r)
{
	if (!r->before)
		return;
	json_put_int(s, "interval_ms", r->snap->taken - r->before->taken);
	put_counters(s, "grown", r->snap, r->before);
}

static char *write_report(struct report *r, nvme_mptcp_findings_t findings, char *settings,
			  bool pretty)
{
	struct json_stream s = { .pretty = pretty };

	stream_dict(&s, NULL);
	put_head(&s, r);
	put_all_missing(&s, r);
	finding_encode_all(&s, "findings", findings);
	put_ports(&s, &r->c);
	put_listeners(&s, r->snap);
	put_addresses(&s, r->snap);
	put_routes(&s, r);
	put_policies(&s, r);
	if (r->filters >= 0) {
		stream_dict(&s, "filters");
		json_put_bool(&s, "ip", r->filters & FILTER_IP);
		json_put_bool(&s, "arp", r->filters & FILTER_ARP);
		json_put_bool(&s, "tc", r->filters & FILTER_TC);
		json_put_bool(&s, "bpf", r->filters & FILTER_BPF);
		stream_end_dict(&s);
	}
	stream_literal(&s, "sysctls", settings);
	put_counters(&s, "counters", r->snap, NULL);
	put_growth(&s, r);
	snapshot_encode(&s, "snapshot", r->snap,
			NVME_MPTCP_JSON_ENDPOINTS | NVME_MPTCP_JSON_LINKS |
				NVME_MPTCP_JSON_CONTROLLERS | NVME_MPTCP_JSON_USERSPACE |
				NVME_MPTCP_JSON_OTHER,
			NULL);
	stream_end_dict(&s);
	return stream_finish(&s);
}

DEFINE_CLEANUP(nvme_mptcp_findings_t, nvme_mptcp_findings_free);

static char *make(const struct nvme_mptcp_report_args *args, struct report *r)
{
	const struct nvme_mptcp_check_args query = {
		.snap = args->snap,
		.before = args->before,
		.args_size = sizeof(query),
	};
	_cleanup_(nvme_mptcp_findings_free) nvme_mptcp_findings_t findings = NULL;
	_cleanup_(free) char *settings = NULL;
	int err = target_read(args->snap, &r->c.nvmet);

	if (!err)
		err = netns_run(args->snap->netns, read_inside, r);
	settings = stream_finish(&r->settings);
	if (!err && !settings)
		err = -ENOMEM;
	if (!err && nvme_mptcp_check(&query, &findings))
		err = -errno;
	if (err) {
		failure_raise(err, "a report");
		return NULL;
	}
	return write_report(r, findings, settings, args->pretty);
}

char *nvme_mptcp_report(const struct nvme_mptcp_report_args *args)
{
	struct nvme_mptcp_report_args known;
	struct report r = {};
	char *document;
	int err = versioned_take(&known, args);

	if (!err && !known.snap)
		err = failure_note(-EINVAL, "snap=NULL: a report requires a snapshot");
	if (err) {
		failure_raise(err, "a report");
		return NULL;
	}
	r.snap = r.c.snap = known.snap;
	r.before = known.before;
	document = make(&known, &r);
	route_clear(&r.routes);
	check_clear(&r.c);
	return document;
}
