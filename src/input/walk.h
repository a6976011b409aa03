/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A walk over everything that is to be connected: the connections that the firmware booted from,
 * those in the configuration, the subsystems that discovery controllers list, and their referrals.
 * The nvme program and the Python package both use it; their callbacks decide what to do with each
 * step. It uses public functions only.
 *
 *	struct walk_setup setup = { .calls = &calls, .arg = mine, .root = r, ... };
 *	struct walk *walk = walk_new(&setup);
 *
 *	... read the configuration into r ...
 *	walk_note_configured(walk);
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
	WALK_BOOT, /* a connection that the firmware booted from */
	WALK_CONFIGURED, /* a controller in the configuration */
	WALK_SOURCE, /* a discovery controller from the arguments, the configuration or discovery.conf */
	WALK_REFERRAL, /* discovery log entry: another discovery controller */
	WALK_ENTRY, /* discovery log entry: a subsystem */
};

/* A step of the walk. Unknown strings are NULL; strings are valid during the call only. */
struct walk_step {
	enum walk_kind kind;
	size_t order; /* position in the order of requests, which may differ from the order of execution */
	size_t source; /* number of its discovery controller, from 1; 0: none */
	const char *place; /* "file:line" of its description, or NULL */
	const char *path; /* path of the firmware's table or of a whole file, or NULL */
	const char *transport, *traddr, *trsvcid, *subnqn;
	nvme_host_t host;
	const struct nvmf_disc_log_entry *entry; /* or NULL */
};

enum walk_end { WALK_CONNECTED, WALK_ALREADY, WALK_SKIPPED, WALK_FAILED };

struct walk_result {
	enum walk_end end;
	nvme_ctrl_t c; /* the connected controller, or NULL if unknown */
	bool ends; /* the walk will disconnect @c again */
	int err; /* errno or enum nvme_connect_err of the failure; 0: the portal is silent */
	const char *reason; /* the library's sentence, or why it is skipped; or NULL */
	const char *text; /* message for the user; NULL: print nothing */
	bool unread; /* connected, but its log cannot be read */
	bool optional; /* not a failure: the firmware could not connect either */
};

/* A call that blocks in the kernel. */
struct walk_call {
	void (*run)(struct walk_call *call);
	int (*undo)(struct walk_call *call); /* undo a call that ends too late; 0 or -errno */
};

/* Callbacks, in the order in which they are called for a step; each may be NULL. */
struct walk_calls {
	/* Called for a log entry before it is handled. */
	void (*found)(void *arg, const struct walk_step *step);
	/* Called before the kernel connects a controller that does not exist. Nonzero: do not. */
	int (*connecting)(void *arg, const struct walk_step *step);
	/*
	 * Run @call. Return nonzero if it has not ended and the walk must not wait for it. The walk
	 * then no longer touches its root, and walk_free() must not be called before the call ends;
	 * the function that runs the call undoes and frees it.
	 */
	int (*block)(void *arg, const struct walk_step *step, struct walk_call *call);
	void (*done)(void *arg, const struct walk_step *step, const struct walk_result *result);

	/* Called with a discovery log if nothing is to be connected. Return an exit status. */
	int (*log)(void *arg, const struct walk_step *step, const struct nvmf_discovery_log *log,
		   const char *raw);
	/* Apply endpoints and limits of a host that table @path names. Return an exit status. */
	int (*prepare)(void *arg, const char *path, nvme_host_t host);
	/* Print a message of no step: "<text>: <meaning of err>", or just the text if err is 0. */
	void (*say)(void *arg, const char *place, bool failure, int err, const char *text);
	struct queue_calls queue;
};

struct walk_setup {
	const struct walk_calls *calls;
	void *arg;
	nvme_root_t root;
	const char *name; /* name of the command in messages */
	struct input_waiter waiter; /* may be called in another thread if @calls has block() */
	unsigned int timeout; /* timeout of each request in ms; 0: the kernel's default */
	/* Time in ms after which a silent portal counts as a failure; 0: leave it to the kernel. */
	unsigned int silence_timeout;
	bool connects; /* false: read logs only */
	/*
	 * Read all logs before connecting the subsystems that they list, and disconnect a discovery
	 * controller that does not stay connected as soon as its log is read. Without this it is
	 * disconnected after its last entry.
	 */
	bool logs_first;
	bool in_turn; /* one source after the other, without queues */
	bool no_referrals; /* with @logs_first: do not follow referrals */
	bool quiet; /* no messages about controllers of other applications */
};

/* Return a walk, or NULL without memory. Strings of @setup are borrowed. */
struct walk *walk_new(const struct walk_setup *setup);

/* Must not be called while a call is running, see block() in struct walk_calls. */
void walk_free(struct walk *walk);

/* Remember the configured controllers, before the scan. Return 0, or -ENOMEM after a message. */
int walk_note_configured(struct walk *walk);

/* Set the host of connections that name none. */
void walk_set_host(struct walk *walk, nvme_host_t host);

/*
 * Connect through the discovery controller at the address of @args, or named @args->device; without
 * either, connect everything that is configured. @args and its strings must be valid until
 * walk_free(). Return an exit status.
 */
int walk_run(struct walk *walk, const struct discover_args *args);

/* Connect @host's configured fabrics controllers, only @context's unless NULL. Return a status. */
int walk_configured(struct walk *walk, nvme_host_t host, const char *context);

/* True if the arguments give a discovery controller by device or address. */
bool walk_is_addressed(const struct discover_args *args);
