/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A log page whose length follows from counts within it: read piece by piece, as far as those go.
 *
 *	static int show(struct log_cursor *cursor, bool explain)
 *	{
 *		const unsigned char *head = log_cursor_take(cursor, 16);
 *
 *		if (!head)
 *			return 1;
 *		...
 *	}
 */
#pragma once

#include "log-page.h"

struct log_cursor {
	struct command *cmd;
	const struct device *dev;
	const struct log_page *page;
	unsigned char *bytes; /* read so far, in dwords */
	size_t size;
	size_t room;
	size_t position;
};

/*
 * The next @n bytes, read from the device as far as needed. They are gone with the next call. NULL after a
 * message.
 */
const unsigned char *log_cursor_take(struct log_cursor *cursor, uint64_t n);

/* Shows the page by page->walk, or writes the bytes that it took. Returns the exit status. */
int log_cursor_run(struct command *cmd);
