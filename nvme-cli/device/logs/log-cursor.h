/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A log page whose length follows from counts within it: it is read piece by piece, as needed.
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
	unsigned char *bytes; /* read so far, whole dwords */
	size_t size;
	size_t room;
	size_t position;
};

/*
 * Return the next @n bytes, which are read from the device as needed and are valid until the next
 * call. Return NULL after a message.
 */
const unsigned char *log_cursor_take(struct log_cursor *cursor, uint64_t n);

/* Print the page with page->walk, or write the bytes that it takes. Return the exit status. */
int log_cursor_run(struct command *cmd);
