/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log pages about tests, telemetry, sanitizing, lockdown and reservations.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_LOG_TEST_H
#define _LIBNVME_TYPES_LOG_TEST_H

#include "base.h"

/** enum nvme_status_result - results of a self-test; "Self-test Result Data Structure" */
enum nvme_status_result {
	NVME_ST_RESULT_NO_ERR = 0x00,		/* completed without error */
	NVME_ST_RESULT_ABORTED = 0x01,		/* aborted by the Device Self-test command */
	NVME_ST_RESULT_CLR = 0x02,		/* aborted by a controller level reset */
	NVME_ST_RESULT_NS_REMOVED = 0x03,	/* aborted as a namespace was removed */
	NVME_ST_RESULT_ABORTED_FORMAT = 0x04,	/* aborted by Format NVM */
	NVME_ST_RESULT_FATAL_ERR = 0x05,	/* a fatal error ended it */
	NVME_ST_RESULT_UNKNOWN_SEG_FAIL = 0x06,	/* a segment failed, not known which */
	NVME_ST_RESULT_KNOWN_SEG_FAIL = 0x07,	/* the segment in seg failed */
	NVME_ST_RESULT_ABORTED_UNKNOWN = 0x08,	/* aborted for an unknown reason */
	NVME_ST_RESULT_ABORTED_SANITIZE = 0x09,	/* aborted by a sanitize operation */
	NVME_ST_RESULT_NOT_USED = 0x0f,		/* the entry is not used */
	NVME_ST_RESULT_MASK = 0xf,		/* the field in dsts */
};

/** enum nvme_st_code - self-test codes; "Self-test Result Data Structure" */
enum nvme_st_code {
	NVME_ST_CODE_SHIFT = 4,		/* position of the code in dsts */
	NVME_ST_CODE_RESERVED = 0x00,	/* reserved */
	NVME_ST_CODE_SHORT = 0x01,	/* short self-test */
	NVME_ST_CODE_EXTENDED = 0x02,	/* extended self-test */
	NVME_ST_CODE_HOST_INIT = 0x03,	/* host-initiated refresh */
	NVME_ST_CODE_VS = 0x0e,		/* vendor specific */
	NVME_ST_CODE_ABORT = 0x0f,	/* abort the self-test */
};

/** enum nvme_st_curr_op - self-test in progress; "Device Self-test Log Page" */
enum nvme_st_curr_op {
	NVME_ST_CURR_OP_NOT_RUNNING = 0x00,	/* none */
	NVME_ST_CURR_OP_SHORT = 0x01,		/* short self-test */
	NVME_ST_CURR_OP_EXTENDED = 0x02,	/* extended self-test */
	NVME_ST_CURR_OP_VS = 0x0e,		/* vendor specific */
	NVME_ST_CURR_OP_RESERVED = 0x0f,	/* reserved */
	NVME_ST_CURR_OP_MASK = 0xf,		/* the field in current_operation */
	NVME_ST_CURR_OP_CMPL_MASK = 0x7f,	/* the percentage in completion */
};

/**
 * enum nvme_st_valid_diag_info - valid fields of a self-test result; "Self-test Result Data
 * Structure"
 */
enum nvme_st_valid_diag_info {
	NVME_ST_VALID_DIAG_INFO_NSID = 1 << 0,	/* nsid is valid */
	NVME_ST_VALID_DIAG_INFO_FLBA = 1 << 1,	/* flba is valid */
	NVME_ST_VALID_DIAG_INFO_SCT = 1 << 2,	/* sct is valid */
	NVME_ST_VALID_DIAG_INFO_SC = 1 << 3,	/* sc is valid */
};

/** struct nvme_st_result - Self-test Result data structure; "Self-test Result Data Structure" */
struct nvme_st_result {
	__u8 dsts;	/* result in bits 3:0, code in bits 7:4 */
	__u8 seg;	/* segment that failed */
	__u8 vdi;	/* &enum nvme_st_valid_diag_info */
	__u8 rsvd;
	__le64 poh;	/* power on hours when it ended */
	__le32 nsid;	/* namespace in error */
	__le64 flba;	/* first failing logical block */
	__u8 sct;	/* status code type of the failure */
	__u8 sc;	/* status code of the failure */
	__u8 vs[2];	/* vendor specific */
} __attribute__((packed));

/** struct nvme_self_test_log - Device Self-test log page; "Device Self-test Log Page" */
struct nvme_self_test_log {
	__u8 current_operation;			/* &enum nvme_st_curr_op */
	__u8 completion;			/* percentage of the self-test in progress */
	__u8 rsvd[2];
	struct nvme_st_result result[NVME_LOG_ST_MAX_RESULTS];	/* results, the newest first */
};

/**
 * enum nvme_cmd_get_log_telemetry_host_lsp - whether to take a new telemetry snapshot; "Telemetry
 * Host-Initiated Log Page"
 */
enum nvme_cmd_get_log_telemetry_host_lsp {
	NVME_LOG_TELEM_HOST_LSP_RETAIN = 0,	/* read what was captured before */
	NVME_LOG_TELEM_HOST_LSP_CREATE = 1,	/* capture a new one */
};

/** enum nvme_telemetry_da - telemetry data areas; "Telemetry Host-Initiated Log Page" */
enum nvme_telemetry_da {
	NVME_TELEMETRY_DA_CTRL_DETERMINE = 0,	/* the controller chooses */
	NVME_TELEMETRY_DA_1 = 1,		/* area 1, the shortest */
	NVME_TELEMETRY_DA_2 = 2,		/* areas 1 and 2 */
	NVME_TELEMETRY_DA_3 = 3,		/* areas 1 to 3 */
	NVME_TELEMETRY_DA_4 = 4,		/* areas 1 to 4 */
};

/**
 * struct nvme_telemetry_log - telemetry log pages, host-initiated and controller-initiated;
 * "Telemetry Host-Initiated Log Page"
 *
 * Data area n begins after area n - 1 and ends with block dalb n.
 */
struct nvme_telemetry_log {
	__u8 lpi;		/* log page identifier */
	__u8 rsvd1[4];
	__u8 ieee[3];		/* IEEE OUI of the vendor that can interpret the data */
	__le16 dalb1;		/* last block of data area 1, units of 512 bytes */
	__le16 dalb2;		/* last block of data area 2 */
	__le16 dalb3;		/* last block of data area 3 */
	__u8 rsvd14[2];
	__le32 dalb4;		/* last block of data area 4 */
	__u8 rsvd20[360];
	__u8 ths;		/* scope of host-initiated data */
	union {
		__u8 hostdgn;	/* host-initiated: generation of the data */
		__u8 tcs;	/* controller-initiated: scope of the data */
	};
	__u8 ctrlavail;		/* controller-initiated data is available */
	__u8 ctrldgn;		/* generation of controller-initiated data */
	__u8 rsnident[128];	/* reason identifier, vendor specific */
	__u8 data_area[];	/* data areas 1 to 4 */
};

/** enum nvme_sanitize_sstat - Sanitize Status; "Sanitize Status Log Page" */
enum nvme_sanitize_sstat {
	NVME_FIELD(SANITIZE_SSTAT_STATUS, 0, 0x7),		/* most recent sanitize operation */
	NVME_SANITIZE_SSTAT_STATUS_NEVER_SANITIZED = 0,		/* never sanitized */
	NVME_SANITIZE_SSTAT_STATUS_COMPLETE_SUCCESS = 1,	/* completed */
	NVME_SANITIZE_SSTAT_STATUS_IN_PROGESS = 2,		/* in progress */
	NVME_SANITIZE_SSTAT_STATUS_COMPLETED_FAILED = 3,	/* failed */
	NVME_SANITIZE_SSTAT_STATUS_ND_COMPLETE_SUCCESS = 4,	/* kept allocated */
	NVME_FIELD(SANITIZE_SSTAT_COMPLETED_PASSES, 3, 0x1f),	/* overwrite passes completed */
	NVME_FIELD(SANITIZE_SSTAT_GLOBAL_DATA_ERASED, 8, 0x1),	/* no user data was written since */
	NVME_SANITIZE_SSTAT_GLOBAL_DATA_ERASED = 1 << 8,
	NVME_FIELD(SANITIZE_SSTAT_MVCNCLD, 9, 0x1),		/* verification cancelled */
};

/** enum nvme_sanitize_ssi - Sanitize State Information; "Sanitize Status Log Page" */
enum nvme_sanitize_ssi {
	NVME_FIELD(SANITIZE_SSI_SANS, 0, 0xf),		/* state of the sanitize operation */
	NVME_FIELD(SANITIZE_SSI_FAILS, 4, 0xf),		/* state in which it failed */
	NVME_SANITIZE_SSI_IDLE = 0,			/* idle */
	NVME_SANITIZE_SSI_RESTRICT_PROCESSING = 1,	/* restricted, processing */
	NVME_SANITIZE_SSI_RESTRICT_FAILURE = 2,		/* restricted, failed */
	NVME_SANITIZE_SSI_UNRESTRICT_PROCESSING = 3,	/* unrestricted, processing */
	NVME_SANITIZE_SSI_UNRESTRICT_FAILURE = 4,	/* unrestricted, failed */
	NVME_SANITIZE_SSI_MEDIA_VERIFICATION = 5,	/* media verification */
	NVME_SANITIZE_SSI_POST_VERIF_DEALLOC = 6,	/* deallocation after verification */
};

/**
 * struct nvme_sanitize_log_page - "Sanitize Status Log Page"
 *
 * Estimates are in seconds; ffffffffh means no estimate.
 */
struct nvme_sanitize_log_page {
	__le16 sprog;	/* progress, in parts of 65536 */
	__le16 sstat;	/* &enum nvme_sanitize_sstat */
	__le32 scdw10;	/* command dword 10 of the Sanitize command */
	__le32 eto;	/* estimate of an overwrite */
	__le32 etbe;	/* estimate of a block erase */
	__le32 etce;	/* estimate of a crypto erase */
	__le32 etond;	/* estimate of an overwrite without deallocation */
	__le32 etbend;	/* estimate of a block erase without deallocation */
	__le32 etcend;	/* estimate of a crypto erase without deallocation */
	__le32 etpvds;	/* estimate of deallocation after verification */
	__u8 ssi;	/* &enum nvme_sanitize_ssi */
	__u8 rsvd37[475];
};

/**
 * enum nvme_lockdown_log_scope - scopes of the lockdown log page; "Command and Feature Lockdown Log
 * Page"
 */
enum nvme_lockdown_log_scope {
	NVME_LOCKDOWN_ADMIN_CMD = 0,	/* opcodes of Admin commands */
	NVME_LOCKDOWN_FEATURE_ID = 2,	/* feature identifiers */
	NVME_LOCKDOWN_MI_CMD_SET = 3,	/* opcodes of the NVMe-MI command set */
	NVME_LOCKDOWN_PCI_CMD_SET = 4,	/* opcodes of PCIe commands */
};

/**
 * enum nvme_lockdown_log_contents - contents of the lockdown log page; "Command and Feature
 * Lockdown Log Page"
 */
enum nvme_lockdown_log_contents {
	NVME_LOCKDOWN_SUPPORTED_CMD = 0,		/* commands that can be prohibited */
	NVME_LOCKDOWN_PROHIBITED_CMD = 1,		/* commands prohibited on Admin queues */
	NVME_LOCKDOWN_PROHIBITED_OUTOFBAND_CMD = 2,	/* commands prohibited out of band */
};

/** enum nvme_lockdown_scope_contents - fields of cfila; "Command and Feature Lockdown Log Page" */
enum nvme_lockdown_scope_contents {
	NVME_FIELD(LOCKDOWN_SS, 0, 0xf),	/* &enum nvme_lockdown_log_scope */
	NVME_FIELD(LOCKDOWN_CS, 4, 0x3),	/* &enum nvme_lockdown_log_contents */
};

/** struct nvme_lockdown_log - "Command and Feature Lockdown Log Page" */
struct nvme_lockdown_log {
	__u8 cfila;	/* &enum nvme_lockdown_scope_contents */
	__u8 rsvd1[2];
	__u8 lngth;	/* bytes of cfil */
	__u8 cfil[508];	/* command opcodes or feature identifiers */
};

/** enum nvme_resv_notify_rnlpt - reservation notifications; "Reservation Notification Log Page" */
enum nvme_resv_notify_rnlpt {
	NVME_RESV_NOTIFY_RNLPT_EMPTY = 0,			/* no notification */
	NVME_RESV_NOTIFY_RNLPT_REGISTRATION_PREEMPTED = 1,	/* a registration was preempted */
	NVME_RESV_NOTIFY_RNLPT_RESERVATION_RELEASED = 2,	/* a reservation was released */
	NVME_RESV_NOTIFY_RNLPT_RESERVATION_PREEMPTED = 3,	/* a reservation was preempted */
};

/** struct nvme_resv_notification_log - "Reservation Notification Log Page" */
struct nvme_resv_notification_log {
	__le64 lpc;	/* number of the page, 0 if empty */
	__u8 rnlpt;	/* &enum nvme_resv_notify_rnlpt */
	__u8 nalp;	/* number of pages left */
	__u8 rsvd9[2];
	__le32 nsid;	/* namespace */
	__u8 rsvd16[48];
};

#endif /* _LIBNVME_TYPES_LOG_TEST_H */
