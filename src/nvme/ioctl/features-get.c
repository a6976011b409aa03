/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read each feature. NVM Express Base and NVM Command Set, "Feature specific information". */
#include "command-private.h"

static int get_data(int fd, enum nvme_features_id fid, enum nvme_get_features_sel sel, __u32 nsid,
		    __u32 cdw11, void *data, __u32 data_len, __u32 *result)
{
	struct nvme_get_features_args args = {
		.result = result,
		.data = data,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.nsid = nsid,
		.sel = sel,
		.cdw11 = cdw11,
		.data_len = data_len,
		.fid = (__u8)fid,
		.uuidx = NVME_UUID_NONE,
	};

	return nvme_get_features(&args);
}

static int get(int fd, enum nvme_features_id fid, enum nvme_get_features_sel sel, __u32 nsid,
	       __u32 cdw11, __u32 *result)
{
	return get_data(fd, fid, sel, nsid, cdw11, NULL, 0, result);
}

/* Features of the controller whose value is in the result. */
#define FEATURE_GETTER(fid, function) \
	int function(int fd, enum nvme_get_features_sel sel, __u32 *result) \
	{ \
		return get(fd, fid, sel, NVME_NSID_NONE, 0, result); \
	} \
	struct feature_semicolon_##function

FEATURE_GETTER(NVME_FEAT_FID_ARBITRATION, nvme_get_features_arbitration);
FEATURE_GETTER(NVME_FEAT_FID_ASYNC_EVENT, nvme_get_features_async_event);
FEATURE_GETTER(NVME_FEAT_FID_ERR_RECOVERY, nvme_get_features_err_recovery);
FEATURE_GETTER(NVME_FEAT_FID_HCTM, nvme_get_features_hctm);
FEATURE_GETTER(NVME_FEAT_FID_IOCS_PROFILE, nvme_get_features_iocs_profile);
FEATURE_GETTER(NVME_FEAT_FID_IRQ_COALESCE, nvme_get_features_irq_coalesce);
FEATURE_GETTER(NVME_FEAT_FID_KATO, nvme_get_features_kato);
FEATURE_GETTER(NVME_FEAT_FID_LBA_STS_INTERVAL, nvme_get_features_lba_sts_interval);
FEATURE_GETTER(NVME_FEAT_FID_NOPSC, nvme_get_features_nopsc);
FEATURE_GETTER(NVME_FEAT_FID_NUM_QUEUES, nvme_get_features_num_queues);
FEATURE_GETTER(NVME_FEAT_FID_POWER_MGMT, nvme_get_features_power_mgmt);
FEATURE_GETTER(NVME_FEAT_FID_RESV_MASK, nvme_get_features_resv_mask);
FEATURE_GETTER(NVME_FEAT_FID_RESV_PERSIST, nvme_get_features_resv_persist);
FEATURE_GETTER(NVME_FEAT_FID_RRL, nvme_get_features_rrl);
FEATURE_GETTER(NVME_FEAT_FID_SANITIZE, nvme_get_features_sanitize);
FEATURE_GETTER(NVME_FEAT_FID_SW_PROGRESS, nvme_get_features_sw_progress);
FEATURE_GETTER(NVME_FEAT_FID_TEMP_THRESH, nvme_get_features_temp_thresh);
FEATURE_GETTER(NVME_FEAT_FID_VOLATILE_WC, nvme_get_features_volatile_wc);
FEATURE_GETTER(NVME_FEAT_FID_WRITE_ATOMIC, nvme_get_features_write_atomic);

int nvme_get_features_auto_pst(int fd, enum nvme_get_features_sel sel,
			       struct nvme_feat_auto_pst *apst, __u32 *result)
{
	return get_data(fd, NVME_FEAT_FID_AUTO_PST, sel, NVME_NSID_NONE, 0, apst, sizeof(*apst),
			result);
}

int nvme_get_features_endurance_event_cfg(int fd, enum nvme_get_features_sel sel, __u16 endgid,
					  __u32 *result)
{
	__u32 cdw11 = NVME_SET(endgid, FEAT_EG_ENDGID);

	return get(fd, NVME_FEAT_FID_ENDURANCE_EVT_CFG, sel, NVME_NSID_NONE, cdw11, result);
}

int nvme_get_features_err_recovery2(int fd, enum nvme_get_features_sel sel, __u32 nsid,
				    __u32 *result)
{
	return get(fd, NVME_FEAT_FID_ERR_RECOVERY, sel, nsid, 0, result);
}

int nvme_get_features_host_behavior(int fd, enum nvme_get_features_sel sel,
				    struct nvme_feat_host_behavior *data, __u32 *result)
{
	return get_data(fd, NVME_FEAT_FID_HOST_BEHAVIOR, sel, NVME_NSID_NONE, 0, data,
			sizeof(*data), result);
}

int nvme_get_features_host_id(int fd, enum nvme_get_features_sel sel, bool exhid, __u32 len,
			      __u8 *hostid)
{
	__u32 cdw11 = NVME_SET(exhid, FEAT_HOSTID_EXHID);

	return get_data(fd, NVME_FEAT_FID_HOST_ID, sel, NVME_NSID_NONE, cdw11, hostid, len, NULL);
}

int nvme_get_features_host_mem_buf(int fd, enum nvme_get_features_sel sel, __u32 *result)
{
	/* The controller sends the attributes even if the caller does not want them. */
	struct nvme_host_mem_buf_attrs attrs;

	return nvme_get_features_host_mem_buf2(fd, sel, &attrs, result);
}

int nvme_get_features_host_mem_buf2(int fd, enum nvme_get_features_sel sel,
				    struct nvme_host_mem_buf_attrs *attrs, __u32 *result)
{
	return get_data(fd, NVME_FEAT_FID_HOST_MEM_BUF, sel, NVME_NSID_NONE, 0, attrs,
			sizeof(*attrs), result);
}

int nvme_get_features_irq_config(int fd, enum nvme_get_features_sel sel, __u16 iv, __u32 *result)
{
	__u32 cdw11 = NVME_SET(iv, FEAT_ICFG_IV);

	return get(fd, NVME_FEAT_FID_IRQ_CONFIG, sel, NVME_NSID_NONE, cdw11, result);
}

int nvme_get_features_lba_range(int fd, enum nvme_get_features_sel sel,
				struct nvme_lba_range_type *data, __u32 *result)
{
	return nvme_get_features_lba_range2(fd, sel, NVME_NSID_NONE, data, result);
}

int nvme_get_features_lba_range2(int fd, enum nvme_get_features_sel sel, __u32 nsid,
				 struct nvme_lba_range_type *data, __u32 *result)
{
	return get_data(fd, NVME_FEAT_FID_LBA_RANGE, sel, nsid, 0, data, sizeof(*data), result);
}

int nvme_get_features_plm_config(int fd, enum nvme_get_features_sel sel, __u16 nvmsetid,
				 struct nvme_plm_config *data, __u32 *result)
{
	return get_data(fd, NVME_FEAT_FID_PLM_CONFIG, sel, NVME_NSID_NONE, nvmsetid, data,
			sizeof(*data), result);
}

int nvme_get_features_plm_window(int fd, enum nvme_get_features_sel sel, __u16 nvmsetid,
				 __u32 *result)
{
	return get(fd, NVME_FEAT_FID_PLM_WINDOW, sel, NVME_NSID_NONE, nvmsetid, result);
}

int nvme_get_features_resv_mask2(int fd, enum nvme_get_features_sel sel, __u32 nsid, __u32 *result)
{
	return get(fd, NVME_FEAT_FID_RESV_MASK, sel, nsid, 0, result);
}

int nvme_get_features_resv_persist2(int fd, enum nvme_get_features_sel sel, __u32 nsid,
				    __u32 *result)
{
	return get(fd, NVME_FEAT_FID_RESV_PERSIST, sel, nsid, 0, result);
}

int nvme_get_features_temp_thresh2(int fd, enum nvme_get_features_sel sel, __u8 tmpsel,
				   enum nvme_feat_tmpthresh_thsel thsel, __u32 *result)
{
	__u32 cdw11 = NVME_SET(tmpsel, FEAT_TT_TMPSEL) | NVME_SET(thsel, FEAT_TT_THSEL);

	return get(fd, NVME_FEAT_FID_TEMP_THRESH, sel, NVME_NSID_NONE, cdw11, result);
}

int nvme_get_features_timestamp(int fd, enum nvme_get_features_sel sel, struct nvme_timestamp *ts)
{
	return get_data(fd, NVME_FEAT_FID_TIMESTAMP, sel, NVME_NSID_NONE, 0, ts, sizeof(*ts), NULL);
}

int nvme_get_features_write_protect(int fd, __u32 nsid, enum nvme_get_features_sel sel,
				    __u32 *result)
{
	return get(fd, NVME_FEAT_FID_WRITE_PROTECT, sel, nsid, 0, result);
}

int nvme_lm_get_features_ctrl_data_queue(int fd, __u16 cdqid,
					 struct nvme_lm_ctrl_data_queue_fid_data *data,
					 __u32 *result)
{
	return get_data(fd, NVME_FEAT_FID_CTRL_DATA_QUEUE, NVME_GET_FEATURES_SEL_CURRENT,
			NVME_NSID_NONE, cdqid, data, sizeof(*data), result);
}
