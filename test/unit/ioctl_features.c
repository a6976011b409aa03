/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each function for a feature sends its identifier and dwords as the specifications say. */
#include "unit.h"
#include "commands.h"

#define SEL NVME_GET_FEATURES_SEL_SAVED

static struct nvme_feat_auto_pst apst;
static struct nvme_lba_range_type ranges;
static struct nvme_host_mem_buf_attrs hmb;
static struct nvme_timestamp ts;
static struct nvme_plm_config plm;
static struct nvme_feat_host_behavior behavior;
static struct nvme_lm_ctrl_data_queue_fid_data cdq;
static __u8 hostid[16];
static __u32 result;

/* SEL is 2, so that it is seen in bits 10:08. */
#define GETS(call, fid, ...) ASSERT_ADMIN(call, .opcode = 10, .cdw10 = 0x200 | (fid), __VA_ARGS__)
#define SETS(call, fid, ...) \
	ASSERT_ADMIN(call, .opcode = 9, .cdw10 = 0x80000000 | (fid), __VA_ARGS__)

TEST(reading)
{
	GETS(nvme_get_features_arbitration(FD, SEL, &result), 0x01);
	GETS(nvme_get_features_power_mgmt(FD, SEL, &result), 0x02);
	GETS(nvme_get_features_lba_range2(FD, SEL, 7, &ranges, &result), 0x03, .nsid = 7,
	     .addr = AT(&ranges), .data_len = 4096);
	GETS(nvme_get_features_lba_range(FD, SEL, &ranges, &result), 0x03, .addr = AT(&ranges),
	     .data_len = 4096);
	GETS(nvme_get_features_temp_thresh(FD, SEL, &result), 0x04);
	GETS(nvme_get_features_temp_thresh2(FD, SEL, 5, NVME_FEATURE_TEMPTHRESH_THSEL_UNDER,
					    &result),
	     0x04, .cdw11 = 0x150000);
	GETS(nvme_get_features_err_recovery(FD, SEL, &result), 0x05);
	GETS(nvme_get_features_err_recovery2(FD, SEL, 7, &result), 0x05, .nsid = 7);
	GETS(nvme_get_features_volatile_wc(FD, SEL, &result), 0x06);
	GETS(nvme_get_features_num_queues(FD, SEL, &result), 0x07);
	GETS(nvme_get_features_irq_coalesce(FD, SEL, &result), 0x08);
	GETS(nvme_get_features_irq_config(FD, SEL, 0x1234, &result), 0x09, .cdw11 = 0x1234);
	GETS(nvme_get_features_write_atomic(FD, SEL, &result), 0x0a);
	GETS(nvme_get_features_async_event(FD, SEL, &result), 0x0b);
	GETS(nvme_get_features_auto_pst(FD, SEL, &apst, &result), 0x0c, .addr = AT(&apst),
	     .data_len = 256);
	GETS(nvme_get_features_host_mem_buf2(FD, SEL, &hmb, &result), 0x0d, .addr = AT(&hmb),
	     .data_len = 4096);
	GETS(nvme_get_features_timestamp(FD, SEL, &ts), 0x0e, .addr = AT(&ts), .data_len = 8);
	GETS(nvme_get_features_kato(FD, SEL, &result), 0x0f);
	GETS(nvme_get_features_hctm(FD, SEL, &result), 0x10);
	GETS(nvme_get_features_nopsc(FD, SEL, &result), 0x11);
	GETS(nvme_get_features_rrl(FD, SEL, &result), 0x12);
	GETS(nvme_get_features_plm_config(FD, SEL, 3, &plm, &result), 0x13, .cdw11 = 3,
	     .addr = AT(&plm), .data_len = 512);
	GETS(nvme_get_features_plm_window(FD, SEL, 3, &result), 0x14, .cdw11 = 3);
	GETS(nvme_get_features_lba_sts_interval(FD, SEL, &result), 0x15);
	GETS(nvme_get_features_host_behavior(FD, SEL, &behavior, &result), 0x16,
	     .addr = AT(&behavior), .data_len = 512);
	GETS(nvme_get_features_sanitize(FD, SEL, &result), 0x17);
	GETS(nvme_get_features_endurance_event_cfg(FD, SEL, 9, &result), 0x18, .cdw11 = 9);
	GETS(nvme_get_features_iocs_profile(FD, SEL, &result), 0x19);
	GETS(nvme_get_features_sw_progress(FD, SEL, &result), 0x80);
	GETS(nvme_get_features_resv_mask(FD, SEL, &result), 0x82);
	GETS(nvme_get_features_resv_mask2(FD, SEL, 7, &result), 0x82, .nsid = 7);
	GETS(nvme_get_features_resv_persist(FD, SEL, &result), 0x83);
	GETS(nvme_get_features_resv_persist2(FD, SEL, 7, &result), 0x83, .nsid = 7);
	GETS(nvme_get_features_write_protect(FD, 7, SEL, &result), 0x84, .nsid = 7);
	ASSERT_ADMIN(nvme_lm_get_features_ctrl_data_queue(FD, 4, &cdq, &result), .opcode = 10,
		     .cdw10 = 0x21, .cdw11 = 4, .addr = AT(&cdq), .data_len = 8);
}

TEST(host_memory_buffer_without_attributes_still_has_a_buffer)
{
	commands_reset(NULL);
	assert_int_equal(nvme_get_features_host_mem_buf(FD, SEL, &result), 0);
	assert_int_equal(n_seen, 1);
	assert_int_equal(seen[0].cmd.cdw10, 0x20d);
	assert_int_equal(seen[0].cmd.data_len, 4096);
	assert_true(seen[0].cmd.addr);
}

TEST(host_identifier_has_the_length_that_is_asked_for)
{
	GETS(nvme_get_features_host_id(FD, SEL, true, 16, hostid), 0x81, .cdw11 = 1,
	     .addr = AT(hostid), .data_len = 16);
	GETS(nvme_get_features_host_id(FD, SEL, false, 8, hostid), 0x81, .addr = AT(hostid),
	     .data_len = 8);
	GETS(nvme_get_features_host_id(FD, SEL, true, 4, hostid), 0x81, .cdw11 = 1,
	     .addr = AT(hostid), .data_len = 4);
}

TEST(setting)
{
	SETS(nvme_set_features_arbitration(FD, 7, 0x12, 0x34, 0x56, true, &result), 0x01,
	     .cdw11 = 0x56341207);
	SETS(nvme_set_features_power_mgmt(FD, 3, 2, true, &result), 0x02, .cdw11 = 0x43);
	SETS(nvme_set_features_lba_range(FD, 7, 64, true, &ranges, &result), 0x03, .nsid = 7,
	     .cdw11 = 63, .addr = AT(&ranges), .data_len = 4096);
	SETS(nvme_set_features_temp_thresh(FD, 0x157, 5, NVME_FEATURE_TEMPTHRESH_THSEL_UNDER, true,
					   &result),
	     0x04, .cdw11 = 0x150157);
	SETS(nvme_set_features_temp_thresh2(FD, 0x157, 5, NVME_FEATURE_TEMPTHRESH_THSEL_UNDER, 7,
					    true, &result),
	     0x04, .cdw11 = 0x1d50157);
	SETS(nvme_set_features_err_recovery(FD, 7, 0x1234, true, true, &result), 0x05, .nsid = 7,
	     .cdw11 = 0x11234);
	SETS(nvme_set_features_volatile_wc(FD, true, true, &result), 0x06, .cdw11 = 1);
	SETS(nvme_set_features_irq_coalesce(FD, 0x12, 0x34, true, &result), 0x08, .cdw11 = 0x3412);
	SETS(nvme_set_features_irq_config(FD, 0x1234, true, true, &result), 0x09, .cdw11 = 0x11234);
	SETS(nvme_set_features_write_atomic(FD, true, true, &result), 0x0a, .cdw11 = 1);
	SETS(nvme_set_features_async_event(FD, 0x80000301, true, &result), 0x0b,
	     .cdw11 = 0x80000301);
	SETS(nvme_set_features_auto_pst(FD, true, true, &apst, &result), 0x0c, .cdw11 = 1,
	     .addr = AT(&apst), .data_len = 256);
	SETS(nvme_set_features_hctm(FD, 0x1234, 0x5678, true, &result), 0x10, .cdw11 = 0x56781234);
	SETS(nvme_set_features_nopsc(FD, true, true, &result), 0x11, .cdw11 = 1);
	SETS(nvme_set_features_rrl(FD, 0x12, 3, true, &result), 0x12, .cdw11 = 3, .cdw12 = 0x12);
	SETS(nvme_set_features_plm_config(FD, true, 3, true, &plm, &result), 0x13, .cdw11 = 3,
	     .cdw12 = 1, .addr = AT(&plm), .data_len = 512);
	SETS(nvme_set_features_plm_window(FD, NVME_FEATURE_PLM_NDWIN, 3, true, &result), 0x14,
	     .cdw11 = 3, .cdw12 = 2);
	SETS(nvme_set_features_lba_sts_interval(FD, 0x1234, 0x5678, true, &result), 0x15,
	     .cdw11 = 0x56781234);
	SETS(nvme_set_features_sanitize(FD, true, true, &result), 0x17, .cdw11 = 1);
	SETS(nvme_set_features_endurance_evt_cfg(FD, 0x1234, 0x56, true, &result), 0x18,
	     .cdw11 = 0x561234);
	SETS(nvme_set_features_iocs_profile(FD, 0x3ff, true), 0x19, .cdw11 = 0x1ff);
	SETS(nvme_set_features_sw_progress(FD, 0x12, true, &result), 0x80, .cdw11 = 0x12);
	SETS(nvme_set_features_host_id(FD, true, true, hostid), 0x81, .cdw11 = 1,
	     .addr = AT(hostid), .data_len = 16);
	SETS(nvme_set_features_host_id(FD, false, true, hostid), 0x81, .addr = AT(hostid),
	     .data_len = 8);
	SETS(nvme_set_features_resv_mask(FD, 0xe, true, &result), 0x82, .cdw11 = 0xe);
	SETS(nvme_set_features_resv_mask2(FD, 7, 0xe, true, &result), 0x82, .nsid = 7,
	     .cdw11 = 0xe);
	SETS(nvme_set_features_resv_persist(FD, true, true, &result), 0x83, .cdw11 = 1);
	SETS(nvme_set_features_resv_persist2(FD, 7, true, true, &result), 0x83, .nsid = 7,
	     .cdw11 = 1);
	ASSERT_ADMIN(nvme_lm_set_features_ctrl_data_queue(FD, 4, 5, 6, true, &result), .opcode = 9,
		     .cdw10 = 0x21, .cdw11 = 0x80000004, .cdw12 = 5, .cdw13 = 6);
}

/* The save bit is ignored here, as in 1.x: a device that cannot save would refuse the command. */
TEST(two_features_are_never_saved)
{
	ASSERT_ADMIN(nvme_set_features_host_behavior(FD, true, &behavior), .opcode = 9,
		     .cdw10 = 0x16, .addr = AT(&behavior), .data_len = 512);
	ASSERT_ADMIN(nvme_set_features_write_protect(FD, NVME_FEAT_NS_WRITE_PROTECT_PERMANENT, true,
						     &result),
		     .opcode = 9, .cdw10 = 0x84, .cdw11 = 3);
	ASSERT_ADMIN(nvme_set_features_write_protect2(FD, 7, NVME_FEAT_NS_WRITE_PROTECT_PERMANENT,
						      true, &result),
		     .opcode = 9, .nsid = 7, .cdw10 = 0x84, .cdw11 = 3);
}

TEST(a_timestamp_has_48_bits_little_endian)
{
	static const unsigned char want[8] = { 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0, 0 };

	commands_reset(NULL);
	assert_int_equal(nvme_set_features_timestamp(FD, true, 0x112233445566), 0);
	assert_int_equal(n_seen, 1);
	assert_int_equal(seen[0].cmd.opcode, 9);
	assert_int_equal(seen[0].cmd.cdw10, 0x8000000e);
	assert_int_equal(seen[0].cmd.data_len, 8);
	assert_memory_equal(seen[0].sent, want, 8);
}

TEST(the_number_of_ranges_is_checked)
{
	ASSERT_REFUSED(nvme_set_features_lba_range(FD, 7, 0, true, &ranges, &result), EINVAL);
}

TEST(any_feature)
{
	char data[32];
	struct nvme_get_features_args get =
		ARGS(get, .timeout = 9, .nsid = 7, .sel = NVME_GET_FEATURES_SEL_SUPPORTED,
		     .cdw11 = 11, .data = data, .data_len = sizeof(data), .fid = 0xc0,
		     .uuidx = 0xff);
	struct nvme_set_features_args set =
		ARGS(set, .timeout = 9, .nsid = 7, .cdw11 = 11, .cdw12 = 12, .cdw13 = 13,
		     .cdw15 = 15, .data = data, .data_len = sizeof(data), .fid = 0xc0,
		     .uuidx = 0xff);

	memset(data, 0, sizeof(data));
	ASSERT_ADMIN(nvme_get_features(&get), .opcode = 10, .nsid = 7, .cdw10 = 0x3c0, .cdw11 = 11,
		     .cdw14 = 0x7f, .addr = AT(data), .data_len = 32, .timeout_ms = 9);
	ASSERT_ADMIN(nvme_set_features(&set), .opcode = 9, .nsid = 7, .cdw10 = 0xc0, .cdw11 = 11,
		     .cdw12 = 12, .cdw13 = 13, .cdw14 = 0x7f, .cdw15 = 15, .addr = AT(data),
		     .data_len = 32, .timeout_ms = 9);
	get.args_size--;
	ASSERT_REFUSED(nvme_get_features(&get), EINVAL);
	set.args_size--;
	ASSERT_REFUSED(nvme_set_features(&set), EINVAL);

	ASSERT_ADMIN(nvme_get_features_simple(FD, NVME_FEAT_FID_KATO, 7, &result), .opcode = 10,
		     .nsid = 7, .cdw10 = 0x0f);
	ASSERT_ADMIN(nvme_get_features_data(FD, NVME_FEAT_FID_KATO, 7, 32, data, &result),
		     .opcode = 10, .nsid = 7, .cdw10 = 0x0f, .addr = AT(data), .data_len = 32);
	ASSERT_ADMIN(nvme_set_features_simple(FD, 0x0f, 7, 99, true, &result), .opcode = 9,
		     .nsid = 7, .cdw10 = 0x8000000f, .cdw11 = 99);
	ASSERT_ADMIN(nvme_set_features_data(FD, 0x0f, 7, 99, false, 32, data, &result), .opcode = 9,
		     .nsid = 7, .cdw10 = 0x0f, .cdw11 = 99, .addr = AT(data), .data_len = 32);
}

static int answer_value(unsigned int n, struct seen *s, void *data)
{
	s->cmd.result = 0x01020304;
	return 0;
}

TEST(results_and_failures_come_back)
{
	__u32 value = 5;

	commands_reset(answer_value);
	assert_int_equal(nvme_get_features_num_queues(FD, SEL, &value), 0);
	assert_int_equal(value, 0x01020304);
	assert_int_equal(nvme_get_features_num_queues(FD, SEL, NULL), 0);
	commands_reset(answer_status);
	assert_int_equal(nvme_set_features_volatile_wc(FD, true, false, &value), 0x4002);
	commands_reset(answer_errno);
	value = 5;
	assert_int_equal(nvme_get_features_num_queues(FD, SEL, &value), -1);
	assert_int_equal(value, 5);
}
