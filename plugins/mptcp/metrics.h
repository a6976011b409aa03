/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metrics as nvme mptcp metrics prints them and keep writes them. */
#pragma once

#include "mptcp.h"

/* What readers of this file expect: node_exporter reads those that end in ".prom", in its format. */
enum nvme_mptcp_metrics_format metrics_format_of(const char *path);

/* Replaces the file as a whole by what nvme_mptcp_metrics() returned. 0 or -errno. */
int metrics_save(const char *path, const char *document, unsigned int flags);
