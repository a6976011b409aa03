/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans while they are created and applied. */
#pragma once

#include "endpoint-edit.h"
#include "find-link.h"
#include <nvme/mptcp/plan.h>
#include "mptcp/snapshot/command.h"
#include "mptcp/snapshot/link-reach.h"
#include "mptcp/snapshot/target.h"

enum step_action {
	STEP_ADD,
	STEP_DELETE,
	STEP_REPLACE, /* delete and add: the kernel cannot change it in place */
	STEP_FLAGS,
	STEP_LIMITS,
	STEP_RENEW, /* delete and add the same endpoint, so that the kernel retries */
	STEP_SETTING, /* a file of /proc/sys/net/mptcp, or another file with one number */
	STEP_CLOSE, /* a single subflow */
	STEP_FILE, /* replace the content of a file; always last, since it is not undone */
	STEP_COMMAND, /* run by the caller */
	STEP_ACTIONS,
};

struct nvme_mptcp_step {
	enum step_action action;
	enum nvme_mptcp_step_state state;
	struct endpoint_spec old, new;
	struct pm_limits old_limits, new_limits;
	bool is_recovery; /* see plan_recover() */
	const char *rule; /* NULL: the rule of the action */
	char *setting; /* name of the setting, or path of the file */
	char *before, *after; /* contents of the file, may hold secrets; before NULL: no file */
	int64_t old_value, new_value; /* of the setting */
	struct socket_address local, remote; /* of the subflow */
	size_t closes; /* working subflows that the step closes, as of planning */
	size_t joined; /* connections with a working subflow on the endpoint before STEP_RENEW */
	size_t expects; /* joins that STEP_RENEW should bring in addition to those it closes */
	char *command;
	char *why;
	char *error;
};

struct plan_note {
	enum nvme_mptcp_role side;
	char *text;
	char *command;
};

struct plan_link {
	int ifindex;
	struct in6_addr ip;
	char name[LINK_NAME];
	char address[ADDRESS_TEXT];
};

struct plan_gap {
	struct nvme_mptcp_gap gap; /* its strings point to the members below */
	char *subject;
	char **ctrls; /* NULL-terminated, or NULL */
	char link[LINK_NAME];
};

struct nvme_mptcp_plan {
	char *netns;
	enum nvme_mptcp_plan_method method;
	enum nvme_mptcp_role role;
	bool independent; /* steps do not depend on each other */
	bool takes_back; /* removes what keep made */
	bool unattended; /* does not close working subflows */
	bool forced; /* may close working subflows of other programs */
	bool unproved; /* joins of a renewed endpoint have not come back */
	bool is_stale; /* something else was done meanwhile: skip the remaining steps */
	struct socket_address *portals; /* portals of controllers, for trial connections */
	size_t n_portals;
	int err; /* -ENOMEM if memory ran out */
	struct plan_link *links;
	size_t n_links;
	struct nvme_mptcp_step *steps;
	size_t n_steps;
	struct plan_note *notes;
	size_t n_notes;
	struct plan_gap *gaps;
	size_t n_gaps;
	size_t n_unrepairable; /* controllers that a repair cannot help */
	struct endpoint_spec *wanted; /* endpoints that should exist in the end */
	size_t n_wanted;
	struct pm_limits limits; /* limits in the end */
	uint32_t limit_max; /* the kernel's maximum, learned when applied; 0: unknown */
	struct nvme_mptcp_plan *next; /* next plan that keep applied at once */
};

struct nvme_mptcp_plan *plan_new(const struct nvme_mptcp_snapshot *snap, enum nvme_mptcp_role role,
				 enum nvme_mptcp_plan_method method);

/* Add a step with its command. Return NULL without memory; plan->err keeps the error. */
struct nvme_mptcp_step *plan_step(struct nvme_mptcp_plan *plan, enum step_action action,
				  const struct endpoint_spec *old, const struct endpoint_spec *new,
				  const char *why, ...) __attribute__((format(printf, 5, 6)));
/* Return what differs in @to, UNKNOWN for the rest: other programs may change that meanwhile. */
struct pm_limits plan_changed_limits(const struct pm_limits *from, const struct pm_limits *to);
void plan_limits_step(struct nvme_mptcp_plan *plan, const struct pm_limits *old,
		      const struct pm_limits *new, const char *why);
void plan_setting_step(struct nvme_mptcp_plan *plan, const char *name, int64_t old, int64_t new,
		       const char *why);
/* Add a step that closes a subflow but keeps its endpoint; otherwise as plan_step(). */
struct nvme_mptcp_step *plan_close_step(struct nvme_mptcp_plan *plan,
					const struct socket_address *local,
					const struct socket_address *remote, const char *why, ...)
	__attribute__((format(printf, 4, 5)));
/* Add a step that replaces a file. Takes @before and @after, even on failure: 0 or -ENOMEM. */
int plan_file_step(struct nvme_mptcp_plan *plan, const char *path, char *before, char *after,
		   const char *command, const char *why);
/* Check that each name in @devices (NULL, or ended by NULL) is a link. Return 0 or -ENODEV. */
int plan_check_devices(const struct nvme_mptcp_snapshot *snap, const char *const *devices);
/* Store the nvmet ports that a relay can take connections of; the caller frees. 0 or -ENOMEM. */
int plan_relayable_ports(const struct nvme_mptcp_snapshot *snap, uint16_t **ret, size_t *n);
/* Set the id that the endpoint of step @i got in later steps that delete this endpoint. */
void plan_propagate_id(struct nvme_mptcp_plan *plan, size_t i);
/* Lower the limits of a step and its command to @most, the kernel's maximum, and add a note. */
void plan_lower_limits(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, int64_t most);

/* Add a note. @command may be NULL; @text is a printf() format. */
void plan_note(struct nvme_mptcp_plan *plan, enum nvme_mptcp_role side, const char *command,
	       const char *text, ...) __attribute__((format(printf, 4, 5)));
void plan_note_disabled(struct nvme_mptcp_plan *plan);
/* Add missing subflows. @ctrls: names of controllers, then NULL; NULL: the hosts of a target. */
void plan_gap(struct nvme_mptcp_plan *plan, const char *const *ctrls, const char *link,
	      size_t missing, size_t connections);

const char *step_action_name(enum step_action action);
/* True if the step deletes an endpoint, perhaps to add it again. */
bool step_removes(const struct nvme_mptcp_step *step);

/* Properties of a kernel that no netlink reply contains. */
struct capability {
	bool laminar; /* laminar endpoints are supported */
	uint32_t
		endpoints; /* size of the endpoint table, at most ENDPOINTS_PROBE_MAX; 0: unknown */
	uint32_t limit_max; /* highest limit that the kernel accepts; 0: unknown */
};

/* Number of endpoints that the table of every kernel holds. */
#define ENDPOINTS_GUARANTEED 8
/* Size at which the search for the table size stops: more endpoints than setup needs. */
#define ENDPOINTS_PROBE_MAX 64

/* Replies of the kernel that never change: callers that plan repeatedly ask once. */
struct plan_known {
	bool is_known;
	bool may_ask; /* may send a request in this namespace that the kernel refuses */
	uint32_t limit_max; /* 0: unknown */
	struct capability has;
	int capability_err; /* why that is not known */
};

struct keep_own;

/* Queries to the kernel for what a snapshot does not hold; tests replace them. */
struct planner {
	const struct nvme_mptcp_snapshot *snap;
	/* As link_reach(), but stores an error in @err. */
	enum link_reach (*reach)(struct planner *p, const struct in6_addr *src, int ifindex,
				 const struct in6_addr *dst);
	/* As route_ask_connect(). */
	int (*connect_route)(struct planner *p, const struct in6_addr *dst,
			     struct route_answer *ret);
	/* Return the speed in Mbit/s, or NVME_MPTCP_UNKNOWN. */
	int64_t (*speed)(struct planner *p, const struct nvme_mptcp_link *link);
	/* As snapshot_sysctl(); NULL: unknown. */
	int64_t (*setting)(const char *path);
	uint32_t limit_max; /* 0: unknown */
	struct capability has;
	int capability_err; /* why that is not known */
	struct target nvmet; /* ports of this machine's target */
	/* What keep made and may change; missing links are awaited. NULL: not keep. */
	const struct keep_own *own;
	/* Connection that shows whether anything is missing; or NULL. */
	const struct nvme_mptcp_connection *conn;
	struct nl nl;
	int err; /* of a query that the kernel did not answer: no plan is made then */
};

/* Query the kernel unless @known is filled. What fails remains unknown. 0 or -ENOMEM. */
int plan_query_kernel(const struct nvme_mptcp_snapshot *snap, struct plan_known *known);

/* nvme_mptcp_setup() for repeated planning; all three may be NULL. Return 0 or -errno. */
int plan_setup_cached(const struct nvme_mptcp_setup_args *args, struct plan_known *known,
		      const struct keep_own *own, const struct nvme_mptcp_connection *conn,
		      struct nvme_mptcp_plan **ret);

/* Run nvme_mptcp_setup_try(), with at most @timeout_ms to connect. Return 0 or -errno. */
int plan_run_trial(const struct nvme_mptcp_setup_args *args, unsigned int timeout_ms,
		   nvme_mptcp_trial_t *ret);

/* Return 0 or -errno as nvme_mptcp_setup(). */
int plan_setup(struct planner *p, const struct nvme_mptcp_setup_args *args,
	       struct nvme_mptcp_plan **ret);
struct config_selection;
int plan_config(struct planner *p, const struct config_selection *meant,
		struct nvme_mptcp_plan **ret);

/*
 * Query the kernel's capabilities in a temporary network namespace, which requires CAP_SYS_ADMIN.
 * Return 0 or -errno; *@ret keeps what was learned before an error.
 */
int plan_ask_capability(struct capability *ret);

/*
 * Add steps for endpoints that a process deleted to add them again, if it was killed in between:
 * see intent.h. Only root can read which endpoints these are.
 */
void plan_recover(struct nvme_mptcp_plan *plan, const struct nvme_mptcp_snapshot *snap);
/*
 * Return the id that @spec can be added with; 0 if it is taken, or if an implicit endpoint has the
 * address: that is replaced only without an id (mptcp_pm_nl_append_new_local_addr()).
 */
uint8_t plan_free_id(const struct nvme_mptcp_snapshot *snap, const struct endpoint_spec *spec);
/* Find the ifindex of a recreated interface by its name. False if there is none. */
bool plan_find_device(const struct nvme_mptcp_snapshot *snap, struct endpoint_spec *spec);
/* True if the plan adds such an endpoint with device @link. */
bool plan_recovers(const struct nvme_mptcp_plan *plan, const char *link);
void plan_drop_step(struct nvme_mptcp_plan *plan, size_t i);
/* Store a complete plan, or free it if @err or plan->err is set. Return that error. */
int plan_finish(struct nvme_mptcp_plan *plan, int err, struct nvme_mptcp_plan **ret);

/* Drop, with notes, steps that end a connection or, unattended, close a working subflow. */
void plan_drop_disruptive(struct nvme_mptcp_plan *plan, const struct nvme_mptcp_snapshot *snap);

/* The same with a new snapshot, taken only if a step deletes an endpoint. Return 0 or -errno. */
int plan_drop_disruptive_now(struct nvme_mptcp_plan *plan);

/* Delete an endpoint; -EBUSY with step->error if that closes what plan_drop_disruptive() spares. */
int plan_remove(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, struct editor *e,
		const struct endpoint_spec *spec);

/*
 * Check before an endpoint is renewed: if that closes working subflows, a trial must show that the
 * target accepts joins from it. Return -EBUSY or -ENOTCONN with step->error.
 */
int plan_renew_begin(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, struct editor *e);

/* Wait for joins after a renewal. -ETIMEDOUT, which ends the plan: closed subflows are not back. */
int plan_renew_end(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, struct editor *e);

/* Implement take_snapshot() and verify_join() of struct editor for the calling thread's network namespace. */
int plan_take_snapshot(struct editor *e, const struct nvme_mptcp_snapshot **ret);
int plan_verify_join(struct editor *e, const struct join_proof *proof);

/* Apply the plan here without checking connections again. Return 0, or -errno as plan_execute(). */
int plan_apply_unchecked(struct nvme_mptcp_plan *plan);

/* Apply the plan. Return 0, or -errno of the first step that failed. */
int plan_execute(struct nvme_mptcp_plan *plan, struct editor *e);
