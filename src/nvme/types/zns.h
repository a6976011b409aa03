/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Zoned Namespace Command Set.
 */
#ifndef _LIBNVME_TYPES_ZNS_H
#define _LIBNVME_TYPES_ZNS_H

#include "base.h"

struct nvme_zns_lbafe {
	__le64 zsze;
	__u8 zdes;
	__u8 rsvd9[7];
};

struct nvme_zns_id_ns {
	__le16 zoc;
	__le16 ozcs;
	__le32 mar;
	__le32 mor;
	__le32 rrl;
	__le32 frl;
	__le32 rrl1;
	__le32 rrl2;
	__le32 rrl3;
	__le32 frl1;
	__le32 frl2;
	__le32 frl3;
	__le32 numzrwa;
	__le16 zrwafg;
	__le16 zrwasz;
	__u8 zrwacap;
	__u8 rsvd53[2763];
	struct nvme_zns_lbafe lbafe[64];
	__u8 vs[256];
};

struct nvme_zns_id_ctrl {
	__u8 zasl;
	__u8 rsvd1[4095];
};

struct nvme_zns_changed_zone_log {
	__le16 nrzid;
	__u8 rsvd2[6];
	__le64 zid[NVME_ZNS_CHANGED_ZONES_MAX];
};

enum nvme_zns_zt {
	NVME_ZONE_TYPE_SEQWRITE_REQ = 2,
};

enum nvme_zns_za {
	NVME_ZNS_ZA_ZFC = 1 << 0,
	NVME_ZNS_ZA_FZR = 1 << 1,
	NVME_ZNS_ZA_RZR = 1 << 2,
	NVME_ZNS_ZA_ZRWAV = 1 << 3,
	NVME_ZNS_ZA_ZDEV = 1 << 7,
};

enum nvme_zns_zs {
	NVME_ZNS_ZS_EMPTY = 0x01,
	NVME_ZNS_ZS_IMPL_OPEN = 0x02,
	NVME_ZNS_ZS_EXPL_OPEN = 0x03,
	NVME_ZNS_ZS_CLOSED = 0x04,
	NVME_ZNS_ZS_READ_ONLY = 0x0d,
	NVME_ZNS_ZS_FULL = 0x0e,
	NVME_ZNS_ZS_OFFLINE = 0x0f,
};

struct nvme_zns_desc {
	__u8 zt;
	__u8 zs;
	__u8 za;
	__u8 zai;
	__u8 rsvd4[4];
	__le64 zcap;
	__le64 zslba;
	__le64 wp;
	__u8 rsvd32[32];
};

struct nvme_zone_report {
	__le64 nr_zones;
	__u8 rsvd8[56];
	struct nvme_zns_desc entries[];
};

enum nvme_zns_send_action {
	NVME_ZNS_ZSA_CLOSE = 0x01,
	NVME_ZNS_ZSA_FINISH = 0x02,
	NVME_ZNS_ZSA_OPEN = 0x03,
	NVME_ZNS_ZSA_RESET = 0x04,
	NVME_ZNS_ZSA_OFFLINE = 0x05,
	NVME_ZNS_ZSA_SET_DESC_EXT = 0x10,
	NVME_ZNS_ZSA_ZRWA_FLUSH = 0x11,
};

enum nvme_zns_recv_action {
	NVME_ZNS_ZRA_REPORT_ZONES = 0,
	NVME_ZNS_ZRA_EXTENDED_REPORT_ZONES = 1,
};

enum nvme_zns_report_options {
	NVME_ZNS_ZRAS_REPORT_ALL = 0,
	NVME_ZNS_ZRAS_REPORT_EMPTY = 1,
	NVME_ZNS_ZRAS_REPORT_IMPL_OPENED = 2,
	NVME_ZNS_ZRAS_REPORT_EXPL_OPENED = 3,
	NVME_ZNS_ZRAS_REPORT_CLOSED = 4,
	NVME_ZNS_ZRAS_REPORT_FULL = 5,
	NVME_ZNS_ZRAS_REPORT_READ_ONLY = 6,
	NVME_ZNS_ZRAS_REPORT_OFFLINE = 7,
};

#endif /* _LIBNVME_TYPES_ZNS_H */
