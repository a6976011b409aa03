/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log pages about tests, telemetry, sanitizing, lockdown and reservations.
 */
#ifndef _LIBNVME_TYPES_LOG_TEST_H
#define _LIBNVME_TYPES_LOG_TEST_H

#include "base.h"

enum nvme_status_result {
	NVME_ST_RESULT_NO_ERR = 0x00,
	NVME_ST_RESULT_ABORTED = 0x01,
	NVME_ST_RESULT_CLR = 0x02,
	NVME_ST_RESULT_NS_REMOVED = 0x03,
	NVME_ST_RESULT_ABORTED_FORMAT = 0x04,
	NVME_ST_RESULT_FATAL_ERR = 0x05,
	NVME_ST_RESULT_UNKNOWN_SEG_FAIL = 0x06,
	NVME_ST_RESULT_KNOWN_SEG_FAIL = 0x07,
	NVME_ST_RESULT_ABORTED_UNKNOWN = 0x08,
	NVME_ST_RESULT_ABORTED_SANITIZE = 0x09,
	NVME_ST_RESULT_NOT_USED = 0x0f,
	NVME_ST_RESULT_MASK = 0xf,
};

enum nvme_st_code {
	NVME_ST_CODE_SHIFT = 4,
	NVME_ST_CODE_RESERVED = 0x00,
	NVME_ST_CODE_SHORT = 0x01,
	NVME_ST_CODE_EXTENDED = 0x02,
	NVME_ST_CODE_HOST_INIT = 0x03,
	NVME_ST_CODE_VS = 0x0e,
	NVME_ST_CODE_ABORT = 0x0f,
};

enum nvme_st_curr_op {
	NVME_ST_CURR_OP_NOT_RUNNING = 0x00,
	NVME_ST_CURR_OP_SHORT = 0x01,
	NVME_ST_CURR_OP_EXTENDED = 0x02,
	NVME_ST_CURR_OP_VS = 0x0e,
	NVME_ST_CURR_OP_RESERVED = 0x0f,
	NVME_ST_CURR_OP_MASK = 0xf,
	NVME_ST_CURR_OP_CMPL_MASK = 0x7f,
};

enum nvme_st_valid_diag_info {
	NVME_ST_VALID_DIAG_INFO_NSID = 1 << 0,
	NVME_ST_VALID_DIAG_INFO_FLBA = 1 << 1,
	NVME_ST_VALID_DIAG_INFO_SCT = 1 << 2,
	NVME_ST_VALID_DIAG_INFO_SC = 1 << 3,
};

struct nvme_st_result {
	__u8 dsts;
	__u8 seg;
	__u8 vdi;
	__u8 rsvd;
	__le64 poh;
	__le32 nsid;
	__le64 flba;
	__u8 sct;
	__u8 sc;
	__u8 vs[2];
} __attribute__((packed));

struct nvme_self_test_log {
	__u8 current_operation;
	__u8 completion;
	__u8 rsvd[2];
	struct nvme_st_result result[NVME_LOG_ST_MAX_RESULTS];
};

enum nvme_cmd_get_log_telemetry_host_lsp {
	NVME_LOG_TELEM_HOST_LSP_RETAIN = 0,
	NVME_LOG_TELEM_HOST_LSP_CREATE = 1,
};

enum nvme_telemetry_da {
	NVME_TELEMETRY_DA_CTRL_DETERMINE = 0,
	NVME_TELEMETRY_DA_1 = 1,
	NVME_TELEMETRY_DA_2 = 2,
	NVME_TELEMETRY_DA_3 = 3,
	NVME_TELEMETRY_DA_4 = 4,
};

struct nvme_telemetry_log {
	__u8 lpi;
	__u8 rsvd1[4];
	__u8 ieee[3];
	__le16 dalb1;
	__le16 dalb2;
	__le16 dalb3;
	__u8 rsvd14[2];
	__le32 dalb4;
	__u8 rsvd20[360];
	__u8 ths;
	union {
		__u8 hostdgn;
		__u8 tcs;
	};
	__u8 ctrlavail;
	__u8 ctrldgn;
	__u8 rsnident[128];
	__u8 data_area[];
};

enum nvme_sanitize_sstat {
	NVME_SANITIZE_SSTAT_STATUS_SHIFT = 0,
	NVME_SANITIZE_SSTAT_STATUS_MASK = 0x7,
	NVME_SANITIZE_SSTAT_STATUS_NEVER_SANITIZED = 0x0000,
	NVME_SANITIZE_SSTAT_STATUS_COMPLETE_SUCCESS = 0x0001,
	NVME_SANITIZE_SSTAT_STATUS_IN_PROGESS = 0x0002,
	NVME_SANITIZE_SSTAT_STATUS_COMPLETED_FAILED = 0x0003,
	NVME_SANITIZE_SSTAT_STATUS_ND_COMPLETE_SUCCESS = 0x0004,
	NVME_SANITIZE_SSTAT_COMPLETED_PASSES_SHIFT = 3,
	NVME_SANITIZE_SSTAT_COMPLETED_PASSES_MASK = 0x1f,
	NVME_SANITIZE_SSTAT_GLOBAL_DATA_ERASED_SHIFT = 8,
	NVME_SANITIZE_SSTAT_GLOBAL_DATA_ERASED_MASK = 0x1,
	NVME_SANITIZE_SSTAT_GLOBAL_DATA_ERASED = 0x0100,
	NVME_SANITIZE_SSTAT_MVCNCLD_SHIFT = 9,
	NVME_SANITIZE_SSTAT_MVCNCLD_MASK = 0x1,
};

enum nvme_sanitize_ssi {
	NVME_SANITIZE_SSI_SANS_SHIFT = 0,
	NVME_SANITIZE_SSI_SANS_MASK = 0xf,
	NVME_SANITIZE_SSI_FAILS_SHIFT = 4,
	NVME_SANITIZE_SSI_FAILS_MASK = 0xf,
	NVME_SANITIZE_SSI_IDLE = 0,
	NVME_SANITIZE_SSI_RESTRICT_PROCESSING = 1,
	NVME_SANITIZE_SSI_RESTRICT_FAILURE = 2,
	NVME_SANITIZE_SSI_UNRESTRICT_PROCESSING = 3,
	NVME_SANITIZE_SSI_UNRESTRICT_FAILURE = 4,
	NVME_SANITIZE_SSI_MEDIA_VERIFICATION = 5,
	NVME_SANITIZE_SSI_POST_VERIF_DEALLOC = 6,
};

struct nvme_sanitize_log_page {
	__le16 sprog;
	__le16 sstat;
	__le32 scdw10;
	__le32 eto;
	__le32 etbe;
	__le32 etce;
	__le32 etond;
	__le32 etbend;
	__le32 etcend;
	__le32 etpvds;
	__u8 ssi;
	__u8 rsvd37[475];
};

enum nvme_lockdown_log_scope {
	NVME_LOCKDOWN_ADMIN_CMD = 0,
	NVME_LOCKDOWN_FEATURE_ID = 2,
	NVME_LOCKDOWN_MI_CMD_SET = 3,
	NVME_LOCKDOWN_PCI_CMD_SET = 4,
};

enum nvme_lockdown_log_contents {
	NVME_LOCKDOWN_SUPPORTED_CMD = 0,
	NVME_LOCKDOWN_PROHIBITED_CMD = 1,
	NVME_LOCKDOWN_PROHIBITED_OUTOFBAND_CMD = 2,
};

enum nvme_lockdown_scope_contents {
	NVME_LOCKDOWN_SS_SHIFT = 0,
	NVME_LOCKDOWN_SS_MASK = 0xf,
	NVME_LOCKDOWN_CS_SHIFT = 4,
	NVME_LOCKDOWN_CS_MASK = 0x3,
};

struct nvme_lockdown_log {
	__u8 cfila;
	__u8 rsvd1[2];
	__u8 lngth;
	__u8 cfil[508];
};

enum nvme_resv_notify_rnlpt {
	NVME_RESV_NOTIFY_RNLPT_EMPTY = 0,
	NVME_RESV_NOTIFY_RNLPT_REGISTRATION_PREEMPTED = 1,
	NVME_RESV_NOTIFY_RNLPT_RESERVATION_RELEASED = 2,
	NVME_RESV_NOTIFY_RNLPT_RESERVATION_PREEMPTED = 3,
};

struct nvme_resv_notification_log {
	__le64 lpc;
	__u8 rnlpt;
	__u8 nalp;
	__u8 rsvd9[2];
	__le32 nsid;
	__u8 rsvd16[48];
};

#endif /* _LIBNVME_TYPES_LOG_TEST_H */
