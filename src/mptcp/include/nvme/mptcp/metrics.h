/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MPTCP metrics for monitoring systems, see <nvme/mptcp.h>. */
#ifndef _LIBNVME_MPTCP_METRICS_H
#define _LIBNVME_MPTCP_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include <nvme/mptcp/keep.h>
#include <nvme/mptcp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum nvme_mptcp_metrics_format - formats of metrics
 * @NVME_MPTCP_METRICS_OPENMETRICS: OpenMetrics 1.0
 * @NVME_MPTCP_METRICS_PROMETHEUS:  Prometheus text format 0.0.4, which node_exporter reads from
 *				    files
 * @NVME_MPTCP_METRICS_JSON:	    JSON with the schema mptcp-metrics.json
 */
enum nvme_mptcp_metrics_format {
	NVME_MPTCP_METRICS_OPENMETRICS,
	NVME_MPTCP_METRICS_PROMETHEUS,
	NVME_MPTCP_METRICS_JSON,
};

/**
 * struct nvme_mptcp_metrics_args - scope of nvme_mptcp_metrics()
 * @snap:      Snapshot
 * @before:    An earlier snapshot of the same namespace: findings based on counters are included
 *	       only if the counters grew between the two; NULL: such findings are omitted
 * @args_size: Size of this structure
 * @format:    Output format
 * @max_ctrls: Maximum number of controllers with their own series, the first ones by number; 0:
 *	       %NVME_MPTCP_METRICS_CTRLS
 * @pretty:    true: indent JSON for readability
 * @keeper:    Keeper that accumulates counters over calls, so that they do not fall when a subflow
 *	       ends; NULL: none
 */
struct nvme_mptcp_metrics_args {
	nvme_mptcp_snapshot_t snap;
	nvme_mptcp_snapshot_t before;
	int args_size;
	enum nvme_mptcp_metrics_format format;
	size_t max_ctrls;
	bool pretty;
	nvme_mptcp_keeper_t keeper;
};

#define NVME_MPTCP_METRICS_CTRLS 1000

/**
 * nvme_mptcp_metrics() - write a snapshot as metrics
 * @args: Its scope
 *
 * Opens no connections and changes nothing. A value that the kernel does not report has no sample.
 * Labels never contain a port, a token or anything else that is new with each connection; the
 * number of series is bounded, see nvme-mptcp-metrics(1). Label values are valid UTF-8 without
 * control characters: invalid bytes and control characters become U+FFFD.
 *
 * Return: A string to be freed, or NULL with errno: EINVAL if @args is invalid, ENOMEM, or the
 * reason why the namespace of the snapshot cannot be entered.
 */
char *nvme_mptcp_metrics(const struct nvme_mptcp_metrics_args *args);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_METRICS_H */
