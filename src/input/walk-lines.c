/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connect through the discovery controllers listed in discovery.conf. */
#include "walk-private.h"

struct lines {
	struct walk *walk;
	const struct discover_args *given;
	int status;
};

/* Report a line that cannot be used. Return: 1. */
static int fail_line(struct walk *walk, const struct discovery_line *line, int err, const char *why)
{
	/* An error without a line concerns the whole file. */
	const struct fabrics_args *args = &line->args.fabrics;
	const struct walk_step step = {
		.kind = WALK_SOURCE,
		.order = walk->n_steps++,
		.source = ++walk->n_sources,
		.place = line->place,
		.path = line->place ? NULL : DISCOVERY_CONF,
		.transport = line->err ? NULL : args->transport,
		.traddr = line->err ? NULL : args->traddr,
		.trsvcid = line->err ? NULL : args->trsvcid,
		.subnqn = line->err   ? NULL
			  : args->nqn ? args->nqn
				      : NVME_DISC_SUBSYS_NAME,
	};
	const struct walk_result result = {
		.end = WALK_FAILED,
		.err = abs(err),
		.reason = why,
		.text = why ? why : strerror(abs(err)),
	};

	return walk_done(walk, &step, &result);
}

/* Find the host as fabrics commands do. Return NULL with errno and, given memory, @why. */
static nvme_host_t line_host(struct walk *walk, const struct fabrics_args *args, char **why)
{
	nvme_host_t h = input_host(walk->setup.root, args->hostnqn, args->hostid, why);

	if (h && args->dhchap_secret)
		nvme_host_set_dhchap_key(h, args->dhchap_secret);
	return h;
}

/* Create a line's source; its host or secret applies to it only. Return NULL after a message. */
static struct source *line_source(struct walk *walk, const struct fabrics_args *given,
				  const struct discovery_line *line)
{
	const struct fabrics_args *own = &line->args.fabrics;
	_cleanup_(free) char *secret = NULL, *why = NULL;
	nvme_host_t host;

	if (own->hostnqn == given->hostnqn && own->hostid == given->hostid &&
	    own->dhchap_secret == given->dhchap_secret)
		return source_new(walk, walk->host, &line->args);
	if (nvme_host_get_dhchap_key(walk->host)) {
		secret = strdup(nvme_host_get_dhchap_key(walk->host));
		if (!secret) {
			walk_fail(walk, line->place, ENOMEM, "discovery.conf");
			return NULL;
		}
	}
	host = line_host(walk, own, &why);
	if (!host)
		fail_line(walk, line, errno ? errno : ENOMEM, why);
	nvme_host_set_dhchap_key(walk->host, secret);
	if (secret)
		explicit_bzero(secret, strlen(secret));
	return host ? source_new(walk, host, &line->args) : NULL;
}

static void warn_line(const struct walk *walk, const struct discovery_line *line)
{
	const struct walk_setup *setup = &walk->setup;
	char *save = NULL;

	if (!line->warnings || !setup->calls->say)
		return;
	for (char *text = strtok_r(line->warnings, "\n", &save); text;
	     text = strtok_r(NULL, "\n", &save))
		setup->calls->say(setup->arg, line->place, false, 0, text);
}

/* Start the source of a line; it takes ownership of the text that its arguments point into. */
static int follow_line(struct lines *lines, struct discovery_line *line)
{
	const struct fabrics_args *args = &line->args.fabrics;
	struct walk *walk = lines->walk;
	struct source *source;

	warn_line(walk, line);
	if (line->err)
		return fail_line(walk, line, line->err, line->why);
	/* For example "transport=tcp traddr=10.1.1.1", or the continuation of the previous line. */
	if (!args->transport && !args->traddr)
		return fail_line(walk, line, EINVAL,
				 "no discovery controller: --transport and --traddr are missing");
	if (walk->lost)
		return fail_line(walk, line, EBUSY, NULL);
	source = line_source(walk, &lines->given->fabrics, line);
	if (!source)
		return 1;
	source->text = line->text;
	line->text = NULL;
	source->place = strdup(line->place);
	if (!source->place) {
		source_unref(source);
		return walk_no_memory(walk);
	}
	return source_add(source);
}

static void use_line(struct discovery_line *line, void *arg)
{
	struct lines *lines = arg;

	if (follow_line(lines, line))
		lines->status = 1;
}

int walk_lines(struct walk *walk, const struct discover_args *args, const char *path)
{
	struct lines lines = { .walk = walk, .given = args };
	_cleanup_(free) char *why = NULL, *renamed = NULL;
	int err = input_note_renamed(path, &renamed);

	if (renamed && !walk->setup.quiet && walk->setup.calls->say)
		walk->setup.calls->say(walk->setup.arg, NULL, false, 0, renamed);
	if (!err)
		err = input_each_line(path, walk->setup.name, args, use_line, &lines, &why);
	/* The file as a whole failed. */
	if (err)
		lines.status |=
			fail_line(walk, &(const struct discovery_line){ .err = err }, err, why);
	return lines.status;
}
