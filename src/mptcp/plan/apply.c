// SPDX-License-Identifier: LGPL-2.1-or-later
/* Applies a plan, and undoes it if a step fails. */
#include <pthread.h>
#include <signal.h>

#include "base/pause.h"
#include "base/reader.h"
#include "shared/file.h"
#include "steps.h"

/* Maximum number of checks for joins, with a pause of 200 ms before each: 3 s. */
#define JOIN_LOOKS 15

static void keep_error(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step,
		       const struct editor *e, int err, const char *what)
{
	const char *before = step->error ? step->error : "";
	char *text;

	if (asprintf(&text, "%s%s%s%s%s%s", before, step->error ? "; " : "", what, strerror(-err),
		     *e->text ? ": " : "", e->text) < 0) {
		plan->err = -ENOMEM;
		return;
	}
	free(step->error);
	step->error = text;
}

/* Replace @old by @new; add @old again if the kernel refuses @new. */
static int exchange(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, struct editor *e,
		    const struct endpoint_spec *old, const struct endpoint_spec *new)
{
	int err = e->record_intent(e, old), again;

	if (err)
		return err;
	err = plan_remove(plan, step, e, old);
	if (err && !e->is_uncertain) {
		e->remove_intent(e, old);
		return err;
	}
	/* The peer handles additions before removals, and would close the new join. */
	pause_for(e->pause_ms);
	if (!err)
		err = e->add(e, new);
	if (!err) {
		e->remove_intent(e, old);
		return 0;
	}
	keep_error(plan, step, e, err, "");
	again = e->add(e, old);
	/* -EEXIST: @old was not removed, or @new was added after all. */
	if (!again || again == -EEXIST)
		e->remove_intent(e, old);
	else
		keep_error(plan, step, e, again,
			   "and the endpoint stays deleted until the next setup, repair or keep: ");
	e->is_uncertain = false;
	return err;
}

static int64_t greatest(const struct pm_limits *limits)
{
	return limits->subflows > limits->add_addr_accepted ? limits->subflows
							    : limits->add_addr_accepted;
}

/*
 * A kernel that accepts less reports its maximum; older ones accept LIMIT_GUARANTEED. The step is
 * changed to what was done, so that the next plan does not request more again.
 */
static int set_limits(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, struct editor *e)
{
	struct pm_limits set = plan_changed_limits(&step->old_limits, &step->new_limits);
	int err = e->set_limits(e, &set);
	uint32_t max = LIMIT_GUARANTEED;

	if (err != -EINVAL)
		return err;
	editor_parse_limit_max(e->text, &max);
	if (greatest(&step->new_limits) <= max)
		return err;
	plan_lower_limits(plan, step, max);
	set = plan_changed_limits(&step->old_limits, &step->new_limits);
	return e->set_limits(e, &set);
}

static int file_refused(struct nvme_mptcp_step *step, int err, const char *why)
{
	step->error = strdup(why);
	return err;
}

static bool is_as_before(const struct nvme_mptcp_step *step, const struct reader_text *now)
{
	const size_t length = step->before ? strlen(step->before) : 0;

	return length == now->len && (!length || !memcmp(step->before, now->bytes, length));
}

/* Write the file, unless another program has changed it since the plan was made. */
static int write_file(struct nvme_mptcp_step *step)
{
	_cleanup_(file_release) struct file_hold hold = FILE_HOLD_NONE;
	_cleanup_(reader_text) struct reader_text now = { 0 };
	struct reader read = { .file = step->setting };
	struct stat st;
	int err = file_hold(step->setting, FILE_HOLD_MS, &hold);

	if (err == -ETIMEDOUT)
		return file_refused(step, err, "another program has locked the file");
	if (err)
		return err;
	err = reader_load(&read, &now, &st);
	free(read.error);
	if (err && (err != -ENOENT || step->before))
		return err;
	if (!is_as_before(step, &now))
		return file_refused(step, -ESTALE,
				    "another program has changed the file: make the plan again");
	return file_save(step->setting, step->after, strlen(step->after), FILE_END_LINE);
}

static int follow(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, struct editor *e)
{
	int err;

	switch (step->action) {
	case STEP_ADD:
		return e->add(e, &step->new);
	case STEP_DELETE:
		return plan_remove(plan, step, e, &step->old);
	case STEP_RENEW:
		err = plan_renew_begin(plan, step, e);
		/* Subflows came back meanwhile; the next round handles others. */
		if (!err && plan->unattended && step->joined)
			return 0;
		if (!err)
			err = exchange(plan, step, e, &step->old, &step->new);
		return err ? err : plan_renew_end(plan, step, e);
	case STEP_REPLACE:
		return exchange(plan, step, e, &step->old, &step->new);
	case STEP_FLAGS:
		return e->set_flags(e, &step->new);
	case STEP_LIMITS:
		return set_limits(plan, step, e);
	case STEP_SETTING:
		return e->set_setting(e, step->setting, step->new_value);
	case STEP_CLOSE:
		return e->close(e, &step->local, &step->remote);
	case STEP_FILE:
		return write_file(step);
	case STEP_COMMAND:
	case STEP_ACTIONS:
		break;
	}
	return -EINVAL;
}

static int undo(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step, struct editor *e)
{
	struct pm_limits limits;

	switch (step->action) {
	case STEP_ADD:
		return plan_remove(plan, step, e, &step->new);
	case STEP_DELETE:
		return e->add(e, &step->old);
	case STEP_REPLACE:
		return exchange(plan, step, e, &step->new, &step->old);
	case STEP_FLAGS:
		return e->set_flags(e, &step->old);
	case STEP_LIMITS:
		limits = plan_changed_limits(&step->new_limits, &step->old_limits);
		return e->set_limits(e, &limits);
	case STEP_SETTING:
		return e->set_setting(e, step->setting, step->old_value);
	case STEP_RENEW: /* nothing to undo */
	case STEP_CLOSE: /* cannot be undone: the subflow may form again */
	case STEP_FILE: /* always the last step */
	case STEP_COMMAND:
	case STEP_ACTIONS:
		break;
	}
	return 0;
}

/* Undo a step that failed but may have taken effect; if it did not, undoing it is no failure. */
static void undo_uncertain(struct nvme_mptcp_plan *plan, struct nvme_mptcp_step *step,
			   struct editor *e)
{
	int err;

	if (!e->is_uncertain)
		return;
	err = undo(plan, step, e);
	if (err && err != -ENOENT && err != -EEXIST)
		keep_error(plan, step, e, err, "and it cannot be undone: ");
}

static void undo_before(struct nvme_mptcp_plan *plan, size_t n, struct editor *e)
{
	while (n--) {
		struct nvme_mptcp_step *step = &plan->steps[n];
		int err;

		if (step->state != NVME_MPTCP_STEP_DONE)
			continue;
		err = undo(plan, step, e);
		step->state = err ? NVME_MPTCP_STEP_STUCK : NVME_MPTCP_STEP_UNDONE;
		if (err && !step->error)
			keep_error(plan, step, e, err, "");
	}
}

static bool adds(const struct nvme_mptcp_step *step)
{
	return step->action == STEP_ADD || step->action == STEP_REPLACE ||
	       step->action == STEP_RENEW;
}

int plan_execute(struct nvme_mptcp_plan *plan, struct editor *e)
{
	int first = 0;

	for (size_t i = 0; i < plan->n_steps; i++) {
		struct nvme_mptcp_step *step = &plan->steps[i];
		int err;

		if (step->state != NVME_MPTCP_STEP_PLANNED || step->action == STEP_COMMAND)
			continue;
		pause_for(0);
		if (plan->is_stale)
			break;
		err = follow(plan, step, e);
		if (!err && adds(step) && !step->new.id)
			e->find_id(e, &step->new);
		if (!err && step->action == STEP_ADD)
			plan_propagate_id(plan, i);
		step->state = err ? NVME_MPTCP_STEP_FAILED : NVME_MPTCP_STEP_DONE;
		if (!err)
			continue;
		if (!step->error)
			keep_error(plan, step, e, err, "");
		if (!first)
			first = err;
		undo_uncertain(plan, step, e);
		if (plan->independent)
			continue;
		undo_before(plan, i, e);
		break;
	}
	return first;
}

static int apply(void *arg)
{
	_cleanup_(editor_close) struct editor e;
	int err = editor_open(&e);

	if (err)
		return err;
	e.take_snapshot = plan_take_snapshot;
	e.verify_join = plan_verify_join;
	e.max_checks = JOIN_LOOKS;
	err = plan_execute(arg, &e);
	editor_forget_lost(&e);
	nvme_mptcp_snapshot_free(e.seen);
	return err;
}

int plan_apply_unchecked(struct nvme_mptcp_plan *plan)
{
	_cleanup_(editor_close) struct editor e;
	int err = editor_open(&e);

	return err ? err : plan_execute(plan, &e);
}

/*
 * Block signals until the plan is applied, except those for faults of the program itself: an
 * endpoint is lost if a signal ends the process between deleting and adding it.
 */
static void hold_signals(sigset_t *before)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP };
	sigset_t held;

	sigfillset(&held);
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		sigdelset(&held, faults[i]);
	pthread_sigmask(SIG_BLOCK, &held, before);
}

static int apply_undisturbed(nvme_mptcp_plan_t plan)
{
	sigset_t before;
	int err;

	hold_signals(&before);
	err = netns_run(plan->netns, apply, plan);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

int nvme_mptcp_plan_apply(nvme_mptcp_plan_t plan)
{
	int err;

	failure_begin();
	err = plan->n_steps ? apply_undisturbed(plan) : 0;
	if (!err)
		return 0;
	FOR_EACH(step, plan->steps, plan->n_steps)
		if (step->state == NVME_MPTCP_STEP_FAILED && step->error) {
			failure_note(err, "%s: %s", step->command, step->error);
			break;
		}
	return failure_raise(err, "endpoints and limits");
}
