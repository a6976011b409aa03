/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Zoned Namespace Command Set.
 * Names in quotes are sections of the NVM Express Zoned Namespace Command Set Specification.
 */
#ifndef _LIBNVME_TYPES_ZNS_H
#define _LIBNVME_TYPES_ZNS_H

#include "base.h"

/** struct nvme_zns_lbafe - LBA Format Extension; "LBA Format Extension Data Structure" */
struct nvme_zns_lbafe {
	__le64 zsze;	/* zone size in logical blocks */
	__u8 zdes;	/* zone descriptor extension size, units of 64 bytes */
	__u8 rsvd9[7];
};

/**
 * struct nvme_zns_id_ns - Identify Namespace data structure of the Zoned Namespace Command Set;
 * Zoned Namespace Command Set "I/O Command Set Specific Identify Namespace Data Structure"
 *
 * Returned by Identify with CNS 05h and CSI 02h. Limits of ffffffffh mean no limit; delays and
 * times are in seconds.
 */
struct nvme_zns_id_ns {
	__le16 zoc;			/* zone operation characteristics */
	__le16 ozcs;			/* optional zoned command support */
	__le32 mar;			/* most active zones, 0's based */
	__le32 mor;			/* most open zones, 0's based */
	__le32 rrl;			/* reset recommended limit */
	__le32 frl;			/* finish recommended limit */
	__le32 rrl1;			/* reset recommended limit 1 */
	__le32 rrl2;			/* reset recommended limit 2 */
	__le32 rrl3;			/* reset recommended limit 3 */
	__le32 frl1;			/* finish recommended limit 1 */
	__le32 frl2;			/* finish recommended limit 2 */
	__le32 frl3;			/* finish recommended limit 3 */
	__le32 numzrwa;			/* number of zone random write area resources, 0's based */
	__le16 zrwafg;			/* zone random write area flush granularity, blocks */
	__le16 zrwasz;			/* zone random write area size, blocks */
	__u8 zrwacap;			/* zone random write area capability */
	__u8 rsvd53[2763];
	struct nvme_zns_lbafe lbafe[64];	/* LBA format extensions */
	__u8 vs[256];			/* vendor specific */
};

/**
 * struct nvme_zns_id_ctrl - Identify Controller data structure of the Zoned Namespace Command Set;
 * Zoned Namespace Command Set "I/O Command Set Specific Identify Controller Data Structure"
 *
 * Returned by Identify with CNS 06h and CSI 02h.
 */
struct nvme_zns_id_ctrl {
	__u8 zasl;	/* most data of a Zone Append, 2^n minimum pages; 0: MDTS */
	__u8 rsvd1[4095];
};

/** struct nvme_zns_changed_zone_log - Changed Zone List log page; "Changed Zone List Log Page" */
struct nvme_zns_changed_zone_log {
	__le16 nrzid;				/* number of zones; ffffh: too many to list */
	__u8 rsvd2[6];
	__le64 zid[NVME_ZNS_CHANGED_ZONES_MAX];	/* start of each zone */
};

/** enum nvme_zns_zt - zone types; "Zone Descriptor Data Structure" */
enum nvme_zns_zt {
	NVME_ZONE_TYPE_SEQWRITE_REQ = 2,	/* sequential write required */
};

/** enum nvme_zns_za - zone attributes; "Zone Descriptor Data Structure" */
enum nvme_zns_za {
	NVME_ZNS_ZA_ZFC = 1 << 0,	/* finished by the controller */
	NVME_ZNS_ZA_FZR = 1 << 1,	/* finishing is recommended */
	NVME_ZNS_ZA_RZR = 1 << 2,	/* a reset is recommended */
	NVME_ZNS_ZA_ZRWAV = 1 << 3,	/* the zone random write area is valid */
	NVME_ZNS_ZA_ZDEV = 1 << 7,	/* the descriptor extension is valid */
};

/** enum nvme_zns_zs - zone states; "Zone Descriptor Data Structure" */
enum nvme_zns_zs {
	NVME_ZNS_ZS_EMPTY = 0x01,	/* empty */
	NVME_ZNS_ZS_IMPL_OPEN = 0x02,	/* implicitly opened */
	NVME_ZNS_ZS_EXPL_OPEN = 0x03,	/* explicitly opened */
	NVME_ZNS_ZS_CLOSED = 0x04,	/* closed */
	NVME_ZNS_ZS_READ_ONLY = 0x0d,	/* read only */
	NVME_ZNS_ZS_FULL = 0x0e,	/* full */
	NVME_ZNS_ZS_OFFLINE = 0x0f,	/* offline */
};

/** struct nvme_zns_desc - Zone Descriptor; "Zone Descriptor Data Structure" */
struct nvme_zns_desc {
	__u8 zt;	/* &enum nvme_zns_zt */
	__u8 zs;	/* &enum nvme_zns_zs in bits 7:4 */
	__u8 za;	/* &enum nvme_zns_za */
	__u8 zai;	/* zone attributes information */
	__u8 rsvd4[4];
	__le64 zcap;	/* capacity in logical blocks */
	__le64 zslba;	/* first logical block */
	__le64 wp;	/* write pointer */
	__u8 rsvd32[32];
};

/**
 * struct nvme_zone_report - Zoned Namespace Command Set "Report Zones Data Structure"
 *
 * An extended report has an extension after each descriptor, so that entries cannot be indexed.
 */
struct nvme_zone_report {
	__le64 nr_zones;		/* number of zones */
	__u8 rsvd8[56];
	struct nvme_zns_desc entries[];	/* zone descriptors */
};

/** enum nvme_zns_send_action - actions of Zone Management Send; "Zone Management Send command" */
enum nvme_zns_send_action {
	NVME_ZNS_ZSA_CLOSE = 0x01,		/* close */
	NVME_ZNS_ZSA_FINISH = 0x02,		/* finish */
	NVME_ZNS_ZSA_OPEN = 0x03,		/* open */
	NVME_ZNS_ZSA_RESET = 0x04,		/* reset */
	NVME_ZNS_ZSA_OFFLINE = 0x05,		/* take offline */
	NVME_ZNS_ZSA_SET_DESC_EXT = 0x10,	/* set the zone descriptor extension */
	NVME_ZNS_ZSA_ZRWA_FLUSH = 0x11,		/* flush the zone random write area */
};

/**
 * enum nvme_zns_recv_action - actions of Zone Management Receive; Zoned Namespace Command Set "Zone
 * Management Receive command"
 */
enum nvme_zns_recv_action {
	NVME_ZNS_ZRA_REPORT_ZONES = 0,		/* report zones */
	NVME_ZNS_ZRA_EXTENDED_REPORT_ZONES = 1,	/* report zones with extensions */
};

/** enum nvme_zns_report_options - zones to report; "Zone Management Receive command" */
enum nvme_zns_report_options {
	NVME_ZNS_ZRAS_REPORT_ALL = 0,		/* all zones */
	NVME_ZNS_ZRAS_REPORT_EMPTY = 1,		/* empty zones */
	NVME_ZNS_ZRAS_REPORT_IMPL_OPENED = 2,	/* implicitly opened zones */
	NVME_ZNS_ZRAS_REPORT_EXPL_OPENED = 3,	/* explicitly opened zones */
	NVME_ZNS_ZRAS_REPORT_CLOSED = 4,	/* closed zones */
	NVME_ZNS_ZRAS_REPORT_FULL = 5,		/* full zones */
	NVME_ZNS_ZRAS_REPORT_READ_ONLY = 6,	/* read only zones */
	NVME_ZNS_ZRAS_REPORT_OFFLINE = 7,	/* offline zones */
};

#endif /* _LIBNVME_TYPES_ZNS_H */
