// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reset controllers that use one link although they could use all of them: they connected past the
 * relay, or over plain TCP because the target answered without MPTCP, as it does while it boots.
 * Only new connections use all links. A reset makes them, and no I/O fails. If a reset does not
 * help, it is repeated after increasing pauses.
 */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "keep.h"

/*
 * Delay before the first action in ms: the connections of a controller are made one after another.
 */
#define FIRST_MS 3000
/* Time after which a controller that uses all links is forgotten, in ms. */
#define FORGET_MS 600000
/* Timeout of a trial for connecting and for the answer, in ms. Its subflows are not awaited. */
#define TRIAL_MS 2000

static const int64_t reset_pauses[] = { 10000, 60000, 600000, 3600000 };
static const int64_t trial_pauses[] = { 5000, 10000, 20000, 60000, 300000 };

#define LAST(pauses) (sizeof(pauses) / sizeof(*(pauses)) - 1)

static int64_t pause_after(const int64_t *pauses, size_t last, unsigned int times)
{
	return pauses[times < last ? times : last];
}

static int by_moved_name(const void *a, const void *b)
{
	const struct keep_moved *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static struct keep_moved *find_moved(const struct keep_move *m, const char *name)
{
	struct keep_moved key = {};

	snprintf(key.name, sizeof(key.name), "%s", name);
	return m->n ? bsearch(&key, m->ctrls, m->n, sizeof(key), by_moved_name) : NULL;
}

static bool has_one_link(nvme_mptcp_ctrl_t ctrl)
{
	const char *state = nvme_mptcp_ctrl_state(ctrl);

	if (!state || strcmp(state, "live") != 0)
		return false;
	return nvme_mptcp_ctrl_is_bypassed(ctrl) ||
	       nvme_mptcp_set_fallback(nvme_mptcp_ctrl_connections(ctrl));
}

static void note_one_link(struct keep_moved *to, const struct keep_moved *before,
			  nvme_mptcp_ctrl_t ctrl, int64_t now)
{
	const bool is_new = !before || !before->has_one_link;
	const struct {
		const char *value;
		char *to;
		size_t size;
	} texts[] = {
		{ nvme_mptcp_ctrl_name(ctrl), to->name, sizeof(to->name) },
		{ nvme_mptcp_ctrl_traddr(ctrl), to->traddr, sizeof(to->traddr) },
		{ nvme_mptcp_ctrl_trsvcid(ctrl), to->trsvcid, sizeof(to->trsvcid) },
		{ nvme_mptcp_ctrl_host_traddr(ctrl), to->host_traddr, sizeof(to->host_traddr) },
		{ nvme_mptcp_ctrl_host_iface(ctrl), to->host_iface, sizeof(to->host_iface) },
	};

	*to = before ? *before : (struct keep_moved){};
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		snprintf(texts[i].to, texts[i].size, "%s", texts[i].value ? texts[i].value : "");
	to->has_one_link = true;
	to->is_bypassed = nvme_mptcp_ctrl_is_bypassed(ctrl);
	to->seen = now;
	if (is_new && to->next < now + FIRST_MS)
		to->next = now + FIRST_MS;
}

int keep_move_update(struct keep_move *m, nvme_mptcp_snapshot_t snap)
{
	const int64_t now = keep_clock_ms();
	struct keep_moved *ctrls;
	size_t n = m->n, found = 0;

	nvme_mptcp_for_each_ctrl(snap, ctrl)
		n += has_one_link(ctrl);
	ctrls = calloc(n + 1, sizeof(*ctrls));
	if (!ctrls)
		return -ENOMEM;
	nvme_mptcp_for_each_ctrl(snap, ctrl) {
		struct keep_moved *before;

		if (!has_one_link(ctrl))
			continue;
		before = find_moved(m, nvme_mptcp_ctrl_name(ctrl));
		note_one_link(&ctrls[found++], before, ctrl, now);
		if (before)
			before->seen = 0;
	}
	/* Keep controllers that recovered recently, with their pauses: they may fall back again. */
	for (size_t i = 0; i < m->n; i++) {
		if (!m->ctrls[i].seen || now - m->ctrls[i].seen > FORGET_MS)
			continue;
		ctrls[found] = m->ctrls[i];
		ctrls[found].has_one_link = false;
		ctrls[found++].trials = 0;
	}
	qsort(ctrls, found, sizeof(*ctrls), by_moved_name);
	free(m->ctrls);
	m->ctrls = ctrls;
	m->n = found;
	return 0;
}

int keep_move_wait(const struct keep_move *m)
{
	int64_t next = INT64_MAX, left;

	if (m->child)
		return -1;
	for (size_t i = 0; i < m->n; i++)
		if (m->ctrls[i].has_one_link && m->ctrls[i].next < next)
			next = m->ctrls[i].next;
	if (next == INT64_MAX)
		return -1;
	left = next - keep_clock_ms();
	return left > 0 ? (int)left : 0;
}

/* Exit status of the child if it did not reset the controller; otherwise 0 or an errno. */
#define NO_RESET 255

static nvme_ctrl_t find_ctrl(nvme_root_t root, const char *name)
{
	nvme_host_t h;
	nvme_subsystem_t s;
	nvme_ctrl_t c;

	nvme_for_each_host(root, h)
		nvme_for_each_subsystem(h, s)
			nvme_subsystem_for_each_ctrl(s, c)
				if (!strcmp(nvme_ctrl_get_name(c), name))
					return c;
	return NULL;
}

/*
 * Reset a controller. Return 0 or errno. The write returns when the kernel's reset work is done
 * (nvme_sysfs_reset() in drivers/nvme/host/sysfs.c), with ENETRESET if the controller is not live
 * yet.
 */
static int write_reset(nvme_ctrl_t c)
{
	_cleanup_(free) char *path = NULL;
	int fd, err = 0;

	if (!c || asprintf(&path, "%s/reset_controller", nvme_ctrl_get_sysfs_dir(c)) < 0) {
		path = NULL;
		return c ? ENOMEM : ENODEV;
	}
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	if (write(fd, "1", 1) != 1 && errno != ENETRESET)
		err = errno;
	close(fd);
	return err;
}

/*
 * Reset the controller if a new snapshot still shows one link: the relay or the controller may be
 * gone since the last round.
 */
static int reset_if_needed(const struct keep_move *m, const char *name)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = NULL;

	/* keep --metrics has scanned the topology already. */
	if (m->cmd->root ? mptcp_retake_snapshot(m->cmd, m->netns, &snap)
			 : mptcp_take_snapshot(m->cmd, m->netns, &snap))
		return NO_RESET;
	nvme_mptcp_for_each_ctrl(snap, ctrl)
		if (!strcmp(nvme_mptcp_ctrl_name(ctrl), name) && has_one_link(ctrl))
			return write_reset(find_ctrl(m->cmd->root, name));
	return NO_RESET;
}

/*
 * True if a trial shows that a reset helps: the target accepts MPTCP, or, for a controller that
 * bypasses the relay, it answers a SYN with the option at all. Without a reply the relay would use
 * plain TCP, too.
 */
static bool is_worth_reset(const struct keep_move *m, const struct keep_moved *moved)
{
	const struct nvme_mptcp_trial_args args = {
		.netns = m->netns,
		.traddr = moved->traddr,
		.trsvcid = *moved->trsvcid ? moved->trsvcid : NULL,
		.host_traddr = *moved->host_traddr ? moved->host_traddr : NULL,
		.host_iface = *moved->host_iface ? moved->host_iface : NULL,
		.args_size = sizeof(args),
		.timeout_ms = TRIAL_MS,
		.watch_ms = 1,
	};
	enum nvme_mptcp_trial_outcome outcome;
	nvme_mptcp_trial_t trial;

	if (nvme_mptcp_try(&args, &trial))
		return false;
	outcome = nvme_mptcp_trial_outcome(trial);
	return moved->is_bypassed ? outcome != NVME_MPTCP_TRIAL_NO_CONNECTION
				  : outcome == NVME_MPTCP_TRIAL_MPTCP;
}

/*
 * Body of the child. It releases the lock, which would block the next start of keep, and ends with
 * keep.
 */
static int move(const struct keep_move *m, const struct keep_moved *moved,
		nvme_mptcp_keeper_t keeper, pid_t parent)
{
	nvme_mptcp_keeper_close(keeper);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		return NO_RESET;
	if (!is_worth_reset(m, moved))
		return NO_RESET;
	return reset_if_needed(m, moved->name);
}

/* Start a child, so that neither a target that does not answer nor a slow reset delays keep. */
static int start_move(struct keep_move *m, const struct keep_moved *moved,
		      nvme_mptcp_keeper_t keeper)
{
	const pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	m->child = fork();
	if (!m->child)
		_exit(move(m, moved, keeper, parent));
	close(ends[1]);
	if (m->child < 0) {
		m->child = 0;
		close(ends[0]);
		return -errno;
	}
	m->end = ends[0];
	memcpy(m->moving, moved->name, sizeof(m->moving));
	return 0;
}

int keep_move_act(struct keep_move *m, nvme_mptcp_keeper_t keeper, struct keep_log *log)
{
	const int64_t now = keep_clock_ms();
	int status = 0;

	for (size_t i = 0; !status && !m->child && i < m->n; i++) {
		struct keep_moved *moved = &m->ctrls[i];
		int err;

		if (!moved->has_one_link || moved->next > now)
			continue;
		moved->next = now + pause_after(trial_pauses, LAST(trial_pauses), moved->trials++);
		err = start_move(m, moved, keeper);
		if (err)
			status = keep_log_text(log, KEEP_WARNING, "failure",
					       "%s uses one link, and a trial connection failed: "
					       "%s",
					       moved->name, strerror(-err));
	}
	return status;
}

static int note_reset(struct keep_moved *moved, int err, struct keep_log *log)
{
	moved->next =
		keep_clock_ms() + pause_after(reset_pauses, LAST(reset_pauses), moved->resets);
	moved->resets++;
	moved->trials = 0;
	if (err)
		return keep_log_text(log, KEEP_WARNING, "failure",
				     "%s uses one link, and resetting it failed: %s", moved->name,
				     strerror(err));
	return keep_log_text(log, KEEP_NOTICE, "reset", "%s: reset, %s", moved->name,
			     moved->is_bypassed
				     ? "to connect it through the relay"
				     : "since it used plain TCP, and the target accepts MPTCP now");
}

int keep_move_end(struct keep_move *m, struct keep_log *log)
{
	struct keep_moved *moved = find_moved(m, m->moving);
	int status = 0;

	if (!m->child)
		return 0;
	if (waitpid(m->child, &status, 0) < 0 || !WIFEXITED(status))
		status = NO_RESET;
	else
		status = WEXITSTATUS(status);
	m->child = 0;
	close(m->end);
	m->end = -1;
	return moved && status != NO_RESET ? note_reset(moved, status, log) : 0;
}

void keep_move_close(struct keep_move *m)
{
	free(m->ctrls);
	if (!m->child)
		return;
	/* Do not wait: during a reset, the child ends only when the kernel is done. */
	kill(m->child, SIGKILL);
	waitpid(m->child, NULL, WNOHANG);
	close(m->end);
}
