/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nvme mptcp relay, by its parts: options and rules, and the threads that move bytes. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "keep.h"

DEFINE_CLEANUP(nvme_mptcp_relay_t, nvme_mptcp_relay_free);

struct relay_pump;

/* What became of a connection attempt; called by any thread, which must not wait. @err: 0 or errno. */
typedef void (*relay_outcome_fn)(void *arg, const char *portal, const char *peer, int err);

struct relay_pump_args {
	unsigned int threads;
	size_t most; /* connections */
	size_t per_source; /* of them from one address, on a target; 0: half */
	size_t send_buffer; /* the least for an MPTCP socket */
	relay_outcome_fn outcome;
	void *arg;
};

/* Threads that move bytes. 0, or -errno. */
int relay_pump_open(const struct relay_pump_args *args, struct relay_pump **ret);

/* Resets every connection and ends the threads. */
void relay_pump_close(struct relay_pump *pump);

/* Takes ownership of both sockets, also on failure. 0, or what relay_limits_check() returns. */
int relay_pump_add(struct relay_pump *pump, const struct nvme_mptcp_relay_pair *pair);

size_t relay_pump_count(const struct relay_pump *pump);

/* Its connections as an array to be freed. 0 or -ENOMEM. */
int relay_pump_list(struct relay_pump *pump, struct nvme_mptcp_relay_connection **ret, size_t *n);

/* Once a second: closes what has not connected, or not ended, in time, and adapts send buffers. */
void relay_pump_sweep(struct relay_pump *pump);

/*
 * relay-handover.c: executes the program again with all connections. It returns only if that failed, and
 * everything is as before: -errno.
 */
int relay_execute(struct relay_pump *pump, nvme_mptcp_relay_t relay);
/*
 * Takes over what was left by that, if anything was. *@lost: connections that are not what was written
 * down, and were reset. Number of connections, or -errno.
 */
int relay_resume(struct relay_pump *pump, nvme_mptcp_relay_t relay, size_t *lost);

/* relay-limits.c: how many connections the limit of open files allows, @wanted at most. */
size_t relay_limits_room(struct keep_log *log, unsigned int wanted);

/* Connections refused since the last report. */
struct relay_refusals {
	size_t n;
	int err; /* of the last one, and its peer */
	char peer[56];
	int64_t next; /* earliest next report, ms of CLOCK_MONOTONIC */
};

void relay_refusals_add(struct relay_refusals *refusals, const char *peer, int err);
/* Reports them, once a minute at most unless it @is_last. 0 or an exit status. */
int relay_refusals_report(struct relay_refusals *refusals, const struct relay_pump *pump,
			  struct keep_log *log, bool is_last);

/* The longest NQN has 223 bytes, and a zero behind it. */
#define RELAY_NQN 224

/* What the first command of a connection says of its controller. */
struct relay_queue {
	unsigned char command[16]; /* how its PDU and the command in it begin */
	unsigned char answer[24]; /* PDU and completion */
	unsigned char cntlid[2];
	char subsysnqn[RELAY_NQN];
	unsigned int number; /* of the controller */
	bool has_command, has_answer, is_over;
	_Atomic bool is_known;
};

/* relay-queue.c: looks at @n bytes of a connection that begin at @at, until q->is_over. */
void relay_queue_look(struct relay_queue *q, bool is_answer, const void *bytes, size_t n,
		      uint64_t at);
/* Fills in the controller, as far as it is known. */
void relay_queue_name(const struct relay_queue *q, struct nvme_mptcp_relay_connection *ret);

struct relay_args {
	const char *portal;
	const char *port;
	const char *dev;
	const char *mode;
	const char *config;
	uint64_t send_buffer;
	unsigned int threads;
	unsigned int connections;
	unsigned int per_source;
	const char *netns;
	bool status;
	bool dry_run;
};

/* relay-status.c: what a relay that runs has. Return: exit status. */
int relay_status_show(struct command *cmd);
/* What the kernel has of an MPTCP socket: token, subflows, fallback. */
void relay_ask_mptcp(int fd, struct nvme_mptcp_relay_connection *ret);

/* relay-config.c: what is to be relayed. 0, or an exit status after a message. */
int relay_config_read(struct command *cmd, nvme_mptcp_relay_t *ret);
/* Has the installed configuration a relay for this portal? False also where it cannot be read. */
bool relay_config_has(struct command *cmd, const char *traddr, const char *trsvcid);
/* --dry-run */
int relay_config_show(struct command *cmd, nvme_mptcp_relay_t relay);

/* One setting of each thread that allocates nothing while memory is short: PR_SET_IO_FLUSHER. */
int relay_pump_flusher(void);
