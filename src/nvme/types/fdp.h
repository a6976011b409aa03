/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flexible Data Placement: log pages, events, reclaim unit handles.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_FDP_H
#define _LIBNVME_TYPES_FDP_H

#include "base.h"
#include "feature-data.h"

/** enum nvme_fdp_ruh_type - reclaim unit handle types; "FDP Configurations" */
enum nvme_fdp_ruh_type {
	NVME_FDP_RUHT_INITIALLY_ISOLATED = 1,		/* isolated when written */
	NVME_FDP_RUHT_PERSISTENTLY_ISOLATED = 2,	/* isolated for good */
};

/** struct nvme_fdp_ruh_desc - Reclaim Unit Handle Descriptor; "FDP Configurations" */
struct nvme_fdp_ruh_desc {
	__u8 ruht;	/* &enum nvme_fdp_ruh_type */
	__u8 rsvd1[3];
};

/** enum nvme_fdp_config_fdpa - FDP Attributes; "FDP Configurations" */
enum nvme_fdp_config_fdpa {
	NVME_FIELD(FDP_CONFIG_FDPA_RGIF, 0, 0xf),	/* reclaim group bits of a placement id */
	NVME_FIELD(FDP_CONFIG_FDPA_FDPVWC, 4, 0x1),	/* volatile write cache present */
	NVME_FIELD(FDP_CONFIG_FDPA_VALID, 7, 0x1),	/* the configuration is valid */
};

/** struct nvme_fdp_config_desc - FDP Configuration Descriptor; "FDP Configurations" */
struct nvme_fdp_config_desc {
	__le16 size;			/* bytes of the descriptor */
	__u8 fdpa;			/* &enum nvme_fdp_config_fdpa */
	__u8 vss;			/* bytes of vendor specific data */
	__le32 nrg;			/* number of reclaim groups */
	__le16 nruh;			/* number of reclaim unit handles */
	__le16 maxpids;			/* most placement identifiers, 0's based */
	__le32 nnss;			/* most namespaces */
	__le64 runs;			/* nominal size of a reclaim unit in bytes */
	__le32 erutl;			/* estimated time limit of a reclaim unit in seconds */
	__u8 rsvd28[36];
	struct nvme_fdp_ruh_desc ruhs[];	/* handles, then vendor specific data */
};

/**
 * struct nvme_fdp_config_log - "FDP Configurations"
 *
 * Descriptors vary in length, so that configs cannot be indexed.
 */
struct nvme_fdp_config_log {
	__le16 n;				/* number of configurations, 0's based */
	__u8 version;				/* version of the page */
	__u8 rsvd3;
	__le32 size;				/* bytes of the page in all */
	__u8 rsvd8[8];
	struct nvme_fdp_config_desc configs[];	/* configurations */
};

/** enum nvme_fdp_ruha - Reclaim Unit Handle Attributes; "Reclaim Unit Handle Usage" */
enum nvme_fdp_ruha {
	NVME_FIELD(FDP_RUHA_HOST, 0, 0x1),	/* specified by the host */
	NVME_FIELD(FDP_RUHA_CTRL, 1, 0x1),	/* specified by the controller */
};

/** struct nvme_fdp_ruhu_desc - Reclaim Unit Handle Usage Descriptor; "Reclaim Unit Handle Usage" */
struct nvme_fdp_ruhu_desc {
	__u8 ruha;	/* &enum nvme_fdp_ruha */
	__u8 rsvd1[7];
};

/** struct nvme_fdp_ruhu_log - Reclaim Unit Handle Usage log page; "Reclaim Unit Handle Usage" */
struct nvme_fdp_ruhu_log {
	__le16 nruh;				/* number of reclaim unit handles */
	__u8 rsvd2[6];
	struct nvme_fdp_ruhu_desc ruhus[];	/* descriptors */
};

/**
 * struct nvme_fdp_stats_log - "FDP Statistics"
 *
 * All fields are little-endian numbers of 128 bits.
 */
struct nvme_fdp_stats_log {
	__u8 hbmw[16];	/* host bytes with metadata written */
	__u8 mbmw[16];	/* media bytes with metadata written */
	__u8 mbe[16];	/* media bytes erased */
	__u8 rsvd48[16];
};

/**
 * enum nvme_fdp_event_type - types of FDP events; "FDP Events"
 *
 * Events below 80h are caused by the host, the others by the controller.
 */
enum nvme_fdp_event_type {
	NVME_FDP_EVENT_RUNFW = 0x00,	/* reclaim unit not written to its end */
	NVME_FDP_EVENT_RUTLE = 0x01,	/* time limit of a reclaim unit exceeded */
	NVME_FDP_EVENT_RESET = 0x02,	/* controller reset changed a reclaim unit */
	NVME_FDP_EVENT_PID = 0x03,	/* invalid placement identifier */
	NVME_FDP_EVENT_REALLOC = 0x80,	/* media was reallocated */
	NVME_FDP_EVENT_MODIFY = 0x81,	/* a reclaim unit handle was modified */
};

/** enum nvme_fdp_event_realloc_flags - flags of a media reallocated event; "FDP Events" */
enum nvme_fdp_event_realloc_flags {
	NVME_FDP_EVENT_REALLOC_F_LBAV = 1 << 0,	/* the logical block is valid */
};

/** struct nvme_fdp_event_realloc - media reallocated event; "FDP Events" */
struct nvme_fdp_event_realloc {
	__u8 flags;	/* &enum nvme_fdp_event_realloc_flags */
	__u8 rsvd1;
	__le16 nlbam;	/* number of logical blocks moved */
	__le64 lba;	/* one of them */
	__u8 rsvd12[4];
};

/** enum nvme_fdp_event_flags - flags of an FDP event; "FDP Events" */
enum nvme_fdp_event_flags {
	NVME_FDP_EVENT_F_PIV = 1 << 0,		/* pid is valid */
	NVME_FDP_EVENT_F_NSIDV = 1 << 1,	/* nsid is valid */
	NVME_FDP_EVENT_F_LV = 1 << 2,		/* rgid and ruhid are valid */
};

/** struct nvme_fdp_event - FDP event; "FDP Events" */
struct nvme_fdp_event {
	__u8 type;			/* &enum nvme_fdp_event_type */
	__u8 flags;			/* &enum nvme_fdp_event_flags */
	__le16 pid;			/* placement identifier */
	struct nvme_timestamp ts;	/* when it happened */
	__le32 nsid;			/* namespace */
	__u8 type_specific[16];		/* as in &struct nvme_fdp_event_realloc */
	__le16 rgid;			/* reclaim group */
	__u8 ruhid;			/* reclaim unit handle */
	__u8 rsvd35[5];
	__u8 vs[24];			/* vendor specific */
};

/** struct nvme_fdp_events_log - FDP Events log page; "FDP Events" */
struct nvme_fdp_events_log {
	__le32 n;				/* number of events */
	__u8 rsvd4[60];
	struct nvme_fdp_event events[63];	/* events, the newest first */
};

/**
 * struct nvme_feat_fdp_events_cdw11 - command dword 11 of the FDP Events feature; "Flexible Data
 * Placement Events"
 */
struct nvme_feat_fdp_events_cdw11 {
	__le16 phndl;	/* placement handle */
	__u8 noet;	/* number of event types */
	__u8 rsvd24;
};

/**
 * enum nvme_fdp_supported_event_attributes - attributes of a supported event; "Flexible Data
 * Placement Events"
 */
enum nvme_fdp_supported_event_attributes {
	NVME_FIELD(FDP_SUPP_EVENT_ENABLED, 0, 0x1),	/* enabled */
};

/**
 * struct nvme_fdp_supported_event_desc - Supported FDP Event Descriptor; "Flexible Data Placement
 * Events"
 */
struct nvme_fdp_supported_event_desc {
	__u8 evt;	/* &enum nvme_fdp_event_type */
	__u8 evta;	/* &enum nvme_fdp_supported_event_attributes */
};

/**
 * enum nvme_io_mgmt_recv_mo - operations of I/O Management Receive; NVM Command Set "I/O Management
 * Receive command"
 */
enum nvme_io_mgmt_recv_mo {
	NVME_IO_MGMT_RECV_RUH_STATUS = 1,	/* reclaim unit handle status */
};

/**
 * enum nvme_io_mgmt_send_mo - operations of I/O Management Send; NVM Command Set "I/O Management
 * Send command"
 */
enum nvme_io_mgmt_send_mo {
	NVME_IO_MGMT_SEND_RUH_UPDATE = 1,	/* reclaim unit handle update */
};

/**
 * struct nvme_fdp_ruh_status_desc - Reclaim Unit Handle Status Descriptor; NVM Command Set "Reclaim
 * Unit Handle Status"
 */
struct nvme_fdp_ruh_status_desc {
	__le16 pid;	/* placement identifier */
	__le16 ruhid;	/* reclaim unit handle */
	__le32 earutr;	/* estimated time left in seconds */
	__le64 ruamw;	/* logical blocks that can be written */
	__u8 rsvd16[16];
};

/** struct nvme_fdp_ruh_status - NVM Command Set "Reclaim Unit Handle Status" */
struct nvme_fdp_ruh_status {
	__u8 rsvd0[14];
	__le16 nruhsd;					/* number of descriptors */
	struct nvme_fdp_ruh_status_desc ruhss[];	/* descriptors */
};

#endif /* _LIBNVME_TYPES_FDP_H */
