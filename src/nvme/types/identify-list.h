/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lists and tables that Identify returns beside controllers and namespaces.
 */
#ifndef _LIBNVME_TYPES_IDENTIFY_LIST_H
#define _LIBNVME_TYPES_IDENTIFY_LIST_H

#include "base.h"

enum nvme_identify_cns {
	NVME_IDENTIFY_CNS_NS = 0x00,
	NVME_IDENTIFY_CNS_CTRL = 0x01,
	NVME_IDENTIFY_CNS_NS_ACTIVE_LIST = 0x02,
	NVME_IDENTIFY_CNS_NS_DESC_LIST = 0x03,
	NVME_IDENTIFY_CNS_NVMSET_LIST = 0x04,
	NVME_IDENTIFY_CNS_CSI_NS = 0x05,
	NVME_IDENTIFY_CNS_CSI_CTRL = 0x06,
	NVME_IDENTIFY_CNS_CSI_NS_ACTIVE_LIST = 0x07,
	NVME_IDENTIFY_CNS_CSI_INDEPENDENT_ID_NS = 0x08,
	NVME_IDENTIFY_CNS_NS_USER_DATA_FORMAT = 0x09,
	NVME_IDENTIFY_CNS_CSI_NS_USER_DATA_FORMAT = 0x0a,
	NVME_IDENTIFY_CNS_ALLOCATED_NS_LIST = 0x10,
	NVME_IDENTIFY_CNS_ALLOCATED_NS = 0x11,
	NVME_IDENTIFY_CNS_NS_CTRL_LIST = 0x12,
	NVME_IDENTIFY_CNS_CTRL_LIST = 0x13,
	NVME_IDENTIFY_CNS_PRIMARY_CTRL_CAP = 0x14,
	NVME_IDENTIFY_CNS_SECONDARY_CTRL_LIST = 0x15,
	NVME_IDENTIFY_CNS_NS_GRANULARITY = 0x16,
	NVME_IDENTIFY_CNS_UUID_LIST = 0x17,
	NVME_IDENTIFY_CNS_DOMAIN_LIST = 0x18,
	NVME_IDENTIFY_CNS_ENDURANCE_GROUP_ID = 0x19,
	NVME_IDENTIFY_CNS_CSI_ALLOCATED_NS_LIST = 0x1a,
	NVME_IDENTIFY_CNS_CSI_ID_NS_DATA_STRUCTURE = 0x1b,
	NVME_IDENTIFY_CNS_COMMAND_SET_STRUCTURE = 0x1c,
	NVME_IDENTIFY_CNS_UNDERLYING_NS_LIST = 0x1d,
	NVME_IDENTIFY_CNS_PORTS_LIST = 0x1e,
	NVME_IDENTIFY_CNS_IOCS_IND_ID_ALLOC_NS = 0x1f,
	NVME_IDENTIFY_CNS_SUPPORTED_CTRL_STATE_FORMATS = 0x20,
};

struct nvme_ctrl_list {
	__le16 num;
	__le16 identifier[NVME_ID_CTRL_LIST_MAX];
};

struct nvme_ns_list {
	__le32 ns[NVME_ID_NS_LIST_MAX];
};

struct nvme_nvmset_attr {
	__le16 nvmsetid;
	__le16 endgid;
	__u8 rsvd4[4];
	__le32 rr4kt;
	__le32 ows;
	__u8 tnvmsetcap[16];
	__u8 unvmsetcap[16];
	__u8 rsvd48[80];
};

struct nvme_id_nvmset_list {
	__u8 nid;
	__u8 rsvd1[127];
	struct nvme_nvmset_attr ent[NVME_ID_NVMSET_LIST_MAX];
};

struct nvme_id_ns_granularity_desc {
	__le64 nszegran;
	__le64 ncapgran;
};

struct nvme_id_ns_granularity_list {
	__le32 attributes;
	__u8 num_descriptors;
	__u8 rsvd5[27];
	struct nvme_id_ns_granularity_desc entry[NVME_ID_ND_DESCRIPTOR_MAX];
	__u8 rsvd288[3808];
};

enum nvme_id_uuid {
	NVME_ID_UUID_HDR_ASSOCIATION_MASK = 0x3,
	NVME_ID_UUID_ASSOCIATION_NONE = 0,
	NVME_ID_UUID_ASSOCIATION_VENDOR = 1,
	NVME_ID_UUID_ASSOCIATION_SUBSYSTEM_VENDOR = 2,
};

struct nvme_id_uuid_list_entry {
	__u8 header;
	__u8 rsvd1[15];
	__u8 uuid[16];
};

struct nvme_id_uuid_list {
	__u8 rsvd0[32];
	struct nvme_id_uuid_list_entry entry[NVME_ID_UUID_LIST_MAX];
};

struct nvme_primary_ctrl_cap {
	__le16 cntlid;
	__le16 portid;
	__u8 crt;
	__u8 rsvd5[27];
	__le32 vqfrt;
	__le32 vqrfa;
	__le16 vqrfap;
	__le16 vqprt;
	__le16 vqfrsm;
	__le16 vqgran;
	__u8 rsvd48[16];
	__le32 vifrt;
	__le32 virfa;
	__le16 virfap;
	__le16 viprt;
	__le16 vifrsm;
	__le16 vigran;
	__u8 rsvd80[4016];
};

struct nvme_secondary_ctrl {
	__le16 scid;
	__le16 pcid;
	__u8 scs;
	__u8 rsvd5[3];
	__le16 vfn;
	__le16 nvq;
	__le16 nvi;
	__u8 rsvd14[18];
};

struct nvme_secondary_ctrl_list {
	__u8 num;
	__u8 rsvd[31];
	struct nvme_secondary_ctrl sc_entry[NVME_ID_SECONDARY_CTRL_MAX];
};

enum nvme_id_iocs_iocsc {
	NVME_IOCS_IOCSC_NVMCS_SHIFT = 0,
	NVME_IOCS_IOCSC_NVMCS_MASK = 0x1,
	NVME_IOCS_IOCSC_KVCS_SHIFT = 1,
	NVME_IOCS_IOCSC_KVCS_MASK = 0x1,
	NVME_IOCS_IOCSC_ZNSCS_SHIFT = 2,
	NVME_IOCS_IOCSC_ZNSCS_MASK = 0x1,
	NVME_IOCS_IOCSC_SLMCS_SHIFT = 3,
	NVME_IOCS_IOCSC_SLMCS_MASK = 0x1,
	NVME_IOCS_IOCSC_CPNCS_SHIFT = 4,
	NVME_IOCS_IOCSC_CPNCS_MASK = 0x1,
};

struct nvme_id_iocs {
	__le64 iocsc[512];
};

struct nvme_id_domain_attr {
	__le16 dom_id;
	__u8 rsvd2[14];
	__u8 dom_cap[16];
	__u8 unalloc_dom_cap[16];
	__u8 max_egrp_dom_cap[16];
	__u8 rsvd64[64];
};

struct nvme_id_domain_list {
	__u8 num;
	__u8 rsvd[127];
	struct nvme_id_domain_attr domain_attr[NVME_ID_DOMAIN_LIST_MAX];
};

struct nvme_id_endurance_group_list {
	__le16 num;
	__le16 identifier[NVME_ID_ENDURANCE_GROUP_LIST_MAX];
};

#endif /* _LIBNVME_TYPES_IDENTIFY_LIST_H */
