/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Refresh a screen like top(1). */
#pragma once

#include "mptcp.h"

#define WATCH_MIN 0.1 /* seconds between two screens or samples */
#define WATCH_MAX 3600.0

/*
 * Take the interval of "-w 2" from the operands: getopt(3) accepts an optional argument only if it
 * is attached. Controller names are never numbers.
 */
void watch_operand(struct command *cmd, double *interval);

void watch_wait(double seconds);

/*
 * Return 0 if @seconds is a valid interval between two samples (0: a single sample), else an exit
 * status after a message.
 */
int watch_check_interval(struct command *cmd, double seconds);

/*
 * Prepare the terminal; call once before any output. At a terminal, keys are then read without
 * waiting for Enter; the previous mode is restored on exit and by signals.
 */
void watch_start(const struct command *cmd);

/* Wait. Return true as soon as q is pressed. */
bool watch_ended(double seconds);

/*
 * Output between watch_begin() and watch_end() replaces the screen in one piece, with lines cut at
 * its width. watch_begin() returns the number of lines of the terminal, or -1 if the output is not
 * a terminal.
 */
int watch_begin(struct command *cmd);
size_t watch_columns(void); /* columns of the screen that is being printed; 0: lines are not cut */
int watch_end(struct command *cmd); /* nonzero if the output is gone */
