/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the commands for one device. */
#pragma once

#include <stdio.h>

#include "frame/frame.h"

struct device {
	int fd;
	const char *path; /* as given */
	const char *name; /* its last part: nvme0, nvme0n1 */
	bool is_block; /* a namespace; otherwise a controller or a namespace's ng device */
};

static inline void device_close_cleanup(struct device *dev)
{
	close_cleanup(&dev->fd);
}

#define DEVICE_NONE \
	{ \
		.fd = -1 \
	}

/* The index of a UUID has seven bits. The exit status, 1 after a message. */
static inline int device_check_uuid_index(struct command *cmd, unsigned int index)
{
	return index < 128 ? 0
			   : command_fail(cmd, 0, "Invalid --uuid-index %u: use up to 127", index);
}

/* Opens the device that the command's first operand names. 0, or -errno after a message. */
int device_open(struct command *cmd, struct device *dev);

/*
 * The namespace a command means: @given unless that is 0, else the device's own.
 * 0, or -errno after a message.
 */
int device_nsid(struct command *cmd, const struct device *dev, uint32_t given, uint32_t *nsid);

/*
 * The result of a command to the device: @ret > 0 is an NVMe status, < 0 an error in errno. Returns
 * the exit status: 0 for @ret == 0, and without an answer for --dry-run.
 */
int device_result(struct command *cmd, int ret, const char *what);

/* The first of @n LBA formats without metadata whose blocks have @block_size bytes, or -1. */
int device_find_lbaf(const struct nvme_id_ns *ns, unsigned int n, uint64_t block_size);

/*
 * How commands are submitted from here on, see passthru.c. @elsewhere: stdout has a use of its own,
 * so traces of commands go to stderr.
 */
void passthru_setup(const struct common_args *common, bool elsewhere);

/* From here on every command is shown on @stream before it is sent, unless commands are traced anyway. */
void passthru_show(FILE *stream);

/* Microseconds, from a clock that only goes forward. */
uint64_t passthru_clock(void);
