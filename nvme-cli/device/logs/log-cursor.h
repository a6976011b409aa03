/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A log page whose length follows from counts within it: it is read piece by piece, as needed. */
#pragma once

#include "log-page.h"

struct log_cursor {
	struct command *cmd;
	const struct log_page *page;
	unsigned char *bytes; /* read so far, whole dwords */
	size_t size, room, position;
};

/* Return the next @n bytes, read as needed and valid until the next call; NULL after a message. */
const unsigned char *log_cursor_take(struct log_cursor *cursor, uint64_t n);

/* Print the page with page->walk, or write the bytes that it takes. Return the exit status. */
int log_cursor_run(struct command *cmd);
