/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ports of this machine's NVMe target, from its configfs tree. */
#pragma once

#include "base/address.h"

struct nvme_mptcp_snapshot;

/* A port of nvmet. */
struct target_port {
	char *name; /* "1" */
	char *trtype;
	char *traddr;
	struct socket_address address;
	bool has_address;
	bool subflows; /* its transport has several, or a relay takes its connections */
	bool relayable, relayed;
	char **subsystems; /* that it offers: the first one enables it */
	size_t n_subsystems;
	bool secure; /* TLS is asked for */
	/* Bytes of a write that it takes with the command; -1: the transport chooses once it is enabled. */
	int64_t inline_size;
	bool has_inline_size;
};

struct target {
	struct target_port *ports;
	size_t n_ports;
	char *subsystem; /* one that it has, or NULL */
};

/* With what the relay of @snap takes. 0, also if there is no target here, or -ENOMEM. */
int target_read(const struct nvme_mptcp_snapshot *snap, struct target *ret);

void target_clear(struct target *target);

/*
 * Is it enabled, and in another network namespace than @snap's? configfs shows the ports of all of
 * them everywhere. Not while it is unknown who listens here.
 */
bool target_port_is_elsewhere(const struct target_port *port,
			      const struct nvme_mptcp_snapshot *snap);

/* Is there a port whose transport has several links, here or not enabled yet? */
bool target_is_here(const struct target *target, const struct nvme_mptcp_snapshot *snap);

/* Frees what belongs to it. */
void target_port_clear(struct target_port *port);
