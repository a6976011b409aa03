// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counters by name. The set of names grows with every kernel, and columns move: a name that is not
 * there is unknown, not 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters.h"
#include "private.h"

#define MAX_TEXT (256 * 1024)
#define MAX_COUNTERS 8192

static int add_counter(struct counters *counters, const char *group, const char *name,
		       const char *value)
{
	struct counter *counter;
	long long number;
	char *end;

	errno = 0;
	number = strtoll(value, &end, 10);
	/* Tcp.MaxConn is -1; no other counter is negative. */
	if (errno || *end || end == value || number < 0 || counters->n >= MAX_COUNTERS)
		return 0;
	counter = array_add(&counters->counter, &counters->n, sizeof(*counter));
	if (!counter)
		return -ENOMEM;
	*counter = (struct counter){ group, name, number };
	return 0;
}

/* "MPTcpExt: A B" and "MPTcpExt: 1 2" */
static int parse_pair(char *names, char *values, struct counters *ret)
{
	char *rest_names = NULL, *rest_values = NULL;
	char *group = strtok_r(names, " ", &rest_names);
	char *again = strtok_r(values, " ", &rest_values);
	size_t length = group ? strlen(group) : 0;

	if (!again || length < 2 || strcmp(group, again) || group[length - 1] != ':')
		return 0;
	group[length - 1] = '\0';
	for (;;) {
		char *name = strtok_r(NULL, " ", &rest_names);
		char *value = strtok_r(NULL, " ", &rest_values);
		int err;

		if (!name || !value)
			return 0;
		err = add_counter(ret, group, name, value);
		if (err)
			return err;
	}
}

int counters_parse(char *text, struct counters *ret)
{
	char *rest = NULL;
	char *names;

	while ((names = strtok_r(rest ? NULL : text, "\n", &rest))) {
		char *values = strtok_r(NULL, "\n", &rest);
		int err = values ? parse_pair(names, values, ret) : 0;

		if (err)
			return err;
	}
	return 0;
}

static int load(const char *path, char **text, struct counters *ret)
{
	_cleanup_(close) int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got;

	if (fd < 0)
		return -errno;
	*text = malloc(MAX_TEXT + 1);
	if (!*text)
		return -ENOMEM;
	while (n < MAX_TEXT && (got = read(fd, *text + n, MAX_TEXT - n)) != 0) {
		if (got < 0)
			return -errno;
		n += (size_t)got;
	}
	(*text)[n] = '\0';
	return counters_parse(*text, ret);
}

int counters_load(struct counters *ret)
{
	/* The thread's own namespace: /proc/net is that of the process. */
	int err = load("/proc/thread-self/net/netstat", &ret->text[0], ret);

	if (!err)
		err = load("/proc/thread-self/net/snmp", &ret->text[1], ret);
	counters_sort(ret);
	return err;
}

static int by_name(const void *a, const void *b)
{
	const struct counter *x = a, *y = b;
	int order = strcmp(x->group, y->group);

	return order ? order : strcmp(x->name, y->name);
}

void counters_sort(struct counters *counters)
{
	if (counters->n)
		qsort(counters->counter, counters->n, sizeof(*counters->counter), by_name);
}

void counters_clear(struct counters *counters)
{
	free(counters->text[0]);
	free(counters->text[1]);
	free(counters->counter);
	*counters = (struct counters){};
}

int64_t counters_get(const struct counters *counters, const char *group, const char *name)
{
	const struct counter key = { .group = group, .name = name };
	const struct counter *found = NULL;

	if (counters->n)
		found = bsearch(&key, counters->counter, counters->n, sizeof(key), by_name);
	return found ? found->value : NVME_MPTCP_UNKNOWN;
}
