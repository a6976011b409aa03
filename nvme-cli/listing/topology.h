/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by nvme list-subsys and nvme show-topology: walking hosts, heading a subsystem. */
#pragma once

#include <nvme/mptcp.h>

#include "frame/frame.h"

/* Shows the lines below a subsystem's heading. */
typedef void (*topology_below_t)(struct command *cmd, nvme_subsystem_t s, void *arg);

/*
 * All hosts with those of their subsystems that have a controller, or are shown @bare of them, and, if
 * @ns_name is not NULL, that namespace; @below ends each. Returns the exit status.
 */
int topology_show_subsystems(struct command *cmd, const char *ns_name, bool bare,
			     topology_below_t below, void *arg);

/* Scans the topology, with @namespaces or without. 0, or 1 after a message. */
int topology_scan(struct command *cmd, bool namespaces);

/* The name in "[/dev/]nvmeXnY", or NULL if @operand is something else. */
const char *topology_ns_name(const char *operand);

/* Reads "[/dev/]nvmeXnY" from the first operand; *name is NULL without one. The same. */
int topology_ns_operand(struct command *cmd, const char **name);

/* Name, transport, address and state of a controller: JSON fields, and text from @prefix on. */
void topology_show_ctrl(struct out *out, const char *prefix, nvme_ctrl_t c);

/* The same without its state. */
void topology_show_stateless(struct out *out, const char *prefix, nvme_ctrl_t c);

/* What connections use, for text; empty where no controller has subflows. */
struct topology_links {
	nvme_mptcp_snapshot_t snap;
	nvme_mptcp_ctrl_t last;
};

/* Looks at connections, once. 0, or 1 after a message. */
int topology_take_links(struct command *cmd, struct topology_links *links);
void topology_free_links(struct topology_links *links);

/* May several links carry it, by its transport or by a relay? */
bool topology_has_links(struct topology_links *links, nvme_ctrl_t c);

/* Ends a controller's line, and adds one for each link that carries it, or ought to. */
void topology_end_ctrl(struct out *out, int indent, struct topology_links *links, nvme_ctrl_t c);
