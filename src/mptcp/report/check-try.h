/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Trials that a check makes by itself, for connected controllers that lack subflows. */
#pragma once

#include "mptcp/check/rules.h"

/*
 * Tries the portals of live controllers that lack subflows which no finding of @c explains, and adds
 * what these trials find; guesses that they answer are taken back. Call it outside of the
 * snapshot's namespace. 0 or -ENOMEM.
 */
int report_try_lacking(struct check *c);
