/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ports of this machine's NVMe target, from its configfs tree. */
#ifndef NVME_MPTCP_TARGET_H
#define NVME_MPTCP_TARGET_H

#include "mptcp/check/rules.h"

/* 0, also if there is no target here, or -ENOMEM. */
int target_ports_read(struct check *c);

/* Frees what belongs to it. */
void target_port_clear(struct target_port *port);

#endif /* NVME_MPTCP_TARGET_H */
