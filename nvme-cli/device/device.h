/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions for commands that address one device. */
#pragma once

#include "commands.h"

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

/* A command for one device; other members come last. _BINARY(): it reads data, for -o binary. */
#define DEVICE_COMMAND(...) DEVICE_COMMAND_FOR(OUT_TEXT | OUT_JSON, __VA_ARGS__)
#define DEVICE_COMMAND_BINARY(...) DEVICE_COMMAND_FOR(OUT_TEXT | OUT_JSON | OUT_BINARY, __VA_ARGS__)
#define DEVICE_COMMAND_FOR(formats_, variable, name, summary, options, struct_, ...) \
	COMMAND(variable, name, summary, options, .operands = "DEVICE", \
		.args_size = sizeof(struct_), .formats = formats_, .max_operands = 1, __VA_ARGS__)

#define OPT_NSID(struct_) \
	OPT(UINT, "namespace-id", 'n', struct_, nsid, "N", "namespace (default: the device's own)")

/* For commands without options of their own. */
struct device_no_args {
	char none;
};

/* Check a UUID index, which has seven bits. Return 0, or the exit status after a message. */
static inline int device_check_uuid_index(struct command *cmd, unsigned int index)
{
	return index < 128 ? 0
			   : command_fail(cmd, 0, "Invalid --uuid-index %u: use up to 127", index);
}

/* Open the command's first operand as cmd->device. Return 0, or -errno after a message. */
int device_open(struct command *cmd, struct device *dev);

/* Find the namespace: @given, or for 0 the device's own. Return 0, or -errno after a message. */
int device_nsid(struct command *cmd, const struct device *dev, uint32_t given, uint32_t *nsid);

/* Report an NVMe status, or errno if @ret < 0. Return the exit status, which is 0 for --dry-run. */
int device_result(struct command *cmd, int ret, const char *what);

/* Identify cmd->device. Return 0, or 1 after a message; 1 for --dry-run, too. */
int device_identify_ctrl(struct command *cmd, struct nvme_id_ctrl *ctrl);
int device_identify_ns(struct command *cmd, uint32_t nsid, struct nvme_id_ns *ns);

/* Return the index of the LBA format that FLBAS selects. */
static inline __u8 device_lbaf(__u8 flbas)
{
	__u8 index;

	nvme_id_ns_flbas_to_lbaf_inuse(flbas, &index);
	return index;
}

/* Return the first of @n LBA formats with blocks of @block_size bytes and no metadata, or -1. */
int device_find_lbaf(const struct nvme_id_ns *ns, unsigned int n, uint64_t block_size);

/* Set how commands are submitted. @elsewhere: stdout is in use, so write traces to stderr. */
void passthru_setup(const struct common_args *common, bool elsewhere);

/* Print every following command on @stream before it is sent, unless they are traced already. */
void passthru_show(FILE *stream);

/* Return the time of a monotonic clock in microseconds. */
uint64_t passthru_clock(void);
