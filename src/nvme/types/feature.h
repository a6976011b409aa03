/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Get Features and Set Features: identifiers, fields and values.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_FEATURE_H
#define _LIBNVME_TYPES_FEATURE_H

#include "base.h"

/** enum nvme_features_id - feature identifiers; "Feature Identifiers" */
enum nvme_features_id {
	NVME_FEAT_FID_ARBITRATION = 0x01,		/* Arbitration */
	NVME_FEAT_FID_POWER_MGMT = 0x02,		/* Power Management */
	NVME_FEAT_FID_LBA_RANGE = 0x03,			/* LBA Range Type */
	NVME_FEAT_FID_TEMP_THRESH = 0x04,		/* Temperature Threshold */
	NVME_FEAT_FID_ERR_RECOVERY = 0x05,		/* Error Recovery */
	NVME_FEAT_FID_VOLATILE_WC = 0x06,		/* Volatile Write Cache */
	NVME_FEAT_FID_NUM_QUEUES = 0x07,		/* Number of Queues */
	NVME_FEAT_FID_IRQ_COALESCE = 0x08,		/* Interrupt Coalescing */
	NVME_FEAT_FID_IRQ_CONFIG = 0x09,		/* Interrupt Vector Configuration */
	NVME_FEAT_FID_WRITE_ATOMIC = 0x0a,		/* Write Atomicity Normal */
	NVME_FEAT_FID_ASYNC_EVENT = 0x0b,		/* Asynchronous Event Configuration */
	NVME_FEAT_FID_AUTO_PST = 0x0c,			/* Autonomous Power State Transition */
	NVME_FEAT_FID_HOST_MEM_BUF = 0x0d,		/* Host Memory Buffer */
	NVME_FEAT_FID_TIMESTAMP = 0x0e,			/* Timestamp */
	NVME_FEAT_FID_KATO = 0x0f,			/* Keep Alive Timer */
	NVME_FEAT_FID_HCTM = 0x10,			/* Host Controlled Thermal Management */
	NVME_FEAT_FID_NOPSC = 0x11,			/* Non-Operational Power State Config */
	NVME_FEAT_FID_RRL = 0x12,			/* Read Recovery Level Config */
	NVME_FEAT_FID_PLM_CONFIG = 0x13,		/* Predictable Latency Mode Config */
	NVME_FEAT_FID_PLM_WINDOW = 0x14,		/* Predictable Latency Mode Window */
	NVME_FEAT_FID_LBA_STS_INTERVAL = 0x15,		/* LBA Status Information Attributes */
	NVME_FEAT_FID_HOST_BEHAVIOR = 0x16,		/* Host Behavior Support */
	NVME_FEAT_FID_SANITIZE = 0x17,			/* Sanitize Config */
	NVME_FEAT_FID_ENDURANCE_EVT_CFG = 0x18,		/* Endurance Group Event Configuration */
	NVME_FEAT_FID_IOCS_PROFILE = 0x19,		/* I/O Command Set Profile */
	NVME_FEAT_FID_SPINUP_CONTROL = 0x1a,		/* Spinup Control */
	NVME_FEAT_FID_POWER_LOSS_SIGNAL = 0x1b,		/* Power Loss Signaling Config */
	NVME_FEAT_FID_PERF_CHARACTERISTICS = 0x1c,	/* Performance Characteristics */
	NVME_FEAT_FID_FDP = 0x1d,			/* Flexible Data Placement */
	NVME_FEAT_FID_FDP_EVENTS = 0x1e,		/* Flexible Data Placement Events */
	NVME_FEAT_FID_NS_ADMIN_LABEL = 0x1f,		/* Namespace Admin Label */
	NVME_FEAT_FID_KEY_VALUE = 0x20,			/* Key Value Configuration */
	NVME_FEAT_FID_CTRL_DATA_QUEUE = 0x21,		/* Controller Data Queue */
	NVME_FEAT_FID_EMB_MGMT_CTRL_ADDR = 0x78,	/* Embedded Management Controller Address */
	NVME_FEAT_FID_HOST_MGMT_AGENT_ADDR = 0x79,	/* Host Management Agent Address */
	NVME_FEAT_FID_ENH_CTRL_METADATA = 0x7d,		/* Enhanced Controller Metadata */
	NVME_FEAT_FID_CTRL_METADATA = 0x7e,		/* Controller Metadata */
	NVME_FEAT_FID_NS_METADATA = 0x7f,		/* Namespace Metadata */
	NVME_FEAT_FID_SW_PROGRESS = 0x80,		/* Software Progress Marker */
	NVME_FEAT_FID_HOST_ID = 0x81,			/* Host Identifier */
	NVME_FEAT_FID_RESV_MASK = 0x82,			/* Reservation Notification Mask */
	NVME_FEAT_FID_RESV_PERSIST = 0x83,		/* Reservation Persistence */
	NVME_FEAT_FID_WRITE_PROTECT = 0x84,		/* Namespace Write Protection Config */
	NVME_FEAT_FID_BP_WRITE_PROTECT = 0x85,		/* Boot Partition Write Protection Config */
};

/** enum nvme_get_features_sel - value of a feature to get; "Get Features command" */
enum nvme_get_features_sel {
	NVME_GET_FEATURES_SEL_CURRENT = 0,	/* current */
	NVME_GET_FEATURES_SEL_DEFAULT = 1,	/* default */
	NVME_GET_FEATURES_SEL_SAVED = 2,	/* saved */
	NVME_GET_FEATURES_SEL_SUPPORTED = 3,	/* saveable, per namespace, changeable */
};

/**
 * enum nvme_feat - fields of feature values; "Feature Specific Information"
 *
 * In the order of the feature identifiers. The value is command dword 11 of Set Features and
 * completion dword 0 of Get Features unless noted otherwise.
 */
enum nvme_feat {
	NVME_FIELD(FEAT_ARBITRATION_BURST, 0, 0x7),	/* Arbitration: burst, 2^n commands */
	NVME_FIELD(FEAT_ARBITRATION_LPW, 8, 0xff),	/* Arbitration: low weight, 0's based */
	NVME_FIELD(FEAT_ARBITRATION_MPW, 16, 0xff),	/* Arbitration: medium weight, 0's based */
	NVME_FIELD(FEAT_ARBITRATION_HPW, 24, 0xff),	/* Arbitration: high weight, 0's based */
	NVME_FIELD(FEAT_PWRMGMT_PS, 0, 0x1f),	/* Power Management: power state */
	NVME_FIELD(FEAT_PWRMGMT_WH, 5, 0x7),	/* Power Management: workload hint */
	NVME_FIELD(FEAT_LBAR_NR, 0, 0x3f),	/* LBA Range Type: number of ranges, 0's based */
	NVME_FIELD(FEAT_TT_TMPTH, 0, 0xffff),	/* Temperature Threshold: kelvin */
	NVME_FIELD(FEAT_TT_TMPSEL, 16, 0xf),	/* Temperature Threshold: sensor, 0 composite */
	NVME_FIELD(FEAT_TT_THSEL, 20, 0x3),	/* &enum nvme_feat_tmpthresh_thsel */
	NVME_FIELD(FEAT_TT_TMPTHH, 22, 0x7),	/* Temperature Threshold: hysteresis in kelvin */
	NVME_FIELD(FEAT_ERROR_RECOVERY_TLER, 0, 0xffff),	/* Error Recovery: limit, 100 ms */
	NVME_FIELD(FEAT_ERROR_RECOVERY_DULBE, 16, 0x1),	/* Error Recovery: deallocated fail */
	NVME_FIELD(FEAT_VWC_WCE, 0, 0x1),	/* Volatile Write Cache: enable */
	NVME_FIELD(FEAT_NRQS_NSQR, 0, 0xffff),	/* Number of Queues: submission queues, 0's based */
	NVME_FIELD(FEAT_NRQS_NCQR, 16, 0xffff),	/* Number of Queues: completion queues, 0's based */
	NVME_FIELD(FEAT_IRQC_THR, 0, 0xff),	/* Interrupt Coalescing: completions, 0's based */
	NVME_FIELD(FEAT_IRQC_TIME, 8, 0xff),	/* Interrupt Coalescing: units of 100 us */
	NVME_FIELD(FEAT_ICFG_IV, 0, 0xffff),	/* Interrupt Vector: vector */
	NVME_FIELD(FEAT_ICFG_CD, 16, 0x1),	/* Interrupt Vector: do not coalesce */
	NVME_FIELD(FEAT_WA_DN, 0, 0x1),		/* Write Atomicity: ignore AWUN and NAWUN */
	NVME_FIELD(FEAT_AE_SMART, 0, 0xff),	/* Asynchronous Events: critical warnings */
	NVME_FIELD(FEAT_AE_NAN, 8, 0x1),	/* Asynchronous Events: attached namespaces */
	NVME_FIELD(FEAT_AE_FW, 9, 0x1),		/* Asynchronous Events: firmware activation */
	NVME_FIELD(FEAT_AE_TELEM, 10, 0x1),	/* Asynchronous Events: telemetry */
	NVME_FIELD(FEAT_AE_ANA, 11, 0x1),	/* Asynchronous Events: ANA change */
	NVME_FIELD(FEAT_AE_PLA, 12, 0x1),	/* Asynchronous Events: predictable latency */
	NVME_FIELD(FEAT_AE_LBAS, 13, 0x1),	/* Asynchronous Events: LBA status */
	NVME_FIELD(FEAT_AE_EGA, 14, 0x1),	/* Asynchronous Events: endurance groups */
	NVME_FIELD(FEAT_AE_NNSSHDN, 15, 0x1),	/* Asynchronous Events: subsystem shutdown */
	NVME_FIELD(FEAT_AE_TTHRY, 16, 0x1),	/* Asynchronous Events: temperature recovery */
	NVME_FIELD(FEAT_AE_RASSN, 17, 0x1),	/* Asynchronous Events: reachability associations */
	NVME_FIELD(FEAT_AE_RGRP0, 18, 0x1),	/* Asynchronous Events: reachability groups */
	NVME_FIELD(FEAT_AE_ANSAN, 19, 0x1),	/* Asynchronous Events: allocated namespaces */
	NVME_FIELD(FEAT_AE_ZDCN, 27, 0x1),	/* Asynchronous Events: zone descriptors */
	NVME_FIELD(FEAT_AE_PMDRLPCN, 28, 0x1),	/* Asynchronous Events: pull model DDC request */
	NVME_FIELD(FEAT_AE_ADLPCN, 29, 0x1),	/* Asynchronous Events: AVE discovery */
	NVME_FIELD(FEAT_AE_HDLPCN, 30, 0x1),	/* Asynchronous Events: host discovery */
	NVME_FIELD(FEAT_AE_DLPCN, 31, 0x1),	/* Asynchronous Events: discovery */
	NVME_FIELD(FEAT_APST_APSTE, 0, 0x1),	/* Autonomous Power State Transition: enable */
	NVME_FIELD(FEAT_HMEM_EHM, 0, 0x1),	/* Host Memory Buffer: enable */
	NVME_FIELD(FEAT_HCTM_TMT2, 0, 0xffff),	/* Thermal Management: temperature 2 in kelvin */
	NVME_FIELD(FEAT_HCTM_TMT1, 16, 0xffff),	/* Thermal Management: temperature 1 in kelvin */
	NVME_FIELD(FEAT_NOPS_NOPPME, 0, 0x1),	/* Non-Operational Power State: permissive mode */
	NVME_FIELD(FEAT_RRL_RRL, 0, 0xff),	/* Read Recovery Level: level */
	NVME_FIELD(FEAT_PLM_PLME, 0, 0x1),	/* Predictable Latency Mode: enable */
	NVME_FIELD(FEAT_PLMW_WS, 0, 0x7),	/* &enum nvme_feat_plm_window_select */
	NVME_FIELD(FEAT_LBAS_LSIRI, 0, 0xffff),	/* LBA Status: report interval, 100 ms */
	NVME_FIELD(FEAT_LBAS_LSIPI, 16, 0xffff),	/* LBA Status: poll interval, 100 ms */
	NVME_FIELD(FEAT_SC_NODRM, 0, 0x1),	/* Sanitize: "no deallocate" warns, does not fail */
	NVME_FIELD(FEAT_EG_ENDGID, 0, 0xffff),	/* Endurance Group Events: group */
	NVME_FIELD(FEAT_EG_EGCW, 16, 0xff),	/* Endurance Group Events: critical warnings */
	NVME_FIELD(FEAT_FDPE_PHNDL, 0, 0xffff),	/* FDP Events: placement handle */
	NVME_FIELD(FEAT_FDPE_NOET, 16, 0xff),	/* FDP Events: number of event types */
	NVME_FIELD(FEAT_SPM_PBSLC, 0, 0xff),	/* Software Progress: pre-boot load count */
	NVME_FIELD(FEAT_HOSTID_EXHID, 0, 0x1),	/* Host Identifier: 128 bits */
	NVME_FIELD(FEAT_RM_REGPRE, 1, 0x1),	/* Reservation Mask: registration preempted */
	NVME_FIELD(FEAT_RM_RESREL, 2, 0x1),	/* Reservation Mask: reservation released */
	NVME_FIELD(FEAT_RM_RESPRE, 3, 0x1),	/* Reservation Mask: reservation preempted */
	NVME_FIELD(FEAT_RP_PTPL, 0, 0x1),	/* Reservation Persistence: through power loss */
	NVME_FIELD(FEAT_WP_WPS, 0, 0x7),	/* &enum nvme_feat_nswpcfg_state */
	NVME_FIELD(FEAT_IOCSP_IOCSCI, 0, 0x1ff),	/* I/O Command Set Profile: combination */
	NVME_FIELD(FEAT_SPINUP_CONTROL, 0, 0x1),	/* Spinup Control: limit spin-up */
	NVME_FIELD(FEAT_PLS_MODE, 0, 0x3),	/* Power Loss Signaling: mode */
	NVME_FIELD(FEAT_PERFC_ATTRI, 0, 0xff),	/* &enum nvme_feat_perfc_attri */
	NVME_FIELD(FEAT_PERFC_RVSPA, 8, 0x1),	/* Performance: revert vendor attribute */
	NVME_FIELD(FEAT_PERFC_ATTRTYP, 0, 0x3),	/* Performance: attribute type */
	NVME_FIELD(FEAT_FDP_ENABLED, 0, 0x1),	/* Flexible Data Placement: enabled */
	NVME_FIELD(FEAT_FDP_INDEX, 8, 0xf),	/* Flexible Data Placement: configuration */
	NVME_FIELD(FEAT_FDP_EVENTS_ENABLE, 0, 0x1),	/* FDP Events: enable */
	NVME_FIELD(FEAT_BPWPC_BP0WPS, 0, 0x7),	/* &enum nvme_feat_bpwp_state of partition 0 */
	NVME_FIELD(FEAT_BPWPC_BP1WPS, 3, 0x7),	/* &enum nvme_feat_bpwp_state of partition 1 */
};

/** enum nvme_feat_tmpthresh_thsel - temperature threshold types; "Temperature Threshold" */
enum nvme_feat_tmpthresh_thsel {
	NVME_FEATURE_TEMPTHRESH_THSEL_OVER = 0,		/* over-temperature threshold */
	NVME_FEATURE_TEMPTHRESH_THSEL_UNDER = 1,	/* under-temperature threshold */
};

/**
 * enum nvme_features_async_event_config_flags - events that a controller reports; "Asynchronous
 * Event Configuration"
 */
enum nvme_features_async_event_config_flags {
	NVME_FEATURE_AENCFG_SMART_CRIT_SPARE = 1 << 0,			/* spare is low */
	NVME_FEATURE_AENCFG_SMART_CRIT_TEMPERATURE = 1 << 1,		/* temperature */
	NVME_FEATURE_AENCFG_SMART_CRIT_DEGRADED = 1 << 2,		/* reliability */
	NVME_FEATURE_AENCFG_SMART_CRIT_READ_ONLY = 1 << 3,		/* media is read only */
	NVME_FEATURE_AENCFG_SMART_CRIT_VOLATILE_BACKUP = 1 << 4,	/* backup failed */
	NVME_FEATURE_AENCFG_SMART_CRIT_READ_ONLY_PMR = 1 << 5,		/* PMR is read only */
	NVME_FEATURE_AENCFG_NOTICE_NAMESPACE_ATTRIBUTES = 1 << 8,	/* namespaces */
	NVME_FEATURE_AENCFG_NOTICE_FIRMWARE_ACTIVATION = 1 << 9,	/* firmware */
	NVME_FEATURE_AENCFG_NOTICE_TELEMETRY_LOG = 1 << 10,		/* telemetry */
	NVME_FEATURE_AENCFG_NOTICE_ANA_CHANGE = 1 << 11,		/* ANA change */
	NVME_FEATURE_AENCFG_NOTICE_PL_EVENT = 1 << 12,			/* predictable latency */
	NVME_FEATURE_AENCFG_NOTICE_LBA_STATUS = 1 << 13,		/* LBA status */
	NVME_FEATURE_AENCFG_NOTICE_EG_EVENT = 1 << 14,			/* endurance groups */
	NVME_FEATURE_AENCFG_NOTICE_DISCOVERY_CHANGE = (int)(1U << 31),	/* discovery log */
};

/**
 * enum nvme_feat_plm_window_select - predictable latency windows; "Predictable Latency Mode Window"
 */
enum nvme_feat_plm_window_select {
	NVME_FEATURE_PLM_DTWIN = 1,	/* deterministic window */
	NVME_FEATURE_PLM_NDWIN = 2,	/* non-deterministic window */
};

/**
 * enum nvme_feat_resv_notify_flags - reservation notifications to mask; "Reservation Notification
 * Mask"
 */
enum nvme_feat_resv_notify_flags {
	NVME_FEAT_RESV_NOTIFY_REGPRE = 1 << 1,	/* registration preempted */
	NVME_FEAT_RESV_NOTIFY_RESREL = 1 << 2,	/* reservation released */
	NVME_FEAT_RESV_NOTIFY_RESPRE = 1 << 3,	/* reservation preempted */
};

/**
 * enum nvme_ns_write_protect_cfg - write protection states of a namespace; "Namespace Write
 * Protection Config"
 */
enum nvme_ns_write_protect_cfg {
	NVME_NS_WP_CFG_NONE = 0,		/* no write protection */
	NVME_NS_WP_CFG_PROTECT = 1,		/* write protected */
	NVME_NS_WP_CFG_PROTECT_POWER_CYCLE = 2,	/* write protected until a power cycle */
	NVME_NS_WP_CFG_PROTECT_PERMANENT = 3,	/* write protected for good */
};

/**
 * enum nvme_feat_nswpcfg_state - write protection states of a namespace, other spelling; "Namespace
 * Write Protection Config"
 */
enum nvme_feat_nswpcfg_state {
	NVME_FEAT_NS_NO_WRITE_PROTECT = 0,		/* no write protection */
	NVME_FEAT_NS_WRITE_PROTECT = 1,			/* write protected */
	NVME_FEAT_NS_WRITE_PROTECT_PWR_CYCLE = 2,	/* write protected until a power cycle */
	NVME_FEAT_NS_WRITE_PROTECT_PERMANENT = 3,	/* write protected for good */
};

/**
 * enum nvme_feat_bpwp_state - write protection states of a boot partition; "Boot Partition Write
 * Protection Config"
 */
enum nvme_feat_bpwp_state {
	NVME_FEAT_BPWPS_CHANGE_NOT_REQUESTED = 0,	/* leave as it is */
	NVME_FEAT_BPWPS_WRITE_UNLOCKED = 1,		/* can be written */
	NVME_FEAT_BPWPS_WRITE_LOCKED = 2,		/* locked */
	NVME_FEAT_BPWPS_WRITE_LOCKED_PWR_CYCLE = 3,	/* locked until a power cycle */
	NVME_FEAT_BPWPS_WRITE_PROTECTION_RPMB = 4,	/* controlled through RPMB */
};

/** enum nvme_feat_perfc_attri - performance attributes; "Performance Characteristics" */
enum nvme_feat_perfc_attri {
	NVME_FEAT_PERFC_ATTRI_STD = 0x00,	/* &struct nvme_std_perf_attr */
	NVME_FEAT_PERFC_ATTRI_ID_LIST = 0xc0,	/* &struct nvme_perf_attr_id_list */
	NVME_FEAT_PERFC_ATTRI_VS_MIN = 0xc1,	/* first &struct nvme_vs_perf_attr */
	NVME_FEAT_PERFC_ATTRI_VS_MAX = 0xff,	/* last &struct nvme_vs_perf_attr */
};

/**
 * enum nvme_feat_perfc_r4karl - average latencies of a random 4 KiB read; "Performance
 * Characteristics"
 *
 * GE means: this latency or more, but less than the previous one.
 */
enum nvme_feat_perfc_r4karl {
	NVME_FEAT_PERFC_R4KARL_NO_REPORT = 0x00,	/* not reported */
	NVME_FEAT_PERFC_R4KARL_GE_100_SEC = 0x01,	/* 100 s */
	NVME_FEAT_PERFC_R4KARL_GE_50_SEC = 0x02,	/* 50 s */
	NVME_FEAT_PERFC_R4KARL_GE_10_SEC = 0x03,	/* 10 s */
	NVME_FEAT_PERFC_R4KARL_GE_5_SEC = 0x04,		/* 5 s */
	NVME_FEAT_PERFC_R4KARL_GE_1_SEC = 0x05,		/* 1 s */
	NVME_FEAT_PERFC_R4KARL_GE_500_MS = 0x06,	/* 500 ms */
	NVME_FEAT_PERFC_R4KARL_GE_100_MS = 0x07,	/* 100 ms */
	NVME_FEAT_PERFC_R4KARL_GE_50_MS = 0x08,		/* 50 ms */
	NVME_FEAT_PERFC_R4KARL_GE_10_MS = 0x09,		/* 10 ms */
	NVME_FEAT_PERFC_R4KARL_GE_5_MS = 0x0a,		/* 5 ms */
	NVME_FEAT_PERFC_R4KARL_GE_1_MS = 0x0b,		/* 1 ms */
	NVME_FEAT_PERFC_R4KARL_GE_500_US = 0x0c,	/* 500 us */
	NVME_FEAT_PERFC_R4KARL_GE_100_US = 0x0d,	/* 100 us */
	NVME_FEAT_PERFC_R4KARL_GE_50_US = 0x0e,		/* 50 us */
	NVME_FEAT_PERFC_R4KARL_GE_10_US = 0x0f,		/* 10 us */
	NVME_FEAT_PERFC_R4KARL_GE_5_US = 0x10,		/* 5 us */
	NVME_FEAT_PERFC_R4KARL_GE_1_US = 0x11,		/* 1 us */
	NVME_FEAT_PERFC_R4KARL_GE_500_NS = 0x12,	/* 500 ns */
	NVME_FEAT_PERFC_R4KARL_GE_100_NS = 0x13,	/* 100 ns */
	NVME_FEAT_PERFC_R4KARL_GE_50_NS = 0x14,		/* 50 ns */
	NVME_FEAT_PERFC_R4KARL_GE_10_NS = 0x15,		/* 10 ns */
	NVME_FEAT_PERFC_R4KARL_GE_5_NS = 0x16,		/* 5 ns */
	NVME_FEAT_PERFC_R4KARL_GE_1_NS = 0x17,		/* 1 ns */
};

#endif /* _LIBNVME_TYPES_FEATURE_H */
