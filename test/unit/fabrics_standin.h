/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stand-in for the kernel: /dev/nvme-fabrics, /dev/kmsg, a /sys in which controllers appear. */
#pragma once

#include <stddef.h>

#define KERNEL_LINE 4200

extern struct kernel {
	const char *options; /* what the device lists; NULL: reading it fails with EINVAL */
	int open_error; /* errno of opening the device */
	int write_error[4]; /* errno of the first writes; 0: a controller comes into being */
	const char *log; /* record of /dev/kmsg that appears with a failed write */
	_Bool log_has_no_end; /* /dev/kmsg is a pipe, in which nobody can seek */
	const char *reply; /* instead of "instance=…" */
	unsigned int writes; /* lines that were written */
	char line[KERNEL_LINE]; /* the last one */
	unsigned int next_instance;
} kernel;

/* Options of Linux 6.12 with authentication and TLS. */
extern const char linux_6_12[];

/* Changes an attribute of a controller that has come into being. */
void kernel_set_attr(const char *ctrl, const char *attr, const char *value);

/* Makes /sys and points the environment there; and takes it away again. For cmocka. */
int kernel_start(void **state);
int kernel_stop(void **state);
