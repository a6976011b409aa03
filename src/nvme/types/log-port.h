/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log pages about boot partitions, management addresses, reachability and the physical link.
 */
#ifndef _LIBNVME_TYPES_LOG_PORT_H
#define _LIBNVME_TYPES_LOG_PORT_H

#include "base.h"

enum nvme_boot_partition_info {
	NVME_BOOT_PARTITION_INFO_BPSZ_SHIFT = 0,
	NVME_BOOT_PARTITION_INFO_BPSZ_MASK = 0x7fff,
	NVME_BOOT_PARTITION_INFO_ABPID_SHIFT = 31,
	NVME_BOOT_PARTITION_INFO_ABPID_MASK = 0x1,
};

/* Fields of Boot Partition Information. */
#define NVME_BOOT_PARTITION_INFO_BPSZ(bpinfo) NVME_GET(bpinfo, BOOT_PARTITION_INFO_BPSZ)
#define NVME_BOOT_PARTITION_INFO_ABPID(bpinfo) NVME_GET(bpinfo, BOOT_PARTITION_INFO_ABPID)

struct nvme_boot_partition {
	__u8 lid;
	__u8 rsvd1[3];
	__le32 bpinfo;
	__u8 rsvd8[8];
	__u8 boot_partition_data[];
};

struct nvme_dispersed_ns_participating_nss_log {
	__le64 genctr;
	__le64 numpsub;
	__u8 rsvd16[240];
	__u8 participating_nss[];
};

struct nvme_mgmt_addr_desc {
	__u8 mat;
	__u8 rsvd1[3];
	__u8 madrs[508];
};

struct nvme_mgmt_addr_list_log {
	struct nvme_mgmt_addr_desc mad[8];
};

enum nvme_log_phy_rx_eom_action {
	NVME_LOG_PHY_RX_EOM_READ = 0,
	NVME_LOG_PHY_RX_EOM_START_READ = 1,
	NVME_LOG_PHY_RX_EOM_ABORT_CLEAR = 2,
};

enum nvme_log_phy_rx_eom_quality {
	NVME_LOG_PHY_RX_EOM_GOOD = 0,
	NVME_LOG_PHY_RX_EOM_BETTER = 1,
	NVME_LOG_PHY_RX_EOM_BEST = 2,
};

enum nvme_eom_optional_data_present {
	NVME_EOM_ODP_PEFP_SHIFT = 0,
	NVME_EOM_ODP_PEFP_MASK = 0x1,
	NVME_EOM_ODP_EDFP_SHIFT = 1,
	NVME_EOM_ODP_EDFP_MASK = 0x1,
	NVME_EOM_ODP_RSVD_SHIFT = 2,
	NVME_EOM_ODP_RSVD_MASK = 0x3f,
};

/* Fields of Optional Data Present. */
#define NVME_EOM_ODP_PEFP(odp) NVME_GET(odp, EOM_ODP_PEFP)
#define NVME_EOM_ODP_EDFP(odp) NVME_GET(odp, EOM_ODP_EDFP)
#define NVME_EOM_ODP_RSVD(odp) NVME_GET(odp, EOM_ODP_RSVD)

enum nvme_eom_optional_data {
	NVME_EOM_PRINTABLE_EYE_PRESENT = 1 << 0,
	NVME_EOM_EYE_DATA_PRESENT = 1 << 1,
};

enum nvme_phy_rx_eom_progress {
	NVME_PHY_RX_EOM_NOT_STARTED = 0,
	NVME_PHY_RX_EOM_IN_PROGRESS = 1,
	NVME_PHY_RX_EOM_COMPLETED = 2,
};

struct nvme_eom_lane_desc {
	__u8 rsvd0;
	__u8 mstatus;
	__u8 lane;
	__u8 eye;
	__le16 top;
	__le16 bottom;
	__le16 left;
	__le16 right;
	__le16 nrows;
	__le16 ncols;
	__le16 edlen;
	__u8 rsvd18[14];
	__u8 eye_desc[];
};

struct nvme_phy_rx_eom_log {
	__u8 lid;
	__u8 eomip;
	__le16 hsize;
	__le32 rsize;
	__u8 eomdgn;
	__u8 lr;
	__u8 odp;
	__u8 lanes;
	__u8 epl;
	__u8 lspfc;
	__u8 li;
	__u8 rsvd15[3];
	__le16 lsic;
	__le32 dsize;
	__le16 nd;
	__le16 maxtb;
	__le16 maxlr;
	__le16 etgood;
	__le16 etbetter;
	__le16 etbest;
	__u8 rsvd36[28];
	struct nvme_eom_lane_desc descs[];
};

struct nvme_reachability_group_desc {
	__le32 rgid;
	__le32 nnid;
	__le64 chngc;
	__u8 rsvd16[16];
	__le32 nsid[];
};

struct nvme_reachability_groups_log {
	__le64 chngc;
	__le16 nrgd;
	__u8 rsvd10[6];
	struct nvme_reachability_group_desc rgd[];
};

struct nvme_reachability_association_desc {
	__le32 rasid;
	__le32 nrid;
	__le64 chngc;
	__u8 rac;
	__u8 rsvd17[15];
	__le32 rgid[];
};

struct nvme_reachability_associations_log {
	__le64 chngc;
	__le16 nrad;
	__u8 rsvd10[6];
	struct nvme_reachability_association_desc rad[];
};

#endif /* _LIBNVME_TYPES_LOG_PORT_H */
