/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The configuration of a tree to standard output, or back to its file. */
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

/* What is put out, with any secrets wiped afterwards. */
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

/* Complete, or not at all: what there was no memory for, ever, would be missing in silence. */
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

static int refuse(struct nvme_root *r, const char *reason)
{
	if (str_set(&r->config_error, reason))
		return -ENOMEM;
	log_err(r, "%s: not written: %s", r->config_file, reason);
	return -EILSEQ;
}

static int refuse_bytes(struct nvme_root *r, const char *string)
{
	_cleanup_(free) char *shown = str_escape_control(string, strnlen(string, 64));
	_cleanup_(free) char *reason = NULL;

	if (!shown || asprintf(&reason, "%s: \"%s\" is no UTF-8", r->config_file, shown) < 0) {
		reason = NULL;
		return -ENOMEM;
	}
	return refuse(r, reason);
}

/*
 * What would not be read again is not written: a name that the kernel has from a target may hold
 * anything, and the file with it would be refused as a whole from then on.
 */
static int check(struct nvme_root *r, const struct document *document, const char *replaced)
{
	struct config_read read = { .file = r->config_file };
	int err;

	if (replaced)
		return refuse_bytes(r, replaced);
	err = config_check_text(&read, document->text, strlen(document->text));
	if (err == -EPROTO)
		err = refuse(r, read.error);
	free(read.error);
	return err;
}

static int update_config(struct nvme_root *r)
{
	_cleanup_(document_wipe) struct document document = { 0 };
	const char *replaced;
	int err = make(r, &document, &replaced);

	if (!err)
		err = check(r, &document, replaced);
	if (err == -EILSEQ)
		return err;
	if (!err)
		err = file_save(r->config_file, document.text, strlen(document.text),
				FILE_END_LINE | (document.secrets ? FILE_SECRET : 0));
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
	str_set(&r->config_error, NULL);
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
	/* The one place that prints: programs ask for it, and buffer their own output there. */
	if (fputs(document.text, stdout) < 0 || putchar('\n') < 0)
		return -1;
	/* nvme-cli 2.x ends with it, and attributes that /sys does not have leave ENOENT behind. */
	errno = before;
	return 0;
}
