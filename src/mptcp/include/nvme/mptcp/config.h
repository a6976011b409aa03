/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The objects "mptcp" of a JSON configuration, see <nvme/mptcp.h>. */
#ifndef _LIBNVME_MPTCP_CONFIG_H
#define _LIBNVME_MPTCP_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What hosts of config.json ask of the path manager, and which rules of a check they ignore. libnvme
 * keeps these objects as they are; what they mean is checked here.
 */
typedef struct nvme_mptcp_config *nvme_mptcp_config_t;

/**
 * nvme_mptcp_config_new() - nothing configured yet
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
 * nvme_mptcp_config_read() - add what a file has
 * @config: Configuration. An object of a host that it has already is replaced
 * @file:   JSON configuration, as nvme_read_config() reads it
 *
 * Only the hosts and their objects "mptcp" are looked at.
 *
 * Return: 0, or -1 with errno, and nothing is added: EPROTO if an object is wrong or the file is not
 * JSON, see nvme_mptcp_config_error(); ENOMEM; or why the file cannot be read.
 */
int nvme_mptcp_config_read(nvme_mptcp_config_t config, const char *file);

/**
 * nvme_mptcp_config_error() - what is wrong with a configuration
 *
 * Return: What the last call that failed with EPROTO or ENODATA found, with file, line and JSON path,
 * owned by @config; NULL: there was none.
 */
const char *nvme_mptcp_config_error(nvme_mptcp_config_t config);

/**
 * nvme_mptcp_config_wants() - does a host ask for endpoints or limits
 * @hostnqn: NQN of the host; NULL: any
 * @hostid:  Its identifier; hosts that are configured without one are meant as well. NULL: any
 *
 * Return: Whether nvme_mptcp_plan_config() has anything to follow.
 */
bool nvme_mptcp_config_wants(nvme_mptcp_config_t config, const char *hostnqn, const char *hostid);

/**
 * nvme_mptcp_config_ignored() - a rule that nvme_mptcp_check() is to ignore
 * @i:	    Number, from 0
 *
 * Return: Identifier of the rule, "H14", owned by @config; NULL if there are no more.
 */
const char *nvme_mptcp_config_ignored(nvme_mptcp_config_t config, size_t i);

/**
 * nvme_mptcp_config_relay_link() - a network interface that the objects "relay" name
 * @i:	    Number, from 0
 *
 * Return: Name of the interface, owned by @config; NULL if there are no more.
 */
const char *nvme_mptcp_config_relay_link(nvme_mptcp_config_t config, size_t i);

/**
 * nvme_mptcp_config_relay_portal() - a portal that the objects "relay" name
 * @i:	    Number, from 0
 *
 * Return: Portal, as "192.0.2.1:4420" or "192.0.2.1", or "auto" for all that are configured elsewhere, owned
 * by @config; NULL if there are no more.
 */
const char *nvme_mptcp_config_relay_portal(nvme_mptcp_config_t config, size_t i);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_CONFIG_H */
