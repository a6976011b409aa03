/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists and tables that Identify returns in addition to controllers and namespaces.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_IDENTIFY_LIST_H
#define _LIBNVME_TYPES_IDENTIFY_LIST_H

#include "base.h"

/**
 * enum nvme_identify_cns - data structures of Identify (Controller or Namespace Structure);
 * "Identify - CNS Values"
 */
enum nvme_identify_cns {
	NVME_IDENTIFY_CNS_NS = 0x00,			/* &struct nvme_id_ns, attached */
	NVME_IDENTIFY_CNS_CTRL = 0x01,			/* &struct nvme_id_ctrl */
	NVME_IDENTIFY_CNS_NS_ACTIVE_LIST = 0x02,	/* &struct nvme_ns_list, attached ones */
	NVME_IDENTIFY_CNS_NS_DESC_LIST = 0x03,		/* list of &struct nvme_ns_id_desc */
	NVME_IDENTIFY_CNS_NVMSET_LIST = 0x04,		/* &struct nvme_id_nvmset_list */
	NVME_IDENTIFY_CNS_CSI_NS = 0x05,		/* namespace, command set specific */
	NVME_IDENTIFY_CNS_CSI_CTRL = 0x06,		/* controller, command set specific */
	NVME_IDENTIFY_CNS_CSI_NS_ACTIVE_LIST = 0x07,	/* attached ones of a command set */
	NVME_IDENTIFY_CNS_CSI_INDEPENDENT_ID_NS = 0x08,	/* namespace, for all sets */
	NVME_IDENTIFY_CNS_NS_USER_DATA_FORMAT = 0x09,	/* user data format of namespaces */
	NVME_IDENTIFY_CNS_CSI_NS_USER_DATA_FORMAT = 0x0a,	/* the same of a set */
	NVME_IDENTIFY_CNS_ALLOCATED_NS_LIST = 0x10,	/* &struct nvme_ns_list, allocated ones */
	NVME_IDENTIFY_CNS_ALLOCATED_NS = 0x11,		/* &struct nvme_id_ns, allocated */
	NVME_IDENTIFY_CNS_NS_CTRL_LIST = 0x12,		/* controllers of a namespace */
	NVME_IDENTIFY_CNS_CTRL_LIST = 0x13,		/* &struct nvme_ctrl_list, all */
	NVME_IDENTIFY_CNS_PRIMARY_CTRL_CAP = 0x14,	/* &struct nvme_primary_ctrl_cap */
	NVME_IDENTIFY_CNS_SECONDARY_CTRL_LIST = 0x15,	/* secondary controllers */
	NVME_IDENTIFY_CNS_NS_GRANULARITY = 0x16,	/* namespace granularity list */
	NVME_IDENTIFY_CNS_UUID_LIST = 0x17,		/* &struct nvme_id_uuid_list */
	NVME_IDENTIFY_CNS_DOMAIN_LIST = 0x18,		/* &struct nvme_id_domain_list */
	NVME_IDENTIFY_CNS_ENDURANCE_GROUP_ID = 0x19,	/* endurance group list */
	NVME_IDENTIFY_CNS_CSI_ALLOCATED_NS_LIST = 0x1a,	/* allocated ones of a set */
	NVME_IDENTIFY_CNS_CSI_ID_NS_DATA_STRUCTURE = 0x1b,	/* allocated, set specific */
	NVME_IDENTIFY_CNS_COMMAND_SET_STRUCTURE = 0x1c,	/* &struct nvme_id_iocs */
	NVME_IDENTIFY_CNS_UNDERLYING_NS_LIST = 0x1d,	/* namespaces below exported ones */
	NVME_IDENTIFY_CNS_PORTS_LIST = 0x1e,		/* ports */
	NVME_IDENTIFY_CNS_IOCS_IND_ID_ALLOC_NS = 0x1f,	/* allocated, all sets */
	NVME_IDENTIFY_CNS_SUPPORTED_CTRL_STATE_FORMATS = 0x20,	/* migration state formats */
};

/** struct nvme_ctrl_list - Controller List; "Controller List" */
struct nvme_ctrl_list {
	__le16 num;					/* number of identifiers */
	__le16 identifier[NVME_ID_CTRL_LIST_MAX];	/* controller ids in ascending order */
};

/** struct nvme_ns_list - Namespace List; "Namespace List" */
struct nvme_ns_list {
	__le32 ns[NVME_ID_NS_LIST_MAX];	/* namespace ids in ascending order; 0 ends the list */
};

/** struct nvme_nvmset_attr - NVM Set Attributes Entry; "NVM Set List" */
struct nvme_nvmset_attr {
	__le16 nvmsetid;	/* NVM set */
	__le16 endgid;		/* its endurance group */
	__u8 rsvd4[4];
	__le32 rr4kt;		/* typical time of a random 4 KiB read, units of 100 ns */
	__le32 ows;		/* optimal write size in bytes */
	__u8 tnvmsetcap[16];	/* capacity in bytes, 128 bits */
	__u8 unvmsetcap[16];	/* capacity not allocated in bytes, 128 bits */
	__u8 rsvd48[80];
};

/** struct nvme_id_nvmset_list - NVM Set List; "NVM Set List" */
struct nvme_id_nvmset_list {
	__u8 nid;						/* number of entries */
	__u8 rsvd1[127];
	struct nvme_nvmset_attr ent[NVME_ID_NVMSET_LIST_MAX];	/* the entries */
};

/**
 * struct nvme_id_ns_granularity_desc - Namespace Granularity Descriptor; NVM Command Set "Namespace
 * Granularity List"
 */
struct nvme_id_ns_granularity_desc {
	__le64 nszegran;	/* granularity of the size in bytes */
	__le64 ncapgran;	/* granularity of the capacity in bytes */
};

/** struct nvme_id_ns_granularity_list - NVM Command Set "Namespace Granularity List" */
struct nvme_id_ns_granularity_list {
	__le32 attributes;			/* bit 0: descriptors correspond to LBA formats */
	__u8 num_descriptors;			/* number of descriptors, 0's based */
	__u8 rsvd5[27];
	struct nvme_id_ns_granularity_desc entry[NVME_ID_ND_DESCRIPTOR_MAX];	/* descriptors */
	__u8 rsvd288[3808];
};

/** enum nvme_id_uuid - association of a UUID list entry; "UUID List" */
enum nvme_id_uuid {
	NVME_ID_UUID_HDR_ASSOCIATION_MASK = 0x3,	/* mask of the association in the header */
	NVME_ID_UUID_ASSOCIATION_NONE = 0,		/* no association */
	NVME_ID_UUID_ASSOCIATION_VENDOR = 1,		/* of the vendor (VID) */
	NVME_ID_UUID_ASSOCIATION_SUBSYSTEM_VENDOR = 2,	/* of the subsystem vendor (SSVID) */
};

/** struct nvme_id_uuid_list_entry - UUID List Entry; "UUID List" */
struct nvme_id_uuid_list_entry {
	__u8 header;	/* &enum nvme_id_uuid */
	__u8 rsvd1[15];
	__u8 uuid[16];	/* the UUID; all zero ends the list */
};

/**
 * struct nvme_id_uuid_list - "UUID List"
 *
 * The UUID index in commands is the number of an entry, from 1.
 */
struct nvme_id_uuid_list {
	__u8 rsvd0[32];
	struct nvme_id_uuid_list_entry entry[NVME_ID_UUID_LIST_MAX];	/* the entries */
};

/**
 * struct nvme_primary_ctrl_cap - "Primary Controller Capabilities Structure"
 *
 * VQ is virtual queue, VI virtual interrupt.
 */
struct nvme_primary_ctrl_cap {
	__le16 cntlid;	/* controller id */
	__le16 portid;	/* port id */
	__u8 crt;	/* controller resource types: bit 0 for VQ, bit 1 for VI */
	__u8 rsvd5[27];
	__le32 vqfrt;	/* flexible VQ resources in all */
	__le32 vqrfa;	/* flexible VQ resources assigned to secondary controllers */
	__le16 vqrfap;	/* flexible VQ resources allocated to the primary controller */
	__le16 vqprt;	/* private VQ resources of the primary controller */
	__le16 vqfrsm;	/* most flexible VQ resources of a secondary controller */
	__le16 vqgran;	/* granularity of flexible VQ resources */
	__u8 rsvd48[16];
	__le32 vifrt;	/* flexible VI resources in all */
	__le32 virfa;	/* flexible VI resources assigned to secondary controllers */
	__le16 virfap;	/* flexible VI resources allocated to the primary controller */
	__le16 viprt;	/* private VI resources of the primary controller */
	__le16 vifrsm;	/* most flexible VI resources of a secondary controller */
	__le16 vigran;	/* granularity of flexible VI resources */
	__u8 rsvd80[4016];
};

/** struct nvme_secondary_ctrl - Secondary Controller Entry; "Secondary Controller List" */
struct nvme_secondary_ctrl {
	__le16 scid;	/* secondary controller */
	__le16 pcid;	/* its primary controller */
	__u8 scs;	/* state; bit 0: online */
	__u8 rsvd5[3];
	__le16 vfn;	/* virtual function number */
	__le16 nvq;	/* flexible VQ resources assigned */
	__le16 nvi;	/* flexible VI resources assigned */
	__u8 rsvd14[18];
};

/** struct nvme_secondary_ctrl_list - Secondary Controller List; "Secondary Controller List" */
struct nvme_secondary_ctrl_list {
	__u8 num;							/* number of entries */
	__u8 rsvd[31];
	struct nvme_secondary_ctrl sc_entry[NVME_ID_SECONDARY_CTRL_MAX];	/* the entries */
};

/** enum nvme_id_iocs_iocsc - I/O command sets of a combination; "I/O Command Set data structure" */
enum nvme_id_iocs_iocsc {
	NVME_FIELD(IOCS_IOCSC_NVMCS, 0, 0x1),	/* NVM Command Set */
	NVME_FIELD(IOCS_IOCSC_KVCS, 1, 0x1),	/* Key Value Command Set */
	NVME_FIELD(IOCS_IOCSC_ZNSCS, 2, 0x1),	/* Zoned Namespace Command Set */
	NVME_FIELD(IOCS_IOCSC_SLMCS, 3, 0x1),	/* Subsystem Local Memory Command Set */
	NVME_FIELD(IOCS_IOCSC_CPNCS, 4, 0x1),	/* Computational Programs Command Set */
};

/** struct nvme_id_iocs - I/O Command Set data structure; "I/O Command Set data structure" */
struct nvme_id_iocs {
	__le64 iocsc[512];	/* combinations, &enum nvme_id_iocs_iocsc; 0 ends the list */
};

/** struct nvme_id_domain_attr - Domain Attributes Entry; "Domain List" */
struct nvme_id_domain_attr {
	__le16 dom_id;			/* domain */
	__u8 rsvd2[14];
	__u8 dom_cap[16];		/* capacity in bytes, 128 bits */
	__u8 unalloc_dom_cap[16];	/* capacity not allocated in bytes, 128 bits */
	__u8 max_egrp_dom_cap[16];	/* largest endurance group in bytes, 128 bits */
	__u8 rsvd64[64];
};

/** struct nvme_id_domain_list - Domain List; "Domain List" */
struct nvme_id_domain_list {
	__u8 num;							/* number of entries */
	__u8 rsvd[127];
	struct nvme_id_domain_attr domain_attr[NVME_ID_DOMAIN_LIST_MAX];	/* the entries */
};

/** struct nvme_id_endurance_group_list - Endurance Group List; "Endurance Group List" */
struct nvme_id_endurance_group_list {
	__le16 num;						/* number of identifiers */
	__le16 identifier[NVME_ID_ENDURANCE_GROUP_LIST_MAX];	/* ids in ascending order */
};

#endif /* _LIBNVME_TYPES_IDENTIFY_LIST_H */
