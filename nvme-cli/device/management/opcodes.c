// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * NVM Express Base Specification 2.1, figures "Opcodes for Admin Commands" and "Opcodes for I/O Commands";
 * Zoned Namespace Command Set Specification 1.2, figure 21.
 */
#include <libnvme.h>

#include "frame/names.h"
#include "opcodes.h"

static const struct name admin_names[] = {
	{ nvme_admin_delete_sq, "Delete I/O Submission Queue", NULL },
	{ nvme_admin_create_sq, "Create I/O Submission Queue", NULL },
	{ nvme_admin_get_log_page, "Get Log Page", NULL },
	{ nvme_admin_delete_cq, "Delete I/O Completion Queue", NULL },
	{ nvme_admin_create_cq, "Create I/O Completion Queue", NULL },
	{ nvme_admin_identify, "Identify", NULL },
	{ nvme_admin_abort_cmd, "Abort", NULL },
	{ nvme_admin_set_features, "Set Features", NULL },
	{ nvme_admin_get_features, "Get Features", NULL },
	{ nvme_admin_async_event, "Asynchronous Event Request", NULL },
	{ nvme_admin_ns_mgmt, "Namespace Management", NULL },
	{ nvme_admin_fw_commit, "Firmware Commit", NULL },
	{ nvme_admin_fw_download, "Firmware Image Download", NULL },
	{ nvme_admin_dev_self_test, "Device Self-test", NULL },
	{ nvme_admin_ns_attach, "Namespace Attachment", NULL },
	{ nvme_admin_keep_alive, "Keep Alive", NULL },
	{ nvme_admin_directive_send, "Directive Send", NULL },
	{ nvme_admin_directive_recv, "Directive Receive", NULL },
	{ nvme_admin_virtual_mgmt, "Virtualization Management", NULL },
	{ nvme_admin_nvme_mi_send, "NVMe-MI Send", NULL },
	{ nvme_admin_nvme_mi_recv, "NVMe-MI Receive", NULL },
	{ nvme_admin_capacity_mgmt, "Capacity Management", NULL },
	{ nvme_admin_discovery_info_mgmt, "Discovery Information Management (DIM)", NULL },
	{ nvme_admin_fabric_zoning_recv, "Fabric Zoning Receive", NULL },
	{ nvme_admin_lockdown, "Lockdown", NULL },
	{ nvme_admin_fabric_zoning_lookup, "Fabric Zoning Lookup", NULL },
	{ nvme_admin_clear_export_nvm_res, "Clear Exported NVM Resource Configuration", NULL },
	{ nvme_admin_fabric_zoning_send, "Fabric Zoning Send", NULL },
	{ nvme_admin_create_export_nvms, "Create Exported NVM Subsystem", NULL },
	{ nvme_admin_manage_export_nvms, "Manage Exported NVM Subsystem", NULL },
	{ nvme_admin_manage_export_ns, "Manage Exported Namespace", NULL },
	{ nvme_admin_manage_export_port, "Manage Exported Port", NULL },
	{ nvme_admin_send_disc_log_page, "Send Discovery Log Page", NULL },
	{ nvme_admin_track_send, "Track Send", NULL },
	{ nvme_admin_track_receive, "Track Receive", NULL },
	{ nvme_admin_migration_send, "Migration Send", NULL },
	{ nvme_admin_migration_receive, "Migration Receive", NULL },
	{ nvme_admin_ctrl_data_queue, "Controller Data Queue", NULL },
	{ nvme_admin_dbbuf, "Doorbell Buffer Config", NULL },
	{ nvme_admin_fabrics, "Fabrics Commands", NULL },
	{ nvme_admin_format_nvm, "Format NVM", NULL },
	{ nvme_admin_security_send, "Security Send", NULL },
	{ nvme_admin_security_recv, "Security Receive", NULL },
	{ nvme_admin_sanitize_nvm, "Sanitize", NULL },
	{ nvme_admin_load_program, "Load Program", NULL },
	{ nvme_admin_get_lba_status, "Get LBA Status", NULL },
	{ nvme_admin_program_act_mgmt, "Program Activation Management", NULL },
	{ nvme_admin_mem_range_set_mgmt, "Memory Range Set Management", NULL },
	{ 0, NULL, NULL },
};

static const struct name io_names[] = {
	{ nvme_cmd_flush, "Flush", NULL },
	{ nvme_cmd_write, "Write", NULL },
	{ nvme_cmd_read, "Read", NULL },
	{ nvme_cmd_write_uncor, "Write Uncorrectable", NULL },
	{ nvme_cmd_compare, "Compare", NULL },
	{ nvme_cmd_write_zeroes, "Write Zeroes", NULL },
	{ nvme_cmd_dsm, "Dataset Management", NULL },
	{ nvme_cmd_verify, "Verify", NULL },
	{ nvme_cmd_resv_register, "Reservation Register", NULL },
	{ nvme_cmd_resv_report, "Reservation Report", NULL },
	{ nvme_cmd_resv_acquire, "Reservation Acquire", NULL },
	{ nvme_cmd_io_mgmt_recv, "I/O Management Receive", NULL },
	{ nvme_cmd_resv_release, "Reservation Release", NULL },
	{ nvme_cmd_cancel, "Cancel", NULL },
	{ nvme_cmd_copy, "Copy", NULL },
	{ nvme_cmd_io_mgmt_send, "I/O Management Send", NULL },
	{ nvme_zns_cmd_mgmt_send, "Zone Management Send", NULL },
	{ nvme_zns_cmd_mgmt_recv, "Zone Management Receive", NULL },
	{ nvme_zns_cmd_append, "Zone Append", NULL },
	{ 0, NULL, NULL },
};

const char *passthru_opcode_name(bool admin, uint8_t opcode)
{
	for (const struct name *known = admin ? admin_names : io_names; known->name; known++)
		if (known->value == opcode)
			return known->name;
	return "Vendor Specific";
}
