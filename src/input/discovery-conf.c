/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "discovery-conf.h"
#include "shared/lines.h"

#define MAX_WORDS 128

/* Split @line in place, without the sign in "-t=tcp". Return the number of words; -1: too many. */
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

FABRICS_COMES_FIRST(struct discover_args);

static const struct arg line_options[] = {
	DISCOVERY_LINE_OPTIONS,
	OPT_END,
};

static int note_surplus(struct discovery_line *line, const struct args_result *result)
{
	bool hidden = args_hold_secret(line_options, &line->args);
	_cleanup_(text_wipe) struct text text = { 0 };
	FILE *out = text_open(&text);

	for (int i = 0; out && i < result->argc; i++) {
		if (*result->argv[i] && hidden)
			fputs("an argument is ignored (it may be a key)\n", out);
		else if (*result->argv[i])
			fprintf(out, "argument '%s' is ignored\n", result->argv[i]);
	}
	if (text_close(&text))
		return -ENOMEM;
	if (text.length)
		line->warnings = text_take(&text);
	return 0;
}

/* Store the first line of the parser's messages as the error of the line. */
static int refuse(struct discovery_line *line, struct text *messages)
{
	if (text_close(messages))
		return -ENOMEM;
	return input_fail(&line->why, EINVAL, "%.*s", (int)strcspn(messages->bytes, "\n"),
			  messages->bytes);
}

static int parse_words(struct discovery_line *line, int n, char **words)
{
	_cleanup_(text_wipe) struct text messages = { 0 };
	struct common_args common = COMMON_DEFAULTS;
	struct args_result result = { .messages = text_open(&messages) };

	if (!result.messages)
		return -ENOMEM;
	if (args_parse(line_options, n, words, &line->args, &common, &result))
		return refuse(line, &messages);
	if (result.help)
		return input_fail(&line->why, EINVAL, "--help is not supported in this file");
	return note_surplus(line, &result);
}

/* Refuse options that apply to the whole command, not to a single controller. */
static int refuse_whole(struct discovery_line *line)
{
	const struct fabrics_args *args = &line->args.fabrics;
	const char *option = args->config	 ? "config"
			     : args->context	 ? "context"
			     : args->dump_config ? "dump-config"
						 : NULL;

	return option ? input_fail(&line->why, EINVAL,
				   "--%s is only supported on the command line, not in this file",
				   option)
		      : 0;
}

static int parse(struct discovery_line *line, const char *command)
{
	char name[32], *words[MAX_WORDS] = { name };
	struct fabrics_args *args = &line->args.fabrics;
	int n = split(line->text, words), err;

	snprintf(name, sizeof(name), "%s", command);
	if (n < 0)
		return input_fail(&line->why, EINVAL, "more than %d words", MAX_WORDS - 3);
	args->transport = NULL;
	args->traddr = NULL;
	args->trsvcid = NULL;
	args->nqn = NULL;
	args->config = NULL;
	args->context = NULL;
	args->dump_config = false;
	line->args.device = NULL;
	err = parse_words(line, n, words);
	if (!err)
		err = refuse_whole(line);
	if (err || (!args->transport && !args->traddr))
		return err;
	input_drop_none(args);
	err = input_check(args, &line->why);
	return err ? err : input_check_address(args, &line->why);
}

static void line_cleanup(struct discovery_line *line)
{
	lines_free(line->text);
	free(line->place);
	free(line->warnings);
	free(line->why);
}

int input_each_line(const char *path, const char *command, const struct discover_args *given,
		    void (*use)(struct discovery_line *line, void *arg), void *arg, char **why)
{
	_cleanup_(close) int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_(lines_wipe) struct lines lines = LINES_OF(fd);

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return input_fail(why, errno, "Failed to read %s: %s", path, strerror(errno));
	while (lines_next(&lines)) {
		_cleanup_(line) struct discovery_line line = { .args = *given };
		const char *start = lines.line + strspn(lines.line, " \t\r\n");

		if (!*start || *start == '#')
			continue;
		line.text = strdup(lines.line);
		line.place = text_format("%s:%zu", path, lines.number);
		if (!line.text || !line.place)
			return input_fail(why, ENOMEM, "Failed to read %s: %s", path,
					  strerror(ENOMEM));
		line.err = parse(&line, command);
		use(&line, arg);
	}
	if (lines.err)
		return input_fail(why, -lines.err, "Failed to read %s: %s", path,
				  strerror(-lines.err));
	return 0;
}
