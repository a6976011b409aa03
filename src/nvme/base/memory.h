/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Allocations and reads that failed where the result cannot show it: an attribute that is read when somebody
 * asks for it is NULL then, as one is that the kernel does not have. Whoever makes something whole
 * of many of them compares the count before and after.
 */
#pragma once

/* One more. */
void memory_note_failure(void);

/* Passes @err on, and counts it if it is -ENOMEM, or if there are too many files open. */
int memory_noted(int err);

/* The same for reading an attribute that is there: also if the kernel or a missing right refuses it. */
int memory_noted_read(int err);

/* asprintf() into *@ret, which is NULL on failure. 0, or -ENOMEM, counted. */
int memory_print(char **ret, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* How many there were in this process; nvme_memory_failures() is the same for programs. */
unsigned int memory_failures(void);

/* Why the last of them failed: ENOMEM, EMFILE, ENFILE, EIO, EACCES or EPERM. */
int memory_failure_errno(void);
