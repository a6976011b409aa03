/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Log pages: what each asks for, and how long ones are read in pieces. */
#include "unit.h"
#include "commands.h"

static unsigned char d[16384];

/* Dword 10: number of dwords less one, RAE, LSP, page. */
#define DW10(len, rae, lsp, lid) \
	((((__u32)(len) / 4 - 1) & 0xffff) << 16 | (__u32)(rae) << 15 | (__u32)(lsp) << 8 | (lid))

static struct nvme_get_log_args any(__u32 len)
{
	return (struct nvme_get_log_args){
		.args_size = sizeof(struct nvme_get_log_args),
		.fd = FD,
		.log = &d,
		.len = len,
		.lid = NVME_LOG_LID_DISCOVER,
	};
}

TEST(lengths_are_checked)
{
	struct nvme_get_log_args args = any(0);

	/* Nothing is asked for, as where a header has that nothing follows it. */
	commands_reset(NULL);
	assert_int_equal(nvme_get_log(&args), 0);
	assert_int_equal(nvme_get_log_page(FD, 4096, &args), 0);
	assert_int_equal(n_seen, 0);
	args.len = 3;
	ASSERT_REFUSED(nvme_get_log(&args), EINVAL);
	ASSERT_REFUSED(nvme_get_log_page(FD, 4096, &args), EINVAL);
	args.len = 4099; /* nothing is read if the rest cannot be */
	ASSERT_REFUSED(nvme_get_log_page(FD, 4096, &args), EINVAL);
	args.len = 511;
	ASSERT_ADMIN(nvme_get_log(&args), .opcode = 2, .addr = AT(&d), .data_len = 511,
		     .cdw10 = 126 << 16 | 0x70);
	args.len = 512;
	ASSERT_REFUSED(nvme_get_log_page(FD, 0, &args), EINVAL);
	ASSERT_REFUSED(nvme_get_log_page(FD, 4095, &args), EINVAL);
	args.args_size--;
	ASSERT_REFUSED(nvme_get_log(&args), EINVAL);
	ASSERT_REFUSED(nvme_get_log_page(FD, 4096, &args), EINVAL);
}

/* Checks the pieces that were asked for, given their lengths. */
static void assert_pieces(const __u32 *lens, unsigned int n, __u64 lpo, bool last_rae)
{
	__u64 offset = 0;

	assert_int_equal(n_seen, n);
	for (unsigned int i = 0; i < n; i++) {
		const struct nvme_passthru_cmd64 *cmd = &seen[i].cmd;
		bool last = i == n - 1;

		assert_int_equal(seen[i].fd, FD);
		assert_int_equal(cmd->data_len, lens[i]);
		assert_int_equal(cmd->addr, AT(&d) + offset);
		assert_int_equal(cmd->cdw10, DW10(lens[i], last ? last_rae : true, 0, 0x70));
		assert_int_equal(cmd->cdw12, (__u32)(lpo + offset));
		assert_int_equal(cmd->cdw13, (lpo + offset) >> 32);
		offset += lens[i];
	}
}

TEST(the_environment_can_force_4k)
{
	static const __u32 three[] = { 4096, 4096, 2048 };
	struct nvme_get_log_args args = any(10240);

	setenv("LIBNVME_FORCE_4K", "1", 1);
	commands_reset(NULL);
	assert_int_equal(nvme_get_log_page(FD, 16384, &args), 0);
	assert_pieces(three, 3, 0, false);
	unsetenv("LIBNVME_FORCE_4K");
	commands_reset(NULL);
	assert_int_equal(nvme_get_log_page(FD, 16384, &args), 0);
	assert_int_equal(n_seen, 1);
}
