/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A controller in place of the funnel, which answers as the test says; to be included once. */
#pragma once

#include <nvme/linux.h>

#include "unit.h"

#define FD 0xf00d /* no descriptor that is open */
/* What the structure of arguments @args is initialized with. */
#define ARGS(args, ...) \
	{ \
		.args_size = sizeof(args), .fd = FD, __VA_ARGS__ \
	}
#define MAX_SEEN 64

struct seen {
	unsigned long ioctl_cmd;
	struct nvme_passthru_cmd64 cmd; /* the fields both kinds have in common, and the result */
	unsigned char sent[64]; /* the first bytes of the data buffer */
	int fd;
};

/* What the controller does with command number @n; returns what the funnel returns. */
typedef int (*answer_t)(unsigned int n, struct seen *seen, void *data);

static struct seen seen[MAX_SEEN];
static unsigned int n_seen;
static answer_t answer;

static void commands_reset(answer_t with)
{
	memset(seen, 0, sizeof(seen));
	n_seen = 0;
	answer = with;
}

static int take(int fd, unsigned long ioctl_cmd, const struct nvme_passthru_cmd64 *cmd,
		__u64 *result)
{
	void *data = (void *)(uintptr_t)cmd->addr;
	struct seen *s;
	int ret = 0;

	assert_true(n_seen < MAX_SEEN);
	s = &seen[n_seen];
	s->ioctl_cmd = ioctl_cmd;
	s->cmd = *cmd;
	s->fd = fd;
	if (data)
		memcpy(s->sent, data,
		       cmd->data_len < sizeof(s->sent) ? cmd->data_len : sizeof(s->sent));
	if (answer)
		ret = answer(n_seen, s, data);
	n_seen++;
	*result = s->cmd.result;
	return ret;
}

int nvme_submit_passthru64(int fd, unsigned long ioctl_cmd, struct nvme_passthru_cmd64 *cmd,
			   __u64 *result)
{
	__u64 value;
	int ret = take(fd, ioctl_cmd, cmd, &value);

	if (ret >= 0 && result)
		*result = value;
	return ret;
}

int nvme_submit_passthru(int fd, unsigned long ioctl_cmd, struct nvme_passthru_cmd *cmd,
			 __u32 *result)
{
	struct nvme_passthru_cmd64 wide = { 0 };
	__u64 value;
	int ret;

	memcpy(&wide, cmd, offsetof(struct nvme_passthru_cmd, result));
	ret = take(fd, ioctl_cmd, &wide, &value);
	if (ret >= 0 && result)
		*result = (__u32)value;
	return ret;
}

static inline void assert_command(const struct seen *s, unsigned long ioctl_cmd,
				  const struct nvme_passthru_cmd64 *want, const char *file,
				  int line)
{
#define ASSERT_FIELD(field) \
	_assert_int_equal(s->cmd.field, want->field, file, line) /* the caller's line */
	_assert_int_equal(s->fd, FD, file, line);
	_assert_int_equal(s->ioctl_cmd, ioctl_cmd, file, line);
	ASSERT_FIELD(opcode);
	ASSERT_FIELD(flags);
	ASSERT_FIELD(rsvd1);
	ASSERT_FIELD(nsid);
	ASSERT_FIELD(cdw2);
	ASSERT_FIELD(cdw3);
	ASSERT_FIELD(metadata);
	ASSERT_FIELD(addr);
	ASSERT_FIELD(metadata_len);
	ASSERT_FIELD(data_len);
	ASSERT_FIELD(cdw10);
	ASSERT_FIELD(cdw11);
	ASSERT_FIELD(cdw12);
	ASSERT_FIELD(cdw13);
	ASSERT_FIELD(cdw14);
	ASSERT_FIELD(cdw15);
	ASSERT_FIELD(timeout_ms);
#undef ASSERT_FIELD
}

/* @call succeeds and sends exactly one command, with the fields given and all others zero. */
#define ASSERT_SENDS(ioctl, call, ...) \
	do { \
		const struct nvme_passthru_cmd64 want_ = { __VA_ARGS__ }; \
		commands_reset(NULL); \
		assert_int_equal(call, 0); \
		assert_int_equal(n_seen, 1); \
		assert_command(&seen[0], ioctl, &want_, __FILE__, __LINE__); \
	} while (0)
#define ASSERT_ADMIN(call, ...) ASSERT_SENDS(NVME_IOCTL_ADMIN_CMD, call, __VA_ARGS__)
#define ASSERT_IO(call, ...) ASSERT_SENDS(NVME_IOCTL_IO_CMD, call, __VA_ARGS__)

/* @call fails with errno @err before anything is sent. */
#define ASSERT_REFUSED(call, err) \
	do { \
		commands_reset(NULL); \
		ASSERT_FAILS(call, err); \
		assert_int_equal(n_seen, 0); \
	} while (0)

/* Buffers go by address: this is the value of the field. */
#define AT(buffer) ((__u64)(uintptr_t)(buffer))

/* Controllers that fail every command. */
static inline int answer_status(unsigned int n, struct seen *s, void *data)
{
	s->cmd.result = 0x1234;
	return NVME_SC_INVALID_FIELD | NVME_SC_DNR;
}

static inline int answer_errno(unsigned int n, struct seen *s, void *data)
{
	errno = ENODEV;
	return -1;
}
