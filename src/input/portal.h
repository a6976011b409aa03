/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which portals answer: all of them are called at the same time, by a TCP connection that is closed
 * again. The kernel makes one connection after the other and waits for a silent portal for seconds to
 * minutes; what answers here is connected before.
 */
#pragma once

#include <stdbool.h>

struct portals;
struct portal;

/*
 * Where a connection leads, and where it starts; NULL or "" where that is left open. The port is then
 * that of the transport's row, of its I/O or of its discovery controllers.
 */
struct portal_address {
	const char *transport;
	const char *traddr, *trsvcid;
	const char *host_traddr, *host_iface;
	bool discovery;
};

/* From the best to the worst for who has to connect there. */
enum portal_answer {
	PORTAL_READY, /* it accepts, or refuses, and so will it the kernel: without delay */
	PORTAL_SILENT, /* not a word for as long as patience lasts */
	PORTAL_WAITING, /* called, and nothing is known yet */
	PORTAL_UNCALLED,
};

/* @patience: milliseconds, 0: a second. NULL without memory. */
struct portals *portals_new(unsigned int patience);
void portals_free(struct portals *portals);

/*
 * The portal at @address; it is called by portals_start() or portals_wait(), as soon as fewer than 256
 * others are waited for. NULL where there is nothing to call: no IP transport, no memory.
 */
struct portal *portals_add(struct portals *portals, const struct portal_address *address);

void portals_start(struct portals *portals);

enum portal_answer portal_answer(const struct portal *portal);

/* Why it is silent: an errno, ETIMEDOUT where nothing came back. */
int portal_error(const struct portal *portal);

/*
 * "<address>:<port> did not answer within <patience> s", or "<address>:<port>: No route to host", to be
 * freed; NULL without memory.
 */
char *portal_complaint(const struct portals *portals, const struct portal *portal);

/* The kernel tried it in vain: there is no need to try it again. */
void portal_give_up(struct portal *portal);
bool portal_is_given_up(const struct portal *portal);

/* Takes notice of answers that have come. */
void portals_poll(struct portals *portals);

/*
 * Waits until a portal answers, unless the caller has one that is @ready, and a moment longer for the
 * others: so connections are made in the order that they were asked for where all portals are alive.
 * Return: is none waited for any more?
 */
bool portals_wait(struct portals *portals, bool ready);
