/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What this host's relay (nvme mptcp relay) does for a portal. */
#pragma once

#include <libnvme.h>
#include <stdbool.h>

/* Where a connection leads. Names are resolved if that is allowed: in discovery logs they are not. */
struct relayed_portal {
	const char *traddr, *trsvcid;
	bool is_name_allowed;
	const char *netns; /* whose relay; NULL: the caller's */
};

enum portal_way {
	WAY_KERNEL, /* by the transport itself */
	WAY_RELAY,
	WAY_BOUND, /* the relay takes the portal, and no connection that is bound to an interface */
	WAY_NONE, /* this kernel does not have the transport, and no relay takes the portal */
};

/* Does it take this host's connections to the portal? *@err: its last failure there, or 0. */
bool portal_is_relayed(const struct relayed_portal *portal, int *err);

/* How a connection with @transport gets there; @host_iface: the interface that it is bound to, or NULL. */
enum portal_way portal_way(const char *transport, bool tls, const struct relayed_portal *portal,
			   const char *host_iface);
