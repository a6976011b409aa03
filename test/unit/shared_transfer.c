// SPDX-License-Identifier: LGPL-2.1-or-later
/* Buffers of commands: whole pages for the device, whatever the caller has. */
#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "unit.h"
#include "fail_alloc.h"
#include "shared/transfer.h"

#define FD 77
#define READ 0x02
#define WRITE 0x01

static struct nvme_passthru_cmd seen;
static unsigned long page;

static int know_page(void **state)
{
	page = (unsigned long)sysconf(_SC_PAGESIZE);
	return 0;
}
ALL_TESTS(know_page, NULL)
static int calls, answer;

int __wrap_ioctl(int fd, unsigned long request, void *arg);

/* What a device does that transfers all of the pages which it was given. */
int __wrap_ioctl(int fd, unsigned long request, void *arg)
{
	struct nvme_passthru_cmd *cmd = arg;
	unsigned char *data = (void *)(uintptr_t)cmd->addr;
	const size_t whole = (cmd->data_len + page - 1) / page * page;

	assert_int_equal(fd, FD);
	calls++;
	seen = *cmd;
	if (request == NVME_IOCTL_ADMIN_CMD && whole) {
		assert_int_equal(cmd->addr % page, 0);
		for (size_t i = cmd->data_len; i < whole; i++)
			assert_int_equal(data[i], 0);
		if (cmd->opcode == READ || (cmd->opcode == 0x7f && !(cmd->nsid & 1)))
			memset(data, 0xdb, whole);
	}
	if (request == NVME_IOCTL_ADMIN_CMD && cmd->metadata_len && cmd->opcode == READ)
		memset((void *)(uintptr_t)cmd->metadata, 0xdd, page);
	cmd->result = 5;
	errno = ENODEV;
	return answer;
}

static struct nvme_passthru_cmd command(int opcode, const void *data, uint32_t length)
{
	calls = answer = 0;
	return (struct nvme_passthru_cmd){
		.opcode = (uint8_t)opcode,
		.addr = (uintptr_t)data,
		.data_len = length,
	};
}

TEST(whole_pages_are_used_as_they_are)
{
	void *data = NULL;
	struct nvme_passthru_cmd cmd;

	assert_int_equal(posix_memalign(&data, page, 2 * page), 0);
	cmd = command(READ, data, (uint32_t)(2 * page));
	assert_int_equal(transfer_ioctl(FD, NVME_IOCTL_ADMIN_CMD, &cmd), 0);
	assert_ptr_equal((void *)(uintptr_t)seen.addr, data);
	free(data);
}

TEST(what_is_sent_stays_as_it_is)
{
	static const char text[] = "read only";
	struct nvme_passthru_cmd cmd = command(WRITE, text, sizeof(text));

	assert_int_equal(transfer_ioctl(FD, NVME_IOCTL_ADMIN_CMD, &cmd), 0);
	assert_int_equal(calls, 1);
	/* A fabrics command has its direction in its type, which is in the place of the namespace. */
	cmd = command(0x7f, text, sizeof(text));
	cmd.nsid = 5;
	assert_int_equal(transfer_ioctl(FD, NVME_IOCTL_ADMIN_CMD, &cmd), 0);
	assert_string_equal(text, "read only");
}

TEST(a_fabrics_command_may_read)
{
	char data[8] = "before";
	struct nvme_passthru_cmd cmd = command(0x7f, data, sizeof(data));

	cmd.nsid = 6;
	assert_int_equal(transfer_ioctl(FD, NVME_IOCTL_ADMIN_CMD, &cmd), 0);
	assert_int_equal((unsigned char)data[7], 0xdb);
}

TEST(failures_are_those_of_ioctl)
{
	char data[64];
	struct nvme_passthru_cmd cmd = command(READ, data, sizeof(data));

	answer = -1;
	ASSERT_FAILS(transfer_ioctl(FD, NVME_IOCTL_ADMIN_CMD, &cmd), ENODEV);
	answer = 0x4002;
	assert_int_equal(transfer_ioctl(FD, NVME_IOCTL_ADMIN_CMD, &cmd), 0x4002);
}

TEST(without_memory_nothing_is_sent)
{
	char data[64] = "before", metadata[8] = "meta";
	struct nvme_passthru_cmd cmd = command(READ, data, sizeof(data));

	cmd.metadata = (uintptr_t)metadata;
	cmd.metadata_len = sizeof(metadata);
	for (long n = 0; n < 2; n++) {
		fail_alloc_after(n);
		ASSERT_FAILS(transfer_ioctl(FD, NVME_IOCTL_ADMIN_CMD, &cmd), ENOMEM);
		assert_int_equal(calls, 0);
		assert_ptr_equal((void *)(uintptr_t)cmd.addr, data);
		assert_ptr_equal((void *)(uintptr_t)cmd.metadata, metadata);
		assert_string_equal(data, "before");
	}
	fail_alloc_after(-1);
}

/* Vectored requests have a struct iovec at addr and their number in data_len; others no command at all. */
TEST(other_requests_pass_unchanged)
{
	char vectors[3];
	struct nvme_passthru_cmd cmd = command(READ, vectors, 1);

	assert_int_equal(transfer_ioctl(FD, NVME_IOCTL_IO64_CMD_VEC, &cmd), 0);
	assert_ptr_equal((void *)(uintptr_t)seen.addr, vectors);
}
