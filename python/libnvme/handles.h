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

#include <stdbool.h>
#include <libnvme.h>

struct tree {
	nvme_root_t r;
	char *config_file;
	unsigned int references;
	unsigned int generation; /* counts refreshes */
};

/* One layout for all of them; the tag gives each its own Python class. */
#define HANDLE(tag, type) \
	struct tag { \
		struct tree *tree; \
		unsigned int generation; \
		bool detached; \
		type handle; \
	}; \
	/* NULL for a NULL handle; else a new object that holds the tree. */ \
	struct tag *tag##_new(struct tree *tree, type handle); \
	void tag##_free(struct tag *object); \
	/* The live handle, or NULL with a Python exception set. */ \
	type tag##_handle(const struct tag *object)

HANDLE(root, nvme_root_t);
HANDLE(host, nvme_host_t);
HANDLE(subsystem, nvme_subsystem_t);
HANDLE(ctrl, nvme_ctrl_t);
HANDLE(ns, nvme_ns_t);
HANDLE(path, nvme_path_t);

/* Constructors of the Python classes: NULL with an exception set on failure. */
struct root *root_create(const char *config_file);
struct host *host_create(struct root *root, const char *hostnqn, const char *hostid,
			 const char *hostkey, const char *hostsymname);
struct subsystem *subsystem_create(struct host *host, const char *subsysnqn, const char *name);
struct ctrl *ctrl_create(struct root *root, const char *subsysnqn, const char *transport,
			 const char *traddr, const char *host_traddr, const char *host_iface,
			 const char *trsvcid);
struct ns *ns_create(struct subsystem *subsystem, unsigned int nsid);

/* Frees the tree's objects and scans anew; every other object of the tree goes stale. */
void root_refresh(struct root *root);

/*
 * Raises nvme.Error, a RuntimeError with the attribute errno. @reason explains, or is NULL: then
 * the text is what @err means.
 */
void raise_error(int err, const char *reason);

/* Fabrics, in fabrics.c. NULL or -1 with an exception set on failure. */
int fabrics_connect(struct ctrl *ctrl, struct host *host, PyObject *cfg);
int fabrics_disconnect(struct ctrl *ctrl);
PyObject *fabrics_discovery_log(struct ctrl *ctrl, int lsp, int max_retries);
PyObject *fabrics_register(struct ctrl *ctrl, int tas);
PyObject *fabrics_log_pages(struct ctrl *ctrl, bool rae);

#endif /* LIBNVME_PYTHON_HANDLES_H */
