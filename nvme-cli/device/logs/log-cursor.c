// SPDX-License-Identifier: GPL-2.0-or-later
#include "log-page.h"

#define MAX_LOG_SIZE (UINT64_C(1) << 28)
#define INITIAL_SIZE 4096

/* Make the buffer hold @wanted bytes. Its size doubles, as reads may be as short as a dword. */
static int grow_buffer(struct log_cursor *cursor, size_t wanted)
{
	size_t room = cursor->room ? cursor->room : INITIAL_SIZE;
	unsigned char *more;

	while (room < wanted)
		room *= 2;
	if (room == cursor->room)
		return 0;
	more = realloc(cursor->bytes, room);
	if (!more)
		return command_fail(cursor->cmd, ENOMEM, "%s", cursor->page->what);
	cursor->bytes = more;
	cursor->room = room;
	return 0;
}

/* Read until @end bytes are available. Return the exit status. */
static int fill(struct log_cursor *cursor, uint64_t end)
{
	const char *what = cursor->page->what;
	size_t wanted = (end + 3) & ~UINT64_C(3);
	unsigned char *more;
	int ret;

	if (end > MAX_LOG_SIZE)
		return command_fail(cursor->cmd, 0,
				    "%s: at least %" PRIu64
				    " bytes, more than the maximum of %" PRIu64,
				    what, end, MAX_LOG_SIZE);
	if (wanted <= cursor->size)
		return 0;
	if (grow_buffer(cursor, wanted))
		return 1;
	more = cursor->bytes + cursor->size;
	memset(more, 0, wanted - cursor->size);
	ret = log_page_read(cursor->cmd, cursor->page->lid, cursor->size, more,
			    (uint32_t)(wanted - cursor->size));
	if (ret) {
		device_result(cursor->cmd, ret, what);
		return 1;
	}
	cursor->size = wanted;
	return 0;
}

const unsigned char *log_cursor_take(struct log_cursor *cursor, uint64_t n)
{
	size_t start = cursor->position;

	if (n > MAX_LOG_SIZE || fill(cursor, start + n)) {
		if (n > MAX_LOG_SIZE)
			command_fail(cursor->cmd, 0, "%s: a part of %" PRIu64 " bytes is too long",
				     cursor->page->what, n);
		return NULL;
	}
	cursor->position += n;
	return cursor->bytes + start;
}

/* Discard the text of walk(), then write the bytes that it has taken. */
static int write_taken_bytes(struct log_cursor *cursor)
{
	struct command *cmd = cursor->cmd;
	FILE *nowhere = fopen("/dev/null", "we"), *before;
	int status;

	if (!nowhere)
		return command_fail(cmd, errno, "/dev/null");
	before = out_redirect(cmd->out, nowhere);
	status = cursor->page->walk(cursor, false);
	out_redirect(cmd->out, before);
	fclose(nowhere);
	return status ? status : bytes_write(cmd, cursor->bytes, cursor->position);
}

int log_cursor_run(struct command *cmd)
{
	const struct log_page_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	struct log_cursor cursor = { .cmd = cmd, .page = cmd->spec->row };
	int status;

	if (device_open(cmd, &dev))
		return 1;
	if (command_writes_bytes(cmd))
		status = write_taken_bytes(&cursor);
	else
		status = cursor.page->walk(&cursor, args->human || cmd->common.verbose);
	free(cursor.bytes);
	return cmd->common.dry_run ? 0 : status;
}
