/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interfaces between the parts of nvme mptcp relay: options, rules, status, data threads. */
#pragma once

#include <stdatomic.h>

#include "keep.h"

DEFINE_CLEANUP(nvme_mptcp_relay_t, nvme_mptcp_relay_free);

struct relay_pump;

/*
 * relay-outcomes.c: the last result of connecting for each portal. All but relay_outcomes_report()
 * may be called by any thread, and do not block.
 */
struct relay_outcomes;

/* Return an empty list, or NULL with errno. */
struct relay_outcomes *relay_outcomes_new(void);
void relay_outcomes_free(struct relay_outcomes *outcomes);
/*
 * Record 0, an errno, or EPROTONOSUPPORT: connected over plain TCP, since SYNs with the MPTCP option
 * get no reply.
 */
void relay_outcomes_note(struct relay_outcomes *outcomes, const char *portal, const char *peer,
			 int err);
/* Record a refusal by a limit. It is not reported: relay_refusals_report() does that. */
void relay_outcomes_refused(struct relay_outcomes *outcomes, const char *portal, const char *peer,
			    int err);
/* True if the portal was found to be without MPTCP in the last minute. */
bool relay_outcomes_is_plain(struct relay_outcomes *outcomes, const char *portal);
/* Store the results in an array that the caller frees. Return 0 or -ENOMEM. */
int relay_outcomes_list(struct relay_outcomes *outcomes, struct nvme_mptcp_relay_result **ret,
			size_t *n);
/* Return a descriptor that is readable while there is a result to report. */
int relay_outcomes_fd(const struct relay_outcomes *outcomes);
/* Return the text of a result that is not 0. */
const char *relay_outcome_text(int err);
/* Report results that differ from the last reported ones. Return 0 or an exit status. */
int relay_outcomes_report(struct relay_outcomes *outcomes, struct keep_log *log);

struct relay_pump_args {
	unsigned int threads;
	size_t most; /* maximum number of connections */
	size_t per_source; /* maximum from one address, on a target; 0: half of @most */
	size_t send_buffer; /* minimum send buffer of an MPTCP socket */
	nvme_mptcp_relay_t relay; /* until relay_pump_detach() */
	struct relay_outcomes *outcomes;
};

/* Start the threads that move bytes. Return 0 or -errno. */
int relay_pump_open(const struct relay_pump_args *args, struct relay_pump **ret);

/* Make no further attempts to connect: the relay may be freed. */
void relay_pump_detach(struct relay_pump *pump);

/* Reset all connections and end the threads. */
void relay_pump_close(struct relay_pump *pump);

/*
 * Add a connection. Takes ownership of both sockets, also on failure. Return 0, or the error of
 * relay_limits_check().
 */
int relay_pump_add(struct relay_pump *pump, const struct nvme_mptcp_relay_pair *pair);

size_t relay_pump_count(const struct relay_pump *pump);

/* Store the connections in an array that the caller frees. Return 0 or -ENOMEM. */
int relay_pump_list(struct relay_pump *pump, struct nvme_mptcp_relay_connection **ret, size_t *n);

/*
 * Reset connections that did not connect or end in time. @is_second: a second has passed; adapt
 * buffers to what moved in it.
 */
void relay_pump_sweep(struct relay_pump *pump, bool is_second);
/* True if a connection waits for its other side. */
bool relay_pump_is_connecting(const struct relay_pump *pump);

/*
 * relay-handover.c: execute the program again with all connections. Returns only on failure, with
 * -errno; nothing has changed then.
 */
int relay_execute(struct relay_pump *pump, nvme_mptcp_relay_t relay);
/* Connections that a reload ended. */
struct relay_ended {
	size_t lost; /* their sockets did not match the saved state */
	size_t unserved; /* their portals are no longer relayed */
};

/*
 * Take over the connections that relay_execute() left, if any. Return their number, or -errno.
 */
int relay_resume(struct relay_pump *pump, nvme_mptcp_relay_t relay, struct relay_ended *ended);

/*
 * relay-limits.c: raise the limit of open files. Return the number of connections that it allows,
 * at most @wanted.
 */
size_t relay_limits_raise(struct keep_log *log, unsigned int wanted);

/* Connections refused since the last report. */
struct relay_refusals {
	size_t n;
	int err; /* errno and peer of the last one */
	char peer[56];
	int64_t next; /* time of the next report, ms of CLOCK_MONOTONIC */
};

void relay_refusals_add(struct relay_refusals *refusals, const char *peer, int err);
/* Report the refusals, at most once a minute unless @is_last. Return 0 or an exit status. */
int relay_refusals_report(struct relay_refusals *refusals, const struct relay_pump *pump,
			  struct keep_log *log, bool is_last);

/* Size of an NQN: up to 223 bytes and a terminating null. */
#define RELAY_NQN 224

/* The Connect command of a connection and its response. */
struct relay_queue {
	unsigned char command[16]; /* CapsuleCmd PDU: common header, start of the SQE */
	unsigned char answer[24]; /* CapsuleResp PDU: common header and CQE */
	unsigned char cntlid[2];
	char subsysnqn[RELAY_NQN];
	unsigned int number; /* controller ID */
	bool has_command, has_answer, is_over;
	_Atomic bool is_known;
};

/* relay-queue.c: parse @n bytes at stream offset @at of one direction, until q->is_over. */
void relay_queue_parse(struct relay_queue *q, bool is_answer, const void *bytes, size_t n,
		       uint64_t at);
/* Fill in the controller, if it is known. */
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

/* relay-status.c: print the status of the running relay. Return an exit status. */
int relay_status_show(struct command *cmd);
/* Read token, number of subflows and fallback of an MPTCP socket. */
void relay_ask_mptcp(int fd, struct nvme_mptcp_relay_connection *ret);

/* Exit status if there is nothing to relay: systemd's EXIT_NOTCONFIGURED. */
#define RELAY_NOT_CONFIGURED 6
/* relay-config.c: read what to relay. Return 0, or an exit status after a message. */
int relay_config_read(struct command *cmd, nvme_mptcp_relay_t *ret);
/* True if the installed configuration has a relay for this portal; false if it cannot be read. */
bool relay_config_has(struct command *cmd, const char *traddr, const char *trsvcid);
/* Print rules and notices, for --dry-run. */
int relay_config_show(struct command *cmd, nvme_mptcp_relay_t relay);

/*
 * Set PR_SET_IO_FLUSHER for the calling thread, so that allocations do not wait for disks while
 * memory is short. Return 0 or -errno.
 */
int relay_pump_flusher(void);
