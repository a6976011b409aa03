/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Admin commands that manage namespaces, firmware, directives and migration. */
#include "unit.h"
#include "commands.h"

static _Alignas(8) unsigned char data[4096];
static __u32 result;

/* A structure that may grow later: smaller is refused, larger is not. */
#define ASSERT_OPEN_SIZE(call, args) \
	do { \
		(args).args_size = sizeof(args) - 1; \
		ASSERT_REFUSED(call, EINVAL); \
		(args).args_size = sizeof(args) + 100; \
		commands_reset(NULL); \
		assert_int_equal(call, 0); \
		assert_int_equal(n_seen, 1); \
		(args).args_size = sizeof(args); \
	} while (0)

/* A structure that has two sizes: what is outside them is refused. */
#define ASSERT_TWO_SIZES(call, args, older, newer) \
	do { \
		assert_int_equal(sizeof(args), newer); \
		(args).args_size = (older)-1; \
		ASSERT_REFUSED(call, EINVAL); \
		(args).args_size = (newer) + 1; \
		ASSERT_REFUSED(call, EINVAL); \
		(args).args_size = (older); \
		commands_reset(NULL); \
		assert_int_equal(call, 0); \
		(args).args_size = (newer); \
		commands_reset(NULL); \
		assert_int_equal(call, 0); \
	} while (0)

TEST(format)
{
	struct nvme_format_nvm_args args =
		ARGS(args, .timeout = 120000, .nsid = 7, .mset = NVME_FORMAT_MSET_EXTENDED,
		     .pi = NVME_FORMAT_PI_TYPE3, .pil = NVME_FORMAT_PIL_FIRST,
		     .ses = NVME_FORMAT_SES_CRYPTO_ERASE, .lbaf = 0xf, .lbafu = 3,
		     .result = &result);

	skip_on_32_bit();
	ASSERT_ADMIN(nvme_format_nvm(&args), .opcode = 0x80, .nsid = 7, .cdw10 = 0x357f,
		     .timeout_ms = 120000);
	args.args_size = 48;
	ASSERT_ADMIN(nvme_format_nvm(&args), .opcode = 0x80, .nsid = 7, .cdw10 = 0x057f,
		     .timeout_ms = 120000);
	ASSERT_TWO_SIZES(nvme_format_nvm(&args), args, 48, 56);
}

TEST(namespace_management)
{
	struct nvme_id_ns *ns = (void *)data;
	struct nvme_ns_mgmt_host_sw_specified own = { 0 };
	struct nvme_ns_mgmt_args args =
		ARGS(args, .timeout = 5, .sel = NVME_NS_MGMT_SEL_CREATE, .csi = NVME_CSI_ZNS,
		     .ns = ns, .data = &own, .result = &result);

	skip_on_32_bit();
	ASSERT_ADMIN(nvme_ns_mgmt(&args), .opcode = 0x0d, .cdw10 = 0, .cdw11 = 0x02000000,
		     .addr = AT(&own), .data_len = 4096, .timeout_ms = 5);
	args.args_size = 40; /* ends before data */
	ASSERT_ADMIN(nvme_ns_mgmt(&args), .opcode = 0x0d, .cdw10 = 0, .cdw11 = 0x02000000,
		     .addr = AT(data), .data_len = 4096, .timeout_ms = 5);
	ASSERT_TWO_SIZES(nvme_ns_mgmt(&args), args, 40, 56);

	ASSERT_ADMIN(nvme_ns_mgmt_create(FD, ns, &result, 6, NVME_CSI_NVM, NULL), .opcode = 0x0d,
		     .addr = AT(data), .data_len = 4096, .timeout_ms = 6);
	ASSERT_ADMIN(nvme_ns_mgmt_create(FD, NULL, &result, 6, NVME_CSI_NVM, &own), .opcode = 0x0d,
		     .addr = AT(&own), .data_len = 4096, .timeout_ms = 6);
	ASSERT_ADMIN(nvme_ns_mgmt_delete(FD, 7), .opcode = 0x0d, .nsid = 7, .cdw10 = 1);
	ASSERT_ADMIN(nvme_ns_mgmt_delete_timeout(FD, 7, 99), .opcode = 0x0d, .nsid = 7, .cdw10 = 1,
		     .timeout_ms = 99);
}

TEST(namespace_attachment)
{
	struct nvme_ctrl_list list = { 0 };
	struct nvme_ns_attach_args args =
		ARGS(args, .nsid = 7, .ctrlist = &list, .sel = NVME_NS_ATTACH_SEL_CTRL_DEATTACH,
		     .timeout = 5);

	ASSERT_ADMIN(nvme_ns_attach(&args), .opcode = 0x15, .nsid = 7, .cdw10 = 1,
		     .addr = AT(&list), .data_len = 4096, .timeout_ms = 5);
	ASSERT_OPEN_SIZE(nvme_ns_attach(&args), args);
	ASSERT_ADMIN(nvme_ns_attach_ctrls(FD, 7, &list), .opcode = 0x15, .nsid = 7,
		     .addr = AT(&list), .data_len = 4096);
	ASSERT_ADMIN(nvme_ns_detach_ctrls(FD, 7, &list), .opcode = 0x15, .nsid = 7, .cdw10 = 1,
		     .addr = AT(&list), .data_len = 4096);
}

TEST(firmware)
{
	struct nvme_fw_download_args load =
		ARGS(load, .offset = 0x1000, .data = data, .data_len = 4096, .timeout = 5);
	struct nvme_fw_commit_args commit =
		ARGS(commit, .action = NVME_FW_COMMIT_CA_ACTIVATE_BOOT_PARTITION, .slot = 5,
		     .bpid = true, .timeout = 5);

	ASSERT_ADMIN(nvme_fw_download(&load), .opcode = 0x11, .cdw10 = 1023, .cdw11 = 0x400,
		     .addr = AT(data), .data_len = 4096, .timeout_ms = 5);
	ASSERT_OPEN_SIZE(nvme_fw_download(&load), load);
	load.offset = 6; /* what does not fit into dwords is cut off, as in 1.x */
	load.data_len = 4095;
	ASSERT_ADMIN(nvme_fw_download(&load), .opcode = 0x11, .cdw10 = 1022, .cdw11 = 1,
		     .addr = AT(data), .data_len = 4095, .timeout_ms = 5);
	load.data_len = 3;
	ASSERT_REFUSED(nvme_fw_download(&load), EINVAL);
	load.data_len = 0;
	ASSERT_REFUSED(nvme_fw_download(&load), EINVAL);

	ASSERT_ADMIN(nvme_fw_commit(&commit), .opcode = 0x10, .cdw10 = 0x8000003d, .timeout_ms = 5);
	ASSERT_OPEN_SIZE(nvme_fw_commit(&commit), commit);
}

TEST(security)
{
	struct nvme_security_send_args send =
		ARGS(send, .nsid = 7, .nssf = 0x12, .spsp0 = 0x34, .spsp1 = 0x56, .secp = 0xef,
		     .tl = 4000, .data = data, .data_len = 4096, .timeout = 5);
	struct nvme_security_receive_args receive =
		ARGS(receive, .nsid = 7, .nssf = 0x12, .spsp0 = 0x34, .spsp1 = 0x56, .secp = 0xef,
		     .al = 4000, .data = data, .data_len = 4096, .timeout = 5);

	ASSERT_ADMIN(nvme_security_send(&send), .opcode = 0x81, .nsid = 7, .cdw10 = 0xef563412,
		     .cdw11 = 4000, .addr = AT(data), .data_len = 4096, .timeout_ms = 5);
	ASSERT_ADMIN(nvme_security_receive(&receive), .opcode = 0x82, .nsid = 7,
		     .cdw10 = 0xef563412, .cdw11 = 4000, .addr = AT(data), .data_len = 4096,
		     .timeout_ms = 5);
	ASSERT_OPEN_SIZE(nvme_security_send(&send), send);
	ASSERT_OPEN_SIZE(nvme_security_receive(&receive), receive);
}

TEST(lba_status)
{
	struct nvme_get_lba_status_args args =
		ARGS(args, .nsid = 7, .slba = 0x1122334455667788, .mndw = 0x3ff, .rl = 0x1234,
		     .atype = NVME_LBA_STATUS_ATYPE_SCAN_UNTRACKED, .lbas = (void *)data,
		     .timeout = 5);

	ASSERT_ADMIN(nvme_get_lba_status(&args), .opcode = 0x86, .nsid = 7, .cdw10 = 0x55667788,
		     .cdw11 = 0x11223344, .cdw12 = 0x3ff, .cdw13 = 0x1234 | 0x10000000,
		     .addr = AT(data), .data_len = 4096, .timeout_ms = 5);
	ASSERT_OPEN_SIZE(nvme_get_lba_status(&args), args);
	args.mndw = 0x3fffffff; /* 4 GiB */
	ASSERT_REFUSED(nvme_get_lba_status(&args), EINVAL);
}

TEST(capacity)
{
	struct nvme_capacity_mgmt_args args =
		ARGS(args, .op = 3, .element_id = 0x1234, .cdw11 = 11, .cdw12 = 12, .timeout = 5);

	ASSERT_ADMIN(nvme_capacity_mgmt(&args), .opcode = 0x20, .cdw10 = 0x12340003, .cdw11 = 11,
		     .cdw12 = 12, .timeout_ms = 5);
	ASSERT_OPEN_SIZE(nvme_capacity_mgmt(&args), args);
}

TEST(lockdown)
{
	struct nvme_lockdown_args args = ARGS(args, .scp = 2, .prhbt = 1, .ifc = 3, .ofi = 0xab,
					      .uuidx = 0x7f, .timeout = 5);

	ASSERT_ADMIN(nvme_lockdown(&args), .opcode = 0x24, .cdw10 = 0xab72, .cdw14 = 0x7f,
		     .timeout_ms = 5);
	ASSERT_OPEN_SIZE(nvme_lockdown(&args), args);
}

TEST(sanitize)
{
	struct nvme_sanitize_nvm_args args =
		ARGS(args, .sanact = NVME_SANITIZE_SANACT_START_OVERWRITE, .ause = true,
		     .owpass = 0xf, .oipbp = true, .nodas = true, .emvs = true,
		     .ovrpat = 0xdeadbeef, .timeout = 5);

	skip_on_32_bit();
	ASSERT_ADMIN(nvme_sanitize_nvm(&args), .opcode = 0x84, .cdw10 = 0x7fb, .cdw11 = 0xdeadbeef,
		     .timeout_ms = 5);
	args.args_size = 32;
	ASSERT_ADMIN(nvme_sanitize_nvm(&args), .opcode = 0x84, .cdw10 = 0x3fb, .cdw11 = 0xdeadbeef,
		     .timeout_ms = 5);
	ASSERT_TWO_SIZES(nvme_sanitize_nvm(&args), args, 32, 40);
}

TEST(self_test)
{
	struct nvme_dev_self_test_args args =
		ARGS(args, .nsid = 7, .stc = NVME_DST_STC_ABORT, .timeout = 5);

	ASSERT_ADMIN(nvme_dev_self_test(&args), .opcode = 0x14, .nsid = 7, .cdw10 = 0xf,
		     .timeout_ms = 5);
	ASSERT_OPEN_SIZE(nvme_dev_self_test(&args), args);
}

TEST(virtualization)
{
	struct nvme_virtual_mgmt_args args = ARGS(args, .act = NVME_VIRT_MGMT_ACT_ONLINE_SEC_CTRL,
						  .rt = NVME_VIRT_MGMT_RT_VI_RESOURCE,
						  .cntlid = 0x1234, .nr = 0x5678, .timeout = 5);

	ASSERT_ADMIN(nvme_virtual_mgmt(&args), .opcode = 0x1c, .cdw10 = 0x12340109, .cdw11 = 0x5678,
		     .timeout_ms = 5);
	ASSERT_OPEN_SIZE(nvme_virtual_mgmt(&args), args);
}

TEST(directives)
{
	struct nvme_id_directives *id = (void *)data;
	struct nvme_streams_directive_params params;
	struct nvme_streams_directive_status *status = (void *)data;
	struct nvme_directive_send_args send =
		ARGS(send, .nsid = 7, .doper = NVME_DIRECTIVE_SEND_STREAMS_DOPER_RELEASE_RESOURCE,
		     .dtype = NVME_DIRECTIVE_DTYPE_STREAMS, .dspec = 0x1234, .cdw12 = 12,
		     .data = data, .data_len = 64, .timeout = 5);
	struct nvme_directive_recv_args recv =
		ARGS(recv, .nsid = 7, .doper = NVME_DIRECTIVE_RECEIVE_STREAMS_DOPER_RESOURCE,
		     .dtype = NVME_DIRECTIVE_DTYPE_STREAMS, .dspec = 0x1234, .cdw12 = 12,
		     .data = data, .data_len = 64, .timeout = 5);

	ASSERT_ADMIN(nvme_directive_send(&send), .opcode = 0x19, .nsid = 7, .cdw10 = 15,
		     .cdw11 = 0x12340102, .cdw12 = 12, .addr = AT(data), .data_len = 64,
		     .timeout_ms = 5);
	ASSERT_ADMIN(nvme_directive_recv(&recv), .opcode = 0x1a, .nsid = 7, .cdw10 = 15,
		     .cdw11 = 0x12340103, .cdw12 = 12, .addr = AT(data), .data_len = 64,
		     .timeout_ms = 5);
	ASSERT_OPEN_SIZE(nvme_directive_send(&send), send);
	ASSERT_OPEN_SIZE(nvme_directive_recv(&recv), recv);
	send.data_len = 3;
	ASSERT_REFUSED(nvme_directive_send(&send), EINVAL);
	recv.data_len = 3;
	ASSERT_REFUSED(nvme_directive_recv(&recv), EINVAL);

	/* The directive to enable is in bits 15:08. */
	ASSERT_ADMIN(nvme_directive_send_id_endir(FD, 7, true, NVME_DIRECTIVE_DTYPE_STREAMS, id),
		     .opcode = 0x19, .nsid = 7, .cdw10 = 1023, .cdw11 = 1, .cdw12 = 0x101,
		     .addr = AT(data), .data_len = 4096);
	ASSERT_ADMIN(nvme_directive_send_id_endir(FD, 7, false, NVME_DIRECTIVE_DTYPE_STREAMS, NULL),
		     .opcode = 0x19, .nsid = 7, .cdw11 = 1, .cdw12 = 0x100);
	ASSERT_ADMIN(nvme_directive_send_stream_release_identifier(FD, 7, 0x1234), .opcode = 0x19,
		     .nsid = 7, .cdw11 = 0x12340101);
	ASSERT_ADMIN(nvme_directive_send_stream_release_resource(FD, 7), .opcode = 0x19, .nsid = 7,
		     .cdw11 = 0x102);
	ASSERT_ADMIN(nvme_directive_recv_identify_parameters(FD, 7, id), .opcode = 0x1a, .nsid = 7,
		     .cdw10 = 1023, .cdw11 = 1, .addr = AT(data), .data_len = 4096);
	ASSERT_ADMIN(nvme_directive_recv_stream_parameters(FD, 7, &params), .opcode = 0x1a,
		     .nsid = 7, .cdw10 = 7, .cdw11 = 0x101, .addr = AT(&params), .data_len = 32);
	ASSERT_ADMIN(nvme_directive_recv_stream_status(FD, 7, 7, status), .opcode = 0x1a, .nsid = 7,
		     .cdw10 = 3, .cdw11 = 0x102, .addr = AT(data), .data_len = 16);
	ASSERT_REFUSED(nvme_directive_recv_stream_status(FD, 7, 0x10000, status), EINVAL);
	ASSERT_ADMIN(nvme_directive_recv_stream_allocate(FD, 7, 9, &result), .opcode = 0x1a,
		     .nsid = 7, .cdw11 = 0x103, .cdw12 = 9);
}

static int answer_queue(unsigned int n, struct seen *s, void *buffer)
{
	s->cmd.result = 0xabcd1234;
	return 0;
}

TEST(controller_data_queues)
{
	struct nvme_lm_cdq_args args =
		ARGS(args, .sel = NVME_LM_SEL_CREATE_CDQ, .mos = 0x1234, .cntlid = 0x5678,
		     .sz_u8 = 4, .sz = 0x100, .data = data, .timeout = 5, .result = &result);

	skip_on_32_bit();
	ASSERT_ADMIN(nvme_lm_cdq(&args), .opcode = 0x45, .cdw10 = 0x12340000, .cdw11 = 0x56780001,
		     .cdw12 = 0x100, .addr = AT(data), .data_len = 0x400, .timeout_ms = 5);
	args.args_size = 40;
	ASSERT_ADMIN(nvme_lm_cdq(&args), .opcode = 0x45, .cdw10 = 0x12340000, .cdw11 = 0x56780001,
		     .cdw12 = 4, .addr = AT(data), .data_len = 16, .timeout_ms = 5);
	ASSERT_TWO_SIZES(nvme_lm_cdq(&args), args, 40, 48);

	commands_reset(answer_queue);
	assert_int_equal(nvme_lm_cdq(&args), 0);
	assert_int_equal(args.cdqid, 0x1234);
	assert_int_equal(result, 0xabcd1234);

	args.sel = NVME_LM_SEL_DELETE_CDQ;
	ASSERT_ADMIN(nvme_lm_cdq(&args), .opcode = 0x45, .cdw10 = 0x12340001, .cdw11 = 0x1234,
		     .cdw12 = 0x100, .addr = AT(data), .timeout_ms = 5);
	args.sz = 0x40000000;
	ASSERT_REFUSED(nvme_lm_cdq(&args), EINVAL);
}

TEST(migration)
{
	struct nvme_lm_track_send_args track =
		ARGS(track, .sel = NVME_LM_SEL_LOG_USER_DATA_CHANGES,
		     .mos = NVME_LM_LACT_START_LOGGING, .cdqid = 0x1234, .timeout = 5);
	struct nvme_lm_migration_send_args send =
		ARGS(send, .offset = 0x1122334455667788, .data = data, .numd = 16, .cntlid = 0x1234,
		     .csuuidi = 0x56, .csvi = 0x78, .stype = 1, .dudmq = true,
		     .seqind = NVME_LM_SEQIND_ENTIRE, .uidx = 0x7f, .timeout = 5);
	struct nvme_lm_migration_recv_args recv =
		ARGS(recv, .offset = 0x1122334455667788, .data = data, .numd = 15, .mos = 3,
		     .cntlid = 0x1234, .csuuidi = 0x56, .csuidxp = 0x78, .uidx = 0x7f,
		     .timeout = 5);

	ASSERT_ADMIN(nvme_lm_track_send(&track), .opcode = 0x3d, .cdw10 = 0x10000, .cdw11 = 0x1234,
		     .timeout_ms = 5);
	ASSERT_OPEN_SIZE(nvme_lm_track_send(&track), track);

#define SENDS(...) \
	ASSERT_ADMIN(nvme_lm_migration_send(&send), .opcode = 0x41, .addr = AT(data), \
		     .data_len = 64, .cdw12 = 0x55667788, .cdw13 = 0x11223344, .cdw14 = 0x7f, \
		     .cdw15 = 16, .timeout_ms = 5, __VA_ARGS__)
	send.sel = NVME_LM_SEL_SUSPEND;
	SENDS(.cdw10 = 0, .cdw11 = 0x80011234);
	send.sel = NVME_LM_SEL_RESUME;
	SENDS(.cdw10 = 1, .cdw11 = 0x1234);
	send.sel = NVME_LM_SEL_SET_CONTROLLER_STATE;
	SENDS(.cdw10 = 0x30002, .cdw11 = 0x56781234);
	ASSERT_OPEN_SIZE(nvme_lm_migration_send(&send), send);
	send.numd = 0x40000000;
	ASSERT_REFUSED(nvme_lm_migration_send(&send), EINVAL);

	ASSERT_ADMIN(nvme_lm_migration_recv(&recv), .opcode = 0x42, .addr = AT(data),
		     .data_len = 64, .cdw10 = 0x30000, .cdw11 = 0x78561234, .cdw12 = 0x55667788,
		     .cdw13 = 0x11223344, .cdw14 = 0x7f, .cdw15 = 15, .timeout_ms = 5);
	ASSERT_OPEN_SIZE(nvme_lm_migration_recv(&recv), recv);
	recv.numd = 0x3fffffff;
	ASSERT_REFUSED(nvme_lm_migration_recv(&recv), EINVAL);
}
