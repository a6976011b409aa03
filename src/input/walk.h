/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A walk over everything that is to be connected: what the firmware booted from, what the configuration
 * describes, what discovery controllers list, and those that they refer to. Program and Python package
 * both take it, and differ in what they do about what it comes to. It uses public functions only.
 *
 *	struct walk_setup setup = { .calls = &calls, .arg = mine, .root = r, ... };
 *	struct walk *walk = walk_new(&setup);
 *
 *	... read the configuration into r ...
 *	walk_describe(walk);
 *	... scan ...
 *	walk_set_host(walk, h);
 *	status = walk_run(walk, &args);
 *	walk_free(walk);
 */
#pragma once

#include "input/discovery-conf.h"
#include "queue.h"
#include "recorded.h"

struct walk;

/* Reasons why something is skipped. */
#define WALK_OTHERS "skipped: for another application"
#define WALK_OTHER_TRANSPORT "skipped: another transport"

enum walk_kind {
	WALK_BOOT, /* what the firmware booted from */
	WALK_CONFIGURED, /* a controller that the configuration describes */
	WALK_SOURCE, /* a discovery controller that is given, described, or in a line */
	WALK_REFERRAL, /* of a discovery log: another discovery controller */
	WALK_ENTRY, /* of a discovery log: a subsystem */
};

/* What the walk comes to. Strings are NULL where they are not known, and last as long as the call. */
struct walk_step {
	enum walk_kind kind;
	size_t order; /* in which steps were asked for, whatever comes first */
	size_t source; /* the number of the discovery controller that it comes from, from 1 on; 0: none */
	const char *place; /* "file:line" that describes it, or NULL */
	const char *path; /* of the firmware's table, or a file as a whole, or NULL */
	const char *transport, *traddr, *trsvcid, *subnqn;
	nvme_host_t host;
	const struct nvmf_disc_log_entry *entry; /* or NULL */
};

enum walk_end { WALK_CONNECTED, WALK_ALREADY, WALK_SKIPPED, WALK_FAILED };

struct walk_result {
	enum walk_end end;
	nvme_ctrl_t c; /* that is connected, or NULL where it is not known */
	bool ends; /* @c is disconnected again, by the walk */
	int err; /* errno or enum nvme_connect_err of what failed; 0: its portal is silent */
	const char *reason; /* the library's sentence about it, or why it is skipped; or NULL */
	const char *text; /* the message for a user, or NULL: nothing is to be said */
	bool unread; /* it is connected, and its log cannot be read */
	bool optional; /* the firmware did not reach it either: it is no failure */
};

/* Something that blocks in the kernel. */
struct walk_call {
	void (*run)(struct walk_call *call);
	int (*undo)(struct walk_call *call); /* of one that comes too late. 0 or -errno */
};

/* Each may be NULL. In the order in which they come for a step. */
struct walk_calls {
	/* An entry of a log, before anything is done about it. */
	void (*found)(void *arg, const struct walk_step *step);
	/* There is no such controller yet, and the kernel is asked for it next. Nonzero: it is not. */
	int (*connecting)(void *arg, const struct walk_step *step);
	/*
	 * Runs @call. Nonzero: it is not over, and nobody waits for it. Then the walk touches its root no
	 * more, and walk_free() has to wait until it is; whoever runs it undoes and frees it.
	 */
	int (*block)(void *arg, const struct walk_step *step, struct walk_call *call);
	void (*done)(void *arg, const struct walk_step *step, const struct walk_result *result);

	/* The log of a discovery controller, where nothing is to be connected. Returns an exit status. */
	int (*log)(void *arg, const struct walk_step *step, const struct nvmf_discovery_log *log,
		   const char *raw);
	/* Endpoints and limits of a host that the firmware's table @path names. Returns an exit status. */
	int (*prepare)(void *arg, const char *path, nvme_host_t host);
	/* About none of the steps: "<text>: <meaning of err>", or just the text if err is 0. */
	void (*say)(void *arg, const char *place, bool failure, int err, const char *text);
	struct queue_calls queue;
};

struct walk_setup {
	const struct walk_calls *calls;
	void *arg;
	nvme_root_t root;
	const char *name; /* of the command, for messages */
	struct input_waiter waiter; /* may be told in another thread, where @calls has block() */
	unsigned int timeout; /* of each request, in milliseconds; 0: the kernel's */
	/* How long a portal may be silent before that is a failure; 0: it is left to the kernel. */
	unsigned int patience;
	bool connects; /* else logs are read, and nothing more */
	/*
	 * All logs are read before what they list is connected, and a discovery controller that does not
	 * stay ends with its log. Else it ends with the last of its entries.
	 */
	bool logs_first;
	bool in_turn; /* one source after the other, with nothing put off */
	bool no_referrals; /* where @logs_first: they are not followed */
	bool quiet; /* nothing is said of what is left to other applications */
};

/* NULL without memory. Strings of @setup are borrowed. */
struct walk *walk_new(const struct walk_setup *setup);

/* Not while a call is not over, see struct walk_calls. */
void walk_free(struct walk *walk);

/*
 * Remembers what the configuration describes, before a scan finds out which of them are connected. 0,
 * or -ENOMEM after a message.
 */
int walk_describe(struct walk *walk);

/* Who connects what names no host. */
void walk_set_host(struct walk *walk, nvme_host_t host);

/*
 * The discovery controller at the address of @args, or called @args->device; without either, everything
 * that is configured. @args and its strings last until walk_free(). Returns an exit status.
 */
int walk_run(struct walk *walk, const struct discover_args *args);

/*
 * Every fabrics controller that is described for @host and not connected yet, and of the application
 * @context, if there is one. Returns an exit status.
 */
int walk_configured(struct walk *walk, nvme_host_t host, const char *context);

/* Is a discovery controller meant, by device or address? */
bool walk_is_addressed(const struct discover_args *args);
