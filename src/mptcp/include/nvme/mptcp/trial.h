/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A trial connection: what would happen on connecting, see <nvme/mptcp.h>. */
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
 * enum nvme_mptcp_trial_outcome - what became of a trial
 * @NVME_MPTCP_TRIAL_MPTCP:	    An NVMe target answered, over MPTCP
 * @NVME_MPTCP_TRIAL_FALLBACK:	    An NVMe target answered, over plain TCP
 * @NVME_MPTCP_TRIAL_NO_SOCKET:	    The kernel made no MPTCP socket
 * @NVME_MPTCP_TRIAL_NO_CONNECTION: No connection came about
 * @NVME_MPTCP_TRIAL_NO_TARGET:	    There was a connection, and no NVMe target at its other end
 */
enum nvme_mptcp_trial_outcome {
	NVME_MPTCP_TRIAL_MPTCP,
	NVME_MPTCP_TRIAL_FALLBACK,
	NVME_MPTCP_TRIAL_NO_SOCKET,
	NVME_MPTCP_TRIAL_NO_CONNECTION,
	NVME_MPTCP_TRIAL_NO_TARGET,
};

/**
 * struct nvme_mptcp_trial_args - where nvme_mptcp_try() is to connect to
 * @netns:	 Network namespace, as for nvme_mptcp_snapshot_take()
 * @traddr:	 IP address of the target
 * @trsvcid:	 Its port; NULL: 4420
 * @host_traddr: Address to connect from, or NULL
 * @host_iface:	 Interface to connect by, or NULL
 * @args_size:	 Size of this structure
 * @timeout_ms:	 How long a connection and an answer may take each; 0: 6 seconds
 * @watch_ms:	 How long subflows are waited for at most; 0: 3.5 seconds
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
 * nvme_mptcp_try() - connect to a target as a host would, watch, and close
 * @args: Where to
 * @ret:  Where to store the trial, to be freed with nvme_mptcp_trial_free()
 *
 * An MPTCP socket of the calling process connects to the portal and exchanges ICReq and ICResp (NVMe
 * TCP Transport Specification), after which the kernel starts subflows; no controller is created,
 * and no Connect command is sent. The subflows are watched until nothing changes any more, and the
 * connection is reset, so that neither side keeps anything of it. Takes about a second and a half,
 * and no longer than the times in @args. Needs neither an nvme module nor privileges; without
 * CAP_NET_ADMIN the path manager's events, which give the reason of a failed subflow, are missing.
 *
 * Return: 0, also if no connection came about, see nvme_mptcp_trial_outcome(). -1 with errno:
 * EINVAL if @args is wrong (also an address or port that is none), ENODEV if @netns has no interface
 * @host_iface, or none that the zone of an address names ("fe80::1%eth0"), EADDRNOTAVAIL if nothing has the address @host_traddr, EPERM if the kernel does not
 * let the caller bind, ENOMEM, or why the namespace cannot be entered.
 */
int nvme_mptcp_try(const struct nvme_mptcp_trial_args *args, nvme_mptcp_trial_t *ret);

/**
 * nvme_mptcp_trial_free() - free a trial with everything that came from it
 * @trial: Trial, or NULL
 */
void nvme_mptcp_trial_free(nvme_mptcp_trial_t trial);

/** nvme_mptcp_trial_outcome() - what became of it */
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
 * nvme_mptcp_trial_portal() - where it connected to
 *
 * Return: E.g. "192.0.2.1:4420" or "[2001:db8::1]:4420".
 */
const char *nvme_mptcp_trial_portal(nvme_mptcp_trial_t trial);

/**
 * nvme_mptcp_trial_reason() - why it is not NVME_MPTCP_TRIAL_MPTCP
 *
 * Return: A sentence, or NULL if it is.
 */
const char *nvme_mptcp_trial_reason(nvme_mptcp_trial_t trial);

/**
 * nvme_mptcp_trial_expected() - how many subflows the connection should have had
 *
 * One for each link that an endpoint of this host, or an announced address, adds to the initial one.
 *
 * Return: The number, which is at least 1, or NVME_MPTCP_UNKNOWN without an MPTCP connection.
 */
int64_t nvme_mptcp_trial_expected(nvme_mptcp_trial_t trial);

/**
 * nvme_mptcp_trial_announced() - how many addresses the target announced
 *
 * Return: The number, which may include what was announced to other connections meanwhile if the
 * caller may not see events; NVME_MPTCP_UNKNOWN if the kernel does not count them.
 */
int64_t nvme_mptcp_trial_announced(nvme_mptcp_trial_t trial);

/**
 * nvme_mptcp_trial_announced_address() - the addresses that the target announced
 * @i:	   Number, from 0
 *
 * Return: An address with its port if that was announced as well, or NULL after the last one;
 * always NULL without CAP_NET_ADMIN.
 */
const char *nvme_mptcp_trial_announced_address(nvme_mptcp_trial_t trial, size_t i);

/**
 * nvme_mptcp_trial_connection() - the connection as it was before it was closed
 *
 * Return: The connection with its subflows, those under way included; NULL if there was none, or if
 * this kernel does not list sockets. It lives as long as @trial.
 */
nvme_mptcp_connection_t nvme_mptcp_trial_connection(nvme_mptcp_trial_t trial);

/**
 * nvme_mptcp_trial_snapshot() - the machine while the connection was there
 *
 * Return: A snapshot without controllers that lives as long as @trial.
 */
nvme_mptcp_snapshot_t nvme_mptcp_trial_snapshot(nvme_mptcp_trial_t trial);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_TRIAL_H */
