// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sample the subflows of some connections repeatedly, at little cost. */
#include "snapshot.h"

struct pulse {
	const struct idmap *tokens;
	struct subflow_samples *beats;
};

static int take_beat(const struct nlmsghdr *nlh, void *arg)
{
	struct nvme_mptcp_subflow sf;
	struct pulse *p = arg;
	int err = diag_parse_subflow(nlh, &sf);

	if (err)
		return err;
	if (sf.state != STATE_ESTABLISHED || !sf.has_token || !idmap_get(p->tokens, sf.token))
		return 0;
	return array_push(&p->beats->subflows, &p->beats->n, &sf, sizeof(sf));
}

static int dump_port(struct nl *nl, struct pulse *p, int family, uint16_t port, bool is_local)
{
	struct inet_diag_req_v2 *req =
		nl_diag_request(nl, family, IPPROTO_TCP, 1 << STATE_ESTABLISHED);

	req->idiag_ext = 1 << (DIAG_INFO - 1);
	if (is_local)
		req->id.idiag_sport = htons(port);
	else
		req->id.idiag_dport = htons(port);
	return nl_dump_array(nl, take_beat, &p->beats->n, p);
}

static int by_token(const void *a, const void *b)
{
	const struct nvme_mptcp_subflow *x = a, *y = b;

	return (x->token > y->token) - (x->token < y->token);
}

/* Return the ms since the connection's other subflows, in [@begin, @end), were last heard. */
static int64_t siblings_heard(const struct subflow_samples *beats, size_t begin, size_t end,
			      size_t i)
{
	int64_t heard = INT64_MAX;

	for (size_t j = begin; j < end; j++)
		if (j != i && subflow_silence_ms(&beats->subflows[j]) < heard)
			heard = subflow_silence_ms(&beats->subflows[j]);
	return heard;
}

static enum subflow_activity judge_pulse(const struct subflow_samples *beats)
{
	const struct nvme_mptcp_subflow *sf = beats->subflows;
	enum subflow_activity pulse = SUBFLOWS_IDLE;

	for (size_t begin = 0, end; begin < beats->n; begin = end) {
		for (end = begin; end < beats->n && sf[end].token == sf[begin].token;)
			end++;
		for (size_t i = begin; i < end; i++) {
			if (sf[i].value[NVME_MPTCP_UNACKED] <= 0)
				continue;
			pulse = SUBFLOWS_BUSY;
			if (subflow_is_silent(&sf[i], siblings_heard(beats, begin, end, i)))
				return SUBFLOWS_SILENT;
		}
	}
	return pulse;
}

int subflow_sample(const struct idmap *tokens, const struct subflow_filter *places,
		   struct subflow_samples *ret, enum subflow_activity *pulse)
{
	struct subflow_samples beats = {};
	struct pulse p = { .tokens = tokens, .beats = &beats };
	_cleanup_(nl_close) struct nl nl = {};
	int err = nl_open(&nl, NETLINK_SOCK_DIAG);

	for (size_t i = 0; i < places->n_ports && !err; i++) {
		if (places->has_v4)
			err = dump_port(&nl, &p, AF_INET, places->ports[i], places->is_local);
		if (places->has_v6 && !err)
			err = dump_port(&nl, &p, AF_INET6, places->ports[i], places->is_local);
	}
	if (err) {
		free(beats.subflows);
		return err;
	}
	if (beats.n)
		qsort(beats.subflows, beats.n, sizeof(*beats.subflows), by_token);
	*pulse = judge_pulse(&beats);
	*ret = beats;
	return 0;
}
