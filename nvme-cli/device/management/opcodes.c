// SPDX-License-Identifier: GPL-2.0-or-later
/* Base Specification 2.1, "Opcodes for Admin Commands" and I/O; Zoned Namespace 1.2, figure 21 */
#include <libnvme.h>

#include "frame/names.h"
#include "opcodes.h"

static const struct name admin_names[] = {
	{ nvme_admin_delete_sq, "Delete I/O Submission Queue" },
	{ nvme_admin_create_sq, "Create I/O Submission Queue" },
	{ nvme_admin_get_log_page, "Get Log Page" },
	{ nvme_admin_delete_cq, "Delete I/O Completion Queue" },
	{ nvme_admin_create_cq, "Create I/O Completion Queue" },
	{ nvme_admin_identify, "Identify" },
	{ nvme_admin_abort_cmd, "Abort" },
	{ nvme_admin_set_features, "Set Features" },
	{ nvme_admin_get_features, "Get Features" },
	{ nvme_admin_async_event, "Asynchronous Event Request" },
	{ nvme_admin_ns_mgmt, "Namespace Management" },
	{ nvme_admin_fw_commit, "Firmware Commit" },
	{ nvme_admin_fw_download, "Firmware Image Download" },
	{ nvme_admin_dev_self_test, "Device Self-test" },
	{ nvme_admin_ns_attach, "Namespace Attachment" },
	{ nvme_admin_keep_alive, "Keep Alive" },
	{ nvme_admin_directive_send, "Directive Send" },
	{ nvme_admin_directive_recv, "Directive Receive" },
	{ nvme_admin_virtual_mgmt, "Virtualization Management" },
	{ nvme_admin_nvme_mi_send, "NVMe-MI Send" },
	{ nvme_admin_nvme_mi_recv, "NVMe-MI Receive" },
	{ nvme_admin_capacity_mgmt, "Capacity Management" },
	{ nvme_admin_discovery_info_mgmt, "Discovery Information Management (DIM)" },
	{ nvme_admin_fabric_zoning_recv, "Fabric Zoning Receive" },
	{ nvme_admin_lockdown, "Lockdown" },
	{ nvme_admin_fabric_zoning_lookup, "Fabric Zoning Lookup" },
	{ nvme_admin_clear_export_nvm_res, "Clear Exported NVM Resource Configuration" },
	{ nvme_admin_fabric_zoning_send, "Fabric Zoning Send" },
	{ nvme_admin_create_export_nvms, "Create Exported NVM Subsystem" },
	{ nvme_admin_manage_export_nvms, "Manage Exported NVM Subsystem" },
	{ nvme_admin_manage_export_ns, "Manage Exported Namespace" },
	{ nvme_admin_manage_export_port, "Manage Exported Port" },
	{ nvme_admin_send_disc_log_page, "Send Discovery Log Page" },
	{ nvme_admin_track_send, "Track Send" },
	{ nvme_admin_track_receive, "Track Receive" },
	{ nvme_admin_migration_send, "Migration Send" },
	{ nvme_admin_migration_receive, "Migration Receive" },
	{ nvme_admin_ctrl_data_queue, "Controller Data Queue" },
	{ nvme_admin_dbbuf, "Doorbell Buffer Config" },
	{ nvme_admin_fabrics, "Fabrics Commands" },
	{ nvme_admin_format_nvm, "Format NVM" },
	{ nvme_admin_security_send, "Security Send" },
	{ nvme_admin_security_recv, "Security Receive" },
	{ nvme_admin_sanitize_nvm, "Sanitize" },
	{ nvme_admin_load_program, "Load Program" },
	{ nvme_admin_get_lba_status, "Get LBA Status" },
	{ nvme_admin_program_act_mgmt, "Program Activation Management" },
	{ nvme_admin_mem_range_set_mgmt, "Memory Range Set Management" },
	{ 0, NULL, NULL },
};

static const struct name io_names[] = {
	{ nvme_cmd_flush, "Flush" },
	{ nvme_cmd_write, "Write" },
	{ nvme_cmd_read, "Read" },
	{ nvme_cmd_write_uncor, "Write Uncorrectable" },
	{ nvme_cmd_compare, "Compare" },
	{ nvme_cmd_write_zeroes, "Write Zeroes" },
	{ nvme_cmd_dsm, "Dataset Management" },
	{ nvme_cmd_verify, "Verify" },
	{ nvme_cmd_resv_register, "Reservation Register" },
	{ nvme_cmd_resv_report, "Reservation Report" },
	{ nvme_cmd_resv_acquire, "Reservation Acquire" },
	{ nvme_cmd_io_mgmt_recv, "I/O Management Receive" },
	{ nvme_cmd_resv_release, "Reservation Release" },
	{ nvme_cmd_cancel, "Cancel" },
	{ nvme_cmd_copy, "Copy" },
	{ nvme_cmd_io_mgmt_send, "I/O Management Send" },
	{ nvme_zns_cmd_mgmt_send, "Zone Management Send" },
	{ nvme_zns_cmd_mgmt_recv, "Zone Management Receive" },
	{ nvme_zns_cmd_append, "Zone Append" },
	{ 0, NULL, NULL },
};

const char *passthru_opcode_name(bool admin, uint8_t opcode)
{
	return name_or(admin ? admin_names : io_names, opcode, "Vendor Specific");
}
