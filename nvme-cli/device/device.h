/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions for commands that address one device. */
#pragma once

#include <stdio.h>

#include "frame/frame.h"

struct device {
	int fd;
	const char *path; /* as given */
	const char *name; /* last component of the path: nvme0, nvme0n1 */
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

/* Check a UUID index, which has seven bits. Return 0, or the exit status after a message. */
static inline int device_check_uuid_index(struct command *cmd, unsigned int index)
{
	return index < 128 ? 0
			   : command_fail(cmd, 0, "Invalid --uuid-index %u: use up to 127", index);
}

/* Open the device that the command's first operand names. Return 0, or -errno after a message. */
int device_open(struct command *cmd, struct device *dev);

/*
 * Find the namespace that a command is for: @given unless it is 0, else the device's own. Return 0,
 * or -errno after a message.
 */
int device_nsid(struct command *cmd, const struct device *dev, uint32_t given, uint32_t *nsid);

/*
 * Report the result of a command to the device. @ret > 0 is an NVMe status, < 0 an error in errno.
 * Return the exit status: 0 if @ret is 0, and also for --dry-run, which gets no answer.
 */
int device_result(struct command *cmd, int ret, const char *what);

/*
 * Return the index of the first of @n LBA formats without metadata whose block size is @block_size
 * bytes, or -1.
 */
int device_find_lbaf(const struct nvme_id_ns *ns, unsigned int n, uint64_t block_size);

/*
 * Set how commands are submitted from now on, see passthru.c. @elsewhere: stdout is needed for
 * something else, so write traces of commands to stderr.
 */
void passthru_setup(const struct common_args *common, bool elsewhere);

/*
 * Print every following command on @stream before it is sent, unless commands are traced already.
 */
void passthru_show(FILE *stream);

/* Return the time of a monotonic clock in microseconds. */
uint64_t passthru_clock(void);
