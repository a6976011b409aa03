/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Log pages by the functions of the headers, which are part of every program that calls them. */
#include <unistd.h>

#include "objects.h"

static unsigned char page[65536];

void objects_logs(void)
{
	int fd = nvme_open("nvme0");
	void *log = page;

	nvme_get_log_telemetry_host(fd, 0, 512, log);
	nvme_get_log_create_telemetry_host(fd, log);
	nvme_get_log_telemetry_ctrl(fd, false, 0, 512, log);
	nvme_get_log_predictable_lat_event(fd, false, 0, 512, log);
	nvme_get_log_ana(fd, NVME_LOG_ANA_LSP_RGO_NAMESPACES, false, 0, 512, log);
	nvme_get_log_ana_groups(fd, false, 512, log);
	nvme_get_log_lba_status(fd, false, 0, 512, log);
	nvme_get_log_endurance_grp_evt(fd, false, 0, 512, log);
	nvme_get_log_fid_supported_effects(fd, false, log);
	nvme_get_log_mi_cmd_supported_effects(fd, false, log);
	nvme_get_log_boot_partition(fd, false, 0, 512, log);
	nvme_get_log_host_discover(fd, false, false, 512, log);
	nvme_get_log_ave_discover(fd, false, 512, log);
	nvme_get_log_pull_model_ddc_req(fd, false, 512, log);
	nvme_get_log_supported_log_pages(fd, false, log);
	nvme_get_log_error(fd, 1, false, log);
	nvme_get_log_changed_ns_list(fd, false, log);
	nvme_get_log_device_self_test(fd, log);
	nvme_get_log_reservation(fd, false, log);
	nvme_get_log_sanitize(fd, false, log);
	nvme_get_log_mgmt_addr_list(fd, 512, log);
	nvme_get_log_reachability_groups(fd, false, false, 512, log);
	nvme_get_log_reachability_associations(fd, false, false, 512, log);
	nvme_get_log_discovery(fd, false, 0, 512, log);
	close(fd);
}
