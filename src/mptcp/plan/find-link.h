/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Links of a snapshot by name and by address. */
#pragma once

#include "mptcp/snapshot/snapshot.h"

#define LINK_STRING(snap, ifindex) link_text((snap), (ifindex), (char[LINK_TEXT]){ 0 })

/* Return the link with this name, which may be NULL, or NULL. */
const struct nvme_mptcp_link *plan_link_by_name(const struct nvme_mptcp_snapshot *snap,
						const char *name);

/* Return the link that has the address, or NULL. */
const struct nvme_mptcp_link *plan_link_by_ip(const struct nvme_mptcp_snapshot *snap,
					      const struct in6_addr *ip);
