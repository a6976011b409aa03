/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the fabrics commands: common options, checks, creating a controller. */
#pragma once

#include "frame/frame.h"
#include "input/config-files.h"
#include "input/connect-args.h"

/* What a function of src/input/ left in @why, @err if it left nothing, as a message. Return: @err. */
int fabrics_fail(struct command *cmd, int err, const char *why);

/*
 * Checks every value before anything reaches the kernel: unknown transports, missing addresses,
 * values that are too long or would inject options, numbers out of range.
 *
 * Return: 0, or -EINVAL after a message.
 */
int fabrics_check(struct command *cmd, const struct fabrics_args *args);

/* The same for a controller's address: transport and, where there are any, traddr. */
int fabrics_check_address(struct command *cmd, const struct fabrics_args *args);

/*
 * Makes cmd->root and reads JSON configuration @file (which must exist if the user named it) and those
 * in STATEDIR. What is wrong in them is a message, makes *@status the command's status, and the rest is
 * read. 0, or -errno after a message.
 */
int fabrics_read(struct command *cmd, const struct fabrics_args *args, const char *file,
		 int *status);

/*
 * Then adds what there is, without namespaces: all of it, or the subsystem called @nqn; --context
 * comes into force. 0, or -errno after a message.
 */
int fabrics_scan(struct command *cmd, const struct fabrics_args *args, const char *nqn);

/* One JSON configuration into cmd->root and cmd->mptcp. 0, or -EINVAL after a message. */
int fabrics_read_config(struct command *cmd, const char *file, bool must_exist);

/* Who connects: arguments, else configuration, else files, else generated. NULL after a message. */
nvme_host_t fabrics_host(struct command *cmd, const struct fabrics_args *args);

/*
 * A controller for @nqn at the address of @args, with its keys and options; not connected. NULL
 * after a message.
 */
nvme_ctrl_t fabrics_create_ctrl(struct command *cmd, const struct fabrics_args *args,
				const char *nqn);

/*
 * As nvmf_add_ctrl(): connects @c, and records which connections are its own. A wait for another process
 * is a message.
 */
int fabrics_add_ctrl(struct command *cmd, nvme_host_t h, nvme_ctrl_t c);

/*
 * "<what> <meaning of err>: <the library's sentence>" for a controller that was not connected; the
 * meaning is left out where the sentence has it. Return: 1.
 */
int fabrics_fail_connect(struct command *cmd, nvme_ctrl_t c, int err, const char *what);

/*
 * Makes the endpoints and limits that the configuration has for a host, or without arguments (NULL) for
 * all. What is changed is shown under -v. Returns an exit status; after a failure all is as it was.
 */
int fabrics_apply_mptcp(struct command *cmd, const char *hostnqn, const char *hostid);

/* --dump-config. Returns an exit status. */
int fabrics_dump_config(struct command *cmd);
