/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log pages about paths and about the fabric. Use <nvme/ioctl.h>.
 *
 * <nvme/ioctl/log.h> describes the common parameters and return values.
 */
#pragma once

/**
 * nvme_get_log_ana() - Asymmetric Namespace Access (0Ch)
 * @lsp:	With or without the namespaces of each group
 */
static inline int nvme_get_log_ana(int fd, enum nvme_log_ana_lsp lsp, bool rae, __u64 offset,
				   __u32 len, void *log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_ANA, NVME_NSID_NONE, NVME_CSI_NVM, (__u8)lsp,
				   NVME_LOG_LSI_NONE, offset, rae, len, log);
}

/** nvme_get_log_ana_groups() - Asymmetric Namespace Access (0Ch), groups only */
static inline int nvme_get_log_ana_groups(int fd, bool rae, __u32 len, struct nvme_ana_log *log)
{
	return nvme_get_log_ana(fd, NVME_LOG_ANA_LSP_RGO_GROUPS_ONLY, rae, 0, len, log);
}

/**
 * nvme_get_log_reachability_groups() - Reachability Groups (1Ah)
 * @rgo:	Groups only, without their namespaces
 */
static inline int nvme_get_log_reachability_groups(int fd, bool rgo, bool rae, __u32 len,
						   struct nvme_reachability_groups_log *log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_REACHABILITY_GROUPS, NVME_NSID_ALL,
				   NVME_CSI_NVM, rgo, NVME_LOG_LSI_NONE, 0, rae, len, log);
}

/**
 * nvme_get_log_reachability_associations() - Reachability Associations (1Bh)
 * @rao:	Associations only, without their groups
 */
static inline int nvme_get_log_reachability_associations(
	int fd, bool rao, bool rae, __u32 len, struct nvme_reachability_associations_log *log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_REACHABILITY_ASSOCIATIONS, NVME_NSID_ALL,
				   NVME_CSI_NVM, rao, NVME_LOG_LSI_NONE, 0, rae, len, log);
}

/**
 * nvme_get_log_discovery() - Discovery (70h)
 *
 * Reads raw bytes; nvmf_get_discovery_wargs() reads the whole page and checks it.
 */
static inline int nvme_get_log_discovery(int fd, bool rae, __u32 offset, __u32 len, void *log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_DISCOVER, NVME_NSID_NONE, NVME_CSI_NVM,
				   NVME_LOG_LSP_NONE, NVME_LOG_LSI_NONE, offset, rae, len, log);
}

/**
 * nvme_get_log_host_discover() - Host Discovery (71h)
 * @allhoste:	Entries of all hosts
 */
static inline int nvme_get_log_host_discover(int fd, bool allhoste, bool rae, __u32 len,
					     struct nvme_host_discover_log *log)
{
	return nvme_get_log_fields(fd, NVME_LOG_LID_HOST_DISCOVER, NVME_NSID_ALL, NVME_CSI_NVM,
				   allhoste, NVME_LOG_LSI_NONE, 0, rae, len, log);
}

/** nvme_get_log_ave_discover() - AVE Discovery (72h) */
static inline int nvme_get_log_ave_discover(int fd, bool rae, __u32 len,
					    struct nvme_ave_discover_log *log)
{
	return nvme_get_nsid_log(fd, rae, NVME_LOG_LID_AVE_DISCOVER, NVME_NSID_ALL, len, log);
}

/** nvme_get_log_pull_model_ddc_req() - Pull Model DDC Request (73h) */
static inline int nvme_get_log_pull_model_ddc_req(int fd, bool rae, __u32 len,
						  struct nvme_pull_model_ddc_req_log *log)
{
	return nvme_get_nsid_log(fd, rae, NVME_LOG_LID_PULL_MODEL_DDC_REQ, NVME_NSID_ALL, len, log);
}
