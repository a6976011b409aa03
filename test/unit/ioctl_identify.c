/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each function that identifies something sends its CNS with what belongs to it. */
#include "unit.h"
#include "commands.h"

/* Large and aligned enough for every data structure. */
static union {
	struct nvme_id_ctrl ctrl;
	struct nvme_id_ns ns;
	struct nvme_ns_list ns_list;
	struct nvme_ctrl_list ctrl_list;
	struct nvme_ns_id_desc descs;
	struct nvme_id_nvmset_list nvmset;
	struct nvme_primary_ctrl_cap primary;
	struct nvme_secondary_ctrl_list secondary;
	struct nvme_id_ns_granularity_list granularity;
	struct nvme_id_uuid_list uuid;
	struct nvme_id_independent_id_ns independent;
	struct nvme_id_ctrl_nvm nvm;
	struct nvme_id_domain_list domain;
	struct nvme_id_endurance_group_list endurance;
	struct nvme_id_iocs iocs;
	struct nvme_zns_id_ctrl zns_ctrl;
	struct nvme_zns_id_ns zns_ns;
	unsigned char bytes[4096];
} d;

#define IDENTIFIES(call, ...) \
	ASSERT_ADMIN(call, .opcode = 6, .addr = AT(&d), .data_len = 4096, __VA_ARGS__)

TEST(controllers)
{
	IDENTIFIES(nvme_identify_ctrl(FD, &d.ctrl), .cdw10 = 0x01);
	IDENTIFIES(nvme_identify_ctrl_csi(FD, NVME_CSI_ZNS, &d), .cdw10 = 0x06,
		   .cdw11 = 0x02000000);
	IDENTIFIES(nvme_nvm_identify_ctrl(FD, &d.nvm), .cdw10 = 0x06);
	IDENTIFIES(nvme_zns_identify_ctrl(FD, &d.zns_ctrl), .cdw10 = 0x06, .cdw11 = 0x02000000);
	IDENTIFIES(nvme_identify_ctrl_list(FD, 0x1234, &d.ctrl_list), .cdw10 = 0x12340013);
	IDENTIFIES(nvme_identify_nsid_ctrl_list(FD, 5, 0x1234, &d.ctrl_list), .nsid = 5,
		   .cdw10 = 0x12340012);
	IDENTIFIES(nvme_identify_primary_ctrl(FD, 0x1234, &d.primary), .cdw10 = 0x12340014);
	IDENTIFIES(nvme_identify_secondary_ctrl_list(FD, 0x1234, &d.secondary),
		   .cdw10 = 0x12340015);
	IDENTIFIES(nvme_identify_iocs(FD, 0xffff, &d.iocs), .cdw10 = 0xffff001c);
	IDENTIFIES(nvme_identify_uuid(FD, &d.uuid), .cdw10 = 0x17);
	IDENTIFIES(nvme_identify_domain_list(FD, 9, &d.domain), .cdw10 = 0x18, .cdw11 = 9);
	IDENTIFIES(nvme_identify_endurance_group_list(FD, 0x1ff, &d.endurance), .cdw10 = 0x19,
		   .cdw11 = 0x1ff);
	IDENTIFIES(nvme_identify_nvmset_list(FD, 3, &d.nvmset), .cdw10 = 0x04, .cdw11 = 3);
}

TEST(namespaces)
{
	IDENTIFIES(nvme_identify_ns(FD, 7, &d.ns), .nsid = 7, .cdw10 = 0x00);
	IDENTIFIES(nvme_identify_ns(FD, NVME_NSID_ALL, &d.ns), .nsid = 0xffffffff, .cdw10 = 0x00);
	IDENTIFIES(nvme_identify_allocated_ns(FD, 7, &d.ns), .nsid = 7, .cdw10 = 0x11);
	IDENTIFIES(nvme_identify_active_ns_list(FD, 7, &d.ns_list), .nsid = 7, .cdw10 = 0x02);
	IDENTIFIES(nvme_identify_allocated_ns_list(FD, 7, &d.ns_list), .nsid = 7, .cdw10 = 0x10);
	IDENTIFIES(nvme_identify_active_ns_list_csi(FD, 7, NVME_CSI_KV, &d.ns_list), .nsid = 7,
		   .cdw10 = 0x07, .cdw11 = 0x01000000);
	IDENTIFIES(nvme_identify_allocated_ns_list_csi(FD, 7, NVME_CSI_ZNS, &d.ns_list), .nsid = 7,
		   .cdw10 = 0x1a, .cdw11 = 0x02000000);
	IDENTIFIES(nvme_identify_ns_descs(FD, 7, &d.descs), .nsid = 7, .cdw10 = 0x03);
	IDENTIFIES(nvme_identify_ns_csi(FD, 7, 5, NVME_CSI_ZNS, &d), .nsid = 7, .cdw10 = 0x05,
		   .cdw11 = 0x02000000, .cdw14 = 5);
	IDENTIFIES(nvme_zns_identify_ns(FD, 7, &d.zns_ns), .nsid = 7, .cdw10 = 0x05,
		   .cdw11 = 0x02000000);
	IDENTIFIES(nvme_identify_independent_identify_ns(FD, 7, &d.independent), .nsid = 7,
		   .cdw10 = 0x08);
	IDENTIFIES(nvme_identify_ns_granularity(FD, &d.granularity), .cdw10 = 0x16);
	IDENTIFIES(nvme_identify_ns_csi_user_data_format(FD, 0x102, 5, NVME_CSI_NVM, &d),
		   .cdw10 = 0x09, .cdw11 = 0x102, .cdw14 = 5);
	IDENTIFIES(nvme_identify_iocs_ns_csi_user_data_format(FD, 0x102, 5, NVME_CSI_ZNS, &d),
		   .cdw10 = 0x0a, .cdw11 = 0x02000102, .cdw14 = 5);
	IDENTIFIES(nvme_identify_cns_nsid(FD, NVME_IDENTIFY_CNS_PORTS_LIST, 1, &d), .nsid = 1,
		   .cdw10 = 0x1e);
}

static int answer_result(unsigned int n, struct seen *s, void *data)
{
	s->cmd.result = 42;
	return 0;
}

TEST(the_structure_may_be_larger_but_not_smaller)
{
	struct {
		struct nvme_identify_args args;
		char more[64];
	} future = {
		.args = {
			.args_size = sizeof(future),
			.fd = FD,
			.data = &d,
			.timeout = 1000,
			.cns = NVME_IDENTIFY_CNS_CTRL,
			.uuidx = 0xff, /* the field has 7 bits */
		},
	};
	__u32 result = 0;

	IDENTIFIES(nvme_identify(&future.args), .cdw10 = 1, .cdw14 = 0x7f, .timeout_ms = 1000);
	future.args.result = &result;
	commands_reset(answer_result);
	assert_int_equal(nvme_identify(&future.args), 0);
	assert_int_equal(result, 42);

	future.args.args_size = sizeof(future.args) - 1;
	ASSERT_REFUSED(nvme_identify(&future.args), EINVAL);
	future.args.args_size = 0;
	ASSERT_REFUSED(nvme_identify(&future.args), EINVAL);
	future.args.args_size = -1;
	ASSERT_REFUSED(nvme_identify(&future.args), EINVAL);
}

TEST(failures_come_back)
{
	commands_reset(answer_status);
	assert_int_equal(nvme_identify_ctrl(FD, &d.ctrl), 0x4002);
	commands_reset(answer_errno);
	assert_int_equal(nvme_identify_ctrl(FD, &d.ctrl), -1);
	assert_int_equal(errno, ENODEV);
}
