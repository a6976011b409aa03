// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reload: the relay executes its program again and passes all sockets to it. A sealed memory file
 * lists the pairs of sockets and holds their unsent bytes. A wrong pair would connect a host to a
 * wrong disk, so both sockets must have the saved kernel cookie (SO_COOKIE); otherwise they are
 * reset.
 */
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "relay-pump.h"

#define VARIABLE "NVME_MPTCP_RELAY_STATE"
#define MAGIC "nvme relay 1\n"
#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)
#define STATE_MAX (INT64_C(1) << 30)

struct saved_head {
	char magic[16];
	uint32_t size, conn_size; /* sizes of this structure and of struct saved_conn */
	uint32_t n_fds, round;
	uint64_t n_conns, last_id;
};

/* A connection; the unsent bytes of both directions follow. */
struct saved_conn {
	uint64_t cookie[2], moved[2], id;
	int64_t deadline;
	int32_t fd[2];
	uint32_t waiting[2];
	bool ended[2], is_shut[2];
	bool is_open, is_target;
	uint8_t attempt;
	char portal[56], peer[56];
	struct relay_queue queue;
};

static int cookie_of(int fd, uint64_t *ret)
{
	socklen_t size = sizeof(*ret);

	return getsockopt(fd, SOL_SOCKET, SO_COOKIE, ret, &size) ? -errno : 0;
}

static int save_conn(FILE *to, struct relay_conn *c)
{
	struct saved_conn saved = { .id = c->id,
				    .deadline = c->deadline,
				    .is_open = c->is_open,
				    .is_target = c->is_target,
				    /* The TCP socket of a third attempt is not handed over. */
				    .attempt = c->attempt == RELAY_THIRD ? RELAY_FIRST : c->attempt,
				    .queue = c->queue };

	memcpy(saved.portal, c->portal, sizeof(saved.portal));
	memcpy(saved.peer, c->peer, sizeof(saved.peer));
	for (int i = 0; i < 2; i++) {
		int err = cookie_of(c->side[i].fd, &saved.cookie[i]);

		if (!err && fcntl(c->side[i].fd, F_SETFD, 0))
			err = -errno;
		if (err)
			return err;
		saved.fd[i] = c->side[i].fd;
		saved.moved[i] = c->moved[i];
		saved.waiting[i] = (uint32_t)(c->flow[i].end - c->flow[i].start);
		saved.ended[i] = c->flow[i].ended;
		saved.is_shut[i] = c->flow[i].is_shut;
	}
	fwrite(&saved, sizeof(saved), 1, to);
	for (int i = 0; i < 2; i++)
		fwrite(relay_spare_bytes(&c->flow[i]) + c->flow[i].start, 1, saved.waiting[i], to);
	return 0;
}

static int save_all(FILE *to, const struct relay_pump *pump,
		    const struct nvme_mptcp_relay_handover *h)
{
	const struct saved_head head = { .magic = MAGIC,
					 .size = sizeof(head),
					 .conn_size = sizeof(struct saved_conn),
					 .n_fds = (uint32_t)h->n,
					 .round = h->round,
					 .n_conns = relay_pump_count(pump),
					 .last_id = pump->last_id };
	int err = 0;

	fwrite(&head, sizeof(head), 1, to);
	if (h->n)
		fwrite(h->fds, sizeof(*h->fds), h->n, to);
	for (unsigned int i = 0; i < pump->n_workers; i++)
		for (struct relay_conn *c = pump->workers[i].first; !err && c; c = c->next)
			err = save_conn(to, c);
	return err ? err : ferror(to) ? -EIO : 0;
}

/* Write the state to a sealed memory file. Return its descriptor, or -errno. */
static int write_state(const struct relay_pump *pump, nvme_mptcp_relay_t relay)
{
	struct nvme_mptcp_relay_handover h;
	int fd = memfd_create("nvme-mptcp-relay-state", MFD_CLOEXEC | MFD_ALLOW_SEALING), err, copy;
	FILE *to;

	if (fd < 0)
		return -errno;
	copy = dup(fd);
	to = copy < 0 ? NULL : fdopen(copy, "w");
	err = !to ? -errno : nvme_mptcp_relay_hand_over(relay, &h) ? -errno : 0;
	if (!err) {
		err = save_all(to, pump, &h);
		free(h.fds);
	}
	if (to && fclose(to) && !err)
		err = -errno;
	else if (!to && copy >= 0)
		close(copy);
	if (!err && (fcntl(fd, F_ADD_SEALS, SEALS) || fcntl(fd, F_SETFD, 0)))
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}

/*
 * Return the command line of this process as a NULL-terminated array in a single allocation, which
 * the caller frees, or NULL with errno.
 */
static char **own_arguments(void)
{
	_cleanup_(fclose) FILE *from = fopen("/proc/self/cmdline", "re");
	const size_t most = (size_t)sysconf(_SC_ARG_MAX);
	char **words = from ? calloc(1, most + 4096 * sizeof(*words)) : NULL;
	char *text = words ? (char *)(words + 4096) : NULL;
	size_t n = text ? fread(text, 1, most - 1, from) : 0, count = 0;

	for (char *at = text; n && at < text + n && count < 4095; at += strlen(at) + 1)
		words[count++] = at;
	return words;
}

/*
 * Store the path of this program. After an upgrade, the link has a suffix, and the path is that of
 * the new program.
 */
static int own_path(char path[static PATH_MAX])
{
	static const char gone[] = " (deleted)";
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);

	if (n < 0)
		return -errno;
	if (n > (ssize_t)strlen(gone) && !strncmp(path + n - strlen(gone), gone, strlen(gone)))
		n -= (ssize_t)strlen(gone);
	path[n] = '\0';
	return 0;
}

/* Wait for a child. Return its status, or -errno: -ETIME if it was killed after ten seconds. */
static int wait_for_child(pid_t pid)
{
	static const struct timespec pause = { .tv_nsec = 10000000 };
	int status = 0, i;
	pid_t done;

	for (i = 0; !(done = waitpid(pid, &status, WNOHANG)); i++) {
		if (i == 1000)
			kill(pid, SIGKILL);
		nanosleep(&pause, NULL);
	}
	return done < 0 ? -errno : i > 1000 ? -ETIME : status;
}

/*
 * Run the program's "version" command: an upgrade may leave a program that cannot start, and to
 * execute that would end every connection. What the loader says goes to standard error. Return 0 or
 * -errno.
 */
static int try_program(const char *path)
{
	char *argv[] = { (char *)path, (char *)"version", NULL };
	posix_spawn_file_actions_t files;
	int err = posix_spawn_file_actions_init(&files), status;
	pid_t pid;

	if (err)
		return -err;
	err = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (!err)
		err = posix_spawn(&pid, path, &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (err)
		return -err;
	status = wait_for_child(pid);
	if (status <= 0)
		return status;
	return WIFEXITED(status) && WEXITSTATUS(status) == 127 ? -ELIBACC : -ENOEXEC;
}

int relay_execute(struct relay_pump *pump, nvme_mptcp_relay_t relay)
{
	_cleanup_(free) char **words = own_arguments();
	char path[PATH_MAX], number[16];
	int err = words ? own_path(path) : -errno, fd;

	if (!err)
		err = try_program(path);
	if (err)
		return err;
	relay_pump_freeze(pump);
	fd = write_state(pump, relay);
	if (fd >= 0) {
		snprintf(number, sizeof(number), "%d", fd);
		setenv(VARIABLE, number, 1);
		execv(path, words);
		err = -errno;
		unsetenv(VARIABLE);
		close(fd);
	} else {
		err = fd;
	}
	relay_pump_thaw(pump);
	return err;
}

/* Read position in a saved state. */
struct cursor {
	const char *at;
	size_t left;
};

static const void *take_bytes(struct cursor *from, size_t n)
{
	const char *at = from->at;

	if (n > from->left)
		return NULL;
	from->at += n;
	from->left -= n;
	return at;
}

static bool is_socket_of(int fd, uint64_t cookie)
{
	uint64_t own;

	return fd > STDERR_FILENO && !cookie_of(fd, &own) && own == cookie &&
	       !fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/*
 * Take over one connection. Return 0; -EBADMSG: the state is invalid; -ESTALE: a socket does not
 * match, and the one that does was reset; -ENOENT: its portal is no longer relayed, and both were
 * reset; -ENOMEM.
 */
static int resume_conn(struct relay_pump *pump, nvme_mptcp_relay_t relay, struct cursor *from)
{
	const void *bytes[2] = { NULL, NULL }, *raw = take_bytes(from, sizeof(struct saved_conn));
	struct saved_conn saved;
	struct relay_conn *c;
	bool is_ours[2], is_pair;

	if (!raw)
		return -EBADMSG;
	memcpy(&saved, raw, sizeof(saved));
	for (int i = 0; i < 2; i++) {
		bytes[i] =
			saved.waiting[i] <= LARGE_CHUNK ? take_bytes(from, saved.waiting[i]) : NULL;
		if (!bytes[i])
			return -EBADMSG;
	}
	for (int i = 0; i < 2; i++)
		is_ours[i] = is_socket_of(saved.fd[i], saved.cookie[i]);
	is_pair = is_ours[0] && is_ours[1] && saved.fd[0] != saved.fd[1];
	saved.portal[sizeof(saved.portal) - 1] = saved.peer[sizeof(saved.peer) - 1] = '\0';
	c = is_pair && (saved.is_target ||
			nvme_mptcp_relay_serves(relay, saved.portal, saved.fd[0]))
		    ? calloc(1, sizeof(*c))
		    : NULL;
	if (!c) {
		for (int i = 0; i < 2; i++)
			if (is_ours[i])
				relay_reset_socket(saved.fd[i]);
		return is_pair ? -ENOENT : -ESTALE;
	}
	for (int i = 0; i < 2; i++) {
		if (saved.waiting[i] > CHUNK) {
			c->flow[i].spare = calloc(1, sizeof(struct spare));
			if (!c->flow[i].spare)
				return -ENOMEM;
		}
		/* The new epoll descriptor reports pending data and ends again. */
		c->side[i] = (struct side){ .conn = c, .fd = saved.fd[i] };
		c->flow[i].end = saved.waiting[i];
		memcpy(relay_spare_bytes(&c->flow[i]), bytes[i], saved.waiting[i]);
		c->flow[i].ended = saved.ended[i];
		c->flow[i].is_shut = saved.is_shut[i];
		c->moved[i] = saved.moved[i];
	}
	c->id = saved.id;
	c->deadline = saved.deadline;
	c->is_open = saved.is_open;
	c->is_target = saved.is_target;
	c->attempt = saved.attempt;
	c->plain = -1;
	c->queue = saved.queue;
	memcpy(c->portal, saved.portal, sizeof(c->portal));
	memcpy(c->peer, saved.peer, sizeof(c->peer));
	relay_pump_watch(pump, c);
	return 0;
}

static int resume_all(struct relay_pump *pump, nvme_mptcp_relay_t relay, struct cursor *from,
		      struct relay_ended *ended)
{
	const struct saved_head *head = take_bytes(from, sizeof(*head));
	struct nvme_mptcp_relay_handover h = {};
	const void *fds;
	int err = 0;

	if (!head || memcmp(head->magic, MAGIC, sizeof(MAGIC)) != 0 ||
	    head->size != sizeof(*head) || head->conn_size != sizeof(struct saved_conn))
		return -EBADMSG;
	fds = take_bytes(from, head->n_fds * sizeof(*h.fds));
	if (!fds)
		return -EBADMSG;
	h = (struct nvme_mptcp_relay_handover){ .n = head->n_fds, .round = head->round };
	h.fds = calloc(h.n + 1, sizeof(*h.fds));
	if (!h.fds)
		return -ENOMEM;
	memcpy(h.fds, fds, h.n * sizeof(*h.fds));
	if (nvme_mptcp_relay_take_over(relay, &h))
		err = -errno;
	free(h.fds);
	pump->last_id = head->last_id;
	for (uint64_t i = 0; !err && i < head->n_conns; i++) {
		err = resume_conn(pump, relay, from);
		ended->lost += err == -ESTALE;
		ended->unserved += err == -ENOENT;
		if (err == -ESTALE || err == -ENOENT)
			err = 0;
	}
	return err ? err : from->left ? -EBADMSG : 0;
}

int relay_resume(struct relay_pump *pump, nvme_mptcp_relay_t relay, struct relay_ended *ended)
{
	const char *number = getenv(VARIABLE);
	const int fd = number ? atoi(number) : -1;
	struct cursor from;
	struct stat st;
	char *state;
	int err;

	if (!number)
		return 0;
	unsetenv(VARIABLE);
	/* The seals show that the file has not changed since it was handed over. */
	if (fd <= STDERR_FILENO || fcntl(fd, F_GET_SEALS) != SEALS || fstat(fd, &st) ||
	    st.st_size > STATE_MAX)
		return -EBADF;
	state = malloc((size_t)st.st_size + 1);
	err = !state ? -ENOMEM : pread(fd, state, (size_t)st.st_size, 0) != st.st_size ? -EIO : 0;
	close(fd);
	from = (struct cursor){ state, (size_t)st.st_size };
	if (!err)
		err = resume_all(pump, relay, &from, ended);
	free(state);
	return err ? err : (int)relay_pump_count(pump);
}
