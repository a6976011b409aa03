/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Connections and threads of nvme mptcp relay, private to relay-*.c. relay-handover.c accesses them
 * only while the threads are paused.
 */
#pragma once

#include <pthread.h>
#include <semaphore.h>

#include "relay.h"
#include "relay-window.h"

/*
 * Buffer size. With more than 16 KiB in one send(), MPTCP puts all of it on one subflow in a burst
 * while the others idle (measured).
 */
#define CHUNK (16 * 1024)
/* Buffer size of fast connections, where such a burst is short; chosen for the CPU caches. */
#define LARGE_CHUNK (128 * 1024)

struct spare {
	struct spare *next;
	char bytes[LARGE_CHUNK];
};

/* One direction of a connection: flow[i] goes from side[i] to the other side. */
struct flow {
	size_t start, end; /* unsent bytes in the buffer */
	bool ended; /* end of file was read */
	bool is_shut; /* end of file was passed on with shutdown() */
	bool is_fast; /* at least FAST bytes moved in the last second */
	uint64_t judged; /* value of moved[] at the start of that second */
	struct spare *spare; /* replaces @buffer if not NULL */
	char buffer[CHUNK];
};

struct side {
	struct relay_conn *conn;
	int fd;
	bool is_urgent; /* epoll reported an end, an error or urgent data, where a read is short:
			 * read again after a short read */
};

/* A remote address with connections to the relay of a target. */
struct relay_source {
	struct relay_source *next;
	_Atomic size_t n; /* number of its connections */
	char address[56];
};

/* How side[1] is connected: see relay-connect.c. */
enum relay_attempt {
	RELAY_FIRST,
	RELAY_SECOND, /* over TCP, without a reply over MPTCP */
	RELAY_THIRD, /* over MPTCP again, since TCP works */
	RELAY_PLAIN, /* over TCP: SYNs with the MPTCP option get no reply */
};

struct relay_conn {
	struct relay_conn *next, *before; /* list of the thread */
	struct relay_conn *next_due; /* list of connections with more to move, or to be freed */
	struct worker *worker;
	struct relay_source *source; /* on a target, else NULL */
	struct side side[2]; /* 0: accepted socket, 1: connected socket */
	struct flow flow[2]; /* index of the side that is read */
	_Atomic uint64_t moved[2];
	_Atomic int64_t deadline; /* ms of CLOCK_MONOTONIC; 0: none */
	uint64_t id;
	_Atomic bool is_open;
	bool is_due, is_dead, is_target;
	enum relay_attempt attempt;
	int plain; /* TCP socket that is connected, while side[1] makes the third attempt; or -1 */
	bool was_full; /* the MPTCP socket's send buffer was full since the last sweep */
	struct relay_window window;
	struct relay_queue queue;
	char portal[56], peer[56];
};

struct worker {
	struct relay_pump *pump;
	pthread_t thread;
	bool is_running;
	int epoll, wake;
	_Atomic bool ends, sweeps, expires, pauses;
	sem_t paused, resumed;
	pthread_mutex_t lock; /* protects the list; only the thread removes connections */
	struct relay_conn *first;
	struct relay_conn *due, *dead;
	struct spare *spares; /* not borrowed by a flow */
	_Atomic size_t n;
};

struct relay_pump {
	struct relay_pump_args args;
	uint64_t last_id;
	struct relay_source *sources;
	_Atomic size_t n_half; /* connections whose other side has not answered yet */
	unsigned int n_workers;
	struct worker workers[];
};

/* Hand an initialized connection over to a thread. */
void relay_pump_watch(struct relay_pump *pump, struct relay_conn *c);
void relay_reset_socket(int fd);
/* Pause all threads. They are not ended, since starting them again could fail. */
void relay_pump_freeze(struct relay_pump *pump);
/* Resume the threads. */
void relay_pump_thaw(struct relay_pump *pump);

/*
 * relay-spare.c: large buffers of a thread. Called by it, or before it runs. Return 0 or -ENOMEM.
 */
int relay_spare_allocate(struct worker *w);
void relay_spare_free(struct worker *w);
/* Borrow a large buffer for an empty, fast flow; return it when the flow is empty again. */
void relay_spare_borrow(struct worker *w, struct flow *f);
void relay_spare_return(struct worker *w, struct flow *f);
/* Update flow.is_fast; called once a second. */
void relay_spare_update(struct relay_conn *c);
/* Return the current buffer of a flow, and its size. */
char *relay_spare_bytes(struct flow *f);
size_t relay_spare_size(const struct flow *f);

/*
 * relay-limits.c: check the limits for another connection. Return 0; -EMFILE: too many connections;
 * -EAGAIN: too many whose other side has not answered; -EUSERS: too many from its address; -ENOMEM.
 */
int relay_limits_check(struct relay_pump *pump, const struct nvme_mptcp_relay_pair *pair);
/* Count a connection when the main thread adds it, and uncount it when its own thread ends it. */
void relay_limits_count(struct relay_pump *pump, struct relay_conn *c);
void relay_limits_uncount(struct relay_pump *pump, struct relay_conn *c);
void relay_limits_free(struct relay_pump *pump);

/*
 * relay-connect.c: attempts to connect side[1], before c->is_open. Set the deadline of the first
 * one.
 */
void relay_connect_begin(struct relay_pump *pump, struct relay_conn *c);
/* Watch side[@i] with the thread's epoll descriptor. Return 0 or -errno. */
int relay_connect_watch(struct relay_conn *c, int i);
/* Return 0: connected; -EINPROGRESS; or the -errno of the last attempt, which is recorded. */
int relay_connect_result(struct relay_conn *c);
/* The deadline has expired: start another attempt. Return 0, or -errno, which is recorded. */
int relay_connect_expired(struct relay_conn *c);
/* Close what the attempts left. */
void relay_connect_end(struct relay_conn *c);
