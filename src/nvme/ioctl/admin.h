/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Admin commands that manage controllers and namespaces. Use <nvme/ioctl.h>. NVM Express Base.
 *
 * Common to all functions unless noted otherwise:
 * @fd: Controller device
 *
 * Return: 0, the NVMe status, or -1 with errno set.
 */
#pragma once

/**
 * nvme_format_nvm() - Format NVM (80h)
 * @args: Namespace or NVME_NSID_ALL, LBA format, metadata, protection information, secure erase
 *
 * Accepts the structure up to lbaf and up to lbafu, the two upper bits of the LBA format.
 */
int nvme_format_nvm(struct nvme_format_nvm_args *args);

/**
 * nvme_ns_mgmt() - Namespace Management (0Dh)
 * @args: Create or delete; for creation the host software specified fields in @args->data, or in
 *	  @args->ns, laid out as in Identify Namespace
 *
 * Accepts the structure up to csi and up to data. If both buffers are given, data is sent.
 *
 * Return: 0 (with the new namespace in @args->result), the NVMe status, or -1 with errno set.
 */
int nvme_ns_mgmt(struct nvme_ns_mgmt_args *args);

/**
 * nvme_ns_mgmt_create() - create a namespace
 * @ns:		Fields of the namespace, laid out as in Identify Namespace, or NULL
 * @nsid:	Where to store the namespace identifier
 * @timeout:	Milliseconds; 0: the driver's default
 * @csi:	I/O command set (enum nvme_csi)
 * @data:	Host software specified fields of the namespace, or NULL; precedes @ns
 *
 * Return: As nvme_ns_mgmt().
 */
static inline int nvme_ns_mgmt_create(int fd, struct nvme_id_ns *ns, __u32 *nsid, __u32 timeout,
				      __u8 csi, struct nvme_ns_mgmt_host_sw_specified *data)
{
	struct nvme_ns_mgmt_args args = {
		.result = nsid,
		.ns = ns,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = timeout,
		.nsid = NVME_NSID_NONE,
		.sel = NVME_NS_MGMT_SEL_CREATE,
		.csi = csi,
		.rsvd1 = { 0 },
		.rsvd2 = NULL,
		.data = data,
	};

	return nvme_ns_mgmt(&args);
}

/**
 * nvme_ns_mgmt_delete_timeout() - delete a namespace
 * @nsid:	Namespace, or NVME_NSID_ALL
 * @timeout:	Milliseconds; 0: the driver's default
 *
 * Return: As nvme_ns_mgmt().
 */
static inline int nvme_ns_mgmt_delete_timeout(int fd, __u32 nsid, __u32 timeout)
{
	struct nvme_ns_mgmt_args args = {
		.result = NULL,
		.ns = NULL,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = timeout,
		.nsid = nsid,
		.sel = NVME_NS_MGMT_SEL_DELETE,
		.csi = 0,
		.rsvd1 = { 0 },
		.rsvd2 = NULL,
		.data = NULL,
	};

	return nvme_ns_mgmt(&args);
}

/**
 * nvme_ns_mgmt_delete() - delete a namespace with the driver's default timeout
 * @nsid:	Namespace, or NVME_NSID_ALL
 *
 * Return: As nvme_ns_mgmt().
 */
static inline int nvme_ns_mgmt_delete(int fd, __u32 nsid)
{
	return nvme_ns_mgmt_delete_timeout(fd, nsid, NVME_DEFAULT_IOCTL_TIMEOUT);
}

/**
 * nvme_ns_attach() - Namespace Attachment (15h)
 * @args: Attach or detach, namespace, list of controllers
 */
int nvme_ns_attach(struct nvme_ns_attach_args *args);

/**
 * nvme_ns_attach_ctrls() - attach a namespace to controllers
 * @nsid:	Namespace
 * @ctrlist:	Controllers, see nvme_init_ctrl_list()
 *
 * Return: As nvme_ns_attach().
 */
static inline int nvme_ns_attach_ctrls(int fd, __u32 nsid, struct nvme_ctrl_list *ctrlist)
{
	struct nvme_ns_attach_args args = {
		.result = NULL,
		.ctrlist = ctrlist,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.nsid = nsid,
		.sel = NVME_NS_ATTACH_SEL_CTRL_ATTACH,
	};

	return nvme_ns_attach(&args);
}

/**
 * nvme_ns_detach_ctrls() - detach a namespace from controllers
 * @nsid:	Namespace
 * @ctrlist:	Controllers, see nvme_init_ctrl_list()
 *
 * Return: As nvme_ns_attach().
 */
static inline int nvme_ns_detach_ctrls(int fd, __u32 nsid, struct nvme_ctrl_list *ctrlist)
{
	struct nvme_ns_attach_args args = {
		.result = NULL,
		.ctrlist = ctrlist,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.nsid = nsid,
		.sel = NVME_NS_ATTACH_SEL_CTRL_DEATTACH,
	};

	return nvme_ns_attach(&args);
}

/**
 * nvme_fw_download() - Firmware Image Download (11h), one piece
 * @args: Offset in the image and a piece of it; both in bytes and multiples of 4
 */
int nvme_fw_download(struct nvme_fw_download_args *args);

/**
 * nvme_fw_commit() - Firmware Commit (10h)
 * @args: Action, firmware slot or boot partition
 *
 * Return: 0; the NVMe status, of which NVME_SC_FW_NEEDS_... means that a reset is still due; or -1
 * with errno set.
 */
int nvme_fw_commit(struct nvme_fw_commit_args *args);

/**
 * nvme_security_send() - Security Send (81h)
 * @args: Security protocol, its specific fields, transfer length and data
 */
int nvme_security_send(struct nvme_security_send_args *args);

/**
 * nvme_security_receive() - Security Receive (82h)
 * @args: Security protocol, its specific fields, allocation length and buffer
 */
int nvme_security_receive(struct nvme_security_receive_args *args);

/**
 * nvme_get_lba_status() - Get LBA Status (86h)
 * @args: First block, range length, action and a buffer of (mndw + 1) * 4 bytes
 */
int nvme_get_lba_status(struct nvme_get_lba_status_args *args);

/**
 * nvme_capacity_mgmt() - Capacity Management (20h)
 * @args: Operation, element identifier, capacity in dwords 11 and 12
 */
int nvme_capacity_mgmt(struct nvme_capacity_mgmt_args *args);

/**
 * nvme_lockdown() - Lockdown (24h)
 * @args: Scope, prohibit or allow, interface, opcode or feature identifier
 */
int nvme_lockdown(struct nvme_lockdown_args *args);

/**
 * nvme_sanitize_nvm() - Sanitize (84h)
 * @args: Action and its parameters
 *
 * Accepts the structure up to nodas and up to emvs. The command returns when the operation has
 * started; nvme_get_log_sanitize() reports its progress.
 */
int nvme_sanitize_nvm(struct nvme_sanitize_nvm_args *args);

/**
 * nvme_dev_self_test() - Device Self-test (14h)
 * @args: Namespace, NVME_NSID_NONE for the controller alone or NVME_NSID_ALL; short, extended,
 *	  vendor specific or abort
 */
int nvme_dev_self_test(struct nvme_dev_self_test_args *args);

/**
 * nvme_virtual_mgmt() - Virtualization Management (1Ch)
 * @args: Action, resource type, controller, number of resources
 *
 * Return: 0 (with the number of resources modified in @args->result), the NVMe status, or -1 with
 * errno set.
 */
int nvme_virtual_mgmt(struct nvme_virtual_mgmt_args *args);

/**
 * nvme_get_property() - fabrics Property Get (7Fh, type 04h): read a controller register
 * @args: Offset of the register and where to store its value
 *
 * @args->value is unchanged unless the command succeeds.
 */
int nvme_get_property(struct nvme_get_property_args *args);

/**
 * nvme_set_property() - fabrics Property Set (7Fh, type 00h): write a controller register
 * @args: Offset of the register and its new value
 */
int nvme_set_property(struct nvme_set_property_args *args);

/**
 * nvme_dim_send() - Discovery Information Management (21h)
 * @args: Task (enum nvmf_dim_tas) and a struct nvmf_dim_data with its entries
 */
int nvme_dim_send(struct nvme_dim_args *args);

/**
 * nvme_get_ana_log_atomic() - read a whole ANA log that does not change meanwhile
 * @rgo:	Groups only, without their namespaces
 * @rae:	Retain the asynchronous event that refers to this page
 * @retries:	Maximum number of attempts, 1 or more
 * @log:	Where to store the page
 * @len:	In: bytes at @log. Out, on success: bytes of the page
 *
 * The page is complete when all entries counted by its headers are read and the change count is the
 * same before and after.
 *
 * Return: 0, the NVMe status, or -1 with errno set: EINVAL for @retries 0 or a @len that cannot
 * hold the header, ENOSPC if the page is larger than @len, EAGAIN if it changed each time.
 */
int nvme_get_ana_log_atomic(int fd, bool rgo, bool rae, unsigned int retries,
			    struct nvme_ana_log *log, __u32 *len);

/**
 * nvme_lm_cdq() - Controller Data Queue (45h): create or delete
 * @args: Selection; to create: controller, size in dwords and memory; to delete: queue
 *
 * Accepts the structure up to sz_u8 and up to sz. A created queue's identifier is stored in
 * @args->cdqid.
 */
int nvme_lm_cdq(struct nvme_lm_cdq_args *args);

/**
 * nvme_lm_track_send() - Track Send (3Dh): start or stop logging user data changes
 * @args: Selection, its management operation specific field, controller data queue
 */
int nvme_lm_track_send(struct nvme_lm_track_send_args *args);

/**
 * nvme_lm_migration_send() - Migration Send (41h): suspend, resume or set a controller's state
 * @args: Selection and its parameters; a state is @args->numd dwords at @args->offset
 */
int nvme_lm_migration_send(struct nvme_lm_migration_send_args *args);

/**
 * nvme_lm_migration_recv() - Migration Receive (42h): get a controller's state
 * @args: Selection and its parameters; the buffer has @args->numd + 1 dwords
 */
int nvme_lm_migration_recv(struct nvme_lm_migration_recv_args *args);
