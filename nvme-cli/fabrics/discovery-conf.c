// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * discovery.conf: one discovery controller per line, written as options of nvme discover. Lines
 * start from the command line's options and do not affect each other.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "discovery.h"

#define MAX_WORDS 128

/*
 * Splits @line in place. "-t=tcp" has always meant "-t tcp" here: the sign between a letter and its
 * value is cut out. Returns the number of words, or -1 if there are too many.
 */
static int split(char *line, char **words)
{
	char *save = NULL;
	int n = 1;

	for (char *word = strtok_r(line, " \t\r\n", &save); word;
	     word = strtok_r(NULL, " \t\r\n", &save)) {
		if (n + 2 >= MAX_WORDS)
			return -1;
		if (word[0] == '-' && isalnum((unsigned char)word[1]) && word[2] == '=') {
			word[2] = '\0';
			words[n++] = word;
			words[n++] = word + 3;
		} else {
			words[n++] = word;
		}
	}
	words[n] = NULL;
	return n;
}

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
static void warn_of_surplus(struct command *cmd, const struct discover_args *args,
			    const struct args_result *result)
{
	bool hidden = args_hold_secret(discovery_line_options, args);

	for (int i = 0; i < result->argc; i++) {
		if (*result->argv[i] && hidden)
			command_warn(cmd, 0, "an argument is ignored (it may be a key)");
		else if (*result->argv[i])
			command_warn(cmd, 0, "argument '%s' is ignored", result->argv[i]);
	}
}

/* Takes over @line, which the words of the source's arguments stand in. */
static int discover_line(struct discovery *d, const struct discover_args *given, char *line)
{
	char name[32], *words[MAX_WORDS] = { name };
	struct args_result result = { .place = d->cmd->place };
	_cleanup_(free) char *text = line;
	struct common_args common = d->cmd->common;
	struct discover_args args = *given;
	int n = split(line, words);
	struct source *source;

	snprintf(name, sizeof(name), "%s", d->cmd->name);
	if (n < 0)
		return command_fail(d->cmd, 0, "more than %d words", MAX_WORDS - 3);
	args.fabrics.transport = NULL;
	args.fabrics.traddr = NULL;
	args.fabrics.trsvcid = NULL;
	args.fabrics.nqn = NULL;
	args.device = NULL;
	if (args_parse(discovery_line_options, n, words, &args, &common, &result))
		return 1;
	if (result.help)
		return command_fail(d->cmd, 0, "no help here");
	warn_of_surplus(d->cmd, &args, &result);
	if (!args.fabrics.transport && !args.fabrics.traddr)
		return 0;
	fabrics_drop_none(&args.fabrics);
	if (fabrics_check(d->cmd, &args.fabrics) || fabrics_check_address(d->cmd, &args.fabrics))
		return 1;
	source = line_source(d, &given->fabrics, &args);
	if (!source)
		return 1;
	source->text = text;
	text = NULL;
	source->place = strdup(d->cmd->place);
	return discovery_add_source(source);
}

int discovery_run_file(struct discovery *d, const struct discover_args *args, const char *path)
{
	_cleanup_(fclose) FILE *file = fopen(path, "re");
	_cleanup_(free) char *line = NULL;
	size_t size = 0, number = 0;
	int status = 0;

	if (!file && errno == ENOENT)
		return 0;
	if (!file)
		return command_fail(d->cmd, errno, "Failed to read %s", path);
	while (getline(&line, &size, file) >= 0) {
		_cleanup_(free) char *where = NULL;
		const char *start = line + strspn(line, " \t\r\n");
		char *own;

		number++;
		if (!*start || *start == '#')
			continue;
		if (asprintf(&where, "%s:%zu", path, number) < 0) {
			where = NULL;
			return command_fail(d->cmd, ENOMEM, "Failed to read %s", path);
		}
		own = strdup(line);
		if (!own)
			return command_fail(d->cmd, ENOMEM, "Failed to read %s", path);
		d->cmd->place = where;
		if (discover_line(d, args, own))
			status = 1;
		d->cmd->place = NULL;
	}
	if (ferror(file))
		return command_fail(d->cmd, EIO, "Failed to read %s", path);
	return status;
}
