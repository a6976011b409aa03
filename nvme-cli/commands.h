/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of commands and the built-in commands, each defined in the file of its family. */
#pragma once

#include "frame/frame.h"

extern const struct command_table builtin_table;

/* clang-format off */
/* One row per command, in the groups and the order of the general help. */
#define FABRICS_COMMANDS(X) \
	X(discover_command) \
	X(connect_all_command) \
	X(connect_command) \
	X(disconnect_command) \
	X(disconnect_all_command) \
	X(gen_hostnqn_command) \
	X(show_hostnqn_command) \
	X(config_command) \
	X(dim_command)
#define LISTING_COMMANDS(X) \
	X(list_subsys_command) \
	X(list_ns_command) \
	X(list_ctrl_command) \
	X(list_command) \
	X(show_topology_command)
#define IDENTIFY_COMMANDS(X) \
	X(id_ctrl_command) \
	X(id_ns_command) \
	X(ns_descs_command) \
	X(id_iocs_command) \
	X(cmdset_ind_id_ns_command) \
	X(nvm_id_ctrl_command) \
	X(nvm_id_ns_command) \
	X(nvm_id_ns_lba_format_command) \
	X(id_ns_lba_format_command) \
	X(id_ns_granularity_command) \
	X(primary_ctrl_caps_command) \
	X(list_secondary_command) \
	X(id_nvmset_command) \
	X(id_uuid_command) \
	X(id_domain_command) \
	X(list_endgrp_command) \
	X(get_ns_id_command)
#define LOG_COMMANDS(X) \
	X(smart_log_command) \
	X(error_log_command) \
	X(ana_log_command) \
	X(sanitize_log_command) \
	X(fw_log_command) \
	X(self_test_log_command) \
	X(telemetry_log_command) \
	X(persistent_event_log_command) \
	X(effects_log_command) \
	X(changed_ns_list_log_command) \
	X(changed_alloc_ns_list_log_command) \
	X(endurance_log_command) \
	X(predictable_lat_log_command) \
	X(pred_lat_event_agg_log_command) \
	X(endurance_event_agg_log_command) \
	X(resv_notif_log_command) \
	X(lba_status_log_command) \
	X(boot_part_log_command) \
	X(fid_support_effects_log_command) \
	X(mi_cmd_support_effects_log_command) \
	X(media_unit_stat_log_command) \
	X(supported_cap_config_log_command) \
	X(phy_rx_eom_log_command) \
	X(rotational_media_info_log_command) \
	X(mgmt_addr_list_log_command) \
	X(dispersed_ns_participating_nss_log_command) \
	X(reachability_groups_log_command) \
	X(reachability_associations_log_command) \
	X(host_discovery_log_command) \
	X(ave_discovery_log_command) \
	X(pull_model_ddc_req_log_command) \
	X(get_log_command) \
	X(supported_log_pages_command)
#define SETTING_COMMANDS(X) \
	X(get_feature_command) \
	X(set_feature_command) \
	X(get_property_command) \
	X(set_property_command) \
	X(show_regs_command) \
	X(get_reg_command) \
	X(set_reg_command)
#define IO_COMMANDS(X) \
	X(flush_command) \
	X(read_command) \
	X(write_command) \
	X(compare_command) \
	X(dsm_command) \
	X(write_zeroes_command) \
	X(write_uncor_command) \
	X(verify_command) \
	X(copy_command) \
	X(get_lba_status_command) \
	X(io_mgmt_recv_command) \
	X(io_mgmt_send_command)
#define RESERVATION_COMMANDS(X) \
	X(resv_register_command) \
	X(resv_acquire_command) \
	X(resv_release_command) \
	X(resv_report_command)
#define MANAGEMENT_COMMANDS(X) \
	X(format_command) \
	X(sanitize_command) \
	X(create_ns_command) \
	X(delete_ns_command) \
	X(attach_ns_command) \
	X(detach_ns_command) \
	X(fw_download_command) \
	X(fw_commit_command) \
	X(device_self_test_command) \
	X(capacity_mgmt_command) \
	X(virt_mgmt_command) \
	X(lockdown_command) \
	X(dir_receive_command) \
	X(dir_send_command) \
	X(security_recv_command) \
	X(security_send_command) \
	X(rpmb_command) \
	X(nvme_mi_recv_command) \
	X(nvme_mi_send_command)
#define CONTROLLER_COMMANDS(X) \
	X(reset_command) \
	X(subsystem_reset_command) \
	X(ns_rescan_command) \
	X(admin_passthru_command) \
	X(io_passthru_command)
#define KEY_COMMANDS(X) \
	X(gen_dhchap_key_command) \
	X(check_dhchap_key_command) \
	X(gen_tls_key_command) \
	X(check_tls_key_command) \
	X(tls_key_command)
#define GENERAL_COMMANDS(X) \
	X(version_command) \
	X(help_command)

/* The groups with their titles, in the order of the general help. */
#define COMMAND_GROUPS(GROUP, X) \
	GROUP("Fabrics", FABRICS_COMMANDS(X)) \
	GROUP("Listing", LISTING_COMMANDS(X)) \
	GROUP("Identify", IDENTIFY_COMMANDS(X)) \
	GROUP("Log pages", LOG_COMMANDS(X)) \
	GROUP("Features and properties", SETTING_COMMANDS(X)) \
	GROUP("Logical blocks", IO_COMMANDS(X)) \
	GROUP("Reservations", RESERVATION_COMMANDS(X)) \
	GROUP("Namespaces, firmware and resources", MANAGEMENT_COMMANDS(X)) \
	GROUP("Controllers", CONTROLLER_COMMANDS(X)) \
	GROUP("Keys", KEY_COMMANDS(X)) \
	GROUP("General", GENERAL_COMMANDS(X))

#define COMMAND_DECLARED(command) extern const struct command_spec command;
#define GROUP_DECLARED(title, commands) commands
COMMAND_GROUPS(GROUP_DECLARED, COMMAND_DECLARED)
#undef GROUP_DECLARED
#undef COMMAND_DECLARED
/* clang-format on */
