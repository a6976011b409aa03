// SPDX-License-Identifier: LGPL-2.1-or-later
/* Decides when and where keep polls for paths that have fallen silent or become slow. */
#include "keep-poll.h"

static void add_port(struct subflow_filter *places, uint16_t port)
{
	for (size_t i = 0; i < places->n_ports; i++)
		if (places->ports[i] == port)
			return;
	if (places->n_ports < SUBFLOW_PORTS)
		places->ports[places->n_ports++] = port;
}

static void add_connection(struct subflow_filter *places, const struct nvme_mptcp_connection *conn)
{
	add_port(places, places->is_local ? conn->local.port : conn->remote.port);
	for (size_t i = 0; i < conn->n_subflows; i++) {
		places->has_v4 |= conn->subflows[i].family == AF_INET;
		places->has_v6 |= conn->subflows[i].family == AF_INET6;
	}
}

void keep_poll_select(struct keep_poll *pulse, const struct nvme_mptcp_snapshot *snap,
		      const struct idmap *tokens, enum nvme_mptcp_role role, int64_t now)
{
	pulse->places = (struct subflow_filter){ .is_local = role == NVME_MPTCP_ROLE_TARGET };
	FOR_EACH(conn, snap->connections, snap->n_connections)
		if (conn->has_token && idmap_get(tokens, conn->token) &&
		    connection_count_established(conn) > 1)
			add_connection(&pulse->places, conn);
	pulse->due = pulse->places.n_ports ? now + KEEP_IDLE_MS : KEEP_NEVER;
	if (!pulse->places.n_ports)
		pulse->rates.n_slow = 0;
}

int keep_poll_run(struct keep_poll *pulse, const struct idmap *tokens,
		  keep_sample_fn *sample_subflows, const char *netns, int64_t now, bool *trouble)
{
	enum subflow_activity found = SUBFLOWS_IDLE;
	struct subflow_samples beats = {};
	bool moving = false;
	int err;

	*trouble = false;
	if (now < pulse->due)
		return 0;
	pulse->tokens = tokens;
	err = sample_subflows(netns, pulse, &beats, &found);
	if (!err)
		err = keep_rates_update(&pulse->rates, &beats, now, &moving);
	if (err)
		pulse->rates.n_slow = 0; /* links of an earlier look may be fast again */
	free(beats.subflows);
	pulse->due = now + (found == SUBFLOWS_IDLE && !moving ? KEEP_IDLE_MS : KEEP_BUSY_MS);
	*trouble = !err && (found == SUBFLOWS_SILENT || pulse->rates.n_slow);
	return err == -ENOMEM ? err : 0;
}
