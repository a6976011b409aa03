/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Persistent Event log page and the events it holds.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_LOG_EVENT_H
#define _LIBNVME_TYPES_LOG_EVENT_H

#include "base.h"
#include "feature-data.h"

/**
 * enum nvme_pevent_log_action - actions on the Persistent Event log's context; "Persistent Event
 * Log Page"
 */
enum nvme_pevent_log_action {
	NVME_PEVENT_LOG_READ = 0,		/* read within the context */
	NVME_PEVENT_LOG_EST_CTX_AND_READ = 1,	/* establish a context and read */
	NVME_PEVENT_LOG_RELEASE_CTX = 2,	/* release the context */
};

/** enum nvme_pel_rci - Reporting Context Information; "Persistent Event Log Page" */
enum nvme_pel_rci {
	NVME_FIELD(PEL_RCI_RCPID, 0, 0xffff),	/* port that the context was established through */
	NVME_FIELD(PEL_RCI_RCPIT, 16, 0x3),	/* &enum nvme_pel_rci_rcpit */
	NVME_FIELD(PEL_RCI_RCE, 18, 0x1),	/* a context exists */
	NVME_FIELD(PEL_RCI_RSVD, 19, 0x1fff),	/* reserved */
};

/* Fields of Reporting Context Information. */
#define NVME_PEL_RCI_RCPID(rci) NVME_GET(rci, PEL_RCI_RCPID)
#define NVME_PEL_RCI_RCPIT(rci) NVME_GET(rci, PEL_RCI_RCPIT)
#define NVME_PEL_RCI_RCE(rci) NVME_GET(rci, PEL_RCI_RCE)
#define NVME_PEL_RCI_RSVD(rci) NVME_GET(rci, PEL_RCI_RSVD)

/**
 * enum nvme_pel_rci_rcpit - kinds of ports that establish a context; "Persistent Event Log Page"
 */
enum nvme_pel_rci_rcpit {
	NVME_PEL_RCI_RCPIT_NOT_EXIST = 0,	/* no context exists */
	NVME_PEL_RCI_RCPIT_EST_PORT = 1,	/* port of the subsystem */
	NVME_PEL_RCI_RCPIT_EST_ME = 2,		/* management endpoint */
};

/** enum nvme_persistent_event_types - types of persistent events; "Persistent Event Log Events" */
enum nvme_persistent_event_types {
	NVME_PEL_SMART_HEALTH_EVENT = 0x01,		/* &struct nvme_smart_log */
	NVME_PEL_FW_COMMIT_EVENT = 0x02,		/* &struct nvme_fw_commit_event */
	NVME_PEL_TIMESTAMP_EVENT = 0x03,		/* &struct nvme_time_stamp_change_event */
	NVME_PEL_POWER_ON_RESET_EVENT = 0x04,		/* &struct nvme_power_on_reset_info_list */
	NVME_PEL_NSS_HW_ERROR_EVENT = 0x05,		/* &struct nvme_nss_hw_err_event */
	NVME_PEL_CHANGE_NS_EVENT = 0x06,		/* &struct nvme_change_ns_event */
	NVME_PEL_FORMAT_START_EVENT = 0x07,		/* &struct nvme_format_nvm_start_event */
	NVME_PEL_FORMAT_COMPLETION_EVENT = 0x08,	/* &struct nvme_format_nvm_compln_event */
	NVME_PEL_SANITIZE_START_EVENT = 0x09,		/* &struct nvme_sanitize_start_event */
	NVME_PEL_SANITIZE_COMPLETION_EVENT = 0x0a,	/* sanitize completed */
	NVME_PEL_SET_FEATURE_EVENT = 0x0b,		/* &struct nvme_set_feature_event */
	NVME_PEL_TELEMETRY_CRT = 0x0c,			/* telemetry log created */
	NVME_PEL_THERMAL_EXCURSION_EVENT = 0x0d,	/* &struct nvme_thermal_exc_event */
	NVME_PEL_SANITIZE_MEDIA_VERIF_EVENT = 0x0e,	/* media verification */
	NVME_PEL_VENDOR_SPECIFIC_EVENT = 0xde,		/* vendor specific */
	NVME_PEL_TCG_DEFINED_EVENT = 0xdf,		/* defined by the TCG */
};

/** enum nvme_pel_ehai - Event Header Additional Information; "Persistent Event Log Event Format" */
enum nvme_pel_ehai {
	NVME_FIELD(PEL_EHAI_PIT, 0, 0x3),	/* &enum nvme_pel_ehai_pit */
	NVME_FIELD(PEL_EHAI_RSVD, 2, 0x3f),	/* reserved */
};

/* Fields of Event Header Additional Information. */
#define NVME_PEL_EHAI_PIT(ehai) NVME_GET(ehai, PEL_EHAI_PIT)
#define NVME_PEL_EHAI_RSVD(ehai) NVME_GET(ehai, PEL_EHAI_RSVD)

/**
 * enum nvme_pel_ehai_pit - kinds of ports that events are associated with; "Persistent Event Log
 * Event Format"
 */
enum nvme_pel_ehai_pit {
	NVME_PEL_EHAI_PIT_NOT_REPORTED = 0,	/* not reported */
	NVME_PEL_EHAI_PIT_NSS_PORT = 1,		/* port of the subsystem */
	NVME_PEL_EHAI_PIT_NMI_PORT = 2,		/* management endpoint */
	NVME_PEL_EHAI_PIT_NOT_ASSOCIATED = 3,	/* no port */
};

/**
 * struct nvme_persistent_event_log - Persistent Event log page header; "Persistent Event Log Page"
 *
 * Events follow, each with its own header.
 */
struct nvme_persistent_event_log {
	__u8 lid;			/* log page identifier */
	__u8 rsvd1[3];
	__le32 tnev;			/* number of events */
	__le64 tll;			/* bytes of the page in all */
	__u8 rv;			/* revision of the log */
	__u8 rsvd17;
	__le16 lhl;			/* bytes of the header that follow this field */
	__le64 ts;			/* timestamp, as in the Timestamp feature */
	__u8 poh[16];			/* power on hours, 128 bits */
	__le64 pcc;			/* power cycles */
	__le16 vid;			/* PCI vendor id */
	__le16 ssvid;			/* PCI subsystem vendor id */
	char sn[20];			/* serial number */
	char mn[40];			/* model number */
	char subnqn[NVME_NQN_LENGTH];	/* NQN of the subsystem */
	__le16 gen_number;		/* generation number */
	__le32 rci;			/* &enum nvme_pel_rci */
	__u8 rsvd378[102];
	__u8 seb[32];			/* supported events, one bit each */
} __attribute__((packed));

/**
 * struct nvme_persistent_event_entry - header of a persistent event; "Persistent Event Log Event
 * Format"
 */
struct nvme_persistent_event_entry {
	__u8 etype;	/* &enum nvme_persistent_event_types */
	__u8 etype_rev;	/* revision of the event type */
	__u8 ehl;	/* bytes of the header behind its first three */
	__u8 ehai;	/* &enum nvme_pel_ehai */
	__le16 cntlid;	/* controller */
	__le64 ets;	/* timestamp */
	__le16 pelpid;	/* port */
	__u8 rsvd16[4];
	__le16 vsil;	/* bytes of vendor specific information */
	__le16 el;	/* bytes of the event, vendor specific ones included */
} __attribute__((packed));

/** struct nvme_fw_commit_event - Firmware Commit event; "Firmware Commit Event" */
struct nvme_fw_commit_event {
	__le64 old_fw_rev;			/* revision before, ASCII */
	__le64 new_fw_rev;			/* revision afterwards, ASCII */
	__u8 fw_commit_action;			/* &enum nvme_fw_commit_ca */
	__u8 fw_slot;				/* slot */
	__u8 sct_fw;				/* status code type */
	__u8 sc_fw;				/* status code */
	__le16 vndr_assign_fw_commit_rc;	/* vendor's result code */
} __attribute__((packed));

/** struct nvme_time_stamp_change_event - Timestamp Change event; "Timestamp Change Event" */
struct nvme_time_stamp_change_event {
	__le64 previous_timestamp;	/* timestamp before */
	__le64 ml_secs_since_reset;	/* milliseconds since the last reset */
};

/**
 * struct nvme_power_on_reset_info_list - Controller Reset Information of a Power-on or Reset event;
 * "Power-on or Reset Event"
 *
 * The event begins with a firmware revision of 8 bytes, which a list of these follows.
 */
struct nvme_power_on_reset_info_list {
	__le16 cid;			/* controller */
	__u8 fw_act;			/* firmware was activated */
	__u8 op_in_prog;		/* an operation was in progress */
	__u8 rsvd4[12];
	__le32 ctrl_power_cycle;	/* power cycles */
	__le64 power_on_ml_seconds;	/* milliseconds powered on */
	__le64 ctrl_time_stamp;		/* timestamp */
} __attribute__((packed));

/**
 * struct nvme_nss_hw_err_event - "NVM Subsystem Hardware Error Event"
 *
 * The pointer is not part of the log page; it is kept for compatibility with libnvme 1.16. The
 * additional information follows the first four bytes.
 */
struct nvme_nss_hw_err_event {
	__le16 nss_hw_err_event_code;	/* what failed */
	__u8 rsvd2[2];
	__u8 *add_hw_err_info;		/* not filled in by the library */
};

/** struct nvme_change_ns_event - Change Namespace event; "Change Namespace Event" */
struct nvme_change_ns_event {
	__le32 nsmgt_cdw10;	/* command dword 10 of Namespace Management */
	__u8 rsvd4[4];
	__le64 nsze;		/* size in logical blocks */
	__u8 rsvd16[8];
	__le64 nscap;		/* capacity in logical blocks */
	__u8 flbas;		/* &enum nvme_id_ns_flbas */
	__u8 dps;		/* &enum nvme_id_ns_dps */
	__u8 nmic;		/* &enum nvme_id_ns_nmic */
	__u8 rsvd35;
	__le32 ana_grp_id;	/* ANA group */
	__le16 nvmset_id;	/* NVM set */
	__le16 rsvd42;
	__le32 nsid;		/* namespace */
};

/** struct nvme_format_nvm_start_event - Format NVM Start event; "Format NVM Start Event" */
struct nvme_format_nvm_start_event {
	__le32 nsid;			/* namespace */
	__u8 fna;			/* &enum nvme_id_ctrl_fna */
	__u8 rsvd5[3];
	__le32 format_nvm_cdw10;	/* command dword 10 of Format NVM */
};

/** struct nvme_format_nvm_compln_event - "Format NVM Completion Event" */
struct nvme_format_nvm_compln_event {
	__le32 nsid;		/* namespace */
	__u8 smallest_fpi;	/* smallest progress that was reported */
	__u8 format_nvm_status;	/* how it ended */
	__le16 compln_info;	/* vendor's completion information */
	__le32 status_field;	/* status of the command */
};

/** struct nvme_sanitize_start_event - Sanitize Start event; "Sanitize Start Event" */
struct nvme_sanitize_start_event {
	__le32 sani_cap;	/* &enum nvme_id_ctrl_sanicap */
	__le32 sani_cdw10;	/* command dword 10 of Sanitize */
	__le32 sani_cdw11;	/* command dword 11 of Sanitize */
};

/** struct nvme_sanitize_compln_event - Sanitize Completion event; "Sanitize Completion Event" */
struct nvme_sanitize_compln_event {
	__le16 sani_prog;	/* progress, in parts of 65536 */
	__le16 sani_status;	/* &enum nvme_sanitize_sstat */
	__le16 cmpln_info;	/* vendor's completion information */
	__u8 rsvd6[2];
};

/** enum nvme_set_feat_event_layout - layout of a Set Feature event; "Set Feature Event" */
enum nvme_set_feat_event_layout {
	NVME_FIELD(SET_FEAT_EVENT_DW_COUNT, 0, 0x7),		/* number of command dwords */
	NVME_FIELD(SET_FEAT_EVENT_CC_DW0, 3, 0x1),		/* completion dword 0 is there */
	NVME_FIELD(SET_FEAT_EVENT_MB_COUNT, 16, 0xffff),	/* bytes of the memory buffer */
};

/* Fields of the layout word of a Set Feature event. */
#define NVME_SET_FEAT_EVENT_DW_COUNT(layout) NVME_GET(layout, SET_FEAT_EVENT_DW_COUNT)
#define NVME_SET_FEAT_EVENT_CC_DW0(layout) NVME_GET(layout, SET_FEAT_EVENT_CC_DW0)
#define NVME_SET_FEAT_EVENT_MB_COUNT(layout) NVME_GET(layout, SET_FEAT_EVENT_MB_COUNT)

/** struct nvme_set_feature_event - Set Feature event; "Set Feature Event" */
struct nvme_set_feature_event {
	__le32 layout;		/* &enum nvme_set_feat_event_layout */
	__le32 cdw_mem[0];	/* command dwords, memory buffer, completion dword 0 */
};

/** struct nvme_thermal_exc_event - Thermal Excursion event; "Thermal Excursion Event" */
struct nvme_thermal_exc_event {
	__u8 over_temp;	/* kelvin beyond the threshold */
	__u8 threshold;	/* crossed threshold */
};

#endif /* _LIBNVME_TYPES_LOG_EVENT_H */
