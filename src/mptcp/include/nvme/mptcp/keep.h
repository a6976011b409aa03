/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Holding a machine in the state that a configuration or a set-up has, see <nvme/mptcp.h>. */
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
 * struct nvme_mptcp_keeper_args - where and by which clock a keeper works
 * @netns:     Network namespace, as for nvme_mptcp_snapshot_take()
 * @state_dir: Directory that it notes in what it made, and makes if there is none; NULL: /run/nvme-mptcp
 * @clock:     The time in milliseconds, from any beginning and never falling; NULL: CLOCK_MONOTONIC
 * @clock_arg: What @clock is called with
 * @args_size: Size of this structure
 *
 * All pauses are by @clock. The lock and /run/nvme-mptcp, where plans note the endpoints that they
 * exchange, are the network namespace's, whatever is given here.
 */
struct nvme_mptcp_keeper_args {
	const char *netns;
	const char *state_dir;
	int64_t (*clock)(void *arg);
	void *clock_arg;
	int args_size;
};

/**
 * nvme_mptcp_keeper_open() - become the one that keeps a network namespace
 * @args:   Where
 * @ret:    Where to store the keeper, to be freed with nvme_mptcp_keeper_close()
 * @holder: Where to store the process that keeps it already, if errno is EBUSY; 0: not known
 *
 * What an earlier keeper of this namespace made is known again from a file in its directory; one
 * that is damaged is as good as none.
 *
 * The lock is a socket with an abstract name in the network namespace: it ends with the process, and
 * sockets of users other than root and the caller are ignored, with a note in each plan.
 *
 * Return: 0, or -1 with errno: EBUSY if another keeper has this namespace, ENOMEM, those of
 * nvme_mptcp_snapshot_take() for @args->netns, or why the directory cannot be used.
 */
int nvme_mptcp_keeper_open(const struct nvme_mptcp_keeper_args *args, nvme_mptcp_keeper_t *ret,
			   pid_t *holder);

/**
 * nvme_mptcp_keeper_look() - see what a keeper would do, while another one runs
 * @args: Where
 * @ret:  Where to store the keeper, to be freed with nvme_mptcp_keeper_close()
 *
 * As nvme_mptcp_keeper_open(), but it writes nothing, and nvme_mptcp_keeper_apply() fails with EPERM.
 * What the one that keeps waits for, and whom it leaves something to, is not known.
 *
 * Return: 0, or -1 with errno: ENOMEM, those of nvme_mptcp_snapshot_take() for @args->netns, or why
 * the file cannot be read.
 */
int nvme_mptcp_keeper_look(const struct nvme_mptcp_keeper_args *args, nvme_mptcp_keeper_t *ret);

/**
 * nvme_mptcp_keeper_close() - stop, and leave everything as it is
 * @keeper: Keeper, or NULL
 */
void nvme_mptcp_keeper_close(nvme_mptcp_keeper_t keeper);

/**
 * nvme_mptcp_keeper_listen() - listen to what may call for another round
 *
 * Links, addresses and routes by rtnetlink, subflows by the path manager, controllers by uevents.
 * Needs CAP_NET_ADMIN.
 *
 * Return: A descriptor for poll() that the keeper owns, or -1 with errno: EPERM, EOPNOTSUPP if the
 * kernel has no path manager.
 */
int nvme_mptcp_keeper_listen(nvme_mptcp_keeper_t keeper);

/**
 * nvme_mptcp_keeper_read() - take in what happened
 *
 * Does not wait. Call it when the descriptor is readable, or when the time of
 * nvme_mptcp_keeper_wait() is over: then endpoints, limits and settings are looked at, which the
 * kernel reports no changes of.
 *
 * Return: 0, or -1 with errno.
 */
int nvme_mptcp_keeper_read(nvme_mptcp_keeper_t keeper);

/**
 * nvme_mptcp_keeper_done() - what was done at once
 *
 * Some things cannot wait for a round: nvme_mptcp_keeper_read() and nvme_mptcp_keeper_plan() take
 * endpoints out of use whose link has lost its carrier, is down, or has lost their address, if
 * connections of controllers (on a target, those to its ports) have other links that work, and put
 * them back as they were once the link is well. A path on which a subflow has timed out and heard
 * nothing for 700 ms, while another of its connection was heard later, is treated likewise, and tried
 * again after pauses: that is looked for while nvme_mptcp_keeper_wait() is followed. The endpoint of a link that delivers less
 * than a quarter of what others of the same connections do, for a second in which data waits for it,
 * becomes a backup, and is none again after pauses. That is done to endpoints of other programs, too, but
 * never so that a connection of any program would end by it: then the endpoint becomes a backup.
 *
 * Rounds that take longer do the same in their pauses, so that nvme_mptcp_keeper_apply() may leave
 * steps of a plan to the next round.
 *
 * Return: The first of such plans that was not asked for yet, with the states of its steps, to be freed
 * with nvme_mptcp_plan_free(); NULL: nothing more was done.
 */
nvme_mptcp_plan_t nvme_mptcp_keeper_done(nvme_mptcp_keeper_t keeper);

/**
 * nvme_mptcp_keeper_end() - put back what is out of use
 *
 * For one that ends: endpoints that were taken out of use since their links are dead are put back as
 * they were, so that connections use them that are made after the links have returned. Those that
 * no program had made, see nvme_mptcp_keeper_done(), and those whose network interface is gone stay out
 * until the next keeper begins. nvme_mptcp_keeper_done() has what was done.
 *
 * Return: 0, or -1 with errno: ENOMEM, or why the network cannot be read.
 */
int nvme_mptcp_keeper_end(nvme_mptcp_keeper_t keeper);

/**
 * nvme_mptcp_keeper_out() - which links have endpoints that are out of use
 * @i:      Number, from 0
 *
 * Return: The name of the network interface, which the keeper owns until the next call of another of
 * its functions; "" if none has the endpoint's address; NULL after the last one.
 */
const char *nvme_mptcp_keeper_out(nvme_mptcp_keeper_t keeper, size_t i);

/**
 * nvme_mptcp_keeper_slow() - whether an endpoint is out of use since its link is slow
 * @i:      Number, as for nvme_mptcp_keeper_out()
 *
 * Return: Is it a backup because its link delivers far less than others? Otherwise its link is dead, or
 * it is about to be put back.
 */
bool nvme_mptcp_keeper_slow(nvme_mptcp_keeper_t keeper, size_t i);

/**
 * nvme_mptcp_keeper_wait() - how long there is nothing to do
 *
 * Return: Milliseconds until nvme_mptcp_keeper_read() is to be called whatever happens, 0: a round is
 * due, see nvme_mptcp_keeper_plan(); -1: nothing is due.
 */
int nvme_mptcp_keeper_wait(nvme_mptcp_keeper_t keeper);

/**
 * nvme_mptcp_keeper_forgive() - start over, with a round once things are quiet
 *
 * Things left to another program that kept changing them are kept again; pauses after failures end.
 */
void nvme_mptcp_keeper_forgive(nvme_mptcp_keeper_t keeper);

/**
 * struct nvme_mptcp_keep_args - what is to be kept
 * @config:    Configuration whose objects are kept, as for nvme_mptcp_plan_config(); NULL: what
 *	       nvme_mptcp_setup() plans
 * @traddrs:   As in struct nvme_mptcp_setup_args
 * @devices:   Likewise; those that are not there are waited for
 * @args_size: Size of this structure
 * @role:      Side; NVME_MPTCP_ROLE_AUTO: a host once there are controllers or @traddrs, a target
 *	       once there is a port with several subflows
 * @adopt:     Also keep existing endpoints with the required settings, of any program
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
 * @args:   What is to be kept
 * @ret:    Where to store the plan, to be freed with nvme_mptcp_plan_free()
 *
 * What is missing of endpoints, limits and settings; if nothing is, the endpoints to renew as
 * nvme_mptcp_repair() has it, where no subflow works on them. Only what the keeper made is changed,
 * and what another program changes twice in a minute is left to it for a minute, for twice as long
 * each time that it does so again, and for an hour at most; notes list what is left alone.
 *
 * Return: 0, or -1 with errno as nvme_mptcp_setup() and nvme_mptcp_plan_config().
 */
int nvme_mptcp_keeper_plan(nvme_mptcp_keeper_t keeper, const struct nvme_mptcp_keep_args *args,
			   nvme_mptcp_plan_t *ret);

/**
 * nvme_mptcp_keeper_restore() - plan to take back all that keepers of this namespace made
 * @ret:    Where to store the plan, to be freed with nvme_mptcp_plan_free()
 *
 * Endpoints that were adopted stay, and so do limits that another program has changed since.
 *
 * Return: 0, or -1 with errno: ENOMEM, those of nvme_mptcp_snapshot_take().
 */
int nvme_mptcp_keeper_restore(nvme_mptcp_keeper_t keeper, nvme_mptcp_plan_t *ret);

/**
 * nvme_mptcp_keeper_apply() - do what a round has planned
 * @plan:   Plan of nvme_mptcp_keeper_plan() or nvme_mptcp_keeper_restore()
 *
 * What will be made is recorded first, so that the next keeper knows all of it even if this process
 * is killed. After each failure in a row, the next round comes later.
 *
 * Return: 0, or -1 with errno as nvme_mptcp_plan_apply(), EPERM for one that only looks, or why the
 * file cannot be written: then nothing was done.
 */
int nvme_mptcp_keeper_apply(nvme_mptcp_keeper_t keeper, nvme_mptcp_plan_t plan);

/**
 * nvme_mptcp_keeper_snapshot() - what the last round saw
 *
 * Return: A snapshot that the keeper owns until the next round, or NULL before the first one.
 */
nvme_mptcp_snapshot_t nvme_mptcp_keeper_snapshot(nvme_mptcp_keeper_t keeper);

/** nvme_mptcp_keeper_file() - where the keeper notes what it made */
const char *nvme_mptcp_keeper_file(nvme_mptcp_keeper_t keeper);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_KEEP_H */
