/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers for programs: layouts of command data, addresses, the version. */
#include "base/address.h"
#include "base/failure.h"
#include "../util.h"
#include "config.h"

void nvme_init_ctrl_list(struct nvme_ctrl_list *cntlist, __u16 num_ctrls, __u16 *ctrlist)
{
	if (num_ctrls > NVME_ID_CTRL_LIST_MAX)
		num_ctrls = NVME_ID_CTRL_LIST_MAX;
	cntlist->num = htole16(num_ctrls);
	for (int i = 0; i < num_ctrls; i++)
		cntlist->identifier[i] = htole16(ctrlist[i]);
}

void nvme_init_dsm_range(struct nvme_dsm_range *dsm, __u32 *ctx_attrs, __u32 *llbas, __u64 *slbas,
			 __u16 nr_ranges)
{
	for (int i = 0; i < nr_ranges; i++) {
		dsm[i].cattr = htole32(ctx_attrs[i]);
		dsm[i].nlb = htole32(llbas[i]);
		dsm[i].slba = htole64(slbas[i]);
	}
}

/* Set what the source ranges of all formats have, from the parameters. */
#define put_copy_range(range, i) \
	do { \
		(range)->slba = htole64(slbas[i]); \
		(range)->nlb = htole16(nlbs[i]); \
		(range)->elbat = htole16((__u16)elbats[i]); \
		(range)->elbatm = htole16((__u16)elbatms[i]); \
	} while (0)

void nvme_init_copy_range(struct nvme_copy_range *copy, __u16 *nlbs, __u64 *slbas, __u32 *eilbrts,
			  __u32 *elbatms, __u32 *elbats, __u16 nr)
{
	for (int i = 0; i < nr; i++) {
		put_copy_range(&copy[i], i);
		copy[i].eilbrt = htole32(eilbrts[i]);
	}
}

/* Store the reference tag in the last bytes, big-endian: NVM Command Set Specification, 3.2.3. */
static void put_reference_tag(__u8 elbt[10], __u64 tag)
{
	tag = htobe64(tag);
	/* The field has ten bytes: clear those that the tag does not fill. */
	memset(elbt, 0, 2);
	memcpy(&elbt[2], &tag, sizeof(tag));
}

void nvme_init_copy_range_f1(struct nvme_copy_range_f1 *copy, __u16 *nlbs, __u64 *slbas,
			     __u64 *eilbrts, __u32 *elbatms, __u32 *elbats, __u16 nr)
{
	for (int i = 0; i < nr; i++) {
		put_copy_range(&copy[i], i);
		put_reference_tag(copy[i].elbt, eilbrts[i]);
	}
}

void nvme_init_copy_range_f2(struct nvme_copy_range_f2 *copy, __u32 *snsids, __u16 *nlbs,
			     __u64 *slbas, __u16 *sopts, __u32 *eilbrts, __u32 *elbatms,
			     __u32 *elbats, __u16 nr)
{
	for (int i = 0; i < nr; i++) {
		copy[i].snsid = htole32(snsids[i]);
		put_copy_range(&copy[i], i);
		copy[i].sopt = htole16(sopts[i]);
		copy[i].eilbrt = htole32(eilbrts[i]);
	}
}

void nvme_init_copy_range_f3(struct nvme_copy_range_f3 *copy, __u32 *snsids, __u16 *nlbs,
			     __u64 *slbas, __u16 *sopts, __u64 *eilbrts, __u32 *elbatms,
			     __u32 *elbats, __u16 nr)
{
	for (int i = 0; i < nr; i++) {
		copy[i].snsid = htole32(snsids[i]);
		put_copy_range(&copy[i], i);
		copy[i].sopt = htole16(sopts[i]);
		put_reference_tag(copy[i].elbt, eilbrts[i]);
	}
}

static int put_length(__u32 *len, size_t bytes)
{
	*len = (__u32)bytes;
	return 0;
}

int nvme_get_feature_length2(int fid, __u32 cdw11, enum nvme_data_tfr dir, __u32 *len)
{
	switch (fid) {
	case NVME_FEAT_FID_LBA_RANGE:
		return put_length(len, sizeof(struct nvme_lba_range_type));
	case NVME_FEAT_FID_AUTO_PST:
		return put_length(len, sizeof(struct nvme_feat_auto_pst));
	case NVME_FEAT_FID_HOST_MEM_BUF:
		/* Set Features describes the buffer in dwords, Get Features returns it as data. */
		return put_length(len, dir == NVME_DATA_TFR_HOST_TO_CTRL
					       ? 0
					       : sizeof(struct nvme_host_mem_buf_attrs));
	case NVME_FEAT_FID_TIMESTAMP:
		return put_length(len, sizeof(struct nvme_timestamp));
	case NVME_FEAT_FID_PLM_CONFIG:
		return put_length(len, sizeof(struct nvme_plm_config));
	case NVME_FEAT_FID_HOST_BEHAVIOR:
		return put_length(len, sizeof(struct nvme_feat_host_behavior));
	case NVME_FEAT_FID_PERF_CHARACTERISTICS:
		return put_length(len, sizeof(struct nvme_perf_characteristics));
	case NVME_FEAT_FID_CTRL_DATA_QUEUE:
		return put_length(len, dir == NVME_DATA_TFR_HOST_TO_CTRL
					       ? 0
					       : sizeof(struct nvme_lm_ctrl_data_queue_fid_data));
	case NVME_FEAT_FID_FDP_EVENTS:
		/* As in libnvme 1.16: the maximum number of events that eight bits can count. */
		return put_length(len, 255 * sizeof(struct nvme_fdp_supported_event_desc));
	case NVME_FEAT_FID_ENH_CTRL_METADATA:
	case NVME_FEAT_FID_CTRL_METADATA:
	case NVME_FEAT_FID_NS_METADATA:
		return put_length(len, sizeof(struct nvme_host_metadata));
	case NVME_FEAT_FID_HOST_ID:
		return put_length(len, NVME_FEAT_HOSTID_EXHID(cdw11) ? 16 : 8);
	case NVME_FEAT_FID_ARBITRATION:
	case NVME_FEAT_FID_POWER_MGMT:
	case NVME_FEAT_FID_TEMP_THRESH:
	case NVME_FEAT_FID_ERR_RECOVERY:
	case NVME_FEAT_FID_VOLATILE_WC:
	case NVME_FEAT_FID_NUM_QUEUES:
	case NVME_FEAT_FID_IRQ_COALESCE:
	case NVME_FEAT_FID_IRQ_CONFIG:
	case NVME_FEAT_FID_WRITE_ATOMIC:
	case NVME_FEAT_FID_ASYNC_EVENT:
	case NVME_FEAT_FID_KATO:
	case NVME_FEAT_FID_HCTM:
	case NVME_FEAT_FID_NOPSC:
	case NVME_FEAT_FID_RRL:
	case NVME_FEAT_FID_PLM_WINDOW:
	case NVME_FEAT_FID_LBA_STS_INTERVAL:
	case NVME_FEAT_FID_SANITIZE:
	case NVME_FEAT_FID_ENDURANCE_EVT_CFG:
	case NVME_FEAT_FID_IOCS_PROFILE:
	case NVME_FEAT_FID_SPINUP_CONTROL:
	case NVME_FEAT_FID_POWER_LOSS_SIGNAL:
	case NVME_FEAT_FID_FDP:
	case NVME_FEAT_FID_SW_PROGRESS:
	case NVME_FEAT_FID_RESV_MASK:
	case NVME_FEAT_FID_RESV_PERSIST:
	case NVME_FEAT_FID_WRITE_PROTECT:
	case NVME_FEAT_FID_BP_WRITE_PROTECT:
		return put_length(len, 0);
	default:
		return failure_errno(-EINVAL);
	}
}

int nvme_get_feature_length(int fid, __u32 cdw11, __u32 *len)
{
	return nvme_get_feature_length2(fid, cdw11, NVME_DATA_TFR_CTRL_TO_HOST, len);
}

int nvme_get_directive_receive_length(enum nvme_directive_dtype dtype,
				      enum nvme_directive_receive_doper doper, __u32 *len)
{
	switch (dtype) {
	case NVME_DIRECTIVE_DTYPE_IDENTIFY:
		if (doper != NVME_DIRECTIVE_RECEIVE_IDENTIFY_DOPER_PARAM)
			break;
		return put_length(len, sizeof(struct nvme_id_directives));
	case NVME_DIRECTIVE_DTYPE_STREAMS:
		switch ((int)doper) {
		case NVME_DIRECTIVE_RECEIVE_STREAMS_DOPER_PARAM:
			return put_length(len, sizeof(struct nvme_streams_directive_params));
		case NVME_DIRECTIVE_RECEIVE_STREAMS_DOPER_STATUS:
			/* Twice the maximum, the length that programs for libnvme 1.x send. */
			return put_length(len, 2 * (NVME_STREAM_ID_MAX + 1) * sizeof(__le16));
		case NVME_DIRECTIVE_RECEIVE_STREAMS_DOPER_RESOURCE:
			return put_length(len, 0);
		}
		break;
	}
	return failure_errno(-EINVAL);
}

struct nvmf_ext_attr *nvmf_exat_ptr_next(struct nvmf_ext_attr *p)
{
	return (struct nvmf_ext_attr *)(void *)((char *)p + nvmf_exat_size(le16toh(p->exatlen)));
}

const char *nvme_get_version(enum nvme_version type)
{
	switch (type) {
	case NVME_VERSION_PROJECT:
		return LIBNVME_VERSION;
	case NVME_VERSION_GIT:
		return PROJECT_VERSION;
	}
	return "n/a";
}

bool nvme_ipaddrs_eq(const char *addr1, const char *addr2)
{
	struct ip_addr a, b;

	/* As in libnvme 1.16. */
	if (!addr1 && !addr2)
		return true;
	return addr1 && addr2 && !address_parse(addr1, &a) && !address_parse(addr2, &b) &&
	       address_matches(&a, &b);
}

const char *nvme_iface_matching_addr(const struct ifaddrs *iface_list, const char *addr)
{
	struct ip_addr wanted;

	return address_parse(addr, &wanted) ? NULL : address_interface(iface_list, &wanted);
}

bool nvme_iface_primary_addr_matches(const struct ifaddrs *iface_list, const char *iface,
				     const char *addr)
{
	struct ip_addr wanted;

	return iface && !address_parse(addr, &wanted) &&
	       address_is_primary(iface_list, iface, &wanted);
}
