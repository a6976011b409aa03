/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by discover and connect-all: the sources of discovery controllers, and their logs. */
#ifndef DISCOVERY_H
#define DISCOVERY_H

#include "fabrics.h"
#include "mptcp-hint.h"

struct discover_args {
	struct fabrics_args fabrics;
	const char *device;
	const char *raw;
	const char *nbft_path;
	bool persistent;
	bool force;
	bool nbft;
	bool no_nbft;
};

#define DISCOVER_DEFAULTS \
	{ \
		.fabrics = FABRICS_DEFAULTS, .nbft_path = "/sys/firmware/acpi/tables" \
	}

struct discovery;

/* Acts on the log of discovery controller @c. Returns an exit status. */
typedef int (*log_action_t)(struct discovery *d, const struct discover_args *args, nvme_ctrl_t c,
			    struct nvmf_discovery_log *log);

struct discovery {
	struct command *cmd;
	nvme_host_t host;
	log_action_t act;
	bool connects; /* connect-all, not discover */
	unsigned int depth; /* of referrals */
	nvme_ctrl_t *described; /* discovery controllers of the JSON configuration */
	size_t n_described;
	struct fresh *fresh; /* controllers connected for use */
	char **visited; /* portals of referrals, so that a loop of them ends */
	size_t n_visited;
};

extern const struct arg discovery_options[]; /* of discover, connect-all */
extern const struct arg discovery_line_options[]; /* of a line of discovery.conf */

/* discover or, if it @connects, connect-all; @act is its part. Returns the exit status. */
int discovery_run(struct command *cmd, log_action_t act, bool connects);

/* The connections of the tables below @args->nbft_path. */
int nbft_connect(struct discovery *d, const struct discover_args *args);

/* The controller that @args address or name: connected or reused, read, acted on, disconnected. */
int discovery_run_one(struct discovery *d, const struct discover_args *args);

/* Every line of discovery.conf. */
int discovery_run_file(struct discovery *d, const struct discover_args *args, const char *path);

/* Reads the log of @c, to be freed; NULL after a message. */
struct nvmf_discovery_log *discovery_read_log(struct command *cmd, nvme_ctrl_t c);

/* cmd's output for one discovery log: the listing, JSON, or the bytes. */
int discovery_show_log(struct command *cmd, const struct nvmf_discovery_log *log);

/* Keep-alive as a discovery controller needs it: it is watched only if it stays. */
int discovery_keep_alive(const struct fabrics_args *args, bool persistent);

#endif /* DISCOVERY_H */
