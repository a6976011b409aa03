/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Get Log Page: identifiers, and the pages every controller has.
 */
#ifndef _LIBNVME_TYPES_LOG_H
#define _LIBNVME_TYPES_LOG_H

#include "base.h"

enum nvme_cmd_get_log_lid {
	NVME_LOG_LID_SUPPORTED_LOG_PAGES = 0x00,
	NVME_LOG_LID_ERROR = 0x01,
	NVME_LOG_LID_SMART = 0x02,
	NVME_LOG_LID_FW_SLOT = 0x03,
	NVME_LOG_LID_CHANGED_NS = 0x04,
	NVME_LOG_LID_CMD_EFFECTS = 0x05,
	NVME_LOG_LID_DEVICE_SELF_TEST = 0x06,
	NVME_LOG_LID_TELEMETRY_HOST = 0x07,
	NVME_LOG_LID_TELEMETRY_CTRL = 0x08,
	NVME_LOG_LID_ENDURANCE_GROUP = 0x09,
	NVME_LOG_LID_PREDICTABLE_LAT_NVMSET = 0x0a,
	NVME_LOG_LID_PREDICTABLE_LAT_AGG = 0x0b,
	NVME_LOG_LID_ANA = 0x0c,
	NVME_LOG_LID_PERSISTENT_EVENT = 0x0d,
	NVME_LOG_LID_LBA_STATUS = 0x0e,
	NVME_LOG_LID_ENDURANCE_GRP_EVT = 0x0f,
	NVME_LOG_LID_MEDIA_UNIT_STATUS = 0x10,
	NVME_LOG_LID_SUPPORTED_CAP_CONFIG_LIST = 0x11,
	NVME_LOG_LID_FID_SUPPORTED_EFFECTS = 0x12,
	NVME_LOG_LID_MI_CMD_SUPPORTED_EFFECTS = 0x13,
	NVME_LOG_LID_CMD_AND_FEAT_LOCKDOWN = 0x14,
	NVME_LOG_LID_BOOT_PARTITION = 0x15,
	NVME_LOG_LID_ROTATIONAL_MEDIA_INFO = 0x16,
	NVME_LOG_LID_DISPERSED_NS_PARTICIPATING_NSS = 0x17,
	NVME_LOG_LID_MGMT_ADDR_LIST = 0x18,
	NVME_LOG_LID_PHY_RX_EOM = 0x19,
	NVME_LOG_LID_REACHABILITY_GROUPS = 0x1a,
	NVME_LOG_LID_REACHABILITY_ASSOCIATIONS = 0x1b,
	NVME_LOG_LID_CHANGED_ALLOC_NS_LIST = 0x1c,
	NVME_LOG_LID_FDP_CONFIGS = 0x20,
	NVME_LOG_LID_FDP_RUH_USAGE = 0x21,
	NVME_LOG_LID_FDP_STATS = 0x22,
	NVME_LOG_LID_FDP_EVENTS = 0x23,
	NVME_LOG_LID_DISCOVER = 0x70,
	NVME_LOG_LID_HOST_DISCOVER = 0x71,
	NVME_LOG_LID_AVE_DISCOVER = 0x72,
	NVME_LOG_LID_PULL_MODEL_DDC_REQ = 0x73,
	NVME_LOG_LID_RESERVATION = 0x80,
	NVME_LOG_LID_SANITIZE = 0x81,
	NVME_LOG_LID_ZNS_CHANGED_ZONES = 0xbf,
};

struct nvme_supported_log_pages {
	__le32 lid_support[NVME_LOG_SUPPORTED_LOG_PAGES_MAX];
};

enum nvme_err_pel {
	NVME_ERR_PEL_BYTE_MASK = 0xf,
	NVME_ERR_PEL_BIT_MASK = 0x70,
};

enum nvme_err_status_field {
	NVME_ERR_SF_PHASE_TAG_SHIFT = 0,
	NVME_ERR_SF_PHASE_TAG_MASK = 0x1,
	NVME_ERR_SF_STATUS_FIELD_SHIFT = 1,
	NVME_ERR_SF_STATUS_FIELD_MASK = 0x7fff,
};

/* Fields of the Status Field of an error log entry. */
#define NVME_ERR_SF_PHASE_TAG(status_field) NVME_GET(status_field, ERR_SF_PHASE_TAG)
#define NVME_ERR_SF_STATUS_FIELD(status_field) NVME_GET(status_field, ERR_SF_STATUS_FIELD)

struct nvme_error_log_page {
	__le64 error_count;
	__le16 sqid;
	__le16 cmdid;
	__le16 status_field;
	__le16 parm_error_location;
	__le64 lba;
	__le32 nsid;
	__u8 vs;
	__u8 trtype;
	__u8 csi;
	__u8 opcode;
	__le64 cs;
	__le16 trtype_spec_info;
	__u8 rsvd[21];
	__u8 log_page_version;
};

enum nvme_smart_crit {
	NVME_SMART_CW_ASCBT_SHIFT = 0,
	NVME_SMART_CW_ASCBT_MASK = 0x1,
	NVME_SMART_CW_TTC_SHIFT = 1,
	NVME_SMART_CW_TTC_MASK = 0x1,
	NVME_SMART_CW_NDR_SHIFT = 2,
	NVME_SMART_CW_NDR_MASK = 0x1,
	NVME_SMART_CW_AMRO_SHIFT = 3,
	NVME_SMART_CW_AMRO_MASK = 0x1,
	NVME_SMART_CW_VMBF_SHIFT = 4,
	NVME_SMART_CW_VMBF_MASK = 0x1,
	NVME_SMART_CW_PMRRO_SHIFT = 5,
	NVME_SMART_CW_PMRRO_MASK = 0x1,
	NVME_SMART_CRIT_SPARE = 1 << 0,
	NVME_SMART_CRIT_TEMPERATURE = 1 << 1,
	NVME_SMART_CRIT_DEGRADED = 1 << 2,
	NVME_SMART_CRIT_MEDIA = 1 << 3,
	NVME_SMART_CRIT_VOLATILE_MEMORY = 1 << 4,
	NVME_SMART_CRIT_PMR_RO = 1 << 5,
};

/* Fields of Critical Warning. */
#define NVME_SMART_CW_ASCBT(cw) NVME_GET(cw, SMART_CW_ASCBT)
#define NVME_SMART_CW_TTC(cw) NVME_GET(cw, SMART_CW_TTC)
#define NVME_SMART_CW_NDR(cw) NVME_GET(cw, SMART_CW_NDR)
#define NVME_SMART_CW_AMRO(cw) NVME_GET(cw, SMART_CW_AMRO)
#define NVME_SMART_CW_VMBF(cw) NVME_GET(cw, SMART_CW_VMBF)
#define NVME_SMART_CW_PMRRO(cw) NVME_GET(cw, SMART_CW_PMRRO)

enum nvme_smart_egcw {
	NVME_SMART_EGCW_SPARE = 1 << 0,
	NVME_SMART_EGCW_DEGRADED = 1 << 2,
	NVME_SMART_EGCW_RO = 1 << 3,
};

struct nvme_smart_log {
	__u8 critical_warning;
	__u8 temperature[2];
	__u8 avail_spare;
	__u8 spare_thresh;
	__u8 percent_used;
	__u8 endu_grp_crit_warn_sumry;
	__u8 rsvd7[25];
	__u8 data_units_read[16];
	__u8 data_units_written[16];
	__u8 host_reads[16];
	__u8 host_writes[16];
	__u8 ctrl_busy_time[16];
	__u8 power_cycles[16];
	__u8 power_on_hours[16];
	__u8 unsafe_shutdowns[16];
	__u8 media_errors[16];
	__u8 num_err_log_entries[16];
	__le32 warning_temp_time;
	__le32 critical_comp_time;
	__le16 temp_sensor[8];
	__le32 thm_temp1_trans_count;
	__le32 thm_temp2_trans_count;
	__le32 thm_temp1_total_time;
	__le32 thm_temp2_total_time;
	__u8 rsvd232[280];
};

struct nvme_firmware_slot {
	__u8 afi;
	__u8 rsvd1[7];
	char frs[7][8];
	__u8 rsvd2[448];
};

enum nvme_cmd_effects {
	NVME_CMD_EFFECTS_CSUPP = 1 << 0,
	NVME_CMD_EFFECTS_LBCC = 1 << 1,
	NVME_CMD_EFFECTS_NCC = 1 << 2,
	NVME_CMD_EFFECTS_NIC = 1 << 3,
	NVME_CMD_EFFECTS_CCC = 1 << 4,
	NVME_CMD_EFFECTS_CSER_MASK = 0xc000,
	NVME_CMD_EFFECTS_CSE_MASK = 0x70000,
	NVME_CMD_EFFECTS_UUID_SEL = 1 << 19,
};

struct nvme_cmd_effects_log {
	__le32 acs[256];
	__le32 iocs[256];
	__u8 rsvd[2048];
};

enum nvme_fid_supported_effects {
	NVME_FID_SUPPORTED_EFFECTS_FSUPP = 1 << 0,
	NVME_FID_SUPPORTED_EFFECTS_UDCC = 1 << 1,
	NVME_FID_SUPPORTED_EFFECTS_NCC = 1 << 2,
	NVME_FID_SUPPORTED_EFFECTS_NIC = 1 << 3,
	NVME_FID_SUPPORTED_EFFECTS_CCC = 1 << 4,
	NVME_FID_SUPPORTED_EFFECTS_UUID_SEL = 1 << 19,
	NVME_FID_SUPPORTED_EFFECTS_SCOPE_SHIFT = 20,
	NVME_FID_SUPPORTED_EFFECTS_SCOPE_MASK = 0xfff,
	NVME_FID_SUPPORTED_EFFECTS_SCOPE_NS = 1 << 0,
	NVME_FID_SUPPORTED_EFFECTS_SCOPE_CTRL = 1 << 1,
	NVME_FID_SUPPORTED_EFFECTS_SCOPE_NVM_SET = 1 << 2,
	NVME_FID_SUPPORTED_EFFECTS_SCOPE_ENDGRP = 1 << 3,
	NVME_FID_SUPPORTED_EFFECTS_SCOPE_DOMAIN = 1 << 4,
	NVME_FID_SUPPORTED_EFFECTS_SCOPE_NSS = 1 << 5,
	NVME_FID_SUPPORTED_EFFECTS_CDQSCP = 1 << 6,
};

struct nvme_fid_supported_effects_log {
	__le32 fid_support[NVME_LOG_FID_SUPPORTED_EFFECTS_MAX];
};

enum nvme_mi_cmd_supported_effects {
	NVME_MI_CMD_SUPPORTED_EFFECTS_CSUPP = 1 << 0,
	NVME_MI_CMD_SUPPORTED_EFFECTS_UDCC = 1 << 1,
	NVME_MI_CMD_SUPPORTED_EFFECTS_NCC = 1 << 2,
	NVME_MI_CMD_SUPPORTED_EFFECTS_NIC = 1 << 3,
	NVME_MI_CMD_SUPPORTED_EFFECTS_CCC = 1 << 4,
	NVME_MI_CMD_SUPPORTED_EFFECTS_SCOPE_SHIFT = 20,
	NVME_MI_CMD_SUPPORTED_EFFECTS_SCOPE_MASK = 0xfff,
	NVME_MI_CMD_SUPPORTED_EFFECTS_SCOPE_NS = 1 << 0,
	NVME_MI_CMD_SUPPORTED_EFFECTS_SCOPE_CTRL = 1 << 1,
	NVME_MI_CMD_SUPPORTED_EFFECTS_SCOPE_NVM_SET = 1 << 2,
	NVME_MI_CMD_SUPPORTED_EFFECTS_SCOPE_ENDGRP = 1 << 3,
	NVME_MI_CMD_SUPPORTED_EFFECTS_SCOPE_DOMAIN = 1 << 4,
	NVME_MI_CMD_SUPPORTED_EFFECTS_SCOPE_NSS = 1 << 5,
};

struct nvme_mi_cmd_supported_effects_log {
	__le32 mi_cmd_support[NVME_LOG_MI_CMD_SUPPORTED_EFFECTS_MAX];
	__le32 reserved1[NVME_LOG_MI_CMD_SUPPORTED_EFFECTS_RESERVED];
};

enum nvme_log_ana_lsp {
	NVME_LOG_ANA_LSP_RGO_NAMESPACES = 0,
	NVME_LOG_ANA_LSP_RGO_GROUPS_ONLY = 1,
};

enum nvme_ana_state {
	NVME_ANA_STATE_OPTIMIZED = 0x01,
	NVME_ANA_STATE_NONOPTIMIZED = 0x02,
	NVME_ANA_STATE_INACCESSIBLE = 0x03,
	NVME_ANA_STATE_PERSISTENT_LOSS = 0x04,
	NVME_ANA_STATE_CHANGE = 0x0f,
};

struct nvme_ana_group_desc {
	__le32 grpid;
	__le32 nnsids;
	__le64 chgcnt;
	__u8 state;
	__u8 rsvd17[15];
	__le32 nsids[];
};

struct nvme_ana_log {
	__le64 chgcnt;
	__le16 ngrps;
	__u8 rsvd10[6];
	struct nvme_ana_group_desc descs[];
};

#endif /* _LIBNVME_TYPES_LOG_H */
