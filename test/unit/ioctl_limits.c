/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits of fields, and what differs from libnvme 1.16; what is equal, test/oracle compares. */
#include <fcntl.h>
#include <unistd.h>

#include "unit.h"
#include "commands.h"

static _Alignas(8) unsigned char data[8192];
static __u32 result;

TEST(lengths_that_are_no_dwords_are_refused)
{
	struct nvme_fw_download_args load = ARGS(load, .offset = 6, .data = data, .data_len = 4095);
	struct nvme_resv_report_args report = ARGS(report, .nsid = 7, .report = (void *)data);
	struct nvme_zns_mgmt_recv_args zones = ARGS(zones, .nsid = 7, .data = data);
	struct nvme_io_mgmt_recv_args io = ARGS(io, .nsid = 7, .data = data);
	struct nvme_directive_send_args send = ARGS(send, .nsid = 7, .data = data, .data_len = 3);
	struct nvme_directive_recv_args recv = ARGS(recv, .nsid = 7, .data = data, .data_len = 3);

	/* What does not fit into dwords is cut off, as in 1.x. */
	ASSERT_ADMIN(nvme_fw_download(&load), .opcode = 0x11, .cdw10 = 1022, .cdw11 = 1,
		     .addr = AT(data), .data_len = 4095);
	report.len = 63;
	ASSERT_IO(nvme_resv_report(&report), .opcode = 0x0e, .nsid = 7, .cdw10 = 14,
		  .addr = AT(data), .data_len = 63);
	for (__u32 len = 0; len < 4; len += 3) {
		load.data_len = report.len = zones.data_len = io.data_len = len;
		ASSERT_REFUSED(nvme_fw_download(&load), EINVAL);
		ASSERT_REFUSED(nvme_resv_report(&report), EINVAL);
		ASSERT_REFUSED(nvme_zns_mgmt_recv(&zones), EINVAL);
		ASSERT_REFUSED(nvme_io_mgmt_recv(&io), EINVAL);
	}
	ASSERT_REFUSED(nvme_directive_send(&send), EINVAL);
	ASSERT_REFUSED(nvme_directive_recv(&recv), EINVAL);
}

TEST(counts_that_do_not_fit_are_refused)
{
	static const __u16 wrong[] = { 0, 257 };
	struct nvme_dsm_args dsm = ARGS(dsm, .nsid = 7, .dsm = (void *)data, .nr_ranges = 256);
	struct nvme_copy_args copy = ARGS(copy, .nsid = 7, .copy = (void *)data, .nr = 256);
	struct nvme_get_lba_status_args lbas =
		ARGS(lbas, .nsid = 7, .lbas = (void *)data, .mndw = 0x3fffffff);
	struct nvme_lm_migration_send_args send = ARGS(send, .data = data, .numd = 0x40000000);
	struct nvme_lm_migration_recv_args recv = ARGS(recv, .data = data, .numd = 0x3fffffff);
	static __u16 many[NVME_ID_CTRL_LIST_MAX + 1];

	ASSERT_IO(nvme_dsm(&dsm), .opcode = 9, .nsid = 7, .cdw10 = 255, .addr = AT(data),
		  .data_len = 4096);
	ASSERT_IO(nvme_copy(&copy), .opcode = 0x19, .nsid = 7, .cdw12 = 255, .addr = AT(data),
		  .data_len = 8192);
	for (int i = 0; i < 2; i++) {
		dsm.nr_ranges = copy.nr = wrong[i];
		ASSERT_REFUSED(nvme_dsm(&dsm), EINVAL);
		ASSERT_REFUSED(nvme_copy(&copy), EINVAL);
	}
	ASSERT_REFUSED(nvme_set_features_lba_range(FD, 7, 0, true, (void *)data, &result), EINVAL);
	ASSERT_REFUSED(nvme_get_lba_status(&lbas), EINVAL); /* 4 GiB */
	ASSERT_REFUSED(nvme_lm_migration_send(&send), EINVAL);
	ASSERT_REFUSED(nvme_lm_migration_recv(&recv), EINVAL);
	ASSERT_REFUSED(nvme_directive_recv_stream_status(FD, 7, 0x10000, (void *)data), EINVAL);
	ASSERT_REFUSED(nvme_fdp_reclaim_unit_handle_update(FD, 7, 0, many), EINVAL);
	ASSERT_REFUSED(nvme_fdp_reclaim_unit_handle_update(FD, 7, 65537, many), EINVAL);
	ASSERT_REFUSED(nvme_namespace_attach_ctrls(FD, 7, NVME_ID_CTRL_LIST_MAX + 1, many), EINVAL);
}

TEST(tags_that_do_not_exist_are_refused)
{
	static const struct {
		__u8 pif, sts;
	} cases[] = { { 0, 33 }, { 1, 15 }, { 1, 65 }, { 2, 49 }, { 3, 0 }, { 255, 0 } };
	struct nvme_io_args args = ARGS(args, .nsid = 7, .sts = 32, .storage_tag = 0xabcdef01);

	ASSERT_IO(nvme_read(&args), .opcode = 2, .nsid = 7, .cdw14 = 0xabcdef01);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		args.pif = cases[i].pif;
		args.sts = cases[i].sts;
		ASSERT_REFUSED(nvme_read(&args), EINVAL);
	}
}

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
