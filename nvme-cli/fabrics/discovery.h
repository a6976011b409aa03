/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by discover and connect-all: the sources of discovery controllers, and their logs. */
#ifndef DISCOVERY_H
#define DISCOVERY_H

#include "fabrics.h"
#include "input/discovery-conf.h"
#include "mptcp-hint.h"
#include "queue.h"

struct nbft_info;
struct source;

/* Acts on the log of @source. Returns an exit status. */
typedef int (*log_action_t)(struct source *source);

/* One run of discover or connect-all. */
struct discovery {
	struct command *cmd;
	nvme_host_t host;
	log_action_t act;
	struct queue *queue; /* of connect-all; discover has none */
	nvme_ctrl_t *described; /* discovery controllers of the JSON configuration */
	size_t n_described;
	struct fresh *fresh; /* controllers connected for use */
	struct nbft_info **tables; /* that what is queued comes from */
	size_t n_tables;
	char **visited; /* portals and controllers whose log is read, so that a loop of them ends */
	size_t n_visited;
	size_t n_referrals; /* that were followed */
};

/* A discovery controller whose log is read, and what that starts from. */
struct source {
	size_t users; /* of its log, and of the strings of @args */
	struct discovery *d;
	nvme_host_t host;
	struct discover_args args;
	struct source *parent; /* whose log refers to it, or NULL; @args is of it */
	char *text, *place; /* of a line that describes it, or NULL */
	nvme_ctrl_t c;
	struct nvmf_discovery_log *log;
	bool ends; /* @c is disconnected when nobody uses it any more */
	unsigned int depth; /* of referrals */
};

/* One of a host that has @args, with one user; NULL after a message. */
struct source *source_new(struct discovery *d, nvme_host_t host, const struct discover_args *args);

/* Where the log of @parent refers to. */
struct source *source_of_referral(struct source *parent);

struct source *source_ref(struct source *source);

/* The last one disconnects what does not stay. Returns an exit status, 1 after a message. */
int source_unref(struct source *source);

/* "file:line" of the line that it comes from, or NULL. */
const char *source_place(const struct source *source);

/* Between the two the host has the secret that the source is connected with. */
void source_enter(struct source *source, char **secret);
void source_leave(struct source *source, char *secret);

/* Reads the log of @c and acts on it. Returns an exit status. */
int source_read(struct source *source, nvme_ctrl_t c, bool ends);

/* Notes a portal, or a controller, whose log is read. 1 if it is new, 0 if not, or -errno. */
int discovery_visit(struct discovery *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
bool discovery_is_visited(const struct discovery *d, const char *name);

extern const struct arg discovery_options[]; /* of discover, connect-all */

/* discover or, if it @connects, connect-all; @act is its part. Returns the exit status. */
int discovery_run(struct command *cmd, log_action_t act, bool connects);

/* The connections of the tables below @args->nbft_path are queued. */
int nbft_connect(struct discovery *d, const struct discover_args *args);

/*
 * The controller that the arguments of @source address or name: connected or reused, read, acted on,
 * disconnected. It takes over the user's part in @source.
 */
int discovery_run_source(struct source *source);

/* The same, queued where there is a queue. */
int discovery_add_source(struct source *source);

/* Every line of @path, discovery.conf. */
int discovery_run_file(struct discovery *d, const struct discover_args *args, const char *path);

/* cmd's output for one discovery log: the listing, JSON, or the bytes. */
int discovery_show_log(struct command *cmd, const struct nvmf_discovery_log *log);

/* Keep-alive as a discovery controller needs it: it is watched only if it stays. */
int discovery_keep_alive(const struct fabrics_args *args, bool persistent);

#endif /* DISCOVERY_H */
