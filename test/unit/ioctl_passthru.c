/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Raw commands and small commands reach the funnel of the program with every field in place. */
#include <fcntl.h>
#include <unistd.h>

#include "unit.h"
#include "commands.h"

static char data[4096], metadata[64];

#define FIELDS 0x12, 0x34, 0x5678, 1, 2, 3, 10, 11, 12, 13, 14, 15, 4096, data, 64, metadata, 999
#define WANT \
	.opcode = 0x12, .flags = 0x34, .rsvd1 = 0x5678, .nsid = 1, .cdw2 = 2, .cdw3 = 3, \
	.cdw10 = 10, .cdw11 = 11, .cdw12 = 12, .cdw13 = 13, .cdw14 = 14, .cdw15 = 15, \
	.data_len = 4096, .addr = AT(data), .metadata_len = 64, .metadata = AT(metadata), \
	.timeout_ms = 999

TEST(raw_commands_keep_their_fields)
{
	__u32 result;
	__u64 wide;

	ASSERT_ADMIN(nvme_admin_passthru(FD, FIELDS, &result), WANT);
	ASSERT_IO(nvme_io_passthru(FD, FIELDS, &result), WANT);
	ASSERT_SENDS(NVME_IOCTL_ADMIN64_CMD, nvme_admin_passthru64(FD, FIELDS, &wide), WANT);
	ASSERT_SENDS(NVME_IOCTL_IO64_CMD, nvme_io_passthru64(FD, FIELDS, &wide), WANT);
	ASSERT_ADMIN(nvme_admin_passthru(FD, FIELDS, NULL), WANT);
}

static int answer_wide(unsigned int n, struct seen *s, void *buffer)
{
	s->cmd.result = 0x123456789abcdef0;
	return 0;
}

TEST(results_have_their_width)
{
	__u32 result = 0;
	__u64 wide = 0;

	commands_reset(answer_wide);
	assert_int_equal(nvme_admin_passthru(FD, FIELDS, &result), 0);
	assert_int_equal(result, 0x9abcdef0);
	assert_int_equal(nvme_io_passthru64(FD, FIELDS, &wide), 0);
	assert_int_equal(wide, 0x123456789abcdef0);
}

TEST(status_and_errno_come_back_as_they_are)
{
	__u32 result = 7;

	commands_reset(answer_status);
	assert_int_equal(nvme_admin_passthru(FD, FIELDS, &result), 0x4002);
	assert_int_equal(result, 0x1234);
	commands_reset(answer_errno);
	errno = 0;
	result = 7;
	assert_int_equal(nvme_io_passthru(FD, FIELDS, &result), -1);
	assert_int_equal(errno, ENODEV);
	assert_int_equal(result, 7);
}

TEST(structures_have_the_kernels_size)
{
	assert_int_equal(sizeof(struct nvme_passthru_cmd), 72);
	assert_int_equal(sizeof(struct nvme_passthru_cmd64), 80);
	assert_int_equal(sizeof(struct nvme_uring_cmd), 72);
	assert_int_equal(NVME_IOCTL_ADMIN_CMD, 0xc0484e41);
	assert_int_equal(NVME_IOCTL_IO64_CMD, 0xc0504e48);
}

TEST(resets_need_a_character_device)
{
	int (*const actions[])(int) = { nvme_ctrl_reset, nvme_subsystem_reset, nvme_ns_rescan };
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	__u32 nsid = 77;

	assert_true(file >= 0 && null >= 0);
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		errno = 0;
		assert_int_equal(actions[i](file), -1);
		assert_int_equal(errno, ENOTBLK);
		errno = 0;
		assert_int_equal(actions[i](null), -1);
		assert_true(errno == ENOTTY || errno == ENOSYS); /* the latter in qemu-user */
		errno = 0;
		assert_int_equal(actions[i](-1), -1);
		assert_int_equal(errno, EBADF);
	}
	errno = 0;
	assert_int_equal(nvme_get_nsid(null, &nsid), -1);
	assert_true(errno == ENOTTY || errno == ENOSYS);
	assert_int_equal(nsid, 77);
	close(file);
	close(null);
}

TEST(properties_are_fabrics_commands)
{
	__u64 value = 5;
	__u32 result;
	struct nvme_get_property_args get =
		ARGS(get, .timeout = 8, .value = &value, .offset = NVME_REG_CAP);
	struct nvme_set_property_args set =
		ARGS(set, .timeout = 8, .result = &result, .offset = NVME_REG_CC,
		     .value = 0xaabbccdd00460001);

	ASSERT_SENDS(NVME_IOCTL_ADMIN64_CMD, nvme_get_property(&get), .opcode = 0x7f, .nsid = 4,
		     .cdw10 = 1, .cdw11 = 0, .timeout_ms = 8);
	get.offset = NVME_REG_CSTS;
	ASSERT_SENDS(NVME_IOCTL_ADMIN64_CMD, nvme_get_property(&get), .opcode = 0x7f, .nsid = 4,
		     .cdw10 = 0, .cdw11 = 0x1c, .timeout_ms = 8);
	ASSERT_ADMIN(nvme_set_property(&set), .opcode = 0x7f, .nsid = 0, .cdw10 = 0, .cdw11 = 0x14,
		     .cdw12 = 0x00460001, .cdw13 = 0xaabbccdd, .timeout_ms = 8);

	commands_reset(answer_wide);
	assert_int_equal(nvme_get_property(&get), 0);
	assert_int_equal(value, 0x123456789abcdef0);
	commands_reset(answer_errno);
	value = 5;
	assert_int_equal(nvme_get_property(&get), -1);
	assert_int_equal(value, 5);

	get.args_size--;
	ASSERT_REFUSED(nvme_get_property(&get), EINVAL);
	set.args_size--;
	ASSERT_REFUSED(nvme_set_property(&set), EINVAL);
}

TEST(discovery_information_is_sent)
{
	struct nvme_dim_args args = ARGS(args, .data = data, .data_len = 2048,
					 .tas = NVMF_DIM_TAS_UPDATE, .timeout = 3);

	ASSERT_ADMIN(nvme_dim_send(&args), .opcode = 0x21, .addr = AT(data), .data_len = 2048,
		     .cdw10 = 2, .timeout_ms = 3);
	args.args_size = sizeof(args) - 1;
	ASSERT_REFUSED(nvme_dim_send(&args), EINVAL);
}
