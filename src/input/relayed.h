/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What this host's relay (nvme mptcp relay) does for a portal. */
#ifndef INPUT_RELAYED_H
#define INPUT_RELAYED_H

#include <libnvme.h>
#include <stdbool.h>

/* Where a connection leads. Names are resolved if that is allowed: in discovery logs they are not. */
struct relayed_portal {
	const char *traddr, *trsvcid;
	bool is_name_allowed;
};

/* Does it take this host's connections to the portal? *@err: its last failure there, or 0. */
bool portal_is_relayed(const struct relayed_portal *portal, int *err);

#endif /* INPUT_RELAYED_H */
