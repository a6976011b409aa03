// SPDX-License-Identifier: GPL-2.0-or-later
/* Print the commands as JSON, from which manual pages and completions are made at build time. */

#include <json-c/json.h>

#include "commands.h"
#include "frame/command-table.h"

DEFINE_CLEANUP(struct json_object *, json_object_put);

/* A failed allocation leaves a null, which the readers of the dump reject. */
static void add(struct json_object *object, const char *key, struct json_object *value)
{
	json_object_object_add(object, key, value);
}

static void add_string(struct json_object *object, const char *key, const char *value)
{
	add(object, key, value ? json_object_new_string(value) : NULL);
}

static const char *type_name(enum arg_type type)
{
	static const char *const names[] = {
		[ARG_STR] = "string",	 [ARG_INT] = "int",	  [ARG_UINT] = "uint",
		[ARG_BYTE] = "byte",	 [ARG_SHORT] = "short",	  [ARG_LONG] = "long",
		[ARG_SUFFIX] = "suffix", [ARG_DOUBLE] = "double", [ARG_FLAG] = "flag",
		[ARG_COUNT] = "count",
	};

	return names[type];
}

static struct json_object *default_value(const struct arg *arg, const void *at)
{
	const char *text;

	switch (arg->type) {
	case ARG_STR:
		text = *(const char *const *)at;
		return text ? json_object_new_string(text) : NULL;
	case ARG_INT:
	case ARG_UINT:
	case ARG_BYTE:
	case ARG_SHORT:
	case ARG_LONG:
		return json_object_new_int64(args_number(arg, at));
	case ARG_SUFFIX:
		return json_object_new_uint64(*(const uint64_t *)at);
	case ARG_DOUBLE:
		return json_object_new_double(*(const double *)at);
	case ARG_FLAG:
	case ARG_COUNT:
		break;
	}
	return NULL;
}

static struct json_object *option(const struct arg *arg, const void *own,
				  const struct common_args *common)
{
	const char *base = arg->common ? (const char *)common : own;
	struct json_object *object = json_object_new_object();
	_cleanup_(free) char *help = args_describe(arg);
	char letter[2] = { arg->letter, '\0' };

	add_string(object, "name", arg->name);
	add_string(object, "letter", arg->letter ? letter : NULL);
	add_string(object, "type", type_name(arg->type));
	add_string(object, "meta", arg->meta);
	add_string(object, "help", help);
	add_string(object, "bare", arg->bare);
	add(object, "default", default_value(arg, base + arg->offset));
	return object;
}

static struct json_object *options(const struct command_spec *spec)
{
	_cleanup_(free) void *own = calloc(1, spec->args_size + 1);
	struct json_object *array = json_object_new_array();
	const struct common_args common = COMMON_DEFAULTS;

	if (!own || !spec->options)
		return array;
	if (spec->defaults)
		memcpy(own, spec->defaults, spec->args_size);
	for (const struct arg *arg = spec->options; arg->name; arg++)
		json_object_array_add(array, option(arg, own, &common));
	return array;
}

static struct json_object *formats(const struct command_spec *spec)
{
	struct json_object *array = json_object_new_array();

	for (const struct command_format *known = command_formats; known->name; known++)
		if (spec->formats & known->format)
			json_object_array_add(array, json_object_new_string(known->name));
	return array;
}

static struct json_object *commands(const struct command_spec *const *list)
{
	struct json_object *array = json_object_new_array();

	for (; *list; list++) {
		struct json_object *object = json_object_new_object();

		add_string(object, "name", (*list)->name);
		add_string(object, "summary", (*list)->summary);
		add_string(object, "description", (*list)->description);
		add_string(object, "operands", (*list)->operands);
		add(object, "formats", formats(*list));
		add(object, "options", options(*list));
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *groups(void)
{
	struct json_object *array = json_object_new_array();

	for (const struct command_group *group = builtin_table.groups; group->title; group++) {
		struct json_object *object = json_object_new_object();

		add_string(object, "title", group->title);
		add(object, "commands", commands(group->commands));
		json_object_array_add(array, object);
	}
	return array;
}

static struct json_object *all_plugins(void)
{
	struct json_object *array = json_object_new_array();

	for (const struct plugin *const *plugin = builtin_table.plugins; *plugin; plugin++) {
		struct json_object *object = json_object_new_object();

		add_string(object, "name", (*plugin)->name);
		add_string(object, "summary", (*plugin)->summary);
		add(object, "commands", commands((*plugin)->commands));
		json_object_array_add(array, object);
	}
	return array;
}

int main(void)
{
	_cleanup_(json_object_put) struct json_object *root = json_object_new_object();
	const char *text;

	if (!root)
		return 1;
	add_string(root, "version", builtin_table.version);
	add_string(root, "transports", nvmf_transport_names());
	add(root, "groups", groups());
	add(root, "plugins", all_plugins());
	text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY);
	return !text || puts(text) == EOF || fflush(stdout) ? 1 : 0;
}
