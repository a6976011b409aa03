/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Get Log Page: identifiers, and the log pages of a controller.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_LOG_H
#define _LIBNVME_TYPES_LOG_H

#include "base.h"

/** enum nvme_cmd_get_log_lid - log page identifiers; "Get Log Page - Log Page Identifiers" */
enum nvme_cmd_get_log_lid {
	NVME_LOG_LID_SUPPORTED_LOG_PAGES = 0x00,	/* &struct nvme_supported_log_pages */
	NVME_LOG_LID_ERROR = 0x01,			/* &struct nvme_error_log_page, several */
	NVME_LOG_LID_SMART = 0x02,			/* &struct nvme_smart_log */
	NVME_LOG_LID_FW_SLOT = 0x03,			/* &struct nvme_firmware_slot */
	NVME_LOG_LID_CHANGED_NS = 0x04,			/* &struct nvme_ns_list */
	NVME_LOG_LID_CMD_EFFECTS = 0x05,		/* &struct nvme_cmd_effects_log */
	NVME_LOG_LID_DEVICE_SELF_TEST = 0x06,		/* &struct nvme_self_test_log */
	NVME_LOG_LID_TELEMETRY_HOST = 0x07,		/* &struct nvme_telemetry_log */
	NVME_LOG_LID_TELEMETRY_CTRL = 0x08,		/* &struct nvme_telemetry_log */
	NVME_LOG_LID_ENDURANCE_GROUP = 0x09,		/* &struct nvme_endurance_group_log */
	NVME_LOG_LID_PREDICTABLE_LAT_NVMSET = 0x0a,	/* predictable latency of a set */
	NVME_LOG_LID_PREDICTABLE_LAT_AGG = 0x0b,	/* sets with predictable latency events */
	NVME_LOG_LID_ANA = 0x0c,			/* &struct nvme_ana_log */
	NVME_LOG_LID_PERSISTENT_EVENT = 0x0d,		/* &struct nvme_persistent_event_log */
	NVME_LOG_LID_LBA_STATUS = 0x0e,			/* &struct nvme_lba_status_log */
	NVME_LOG_LID_ENDURANCE_GRP_EVT = 0x0f,		/* endurance groups with events */
	NVME_LOG_LID_MEDIA_UNIT_STATUS = 0x10,		/* &struct nvme_media_unit_stat_log */
	NVME_LOG_LID_SUPPORTED_CAP_CONFIG_LIST = 0x11,	/* capacity configurations */
	NVME_LOG_LID_FID_SUPPORTED_EFFECTS = 0x12,	/* features and their effects */
	NVME_LOG_LID_MI_CMD_SUPPORTED_EFFECTS = 0x13,	/* NVMe-MI commands and effects */
	NVME_LOG_LID_CMD_AND_FEAT_LOCKDOWN = 0x14,	/* &struct nvme_lockdown_log */
	NVME_LOG_LID_BOOT_PARTITION = 0x15,		/* &struct nvme_boot_partition */
	NVME_LOG_LID_ROTATIONAL_MEDIA_INFO = 0x16,	/* rotational media information */
	NVME_LOG_LID_DISPERSED_NS_PARTICIPATING_NSS = 0x17,	/* subsystems of a namespace */
	NVME_LOG_LID_MGMT_ADDR_LIST = 0x18,		/* &struct nvme_mgmt_addr_list_log */
	NVME_LOG_LID_PHY_RX_EOM = 0x19,			/* &struct nvme_phy_rx_eom_log */
	NVME_LOG_LID_REACHABILITY_GROUPS = 0x1a,	/* &struct nvme_reachability_groups_log */
	NVME_LOG_LID_REACHABILITY_ASSOCIATIONS = 0x1b,	/* reachability associations */
	NVME_LOG_LID_CHANGED_ALLOC_NS_LIST = 0x1c,	/* &struct nvme_ns_list, allocated ones */
	NVME_LOG_LID_FDP_CONFIGS = 0x20,		/* &struct nvme_fdp_config_log */
	NVME_LOG_LID_FDP_RUH_USAGE = 0x21,		/* &struct nvme_fdp_ruhu_log */
	NVME_LOG_LID_FDP_STATS = 0x22,			/* &struct nvme_fdp_stats_log */
	NVME_LOG_LID_FDP_EVENTS = 0x23,			/* &struct nvme_fdp_events_log */
	NVME_LOG_LID_DISCOVER = 0x70,			/* &struct nvmf_discovery_log */
	NVME_LOG_LID_HOST_DISCOVER = 0x71,		/* &struct nvme_host_discover_log */
	NVME_LOG_LID_AVE_DISCOVER = 0x72,		/* &struct nvme_ave_discover_log */
	NVME_LOG_LID_PULL_MODEL_DDC_REQ = 0x73,		/* &struct nvme_pull_model_ddc_req_log */
	NVME_LOG_LID_RESERVATION = 0x80,		/* &struct nvme_resv_notification_log */
	NVME_LOG_LID_SANITIZE = 0x81,			/* &struct nvme_sanitize_log_page */
	NVME_LOG_LID_ZNS_CHANGED_ZONES = 0xbf,		/* &struct nvme_zns_changed_zone_log */
};

/**
 * struct nvme_supported_log_pages - "Supported Log Pages"
 *
 * Bit 0 of an entry is set if the page is supported; bits 31:16 are defined by the page.
 */
struct nvme_supported_log_pages {
	__le32 lid_support[NVME_LOG_SUPPORTED_LOG_PAGES_MAX];	/* by log page */
};

/**
 * enum nvme_err_pel - masks of the Parameter Error Location; "Error Information Log Entry Data
 * Structure"
 *
 * In the specification the byte is in bits 7:0 and the bit in bits 10:8; these masks are kept for
 * compatibility with libnvme 1.16.
 */
enum nvme_err_pel {
	NVME_ERR_PEL_BYTE_MASK = 0xf,	/* byte in the command */
	NVME_ERR_PEL_BIT_MASK = 0x70,	/* bit in the byte */
};

/**
 * enum nvme_err_status_field - Status Field of an error log entry; "Error Information Log Entry
 * Data Structure"
 */
enum nvme_err_status_field {
	NVME_FIELD(ERR_SF_PHASE_TAG, 0, 0x1),		/* phase tag of the completion */
	NVME_FIELD(ERR_SF_STATUS_FIELD, 1, 0x7fff),	/* status of the completion */
};

/* Fields of the Status Field of an error log entry. */
#define NVME_ERR_SF_PHASE_TAG(status_field) NVME_GET(status_field, ERR_SF_PHASE_TAG)
#define NVME_ERR_SF_STATUS_FIELD(status_field) NVME_GET(status_field, ERR_SF_STATUS_FIELD)

/**
 * struct nvme_error_log_page - "Error Information Log Entry Data Structure"
 *
 * The log page is an array of these, the newest first.
 */
struct nvme_error_log_page {
	__le64 error_count;		/* number of the error; 0 for an unused entry */
	__le16 sqid;			/* submission queue */
	__le16 cmdid;			/* command id */
	__le16 status_field;		/* &enum nvme_err_status_field */
	__le16 parm_error_location;	/* &enum nvme_err_pel */
	__le64 lba;			/* first logical block in error */
	__le32 nsid;			/* namespace */
	__u8 vs;			/* vendor specific log page with more, 0 for none */
	__u8 trtype;			/* &enum nvmf_trtype of the transport */
	__u8 csi;			/* command set of the command */
	__u8 opcode;			/* opcode of the command */
	__le64 cs;			/* command specific information */
	__le16 trtype_spec_info;	/* transport specific information */
	__u8 rsvd[21];
	__u8 log_page_version;		/* 1 if trtype, csi and opcode are valid */
};

/**
 * enum nvme_smart_crit - Critical Warning of the SMART log page; "SMART / Health Information Log
 * Page"
 *
 * The values after the fields are the same bits in place.
 */
enum nvme_smart_crit {
	NVME_FIELD(SMART_CW_ASCBT, 0, 0x1),		/* available spare is below its threshold */
	NVME_FIELD(SMART_CW_TTC, 1, 0x1),		/* a temperature is beyond its threshold */
	NVME_FIELD(SMART_CW_NDR, 2, 0x1),		/* reliability is degraded */
	NVME_FIELD(SMART_CW_AMRO, 3, 0x1),		/* all media is read only */
	NVME_FIELD(SMART_CW_VMBF, 4, 0x1),		/* backup of volatile memory failed */
	NVME_FIELD(SMART_CW_PMRRO, 5, 0x1),		/* persistent memory region is read only */
	NVME_SMART_CRIT_SPARE = 1 << 0,			/* the same as a bit */
	NVME_SMART_CRIT_TEMPERATURE = 1 << 1,		/* the same as a bit */
	NVME_SMART_CRIT_DEGRADED = 1 << 2,		/* the same as a bit */
	NVME_SMART_CRIT_MEDIA = 1 << 3,			/* the same as a bit */
	NVME_SMART_CRIT_VOLATILE_MEMORY = 1 << 4,	/* the same as a bit */
	NVME_SMART_CRIT_PMR_RO = 1 << 5,		/* the same as a bit */
};

/* Fields of Critical Warning. */
#define NVME_SMART_CW_ASCBT(cw) NVME_GET(cw, SMART_CW_ASCBT)
#define NVME_SMART_CW_TTC(cw) NVME_GET(cw, SMART_CW_TTC)
#define NVME_SMART_CW_NDR(cw) NVME_GET(cw, SMART_CW_NDR)
#define NVME_SMART_CW_AMRO(cw) NVME_GET(cw, SMART_CW_AMRO)
#define NVME_SMART_CW_VMBF(cw) NVME_GET(cw, SMART_CW_VMBF)
#define NVME_SMART_CW_PMRRO(cw) NVME_GET(cw, SMART_CW_PMRRO)

/**
 * enum nvme_smart_egcw - Endurance Group Critical Warning Summary; "SMART / Health Information Log
 * Page"
 */
enum nvme_smart_egcw {
	NVME_SMART_EGCW_SPARE = 1 << 0,	/* available spare of a group is below its threshold */
	NVME_SMART_EGCW_DEGRADED = 1 << 2,	/* reliability of a group is degraded */
	NVME_SMART_EGCW_RO = 1 << 3,	/* a group is read only */
};

/**
 * struct nvme_smart_log - "SMART / Health Information Log Page"
 *
 * Fields of 16 bytes are little-endian numbers of 128 bits.
 */
struct nvme_smart_log {
	__u8 critical_warning;		/* &enum nvme_smart_crit */
	__u8 temperature[2];		/* composite temperature in kelvin, little-endian */
	__u8 avail_spare;		/* spare capacity left in percent */
	__u8 spare_thresh;		/* threshold of avail_spare in percent */
	__u8 percent_used;		/* estimated part of the life used, up to 255 percent */
	__u8 endu_grp_crit_warn_sumry;	/* &enum nvme_smart_egcw */
	__u8 rsvd7[25];
	__u8 data_units_read[16];	/* units of 512000 bytes read */
	__u8 data_units_written[16];	/* units of 512000 bytes written */
	__u8 host_reads[16];		/* read commands */
	__u8 host_writes[16];		/* write commands */
	__u8 ctrl_busy_time[16];	/* minutes busy with I/O */
	__u8 power_cycles[16];		/* power cycles */
	__u8 power_on_hours[16];	/* hours powered on */
	__u8 unsafe_shutdowns[16];	/* losses of power without a shutdown */
	__u8 media_errors[16];		/* errors of media and data integrity */
	__u8 num_err_log_entries[16];	/* error log entries since manufacture */
	__le32 warning_temp_time;	/* minutes at or above WCTEMP */
	__le32 critical_comp_time;	/* minutes at or above CCTEMP */
	__le16 temp_sensor[8];		/* temperature sensors in kelvin, 0 for none */
	__le32 thm_temp1_trans_count;	/* transitions for thermal management temperature 1 */
	__le32 thm_temp2_trans_count;	/* transitions for thermal management temperature 2 */
	__le32 thm_temp1_total_time;	/* seconds in thermal management state 1 */
	__le32 thm_temp2_total_time;	/* seconds in thermal management state 2 */
	__u8 rsvd232[280];
};

/** struct nvme_firmware_slot - "Firmware Slot Information Log Page" */
struct nvme_firmware_slot {
	__u8 afi;	/* active slot in bits 2:0, slot after reset in bits 6:4 */
	__u8 rsvd1[7];
	char frs[7][8];	/* revision in each slot, ASCII, not terminated */
	__u8 rsvd2[448];
};

/** enum nvme_cmd_effects - effects of a command; "Commands Supported and Effects Data Structure" */
enum nvme_cmd_effects {
	NVME_CMD_EFFECTS_CSUPP = 1 << 0,	/* supported */
	NVME_CMD_EFFECTS_LBCC = 1 << 1,		/* changes the content of logical blocks */
	NVME_CMD_EFFECTS_NCC = 1 << 2,		/* changes namespace capabilities */
	NVME_CMD_EFFECTS_NIC = 1 << 3,		/* changes the inventory of namespaces */
	NVME_CMD_EFFECTS_CCC = 1 << 4,		/* changes controller capabilities */
	NVME_CMD_EFFECTS_CSER_MASK = 0xc000,	/* submission and execution relaxations */
	NVME_CMD_EFFECTS_CSE_MASK = 0x70000,	/* submission and execution limits */
	NVME_CMD_EFFECTS_UUID_SEL = 1 << 19,	/* takes a UUID index */
};

/** struct nvme_cmd_effects_log - "Commands Supported and Effects Log Page" */
struct nvme_cmd_effects_log {
	__le32 acs[256];	/* Admin commands by opcode, &enum nvme_cmd_effects */
	__le32 iocs[256];	/* I/O commands by opcode, &enum nvme_cmd_effects */
	__u8 rsvd[2048];
};

/**
 * enum nvme_fid_supported_effects - effects of a feature; "FID Supported and Effects Data
 * Structure"
 *
 * The scopes are values of the field at SCOPE_SHIFT.
 */
enum nvme_fid_supported_effects {
	NVME_FID_SUPPORTED_EFFECTS_FSUPP = 1 << 0,	/* supported */
	NVME_FID_SUPPORTED_EFFECTS_UDCC = 1 << 1,	/* changes user data */
	NVME_FID_SUPPORTED_EFFECTS_NCC = 1 << 2,	/* changes namespace capabilities */
	NVME_FID_SUPPORTED_EFFECTS_NIC = 1 << 3,	/* changes the inventory of namespaces */
	NVME_FID_SUPPORTED_EFFECTS_CCC = 1 << 4,	/* changes controller capabilities */
	NVME_FID_SUPPORTED_EFFECTS_UUID_SEL = 1 << 19,	/* takes a UUID index */
	NVME_FIELD(FID_SUPPORTED_EFFECTS_SCOPE, 20, 0xfff),	/* scope of the feature */
	NVME_FID_SUPPORTED_EFFECTS_SCOPE_NS = 1 << 0,	/* namespace */
	NVME_FID_SUPPORTED_EFFECTS_SCOPE_CTRL = 1 << 1,	/* controller */
	NVME_FID_SUPPORTED_EFFECTS_SCOPE_NVM_SET = 1 << 2,	/* NVM set */
	NVME_FID_SUPPORTED_EFFECTS_SCOPE_ENDGRP = 1 << 3,	/* endurance group */
	NVME_FID_SUPPORTED_EFFECTS_SCOPE_DOMAIN = 1 << 4,	/* domain */
	NVME_FID_SUPPORTED_EFFECTS_SCOPE_NSS = 1 << 5,	/* NVM subsystem */
	NVME_FID_SUPPORTED_EFFECTS_CDQSCP = 1 << 6,	/* controller data queue */
};

/** struct nvme_fid_supported_effects_log - "Feature Identifiers Supported and Effects" */
struct nvme_fid_supported_effects_log {
	__le32 fid_support[NVME_LOG_FID_SUPPORTED_EFFECTS_MAX];	/* by feature, see above */
};

/**
 * enum nvme_mi_cmd_supported_effects - effects of an NVMe-MI command; "NVMe-MI Commands Supported
 * and Effects Data Structure"
 *
 * The scopes are values of the field at SCOPE_SHIFT.
 */
enum nvme_mi_cmd_supported_effects {
	NVME_MI_CMD_SUPPORTED_EFFECTS_CSUPP = 1 << 0,		/* supported */
	NVME_MI_CMD_SUPPORTED_EFFECTS_UDCC = 1 << 1,		/* changes user data */
	NVME_MI_CMD_SUPPORTED_EFFECTS_NCC = 1 << 2,		/* changes a namespace */
	NVME_MI_CMD_SUPPORTED_EFFECTS_NIC = 1 << 3,		/* changes the namespace list */
	NVME_MI_CMD_SUPPORTED_EFFECTS_CCC = 1 << 4,		/* changes the controller */
	NVME_FIELD(MI_CMD_SUPPORTED_EFFECTS_SCOPE, 20, 0xfff),	/* scope of the command */
	NVME_MI_CMD_SUPPORTED_EFFECTS_SCOPE_NS = 1 << 0,	/* namespace */
	NVME_MI_CMD_SUPPORTED_EFFECTS_SCOPE_CTRL = 1 << 1,	/* controller */
	NVME_MI_CMD_SUPPORTED_EFFECTS_SCOPE_NVM_SET = 1 << 2,	/* NVM set */
	NVME_MI_CMD_SUPPORTED_EFFECTS_SCOPE_ENDGRP = 1 << 3,	/* endurance group */
	NVME_MI_CMD_SUPPORTED_EFFECTS_SCOPE_DOMAIN = 1 << 4,	/* domain */
	NVME_MI_CMD_SUPPORTED_EFFECTS_SCOPE_NSS = 1 << 5,	/* NVM subsystem */
};

/** struct nvme_mi_cmd_supported_effects_log - "NVMe-MI Commands Supported and Effects" */
struct nvme_mi_cmd_supported_effects_log {
	__le32 mi_cmd_support[NVME_LOG_MI_CMD_SUPPORTED_EFFECTS_MAX];	/* by opcode, see above */
	__le32 reserved1[NVME_LOG_MI_CMD_SUPPORTED_EFFECTS_RESERVED];
};

/** enum nvme_log_ana_lsp - entries to return in the ANA log page; "Asymmetric Namespace Access" */
enum nvme_log_ana_lsp {
	NVME_LOG_ANA_LSP_RGO_NAMESPACES = 0,	/* groups with their namespaces */
	NVME_LOG_ANA_LSP_RGO_GROUPS_ONLY = 1,	/* groups only */
};

/** enum nvme_ana_state - asymmetric namespace access states; "Asymmetric Namespace Access state" */
enum nvme_ana_state {
	NVME_ANA_STATE_OPTIMIZED = 0x01,	/* optimized */
	NVME_ANA_STATE_NONOPTIMIZED = 0x02,	/* non-optimized */
	NVME_ANA_STATE_INACCESSIBLE = 0x03,	/* inaccessible */
	NVME_ANA_STATE_PERSISTENT_LOSS = 0x04,	/* persistent loss */
	NVME_ANA_STATE_CHANGE = 0x0f,		/* change */
};

/** struct nvme_ana_group_desc - ANA Group Descriptor; "ANA Group Descriptor" */
struct nvme_ana_group_desc {
	__le32 grpid;	/* group */
	__le32 nnsids;	/* number of namespace ids */
	__le64 chgcnt;	/* change count of this group; 0 if not reported */
	__u8 state;	/* &enum nvme_ana_state in bits 3:0 */
	__u8 rsvd17[15];
	__le32 nsids[];	/* namespace ids */
};

/**
 * struct nvme_ana_log - "Asymmetric Namespace Access Log Page"
 *
 * Descriptors vary in length, so that descs cannot be indexed.
 */
struct nvme_ana_log {
	__le64 chgcnt;				/* change count of the page */
	__le16 ngrps;				/* number of groups */
	__u8 rsvd10[6];
	struct nvme_ana_group_desc descs[];	/* group descriptors */
};

#endif /* _LIBNVME_TYPES_LOG_H */
