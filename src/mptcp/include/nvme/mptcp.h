/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * MPTCP for the controllers of this machine: the connections and subflows that carry a controller,
 * their links, endpoints and limits.
 *
 * These functions are in libnvme-mptcp, which needs libnvme 1.3 or later: link with -lnvme-mptcp
 * -lnvme, or use pkg-config for libnvme-mptcp.
 *
 * A snapshot is one consistent state, read with a few netlink dumps. Everything in it is read-only,
 * belongs to the snapshot and is valid until nvme_mptcp_snapshot_free(); it does not refer to the
 * tree that it was taken with. Unless noted otherwise, functions do not accept NULL for a handle.
 *
 * A value that the kernel does not report is NVME_MPTCP_UNKNOWN, or NULL for strings, and never 0.
 * Data that could not be read, e.g. without privileges or without MPTCP, is a problem of the
 * snapshot with a reason as text, see nvme_mptcp_snapshot_problem(); the rest is available.
 *
 * Argument structures grow at their end; args_size is the size that the caller knows. Members
 * beyond a shorter structure are 0, which is the default of each member. A longer structure is
 * accepted if all members that this library does not know are 0; otherwise the call fails with
 * E2BIG. A structure that ends before args_size is invalid: the call fails with EINVAL, as for
 * other invalid arguments.
 *
 * Enumerations get new values at their end, so they have no last value for comparisons or array
 * sizes: handle the values that you know, and treat all others as unknown. Functions that return
 * the name of a value return "unknown" for values that they do not know. The parts of a snapshot
 * and the statistics of a connection or a subflow end where their name is NULL.
 *
 * Terms: a connection is one MPTCP socket, which carries one NVMe queue; its subflows are TCP
 * sockets; the link of a subflow is the network interface that sends its packets.
 */
#ifndef _LIBNVME_MPTCP_H
#define _LIBNVME_MPTCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvme/mptcp/check.h>
#include <nvme/mptcp/config.h>
#include <nvme/mptcp/connection.h>
#include <nvme/mptcp/coverage.h>
#include <nvme/mptcp/event.h>
#include <nvme/mptcp/keep.h>
#include <nvme/mptcp/link.h>
#include <nvme/mptcp/metrics.h>
#include <nvme/mptcp/plan.h>
#include <nvme/mptcp/recorder.h>
#include <nvme/mptcp/relay.h>
#include <nvme/mptcp/report.h>
#include <nvme/mptcp/trial.h>
#include <nvme/mptcp/types.h>
#include <nvme/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * nvme_mptcp_snapshot_take() - read the state of MPTCP and of the controllers that use it
 * @r:	   Scanned tree: connections are attributed to its controllers whose transport has
 *	   NVMF_TRANSPORT_SUBFLOWS. NULL: no controllers
 * @netns: Network namespace: a name below /run/netns, or a path such as /proc/1/ns/net. NULL:
 *	   the caller's
 * @ret:   Where to store the snapshot, to be freed with nvme_mptcp_snapshot_free()
 *
 * A short-lived thread enters another namespace; the caller stays in its own. Nothing on the system
 * is changed.
 *
 * Return: 0, also if parts could not be read, see nvme_mptcp_snapshot_problem(). -1 with errno if
 * @netns cannot be entered (ENOENT, EPERM, EINVAL: not a network namespace) or memory is exhausted
 * (ENOMEM); nvme_mptcp_error() returns the reason.
 */
int nvme_mptcp_snapshot_take(nvme_root_t r, const char *netns, nvme_mptcp_snapshot_t *ret);

/**
 * nvme_mptcp_snapshot_free() - free a snapshot and everything that belongs to it
 * @snap: Snapshot, or NULL
 */
void nvme_mptcp_snapshot_free(nvme_mptcp_snapshot_t snap);

/**
 * nvme_mptcp_snapshot_problem() - why a part of the snapshot is missing or incomplete
 * @part: Part
 *
 * Return: A sentence, or NULL if the part is complete.
 */
const char *nvme_mptcp_snapshot_problem(nvme_mptcp_snapshot_t snap, enum nvme_mptcp_part part);

/**
 * nvme_mptcp_snapshot_errno() - errno for a missing or incomplete part
 * @part: Part
 *
 * Return: 0 if the part is complete. EAGAIN if it was read, but changed meanwhile or had malformed
 * messages. Any other errno if it could not be read: EOPNOTSUPP if the kernel does not support it,
 * EPERM or EACCES without the privilege.
 */
int nvme_mptcp_snapshot_errno(nvme_mptcp_snapshot_t snap, enum nvme_mptcp_part part);

/**
 * nvme_mptcp_error() - why a function failed
 * @err: errno after the failure
 *
 * For every function of these headers that returns -1, or NULL with errno. Errors in arguments
 * begin with the name of the member, e.g. "host_iface=eth9: no such network interface".
 *
 * Return: A sentence that is valid until the thread's next call of such a function: the reason of
 * the last failure if its errno was @err, otherwise strerror(@err). Never NULL.
 */
const char *nvme_mptcp_error(int err);

/**
 * nvme_mptcp_set_command() - set the program name in commands and messages of this library
 * @command: Start of its commands, e.g. "nvme-mptcp": not copied, used until the next call. NULL:
 *	     "nvme mptcp", the default
 *
 * Findings, plans and errors contain commands to paste: "nvme mptcp repair", "nvme connect ...". A
 * program with other names for all of them, "connect" included, calls this before any other
 * function. The setting is global to the process.
 */
void nvme_mptcp_set_command(const char *command);

/**
 * nvme_mptcp_memory_failures() - count failed reads, for lack of memory or other reasons
 *
 * Unknown values may be caused by failed reads. Callers that present a result as complete compare
 * this count before and after, and nvme_memory_failures(), which counts the failed reads of
 * libnvme.
 *
 * Return: The number of failures in this process, in any thread. Unless it is 0, errno is the
 * reason of the last one: ENOMEM, EMFILE or ENFILE if too many files were open, or EIO, EACCES or
 * EPERM if the kernel refused to let existing data be read.
 */
unsigned int nvme_mptcp_memory_failures(void);

/**
 * nvme_mptcp_part_name() - short name of a part, as in JSON
 * @part: Part
 *
 * Return: A static string such as "endpoints", or NULL after the last part.
 */
const char *nvme_mptcp_part_name(enum nvme_mptcp_part part);

/**
 * nvme_mptcp_snapshot_taken() - time of a snapshot
 *
 * Return: Milliseconds of CLOCK_BOOTTIME: the difference between two snapshots is the time between
 * them.
 */
int64_t nvme_mptcp_snapshot_taken(nvme_mptcp_snapshot_t snap);

/**
 * nvme_mptcp_snapshot_netns() - network namespace of a snapshot
 *
 * Return: The argument of nvme_mptcp_snapshot_take(): NULL for the caller's.
 */
const char *nvme_mptcp_snapshot_netns(nvme_mptcp_snapshot_t snap);

/**
 * nvme_mptcp_is_enabled() - whether new sockets may use MPTCP
 *
 * Return: 1, 0, or NVME_MPTCP_UNKNOWN, e.g. if the kernel has no MPTCP: net.mptcp.enabled.
 */
int nvme_mptcp_is_enabled(nvme_mptcp_snapshot_t snap);

/**
 * nvme_mptcp_path_manager() - path manager, which starts subflows
 *
 * Return: "kernel", "userspace" or another name; NULL if unknown: net.mptcp.path_manager, or
 * net.mptcp.pm_type on kernels without it.
 */
const char *nvme_mptcp_path_manager(nvme_mptcp_snapshot_t snap);

/**
 * nvme_mptcp_scheduler() - packet scheduler, which selects the subflow for each segment
 *
 * Return: E.g. "default"; NULL if unknown: net.mptcp.scheduler.
 */
const char *nvme_mptcp_scheduler(nvme_mptcp_snapshot_t snap);

/**
 * nvme_mptcp_setting() - value of a file in /proc/sys/net/mptcp
 * @name: E.g. "allow_join_initial_addr_port"
 *
 * Return: Its value, or NULL if this kernel does not have it.
 */
const char *nvme_mptcp_setting(nvme_mptcp_snapshot_t snap, const char *name);

/**
 * nvme_mptcp_counter() - get a counter of the network stack
 * @group: "MPTcpExt", "TcpExt", "Tcp", "Ip", ...
 * @name:  E.g. "MPJoinSynTx"
 *
 * Return: The count since the network namespace was created, or NVME_MPTCP_UNKNOWN if this kernel
 * does not have the counter.
 */
int64_t nvme_mptcp_counter(nvme_mptcp_snapshot_t snap, const char *group, const char *name);

/**
 * nvme_mptcp_limit_subflows() - maximum number of subflows of a connection in addition to the
 * initial one
 *
 * Return: The limit, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_limit_subflows(nvme_mptcp_snapshot_t snap);

/**
 * nvme_mptcp_limit_add_addr_accepted() - maximum number of announced addresses that a connection
 * accepts
 *
 * Return: The limit, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_limit_add_addr_accepted(nvme_mptcp_snapshot_t snap);

/**
 * nvme_mptcp_snapshot_to_json() - write a snapshot as a JSON document
 * @what:  Or-ed &enum nvme_mptcp_json
 * @ctrls: Names of the controllers to include, terminated by NULL; NULL: all
 *
 * The document follows the schema mptcp-snapshot.json.
 *
 * Return: A string to be freed, or NULL with errno ENOMEM.
 */
char *nvme_mptcp_snapshot_to_json(nvme_mptcp_snapshot_t snap, unsigned int what,
				  const char *const *ctrls);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_H */
