/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeping a machine in the state of a configuration or set-up, see <nvme/mptcp.h>. */
#ifndef _LIBNVME_MPTCP_KEEP_H
#define _LIBNVME_MPTCP_KEEP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <nvme/mptcp/config.h>
#include <nvme/mptcp/plan.h>
#include <nvme/mptcp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nvme_mptcp_keeper *nvme_mptcp_keeper_t;

/**
 * struct nvme_mptcp_keeper_args - namespace, directory and clock of a keeper
 * @netns:     Network namespace, as for nvme_mptcp_snapshot_take()
 * @state_dir: Directory for the record of its changes, created if missing; NULL: /run/nvme-mptcp
 * @clock:     Function that returns a monotonic time in milliseconds, with any origin; NULL:
 *	       CLOCK_MONOTONIC
 * @clock_arg: Argument of @clock
 * @args_size: Size of this structure
 *
 * All pauses use @clock. The lock and /run/nvme-mptcp, where plans record the endpoints that they
 * replace, belong to the network namespace and do not depend on these arguments.
 */
struct nvme_mptcp_keeper_args {
	const char *netns;
	const char *state_dir;
	int64_t (*clock)(void *arg);
	void *clock_arg;
	int args_size;
};

/**
 * nvme_mptcp_keeper_open() - become the keeper of a network namespace
 * @args:   Namespace, directory and clock
 * @ret:    Where to store the keeper, to be freed with nvme_mptcp_keeper_close()
 * @holder: Where to store the id of the current keeper's process if errno is EBUSY; 0: unknown
 *
 * Changes of an earlier keeper of this namespace are read from a file in its directory; a damaged
 * file is ignored.
 *
 * The lock is an abstract socket in the network namespace: it ends with the process. Sockets of
 * users other than root and the caller are ignored, with a note in each plan.
 *
 * Return: 0, or -1 with errno: EBUSY if another keeper has this namespace, ENOMEM, the errors of
 * nvme_mptcp_snapshot_take() for @args->netns, or the reason why the directory cannot be used.
 */
int nvme_mptcp_keeper_open(const struct nvme_mptcp_keeper_args *args, nvme_mptcp_keeper_t *ret,
			   pid_t *holder);

/**
 * nvme_mptcp_keeper_look() - open a read-only keeper, which shows what a keeper would do while
 * another one runs
 * @args: Namespace, directory and clock
 * @ret:  Where to store the keeper, to be freed with nvme_mptcp_keeper_close()
 *
 * Like nvme_mptcp_keeper_open(), but it writes nothing, and nvme_mptcp_keeper_apply() fails with
 * EPERM. It does not know the pauses of the running keeper, nor which objects that one leaves to
 * other programs.
 *
 * Return: 0, or -1 with errno: ENOMEM, the errors of nvme_mptcp_snapshot_take() for @args->netns,
 * or the reason why the file cannot be read.
 */
int nvme_mptcp_keeper_look(const struct nvme_mptcp_keeper_args *args, nvme_mptcp_keeper_t *ret);

/**
 * nvme_mptcp_keeper_close() - close a keeper and change nothing
 * @keeper: Keeper, or NULL
 */
void nvme_mptcp_keeper_close(nvme_mptcp_keeper_t keeper);

/**
 * nvme_mptcp_keeper_listen() - listen for events that may require another round
 *
 * Listens for links, addresses and routes on rtnetlink, for subflows on the path manager's netlink
 * family, and for controllers on uevents. Needs CAP_NET_ADMIN.
 *
 * Return: A descriptor for poll() that the keeper owns, or -1 with errno: EPERM, EOPNOTSUPP if the
 * kernel has no path manager.
 */
int nvme_mptcp_keeper_listen(nvme_mptcp_keeper_t keeper);

/**
 * nvme_mptcp_keeper_read() - process pending events
 *
 * Does not wait. Call it when the descriptor is readable, and when the time of
 * nvme_mptcp_keeper_wait() has passed: it then checks endpoints, limits and settings, for which the
 * kernel sends no events.
 *
 * Return: 0, or -1 with errno.
 */
int nvme_mptcp_keeper_read(nvme_mptcp_keeper_t keeper);

/**
 * nvme_mptcp_keeper_done() - immediate changes outside a round
 *
 * Some changes cannot wait for a round. nvme_mptcp_keeper_read() and nvme_mptcp_keeper_plan()
 * disable endpoints whose link has lost its carrier, is down or has lost their address, if
 * connections of controllers (on a target, connections to its ports) have other working links, and
 * restore them when the link works again. They do the same for a path on which a subflow has timed
 * out and received nothing for 700 ms while another subflow of its connection has received data
 * since, and retry it after pauses; this is checked while the caller follows
 * nvme_mptcp_keeper_wait(). The endpoint of a link becomes a backup if the link delivers less than
 * a quarter of what other links of the same connections do, for a second in which data waits for
 * it; the backup flag is removed again after pauses. This also applies to endpoints of other
 * programs, but never so that a connection of any program would end: then the endpoint becomes a
 * backup instead.
 *
 * Long rounds do the same in their pauses, so nvme_mptcp_keeper_apply() may leave steps of a plan
 * to the next round.
 *
 * Return: The next plan of such changes that was not returned yet, with the states of its steps, to
 * be freed with nvme_mptcp_plan_free(); NULL if there is none.
 */
nvme_mptcp_plan_t nvme_mptcp_keeper_done(nvme_mptcp_keeper_t keeper);

/**
 * nvme_mptcp_keeper_end() - restore disabled endpoints
 *
 * For a keeper that ends: restores endpoints that were disabled because of dead links, so that
 * connections made after the links return use them. Endpoints that no program created, see
 * nvme_mptcp_keeper_done(), and those whose network interface is gone stay disabled until the next
 * keeper starts. nvme_mptcp_keeper_done() returns the changes.
 *
 * Return: 0, or -1 with errno: ENOMEM, or the reason why the network cannot be read.
 */
int nvme_mptcp_keeper_end(nvme_mptcp_keeper_t keeper);

/**
 * nvme_mptcp_keeper_out() - list the links of disabled endpoints
 * @i:      Number, from 0
 *
 * Return: The name of the network interface, owned by the keeper until the next call of another
 * keeper function; "" if no interface has the endpoint's address; NULL after the last one.
 */
const char *nvme_mptcp_keeper_out(nvme_mptcp_keeper_t keeper, size_t i);

/**
 * nvme_mptcp_keeper_slow() - whether an endpoint is disabled because its link is slow
 * @i:      Number, as for nvme_mptcp_keeper_out()
 *
 * Return: true if it is a backup because its link delivers far less than others; false if its link
 * is dead, or the endpoint is about to be restored.
 */
bool nvme_mptcp_keeper_slow(nvme_mptcp_keeper_t keeper, size_t i);

/**
 * nvme_mptcp_keeper_wait() - time until the next action
 *
 * Return: Milliseconds until nvme_mptcp_keeper_read() must be called even without events; 0 if a
 * round is due, see nvme_mptcp_keeper_plan(); -1 if nothing is due.
 */
int nvme_mptcp_keeper_wait(nvme_mptcp_keeper_t keeper);

/**
 * nvme_mptcp_keeper_forgive() - reset all pauses, with a round once events have settled
 *
 * Objects that were left to another program, because it kept changing them, are kept again; pauses
 * after failures end.
 */
void nvme_mptcp_keeper_forgive(nvme_mptcp_keeper_t keeper);

/**
 * struct nvme_mptcp_keep_args - the state to keep
 * @config:    Configuration whose objects are kept, as for nvme_mptcp_plan_config(); NULL: keep the
 *	       plan of nvme_mptcp_setup()
 * @traddrs:   As in struct nvme_mptcp_setup_args
 * @devices:   As in struct nvme_mptcp_setup_args, but missing ones are waited for
 * @args_size: Size of this structure
 * @role:      Side; NVME_MPTCP_ROLE_AUTO: host as soon as there are controllers or @traddrs, target
 *	       as soon as there is a port with several subflows
 * @adopt:     Also keep existing endpoints of any program that have the required settings
 */
struct nvme_mptcp_keep_args {
	nvme_mptcp_config_t config;
	const char *const *traddrs;
	const char *const *devices;
	int args_size;
	enum nvme_mptcp_role role;
	bool adopt;
};

/**
 * nvme_mptcp_keeper_plan() - plan a round
 * @args:   State to keep
 * @ret:    Where to store the plan, to be freed with nvme_mptcp_plan_free()
 *
 * Plans missing endpoints, limits and settings. If none are missing, it plans to renew endpoints
 * without working subflows like nvme_mptcp_repair(). Only objects that the keeper made are changed.
 * An object that another program changes twice in a minute is left to that program for a minute,
 * then for twice as long each time it happens again, and for an hour at most; notes list these
 * objects.
 *
 * Return: 0, or -1 with errno as nvme_mptcp_setup() and nvme_mptcp_plan_config().
 */
int nvme_mptcp_keeper_plan(nvme_mptcp_keeper_t keeper, const struct nvme_mptcp_keep_args *args,
			   nvme_mptcp_plan_t *ret);

/**
 * nvme_mptcp_keeper_restore() - plan to undo all changes of keepers of this namespace
 * @ret:    Where to store the plan, to be freed with nvme_mptcp_plan_free()
 *
 * Adopted endpoints stay, and so do limits that another program has changed since.
 *
 * Return: 0, or -1 with errno: ENOMEM, or the errors of nvme_mptcp_snapshot_take().
 */
int nvme_mptcp_keeper_restore(nvme_mptcp_keeper_t keeper, nvme_mptcp_plan_t *ret);

/**
 * nvme_mptcp_keeper_apply() - apply the plan of a round
 * @plan:   Plan of nvme_mptcp_keeper_plan() or nvme_mptcp_keeper_restore()
 *
 * Planned changes are recorded first, so that the next keeper knows all of them even if this
 * process is killed. After each consecutive failure, the next round comes later.
 *
 * Return: 0, or -1 with errno as nvme_mptcp_plan_apply(); EPERM for a read-only keeper; or the
 * reason why the file cannot be written, when nothing was done.
 */
int nvme_mptcp_keeper_apply(nvme_mptcp_keeper_t keeper, nvme_mptcp_plan_t plan);

/**
 * nvme_mptcp_keeper_snapshot() - snapshot of the last round
 *
 * Return: A snapshot that the keeper owns until the next round, or NULL before the first one.
 */
nvme_mptcp_snapshot_t nvme_mptcp_keeper_snapshot(nvme_mptcp_keeper_t keeper);

/** nvme_mptcp_keeper_file() - name of the file with the record of the keeper's changes */
const char *nvme_mptcp_keeper_file(nvme_mptcp_keeper_t keeper);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_KEEP_H */
