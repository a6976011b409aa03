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
	bool subflows; /* its transport has subflows, or a relay accepts its connections */
	bool relayable, relayed;
	char **subsystems; /* linked to the port; the first one enables it */
	size_t n_subsystems;
	bool secure; /* addr_tsas asks for TLS */
	/* Maximum in-capsule data of a write, in bytes; -1: chosen when the port is enabled. */
	int64_t inline_size;
	bool has_inline_size;
};

struct target {
	struct target_port *ports;
	size_t n_ports;
	char *subsystem; /* name of any subsystem, or NULL */
};

/* Read the ports, and which of them the relay of @snap serves. Return 0, also without a target. */
int target_read(const struct nvme_mptcp_snapshot *snap, struct target *ret);

void target_clear(struct target *target);

/*
 * True if the port is enabled in another network namespace than that of @snap: configfs shows the
 * ports of all namespaces. False if the listeners are unknown.
 */
bool target_port_in_other_netns(const struct target_port *port,
				const struct nvme_mptcp_snapshot *snap);

/* True if a port with subflows is in this namespace or not enabled yet. */
bool target_is_in_netns(const struct target *target, const struct nvme_mptcp_snapshot *snap);

/* Free the members. */
void target_port_clear(struct target_port *port);
