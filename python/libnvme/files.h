/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files below /etc/nvme describe. NULL with an exception set on failure. */
#ifndef LIBNVME_PYTHON_FILES_H
#define LIBNVME_PYTHON_FILES_H

#include "handles.h"

/*
 * A tree with what JSON configuration @file describes (NULL: the machine's, which need not exist;
 * "none": none) and other managers beside it; it logs as that of @like does. Nothing is scanned yet.
 */
struct root *files_read(struct root *like, const char *file);

/* Adds what there is; @context (NULL: any) is the application that connects. */
void files_scan(struct root *root, const char *context);

/* Who connects: what is given, else the configuration, else files, else generated. */
struct host *files_host(struct root *root, const char *hostnqn, const char *hostid);

/* Is this host of the configuration meant? NULL stands for what is not given. */
bool files_is_meant(struct host *host, const char *hostnqn, const char *hostid);

/* Endpoints and limits of the hosts that are meant. A list of str: what is worth knowing. */
PyObject *files_apply_mptcp(struct root *root, const char *hostnqn, const char *hostid);

/*
 * The lines of discovery.conf, each a dict, those that are wrong with "errno" and "error"; the last one
 * is of the file itself if it cannot be read. They start from the options @cfg and the host given.
 */
PyObject *files_lines(PyObject *cfg, const char *hostnqn, const char *hostid);

/* Does the configuration have discovery controllers with an NQN of their own stay connected? */
bool files_stays(struct host *host);

/* The kernel's controller of that name. */
struct ctrl *files_ctrl(struct root *root, const char *name);

/* The kernel's controller @ctrl of another tree, in that of @root, with the options that are known. */
struct ctrl *files_adopt(struct root *root, struct ctrl *ctrl);

#endif /* LIBNVME_PYTHON_FILES_H */
