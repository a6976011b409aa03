/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What Python holds instead of the library's borrowed handles.
 *
 * Every object keeps its root alive, so that the order in which Python collects them does not
 * matter. A handle dies with its tree: when the root is refreshed, objects of the old tree raise
 * ReferenceError instead of reaching into freed memory. A controller that is not connected yet
 * stands outside the tree and belongs to its Python object alone.
 */
#ifndef LIBNVME_PYTHON_HANDLES_H
#define LIBNVME_PYTHON_HANDLES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <libnvme.h>
#include <nvme/mptcp.h>
#include "shared/std.h"

struct tree {
	nvme_root_t r;
	nvme_mptcp_config_t mptcp; /* what configurations have of MPTCP; NULL: none was read */
	char *config_file;
	unsigned int references;
	unsigned int generation; /* counts refreshes */
	PyThread_type_lock lock; /* held by a thread that uses it without Python's lock */
	unsigned long owner; /* that thread */
	bool busy; /* there is such a thread */
	bool given_up; /* nobody waits for it any more, see tree_give_up() */
	nvme_ctrl_t *discarded; /* collected while the tree was busy; freed when it is not */
	size_t n_discarded;
	struct leaf *leaves; /* what a controller takes with it: the namespaces and paths */
};

/* A namespace or path that Python holds; ended when its controller goes. */
struct leaf {
	struct leaf *next, *previous;
	nvme_ctrl_t c; /* NULL: a namespace of the whole subsystem */
	bool ended;
};

/* One layout for all of them; the tag gives each its own Python class. */
#define HANDLE(tag, type) \
	struct tag { \
		struct tree *tree; \
		unsigned int generation; \
		bool detached; \
		struct leaf leaf; \
		type handle; \
	}; \
	/* NULL for a NULL handle; else a new object that holds the tree. */ \
	struct tag *py_##tag##_new(struct tree *tree, type handle); \
	void py_##tag##_free(struct tag *object); \
	/* \
	 * The live handle, or NULL with a Python exception set. Waits for a thread that is at work with \
	 * the tree; Python's lock is released then, and never for a second handle of one tree. \
	 */ \
	type py_##tag##_handle(const struct tag *object)

HANDLE(root, nvme_root_t);
HANDLE(host, nvme_host_t);
HANDLE(subsystem, nvme_subsystem_t);
HANDLE(ctrl, nvme_ctrl_t);
HANDLE(ns, nvme_ns_t);
HANDLE(path, nvme_path_t);

/* Constructors of the Python classes: NULL with an exception set on failure. */
struct root *py_root_create(const char *config_file);
/* A tree of its own with nothing in it; it logs as that of @like does. */
struct root *py_root_empty(struct root *like);
struct host *py_host_create(struct root *root, const char *hostnqn, const char *hostid,
			    const char *hostkey, const char *hostsymname);
struct subsystem *py_subsystem_create(struct host *host, const char *subsysnqn, const char *name);
struct ctrl *py_ctrl_create(struct root *root, const char *subsysnqn, const char *transport,
			    const char *traddr, const char *host_traddr, const char *host_iface,
			    const char *trsvcid);
struct ns *py_ns_create(struct subsystem *subsystem, unsigned int nsid);

/* Ends the namespaces and paths of @c, which the library is about to free. */
void ctrl_end_leaves(struct tree *tree, nvme_ctrl_t c);

/*
 * Around calls that block. Python's lock is released, so that other threads run. One of them that
 * comes to this tree waits in py_..._handle() until the call is over.
 */
#define BEGIN_BLOCKING(tree) \
	tree_begin(tree); \
	Py_BEGIN_ALLOW_THREADS
#define END_BLOCKING(tree) \
	Py_END_ALLOW_THREADS; \
	tree_end(tree)

void tree_begin(struct tree *tree);
void tree_end(struct tree *tree);

/*
 * The caller waits no longer for what another thread does with this tree: until that is over, whoever
 * comes to it gets nvme.Error with EBUSY instead of waiting. False: it is over already.
 */
bool tree_give_up(struct tree *tree);

/* Frees the tree's objects and scans anew; every other object of the tree goes stale. */
void root_refresh(struct root *root);

/* Writes the configuration back to its file. */
void root_write_config(struct root *root);

/*
 * Raises nvme.Error, a RuntimeError with the attribute errno. @reason explains, or is NULL: then
 * the text is what @err means.
 */
void raise_error(int err, const char *reason);

/* Options of a connection; strings are borrowed from @dict. -1 with an exception set on failure. */
int cfg_from_dict(struct nvmf_options *options, PyObject *dict);

/* Fabrics, in fabrics.c. NULL or -1 with an exception set on failure. */
int fabrics_connect(struct ctrl *ctrl, struct host *host, PyObject *cfg);
int fabrics_disconnect(struct ctrl *ctrl);
int fabrics_reset(struct ctrl *ctrl);
/* What it was connected with, as far as this program knows: a dict as connect() takes one. */
PyObject *fabrics_options(struct ctrl *ctrl);
/* @timeout_ms: of each command, 0: the kernel's. Entries are dicts. */
PyObject *fabrics_discovery_log(struct ctrl *ctrl, int lsp, int max_retries,
				unsigned int timeout_ms);
/* One entry of it. */
PyObject *fabrics_entry(const struct nvmf_disc_log_entry *e);
/*
 * An errno and a sentence, if the portal that @ctrl leads to by the options @cfg is silent for that long;
 * else None.
 */
PyObject *fabrics_silent(struct ctrl *ctrl, PyObject *cfg, unsigned int timeout_ms);
PyObject *fabrics_register(struct ctrl *ctrl, int tas);
PyObject *fabrics_log_pages(struct ctrl *ctrl, bool rae);

/* log.c: has messages of the library passed to log(level, text, *args); None: written to stderr. */
PyObject *py_log_to(PyObject *log);
/* Are errors of this thread logged? They need not be where the caller raises them. */
void py_log_errors(bool on);
/* A warning of what is no part of the library, at the log level of tree @root; any thread may call it. */
void py_log_warning(const char *text, void *root);

/* What the NVMe Boot Firmware Table says, as a dict, in nbft.c; None if it cannot be read. */
PyObject *nbft_dict(const char *filename);

/* Sets dict[key] and consumes @value, also on failure; -1 with an exception, e.g. @value's. */
int dict_put(PyObject *dict, const char *key, PyObject *value);

#endif /* LIBNVME_PYTHON_HANDLES_H */
