/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Endpoints that are deleted to be added again. The kernel takes no two of one address, so a process
 * that is killed in between leaves none: what is to be there again is written first, to a file of the
 * network namespace below KEEP_DIR in the notation of keep-state.h. The file is locked while endpoints
 * are exchanged; what it has after that is lost, and the next plan adds it.
 */
#pragma once

#include "config.h"
#include "keep-own.h"

/* What keep and plans write down, by the cookie of the network namespace. */
#define KEEP_DIR STATEDIR "-mptcp"

struct plan_intent {
	bool is_open;
	int fd;
	char path[64];
	struct keep_own lost;
};

/* 0 or -errno: the directory, KEEP_DIR or another, is there. */
int plan_intent_directory(const char *path);

/*
 * Locks and reads the file of the calling thread's network namespace. 0, -EAGAIN if another process
 * exchanges endpoints for seconds, or -errno; without @create -ENOENT if there is none.
 */
int plan_intent_open(struct plan_intent *in, bool create);
/* Unlocks it; a file without endpoints is removed. */
void plan_intent_close(struct plan_intent *in);

/* 0 or -errno. */
int plan_intent_add(struct plan_intent *in, const struct endpoint_spec *spec);
int plan_intent_drop(struct plan_intent *in, const struct endpoint_spec *spec);
