/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flexible Data Placement: log pages, events, reclaim unit handles.
 */
#ifndef _LIBNVME_TYPES_FDP_H
#define _LIBNVME_TYPES_FDP_H

#include "base.h"
#include "feature-data.h"

enum nvme_fdp_ruh_type {
	NVME_FDP_RUHT_INITIALLY_ISOLATED = 1,
	NVME_FDP_RUHT_PERSISTENTLY_ISOLATED = 2,
};

struct nvme_fdp_ruh_desc {
	__u8 ruht;
	__u8 rsvd1[3];
};

enum nvme_fdp_config_fdpa {
	NVME_FDP_CONFIG_FDPA_RGIF_SHIFT = 0,
	NVME_FDP_CONFIG_FDPA_RGIF_MASK = 0xf,
	NVME_FDP_CONFIG_FDPA_FDPVWC_SHIFT = 4,
	NVME_FDP_CONFIG_FDPA_FDPVWC_MASK = 0x1,
	NVME_FDP_CONFIG_FDPA_VALID_SHIFT = 7,
	NVME_FDP_CONFIG_FDPA_VALID_MASK = 0x1,
};

struct nvme_fdp_config_desc {
	__le16 size;
	__u8 fdpa;
	__u8 vss;
	__le32 nrg;
	__le16 nruh;
	__le16 maxpids;
	__le32 nnss;
	__le64 runs;
	__le32 erutl;
	__u8 rsvd28[36];
	struct nvme_fdp_ruh_desc ruhs[];
};

struct nvme_fdp_config_log {
	__le16 n;
	__u8 version;
	__u8 rsvd3;
	__le32 size;
	__u8 rsvd8[8];
	struct nvme_fdp_config_desc configs[];
};

enum nvme_fdp_ruha {
	NVME_FDP_RUHA_HOST_SHIFT = 0,
	NVME_FDP_RUHA_HOST_MASK = 0x1,
	NVME_FDP_RUHA_CTRL_SHIFT = 1,
	NVME_FDP_RUHA_CTRL_MASK = 0x1,
};

struct nvme_fdp_ruhu_desc {
	__u8 ruha;
	__u8 rsvd1[7];
};

struct nvme_fdp_ruhu_log {
	__le16 nruh;
	__u8 rsvd2[6];
	struct nvme_fdp_ruhu_desc ruhus[];
};

struct nvme_fdp_stats_log {
	__u8 hbmw[16];
	__u8 mbmw[16];
	__u8 mbe[16];
	__u8 rsvd48[16];
};

enum nvme_fdp_event_type {
	NVME_FDP_EVENT_RUNFW = 0x00,
	NVME_FDP_EVENT_RUTLE = 0x01,
	NVME_FDP_EVENT_RESET = 0x02,
	NVME_FDP_EVENT_PID = 0x03,
	NVME_FDP_EVENT_REALLOC = 0x80,
	NVME_FDP_EVENT_MODIFY = 0x81,
};

enum nvme_fdp_event_realloc_flags {
	NVME_FDP_EVENT_REALLOC_F_LBAV = 1 << 0,
};

struct nvme_fdp_event_realloc {
	__u8 flags;
	__u8 rsvd1;
	__le16 nlbam;
	__le64 lba;
	__u8 rsvd12[4];
};

enum nvme_fdp_event_flags {
	NVME_FDP_EVENT_F_PIV = 1 << 0,
	NVME_FDP_EVENT_F_NSIDV = 1 << 1,
	NVME_FDP_EVENT_F_LV = 1 << 2,
};

struct nvme_fdp_event {
	__u8 type;
	__u8 flags;
	__le16 pid;
	struct nvme_timestamp ts;
	__le32 nsid;
	__u8 type_specific[16];
	__le16 rgid;
	__u8 ruhid;
	__u8 rsvd35[5];
	__u8 vs[24];
};

struct nvme_fdp_events_log {
	__le32 n;
	__u8 rsvd4[60];
	struct nvme_fdp_event events[63];
};

struct nvme_feat_fdp_events_cdw11 {
	__le16 phndl;
	__u8 noet;
	__u8 rsvd24;
};

enum nvme_fdp_supported_event_attributes {
	NVME_FDP_SUPP_EVENT_ENABLED_SHIFT = 0,
	NVME_FDP_SUPP_EVENT_ENABLED_MASK = 0x1,
};

struct nvme_fdp_supported_event_desc {
	__u8 evt;
	__u8 evta;
};

enum nvme_io_mgmt_recv_mo {
	NVME_IO_MGMT_RECV_RUH_STATUS = 1,
};

enum nvme_io_mgmt_send_mo {
	NVME_IO_MGMT_SEND_RUH_UPDATE = 1,
};

struct nvme_fdp_ruh_status_desc {
	__le16 pid;
	__le16 ruhid;
	__le32 earutr;
	__le64 ruamw;
	__u8 rsvd16[16];
};

struct nvme_fdp_ruh_status {
	__u8 rsvd0[14];
	__le16 nruhsd;
	struct nvme_fdp_ruh_status_desc ruhss[];
};

#endif /* _LIBNVME_TYPES_FDP_H */
