/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Discovery controllers whose logs are read: reference counts, and the logs already read. */
#include "shared/lines.h"
#include "walk-private.h"

struct source *source_new(struct walk *walk, nvme_host_t host, const struct discover_args *args)
{
	struct source *source = calloc(1, sizeof(*source));

	if (!source) {
		walk_no_memory(walk);
		return NULL;
	}
	source->users = 1;
	source->walk = walk;
	source->host = host;
	source->args = *args;
	source->order = walk->n_steps++;
	source->number = ++walk->n_sources;
	source->next = walk->all;
	source->link = &walk->all;
	if (walk->all)
		walk->all->link = &source->next;
	walk->all = source;
	return source;
}

struct source *source_of_referral(struct source *parent)
{
	struct source *source = source_new(parent->walk, parent->host, &parent->args);

	if (!source)
		return NULL;
	source->parent = source_ref(parent);
	source->depth = parent->depth + 1;
	source->number = parent->number;
	return source;
}

struct source *source_ref(struct source *source)
{
	source->users++;
	return source;
}

/* Return "file:line" of the line that @source comes from, or NULL. */
static const char *source_place(const struct source *source)
{
	while (source->parent && !source->place)
		source = source->parent;
	return source->place;
}

int source_disconnect(struct source *source)
{
	const struct walk *walk = source->walk;

	if (!source->ends || walk->lost)
		return 0;
	source->ends = false;
	if (nvme_disconnect_ctrl(source->c))
		return walk_fail(walk, source_place(source), errno,
				 "failed to disconnect the discovery controller at %s",
				 nvme_ctrl_get_traddr(source->c));
	nvme_free_ctrl(source->c);
	source->c = NULL;
	return 0;
}

void source_free(struct source *source)
{
	lines_free(source->text);
	free(source->place);
	free(source->transport);
	free(source->log);
	free(source);
}

/* Keep the source if a call has not ended, since it may use it: walk_free() frees it then. */
int source_unref(struct source *source)
{
	int status;

	if (--source->users || source->walk->lost)
		return 0;
	status = source_disconnect(source);
	if (source->parent)
		status |= source_unref(source->parent);
	*source->link = source->next;
	if (source->next)
		source->next->link = source->link;
	source_free(source);
	return status;
}

void source_apply_secret(struct source *source, char **secret)
{
	const char *own = source->args.fabrics.dhchap_secret;
	const char *given = nvme_host_get_dhchap_key(source->host);

	*secret = own && given ? strdup(given) : NULL;
	if (own)
		nvme_host_set_dhchap_key(source->host, own);
}

void source_restore_secret(struct source *source, char *secret)
{
	if (source->args.fabrics.dhchap_secret && !source->walk->lost)
		nvme_host_set_dhchap_key(source->host, secret);
	if (secret)
		explicit_bzero(secret, strlen(secret));
	free(secret);
}

static const char *source_path(const struct source *source)
{
	while (source->parent && !source->path)
		source = source->parent;
	return source->path;
}

struct walk_step source_step(const struct source *source)
{
	const struct fabrics_args *args = &source->args.fabrics;

	return (struct walk_step){
		.kind = WALK_SOURCE,
		.order = source->order,
		.source = source->number,
		.place = source_place(source),
		.path = source_path(source),
		.transport = args->transport,
		.traddr = args->traddr,
		.trsvcid = args->trsvcid,
		.subnqn = args->nqn ? args->nqn : NVME_DISC_SUBSYS_NAME,
		.host = source->host,
	};
}

struct walk_step source_make_entry_step(const struct source *source,
					const struct nvmf_disc_log_entry *e)
{
	return (struct walk_step){
		.kind = e->subtype == NVME_NQN_DISC ? WALK_REFERRAL : WALK_ENTRY,
		.order = source->walk->n_steps++,
		.source = source->number,
		.place = source_place(source),
		.path = source_path(source),
		.transport = nvmf_trtype_str(e->trtype),
		.traddr = e->traddr,
		.trsvcid = e->trsvcid,
		.subnqn = e->subnqn,
		.host = source->host,
		.entry = e,
	};
}

bool walk_is_visited(const struct walk *walk, const char *name)
{
	for (size_t i = 0; i < walk->n_visited; i++)
		if (!strcmp(walk->visited[i], name))
			return true;
	return false;
}

int walk_visit(struct walk *walk, const char *fmt, ...)
{
	_cleanup_(free) char *name = NULL;
	char **visited;
	va_list ap;

	va_start(ap, fmt);
	name = text_format_list(fmt, ap);
	va_end(ap);
	if (!name)
		return -ENOMEM;
	if (walk_is_visited(walk, name))
		return 0;
	visited = reallocarray(walk->visited, walk->n_visited + 1, sizeof(*visited));
	if (!visited)
		return -ENOMEM;
	walk->visited = visited;
	visited[walk->n_visited++] = name;
	name = NULL;
	return 1;
}
