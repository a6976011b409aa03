/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <netdb.h>
#include <sys/socket.h>

#include <nvme/mptcp.h>

#include "portal-method.h"
#include "shared/cleanup.h"

DEFINE_CLEANUP(struct addrinfo *, freeaddrinfo);
DEFINE_CLEANUP(struct nvme_mptcp_relay_status *, nvme_mptcp_relay_status_free);

#define PORTAL_SIZE sizeof(((struct nvme_mptcp_relay_result *)0)->portal)

/* Format a portal as the relay does: "192.0.2.1:4420", "[2001:db8::1]:4420". */
static bool write_portal(const struct relayed_portal *portal, char text[static PORTAL_SIZE])
{
	const struct addrinfo hints = {
		.ai_flags = AI_NUMERICSERV | (portal->is_name_allowed ? 0 : AI_NUMERICHOST),
		.ai_socktype = SOCK_STREAM,
	};
	_cleanup_(freeaddrinfo) struct addrinfo *address = NULL;
	char host[NI_MAXHOST];
	const char *traddr = portal->traddr;
	size_t length = traddr ? strlen(traddr) : 0;
	bool is_v6;

	if (length > 2 && traddr[0] == '[' && traddr[length - 1] == ']') {
		traddr++;
		length -= 2;
	}
	if (!length || length >= sizeof(host) || !portal->trsvcid)
		return false;
	memcpy(host, traddr, length);
	host[length] = '\0';
	if (getaddrinfo(host, portal->trsvcid, &hints, &address) ||
	    getnameinfo(address->ai_addr, address->ai_addrlen, host, sizeof(host), NULL, 0,
			NI_NUMERICHOST))
		return false;
	is_v6 = address->ai_family == AF_INET6;
	return snprintf(text, PORTAL_SIZE, is_v6 ? "[%s]:%s" : "%s:%s", host, portal->trsvcid) <
	       (int)PORTAL_SIZE;
}

bool portal_is_relayed(const struct relayed_portal *portal, int *err)
{
	_cleanup_(nvme_mptcp_relay_status_free) struct nvme_mptcp_relay_status *status = NULL;
	char text[PORTAL_SIZE];

	/* No answer means that no relay is running. */
	if (!write_portal(portal, text) || nvme_mptcp_relay_ask(portal->netns, &status))
		return false;
	for (size_t i = 0; i < status->n_results; i++) {
		const struct nvme_mptcp_relay_result *result = &status->results[i];

		if (!result->is_steered || strcmp(result->portal, text) != 0)
			continue;
		/* Over plain TCP, it connected. */
		*err = result->err == EPROTONOSUPPORT ? 0 : result->err;
		return true;
	}
	return false;
}

enum portal_method portal_method(const char *transport, bool tls,
				 const struct relayed_portal *portal, const char *host_iface)
{
	int err;

	if (!nvmf_needs_relay(transport, tls))
		return METHOD_KERNEL;
	if (!portal_is_relayed(portal, &err))
		return METHOD_NONE;
	return host_iface ? METHOD_RELAY_UNBOUND_ONLY : METHOD_RELAY;
}
