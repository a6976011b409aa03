// SPDX-License-Identifier: LGPL-2.1-or-later
#include <math.h>
#include <getopt.h>

#include <libnvme.h>

#include "args.h"
#include "config.h"
#include "escape.h"
#include "shared/cleanup.h"
#include "shared/text.h"
#include "shared/mask.h"
#include "shared/suggest.h"

#define HELP_WIDTH 80
#define LETTER_HELP 'h'
#define FIRST_LONG_ONLY 256 /* getopt value of the table's first option */

static bool takes_argument(const struct arg *arg)
{
	return arg->type != ARG_FLAG && arg->type != ARG_COUNT;
}

static void *member_address(const struct arg *arg, void *own, struct common_args *common)
{
	return (char *)(arg->common ? (void *)common : own) + arg->offset;
}

static const char *type_name(enum arg_type type)
{
	static const char *const names[] = {
		[ARG_STR] = "string",
		[ARG_INT] = "integer",
		[ARG_UINT] = "word",
		[ARG_BYTE] = "byte",
		[ARG_SHORT] = "short",
		[ARG_LONG] = "long integer",
		[ARG_FLAG] = "string",
		[ARG_COUNT] = "string",
		[ARG_SUFFIX] = "long suffixed integer",
		[ARG_DOUBLE] = "double",
	};

	return names[type];
}

static int parse_signed(const char *text, long min, long max, long *value)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 0);
	if (errno || end == text || *end || number < min || number > max)
		return -EINVAL;
	*value = number;
	return 0;
}

/* Reject a minus sign: strtoull() accepts it and wraps to 2^64 - n. */
static int parse_unsigned(const char *text, uint64_t max, uint64_t *value, char **end)
{
	unsigned long long number;

	errno = 0;
	number = strtoull(text, end, 0);
	if (errno || *end == text || strchr(text, '-') || number > max)
		return -EINVAL;
	*value = number;
	return 0;
}

int args_list_number(const char **text, uint64_t max, uint64_t *number)
{
	char *end;

	if (parse_unsigned(*text, max, number, &end) || (*end && *end != ','))
		return -EINVAL;
	*text = *end ? end + 1 : end;
	return 0;
}

int args_list(const char *text, uint64_t max, uint64_t *numbers, unsigned int room)
{
	unsigned int n = 0;

	while (text && *text) {
		if (n == room)
			return -E2BIG;
		if (args_list_number(&text, max, &numbers[n++]))
			return -EINVAL;
	}
	return (int)n;
}

static int parse_suffixed(const char *text, uint64_t *value)
{
	static const char prefixes[] = "kMGTPE";
	uint64_t number, factor = 1;
	const char *prefix;
	char *end;

	if (parse_unsigned(text, UINT64_MAX, &number, &end))
		return -EINVAL;
	if (*end) {
		prefix = strchr(prefixes, *end == 'K' ? 'k' : *end);
		if (!prefix || (end[1] && strcmp(end + 1, "i")))
			return -EINVAL;
		for (const char *p = prefixes; p <= prefix; p++)
			factor *= end[1] ? 1024 : 1000;
	}
	if (__builtin_mul_overflow(number, factor, value))
		return -EINVAL;
	return 0;
}

static int store(const struct arg *arg, const char *text, void *at)
{
	uint64_t number;
	double real;
	long value;
	char *end;

	switch (arg->type) {
	case ARG_STR:
		*(const char **)at = text;
		return 0;
	case ARG_FLAG:
		*(bool *)at = true;
		return 0;
	case ARG_COUNT:
		++*(unsigned int *)at;
		return 0;
	case ARG_INT:
		if (parse_signed(text, INT_MIN, INT_MAX, &value))
			return -EINVAL;
		*(int *)at = (int)value;
		return 0;
	case ARG_LONG:
		return parse_signed(text, LONG_MIN, LONG_MAX, at);
	case ARG_UINT:
		if (parse_unsigned(text, UINT_MAX, &number, &end) || *end)
			return -EINVAL;
		*(unsigned int *)at = (unsigned int)number;
		return 0;
	case ARG_SHORT:
		if (parse_unsigned(text, UINT16_MAX, &number, &end) || *end)
			return -EINVAL;
		*(uint16_t *)at = (uint16_t)number;
		return 0;
	case ARG_BYTE:
		if (arg->word && !arg->word(text, at))
			return 0;
		if (parse_unsigned(text, UINT8_MAX, &number, &end) || *end)
			return -EINVAL;
		*(uint8_t *)at = (uint8_t)number;
		return 0;
	case ARG_SUFFIX:
		return parse_suffixed(text, at);
	case ARG_DOUBLE:
		errno = 0;
		real = strtod(text, &end);
		if (errno || end == text || *end || !isfinite(real))
			return -EINVAL;
		*(double *)at = real;
		return 0;
	}
	return -EINVAL;
}

static size_t count_args(const struct arg *args)
{
	size_t n = 0;

	while (args && args[n].name)
		n++;
	return n;
}

/* True if a word is a prefix of an option that nvme-cli 2.13 has, too. */
static bool is_older_prefix(const struct arg *args, const char *word, size_t length)
{
	for (const struct arg *arg = args; arg->name; arg++)
		if (!arg->late && !strncmp(word, arg->name, length))
			return true;
	return false;
}

/*
 * True if an option must be hidden from getopt. With both --output-format and
 * --output-format-version in the table, getopt would reject the abbreviation "--output" as
 * ambiguous. Abbreviations that nvme-cli 2.13 accepts must keep their meaning, so an option that
 * came later is offered only if it is typed in full, or abbreviated to letters that begin no older
 * option. As in 2.16, one letter is enough ("-n" for --no-retries) in commands without an option of
 * that letter.
 */
static bool is_hidden_option(const struct arg *args, const struct arg *arg, int argc, char **argv)
{
	if (!arg->late)
		return false;
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i] + strspn(argv[i], "-");
		const size_t length = strcspn(word, "=");

		if (word == argv[i] || !length || strncmp(word, arg->name, length))
			continue;
		if (!arg->name[length] || !is_older_prefix(args, word, length))
			return false;
	}
	return true;
}

/* Build getopt's tables from @args. The entry for @args[i] returns FIRST_LONG_ONLY + i. */
static int make_getopt(const struct arg *args, size_t n, int argc, char **argv,
		       struct option **longs, char **shorts)
{
	struct option *option;
	char *letter;

	*longs = calloc(n + 2, sizeof(**longs));
	*shorts = calloc(3 * n + 4, 1);
	if (!*longs || !*shorts)
		return -ENOMEM;
	letter = *shorts;
	*letter++ = ':'; /* return ':' for a missing value, '?' for an unknown option */
	*letter++ = LETTER_HELP;
	option = *longs;
	for (size_t i = 0; i < n; i++) {
		int has_arg = !takes_argument(&args[i]) ? no_argument
			      : args[i].bare		? optional_argument
							: required_argument;

		if (is_hidden_option(args, &args[i], argc, argv))
			continue;
		option->name = args[i].name;
		option->has_arg = has_arg;
		option->val = FIRST_LONG_ONLY + (int)i;
		option++;
		if (!args[i].letter)
			continue;
		*letter++ = args[i].letter;
		for (int colons = has_arg; colons; colons--)
			*letter++ = ':';
	}
	option->name = "help";
	option->val = LETTER_HELP;
	return 0;
}

static const struct arg *find(const struct arg *args, size_t n, int c)
{
	if (c >= FIRST_LONG_ONLY)
		return &args[c - FIRST_LONG_ONLY];
	for (size_t i = 0; i < n; i++)
		if (args[i].letter && args[i].letter == c)
			return &args[i];
	return NULL;
}

/* Print " --host-traddr, --host-iface or --hostid" for the ambiguous "--host". */
static void print_ambiguous(FILE *to, const struct arg *args, const char *name, size_t length)
{
	size_t n = 0, shown = 0;

	for (const struct arg *arg = args; arg->name; arg++)
		n += !strncmp(arg->name, name, length);
	for (const struct arg *arg = args; arg->name; arg++) {
		if (strncmp(arg->name, name, length))
			continue;
		shown++;
		fprintf(to, "%s--%s", shown == 1 ? " " : shown == n ? " or " : ", ", arg->name);
	}
	fputc('\n', to);
}

/* Return @value for a message, escaped and masked: a key may be typed where a number belongs. */
static char *shown_value(const char *value)
{
	_cleanup_(free) char *masked = value ? mask_secrets(value, NULL, 0) : NULL;

	return masked ? escape_text(masked, strlen(masked)) : NULL;
}

/* Print one line about an option that getopt refused: @letter if it is a short one, else @word. */
static void print_unknown_option(FILE *to, const struct arg *args, const char *command,
				 const char *word, int letter)
{
	const char *name = word + strspn(word, "-");
	size_t length = strcspn(name, "=");
	_cleanup_(free) char *typed = strndup(name, length);
	_cleanup_(free) char *start = strndup(word, (size_t)(name - word) + length);
	_cleanup_(free) char *shown = shown_value(start);
	struct suggestion near = SUGGESTION_FOR(typed);
	size_t n_matches = 0;

	if (!typed || !shown)
		return;
	if (letter) {
		fprintf(to,
			NVME_COMMAND " %s: unknown option '-%c' (see " NVME_COMMAND " %s --help)\n",
			command, letter > 0x20 && letter <= 0x7e ? letter : '?', command);
		return;
	}
	for (const struct arg *arg = args; arg && arg->name; arg++) {
		n_matches += !strncmp(arg->name, typed, length);
		suggestion_consider(&near, arg->name);
	}
	if (n_matches > 1) {
		fprintf(to, NVME_COMMAND " %s: option '%s' is ambiguous:", command, shown);
		print_ambiguous(to, args, typed, length);
	} else if (near.name) {
		fprintf(to, NVME_COMMAND " %s: unknown option '%s': did you mean '--%s'?\n",
			command, shown, near.name);
	} else {
		fprintf(to,
			NVME_COMMAND " %s: unknown option '%s' (see " NVME_COMMAND " %s --help)\n",
			command, shown, command);
	}
}

/* Print the error for getopt's ':' or '?'. Return false for -?, which asks for help. */
static bool print_option_error(FILE *to, const struct arg *args, size_t n, int c, char **argv)
{
	const struct arg *arg = optopt > 0 ? find(args, n, optopt) : NULL;

	if (optopt == '?' || (!optopt && !strcmp(argv[optind - 1], "-?")))
		return false;
	if (c == ':' && arg)
		fprintf(to, NVME_COMMAND " %s: option '--%s' needs a value\n", argv[0], arg->name);
	else if (optopt >= FIRST_LONG_ONLY && arg)
		fprintf(to, NVME_COMMAND " %s: option '--%s' does not take a value\n", argv[0],
			arg->name);
	else if (optopt == LETTER_HELP)
		fprintf(to, NVME_COMMAND " %s: option '--help' does not take a value\n", argv[0]);
	else
		print_unknown_option(to, args, argv[0], argv[optind - 1], optopt);
	return true;
}

int args_parse(const struct arg *args, int argc, char **argv, void *own, struct common_args *common,
	       struct args_result *result)
{
	_cleanup_(free) struct option *longs = NULL;
	_cleanup_(free) char *shorts = NULL;
	FILE *to = result->messages ? result->messages : stderr;
	size_t n = count_args(args);
	int c;

	if (make_getopt(args, n, argc, argv, &longs, &shorts)) {
		fprintf(to, NVME_COMMAND " %s: %s\n", argv[0], strerror(ENOMEM));
		return -ENOMEM;
	}
	optind = 0; /* restart the scan (glibc) */
	while ((c = getopt_long_only(argc, argv, shorts, longs, NULL)) != -1) {
		const struct arg *arg;
		const char *text;

		if ((c == '?' || c == ':') && print_option_error(to, args, n, c, argv))
			return -EINVAL;
		arg = find(args, n, c);
		if (!arg) {
			result->help = true;
			return 0;
		}
		text = optarg ? optarg : arg->bare;
		if (store(arg, text, member_address(arg, own, common))) {
			_cleanup_(free) char *shown = shown_value(text);

			fprintf(to, "Expected %s argument for '%s' but got '%s'!\n",
				type_name(arg->type), arg->name, shown ? shown : "");
			return -EINVAL;
		}
		if (arg->given)
			*(bool *)((char *)own + arg->given) = true;
	}
	result->argc = argc - optind;
	result->argv = argv + optind;
	return 0;
}

bool args_hold_secret(const struct arg *args, const void *own)
{
	static const char *const names[] = { "dhchap-secret", "dhchap-ctrl-secret",
					     "tls-key",	      "secret",
					     "keydata",	      "key" };

	for (const struct arg *arg = args; arg && arg->name; arg++)
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (arg->type == ARG_STR && !arg->common && !strcmp(arg->name, names[i]) &&
			    *(const char *const *)(const void *)((const char *)own + arg->offset))
				return true;
	return false;
}

/* Format " -t, --transport=NAME" into @line and return its length. */
static int print_names(const struct arg *arg, char *line, size_t size)
{
	char letter[8] = "    ";
	const char *meta = arg->meta ? arg->meta : "VALUE";

	if (arg->letter)
		snprintf(letter, sizeof(letter), "-%c, ", arg->letter);
	if (!takes_argument(arg))
		return snprintf(line, size, "  %s--%s", letter, arg->name);
	return snprintf(line, size, arg->bare ? "  %s--%s[=%s]" : "  %s--%s=%s", letter, arg->name,
			meta);
}

long long args_number(const struct arg *arg, const void *at)
{
	switch (arg->type) {
	case ARG_INT:
		return *(const int *)at;
	case ARG_UINT:
		return *(const unsigned int *)at;
	case ARG_SHORT:
		return *(const uint16_t *)at;
	case ARG_BYTE:
		return *(const uint8_t *)at;
	case ARG_LONG:
		return *(const long *)at;
	case ARG_SUFFIX:
		return (long long)*(const uint64_t *)at;
	default:
		return 0;
	}
}

/* Format " (default: 600)", or nothing if the default value means "not set". */
static void format_default(const struct arg *arg, const void *at, char *text, size_t size)
{
	const char *string = arg->type == ARG_STR ? *(const char *const *)at : NULL;
	const long long number = args_number(arg, at);

	*text = '\0';
	if (string)
		snprintf(text, size, " (default: %s)", string);
	else if (arg->type == ARG_DOUBLE && *(const double *)at != 0)
		snprintf(text, size, " (default: %g)", *(const double *)at);
	/* The default of a required number is the largest value, which means nothing to users. */
	if (number > 0xfffff && !strstr(arg->help, "(required)"))
		snprintf(text, size, " (default: 0x%llx)", (unsigned long long)number);
	else if (number > 0 && number <= 0xfffff)
		snprintf(text, size, " (default: %lld)", number);
}

void args_print_wrapped(FILE *stream, const char *text, int column, int indent)
{
	const char *word = text;

	while (*(word += strspn(word, " "))) {
		int length = (int)strcspn(word, " ");

		if (column > indent && column + 1 + length > HELP_WIDTH) {
			fprintf(stream, "\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			fputc(' ', stream);
			column++;
		}
		fprintf(stream, "%.*s", length, word);
		column += length;
		word += length;
	}
	fputc('\n', stream);
}

char *args_describe(const struct arg *arg)
{
	static const char mark[] = "@transports@";
	const char *at = strstr(arg->help, mark);

	if (!at)
		return strdup(arg->help);
	return text_format("%.*s%s%s", (int)(at - arg->help), arg->help, nvmf_transport_names(),
			   at + strlen(mark));
}

void args_help(FILE *stream, const struct arg *args, const void *own,
	       const struct common_args *common)
{
	size_t n = count_args(args);
	int width = 0;

	for (size_t i = 0; i < n; i++) {
		char line[128];
		int length = print_names(&args[i], line, sizeof(line));

		width = length > width ? length : width;
	}
	for (size_t i = 0; i < n; i++) {
		const char *base = args[i].common ? (const char *)common : own;
		_cleanup_(free) char *help = args_describe(&args[i]);
		_cleanup_(free) char *text = NULL;
		char line[128], standard[128];

		print_names(&args[i], line, sizeof(line));
		format_default(&args[i], base + args[i].offset, standard, sizeof(standard));
		text = help ? text_format("%s%s", help, standard) : NULL;
		if (!text)
			return;
		fprintf(stream, "%-*s  ", width, line);
		args_print_wrapped(stream, text, width + 2, width + 2);
	}
}
