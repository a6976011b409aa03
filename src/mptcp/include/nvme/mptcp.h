/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What MPTCP does for the controllers of this machine: which connections and subflows carry a
 * controller, over which links, with which endpoints and limits.
 *
 * These functions are those of libnvme-mptcp, which needs libnvme 1.3 or later: link with -lnvme-mptcp -lnvme,
 * or by what pkg-config says of libnvme-mptcp.
 *
 * A snapshot is one consistent look, taken in a few netlink dumps. Everything in it is read-only,
 * belongs to the snapshot and lives until nvme_mptcp_snapshot_free(); it does not refer to the tree
 * that it was taken with. Unless noted otherwise, functions do not take NULL for a handle.
 *
 * What the kernel did not report is NVME_MPTCP_UNKNOWN, or NULL for strings, and never 0. What could
 * not be read at all is a problem of the snapshot, with the reason in words, see
 * nvme_mptcp_snapshot_problem(): without privileges or without MPTCP the rest is still there.
 *
 * Structures of arguments grow at their end, and args_size is the size that the caller knows. What a
 * shorter one does not have is 0, which is the default of each member. A longer one is taken if
 * everything in it that this library does not know is 0; else the call fails with E2BIG. One that ends
 * before its args_size does fails with EINVAL, as do other arguments that are wrong.
 *
 * Enumerations get further values at their end, which is why none has a last value to compare with or
 * to size an array by: handle those that you know, and take the others as something that is not
 * known yet. Functions that return the name of a value have "unknown" for one that they do not know
 * either. The parts of a snapshot and the numbers of a connection or a subflow end where their
 * name is NULL.
 *
 * Words: a connection is one MPTCP socket, which carries one NVMe queue; its subflows are TCP
 * sockets; the link of a subflow is the network interface that it leaves by.
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
 * @r:	   Tree that has been scanned: its controllers whose transport has
 *	   NVMF_TRANSPORT_SUBFLOWS are looked for among the connections. NULL: no controllers
 * @netns: Network namespace: a name below /run/netns, or a path such as /proc/1/ns/net. NULL:
 *	   the caller's
 * @ret:   Where to store the snapshot, to be freed with nvme_mptcp_snapshot_free()
 *
 * Another namespace is entered by a short-lived thread; the caller stays where it is. Nothing is
 * changed on the system.
 *
 * Return: 0, also if parts could not be read, see nvme_mptcp_snapshot_problem(). -1 with errno
 * if @netns cannot be entered (ENOENT, EPERM, EINVAL: not a network namespace) or memory is short
 * (ENOMEM); nvme_mptcp_error() has the sentence.
 */
int nvme_mptcp_snapshot_take(nvme_root_t r, const char *netns, nvme_mptcp_snapshot_t *ret);

/**
 * nvme_mptcp_snapshot_free() - free a snapshot with everything that came from it
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
 * nvme_mptcp_snapshot_errno() - the same for programs
 * @part: Part
 *
 * Return: 0 if the part is complete. EAGAIN: it was read, but changed meanwhile or had malformed
 * messages. Anything else: it could not be read; EOPNOTSUPP if the kernel has no such thing,
 * EPERM or EACCES if it does not let the caller see it.
 */
int nvme_mptcp_snapshot_errno(nvme_mptcp_snapshot_t snap, enum nvme_mptcp_part part);

/**
 * nvme_mptcp_error() - why a function failed
 * @err: The errno that it left
 *
 * Of every function of these headers that returns -1, or NULL with errno. What is wrong with an
 * argument begins with the name of the member, as in "host_iface=eth9: no such network interface".
 *
 * Return: A sentence that is the thread's until its next call of such a function: the reason of the
 * last failure if that left @err, otherwise the words of errno for @err. Never NULL.
 */
const char *nvme_mptcp_error(int err);

/**
 * nvme_mptcp_set_command() - name the program in commands and sentences of this library
 * @command: What its commands begin with, e.g. "nvme-mptcp": not copied, and used until the next call.
 *	     NULL: "nvme mptcp", which is the default
 *
 * Findings, plans and errors name commands to paste: "nvme mptcp repair", "nvme connect ...". A program that
 * has them under another name, "connect" included, says so before its first call of another function;
 * the name is the process's.
 */
void nvme_mptcp_set_command(const char *command);

/**
 * nvme_mptcp_memory_failures() - count failed reads, for lack of memory or other reasons
 *
 * What is unknown may be so because it could not be read. Who shows or writes something as complete reads
 * this before and after, and nvme_memory_failures(), which counts what libnvme did not read.
 *
 * Return: How many times that happened in this process, in any thread. Unless it is 0, errno is why:
 * ENOMEM, EMFILE or ENFILE where too many files were open, or EIO, EACCES or EPERM where something is
 * there and the kernel did not let it be read.
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
 * nvme_mptcp_snapshot_taken() - when the snapshot was taken
 *
 * Return: Milliseconds of CLOCK_BOOTTIME: the difference of two snapshots is the time between them.
 */
int64_t nvme_mptcp_snapshot_taken(nvme_mptcp_snapshot_t snap);

/**
 * nvme_mptcp_snapshot_netns() - the network namespace that was asked for
 *
 * Return: What nvme_mptcp_snapshot_take() was given: NULL for the caller's.
 */
const char *nvme_mptcp_snapshot_netns(nvme_mptcp_snapshot_t snap);

/**
 * nvme_mptcp_is_enabled() - may new sockets use MPTCP?
 *
 * Return: 1, 0, or NVME_MPTCP_UNKNOWN, which is what a kernel without MPTCP gives. net.mptcp.enabled.
 */
int nvme_mptcp_is_enabled(nvme_mptcp_snapshot_t snap);

/**
 * nvme_mptcp_path_manager() - who starts subflows
 *
 * Return: "kernel", "userspace" or another name; NULL if unknown. net.mptcp.path_manager, or
 * net.mptcp.pm_type where there is no such setting.
 */
const char *nvme_mptcp_path_manager(nvme_mptcp_snapshot_t snap);

/**
 * nvme_mptcp_scheduler() - who chooses the subflow for each segment
 *
 * Return: E.g. "default"; NULL if unknown. net.mptcp.scheduler.
 */
const char *nvme_mptcp_scheduler(nvme_mptcp_snapshot_t snap);

/**
 * nvme_mptcp_setting() - a file below /proc/sys/net/mptcp
 * @name: E.g. "allow_join_initial_addr_port"
 *
 * Return: Its value, or NULL if this kernel does not have it.
 */
const char *nvme_mptcp_setting(nvme_mptcp_snapshot_t snap, const char *name);

/**
 * nvme_mptcp_counter() - a counter of the network stack
 * @group: "MPTcpExt", "TcpExt", "Tcp", "Ip", ...
 * @name:  E.g. "MPJoinSynTx"
 *
 * Return: What has been counted in this network namespace since it was made, or NVME_MPTCP_UNKNOWN
 * if this kernel does not count that.
 */
int64_t nvme_mptcp_counter(nvme_mptcp_snapshot_t snap, const char *group, const char *name);

/**
 * nvme_mptcp_limit_subflows() - how many subflows a connection may have in addition to the initial one
 *
 * Return: The limit, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_limit_subflows(nvme_mptcp_snapshot_t snap);

/**
 * nvme_mptcp_limit_add_addr_accepted() - how many announced addresses a connection may accept
 *
 * Return: The limit, or NVME_MPTCP_UNKNOWN.
 */
int64_t nvme_mptcp_limit_add_addr_accepted(nvme_mptcp_snapshot_t snap);

/**
 * nvme_mptcp_snapshot_to_json() - a snapshot as a JSON document
 * @what:  Or-ed &enum nvme_mptcp_json
 * @ctrls: Names of the controllers to show, ended by NULL; NULL: all
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
