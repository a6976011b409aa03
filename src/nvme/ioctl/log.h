/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Get Log Page (02h) and the log pages of a controller. Use <nvme/ioctl.h>. Follows NVM Express
 * Base, "Get Log Page command".
 *
 * Common to all functions unless noted otherwise:
 * @lid: Log page
 * @fd:		Controller or namespace device
 * @rae:	Retain the asynchronous event that refers to this page
 * @offset:	Where to start in the page, in bytes, a multiple of 4
 * @len:	Bytes at @log, a multiple of 4
 * @log:	Where to store the page
 *
 * Return: As nvme_get_log_page().
 */
#pragma once

/**
 * nvme_get_log() - read a log page, or a part of it, with one command
 * @args:	Page, scope, offset and a buffer of @args->len bytes (a multiple of 4)
 *
 * A length of 0 succeeds without a command. A length above the controller's maximum transfer size
 * (MDTS) fails; nvme_get_log_page() splits the read.
 *
 * Return: 0, the NVMe status, or -1 with errno set.
 */
int nvme_get_log(struct nvme_get_log_args *args);

/**
 * nvme_get_log_page() - read a log page with as many commands as necessary
 * @fd:		Controller or namespace device; @args->fd is ignored
 * @xfer_len:	Maximum bytes per command, a multiple of 4; NVME_LOG_PAGE_PDU_SIZE always works
 * @args:	As for nvme_get_log(); not changed
 *
 * All commands but the last retain the asynchronous event, so that the page does not change between
 * the commands; the last one uses @args->rae. If LIBNVME_FORCE_4K is set in the environment,
 * @xfer_len is NVME_LOG_PAGE_PDU_SIZE. If @args->ot makes the offset an index, a single command
 * reads the page.
 *
 * Return: 0, the NVMe status of the first command that failed, or -1 with errno set.
 */
int nvme_get_log_page(int fd, __u32 xfer_len, struct nvme_get_log_args *args);

/**
 * nvme_get_log_fields() - read (part of) a log page, given the fields that differ between pages
 * @nsid:	Namespace, NVME_NSID_ALL or NVME_NSID_NONE
 * @csi:	I/O command set
 * @lsp:	Log specific parameter
 * @lsi:	Log specific identifier
 * @lpo:	Offset in the page, in bytes
 */
static inline int nvme_get_log_fields(int fd, enum nvme_cmd_get_log_lid lid, __u32 nsid,
				      enum nvme_csi csi, __u8 lsp, __u16 lsi, __u64 lpo, bool rae,
				      __u32 len, void *log)
{
	struct nvme_get_log_args args = {
		.lpo = lpo,
		.result = NULL,
		.log = log,
		.args_size = sizeof(args),
		.fd = fd,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.lid = lid,
		.len = len,
		.nsid = nsid,
		.csi = csi,
		.lsi = lsi,
		.lsp = lsp,
		.uuidx = NVME_UUID_NONE,
		.rae = rae,
		.ot = false,
	};

	return nvme_get_log_page(fd, NVME_LOG_PAGE_PDU_SIZE, &args);
}

/**
 * nvme_get_nsid_log() - read a log page of a namespace from its start
 * @nsid:	Namespace; NVME_NSID_ALL for pages of the controller
 */
static inline int nvme_get_nsid_log(int fd, bool rae, enum nvme_cmd_get_log_lid lid, __u32 nsid,
				    __u32 len, void *log)
{
	return nvme_get_log_fields(fd, lid, nsid, NVME_CSI_NVM, NVME_LOG_LSP_NONE,
				   NVME_LOG_LSI_NONE, 0, rae, len, log);
}

/**
 * nvme_get_endgid_log() - read a log page of an Endurance Group from its start
 * @endgid:	Endurance Group
 */
static inline int nvme_get_endgid_log(int fd, bool rae, enum nvme_cmd_get_log_lid lid, __u16 endgid,
				      __u32 len, void *log)
{
	return nvme_get_log_fields(fd, lid, NVME_NSID_NONE, NVME_CSI_NVM, NVME_LOG_LSP_NONE, endgid,
				   0, rae, len, log);
}

/** nvme_get_log_simple() - read a log page of the controller from its start, events not retained */
static inline int nvme_get_log_simple(int fd, enum nvme_cmd_get_log_lid lid, __u32 len, void *log)
{
	return nvme_get_nsid_log(fd, false, lid, NVME_NSID_ALL, len, log);
}

/** nvme_get_log_supported_log_pages() - Supported Log Pages (00h) */
static inline int nvme_get_log_supported_log_pages(int fd, bool rae,
						   struct nvme_supported_log_pages *log)
{
	return nvme_get_nsid_log(fd, rae, NVME_LOG_LID_SUPPORTED_LOG_PAGES, NVME_NSID_ALL,
				 sizeof(*log), log);
}

/**
 * nvme_get_log_error() - Error Information (01h)
 * @nr_entries:	Entries at @err_log
 * @err_log:	Where to store the page
 */
static inline int nvme_get_log_error(int fd, unsigned int nr_entries, bool rae,
				     struct nvme_error_log_page *err_log)
{
	return nvme_get_nsid_log(fd, rae, NVME_LOG_LID_ERROR, NVME_NSID_ALL,
				 (__u32)sizeof(*err_log) * nr_entries, err_log);
}

/**
 * nvme_get_log_smart() - SMART / Health Information (02h)
 * @nsid:	Namespace, or NVME_NSID_ALL for the controller
 * @smart_log:	Where to store the page
 */
static inline int nvme_get_log_smart(int fd, __u32 nsid, bool rae, struct nvme_smart_log *smart_log)
{
	return nvme_get_nsid_log(fd, rae, NVME_LOG_LID_SMART, nsid, sizeof(*smart_log), smart_log);
}

/**
 * nvme_get_log_fw_slot() - Firmware Slot Information (03h)
 * @fw_log:	Where to store the page
 */
static inline int nvme_get_log_fw_slot(int fd, bool rae, struct nvme_firmware_slot *fw_log)
{
	return nvme_get_nsid_log(fd, rae, NVME_LOG_LID_FW_SLOT, NVME_NSID_ALL, sizeof(*fw_log),
				 fw_log);
}

/**
 * nvme_get_log_changed_ns_list() - Changed Attached Namespace List (04h)
 * @ns_log:	Where to store the page
 */
static inline int nvme_get_log_changed_ns_list(int fd, bool rae, struct nvme_ns_list *ns_log)
{
	return nvme_get_nsid_log(fd, rae, NVME_LOG_LID_CHANGED_NS, NVME_NSID_ALL, sizeof(*ns_log),
				 ns_log);
}

/** nvme_get_log_changed_alloc_ns_list() - Changed Allocated Namespace List (1Ch) */
static inline int nvme_get_log_changed_alloc_ns_list(int fd, bool rae, __u32 len,
						     struct nvme_ns_list *log)
{
	return nvme_get_nsid_log(fd, rae, NVME_LOG_LID_CHANGED_ALLOC_NS_LIST, NVME_NSID_ALL, len,
				 log);
}

/**
 * nvme_get_log_cmd_effects() - Commands Supported and Effects (05h)
 * @csi:	I/O command set
 * @effects_log: Where to store the page
 */
static inline int nvme_get_log_cmd_effects(int fd, enum nvme_csi csi,
					   struct nvme_cmd_effects_log *effects_log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_CMD_EFFECTS, NVME_NSID_ALL, csi,
				   NVME_LOG_LSP_NONE, NVME_LOG_LSI_NONE, 0, false,
				   sizeof(*effects_log), effects_log);
}

/** nvme_get_log_fid_supported_effects() - Feature Identifiers Supported and Effects (12h) */
static inline int nvme_get_log_fid_supported_effects(int fd, bool rae,
						     struct nvme_fid_supported_effects_log *log)
{
	return nvme_get_nsid_log(fd, rae, NVME_LOG_LID_FID_SUPPORTED_EFFECTS, NVME_NSID_NONE,
				 sizeof(*log), log);
}

/** nvme_get_log_mi_cmd_supported_effects() - NVMe-MI Commands Supported and Effects (13h) */
static inline int nvme_get_log_mi_cmd_supported_effects(
	int fd, bool rae, struct nvme_mi_cmd_supported_effects_log *log)
{
	return nvme_get_nsid_log(fd, rae, NVME_LOG_LID_MI_CMD_SUPPORTED_EFFECTS, NVME_NSID_NONE,
				 sizeof(*log), log);
}

/**
 * nvme_get_log_lockdown() - Command and Feature Lockdown (14h)
 * @cnscp:	Contents and scope, the log specific parameter
 * @lockdown_log: Where to store the page
 */
static inline int nvme_get_log_lockdown(int fd, __u8 cnscp, struct nvme_lockdown_log *lockdown_log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_CMD_AND_FEAT_LOCKDOWN, NVME_NSID_ALL,
				   NVME_CSI_NVM, cnscp, NVME_LOG_LSI_NONE, 0, false,
				   sizeof(*lockdown_log), lockdown_log);
}

/** nvme_get_log_device_self_test() - Device Self-test (06h) */
static inline int nvme_get_log_device_self_test(int fd, struct nvme_self_test_log *log)
{
	return nvme_get_nsid_log(fd, false, NVME_LOG_LID_DEVICE_SELF_TEST, NVME_NSID_ALL,
				 sizeof(*log), log);
}

/** nvme_get_log_sanitize() - Sanitize Status (81h) */
static inline int nvme_get_log_sanitize(int fd, bool rae, struct nvme_sanitize_log_page *log)
{
	return nvme_get_nsid_log(fd, rae, NVME_LOG_LID_SANITIZE, NVME_NSID_ALL, sizeof(*log), log);
}

/** nvme_get_log_reservation() - Reservation Notification (80h) */
static inline int nvme_get_log_reservation(int fd, bool rae, struct nvme_resv_notification_log *log)
{
	return nvme_get_nsid_log(fd, rae, NVME_LOG_LID_RESERVATION, NVME_NSID_ALL, sizeof(*log),
				 log);
}

/**
 * nvme_get_log_persistent_event() - Persistent Event (0Dh)
 * @action:	Read, establish the context and read, or release the context
 * @size:	Bytes at @pevent_log, a multiple of 4
 * @pevent_log:	Where to store the page
 *
 * NVME_PEVENT_LOG_RELEASE_CTX returns no data; a buffer of 4 bytes is enough.
 */
static inline int nvme_get_log_persistent_event(int fd, enum nvme_pevent_log_action action,
						__u32 size, void *pevent_log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_PERSISTENT_EVENT, NVME_NSID_ALL, NVME_CSI_NVM,
				   (__u8)action, NVME_LOG_LSI_NONE, 0, false, size, pevent_log);
}

/**
 * nvme_get_log_boot_partition() - Boot Partition (15h)
 * @lsp:	Boot partition identifier
 * @len:	Bytes at @part, a multiple of 4
 * @part:	Where to store the page
 */
static inline int nvme_get_log_boot_partition(int fd, bool rae, __u8 lsp, __u32 len,
					      struct nvme_boot_partition *part)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_BOOT_PARTITION, NVME_NSID_NONE, NVME_CSI_NVM,
				   lsp, NVME_LOG_LSI_NONE, 0, rae, len, part);
}

/** nvme_get_log_mgmt_addr_list() - Management Address List (18h) */
static inline int nvme_get_log_mgmt_addr_list(int fd, __u32 len,
					      struct nvme_mgmt_addr_list_log *log)
{
	return nvme_get_nsid_log(fd, false, NVME_LOG_LID_MGMT_ADDR_LIST, NVME_NSID_ALL, len, log);
}

/**
 * nvme_get_log_phy_rx_eom() - Physical Interface Receiver Eye Opening Measurement (19h)
 * @lsp:	Action and quality, the log specific parameter
 * @controller:	Controller
 */
static inline int nvme_get_log_phy_rx_eom(int fd, __u8 lsp, __u16 controller, __u32 len,
					  struct nvme_phy_rx_eom_log *log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_PHY_RX_EOM, NVME_NSID_NONE, NVME_CSI_NVM, lsp,
				   controller, 0, false, len, log);
}
