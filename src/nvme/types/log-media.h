/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log pages about endurance, latency, capacity and media.
 */
#ifndef _LIBNVME_TYPES_LOG_MEDIA_H
#define _LIBNVME_TYPES_LOG_MEDIA_H

#include "base.h"

enum nvme_eg_critical_warning_flags {
	NVME_EG_CRITICAL_WARNING_SPARE = 1 << 0,
	NVME_EG_CRITICAL_WARNING_DEGRADED = 1 << 2,
	NVME_EG_CRITICAL_WARNING_READ_ONLY = 1 << 3,
};

struct nvme_endurance_group_log {
	__u8 critical_warning;
	__u8 endurance_group_features;
	__u8 rsvd2;
	__u8 avl_spare;
	__u8 avl_spare_threshold;
	__u8 percent_used;
	__le16 domain_identifier;
	__u8 rsvd8[24];
	__u8 endurance_estimate[16];
	__u8 data_units_read[16];
	__u8 data_units_written[16];
	__u8 media_units_written[16];
	__u8 host_read_cmds[16];
	__u8 host_write_cmds[16];
	__u8 media_data_integrity_err[16];
	__u8 num_err_info_log_entries[16];
	__u8 total_end_grp_cap[16];
	__u8 unalloc_end_grp_cap[16];
	__u8 rsvd192[320];
};

struct nvme_aggregate_endurance_group_event {
	__le64 num_entries;
	__le16 entries[];
};

struct nvme_eg_event_aggregate_log {
	__le64 nr_entries;
	__le16 egids[];
};

enum nvme_nvmeset_pl_status {
	NVME_NVMSET_PL_STATUS_DISABLED = 0,
	NVME_NVMSET_PL_STATUS_DTWIN = 1,
	NVME_NVMSET_PL_STATUS_NDWIN = 2,
};

enum nvme_nvmset_pl_events {
	NVME_NVMSET_PL_EVENT_DTWIN_READ_WARN = 1 << 0,
	NVME_NVMSET_PL_EVENT_DTWIN_WRITE_WARN = 1 << 1,
	NVME_NVMSET_PL_EVENT_DTWIN_TIME_WARN = 1 << 2,
	NVME_NVMSET_PL_EVENT_DTWIN_EXCEEDED = 1 << 14,
	NVME_NVMSET_PL_EVENT_DTWIN_EXCURSION = 1 << 15,
};

struct nvme_nvmset_predictable_lat_log {
	__u8 status;
	__u8 rsvd1;
	__le16 event_type;
	__u8 rsvd4[28];
	__le64 dtwin_rt;
	__le64 dtwin_wt;
	__le64 dtwin_tmax;
	__le64 ndwin_tmin_hi;
	__le64 ndwin_tmin_lo;
	__u8 rsvd72[56];
	__le64 dtwin_re;
	__le64 dtwin_we;
	__le64 dtwin_te;
	__u8 rsvd152[360];
};

struct nvme_aggregate_predictable_lat_event {
	__le64 num_entries;
	__le16 entries[];
};

struct nvme_lba_rd {
	__le64 rslba;
	__le32 rnlb;
	__u8 rsvd12[4];
};

struct nvme_lbas_ns_element {
	__le32 neid;
	__le32 nlrd;
	__u8 ratype;
	__u8 rsvd8[7];
	struct nvme_lba_rd lba_rd[];
};

struct nvme_lba_status_log {
	__le32 lslplen;
	__le32 nlslne;
	__le32 estulb;
	__u8 rsvd12[2];
	__le16 lsgc;
	struct nvme_lbas_ns_element elements[];
};

struct nvme_rotational_media_info_log {
	__le16 endgid;
	__le16 numa;
	__le16 nrs;
	__u8 rsvd6[2];
	__le32 spinc;
	__le32 fspinc;
	__le32 ldc;
	__le32 fldc;
	__u8 rsvd24[488];
};

struct nvme_media_unit_stat_desc {
	__le16 muid;
	__le16 domainid;
	__le16 endgid;
	__le16 nvmsetid;
	__le16 cap_adj_fctr;
	__u8 avl_spare;
	__u8 percent_used;
	__u8 mucs;
	__u8 cio;
};

struct nvme_media_unit_stat_log {
	__le16 nmu;
	__le16 cchans;
	__le16 sel_config;
	__u8 rsvd6[10];
	struct nvme_media_unit_stat_desc mus_desc[];
};

struct nvme_media_unit_config_desc {
	__le16 muid;
	__u8 rsvd2[4];
	__le16 mudl;
};

struct nvme_channel_config_desc {
	__le16 chanid;
	__le16 chmus;
	struct nvme_media_unit_config_desc mu_config_desc[];
};

struct nvme_end_grp_chan_desc {
	__le16 egchans;
	struct nvme_channel_config_desc chan_config_desc[];
};

struct nvme_end_grp_config_desc {
	__le16 endgid;
	__le16 cap_adj_factor;
	__u8 rsvd4[12];
	__u8 tegcap[16];
	__u8 segcap[16];
	__u8 end_est[16];
	__u8 rsvd64[16];
	__le16 egsets;
	__le16 nvmsetid[];
};

struct nvme_capacity_config_desc {
	__le16 cap_config_id;
	__le16 domainid;
	__le16 egcn;
	__u8 rsvd6[26];
	struct nvme_end_grp_config_desc egcd[];
};

struct nvme_supported_cap_config_list_log {
	__u8 sccn;
	__u8 rsvd1[15];
	struct nvme_capacity_config_desc cap_config_desc[];
};

#endif /* _LIBNVME_TYPES_LOG_MEDIA_H */
