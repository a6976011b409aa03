/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Persistent Event log page and the events it holds.
 */
#ifndef _LIBNVME_TYPES_LOG_EVENT_H
#define _LIBNVME_TYPES_LOG_EVENT_H

#include "base.h"
#include "feature-data.h"

enum nvme_pevent_log_action {
	NVME_PEVENT_LOG_READ = 0,
	NVME_PEVENT_LOG_EST_CTX_AND_READ = 1,
	NVME_PEVENT_LOG_RELEASE_CTX = 2,
};

enum nvme_pel_rci {
	NVME_PEL_RCI_RCPID_SHIFT = 0,
	NVME_PEL_RCI_RCPID_MASK = 0xffff,
	NVME_PEL_RCI_RCPIT_SHIFT = 16,
	NVME_PEL_RCI_RCPIT_MASK = 0x3,
	NVME_PEL_RCI_RCE_SHIFT = 18,
	NVME_PEL_RCI_RCE_MASK = 0x1,
	NVME_PEL_RCI_RSVD_SHIFT = 19,
	NVME_PEL_RCI_RSVD_MASK = 0x1fff,
};

/* Fields of Reporting Context Information. */
#define NVME_PEL_RCI_RCPID(rci) NVME_GET(rci, PEL_RCI_RCPID)
#define NVME_PEL_RCI_RCPIT(rci) NVME_GET(rci, PEL_RCI_RCPIT)
#define NVME_PEL_RCI_RCE(rci) NVME_GET(rci, PEL_RCI_RCE)
#define NVME_PEL_RCI_RSVD(rci) NVME_GET(rci, PEL_RCI_RSVD)

enum nvme_pel_rci_rcpit {
	NVME_PEL_RCI_RCPIT_NOT_EXIST = 0,
	NVME_PEL_RCI_RCPIT_EST_PORT = 1,
	NVME_PEL_RCI_RCPIT_EST_ME = 2,
};

enum nvme_persistent_event_types {
	NVME_PEL_SMART_HEALTH_EVENT = 0x01,
	NVME_PEL_FW_COMMIT_EVENT = 0x02,
	NVME_PEL_TIMESTAMP_EVENT = 0x03,
	NVME_PEL_POWER_ON_RESET_EVENT = 0x04,
	NVME_PEL_NSS_HW_ERROR_EVENT = 0x05,
	NVME_PEL_CHANGE_NS_EVENT = 0x06,
	NVME_PEL_FORMAT_START_EVENT = 0x07,
	NVME_PEL_FORMAT_COMPLETION_EVENT = 0x08,
	NVME_PEL_SANITIZE_START_EVENT = 0x09,
	NVME_PEL_SANITIZE_COMPLETION_EVENT = 0x0a,
	NVME_PEL_SET_FEATURE_EVENT = 0x0b,
	NVME_PEL_TELEMETRY_CRT = 0x0c,
	NVME_PEL_THERMAL_EXCURSION_EVENT = 0x0d,
	NVME_PEL_SANITIZE_MEDIA_VERIF_EVENT = 0x0e,
	NVME_PEL_VENDOR_SPECIFIC_EVENT = 0xde,
	NVME_PEL_TCG_DEFINED_EVENT = 0xdf,
};

enum nvme_pel_ehai {
	NVME_PEL_EHAI_PIT_SHIFT = 0,
	NVME_PEL_EHAI_PIT_MASK = 0x3,
	NVME_PEL_EHAI_RSVD_SHIFT = 2,
	NVME_PEL_EHAI_RSVD_MASK = 0x3f,
};

/* Fields of Event Header Additional Information. */
#define NVME_PEL_EHAI_PIT(ehai) NVME_GET(ehai, PEL_EHAI_PIT)
#define NVME_PEL_EHAI_RSVD(ehai) NVME_GET(ehai, PEL_EHAI_RSVD)

enum nvme_pel_ehai_pit {
	NVME_PEL_EHAI_PIT_NOT_REPORTED = 0,
	NVME_PEL_EHAI_PIT_NSS_PORT = 1,
	NVME_PEL_EHAI_PIT_NMI_PORT = 2,
	NVME_PEL_EHAI_PIT_NOT_ASSOCIATED = 3,
};

struct nvme_persistent_event_log {
	__u8 lid;
	__u8 rsvd1[3];
	__le32 tnev;
	__le64 tll;
	__u8 rv;
	__u8 rsvd17;
	__le16 lhl;
	__le64 ts;
	__u8 poh[16];
	__le64 pcc;
	__le16 vid;
	__le16 ssvid;
	char sn[20];
	char mn[40];
	char subnqn[NVME_NQN_LENGTH];
	__le16 gen_number;
	__le32 rci;
	__u8 rsvd378[102];
	__u8 seb[32];
} __attribute__((packed));

struct nvme_persistent_event_entry {
	__u8 etype;
	__u8 etype_rev;
	__u8 ehl;
	__u8 ehai;
	__le16 cntlid;
	__le64 ets;
	__le16 pelpid;
	__u8 rsvd16[4];
	__le16 vsil;
	__le16 el;
} __attribute__((packed));

struct nvme_fw_commit_event {
	__le64 old_fw_rev;
	__le64 new_fw_rev;
	__u8 fw_commit_action;
	__u8 fw_slot;
	__u8 sct_fw;
	__u8 sc_fw;
	__le16 vndr_assign_fw_commit_rc;
} __attribute__((packed));

struct nvme_time_stamp_change_event {
	__le64 previous_timestamp;
	__le64 ml_secs_since_reset;
};

struct nvme_power_on_reset_info_list {
	__le16 cid;
	__u8 fw_act;
	__u8 op_in_prog;
	__u8 rsvd4[12];
	__le32 ctrl_power_cycle;
	__le64 power_on_ml_seconds;
	__le64 ctrl_time_stamp;
} __attribute__((packed));

struct nvme_nss_hw_err_event {
	__le16 nss_hw_err_event_code;
	__u8 rsvd2[2];
	__u8 *add_hw_err_info;
};

struct nvme_change_ns_event {
	__le32 nsmgt_cdw10;
	__u8 rsvd4[4];
	__le64 nsze;
	__u8 rsvd16[8];
	__le64 nscap;
	__u8 flbas;
	__u8 dps;
	__u8 nmic;
	__u8 rsvd35;
	__le32 ana_grp_id;
	__le16 nvmset_id;
	__le16 rsvd42;
	__le32 nsid;
};

struct nvme_format_nvm_start_event {
	__le32 nsid;
	__u8 fna;
	__u8 rsvd5[3];
	__le32 format_nvm_cdw10;
};

struct nvme_format_nvm_compln_event {
	__le32 nsid;
	__u8 smallest_fpi;
	__u8 format_nvm_status;
	__le16 compln_info;
	__le32 status_field;
};

struct nvme_sanitize_start_event {
	__le32 sani_cap;
	__le32 sani_cdw10;
	__le32 sani_cdw11;
};

struct nvme_sanitize_compln_event {
	__le16 sani_prog;
	__le16 sani_status;
	__le16 cmpln_info;
	__u8 rsvd6[2];
};

enum nvme_set_feat_event_layout {
	NVME_SET_FEAT_EVENT_DW_COUNT_SHIFT = 0,
	NVME_SET_FEAT_EVENT_DW_COUNT_MASK = 0x7,
	NVME_SET_FEAT_EVENT_CC_DW0_SHIFT = 3,
	NVME_SET_FEAT_EVENT_CC_DW0_MASK = 0x1,
	NVME_SET_FEAT_EVENT_MB_COUNT_SHIFT = 16,
	NVME_SET_FEAT_EVENT_MB_COUNT_MASK = 0xffff,
};

/* Fields of the layout word of a Set Feature event. */
#define NVME_SET_FEAT_EVENT_DW_COUNT(layout) NVME_GET(layout, SET_FEAT_EVENT_DW_COUNT)
#define NVME_SET_FEAT_EVENT_CC_DW0(layout) NVME_GET(layout, SET_FEAT_EVENT_CC_DW0)
#define NVME_SET_FEAT_EVENT_MB_COUNT(layout) NVME_GET(layout, SET_FEAT_EVENT_MB_COUNT)

struct nvme_set_feature_event {
	__le32 layout;
	__le32 cdw_mem[0];
};

struct nvme_thermal_exc_event {
	__u8 over_temp;
	__u8 threshold;
};

#endif /* _LIBNVME_TYPES_LOG_EVENT_H */
