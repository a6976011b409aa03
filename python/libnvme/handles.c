/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "handles.h"

#define WAIT_US 200000 /* until a thread that waits asks whether what it waits for was given up */

static void tree_put(struct tree *tree)
{
	if (--tree->references)
		return;
	nvme_free_tree(tree->r);
	nvme_mptcp_config_free(tree->mptcp);
	PyThread_free_lock(tree->lock);
	free(tree->config_file);
	free(tree->discarded);
	free(tree);
}

/* What stands outside the tree is in a list of it all the same, which another thread may change now. */
static void tree_discard(struct tree *tree, nvme_ctrl_t c)
{
	nvme_ctrl_t *longer;

	if (!tree->busy) {
		nvme_free_ctrl(c);
		return;
	}
	longer = realloc(tree->discarded, (tree->n_discarded + 1) * sizeof(*longer));
	if (!longer)
		return; /* it goes with the tree */
	tree->discarded = longer;
	longer[tree->n_discarded++] = c;
}

void tree_begin(struct tree *tree)
{
	/* Nobody keeps it for longer than a moment: tree_wait() comes before. */
	PyThread_acquire_lock(tree->lock, WAIT_LOCK);
	tree->owner = PyThread_get_thread_ident();
	tree->busy = true;
}

void tree_end(struct tree *tree)
{
	while (tree->n_discarded)
		nvme_free_ctrl(tree->discarded[--tree->n_discarded]);
	tree->busy = tree->given_up = false;
	PyThread_release_lock(tree->lock);
}

bool tree_give_up(struct tree *tree)
{
	tree->given_up = tree->busy;
	/* Who waited may be who began it: see outcomes_run(). */
	if (tree->given_up)
		tree->owner = 0;
	return tree->given_up;
}

/* What cannot be waited for. False: nothing is in the way of waiting. */
static bool tree_refuse(const struct tree *tree)
{
	if (tree->owner == PyThread_get_thread_ident())
		PyErr_SetString(
			PyExc_RuntimeError,
			"a call that uses this root is still running; a logging handler that it "
			"calls cannot use the root");
	else if (tree->given_up)
		raise_error(
			EBUSY,
			"an earlier call of this root exceeded its timeout and is still running in "
			"the kernel; use another root until it ends");
	return PyErr_Occurred();
}

/* Until no thread is at work with @tree; false with an exception if that cannot be waited for. */
static bool tree_wait(struct tree *tree)
{
	while (tree->busy) {
		PyLockStatus status;

		if (tree_refuse(tree))
			return false;
		Py_BEGIN_ALLOW_THREADS;
		status = PyThread_acquire_lock_timed(tree->lock, WAIT_US, true);
		if (status == PY_LOCK_ACQUIRED)
			PyThread_release_lock(tree->lock);
		Py_END_ALLOW_THREADS;
		if (status == PY_LOCK_INTR && PyErr_CheckSignals())
			return false;
	}
	return true;
}

/* Only what belongs to a controller is listed. */
static void leaf_add(struct tree *tree, struct leaf *leaf, nvme_ctrl_t c)
{
	leaf->c = c;
	if (!c)
		return;
	leaf->next = tree->leaves;
	if (leaf->next)
		leaf->next->previous = leaf;
	tree->leaves = leaf;
}

static void leaf_remove(struct tree *tree, struct leaf *leaf)
{
	if (!leaf->c)
		return;
	if (leaf->next)
		leaf->next->previous = leaf->previous;
	if (leaf->previous)
		leaf->previous->next = leaf->next;
	else
		tree->leaves = leaf->next;
}

void ctrl_end_leaves(struct tree *tree, nvme_ctrl_t c)
{
	for (struct leaf *leaf = tree->leaves; leaf; leaf = leaf->next)
		if (leaf->c == c)
			leaf->ended = true;
}

static nvme_ctrl_t no_ctrl(const void *handle)
{
	return NULL;
}

/* @owner tells the controller that takes a handle with it. */
#define DEFINE_HANDLE(tag, type, owner) \
	struct tag *py_##tag##_new(struct tree *tree, type handle) \
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
		leaf_add(tree, &object->leaf, owner(handle)); \
		return object; \
	} \
\
	type py_##tag##_handle(const struct tag *object) \
	{ \
		if (!tree_wait(object->tree)) \
			return NULL; \
		if (object->leaf.ended) { \
			PyErr_SetString(PyExc_ReferenceError, \
					"the controller of this " #tag " has been disconnected"); \
			return NULL; \
		} \
		if (object->detached || object->generation == object->tree->generation) \
			return object->handle; \
		PyErr_SetString( \
			PyExc_ReferenceError, \
			"this " #tag \
			" belongs to a tree that has been refreshed; look it up again from its " \
			"root"); \
		return NULL; \
	}

#define DEFINE_HANDLE_FREE(tag) \
	void py_##tag##_free(struct tag *object) \
	{ \
		if (!object) \
			return; \
		leaf_remove(object->tree, &object->leaf); \
		tree_put(object->tree); \
		free(object); \
	}

DEFINE_HANDLE(root, nvme_root_t, no_ctrl)
DEFINE_HANDLE_FREE(root)
DEFINE_HANDLE(host, nvme_host_t, no_ctrl)
DEFINE_HANDLE_FREE(host)
DEFINE_HANDLE(subsystem, nvme_subsystem_t, no_ctrl)
DEFINE_HANDLE_FREE(subsystem)
DEFINE_HANDLE(ns, nvme_ns_t, nvme_ns_get_ctrl)
DEFINE_HANDLE_FREE(ns)
DEFINE_HANDLE(path, nvme_path_t, nvme_path_get_ctrl)
DEFINE_HANDLE_FREE(path)
DEFINE_HANDLE(ctrl, nvme_ctrl_t, no_ctrl)

void py_ctrl_free(struct ctrl *object)
{
	if (!object)
		return;
	if (object->detached)
		tree_discard(object->tree, object->handle);
	tree_put(object->tree);
	free(object);
}

/* Takes @r over; NULL with an exception, and @r is freed then. */
static struct root *root_of(nvme_root_t r, const char *config_file)
{
	struct tree *tree = calloc(1, sizeof(*tree));
	struct root *root;

	if (!tree || (config_file && !(tree->config_file = strdup(config_file))) ||
	    !(tree->lock = PyThread_allocate_lock())) {
		if (tree)
			free(tree->config_file);
		free(tree);
		nvme_free_tree(r);
		PyErr_NoMemory();
		return NULL;
	}
	tree->r = r;
	tree->references = 1;
	root = py_root_new(tree, tree->r);
	tree_put(tree);
	return root;
}

struct root *py_root_create(const char *config_file)
{
	nvme_root_t r;

	Py_BEGIN_ALLOW_THREADS;
	r = nvme_scan(config_file);
	Py_END_ALLOW_THREADS;
	if (r)
		return root_of(r, config_file);
	PyErr_SetFromErrno(PyExc_OSError);
	return NULL;
}

struct root *py_root_empty(struct root *like)
{
	nvme_root_t of = py_root_handle(like), r;
	bool pid, timestamp;

	if (!of)
		return NULL;
	r = nvme_create_root(NULL, nvme_get_logging_level(of, &pid, &timestamp));
	if (r)
		return root_of(r, NULL);
	PyErr_NoMemory();
	return NULL;
}

void root_refresh(struct root *root)
{
	struct tree *tree = root->tree;

	if (!py_root_handle(root))
		return;
	tree->generation++; /* until it is done, the root itself is stale, too */
	BEGIN_BLOCKING(tree);
	nvme_refresh_topology(tree->r);
	END_BLOCKING(tree);
	root->generation = tree->generation;
}

void root_write_config(struct root *root)
{
	struct tree *tree = root->tree;
	int ret, err;

	if (!py_root_handle(root))
		return;
	BEGIN_BLOCKING(tree);
	ret = nvme_update_config(tree->r);
	err = errno;
	END_BLOCKING(tree);
	if (ret)
		raise_error(err, nvme_config_error(tree->r));
}

struct host *py_host_create(struct root *root, const char *hostnqn, const char *hostid,
			    const char *hostkey, const char *hostsymname)
{
	nvme_root_t r = py_root_handle(root);
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
	return py_host_new(root->tree, h);
}

struct subsystem *py_subsystem_create(struct host *host, const char *subsysnqn, const char *name)
{
	nvme_host_t h = py_host_handle(host);
	nvme_subsystem_t s;

	if (!h)
		return NULL;
	if (!subsysnqn) {
		raise_error(EINVAL, "subsysnqn is None: a subsystem needs an NQN");
		return NULL;
	}
	s = nvme_lookup_subsystem(h, name, subsysnqn);
	if (!s) {
		raise_error(errno, NULL);
		return NULL;
	}
	return py_subsystem_new(host->tree, s);
}

/* Why there can be no such controller, where that is known without a look at anything else. */
static const char *reason_of(const char *subsysnqn, const char *transport, const char *traddr)
{
	if (!subsysnqn)
		return "subsysnqn is None: specify the subsystem";
	if (!transport)
		return "transport is None: specify the transport";
	if (!traddr && errno == EINVAL)
		return "traddr is None: this transport needs the address of the target";
	return NULL;
}

struct ctrl *py_ctrl_create(struct root *root, const char *subsysnqn, const char *transport,
			    const char *traddr, const char *host_traddr, const char *host_iface,
			    const char *trsvcid)
{
	nvme_root_t r = py_root_handle(root);
	struct ctrl *ctrl;
	nvme_ctrl_t c;

	if (!r)
		return NULL;
	c = nvme_create_ctrl(r, subsysnqn, transport, traddr, host_traddr, host_iface, trsvcid);
	if (!c) {
		raise_error(errno, reason_of(subsysnqn, transport, traddr));
		return NULL;
	}
	ctrl = py_ctrl_new(root->tree, c);
	if (ctrl)
		ctrl->detached = true;
	else
		nvme_free_ctrl(c);
	return ctrl;
}

struct ns *py_ns_create(struct subsystem *subsystem, unsigned int nsid)
{
	nvme_subsystem_t s = py_subsystem_handle(subsystem);
	nvme_ns_t n;

	if (!s)
		return NULL;
	n = nvme_subsystem_lookup_namespace(s, nsid);
	if (!n) {
		PyErr_Format(PyExc_LookupError, "subsystem %s has no namespace %u",
			     nvme_subsystem_get_nqn(s), nsid);
		return NULL;
	}
	return py_ns_new(subsystem->tree, n);
}

void raise_error(int err, const char *reason)
{
	PyObject *module = PyImport_ImportModule("libnvme._errors");
	PyObject *error = NULL;

	if (!reason)
		reason = err >= ENVME_CONNECT_RESOLVE ? nvme_errno_to_string(err) : strerror(err);
	if (module)
		error = PyObject_CallMethod(module, "error_of", "is", err, reason);
	if (error)
		PyErr_SetObject((PyObject *)Py_TYPE(error), error);
	Py_XDECREF(error);
	Py_XDECREF(module);
}

int dict_put(PyObject *dict, const char *key, PyObject *value)
{
	int ret = value ? PyDict_SetItemString(dict, key, value) : -1;

	Py_XDECREF(value);
	return ret;
}
