// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The data threads of nvme mptcp relay. A connection belongs to one thread. It is allocated once,
 * together with its two buffers. Descriptors are watched edge-triggered, so that moving bytes takes
 * only recv(), send() and epoll_wait().
 */
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "relay-pump.h"

#define EVENTS 64
#define TURN (512 * 1024) /* bytes that one direction moves before others get their turn */
#define STACK (128 * 1024)
#define ENDING_TIMEOUT_MS 60000 /* maximum silence of one side after the other has ended */

#ifndef PR_SET_IO_FLUSHER
#define PR_SET_IO_FLUSHER 57 /* Linux 5.6 */
#endif

void relay_reset_socket(int fd)
{
	const struct linger now = { .l_onoff = 1 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	close(fd);
}

static void unlink_conn(struct worker *w, struct relay_conn *c)
{
	pthread_mutex_lock(&w->lock);
	if (c->before)
		c->before->next = c->next;
	else
		w->first = c->next;
	if (c->next)
		c->next->before = c->before;
	pthread_mutex_unlock(&w->lock);
	w->n--;
}

/* Close a connection. It is freed later: events that are being handled may point to it. */
static void end_conn(struct relay_conn *c, bool by_reset)
{
	struct worker *w = c->worker;

	if (c->is_dead)
		return;
	c->is_dead = true;
	relay_limits_uncount(w->pump, c);
	unlink_conn(w, c);
	for (int i = 0; i < 2; i++) {
		relay_spare_return(w, &c->flow[i]);
		if (by_reset)
			relay_reset_socket(c->side[i].fd);
		else
			close(c->side[i].fd);
	}
	relay_connect_end(c);
	if (!c->is_due) {
		c->next_due = w->dead;
		w->dead = c;
	}
}

/* Result of moving bytes in one direction. */
enum progress { BLOCKED, MORE, FAILED };

static enum progress send_rest(struct relay_conn *c, int i)
{
	struct flow *f = &c->flow[i];
	ssize_t n = send(c->side[!i].fd, relay_spare_bytes(f) + f->start, f->end - f->start,
			 MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n < 0) {
		c->was_full |= errno == EAGAIN && i == c->is_target;
		return errno == EAGAIN || errno == EINTR ? BLOCKED : FAILED;
	}
	f->start += (size_t)n;
	c->moved[i] += (uint64_t)n;
	return MORE;
}

static enum progress fill_flow(struct relay_conn *c, int i)
{
	struct flow *f = &c->flow[i];
	ssize_t n;

	relay_spare_borrow(c->worker, f);
	n = recv(c->side[i].fd, relay_spare_bytes(f), relay_spare_size(f), MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? BLOCKED : FAILED;
	f->start = 0;
	f->end = (size_t)n;
	if (!n)
		f->ended = true;
	/* Everything read before was sent, so moved[i] is the stream offset of these bytes. */
	if (!c->queue.is_over)
		relay_queue_parse(&c->queue, i, relay_spare_bytes(f), (size_t)n, c->moved[i]);
	return MORE;
}

/* Pass the end of file on to the other side, after all bytes before it. */
static enum progress pass_end(struct relay_conn *c, int i)
{
	if (!c->flow[i].is_shut) {
		/* Errors are ignored: if that socket is dead, reading from it reports the error. */
		shutdown(c->side[!i].fd, SHUT_WR);
		c->flow[i].is_shut = true;
	}
	return BLOCKED;
}

/* Move at most TURN bytes in one direction, until it would block: edges are not repeated. */
static enum progress run_flow(struct relay_conn *c, int i)
{
	struct flow *f = &c->flow[i];

	for (size_t done = 0; done < TURN; done += relay_spare_size(f)) {
		enum progress progress;
		bool was_short = false;

		if (f->start == f->end) {
			if (f->ended)
				return pass_end(c, i);
			progress = fill_flow(c, i);
			if (progress != MORE)
				return progress;
			if (f->ended)
				continue;
			was_short = f->end < relay_spare_size(f) && !c->side[i].is_urgent;
		}
		while (f->start < f->end) {
			progress = send_rest(c, i);
			if (progress != MORE)
				return progress;
		}
		/* A short read emptied the socket; new data causes another event. */
		if (was_short)
			return BLOCKED;
	}
	return MORE;
}

static void make_due(struct relay_conn *c)
{
	if (c->is_due)
		return;
	c->is_due = true;
	c->next_due = c->worker->due;
	c->worker->due = c;
}

/* Move bytes in the directions that @runs selects. */
static void run_conn(struct relay_conn *c, const bool runs[static 2])
{
	bool is_more = false;

	for (int i = 0; i < 2; i++) {
		enum progress progress = runs[i] ? run_flow(c, i) : BLOCKED;

		if (c->flow[i].start == c->flow[i].end)
			relay_spare_return(c->worker, &c->flow[i]);
		if (progress == FAILED) {
			end_conn(c, true);
			return;
		}
		is_more |= progress == MORE;
	}
	if (c->flow[0].is_shut && c->flow[1].is_shut) {
		end_conn(c, false);
		return;
	}
	if (c->flow[0].ended || c->flow[1].ended)
		c->deadline = keep_clock_ms() + ENDING_TIMEOUT_MS;
	if (is_more)
		make_due(c);
}

static const bool both[2] = { true, true };

static int error_of(int fd)
{
	int err = 0;
	socklen_t size = sizeof(err);

	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size) ? errno : err;
}

/* Return true when side[1] gets connected. Before, nothing is read: data waits in the kernel. */
static bool finish_connect(struct relay_conn *c, const struct side *side, uint32_t events)
{
	int err;

	if (side != &c->side[1]) {
		/* The accepted side has closed its connection. */
		if (events & (EPOLLERR | EPOLLHUP))
			end_conn(c, true);
		return false;
	}
	err = relay_connect_result(c);
	if (err == -EINPROGRESS)
		return false;
	if (err) {
		end_conn(c, true);
		return false;
	}
	c->is_open = true;
	c->worker->pump->n_half--;
	c->deadline = 0;
	return true;
}

static void handle_side(struct side *side, uint32_t events)
{
	struct relay_conn *c = side->conn;
	const int i = side == &c->side[1];
	bool runs[2];

	if (c->is_dead)
		return;
	if (events & (EPOLLPRI | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
		side->is_urgent = true;
	if (!c->is_open) {
		if (finish_connect(c, side, events))
			run_conn(c, both);
		return;
	}
	if ((events & EPOLLERR) && error_of(side->fd)) {
		end_conn(c, true);
		return;
	}
	runs[i] = events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP);
	/* Nearly always set: it counts only if the other direction waits to write. */
	runs[!i] = (events & EPOLLOUT) && c->flow[!i].start < c->flow[!i].end;
	run_conn(c, runs);
}

static void free_dead(struct worker *w)
{
	while (w->dead) {
		struct relay_conn *c = w->dead;

		w->dead = c->next_due;
		free(c);
	}
}

static void run_due(struct worker *w)
{
	struct relay_conn *due = w->due;

	w->due = NULL;
	while (due) {
		struct relay_conn *c = due;

		due = c->next_due;
		c->is_due = false;
		if (c->is_dead) {
			c->next_due = w->dead;
			w->dead = c;
		} else {
			run_conn(c, both);
		}
	}
}

static void sweep_own(struct worker *w, bool is_second)
{
	const struct relay_pump_args *args = &w->pump->args;
	const int64_t now = keep_clock_ms();
	struct relay_conn *next;

	/* The main thread only adds in front: the rest is read without the lock. */
	pthread_mutex_lock(&w->lock);
	next = w->first;
	pthread_mutex_unlock(&w->lock);
	while (next) {
		struct relay_conn *c = next;

		next = c->next;
		if (is_second) {
			relay_spare_update(c);
			if (c->was_full)
				relay_window_follow(&c->window, c->side[!c->is_target].fd,
						    args->send_buffer);
			c->was_full = false;
		}
		if (!c->deadline || c->deadline > now)
			continue;
		if (c->is_open || relay_connect_expired(c))
			end_conn(c, true);
	}
}

int relay_pump_flusher(void)
{
	return prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0) ? -errno : 0;
}

static void handle_wake(struct worker *w)
{
	uint64_t n;

	(void)!read(w->wake, &n, sizeof(n));
	if (atomic_exchange(&w->sweeps, false))
		sweep_own(w, true);
	else if (atomic_exchange(&w->expires, false))
		sweep_own(w, false);
}

static void *run_worker(void *arg)
{
	struct worker *w = arg;
	struct epoll_event events[EVENTS];

	relay_pump_flusher();
	while (!w->ends) {
		int n;

		if (w->pauses) {
			sem_post(&w->paused);
			while (sem_wait(&w->resumed))
				;
		}
		n = epoll_wait(w->epoll, events, EVENTS, w->due ? 0 : -1);

		for (int i = 0; i < n; i++) {
			if (!events[i].data.ptr)
				handle_wake(w);
			else
				handle_side(events[i].data.ptr, events[i].events);
		}
		run_due(w);
		free_dead(w);
	}
	while (w->first)
		end_conn(w->first, true);
	run_due(w);
	free_dead(w);
	return NULL;
}

static void wake_worker(struct worker *w)
{
	const uint64_t one = 1;

	(void)!write(w->wake, &one, sizeof(one));
}

static int start_worker(struct worker *w)
{
	struct epoll_event event = { .events = EPOLLIN };
	pthread_attr_t attr;
	int err;

	err = relay_spare_allocate(w);
	if (err)
		return err;
	w->epoll = epoll_create1(EPOLL_CLOEXEC);
	w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->epoll < 0 || w->wake < 0 || epoll_ctl(w->epoll, EPOLL_CTL_ADD, w->wake, &event))
		return -errno;
	err = pthread_attr_init(&attr);
	if (err)
		return -err;
	/* Locked stacks are populated completely, so they are small. */
	pthread_attr_setstacksize(&attr, STACK);
	err = pthread_create(&w->thread, &attr, run_worker, w);
	pthread_attr_destroy(&attr);
	w->is_running = !err;
	return -err;
}

static void stop_thread(struct worker *w)
{
	w->ends = true;
	if (!w->is_running)
		return;
	wake_worker(w);
	pthread_join(w->thread, NULL);
}

void relay_pump_freeze(struct relay_pump *pump)
{
	for (unsigned int i = 0; i < pump->n_workers; i++) {
		pump->workers[i].pauses = true;
		wake_worker(&pump->workers[i]);
		while (sem_wait(&pump->workers[i].paused))
			;
	}
}

void relay_pump_thaw(struct relay_pump *pump)
{
	for (unsigned int i = 0; i < pump->n_workers; i++) {
		pump->workers[i].pauses = false;
		sem_post(&pump->workers[i].resumed);
	}
}

int relay_pump_open(const struct relay_pump_args *args, struct relay_pump **ret)
{
	struct relay_pump *pump =
		calloc(1, sizeof(*pump) + args->threads * sizeof(pump->workers[0]));
	int err = 0;

	if (!pump)
		return -ENOMEM;
	pump->args = *args;
	for (unsigned int i = 0; i < args->threads; i++) {
		struct worker *w = &pump->workers[i];

		*w = (struct worker){ .pump = pump, .epoll = -1, .wake = -1 };
		pthread_mutex_init(&w->lock, NULL);
		sem_init(&w->paused, 0, 0);
		sem_init(&w->resumed, 0, 0);
	}
	pump->n_workers = args->threads;
	for (unsigned int i = 0; !err && i < pump->n_workers; i++)
		err = start_worker(&pump->workers[i]);
	if (err)
		relay_pump_close(pump);
	else
		*ret = pump;
	return err;
}

void relay_pump_detach(struct relay_pump *pump)
{
	if (!pump)
		return;
	relay_pump_freeze(pump);
	pump->args.relay = NULL;
	relay_pump_thaw(pump);
}

void relay_pump_close(struct relay_pump *pump)
{
	if (!pump)
		return;
	for (unsigned int i = 0; i < pump->n_workers; i++) {
		struct worker *w = &pump->workers[i];

		stop_thread(w);
		relay_spare_free(w);
		if (w->wake >= 0)
			close(w->wake);
		if (w->epoll >= 0)
			close(w->epoll);
		pthread_mutex_destroy(&w->lock);
		sem_destroy(&w->paused);
		sem_destroy(&w->resumed);
	}
	relay_limits_free(pump);
	free(pump);
}

static struct worker *least_busy(struct relay_pump *pump)
{
	struct worker *best = &pump->workers[0];

	for (unsigned int i = 1; i < pump->n_workers; i++)
		if (pump->workers[i].n < best->n)
			best = &pump->workers[i];
	return best;
}

static struct relay_conn *new_conn(struct relay_pump *pump,
				   const struct nvme_mptcp_relay_pair *pair)
{
	struct relay_conn *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->side[0] = (struct side){ .conn = c, .fd = pair->accepted };
	c->side[1] = (struct side){ .conn = c, .fd = pair->made };
	c->is_target = pair->is_target;
	c->id = ++pump->last_id;
	memcpy(c->portal, pair->portal, sizeof(c->portal));
	memcpy(c->peer, pair->peer, sizeof(c->peer));
	relay_connect_begin(pump, c);
	return c;
}

/*
 * The thread may end the connection as soon as one side is watched. To do so it must remove the
 * connection from the list, which stays locked here until both sides are watched.
 */
void relay_pump_watch(struct relay_pump *pump, struct relay_conn *c)
{
	struct worker *w = least_busy(pump);

	c->worker = w;
	relay_limits_count(pump, c);
	pthread_mutex_lock(&w->lock);
	c->next = w->first;
	if (w->first)
		w->first->before = c;
	w->first = c;
	w->n++;
	for (int i = 0; i < 2; i++) {
		if (!relay_connect_watch(c, i))
			continue;
		/* Not watched: an expired deadline makes the thread end it. */
		c->deadline = 1;
		w->sweeps = true;
		wake_worker(w);
	}
	pthread_mutex_unlock(&w->lock);
}

int relay_pump_add(struct relay_pump *pump, const struct nvme_mptcp_relay_pair *pair)
{
	struct relay_conn *c = NULL;
	int err = relay_limits_check(pump, pair);

	if (!err) {
		c = new_conn(pump, pair);
		err = c ? 0 : -ENOMEM;
	}
	if (err) {
		relay_reset_socket(pair->accepted);
		relay_reset_socket(pair->made);
		return err;
	}
	relay_pump_watch(pump, c);
	return 0;
}

size_t relay_pump_count(const struct relay_pump *pump)
{
	size_t n = 0;

	for (unsigned int i = 0; i < pump->n_workers; i++)
		n += pump->workers[i].n;
	return n;
}

void relay_pump_sweep(struct relay_pump *pump, bool is_second)
{
	for (unsigned int i = 0; i < pump->n_workers; i++) {
		*(is_second ? &pump->workers[i].sweeps : &pump->workers[i].expires) = true;
		wake_worker(&pump->workers[i]);
	}
}

static void list_conn(const struct relay_conn *c, struct nvme_mptcp_relay_connection *ret)
{
	const int to = c->is_target; /* direction towards the MPTCP socket */

	*ret = (struct nvme_mptcp_relay_connection){
		.id = c->id,
		.is_target = c->is_target,
		.is_open = c->is_open,
		.to_mptcp = c->moved[to],
		.from_mptcp = c->moved[!to],
	};
	memcpy(ret->portal, c->portal, sizeof(ret->portal));
	memcpy(ret->peer, c->peer, sizeof(ret->peer));
	relay_queue_name(&c->queue, ret);
	if (c->is_open)
		relay_ask_mptcp(c->side[!c->is_target].fd, ret);
}

int relay_pump_list(struct relay_pump *pump, struct nvme_mptcp_relay_connection **ret, size_t *n)
{
	/* Only the calling thread adds connections, so their number cannot grow. */
	const size_t most = relay_pump_count(pump);
	struct nvme_mptcp_relay_connection *list = calloc(most + 1, sizeof(*list));
	size_t found = 0;

	if (!list)
		return -ENOMEM;
	for (unsigned int i = 0; i < pump->n_workers; i++) {
		struct worker *w = &pump->workers[i];

		/* Connections are removed from the list before their sockets are closed. */
		pthread_mutex_lock(&w->lock);
		for (struct relay_conn *c = w->first; c && found < most; c = c->next)
			list_conn(c, &list[found++]);
		pthread_mutex_unlock(&w->lock);
	}
	*ret = list;
	*n = found;
	return 0;
}
