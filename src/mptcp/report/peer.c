// SPDX-License-Identifier: LGPL-2.1-or-later
/* The other side: read its report, run its rules, and answer queries from the report. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>

#include "base/failure.h"
#include "peer-sockets.h"
#include "peer-read.h"
#include "shared/getter.h"

static void document_put_cleanup(struct json_object **document)
{
	reader_put(*document, NULL);
}

struct nvme_mptcp_peer *peer_new(void)
{
	struct nvme_mptcp_peer *peer = calloc(1, sizeof(*peer));

	if (!peer)
		return NULL;
	peer->has_routes = true;
	peer->snap = snapshot_new();
	if (!peer->snap) {
		free(peer);
		return NULL;
	}
	return peer;
}

void nvme_mptcp_peer_free(nvme_mptcp_peer_t peer)
{
	if (!peer)
		return;
	free(peer->file);
	nvme_mptcp_snapshot_free(peer->snap);
	nvme_mptcp_snapshot_free(peer->before);
	for (size_t i = 0; i < peer->n_settings; i++)
		free(peer->settings[i].path);
	for (size_t i = 0; i < peer->n_ports; i++)
		target_port_clear(&peer->ports[i]);
	peer_clear_findings(peer);
	free(peer->settings);
	free(peer->ports);
	free(peer->hostname);
	route_clear(&peer->routes);
	free(peer);
}

GETTER(const char *, nvme_mptcp_peer_hostname, nvme_mptcp_peer_t, hostname);
GETTER(int64_t, nvme_mptcp_peer_taken, nvme_mptcp_peer_t, taken);

int peer_parse(const char *file, const char *text, size_t length, struct nvme_mptcp_peer **ret,
	       char **error)
{
	_cleanup_(document_put) struct json_object *top = NULL;
	struct peer_reader r = { .json = { .file = file } };
	struct nvme_mptcp_peer *peer = peer_new();
	int err = peer ? reader_parse(&r.json, text, length, &top) : -ENOMEM;

	if (!err)
		err = peer_parse_document(&r, top, peer);
	if (err) {
		nvme_mptcp_peer_free(peer);
		*error = r.json.error;
		return err;
	}
	*ret = peer;
	return 0;
}

int nvme_mptcp_peer_read(const char *file, nvme_mptcp_peer_t *ret, char **error)
{
	_cleanup_(reader_text) struct reader_text text = { 0 };
	struct reader r = { .file = file };
	struct stat st;
	int err = reader_load(&r, &text, &st);

	*error = NULL;
	failure_begin();
	if (err)
		*error = r.error;
	else
		err = peer_parse(file, text.bytes, text.len, ret, error);
	if (!err) {
		err = str_set(&(*ret)->file, file);
		if (!err)
			return 0;
		nvme_mptcp_peer_free(*ret);
		*ret = NULL;
	}
	if (*error)
		failure_note(err, "%s", *error);
	return failure_raise(err, file);
}

int64_t peer_setting(const struct nvme_mptcp_peer *peer, const char *path)
{
	for (size_t i = 0; i < peer->n_settings; i++)
		if (!strcmp(peer->settings[i].path, path))
			return peer->settings[i].value;
	return NVME_MPTCP_UNKNOWN;
}

static int answer_route(struct check *c, const struct in6_addr *src, int ifindex,
			const struct in6_addr *dst, struct route_answer *ret)
{
	const struct nvme_mptcp_link *link = ifindex ? link_by_index(c->snap, ifindex) : NULL;
	const struct nvme_mptcp_link *vrf =
		link ? link_vrf(c->snap, link) : link_vrf_of(c->snap, src);
	int err;

	if (!c->peer->has_routes)
		return -EOPNOTSUPP;
	/* The kernel's rule for VRFs comes before those of other tables, and selects by the device. */
	if (vrf && vrf->table) {
		err = route_find_in(&c->peer->routes, vrf->table, link == vrf ? 0 : ifindex, dst,
				    ret);
		if (err != -ENOENT)
			return err;
	}
	return route_find(&c->peer->routes, src, ifindex, link ? link->name : NULL, dst, ret);
}

static int answer_neighbour(struct check *c, int ifindex, const struct in6_addr *ip)
{
	FOR_EACH(entry, c->peer->routes.route, c->peer->routes.n_routes)
		if (entry->is_silent && entry->ifindex == ifindex &&
		    address_equal(&entry->gateway, ip))
			return NUD_FAILED;
	return -ENOENT;
}

static int64_t answer_setting(struct check *c, const char *path)
{
	return peer_setting(c->peer, path);
}

static bool answer_family(struct check *c, int family)
{
	return family != AF_INET6 || c->peer->has_ipv6;
}

static int answer_offer(struct check *c, const struct offer *offer)
{
	return NVME_MPTCP_UNKNOWN;
}

static int answer_filters(struct check *c)
{
	return c->peer->filters;
}

static int answer_probe(struct check *c, const struct path_ends *ends, struct probe_result *ret)
{
	return -EOPNOTSUPP;
}

/* Values that a report does not have are unknown. */
static const struct check_ops peer_ops = {
	.route = answer_route,
	.neighbour = answer_neighbour,
	.setting = answer_setting,
	.has_family = answer_family,
	.offers = answer_offer,
	.plan = peer_plan,
	.probe_result = answer_probe,
	.filters = answer_filters,
};

/* Return the role of the other side. If this machine has both or neither, the report decides. */
static enum nvme_mptcp_role other_role(const struct check *c, const struct nvme_mptcp_peer *peer)
{
	if (c->role == ON_HOST || c->before_connecting)
		return NVME_MPTCP_ROLE_TARGET;
	if (c->role == ON_TARGET)
		return NVME_MPTCP_ROLE_HOST;
	return peer->role == ON_HOST ? NVME_MPTCP_ROLE_HOST : NVME_MPTCP_ROLE_TARGET;
}

static int append(struct nvme_mptcp_findings *to, struct nvme_mptcp_findings *from)
{
	size_t order = to->n;

	for (size_t i = 0; i < from->n; i++) {
		struct nvme_mptcp_finding *added = array_add(&to->finding, &to->n, sizeof(*added));

		if (!added)
			return -ENOMEM;
		*added = from->finding[i];
		added->order += order;
		from->finding[i] = (struct nvme_mptcp_finding){};
	}
	to->role |= from->role;
	return 0;
}

/* True if this machine has all addresses in the report, so that it is a report of this machine. */
static bool is_own(const struct check *c, const struct nvme_mptcp_peer *peer)
{
	size_t n = 0;

	FOR_EACH(address, peer->snap->addresses, peer->snap->n_addresses) {
		if (address->scope != RT_SCOPE_UNIVERSE)
			continue;
		if (!snapshot_find_address(c->snap, &address->ip))
			return false;
		n++;
	}
	return n;
}

int peer_check(struct check *c, struct nvme_mptcp_peer *peer)
{
	struct nvme_mptcp_findings *findings = calloc(1, sizeof(*findings));
	struct check other = {
		.snap = peer->snap,
		.before = peer->before,
		.findings = findings,
		.ops = &peer_ops,
		.peer = peer,
		.other_netns = c->snap->netns,
		.has_relay = c->snap->relay,
		.nvmet = { .ports = peer->ports, .n_ports = peer->n_ports },
	};
	int err = findings ? str_set(&c->findings->peer, peer->hostname) : -ENOMEM;
	struct check *host, *target;

	if (!err && is_own(c, peer))
		err = failure_note(-EPROTO,
				   "peer=%s: this is a report of this side, not of the other one",
				   peer->file ? peer->file : "");
	if (!err)
		err = check_prepare(&other, NULL, NULL, other_role(c, peer));
	if (!err)
		err = check_run(&other);
	if (!err)
		err = append(c->findings, findings);
	host = other.role == ON_TARGET ? c : &other;
	target = other.role == ON_TARGET ? &other : c;
	if (!err)
		err = peer_take_findings(c, host, target, &other);
	if (!err) {
		peer_compare_addresses(c, host, target);
		err = peer_compare(c, host, target);
	}
	if (!err)
		finding_sort_all(c->findings);
	nvme_mptcp_findings_free(findings);
	/* The ports belong to the report. */
	other.nvmet = (struct target){};
	check_clear(&other);
	return err;
}
