/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the fabrics commands: common options, checks, creating controllers. */
#pragma once

#include "frame/frame.h"
#include "input/config-files.h"
#include "input/connect-args.h"

/* Report the sentence that src/input/ left in @why or, without one, @err. Return: @err. */
int fabrics_fail(struct command *cmd, int err, const char *why);

/*
 * Check every value before anything reaches the kernel: unknown transports, missing addresses,
 * values that are too long or would inject options, numbers out of range. Return 0, or -EINVAL
 * after a message.
 */
int fabrics_check(struct command *cmd, const struct fabrics_args *args);

/* The same for a controller's address: transport and, unless the transport has none, traddr. */
int fabrics_check_address(struct command *cmd, const struct fabrics_args *args);

/*
 * Create cmd->root, and read the JSON configuration @file (which must exist if the user named it)
 * and those in STATEDIR. An error in them is reported and stored in *@status as the command's exit
 * status; the rest is read. Return 0, or -errno after a message.
 */
int fabrics_read(struct command *cmd, const struct fabrics_args *args, const char *file,
		 int *status);

/* Scan the topology, or subsystem @nqn, as --context says. Return 0, or -errno after a message. */
int fabrics_scan(struct command *cmd, const struct fabrics_args *args, const char *nqn);

/* Read one configuration into cmd->root and cmd->mptcp. Return 0, or -errno after a message. */
int fabrics_read_config(struct command *cmd, const char *file, bool must_exist);

/* Return the host: of arguments, configuration, files, or generated. NULL after a message. */
nvme_host_t fabrics_host(struct command *cmd, const struct fabrics_args *args);

/*
 * Create the endpoints and limits that the configuration has for a host, or for all hosts if the
 * arguments are NULL. With -v, changes are printed. Return an exit status; after a failure, all
 * changes are undone.
 */
int fabrics_apply_mptcp(struct command *cmd, const char *hostnqn, const char *hostid);

/* Print the configuration for --dump-config. Return an exit status. */
int fabrics_dump_config(struct command *cmd);
