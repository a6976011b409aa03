/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count of failed allocations and reads that a result cannot show: an attribute that could not be
 * read is NULL, like one that the kernel does not have. A caller that presents many attributes as
 * complete compares the count before and after.
 */
#pragma once

#include "shared/std.h"

/* Count a failed allocation. */
void memory_note_failure(void);

/* Count @err if it is -ENOMEM, -EMFILE or -ENFILE. Return @err. */
int memory_noted(int err);

/* Like memory_noted(), for reading an attribute: also count -EIO, -EACCES and -EPERM. */
int memory_noted_read(int err);

/* Like asprintf(), with *@ret NULL on failure. Return 0, or -ENOMEM, which is counted. */
int memory_print(char **ret, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Return the number of failures in this process, like the public nvme_memory_failures(). */
unsigned int memory_failures(void);

/* Return why the last one failed: ENOMEM, EMFILE, ENFILE, EIO, EACCES or EPERM. */
int memory_failure_errno(void);
