/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Objects "mptcp" of a JSON configuration, see <nvme/mptcp.h>. */
#ifndef _LIBNVME_MPTCP_CONFIG_H
#define _LIBNVME_MPTCP_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Endpoints and limits that hosts of config.json request, and rules that their checks ignore.
 * libnvme keeps these objects unchanged; libnvme-mptcp checks them.
 */
typedef struct nvme_mptcp_config *nvme_mptcp_config_t;

/**
 * nvme_mptcp_config_new() - create an empty configuration
 *
 * Return: A configuration to be freed with nvme_mptcp_config_free(), or NULL with errno ENOMEM.
 */
nvme_mptcp_config_t nvme_mptcp_config_new(void);

/**
 * nvme_mptcp_config_free() - free a configuration
 * @config: Configuration, or NULL
 */
void nvme_mptcp_config_free(nvme_mptcp_config_t config);

/**
 * nvme_mptcp_config_read() - add the objects of a file
 * @config: Configuration; existing objects of the same host are replaced
 * @file:   JSON configuration, in the format of nvme_read_config()
 *
 * Only hosts and their objects "mptcp" are read.
 *
 * Return: 0, or -1 with errno and nothing added: EPROTO if an object is invalid or the file is not
 * JSON, see nvme_mptcp_config_error(); ENOMEM; or the reason why the file cannot be read.
 */
int nvme_mptcp_config_read(nvme_mptcp_config_t config, const char *file);

/**
 * nvme_mptcp_config_error() - describe the error in a configuration
 *
 * Return: The error of the last call that failed with EPROTO or ENODATA, with file, line and JSON
 * path, owned by @config; NULL if there was none.
 */
const char *nvme_mptcp_config_error(nvme_mptcp_config_t config);

/**
 * nvme_mptcp_config_wants() - check whether a host requests endpoints or limits
 * @hostnqn: NQN of the host; NULL: any
 * @hostid:  Its identifier; hosts without a configured identifier match as well. NULL: any
 *
 * Return: true if nvme_mptcp_plan_config() has any objects to apply.
 */
bool nvme_mptcp_config_wants(nvme_mptcp_config_t config, const char *hostnqn, const char *hostid);

/**
 * nvme_mptcp_config_ignored() - list the rules that nvme_mptcp_check() ignores
 * @i:	    Number, from 0
 *
 * Return: Identifier of the rule, e.g. "H14", owned by @config; NULL after the last one.
 */
const char *nvme_mptcp_config_ignored(nvme_mptcp_config_t config, size_t i);

/**
 * nvme_mptcp_config_relay_link() - list the network interfaces in the objects "relay"
 * @i:	    Number, from 0
 *
 * Return: Name of the interface, owned by @config; NULL after the last one.
 */
const char *nvme_mptcp_config_relay_link(nvme_mptcp_config_t config, size_t i);

/**
 * nvme_mptcp_config_relay_portal() - list the portals in the objects "relay"
 * @i:	    Number, from 0
 *
 * Return: Portal, e.g. "192.0.2.1:4420" or "192.0.2.1", or "auto" for all portals that are
 * configured elsewhere, owned by @config; NULL after the last one.
 */
const char *nvme_mptcp_config_relay_portal(nvme_mptcp_config_t config, size_t i);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_CONFIG_H */
