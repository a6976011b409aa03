/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Identify (06h) and the data structures that it returns. Use <nvme/ioctl.h>. NVM Express Base,
 * "Identify command".
 *
 * Common to all functions unless noted otherwise:
 * @cntid: The list starts at this controller
 * @ns: Where to store the data structure
 * @uuidx: Index into the UUID list, 0 for none
 * @nsid: Namespace
 * @data: NVME_IDENTIFY_DATA_SIZE bytes
 * @csi: I/O command set
 * @fd:		Controller or namespace device
 *
 * Return: As nvme_identify().
 */
#pragma once

/**
 * nvme_identify() - read one of the Identify data structures
 * @args:	CNS, its parameters (nsid, cntid, csi, cns_specific_id, uuidx) and a buffer of
 *	  NVME_IDENTIFY_DATA_SIZE bytes
 *
 * Return: 0, the NVMe status, or -1 with errno set.
 */
int nvme_identify(struct nvme_identify_args *args);

/**
 * nvme_identify_fields() - Identify, given the fields that differ between data structures
 * @cns:	Data structure to return
 * @cntid:	Controller
 * @id:		CNS specific identifier
 */
static inline int nvme_identify_fields(int fd, enum nvme_identify_cns cns, __u32 nsid, __u16 cntid,
				       enum nvme_csi csi, __u16 id, __u8 uuidx, void *data)
{
	struct nvme_identify_args args = {
		.result = NULL,
		.data = data,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.cns = cns,
		.csi = csi,
		.nsid = nsid,
		.cntid = cntid,
		.cns_specific_id = id,
		.uuidx = uuidx,
	};

	return nvme_identify(&args);
}

/**
 * nvme_identify_cns_nsid() - Identify, given only a CNS and a namespace
 * @cns:	Data structure to return
 * @nsid:	Namespace the data structure is about, or starts after
 */
static inline int nvme_identify_cns_nsid(int fd, enum nvme_identify_cns cns, __u32 nsid, void *data)
{
	return nvme_identify_fields(fd, cns, nsid, NVME_CNTLID_NONE, NVME_CSI_NVM,
				    NVME_CNSSPECID_NONE, NVME_UUID_NONE, data);
}

/**
 * nvme_identify_ctrl() - Identify Controller (CNS 01h)
 * @id:		Where to store the data structure
 */
static inline int nvme_identify_ctrl(int fd, struct nvme_id_ctrl *id)
{
	return nvme_identify_cns_nsid(fd, NVME_IDENTIFY_CNS_CTRL, NVME_NSID_NONE, id);
}

/**
 * nvme_identify_ns() - Identify Namespace of the NVM command set (CNS 00h)
 *
 * NVME_NSID_ALL reads the capabilities common to all namespaces.
 */
static inline int nvme_identify_ns(int fd, __u32 nsid, struct nvme_id_ns *ns)
{
	return nvme_identify_cns_nsid(fd, NVME_IDENTIFY_CNS_NS, nsid, ns);
}

/** nvme_identify_allocated_ns() - Identify Namespace of an allocated namespace (CNS 11h) */
static inline int nvme_identify_allocated_ns(int fd, __u32 nsid, struct nvme_id_ns *ns)
{
	return nvme_identify_cns_nsid(fd, NVME_IDENTIFY_CNS_ALLOCATED_NS, nsid, ns);
}

/**
 * nvme_identify_active_ns_list() - list of active namespaces (CNS 02h)
 * @nsid:	The list starts after this namespace; 0: at the first
 * @list:	Where to store the list, which ends with 0
 */
static inline int nvme_identify_active_ns_list(int fd, __u32 nsid, struct nvme_ns_list *list)
{
	return nvme_identify_cns_nsid(fd, NVME_IDENTIFY_CNS_NS_ACTIVE_LIST, nsid, list);
}

/**
 * nvme_identify_allocated_ns_list() - list of allocated namespaces (CNS 10h)
 * @nsid:	The list starts after this namespace; 0: at the first
 * @list:	Where to store the list, which ends with 0
 */
static inline int nvme_identify_allocated_ns_list(int fd, __u32 nsid, struct nvme_ns_list *list)
{
	return nvme_identify_cns_nsid(fd, NVME_IDENTIFY_CNS_ALLOCATED_NS_LIST, nsid, list);
}

/**
 * nvme_identify_ctrl_list() - controllers of the NVM subsystem (CNS 13h)
 * @cntlist:	Where to store the list
 */
static inline int nvme_identify_ctrl_list(int fd, __u16 cntid, struct nvme_ctrl_list *cntlist)
{
	return nvme_identify_fields(fd, NVME_IDENTIFY_CNS_CTRL_LIST, NVME_NSID_NONE, cntid,
				    NVME_CSI_NVM, NVME_CNSSPECID_NONE, NVME_UUID_NONE, cntlist);
}

/**
 * nvme_identify_nsid_ctrl_list() - controllers that a namespace is attached to (CNS 12h)
 * @cntlist:	Where to store the list
 */
static inline int nvme_identify_nsid_ctrl_list(int fd, __u32 nsid, __u16 cntid,
					       struct nvme_ctrl_list *cntlist)
{
	return nvme_identify_fields(fd, NVME_IDENTIFY_CNS_NS_CTRL_LIST, nsid, cntid, NVME_CSI_NVM,
				    NVME_CNSSPECID_NONE, NVME_UUID_NONE, cntlist);
}

/**
 * nvme_identify_ns_descs() - Namespace Identification Descriptor list (CNS 03h)
 * @descs:	NVME_IDENTIFY_DATA_SIZE bytes for descriptors of varying length
 */
static inline int nvme_identify_ns_descs(int fd, __u32 nsid, struct nvme_ns_id_desc *descs)
{
	return nvme_identify_cns_nsid(fd, NVME_IDENTIFY_CNS_NS_DESC_LIST, nsid, descs);
}

/**
 * nvme_identify_nvmset_list() - list of NVM sets (CNS 04h)
 * @nvmsetid:	The list starts at this NVM set
 * @nvmset:	Where to store the list
 */
static inline int nvme_identify_nvmset_list(int fd, __u16 nvmsetid,
					    struct nvme_id_nvmset_list *nvmset)
{
	return nvme_identify_fields(fd, NVME_IDENTIFY_CNS_NVMSET_LIST, NVME_NSID_NONE,
				    NVME_CNTLID_NONE, NVME_CSI_NVM, nvmsetid, NVME_UUID_NONE,
				    nvmset);
}

/**
 * nvme_identify_primary_ctrl() - Primary Controller Capabilities (CNS 14h)
 * @cntid:	Controller
 * @cap:	Where to store the data structure
 */
static inline int nvme_identify_primary_ctrl(int fd, __u16 cntid, struct nvme_primary_ctrl_cap *cap)
{
	return nvme_identify_fields(fd, NVME_IDENTIFY_CNS_PRIMARY_CTRL_CAP, NVME_NSID_NONE, cntid,
				    NVME_CSI_NVM, NVME_CNSSPECID_NONE, NVME_UUID_NONE, cap);
}

/**
 * nvme_identify_secondary_ctrl_list() - list of secondary controllers (CNS 15h)
 * @sc_list:	Where to store the list
 */
static inline int nvme_identify_secondary_ctrl_list(int fd, __u16 cntid,
						    struct nvme_secondary_ctrl_list *sc_list)
{
	return nvme_identify_fields(fd, NVME_IDENTIFY_CNS_SECONDARY_CTRL_LIST, NVME_NSID_NONE,
				    cntid, NVME_CSI_NVM, NVME_CNSSPECID_NONE, NVME_UUID_NONE,
				    sc_list);
}

/**
 * nvme_identify_ns_granularity() - Namespace Granularity list (CNS 16h)
 * @gr_list:	Where to store the list
 */
static inline int nvme_identify_ns_granularity(int fd, struct nvme_id_ns_granularity_list *gr_list)
{
	return nvme_identify_cns_nsid(fd, NVME_IDENTIFY_CNS_NS_GRANULARITY, NVME_NSID_NONE,
				      gr_list);
}

/**
 * nvme_identify_uuid() - UUID list (CNS 17h)
 * @uuid_list:	Where to store the list
 */
static inline int nvme_identify_uuid(int fd, struct nvme_id_uuid_list *uuid_list)
{
	return nvme_identify_cns_nsid(fd, NVME_IDENTIFY_CNS_UUID_LIST, NVME_NSID_NONE, uuid_list);
}

/** nvme_identify_ns_csi() - Identify Namespace of an I/O command set (CNS 05h) */
static inline int nvme_identify_ns_csi(int fd, __u32 nsid, __u8 uuidx, enum nvme_csi csi,
				       void *data)
{
	return nvme_identify_fields(fd, NVME_IDENTIFY_CNS_CSI_NS, nsid, NVME_CNTLID_NONE, csi,
				    NVME_CNSSPECID_NONE, uuidx, data);
}

/** nvme_identify_ctrl_csi() - Identify Controller of an I/O command set (CNS 06h) */
static inline int nvme_identify_ctrl_csi(int fd, enum nvme_csi csi, void *data)
{
	return nvme_identify_fields(fd, NVME_IDENTIFY_CNS_CSI_CTRL, NVME_NSID_NONE,
				    NVME_CNTLID_NONE, csi, NVME_CNSSPECID_NONE, NVME_UUID_NONE,
				    data);
}

/**
 * nvme_identify_active_ns_list_csi() - active namespaces of one I/O command set (CNS 07h)
 * @nsid:	The list starts after this namespace; 0: at the first
 * @ns_list:	Where to store the list, which ends with 0
 */
static inline int nvme_identify_active_ns_list_csi(int fd, __u32 nsid, enum nvme_csi csi,
						   struct nvme_ns_list *ns_list)
{
	return nvme_identify_fields(fd, NVME_IDENTIFY_CNS_CSI_NS_ACTIVE_LIST, nsid,
				    NVME_CNTLID_NONE, csi, NVME_CNSSPECID_NONE, NVME_UUID_NONE,
				    ns_list);
}

/**
 * nvme_identify_independent_identify_ns() - command set independent Identify Namespace (CNS 08h)
 */
static inline int nvme_identify_independent_identify_ns(int fd, __u32 nsid,
							struct nvme_id_independent_id_ns *ns)
{
	return nvme_identify_cns_nsid(fd, NVME_IDENTIFY_CNS_CSI_INDEPENDENT_ID_NS, nsid, ns);
}

/**
 * nvme_identify_ns_csi_user_data_format() - namespace of one user data format (CNS 09h)
 * @user_data_format: User data format index
 */
static inline int nvme_identify_ns_csi_user_data_format(int fd, __u16 user_data_format, __u8 uuidx,
							enum nvme_csi csi, void *data)
{
	return nvme_identify_fields(fd, NVME_IDENTIFY_CNS_NS_USER_DATA_FORMAT, NVME_NSID_NONE,
				    NVME_CNTLID_NONE, csi, user_data_format, uuidx, data);
}

/**
 * nvme_identify_iocs_ns_csi_user_data_format() - namespace of one format (CNS 0Ah)
 * @user_data_format: User data format index
 */
static inline int nvme_identify_iocs_ns_csi_user_data_format(int fd, __u16 user_data_format,
							     __u8 uuidx, enum nvme_csi csi,
							     void *data)
{
	return nvme_identify_fields(fd, NVME_IDENTIFY_CNS_CSI_NS_USER_DATA_FORMAT, NVME_NSID_NONE,
				    NVME_CNTLID_NONE, csi, user_data_format, uuidx, data);
}

/**
 * nvme_nvm_identify_ctrl() - Identify Controller of the NVM command set (CNS 06h, CSI 00h)
 * @id:		Where to store the data structure
 */
static inline int nvme_nvm_identify_ctrl(int fd, struct nvme_id_ctrl_nvm *id)
{
	return nvme_identify_ctrl_csi(fd, NVME_CSI_NVM, id);
}

/**
 * nvme_identify_domain_list() - list of domains (CNS 18h)
 * @domid:	The list starts at this domain
 * @list:	Where to store the list
 */
static inline int nvme_identify_domain_list(int fd, __u16 domid, struct nvme_id_domain_list *list)
{
	return nvme_identify_fields(fd, NVME_IDENTIFY_CNS_DOMAIN_LIST, NVME_NSID_NONE,
				    NVME_CNTLID_NONE, NVME_CSI_NVM, domid, NVME_UUID_NONE, list);
}

/**
 * nvme_identify_endurance_group_list() - list of Endurance Groups (CNS 19h)
 * @endgrp_id:	The list starts at this Endurance Group
 * @list:	Where to store the list
 */
static inline int nvme_identify_endurance_group_list(int fd, __u16 endgrp_id,
						     struct nvme_id_endurance_group_list *list)
{
	return nvme_identify_fields(fd, NVME_IDENTIFY_CNS_ENDURANCE_GROUP_ID, NVME_NSID_NONE,
				    NVME_CNTLID_NONE, NVME_CSI_NVM, endgrp_id, NVME_UUID_NONE,
				    list);
}

/**
 * nvme_identify_allocated_ns_list_csi() - allocated namespaces of one I/O command set (CNS 1Ah)
 * @nsid:	The list starts after this namespace; 0: at the first
 * @ns_list:	Where to store the list, which ends with 0
 */
static inline int nvme_identify_allocated_ns_list_csi(int fd, __u32 nsid, enum nvme_csi csi,
						      struct nvme_ns_list *ns_list)
{
	return nvme_identify_fields(fd, NVME_IDENTIFY_CNS_CSI_ALLOCATED_NS_LIST, nsid,
				    NVME_CNTLID_NONE, csi, NVME_CNSSPECID_NONE, NVME_UUID_NONE,
				    ns_list);
}

/**
 * nvme_identify_iocs() - I/O command sets of a controller (CNS 1Ch)
 * @cntlid:	Controller; ffffh: the one that processes the command
 * @iocs:	Where to store the data structure
 */
static inline int nvme_identify_iocs(int fd, __u16 cntlid, struct nvme_id_iocs *iocs)
{
	return nvme_identify_fields(fd, NVME_IDENTIFY_CNS_COMMAND_SET_STRUCTURE, NVME_NSID_NONE,
				    cntlid, NVME_CSI_NVM, NVME_CNSSPECID_NONE, NVME_UUID_NONE,
				    iocs);
}
