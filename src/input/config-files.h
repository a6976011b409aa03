/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Configuration files, the scan, the host. On failure @why is a sentence, to be freed, or NULL. */
#pragma once

#include <libnvme.h>
#include <nvme/mptcp.h>
#include "fail.h"
#include "shared/cleanup.h"
#include "shared/text.h"

#define CONFIG_FILE SYSCONFDIR "/nvme/config.json"
#define DISCOVERY_CONF SYSCONFDIR "/nvme/discovery.conf"
#define NBFT_PATH "/sys/firmware/acpi/tables" /* a directory */

#define DISCOVERY_KEEP_ALIVE 30 /* in seconds, for persistent discovery controllers */

/* Silence the library until input_unmute(), unless -v is given: the caller reports failures. */
struct muted {
	nvme_root_t root;
	int level;
	bool pid, timestamp;
};

struct muted input_mute(nvme_root_t root);
/* Preserves errno. */
void input_unmute(const struct muted *muted);

/* A JSON configuration: the tree, and the MPTCP settings of its hosts. */
struct input_config {
	nvme_root_t root;
	nvme_mptcp_config_t mptcp;
	/*
	 * Called for each error in a file, and for each probable mistake (@failure is false). The
	 * rest of the file is still read and connected. NULL: refuse a file that has an error.
	 */
	void (*problem)(void *arg, bool failure, const char *text);
	void *arg;
};

/* Read one file into @into. Return 0 or -errno; -EPROTO for an error without @into->problem. */
int input_read_config(const struct input_config *into, const char *file, bool must_exist,
		      char **why);

/* Note in *@text, to be freed, if nvme-cli 3 converted and renamed @file. Return 0 or -ENOMEM. */
int input_note_renamed(const char *file, char **text);

/* Read @file, unless NULL or "none"; it must exist if @named; and STATEDIR. Return 0 or -errno. */
int input_read_files(const struct input_config *into, const char *file, bool named, char **why);

/* Return the text of an errno or enum nvme_connect_err, of either sign. */
const char *input_error_text(int err);

struct input_scan {
	const char *context; /* application that connects, set for the root; or NULL */
	const char *nqn; /* subsystem to scan for; NULL: all */
	const char *transport; /* requested transport, or NULL */
};

/* Scan controllers, not namespaces, into the tree, after the configuration. Return 0 or -errno. */
int input_scan(nvme_root_t r, const struct input_scan *scan, char **why);

/* Return the host that connects: of the arguments, the configuration, files, or generated. */
nvme_host_t input_host(nvme_root_t r, const char *hostnqn, const char *hostid, char **why);

/* True if a host of the configuration matches the arguments, of which NULL matches all. */
bool input_host_matches(nvme_host_t h, const char *hostnqn, const char *hostid);

/*
 * Apply the endpoints and limits of the hosts that match @hostnqn and @hostid, see
 * nvme_mptcp_config_wants(). Return 0 with the applied plan in @ret, to be freed, or NULL if there
 * is none; -errno if nothing was changed.
 */
int input_apply_mptcp(nvme_mptcp_config_t config, const char *hostnqn, const char *hostid,
		      nvme_mptcp_plan_t *ret, char **why);
