/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log pages of namespaces, NVM sets, Endurance Groups and domains. Use <nvme/ioctl.h>.
 *
 * <nvme/ioctl/log.h> describes the common parameters and return values.
 * @egid: Endurance Group
 */
#pragma once

/**
 * nvme_get_log_endurance_group() - Endurance Group Information (09h)
 * @endgid:	Endurance Group
 */
static inline int nvme_get_log_endurance_group(int fd, __u16 endgid,
					       struct nvme_endurance_group_log *log)
{
	return nvme_get_endgid_log(fd, false, NVME_LOG_LID_ENDURANCE_GROUP, endgid, sizeof(*log),
				   log);
}

/**
 * nvme_get_log_rotational_media_info() - Rotational Media Information (16h)
 * @endgid:	Endurance Group
 */
static inline int nvme_get_log_rotational_media_info(int fd, __u16 endgid, __u32 len,
						     struct nvme_rotational_media_info_log *log)
{
	return nvme_get_endgid_log(fd, false, NVME_LOG_LID_ROTATIONAL_MEDIA_INFO, endgid, len, log);
}

/**
 * nvme_get_log_predictable_lat_nvmset() - Predictable Latency Per NVM Set (0Ah)
 * @nvmsetid:	NVM set
 */
static inline int nvme_get_log_predictable_lat_nvmset(int fd, __u16 nvmsetid,
						      struct nvme_nvmset_predictable_lat_log *log)
{
	return nvme_get_endgid_log(fd, false, NVME_LOG_LID_PREDICTABLE_LAT_NVMSET, nvmsetid,
				   sizeof(*log), log);
}

/**
 * nvme_get_log_media_unit_stat() - Media Unit Status (10h)
 * @domid:	Domain
 * @mus:	Where to store the page
 */
static inline int nvme_get_log_media_unit_stat(int fd, __u16 domid,
					       struct nvme_media_unit_stat_log *mus)
{
	return nvme_get_endgid_log(fd, false, NVME_LOG_LID_MEDIA_UNIT_STATUS, domid, sizeof(*mus),
				   mus);
}

/**
 * nvme_get_log_support_cap_config_list() - Supported Capacity Configuration List (11h)
 * @domid:	Domain
 * @cap:	Where to store the page
 */
static inline int nvme_get_log_support_cap_config_list(
	int fd, __u16 domid, struct nvme_supported_cap_config_list_log *cap)
{
	return nvme_get_endgid_log(fd, false, NVME_LOG_LID_SUPPORTED_CAP_CONFIG_LIST, domid,
				   sizeof(*cap), cap);
}

/** nvme_get_log_fdp_configurations() - Flexible Data Placement Configurations (20h) */
static inline int nvme_get_log_fdp_configurations(int fd, __u16 egid, __u32 offset, __u32 len,
						  void *log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_FDP_CONFIGS, NVME_NSID_NONE, NVME_CSI_NVM,
				   NVME_LOG_LSP_NONE, egid, offset, false, len, log);
}

/** nvme_get_log_reclaim_unit_handle_usage() - Reclaim Unit Handle Usage (21h) */
static inline int nvme_get_log_reclaim_unit_handle_usage(int fd, __u16 egid, __u32 offset,
							 __u32 len, void *log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_FDP_RUH_USAGE, NVME_NSID_NONE, NVME_CSI_NVM,
				   NVME_LOG_LSP_NONE, egid, offset, false, len, log);
}

/** nvme_get_log_fdp_stats() - Flexible Data Placement Statistics (22h) */
static inline int nvme_get_log_fdp_stats(int fd, __u16 egid, __u32 offset, __u32 len, void *log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_FDP_STATS, NVME_NSID_NONE, NVME_CSI_NVM,
				   NVME_LOG_LSP_NONE, egid, offset, false, len, log);
}

/**
 * nvme_get_log_fdp_events() - Flexible Data Placement Events (23h)
 * @host_events: Read events of the host instead of those of the controller
 */
static inline int nvme_get_log_fdp_events(int fd, __u16 egid, bool host_events, __u32 offset,
					  __u32 len, void *log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_FDP_EVENTS, NVME_NSID_NONE, NVME_CSI_NVM,
				   host_events, egid, offset, false, len, log);
}

/** nvme_get_log_dispersed_ns_participating_nss() - subsystems with a dispersed namespace (17h) */
static inline int nvme_get_log_dispersed_ns_participating_nss(
	int fd, __u32 nsid, __u32 len, struct nvme_dispersed_ns_participating_nss_log *log)
{
	return nvme_get_nsid_log(fd, false, NVME_LOG_LID_DISPERSED_NS_PARTICIPATING_NSS, nsid, len,
				 log);
}

/**
 * nvme_get_log_zns_changed_zones() - Changed Zone List (BFh)
 * @nsid:	Zoned namespace
 */
static inline int nvme_get_log_zns_changed_zones(int fd, __u32 nsid, bool rae,
						 struct nvme_zns_changed_zone_log *log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_ZNS_CHANGED_ZONES, nsid, NVME_CSI_ZNS,
				   NVME_LOG_LSP_NONE, NVME_LOG_LSI_NONE, 0, rae, sizeof(*log), log);
}
