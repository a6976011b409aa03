/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Log pages: what each asks for, and how long ones are read in pieces. */
#include "unit.h"
#include "commands.h"

#define ALL 0xffffffff

static union {
	struct nvme_supported_log_pages supported;
	struct nvme_error_log_page error[4];
	struct nvme_smart_log smart;
	struct nvme_firmware_slot fw;
	struct nvme_ns_list ns_list;
	struct nvme_cmd_effects_log effects;
	struct nvme_self_test_log self_test;
	struct nvme_telemetry_log telemetry;
	struct nvme_endurance_group_log endurance;
	struct nvme_nvmset_predictable_lat_log lat;
	struct nvme_ana_log ana;
	struct nvme_media_unit_stat_log mus;
	struct nvme_supported_cap_config_list_log cap;
	struct nvme_fid_supported_effects_log fid;
	struct nvme_mi_cmd_supported_effects_log mi;
	struct nvme_lockdown_log lockdown;
	struct nvme_boot_partition boot;
	struct nvme_rotational_media_info_log rotational;
	struct nvme_dispersed_ns_participating_nss_log dispersed;
	struct nvme_mgmt_addr_list_log addr;
	struct nvme_phy_rx_eom_log eom;
	struct nvme_reachability_groups_log groups;
	struct nvme_reachability_associations_log associations;
	struct nvme_host_discover_log host;
	struct nvme_ave_discover_log ave;
	struct nvme_pull_model_ddc_req_log pull;
	struct nvme_resv_notification_log resv;
	struct nvme_sanitize_log_page sanitize;
	struct nvme_zns_changed_zone_log zones;
	unsigned char bytes[16384];
} d;

/* Dword 10: number of dwords less one, RAE, LSP, page. */
#define DW10(len, rae, lsp, lid) \
	((((__u32)(len) / 4 - 1) & 0xffff) << 16 | (__u32)(rae) << 15 | (__u32)(lsp) << 8 | (lid))
#define READS(call, lid, len, rae, lsp, ...) \
	ASSERT_ADMIN(call, .opcode = 2, .addr = AT(&d), .data_len = (len), \
		     .cdw10 = DW10(len, rae, lsp, lid), __VA_ARGS__)

TEST(pages_of_the_controller)
{
	READS(nvme_get_log_supported_log_pages(FD, true, &d.supported), 0x00, 1024, 1, 0,
	      .nsid = ALL);
	READS(nvme_get_log_error(FD, 4, false, d.error), 0x01, 256, 0, 0, .nsid = ALL);
	READS(nvme_get_log_smart(FD, 7, true, &d.smart), 0x02, 512, 1, 0, .nsid = 7);
	READS(nvme_get_log_fw_slot(FD, false, &d.fw), 0x03, 512, 0, 0, .nsid = ALL);
	READS(nvme_get_log_changed_ns_list(FD, true, &d.ns_list), 0x04, 4096, 1, 0, .nsid = ALL);
	READS(nvme_get_log_cmd_effects(FD, NVME_CSI_ZNS, &d.effects), 0x05, 4096, 0, 0, .nsid = ALL,
	      .cdw14 = 0x02000000);
	READS(nvme_get_log_device_self_test(FD, &d.self_test), 0x06, 564, 0, 0, .nsid = ALL);
	READS(nvme_get_log_fid_supported_effects(FD, true, &d.fid), 0x12, 1024, 1, 0);
	READS(nvme_get_log_mi_cmd_supported_effects(FD, true, &d.mi), 0x13, 4096, 1, 0);
	READS(nvme_get_log_lockdown(FD, 0x23, &d.lockdown), 0x14, sizeof(d.lockdown), 0, 0x23,
	      .nsid = ALL);
	READS(nvme_get_log_boot_partition(FD, true, 1, 16, &d.boot), 0x15, 16, 1, 1);
	READS(nvme_get_log_mgmt_addr_list(FD, 4096, &d.addr), 0x18, 4096, 0, 0, .nsid = ALL);
	READS(nvme_get_log_phy_rx_eom(FD, 0x21, 3, 64, &d.eom), 0x19, 64, 0, 0x21,
	      .cdw11 = 3 << 16);
	READS(nvme_get_log_changed_alloc_ns_list(FD, true, 2048, &d.ns_list), 0x1c, 2048, 1, 0,
	      .nsid = ALL);
	READS(nvme_get_log_reservation(FD, true, &d.resv), 0x80, 64, 1, 0, .nsid = ALL);
	READS(nvme_get_log_sanitize(FD, true, &d.sanitize), 0x81, 512, 1, 0, .nsid = ALL);
	READS(nvme_get_log_persistent_event(FD, NVME_PEVENT_LOG_RELEASE_CTX, 512, &d), 0x0d, 512, 0,
	      2, .nsid = ALL);
	READS(nvme_get_log_simple(FD, NVME_LOG_LID_FW_SLOT, 512, &d), 0x03, 512, 0, 0, .nsid = ALL);
}

TEST(pages_of_groups)
{
	READS(nvme_get_log_endurance_group(FD, 9, &d.endurance), 0x09, 512, 0, 0, .cdw11 = 9 << 16);
	READS(nvme_get_log_rotational_media_info(FD, 9, 512, &d.rotational), 0x16, 512, 0, 0,
	      .cdw11 = 9 << 16);
	READS(nvme_get_endgid_log(FD, true, NVME_LOG_LID_ENDURANCE_GROUP, 9, 16, &d), 0x09, 16, 1,
	      0, .cdw11 = 9 << 16);
	READS(nvme_get_log_predictable_lat_nvmset(FD, 9, &d.lat), 0x0a, 512, 0, 0,
	      .cdw11 = 9 << 16);
	READS(nvme_get_log_media_unit_stat(FD, 9, &d.mus), 0x10, sizeof(d.mus), 0, 0,
	      .cdw11 = 9 << 16);
	READS(nvme_get_log_support_cap_config_list(FD, 9, &d.cap), 0x11, sizeof(d.cap), 0, 0,
	      .cdw11 = 9 << 16);
	READS(nvme_get_log_fdp_configurations(FD, 9, 4, 64, &d), 0x20, 64, 0, 0, .cdw11 = 9 << 16,
	      .cdw12 = 4);
	READS(nvme_get_log_reclaim_unit_handle_usage(FD, 9, 4, 64, &d), 0x21, 64, 0, 0,
	      .cdw11 = 9 << 16, .cdw12 = 4);
	READS(nvme_get_log_fdp_stats(FD, 9, 4, 64, &d), 0x22, 64, 0, 0, .cdw11 = 9 << 16,
	      .cdw12 = 4);
	READS(nvme_get_log_fdp_events(FD, 9, true, 4, 64, &d), 0x23, 64, 0, 1, .cdw11 = 9 << 16,
	      .cdw12 = 4);
	READS(nvme_get_log_dispersed_ns_participating_nss(FD, 7, 4096, &d.dispersed), 0x17, 4096, 0,
	      0, .nsid = 7);
	READS(nvme_get_log_zns_changed_zones(FD, 7, true, &d.zones), 0xbf, 4096, 1, 0, .nsid = 7,
	      .cdw14 = 0x02000000);
}

TEST(pages_that_add_up)
{
	READS(nvme_get_log_create_telemetry_host(FD, &d.telemetry), 0x07, 512, 0, 1);
	READS(nvme_get_log_create_telemetry_host_mcda(FD, NVME_TELEMETRY_DA_3, &d.telemetry), 0x07,
	      512, 0, 7);
	READS(nvme_get_log_telemetry_host(FD, 0x100000200, 1024, &d), 0x07, 1024, 0, 0,
	      .cdw12 = 0x200, .cdw13 = 1);
	READS(nvme_get_log_telemetry_ctrl(FD, true, 0x200, 1024, &d), 0x08, 1024, 1, 0,
	      .cdw12 = 0x200);
	READS(nvme_get_log_predictable_lat_event(FD, true, 8, 64, &d), 0x0b, 64, 1, 0, .cdw12 = 8);
	READS(nvme_get_log_lba_status(FD, true, 8, 64, &d), 0x0e, 64, 1, 0, .cdw12 = 8);
	READS(nvme_get_log_endurance_grp_evt(FD, true, 8, 64, &d), 0x0f, 64, 1, 0, .cdw12 = 8);
}

TEST(pages_of_the_fabric)
{
	READS(nvme_get_log_ana(FD, NVME_LOG_ANA_LSP_RGO_NAMESPACES, true, 16, 32, &d), 0x0c, 32, 1,
	      0, .cdw12 = 16);
	READS(nvme_get_log_ana_groups(FD, false, 64, &d.ana), 0x0c, 64, 0, 1);
	READS(nvme_get_log_reachability_groups(FD, true, true, 64, &d.groups), 0x1a, 64, 1, 1,
	      .nsid = ALL);
	READS(nvme_get_log_reachability_associations(FD, true, false, 64, &d.associations), 0x1b,
	      64, 0, 1, .nsid = ALL);
	READS(nvme_get_log_discovery(FD, true, 1024, 1024, &d), 0x70, 1024, 1, 0, .cdw12 = 1024);
	READS(nvme_get_log_host_discover(FD, true, true, 64, &d.host), 0x71, 64, 1, 1, .nsid = ALL);
	READS(nvme_get_log_ave_discover(FD, true, 64, &d.ave), 0x72, 64, 1, 0, .nsid = ALL);
	READS(nvme_get_log_pull_model_ddc_req(FD, true, 64, &d.pull), 0x73, 64, 1, 0, .nsid = ALL);
}

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

TEST(every_field_has_its_place)
{
	/* Only the address goes to the funnel, which here reads no more than a few bytes. */
	struct nvme_get_log_args args = {
		.args_size = sizeof(args) + 8,
		.fd = FD,
		.log = &d,
		.len = 0x100004, /* 40001h dwords, so that both halves of the number matter */
		.lid = 0xa5,
		.lpo = 0x1122334455667788,
		.nsid = 3,
		.csi = NVME_CSI_KV,
		.lsi = 0x1234,
		.lsp = 0xff, /* the field has 7 bits */
		.uuidx = 0xff,
		.rae = true,
		.ot = true,
		.timeout = 12,
	};

	ASSERT_ADMIN(nvme_get_log(&args), .opcode = 2, .nsid = 3, .addr = AT(&d),
		     .data_len = 0x100004, .cdw10 = 0x0000ffa5, .cdw11 = 0x12340004,
		     .cdw12 = 0x55667788, .cdw13 = 0x11223344, .cdw14 = 0x0180007f,
		     .timeout_ms = 12);
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

TEST(long_pages_come_in_pieces)
{
	static const __u32 three[] = { 4096, 4096, 2048 };
	static const __u32 exact[] = { 4096, 4096 };
	static const __u32 large[] = { 8192, 2048 };
	static const __u32 small[] = { 20 };
	struct nvme_get_log_args args = any(10240);

	args.fd = -1; /* the descriptor is the parameter's */
	for (int rae = 0; rae < 2; rae++) {
		args.rae = rae;
		args.len = 10240;
		args.lpo = 0xfffff000;
		commands_reset(NULL);
		assert_int_equal(nvme_get_log_page(FD, 4096, &args), 0);
		assert_pieces(three, 3, 0xfffff000, rae);

		args.lpo = 0;
		commands_reset(NULL);
		assert_int_equal(nvme_get_log_page(FD, 8192, &args), 0);
		assert_pieces(large, 2, 0, rae);

		args.len = 8192;
		commands_reset(NULL);
		assert_int_equal(nvme_get_log_page(FD, 4096, &args), 0);
		assert_pieces(exact, 2, 0, rae);

		args.len = 20;
		commands_reset(NULL);
		assert_int_equal(nvme_get_log_page(FD, 4096, &args), 0);
		assert_pieces(small, 1, 0, rae);
	}
	assert_ptr_equal(args.log, &d);
	assert_int_equal(args.fd, -1);
	assert_int_equal(args.len, 20);
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

TEST(an_index_is_not_advanced)
{
	struct nvme_get_log_args args = any(10240);

	args.ot = true;
	args.lpo = 3;
	commands_reset(NULL);
	assert_int_equal(nvme_get_log_page(FD, 4096, &args), 0);
	assert_int_equal(n_seen, 1);
	assert_int_equal(seen[0].cmd.data_len, 10240);
	assert_int_equal(seen[0].cmd.cdw12, 3);
}

static int answer_second_fails(unsigned int n, struct seen *s, void *data)
{
	return n == 1 ? 0x2002 : 0;
}

TEST(a_failure_ends_the_reading)
{
	struct nvme_get_log_args args = any(10240);

	commands_reset(answer_second_fails);
	assert_int_equal(nvme_get_log_page(FD, 4096, &args), 0x2002);
	assert_int_equal(n_seen, 2);
	commands_reset(answer_errno);
	assert_int_equal(nvme_get_log_page(FD, 4096, &args), -1);
	assert_int_equal(errno, ENODEV);
	assert_int_equal(n_seen, 1);
}
