/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Event of the path manager. */
#pragma once

#include <nvme/mptcp/event.h>
#include "mptcp/snapshot/snapshot.h"

#define NVME_MPTCP_EVENT_VALUES (NVME_MPTCP_EVENT_NO_JOIN_ID0 + 1) /* count */

struct nvme_mptcp_event {
	unsigned int type;
	int64_t time;
	int64_t token;
	int64_t value[NVME_MPTCP_EVENT_VALUES];
	struct socket_address local, remote;
	bool has_local, has_remote;
	char local_text[ADDRESS_TEXT];
	char remote_text[ADDRESS_TEXT];
	char link[LINK_NAME];
	const char *ctrl; /* owned by the monitor */
};

/* Parse an event. Returns 0 or -EBADMSG. Time, link and controller are not in the message. */
int event_parse(const struct nlmsghdr *nlh, struct nvme_mptcp_event *ret);
