/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Logging with one write() per line, so that lines of several processes do not mix. */
#include "log-private.h"
#include "str.h"

static struct log default_log = { .fd = STDERR_FILENO, .level = DEFAULT_LOGLEVEL };

static struct {
	nvme_log_handler_t handle; /* or NULL */
	void *arg;
} handler;

void nvme_set_log_handler(nvme_log_handler_t handle, void *arg)
{
	handler.handle = handle;
	handler.arg = arg;
}

bool log_enabled(const struct log *log, int level)
{
	return level <= (log ? log : &default_log)->level;
}

void log_msg(const struct log *log, int level, const char *fmt, ...)
{
	_cleanup_(free) char *text = NULL;
	_cleanup_(free) char *escaped = NULL;
	char stamp[48] = "", pid[16] = "";
	int saved = errno;
	struct timespec now;
	va_list ap;
	int len;

	if (!log_enabled(log, level))
		return;
	if (!log)
		log = &default_log;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0) {
		text = NULL;
		goto out;
	}
	/* Messages quote data from the network: escape terminal control characters. */
	escaped = str_escape_control(text, (size_t)len);
	if (!escaped)
		goto out;
	if (handler.handle) {
		handler.handle(level, escaped, handler.arg);
		goto out;
	}

	if (log->timestamp && !clock_gettime(CLOCK_MONOTONIC, &now))
		snprintf(stamp, sizeof(stamp), "[%lld.%06ld] ", (long long)now.tv_sec,
			 now.tv_nsec / 1000);
	if (log->pid)
		snprintf(pid, sizeof(pid), "<%d> ", getpid());
	dprintf(log->fd, "%s%s%s\n", stamp, pid, escaped);
out:
	errno = saved;
}

struct log *log_default(void)
{
	return &default_log;
}

void nvme_init_default_logging(FILE *fp, int lvl, bool log_pid, bool log_tstamp)
{
	int fd = fp ? fileno(fp) : STDERR_FILENO;

	default_log = (struct log){
		.fd = fd >= 0 ? fd : STDERR_FILENO,
		.level = lvl,
		.pid = log_pid,
		.timestamp = log_tstamp,
	};
}

void nvme_set_debug(bool debug)
{
	default_log.level = debug ? LOG_DEBUG : DEFAULT_LOGLEVEL;
}

bool nvme_get_debug(void)
{
	return default_log.level == LOG_DEBUG;
}
