/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Logging. Only the logger of messages without a tree and the program's handler are global. */
#pragma once

#include "log.h"

struct log {
	int fd;
	int level;
	bool pid, timestamp;
};

/* Log a message; @log NULL is the default logger. @fmt has no final newline. Preserves errno. */
void log_msg(const struct log *log, int level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Return the logger for messages without a tree. */
struct log *log_default(void);

/* Return the logger of @r, or NULL if @r is NULL. Defined in tree/. */
struct log *root_log(nvme_root_t r);

/* True if a message of @level would be written. For messages that are expensive to build. */
bool log_enabled(const struct log *log, int level);

#define log_err(r, ...) log_msg(root_log(r), LOG_ERR, __VA_ARGS__)
#define log_warn(r, ...) log_msg(root_log(r), LOG_WARNING, __VA_ARGS__)
#define log_notice(r, ...) log_msg(root_log(r), LOG_NOTICE, __VA_ARGS__)
#define log_info(r, ...) log_msg(root_log(r), LOG_INFO, __VA_ARGS__)
#define log_debug(r, ...) log_msg(root_log(r), LOG_DEBUG, __VA_ARGS__)
