/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Print the tables of transports and of connect options as JSON. The build generates the schema of
 * the configuration, the stub of the Python package and its pages from it; this program is not
 * installed.
 */
#include <json.h>
#include <stdio.h>
#include <string.h>

#include "fabrics/option-table.h"
#include "transport-private.h"

static const struct {
	const char *argument;
	char letter;
	const char *meta;
	const char *help;
} words[N_OPTIONS] = {
/* clang-format off */
#define WORDS(id, ...) [OPTION_##id] = { __VA_ARGS__ },
#define TEXT(id, name, json, owner, member, longest, traits, rules, argument, letter, meta, help) \
	WORDS(id, argument, letter, meta, help)
#define KEY(id, name, longest, traits, rules, argument, letter, meta, help) \
	WORDS(id, argument, letter, meta, help)
#define NUMBER(id, name, owner, least, most, standard, unset, traits, rules, argument, letter, meta, help) \
	WORDS(id, argument, letter, meta, help)
#define FLAG(id, name, owner, traits, rules, argument, letter, help) \
	WORDS(id, argument, letter, NULL, help)
#define MARK(id, name, member, rules, help) WORDS(id, NULL, 0, NULL, help)
	NVMF_OPTIONS(NVMF_NO_ROW, TEXT, KEY, NUMBER, FLAG, MARK)
	/* clang-format on */
};

/* A failed allocation leaves a null, which the readers of the dump reject. */
static void add(struct json_object *object, const char *key, struct json_object *value)
{
	json_object_object_add(object, key, value);
}

static void add_string(struct json_object *object, const char *key, const char *value)
{
	add(object, key, value ? json_object_new_string(value) : NULL);
}

static struct json_object *transport(const struct transport *row)
{
	struct json_object *object = json_object_new_object();

	add_string(object, "name", row->name);
	add(object, "needs_traddr",
	    json_object_new_boolean(transport_has(row, NVMF_TRANSPORT_TRADDR)));
	return object;
}

static const char *type_name(const struct option_row *row)
{
	static const char *const names[] = {
		[OPTION_TYPE_TEXT] = "text",	 [OPTION_TYPE_KEY] = "key",
		[OPTION_TYPE_NUMBER] = "number", [OPTION_TYPE_FLAG] = "flag",
		[OPTION_TYPE_MARK] = "flag",
	};

	return names[row->type];
}

static struct json_object *option(enum fabrics_option id)
{
	const struct option_row *row = &option_rows[id];
	struct json_object *object = json_object_new_object();
	char letter[2] = { words[id].letter, '\0' };

	add_string(object, "name", row->name);
	add_string(object, "json", row->json);
	add_string(object, "type", type_name(row));
	add(object, "python",
	    json_object_new_boolean(row->of_options || row->type == OPTION_TYPE_KEY));
	add(object, "least", json_object_new_int64(row->least));
	add(object, "most", json_object_new_int64(row->most));
	add(object, "unset", json_object_new_int64(row->unset));
	add(object, "local", json_object_new_boolean(row->rules & NVMF_OPTION_LOCAL));
	add_string(object, "argument", words[id].argument);
	add_string(object, "letter", *letter ? letter : NULL);
	add_string(object, "meta", words[id].meta);
	add_string(object, "help", words[id].help);
	return object;
}

int main(void)
{
	struct json_object *root = json_object_new_object();
	struct json_object *transports = json_object_new_array();
	struct json_object *options = json_object_new_array();
	const char *text;
	int status;

	for (const struct transport *row = NULL; (row = transport_next(row));)
		json_object_array_add(transports, transport(row));
	for (int id = 0; id < N_OPTIONS; id++)
		if (option_rows[id].type != OPTION_TYPE_NAMED)
			json_object_array_add(options, option((enum fabrics_option)id));
	add(root, "transports", transports);
	add(root, "options", options);
	text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY);
	status = !text || puts(text) == EOF || fflush(stdout) ? 1 : 0;
	json_object_put(root);
	return status;
}
