/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RPMB frames, within Security Send and Security Receive: Base Specification 2.1, 8.1.21. */
#pragma once

#include "device/device.h"

#define RPMB_KEY_SIZE 32
#define RPMB_NONCE_SIZE 16
#define RPMB_SECTOR_SIZE 512

/* Requests; the type of the answer is request << 8. */
enum rpmb_type {
	RPMB_PROGRAM_KEY = 1,
	RPMB_READ_COUNTER,
	RPMB_WRITE_DATA,
	RPMB_READ_DATA,
	RPMB_READ_RESULT, /* result of a write, which has no answer of its own */
	RPMB_WRITE_CONFIG,
	RPMB_READ_CONFIG,
};

struct rpmb_frame {
	__u8 rsvd0[191];
	__u8 mac[RPMB_KEY_SIZE]; /* over all that follows, or the key to program */
	__u8 target;
	__u8 nonce[RPMB_NONCE_SIZE];
	__le32 counter;
	__le32 address; /* in sectors */
	__le32 sectors;
	__le16 result;
	__le16 type; /* enum rpmb_type */
	__u8 data[];
};

/* A target of a controller. */
struct rpmb_target {
	struct command *cmd;
	const struct device *dev;
	__u8 number;
	bool has_key; /* then every answer with a MAC is verified */
	unsigned char key[RPMB_KEY_SIZE];
};

static inline void rpmb_target_wipe_cleanup(struct rpmb_target *target)
{
	explicit_bzero(target->key, sizeof(target->key));
}

/* Allocate a frame with @sectors of data. The caller frees it. Return NULL after a message. */
struct rpmb_frame *rpmb_frame_new(struct command *cmd, uint32_t sectors);

/*
 * Send one of the three requests that read; their answers have a nonce. @answer can hold @sectors.
 * Return the exit status: 1 after a message with the controller's error, or with what is wrong with
 * the answer.
 */
int rpmb_read(const struct rpmb_target *target, enum rpmb_type type, uint32_t address,
	      struct rpmb_frame *answer, uint32_t sectors);

/* Read the write counter. Return the exit status. */
int rpmb_read_counter(const struct rpmb_target *target, uint32_t *counter);

/* Write @sectors of @request to @address, with the key and the write counter, read first. */
int rpmb_write(const struct rpmb_target *target, enum rpmb_type type, uint32_t address,
	       struct rpmb_frame *request, uint32_t sectors);

/* Program the key, which is possible only once. Return the exit status. */
int rpmb_program_key(const struct rpmb_target *target);
