/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Trials that a check makes for connected controllers with missing subflows. */
#pragma once

#include "mptcp/check/rules.h"

/*
 * Make trials to the portals of live controllers with missing subflows that nothing explains, and
 * take over their findings. Call it outside the snapshot's namespace. 0 or -ENOMEM.
 */
int report_try_incomplete(struct check *c);

/* The same for controllers that are not live: say in N02 why the target does not answer. */
int report_try_lost(struct check *c);
