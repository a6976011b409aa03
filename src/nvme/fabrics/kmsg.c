/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading the kernel log, see Documentation/ABI/testing/dev-kmsg. */
#include "base/str.h"
#include "kmsg.h"

/* Maximum size of a record (PRINTK_MESSAGE_MAX is 2 KiB before escaping). */
#define RECORD_SIZE 8192

/* Maximum number of records: a host that loses hundreds of controllers logs continuously. */
#define MAX_RECORDS 1024

/* Maximum number of lines to quote: the reason is among the last ones. */
#define MAX_WORDS 4

#define FACILITY(prefix) ((prefix) >> 3)

int kmsg_open(void)
{
	_cleanup_(close) int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (lseek(fd, 0, SEEK_END) < 0)
		return -errno;
	return steal_fd(&fd);
}

int kmsg_parse(const char *record, size_t n, char **ret)
{
	const char *end = record + n, *text, *newline;
	unsigned int prefix = 0;
	const char *p = record;
	char *copy;

	for (; p < end && *p >= '0' && *p <= '9' && prefix < UINT32_MAX / 16; p++)
		prefix = prefix * 10 + (unsigned int)(*p - '0');
	/* Other facilities are programs that write to the log. */
	if (p == record || p == end || *p != ',' || FACILITY(prefix))
		return -ENOMSG;

	text = memchr(p, ';', (size_t)(end - p));
	if (!text)
		return -ENOMSG;
	text++;
	newline = memchr(text, '\n', (size_t)(end - text));
	if (newline)
		end = newline;

	/* Accept nvme, nvme_fabrics, nvme_tcp, …, but not nvmet, which is the target. */
	if (end - text < 5 || memcmp(text, "nvme", 4) || text[4] == 't')
		return -ENOMSG;
	while (end > text && (end[-1] == ' ' || end[-1] == '\r'))
		end--;

	copy = str_escape_control(text, (size_t)(end - text));
	if (!copy)
		return -ENOMEM;
	*ret = copy;
	return 0;
}

int kmsg_instance(const char *text)
{
	static const char device[] = "nvme nvme";
	const char *digits = text + sizeof(device) - 1;
	char *colon;
	long long instance;

	if (strncmp(text, device, sizeof(device) - 1) || *digits < '0' || *digits > '9')
		return -1;
	instance = strtoll(digits, &colon, 10);
	return *colon == ':' && instance <= INT32_MAX ? (int)instance : -1;
}

struct words {
	char *line[MAX_WORDS];
	size_t count;
};

static void words_free_cleanup(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->line[i]);
}

static void words_add(struct words *words, char *line)
{
	for (size_t i = 0; i < words->count; i++) {
		if (!strcmp(words->line[i], line)) {
			free(line);
			return;
		}
	}
	if (words->count == MAX_WORDS) {
		free(words->line[0]);
		memmove(words->line, words->line + 1, (MAX_WORDS - 1) * sizeof(words->line[0]));
		words->count--;
	}
	words->line[words->count++] = line;
}

static int words_join(const struct words *words, char **ret)
{
	size_t size = 1;
	char *joined, *p;

	if (!words->count)
		return -ENOMSG;
	for (size_t i = 0; i < words->count; i++)
		size += strlen(words->line[i]) + 2;
	joined = malloc(size);
	if (!joined)
		return -ENOMEM;
	p = joined;
	for (size_t i = 0; i < words->count; i++) {
		if (i)
			p = mempcpy(p, "; ", 2);
		p = mempcpy(p, words->line[i], strlen(words->line[i]));
	}
	*p = '\0';
	*ret = joined;
	return 0;
}

int kmsg_collect(int fd, bool (*is_other)(int instance), char **ret)
{
	_cleanup_(free) char *record = malloc(RECORD_SIZE);
	_cleanup_(words_free) struct words words = { 0 };

	if (!record)
		return -ENOMEM;
	for (unsigned int i = 0; i < MAX_RECORDS; i++) {
		ssize_t n = read(fd, record, RECORD_SIZE);
		int instance, err;
		char *line;

		/* EPIPE: records were overwritten before they were read. */
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (n <= 0)
			break;
		err = kmsg_parse(record, (size_t)n, &line);
		if (err == -ENOMEM)
			return err;
		if (err)
			continue;
		instance = kmsg_instance(line);
		if (instance >= 0 && is_other && is_other(instance))
			free(line);
		else
			words_add(&words, line);
	}
	return words_join(&words, ret);
}
