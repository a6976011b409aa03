/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What takes several commands: logs that announce their length, firmware, small questions. */
#include <endian.h>

#include "unit.h"
#include "commands.h"

/* A log page in the controller, and what happens to it. */
static unsigned char page[32768];
static struct nvme_id_ctrl ctrl;
static struct nvme_id_ns ns;
static unsigned int fail_at;

static __u64 offset_of(const struct seen *s)
{
	return (__u64)s->cmd.cdw13 << 32 | s->cmd.cdw12;
}

static bool retains(const struct seen *s)
{
	return s->cmd.cdw10 & 1 << 15;
}

static int answer_page(unsigned int n, struct seen *s, void *data)
{
	__u64 offset = offset_of(s);

	if (fail_at && n == fail_at - 1)
		return 0x2009;
	switch (s->cmd.opcode) {
	case 0x02:
		assert_true(offset + s->cmd.data_len <= sizeof(page));
		memcpy(data, page + offset, s->cmd.data_len);
		return 0;
	case 0x06:
		if ((s->cmd.cdw10 & 0xff) == 0)
			memcpy(data, &ns, sizeof(ns));
		else if ((s->cmd.cdw10 & 0xff) == 1)
			memcpy(data, &ctrl, sizeof(ctrl));
		else
			memset(data, 0x5a, 4096);
		return 0;
	default:
		return 0;
	}
}

static int fresh(void **state)
{
	memset(page, 0, sizeof(page));
	memset(&ctrl, 0, sizeof(ctrl));
	memset(&ns, 0, sizeof(ns));
	fail_at = 0;
	commands_reset(answer_page);
	return 0;
}

/* Writes an ANA log into the page; returns its length. */
static __u32 make_ana(unsigned int groups, unsigned int nsids)
{
	struct nvme_ana_log header = { .chgcnt = htole64(5), .ngrps = htole16((__u16)groups) };
	__u32 end = sizeof(header);

	memcpy(page, &header, sizeof(header));
	for (unsigned int i = 0; i < groups; i++) {
		struct nvme_ana_group_desc desc = { .grpid = htole32(i + 1),
						    .nnsids = htole32(nsids) };

		memcpy(page + end, &desc, sizeof(desc));
		end += sizeof(desc) + nsids * 4;
	}
	return end;
}

TEST(ana_failures_come_back)
{
	static _Alignas(8) unsigned char buffer[16384];
	struct nvme_ana_log *log = (void *)buffer;
	__u32 len = sizeof(buffer);

	make_ana(20, 100);
	for (fail_at = 1; fail_at <= 4; fail_at++) {
		commands_reset(answer_page);
		assert_int_equal(nvme_get_ana_log_atomic(FD, false, true, 3, log, &len), 0x2009);
		assert_int_equal(n_seen, fail_at);
	}
}

static int get_telemetry(enum nvme_telemetry_da da, struct nvme_telemetry_log **log, size_t *size)
{
	return nvme_get_telemetry_log(FD, false, true, false, 4096, da, log, size);
}

static void make_telemetry(bool available)
{
	struct nvme_telemetry_log header = {
		.dalb1 = htole16(1),
		.dalb2 = htole16(9),
		.dalb3 = htole16(10),
		.dalb4 = htole32(20),
		.ctrlavail = available,
	};

	for (size_t i = 0; i < sizeof(page); i++)
		page[i] = (unsigned char)(i >> 9);
	memcpy(page, &header, sizeof(header));
}

TEST(telemetry_refuses_nonsense)
{
	struct nvme_telemetry_log *log = NULL;
	size_t size = 7;

	make_telemetry(true);
	for (int da = 0; da <= 5; da += 5) {
		commands_reset(answer_page);
		ASSERT_FAILS(get_telemetry((enum nvme_telemetry_da)da, &log, &size), EINVAL);
		assert_int_equal(n_seen, 1);
	}
	page[8] = page[9] = 0; /* dalb1: no such area */
	ASSERT_FAILS(get_telemetry(NVME_TELEMETRY_DA_1, &log, &size), ENOENT);

	memset(page + 16, 0xff, 4); /* dalb4: 2 TiB */
	commands_reset(answer_page);
	ASSERT_FAILS(get_telemetry(NVME_TELEMETRY_DA_4, &log, &size), EOVERFLOW);
	make_telemetry(true);
	for (fail_at = 1; fail_at <= 3; fail_at++) {
		commands_reset(answer_page);
		assert_int_equal(get_telemetry(NVME_TELEMETRY_DA_2, &log, &size), 0x2009);
	}
	assert_null(log);
	assert_int_equal(size, 7);
}

TEST(lba_status_log_announces_its_length)
{
	struct nvme_lba_status_log *log = NULL;
	struct nvme_lba_status_log header = { .lslplen = htole32(5001) };

	memcpy(page, &header, sizeof(header));
	assert_int_equal(nvme_get_lba_status_log(FD, false, &log), 0);
	assert_int_equal(n_seen, 3);
	assert_int_equal(seen[0].cmd.data_len, 16);
	assert_true(retains(&seen[0]));
	assert_int_equal(seen[1].cmd.data_len, 4096);
	assert_int_equal(seen[2].cmd.data_len, 5004 - 4096);
	assert_false(retains(&seen[2]));
	assert_memory_equal(log, page, 5001);
	free(log);

	log = NULL;
	header.lslplen = htole32(15);
	memcpy(page, &header, sizeof(header));
	ASSERT_FAILS(nvme_get_lba_status_log(FD, false, &log), EPROTO);
	header.lslplen = htole32(0xffffffff);
	memcpy(page, &header, sizeof(header));
	ASSERT_FAILS(nvme_get_lba_status_log(FD, false, &log), EOVERFLOW);
	assert_null(log);
}

static int answer_growing(unsigned int n, struct seen *s, void *data)
{
	struct nvme_lba_status_log header = { .lslplen = htole32(64 + 64 * n) };

	memset(data, 0, s->cmd.data_len);
	memcpy(data, &header, sizeof(header));
	return 0;
}

TEST(lba_status_log_that_grows_is_not_half_returned)
{
	struct nvme_lba_status_log *log = NULL;

	commands_reset(answer_growing);
	ASSERT_FAILS(nvme_get_lba_status_log(FD, false, &log), EAGAIN);
	assert_null(log);
}

static __u8 etdas;

static int answer_behavior(unsigned int n, struct seen *s, void *data)
{
	struct nvme_feat_host_behavior *behavior = data;

	assert_int_equal(s->cmd.cdw10 & 0xff, 0x16);
	if (s->cmd.opcode == 10) {
		memset(behavior, 0, sizeof(*behavior));
		behavior->acre = 1;
		behavior->etdas = etdas;
	} else {
		assert_int_equal(behavior->acre, 1); /* what was not asked for stays */
		etdas = behavior->etdas;
	}
	return 0;
}

TEST(etdas_is_changed_only_if_needed)
{
	bool changed = false;

	etdas = 0;
	commands_reset(answer_behavior);
	assert_int_equal(nvme_set_etdas(FD, &changed), 0);
	assert_true(changed);
	assert_int_equal(etdas, 1);
	assert_int_equal(n_seen, 2);
	assert_int_equal(nvme_set_etdas(FD, &changed), 0);
	assert_false(changed);
	assert_int_equal(n_seen, 3);
	assert_int_equal(nvme_clear_etdas(FD, &changed), 0);
	assert_true(changed);
	assert_int_equal(etdas, 0);
	assert_int_equal(nvme_clear_etdas(FD, &changed), 0);
	assert_false(changed);
	changed = true;
	commands_reset(answer_status);
	assert_int_equal(nvme_set_etdas(FD, &changed), 0x4002);
	assert_true(changed);
}

TEST(block_size_is_that_of_the_format_in_use)
{
	int size = 0;

	ns.flbas = 0x25; /* format 21: bits 6:5 are the upper ones */
	ns.lbaf[21].ds = 12;
	ns.lbaf[5].ds = 9;
	assert_int_equal(nvme_get_logical_block_size(FD, 7, &size), 0);
	assert_int_equal(size, 4096);
	assert_int_equal(seen[0].cmd.nsid, 7);
	ns.flbas = 5;
	assert_int_equal(nvme_get_logical_block_size(FD, 7, &size), 0);
	assert_int_equal(size, 512);
	for (int ds = 0; ds < 256; ds++) {
		ns.lbaf[5].ds = (__u8)ds;
		size = 3;
		commands_reset(answer_page);
		assert_int_equal(nvme_get_logical_block_size(FD, 7, &size),
				 ds < 9 || ds > 30 ? -1 : 0);
		assert_int_equal(size, ds < 9 || ds > 30 ? 3 : 1 << ds);
	}
}

TEST(uuid_list_is_read_if_there_is_one)
{
	struct nvme_id_uuid_list list, none = { 0 };

	memset(&list, 0xff, sizeof(list));
	assert_int_equal(nvme_get_uuid_list(FD, &list), 0);
	assert_int_equal(n_seen, 1);
	assert_memory_equal(&list, &none, sizeof(list));
	ctrl.ctratt = htole32(1 << 9);
	assert_int_equal(nvme_get_uuid_list(FD, &list), 0);
	assert_int_equal(n_seen, 3);
	assert_int_equal(((unsigned char *)&list)[100], 0x5a);
}

TEST(firmware_goes_in_pieces)
{
	static unsigned char image[10000];

	assert_int_equal(nvme_fw_download_seq(FD, sizeof(image), 4096, 8192, image), 0);
	assert_int_equal(n_seen, 3);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(seen[i].cmd.opcode, 0x11);
		assert_int_equal(seen[i].cmd.cdw11, (8192 + i * 4096) / 4);
		assert_int_equal(seen[i].cmd.addr, AT(image + i * 4096));
		assert_int_equal(seen[i].cmd.data_len, i < 2 ? 4096 : 10000 - 8192);
	}
	fail_at = 2;
	commands_reset(answer_page);
	assert_int_equal(nvme_fw_download_seq(FD, sizeof(image), 4096, 0, image), 0x2009);
	assert_int_equal(n_seen, 2);
	ASSERT_REFUSED(nvme_fw_download_seq(FD, 9999, 4096, 0, image), EINVAL);
	assert_int_equal(nvme_fw_download_seq(FD, 0, 4096, 0, image), 0);
	ASSERT_REFUSED(nvme_fw_download_seq(FD, 8192, 0, 0, image), EINVAL);
	ASSERT_REFUSED(nvme_fw_download_seq(FD, 8192, 4095, 0, image), EINVAL);
	ASSERT_REFUSED(nvme_fw_download_seq(FD, 8192, 4096, 0xfffff000, image), EINVAL);
}

TEST(only_device_names_are_opened)
{
	static const char *const names[] = { "",	"nvme",	     "nvme0/../null", "/dev/null",
					     "null",	"nvmeX",     "nvme0n",	      "nvme0n1p1",
					     "nvme0c1", "nvme0c0n1", "nvme-0",	      "nvme 0",
					     "nvme+0",	"nvme0 ",    "nvme-fabrics",  "ng0n1",
					     "Nvme0" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ASSERT_REFUSED(nvme_open(names[i]), EINVAL);
	ASSERT_REFUSED(nvme_open(NULL), EINVAL);
	ASSERT_REFUSED(nvme_open("nvme4294967295"), ENOENT);
	ASSERT_REFUSED(nvme_open("nvme0000000000000000000000000000000000000000000000000000000000"),
		       EINVAL);
}

EACH_TEST(fresh, NULL)
