/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Walks over what is to be connected: see input/walk.h. A walk is a capsule, with a caller whose methods
 * are called for what it comes to. NULL or -1 with an exception set on failure.
 *
 * A call of the kernel that takes longer than its timeout is left to the thread that makes it: the root
 * is busy until that has called outcomes_end(), and it holds the capsules until then.
 */
#ifndef LIBNVME_PYTHON_OUTCOMES_H
#define LIBNVME_PYTHON_OUTCOMES_H

#include "handles.h"

/* @timeout_ms: 0: none. What the configuration of @root describes is remembered now. */
PyObject *outcomes_new(struct root *root, PyObject *caller, bool connects, bool referrals,
		       unsigned int timeout_ms);

/*
 * Runs it once, for @host. @given is a dict: transport, traddr, trsvcid, nqn, device, hostnqn, hostid,
 * context and nbft_path, str or None; persistent, force, nbft and no_nbft, bool; cfg as connect() takes
 * it.
 */
void outcomes_run(PyObject *walk, struct host *host, PyObject *given);

/* Of a call that the caller's block() has got: makes it; takes it back; ends what was given up. */
void outcomes_call(PyObject *call);
void outcomes_undo(PyObject *call);
void outcomes_end(PyObject *walk);

/* The controller that a capsule among the results has; taken out of it. */
struct ctrl *outcomes_ctrl(PyObject *capsule);

#endif /* LIBNVME_PYTHON_OUTCOMES_H */
