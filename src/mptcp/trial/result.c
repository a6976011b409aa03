// SPDX-License-Identifier: LGPL-2.1-or-later
/* Results of a trial connection: counts, getters, JSON. */
#include "trial-state.h"

static bool is_reached_by(const struct nvme_mptcp_trial *trial, const struct in6_addr *ip)
{
	return address_equal(&trial->portal.ip, ip);
}

/* True if this host has an address that can reach @ip. */
static bool has_family_of(struct nvme_mptcp_snapshot *snap, const struct in6_addr *ip)
{
	for (size_t i = 0; i < snap->n_addresses; i++)
		if (address_same_family(&snap->addresses[i].ip, ip) &&
		    !address_is_loopback(&snap->addresses[i].ip) &&
		    !IN6_IS_ADDR_LINKLOCAL(&snap->addresses[i].ip))
			return true;
	return nvme_mptcp_snapshot_errno(snap, NVME_MPTCP_ADDRESSES);
}

/*
 * True if the event announces an address for the first time and it can add a path: it is not the
 * portal's, not IPv6 for an IPv4 connection, and of a family that this host has.
 */
static bool is_new(const struct nvme_mptcp_trial *trial, size_t i)
{
	const struct nvme_mptcp_event *ev = &trial->events[i];

	if (ev->type != NVME_MPTCP_EVENT_ANNOUNCED || !ev->has_remote ||
	    is_reached_by(trial, &ev->remote.ip) ||
	    (address_is_v4(&trial->portal.ip) && !address_is_v4(&ev->remote.ip)) ||
	    !has_family_of(trial->after, &ev->remote.ip))
		return false;
	for (size_t j = 0; j < i; j++)
		if (trial->events[j].type == NVME_MPTCP_EVENT_ANNOUNCED &&
		    !strcmp(trial->events[j].remote_text, ev->remote_text))
			return false;
	return true;
}

const struct in6_addr *trial_announced(const struct nvme_mptcp_trial *trial, size_t i)
{
	return is_new(trial, i) ? &trial->events[i].remote.ip : NULL;
}

static int64_t count_announced(const struct nvme_mptcp_trial *trial)
{
	int64_t before = counter_get(&trial->before->counters, "MPTcpExt", "AddAddr");
	int64_t after = counter_get(&trial->after->counters, "MPTcpExt", "AddAddr");
	int64_t n = 0;

	if (!trial->has_events)
		return before < 0 || after < before ? NVME_MPTCP_UNKNOWN : after - before;
	for (size_t i = 0; i < trial->n_events; i++)
		n += is_new(trial, i);
	return n;
}

/* Count endpoints with @flag, or 0 for any, that can each give the connection a subflow. */
static int64_t count_endpoints(const struct nvme_mptcp_trial *trial, int64_t flag)
{
	const struct nvme_mptcp_snapshot *snap = trial->after;
	int64_t n = 0;

	for (size_t i = 0; i < snap->n_endpoints; i++) {
		const struct nvme_mptcp_endpoint *ep = &snap->endpoints[i];

		n += endpoint_starts_subflows(ep) && (!flag || endpoint_has(ep, flag)) &&
		     address_same_family(&ep->ip, &trial->portal.ip) &&
		     !address_equal(&ep->ip, &trial->local.ip);
	}
	return n;
}

void trial_evaluate(struct nvme_mptcp_trial *trial)
{
	const struct nvme_mptcp_connection *conn = trial->conn;
	const int64_t starting = count_endpoints(trial, 0);
	const int64_t laminar = count_endpoints(trial, NVME_MPTCP_ENDPOINT_LAMINAR);
	int64_t followed;

	trial->announced = followed = count_announced(trial);
	trial->expected = trial->established = trial->pending = NVME_MPTCP_UNKNOWN;
	if (!conn || conn->fallback == 1)
		return;
	trial->established = trial->pending = 0;
	for (size_t i = 0; i < conn->n_subflows; i++) {
		trial->established += subflow_carries(&conn->subflows[i]);
		trial->pending += conn->subflows[i].state == STATE_SYN_SENT;
	}
	trial->starting = starting;
	/* Each laminar endpoint joins one announced address, and no other does. */
	if (laminar && followed > laminar)
		followed = laminar;
	trial->expected = 1 + (starting > followed ? starting : followed);
	/* A fullmesh endpoint may lead to each announced address. */
	if (trial->established > trial->expected)
		trial->expected = trial->established;
}

GETTER(enum nvme_mptcp_trial_outcome, nvme_mptcp_trial_outcome, nvme_mptcp_trial_t, outcome);

const char *nvme_mptcp_trial_outcome_name(enum nvme_mptcp_trial_outcome outcome)
{
	static const char *const names[] = {
		[NVME_MPTCP_TRIAL_MPTCP] = "mptcp",
		[NVME_MPTCP_TRIAL_FALLBACK] = "fallback",
		[NVME_MPTCP_TRIAL_NO_SOCKET] = "no-socket",
		[NVME_MPTCP_TRIAL_NO_CONNECTION] = "no-connection",
		[NVME_MPTCP_TRIAL_NO_TARGET] = "no-target",
	};

	return (unsigned int)outcome < sizeof(names) / sizeof(*names) ? names[outcome] : "unknown";
}

GETTER(const char *, nvme_mptcp_trial_portal, nvme_mptcp_trial_t, portal_text);
GETTER(const char *, nvme_mptcp_trial_reason, nvme_mptcp_trial_t, reason);
GETTER(int64_t, nvme_mptcp_trial_expected, nvme_mptcp_trial_t, expected);
GETTER(int64_t, nvme_mptcp_trial_announced, nvme_mptcp_trial_t, announced);

const char *nvme_mptcp_trial_announced_address(nvme_mptcp_trial_t trial, size_t i)
{
	for (size_t j = 0; trial->has_events && j < trial->n_events; j++)
		if (is_new(trial, j) && !i--)
			return trial->events[j].remote_text;
	return NULL;
}

GETTER(nvme_mptcp_connection_t, nvme_mptcp_trial_connection, nvme_mptcp_trial_t, conn);
GETTER(nvme_mptcp_snapshot_t, nvme_mptcp_trial_snapshot, nvme_mptcp_trial_t, after);

static void put_announced(struct json_stream *s, nvme_mptcp_trial_t trial)
{
	const char *address;

	json_put_int(s, "announced", trial->announced);
	if (!trial->has_events) {
		stream_string(s, "announced_addresses", NULL);
		return;
	}
	stream_list(s, "announced_addresses");
	for (size_t i = 0; (address = nvme_mptcp_trial_announced_address(trial, i)); i++)
		stream_string(s, NULL, address);
	stream_end_list(s);
}

static void put_closed(struct json_stream *s, nvme_mptcp_trial_t trial)
{
	if (!trial->has_events) {
		stream_string(s, "closed", NULL);
		return;
	}
	stream_list(s, "closed");
	for (size_t i = 0; i < trial->n_events; i++) {
		const struct nvme_mptcp_event *ev = &trial->events[i];

		if (ev->type != NVME_MPTCP_EVENT_SUBFLOW_CLOSED)
			continue;
		stream_dict(s, NULL);
		stream_string(s, "local", nvme_mptcp_event_local(ev));
		stream_string(s, "remote", nvme_mptcp_event_remote(ev));
		json_put_int(s, "errno", ev->value[NVME_MPTCP_EVENT_ERROR]);
		json_put_int(s, "reset_reason", ev->value[NVME_MPTCP_EVENT_RESET_REASON]);
		stream_end_dict(s);
	}
	stream_end_list(s);
}

static void trial_encode(struct json_stream *s, const char *key, nvme_mptcp_trial_t trial)
{
	const struct nvme_mptcp_connection *conn = trial->conn;

	stream_dict(s, key);
	stream_string(s, "portal", trial->portal_text);
	stream_string(s, "outcome", nvme_mptcp_trial_outcome_name(trial->outcome));
	stream_string(s, "reason", trial->reason);
	json_put_int(s, "errno", trial->err ? trial->err : NVME_MPTCP_UNKNOWN);
	json_put_int(s, "lasted_ms", trial->lasted);
	json_put_bool(s, "fallback", conn ? conn->fallback : NVME_MPTCP_UNKNOWN);
	json_put_int(s, "subflows_expected", trial->expected);
	json_put_int(s, "subflows_established", trial->established);
	json_put_int(s, "subflows_pending", trial->pending);
	put_announced(s, trial);
	stream_list(s, "subflows");
	for (size_t i = 0; conn && i < conn->n_subflows; i++)
		subflow_encode(s, &conn->subflows[i]);
	stream_end_list(s);
	put_closed(s, trial);
	stream_end_dict(s);
}

int trial_to_json(nvme_mptcp_trial_t trial, char **ret)
{
	struct json_stream s = {};

	trial_encode(&s, NULL, trial);
	*ret = stream_finish(&s);
	return *ret ? 0 : -ENOMEM;
}
