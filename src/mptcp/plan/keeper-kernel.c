// SPDX-License-Identifier: LGPL-2.1-or-later
/* Operations of the keeper on the real kernel. */
#include "keeper-kernel.h"

struct entry {
	struct keep_lock *lock;
	pid_t *holder;
	uint64_t *cookie;
};

/* Abstract socket names belong to the thread's network namespace. */
static int kernel_enter_there(void *arg)
{
	const struct entry *e = arg;

	*e->cookie = netns_cookie();
	if (!*e->cookie)
		return -ENOSYS;
	return e->lock ? keep_lock_take(e->lock, e->holder) : 0;
}

static int kernel_enter(const char *netns, struct keep_lock *lock, pid_t *holder, uint64_t *cookie)
{
	struct entry e = { lock, holder, cookie };

	return netns_run(netns, kernel_enter_there, &e);
}

static int by_endpoint_id(const void *a, const void *b)
{
	const struct nvme_mptcp_endpoint *x = a, *y = b;

	return x->id - y->id;
}

static int kernel_inspect_there(void *arg)
{
	struct nvme_mptcp_snapshot *snap = arg;
	int err = snapshot_read_settings(snap);

	if (!err)
		err = pm_read(snap);
	if (!err)
		err = relayed_read(snap);
	if (!err && snap->n_endpoints)
		qsort(snap->endpoints, snap->n_endpoints, sizeof(*snap->endpoints), by_endpoint_id);
	return err;
}

static int kernel_inspect(const char *netns, struct nvme_mptcp_snapshot *ret)
{
	return netns_run(netns, kernel_inspect_there, ret);
}

struct learning {
	const struct nvme_mptcp_snapshot *snap;
	struct plan_known *known;
};

static int kernel_learn_there(void *arg)
{
	const struct learning *l = arg;

	return plan_query_kernel(l->snap, l->known);
}

static int kernel_learn(const char *netns, const struct nvme_mptcp_snapshot *snap,
			struct plan_known *known)
{
	struct learning l = { snap, known };

	return netns_run(netns, kernel_learn_there, &l);
}

static int kernel_apply(struct nvme_mptcp_plan *plan)
{
	return nvme_mptcp_plan_apply(plan) ? -errno : 0;
}

static int kernel_act_there(void *arg)
{
	return plan_apply_unchecked(arg);
}

static int kernel_act(struct nvme_mptcp_plan *plan)
{
	return netns_run(plan->netns, kernel_act_there, plan);
}

struct feeling {
	const struct keep_poll *pulse;
	struct subflow_samples *beats;
	enum subflow_activity *found;
};

static int kernel_feel_there(void *arg)
{
	const struct feeling *feeling = arg;
	const struct keep_poll *p = feeling->pulse;

	return subflow_sample(p->tokens, &p->places, feeling->beats, feeling->found);
}

static int kernel_feel(const char *netns, const struct keep_poll *pulse,
		       struct subflow_samples *ret, enum subflow_activity *found)
{
	struct feeling feeling = { pulse, ret, found };

	return netns_run(netns, kernel_feel_there, &feeling);
}

static int64_t kernel_used(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

const struct keeper_ops keeper_kernel_ops = {
	.enter = kernel_enter,
	.take = snapshot_take_sysfs,
	.inspect = kernel_inspect,
	.learn = kernel_learn,
	.listen = notice_open,
	.read_notices = notice_read,
	.plan = keep_plan,
	.apply = kernel_apply,
	.take_fast = snapshot_take_fast,
	.act = kernel_act,
	.sample_subflows = kernel_feel,
	.used = kernel_used,
};
