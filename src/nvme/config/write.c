/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Write the configuration of a tree to standard output or back to its file. */
#include "private.h"

/* A document, wiped before it is freed. */
struct document {
	char *text;
	bool secrets;
};

static void document_wipe_cleanup(struct document *document)
{
	str_free_secret(document->text);
}

/* Make the document. Fail if any allocation of this tree ever failed: it would be incomplete. */
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

/* Store and log @reason, taking ownership of it. Return @err, or -ENOMEM if it is NULL. */
static int refuse(struct nvme_root *r, int err, char *reason)
{
	if (!reason)
		return -ENOMEM;
	free(r->config_error);
	r->config_error = reason;
	log_err(r, "not written: %s", reason);
	return err;
}

static int refuse_bytes(struct nvme_root *r, const char *string)
{
	_cleanup_(free) char *shown = str_escape_control(string, strnlen(string, 64));

	return refuse(r, -EILSEQ,
		      shown ? str_format("%s: \"%s\" is not UTF-8", r->config_file, shown) : NULL);
}

/* Refuse what could not be read back: a target's name may have any byte, and spoil the file. */
static int check(struct nvme_root *r, const struct document *document, const char *replaced)
{
	struct reader read = { .file = r->config_file };
	int err;

	if (replaced)
		return refuse_bytes(r, replaced);
	err = config_check_text(&read, document->text, strlen(document->text));
	if (err == -EPROTO)
		err = refuse(r, -EILSEQ, steal_ptr(&read.error));
	free(read.error);
	reader_problems_free(read.problems, read.n_problems);
	return err;
}

static int lock(struct nvme_root *r, const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	int err = file_hold(file, FILE_HOLD_MS, &r->config_lock);

	if (err != -ETIMEDOUT)
		return err;
	return refuse(r, err,
		      str_format("%s: another program has locked it for %u s (fuser prints the "
				 "process that holds .%s.lock)",
				 file, FILE_HOLD_MS / 1000, name));
}

int nvme_lock_config(nvme_root_t r, const char *config_file)
{
	int err;

	if (!r || !config_file)
		return failure_errno(-EINVAL);
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

	if (is_same(&now, &r->config_stamp))
		return 0;
	return refuse(r, -ESTALE,
		      str_format("%s: another program has changed it since it was read; read it "
				 "again and repeat the change",
				 r->config_file));
}

/* Refuse to overwrite a file whose invalid entries are not in the tree. */
static int check_nothing_lost(struct nvme_root *r)
{
	if (!r->config_partial)
		return 0;
	return refuse(r, -EILSEQ,
		      str_format("%s: some of its entries are invalid and would be lost; correct "
				 "them first",
				 r->config_file));
}

static int write_document(struct nvme_root *r, const struct document *document)
{
	const unsigned int flags = FILE_END_LINE | (document->secrets ? FILE_SECRET : 0);
	int err = (r->config_lock.fd < 0 ? lock(r, r->config_file) : 0)
	       ?: check_nothing_lost(r)
	       ?: check_stamp(r)
	       ?: file_save(r->config_file, document->text, strlen(document->text), flags);

	if (!err)
		r->config_stamp = stamp_now(r);
	return err;
}

static int update_config(struct nvme_root *r)
{
	_cleanup_(document_wipe) struct document document = { 0 };
	const char *replaced;
	int err = make(r, &document, &replaced)
	       ?: check(r, &document, replaced)
	       ?: write_document(r, &document);

	if (err && !r->config_error)
		log_err(r, "%s cannot be written: %s", r->config_file, strerror(-err));
	return err;
}

int nvme_update_config(nvme_root_t r)
{
	int err;

	if (!r)
		return failure_errno(-EINVAL);
	if (!r->modified || !r->config_file)
		return 0;
	str_set(&r->config_error, NULL);
	err = update_config(r);
	file_release_cleanup(&r->config_lock);
	if (err)
		return failure_errno(err);
	r->modified = false;
	return 0;
}

int nvme_dump_config(nvme_root_t r)
{
	_cleanup_(document_wipe) struct document document = { 0 };
	const char *replaced;
	int before = errno, err;

	if (!r)
		return failure_errno(-EINVAL);
	err = make(r, &document, &replaced);
	if (err)
		return failure_errno(err);
	/* The only code that prints: programs call it for output, and buffer theirs on stdout. */
	if (fputs(document.text, stdout) < 0 || putchar('\n') < 0)
		return -1;
	/* nvme-cli 2.x exits with errno, which missing attributes in /sys set to ENOENT. */
	errno = before;
	return 0;
}
