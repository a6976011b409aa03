// SPDX-License-Identifier: GPL-2.0-or-later
/* Refreshing a screen, as top(1) does. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "watch.h"

#define SCREEN_BUFFER (256 * 1024)

/* Terminals that know it show nothing between the two; others ignore it. */
#define BEGIN_UPDATE "\033[?2026h"
#define END_UPDATE "\033[?2026l"
#define CLEAR "\033[H\033[J"

void watch_operand(struct command *cmd, double *interval)
{
	for (int i = 0; i < cmd->argc; i++) {
		char *end;
		double value = strtod(cmd->argv[i], &end);

		if (end == cmd->argv[i] || *end)
			continue;
		*interval = value;
		for (int j = i; j + 1 < cmd->argc; j++)
			cmd->argv[j] = cmd->argv[j + 1];
		cmd->argc--;
		return;
	}
}

void watch_wait(double seconds)
{
	struct timespec left = { .tv_sec = (time_t)seconds };

	left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

static bool is_screen(const struct command *cmd)
{
	return !out_is_json(cmd->out) && isatty(STDOUT_FILENO);
}

void watch_start(const struct command *cmd)
{
	if (is_screen(cmd))
		setvbuf(stdout, NULL, _IOFBF, SCREEN_BUFFER);
}

int watch_begin(struct command *cmd)
{
	struct winsize size;

	if (!is_screen(cmd))
		return -1;
	out_text(cmd->out, "%s", BEGIN_UPDATE CLEAR);
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row)
		return -1;
	return size.ws_row - 1;
}

int watch_end(struct command *cmd)
{
	if (is_screen(cmd))
		out_text(cmd->out, "%s", END_UPDATE);
	else
		out_text(cmd->out, "\n");
	return out_finish(cmd->out);
}
