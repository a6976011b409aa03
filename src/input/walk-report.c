/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Report results to the caller of a walk, and make the connections through its callbacks. */
#include "walk-private.h"

/* Error of all further steps after a call that was abandoned. */
#define LOST \
	"an earlier call of this root exceeded its timeout and is still running in the kernel; use " \
	"another root until it ends"

int walk_fail(const struct walk *walk, const char *place, int err, const char *fmt, ...)
{
	_cleanup_(free) char *text = NULL;
	va_list ap;

	if (!walk->setup.calls->say)
		return 1;
	va_start(ap, fmt);
	text = text_format_list(fmt, ap);
	va_end(ap);
	walk->setup.calls->say(walk->setup.arg, place, true, text ? err : ENOMEM,
			       text ? text : walk->setup.name);
	return 1;
}

int walk_no_memory(const struct walk *walk)
{
	return walk_fail(walk, NULL, ENOMEM, "%s", walk->setup.name);
}

int walk_done(const struct walk *walk, const struct walk_step *step,
	      const struct walk_result *result)
{
	if (walk->setup.calls->done)
		walk->setup.calls->done(walk->setup.arg, step, result);
	return result->end == WALK_FAILED && !result->optional;
}

int walk_report(const struct walk *walk, const struct walk_step *step, struct walk_result *result,
		const char *fmt, ...)
{
	_cleanup_(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = text_format_list(fmt, ap);
	va_end(ap);
	result->text = text ? text : strerror(ENOMEM);
	return walk_done(walk, step, result);
}

const char *walk_meaning(int err, const char *reason)
{
	const char *meaning = err ? input_error_text(err) : NULL;

	return meaning && reason && strstr(reason, meaning) ? NULL : meaning;
}

/* One connection attempt. Everything that it points to is valid as long as the walk. */
struct attempt {
	struct walk_call call; /* must be first */
	struct input_waiter waiter;
	nvme_host_t host;
	nvme_ctrl_t c; /* controller to connect, or the result */
	struct nvmf_disc_log_entry *e; /* log entry to connect instead of @c */
	struct nvmf_options options;
	bool is_discovery;
	int err;
};

static void attempt_run(struct walk_call *call)
{
	struct attempt *attempt = (struct attempt *)call;

	errno = 0;
	if (!attempt->e) {
		attempt->err =
			input_add_ctrl(attempt->host, attempt->c, &attempt->waiter) ? errno : 0;
		return;
	}
	attempt->c = input_connect_entry(attempt->host, attempt->e, &attempt->options,
					 &attempt->is_discovery, &attempt->waiter);
	attempt->err = attempt->c ? 0 : errno;
}

static int attempt_undo(struct walk_call *call)
{
	struct attempt *attempt = (struct attempt *)call;

	return !attempt->err && nvme_disconnect_ctrl(attempt->c) ? -errno : 0;
}

bool walk_is_abandoned(const struct walk *walk, const struct walk_step *step)
{
	if (walk->lost)
		WALK_DONE(walk, step, .end = WALK_FAILED, .err = EBUSY, .reason = LOST,
			  .text = LOST);
	return walk->lost;
}

/* Return 0 or an errno. If walk->lost, the call has not ended: do not free @attempt here. */
static int make_attempt(struct walk *walk, const struct walk_step *step, struct attempt *attempt)
{
	const struct walk_calls *calls = walk->setup.calls;

	attempt->call.run = attempt_run;
	attempt->call.undo = attempt_undo;
	attempt->err = ECANCELED; /* until it has run */
	if (calls->connecting && calls->connecting(walk->setup.arg, step))
		return ECANCELED;
	if (!calls->block) {
		attempt_run(&attempt->call);
		return attempt->err;
	}
	if (calls->block(walk->setup.arg, step, &attempt->call)) {
		walk->lost = true;
		return ETIMEDOUT;
	}
	return attempt->err;
}

/*
 * Make an attempt with the members of @as, which outlives this call if the walk is lost. Return the
 * controller, or NULL with errno, and with a reason if there is one beyond errno.
 */
static nvme_ctrl_t make_connection(struct walk *walk, const struct walk_step *step,
				   const struct attempt *as, bool *is_discovery,
				   const char **reason)
{
	struct attempt *attempt = NULL;
	nvme_ctrl_t ret = NULL;
	int err = walk->lost ? EBUSY : ENOMEM;

	*reason = walk->lost ? LOST : NULL;
	if (!walk->lost)
		attempt = calloc(1, sizeof(*attempt));
	if (attempt) {
		*attempt = *as;
		attempt->waiter = walk->setup.waiter;
		attempt->host = step->host;
		err = make_attempt(walk, step, attempt);
	}
	if (attempt && !walk->lost) {
		ret = err ? NULL : attempt->c;
		if (is_discovery)
			*is_discovery = attempt->is_discovery;
		if (err && !as->e)
			*reason = nvmf_ctrl_get_connect_error(as->c);
		else if (err && err != ENVME_CONNECT_ALREADY)
			*reason = nvmf_host_get_connect_error(step->host);
		free(attempt);
	}
	errno = err;
	return ret;
}

nvme_ctrl_t walk_connect(struct walk *walk, const struct walk_step *step, nvme_ctrl_t c,
			 const char **reason)
{
	return make_connection(walk, step, &(const struct attempt){ .c = c }, NULL, reason);
}

nvme_ctrl_t walk_connect_entry(struct walk *walk, const struct walk_step *step,
			       const struct nvmf_options *options, bool *is_discovery,
			       const char **reason)
{
	const struct attempt as = {
		.e = (struct nvmf_disc_log_entry *)step->entry,
		.options = *options,
	};

	return make_connection(walk, step, &as, is_discovery, reason);
}
