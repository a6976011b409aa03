// SPDX-License-Identifier: LGPL-2.1-or-later
/* Counters by name. Kernels add names and move columns, so a missing name is unknown, not 0. */
#include "counters.h"
#include "snapshot.h"

#define MAX_TEXT (256 * 1024)
#define MAX_COUNTERS 8192

static int add_counter(struct counters *counters, const char *group, const char *name,
		       const char *value)
{
	struct counter counter = { group, name, 0 };
	char *end;

	errno = 0;
	counter.value = strtoll(value, &end, 10);
	/* Tcp.MaxConn is -1; no other counter is negative. */
	if (errno || *end || end == value || counter.value < 0 || counters->n >= MAX_COUNTERS)
		return 0;
	return array_push(&counters->counter, &counters->n, &counter, sizeof(counter));
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

int counter_parse(char *text, struct counters *ret)
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

int counter_parse_cpus(const char *group, char *text, struct counters *ret)
{
	char *lines = NULL, *rest = NULL, *names = strtok_r(text, "\n", &lines), *row;
	size_t first = ret->n;

	for (char *name = names ? strtok_r(names, " ", &rest) : NULL; name;
	     name = strtok_r(NULL, " ", &rest)) {
		int err = add_counter(ret, group, name, "0");

		if (err)
			return err;
	}
	while (names && (row = strtok_r(NULL, "\n", &lines))) {
		char *value = strtok_r(row, " ", &rest);

		for (size_t i = first; i < ret->n && value; i++) {
			char *end;
			unsigned long number = strtoul(value, &end, 16);

			if (!*end && number <= UINT32_MAX)
				ret->counter[i].value += (int64_t)number;
			value = strtok_r(NULL, " ", &rest);
		}
	}
	return 0;
}

static int load(const char *path, char **text)
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
	return 0;
}

int counter_load(struct counters *ret)
{
	/* /proc/net shows the network namespace of the process, not of the thread. */
	static const char *const files[] = { "/proc/thread-self/net/netstat",
					     "/proc/thread-self/net/snmp" };
	int err = 0;

	for (size_t i = 0; i < 2 && !err; i++)
		err = load(files[i], &ret->text[i]) ?: counter_parse(ret->text[i], ret);
	/* Without connection tracking there is nothing to count. */
	if (!err) {
		int found = load("/proc/thread-self/net/stat/nf_conntrack", &ret->text[2]);

		if (!memory_noted(found))
			err = counter_parse_cpus("conntrack", ret->text[2], ret);
	}
	counter_sort(ret);
	return err;
}

static int by_counter_name(const void *a, const void *b)
{
	const struct counter *x = a, *y = b;

	return strcmp(x->group, y->group) ?: strcmp(x->name, y->name);
}

void counter_sort(struct counters *counters)
{
	if (counters->n)
		qsort(counters->counter, counters->n, sizeof(*counters->counter), by_counter_name);
}

void counter_clear(struct counters *counters)
{
	for (size_t i = 0; i < sizeof(counters->text) / sizeof(*counters->text); i++)
		free(counters->text[i]);
	free(counters->counter);
	*counters = (struct counters){};
}

int64_t counter_get(const struct counters *counters, const char *group, const char *name)
{
	const struct counter key = { .group = group, .name = name };
	const struct counter *found = NULL;

	if (counters->n)
		found = bsearch(&key, counters->counter, counters->n, sizeof(key), by_counter_name);
	return found ? found->value : NVME_MPTCP_UNKNOWN;
}
