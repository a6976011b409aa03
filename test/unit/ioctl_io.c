/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* I/O commands: reading and writing with protection information, copying, reservations, zones. */
#include "unit.h"
#include "commands.h"

static _Alignas(8) unsigned char data[8192], metadata[64];
static __u32 result;

static struct nvme_io_args some_io(void)
{
	return (struct nvme_io_args){
		.args_size = sizeof(struct nvme_io_args),
		.fd = FD,
		.nsid = 7,
		.slba = 0x1122334455667788,
		.nlb = 0x1234,
		.control = NVME_IO_FUA | NVME_IO_LR,
		.apptag = 0xa55a,
		.appmask = 0xf00f,
		.dsm = 0x47,
		.dspec = 0xbeef,
		.reftag = 0x5555, /* of the older structure */
		.reftag_u64 = 0xdeadbeef,
		.data = data,
		.data_len = 4096,
		.metadata = metadata,
		.metadata_len = 64,
		.timeout = 5,
		.result = &result,
	};
}

#define IO_FIELDS \
	.nsid = 7, .cdw10 = 0x55667788, .cdw11 = 0x11223344, .cdw12 = 0xc0001234, \
	.cdw13 = 0xbeef0047, .cdw15 = 0xf00fa55a, .addr = AT(data), .data_len = 4096, \
	.metadata = AT(metadata), .metadata_len = 64, .timeout_ms = 5

TEST(reads_and_writes)
{
	struct nvme_io_args args = some_io();

	ASSERT_IO(nvme_read(&args), .opcode = 2, .cdw14 = 0xdeadbeef, IO_FIELDS);
	ASSERT_IO(nvme_write(&args), .opcode = 1, .cdw14 = 0xdeadbeef, IO_FIELDS);
	ASSERT_IO(nvme_compare(&args), .opcode = 5, .cdw14 = 0xdeadbeef, IO_FIELDS);
	ASSERT_IO(nvme_write_zeros(&args), .opcode = 8, .cdw14 = 0xdeadbeef, IO_FIELDS);
	ASSERT_IO(nvme_write_uncorrectable(&args), .opcode = 4, .cdw14 = 0xdeadbeef, IO_FIELDS);
	ASSERT_IO(nvme_verify(&args), .opcode = 0xc, .cdw14 = 0xdeadbeef, IO_FIELDS);
	ASSERT_IO(nvme_io(&args, 0x99), .opcode = 0x99, .cdw14 = 0xdeadbeef, IO_FIELDS);
	ASSERT_IO(nvme_flush(FD, 7), .opcode = 0, .nsid = 7);
}

TEST(the_older_structure_ends_at_dsm)
{
	struct nvme_io_args args = some_io();

	skip_on_32_bit();
	args.args_size = 80;
	args.reftag_u64 = 0x9999; /* beyond what the program has */
	args.pif = 99;
	args.storage_tag = 0xaaaa112233445566;
	ASSERT_IO(nvme_read(&args), .opcode = 2, .cdw2 = 0x1122, .cdw3 = 0x33445566,
		  .cdw14 = 0x5555, IO_FIELDS);
	args.args_size = 79;
	ASSERT_REFUSED(nvme_read(&args), EINVAL);
	args.args_size = 97;
	ASSERT_REFUSED(nvme_read(&args), EINVAL);
}

TEST(tags_share_their_space)
{
	/* The storage tag is above the reference tag in 32, 80 or 48 bits. */
	static const struct {
		__u8 pif, sts;
		__u64 storage, reference;
		__u32 cdw2, cdw3, cdw14;
	} cases[] = {
		{ 0, 0, 0xffff, 0x12345678, 0, 0, 0x12345678 },
		{ 0, 8, 0xffffffffffffffab, 0x345678, 0, 0, 0xab345678 },
		{ 0, 32, 0xabcdef01, 0, 0, 0, 0xabcdef01 },
		/* A reference tag that is too wide is not cut off, but lies across the storage tag. */
		{ 0, 8, 0xa0, 0x0f345678, 0, 0, 0xaf345678 },
		{ 1, 16, 0xabcd, 0x1122334455667788, 0xabcd, 0x11223344, 0x55667788 },
		{ 1, 32, 0xabcdef01, 0x334455667788, 0xabcd, 0xef013344, 0x55667788 },
		{ 1, 64, 0x1122334455667788, 0xef01, 0x1122, 0x33445566, 0x7788ef01 },
		{ 2, 0, 0xffff, 0xffff112233445566, 0, 0x1122, 0x33445566 },
		{ 2, 16, 0xabcd, 0x33445566, 0, 0xabcd, 0x33445566 },
		{ 2, 48, 0xffff112233445566, 0, 0, 0x1122, 0x33445566 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nvme_io_args args = some_io();

		args.pif = cases[i].pif;
		args.sts = cases[i].sts;
		args.storage_tag = cases[i].storage;
		args.reftag_u64 = cases[i].reference;
		ASSERT_IO(nvme_read(&args), .opcode = 2, .cdw2 = cases[i].cdw2,
			  .cdw3 = cases[i].cdw3, .cdw14 = cases[i].cdw14, IO_FIELDS);
	}
}

TEST(tags_that_do_not_exist_are_refused)
{
	static const struct {
		__u8 pif, sts;
	} cases[] = { { 0, 33 }, { 1, 15 }, { 1, 65 }, { 2, 49 }, { 3, 0 }, { 255, 0 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nvme_io_args args = some_io();

		args.pif = cases[i].pif;
		args.sts = cases[i].sts;
		ASSERT_REFUSED(nvme_read(&args), EINVAL);
	}
}

TEST(dataset_management)
{
	struct nvme_dsm_args args = ARGS(args, .nsid = 7, .attrs = NVME_DSMGMT_AD, .nr_ranges = 256,
					 .dsm = (void *)data, .timeout = 5);

	ASSERT_IO(nvme_dsm(&args), .opcode = 9, .nsid = 7, .cdw10 = 255, .cdw11 = 4,
		  .addr = AT(data), .data_len = 4096, .timeout_ms = 5);
	args.nr_ranges = 0;
	ASSERT_REFUSED(nvme_dsm(&args), EINVAL);
	args.nr_ranges = 257;
	ASSERT_REFUSED(nvme_dsm(&args), EINVAL);
	args.nr_ranges = 1;
	args.args_size--;
	ASSERT_REFUSED(nvme_dsm(&args), EINVAL);
}

TEST(copying)
{
	static const __u32 sizes[] = { 32, 40, 32, 40 };
	struct nvme_copy_args args =
		ARGS(args, .nsid = 7, .sdlba = 0x1122334455667788, .ilbrt = 0xdeadbeef,
		     .ilbrt_u64 = 0xaabbccddeeff0011, .lr = 1, .fua = 1, .nr = 16, .dspec = 0x1234,
		     .lbat = 0xa55a, .lbatm = 0xf00f, .prinfor = 0xf, .prinfow = 0xa, .dtype = 1,
		     .copy = (void *)data, .timeout = 5);

	skip_on_32_bit();
#define COPIES(format, ...) \
	ASSERT_IO(nvme_copy(&args), .opcode = 0x19, .nsid = 7, .cdw10 = 0x55667788, \
		  .cdw11 = 0x11223344, .cdw12 = 0xe810f00f | (format) << 8, .cdw13 = 0x12340000, \
		  .cdw15 = 0xf00fa55a, .addr = AT(data), .data_len = 16 * sizes[format], \
		  .timeout_ms = 5, __VA_ARGS__)
	for (args.format = 0; args.format < 4; args.format++)
		COPIES(args.format, .cdw3 = 0xaabbccdd, .cdw14 = 0xeeff0011);
	/* Ranges of a format that is not known here are taken to be of the usual size. */
	ASSERT_IO(nvme_copy(&args), .opcode = 0x19, .nsid = 7, .cdw10 = 0x55667788,
		  .cdw11 = 0x11223344, .cdw12 = 0xe810f40f, .cdw13 = 0x12340000, .cdw3 = 0xaabbccdd,
		  .cdw14 = 0xeeff0011, .cdw15 = 0xf00fa55a, .addr = AT(data), .data_len = 16 * 32,
		  .timeout_ms = 5);
	args.fua = args.lr = 2; /* one bit each */
	args.format = 0;
	ASSERT_IO(nvme_copy(&args), .opcode = 0x19, .nsid = 7, .cdw10 = 0x55667788,
		  .cdw11 = 0x11223344, .cdw12 = 0x2810f00f, .cdw13 = 0x12340000, .cdw3 = 0xaabbccdd,
		  .cdw14 = 0xeeff0011, .cdw15 = 0xf00fa55a, .addr = AT(data), .data_len = 16 * 32,
		  .timeout_ms = 5);
	args.fua = args.lr = 1;
	args.format = 1;
	args.args_size = 64;
	COPIES(1, .cdw14 = 0xdeadbeef);
	args.args_size = 63;
	ASSERT_REFUSED(nvme_copy(&args), EINVAL);
	args.args_size = 73;
	ASSERT_REFUSED(nvme_copy(&args), EINVAL);
	args.args_size = 72;
	args.nr = 0;
	ASSERT_REFUSED(nvme_copy(&args), EINVAL);
	args.nr = 257;
	ASSERT_REFUSED(nvme_copy(&args), EINVAL);
}

static const unsigned char two_keys[16] = { 8,	  7,	6,    5,    4,	  3,	2,    1,
					    0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11 };

static void assert_reservation(int ret, __u8 opcode, __u32 cdw10, __u32 len)
{
	assert_int_equal(ret, 0);
	assert_int_equal(n_seen, 1);
	assert_int_equal(seen[0].ioctl_cmd, NVME_IOCTL_IO_CMD);
	assert_int_equal(seen[0].cmd.opcode, opcode);
	assert_int_equal(seen[0].cmd.nsid, 7);
	assert_int_equal(seen[0].cmd.cdw10, cdw10);
	assert_int_equal(seen[0].cmd.cdw11, 0);
	assert_int_equal(seen[0].cmd.timeout_ms, 5);
	assert_int_equal(seen[0].cmd.data_len, len);
	assert_memory_equal(seen[0].sent, two_keys, len);
}

TEST(reservations)
{
	struct nvme_resv_acquire_args acquire =
		ARGS(acquire, .nsid = 7, .crkey = 0x0102030405060708, .nrkey = 0x1122334455667788,
		     .rtype = NVME_RESERVATION_RTYPE_EAAR,
		     .racqa = NVME_RESERVATION_RACQA_PREEMPT_AND_ABORT, .iekey = true,
		     .timeout = 5);
	struct nvme_resv_register_args reg =
		ARGS(reg, .nsid = 7, .crkey = 0x0102030405060708, .nrkey = 0x1122334455667788,
		     .rrega = NVME_RESERVATION_RREGA_REPLACE_KEY,
		     .cptpl = NVME_RESERVATION_CPTPL_PERSIST, .iekey = true, .timeout = 5);
	struct nvme_resv_release_args release =
		ARGS(release, .nsid = 7, .crkey = 0x0102030405060708,
		     .rtype = NVME_RESERVATION_RTYPE_EAAR, .rrela = NVME_RESERVATION_RRELA_CLEAR,
		     .iekey = true, .timeout = 5);
	struct nvme_resv_report_args report = ARGS(report, .nsid = 7, .report = (void *)data,
						   .len = 4096, .eds = true, .timeout = 5);

	commands_reset(NULL);
	assert_reservation(nvme_resv_acquire(&acquire), 0x11, 0x60a, 16);
	commands_reset(NULL);
	assert_reservation(nvme_resv_register(&reg), 0x0d, 0xc000000a, 16);
	commands_reset(NULL);
	assert_reservation(nvme_resv_release(&release), 0x15, 0x609, 8);
	ASSERT_IO(nvme_resv_report(&report), .opcode = 0x0e, .nsid = 7, .cdw10 = 1023, .cdw11 = 1,
		  .addr = AT(data), .data_len = 4096, .timeout_ms = 5);

	acquire.args_size--;
	ASSERT_REFUSED(nvme_resv_acquire(&acquire), EINVAL);
	reg.args_size--;
	ASSERT_REFUSED(nvme_resv_register(&reg), EINVAL);
	release.args_size--;
	ASSERT_REFUSED(nvme_resv_release(&release), EINVAL);
	report.len = 63;
	ASSERT_IO(nvme_resv_report(&report), .opcode = 0x0e, .nsid = 7, .cdw10 = 14, .cdw11 = 1,
		  .addr = AT(data), .data_len = 63, .timeout_ms = 5);
	report.len = 3;
	ASSERT_REFUSED(nvme_resv_report(&report), EINVAL);
	report.len = 0;
	ASSERT_REFUSED(nvme_resv_report(&report), EINVAL);
	report.len = 64;
	report.args_size--;
	ASSERT_REFUSED(nvme_resv_report(&report), EINVAL);
}

TEST(io_management)
{
	__u16 pids[3] = { 1, 2, 3 };
	struct nvme_io_mgmt_recv_args recv = ARGS(recv, .nsid = 7, .mo = 0x12, .mos = 0x3456,
						  .data = data, .data_len = 4096, .timeout = 5);
	struct nvme_io_mgmt_send_args send = ARGS(send, .nsid = 7, .mo = 0x12, .mos = 0x3456,
						  .data = data, .data_len = 4096, .timeout = 5);

	ASSERT_IO(nvme_io_mgmt_recv(&recv), .opcode = 0x12, .nsid = 7, .cdw10 = 0x34560012,
		  .cdw11 = 1023, .addr = AT(data), .data_len = 4096, .timeout_ms = 5);
	ASSERT_IO(nvme_io_mgmt_send(&send), .opcode = 0x1d, .nsid = 7, .cdw10 = 0x34560012,
		  .addr = AT(data), .data_len = 4096, .timeout_ms = 5);
	ASSERT_IO(nvme_fdp_reclaim_unit_handle_status(FD, 7, 4096, data), .opcode = 0x12, .nsid = 7,
		  .cdw10 = 1, .cdw11 = 1023, .addr = AT(data), .data_len = 4096);
	ASSERT_IO(nvme_fdp_reclaim_unit_handle_update(FD, 7, 3, pids), .opcode = 0x1d, .nsid = 7,
		  .cdw10 = 0x20001, .addr = AT(pids), .data_len = 6);
	ASSERT_REFUSED(nvme_fdp_reclaim_unit_handle_update(FD, 7, 0, pids), EINVAL);
	ASSERT_REFUSED(nvme_fdp_reclaim_unit_handle_update(FD, 7, 65537, pids), EINVAL);
	recv.data_len = 2;
	ASSERT_REFUSED(nvme_io_mgmt_recv(&recv), EINVAL);
	recv.data_len = 4;
	recv.args_size--;
	ASSERT_REFUSED(nvme_io_mgmt_recv(&recv), EINVAL);
	send.args_size--;
	ASSERT_REFUSED(nvme_io_mgmt_send(&send), EINVAL);
}

static int answer_block(unsigned int n, struct seen *s, void *buffer)
{
	s->cmd.result = 0x123456789a;
	return 0;
}

TEST(zones)
{
	struct nvme_zns_mgmt_send_args send =
		ARGS(send, .nsid = 7, .slba = 0x1122334455667788, .zsa = NVME_ZNS_ZSA_SET_DESC_EXT,
		     .select_all = true, .zsaso = 1, .data = data, .data_len = 64, .timeout = 5);
	struct nvme_zns_mgmt_recv_args recv =
		ARGS(recv, .nsid = 7, .slba = 0x1122334455667788, .data = data, .data_len = 0);
	__u64 written = 0;
	struct nvme_zns_append_args append =
		ARGS(append, .nsid = 7, .zslba = 0x1122334455667788, .nlb = 0x1234,
		     .control = 0xc000, .lbat = 0xa55a, .lbatm = 0xf00f, .ilbrt = 0xdeadbeef,
		     .ilbrt_u64 = 0xaabbccddeeff0011, .data = data, .data_len = 4096,
		     .metadata = metadata, .metadata_len = 64, .timeout = 5, .result = &written);

	skip_on_32_bit();
	ASSERT_IO(nvme_zns_mgmt_send(&send), .opcode = 0x79, .nsid = 7, .cdw10 = 0x55667788,
		  .cdw11 = 0x11223344, .cdw13 = 0x310, .addr = AT(data), .data_len = 64,
		  .timeout_ms = 5);
	send.args_size--;
	ASSERT_REFUSED(nvme_zns_mgmt_send(&send), EINVAL);

	ASSERT_IO(nvme_zns_report_zones(FD, 7, 0x1122334455667788, NVME_ZNS_ZRAS_REPORT_FULL, true,
					true, 4096, data, 6, &result),
		  .opcode = 0x7a, .nsid = 7, .cdw10 = 0x55667788, .cdw11 = 0x11223344,
		  .cdw12 = 1023, .cdw13 = 0x10501, .addr = AT(data), .data_len = 4096,
		  .timeout_ms = 6);
	ASSERT_REFUSED(nvme_zns_mgmt_recv(&recv), EINVAL);
	recv.data_len = 3;
	ASSERT_REFUSED(nvme_zns_mgmt_recv(&recv), EINVAL);
	recv.data_len = 64;
	recv.args_size--;
	ASSERT_REFUSED(nvme_zns_mgmt_recv(&recv), EINVAL);

#define APPENDS(...) \
	ASSERT_SENDS(NVME_IOCTL_IO64_CMD, nvme_zns_append(&append), .opcode = 0x7d, .nsid = 7, \
		     .cdw10 = 0x55667788, .cdw11 = 0x11223344, .cdw12 = 0xc0001234, \
		     .cdw15 = 0xf00fa55a, .addr = AT(data), .data_len = 4096, \
		     .metadata = AT(metadata), .metadata_len = 64, .timeout_ms = 5, __VA_ARGS__)
	APPENDS(.cdw3 = 0xaabbccdd, .cdw14 = 0xeeff0011);
	append.args_size = 72;
	APPENDS(.cdw14 = 0xdeadbeef);
	append.args_size = 71;
	ASSERT_REFUSED(nvme_zns_append(&append), EINVAL);
	append.args_size = 81;
	ASSERT_REFUSED(nvme_zns_append(&append), EINVAL);
	append.args_size = 80;
	commands_reset(answer_block);
	assert_int_equal(nvme_zns_append(&append), 0);
	assert_int_equal(written, 0x123456789a);
}

TEST(failures_come_back)
{
	struct nvme_io_args args = some_io();

	commands_reset(answer_status);
	assert_int_equal(nvme_read(&args), 0x4002);
	commands_reset(answer_errno);
	assert_int_equal(nvme_write(&args), -1);
	assert_int_equal(errno, ENODEV);
}
