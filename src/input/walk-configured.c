/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connect the controllers of a configuration: connect --config, connect-all without an address. */
#include "walk-private.h"

/* --context excludes the subsystems of other applications. */
static bool is_ours(nvme_subsystem_t s, const char *context)
{
	const char *application = nvme_subsystem_get_application(s);

	return !context || (application && !strcmp(application, context));
}

static bool is_described(nvme_ctrl_t c)
{
	return !nvme_ctrl_get_name(c) &&
	       nvmf_transport_has(nvme_ctrl_get_transport(c), NVMF_TRANSPORT_FABRICS);
}

/* A controller connected by its application is in the tree again, without the description. */
static bool is_waiting(nvme_host_t h, nvme_subsystem_t s)
{
	nvme_ctrl_t c;

	nvme_subsystem_for_each_ctrl(s, c)
		if (is_described(c) && !nvmf_find_connected(h, c))
			return true;
	return false;
}

/* Tell users which subsystem is not connected because it belongs to another application. */
static void report_others(const struct walk *walk, nvme_host_t h, const char *context)
{
	const struct walk_setup *setup = &walk->setup;
	nvme_subsystem_t s, first = NULL;
	char more[64] = "";
	char *text;
	size_t n = 0;

	nvme_for_each_subsystem(h, s) {
		if (is_ours(s, context) || !is_waiting(h, s))
			continue;
		first = first ? first : s;
		n++;
	}
	if (!n || setup->quiet || !setup->calls->say)
		return;
	if (n > 1)
		snprintf(more, sizeof(more), " (and %zu more like it)", n - 1);
	text = text_format(
		"%s is not connected: the configuration assigns it to the application \"%s\", "
		"not \"%s\"%s",
		nvme_subsystem_get_nqn(first), nvme_subsystem_get_application(first), context,
		more);
	setup->calls->say(setup->arg, NULL, false, text ? 0 : ENOMEM, text ? text : setup->name);
	free(text);
}

struct configured_item {
	struct queue_item item;
	struct walk *walk;
	struct walk_step step;
	nvme_ctrl_t c;
	char words[]; /* strings of @step: those of @c may be freed by a call that has not ended */
};

/* Connecting fills in values that were left open, such as the port. */
static void update_step(struct walk_step *step, nvme_ctrl_t c)
{
	step->transport = nvme_ctrl_get_transport(c);
	step->traddr = nvme_ctrl_get_traddr(c);
	step->trsvcid = nvme_ctrl_get_trsvcid(c);
	step->subnqn = nvme_ctrl_get_subsysnqn(c);
}

static struct walk_step step_of(struct walk *walk, nvme_host_t h, nvme_ctrl_t c)
{
	struct walk_step step = { .kind = WALK_CONFIGURED, .order = walk->n_steps++, .host = h };

	update_step(&step, c);
	return step;
}

static const char *host_nqn(const struct walk *walk, const struct walk_step *step)
{
	return walk->lost ? "" : nvme_host_get_hostnqn(step->host);
}

/* Report a controller that was not connected. Return: 1. */
static int fail_port(const struct walk *walk, const struct walk_step *step, int err,
		     const char *reason)
{
	struct walk_result result = { .end = WALK_FAILED, .err = err, .reason = reason };

	return walk_report(walk, step, &result,
			   "failed to connect to hostnqn=%s,nqn=%s,transport=%s,traddr=%s: %s",
			   host_nqn(walk, step), step->subnqn, step->transport, step->traddr,
			   reason ? reason : input_error_text(err));
}

/* Return 0, or 1 after a message. A controller that is already connected is not a failure. */
static int connect_port(struct walk *walk, struct walk_step *step, nvme_ctrl_t c)
{
	const char *reason;
	bool connected;
	int err;

	if (walk_is_abandoned(walk, step))
		return 1;
	connected = walk_connect(walk, step, c, &reason);
	err = errno;
	if (!walk->lost)
		update_step(step, c);
	if (connected)
		return WALK_DONE(walk, step, .end = WALK_CONNECTED, .c = c);
	if (err == ENVME_CONNECT_ALREADY)
		return WALK_DONE(walk, step, .end = WALK_ALREADY, .err = err);
	return fail_port(walk, step, err, reason);
}

static int run_port(struct queue *queue, struct queue_item *item)
{
	struct configured_item *queued = (struct configured_item *)item;

	return connect_port(queued->walk, &queued->step, queued->c);
}

static int refuse_port(struct queue *queue, struct queue_item *item, const char *reason)
{
	struct configured_item *queued = (struct configured_item *)item;

	return fail_port(queued->walk, &queued->step, 0, reason);
}

static size_t word_size(const char *word)
{
	return word ? strlen(word) + 1 : 0;
}

/* Copy *@word to @at, let *@word point to the copy, and return its end. */
static char *copy_word(const char **word, char *at)
{
	const size_t size = word_size(*word);

	if (size)
		*word = memcpy(at, *word, size);
	return at + size;
}

static struct configured_item *configured_new(const struct walk_step *step)
{
	struct configured_item *queued =
		calloc(1, sizeof(*queued) + word_size(step->transport) + word_size(step->traddr) +
				  word_size(step->trsvcid) + word_size(step->subnqn));
	char *at = queued ? queued->words : NULL;

	if (!queued)
		return NULL;
	queued->step = *step;
	at = copy_word(&queued->step.transport, at);
	at = copy_word(&queued->step.traddr, at);
	at = copy_word(&queued->step.trsvcid, at);
	copy_word(&queued->step.subnqn, at);
	return queued;
}

static int add_port(struct walk *walk, const struct walk_step *step, nvme_ctrl_t c)
{
	const struct portal_address address = {
		.transport = step->transport,
		.traddr = step->traddr,
		.trsvcid = step->trsvcid,
		.host_traddr = nvme_ctrl_get_host_traddr(c),
		.host_iface = nvme_ctrl_get_host_iface(c),
	};
	struct configured_item *queued = configured_new(step);

	if (!queued)
		return walk_no_memory(walk);
	queued->walk = walk;
	queued->c = c;
	queued->item.run = run_port;
	queued->item.refuse = refuse_port;
	queue_add(walk->queue, &queued->item, &address);
	return 0;
}

/* Handle a controller that was described before the scan. */
static int use_port(struct walk *walk, nvme_host_t h, nvme_ctrl_t c, const char *context)
{
	struct walk_step step = step_of(walk, h, c);

	if (!is_ours(nvme_ctrl_get_subsystem(c), context))
		return WALK_DONE(walk, &step, .end = WALK_SKIPPED, .err = EAGAIN,
				 .reason = WALK_OTHERS);
	if (nvme_ctrl_get_name(c))
		return WALK_DONE(walk, &step, .end = WALK_ALREADY, .c = c);
	return walk->queue ? add_port(walk, &step, c) : connect_port(walk, &step, c);
}

int walk_configured(struct walk *walk, nvme_host_t host, const char *context)
{
	int status = 0;

	for (size_t i = 0; i < walk->n_described; i++) {
		nvme_ctrl_t c = walk->described[i];

		/* With a queue, read_described() reads the logs of discovery controllers. */
		if (nvme_subsystem_get_host(nvme_ctrl_get_subsystem(c)) == host &&
		    nvmf_transport_has(nvme_ctrl_get_transport(c), NVMF_TRANSPORT_FABRICS) &&
		    !(walk->queue && nvme_ctrl_is_discovery_ctrl(c)) &&
		    use_port(walk, host, c, context))
			status = 1;
	}
	report_others(walk, host, context);
	return status;
}
