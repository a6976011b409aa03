// SPDX-License-Identifier: GPL-2.0-or-later
#include <sys/random.h>

#include "rpmb-frame.h"
#include "shared/crypto.h"

#define SECURITY_PROTOCOL 0xEA /* for use by NVM Express */
#define RPMB_PROTOCOL 1 /* the only one defined */
#define MAC_FROM offsetof(struct rpmb_frame, target)
#define RESULT_CODE 0x7f
#define COUNTER_EXPIRED 0x80

/* Texts of the operation results, by code. */
static const char *const results[] = {
	"Success",
	"General failure",
	"Authentication (MAC) failure",
	"Counter failure (not matching/incrementing failure)",
	"Address failure (out of range or wrong alignment)",
	"Write (data/counter/result) failure",
	"Read (data/counter/result) failure",
	"Authentication key not yet programmed",
	"Invalid RPMB Device Configuration Block",
};

static size_t frame_size(uint32_t sectors)
{
	return sizeof(struct rpmb_frame) + (size_t)sectors * RPMB_SECTOR_SIZE;
}

struct rpmb_frame *rpmb_frame_new(struct command *cmd, uint32_t sectors)
{
	struct rpmb_frame *frame = calloc(1, frame_size(sectors));

	if (!frame)
		command_fail(cmd, ENOMEM, "%s: allocating a frame of %u sectors", cmd->name,
			     sectors);
	return frame;
}

static int fail(const struct rpmb_target *target, enum rpmb_type type, const char *reason)
{
	return command_fail(target->cmd, 0, "RPMB request 0x%04x to target 0x%x: %s", type,
			    target->number, reason);
}

static int calculate_mac(const struct rpmb_target *target, const struct rpmb_frame *frame,
			 uint32_t sectors, unsigned char mac[RPMB_KEY_SIZE])
{
	int err = crypto_hmac(NVME_HMAC_ALG_SHA2_256, target->key, RPMB_KEY_SIZE,
			      (const unsigned char *)frame + MAC_FROM,
			      frame_size(sectors) - MAC_FROM, mac);

	return err ? command_fail(target->cmd, err, "%s: calculating the MAC", target->cmd->name)
		   : 0;
}

static int send_frame(const struct rpmb_target *target, struct rpmb_frame *frame, uint32_t sectors)
{
	struct nvme_security_send_args args = {
		.data = frame,
		.args_size = sizeof(args),
		.fd = target->dev->fd,
		.timeout = target->cmd->common.timeout,
		.tl = (__u32)frame_size(sectors),
		.data_len = (__u32)frame_size(sectors),
		.nssf = target->number,
		.spsp0 = RPMB_PROTOCOL,
		.secp = SECURITY_PROTOCOL,
	};

	return device_result(target->cmd, nvme_security_send(&args), "RPMB security send");
}

static int receive_frame(const struct rpmb_target *target, struct rpmb_frame *frame,
			 uint32_t sectors)
{
	struct nvme_security_receive_args args = {
		.data = frame,
		.args_size = sizeof(args),
		.fd = target->dev->fd,
		.timeout = target->cmd->common.timeout,
		.al = (__u32)frame_size(sectors),
		.data_len = (__u32)frame_size(sectors),
		.nssf = target->number,
		.spsp0 = RPMB_PROTOCOL,
		.secp = SECURITY_PROTOCOL,
	};

	memset(frame, 0, frame_size(sectors));
	return device_result(target->cmd, nvme_security_receive(&args), "RPMB security receive");
}

static int check_result(const struct rpmb_target *target, enum rpmb_type type,
			const struct rpmb_frame *answer)
{
	const unsigned int result = le16toh(answer->result), code = result & RESULT_CODE;
	char unknown[40];

	if (code && code < sizeof(results) / sizeof(results[0]))
		return fail(target, type, results[code]);
	if (code) {
		snprintf(unknown, sizeof(unknown), "Unknown error 0x%02x", code);
		return fail(target, type, unknown);
	}
	if (result & COUNTER_EXPIRED)
		command_warn(target->cmd, 0,
			     "Expired write-counter: target 0x%x can be read but no longer written",
			     target->number);
	return 0;
}

static int check_answer(const struct rpmb_target *target, enum rpmb_type type,
			const struct rpmb_frame *answer)
{
	char text[64];

	if (le16toh(answer->type) != type << 8) {
		snprintf(text, sizeof(text), "non-matching response 0x%04x for 0x%04x",
			 le16toh(answer->type), type);
		return fail(target, type, text);
	}
	if (answer->target != target->number) {
		snprintf(text, sizeof(text), "the response is from target 0x%x", answer->target);
		return fail(target, type, text);
	}
	return check_result(target, type, answer);
}

/* Verify the MAC of an answer; impossible without a key. Commands that need a key have one. */
static int check_mac(const struct rpmb_target *target, enum rpmb_type type,
		     const struct rpmb_frame *answer, uint32_t sectors)
{
	unsigned char mac[RPMB_KEY_SIZE], difference = 0;

	if (!target->has_key)
		return 0;
	if (calculate_mac(target, answer, sectors, mac))
		return 1;
	for (size_t i = 0; i < sizeof(mac); i++)
		difference |= mac[i] ^ answer->mac[i];
	return difference ? fail(target, type,
				 "wrong MAC in the response: another key is programmed, or the "
				 "response is not from the controller")
			  : 0;
}

int rpmb_read(const struct rpmb_target *target, enum rpmb_type type, uint32_t address,
	      struct rpmb_frame *answer, uint32_t sectors)
{
	struct rpmb_frame request = {
		.target = target->number,
		.address = htole32(address),
		.sectors = htole32(sectors),
		.type = htole16((__u16)type),
	};

	if (getrandom(request.nonce, sizeof(request.nonce), 0) != sizeof(request.nonce))
		return command_fail(target->cmd, errno, "%s: getting random numbers",
				    target->cmd->name);
	if (send_frame(target, &request, 0) || receive_frame(target, answer, sectors) ||
	    check_answer(target, type, answer))
		return 1;
	if (memcmp(answer->nonce, request.nonce, sizeof(request.nonce)))
		return fail(target, type,
			    "wrong nonce in the response: it belongs to an older request");
	return check_mac(target, type, answer, sectors);
}

int rpmb_read_counter(const struct rpmb_target *target, uint32_t *counter)
{
	struct rpmb_frame answer;

	if (rpmb_read(target, RPMB_READ_COUNTER, 0, &answer, 0))
		return 1;
	*counter = le32toh(answer.counter);
	return 0;
}

/* Read the result of a write, which the controller returns only on request. */
static int read_result(const struct rpmb_target *target, enum rpmb_type type,
		       struct rpmb_frame *answer)
{
	struct rpmb_frame request = {
		.target = target->number,
		.type = htole16(RPMB_READ_RESULT),
	};

	return send_frame(target, &request, 0) || receive_frame(target, answer, 0) ||
	       check_answer(target, type, answer);
}

int rpmb_write(const struct rpmb_target *target, enum rpmb_type type, uint32_t address,
	       struct rpmb_frame *request, uint32_t sectors)
{
	struct rpmb_frame answer;
	uint32_t counter;

	if (rpmb_read_counter(target, &counter))
		return 1;
	request->target = target->number;
	request->counter = htole32(counter);
	request->address = htole32(address);
	request->sectors = htole32(sectors);
	request->type = htole16((__u16)type);
	if (calculate_mac(target, request, sectors, request->mac) ||
	    send_frame(target, request, sectors) || read_result(target, type, &answer) ||
	    check_mac(target, type, &answer, 0))
		return 1;
	if (le32toh(answer.counter) != counter + 1)
		return fail(target, type,
			    "the write counter in the response did not increase by one");
	if (answer.address != request->address)
		return fail(target, type, "wrong address in the response");
	return 0;
}

int rpmb_program_key(const struct rpmb_target *target)
{
	struct rpmb_frame request = {
		.target = target->number,
		.type = htole16(RPMB_PROGRAM_KEY),
	};
	struct rpmb_frame answer;
	int ret;

	memcpy(request.mac, target->key, RPMB_KEY_SIZE);
	ret = send_frame(target, &request, 0);
	explicit_bzero(&request, sizeof(request));
	return ret ? ret : read_result(target, RPMB_PROGRAM_KEY, &answer);
}
