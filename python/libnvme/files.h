/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files below /etc/nvme describe. NULL with an exception set on failure. */
#ifndef LIBNVME_PYTHON_FILES_H
#define LIBNVME_PYTHON_FILES_H

#include "handles.h"
#include "input/connect-args.h"

/*
 * A tree with what JSON configuration @file describes (NULL: the machine's, which need not exist;
 * "none": none) and other managers beside it; it logs as that of @like does. Nothing is scanned yet.
 */
struct root *files_read(struct root *like, const char *file);

/* Adds what there is; @context (NULL: any) is the application that connects. */
void files_scan(struct root *root, const char *context);

/* Who connects: what is given, else the configuration, else files, else generated. */
struct host *files_host(struct root *root, const char *hostnqn, const char *hostid);

/* Endpoints and limits of the hosts that are meant. A list of str: what is worth knowing. */
PyObject *files_apply_mptcp(struct root *root, const char *hostnqn, const char *hostid);

/* What is worth knowing of a plan that was applied: a list of str. */
PyObject *files_notes(nvme_mptcp_plan_t plan);

/* A sentence of src/input/, fit to be shown; keys stay out of it. To be freed; NULL for NULL. */
char *files_shown(const char *why);

/* Strings of @options go where those of a command line are. */
void files_give(struct fabrics_args *args, struct nvmf_options *options);

/* The kernel's controller @ctrl of another tree, in that of @root, with the options that are known. */
struct ctrl *files_adopt(struct root *root, struct ctrl *ctrl);

#endif /* LIBNVME_PYTHON_FILES_H */
