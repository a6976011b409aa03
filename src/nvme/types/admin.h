/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values in Admin commands: format, namespace management, firmware, sanitize, self-test.
 */
#ifndef _LIBNVME_TYPES_ADMIN_H
#define _LIBNVME_TYPES_ADMIN_H

#include "base.h"

enum nvme_cmd_format_mset {
	NVME_FORMAT_MSET_SEPARATE = 0,
	NVME_FORMAT_MSET_EXTENDED = 1,
};

enum nvme_cmd_format_pi {
	NVME_FORMAT_PI_DISABLE = 0,
	NVME_FORMAT_PI_TYPE1 = 1,
	NVME_FORMAT_PI_TYPE2 = 2,
	NVME_FORMAT_PI_TYPE3 = 3,
};

enum nvme_cmd_format_pil {
	NVME_FORMAT_PIL_LAST = 0,
	NVME_FORMAT_PIL_FIRST = 1,
};

enum nvme_cmd_format_ses {
	NVME_FORMAT_SES_NONE = 0,
	NVME_FORMAT_SES_USER_DATA_ERASE = 1,
	NVME_FORMAT_SES_CRYPTO_ERASE = 2,
};

enum nvme_ns_mgmt_sel {
	NVME_NS_MGMT_SEL_CREATE = 0,
	NVME_NS_MGMT_SEL_DELETE = 1,
};

struct nvme_ns_mgmt_host_sw_specified {
	__le64 nsze;
	__le64 ncap;
	__u8 rsvd16[10];
	__u8 flbas;
	__u8 rsvd27[2];
	__u8 dps;
	__u8 nmic;
	__u8 rsvd31[61];
	__le32 anagrpid;
	__u8 rsvd96[4];
	__le16 nvmsetid;
	__le16 endgid;
	__u8 rsvd104[280];
	__le64 lbstm;
	__le16 nphndls;
	__u8 rsvd394[105];
	union {
		__u8 rsvd499[13];
		struct {
			__u8 znsco;
			__le32 rar;
			__le32 ror;
			__le32 rnumzrwa;
		} __attribute__((packed)) zns;
	};
	__le16 phndl[128];
	__u8 rsvd768[3328];
};

enum nvme_ns_attach_sel {
	NVME_NS_ATTACH_SEL_CTRL_ATTACH = 0,
	NVME_NS_ATTACH_SEL_CTRL_DEATTACH = 1,
};

enum nvme_fw_commit_ca {
	NVME_FW_COMMIT_CA_REPLACE = 0,
	NVME_FW_COMMIT_CA_REPLACE_AND_ACTIVATE = 1,
	NVME_FW_COMMIT_CA_SET_ACTIVE = 2,
	NVME_FW_COMMIT_CA_REPLACE_AND_ACTIVATE_IMMEDIATE = 3,
	NVME_FW_COMMIT_CA_REPLACE_BOOT_PARTITION = 6,
	NVME_FW_COMMIT_CA_ACTIVATE_BOOT_PARTITION = 7,
};

enum nvme_sanitize_sanact {
	NVME_SANITIZE_SANACT_EXIT_FAILURE = 1,
	NVME_SANITIZE_SANACT_START_BLOCK_ERASE = 2,
	NVME_SANITIZE_SANACT_START_OVERWRITE = 3,
	NVME_SANITIZE_SANACT_START_CRYPTO_ERASE = 4,
	NVME_SANITIZE_SANACT_EXIT_MEDIA_VERIF = 5,
};

enum nvme_dst_stc {
	NVME_DST_STC_SHORT = 0x01,
	NVME_DST_STC_LONG = 0x02,
	NVME_DST_STC_HOST_INIT = 0x03,
	NVME_DST_STC_VS = 0x0e,
	NVME_DST_STC_ABORT = 0x0f,
};

enum nvme_virt_mgmt_act {
	NVME_VIRT_MGMT_ACT_PRIM_CTRL_FLEX_ALLOC = 1,
	NVME_VIRT_MGMT_ACT_OFFLINE_SEC_CTRL = 7,
	NVME_VIRT_MGMT_ACT_ASSIGN_SEC_CTRL = 8,
	NVME_VIRT_MGMT_ACT_ONLINE_SEC_CTRL = 9,
};

enum nvme_virt_mgmt_rt {
	NVME_VIRT_MGMT_RT_VQ_RESOURCE = 0,
	NVME_VIRT_MGMT_RT_VI_RESOURCE = 1,
};

enum nvme_lba_status_atype {
	NVME_LBA_STATUS_ATYPE_ALLOCATED = 0x02,
	NVME_LBA_STATUS_ATYPE_SCAN_UNTRACKED = 0x10,
	NVME_LBA_STATUS_ATYPE_TRACKED = 0x11,
};

enum nvme_lba_status_cmpc {
	NVME_LBA_STATUS_CMPC_NO_CMPC = 0,
	NVME_LBA_STATUS_CMPC_INCOMPLETE = 1,
	NVME_LBA_STATUS_CMPC_COMPLETE = 2,
};

struct nvme_lba_status_desc {
	__le64 dslba;
	__le32 nlb;
	__u8 rsvd12;
	__u8 status;
	__u8 rsvd14[2];
};

struct nvme_lba_status {
	__le32 nlsd;
	__u8 cmpc;
	__u8 rsvd5[3];
	struct nvme_lba_status_desc descs[];
};

#endif /* _LIBNVME_TYPES_ADMIN_H */
