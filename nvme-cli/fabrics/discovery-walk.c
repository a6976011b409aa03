// SPDX-License-Identifier: GPL-2.0-or-later
/* Output of a walk in the order of the requests: lines with -v, objects in JSON, messages. */
#include "discovery.h"

enum { TRANSPORT, TRADDR, TRSVCID, SUBNQN, DEVICE, RESULT, TEXTS };

/* Output of one queued item. */
struct discovery_row {
	struct text messages; /* for stderr */
	char *texts[TEXTS]; /* without a result there is no row */
	bool brief; /* print only the device, even without -v */
};

static void clear_row(struct discovery_row *row)
{
	for (int i = 0; i < TEXTS; i++) {
		free(row->texts[i]);
		row->texts[i] = NULL;
	}
}

/* Collect messages until the output of all preceding items is printed. */
static void begin_row(void *arg, struct queue_item *item)
{
	struct discovery *d = arg;
	struct discovery_row *row = calloc(1, sizeof(*row));

	item->data = d->running = row;
	d->cmd->messages = row ? text_open(&row->messages) : NULL;
	d->cmd->place = item->place;
}

static int finish_row(void *arg, struct queue_item *item)
{
	struct discovery_row *row = item->data;
	struct discovery *d = arg;

	d->cmd->place = NULL;
	d->cmd->messages = NULL;
	d->running = NULL;
	if (!row || text_close(&row->messages))
		return command_fail(d->cmd, ENOMEM, "%s", d->cmd->name);
	return 0;
}

static void print_row_line(struct out *out, const struct discovery_row *row, bool verbose)
{
	char *const *t = row->texts;

	if (row->brief && t[DEVICE])
		out_text(out, "device: %s\n", out_safe(out, t[DEVICE]));
	else if (verbose && !row->brief)
		out_text(out, "%s: %s %s%s%s %s: %s\n", t[DEVICE] ? t[DEVICE] : "-", t[TRANSPORT],
			 t[TRADDR] ? out_safe(out, t[TRADDR]) : "-", t[TRSVCID] ? ":" : "",
			 out_safe(out, t[TRSVCID]), out_safe(out, t[SUBNQN]),
			 out_safe(out, t[RESULT]));
}

static void print_row(struct command *cmd, const struct discovery_row *row)
{
	static const char *const keys[] = { "transport", "traddr", "trsvcid",
					    "subnqn",	 "device", "result" };
	struct out *out = cmd->out;

	print_row_line(out, row, cmd->common.verbose);
	out_object(out, NULL);
	for (int i = 0; i < TEXTS; i++)
		out_str(out, keys[i], row->texts[i]);
	out_end(out);
}

static void print_item(void *arg, struct queue_item *item)
{
	const struct discovery_row *row = item->data;
	struct discovery *d = arg;

	if (row && row->texts[RESULT])
		print_row(d->cmd, row);
	if (!row || !row->messages.length)
		return;
	out_flush(d->cmd->out);
	fwrite(row->messages.bytes, 1, row->messages.length, stderr);
}

static void free_row(void *arg, struct queue_item *item)
{
	struct discovery_row *row = item->data;

	if (!row)
		return;
	clear_row(row);
	text_wipe_cleanup(&row->messages);
	free(row);
}

/* Return the result for the row, or NULL if there is no row. */
static const char *result_text(const struct walk_step *step, const struct walk_result *result)
{
	switch (result->end) {
	case WALK_CONNECTED:
		return "connected";
	case WALK_ALREADY:
		/* Boot connections and configured controllers that exist already get no row. */
		if (step->kind == WALK_BOOT || (step->kind == WALK_CONFIGURED && result->c))
			return NULL;
		return "already connected";
	case WALK_SKIPPED:
		return result->err ? NULL : result->reason; /* left to another application */
	default:
		return result->reason ? result->reason : command_error_text(result->err);
	}
}

static void set_row(struct discovery *d, const struct walk_step *step,
		    const struct walk_result *result)
{
	const char *text = result_text(step, result);
	const char *const texts[TEXTS] = { step->transport,
					   step->traddr,
					   step->trsvcid,
					   step->subnqn,
					   result->c ? nvme_ctrl_get_name(result->c) : NULL,
					   text };
	struct discovery_row *row = d->running;

	if (!row || !text || step->kind == WALK_SOURCE || result->unread)
		return;
	clear_row(row);
	for (int i = 0; i < TEXTS; i++)
		if (text_copy(&row->texts[i], texts[i])) {
			clear_row(row);
			d->status = command_fail(d->cmd, ENOMEM, "%s", d->cmd->name);
			return;
		}
	row->brief = step->kind == WALK_BOOT;
}

static void print_walk_message(void *arg, const char *place, bool failure, int err,
			       const char *text)
{
	struct command *cmd = ((struct discovery *)arg)->cmd;
	const char *before = cmd->place;

	if (place)
		cmd->place = place;
	if (failure)
		command_fail(cmd, err, "%s", text);
	else
		command_warn(cmd, err, "%s", text);
	cmd->place = before;
}

static int note_place(void *arg, const struct walk_step *step)
{
	((struct discovery *)arg)->place = step->place;
	return 0;
}

/* Print a message while another process connects to the same portal. */
static void print_wait(const char *text, void *arg)
{
	struct discovery *d = arg;

	if (!d->cmd->common.quiet)
		print_walk_message(d, d->place, false, 0, text);
}

static void show_done(void *arg, const struct walk_step *step, const struct walk_result *result)
{
	struct discovery *d = arg;
	const bool failed = result->end == WALK_FAILED;

	set_row(d, step, result);
	if (result->text && !result->optional && (failed || !d->cmd->common.quiet))
		print_walk_message(d, step->place, failed, 0, result->text);
	if (result->end == WALK_CONNECTED && step->kind != WALK_SOURCE &&
	    step->kind != WALK_REFERRAL)
		hint_later(d->cmd, &d->fresh, result->c);
}

static int use_log(void *arg, const struct walk_step *step, const struct nvmf_discovery_log *log,
		   const char *raw)
{
	struct discovery *d = arg;
	int status;

	d->cmd->place = step->place;
	status = (d->show ? d->show : discovery_show_log)(d->cmd, log, raw);
	d->cmd->place = NULL;
	return status;
}

static int prepare_mptcp(void *arg, const char *path, nvme_host_t host)
{
	const struct discovery *d = arg;

	return fabrics_apply_mptcp(d->cmd, nvme_host_get_hostnqn(host), nvme_host_get_hostid(host));
}

static const struct walk_calls calls = {
	.connecting = note_place,
	.done = show_done,
	.log = use_log,
	.prepare = prepare_mptcp,
	.say = print_walk_message,
	.queue = { .begin = begin_row, .end = finish_row, .print = print_item, .forget = free_row },
};

struct walk *discovery_walk(struct discovery *d, const struct walk_setup *switches)
{
	struct walk_setup setup = *switches;
	struct walk *walk;

	setup.calls = &calls;
	setup.arg = d;
	setup.root = command_root(d->cmd);
	setup.waiter = (struct input_waiter){ print_wait, d };
	setup.name = d->cmd->name;
	setup.timeout = d->cmd->common.timeout;
	setup.quiet = d->cmd->common.quiet;
	if (!setup.root)
		return NULL;
	walk = walk_new(&setup);
	if (!walk)
		command_fail(d->cmd, ENOMEM, "%s", d->cmd->name);
	return walk;
}
