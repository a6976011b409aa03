/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connect, and record the new controller's MPTCP connections, see <nvme/mptcp/recorder.h>. */
#pragma once

#include <libnvme.h>
#include <nvme/mptcp.h>
#include "shared/std.h"

/* Called for notices and warnings, for example while waiting for another process. */
struct input_waiter {
	void (*warn)(const char *text, void *arg);
	void *arg;
};

/* Like nvmf_add_ctrl() without options of its own. */
int input_add_ctrl(nvme_host_t h, nvme_ctrl_t c, const struct input_waiter *waiter);

/* Like nvmf_connect_entry(), but only for unconnected entries: it dumps all sockets first. */
nvme_ctrl_t input_connect_entry(nvme_host_t h, struct nvmf_disc_log_entry *e,
				const struct nvmf_options *options, bool *discover,
				const struct input_waiter *waiter);
