/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans for endpoints and limits that let every connection use every link, see <nvme/mptcp.h>. */
#ifndef _LIBNVME_MPTCP_PLAN_H
#define _LIBNVME_MPTCP_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include <nvme/mptcp/check.h>
#include <nvme/mptcp/config.h>
#include <nvme/mptcp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nvme_mptcp_plan *nvme_mptcp_plan_t;
typedef const struct nvme_mptcp_step *nvme_mptcp_step_t;

/**
 * enum nvme_mptcp_step_state - states of a step
 * @NVME_MPTCP_STEP_PLANNED: Nothing yet
 * @NVME_MPTCP_STEP_DONE:    It was done
 * @NVME_MPTCP_STEP_FAILED:  The kernel refused it, see nvme_mptcp_step_error()
 * @NVME_MPTCP_STEP_UNDONE:  It was done, and undone because a later step failed
 * @NVME_MPTCP_STEP_STUCK:   The kernel refused to undo it
 */
enum nvme_mptcp_step_state {
	NVME_MPTCP_STEP_PLANNED,
	NVME_MPTCP_STEP_DONE,
	NVME_MPTCP_STEP_FAILED,
	NVME_MPTCP_STEP_UNDONE,
	NVME_MPTCP_STEP_STUCK,
};

/**
 * enum nvme_mptcp_plan_method - how a plan creates subflows
 * @NVME_MPTCP_METHOD_ANNOUNCED: The target announces its addresses, and each has a route over its
 *				 own link
 * @NVME_MPTCP_METHOD_LAMINAR:	 The target announces its addresses, and laminar endpoints select
 *				 the link
 * @NVME_MPTCP_METHOD_SUBFLOW:	 The host starts a subflow on each link
 * @NVME_MPTCP_METHOD_SIGNAL:	 A target announces its addresses
 * @NVME_MPTCP_METHOD_SINGLE:	 There is only one link
 * @NVME_MPTCP_METHOD_REPAIR:	 Endpoints are renewed, see nvme_mptcp_repair()
 * @NVME_MPTCP_METHOD_CONFIG:	 According to a configuration, see nvme_mptcp_plan_config()
 * @NVME_MPTCP_METHOD_ROUTED:	 The host starts a subflow from each address of its loopback
 *				 interface, and routes with several next hops select the links
 */
enum nvme_mptcp_plan_method {
	NVME_MPTCP_METHOD_ANNOUNCED,
	NVME_MPTCP_METHOD_LAMINAR,
	NVME_MPTCP_METHOD_SUBFLOW,
	NVME_MPTCP_METHOD_SIGNAL,
	NVME_MPTCP_METHOD_SINGLE,
	NVME_MPTCP_METHOD_REPAIR,
	NVME_MPTCP_METHOD_CONFIG,
	NVME_MPTCP_METHOD_ROUTED,
};

/**
 * struct nvme_mptcp_setup_args - arguments of nvme_mptcp_setup()
 * @snap:      Snapshot of the namespace to set up
 * @traddrs:   IP addresses of the target, terminated by NULL; the connection is made to the first
 *	       one. NULL: the addresses of the controllers in @snap. On a target, the first one
 *	       selects the address family to announce; NULL: the family of its ports in configfs
 * @devices:   Names of the network interfaces to use, terminated by NULL, of any kind; NULL: all
 *	       storage links
 * @args_size: Size of this structure
 * @role:      NVME_MPTCP_ROLE_HOST or NVME_MPTCP_ROLE_TARGET
 * @replace:   Change or delete conflicting endpoints of other programs, and lower limits; otherwise
 *	       they are kept, and a note describes the effect
 * @trial:     On a host, result of nvme_mptcp_setup_try(): if each link carries that connection,
 *	       nothing is planned; if @traddrs has one address, the announced ones are added if this
 *	       host accepts them. NULL: unknown
 */
struct nvme_mptcp_setup_args {
	nvme_mptcp_snapshot_t snap;
	const char *const *traddrs;
	const char *const *devices;
	int args_size;
	enum nvme_mptcp_role role;
	bool replace;
	nvme_mptcp_trial_t trial;
};

/**
 * nvme_mptcp_setup_try() - make a trial connection to the target of a plan, see nvme_mptcp_try()
 * @args: Arguments of the plan; the connection is made to the first address, with the options of
 *	  its controller if there is one
 * @ret:  Where to store the trial, to be freed with nvme_mptcp_trial_free(); NULL is stored if
 *	  @args is not for a host, or no address is known
 *
 * Set @trial of @args to the result before calling nvme_mptcp_setup().
 *
 * Return: 0, or -1 with errno as nvme_mptcp_try().
 */
int nvme_mptcp_setup_try(const struct nvme_mptcp_setup_args *args, nvme_mptcp_trial_t *ret);

/**
 * nvme_mptcp_setup() - plan endpoints and limits so that every link carries each connection once
 * @args: What to plan
 * @ret:  Where to store the plan, to be freed with nvme_mptcp_plan_free(); it does not refer to the
 *	  snapshot
 *
 * A link is usable if it is up, has a carrier and a global address of the family, is no loopback
 * and belongs to no bond, bridge or VRF. Unless @devices names it, a link is omitted, with a note,
 * if it does not lead to the target, or only over a default route while others have specific ones;
 * if it is a bridge without a network card, a tunnel or, if there are network cards, a veth; or if
 * it shares the wire of another link. The plan is empty if nothing needs to change, or if the
 * connection of @trial has a subflow on each link and no endpoint of other programs is to be
 * replaced. Routes are read again. For privileged callers, the plan takes the kernel's maximum
 * limit and number of endpoints into account, which are determined in a separate network namespace:
 * planning changes nothing in this one.
 *
 * Return: 0, or -1 with errno: EINVAL if @args is invalid (an invalid address, addresses of both
 * families, no role), ENODEV if a device does not exist, ENOLINK if no link is usable, ENOSPC if
 * endpoints of other programs fill the kernel's table, ENODATA if the snapshot has no endpoints,
 * limits, links or addresses, ENOMEM, or the reason why the namespace cannot be entered.
 */
int nvme_mptcp_setup(const struct nvme_mptcp_setup_args *args, nvme_mptcp_plan_t *ret);

/**
 * nvme_mptcp_plan_config() - plan the endpoints and limits of a configuration
 * @config:  Configuration, see nvme_mptcp_config_read()
 * @hostnqn: NQN of the host whose objects apply, as for nvme_mptcp_config_wants()
 * @hostid:  Its identifier, as for nvme_mptcp_config_wants()
 * @ret:     Where to store the plan, to be freed with nvme_mptcp_plan_free()
 *
 * For the caller's network namespace. The plan is empty if everything is as the objects require. An
 * endpoint with the same address and port that differs is changed or replaced; endpoints with other
 * addresses are kept. A limit above the kernel's maximum becomes the maximum, with a note. The
 * reason of each step names file, line and path of the object.
 *
 * Return: 0, or -1 with errno: EPROTO if an object cannot be applied (an interface that does not
 * exist, an address or identifier that is in use, contradictory limits), ENODATA if the path
 * manager cannot be read; nvme_mptcp_config_error() has the reason for both. ENOMEM.
 */
int nvme_mptcp_plan_config(nvme_mptcp_config_t config, const char *hostnqn, const char *hostid,
			   nvme_mptcp_plan_t *ret);

/**
 * struct nvme_mptcp_repair_args - arguments of nvme_mptcp_repair()
 * @snap:      Snapshot
 * @ctrls:     Names of controllers, terminated by NULL; NULL: all. Ignored on a target
 * @devices:   Names of network interfaces that should carry each connection, terminated by NULL;
 *	       NULL: those that have an endpoint or carry a connection
 * @args_size: Size of this structure
 * @role:      Side; NVME_MPTCP_ROLE_AUTO: host if there are controllers, otherwise target
 * @force:     Also renew endpoints whose subflows are in use, or belong to other programs; on a
 *	       target, endpoints whose subflows work. No connection loses its only working subflow
 */
struct nvme_mptcp_repair_args {
	nvme_mptcp_snapshot_t snap;
	const char *const *ctrls;
	const char *const *devices;
	int args_size;
	enum nvme_mptcp_role role;
	bool force;
};

/**
 * nvme_mptcp_repair() - plan how to restore subflows that died or never formed
 * @args: What to restore
 * @ret:  Where to store the plan, to be freed with nvme_mptcp_plan_free()
 *
 * The kernel does not retry by itself, but it does when an endpoint is deleted and added again: a
 * host's "subflow" endpoint starts subflows of all connections, a target's "signal" endpoint is
 * announced again. Deleting an endpoint closes its subflows. An endpoint with the only working
 * subflow of any connection is omitted, with a note; the reason of a step states how many working
 * subflows it closes. Endpoints are the same afterwards, except that an endpoint that is announced
 * again gets a new id.
 *
 * Return: 0, or -1 with errno: EINVAL if @args is invalid, ENODEV if a device does not exist,
 * ENODATA if the snapshot has no endpoints, connections, subflows or links, ENOMEM.
 */
int nvme_mptcp_repair(const struct nvme_mptcp_repair_args *args, nvme_mptcp_plan_t *ret);

/**
 * nvme_mptcp_plan_add_command() - add a step that the caller executes
 * @command: Command line to show
 * @why:     Reason, a sentence without its full stop
 * @state:   Its state; NVME_MPTCP_STEP_PLANNED: not executed yet
 * @error:   Why it failed, or NULL
 *
 * It is shown like the other steps; nvme_mptcp_plan_apply() skips it.
 *
 * Return: 0, or -1 with errno ENOMEM.
 */
int nvme_mptcp_plan_add_command(nvme_mptcp_plan_t plan, const char *command, const char *why,
				enum nvme_mptcp_step_state state, const char *error);

/**
 * nvme_mptcp_plan_apply() - apply the steps of a plan
 * @plan: Plan; the states of its steps are updated
 *
 * Applies the steps in the namespace of the snapshot. If a step of a set-up fails, the previous
 * steps are undone in reverse order. Steps of a repair are independent: the others are still done.
 * An endpoint that has the only working subflow of a connection at that moment is not deleted.
 * Before a repair renews an endpoint with working subflows, a trial connection (nvme_mptcp_try())
 * must get a subflow from its address, which takes at most 10 s per target; after each renewal, the
 * subflows are waited for, for at most 3 s.
 *
 * If the kernel's acknowledgement of a request is lost, the resulting state decides whether the
 * step was done. An endpoint that is deleted to be added again is first recorded in a file in
 * /run/nvme-mptcp: if the process is killed in between, the next plan adds it. A limit above the
 * kernel's maximum becomes the maximum; the step's command and a note of the plan show it.
 *
 * Return: 0, or -1 with errno of the first failure: EPERM without CAP_NET_ADMIN, EOPNOTSUPP if the
 * kernel has no path manager, EBUSY if a connection would end or a working subflow would be closed
 * without permission, ENOTCONN if a trial connection got no subflow, ETIMEDOUT if closed subflows
 * did not return.
 */
int nvme_mptcp_plan_apply(nvme_mptcp_plan_t plan);

/**
 * nvme_mptcp_plan_free() - free a plan
 * @plan: Plan, or NULL
 */
void nvme_mptcp_plan_free(nvme_mptcp_plan_t plan);

/** nvme_mptcp_plan_method() - method by which a plan creates subflows */
enum nvme_mptcp_plan_method nvme_mptcp_plan_method(nvme_mptcp_plan_t plan);

/**
 * nvme_mptcp_plan_method_name() - name of a method, as in JSON
 * @method: Method
 *
 * Return: "announced", "laminar", "subflow", "signal", "single", "repair", "config" or "routed";
 * "unknown" for any other.
 */
const char *nvme_mptcp_plan_method_name(enum nvme_mptcp_plan_method method);

/**
 * nvme_mptcp_plan_link() - list the links that a plan uses
 * @i:	     Number, from 0
 * @address: Where to store its IP address
 *
 * Return: Name of the network interface, or NULL after the last one.
 */
const char *nvme_mptcp_plan_link(nvme_mptcp_plan_t plan, size_t i, const char **address);

/**
 * nvme_mptcp_step_next() - iterate over the steps
 * @step: A step, or NULL for the first one
 *
 * Return: The next step in the order of execution, or NULL after the last one.
 */
nvme_mptcp_step_t nvme_mptcp_step_next(nvme_mptcp_plan_t plan, nvme_mptcp_step_t step);

/**
 * nvme_mptcp_for_each_step() - iterate over the steps
 * @plan: Plan
 * @step: Name of the cursor, which is declared here
 */
#define nvme_mptcp_for_each_step(plan, step) \
	for (nvme_mptcp_step_t step = nvme_mptcp_step_next(plan, NULL); step; \
	     step = nvme_mptcp_step_next(plan, step))

/** nvme_mptcp_step_command() - equivalent command line of ip-mptcp(8) or sysctl(8) */
const char *nvme_mptcp_step_command(nvme_mptcp_step_t step);

/** nvme_mptcp_step_why() - reason of a step, as a sentence */
const char *nvme_mptcp_step_why(nvme_mptcp_step_t step);

/** nvme_mptcp_step_state() - state of a step */
enum nvme_mptcp_step_state nvme_mptcp_step_state(nvme_mptcp_step_t step);

/**
 * nvme_mptcp_step_state_name() - name of a state, as in JSON
 * @state: State
 *
 * Return: "planned", "done", "failed", "undone" or "stuck"; "unknown" for any other.
 */
const char *nvme_mptcp_step_state_name(enum nvme_mptcp_step_state state);

/**
 * nvme_mptcp_step_link() - link of a step
 *
 * Return: Name of the network interface of its endpoint, or NULL.
 */
const char *nvme_mptcp_step_link(nvme_mptcp_step_t step);

/**
 * nvme_mptcp_step_rule() - rule whose finding a step fixes
 *
 * Return: The id of a rule, e.g. "C05", see nvme_mptcp_check(), or NULL.
 */
const char *nvme_mptcp_step_rule(nvme_mptcp_step_t step);

/**
 * nvme_mptcp_step_action() - kind of a step
 *
 * Return: "add", "delete", "replace", "flags", "limits", "renew", "setting", "close", "config" or
 * "command".
 */
const char *nvme_mptcp_step_action(nvme_mptcp_step_t step);

/**
 * nvme_mptcp_step_error() - why a step could not be done or undone
 *
 * Return: The kernel's error message, or NULL.
 */
const char *nvme_mptcp_step_error(nvme_mptcp_step_t step);

/**
 * nvme_mptcp_plan_note() - list the notes of a plan: limitations and other information
 * @i:	     Number, from 0
 * @side:    Where to store the side on which to run @command
 * @command: Where to store a command line, or NULL if there is none
 *
 * Return: A sentence, or NULL after the last one.
 */
const char *nvme_mptcp_plan_note(nvme_mptcp_plan_t plan, size_t i, enum nvme_mptcp_role *side,
				 const char **command);

/**
 * struct nvme_mptcp_gap - connections without a subflow on a link
 * @subject:	 The controller, "nvme0"; several that share connections, "nvme0,nvme1"; "hosts"
 * @link:	 Name of the network interface
 * @missing:	 Number of connections without an established subflow on the link
 * @connections: Number of all connections
 * @ctrls:	 Names of the controllers, terminated by NULL; NULL: hosts
 */
struct nvme_mptcp_gap {
	const char *subject;
	const char *link;
	size_t missing;
	size_t connections;
	const char *const *ctrls;
};

/**
 * nvme_mptcp_plan_gap() - list the gaps that a repair found
 * @i:	  Number, from 0
 *
 * Return: The gap, or NULL after the last one.
 */
const struct nvme_mptcp_gap *nvme_mptcp_plan_gap(nvme_mptcp_plan_t plan, size_t i);

/**
 * nvme_mptcp_plan_unrepairable() - number of controllers that cannot be repaired
 *
 * Controllers that are not live, or have no connection in the network namespace; a note names each.
 *
 * Return: The number.
 */
size_t nvme_mptcp_plan_unrepairable(nvme_mptcp_plan_t plan);

/**
 * nvme_mptcp_plan_to_json() - write a plan as a JSON document
 * @pretty: true: indent for readability
 *
 * The document follows the schema mptcp-plan.json.
 *
 * Return: A string to be freed, or NULL with errno ENOMEM.
 */
char *nvme_mptcp_plan_to_json(nvme_mptcp_plan_t plan, bool pretty);

/**
 * nvme_mptcp_plan_to_config() - write the result of a set-up as an object of config.json
 * @plan: Plan of nvme_mptcp_setup()
 *
 * The object is "mptcp" of a host: see nvme_mptcp_config_read().
 *
 * Return: A string to be freed, or NULL with errno ENOMEM.
 */
char *nvme_mptcp_plan_to_config(nvme_mptcp_plan_t plan);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_PLAN_H */
