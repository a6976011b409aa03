/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Data structures of features, in addition to the command dwords.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_FEATURE_DATA_H
#define _LIBNVME_TYPES_FEATURE_DATA_H

#include "base.h"

/**
 * enum nvme_apst_entry - fields of an autonomous power state transition entry; "Autonomous Power
 * State Transition"
 */
enum nvme_apst_entry {
	NVME_FIELD(APST_ENTRY_ITPS, 3, 0x1f),		/* power state to go to */
	NVME_FIELD(APST_ENTRY_ITPT, 8, 0xffffff),	/* idle time before it, in milliseconds */
};

/** struct nvme_feat_auto_pst - "Autonomous Power State Transition" */
struct nvme_feat_auto_pst {
	__le64 apst_entry[32];	/* by power state, &enum nvme_apst_entry */
};

/** struct nvme_timestamp - Timestamp data structure; "Timestamp" */
struct nvme_timestamp {
	__u8 timestamp[6];	/* milliseconds since 1970, 48 bits, little-endian */
	__u8 attr;		/* bit 0: stopped meanwhile; bits 3:1: origin */
	__u8 rsvd;
};

/** enum nvme_lbart - types and attributes of an LBA range; NVM Command Set "LBA Range Type" */
enum nvme_lbart {
	NVME_LBART_TYPE_GP = 0,		/* general purpose */
	NVME_LBART_TYPE_FS = 1,		/* file system */
	NVME_LBART_TYPE_RAID = 2,	/* RAID */
	NVME_LBART_TYPE_CACHE = 3,	/* cache */
	NVME_LBART_TYPE_SWAP = 4,	/* page or swap file */
	NVME_LBART_ATTRIB_TEMP = 1,	/* attribute: may be overwritten */
	NVME_LBART_ATTRIB_HIDE = 2,	/* attribute: hidden from the operating system */
};

/** struct nvme_lba_range_type_entry - LBA Range Type entry; NVM Command Set "LBA Range Type" */
struct nvme_lba_range_type_entry {
	__u8 type;		/* &enum nvme_lbart */
	__u8 attributes;	/* &enum nvme_lbart */
	__u8 rsvd2[14];
	__le64 slba;		/* first logical block */
	__le64 nlb;		/* number of logical blocks, 0's based */
	__u8 guid[16];		/* identifier of the type */
	__u8 rsvd48[16];
};

/** struct nvme_lba_range_type - LBA Range Type data structure; NVM Command Set "LBA Range Type" */
struct nvme_lba_range_type {
	struct nvme_lba_range_type_entry entry[NVME_FEAT_LBA_RANGE_MAX];	/* ranges */
};

/** struct nvme_plm_config - "Predictable Latency Mode Config" */
struct nvme_plm_config {
	__le16 ee;	/* &enum nvme_nvmset_pl_events to enable */
	__u8 rsvd2[30];
	__le64 dtwinrt;	/* threshold of reads */
	__le64 dtwinwt;	/* threshold of writes */
	__le64 dtwintt;	/* threshold of time */
	__u8 rsvd56[456];
};

/**
 * enum nvme_host_behavior_support - values of &struct nvme_feat_host_behavior; "Host Behavior
 * Support"
 */
enum nvme_host_behavior_support {
	NVME_ENABLE_ACRE = 1 << 0,	/* the host heeds command retry delays */
};

/** struct nvme_feat_host_behavior - "Host Behavior Support" */
struct nvme_feat_host_behavior {
	__u8 acre;	/* advanced command retry */
	__u8 etdas;	/* extended telemetry data area 4 */
	__u8 lbafee;	/* extended LBA formats */
	__u8 hdisns;	/* dispersed namespaces */
	__le16 cdfe;	/* copy descriptor formats 2 and 3, one bit each */
	__u8 rsvd6[506];
};

/** struct nvme_host_mem_buf_attrs - Host Memory Buffer attributes; "Host Memory Buffer" */
struct nvme_host_mem_buf_attrs {
	__le32 hsize;	/* size, units of the memory page */
	__le32 hmdlal;	/* lower half of the descriptor list's address */
	__le32 hmdlau;	/* upper half of the descriptor list's address */
	__le32 hmdlec;	/* number of descriptors */
	__u8 rsvd16[4080];
};

/** enum nvme_ctrl_metadata_type - elements of controller metadata; "Host Metadata" */
enum nvme_ctrl_metadata_type {
	NVME_CTRL_METADATA_OS_CTRL_NAME = 1,		/* name given by the operating system */
	NVME_CTRL_METADATA_OS_DRIVER_NAME = 2,		/* driver */
	NVME_CTRL_METADATA_OS_DRIVER_VER = 3,		/* version of the driver */
	NVME_CTRL_METADATA_PRE_BOOT_CTRL_NAME = 4,	/* name given before boot */
	NVME_CTRL_METADATA_PRE_BOOT_DRIVER_NAME = 5,	/* driver before boot */
	NVME_CTRL_METADATA_PRE_BOOT_DRIVER_VER = 6,	/* version of the driver before boot */
	NVME_CTRL_METADATA_SYS_PROC_MODEL = 7,		/* processor */
	NVME_CTRL_METADATA_CHIPSET_DRV_NAME = 8,	/* chipset driver */
	NVME_CTRL_METADATA_CHIPSET_DRV_VERSION = 9,	/* version of the chipset driver */
	NVME_CTRL_METADATA_OS_NAME_AND_BUILD = 10,	/* operating system and build */
	NVME_CTRL_METADATA_SYS_PROD_NAME = 11,		/* name of the system */
	NVME_CTRL_METADATA_FIRMWARE_VERSION = 12,	/* version of the host's firmware */
	NVME_CTRL_METADATA_OS_DRIVER_FILENAME = 13,	/* file of the driver */
	NVME_CTRL_METADATA_DISPLAY_DRV_NAME = 14,	/* display driver */
	NVME_CTRL_METADATA_DISPLAY_DRV_VERSION = 15,	/* version of the display driver */
	NVME_CTRL_METADATA_HOST_DET_FAIL_REC = 16,	/* failure record of the host */
};

/** enum nvme_ns_metadata_type - elements of namespace metadata; "Host Metadata" */
enum nvme_ns_metadata_type {
	NVME_NS_METADATA_OS_NS_NAME = 1,	/* name given by the operating system */
	NVME_NS_METADATA_PRE_BOOT_NS_NAME = 2,	/* name given before boot */
	NVME_NS_METADATA_OS_NS_QUAL_1 = 3,	/* first qualifier of the name */
	NVME_NS_METADATA_OS_NS_QUAL_2 = 4,	/* second qualifier of the name */
};

/** struct nvme_metadata_element_desc - Metadata Element Descriptor; "Host Metadata" */
struct nvme_metadata_element_desc {
	__u8 type;	/* &enum nvme_ctrl_metadata_type */
	__u8 rev;	/* revision of the element */
	__le16 len;	/* bytes of the value */
	__u8 val[0];	/* the value, UTF-8 */
};

/** struct nvme_host_metadata - Host Metadata data structure; "Host Metadata" */
struct nvme_host_metadata {
	__u8 ndesc;						/* number of elements */
	__u8 rsvd1;
	union {
		struct nvme_metadata_element_desc descs[0];	/* the elements */
		__u8 descs_buf[4094];				/* the whole buffer */
	};
};

/** struct nvme_std_perf_attr - Standard Performance Attribute; "Performance Characteristics" */
struct nvme_std_perf_attr {
	__u8 rsvd0[4];
	__u8 r4karl;	/* &enum nvme_feat_perfc_r4karl */
	__u8 rsvd5[4091];
};

/**
 * struct nvme_perf_attr_id - identifier of a vendor specific performance attribute; "Performance
 * Characteristics"
 */
struct nvme_perf_attr_id {
	__u8 id[16];	/* UUID */
};

/**
 * struct nvme_perf_attr_id_list - Performance Attribute Identifier List; "Performance
 * Characteristics"
 */
struct nvme_perf_attr_id_list {
	__u8 attrtyp;				/* attribute type: current, default or saved */
	__u8 msvspa;				/* most saveable attributes */
	__u8 usvspa;				/* saveable attributes not used */
	__u8 rsvd3[13];
	struct nvme_perf_attr_id id_list[63];	/* the identifiers */
	__u8 rsvd1024[3072];
};

/**
 * struct nvme_vs_perf_attr - Vendor Specific Performance Attribute; "Performance Characteristics"
 */
struct nvme_vs_perf_attr {
	__u8 paid[16];	/* identifier, a UUID */
	__u8 rsvd16[14];
	__le16 attrl;	/* bytes of the attribute */
	__u8 vs[4064];	/* the attribute */
};

/** struct nvme_perf_characteristics - "Performance Characteristics" */
struct nvme_perf_characteristics {
	union {
		struct nvme_std_perf_attr std_perf[0];		/* standard attribute */
		struct nvme_perf_attr_id_list id_list[0];	/* list of identifiers */
		struct nvme_vs_perf_attr vs_perf[0];		/* vendor specific attribute */
		__u8 attr_buf[4096];				/* any of them */
	};
};

#endif /* _LIBNVME_TYPES_FEATURE_DATA_H */
