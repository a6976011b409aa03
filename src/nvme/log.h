/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Messages of the library: written to standard error by default, one line per message, with the
 * levels of syslog(3).
 */
#ifndef _LIBNVME_LOG_H
#define _LIBNVME_LOG_H

#include <stdbool.h>
#include <stdio.h>
#include <syslog.h>

#include <nvme/tree/types.h>
#include <nvme/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef MAX_LOGLEVEL
#define MAX_LOGLEVEL LOG_DEBUG
#endif
#ifndef DEFAULT_LOGLEVEL
#define DEFAULT_LOGLEVEL LOG_NOTICE
#endif

/**
 * nvme_init_logging() - configure the logging of a tree
 * @r:		Tree; NULL: the default logger
 * @lvl:	Highest level that is written, LOG_EMERG to LOG_DEBUG; -1 silences everything
 * @log_pid:	Start each line with "<process id> "
 * @log_tstamp:	Start each line with "[seconds.microseconds] " of the monotonic clock
 */
void nvme_init_logging(nvme_root_t r, int lvl, bool log_pid, bool log_tstamp);

/**
 * nvme_init_default_logging() - configure the logging of messages without a tree
 * @fp:		Stream whose descriptor receives the lines; NULL: standard error
 * @lvl:	As in nvme_init_logging()
 * @log_pid:	As in nvme_init_logging()
 * @log_tstamp:	As in nvme_init_logging()
 *
 * The caller keeps @fp, and must leave it open as long as the library may log.
 */
void nvme_init_default_logging(FILE *fp, int lvl, bool log_pid, bool log_tstamp);

/**
 * nvme_log_handler_t - receives messages instead of the descriptor
 * @level: LOG_EMERG to LOG_DEBUG; messages above a tree's level are not passed on
 * @text:  The message without newline; control characters are escaped
 * @arg:   Argument of nvme_set_log_handler()
 */
typedef void (*nvme_log_handler_t)(int level, const char *text, void *arg);

/**
 * nvme_set_log_handler() - set a handler for messages with and without a tree
 * @handler: Function; NULL: messages are written as nvme_init_logging() describes
 * @arg:     For @handler
 *
 * The handler is global: set it before other threads use the library. It may be called from any
 * thread and must not use the tree that logs.
 */
void nvme_set_log_handler(nvme_log_handler_t handler, void *arg);

/**
 * nvme_get_logging_level() - get the logging settings of a tree
 * @r:		Tree; NULL: the default logger
 * @log_pid:	Where to store whether lines carry the process id, or NULL
 * @log_tstamp:	Where to store whether lines carry a time stamp, or NULL
 *
 * Return: The level.
 */
int nvme_get_logging_level(nvme_root_t r, bool *log_pid, bool *log_tstamp);

/**
 * nvme_set_root() - log messages without a tree like those of a tree
 * @r: Tree whose settings are copied; NULL restores the defaults
 *
 * Deprecated in favour of nvme_init_default_logging().
 */
void nvme_set_root(nvme_root_t r);

/**
 * nvme_set_debug() - switch debug messages of the default logger on or off
 * @debug: true sets its level to LOG_DEBUG, false to DEFAULT_LOGLEVEL
 */
void nvme_set_debug(bool debug);

/**
 * nvme_get_debug() - whether debug messages of the default logger are on
 *
 * Return: true if its level is LOG_DEBUG.
 */
bool nvme_get_debug(void);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_LOG_H */
