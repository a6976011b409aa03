/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of a walk share. */
#pragma once

#include "walk.h"

struct nbft_info;
struct source;

struct walk {
	struct walk_setup setup;
	nvme_host_t host;
	struct queue *queue; /* of what is to be connected; NULL where nothing is */
	/* Of discovery controllers: @queue, or one of their own, or NULL: they are read at once. */
	struct queue *sources;
	int (*use_log)(struct source *source, const struct walk_step *step); /* an exit status */
	nvme_ctrl_t *described;
	size_t n_described;
	struct source *all; /* that somebody uses */
	struct nbft_info **tables; /* that what is queued comes from */
	size_t n_tables;
	char **visited; /* portals and controllers whose log is read, so that a loop of them ends */
	size_t n_visited;
	size_t n_referrals; /* that were followed */
	size_t n_steps, n_sources;
	bool lost; /* a call is not over: its root is not to be touched */
};

/* A discovery controller whose log is read, and what that starts from. */
struct source {
	struct source *next, **link; /* in walk->all */
	size_t users; /* of its log, and of the strings of @args */
	struct walk *walk;
	nvme_host_t host;
	struct discover_args args;
	struct source *parent; /* whose log refers to it, or NULL; @args is of it */
	char *text, *place; /* of a line that describes it, or NULL */
	const char *path; /* of the firmware's table that it comes from, or NULL */
	nvme_ctrl_t c;
	char *transport; /* of @c */
	struct nvmf_discovery_log *log;
	bool ends; /* @c is disconnected when nobody uses it any more */
	unsigned int depth; /* of referrals */
	size_t number, order;
};

/* One of a host that has @args, with one user; NULL after a message. */
struct source *source_new(struct walk *walk, nvme_host_t host, const struct discover_args *args);

/* Where the log of @parent refers to. */
struct source *source_of_referral(struct source *parent);

struct source *source_ref(struct source *source);

/* The last one disconnects what does not stay. Returns an exit status, 1 after a message. */
int source_unref(struct source *source);

/* Disconnects it if it does not stay. Returns an exit status, 1 after a message. */
int source_end(struct source *source);

/* Between the two the host has the secret that the source is connected with. */
void source_enter(struct source *source, char **secret);
void source_leave(struct source *source, char *secret);

/*
 * Reads the log of @c, which @step led to, and acts on it. Returns an exit status.
 */
int source_read(struct source *source, const struct walk_step *step, nvme_ctrl_t c, bool ends);

/* Itself, and an entry of its log. */
struct walk_step source_step(const struct source *source);
struct walk_step source_entry_step(const struct source *source,
				   const struct nvmf_disc_log_entry *e);

/*
 * The controller that the arguments of @source address or name: connected or reused, read, acted on,
 * disconnected. It takes over the user's part in @source.
 */
int source_run(struct source *source);

/* The same, queued where there is a queue. */
int source_add(struct source *source);

/*
 * Link-local addresses of @log get the zone of @traddr, where it was read: a target does not know what
 * this host calls the link, and without it the kernel cannot connect to them.
 */
void walk_hand_zone_on(struct nvmf_discovery_log *log, const char *traddr);

/* Its entries are queued, its referrals followed. Returns an exit status. */
int walk_entries(struct source *source, const struct walk_step *step);

/* Notes a portal, or a controller, whose log is read. 1 if it is new, 0 if not, or -errno. */
int walk_visit(struct walk *walk, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool walk_is_visited(const struct walk *walk, const char *name);

/* The connections of the tables below @args->nbft_path are queued. */
int walk_boot(struct walk *walk, const struct discover_args *args);

/* Every line of @path, discovery.conf. */
int walk_lines(struct walk *walk, const struct discover_args *args, const char *path);

/* Keep-alive as a discovery controller needs it: it is watched only if it stays. */
int walk_keep_alive(const struct fabrics_args *args, bool persistent);

/* A message about no step. Return: 1. */
int walk_fail(const struct walk *walk, const char *place, int err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int walk_no_memory(const struct walk *walk);

/* The result of a step, with a sentence where @fmt is not NULL. Return: 1 if it failed, else 0. */
int walk_done(const struct walk *walk, const struct walk_step *step,
	      const struct walk_result *result);
int walk_tell(const struct walk *walk, const struct walk_step *step, struct walk_result *result,
	      const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The meaning of @err; NULL for 0, and if the library's sentence @reason has it already. */
const char *walk_meaning(int err, const char *reason);

/* One connection. NULL with errno and, in *@reason, the library's sentence if it has one. */
nvme_ctrl_t walk_connect(struct walk *walk, const struct walk_step *step, nvme_ctrl_t c,
			 const char **reason);
nvme_ctrl_t walk_connect_entry(struct walk *walk, const struct walk_step *step,
			       const struct nvmf_options *options, bool *is_discovery,
			       const char **reason);

/* After a call that is not over: a failure of @step, and its root is not to be touched. */
bool walk_refuses(const struct walk *walk, const struct walk_step *step);
