/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Observers of connecting. The room that does lies above this one, so it registers
 * itself when the library is loaded.
 */
#ifndef NVME_FABRICS_WATCH_H
#define NVME_FABRICS_WATCH_H

#include "../transport-private.h"

struct log;

/* A controller that is about to be connected; strings are borrowed. */
struct connect_target {
	const struct transport *transport;
	const char *traddr; /* an address, never a name; NULL where the transport has none */
	const char *trsvcid; /* or NULL */
	const char *subsysnqn;
	const struct log *log;
};

struct connect_watch {
	/* Before the kernel is asked. What it returns goes to end(); NULL: nothing to see. */
	void *(*begin)(const struct connect_target *target);
	/* Afterwards; @instance: number N of the new nvmeN, or -1 if there is none. Keeps errno. */
	void (*end)(void *watched, int instance);
};

/* @watch stays valid for good. */
void connect_watch_register(const struct connect_watch *watch);

#endif /* NVME_FABRICS_WATCH_H */
