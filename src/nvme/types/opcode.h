/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Command opcodes of all queues and command sets.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_OPCODE_H
#define _LIBNVME_TYPES_OPCODE_H

#include "base.h"

/** enum nvme_admin_opcode - opcodes of Admin commands; "Opcodes for Admin Commands" */
enum nvme_admin_opcode {
	nvme_admin_delete_sq = 0x00,		/* Delete I/O Submission Queue */
	nvme_admin_create_sq = 0x01,		/* Create I/O Submission Queue */
	nvme_admin_get_log_page = 0x02,		/* Get Log Page */
	nvme_admin_delete_cq = 0x04,		/* Delete I/O Completion Queue */
	nvme_admin_create_cq = 0x05,		/* Create I/O Completion Queue */
	nvme_admin_identify = 0x06,		/* Identify */
	nvme_admin_abort_cmd = 0x08,		/* Abort */
	nvme_admin_set_features = 0x09,		/* Set Features */
	nvme_admin_get_features = 0x0a,		/* Get Features */
	nvme_admin_async_event = 0x0c,		/* Asynchronous Event Request */
	nvme_admin_ns_mgmt = 0x0d,		/* Namespace Management */
	nvme_admin_fw_commit = 0x10,		/* Firmware Commit */
	nvme_admin_fw_activate = nvme_admin_fw_commit,	/* its older name */
	nvme_admin_fw_download = 0x11,		/* Firmware Image Download */
	nvme_admin_dev_self_test = 0x14,	/* Device Self-test */
	nvme_admin_ns_attach = 0x15,		/* Namespace Attachment */
	nvme_admin_keep_alive = 0x18,		/* Keep Alive */
	nvme_admin_directive_send = 0x19,	/* Directive Send */
	nvme_admin_directive_recv = 0x1a,	/* Directive Receive */
	nvme_admin_virtual_mgmt = 0x1c,		/* Virtualization Management */
	nvme_admin_nvme_mi_send = 0x1d,		/* NVMe-MI Send */
	nvme_admin_nvme_mi_recv = 0x1e,		/* NVMe-MI Receive */
	nvme_admin_capacity_mgmt = 0x20,	/* Capacity Management */
	nvme_admin_discovery_info_mgmt = 0x21,	/* Discovery Information Management */
	nvme_admin_fabric_zoning_recv = 0x22,	/* Fabric Zoning Receive */
	nvme_admin_lockdown = 0x24,		/* Lockdown */
	nvme_admin_fabric_zoning_lookup = 0x25,	/* Fabric Zoning Lookup */
	nvme_admin_clear_export_nvm_res = 0x28,	/* Clear Exported NVM Resource Configuration */
	nvme_admin_fabric_zoning_send = 0x29,	/* Fabric Zoning Send */
	nvme_admin_create_export_nvms = 0x2a,	/* Create Exported NVM Subsystem */
	nvme_admin_manage_export_nvms = 0x2d,	/* Manage Exported NVM Subsystem */
	nvme_admin_manage_export_ns = 0x31,	/* Manage Exported Namespace */
	nvme_admin_manage_export_port = 0x35,	/* Manage Exported Port */
	nvme_admin_send_disc_log_page = 0x39,	/* Send Discovery Log Page */
	nvme_admin_track_send = 0x3d,		/* Track Send */
	nvme_admin_track_receive = 0x3e,	/* Track Receive */
	nvme_admin_migration_send = 0x41,	/* Migration Send */
	nvme_admin_migration_receive = 0x42,	/* Migration Receive */
	nvme_admin_ctrl_data_queue = 0x45,	/* Controller Data Queue */
	nvme_admin_dbbuf = 0x7c,		/* Doorbell Buffer Config */
	nvme_admin_fabrics = 0x7f,		/* Fabrics commands, see &enum nvme_fctype */
	nvme_admin_format_nvm = 0x80,		/* Format NVM */
	nvme_admin_security_send = 0x81,	/* Security Send */
	nvme_admin_security_recv = 0x82,	/* Security Receive */
	nvme_admin_sanitize_nvm = 0x84,		/* Sanitize */
	nvme_admin_load_program = 0x85,		/* Load Program */
	nvme_admin_get_lba_status = 0x86,	/* Get LBA Status */
	nvme_admin_program_act_mgmt = 0x88,	/* Program Activation Management */
	nvme_admin_mem_range_set_mgmt = 0x89,	/* Memory Range Set Management */
};

/** enum nvme_fctype - types of Fabrics commands; "Fabrics Command Type" */
enum nvme_fctype {
	nvme_fabrics_type_property_set = 0x00,	/* Property Set */
	nvme_fabrics_type_connect = 0x01,	/* Connect */
	nvme_fabrics_type_property_get = 0x04,	/* Property Get */
	nvme_fabrics_type_auth_send = 0x05,	/* Authentication Send */
	nvme_fabrics_type_auth_receive = 0x06,	/* Authentication Receive */
	nvme_fabrics_type_disconnect = 0x08,	/* Disconnect */
};

/**
 * enum nvme_data_tfr - direction of the data, the two lowest bits of an opcode; "Opcodes for Admin
 * Commands"
 */
enum nvme_data_tfr {
	NVME_DATA_TFR_NO_DATA_TFR = 0,		/* no data */
	NVME_DATA_TFR_HOST_TO_CTRL = 1,		/* from host to controller */
	NVME_DATA_TFR_CTRL_TO_HOST = 2,		/* from controller to host */
	NVME_DATA_TFR_BIDIRECTIONAL = 3,	/* both ways */
};

/** enum nvme_io_opcode - opcodes of I/O commands; "Opcodes for I/O Commands" */
enum nvme_io_opcode {
	nvme_cmd_flush = 0x00,		/* Flush */
	nvme_cmd_write = 0x01,		/* Write */
	nvme_cmd_read = 0x02,		/* Read */
	nvme_cmd_write_uncor = 0x04,	/* Write Uncorrectable */
	nvme_cmd_compare = 0x05,	/* Compare */
	nvme_cmd_write_zeroes = 0x08,	/* Write Zeroes */
	nvme_cmd_dsm = 0x09,		/* Dataset Management */
	nvme_cmd_verify = 0x0c,		/* Verify */
	nvme_cmd_resv_register = 0x0d,	/* Reservation Register */
	nvme_cmd_resv_report = 0x0e,	/* Reservation Report */
	nvme_cmd_resv_acquire = 0x11,	/* Reservation Acquire */
	nvme_cmd_io_mgmt_recv = 0x12,	/* I/O Management Receive */
	nvme_cmd_resv_release = 0x15,	/* Reservation Release */
	nvme_cmd_cancel = 0x18,		/* Cancel */
	nvme_cmd_copy = 0x19,		/* Copy */
	nvme_cmd_io_mgmt_send = 0x1d,	/* I/O Management Send */
	nvme_zns_cmd_mgmt_send = 0x79,	/* Zone Management Send */
	nvme_zns_cmd_mgmt_recv = 0x7a,	/* Zone Management Receive */
	nvme_zns_cmd_append = 0x7d,	/* Zone Append */
	nvme_cmd_fabric = 0x7f,		/* Fabrics commands, see &enum nvme_fctype */
};

/**
 * enum nvme_kv_opcode - opcodes of the Key Value Command Set; Key Value Command Set "Opcodes for
 * Key Value Commands"
 */
enum nvme_kv_opcode {
	nvme_kv_cmd_flush = 0x00,		/* Flush */
	nvme_kv_cmd_store = 0x01,		/* Store */
	nvme_kv_cmd_retrieve = 0x02,		/* Retrieve */
	nvme_kv_cmd_list = 0x06,		/* List */
	nvme_kv_cmd_resv_register = 0x0d,	/* Reservation Register */
	nvme_kv_cmd_resv_report = 0x0e,		/* Reservation Report */
	nvme_kv_cmd_delete = 0x10,		/* Delete */
	nvme_kv_cmd_resv_acquire = 0x11,	/* Reservation Acquire */
	nvme_kv_cmd_exist = 0x14,		/* Exist */
	nvme_kv_cmd_resv_release = 0x15,	/* Reservation Release */
};

#endif /* _LIBNVME_TYPES_OPCODE_H */
