/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Endpoints and limits that put every connection on every link, see <nvme/mptcp.h>. */
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
 * enum nvme_mptcp_step_state - what became of a step
 * @NVME_MPTCP_STEP_PLANNED: Nothing yet
 * @NVME_MPTCP_STEP_DONE:    It was done
 * @NVME_MPTCP_STEP_FAILED:  The kernel refused it, see nvme_mptcp_step_error()
 * @NVME_MPTCP_STEP_UNDONE:  It was done, and undone because a later one failed
 * @NVME_MPTCP_STEP_STUCK:   It was to be undone, and the kernel refused that
 */
enum nvme_mptcp_step_state {
	NVME_MPTCP_STEP_PLANNED,
	NVME_MPTCP_STEP_DONE,
	NVME_MPTCP_STEP_FAILED,
	NVME_MPTCP_STEP_UNDONE,
	NVME_MPTCP_STEP_STUCK,
};

/**
 * enum nvme_mptcp_plan_method - how subflows come about by a plan
 * @NVME_MPTCP_METHOD_ANNOUNCED: The target announces its addresses, and routes lead to each by its own
 *				 link
 * @NVME_MPTCP_METHOD_LAMINAR:	 Likewise, and laminar endpoints choose the link
 * @NVME_MPTCP_METHOD_SUBFLOW:	 The host starts one on each link
 * @NVME_MPTCP_METHOD_SIGNAL:	 A target announces its addresses
 * @NVME_MPTCP_METHOD_SINGLE:	 There is one link only
 * @NVME_MPTCP_METHOD_REPAIR:	 Endpoints are renewed, see nvme_mptcp_repair()
 * @NVME_MPTCP_METHOD_CONFIG:	 As a configuration has it, see nvme_mptcp_plan_config()
 * @NVME_MPTCP_METHOD_ROUTED:	 The host starts one from each address of its loopback, and routes with several
 *				 next hops choose the links
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
 * struct nvme_mptcp_setup_args - what nvme_mptcp_setup() is to plan
 * @snap:      Snapshot of the namespace to set up
 * @traddrs:   IP addresses of the target, ended by NULL; the first one is connected to. NULL: those
 *	       of the controllers in @snap. On a target, the first one gives the family to announce; NULL: its ports in configfs
 * @devices:   Names of the network interfaces to use, ended by NULL, whatever they are; NULL: those
 *	       that are there for storage
 * @args_size: Size of this structure
 * @role:      NVME_MPTCP_ROLE_HOST or NVME_MPTCP_ROLE_TARGET
 * @replace:   Change or delete conflicting endpoints of other programs, and lower limits; else they
 *	       are kept, and a note gives their cost
 * @trial:     On a host, what nvme_mptcp_setup_try() found out: if each link carries that connection,
 *	       nothing is planned; to a single address in @traddrs, the announced ones are added if this
 *	       host accepts them. NULL: not known
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
 * nvme_mptcp_setup_try() - connect to the target that a plan is for, as nvme_mptcp_try() does
 * @args: What to plan; the first address is connected to, as by its controller if there is one
 * @ret:  Where to store the trial, to be freed with nvme_mptcp_trial_free(); NULL if @args is not of a
 *	  host, or no address is known
 *
 * Set @trial of the structure to the result before calling nvme_mptcp_setup().
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
 * and belongs to no bond, bridge or VRF. Unless @devices names it, it is also left out, with a note, if
 * it does not lead to the target, or by a default route only while others do so otherwise; if it is
 * a bridge without a network card, a tunnel or, next to network cards, a veth; if it shares the wire of
 * another. The plan is empty if everything is as it should be, or if the connection of @trial has a
 * subflow on each link and no endpoint of others is to be replaced. Routes are read again. A
 * privileged caller's plan knows the greatest limit of the kernel and how many endpoints it holds,
 * which are learned in a network namespace of their own: planning changes nothing in this one.
 *
 * Return: 0, or -1 with errno: EINVAL if @args is wrong (an address that is none, addresses of both
 * families, no role), ENODEV if a device does not exist, ENOLINK if no link is usable, ENOSPC if
 * endpoints of others fill the kernel's table, ENODATA if the snapshot has no endpoints, limits, links
 * or addresses, ENOMEM, or why the namespace cannot be entered.
 */
int nvme_mptcp_setup(const struct nvme_mptcp_setup_args *args, nvme_mptcp_plan_t *ret);

/**
 * nvme_mptcp_plan_config() - plan the endpoints and limits that a configuration asks for
 * @config:  Configuration, see nvme_mptcp_config_read()
 * @hostnqn: Whose objects are meant, as for nvme_mptcp_config_wants()
 * @hostid:  Likewise
 * @ret:     Where to store the plan, to be freed with nvme_mptcp_plan_free()
 *
 * In the caller's network namespace. The plan is empty if everything is as the objects require. An
 * endpoint with the same address and port is changed, or replaced, where it differs; endpoints of
 * other addresses are left alone. A limit beyond what the kernel permits becomes the greatest that
 * it does, with a note. Each step's reason names file, line and place of what asks for it.
 *
 * Return: 0, or -1 with errno: EPROTO if an object asks for what cannot be (an interface that does
 * not exist, an address or identifier that is taken, limits that contradict each other), ENODATA if
 * the path manager cannot be read; nvme_mptcp_config_error() has the reason for both. ENOMEM.
 */
int nvme_mptcp_plan_config(nvme_mptcp_config_t config, const char *hostnqn, const char *hostid,
			   nvme_mptcp_plan_t *ret);

/**
 * struct nvme_mptcp_repair_args - what nvme_mptcp_repair() is to restore
 * @snap:      Snapshot
 * @ctrls:     Names of controllers, ended by NULL; NULL: all. Not for a target
 * @devices:   Names of network interfaces that ought to carry each connection, ended by NULL; NULL:
 *	       those that have an endpoint or carry a connection
 * @args_size: Size of this structure
 * @role:      Side; NVME_MPTCP_ROLE_AUTO: a host if there are controllers, else a target
 * @force:     Also renew endpoints whose subflows are in use, or belong to other programs; on a target,
 *	       endpoints whose subflows work. No connection loses its only working subflow by it
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
 * nvme_mptcp_repair() - plan how to bring back subflows that died or never formed
 * @args: What to restore
 * @ret:  Where to store the plan, to be freed with nvme_mptcp_plan_free()
 *
 * The kernel does not try again by itself. It does when an endpoint is deleted and added again: a
 * host's "subflow" endpoint starts subflows of all connections, a target's "signal" endpoint is
 * announced again. Deleting it closes its subflows. An endpoint that has the only working subflow of any
 * connection is left out, with a note; the reason of a step names how many working subflows it closes.
 * Endpoints are the same afterwards, but one that is announced again has another id.
 *
 * Return: 0, or -1 with errno: EINVAL if @args is wrong, ENODEV if a device does not exist, ENODATA
 * if the snapshot has no endpoints, connections, subflows or links, ENOMEM.
 */
int nvme_mptcp_repair(const struct nvme_mptcp_repair_args *args, nvme_mptcp_plan_t *ret);

/**
 * nvme_mptcp_plan_add_command() - add a step that the caller does itself
 * @command: Command line, as it is shown
 * @why:     Reason, a sentence without its full stop
 * @state:   What became of it; NVME_MPTCP_STEP_PLANNED: nothing yet
 * @error:   Why it failed, or NULL
 *
 * It is shown like the other steps, and nvme_mptcp_plan_apply() leaves it alone.
 *
 * Return: 0, or -1 with errno ENOMEM.
 */
int nvme_mptcp_plan_add_command(nvme_mptcp_plan_t plan, const char *command, const char *why,
				enum nvme_mptcp_step_state state, const char *error);

/**
 * nvme_mptcp_plan_apply() - apply the steps of a plan
 * @plan: Plan; its steps hold afterwards what became of them
 *
 * In the namespace of the snapshot. If a step of a set-up fails, those before it are undone in
 * reverse order. The steps of a repair do not depend on each other: the others are still done. No
 * endpoint is deleted that has the only working subflow of a connection when its turn comes. Before a
 * repair renews an endpoint with working subflows, a trial connection (nvme_mptcp_try()) has to get one
 * from its address, which takes ten seconds at most for each target; after each renewal, the subflows
 * are waited for, for three seconds at most.
 *
 * If the kernel's acknowledgement of a request is lost, what is there afterwards decides whether the step
 * was done. An endpoint that is deleted to be added again is written to a file below /run/nvme-mptcp
 * first: if the process is killed in between, the next plan adds it. A limit above what the kernel takes
 * becomes the greatest that it takes; the step's command and a note of the plan have it.
 *
 * Return: 0, or -1 with errno of the first failure: EPERM without CAP_NET_ADMIN, EOPNOTSUPP if this
 * kernel has no path manager, EBUSY if a connection would end, or a working subflow be closed that may
 * not, ENOTCONN if a trial connection got no subflow, ETIMEDOUT if closed ones did not come back.
 */
int nvme_mptcp_plan_apply(nvme_mptcp_plan_t plan);

/**
 * nvme_mptcp_plan_free() - free a plan
 * @plan: Plan, or NULL
 */
void nvme_mptcp_plan_free(nvme_mptcp_plan_t plan);

/** nvme_mptcp_plan_method() - how subflows come about by a plan */
enum nvme_mptcp_plan_method nvme_mptcp_plan_method(nvme_mptcp_plan_t plan);

/**
 * nvme_mptcp_plan_method_name() - name of a method, as in JSON
 * @method: Method
 *
 * Return: "announced", "laminar", "subflow", "signal", "single", "repair", "config" or
 * "routed"; "unknown"
 * for any other.
 */
const char *nvme_mptcp_plan_method_name(enum nvme_mptcp_plan_method method);

/**
 * nvme_mptcp_plan_link() - the links that a plan uses
 * @i:	     Number, from 0
 * @address: Where to store its IP address
 *
 * Return: Name of the network interface, or NULL after the last one.
 */
const char *nvme_mptcp_plan_link(nvme_mptcp_plan_t plan, size_t i, const char **address);

/**
 * nvme_mptcp_step_next() - go through the steps
 * @step: A step, or NULL for the first one
 *
 * Return: The next step in the order of execution, or NULL after the last one.
 */
nvme_mptcp_step_t nvme_mptcp_step_next(nvme_mptcp_plan_t plan, nvme_mptcp_step_t step);

/**
 * nvme_mptcp_for_each_step() - go through the steps
 * @plan: Plan
 * @step: Name of the cursor, which is declared here
 */
#define nvme_mptcp_for_each_step(plan, step) \
	for (nvme_mptcp_step_t step = nvme_mptcp_step_next(plan, NULL); step; \
	     step = nvme_mptcp_step_next(plan, step))

/** nvme_mptcp_step_command() - the same step by hand, a command line of ip-mptcp(8) or sysctl(8) */
const char *nvme_mptcp_step_command(nvme_mptcp_step_t step);

/** nvme_mptcp_step_why() - the reason for a step, a sentence */
const char *nvme_mptcp_step_why(nvme_mptcp_step_t step);

/** nvme_mptcp_step_state() - what became of a step */
enum nvme_mptcp_step_state nvme_mptcp_step_state(nvme_mptcp_step_t step);

/**
 * nvme_mptcp_step_state_name() - name of a state, as in JSON
 * @state: State
 *
 * Return: "planned", "done", "failed", "undone" or "stuck"; "unknown" for any other.
 */
const char *nvme_mptcp_step_state_name(enum nvme_mptcp_step_state state);

/**
 * nvme_mptcp_step_link() - the link that a step is about
 *
 * Return: Name of the network interface of its endpoint, or NULL.
 */
const char *nvme_mptcp_step_link(nvme_mptcp_step_t step);

/**
 * nvme_mptcp_step_rule() - the rule whose finding a step fixes
 *
 * Return: A rule's name such as "C05", see nvme_mptcp_check(), or NULL.
 */
const char *nvme_mptcp_step_rule(nvme_mptcp_step_t step);

/**
 * nvme_mptcp_step_action() - what kind of step it is
 *
 * Return: "add", "delete", "replace", "flags", "limits", "renew", "setting", "close", "config" or
 * "command".
 */
const char *nvme_mptcp_step_action(nvme_mptcp_step_t step);

/**
 * nvme_mptcp_step_error() - why a step could not be done, or not be undone
 *
 * Return: The kernel's words, or NULL.
 */
const char *nvme_mptcp_step_error(nvme_mptcp_step_t step);

/**
 * nvme_mptcp_plan_note() - what the plan cannot do, and what is worth knowing
 * @i:	     Number, from 0
 * @side:    Where to store the side that @command is to be run on
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
 * @missing:	 How many connections have no established subflow there
 * @connections: Out of how many
 * @ctrls:	 Names of the controllers, ended by NULL; NULL: hosts
 */
struct nvme_mptcp_gap {
	const char *subject;
	const char *link;
	size_t missing;
	size_t connections;
	const char *const *ctrls;
};

/**
 * nvme_mptcp_plan_gap() - what a repair found missing
 * @i:	  Number, from 0
 *
 * Return: The gap, or NULL after the last one.
 */
const struct nvme_mptcp_gap *nvme_mptcp_plan_gap(nvme_mptcp_plan_t plan, size_t i);

/**
 * nvme_mptcp_plan_unrepairable() - controllers that a repair can do nothing for
 *
 * Those that are not live, or have no connection in the network namespace: a note names each.
 *
 * Return: Their number.
 */
size_t nvme_mptcp_plan_unrepairable(nvme_mptcp_plan_t plan);

/**
 * nvme_mptcp_plan_to_json() - a plan as a JSON document
 * @pretty: Indented, for people?
 *
 * The document follows the schema mptcp-plan.json.
 *
 * Return: A string to be freed, or NULL with errno ENOMEM.
 */
char *nvme_mptcp_plan_to_json(nvme_mptcp_plan_t plan, bool pretty);

/**
 * nvme_mptcp_plan_to_config() - what a set-up aims at, as config.json has it
 * @plan: Plan of nvme_mptcp_setup()
 *
 * The object "mptcp" of a host: see nvme_mptcp_config_read().
 *
 * Return: A string to be freed, or NULL with errno ENOMEM.
 */
char *nvme_mptcp_plan_to_config(nvme_mptcp_plan_t plan);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_MPTCP_PLAN_H */
