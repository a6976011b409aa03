/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans while they are made and followed. */
#pragma once

#include "endpoint-edit.h"
#include <nvme/mptcp/plan.h>
#include "mptcp/snapshot/lead.h"
#include "mptcp/snapshot/target.h"

enum step_action {
	STEP_ADD,
	STEP_DELETE,
	STEP_REPLACE, /* delete and add: the kernel cannot change it in place */
	STEP_FLAGS,
	STEP_LIMITS,
	STEP_RENEW, /* delete and add the same: it makes the kernel try again */
	STEP_SETTING, /* one of /proc/sys/net/mptcp, or a file with one number */
	STEP_CLOSE, /* a single subflow */
	STEP_FILE, /* the content of a file; always the last one: it is not undone */
	STEP_COMMAND, /* the caller does it */
	STEP_ACTIONS,
};

struct nvme_mptcp_step {
	enum step_action action;
	enum nvme_mptcp_step_state state;
	struct endpoint_spec old, new;
	struct pm_limits old_limits, new_limits;
	bool is_recovery; /* see plan_recover() */
	const char *rule; /* NULL: that of the action */
	char *setting; /* its name, or the path of the file */
	char *before,
		*after; /* contents of the file, which may hold secrets; before NULL: none is there */
	int64_t old_value, new_value; /* of the setting */
	struct socket_address local, remote; /* of the subflow */
	size_t closes; /* subflows that worked when it was planned */
	size_t joined; /* connections with a subflow on the endpoint of STEP_RENEW, before it */
	size_t expects; /* joins that STEP_RENEW brings besides those that it closes */
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
	struct nvme_mptcp_gap gap; /* its strings are those below */
	char *subject;
	char **ctrls; /* ended by NULL; or NULL */
	char link[LINK_NAME];
};

struct nvme_mptcp_plan {
	char *netns;
	enum nvme_mptcp_plan_method method;
	enum nvme_mptcp_role role;
	bool independent; /* steps do not depend on each other */
	bool takes_back; /* what keep made */
	bool unattended; /* no subflow that works is closed */
	bool forced; /* those of other programs may be */
	bool unproved; /* joins of an endpoint that was renewed have not come back */
	bool is_stale; /* something else was done meanwhile: the steps that are left are not followed */
	struct socket_address
		*portals; /* of controllers: a trial connection can be made to these */
	size_t n_portals;
	int err; /* -ENOMEM while it was made */
	struct plan_link *links;
	size_t n_links;
	struct nvme_mptcp_step *steps;
	size_t n_steps;
	struct plan_note *notes;
	size_t n_notes;
	struct plan_gap *gaps;
	size_t n_gaps;
	size_t n_unrepairable; /* controllers that a repair can do nothing for */
	struct endpoint_spec *wanted; /* what is to be there in the end */
	size_t n_wanted;
	struct pm_limits limits; /* likewise */
	uint32_t limit_max; /* what the kernel turned out to take when it was applied, 0: unknown */
	struct nvme_mptcp_plan *next; /* of those that keep has done at once */
};

struct nvme_mptcp_plan *plan_new(const struct nvme_mptcp_snapshot *snap, enum nvme_mptcp_role role,
				 enum nvme_mptcp_plan_method method);

/* A step with its command; NULL without memory, which plan->err keeps. */
struct nvme_mptcp_step *plan_step(struct nvme_mptcp_plan *plan, enum step_action action,
				  const struct endpoint_spec *old, const struct endpoint_spec *new,
				  const char *why, ...) __attribute__((format(printf, 5, 6)));
void plan_limits_step(struct nvme_mptcp_plan *plan, const struct pm_limits *old,
		      const struct pm_limits *new, const char *why);
void plan_setting_step(struct nvme_mptcp_plan *plan, const char *name, int64_t old, int64_t new,
		       const char *why);
/* Closes the subflow with these ends, without its endpoint; otherwise as plan_step(). */
struct nvme_mptcp_step *plan_close_step(struct nvme_mptcp_plan *plan,
					const struct socket_address *local,
					const struct socket_address *remote, const char *why, ...)
	__attribute__((format(printf, 4, 5)));
/* @before and @after are the plan's from here on, as in the step. 0 or -ENOMEM. */
int plan_file_step(struct nvme_mptcp_plan *plan, const char *path, char *before, char *after,
		   const char *command, const char *why);
/* Does each of @devices, NULL or ended by NULL, name a link? 0, or -ENODEV with a sentence. */
int plan_check_devices(const struct nvme_mptcp_snapshot *snap, const char *const *devices);
/* Numbers of this machine's ports of nvmet whose connections a relay can take, to be freed. 0 or -ENOMEM. */
int plan_relayable(const struct nvme_mptcp_snapshot *snap, uint16_t **ret, size_t *n);
/* Step @i has shown which id its endpoint has: those that delete it need it. */
void plan_learn_id(struct nvme_mptcp_plan *plan, size_t i);
/* The kernel takes no more than @most: the step and its command become that, and a note has it. */
void plan_lower_limits(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, int64_t most);

/* @command may be NULL; %s in @text as printf(). */
void plan_note(struct nvme_mptcp_plan *plan, enum nvme_mptcp_role side, const char *command,
	       const char *text, ...) __attribute__((format(printf, 4, 5)));
/* net.mptcp.enabled is 0. */
void plan_note_disabled(struct nvme_mptcp_plan *plan);
/* @ctrls: names of controllers, ended by NULL; NULL: it is about the hosts of a target. */
void plan_gap(struct nvme_mptcp_plan *plan, const char *const *ctrls, const char *link,
	      size_t missing, size_t connections);

const char *step_action_name(enum step_action action);

/* What a kernel has that no answer of it names. */
struct capability {
	bool laminar; /* endpoints of that kind */
	uint32_t endpoints; /* that its table holds, 0: unknown */
	uint32_t limit_max; /* the greatest limit that it takes, 0: unknown */
};

/* Every kernel's table holds so many endpoints. */
#define ENDPOINTS_ALWAYS 8
/* Beyond what setup asks for: that many links. */
#define ENDPOINTS_ENOUGH 64

/* A link that somebody named is not there. */
#define LINK_UNKNOWN "dev=%s: no such network interface (ip link lists them)"

/* What the kernel answers the same each time; whoever plans again and again asks once. */
struct plan_known {
	bool is_known;
	bool may_ask; /* with a request in this namespace, which is refused */
	uint32_t limit_max; /* 0: unknown */
	struct capability has;
	int capability_err; /* why that is not known */
};

struct keep_own;

/* Answers of the kernel that a snapshot does not hold; tests give others. */
struct planner {
	const struct nvme_mptcp_snapshot *snap;
	/* As link_lead(), with its error in @err. */
	enum link_lead (*lead)(struct planner *p, const struct in6_addr *src, int ifindex,
			       const struct in6_addr *dst);
	/* As route_ask_connect(). */
	int (*way)(struct planner *p, const struct in6_addr *dst, struct route_answer *ret);
	/* Mbit/s or NVME_MPTCP_UNKNOWN. */
	int64_t (*speed)(struct planner *p, const struct nvme_mptcp_link *link);
	/* As snapshot_sysctl(); NULL: unknown. */
	int64_t (*setting)(const char *path);
	uint32_t limit_max; /* 0: unknown */
	struct capability has;
	int capability_err; /* why that is not known */
	struct target nvmet; /* the ports of this machine's target */
	/* What keep made and may change: what is absent is waited for. NULL: nobody keeps anything. */
	const struct keep_own *own;
	const struct nvme_mptcp_connection *conn; /* what carries it needs nothing; or NULL */
	struct nl nl;
	int err; /* of a question that the kernel did not answer: there is no plan then */
};

/*
 * Asks the kernel of the calling thread's namespace, unless @known is filled already. What cannot be
 * asked is planned without, what there is no memory for is not: 0 or -ENOMEM.
 */
int plan_learn(const struct nvme_mptcp_snapshot *snap, struct plan_known *known);

/*
 * nvme_mptcp_setup() for a caller that asks again: @known is filled once, @own and @conn as in struct
 * planner; each may be NULL. 0 or -errno.
 */
int plan_setup_again(const struct nvme_mptcp_setup_args *args, struct plan_known *known,
		     const struct keep_own *own, const struct nvme_mptcp_connection *conn,
		     struct nvme_mptcp_plan **ret);

/* nvme_mptcp_setup_try(), for @timeout_ms at most to connect. 0 or -errno */
int plan_try(const struct nvme_mptcp_setup_args *args, unsigned int timeout_ms,
	     nvme_mptcp_trial_t *ret);

/* 0 or -errno as nvme_mptcp_setup() */
int plan_setup(struct planner *p, const struct nvme_mptcp_setup_args *args,
	       struct nvme_mptcp_plan **ret);
struct config_meant;
int plan_config(struct planner *p, const struct config_meant *meant, struct nvme_mptcp_plan **ret);

/*
 * What this kernel has, asked in a network namespace that ends with the question, so that nothing of
 * this one can change. That takes CAP_SYS_ADMIN. 0, or -errno; what was learned until then is kept.
 */
int plan_ask_capability(struct capability *ret);

/*
 * Adds steps for endpoints that a process deleted to add them again, if it was killed in between: see
 * intent.h. Only root knows of them.
 */
void plan_recover(struct nvme_mptcp_plan *plan, const struct nvme_mptcp_snapshot *snap);
/*
 * The id that @spec can be added with, or 0: another endpoint has got its id meanwhile, or the kernel has made
 * one for its address, which it replaces only if no id is given (mptcp_pm_nl_append_new_local_addr()).
 */
uint8_t plan_free_id(const struct nvme_mptcp_snapshot *snap, const struct endpoint_spec *spec);
/* A network interface that was made again has the name, and another number, which @spec gets. */
bool plan_find_device(const struct nvme_mptcp_snapshot *snap, struct endpoint_spec *spec);
/* Does it add such an endpoint with that device? */
bool plan_recovers(const struct nvme_mptcp_plan *plan, const char *link);
void plan_drop_step(struct nvme_mptcp_plan *plan, size_t i);

/*
 * Drops the steps that would end a connection of any program, or close a subflow that works in an
 * unattended plan, with notes; of the others, the reason names what they close.
 */
void plan_spare(struct nvme_mptcp_plan *plan, const struct nvme_mptcp_snapshot *snap);

/* The same with a snapshot of its own, if any step deletes an endpoint. 0 or -errno. */
int plan_spare_now(struct nvme_mptcp_plan *plan);

/*
 * Deletes an endpoint, unless that would end a connection of any program, or, in an unattended plan,
 * close a subflow that works: -EBUSY, with the reason in step->error.
 */
int plan_remove(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, struct editor *e,
		const struct endpoint_spec *spec);

/*
 * Before an endpoint is renewed: where that closes subflows that work, a trial connection has to show
 * that the target accepts joins from its address. -EBUSY or -ENOTCONN, with the reason in step->error.
 */
int plan_renew_begin(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, struct editor *e);

/* After that: waits for the joins. -ETIMEDOUT if what was closed is not back, and no more is closed. */
int plan_renew_end(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, struct editor *e);

/* The look() and prove() of an editor for the calling thread's namespace. */
int plan_look(struct editor *e, const struct nvme_mptcp_snapshot **ret);
int plan_prove(struct editor *e, const struct join_proof *proof);

/*
 * Follows it in the calling thread's namespace without looking at connections again. 0, or -errno as
 * plan_follow().
 */
int plan_apply_at_once(struct nvme_mptcp_plan *plan);

/* 0, or -errno of the first step that failed. */
int plan_follow(struct nvme_mptcp_plan *plan, struct editor *e);
