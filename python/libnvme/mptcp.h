/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the module libnvme._mptcp share. */
#ifndef LIBNVME_PYTHON_MPTCP_H
#define LIBNVME_PYTHON_MPTCP_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <libnvme.h>
#include <nvme/mptcp.h>
#include "shared/std.h"

/* nvme_mptcp, which is made of these files too, has names of its own. */
#ifndef MPTCP_PACKAGE
#define MPTCP_PACKAGE "libnvme"
#define MPTCP_COMMAND NULL /* the library's own */
#endif

/* A str of @json, which is consumed; NULL if memory was short. */
PyObject *take_json(char *json);

/*
 * OSError of errno with the library's sentence; where that is none but the words of errno, naming the
 * network namespace if one was asked for.
 */
PyObject *raise_errno(int err, const char *netns);

/*
 * Argument converter ("O&"): a tuple of str as an array ended by NULL, to be freed, also if a later
 * argument is wrong; the strings are the tuple's. An empty tuple leaves @ret alone.
 */
int strings_of(PyObject *tuple, void *ret);

/* The first name that is no controller of @snap; NULL if all are, or @ctrls is NULL. */
const char *unknown_ctrl(nvme_mptcp_snapshot_t snap, const char *const *ctrls);

/* LookupError with its name. */
PyObject *raise_unknown_ctrl(const char *name);

/* Plans, in mptcp-plan.c: each makes one, does it if asked to, and returns JSON and an errno. */
PyObject *mptcp_setup(PyObject *self, PyObject *args);
PyObject *mptcp_repair(PyObject *self, PyObject *args);

/* OSError with such a text. */
PyObject *raise_problem(int err, const char *problem);

/* What a thread waits for while others may close it: the base of both types, in mptcp.c. */
struct waiter {
	PyObject_HEAD void *on; /* what it waits on; NULL once closed */
	void (*end)(void *on);
	const char *what; /* in words */
	int wake; /* an eventfd that ends waiting */
	int events; /* of a keeper: the descriptor of its events, -1 until it listens */
	bool busy, closing; /* a thread is in it; it is to close it */
};

/* An object of @type that takes @on over; NULL with an exception, and @on is closed then. */
PyObject *waiter_new(PyTypeObject *type, const char *what, void *on, void (*end)(void *on));
void waiter_dealloc(struct waiter *self);
/* False with an exception if it is closed, or a thread is in it. */
bool waiter_is_usable(const struct waiter *self);
/* The thread in it has come out; true: it was closed meanwhile. */
bool waiter_leave(struct waiter *self);
/* The method close(): where a thread waits, that is woken, and closes it. */
PyObject *waiter_close(struct waiter *self, PyObject *unused);

extern PyType_Spec keeper_spec;

/* What is looked at: two snapshots some time apart, or one of another kind. */
struct samples {
	nvme_root_t r;
	nvme_mptcp_snapshot_t before, snap;
};

/* 0 or errno; to be freed in each case. Without an interval there is one snapshot. */
int samples_take(struct samples *samples, const char *netns, int interval_ms);
void samples_free(struct samples *samples);

/* Both readers of a configuration. 0 or errno, with a reason to be freed, or NULL. */
int config_read(nvme_root_t r, nvme_mptcp_config_t config, const char *file, char **ret);

/* Findings and reports, in mptcp-check.c. */
PyObject *mptcp_check(PyObject *self, PyObject *args);
PyObject *mptcp_report(PyObject *self, PyObject *args);
PyObject *mptcp_read_report(PyObject *self, PyObject *args);
PyObject *mptcp_metrics(PyObject *self, PyObject *args);
/* 0 or errno; the counters are those of @keeper, or NULL. */
int metrics_take(const char *netns, int interval_ms, int format, unsigned long max_ctrls,
		 nvme_mptcp_keeper_t keeper, char **ret);
PyObject *mptcp_ignored(PyObject *self, PyObject *args);

#endif /* LIBNVME_PYTHON_MPTCP_H */
