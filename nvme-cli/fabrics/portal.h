/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reachable portals of a discovery log: they are connected first. */
#ifndef PORTAL_H
#define PORTAL_H

#include "discovery.h"

/*
 * The order in which to connect the entries of @log: those whose portal accepts a TCP connection
 * within a second, then the others, each in the order of the log. All portals are tried at the same
 * time, for IP transports only. The kernel waits for a dead portal for a minute or more; this way
 * no other portal waits with it.
 *
 * Return: le64toh(log->numrec) indices, to be freed, or NULL without memory.
 */
size_t *portal_order(const struct discover_args *args, const struct nvmf_discovery_log *log);

#endif /* PORTAL_H */
