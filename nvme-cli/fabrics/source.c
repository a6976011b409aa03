// SPDX-License-Identifier: GPL-2.0-or-later
/* Discovery controllers whose logs are read: who uses them, and which have been read. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "discovery.h"
#include "shared/lines.h"

struct source *source_new(struct discovery *d, nvme_host_t host, const struct discover_args *args)
{
	struct source *source = calloc(1, sizeof(*source));

	if (!source) {
		command_fail(d->cmd, ENOMEM, "%s", d->cmd->name);
		return NULL;
	}
	source->users = 1;
	source->d = d;
	source->host = host;
	source->args = *args;
	return source;
}

struct source *source_of_referral(struct source *parent)
{
	struct source *source = source_new(parent->d, parent->host, &parent->args);

	if (!source)
		return NULL;
	source->parent = source_ref(parent);
	source->depth = parent->depth + 1;
	return source;
}

struct source *source_ref(struct source *source)
{
	source->users++;
	return source;
}

static int disconnect(struct source *source)
{
	if (nvme_disconnect_ctrl(source->c))
		return command_fail(source->d->cmd, errno,
				    "failed to disconnect the discovery controller at %s",
				    nvme_ctrl_get_traddr(source->c));
	nvme_free_ctrl(source->c);
	return 0;
}

int source_unref(struct source *source)
{
	int status = 0;

	if (--source->users)
		return 0;
	if (source->ends)
		status = disconnect(source);
	if (source->parent)
		status |= source_unref(source->parent);
	lines_free(source->text);
	free(source->place);
	free(source->log);
	free(source);
	return status;
}

void source_enter(struct source *source, char **secret)
{
	const char *own = source->args.fabrics.dhchap_secret;
	const char *given = nvme_host_get_dhchap_key(source->host);

	*secret = own && given ? strdup(given) : NULL;
	if (own)
		nvme_host_set_dhchap_key(source->host, own);
}

void source_leave(struct source *source, char *secret)
{
	if (!source->args.fabrics.dhchap_secret)
		return;
	nvme_host_set_dhchap_key(source->host, secret);
	if (secret)
		explicit_bzero(secret, strlen(secret));
	free(secret);
}

bool discovery_is_visited(const struct discovery *d, const char *name)
{
	for (size_t i = 0; i < d->n_visited; i++)
		if (!strcmp(d->visited[i], name))
			return true;
	return false;
}

int discovery_visit(struct discovery *d, const char *fmt, ...)
{
	_cleanup_(free) char *name = NULL;
	char **visited;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&name, fmt, ap);
	va_end(ap);
	if (n < 0) {
		name = NULL;
		return -ENOMEM;
	}
	if (discovery_is_visited(d, name))
		return 0;
	visited = reallocarray(d->visited, d->n_visited + 1, sizeof(*visited));
	if (!visited)
		return -ENOMEM;
	d->visited = visited;
	visited[d->n_visited++] = name;
	name = NULL;
	return 1;
}

const char *source_place(const struct source *source)
{
	while (source->parent && !source->place)
		source = source->parent;
	return source->place;
}
