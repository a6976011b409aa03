/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metrics files, written by nvme mptcp metrics and keep. */
#pragma once

#include "mptcp.h"

/*
 * Return the format for this file name: Prometheus for ".prom", which node_exporter reads, else
 * OpenMetrics.
 */
enum nvme_mptcp_metrics_format metrics_format_of(const char *path);

/* Replace the file atomically by a document of nvme_mptcp_metrics(). Return 0 or -errno. */
int metrics_save(const char *path, const char *document, unsigned int flags);
