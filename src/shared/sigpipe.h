/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep a connection that the target closed from ending the process. The kernel's transports may
 * send from the thread that writes to /dev/nvme-fabrics or sysfs or submits a command, and without
 * MSG_NOSIGNAL (nvme_tcp_try_send() in drivers/nvme/host/tcp.c): such a send raises SIGPIPE, which
 * ends a process without a word. The call itself returns the error.
 */
#pragma once

#include <signal.h>

#include "shared/std.h"

struct sigpipe {
	sigset_t mask; /* of the thread, before */
	bool blocked, pending;
};

/* Block SIGPIPE for this thread, and store in @before what sigpipe_restore needs. */
void sigpipe_block(struct sigpipe *before);

/* Discard the SIGPIPE that came since then and restore the thread's mask; keeps errno. */
void sigpipe_restore_cleanup(struct sigpipe *before);
