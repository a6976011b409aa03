/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Starting points of a walk: the command line, the firmware, JSON, discovery.conf. */
#include "walk-private.h"

static struct queue *new_queue(const struct walk_setup *setup)
{
	return queue_new(&setup->calls->queue, setup->arg, setup->silence_timeout);
}

/* Pass the log to the caller: nothing is connected, and referrals are not followed. */
static int pass_log(struct source *source, const struct walk_step *step)
{
	const struct walk_setup *setup = &source->walk->setup;

	return setup->calls->log
		       ? setup->calls->log(setup->arg, step, source->log, source->args.raw)
		       : 0;
}

/* A line of discovery.conf can request to save the log instead of connecting its entries. */
static int follow_log(struct source *source, const struct walk_step *step)
{
	return source->args.raw && source->walk->setup.calls->log ? pass_log(source, step)
								  : walk_entries(source, step);
}

struct walk *walk_new(const struct walk_setup *setup)
{
	struct walk *walk = calloc(1, sizeof(*walk));
	const bool is_queued = !setup->in_turn;
	bool is_whole = walk;

	if (!walk)
		return NULL;
	walk->setup = *setup;
	walk->use_log = setup->connects || setup->logs_first ? follow_log : pass_log;
	if (is_queued && setup->connects) {
		walk->queue = new_queue(setup);
		is_whole = walk->queue;
	}
	if (is_whole && is_queued && setup->logs_first) {
		walk->sources = new_queue(setup);
		is_whole = walk->sources;
	} else if (is_queued) {
		walk->sources = walk->queue;
	}
	if (is_whole)
		return walk;
	walk_free(walk);
	return NULL;
}

/* Free sources that source_unref() left because a running call might use them. */
static void free_sources(struct walk *walk)
{
	while (walk->all) {
		struct source *source = walk->all;

		walk->all = source->next;
		source_free(source);
	}
}

void walk_free(struct walk *walk)
{
	if (!walk)
		return;
	if (walk->sources != walk->queue)
		queue_free(walk->sources);
	queue_free(walk->queue);
	free_sources(walk);
	for (size_t i = 0; i < walk->n_visited; i++)
		free(walk->visited[i]);
	free(walk->visited);
	for (size_t i = 0; i < walk->n_tables; i++)
		nvme_nbft_free(walk->tables[i]);
	free(walk->tables);
	free(walk->described);
	free(walk);
}

void walk_set_host(struct walk *walk, nvme_host_t host)
{
	walk->host = host;
}

bool walk_is_addressed(const struct discover_args *args)
{
	return args->fabrics.transport || args->fabrics.traddr || args->device;
}

/* Append @c to a list that grows by doubling. Return 0 or -ENOMEM. */
static int remember(nvme_ctrl_t **list, size_t *n, nvme_ctrl_t c)
{
	if (!(*n & (*n - 1))) {
		nvme_ctrl_t *grown = reallocarray(*list, *n ? 2 * *n : 1, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		*list = grown;
	}
	(*list)[(*n)++] = c;
	return 0;
}

int walk_note_configured(struct walk *walk)
{
	nvme_subsystem_t s;
	nvme_host_t h;
	nvme_ctrl_t c;

	nvme_for_each_host(walk->setup.root, h)
		nvme_for_each_subsystem(h, s)
			nvme_subsystem_for_each_ctrl(s, c)
				if (remember(&walk->described, &walk->n_described, c)) {
					walk_fail(walk, NULL, ENOMEM, "reading the configuration");
					return -ENOMEM;
				}
	return 0;
}

static int add_described(struct walk *walk, const struct discover_args *args, nvme_host_t h,
			 nvme_ctrl_t c)
{
	struct source *source = source_new(walk, h, args);
	struct fabrics_args *own;

	if (!source)
		return 1;
	own = &source->args.fabrics;
	own->transport = nvme_ctrl_get_transport(c);
	own->traddr = nvme_ctrl_get_traddr(c);
	own->trsvcid = nvme_ctrl_get_trsvcid(c);
	own->host_traddr = nvme_ctrl_get_host_traddr(c);
	own->host_iface = nvme_ctrl_get_host_iface(c);
	own->nqn = nvme_ctrl_get_subsysnqn(c);
	source->args.persistent = args->persistent || nvme_ctrl_is_persistent(c);
	return source_add(source);
}

static int read_described(struct walk *walk, const struct discover_args *args)
{
	const struct fabrics_args *fabrics = &args->fabrics;
	int status = 0;

	for (size_t i = 0; i < walk->n_described; i++) {
		nvme_ctrl_t c = walk->described[i];
		nvme_host_t h = nvme_subsystem_get_host(nvme_ctrl_get_subsystem(c));

		if (nvme_ctrl_is_discovery_ctrl(c) &&
		    input_host_matches(h, fabrics->hostnqn, fabrics->hostid) &&
		    add_described(walk, args, h, c))
			status = 1;
	}
	return status;
}

/* One of these hosts is walk->host, which also serves discovery.conf and the command line. */
static int connect_configured(struct walk *walk, const struct discover_args *args)
{
	const struct fabrics_args *fabrics = &args->fabrics;
	nvme_host_t h;
	int status = 0;

	nvme_for_each_host(walk->setup.root, h)
		if (input_host_matches(h, fabrics->hostnqn, fabrics->hostid) &&
		    walk_configured(walk, h, fabrics->context))
			status = 1;
	return status;
}

/* If all logs are read first, connect the others before that, as far as their portals answer. */
static void connect_ready(const struct walk *walk)
{
	if (walk->queue && walk->setup.logs_first)
		queue_run_ready(walk->queue);
}

/* Connect everything that is configured: by the firmware, in JSON, in discovery.conf. */
static int run_configured(struct walk *walk, const struct discover_args *args)
{
	int status = 0;

	if (walk->queue && !args->no_nbft)
		status = walk_boot(walk, args);
	connect_ready(walk);
	if (args->nbft)
		return status;
	if (walk->queue && connect_configured(walk, args))
		status = 1;
	connect_ready(walk);
	if (read_described(walk, args))
		status = 1;
	if (walk_lines(walk, args, DISCOVERY_CONF))
		status = 1;
	return status;
}

/* Connect through the controller of the arguments, queued if a time limit applies to it. */
static int run_addressed(struct walk *walk, const struct discover_args *args)
{
	struct source *source = source_new(walk, walk->host, args);

	if (!source)
		return 1;
	return walk->setup.silence_timeout ? source_add(source) : source_run(source);
}

int walk_run(struct walk *walk, const struct discover_args *args)
{
	int status =
		walk_is_addressed(args) ? run_addressed(walk, args) : run_configured(walk, args);

	if (walk->sources && walk->sources != walk->queue)
		status |= queue_run(walk->sources);
	if (walk->queue)
		status |= queue_run(walk->queue);
	return status;
}
