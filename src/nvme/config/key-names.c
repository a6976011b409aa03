/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The known keys, their levels, and suggestions for misspelt keys. */
#include "private.h"
#include "shared/suggest.h"

#define HOST(name, kind) \
	{ \
#name, kind, offsetof(struct config_host, name) \
	}
#define SUBSYSTEM(name, kind) \
	{ \
#name, kind, offsetof(struct config_subsystem, name) \
	}

static const struct config_key host_keys[] = {
	HOST(hostnqn, KIND_NQN),
	HOST(hostid, KIND_UUID),
	HOST(dhchap_key, KIND_OPTION),
	HOST(hostsymname, KIND_STRING),
	{ "persistent_discovery_ctrl", KIND_FLAG, 0 },
	HOST(subsystems, KIND_ARRAY),
	HOST(mptcp, KIND_MPTCP),
};

static const struct config_key subsystem_keys[] = {
	SUBSYSTEM(nqn, KIND_NQN),
	SUBSYSTEM(application, KIND_STRING),
	SUBSYSTEM(ports, KIND_ARRAY),
};

#define TABLE(what, keys) \
	{ \
		what, keys, sizeof(keys) / sizeof(keys[0]) \
	}

static const struct {
	const char *what;
	const struct config_key *keys; /* NULL: keys of option_rows */
	size_t n;
} levels[] = {
	[LEVEL_HOST] = TABLE("host", host_keys),
	[LEVEL_SUBSYSTEM] = TABLE("subsystem", subsystem_keys),
	[LEVEL_PORT] = { "port", NULL, 0 },
};

#define N_LEVELS (sizeof(levels) / sizeof(levels[0]))

const char *config_level_name(enum config_level level)
{
	return levels[level].what;
}

const struct config_key *config_find_key(enum config_level level, const char *name)
{
	for (size_t i = 0; i < levels[level].n; i++)
		if (!strcmp(levels[level].keys[i].name, name))
			return &levels[level].keys[i];
	return NULL;
}

static bool level_has_key(enum config_level level, const char *name)
{
	return level == LEVEL_PORT ? option_by_json(name) != NULL
				   : config_find_key(level, name) != NULL;
}

/* True if the key protects connections. A TLS key identity counts too: it selects the key. */
static bool guards(const char *name)
{
	const struct option_row *row = option_by_json(name);

	return row &&
	       (row->rules & NVMF_OPTION_GUARDS || row == &option_rows[OPTION_TLS_KEY_IDENTITY]);
}

/* Also consider option names: users type them, and some keys have other names there. */
static void consider_level(struct suggestion *near, enum config_level level)
{
	for (size_t i = 0; i < levels[level].n; i++)
		suggestion_consider(near, levels[level].keys[i].name);
	for (size_t i = 0; i < N_OPTIONS; i++)
		if (option_rows[i].json && level_has_key(level, option_rows[i].json)) {
			suggestion_consider(near, option_rows[i].json);
			suggestion_consider(near, option_rows[i].name);
		}
}

/* For short names accept one edit only: almost every name is two edits away. */
static const char *find_near(enum config_level level, const char *typed)
{
	struct suggestion near = SUGGESTION_FOR(typed);

	consider_level(&near, level);
	if (!near.name || (strlen(near.name) < 6 && near.distance > 1))
		return NULL;
	for (size_t i = 0; i < N_OPTIONS; i++)
		if (option_rows[i].json && !strcmp(option_rows[i].name, near.name))
			return option_rows[i].json;
	return near.name;
}

/* Return the @turn-th level to search, from @level on: a key of that level is more likely. */
static enum config_level level_at(enum config_level level, size_t turn)
{
	return turn ? (enum config_level)((level + N_LEVELS - turn) % N_LEVELS) : level;
}

/* Words that occur only in keys that protect connections, and the key to suggest for each. */
static const struct {
	const char *word, *key;
} guard_words[] = {
	{ "tls", "tls" },
	{ "psk", "tls_key" },
	{ "dhchap", "dhchap_key" },
	{ "digest", "hdr_digest" },
};

static bool has_word(const char *name, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = name; (at = strstr(at, word)); at++)
		if ((at == name || at[-1] == '_') && (!at[length] || at[length] == '_'))
			return true;
	return false;
}

static const char *find_guard_word(const char *typed)
{
	for (size_t i = 0; i < sizeof(guard_words) / sizeof(guard_words[0]); i++)
		if (has_word(typed, guard_words[i].word))
			return guard_words[i].key;
	return NULL;
}

struct config_near config_near_key(enum config_level level, const char *name)
{
	struct config_near near = { .name = name, .exact = true };
	char typed[64];
	size_t i;

	for (i = 0; i < N_LEVELS; i++) {
		near.level = level_at(level, i);
		near.guards = guards(name);
		if (level_has_key(near.level, name))
			return near;
	}
	str_copy(typed, sizeof(typed), name, strnlen(name, sizeof(typed) - 1));
	for (i = 0; typed[i]; i++)
		typed[i] = typed[i] == '-' ? '_' : (char)tolower((unsigned char)typed[i]);
	near.exact = false;
	for (i = 0; i < N_LEVELS; i++) {
		near.level = level_at(level, i);
		near.name = find_near(near.level, typed);
		near.guards = near.name && guards(near.name);
		if (near.name)
			return near;
	}
	near.name = find_guard_word(typed);
	near.guards = near.name != NULL;
	for (i = 0; near.name && i < N_LEVELS; i++) {
		near.level = level_at(level, i);
		if (level_has_key(near.level, near.name))
			return near;
	}
	return near;
}

/* True if @value is null or false: it protects nothing. */
static bool is_off(struct json_object *value)
{
	return !value ||
	       (json_object_is_type(value, json_type_boolean) && !json_object_get_boolean(value));
}

static bool member_guards(const char *key, struct json_object *value)
{
	const struct config_near near = config_near_key(LEVEL_PORT, key);
	const struct config_key *known = config_find_key(LEVEL_HOST, key);

	/* libnvme-mptcp checks these objects. */
	if (known && known->kind == KIND_MPTCP)
		return false;
	return !is_off(value) && ((near.name && near.guards) || config_guards(value));
}

bool config_guards(struct json_object *json)
{
	if (json_object_is_type(json, json_type_array))
		for (size_t i = 0; i < json_object_array_length(json); i++)
			if (config_guards(json_object_array_get_idx(json, i)))
				return true;
	if (!json_object_is_type(json, json_type_object))
		return false;
	json_object_object_foreach(json, key, value)
		if (member_guards(key, value))
			return true;
	return false;
}
