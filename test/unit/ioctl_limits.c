/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits of fields, and what differs from libnvme 1.16; what is equal, test/oracle compares. */
#include <fcntl.h>
#include <unistd.h>

#include "unit.h"
#include "commands.h"

static _Alignas(8) unsigned char data[8192];
static __u32 result;

TEST(fields_that_1_16_cuts_off)
{
	struct nvme_lockdown_args lockdown = ARGS(lockdown, .uuidx = 0x7f);
	struct nvme_lm_migration_send_args send =
		ARGS(send, .sel = NVME_LM_SEL_SET_CONTROLLER_STATE, .data = data, .numd = 16,
		     .seqind = NVME_LM_SEQIND_ENTIRE);

	ASSERT_ADMIN(nvme_lockdown(&lockdown), .opcode = 0x24, .cdw14 = 0x7f);
	ASSERT_ADMIN(nvme_lm_migration_send(&send), .opcode = 0x41, .addr = AT(data),
		     .data_len = 64, .cdw10 = 0x30002, .cdw15 = 16);
	/* The directive to enable is in bits 15:08. */
	ASSERT_ADMIN(nvme_directive_send_id_endir(FD, 7, true, NVME_DIRECTIVE_DTYPE_STREAMS,
						  (void *)data),
		     .opcode = 0x19, .nsid = 7, .cdw10 = 1023, .cdw11 = 1, .cdw12 = 0x101,
		     .addr = AT(data), .data_len = 4096);
}

TEST(a_queue_has_the_size_of_its_structure)
{
	struct nvme_lm_cdq_args args =
		ARGS(args, .sel = NVME_LM_SEL_CREATE_CDQ, .sz_u8 = 4, .sz = 0x100, .data = data);

	skip_on_32_bit();
	ASSERT_ADMIN(nvme_lm_cdq(&args), .opcode = 0x45, .cdw11 = 1, .cdw12 = 0x100,
		     .addr = AT(data), .data_len = 0x400);
	args.args_size = 40;
	ASSERT_ADMIN(nvme_lm_cdq(&args), .opcode = 0x45, .cdw11 = 1, .cdw12 = 4, .addr = AT(data),
		     .data_len = 16);
	args.args_size = sizeof(args);
	args.sz = 0x40000000;
	ASSERT_REFUSED(nvme_lm_cdq(&args), EINVAL);
}

TEST(host_memory_buffer_without_attributes_still_has_a_buffer)
{
	commands_reset(NULL);
	assert_int_equal(nvme_get_features_host_mem_buf(FD, NVME_GET_FEATURES_SEL_SAVED, &result),
			 0);
	assert_int_equal(n_seen, 1);
	assert_int_equal(seen[0].cmd.cdw10, 0x20d);
	assert_int_equal(seen[0].cmd.data_len, 4096);
	assert_true(seen[0].cmd.addr);
}

/* Cut short, a structure of arguments is refused; longer, its known members count. */
TEST(sizes_of_structures_are_checked)
{
	struct nvme_io_args io = ARGS(io, .nsid = 7, .reftag = 0x5555, .reftag_u64 = 0x9999,
				      .pif = 99, .storage_tag = 0xaaaa112233445566);
	struct nvme_get_features_args get = ARGS(get, .fid = 0xc0, .uuidx = 0xff);

	skip_on_32_bit();
	io.args_size = 80; /* that of 1.1 ends at dsm */
	ASSERT_IO(nvme_read(&io), .opcode = 2, .nsid = 7, .cdw2 = 0x1122, .cdw3 = 0x33445566,
		  .cdw14 = 0x5555);
	io.args_size = 79;
	ASSERT_REFUSED(nvme_read(&io), EINVAL);
	io.args_size = 97;
	ASSERT_REFUSED(nvme_read(&io), EINVAL);
	ASSERT_ADMIN(nvme_get_features(&get), .opcode = 10, .cdw10 = 0xc0, .cdw14 = 0x7f);
	get.args_size += 100;
	ASSERT_ADMIN(nvme_get_features(&get), .opcode = 10, .cdw10 = 0xc0, .cdw14 = 0x7f);
	get.args_size = sizeof(get) - 1;
	ASSERT_REFUSED(nvme_get_features(&get), EINVAL);
}

TEST(resets_need_a_character_device)
{
	int (*const actions[])(int) = { nvme_ctrl_reset, nvme_subsystem_reset, nvme_ns_rescan };
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(file >= 0 && null >= 0);
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		ASSERT_FAILS(actions[i](file), ENOTBLK);
		errno = 0;
		assert_int_equal(actions[i](null), -1);
		assert_true(errno == ENOTTY || errno == ENOSYS); /* the latter in qemu-user */
		ASSERT_FAILS(actions[i](-1), EBADF);
	}
	close(file);
	close(null);
}
