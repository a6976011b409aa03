/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Set each feature. NVM Express Base and NVM Command Set, "Feature specific information". */
#include "command-private.h"

static int set_data(int fd, enum nvme_features_id fid, __u32 nsid, __u32 cdw11, __u32 cdw12,
		    bool save, void *data, __u32 data_len, __u32 *result)
{
	struct nvme_set_features_args args = {
		.result = result,
		.data = data,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.nsid = nsid,
		.cdw11 = cdw11,
		.cdw12 = cdw12,
		.data_len = data_len,
		.save = save,
		.uuidx = NVME_UUID_NONE,
		.fid = (__u8)fid,
	};

	return nvme_set_features(&args);
}

static int set(int fd, enum nvme_features_id fid, __u32 nsid, __u32 cdw11, bool save, __u32 *result)
{
	return set_data(fd, fid, nsid, cdw11, 0, save, NULL, 0, result);
}

/* Features of the controller whose @value has the other parameters. */
#define FEATURE_SETTER(fid, function, value, ...) \
	int function(int fd, __VA_ARGS__, bool save, __u32 *result) \
	{ \
		return set(fd, fid, NVME_NSID_NONE, value, save, result); \
	} \
	struct feature_semicolon_##function

int nvme_lm_set_features_ctrl_data_queue(int fd, __u16 cdqid, __u32 hp, __u32 tpt, bool etpt,
					 __u32 *result)
{
	struct nvme_set_features_args args = {
		.result = result,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.nsid = NVME_NSID_NONE,
		.cdw11 = cdqid | NVME_SET(etpt, LM_CTRL_DATA_QUEUE_ETPT),
		.cdw12 = hp,
		.cdw13 = tpt,
		.fid = NVME_FEAT_FID_CTRL_DATA_QUEUE,
	};

	return nvme_set_features(&args);
}

FEATURE_SETTER(NVME_FEAT_FID_ARBITRATION, nvme_set_features_arbitration,
	       NVME_SET(ab, FEAT_ARBITRATION_BURST) | NVME_SET(lpw, FEAT_ARBITRATION_LPW) |
		       NVME_SET(mpw, FEAT_ARBITRATION_MPW) | NVME_SET(hpw, FEAT_ARBITRATION_HPW),
	       __u8 ab, __u8 lpw, __u8 mpw, __u8 hpw);
FEATURE_SETTER(NVME_FEAT_FID_ASYNC_EVENT, nvme_set_features_async_event, events, __u32 events);

int nvme_set_features_auto_pst(int fd, bool apste, bool save, struct nvme_feat_auto_pst *apst,
			       __u32 *result)
{
	return set_data(fd, NVME_FEAT_FID_AUTO_PST, NVME_NSID_NONE,
			NVME_SET(apste, FEAT_APST_APSTE), 0, save, apst, sizeof(*apst), result);
}

FEATURE_SETTER(NVME_FEAT_FID_ENDURANCE_EVT_CFG, nvme_set_features_endurance_evt_cfg,
	       NVME_SET(endgid, FEAT_EG_ENDGID) | NVME_SET(egwarn, FEAT_EG_EGCW), __u16 endgid,
	       __u8 egwarn);

int nvme_set_features_err_recovery(int fd, __u32 nsid, __u16 tler, bool dulbe, bool save,
				   __u32 *result)
{
	__u32 cdw11 = NVME_SET(tler, FEAT_ERROR_RECOVERY_TLER) |
		      NVME_SET(dulbe, FEAT_ERROR_RECOVERY_DULBE);

	return set(fd, NVME_FEAT_FID_ERR_RECOVERY, nsid, cdw11, save, result);
}

FEATURE_SETTER(NVME_FEAT_FID_HCTM, nvme_set_features_hctm,
	       NVME_SET(tmt2, FEAT_HCTM_TMT2) | NVME_SET(tmt1, FEAT_HCTM_TMT1), __u16 tmt2,
	       __u16 tmt1);

int nvme_set_features_host_behavior(int fd, bool save, struct nvme_feat_host_behavior *data)
{
	return set_data(fd, NVME_FEAT_FID_HOST_BEHAVIOR, NVME_NSID_NONE, 0, 0, false, data,
			sizeof(*data), NULL);
}

int nvme_set_features_host_id(int fd, bool exhid, bool save, __u8 *hostid)
{
	__u32 cdw11 = NVME_SET(exhid, FEAT_HOSTID_EXHID);

	return set_data(fd, NVME_FEAT_FID_HOST_ID, NVME_NSID_NONE, cdw11, 0, save, hostid,
			exhid ? 16 : 8, NULL);
}

int nvme_set_features_iocs_profile(int fd, __u16 iocsi, bool save)
{
	return set(fd, NVME_FEAT_FID_IOCS_PROFILE, NVME_NSID_NONE,
		   NVME_SET(iocsi, FEAT_IOCSP_IOCSCI), save, NULL);
}

FEATURE_SETTER(NVME_FEAT_FID_IRQ_COALESCE, nvme_set_features_irq_coalesce,
	       NVME_SET(thr, FEAT_IRQC_THR) | NVME_SET(time, FEAT_IRQC_TIME), __u8 thr, __u8 time);
FEATURE_SETTER(NVME_FEAT_FID_IRQ_CONFIG, nvme_set_features_irq_config,
	       NVME_SET(iv, FEAT_ICFG_IV) | NVME_SET(cd, FEAT_ICFG_CD), __u16 iv, bool cd);

int nvme_set_features_lba_range(int fd, __u32 nsid, __u8 nr_ranges, bool save,
				struct nvme_lba_range_type *data, __u32 *result)
{
	__u32 cdw11;

	if (!nr_ranges)
		return ioctl_refuse(EINVAL);
	cdw11 = nr_ranges - 1U;
	return set_data(fd, NVME_FEAT_FID_LBA_RANGE, nsid, cdw11, 0, save, data, sizeof(*data),
			result);
}

FEATURE_SETTER(NVME_FEAT_FID_LBA_STS_INTERVAL, nvme_set_features_lba_sts_interval,
	       NVME_SET(lsiri, FEAT_LBAS_LSIRI) | NVME_SET(lsipi, FEAT_LBAS_LSIPI), __u16 lsiri,
	       __u16 lsipi);
FEATURE_SETTER(NVME_FEAT_FID_NOPSC, nvme_set_features_nopsc, NVME_SET(noppme, FEAT_NOPS_NOPPME),
	       bool noppme);

int nvme_set_features_plm_config(int fd, bool enable, __u16 nvmsetid, bool save,
				 struct nvme_plm_config *data, __u32 *result)
{
	return set_data(fd, NVME_FEAT_FID_PLM_CONFIG, NVME_NSID_NONE, nvmsetid,
			NVME_SET(enable, FEAT_PLM_PLME), save, data, sizeof(*data), result);
}

int nvme_set_features_plm_window(int fd, enum nvme_feat_plm_window_select sel, __u16 nvmsetid,
				 bool save, __u32 *result)
{
	return set_data(fd, NVME_FEAT_FID_PLM_WINDOW, NVME_NSID_NONE, nvmsetid,
			NVME_SET(sel, FEAT_PLMW_WS), save, NULL, 0, result);
}

FEATURE_SETTER(NVME_FEAT_FID_POWER_MGMT, nvme_set_features_power_mgmt,
	       NVME_SET(ps, FEAT_PWRMGMT_PS) | NVME_SET(wh, FEAT_PWRMGMT_WH), __u8 ps, __u8 wh);

int nvme_set_features_resv_mask(int fd, __u32 mask, bool save, __u32 *result)
{
	return nvme_set_features_resv_mask2(fd, NVME_NSID_NONE, mask, save, result);
}

int nvme_set_features_resv_mask2(int fd, __u32 nsid, __u32 mask, bool save, __u32 *result)
{
	return set(fd, NVME_FEAT_FID_RESV_MASK, nsid, mask, save, result);
}

int nvme_set_features_resv_persist(int fd, bool ptpl, bool save, __u32 *result)
{
	return nvme_set_features_resv_persist2(fd, NVME_NSID_NONE, ptpl, save, result);
}

int nvme_set_features_resv_persist2(int fd, __u32 nsid, bool ptpl, bool save, __u32 *result)
{
	return set(fd, NVME_FEAT_FID_RESV_PERSIST, nsid, NVME_SET(ptpl, FEAT_RP_PTPL), save,
		   result);
}

int nvme_set_features_rrl(int fd, __u8 rrl, __u16 nvmsetid, bool save, __u32 *result)
{
	return set_data(fd, NVME_FEAT_FID_RRL, NVME_NSID_NONE, nvmsetid,
			NVME_SET(rrl, FEAT_RRL_RRL), save, NULL, 0, result);
}

FEATURE_SETTER(NVME_FEAT_FID_SANITIZE, nvme_set_features_sanitize, NVME_SET(nodrm, FEAT_SC_NODRM),
	       bool nodrm);
FEATURE_SETTER(NVME_FEAT_FID_SW_PROGRESS, nvme_set_features_sw_progress,
	       NVME_SET(pbslc, FEAT_SPM_PBSLC), __u8 pbslc);

int nvme_set_features_temp_thresh(int fd, __u16 tmpth, __u8 tmpsel,
				  enum nvme_feat_tmpthresh_thsel thsel, bool save, __u32 *result)
{
	return nvme_set_features_temp_thresh2(fd, tmpth, tmpsel, thsel, 0, save, result);
}

FEATURE_SETTER(NVME_FEAT_FID_TEMP_THRESH, nvme_set_features_temp_thresh2,
	       NVME_SET(tmpth, FEAT_TT_TMPTH) | NVME_SET(tmpsel, FEAT_TT_TMPSEL) |
		       NVME_SET(thsel, FEAT_TT_THSEL) | NVME_SET(tmpthh, FEAT_TT_TMPTHH),
	       __u16 tmpth, __u8 tmpsel, enum nvme_feat_tmpthresh_thsel thsel, __u8 tmpthh);

int nvme_set_features_timestamp(int fd, bool save, __u64 timestamp)
{
	struct nvme_timestamp ts = {};

	for (size_t i = 0; i < sizeof(ts.timestamp); i++)
		ts.timestamp[i] = (__u8)(timestamp >> (8 * i));
	return set_data(fd, NVME_FEAT_FID_TIMESTAMP, NVME_NSID_NONE, 0, 0, save, &ts, sizeof(ts),
			NULL);
}

FEATURE_SETTER(NVME_FEAT_FID_VOLATILE_WC, nvme_set_features_volatile_wc,
	       NVME_SET(wce, FEAT_VWC_WCE), bool wce);
FEATURE_SETTER(NVME_FEAT_FID_WRITE_ATOMIC, nvme_set_features_write_atomic, NVME_SET(dn, FEAT_WA_DN),
	       bool dn);

int nvme_set_features_write_protect(int fd, enum nvme_feat_nswpcfg_state state, bool save,
				    __u32 *result)
{
	return nvme_set_features_write_protect2(fd, NVME_NSID_NONE, state, save, result);
}

int nvme_set_features_write_protect2(int fd, __u32 nsid, enum nvme_feat_nswpcfg_state state,
				     bool save, __u32 *result)
{
	return set(fd, NVME_FEAT_FID_WRITE_PROTECT, nsid, (__u32)state, false, result);
}
