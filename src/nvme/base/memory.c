/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdatomic.h>

#include "memory.h"

static atomic_uint failures;
static atomic_int last = ENOMEM;

static void note(int err)
{
	atomic_store_explicit(&last, err, memory_order_relaxed);
	atomic_fetch_add_explicit(&failures, 1, memory_order_release);
}

void memory_note_failure(void)
{
	note(ENOMEM);
}

int memory_noted(int err)
{
	if (err == -ENOMEM || err == -EMFILE || err == -ENFILE)
		note(-err);
	return err;
}

int memory_noted_read(int err)
{
	if (err == -EIO || err == -EACCES || err == -EPERM) {
		note(-err);
		return err;
	}
	return memory_noted(err);
}

int memory_print(char **ret, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(ret, fmt, ap);
	va_end(ap);
	if (n >= 0)
		return 0;
	*ret = NULL;
	return memory_noted(-ENOMEM);
}

unsigned int memory_failures(void)
{
	return atomic_load_explicit(&failures, memory_order_acquire);
}

int memory_failure_errno(void)
{
	return atomic_load_explicit(&last, memory_order_relaxed);
}
