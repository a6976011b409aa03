/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Query what this host's relay (nvme mptcp relay) does for a portal. */
#pragma once

#include <libnvme.h>
#include "shared/std.h"

/* Destination of a connection. Host names are resolved only if @is_name_allowed: not of logs. */
struct relayed_portal {
	const char *traddr, *trsvcid;
	bool is_name_allowed;
	const char *netns; /* network namespace of the relay; NULL: the caller's */
};

enum portal_method {
	METHOD_KERNEL, /* directly, by the kernel's transport */
	METHOD_RELAY,
	METHOD_RELAY_UNBOUND_ONLY, /* the relay takes the portal, but not connections bound to an interface */
	METHOD_NONE, /* this kernel does not have the transport, and no relay takes the portal */
};

/* True if the relay takes this host's connections to it. *@err: its last failure there, or 0. */
bool portal_is_relayed(const struct relayed_portal *portal, int *err);

/* Return how a connection over @transport reaches it, bound to @host_iface unless NULL. */
enum portal_method portal_method(const char *transport, bool tls,
				 const struct relayed_portal *portal, const char *host_iface);
