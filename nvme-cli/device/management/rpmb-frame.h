/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of a Replay Protected Memory Block, which travel by Security Send and Security Receive: NVM
 * Express Base Specification 2.1, section 8.1.21.
 */
#pragma once

#include "device/device.h"

#define RPMB_KEY_SIZE 32
#define RPMB_NONCE_SIZE 16
#define RPMB_SECTOR_SIZE 512

/* Requests; the answer to each is of type request << 8. */
enum rpmb_type {
	RPMB_PROGRAM_KEY = 1,
	RPMB_READ_COUNTER,
	RPMB_WRITE_DATA,
	RPMB_READ_DATA,
	RPMB_READ_RESULT, /* of a write, which has no answer without it */
	RPMB_WRITE_CONFIG,
	RPMB_READ_CONFIG,
};

struct rpmb_frame {
	__u8 rsvd0[191];
	__u8 mac[RPMB_KEY_SIZE]; /* of all that follows, or the key that is programmed */
	__u8 target;
	__u8 nonce[RPMB_NONCE_SIZE];
	__le32 counter;
	__le32 address; /* in sectors */
	__le32 sectors;
	__le16 result;
	__le16 type; /* enum rpmb_type */
	__u8 data[];
};

/* One target of a controller. */
struct rpmb_target {
	struct command *cmd;
	const struct device *dev;
	__u8 number;
	bool has_key; /* then every answer that has a MAC must have the right one */
	unsigned char key[RPMB_KEY_SIZE];
};

static inline void rpmb_target_wipe_cleanup(struct rpmb_target *target)
{
	explicit_bzero(target->key, sizeof(target->key));
}

/* A frame with room for @sectors, to be freed. NULL after a message. */
struct rpmb_frame *rpmb_frame_new(struct command *cmd, uint32_t sectors);

/*
 * A request whose answer has a nonce: one of the three that read. @answer has room for @sectors.
 * Returns the exit status: 1 after a message that has what the controller answered, or what about the
 * answer is not right.
 */
int rpmb_read(const struct rpmb_target *target, enum rpmb_type type, uint32_t address,
	      struct rpmb_frame *answer, uint32_t sectors);

/* The write counter. Returns the exit status. */
int rpmb_read_counter(const struct rpmb_target *target, uint32_t *counter);

/*
 * Writes what @request has behind its head, @sectors of it, at @address, authenticated by the key and
 * the write counter, which is read before. Returns the exit status.
 */
int rpmb_write(const struct rpmb_target *target, enum rpmb_type type, uint32_t address,
	       struct rpmb_frame *request, uint32_t sectors);

/* Programs the key, once and for all. Returns the exit status. */
int rpmb_program_key(const struct rpmb_target *target);
