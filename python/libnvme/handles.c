/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "handles.h"

#include <errno.h>

static void tree_put(struct tree *tree)
{
	if (--tree->references)
		return;
	nvme_free_tree(tree->r);
	free(tree->config_file);
	free(tree);
}

#define DEFINE_HANDLE(tag, type) \
	struct tag *tag##_new(struct tree *tree, type handle) \
	{ \
		struct tag *object; \
\
		if (!handle) \
			return NULL; \
		object = calloc(1, sizeof(*object)); \
		if (!object) { \
			PyErr_NoMemory(); \
			return NULL; \
		} \
		tree->references++; \
		object->tree = tree; \
		object->generation = tree->generation; \
		object->handle = handle; \
		return object; \
	} \
\
	type tag##_handle(const struct tag *object) \
	{ \
		if (object->detached || object->generation == object->tree->generation) \
			return object->handle; \
		PyErr_SetString(PyExc_ReferenceError, \
				"this " #tag " belongs to a tree that was refreshed since; " \
				"look it up again from its root"); \
		return NULL; \
	}

#define DEFINE_HANDLE_FREE(tag) \
	void tag##_free(struct tag *object) \
	{ \
		if (!object) \
			return; \
		tree_put(object->tree); \
		free(object); \
	}

DEFINE_HANDLE(root, nvme_root_t)
DEFINE_HANDLE_FREE(root)
DEFINE_HANDLE(host, nvme_host_t)
DEFINE_HANDLE_FREE(host)
DEFINE_HANDLE(subsystem, nvme_subsystem_t)
DEFINE_HANDLE_FREE(subsystem)
DEFINE_HANDLE(ns, nvme_ns_t)
DEFINE_HANDLE_FREE(ns)
DEFINE_HANDLE(path, nvme_path_t)
DEFINE_HANDLE_FREE(path)
DEFINE_HANDLE(ctrl, nvme_ctrl_t)

void ctrl_free(struct ctrl *object)
{
	if (!object)
		return;
	if (object->detached)
		nvme_free_ctrl(object->handle);
	tree_put(object->tree);
	free(object);
}

struct root *root_create(const char *config_file)
{
	struct tree *tree = calloc(1, sizeof(*tree));
	struct root *root;

	if (!tree || (config_file && !(tree->config_file = strdup(config_file)))) {
		free(tree);
		PyErr_NoMemory();
		return NULL;
	}
	Py_BEGIN_ALLOW_THREADS;
	tree->r = nvme_scan(config_file);
	Py_END_ALLOW_THREADS;
	if (!tree->r) {
		free(tree->config_file);
		free(tree);
		PyErr_SetFromErrno(PyExc_OSError);
		return NULL;
	}
	tree->references = 1;
	root = root_new(tree, tree->r);
	tree_put(tree);
	return root;
}

void root_refresh(struct root *root)
{
	Py_BEGIN_ALLOW_THREADS;
	nvme_refresh_topology(root->handle);
	Py_END_ALLOW_THREADS;
	root->generation = ++root->tree->generation;
}

struct host *host_create(struct root *root, const char *hostnqn, const char *hostid,
			 const char *hostkey, const char *hostsymname)
{
	nvme_root_t r = root_handle(root);
	nvme_host_t h;

	if (!r)
		return NULL;
	h = hostnqn ? nvme_lookup_host(r, hostnqn, hostid) : nvme_default_host(r);
	if (!h) {
		raise_error(errno, NULL);
		return NULL;
	}
	if (hostkey)
		nvme_host_set_dhchap_key(h, hostkey);
	if (hostsymname)
		nvme_host_set_hostsymname(h, hostsymname);
	return host_new(root->tree, h);
}

struct subsystem *subsystem_create(struct host *host, const char *subsysnqn, const char *name)
{
	nvme_host_t h = host_handle(host);
	nvme_subsystem_t s;

	if (!h)
		return NULL;
	s = nvme_lookup_subsystem(h, name, subsysnqn);
	if (!s) {
		raise_error(errno, NULL);
		return NULL;
	}
	return subsystem_new(host->tree, s);
}

struct ctrl *ctrl_create(struct root *root, const char *subsysnqn, const char *transport,
			 const char *traddr, const char *host_traddr, const char *host_iface,
			 const char *trsvcid)
{
	nvme_root_t r = root_handle(root);
	struct ctrl *ctrl;
	nvme_ctrl_t c;

	if (!r)
		return NULL;
	c = nvme_create_ctrl(r, subsysnqn, transport, traddr, host_traddr, host_iface, trsvcid);
	if (!c) {
		raise_error(errno, NULL);
		return NULL;
	}
	ctrl = ctrl_new(root->tree, c);
	if (ctrl)
		ctrl->detached = true;
	else
		nvme_free_ctrl(c);
	return ctrl;
}

struct ns *ns_create(struct subsystem *subsystem, unsigned int nsid)
{
	nvme_subsystem_t s = subsystem_handle(subsystem);
	nvme_ns_t n;

	if (!s)
		return NULL;
	n = nvme_subsystem_lookup_namespace(s, nsid);
	if (!n) {
		PyErr_Format(PyExc_LookupError, "subsystem %s has no namespace %u",
			     nvme_subsystem_get_nqn(s), nsid);
		return NULL;
	}
	return ns_new(subsystem->tree, n);
}

void raise_error(int err, const char *reason)
{
	PyObject *module = PyImport_ImportModule("libnvme.nvme");
	PyObject *type = module ? PyObject_GetAttrString(module, "Error") : NULL;
	PyObject *error = NULL;

	if (!reason)
		reason = err >= ENVME_CONNECT_RESOLVE ? nvme_errno_to_string(err) : strerror(err);
	if (type)
		error = PyObject_CallFunction(type, "is", err, reason);
	if (error)
		PyErr_SetObject(type, error);
	Py_XDECREF(error);
	Py_XDECREF(type);
	Py_XDECREF(module);
}
