// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <time.h>

#include "sigpipe.h"

static sigset_t only_sigpipe(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	return set;
}

void sigpipe_block(struct sigpipe *before)
{
	const sigset_t set = only_sigpipe();
	sigset_t pending;

	before->pending = !sigpending(&pending) && sigismember(&pending, SIGPIPE) == 1;
	before->blocked = !pthread_sigmask(SIG_BLOCK, &set, &before->mask);
}

void sigpipe_restore_cleanup(struct sigpipe *before)
{
	const sigset_t set = only_sigpipe();
	const struct timespec now = { 0 };
	const int err = errno;

	if (!before->blocked)
		return;
	/* One that was pending before is the caller's. */
	while (!before->pending && sigtimedwait(&set, NULL, &now) < 0 && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &before->mask, NULL);
	errno = err;
}
