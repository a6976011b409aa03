/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports of this machine, and reading the other side's report, see <nvme/mptcp.h>. */
#ifndef _LIBNVME_MPTCP_REPORT_H
#define _LIBNVME_MPTCP_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvme/mptcp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nvme_mptcp_peer *nvme_mptcp_peer_t;

/**
 * struct nvme_mptcp_report_args - scope of nvme_mptcp_report()
 * @snap:      Snapshot
 * @before:    An earlier snapshot of the same namespace, for counters that grow, or NULL
 * @args_size: Size of this structure
 * @pretty:    true: indent for readability
 */
struct nvme_mptcp_report_args {
	nvme_mptcp_snapshot_t snap;
	nvme_mptcp_snapshot_t before;
	int args_size;
	bool pretty;
};

/**
 * nvme_mptcp_report() - write the complete MPTCP state of this machine as one JSON document
 * @args: Its scope
 *
 * The report contains the snapshot with all its connections, the kernel, settings, counters,
 * addresses, routes, routing policy, listening sockets, ports of an NVMe target, and the findings
 * of both roles. It is meant for bug reports and for the other side, see nvme_mptcp_peer_read(). It
 * contains no keys or secrets, but addresses, interface names and NQNs. Data that cannot be read is
 * listed under "missing" with the reason. The document follows the schema mptcp-report.json.
 *
 * Return: A string to be freed, or NULL with errno: EINVAL if @args is invalid, ENOMEM, or the
 * reason why the namespace of the snapshot cannot be entered.
 */
char *nvme_mptcp_report(const struct nvme_mptcp_report_args *args);

/**
 * nvme_mptcp_peer_read() - read the report of the other side
 * @file:  Name of a file with a document of nvme_mptcp_report()
 * @ret:   Where to store the report, to be freed with nvme_mptcp_peer_free()
 * @error: Where to store the error in the file with line and path, to be freed; NULL is stored if
 *	   there is none
 *
 * The file is not trusted: everything in it is checked before use, and nothing is shown or executed
 * unchanged.
 *
 * Return: 0, or -1 with errno: EPROTO if the content is invalid or of another version (see @error),
 * ENOMEM, or the reason why the file cannot be read.
 */
int nvme_mptcp_peer_read(const char *file, nvme_mptcp_peer_t *ret, char **error);

/**
 * nvme_mptcp_peer_free() - free a report
 * @peer: Report, or NULL
 */
void nvme_mptcp_peer_free(nvme_mptcp_peer_t peer);

/**
 * nvme_mptcp_peer_hostname() - host name of the reporting machine
 *
 * Return: A name, which may contain any character, or NULL if the report has none.
 */
const char *nvme_mptcp_peer_hostname(nvme_mptcp_peer_t peer);

/**
 * nvme_mptcp_peer_taken() - time of the report
 *
 * Return: Seconds since 1970 on the clock of that machine.
 */
int64_t nvme_mptcp_peer_taken(nvme_mptcp_peer_t peer);

/**
 * nvme_mptcp_peer_finding() - list the findings of the reporting machine
 * @i:	      Number, from 0
 * @severity: Where to store "info", "warning" or "error"
 * @subject:  Where to store the subject
 * @why:      Where to store the reason
 *
 * The texts come from that machine and may contain any character.
 *
 * Return: The id of the rule, e.g. "H08", which may be one of a later version; NULL after the last
 * one.
 */
const char *nvme_mptcp_peer_finding(nvme_mptcp_peer_t peer, size_t i, const char **severity,
				    const char **subject, const char **why);

/**
 * nvme_mptcp_peer_snapshot() - snapshot of the report
 *
 * Return: The snapshot, owned by @peer. Its strings come from that machine.
 */
nvme_mptcp_snapshot_t nvme_mptcp_peer_snapshot(nvme_mptcp_peer_t peer);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_REPORT_H */
