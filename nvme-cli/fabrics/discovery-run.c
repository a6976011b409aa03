// SPDX-License-Identifier: GPL-2.0-or-later
/* discover and connect-all: their options, and the steps before and after the walk. */
#include "discovery.h"

/* clang-format off */
const struct arg discovery_options[] = {
	OPT(STR, "device", 'd', struct discover_args, device, "DEV",
	    "use this connected discovery controller, e.g. nvme0"),
	DISCOVERY_LINE_OPTIONS,
	OPT_FLAG("nbft", 0, struct discover_args, nbft,
		 "only the boot connections of the firmware (NBFT)"),
	OPT_FLAG("no-nbft", 0, struct discover_args, no_nbft, "without the boot connections of the firmware"),
	OPT(STR, "nbft-path", 0, struct discover_args, nbft_path, "DIR", "directory of the NBFT"),
	OPT_END,
};
/* clang-format on */

static int check_args(struct command *cmd, struct discover_args *args)
{
	input_drop_none(&args->fabrics);
	if (input_is_none(args->device))
		args->device = NULL;
	if (fabrics_check(cmd, &args->fabrics))
		return 1;
	if (walk_is_addressed(args) && !args->device)
		return fabrics_check_address(cmd, &args->fabrics);
	return 0;
}

/* Read the configuration, then scan. Return the host that connects, or NULL after a message. */
static nvme_host_t read_configured(struct command *cmd, struct walk *walk,
				   const struct discover_args *args, int *status)
{
	const char *config = args->fabrics.config;

	if (fabrics_read(cmd, &args->fabrics, config ? config : CONFIG_FILE, status) ||
	    walk_note_configured(walk) || fabrics_scan(cmd, &args->fabrics, NULL))
		return NULL;
	return fabrics_host(cmd, &args->fabrics);
}

static int run_walk(struct discovery *d, struct walk *walk, const struct discover_args *args)
{
	struct command *cmd = d->cmd;
	int status, read_status;
	nvme_host_t host = read_configured(cmd, walk, args, &read_status);

	if (!host ||
	    (!d->show && fabrics_apply_mptcp(cmd, args->fabrics.hostnqn, args->fabrics.hostid)))
		return 1;
	walk_set_host(walk, host);
	status = walk_run(walk, args) | d->status | read_status;
	hint_at_links(cmd, &d->fresh);
	if (!status && args->fabrics.dump_config)
		status = fabrics_dump_config(cmd);
	return status;
}

int discovery_run(struct discovery *d)
{
	const struct walk_setup setup = { .connects = !d->show, .in_turn = d->show };
	struct discover_args *args = d->cmd->args;
	struct walk *walk;
	int status;

	if (check_args(d->cmd, args))
		return 1;
	walk = discovery_walk(d, &setup);
	if (!walk)
		return 1;
	status = run_walk(d, walk, args);
	walk_free(walk);
	return status;
}
