// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp relay --status: print the status of the running relay. */
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <linux/mptcp.h>

#include "relay.h"

#ifndef SOL_MPTCP
#define SOL_MPTCP 284
#endif

DEFINE_CLEANUP(struct nvme_mptcp_relay_status *, nvme_mptcp_relay_status_free);

/* Subflows that are counted at most, and the bytes of struct tcp_info that are read of each. */
#define MAX_COUNTED 64
#define STATE_SIZE 8

struct states_answer {
	struct mptcp_subflow_data head;
	unsigned char state[MAX_COUNTED][STATE_SIZE]; /* tcpi_state comes first */
};

/*
 * Return the number of connected subflows. MPTCP_INFO counts those that were added, but the first
 * one may be gone: its socket stays, closed.
 */
static uint32_t count_subflows(int fd)
{
	struct states_answer answer = { .head = { .size_subflow_data = sizeof(answer.head),
						  .size_user = STATE_SIZE } };
	socklen_t size = sizeof(answer);
	uint32_t n = 0;

	if (getsockopt(fd, SOL_MPTCP, MPTCP_TCPINFO, &answer, &size))
		return 0;
	for (uint32_t i = 0; i < answer.head.num_subflows && i < MAX_COUNTED; i++)
		n += answer.state[i][0] != TCP_CLOSE && answer.state[i][0] != TCP_SYN_SENT;
	return n;
}

/* For a closing connection, only the inode is known. */
void relay_ask_mptcp(int fd, struct nvme_mptcp_relay_connection *ret)
{
	struct mptcp_info info = {};
	socklen_t size = sizeof(info);
	struct stat st;

	if (!fstat(fd, &st))
		ret->inode = (uint32_t)st.st_ino;

	/* After a fallback, the kernel passes the call to TCP, which rejects SOL_MPTCP. */
	if (getsockopt(fd, SOL_MPTCP, MPTCP_INFO, &info, &size)) {
		ret->is_fallback = errno == EOPNOTSUPP || errno == ENOPROTOOPT;
		return;
	}
	ret->token = info.mptcpi_token;
	ret->is_fallback = info.mptcpi_flags & MPTCP_INFO_FLAG_FALLBACK;
	ret->subflows = count_subflows(fd);
}

static int by_id(const void *a, const void *b)
{
	const struct nvme_mptcp_relay_connection *left = a, *right = b;

	return left->id < right->id ? -1 : left->id > right->id;
}

static const char *state_of(const struct nvme_mptcp_relay_connection *c)
{
	return !c->is_open ? "connecting" : c->is_fallback ? "tcp" : "mptcp";
}

static void show_connection(struct out *out, const struct nvme_mptcp_relay_connection *c)
{
	char to[MPTCP_NUMBER_TEXT], from[MPTCP_NUMBER_TEXT];

	out_row(out);
	out_str(out, "portal", c->portal);
	out_str(out, "peer", c->peer);
	out_str(out, "side", c->is_target ? "target" : "host");
	if (c->is_fallback)
		out_colour(out, OUT_YELLOW);
	out_str(out, "state", state_of(c));
	if (c->token)
		out_uint_as(out, "token", c->token, "%08x", c->token);
	else
		out_unknown(out, "token");
	if (c->subflows)
		out_uint(out, "subflows", c->subflows);
	else
		out_unknown(out, "subflows");
	out_uint_as(out, "to_mptcp", c->to_mptcp, "%s", mptcp_bytes_text((int64_t)c->to_mptcp, to));
	out_uint_as(out, "from_mptcp", c->from_mptcp, "%s",
		    mptcp_bytes_text((int64_t)c->from_mptcp, from));
	out_json_only(out);
	out_str(out, "subsysnqn", *c->subsysnqn ? c->subsysnqn : NULL);
	if (c->cntlid >= 0)
		out_int(out, "cntlid", c->cntlid);
	else
		out_unknown(out, "cntlid");
}

static void count_plain(struct out *out, const struct nvme_mptcp_relay_status *status)
{
	size_t n = 0;

	for (size_t i = 0; i < status->n_connections; i++)
		n += status->connections[i].is_fallback;
	if (n)
		out_text(out, "\n%zu of %zu connections use plain TCP, over one link each\n", n,
			 status->n_connections);
}

static void show_results(struct out *out, const struct nvme_mptcp_relay_status *status)
{
	bool any = false;

	out_json_only(out);
	out_array(out, "portals");
	for (size_t i = 0; i < status->n_results; i++) {
		const struct nvme_mptcp_relay_result *result = &status->results[i];

		out_object(out, NULL);
		out_str(out, "portal", result->portal);
		out_str(out, "peer", *result->peer ? result->peer : NULL);
		out_bool(out, "steered", result->is_steered);
		out_int(out, "errno", result->err);
		out_str(out, "error", result->err ? relay_outcome_text(result->err) : NULL);
		out_end(out);
	}
	out_end(out);
	for (size_t i = 0; i < status->n_results; i++) {
		const struct nvme_mptcp_relay_result *result = &status->results[i];

		if (!result->err)
			continue;
		out_text(out, "%s%s for %s: %s\n", any ? "" : "\n", out_safe(out, result->portal),
			 out_safe(out, result->peer), relay_outcome_text(result->err));
		any = true;
	}
}

int relay_status_show(struct command *cmd)
{
	_cleanup_(nvme_mptcp_relay_status_free) struct nvme_mptcp_relay_status *status = NULL;
	const struct relay_args *args = cmd->args;
	struct out *out = cmd->out;

	if (nvme_mptcp_relay_ask(args->netns, &status))
		return mptcp_fail(cmd, errno == ENOENT ? MPTCP_EXIT_NO_ANSWER : 1);
	if (status->n_connections)
		qsort(status->connections, status->n_connections, sizeof(*status->connections),
		      by_id);
	out_object(out, NULL);
	out_table(out, "connections", "PORTAL", "PEER", "SIDE", "STATE", "TOKEN:r", "SUBFLOWS:r",
		  "TO:r", "FROM:r");
	for (size_t i = 0; i < status->n_connections; i++)
		show_connection(out, &status->connections[i]);
	out_end(out);
	if (!status->n_connections)
		out_text(out, "no connections\n");
	count_plain(out, status);
	show_results(out, status);
	return out_end(out);
}
