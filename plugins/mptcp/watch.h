/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Refreshing a screen, as top(1) does. */
#pragma once

#include "mptcp.h"

#define WATCH_LEAST 0.1 /* seconds between two screens, or two samples */
#define WATCH_MOST 3600.0

/*
 * "-w 2": getopt takes an optional value only if it is attached, so the number ends up among the
 * operands. No controller is called like a number.
 */
void watch_operand(struct command *cmd, double *interval);

void watch_wait(double seconds);

/* Is it a time to wait between two samples? An exit status after a message if not; 0 is one sample. */
int watch_check_interval(struct command *cmd, double seconds);

/*
 * Once, before anything is printed. At a terminal keys count at once from then on; what it was is
 * restored on every exit, by a signal as well.
 */
void watch_start(const struct command *cmd);

/* Waits. Is true as soon as q is pressed. */
bool watch_ended(double seconds);

/*
 * Everything printed between the two reaches the terminal in one piece, in place of what was there,
 * each line cut at its width.
 * Returns how many lines the terminal has, or -1 if the output is no terminal.
 */
int watch_begin(struct command *cmd);
size_t watch_columns(void); /* of the screen that is being printed, 0: lines are not cut */
int watch_end(struct command *cmd); /* other than 0 if the output is gone */
