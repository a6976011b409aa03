/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records endpoints that are deleted to be added again. The kernel refuses a second endpoint with
 * the same address, so a process that is killed in between leaves none. Each endpoint is therefore
 * first written to a file of the network namespace below KEEP_DIR, in the format of keep-state.h.
 * The file is locked while endpoints are exchanged; entries that remain afterwards are lost
 * endpoints, which the next plan adds.
 */
#pragma once

#include "config.h"
#include "keep-own.h"

/* Directory of the files of keep and plans, named after the cookie of the network namespace. */
#define KEEP_DIR STATEDIR "-mptcp"

struct plan_intent {
	bool is_open;
	int fd;
	char path[64];
	struct keep_own lost;
};

/* Create a directory, KEEP_DIR or another, unless it exists. Return 0 or -errno. */
int plan_intent_directory(const char *path);

/*
 * Lock and read the file of the thread's network namespace: 0, -EAGAIN if another process keeps the
 * lock for seconds, -ENOENT without @create and without a file, or other -errno.
 */
int plan_intent_open(struct plan_intent *in, bool create);
/* Unlock the file; remove it if it has no endpoints. */
void plan_intent_close(struct plan_intent *in);

/* Add or remove an endpoint, and write the file. Return 0 or -errno. */
int plan_intent_add(struct plan_intent *in, const struct endpoint_spec *spec);
int plan_intent_drop(struct plan_intent *in, const struct endpoint_spec *spec);
