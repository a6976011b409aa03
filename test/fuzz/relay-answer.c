/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a relay answers: texts end within their arrays, and errors are no negative numbers. */
#include "mptcp/netlink/relay-ask.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nvme_mptcp_relay_status *status = calloc(1, sizeof(*status));

	if (!status)
		abort();
	relay_ask_parse((const char *)data, size, status);
	for (size_t i = 0; i < status->n_connections; i++)
		if (!memchr(status->connections[i].portal, '\0', 56) ||
		    !memchr(status->connections[i].peer, '\0', 56) ||
		    !memchr(status->connections[i].subsysnqn, '\0', 224))
			abort();
	for (size_t i = 0; i < status->n_results; i++)
		if (status->results[i].err < 0 || !memchr(status->results[i].at, '\0', 56))
			abort();
	nvme_mptcp_relay_status_free(status);
	return 0;
}
