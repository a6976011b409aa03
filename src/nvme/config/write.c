/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Write the configuration of a tree to standard output or back to its file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log-private.h"
#include "base/memory.h"
#include "base/str.h"
#include "private.h"
#include "shared/file.h"

/* A document, wiped before it is freed. */
struct document {
	char *text;
	bool secrets;
};

static void document_wipe_cleanup(struct document *document)
{
	if (document->text)
		explicit_bzero(document->text, strlen(document->text));
	free(document->text);
}

/*
 * Make the document. Fail if any allocation of this tree ever failed: the document would silently
 * be incomplete.
 */
static int make(struct nvme_root *r, struct document *document, const char **replaced)
{
	struct json_stream out = { .pretty = true, .secret = true };

	config_put(r, &out, &document->secrets);
	document->text = stream_finish(&out);
	*replaced = out.replaced;
	if (!document->text)
		return -ENOMEM;
	return memory_failures() == r->memory_failures ? 0 : -memory_failure_errno();
}

/* Store and log @reason. Return @err. */
static int refuse(struct nvme_root *r, int err, const char *reason)
{
	if (str_set(&r->config_error, reason))
		return -ENOMEM;
	log_err(r, "not written: %s", reason);
	return err;
}

static int refuse_bytes(struct nvme_root *r, const char *string)
{
	_cleanup_(free) char *shown = str_escape_control(string, strnlen(string, 64));
	_cleanup_(free) char *reason = NULL;

	if (!shown || asprintf(&reason, "%s: \"%s\" is not UTF-8", r->config_file, shown) < 0) {
		reason = NULL;
		return -ENOMEM;
	}
	return refuse(r, -EILSEQ, reason);
}

/*
 * Refuse a document that could not be read back: a name from a target may contain any byte, and the
 * whole file would then be rejected.
 */
static int check(struct nvme_root *r, const struct document *document, const char *replaced)
{
	struct reader read = { .file = r->config_file };
	int err;

	if (replaced)
		return refuse_bytes(r, replaced);
	err = config_check_text(&read, document->text, strlen(document->text));
	if (err == -EPROTO)
		err = refuse(r, -EILSEQ, read.error);
	free(read.error);
	reader_problems_free(read.problems, read.n_problems);
	return err;
}

static int lock(struct nvme_root *r, const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	_cleanup_(free) char *reason = NULL;
	int err = file_hold(file, FILE_HOLD_MS, &r->config_lock);

	if (err != -ETIMEDOUT)
		return err;
	if (asprintf(&reason,
		     "%s: another program has locked it for %u s (fuser prints the process that "
		     "holds .%s.lock)",
		     file, FILE_HOLD_MS / 1000, name) < 0) {
		reason = NULL;
		return -ENOMEM;
	}
	return refuse(r, err, reason);
}

int nvme_lock_config(nvme_root_t r, const char *config_file)
{
	int err;

	if (!r || !config_file) {
		errno = EINVAL;
		return -1;
	}
	file_release_cleanup(&r->config_lock);
	str_set(&r->config_error, NULL);
	err = lock(r, config_file);
	errno = -err;
	return err ? -1 : 0;
}

static struct config_stamp stamp_now(const struct nvme_root *r)
{
	struct stat st;

	return stat(r->config_file, &st) ? (struct config_stamp){ 0 } : config_stamp_of(&st);
}

static bool is_same(const struct config_stamp *a, const struct config_stamp *b)
{
	return a->device == b->device && a->inode == b->inode && a->size == b->size &&
	       a->seconds == b->seconds && a->nanoseconds == b->nanoseconds;
}

/* Refuse to overwrite changes that another program made since the file was read. */
static int check_stamp(struct nvme_root *r)
{
	const struct config_stamp now = stamp_now(r);
	_cleanup_(free) char *reason = NULL;

	if (is_same(&now, &r->config_stamp))
		return 0;
	if (asprintf(&reason,
		     "%s: another program has changed it since it was read; read it again and "
		     "repeat the change",
		     r->config_file) < 0) {
		reason = NULL;
		return -ENOMEM;
	}
	return refuse(r, -ESTALE, reason);
}

/* Refuse to overwrite a file whose invalid entries are not in the tree. */
static int check_nothing_lost(struct nvme_root *r)
{
	_cleanup_(free) char *reason = NULL;

	if (!r->config_partial)
		return 0;
	if (asprintf(&reason,
		     "%s: some of its entries are invalid and would be lost; correct them first",
		     r->config_file) < 0) {
		reason = NULL;
		return -ENOMEM;
	}
	return refuse(r, -EILSEQ, reason);
}

static int write_document(struct nvme_root *r, const struct document *document)
{
	int err = r->config_lock.fd < 0 ? lock(r, r->config_file) : 0;

	if (!err)
		err = check_nothing_lost(r);
	if (!err)
		err = check_stamp(r);
	if (!err)
		err = file_save(r->config_file, document->text, strlen(document->text),
				FILE_END_LINE | (document->secrets ? FILE_SECRET : 0));
	if (!err)
		r->config_stamp = stamp_now(r);
	return err;
}

static int update_config(struct nvme_root *r)
{
	_cleanup_(document_wipe) struct document document = { 0 };
	const char *replaced;
	int err = make(r, &document, &replaced);

	if (!err)
		err = check(r, &document, replaced);
	if (!err)
		err = write_document(r, &document);
	if (err && !r->config_error)
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
	str_set(&r->config_error, NULL);
	err = update_config(r);
	file_release_cleanup(&r->config_lock);
	if (err) {
		errno = -err;
		return -1;
	}
	r->modified = false;
	return 0;
}

int nvme_dump_config(nvme_root_t r)
{
	_cleanup_(document_wipe) struct document document = { 0 };
	const char *replaced;
	int before = errno, err;

	if (!r) {
		errno = EINVAL;
		return -1;
	}
	err = make(r, &document, &replaced);
	if (err) {
		errno = -err;
		return -1;
	}
	/*
	 * The only code that prints: programs call this for output, and buffer their own on stdout.
	 */
	if (fputs(document.text, stdout) < 0 || putchar('\n') < 0)
		return -1;
	/*
	 * Preserve errno, which nvme-cli 2.x uses as its exit status: missing attributes in /sys
	 * leave ENOENT.
	 */
	errno = before;
	return 0;
}
