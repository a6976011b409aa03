/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The JSON files that describe connections, what there is beside them, and who connects. Functions
 * that fail leave a sentence in @why, to be freed; NULL where there is no memory for it.
 */
#pragma once

#include <libnvme.h>
#include <nvme/mptcp.h>
#include <stdbool.h>

#define CONFIG_FILE SYSCONFDIR "/nvme/config.json"
#define DISCOVERY_CONF SYSCONFDIR "/nvme/discovery.conf"
#define NBFT_PATH "/sys/firmware/acpi/tables" /* a directory */

#define DISCOVERY_KEEP_ALIVE 30 /* seconds, of persistent discovery controllers */

/* Between the two the library logs nothing without -v: who called it reports the failure. */
struct muted {
	nvme_root_t root;
	int level;
	bool pid, timestamp;
};

struct muted input_mute(nvme_root_t root);
/* errno stays. */
void input_unmute(const struct muted *muted);

/* What a JSON configuration describes: a tree, and beside it what its hosts have of MPTCP. */
struct input_config {
	nvme_root_t root;
	nvme_mptcp_config_t mptcp;
	/*
	 * Called for each error in a file, and for each probable mistake (@failure is false). The rest of the
	 * file is read and connected. NULL: a file with an error is refused.
	 */
	void (*problem)(void *arg, bool failure, const char *text);
	void *arg;
};

/* One file into @into. 0, or -errno; -EPROTO: it is wrong, and there is no @into->problem. */
int input_read_config(const struct input_config *into, const char *file, bool must_exist,
		      char **why);

/*
 * nvme-cli 3 renames a file when it has made its own configuration of it: if that has happened to @file, *@text
 * says so, to be freed. 0 or -ENOMEM.
 */
int input_note_renamed(const char *file, char **text);

/*
 * JSON configuration @file (NULL or "none": no such file; it must exist if it was @named) and those in
 * STATEDIR. 0, or -errno.
 */
int input_read_files(const struct input_config *into, const char *file, bool named, char **why);

/* The meaning of an errno or enum nvme_connect_err, of either sign. */
const char *input_error_text(int err);

struct input_scan {
	const char *context; /* the application that connects, or NULL: it comes into force */
	const char *nqn; /* the subsystem to look for, or NULL: all there is */
	const char *transport; /* that is asked for, or NULL */
};

/* Then adds what there is, without namespaces. 0, or -errno. */
int input_scan(nvme_root_t r, const struct input_scan *scan, char **why);

/* Who connects: the arguments, else configuration, else files, else generated. */
nvme_host_t input_host(nvme_root_t r, const char *hostnqn, const char *hostid, char **why);

/* Is this host of the configuration meant? Without arguments (NULL), all are. */
bool input_host_is_meant(nvme_host_t h, const char *hostnqn, const char *hostid);

/*
 * Makes the endpoints and limits that the hosts meant by @hostnqn and @hostid ask for, see
 * nvme_mptcp_config_wants(). 0 with what was done, to be freed, or NULL if there is none; -errno: all is
 * as it was.
 */
int input_apply_mptcp(nvme_mptcp_config_t config, const char *hostnqn, const char *hostid,
		      nvme_mptcp_plan_t *ret, char **why);
