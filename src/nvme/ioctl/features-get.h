/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that read a feature of a controller. Use <nvme/ioctl.h>.
 *
 * Common to all functions unless noted otherwise:
 * @data: Where to store the data structure
 * @fd:		Controller or namespace device
 * @sel:	Current, default or saved value, or the supported capabilities
 * @result:	Where to store dword 0 of the completion, or NULL
 *
 * Return: As nvme_get_features().
 */
#pragma once

/** nvme_get_features_arbitration() - read Arbitration (01h) */
int nvme_get_features_arbitration(int fd, enum nvme_get_features_sel sel, __u32 *result);

/** nvme_get_features_async_event() - read Asynchronous Event Configuration (0Bh) */
int nvme_get_features_async_event(int fd, enum nvme_get_features_sel sel, __u32 *result);

/**
 * nvme_get_features_auto_pst() - read Autonomous Power State Transition (0Ch)
 * @apst:	Where to store the table
 */
int nvme_get_features_auto_pst(int fd, enum nvme_get_features_sel sel,
			       struct nvme_feat_auto_pst *apst, __u32 *result);

/**
 * nvme_get_features_endurance_event_cfg() - read Endurance Group Event Configuration (18h)
 * @endgid:	Endurance Group
 */
int nvme_get_features_endurance_event_cfg(int fd, enum nvme_get_features_sel sel, __u16 endgid,
					  __u32 *result);

/**
 * nvme_get_features_err_recovery() - read Error Recovery (05h)
 *
 * Deprecated: sends namespace 0, which most controllers refuse; nvme_get_features_err_recovery2()
 * takes a namespace.
 */
int nvme_get_features_err_recovery(int fd, enum nvme_get_features_sel sel, __u32 *result);

/** nvme_get_features_err_recovery2() - read Error Recovery (05h) */
int nvme_get_features_err_recovery2(int fd, enum nvme_get_features_sel sel, __u32 nsid,
				    __u32 *result);

/** nvme_get_features_hctm() - read Host Controlled Thermal Management (10h) */
int nvme_get_features_hctm(int fd, enum nvme_get_features_sel sel, __u32 *result);

/** nvme_get_features_host_behavior() - read Host Behavior Support (16h) */
int nvme_get_features_host_behavior(int fd, enum nvme_get_features_sel sel,
				    struct nvme_feat_host_behavior *data, __u32 *result);

/**
 * nvme_get_features_host_id() - read Host Identifier (81h)
 * @exhid:	Use an identifier of 128 bits instead of 64
 * @len:	Bytes at @hostid
 * @hostid:	Where to store the identifier
 *
 * @len must be at least 8, with @exhid at least 16, else EINVAL.
 */
int nvme_get_features_host_id(int fd, enum nvme_get_features_sel sel, bool exhid, __u32 len,
			      __u8 *hostid);

/**
 * nvme_get_features_host_mem_buf() - read Host Memory Buffer (0Dh)
 *
 * Deprecated: drops the attributes; nvme_get_features_host_mem_buf2() returns them.
 */
int nvme_get_features_host_mem_buf(int fd, enum nvme_get_features_sel sel, __u32 *result);

/**
 * nvme_get_features_host_mem_buf2() - read Host Memory Buffer (0Dh)
 * @attrs:	Where to store the attributes, 4096 bytes
 */
int nvme_get_features_host_mem_buf2(int fd, enum nvme_get_features_sel sel,
				    struct nvme_host_mem_buf_attrs *attrs, __u32 *result);

/** nvme_get_features_iocs_profile() - read I/O Command Set Profile (19h) */
int nvme_get_features_iocs_profile(int fd, enum nvme_get_features_sel sel, __u32 *result);

/** nvme_get_features_irq_coalesce() - read Interrupt Coalescing (08h) */
int nvme_get_features_irq_coalesce(int fd, enum nvme_get_features_sel sel, __u32 *result);

/**
 * nvme_get_features_irq_config() - read Interrupt Vector Configuration (09h)
 * @iv:		Interrupt vector
 */
int nvme_get_features_irq_config(int fd, enum nvme_get_features_sel sel, __u16 iv, __u32 *result);

/** nvme_get_features_kato() - read Keep Alive Timer (0Fh) */
int nvme_get_features_kato(int fd, enum nvme_get_features_sel sel, __u32 *result);

/**
 * nvme_get_features_lba_range() - read LBA Range Type (03h)
 *
 * Deprecated: sends namespace 0, which most controllers refuse; nvme_get_features_lba_range2()
 * takes a namespace.
 */
int nvme_get_features_lba_range(int fd, enum nvme_get_features_sel sel,
				struct nvme_lba_range_type *data, __u32 *result);

/**
 * nvme_get_features_lba_range2() - read LBA Range Type (03h)
 * @nsid:	Namespace
 */
int nvme_get_features_lba_range2(int fd, enum nvme_get_features_sel sel, __u32 nsid,
				 struct nvme_lba_range_type *data, __u32 *result);

/** nvme_get_features_lba_sts_interval() - read LBA Status Information Report Interval (15h) */
int nvme_get_features_lba_sts_interval(int fd, enum nvme_get_features_sel sel, __u32 *result);

/** nvme_get_features_nopsc() - read Non-Operational Power State Config (11h) */
int nvme_get_features_nopsc(int fd, enum nvme_get_features_sel sel, __u32 *result);

/** nvme_get_features_num_queues() - read Number of Queues (07h) */
int nvme_get_features_num_queues(int fd, enum nvme_get_features_sel sel, __u32 *result);

/**
 * nvme_get_features_plm_config() - read Predictable Latency Mode Config (13h)
 * @nvmsetid:	NVM set
 */
int nvme_get_features_plm_config(int fd, enum nvme_get_features_sel sel, __u16 nvmsetid,
				 struct nvme_plm_config *data, __u32 *result);

/**
 * nvme_get_features_plm_window() - read Predictable Latency Mode Window (14h)
 * @nvmsetid:	NVM set
 */
int nvme_get_features_plm_window(int fd, enum nvme_get_features_sel sel, __u16 nvmsetid,
				 __u32 *result);

/** nvme_get_features_power_mgmt() - read Power Management (02h) */
int nvme_get_features_power_mgmt(int fd, enum nvme_get_features_sel sel, __u32 *result);

/**
 * nvme_get_features_resv_mask() - read Reservation Notification Mask (82h)
 *
 * Deprecated: sends namespace 0, which most controllers refuse; nvme_get_features_resv_mask2()
 * takes a namespace.
 */
int nvme_get_features_resv_mask(int fd, enum nvme_get_features_sel sel, __u32 *result);

/** nvme_get_features_resv_mask2() - read Reservation Notification Mask (82h) */
int nvme_get_features_resv_mask2(int fd, enum nvme_get_features_sel sel, __u32 nsid, __u32 *result);

/**
 * nvme_get_features_resv_persist() - read Reservation Persistence (83h)
 *
 * Deprecated: sends namespace 0, which most controllers refuse; nvme_get_features_resv_persist2()
 * takes a namespace.
 */
int nvme_get_features_resv_persist(int fd, enum nvme_get_features_sel sel, __u32 *result);

/** nvme_get_features_resv_persist2() - read Reservation Persistence (83h) */
int nvme_get_features_resv_persist2(int fd, enum nvme_get_features_sel sel, __u32 nsid,
				    __u32 *result);

/** nvme_get_features_rrl() - read Read Recovery Level Config (12h) */
int nvme_get_features_rrl(int fd, enum nvme_get_features_sel sel, __u32 *result);

/** nvme_get_features_sanitize() - read Sanitize Config (17h) */
int nvme_get_features_sanitize(int fd, enum nvme_get_features_sel sel, __u32 *result);

/** nvme_get_features_sw_progress() - read Software Progress Marker (80h) */
int nvme_get_features_sw_progress(int fd, enum nvme_get_features_sel sel, __u32 *result);

/**
 * nvme_get_features_temp_thresh() - read Temperature Threshold (04h)
 *
 * Reads the over temperature threshold of the composite temperature;
 * nvme_get_features_temp_thresh2() takes any sensor.
 */
int nvme_get_features_temp_thresh(int fd, enum nvme_get_features_sel sel, __u32 *result);

/**
 * nvme_get_features_temp_thresh2() - read Temperature Threshold (04h)
 * @tmpsel:	Temperature sensor; 0: composite temperature
 * @thsel:	Over or under temperature threshold
 */
int nvme_get_features_temp_thresh2(int fd, enum nvme_get_features_sel sel, __u8 tmpsel,
				   enum nvme_feat_tmpthresh_thsel thsel, __u32 *result);

/**
 * nvme_get_features_timestamp() - read Timestamp (0Eh)
 * @ts:		Where to store the timestamp
 */
int nvme_get_features_timestamp(int fd, enum nvme_get_features_sel sel, struct nvme_timestamp *ts);

/** nvme_get_features_volatile_wc() - read Volatile Write Cache (06h) */
int nvme_get_features_volatile_wc(int fd, enum nvme_get_features_sel sel, __u32 *result);

/** nvme_get_features_write_atomic() - read Write Atomicity Normal (0Ah) */
int nvme_get_features_write_atomic(int fd, enum nvme_get_features_sel sel, __u32 *result);

/** nvme_get_features_write_protect() - read Namespace Write Protection Config (84h) */
int nvme_get_features_write_protect(int fd, __u32 nsid, enum nvme_get_features_sel sel,
				    __u32 *result);

/**
 * nvme_lm_get_features_ctrl_data_queue() - read Controller Data Queue (21h)
 * @cdqid:	Controller data queue
 */
int nvme_lm_get_features_ctrl_data_queue(int fd, __u16 cdqid,
					 struct nvme_lm_ctrl_data_queue_fid_data *data,
					 __u32 *result);
