/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find out which portals answer: probe all of them at the same time by a TCP connection that is
 * closed again. The kernel connects one after the other and waits seconds to minutes for a silent
 * portal, so portals that answer here are connected first.
 */
#pragma once

#include "shared/std.h"

struct portals;
struct portal;

/* Destination and source of a connection; NULL or "": any. Default port: for I/O or discovery. */
struct portal_address {
	const char *transport, *traddr, *trsvcid, *host_traddr, *host_iface;
	bool discovery;
};

/* Ordered from the best to the worst portal to connect to. */
enum portal_answer {
	PORTAL_READY, /* accepts or refuses without delay, and so it will for the kernel */
	PORTAL_SILENT, /* no answer within the time limit, or unreachable */
	PORTAL_WAITING, /* probed, no answer yet */
	PORTAL_NOT_PROBED,
};

/* @silence_timeout: time to wait for each portal in ms; 0: 1 s. Return NULL without memory. */
struct portals *portals_new(unsigned int silence_timeout);
void portals_free(struct portals *portals);

/*
 * Return the portal at @address. portals_start() or portals_wait() probes it as soon as fewer than
 * 256 probes are pending. NULL if it cannot be probed: no IP transport, no memory.
 */
struct portal *portals_add(struct portals *portals, const struct portal_address *address);

void portals_start(struct portals *portals);

enum portal_answer portal_answer(const struct portal *portal);

/* Return why the portal is silent: an errno, ETIMEDOUT if nothing came back. */
int portal_error(const struct portal *portal);

/* Return "ADDR:PORT did not answer within N s", or its error, to be freed; NULL without memory. */
char *portal_failure_text(const struct portals *portals, const struct portal *portal);

/* Mark a portal to which the kernel failed to connect: do not try it again. */
void portal_mark_failed(struct portal *portal);
bool portal_has_failed(const struct portal *portal);

/* Process the answers that have arrived, without waiting. */
void portals_poll(struct portals *portals);

/*
 * Wait until a portal answers, unless the caller has one that is @ready, and a moment longer for
 * the others: if all portals are alive, connections are then made in the order of the requests.
 * Return true if no probe is pending any more.
 */
bool portals_wait(struct portals *portals, bool ready);
