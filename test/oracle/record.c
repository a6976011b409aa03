/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recording, the arguments, and the ioctl(2) that both libraries find before the C library's. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "oracle.h"

unsigned char oracle_buffer[ORACLE_BUFFER];
unsigned char oracle_metadata[ORACLE_BUFFER];
unsigned int oracle_round;
oracle_answer_t oracle_answer;

/* As much of the data as is filled before a call, and looked at when it is sent. */
#define PATTERN 8192

static int device_fd;
static uint64_t state;
static unsigned int n_commands;

/* Enough for telling arguments apart, and the same everywhere: a 64-bit xorshift. */
static uint64_t random_bits(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t mask(unsigned int bits)
{
	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static uint64_t value_of_round(unsigned int bits)
{
	switch (oracle_round) {
	case 0:
		return 0;
	case 1:
		return mask(bits);
	case 2:
		return 1;
	}
	switch (random_bits() >> 61) {
	case 0:
		return 0;
	case 1:
		return mask(bits);
	case 2:
	case 3:
	case 4:
		return random_bits() >> 60;
	case 5:
		return random_bits() >> 56;
	}
	return random_bits();
}

uint64_t oracle_draw(const char *name, unsigned int bits)
{
	uint64_t value = value_of_round(bits) & mask(bits);

	printf(" %s=%#" PRIx64, name, value);
	return value;
}

uint64_t oracle_draw_choice(const char *name, unsigned int bits)
{
	uint64_t value = oracle_round % 4 ? random_bits() >> 62 : value_of_round(bits) & mask(bits);

	printf(" %s=%#" PRIx64, name, value);
	return value;
}

unsigned int oracle_draw_below(const char *name, unsigned int count)
{
	unsigned int value =
		(unsigned int)((oracle_round < 3 ? oracle_round : random_bits() >> 32) % count);

	printf(" %s=%#x", name, value);
	return value;
}

static uint32_t draw_from(const char *name, const uint32_t *values, size_t n)
{
	uint32_t value = values[oracle_round < 3 ? oracle_round : random_bits() % n];

	printf(" %s=%#x", name, value);
	return value;
}

uint32_t oracle_draw_length(const char *name)
{
	static const uint32_t lengths[] = { 0, 4, 16, 511, 512, 4096, 4098, 8192, 65536, 0x12344 };

	return draw_from(name, lengths, sizeof(lengths) / sizeof(lengths[0]));
}

/* The length fits the buffer, or not into 32 bits. */
uint32_t oracle_draw_dwords(const char *name)
{
	static const uint32_t dwords[] = { 0,	 UINT32_MAX, 1,	     127,
					   1023, 1024,	     0x1234, UINT32_C(1) << 30 };

	return draw_from(name, dwords, sizeof(dwords) / sizeof(dwords[0]));
}

void *oracle_draw_pointer(const char *name, void *pointer)
{
	bool none = oracle_round > 2 && random_bits() >> 61 == 0;

	printf(" %s=%d", name, !none);
	return none ? NULL : pointer;
}

int oracle_draw_size(int size)
{
	static const int deltas[] = { -24, -16, -8, 8 };
	unsigned int left = ORACLE_ROUNDS - 1 - oracle_round;
	int delta = left < sizeof(deltas) / sizeof(deltas[0]) ? deltas[left] : 0;

	printf(" args_size=%+d", delta);
	return size + delta;
}

int oracle_begin(void)
{
	for (size_t i = 0; i < PATTERN; i++)
		oracle_buffer[i] = (unsigned char)(i * 7 + i / 256 + oracle_round);
	n_commands = 0;
	errno = 0;
	putchar('\n');
	return device_fd;
}

void oracle_end(long ret)
{
	if (ret < 0)
		printf("\t= %ld errno %d\n", ret, errno);
	else
		printf("\t= %ld\n", ret);
}

void oracle_note(const char *name, uint64_t value)
{
	printf("\t%s %#" PRIx64 "\n", name, value);
}

void oracle_note_bytes(const char *name, const void *bytes, size_t size)
{
	const unsigned char *p = bytes;
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ p[i]) * UINT64_C(0x100000001b3);
	printf("\t%s %zu bytes %016" PRIx64 "\n", name, size, sum);
}

/*
 * Pages of a library's own may stand in for the caller's buffer. What they hold is recorded by
 * oracle_note_bytes(), so that an address is not.
 */
static void print_pointer(const char *name, uint64_t address, uint32_t len)
{
	printf(" %s=%s:%u", name, address ? "some" : "none", len);
}

static const char *request_name(unsigned long request)
{
	switch (request) {
	case NVME_IOCTL_ADMIN_CMD:
	case NVME_IOCTL_ADMIN64_CMD:
		return "admin";
	case NVME_IOCTL_IO_CMD:
	case NVME_IOCTL_IO64_CMD:
		return "io";
	case NVME_IOCTL_RESET:
		return "reset";
	case NVME_IOCTL_SUBSYS_RESET:
		return "subsystem-reset";
	case NVME_IOCTL_RESCAN:
		return "rescan";
	case NVME_IOCTL_ID:
		return "id";
	}
	return "other";
}

static void record(unsigned long request, const struct nvme_passthru_cmd64 *cmd)
{
	printf("\t%s op=%#x flags=%#x rsvd=%#x nsid=%#x cdw2=%#x cdw3=%#x cdw10=%#x cdw11=%#x "
	       "cdw12=%#x cdw13=%#x cdw14=%#x cdw15=%#x timeout=%u",
	       request_name(request), cmd->opcode, cmd->flags, cmd->rsvd1, cmd->nsid, cmd->cdw2,
	       cmd->cdw3, cmd->cdw10, cmd->cdw11, cmd->cdw12, cmd->cdw13, cmd->cdw14, cmd->cdw15,
	       cmd->timeout_ms);
	print_pointer("addr", cmd->addr, cmd->data_len);
	print_pointer("metadata", cmd->metadata, cmd->metadata_len);
	putchar('\n');
	if (cmd->opcode & 1 && cmd->addr && cmd->data_len)
		oracle_note_bytes("sent", (void *)(uintptr_t)cmd->addr,
				  cmd->data_len < PATTERN ? cmd->data_len : PATTERN);
}

/* Success mostly, a status in some rounds, a failure of the ioctl itself in others. */
static int answer_of_round(struct nvme_passthru_cmd64 *cmd)
{
	cmd->result = 0x1000 + n_commands++;
	if (oracle_round % 8 == 6)
		return 0x4002;
	if (oracle_round % 8 == 7) {
		errno = EIO;
		return -1;
	}
	return 0;
}

static int answer(struct nvme_passthru_cmd64 *cmd)
{
	return oracle_answer ? oracle_answer(cmd, (void *)(uintptr_t)cmd->addr)
			     : answer_of_round(cmd);
}

/* The two structures of the kernel agree up to the result. */
static int answer_32(struct nvme_passthru_cmd *cmd)
{
	struct nvme_passthru_cmd64 wide = {};
	int ret;

	memcpy(&wide, cmd, offsetof(struct nvme_passthru_cmd, result));
	ret = answer(&wide);
	cmd->result = (__u32)wide.result;
	return ret;
}

int ioctl(int fd, unsigned long request, ...)
{
	struct nvme_passthru_cmd64 command = {};
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	switch (request) {
	case NVME_IOCTL_ADMIN_CMD:
	case NVME_IOCTL_IO_CMD:
		memcpy(&command, arg, offsetof(struct nvme_passthru_cmd, result));
		record(request, &command);
		return answer_32(arg);
	case NVME_IOCTL_ADMIN64_CMD:
	case NVME_IOCTL_IO64_CMD:
		memcpy(&command, arg, sizeof(command));
		record(request, &command);
		return answer(arg);
	}
	printf("\t%s\n", request_name(request));
	return request == NVME_IOCTL_ID ? 7 : 0;
}

static void run(const struct oracle_call *calls)
{
	for (; calls->name; calls++) {
		for (oracle_round = 0; oracle_round < ORACLE_ROUNDS; oracle_round++) {
			state = UINT64_C(0x9e3779b97f4a7c15) * (oracle_round + 1);
			printf("%s %u", calls->name, oracle_round);
			calls->call();
			oracle_answer = NULL;
			fflush(stdout);
		}
	}
}

int main(void)
{
	device_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (device_fd < 0) {
		perror("/dev/null");
		return EXIT_FAILURE;
	}
	run(oracle_generated);
	run(oracle_device);
	return ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
