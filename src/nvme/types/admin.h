/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values in Admin commands: format, namespace management, firmware, sanitize, self-test.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_ADMIN_H
#define _LIBNVME_TYPES_ADMIN_H

#include "base.h"

/** enum nvme_cmd_format_mset - where metadata goes; NVM Command Set "Format NVM command" */
enum nvme_cmd_format_mset {
	NVME_FORMAT_MSET_SEPARATE = 0,	/* in a separate buffer */
	NVME_FORMAT_MSET_EXTENDED = 1,	/* at the end of the data */
};

/** enum nvme_cmd_format_pi - protection information; NVM Command Set "Format NVM command" */
enum nvme_cmd_format_pi {
	NVME_FORMAT_PI_DISABLE = 0,	/* none */
	NVME_FORMAT_PI_TYPE1 = 1,	/* type 1 */
	NVME_FORMAT_PI_TYPE2 = 2,	/* type 2 */
	NVME_FORMAT_PI_TYPE3 = 3,	/* type 3 */
};

/**
 * enum nvme_cmd_format_pil - where protection information goes; NVM Command Set "Format NVM
 * command"
 */
enum nvme_cmd_format_pil {
	NVME_FORMAT_PIL_LAST = 0,	/* last bytes of the metadata */
	NVME_FORMAT_PIL_FIRST = 1,	/* first bytes of the metadata */
};

/** enum nvme_cmd_format_ses - secure erase; "Format NVM command" */
enum nvme_cmd_format_ses {
	NVME_FORMAT_SES_NONE = 0,		/* none */
	NVME_FORMAT_SES_USER_DATA_ERASE = 1,	/* erase user data */
	NVME_FORMAT_SES_CRYPTO_ERASE = 2,	/* cryptographic erase */
};

/** enum nvme_ns_mgmt_sel - actions of Namespace Management; "Namespace Management command" */
enum nvme_ns_mgmt_sel {
	NVME_NS_MGMT_SEL_CREATE = 0,	/* create */
	NVME_NS_MGMT_SEL_DELETE = 1,	/* delete */
};

/**
 * struct nvme_ns_mgmt_host_sw_specified - fields that the host sets to create a namespace;
 * "Namespace Management command"
 *
 * The fields are laid out as in Identify Namespace. Which of the fields after byte 498 apply
 * depends on the command set.
 */
struct nvme_ns_mgmt_host_sw_specified {
	__le64 nsze;				/* size in logical blocks */
	__le64 ncap;				/* capacity in logical blocks */
	__u8 rsvd16[10];
	__u8 flbas;				/* &enum nvme_id_ns_flbas */
	__u8 rsvd27[2];
	__u8 dps;				/* &enum nvme_id_ns_dps */
	__u8 nmic;				/* &enum nvme_id_ns_nmic */
	__u8 rsvd31[61];
	__le32 anagrpid;			/* ANA group */
	__u8 rsvd96[4];
	__le16 nvmsetid;			/* NVM set */
	__le16 endgid;				/* endurance group */
	__u8 rsvd104[280];
	__le64 lbstm;				/* logical block storage tag mask */
	__le16 nphndls;				/* number of placement handles */
	__u8 rsvd394[105];
	union {
		__u8 rsvd499[13];
		struct {
			__u8 znsco;		/* zoned namespace create options */
			__le32 rar;		/* requested active resources */
			__le32 ror;		/* requested open resources */
			__le32 rnumzrwa;	/* requested random write area resources */
		} __attribute__((packed)) zns;
	};
	__le16 phndl[128];			/* placement handles */
	__u8 rsvd768[3328];
};

/** enum nvme_ns_attach_sel - actions of Namespace Attachment; "Namespace Attachment command" */
enum nvme_ns_attach_sel {
	NVME_NS_ATTACH_SEL_CTRL_ATTACH = 0,	/* attach */
	NVME_NS_ATTACH_SEL_CTRL_DEATTACH = 1,	/* detach */
};

/** enum nvme_fw_commit_ca - actions of Firmware Commit; "Firmware Commit command" */
enum nvme_fw_commit_ca {
	NVME_FW_COMMIT_CA_REPLACE = 0,			/* put the image in a slot */
	NVME_FW_COMMIT_CA_REPLACE_AND_ACTIVATE = 1,	/* and activate it at the next reset */
	NVME_FW_COMMIT_CA_SET_ACTIVE = 2,		/* activate a slot at the next reset */
	NVME_FW_COMMIT_CA_REPLACE_AND_ACTIVATE_IMMEDIATE = 3,	/* put and activate at once */
	NVME_FW_COMMIT_CA_REPLACE_BOOT_PARTITION = 6,	/* put the image in a boot partition */
	NVME_FW_COMMIT_CA_ACTIVATE_BOOT_PARTITION = 7,	/* make a boot partition active */
};

/** enum nvme_sanitize_sanact - actions of Sanitize; "Sanitize command" */
enum nvme_sanitize_sanact {
	NVME_SANITIZE_SANACT_EXIT_FAILURE = 1,		/* leave failure mode */
	NVME_SANITIZE_SANACT_START_BLOCK_ERASE = 2,	/* block erase */
	NVME_SANITIZE_SANACT_START_OVERWRITE = 3,	/* overwrite */
	NVME_SANITIZE_SANACT_START_CRYPTO_ERASE = 4,	/* cryptographic erase */
	NVME_SANITIZE_SANACT_EXIT_MEDIA_VERIF = 5,	/* leave media verification */
};

/** enum nvme_dst_stc - actions of Device Self-test; "Device Self-test command" */
enum nvme_dst_stc {
	NVME_DST_STC_SHORT = 0x01,	/* short self-test */
	NVME_DST_STC_LONG = 0x02,	/* extended self-test */
	NVME_DST_STC_HOST_INIT = 0x03,	/* host-initiated refresh */
	NVME_DST_STC_VS = 0x0e,		/* vendor specific */
	NVME_DST_STC_ABORT = 0x0f,	/* abort the self-test */
};

/**
 * enum nvme_virt_mgmt_act - actions of Virtualization Management; "Virtualization Management
 * command"
 */
enum nvme_virt_mgmt_act {
	NVME_VIRT_MGMT_ACT_PRIM_CTRL_FLEX_ALLOC = 1,	/* allocate to the primary */
	NVME_VIRT_MGMT_ACT_OFFLINE_SEC_CTRL = 7,	/* take a secondary controller offline */
	NVME_VIRT_MGMT_ACT_ASSIGN_SEC_CTRL = 8,		/* assign resources to it */
	NVME_VIRT_MGMT_ACT_ONLINE_SEC_CTRL = 9,		/* bring a secondary controller online */
};

/** enum nvme_virt_mgmt_rt - resource types; "Virtualization Management command" */
enum nvme_virt_mgmt_rt {
	NVME_VIRT_MGMT_RT_VQ_RESOURCE = 0,	/* virtual queues */
	NVME_VIRT_MGMT_RT_VI_RESOURCE = 1,	/* virtual interrupts */
};

/**
 * enum nvme_lba_status_atype - actions of Get LBA Status; NVM Command Set "Get LBA Status command"
 */
enum nvme_lba_status_atype {
	NVME_LBA_STATUS_ATYPE_ALLOCATED = 0x02,		/* list allocated blocks */
	NVME_LBA_STATUS_ATYPE_SCAN_UNTRACKED = 0x10,	/* scan, list untracked blocks too */
	NVME_LBA_STATUS_ATYPE_TRACKED = 0x11,		/* list tracked blocks */
};

/**
 * enum nvme_lba_status_cmpc - why Get LBA Status ended; NVM Command Set "LBA Status Descriptor
 * List"
 */
enum nvme_lba_status_cmpc {
	NVME_LBA_STATUS_CMPC_NO_CMPC = 0,	/* not reported */
	NVME_LBA_STATUS_CMPC_INCOMPLETE = 1,	/* more descriptors are available */
	NVME_LBA_STATUS_CMPC_COMPLETE = 2,	/* the whole range was covered */
};

/**
 * struct nvme_lba_status_desc - LBA Status Descriptor Entry; NVM Command Set "LBA Status Descriptor
 * List"
 */
struct nvme_lba_status_desc {
	__le64 dslba;	/* first logical block */
	__le32 nlb;	/* number of logical blocks */
	__u8 rsvd12;
	__u8 status;	/* bits 2:0: status of the blocks */
	__u8 rsvd14[2];
};

/** struct nvme_lba_status - NVM Command Set "LBA Status Descriptor List" */
struct nvme_lba_status {
	__le32 nlsd;				/* number of descriptors */
	__u8 cmpc;				/* &enum nvme_lba_status_cmpc */
	__u8 rsvd5[3];
	struct nvme_lba_status_desc descs[];	/* descriptors */
};

#endif /* _LIBNVME_TYPES_ADMIN_H */
