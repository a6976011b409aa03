/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decoding of feature values: NVM Express Base Specification 2.1 section 5.1.25 and NVM Command Set
 * Specification 1.1 section 4.1.3.
 *
 * Common to all functions:
 * @value: Value of the feature: dword 0 of the completion, or dword 11 of Set Features
 */
#ifndef _LIBNVME_UTIL_FEATURES_H
#define _LIBNVME_UTIL_FEATURES_H

#include <stdbool.h>

#include <nvme/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NVME_FEAT_ARB_BURST(v) NVME_GET(v, FEAT_ARBITRATION_BURST)
#define NVME_FEAT_ARB_LPW(v) NVME_GET(v, FEAT_ARBITRATION_LPW)
#define NVME_FEAT_ARB_MPW(v) NVME_GET(v, FEAT_ARBITRATION_MPW)
#define NVME_FEAT_ARB_HPW(v) NVME_GET(v, FEAT_ARBITRATION_HPW)
#define NVME_FEAT_PM_PS(v) NVME_GET(v, FEAT_PWRMGMT_PS)
#define NVME_FEAT_PM_WH(v) NVME_GET(v, FEAT_PWRMGMT_WH)
#define NVME_FEAT_LBAR_NR(v) NVME_GET(v, FEAT_LBAR_NR)
#define NVME_FEAT_TT_TMPTH(v) NVME_GET(v, FEAT_TT_TMPTH)
#define NVME_FEAT_TT_TMPSEL(v) NVME_GET(v, FEAT_TT_TMPSEL)
#define NVME_FEAT_TT_THSEL(v) NVME_GET(v, FEAT_TT_THSEL)
#define NVME_FEAT_TT_TMPTHH(v) NVME_GET(v, FEAT_TT_TMPTHH)
#define NVME_FEAT_ER_TLER(v) NVME_GET(v, FEAT_ERROR_RECOVERY_TLER)
#define NVME_FEAT_ER_DULBE(v) NVME_GET(v, FEAT_ERROR_RECOVERY_DULBE)
#define NVME_FEAT_VWC_WCE(v) NVME_GET(v, FEAT_VWC_WCE)
#define NVME_FEAT_NRQS_NSQR(v) NVME_GET(v, FEAT_NRQS_NSQR)
#define NVME_FEAT_NRQS_NCQR(v) NVME_GET(v, FEAT_NRQS_NCQR)
#define NVME_FEAT_IRQC_THR(v) NVME_GET(v, FEAT_IRQC_THR)
#define NVME_FEAT_IRQC_TIME(v) NVME_GET(v, FEAT_IRQC_TIME)
#define NVME_FEAT_ICFG_IV(v) NVME_GET(v, FEAT_ICFG_IV)
#define NVME_FEAT_ICFG_CD(v) NVME_GET(v, FEAT_ICFG_CD)
#define NVME_FEAT_WA_DN(v) NVME_GET(v, FEAT_WA_DN)
#define NVME_FEAT_AE_SMART(v) NVME_GET(v, FEAT_AE_SMART)
#define NVME_FEAT_AE_NAN(v) NVME_GET(v, FEAT_AE_NAN)
#define NVME_FEAT_AE_FW(v) NVME_GET(v, FEAT_AE_FW)
#define NVME_FEAT_AE_TELEM(v) NVME_GET(v, FEAT_AE_TELEM)
#define NVME_FEAT_AE_ANA(v) NVME_GET(v, FEAT_AE_ANA)
#define NVME_FEAT_AE_PLA(v) NVME_GET(v, FEAT_AE_PLA)
#define NVME_FEAT_AE_LBAS(v) NVME_GET(v, FEAT_AE_LBAS)
#define NVME_FEAT_AE_EGA(v) NVME_GET(v, FEAT_AE_EGA)
#define NVME_FEAT_AE_NNSSHDN(v) NVME_GET(v, FEAT_AE_NNSSHDN)
#define NVME_FEAT_AE_TTHRY(v) NVME_GET(v, FEAT_AE_TTHRY)
#define NVME_FEAT_AE_RASSN(v) NVME_GET(v, FEAT_AE_RASSN)
#define NVME_FEAT_AE_RGRP0(v) NVME_GET(v, FEAT_AE_RGRP0)
#define NVME_FEAT_AE_ANSAN(v) NVME_GET(v, FEAT_AE_ANSAN)
#define NVME_FEAT_AE_ZDCN(v) NVME_GET(v, FEAT_AE_ZDCN)
#define NVME_FEAT_AE_PMDRLPCN(v) NVME_GET(v, FEAT_AE_PMDRLPCN)
#define NVME_FEAT_AE_ADLPCN(v) NVME_GET(v, FEAT_AE_ADLPCN)
#define NVME_FEAT_AE_HDLPCN(v) NVME_GET(v, FEAT_AE_HDLPCN)
#define NVME_FEAT_AE_DLPCN(v) NVME_GET(v, FEAT_AE_DLPCN)
#define NVME_FEAT_APST_APSTE(v) NVME_GET(v, FEAT_APST_APSTE)
#define NVME_FEAT_HMEM_EHM(v) NVME_GET(v, FEAT_HMEM_EHM)
#define NVME_FEAT_HCTM_TMT2(v) NVME_GET(v, FEAT_HCTM_TMT2)
#define NVME_FEAT_HCTM_TMT1(v) NVME_GET(v, FEAT_HCTM_TMT1)
#define NVME_FEAT_NOPS_NOPPME(v) NVME_GET(v, FEAT_NOPS_NOPPME)
#define NVME_FEAT_RRL_RRL(v) NVME_GET(v, FEAT_RRL_RRL)
#define NVME_FEAT_PLM_PLME(v) NVME_GET(v, FEAT_PLM_PLME)
#define NVME_FEAT_PLMW_WS(v) NVME_GET(v, FEAT_PLMW_WS)
#define NVME_FEAT_LBAS_LSIRI(v) NVME_GET(v, FEAT_LBAS_LSIRI)
#define NVME_FEAT_LBAS_LSIPI(v) NVME_GET(v, FEAT_LBAS_LSIPI)
#define NVME_FEAT_SC_NODRM(v) NVME_GET(v, FEAT_SC_NODRM)
#define NVME_FEAT_EG_ENDGID(v) NVME_GET(v, FEAT_EG_ENDGID)
#define NVME_FEAT_EG_EGCW(v) NVME_GET(v, FEAT_EG_EGCW)
#define NVME_FEAT_PERFC_ATTRI(v) NVME_GET(v, FEAT_PERFC_ATTRI)
#define NVME_FEAT_PERFC_RVSPA(v) NVME_GET(v, FEAT_PERFC_RVSPA)
#define NVME_FEAT_SPM_PBSLC(v) NVME_GET(v, FEAT_SPM_PBSLC)
#define NVME_FEAT_HOSTID_EXHID(v) NVME_GET(v, FEAT_HOSTID_EXHID)
#define NVME_FEAT_RM_REGPRE(v) NVME_GET(v, FEAT_RM_REGPRE)
#define NVME_FEAT_RM_RESREL(v) NVME_GET(v, FEAT_RM_RESREL)
#define NVME_FEAT_RM_RESPRE(v) NVME_GET(v, FEAT_RM_RESPRE)
#define NVME_FEAT_RP_PTPL(v) NVME_GET(v, FEAT_RP_PTPL)
#define NVME_FEAT_WP_WPS(v) NVME_GET(v, FEAT_WP_WPS)
#define NVME_FEAT_BPWPC_BP0WPS(v) NVME_GET(v, FEAT_BPWPC_BP0WPS)
#define NVME_FEAT_BPWPC_BP1WPS(v) NVME_GET(v, FEAT_BPWPC_BP1WPS)

/**
 * nvme_feature_decode_arbitration() - decode the Arbitration feature
 * @ab:    Where to store: arbitration burst
 * @lpw:   Where to store: low priority weight
 * @mpw:   Where to store: medium priority weight
 * @hpw:   Where to store: high priority weight
 */
static inline void nvme_feature_decode_arbitration(__u32 value, __u8 *ab, __u8 *lpw, __u8 *mpw,
						   __u8 *hpw)
{
	*ab = NVME_FEAT_ARB_BURST(value);
	*lpw = NVME_FEAT_ARB_LPW(value);
	*mpw = NVME_FEAT_ARB_MPW(value);
	*hpw = NVME_FEAT_ARB_HPW(value);
}

/**
 * nvme_feature_decode_power_mgmt() - decode the Power Management feature
 * @ps:    Where to store: power state
 * @wh:    Where to store: workload hint
 */
static inline void nvme_feature_decode_power_mgmt(__u32 value, __u8 *ps, __u8 *wh)
{
	*ps = NVME_FEAT_PM_PS(value);
	*wh = NVME_FEAT_PM_WH(value);
}

/**
 * nvme_feature_decode_lba_range() - decode the LBA Range Type feature
 * @num:   Where to store: number of ranges
 */
static inline void nvme_feature_decode_lba_range(__u32 value, __u8 *num)
{
	*num = NVME_FEAT_LBAR_NR(value);
}

/**
 * nvme_feature_decode_temp_threshold() - decode the Temperature Threshold feature
 * @tmpth:  Where to store: temperature in kelvin
 * @tmpsel: Where to store: sensor
 * @thsel:  Where to store: over or under threshold
 * @tmpthh: Where to store: hysteresis in kelvin
 */
static inline void nvme_feature_decode_temp_threshold(__u32 value, __u16 *tmpth, __u8 *tmpsel,
						      __u8 *thsel, __u8 *tmpthh)
{
	*tmpth = NVME_FEAT_TT_TMPTH(value);
	*tmpsel = NVME_FEAT_TT_TMPSEL(value);
	*thsel = NVME_FEAT_TT_THSEL(value);
	*tmpthh = NVME_FEAT_TT_TMPTHH(value);
}

/**
 * nvme_feature_decode_error_recovery() - decode the Error Recovery feature
 * @tler:  Where to store: time limit in units of 100 ms
 * @dulbe: Where to store: errors on deallocated or unwritten blocks
 */
static inline void nvme_feature_decode_error_recovery(__u32 value, __u16 *tler, bool *dulbe)
{
	*tler = NVME_FEAT_ER_TLER(value);
	*dulbe = NVME_FEAT_ER_DULBE(value);
}

/**
 * nvme_feature_decode_volatile_write_cache() - decode the Volatile Write Cache feature
 * @wce:   Where to store: write cache enabled
 */
static inline void nvme_feature_decode_volatile_write_cache(__u32 value, bool *wce)
{
	*wce = NVME_FEAT_VWC_WCE(value);
}

/**
 * nvme_feature_decode_number_of_queues() - decode the Number of Queues feature
 * @nsqr:  Where to store: I/O submission queues minus one
 * @ncqr:  Where to store: I/O completion queues minus one
 */
static inline void nvme_feature_decode_number_of_queues(__u32 value, __u16 *nsqr, __u16 *ncqr)
{
	*nsqr = NVME_FEAT_NRQS_NSQR(value);
	*ncqr = NVME_FEAT_NRQS_NCQR(value);
}

/**
 * nvme_feature_decode_interrupt_coalescing() - decode the Interrupt Coalescing feature
 * @thr:   Where to store: completions minus one
 * @time:  Where to store: time in units of 100 us
 */
static inline void nvme_feature_decode_interrupt_coalescing(__u32 value, __u8 *thr, __u8 *time)
{
	*thr = NVME_FEAT_IRQC_THR(value);
	*time = NVME_FEAT_IRQC_TIME(value);
}

/**
 * nvme_feature_decode_interrupt_config() - decode the Interrupt Vector Configuration feature
 * @iv:    Where to store: interrupt vector
 * @cd:    Where to store: coalescing disabled
 */
static inline void nvme_feature_decode_interrupt_config(__u32 value, __u16 *iv, bool *cd)
{
	*iv = NVME_FEAT_ICFG_IV(value);
	*cd = NVME_FEAT_ICFG_CD(value);
}

/**
 * nvme_feature_decode_write_atomicity() - decode the Write Atomicity Normal feature
 * @dn:    Where to store: disable normal
 */
static inline void nvme_feature_decode_write_atomicity(__u32 value, bool *dn)
{
	*dn = NVME_FEAT_WA_DN(value);
}

/**
 * nvme_feature_decode_async_event_config() - decode the Asynchronous Event Configuration feature
 * @smart: Where to store: health warnings
 * @nan:   Where to store: attached namespace attributes
 * @fw:    Where to store: firmware activation
 * @telem: Where to store: telemetry log
 * @ana:   Where to store: asymmetric namespace access
 * @pla:   Where to store: predictable latency log
 * @lbas:  Where to store: LBA status
 * @ega:   Where to store: endurance group log
 */
static inline void nvme_feature_decode_async_event_config(__u32 value, __u8 *smart, bool *nan,
							  bool *fw, bool *telem, bool *ana,
							  bool *pla, bool *lbas, bool *ega)
{
	*smart = NVME_FEAT_AE_SMART(value);
	*nan = NVME_FEAT_AE_NAN(value);
	*fw = NVME_FEAT_AE_FW(value);
	*telem = NVME_FEAT_AE_TELEM(value);
	*ana = NVME_FEAT_AE_ANA(value);
	*pla = NVME_FEAT_AE_PLA(value);
	*lbas = NVME_FEAT_AE_LBAS(value);
	*ega = NVME_FEAT_AE_EGA(value);
}

/**
 * nvme_feature_decode_auto_power_state() - decode the Autonomous Power State Transition feature
 * @apste: Where to store: transitions enabled
 */
static inline void nvme_feature_decode_auto_power_state(__u32 value, bool *apste)
{
	*apste = NVME_FEAT_APST_APSTE(value);
}

/**
 * nvme_feature_decode_host_memory_buffer() - decode the Host Memory Buffer feature
 * @ehm:   Where to store: host memory enabled
 */
static inline void nvme_feature_decode_host_memory_buffer(__u32 value, bool *ehm)
{
	*ehm = NVME_FEAT_HMEM_EHM(value);
}

/**
 * nvme_feature_decode_host_thermal_mgmt() - decode the Host Controlled Thermal Management feature
 * @tmt2:  Where to store: heavy throttling above this many kelvin
 * @tmt1:  Where to store: light throttling above this many kelvin
 */
static inline void nvme_feature_decode_host_thermal_mgmt(__u32 value, __u16 *tmt2, __u16 *tmt1)
{
	*tmt2 = NVME_FEAT_HCTM_TMT2(value);
	*tmt1 = NVME_FEAT_HCTM_TMT1(value);
}

/**
 * nvme_feature_decode_non_op_power_config() - decode the Non-Operational Power State Config feature
 * @noppme: Where to store: permissive mode
 */
static inline void nvme_feature_decode_non_op_power_config(__u32 value, bool *noppme)
{
	*noppme = NVME_FEAT_NOPS_NOPPME(value);
}

/**
 * nvme_feature_decode_read_recovery_level_config() - decode the Read Recovery Level Config feature
 * @rrl:   Where to store: read recovery level
 */
static inline void nvme_feature_decode_read_recovery_level_config(__u32 value, __u8 *rrl)
{
	*rrl = NVME_FEAT_RRL_RRL(value);
}

/**
 * nvme_feature_decode_predictable_latency_mode_config() - decode the Predictable Latency Mode Config feature
 * @plme:  Where to store: mode enabled
 */
static inline void nvme_feature_decode_predictable_latency_mode_config(__u32 value, bool *plme)
{
	*plme = NVME_FEAT_PLM_PLME(value);
}

/**
 * nvme_feature_decode_predictable_latency_mode_window() - decode the Predictable Latency Mode Window feature
 * @ws:    Where to store: window
 */
static inline void nvme_feature_decode_predictable_latency_mode_window(__u32 value, __u8 *ws)
{
	*ws = NVME_FEAT_PLMW_WS(value);
}

/**
 * nvme_feature_decode_lba_status_attributes() - decode the LBA Status Information Attributes feature
 * @lsiri: Where to store: report interval
 * @lsipi: Where to store: poll interval
 */
static inline void nvme_feature_decode_lba_status_attributes(__u32 value, __u16 *lsiri,
							     __u16 *lsipi)
{
	*lsiri = NVME_FEAT_LBAS_LSIRI(value);
	*lsipi = NVME_FEAT_LBAS_LSIPI(value);
}

/**
 * nvme_feature_decode_sanitize_config() - decode the Sanitize Config feature
 * @nodrm: Where to store: no-deallocate response mode
 */
static inline void nvme_feature_decode_sanitize_config(__u32 value, bool *nodrm)
{
	*nodrm = NVME_FEAT_SC_NODRM(value);
}

/**
 * nvme_feature_decode_endurance_group_event_config() - decode the Endurance Group Event Configuration feature
 * @endgid: Where to store: endurance group
 * @endgcw: Where to store: critical warnings
 */
static inline void nvme_feature_decode_endurance_group_event_config(__u32 value, __u16 *endgid,
								    __u8 *endgcw)
{
	*endgid = NVME_FEAT_EG_ENDGID(value);
	*endgcw = NVME_FEAT_EG_EGCW(value);
}

/**
 * nvme_feature_decode_perf_characteristics() - decode the Performance Characteristics feature
 * @attri: Where to store: attribute
 * @rvspa: Where to store: revert to default
 */
static inline void nvme_feature_decode_perf_characteristics(__u32 value, __u8 *attri, bool *rvspa)
{
	*attri = NVME_FEAT_PERFC_ATTRI(value);
	*rvspa = NVME_FEAT_PERFC_RVSPA(value);
}

/**
 * nvme_feature_decode_software_progress_marker() - decode the Software Progress Marker feature
 * @pbslc: Where to store: pre-boot software load count
 */
static inline void nvme_feature_decode_software_progress_marker(__u32 value, __u8 *pbslc)
{
	*pbslc = NVME_FEAT_SPM_PBSLC(value);
}

/**
 * nvme_feature_decode_host_identifier() - decode the Host Identifier feature
 * @exhid: Where to store: 128-bit identifier
 */
static inline void nvme_feature_decode_host_identifier(__u32 value, bool *exhid)
{
	*exhid = NVME_FEAT_HOSTID_EXHID(value);
}

/**
 * nvme_feature_decode_reservation_notification() - decode the Reservation Notification Mask feature
 * @regpre: Where to store: mask registration preempted
 * @resrel: Where to store: mask reservation released
 * @respre: Where to store: mask reservation preempted
 */
static inline void nvme_feature_decode_reservation_notification(__u32 value, bool *regpre,
								bool *resrel, bool *respre)
{
	*regpre = NVME_FEAT_RM_REGPRE(value);
	*resrel = NVME_FEAT_RM_RESREL(value);
	*respre = NVME_FEAT_RM_RESPRE(value);
}

/**
 * nvme_feature_decode_reservation_persistance() - decode the Reservation Persistence feature
 * @ptpl:  Where to store: persist through power loss
 */
static inline void nvme_feature_decode_reservation_persistance(__u32 value, bool *ptpl)
{
	*ptpl = NVME_FEAT_RP_PTPL(value);
}

/**
 * nvme_feature_decode_namespace_write_protect() - decode the Namespace Write Protection Config feature
 * @wps:   Where to store: write protection state
 */
static inline void nvme_feature_decode_namespace_write_protect(__u32 value, __u8 *wps)
{
	*wps = NVME_FEAT_WP_WPS(value);
}

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_UTIL_FEATURES_H */
