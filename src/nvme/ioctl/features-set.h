/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that set a feature of a controller. Use <nvme/ioctl.h>.
 *
 * Common to all functions unless noted otherwise:
 * @data: Data structure to send
 * @nsid: Namespace
 * @nvmsetid: NVM set
 * @fd:		Controller or namespace device
 * @save:	Keep the value across power cycles and resets
 * @result:	Where to store dword 0 of the completion, or NULL
 *
 * Return: As nvme_set_features().
 */
#pragma once

/**
 * nvme_lm_set_features_ctrl_data_queue() - set Controller Data Queue (21h)
 * @cdqid:	Controller data queue
 * @hp:		Head pointer
 * @tpt:	Tail pointer trigger
 * @etpt:	Enable the tail pointer trigger
 */
int nvme_lm_set_features_ctrl_data_queue(int fd, __u16 cdqid, __u32 hp, __u32 tpt, bool etpt,
					 __u32 *result);

/**
 * nvme_set_features_arbitration() - set Arbitration (01h)
 * @ab:		Arbitration burst, a power of two; 7: no limit
 * @lpw:	Low priority weight, less one
 * @mpw:	Medium priority weight, less one
 * @hpw:	High priority weight, less one
 */
int nvme_set_features_arbitration(int fd, __u8 ab, __u8 lpw, __u8 mpw, __u8 hpw, bool save,
				  __u32 *result);

/**
 * nvme_set_features_async_event() - set Asynchronous Event Configuration (0Bh)
 * @events:	Bits of enum nvme_features_async_event_config_flags
 */
int nvme_set_features_async_event(int fd, __u32 events, bool save, __u32 *result);

/**
 * nvme_set_features_auto_pst() - set Autonomous Power State Transition (0Ch)
 * @apste:	Enable the transitions
 * @apst:	Table of transitions
 */
int nvme_set_features_auto_pst(int fd, bool apste, bool save, struct nvme_feat_auto_pst *apst,
			       __u32 *result);

/**
 * nvme_set_features_endurance_evt_cfg() - set Endurance Group Event Configuration (18h)
 * @endgid:	Endurance Group
 * @egwarn:	Critical warnings that raise an event
 */
int nvme_set_features_endurance_evt_cfg(int fd, __u16 endgid, __u8 egwarn, bool save,
					__u32 *result);

/**
 * nvme_set_features_err_recovery() - set Error Recovery (05h)
 * @tler:	Time limited error recovery, units of 100 ms
 * @dulbe:	Report reads of deallocated blocks as errors
 */
int nvme_set_features_err_recovery(int fd, __u32 nsid, __u16 tler, bool dulbe, bool save,
				   __u32 *result);

/**
 * nvme_set_features_hctm() - set Host Controlled Thermal Management (10h)
 * @tmt2:	Temperature of heavy throttling, kelvin
 * @tmt1:	Temperature of light throttling, kelvin
 */
int nvme_set_features_hctm(int fd, __u16 tmt2, __u16 tmt1, bool save, __u32 *result);

/** nvme_set_features_host_behavior() - set Host Behavior Support (16h) */
int nvme_set_features_host_behavior(int fd, bool save, struct nvme_feat_host_behavior *data);

/**
 * nvme_set_features_host_id() - set Host Identifier (81h)
 * @exhid:	Use an identifier of 128 bits instead of 64
 * @hostid:	Host identifier
 */
int nvme_set_features_host_id(int fd, bool exhid, bool save, __u8 *hostid);

/**
 * nvme_set_features_iocs_profile() - set I/O Command Set Profile (19h)
 * @iocsi:	Index of the I/O command set combination
 */
int nvme_set_features_iocs_profile(int fd, __u16 iocsi, bool save);

/**
 * nvme_set_features_irq_coalesce() - set Interrupt Coalescing (08h)
 * @thr:	Completions to aggregate, less one
 * @time:	Longest delay, units of 100 us
 */
int nvme_set_features_irq_coalesce(int fd, __u8 thr, __u8 time, bool save, __u32 *result);

/**
 * nvme_set_features_irq_config() - set Interrupt Vector Configuration (09h)
 * @iv:		Interrupt vector
 * @cd:		Do not coalesce this vector
 */
int nvme_set_features_irq_config(int fd, __u16 iv, bool cd, bool save, __u32 *result);

/**
 * nvme_set_features_lba_range() - set LBA Range Type (03h)
 * @nr_ranges:	Number of ranges in @data, 1 to 64
 */
int nvme_set_features_lba_range(int fd, __u32 nsid, __u8 nr_ranges, bool save,
				struct nvme_lba_range_type *data, __u32 *result);

/**
 * nvme_set_features_lba_sts_interval() - set LBA Status Information Report Interval (15h)
 * @lsiri:	Report interval, units of 100 ms
 * @lsipi:	Poll interval, units of 100 ms
 */
int nvme_set_features_lba_sts_interval(int fd, __u16 lsiri, __u16 lsipi, bool save, __u32 *result);

/**
 * nvme_set_features_nopsc() - set Non-Operational Power State Config (11h)
 * @noppme:	Let background work exceed the power of a non-operational state
 */
int nvme_set_features_nopsc(int fd, bool noppme, bool save, __u32 *result);

/**
 * nvme_set_features_plm_config() - set Predictable Latency Mode Config (13h)
 * @enable:	Enable predictable latency
 */
int nvme_set_features_plm_config(int fd, bool enable, __u16 nvmsetid, bool save,
				 struct nvme_plm_config *data, __u32 *result);

/**
 * nvme_set_features_plm_window() - set Predictable Latency Mode Window (14h)
 * @sel:	Window to enter
 */
int nvme_set_features_plm_window(int fd, enum nvme_feat_plm_window_select sel, __u16 nvmsetid,
				 bool save, __u32 *result);

/**
 * nvme_set_features_power_mgmt() - set Power Management (02h)
 * @ps:		Power state
 * @wh:		Workload hint
 */
int nvme_set_features_power_mgmt(int fd, __u8 ps, __u8 wh, bool save, __u32 *result);

/**
 * nvme_set_features_resv_mask() - set Reservation Notification Mask (82h)
 * @mask:	Bits of enum nvme_feat_resv_notify_flags to mask
 *
 * Deprecated: sends namespace 0; nvme_set_features_resv_mask2() takes a namespace.
 */
int nvme_set_features_resv_mask(int fd, __u32 mask, bool save, __u32 *result);

/**
 * nvme_set_features_resv_mask2() - set Reservation Notification Mask (82h)
 * @mask:	Bits of enum nvme_feat_resv_notify_flags to mask
 */
int nvme_set_features_resv_mask2(int fd, __u32 nsid, __u32 mask, bool save, __u32 *result);

/**
 * nvme_set_features_resv_persist() - set Reservation Persistence (83h)
 * @ptpl:	Keep registrations and reservation across power loss
 *
 * Deprecated: sends namespace 0; nvme_set_features_resv_persist2() takes a namespace.
 */
int nvme_set_features_resv_persist(int fd, bool ptpl, bool save, __u32 *result);

/**
 * nvme_set_features_resv_persist2() - set Reservation Persistence (83h)
 * @ptpl:	Keep registrations and reservation across power loss
 */
int nvme_set_features_resv_persist2(int fd, __u32 nsid, bool ptpl, bool save, __u32 *result);

/**
 * nvme_set_features_rrl() - set Read Recovery Level Config (12h)
 * @rrl:	Read recovery level
 */
int nvme_set_features_rrl(int fd, __u8 rrl, __u16 nvmsetid, bool save, __u32 *result);

/**
 * nvme_set_features_sanitize() - set Sanitize Config (17h)
 * @nodrm:	No-Deallocate modifier: warn instead of failing
 */
int nvme_set_features_sanitize(int fd, bool nodrm, bool save, __u32 *result);

/**
 * nvme_set_features_sw_progress() - set Software Progress Marker (80h)
 * @pbslc:	Boots since the operating system was last loaded; set it to 0 when it is
 */
int nvme_set_features_sw_progress(int fd, __u8 pbslc, bool save, __u32 *result);

/**
 * nvme_set_features_temp_thresh() - set Temperature Threshold (04h)
 * @tmpth:	Threshold, kelvin
 * @tmpsel:	Temperature sensor; 0: composite temperature
 * @thsel:	Over or under temperature threshold
 */
int nvme_set_features_temp_thresh(int fd, __u16 tmpth, __u8 tmpsel,
				  enum nvme_feat_tmpthresh_thsel thsel, bool save, __u32 *result);

/**
 * nvme_set_features_temp_thresh2() - set Temperature Threshold (04h)
 * @tmpth:	Threshold, kelvin
 * @tmpsel:	Temperature sensor; 0: composite temperature
 * @thsel:	Over or under temperature threshold
 * @tmpthh:	Hysteresis, kelvin
 */
int nvme_set_features_temp_thresh2(int fd, __u16 tmpth, __u8 tmpsel,
				   enum nvme_feat_tmpthresh_thsel thsel, __u8 tmpthh, bool save,
				   __u32 *result);

/**
 * nvme_set_features_timestamp() - set Timestamp (0Eh)
 * @timestamp:	Milliseconds since 1970-01-01 00:00 UTC, 48 bits
 */
int nvme_set_features_timestamp(int fd, bool save, __u64 timestamp);

/**
 * nvme_set_features_volatile_wc() - set Volatile Write Cache (06h)
 * @wce:	Enable the cache
 */
int nvme_set_features_volatile_wc(int fd, bool wce, bool save, __u32 *result);

/**
 * nvme_set_features_write_atomic() - set Write Atomicity Normal (0Ah)
 * @dn:		Disable normal atomicity
 */
int nvme_set_features_write_atomic(int fd, bool dn, bool save, __u32 *result);

/**
 * nvme_set_features_write_protect() - set Namespace Write Protection Config (84h)
 * @state:	Write protection state
 *
 * Deprecated: sends namespace 0; nvme_set_features_write_protect2() takes a namespace.
 */
int nvme_set_features_write_protect(int fd, enum nvme_feat_nswpcfg_state state, bool save,
				    __u32 *result);

/**
 * nvme_set_features_write_protect2() - set Namespace Write Protection Config (84h)
 * @state:	Write protection state
 */
int nvme_set_features_write_protect2(int fd, __u32 nsid, enum nvme_feat_nswpcfg_state state,
				     bool save, __u32 *result);
