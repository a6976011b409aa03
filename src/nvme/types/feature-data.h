/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Data structures that features carry beside the command dwords.
 */
#ifndef _LIBNVME_TYPES_FEATURE_DATA_H
#define _LIBNVME_TYPES_FEATURE_DATA_H

#include "base.h"

enum nvme_apst_entry {
	NVME_APST_ENTRY_ITPS_SHIFT = 3,
	NVME_APST_ENTRY_ITPS_MASK = 0x1f,
	NVME_APST_ENTRY_ITPT_SHIFT = 8,
	NVME_APST_ENTRY_ITPT_MASK = 0xffffff,
};

struct nvme_feat_auto_pst {
	__le64 apst_entry[32];
};

struct nvme_timestamp {
	__u8 timestamp[6];
	__u8 attr;
	__u8 rsvd;
};

enum nvme_lbart {
	NVME_LBART_TYPE_GP = 0,
	NVME_LBART_TYPE_FS = 1,
	NVME_LBART_TYPE_RAID = 2,
	NVME_LBART_TYPE_CACHE = 3,
	NVME_LBART_TYPE_SWAP = 4,
	NVME_LBART_ATTRIB_TEMP = 1,
	NVME_LBART_ATTRIB_HIDE = 2,
};

struct nvme_lba_range_type_entry {
	__u8 type;
	__u8 attributes;
	__u8 rsvd2[14];
	__le64 slba;
	__le64 nlb;
	__u8 guid[16];
	__u8 rsvd48[16];
};

struct nvme_lba_range_type {
	struct nvme_lba_range_type_entry entry[NVME_FEAT_LBA_RANGE_MAX];
};

struct nvme_plm_config {
	__le16 ee;
	__u8 rsvd2[30];
	__le64 dtwinrt;
	__le64 dtwinwt;
	__le64 dtwintt;
	__u8 rsvd56[456];
};

enum nvme_host_behavior_support {
	NVME_ENABLE_ACRE = 1 << 0,
};

struct nvme_feat_host_behavior {
	__u8 acre;
	__u8 etdas;
	__u8 lbafee;
	__u8 hdisns;
	__le16 cdfe;
	__u8 rsvd6[506];
};

struct nvme_host_mem_buf_attrs {
	__le32 hsize;
	__le32 hmdlal;
	__le32 hmdlau;
	__le32 hmdlec;
	__u8 rsvd16[4080];
};

enum nvme_ctrl_metadata_type {
	NVME_CTRL_METADATA_OS_CTRL_NAME = 1,
	NVME_CTRL_METADATA_OS_DRIVER_NAME = 2,
	NVME_CTRL_METADATA_OS_DRIVER_VER = 3,
	NVME_CTRL_METADATA_PRE_BOOT_CTRL_NAME = 4,
	NVME_CTRL_METADATA_PRE_BOOT_DRIVER_NAME = 5,
	NVME_CTRL_METADATA_PRE_BOOT_DRIVER_VER = 6,
	NVME_CTRL_METADATA_SYS_PROC_MODEL = 7,
	NVME_CTRL_METADATA_CHIPSET_DRV_NAME = 8,
	NVME_CTRL_METADATA_CHIPSET_DRV_VERSION = 9,
	NVME_CTRL_METADATA_OS_NAME_AND_BUILD = 10,
	NVME_CTRL_METADATA_SYS_PROD_NAME = 11,
	NVME_CTRL_METADATA_FIRMWARE_VERSION = 12,
	NVME_CTRL_METADATA_OS_DRIVER_FILENAME = 13,
	NVME_CTRL_METADATA_DISPLAY_DRV_NAME = 14,
	NVME_CTRL_METADATA_DISPLAY_DRV_VERSION = 15,
	NVME_CTRL_METADATA_HOST_DET_FAIL_REC = 16,
};

enum nvme_ns_metadata_type {
	NVME_NS_METADATA_OS_NS_NAME = 1,
	NVME_NS_METADATA_PRE_BOOT_NS_NAME = 2,
	NVME_NS_METADATA_OS_NS_QUAL_1 = 3,
	NVME_NS_METADATA_OS_NS_QUAL_2 = 4,
};

struct nvme_metadata_element_desc {
	__u8 type;
	__u8 rev;
	__le16 len;
	__u8 val[0];
};

struct nvme_host_metadata {
	__u8 ndesc;
	__u8 rsvd1;
	union {
		struct nvme_metadata_element_desc descs[0];
		__u8 descs_buf[4094];
	};
};

struct nvme_std_perf_attr {
	__u8 rsvd0[4];
	__u8 r4karl;
	__u8 rsvd5[4091];
};

struct nvme_perf_attr_id {
	__u8 id[16];
};

struct nvme_perf_attr_id_list {
	__u8 attrtyp;
	__u8 msvspa;
	__u8 usvspa;
	__u8 rsvd3[13];
	struct nvme_perf_attr_id id_list[63];
	__u8 rsvd1024[3072];
};

struct nvme_vs_perf_attr {
	__u8 paid[16];
	__u8 rsvd16[14];
	__le16 attrl;
	__u8 vs[4064];
};

struct nvme_perf_characteristics {
	union {
		struct nvme_std_perf_attr std_perf[0];
		struct nvme_perf_attr_id_list id_list[0];
		struct nvme_vs_perf_attr vs_perf[0];
		__u8 attr_buf[4096];
	};
};

#endif /* _LIBNVME_TYPES_FEATURE_DATA_H */
