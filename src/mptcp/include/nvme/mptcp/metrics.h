/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a monitoring system collects of MPTCP, see <nvme/mptcp.h>. */
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
 * enum nvme_mptcp_metrics_format - how metrics are written
 * @NVME_MPTCP_METRICS_OPENMETRICS: OpenMetrics 1.0
 * @NVME_MPTCP_METRICS_PROMETHEUS:  Prometheus' text format 0.0.4, which node_exporter reads from files
 * @NVME_MPTCP_METRICS_JSON:	    JSON, by the schema mptcp-metrics.json
 */
enum nvme_mptcp_metrics_format {
	NVME_MPTCP_METRICS_OPENMETRICS,
	NVME_MPTCP_METRICS_PROMETHEUS,
	NVME_MPTCP_METRICS_JSON,
};

/**
 * struct nvme_mptcp_metrics_args - scope of nvme_mptcp_metrics()
 * @snap:      Snapshot
 * @before:    An earlier one of the same namespace: findings that rest on counters are there only if
 *	       these grew between the two; NULL: such findings are left out
 * @args_size: Size of this structure
 * @format:    How to write them
 * @max_ctrls: Controllers with series of their own, the first ones by number; 0: no more than
 *	       %NVME_MPTCP_METRICS_CTRLS
 * @pretty:    JSON indented, for people?
 * @keeper:    Whose counters go on with each call, and do not fall when a subflow ends; NULL: there are
 *	       none
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
 * nvme_mptcp_metrics() - a snapshot as metrics
 * @args: Its scope
 *
 * Nothing is connected to and nothing changed. A value that the kernel does not report has no sample.
 * No label holds a port, a token or anything else that is new with each connection; the number of
 * series is bounded, see nvme-mptcp-metrics(1). Label values are valid UTF-8 without control
 * characters: what is none of it becomes U+FFFD.
 *
 * Return: A string to be freed, or NULL with errno: EINVAL if @args is wrong, ENOMEM, or why the
 * namespace of the snapshot cannot be entered.
 */
char *nvme_mptcp_metrics(const struct nvme_mptcp_metrics_args *args);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_METRICS_H */
