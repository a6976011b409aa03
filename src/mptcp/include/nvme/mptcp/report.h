/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Everything in one document, and the contents of the other side's document, see <nvme/mptcp.h>. */
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
 * @before:    An earlier one of the same namespace, for counters that grow, or NULL
 * @args_size: Size of this structure
 * @pretty:    Indented, for people?
 */
struct nvme_mptcp_report_args {
	nvme_mptcp_snapshot_t snap;
	nvme_mptcp_snapshot_t before;
	int args_size;
	bool pretty;
};

/**
 * nvme_mptcp_report() - everything about MPTCP on this machine as one JSON document
 * @args: Its scope
 *
 * The snapshot with all its connections, the kernel, settings, counters, addresses, routes, routing
 * policy, sockets that listen, ports of an NVMe target, and the findings of both roles. It is meant
 * for a bug report, and for the other side, see nvme_mptcp_peer_read(). There are no keys or secrets
 * in it, but addresses, interface names and NQNs. What cannot be read is listed under "missing" with
 * the reason. The document follows the schema mptcp-report.json.
 *
 * Return: A string to be freed, or NULL with errno: EINVAL if @args is wrong, ENOMEM, or why the
 * namespace of the snapshot cannot be entered.
 */
char *nvme_mptcp_report(const struct nvme_mptcp_report_args *args);

/**
 * nvme_mptcp_peer_read() - read the report of the other side
 * @file:  Name of a file with a document of nvme_mptcp_report()
 * @ret:   Where to store it, to be freed with nvme_mptcp_peer_free()
 * @error: Where to store what is wrong with the file, with line and place, to be freed; NULL if
 *	   there is no such sentence
 *
 * The file is not trusted: everything in it is checked before it is used, and nothing in it is
 * shown or executed unchanged.
 *
 * Return: 0, or -1 with errno: EPROTO if the content is wrong or of another version (@error holds
 * where), ENOMEM, or why the file cannot be read.
 */
int nvme_mptcp_peer_read(const char *file, nvme_mptcp_peer_t *ret, char **error);

/**
 * nvme_mptcp_peer_free() - free what was read
 * @peer: Report, or NULL
 */
void nvme_mptcp_peer_free(nvme_mptcp_peer_t peer);

/**
 * nvme_mptcp_peer_hostname() - the machine that the report is of
 *
 * Return: A name, which may hold any character, or NULL if the report has none.
 */
const char *nvme_mptcp_peer_hostname(nvme_mptcp_peer_t peer);

/**
 * nvme_mptcp_peer_taken() - when the report was made
 *
 * Return: Seconds since 1970 by the clock of that machine.
 */
int64_t nvme_mptcp_peer_taken(nvme_mptcp_peer_t peer);

/**
 * nvme_mptcp_peer_finding() - what that machine found itself
 * @i:	      Number, from 0
 * @severity: Where to store "info", "warning" or "error"
 * @subject:  Where to store what it is about
 * @why:      Where to store the reason
 *
 * The texts are that machine's, and may hold any character.
 *
 * Return: The id of the rule, e.g. "H08", which may be one of a later version; NULL after the last one.
 */
const char *nvme_mptcp_peer_finding(nvme_mptcp_peer_t peer, size_t i, const char **severity,
				    const char **subject, const char **why);

/**
 * nvme_mptcp_peer_snapshot() - the snapshot that the report has
 *
 * Return: The snapshot, which belongs to @peer. Its strings are that machine's.
 */
nvme_mptcp_snapshot_t nvme_mptcp_peer_snapshot(nvme_mptcp_peer_t peer);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_REPORT_H */
