/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connecting, with a record of which connections are the new controller's, see <nvme/mptcp/recorder.h>. */
#pragma once

#include <libnvme.h>
#include <nvme/mptcp.h>
#include <stdbool.h>

/* Who is told that another process is waited for. */
struct input_waiter {
	void (*warn)(const char *text, void *arg);
	void *arg;
};

/* As nvmf_add_ctrl() without options of its own. */
int input_add_ctrl(nvme_host_t h, nvme_ctrl_t c, const struct input_waiter *waiter);

/* As nvmf_connect_entry(). Call it for entries that are not connected: all sockets are listed first. */
nvme_ctrl_t input_connect_entry(nvme_host_t h, struct nvmf_disc_log_entry *e,
				const struct nvmf_options *options, bool *discover,
				const struct input_waiter *waiter);
