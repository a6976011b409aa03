/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by nvme list-subsys and show-topology: iterating over hosts, heading of a subsystem. */
#pragma once

#include "frame/frame.h"

/* Print the lines below a subsystem's heading. */
typedef void (*topology_below_t)(struct command *cmd, nvme_subsystem_t s, void *arg);

/*
 * Print all hosts and their subsystems. Subsystems without a controller are shown only if @bare. If
 * @ns_name is not NULL, only subsystems with that namespace are shown. @below ends the output of
 * each subsystem. Return the exit status.
 */
int topology_show_subsystems(struct command *cmd, const char *ns_name, bool bare,
			     topology_below_t below, void *arg);

/* Scan the topology, with or without namespaces. Return 0, or 1 after a message. */
int topology_scan(struct command *cmd, bool namespaces);

/* Return the name in "[/dev/]nvmeXnY", or NULL if @operand is something else. */
const char *topology_ns_name(const char *operand);

/* Set *@name to the first operand "[/dev/]nvmeXnY", or to NULL. Return 0, or 1 after a message. */
int topology_ns_operand(struct command *cmd, const char **name);

/* Print name, transport, address and state of a controller: JSON fields, and text after @prefix. */
void topology_show_ctrl(struct out *out, const char *prefix, nvme_ctrl_t c);

/* The same without the state. */
void topology_show_stateless(struct out *out, const char *prefix, nvme_ctrl_t c);

/* Links that connections use, for text output. Empty if no controller has subflows. */
struct topology_links {
	nvme_mptcp_snapshot_t snap;
	nvme_mptcp_ctrl_t last;
};

/* Take one snapshot of the connections. Return 0, or 1 after a message. */
int topology_take_links(struct command *cmd, struct topology_links *links);
void topology_free_links(struct topology_links *links);

/* True if several links may carry the controller, by its transport or through a relay. */
bool topology_has_links(struct topology_links *links, nvme_ctrl_t c);

/* End a controller's line, and print a line for each link that carries it or should. */
void topology_end_ctrl(struct out *out, int indent, struct topology_links *links, nvme_ctrl_t c);
