/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log pages about endurance, latency, capacity and media.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_LOG_MEDIA_H
#define _LIBNVME_TYPES_LOG_MEDIA_H

#include "base.h"

/**
 * enum nvme_eg_critical_warning_flags - Critical Warning of an endurance group; "Endurance Group
 * Information Log Page"
 */
enum nvme_eg_critical_warning_flags {
	NVME_EG_CRITICAL_WARNING_SPARE = 1 << 0,	/* available spare is below its threshold */
	NVME_EG_CRITICAL_WARNING_DEGRADED = 1 << 2,	/* reliability is degraded */
	NVME_EG_CRITICAL_WARNING_READ_ONLY = 1 << 3,	/* all namespaces are read only */
};

/**
 * struct nvme_endurance_group_log - "Endurance Group Information Log Page"
 *
 * Fields of 16 bytes are little-endian numbers of 128 bits.
 */
struct nvme_endurance_group_log {
	__u8 critical_warning;			/* &enum nvme_eg_critical_warning_flags */
	__u8 endurance_group_features;		/* bit 0: rotational media */
	__u8 rsvd2;
	__u8 avl_spare;				/* spare capacity left in percent */
	__u8 avl_spare_threshold;		/* threshold of avl_spare in percent */
	__u8 percent_used;			/* estimated part of the life used */
	__le16 domain_identifier;		/* domain */
	__u8 rsvd8[24];
	__u8 endurance_estimate[16];		/* bytes that can be written, units of 10^9 */
	__u8 data_units_read[16];		/* bytes read, units of 10^9 */
	__u8 data_units_written[16];		/* bytes written, units of 10^9 */
	__u8 media_units_written[16];		/* bytes written to media, units of 10^9 */
	__u8 host_read_cmds[16];		/* read commands */
	__u8 host_write_cmds[16];		/* write commands */
	__u8 media_data_integrity_err[16];	/* errors of media and data integrity */
	__u8 num_err_info_log_entries[16];	/* error log entries */
	__u8 total_end_grp_cap[16];		/* capacity in bytes */
	__u8 unalloc_end_grp_cap[16];		/* capacity not allocated in bytes */
	__u8 rsvd192[320];
};

/** struct nvme_aggregate_endurance_group_event - "Endurance Group Event Aggregate Log Page" */
struct nvme_aggregate_endurance_group_event {
	__le64 num_entries;	/* number of entries */
	__le16 entries[];	/* endurance groups with events */
};

/**
 * struct nvme_eg_event_aggregate_log - Endurance Group Event Aggregate log page, other spelling;
 * "Endurance Group Event Aggregate Log Page"
 */
struct nvme_eg_event_aggregate_log {
	__le64 nr_entries;	/* number of entries */
	__le16 egids[];		/* endurance groups with events */
};

/**
 * enum nvme_nvmeset_pl_status - predictable latency windows; "Predictable Latency Per NVM Set Log
 * Page"
 */
enum nvme_nvmeset_pl_status {
	NVME_NVMSET_PL_STATUS_DISABLED = 0,	/* predictable latency mode is off */
	NVME_NVMSET_PL_STATUS_DTWIN = 1,	/* deterministic window */
	NVME_NVMSET_PL_STATUS_NDWIN = 2,	/* non-deterministic window */
};

/**
 * enum nvme_nvmset_pl_events - events of a predictable latency window; "Predictable Latency Per NVM
 * Set Log Page"
 */
enum nvme_nvmset_pl_events {
	NVME_NVMSET_PL_EVENT_DTWIN_READ_WARN = 1 << 0,	/* few reads are left */
	NVME_NVMSET_PL_EVENT_DTWIN_WRITE_WARN = 1 << 1,	/* few writes are left */
	NVME_NVMSET_PL_EVENT_DTWIN_TIME_WARN = 1 << 2,	/* little time is left */
	NVME_NVMSET_PL_EVENT_DTWIN_EXCEEDED = 1 << 14,	/* left, an estimate was exceeded */
	NVME_NVMSET_PL_EVENT_DTWIN_EXCURSION = 1 << 15,	/* left on an excursion */
};

/**
 * struct nvme_nvmset_predictable_lat_log - "Predictable Latency Per NVM Set Log Page"
 *
 * Reads and writes count units of 4 KiB, times are in milliseconds.
 */
struct nvme_nvmset_predictable_lat_log {
	__u8 status;		/* &enum nvme_nvmeset_pl_status */
	__u8 rsvd1;
	__le16 event_type;	/* &enum nvme_nvmset_pl_events */
	__u8 rsvd4[28];
	__le64 dtwin_rt;	/* deterministic window: typical reads */
	__le64 dtwin_wt;	/* deterministic window: typical writes */
	__le64 dtwin_tmax;	/* deterministic window: longest time */
	__le64 ndwin_tmin_hi;	/* non-deterministic window: shortest time, high */
	__le64 ndwin_tmin_lo;	/* non-deterministic window: shortest time, low */
	__u8 rsvd72[56];
	__le64 dtwin_re;	/* deterministic window: estimate of reads left */
	__le64 dtwin_we;	/* deterministic window: estimate of writes left */
	__le64 dtwin_te;	/* deterministic window: estimate of time left */
	__u8 rsvd152[360];
};

/** struct nvme_aggregate_predictable_lat_event - "Predictable Latency Event Aggregate Log Page" */
struct nvme_aggregate_predictable_lat_event {
	__le64 num_entries;	/* number of entries */
	__le16 entries[];	/* NVM sets with events */
};

/** struct nvme_lba_rd - LBA Range Descriptor; NVM Command Set "LBA Status Information Log Page" */
struct nvme_lba_rd {
	__le64 rslba;	/* first logical block */
	__le32 rnlb;	/* number of logical blocks */
	__u8 rsvd12[4];
};

/**
 * struct nvme_lbas_ns_element - LBA Status Log Namespace Element; NVM Command Set "LBA Status
 * Information Log Page"
 */
struct nvme_lbas_ns_element {
	__le32 neid;			/* namespace */
	__le32 nlrd;			/* number of range descriptors, ffffffffh for all blocks */
	__u8 ratype;			/* recommended action type */
	__u8 rsvd8[7];
	struct nvme_lba_rd lba_rd[];	/* range descriptors */
};

/** struct nvme_lba_status_log - NVM Command Set "LBA Status Information Log Page" */
struct nvme_lba_status_log {
	__le32 lslplen;				/* bytes of the page in all */
	__le32 nlslne;				/* number of namespace elements */
	__le32 estulb;				/* estimate of unrecoverable logical blocks */
	__u8 rsvd12[2];
	__le16 lsgc;				/* generation counter */
	struct nvme_lbas_ns_element elements[];	/* namespace elements */
};

/** struct nvme_rotational_media_info_log - "Rotational Media Information Log Page" */
struct nvme_rotational_media_info_log {
	__le16 endgid;	/* endurance group */
	__le16 numa;	/* number of actuators */
	__le16 nrs;	/* nominal speed in revolutions per minute */
	__u8 rsvd6[2];
	__le32 spinc;	/* spin-ups */
	__le32 fspinc;	/* failed spin-ups */
	__le32 ldc;	/* head loads */
	__le32 fldc;	/* failed head loads */
	__u8 rsvd24[488];
};

/** struct nvme_media_unit_stat_desc - Media Unit Status Descriptor; "Media Unit Status Log Page" */
struct nvme_media_unit_stat_desc {
	__le16 muid;		/* media unit */
	__le16 domainid;	/* domain */
	__le16 endgid;		/* endurance group */
	__le16 nvmsetid;	/* NVM set */
	__le16 cap_adj_fctr;	/* capacity adjustment factor */
	__u8 avl_spare;		/* spare capacity left in percent */
	__u8 percent_used;	/* estimated part of the life used */
	__u8 mucs;		/* number of channels */
	__u8 cio;		/* offset of the channel identifiers */
};

/** struct nvme_media_unit_stat_log - Media Unit Status log page; "Media Unit Status Log Page" */
struct nvme_media_unit_stat_log {
	__le16 nmu;					/* number of media units */
	__le16 cchans;					/* number of channels */
	__le16 sel_config;				/* selected capacity configuration */
	__u8 rsvd6[10];
	struct nvme_media_unit_stat_desc mus_desc[];	/* media unit descriptors */
};

/**
 * struct nvme_media_unit_config_desc - Media Unit Configuration Descriptor; "Supported Capacity
 * Configuration List Log Page"
 */
struct nvme_media_unit_config_desc {
	__le16 muid;	/* media unit */
	__u8 rsvd2[4];
	__le16 mudl;	/* bytes of the descriptor */
};

/**
 * struct nvme_channel_config_desc - Channel Configuration Descriptor; "Supported Capacity
 * Configuration List Log Page"
 */
struct nvme_channel_config_desc {
	__le16 chanid;						/* channel */
	__le16 chmus;						/* number of media units */
	struct nvme_media_unit_config_desc mu_config_desc[];	/* media units */
};

/**
 * struct nvme_end_grp_chan_desc - Endurance Group Channel Configuration; "Supported Capacity
 * Configuration List Log Page"
 */
struct nvme_end_grp_chan_desc {
	__le16 egchans;						/* number of channels */
	struct nvme_channel_config_desc chan_config_desc[];	/* channels */
};

/**
 * struct nvme_end_grp_config_desc - Endurance Group Configuration Descriptor; "Supported Capacity
 * Configuration List Log Page"
 *
 * Behind the NVM set ids follow the channels, a &struct nvme_end_grp_chan_desc.
 */
struct nvme_end_grp_config_desc {
	__le16 endgid;		/* endurance group */
	__le16 cap_adj_factor;	/* capacity adjustment factor */
	__u8 rsvd4[12];
	__u8 tegcap[16];	/* capacity in bytes, 128 bits */
	__u8 segcap[16];	/* spare capacity in bytes, 128 bits */
	__u8 end_est[16];	/* endurance estimate, 10^9 bytes, 128 bits */
	__u8 rsvd64[16];
	__le16 egsets;		/* number of NVM sets */
	__le16 nvmsetid[];	/* NVM sets */
};

/**
 * struct nvme_capacity_config_desc - Capacity Configuration Descriptor; "Supported Capacity
 * Configuration List Log Page"
 */
struct nvme_capacity_config_desc {
	__le16 cap_config_id;			/* capacity configuration */
	__le16 domainid;			/* domain */
	__le16 egcn;				/* number of endurance groups */
	__u8 rsvd6[26];
	struct nvme_end_grp_config_desc egcd[];	/* endurance groups */
};

/** struct nvme_supported_cap_config_list_log - "Supported Capacity Configuration List Log Page" */
struct nvme_supported_cap_config_list_log {
	__u8 sccn;						/* number of configurations */
	__u8 rsvd1[15];
	struct nvme_capacity_config_desc cap_config_desc[];	/* configurations */
};

#endif /* _LIBNVME_TYPES_LOG_MEDIA_H */
