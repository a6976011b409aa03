// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read and write records of connects. */
#include "record.h"
#include "shared/file.h"

void record_clear(struct record *record)
{
	free(record->subsysnqn);
	free(record->tokens);
	*record = (struct record){};
}

static int take_token(struct record *record, const char *word)
{
	unsigned long value;
	uint32_t token;
	char *end;

	errno = 0;
	value = strtoul(word, &end, 16);
	if (errno || *end || end == word || value > UINT32_MAX)
		return -EBADMSG;
	token = (uint32_t)value;
	return array_push(&record->tokens, &record->n_tokens, &token, sizeof(token));
}

static int take_line(struct record *record, char *line)
{
	char *rest = NULL;
	char *key = strtok_r(line, " ", &rest);
	char *word, *end;
	int err = 0;

	if (!key)
		return 0;
	if (!strcmp(key, "netns")) {
		word = strtok_r(NULL, " ", &rest);
		if (!word)
			return -EBADMSG;
		record->netns = strtoull(word, &end, 10);
		return *end ? -EBADMSG : 0;
	}
	if (!strcmp(key, "subsysnqn"))
		return str_set(&record->subsysnqn, rest);
	if (strcmp(key, "tokens"))
		return 0;
	while (!err && (word = strtok_r(NULL, " ", &rest)))
		err = take_token(record, word);
	return err;
}

int record_parse(const char *text, struct record *ret)
{
	_cleanup_(free) char *copy = strdup(text);
	struct record record = {};
	char *rest = NULL;
	int err = copy ? 0 : -ENOMEM;

	if (copy)
		for (char *line = strtok_r(copy, "\n", &rest); line && !err;
		     line = strtok_r(NULL, "\n", &rest))
			err = take_line(&record, line);
	if (!err && !record.n_tokens)
		err = -EBADMSG;
	if (err) {
		record_clear(&record);
		return err;
	}
	*ret = record;
	return 0;
}

int record_load(const char *path, size_t most, char **ret)
{
	_cleanup_(free) char *text = malloc(most + 1);
	_cleanup_(close) int fd = -1;
	size_t n = 0;
	ssize_t got;

	if (!text)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	while (n < most && (got = read(fd, text + n, most - n)) != 0) {
		if (got < 0)
			return -errno;
		n += (size_t)got;
	}
	text[n] = '\0';
	if (n == most || strlen(text) != n)
		return -EBADMSG;
	*ret = steal_ptr(&text);
	return 0;
}

int record_read(const char *dir, const char *ctrl, struct record *ret)
{
	_cleanup_(free) char *text = NULL;
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", dir, ctrl) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return record_load(path, RECORD_MAX, &text) ?: record_parse(text, ret);
}

static void print_record(FILE *file, const struct record *record)
{
	fprintf(file, "netns %" PRIu64 "\nsubsysnqn %s\ntokens", record->netns,
		record->subsysnqn ? record->subsysnqn : "");
	for (size_t i = 0; i < record->n_tokens; i++)
		fprintf(file, " %08" PRIx32, record->tokens[i]);
	fputc('\n', file);
}

int record_write(const char *dir, const char *ctrl, const struct record *record)
{
	_cleanup_(text_wipe) struct text text = { 0 };
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", dir, ctrl) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	if (text_open(&text))
		print_record(text.stream, record);
	if (text_close(&text))
		return -ENOMEM;
	return file_save(path, text.bytes, text.length, FILE_REGULAR);
}
