// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Finds connections that go straight to a portal when a relay starts. If their packets were
 * steered, they would reach a relay that does not know the connection, and be answered with a
 * reset.
 */
#include <netinet/tcp.h>
#include <linux/sock_diag.h>

#include "steering.h"

/* States in which a connection still sends packets. */
#define STATES (~0U & ~(1U << TCP_LISTEN | 1U << TCP_TIME_WAIT | 1U << TCP_CLOSE))

struct direct_dump {
	const struct nvme_mptcp_relay *relay;
	struct relay_ends *ends; /* connections to a portal */
	size_t n, before; /* entries now, and before this dump */
	struct relay_ends *taken; /* connections from a portal: the relay's ends */
	size_t n_taken, taken_before;
};

static int take_socket(const struct nlmsghdr *nlh, void *arg)
{
	struct direct_dump *dump = arg;
	struct relay_ends ends, *added;
	struct inet_diag_msg msg;

	if (nl_take_diag(nlh, &msg, &ends.local, &ends.remote))
		return -EBADMSG;
	if (relay_is_portal(dump->relay, &ends.remote))
		added = array_add(&dump->ends, &dump->n, sizeof(*added));
	else if (relay_is_portal(dump->relay, &ends.local))
		added = array_add(&dump->taken, &dump->n_taken, sizeof(*added));
	else
		return 0;
	if (!added)
		return -ENOMEM;
	*added = ends;
	return 0;
}

static void restart_direct(void *arg)
{
	struct direct_dump *dump = arg;

	dump->n = dump->before;
	dump->n_taken = dump->taken_before;
}

static int by_ends(const void *a, const void *b)
{
	const struct relay_ends *x = a, *y = b;
	int order = memcmp(&x->local.ip, &y->local.ip, sizeof(x->local.ip));

	if (!order)
		order = (int)x->local.port - (int)y->local.port;
	if (!order)
		order = memcmp(&x->remote.ip, &y->remote.ip, sizeof(x->remote.ip));
	return order ? order : (int)x->remote.port - (int)y->remote.port;
}

/*
 * Leave out connections of an earlier relay: they are ending, and their packets need not bypass
 * this relay.
 */
static void leave_relayed(struct direct_dump *dump)
{
	size_t left = 0;

	if (dump->n_taken)
		qsort(dump->taken, dump->n_taken, sizeof(*dump->taken), by_ends);
	for (size_t i = 0; i < dump->n; i++) {
		const struct relay_ends other = { dump->ends[i].remote, dump->ends[i].local };

		if (!dump->n_taken ||
		    !bsearch(&other, dump->taken, dump->n_taken, sizeof(other), by_ends))
			dump->ends[left++] = dump->ends[i];
	}
	dump->n = left;
}

int relay_find_direct(struct nvme_mptcp_relay *relay)
{
	static const int families[] = { AF_INET, AF_INET6 };
	struct direct_dump dump = { .relay = relay };
	int err = 0;

	for (size_t i = 0; !err && i < 2; i++) {
		struct inet_diag_req_v2 req = { .sdiag_family = (uint8_t)families[i],
						.sdiag_protocol = IPPROTO_TCP,
						.idiag_states = STATES };

		dump.before = dump.n;
		dump.taken_before = dump.n_taken;
		memcpy(mnl_nlmsg_put_extra_header(nl_request(&relay->diag, SOCK_DIAG_BY_FAMILY, 0),
						  sizeof(req)),
		       &req, sizeof(req));
		err = nl_dump(&relay->diag, take_socket, restart_direct, &dump);
	}
	leave_relayed(&dump);
	free(dump.taken);
	if (err) {
		free(dump.ends);
		return failure_note(err,
				    "TCP sockets (existing connections bypass the relay): %s%s",
				    strerror(-err), err == -ENOENT ? " (modprobe tcp_diag)" : "");
	}
	free(relay->direct);
	relay->direct = dump.ends;
	relay->n_direct = dump.n;
	return 0;
}
