/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Trial connections, which show what would happen on connecting, see <nvme/mptcp.h>. */
#ifndef _LIBNVME_MPTCP_TRIAL_H
#define _LIBNVME_MPTCP_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nvme/mptcp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nvme_mptcp_trial *nvme_mptcp_trial_t;

/**
 * enum nvme_mptcp_trial_outcome - outcomes of a trial
 * @NVME_MPTCP_TRIAL_MPTCP:	    An NVMe target answered over MPTCP
 * @NVME_MPTCP_TRIAL_FALLBACK:	    An NVMe target answered over plain TCP
 * @NVME_MPTCP_TRIAL_NO_SOCKET:	    The kernel refused to create an MPTCP socket
 * @NVME_MPTCP_TRIAL_NO_CONNECTION: No connection was established
 * @NVME_MPTCP_TRIAL_NO_TARGET:	    A connection was established, but the peer is no NVMe target
 */
enum nvme_mptcp_trial_outcome {
	NVME_MPTCP_TRIAL_MPTCP,
	NVME_MPTCP_TRIAL_FALLBACK,
	NVME_MPTCP_TRIAL_NO_SOCKET,
	NVME_MPTCP_TRIAL_NO_CONNECTION,
	NVME_MPTCP_TRIAL_NO_TARGET,
};

/**
 * struct nvme_mptcp_trial_args - arguments of nvme_mptcp_try()
 * @netns:	 Network namespace, as for nvme_mptcp_snapshot_take()
 * @traddr:	 IP address of the target
 * @trsvcid:	 Its port; NULL: 4420
 * @host_traddr: Address to connect from, or NULL
 * @host_iface:	 Interface to connect over, or NULL
 * @args_size:	 Size of this structure
 * @timeout_ms:	 Timeout of the connection and of the answer, each; 0: 6 seconds
 * @watch_ms:	 Maximum time to wait for a subflow after it started; 0: 3.5 seconds. All together
 *		 take at most three times as long
 */
struct nvme_mptcp_trial_args {
	const char *netns;
	const char *traddr;
	const char *trsvcid;
	const char *host_traddr;
	const char *host_iface;
	int args_size;
	unsigned int timeout_ms;
	unsigned int watch_ms;
};

/**
 * nvme_mptcp_try() - connect to a target like a host, observe the subflows, and close
 * @args: Where to
 * @ret:  Where to store the trial, to be freed with nvme_mptcp_trial_free()
 *
 * An MPTCP socket of the calling process connects to the portal and exchanges ICReq and ICResp
 * (NVMe TCP Transport Specification), after which the kernel starts subflows; no controller is
 * created, and no Connect command is sent. The subflows are observed until they are stable, then
 * the connection is reset, so that neither side keeps any state. This takes about 1.5 s, and no
 * longer than the times in @args permit. Needs neither an nvme module nor privileges; without
 * CAP_NET_ADMIN the path manager's events, which give the reason of a failed subflow, are missing.
 *
 * Return: 0, also if no connection was established, see nvme_mptcp_trial_outcome(). -1 with errno:
 * EINVAL if @args is invalid (also for an invalid address or port), ENODEV if @netns has no
 * interface @host_iface, or none that the zone of an address names ("fe80::1%eth0"), EADDRNOTAVAIL
 * if no interface has the address @host_traddr, EPERM if the kernel does not let the caller bind,
 * ENOMEM, or the reason why the namespace cannot be entered.
 */
int nvme_mptcp_try(const struct nvme_mptcp_trial_args *args, nvme_mptcp_trial_t *ret);

/**
 * nvme_mptcp_trial_free() - free a trial and everything that belongs to it
 * @trial: Trial, or NULL
 */
void nvme_mptcp_trial_free(nvme_mptcp_trial_t trial);

/** nvme_mptcp_trial_outcome() - outcome of a trial */
enum nvme_mptcp_trial_outcome nvme_mptcp_trial_outcome(nvme_mptcp_trial_t trial);

/**
 * nvme_mptcp_trial_outcome_name() - name of an outcome, as in JSON
 * @outcome: Outcome
 *
 * Return: "mptcp", "fallback", "no-socket", "no-connection" or "no-target"; "unknown" for
 * any other.
 */
const char *nvme_mptcp_trial_outcome_name(enum nvme_mptcp_trial_outcome outcome);

/**
 * nvme_mptcp_trial_portal() - portal of a trial
 *
 * Return: E.g. "192.0.2.1:4420" or "[2001:db8::1]:4420".
 */
const char *nvme_mptcp_trial_portal(nvme_mptcp_trial_t trial);

/**
 * nvme_mptcp_trial_reason() - why the outcome is not NVME_MPTCP_TRIAL_MPTCP
 *
 * Return: A sentence, or NULL if it is.
 */
const char *nvme_mptcp_trial_reason(nvme_mptcp_trial_t trial);

/**
 * nvme_mptcp_trial_expected() - expected number of subflows
 *
 * The initial subflow, and one for each link that an endpoint of this host or an announced address
 * adds.
 *
 * Return: The number, at least 1, or NVME_MPTCP_UNKNOWN without an MPTCP connection.
 */
int64_t nvme_mptcp_trial_expected(nvme_mptcp_trial_t trial);

/**
 * nvme_mptcp_trial_announced() - number of addresses that the target announced
 *
 * Return: The number, which may include addresses that were announced to other connections
 * meanwhile if the caller may not see events; NVME_MPTCP_UNKNOWN if the kernel does not count them.
 */
int64_t nvme_mptcp_trial_announced(nvme_mptcp_trial_t trial);

/**
 * nvme_mptcp_trial_announced_address() - list the addresses that the target announced
 * @i:	   Number, from 0
 *
 * Return: An address, with its port if that was announced as well, or NULL after the last one;
 * always NULL without CAP_NET_ADMIN.
 */
const char *nvme_mptcp_trial_announced_address(nvme_mptcp_trial_t trial, size_t i);

/**
 * nvme_mptcp_trial_connection() - state of the connection before it was closed
 *
 * Return: The connection with its subflows, including pending ones; NULL if there was none, or if
 * the kernel does not list sockets. It is valid as long as @trial.
 */
nvme_mptcp_connection_t nvme_mptcp_trial_connection(nvme_mptcp_trial_t trial);

/**
 * nvme_mptcp_trial_snapshot() - state of the machine during the connection
 *
 * Return: A snapshot without controllers, valid as long as @trial.
 */
nvme_mptcp_snapshot_t nvme_mptcp_trial_snapshot(nvme_mptcp_trial_t trial);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_TRIAL_H */
