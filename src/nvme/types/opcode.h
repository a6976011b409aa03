/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Command opcodes of all queues and command sets.
 */
#ifndef _LIBNVME_TYPES_OPCODE_H
#define _LIBNVME_TYPES_OPCODE_H

#include "base.h"

enum nvme_admin_opcode {
	nvme_admin_delete_sq = 0x00,
	nvme_admin_create_sq = 0x01,
	nvme_admin_get_log_page = 0x02,
	nvme_admin_delete_cq = 0x04,
	nvme_admin_create_cq = 0x05,
	nvme_admin_identify = 0x06,
	nvme_admin_abort_cmd = 0x08,
	nvme_admin_set_features = 0x09,
	nvme_admin_get_features = 0x0a,
	nvme_admin_async_event = 0x0c,
	nvme_admin_ns_mgmt = 0x0d,
	nvme_admin_fw_commit = 0x10,
	nvme_admin_fw_activate = nvme_admin_fw_commit,
	nvme_admin_fw_download = 0x11,
	nvme_admin_dev_self_test = 0x14,
	nvme_admin_ns_attach = 0x15,
	nvme_admin_keep_alive = 0x18,
	nvme_admin_directive_send = 0x19,
	nvme_admin_directive_recv = 0x1a,
	nvme_admin_virtual_mgmt = 0x1c,
	nvme_admin_nvme_mi_send = 0x1d,
	nvme_admin_nvme_mi_recv = 0x1e,
	nvme_admin_capacity_mgmt = 0x20,
	nvme_admin_discovery_info_mgmt = 0x21,
	nvme_admin_fabric_zoning_recv = 0x22,
	nvme_admin_lockdown = 0x24,
	nvme_admin_fabric_zoning_lookup = 0x25,
	nvme_admin_clear_export_nvm_res = 0x28,
	nvme_admin_fabric_zoning_send = 0x29,
	nvme_admin_create_export_nvms = 0x2a,
	nvme_admin_manage_export_nvms = 0x2d,
	nvme_admin_manage_export_ns = 0x31,
	nvme_admin_manage_export_port = 0x35,
	nvme_admin_send_disc_log_page = 0x39,
	nvme_admin_track_send = 0x3d,
	nvme_admin_track_receive = 0x3e,
	nvme_admin_migration_send = 0x41,
	nvme_admin_migration_receive = 0x42,
	nvme_admin_ctrl_data_queue = 0x45,
	nvme_admin_dbbuf = 0x7c,
	nvme_admin_fabrics = 0x7f,
	nvme_admin_format_nvm = 0x80,
	nvme_admin_security_send = 0x81,
	nvme_admin_security_recv = 0x82,
	nvme_admin_sanitize_nvm = 0x84,
	nvme_admin_load_program = 0x85,
	nvme_admin_get_lba_status = 0x86,
	nvme_admin_program_act_mgmt = 0x88,
	nvme_admin_mem_range_set_mgmt = 0x89,
};

enum nvme_fctype {
	nvme_fabrics_type_property_set = 0x00,
	nvme_fabrics_type_connect = 0x01,
	nvme_fabrics_type_property_get = 0x04,
	nvme_fabrics_type_auth_send = 0x05,
	nvme_fabrics_type_auth_receive = 0x06,
	nvme_fabrics_type_disconnect = 0x08,
};

enum nvme_data_tfr {
	NVME_DATA_TFR_NO_DATA_TFR = 0,
	NVME_DATA_TFR_HOST_TO_CTRL = 1,
	NVME_DATA_TFR_CTRL_TO_HOST = 2,
	NVME_DATA_TFR_BIDIRECTIONAL = 3,
};

enum nvme_io_opcode {
	nvme_cmd_flush = 0x00,
	nvme_cmd_write = 0x01,
	nvme_cmd_read = 0x02,
	nvme_cmd_write_uncor = 0x04,
	nvme_cmd_compare = 0x05,
	nvme_cmd_write_zeroes = 0x08,
	nvme_cmd_dsm = 0x09,
	nvme_cmd_verify = 0x0c,
	nvme_cmd_resv_register = 0x0d,
	nvme_cmd_resv_report = 0x0e,
	nvme_cmd_resv_acquire = 0x11,
	nvme_cmd_io_mgmt_recv = 0x12,
	nvme_cmd_resv_release = 0x15,
	nvme_cmd_cancel = 0x18,
	nvme_cmd_copy = 0x19,
	nvme_cmd_io_mgmt_send = 0x1d,
	nvme_zns_cmd_mgmt_send = 0x79,
	nvme_zns_cmd_mgmt_recv = 0x7a,
	nvme_zns_cmd_append = 0x7d,
	nvme_cmd_fabric = 0x7f,
};

enum nvme_kv_opcode {
	nvme_kv_cmd_flush = 0x00,
	nvme_kv_cmd_store = 0x01,
	nvme_kv_cmd_retrieve = 0x02,
	nvme_kv_cmd_list = 0x06,
	nvme_kv_cmd_resv_register = 0x0d,
	nvme_kv_cmd_resv_report = 0x0e,
	nvme_kv_cmd_delete = 0x10,
	nvme_kv_cmd_resv_acquire = 0x11,
	nvme_kv_cmd_exist = 0x14,
	nvme_kv_cmd_resv_release = 0x15,
};

#endif /* _LIBNVME_TYPES_OPCODE_H */
