/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Declarations shared by the files of a walk. */
#pragma once

#include "walk.h"
#include "config.h"

struct nbft_info;
struct source;

struct walk {
	struct walk_setup setup;
	nvme_host_t host;
	struct queue *queue; /* controllers to connect; NULL if none are */
	/* Discovery controllers: @queue, or a queue of their own; NULL: read them at once. */
	struct queue *sources;
	int (*use_log)(struct source *source, const struct walk_step *step); /* exit status */
	nvme_ctrl_t *described;
	size_t n_described;
	struct source *all; /* sources in use */
	struct nbft_info **tables; /* the firmware's tables, which queued items point into */
	size_t n_tables;
	char **visited; /* portals and controllers whose log has been read, to detect loops */
	size_t n_visited;
	size_t n_referrals; /* referrals followed so far */
	size_t n_steps, n_sources;
	bool lost; /* a call has not ended: do not touch the root */
};

/* A discovery controller whose log is read, with the arguments to connect to it. */
struct source {
	struct source *next, **link; /* linked in walk->all */
	size_t users; /* users of @log and of the strings of @args */
	struct walk *walk;
	nvme_host_t host;
	struct discover_args args;
	struct source *parent; /* whose log refers to it, or NULL; owns strings of @args */
	char *text, *place; /* the line that describes it and its "file:line", or NULL */
	const char *path; /* path of the firmware's table that lists it, or NULL */
	nvme_ctrl_t c;
	char *transport; /* transport of @c */
	struct nvmf_discovery_log *log;
	bool ends; /* disconnect @c when the last user is gone */
	unsigned int depth; /* number of referrals that led here */
	size_t number, order;
};

/* Return a source for @host and @args with one user; NULL after a message. */
struct source *source_new(struct walk *walk, nvme_host_t host, const struct discover_args *args);

/* Return a source for a referral in the log of @parent; NULL after a message. */
struct source *source_of_referral(struct source *parent);

struct source *source_ref(struct source *source);

/* Drop a user; the last one frees the source and may disconnect. Return 0, or 1 after a message. */
int source_unref(struct source *source);

/* Free a source that is in no list. */
void source_free(struct source *source);

/* Disconnect the controller unless it stays connected. Return an exit status, 1 after a message. */
int source_disconnect(struct source *source);

/* Between these two calls the host has the DH-HMAC-CHAP secret of the source. */
void source_apply_secret(struct source *source, char **secret);
void source_restore_secret(struct source *source, char *secret);

/* Read the log of @c, which @step led to, and act on it. Return an exit status. */
int source_read(struct source *source, const struct walk_step *step, nvme_ctrl_t c, bool ends);

/* Return the step of the source itself, and of an entry of its log. */
struct walk_step source_step(const struct source *source);
struct walk_step source_make_entry_step(const struct source *source,
					const struct nvmf_disc_log_entry *e);

/*
 * Connect or reuse the controller that the arguments of @source address or name, read its log, act
 * on it, and disconnect it. Drops the caller's reference to @source. Return an exit status.
 */
int source_run(struct source *source);

/* The same, but queue the source if there is a queue. */
int source_add(struct source *source);

/*
 * Append the zone of @traddr, from which @log was read, to the link-local addresses in @log: a
 * target does not know this host's interface names, and the kernel cannot connect without a zone.
 */
void walk_add_zone(struct nvmf_discovery_log *log, const char *traddr);

/* Queue the entries of the source's log and follow its referrals. Return an exit status. */
int walk_entries(struct source *source, const struct walk_step *step);

/* Note a portal or controller whose log has been read. Return 1 if it is new, 0 if not, -errno. */
int walk_visit(struct walk *walk, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool walk_is_visited(const struct walk *walk, const char *name);

/* Queue the connections of the firmware's tables in @args->nbft_path. Return an exit status. */
int walk_boot(struct walk *walk, const struct discover_args *args);

/* Handle every line of @path, a discovery.conf. Return an exit status. */
int walk_lines(struct walk *walk, const struct discover_args *args, const char *path);

/* Return a discovery controller's keep-alive timeout in seconds: 0 unless it stays connected. */
int walk_keep_alive(const struct fabrics_args *args, bool persistent);

/* Print a message that belongs to no step. Return: 1. */
int walk_fail(const struct walk *walk, const char *place, int err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int walk_no_memory(const struct walk *walk);

/* Report a step's result; walk_report() adds a message from @fmt. Return: 1 if it failed, else 0. */
int walk_done(const struct walk *walk, const struct walk_step *step,
	      const struct walk_result *result);
#define WALK_DONE(walk, step, ...) walk_done(walk, step, &(const struct walk_result){ __VA_ARGS__ })
int walk_report(const struct walk *walk, const struct walk_step *step, struct walk_result *result,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Return the meaning of @err; NULL if it is 0 or in the library's sentence @reason already. */
const char *walk_meaning(int err, const char *reason);

/* Make one connection. Return NULL with errno and, in *@reason, the library's sentence or NULL. */
nvme_ctrl_t walk_connect(struct walk *walk, const struct walk_step *step, nvme_ctrl_t c,
			 const char **reason);
nvme_ctrl_t walk_connect_entry(struct walk *walk, const struct walk_step *step,
			       const struct nvmf_options *options, bool *is_discovery,
			       const char **reason);

/* True after a call that has not ended: @step fails, because the root must not be touched. */
bool walk_is_abandoned(const struct walk *walk, const struct walk_step *step);
