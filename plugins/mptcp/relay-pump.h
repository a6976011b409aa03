/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connections and threads of nvme mptcp relay: relay-pump.c, and relay-handover.c while the threads are halted. */
#pragma once

#include <semaphore.h>

#include "relay.h"
#include "relay-window.h"

/* Measured: more than 16 KiB in one send() goes to one subflow in one burst, and the others wait. */
#define CHUNK (16 * 1024)
/* Where that takes no time, as much as the processor's caches like. */
#define LARGE_CHUNK (128 * 1024)

struct spare {
	struct spare *next;
	char bytes[LARGE_CHUNK];
};

/* One direction: from side @i to the other. */
struct flow {
	size_t start, end; /* of what waits in the buffer */
	bool ended; /* the reader has seen the end */
	bool is_shut; /* and the writer has been told */
	bool is_fast; /* in the last second */
	uint64_t judged; /* what had been moved at its beginning */
	struct spare *spare; /* the buffer while it is not @buffer */
	char buffer[CHUNK];
};

struct side {
	struct relay_conn *conn;
	int fd;
	bool is_urgent; /* an end or an error was announced: a short read is not the last one */
};

/* An address from which a target gets connections. */
struct relay_source {
	struct relay_source *next;
	_Atomic size_t n; /* its connections */
	char address[56];
};

struct relay_conn {
	struct relay_conn *next, *before; /* of its thread's list */
	struct relay_conn *next_due; /* has had its turn and is not done */
	struct worker *worker;
	struct relay_source *source; /* on a target */
	struct side side[2]; /* the accepted, and the made one */
	struct flow flow[2]; /* from the accepted, and from the made one */
	_Atomic uint64_t moved[2];
	_Atomic int64_t deadline; /* ms of CLOCK_MONOTONIC, 0: none */
	uint64_t id;
	_Atomic bool is_open;
	bool is_due, is_dead, is_target;
	bool was_full; /* the send buffer of the MPTCP socket, since the last sweep */
	struct relay_window window;
	struct relay_queue queue;
	char portal[56], peer[56];
};

struct worker {
	struct relay_pump *pump;
	pthread_t thread;
	bool is_running;
	int epoll, wake;
	_Atomic bool ends, sweeps, pauses;
	sem_t paused, resumed;
	pthread_mutex_t lock; /* of the list, whose members only the thread takes out */
	struct relay_conn *first;
	struct relay_conn *due, *dead;
	struct spare *spares; /* that no direction has */
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

/* Puts one that is filled in into the care of a thread. */
void relay_pump_watch(struct relay_pump *pump, struct relay_conn *c);
void relay_reset_socket(int fd);
/* Halts the threads, which leaves connections as they are. Ended threads might not start again. */
void relay_pump_freeze(struct relay_pump *pump);
/* Lets them go on. */
void relay_pump_thaw(struct relay_pump *pump);

/* relay-spare.c, called by the thread, or before it runs. 0 or -ENOMEM. */
int relay_spare_allocate(struct worker *w);
void relay_spare_free(struct worker *w);
/* A direction in which nothing waits takes one if it is fast, and gives it back. */
void relay_spare_borrow(struct worker *w, struct flow *f);
void relay_spare_return(struct worker *w, struct flow *f);
/* Once a second: which directions are fast? */
void relay_spare_judge(struct relay_conn *c);
/* The buffer that a direction has, and its size. */
char *relay_spare_bytes(struct flow *f);
size_t relay_spare_size(const struct flow *f);

/*
 * relay-limits.c: may another connection be taken? 0; -EMFILE: there are too many; -EAGAIN: too many whose
 * other side has not answered; -EUSERS: too many from its address; -ENOMEM.
 */
int relay_limits_check(struct relay_pump *pump, const struct nvme_mptcp_relay_pair *pair);
/* Called by the thread that adds a connection, and by the one that ends it. */
void relay_limits_count(struct relay_pump *pump, struct relay_conn *c);
void relay_limits_uncount(struct relay_pump *pump, struct relay_conn *c);
void relay_limits_free(struct relay_pump *pump);
