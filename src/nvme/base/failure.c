// SPDX-License-Identifier: LGPL-2.1-or-later
/* Error messages of each thread. */
#include "failure.h"

static _Thread_local struct failure last;

void failure_begin(void)
{
	last.err = 0;
}

int failure_note(int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(last.text, sizeof(last.text), fmt, args);
	va_end(args);
	last.err = -err;
	return err;
}

int failure_refuse_address(const char *name, const char *address, int err)
{
	return failure_note(err, "%s=%s: %s", name, address ? address : "NULL",
			    err == -ENODEV   ? "no such network interface (ip link lists them)"
			    : err == -EINVAL ? "an IP address is needed"
					     : strerror(-err));
}

int failure_raise(int err, const char *what)
{
	if (last.err != -err)
		failure_note(err, "%s: %s", what, strerror(-err));
	errno = -err;
	return -1;
}

const char *failure_text(int err)
{
	return last.err && last.err == err ? last.text : strerror(err);
}

void failure_get(struct failure *ret)
{
	*ret = last;
}

void failure_put(const struct failure *failure)
{
	last = *failure;
}
