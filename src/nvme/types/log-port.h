/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log pages about boot partitions, management addresses, reachability and the physical link.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_LOG_PORT_H
#define _LIBNVME_TYPES_LOG_PORT_H

#include "base.h"

/** enum nvme_boot_partition_info - Boot Partition Information; "Boot Partition Log Page" */
enum nvme_boot_partition_info {
	NVME_FIELD(BOOT_PARTITION_INFO_BPSZ, 0, 0x7fff),	/* size, units of 128 KiB */
	NVME_FIELD(BOOT_PARTITION_INFO_ABPID, 31, 0x1),		/* active boot partition */
};

/* Fields of Boot Partition Information. */
#define NVME_BOOT_PARTITION_INFO_BPSZ(bpinfo) NVME_GET(bpinfo, BOOT_PARTITION_INFO_BPSZ)
#define NVME_BOOT_PARTITION_INFO_ABPID(bpinfo) NVME_GET(bpinfo, BOOT_PARTITION_INFO_ABPID)

/** struct nvme_boot_partition - Boot Partition log page; "Boot Partition Log Page" */
struct nvme_boot_partition {
	__u8 lid;			/* log page identifier */
	__u8 rsvd1[3];
	__le32 bpinfo;			/* &enum nvme_boot_partition_info */
	__u8 rsvd8[8];
	__u8 boot_partition_data[];	/* content of the boot partition */
};

/**
 * struct nvme_dispersed_ns_participating_nss_log - "Dispersed Namespace Participating NVM
 * Subsystems Log Page"
 */
struct nvme_dispersed_ns_participating_nss_log {
	__le64 genctr;			/* generation counter */
	__le64 numpsub;			/* number of subsystems */
	__u8 rsvd16[240];
	__u8 participating_nss[];	/* NQNs of 256 bytes each */
};

/**
 * struct nvme_mgmt_addr_desc - Management Address Descriptor; "Management Address List Log Page"
 */
struct nvme_mgmt_addr_desc {
	__u8 mat;		/* management address type */
	__u8 rsvd1[3];
	__u8 madrs[508];	/* management address */
};

/** struct nvme_mgmt_addr_list_log - "Management Address List Log Page" */
struct nvme_mgmt_addr_list_log {
	struct nvme_mgmt_addr_desc mad[8];	/* descriptors */
};

/**
 * enum nvme_log_phy_rx_eom_action - actions of an eye opening measurement; NVMe over PCIe Transport
 * "Physical Interface Receiver Eye Opening Measurement Log Page"
 */
enum nvme_log_phy_rx_eom_action {
	NVME_LOG_PHY_RX_EOM_READ = 0,		/* read */
	NVME_LOG_PHY_RX_EOM_START_READ = 1,	/* start a measurement and read */
	NVME_LOG_PHY_RX_EOM_ABORT_CLEAR = 2,	/* abort and clear */
};

/**
 * enum nvme_log_phy_rx_eom_quality - quality of an eye opening measurement; NVMe over PCIe
 * Transport "Physical Interface Receiver Eye Opening Measurement Log Page"
 */
enum nvme_log_phy_rx_eom_quality {
	NVME_LOG_PHY_RX_EOM_GOOD = 0,	/* good */
	NVME_LOG_PHY_RX_EOM_BETTER = 1,	/* better */
	NVME_LOG_PHY_RX_EOM_BEST = 2,	/* best, and longest */
};

/**
 * enum nvme_eom_optional_data_present - optional data of an eye opening measurement, as fields;
 * NVMe over PCIe Transport "EOM Header"
 */
enum nvme_eom_optional_data_present {
	NVME_FIELD(EOM_ODP_PEFP, 0, 0x1),	/* printable eyes present */
	NVME_FIELD(EOM_ODP_EDFP, 1, 0x1),	/* eye data present */
	NVME_FIELD(EOM_ODP_RSVD, 2, 0x3f),	/* reserved */
};

/* Fields of Optional Data Present. */
#define NVME_EOM_ODP_PEFP(odp) NVME_GET(odp, EOM_ODP_PEFP)
#define NVME_EOM_ODP_EDFP(odp) NVME_GET(odp, EOM_ODP_EDFP)
#define NVME_EOM_ODP_RSVD(odp) NVME_GET(odp, EOM_ODP_RSVD)

/**
 * enum nvme_eom_optional_data - optional data of an eye opening measurement, as bits; NVMe over
 * PCIe Transport "EOM Header"
 */
enum nvme_eom_optional_data {
	NVME_EOM_PRINTABLE_EYE_PRESENT = 1 << 0,	/* printable eyes present */
	NVME_EOM_EYE_DATA_PRESENT = 1 << 1,		/* eye data present */
};

/**
 * enum nvme_phy_rx_eom_progress - progress of an eye opening measurement; NVMe over PCIe Transport
 * "EOM Header"
 */
enum nvme_phy_rx_eom_progress {
	NVME_PHY_RX_EOM_NOT_STARTED = 0,	/* not started */
	NVME_PHY_RX_EOM_IN_PROGRESS = 1,	/* in progress */
	NVME_PHY_RX_EOM_COMPLETED = 2,		/* completed */
};

/** struct nvme_eom_lane_desc - NVMe over PCIe Transport "EOM Lane Descriptor" */
struct nvme_eom_lane_desc {
	__u8 rsvd0;
	__u8 mstatus;		/* measurement status */
	__u8 lane;		/* lane */
	__u8 eye;		/* eye */
	__le16 top;		/* upper edge of the eye */
	__le16 bottom;		/* lower edge of the eye */
	__le16 left;		/* left edge of the eye */
	__le16 right;		/* right edge of the eye */
	__le16 nrows;		/* rows of the printable eye */
	__le16 ncols;		/* columns of the printable eye */
	__le16 edlen;		/* bytes of eye data */
	__u8 rsvd18[14];
	__u8 eye_desc[];	/* printable eye, then eye data */
};

/**
 * struct nvme_phy_rx_eom_log - NVMe over PCIe Transport "Physical Interface Receiver Eye Opening
 * Measurement Log Page"
 */
struct nvme_phy_rx_eom_log {
	__u8 lid;				/* log page identifier */
	__u8 eomip;				/* &enum nvme_phy_rx_eom_progress */
	__le16 hsize;				/* bytes of the header */
	__le32 rsize;				/* bytes of the result */
	__u8 eomdgn;				/* generation of the data */
	__u8 lr;				/* revision of the log */
	__u8 odp;				/* &enum nvme_eom_optional_data_present */
	__u8 lanes;				/* number of lanes */
	__u8 epl;				/* eyes per lane */
	__u8 lspfc;				/* log specific parameter of the measurement */
	__u8 li;				/* link information */
	__u8 rsvd15[3];
	__le16 lsic;				/* log specific identifier of the measurement */
	__le32 dsize;				/* bytes of a descriptor */
	__le16 nd;				/* number of descriptors */
	__le16 maxtb;				/* largest distance of top and bottom */
	__le16 maxlr;				/* largest distance of left and right */
	__le16 etgood;				/* seconds of a good measurement */
	__le16 etbetter;			/* seconds of a better measurement */
	__le16 etbest;				/* seconds of a best measurement */
	__u8 rsvd36[28];
	struct nvme_eom_lane_desc descs[];	/* lane descriptors */
};

/**
 * struct nvme_reachability_group_desc - Reachability Group Descriptor; "Reachability Groups Log
 * Page"
 */
struct nvme_reachability_group_desc {
	__le32 rgid;	/* group */
	__le32 nnid;	/* number of namespace ids */
	__le64 chngc;	/* change count of the group */
	__u8 rsvd16[16];
	__le32 nsid[];	/* namespace ids */
};

/**
 * struct nvme_reachability_groups_log - "Reachability Groups Log Page"
 *
 * Descriptors vary in length, so that rgd cannot be indexed.
 */
struct nvme_reachability_groups_log {
	__le64 chngc;					/* change count of the page */
	__le16 nrgd;					/* number of descriptors */
	__u8 rsvd10[6];
	struct nvme_reachability_group_desc rgd[];	/* descriptors */
};

/**
 * struct nvme_reachability_association_desc - Reachability Association Descriptor; "Reachability
 * Associations Log Page"
 */
struct nvme_reachability_association_desc {
	__le32 rasid;	/* association */
	__le32 nrid;	/* number of reachability groups */
	__le64 chngc;	/* change count of the association */
	__u8 rac;	/* reachability association characteristics */
	__u8 rsvd17[15];
	__le32 rgid[];	/* reachability groups */
};

/**
 * struct nvme_reachability_associations_log - "Reachability Associations Log Page"
 *
 * Descriptors vary in length, so that rad cannot be indexed.
 */
struct nvme_reachability_associations_log {
	__le64 chngc;						/* change count of the page */
	__le16 nrad;						/* number of descriptors */
	__u8 rsvd10[6];
	struct nvme_reachability_association_desc rad[];	/* descriptors */
};

#endif /* _LIBNVME_TYPES_LOG_PORT_H */
