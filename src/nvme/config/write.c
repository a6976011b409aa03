/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The configuration of a tree to standard output, or back to its file. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log-private.h"
#include "private.h"
#include "write.h"

DEFINE_CLEANUP(struct json_object *, json_object_put);

const char *config_text(struct json_object *json)
{
	return json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY |
							    JSON_C_TO_STRING_NOSLASHESCAPE);
}

int config_write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Owner and mode of a file that is being replaced stay, but nobody else may read secrets. */
static int take_over_mode(int fd, const char *path, bool secrets)
{
	struct stat old;

	if (stat(path, &old) < 0) {
		if (errno != ENOENT)
			return -errno;
		if (secrets)
			return 0;
		return fchmod(fd, 0644) < 0 ? -errno : 0;
	}
	if (!secrets && fchmod(fd, old.st_mode & 07777) < 0)
		return -errno;
	/* An unprivileged user may not give files away, and then it is their own anyway. */
	if (fchown(fd, old.st_uid, old.st_gid) < 0 && errno != EPERM)
		return -errno;
	return 0;
}

/* Writes beside @path and renames, so that readers see the old file or the new one. */
static int replace_file(const char *path, const char *text, bool secrets)
{
	_cleanup_(free) char *temporary = NULL;
	_cleanup_(close) int fd = -1;
	int err;

	if (asprintf(&temporary, "%s.XXXXXX", path) < 0) {
		temporary = NULL;
		return -ENOMEM;
	}
	/* Mode 0600 until the content is known to be harmless. */
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = take_over_mode(fd, path, secrets);
	if (!err)
		err = config_write_all(fd, text, strlen(text));
	if (!err)
		err = config_write_all(fd, "\n", 1);
	if (!err && fsync(fd) < 0)
		err = -errno;
	if (!err && rename(temporary, path) < 0)
		err = -errno;
	if (err)
		unlink(temporary);
	return err;
}

static int update_config(struct nvme_root *r)
{
	_cleanup_(json_object_put) struct json_object *json = NULL;
	_cleanup_(free) char *real = NULL;
	const char *text;
	bool secrets;
	int err;

	json = config_to_json(r, &secrets);
	text = json ? config_text(json) : NULL;
	if (!text)
		return -ENOMEM;
	/* A link stays one: its target is replaced. */
	real = realpath(r->config_file, NULL);
	err = real || errno == ENOENT ? 0 : -errno;
	if (!err)
		err = replace_file(real ? real : r->config_file, text, secrets);
	if (secrets)
		explicit_bzero((char *)text, strlen(text));
	if (err)
		log_err(r, "%s cannot be written: %s", r->config_file, strerror(-err));
	return err;
}

int nvme_update_config(nvme_root_t r)
{
	int err;

	if (!r) {
		errno = EINVAL;
		return -1;
	}
	if (!r->modified || !r->config_file)
		return 0;
	err = update_config(r);
	if (err) {
		errno = -err;
		return -1;
	}
	r->modified = false;
	return 0;
}

int nvme_dump_config(nvme_root_t r)
{
	_cleanup_(json_object_put) struct json_object *json = NULL;
	const char *text;
	int before = errno;
	bool secrets;

	if (!r) {
		errno = EINVAL;
		return -1;
	}
	json = config_to_json(r, &secrets);
	text = json ? config_text(json) : NULL;
	if (!text) {
		errno = ENOMEM;
		return -1;
	}
	/* The one place that prints: programs ask for it, and buffer their own output there. */
	if (fputs(text, stdout) < 0 || putchar('\n') < 0)
		return -1;
	/* nvme-cli 2.x ends with it, and attributes that /sys does not have leave ENOENT behind. */
	errno = before;
	return 0;
}
