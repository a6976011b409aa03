// SPDX-License-Identifier: LGPL-2.1-or-later
/* Records endpoints that must be added again. */
#include "intent.h"
#include "keep-state.h"
#include "shared/file.h"

/* Time to wait for the lock, in ms: an exchange takes a fraction of a second. */
#define WAIT_MS 3000

int plan_intent_directory(const char *path)
{
	return mkdir(path, 0755) && errno != EEXIST ? -errno : 0;
}

static int read_lost(struct plan_intent *in)
{
	_cleanup_(free) char *text = malloc(KEEP_STATE_MAX + 1);
	ssize_t n;
	int err;

	if (!text)
		return -ENOMEM;
	n = pread(in->fd, text, KEEP_STATE_MAX, 0);
	if (n < 0)
		return -errno;
	text[n] = '\0';
	err = keep_state_parse(text, &in->lost);
	/* -EBADMSG: a process was killed while it wrote the file, before it deleted anything. */
	return err == -EBADMSG ? 0 : err;
}

int plan_intent_open(struct plan_intent *in, bool create)
{
	struct plan_intent opened = { .is_open = true };
	const uint64_t cookie = netns_cookie();
	int err = cookie ? 0 : -ENOSYS;

	if (!err && create)
		err = plan_intent_directory(KEEP_DIR);
	if (err)
		return err;
	snprintf(opened.path, sizeof(opened.path), KEEP_DIR "/netns-%" PRIu64 ".again", cookie);
	opened.fd =
		create ? file_lock(opened.path, WAIT_MS) : file_lock_existing(opened.path, WAIT_MS);
	if (opened.fd < 0)
		return opened.fd;
	err = read_lost(&opened);
	if (err)
		close(opened.fd);
	else
		*in = opened;
	return err;
}

void plan_intent_close(struct plan_intent *in)
{
	if (in->is_open) {
		if (!in->lost.n_endpoints)
			unlink(in->path);
		close(in->fd);
	}
	keep_own_clear(&in->lost);
	in->is_open = false;
}

/* Write in place, since the lock belongs to the file; shorten the file last. */
static int save(const struct plan_intent *in)
{
	_cleanup_(text_wipe) struct text text = { 0 };
	int err = keep_state_print(&in->lost, &text);
	ssize_t n;

	if (err)
		return err;
	n = text.length ? pwrite(in->fd, text.bytes, text.length, 0) : 0;
	if (n < 0 || ftruncate(in->fd, (off_t)text.length))
		return -errno;
	return (size_t)n == text.length ? 0 : -ENOSPC;
}

int plan_intent_add(struct plan_intent *in, const struct endpoint_spec *spec)
{
	return keep_own_add(&in->lost, spec, false) ? save(in) : -ENOMEM;
}

int plan_intent_drop(struct plan_intent *in, const struct endpoint_spec *spec)
{
	struct keep_endpoint *kept = keep_own_find(&in->lost, &spec->ip, spec->port);

	if (!kept)
		return 0;
	keep_own_drop(&in->lost, kept);
	return save(in);
}
