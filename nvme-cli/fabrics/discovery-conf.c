// SPDX-License-Identifier: GPL-2.0-or-later
/* The discovery controllers of discovery.conf. */
#include <errno.h>
#include <string.h>

#include "discovery.h"

struct lines {
	struct discovery *d;
	const struct discover_args *given;
	int status;
};

/*
 * A line may name another host, or another secret of it, and that is for this line only: the source has
 * both from here on. NULL after a message.
 */
static struct source *line_source(struct discovery *d, const struct fabrics_args *given,
				  const struct discover_args *args)
{
	const struct fabrics_args *own = &args->fabrics;
	_cleanup_(free) char *secret = NULL;
	nvme_host_t host;

	if (own->hostnqn == given->hostnqn && own->hostid == given->hostid &&
	    own->dhchap_secret == given->dhchap_secret)
		return source_new(d, d->host, args);
	if (nvme_host_get_dhchap_key(d->host)) {
		secret = strdup(nvme_host_get_dhchap_key(d->host));
		if (!secret) {
			command_fail(d->cmd, ENOMEM, "discovery.conf");
			return NULL;
		}
	}
	host = fabrics_host(d->cmd, own);
	nvme_host_set_dhchap_key(d->host, secret);
	if (secret)
		explicit_bzero(secret, strlen(secret));
	return host ? source_new(d, host, args) : NULL;
}

/* As behind a command. */
static void warn(struct command *cmd, char *warnings)
{
	char *save = NULL;

	for (char *text = strtok_r(warnings, "\n", &save); text; text = strtok_r(NULL, "\n", &save))
		command_warn(cmd, 0, "%s", text);
}

/* Takes over the words that the source's arguments stand in. */
static int follow(struct lines *lines, struct discovery_line *line)
{
	const struct fabrics_args *args = &line->args.fabrics;
	struct discovery *d = lines->d;
	struct source *source;

	if (line->warnings)
		warn(d->cmd, line->warnings);
	if (line->err)
		return fabrics_fail(d->cmd, line->err, line->why);
	if (!args->transport && !args->traddr)
		return 0;
	source = line_source(d, &lines->given->fabrics, &line->args);
	if (!source)
		return 1;
	source->text = line->text;
	line->text = NULL;
	source->place = strdup(line->place);
	return discovery_add_source(source);
}

static void use(struct discovery_line *line, void *arg)
{
	struct lines *lines = arg;

	lines->d->cmd->place = line->place;
	if (follow(lines, line))
		lines->status = 1;
	lines->d->cmd->place = NULL;
}

int discovery_run_file(struct discovery *d, const struct discover_args *args, const char *path)
{
	struct lines lines = { .d = d, .given = args };
	_cleanup_(free) char *why = NULL;
	int err = input_each_line(path, d->cmd->name, args, use, &lines, &why);

	if (err)
		fabrics_fail(d->cmd, err, why);
	return err ? 1 : lines.status;
}
