/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <stdatomic.h>

#include "memory.h"

static atomic_uint failures;

void memory_note_failure(void)
{
	atomic_fetch_add_explicit(&failures, 1, memory_order_relaxed);
}

int memory_noted(int err)
{
	if (err == -ENOMEM)
		memory_note_failure();
	return err;
}

unsigned int memory_failures(void)
{
	return atomic_load_explicit(&failures, memory_order_relaxed);
}
