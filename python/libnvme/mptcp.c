/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The module libnvme._mptcp, or nvme_mptcp._mptcp: documents of <nvme/mptcp.h> as JSON. mptcp.py gives them types.
 */
#include "mptcp.h"

#include <poll.h>
#include <sys/eventfd.h>

#include "shared/file.h"

PyObject *take_json(char *json)
{
	PyObject *string = json ? PyUnicode_DecodeUTF8(json, (Py_ssize_t)strlen(json), "replace")
				: PyErr_NoMemory();

	free(json);
	return string;
}

PyObject *raise_problem(int err, const char *problem)
{
	PyObject *error = PyObject_CallFunction(PyExc_OSError, "is", err, problem);

	if (error)
		PyErr_SetObject((PyObject *)Py_TYPE(error), error);
	Py_XDECREF(error);
	return NULL;
}

PyObject *raise_errno(int err, const char *netns)
{
	const char *why = nvme_mptcp_error(err);

	/* The words of errno alone: something else failed, and with them goes what it was about. */
	if (strcmp(why, strerror(err)) != 0)
		return raise_problem(err, why);
	errno = err;
	return netns ? PyErr_SetFromErrnoWithFilename(PyExc_OSError, netns)
		     : PyErr_SetFromErrno(PyExc_OSError);
}

PyObject *raise_unknown_ctrl(const char *name)
{
	return PyErr_Format(PyExc_LookupError, "no controller %s with subflows", name);
}

static bool has_ctrl(nvme_mptcp_snapshot_t snap, const char *name)
{
	nvme_mptcp_for_each_ctrl(snap, ctrl) {
		if (!strcmp(nvme_mptcp_ctrl_name(ctrl), name))
			return true;
	}
	return false;
}

const char *unknown_ctrl(nvme_mptcp_snapshot_t snap, const char *const *ctrls)
{
	for (; ctrls && *ctrls; ctrls++)
		if (!has_ctrl(snap, *ctrls))
			return *ctrls;
	return NULL;
}

static int snapshot_take(const char *netns, char **ret)
{
	unsigned int what = NVME_MPTCP_JSON_CONTROLLERS | NVME_MPTCP_JSON_USERSPACE |
			    NVME_MPTCP_JSON_OTHER | NVME_MPTCP_JSON_ENDPOINTS |
			    NVME_MPTCP_JSON_LINKS;
	struct samples samples = { 0 };
	const int err = samples_take(&samples, netns, 0);

	if (!err)
		*ret = nvme_mptcp_snapshot_to_json(samples.snap, what, NULL);
	samples_free(&samples);
	return err;
}

static PyObject *snapshot(PyObject *self, PyObject *args)
{
	const char *netns;
	char *json = NULL;
	int err;

	if (!PyArg_ParseTuple(args, "z:snapshot", &netns))
		return NULL;
	Py_BEGIN_ALLOW_THREADS;
	err = snapshot_take(netns, &json);
	Py_END_ALLOW_THREADS;
	return err ? raise_errno(err, netns) : take_json(json);
}

int strings_of(PyObject *tuple, void *ret)
{
	const char **strings;
	Py_ssize_t n;

	if (!PyTuple_Check(tuple)) {
		PyErr_SetString(PyExc_TypeError, "must be a tuple of str");
		return 0;
	}
	n = PyTuple_GET_SIZE(tuple);
	if (!n)
		return 1;
	strings = calloc((size_t)n + 1, sizeof(*strings));
	if (!strings) {
		PyErr_NoMemory();
		return 0;
	}
	for (Py_ssize_t i = 0; i < n; i++) {
		strings[i] = PyUnicode_AsUTF8(PyTuple_GET_ITEM(tuple, i));
		if (!strings[i]) {
			free(strings);
			return 0;
		}
	}
	*(const char ***)ret = strings;
	return 1;
}

PyObject *waiter_new(PyTypeObject *type, const char *what, void *on, void (*end)(void *on))
{
	struct waiter *self = (struct waiter *)type->tp_alloc(type, 0);

	if (!self) {
		end(on);
		return NULL;
	}
	self->on = on;
	self->end = end;
	self->what = what;
	self->events = -1;
	self->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (self->wake >= 0)
		return (PyObject *)self;
	PyErr_SetFromErrno(PyExc_OSError);
	Py_DECREF(self);
	return NULL;
}

static void waiter_end(struct waiter *self)
{
	if (self->on)
		self->end(self->on);
	self->on = NULL;
	if (self->wake >= 0)
		close(self->wake);
	self->events = self->wake = -1;
}

void waiter_dealloc(struct waiter *self)
{
	PyTypeObject *type = Py_TYPE(self);

	waiter_end(self);
	type->tp_free(self);
	Py_DECREF(type);
}

bool waiter_is_usable(const struct waiter *self)
{
	if (!self->on || self->closing)
		PyErr_Format(PyExc_ValueError, "this %s is closed", self->what);
	else if (self->busy)
		PyErr_Format(PyExc_RuntimeError, "another thread is waiting for this %s",
			     self->what);
	return !PyErr_Occurred();
}

bool waiter_leave(struct waiter *self)
{
	self->busy = false;
	if (self->closing)
		waiter_end(self);
	return self->closing;
}

PyObject *waiter_close(struct waiter *self, PyObject *unused)
{
	if (!self->busy) {
		waiter_end(self);
		Py_RETURN_NONE;
	}
	self->closing = true;
	if (eventfd_write(self->wake, 1))
		return PyErr_SetFromErrno(PyExc_OSError);
	Py_RETURN_NONE;
}

static void monitor_end(void *mon)
{
	nvme_mptcp_monitor_close(mon);
}

static PyObject *monitor_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	nvme_mptcp_monitor_t mon = NULL;
	const char *netns;
	int err = 0;

	if (!PyArg_ParseTuple(args, "z:Monitor", &netns))
		return NULL;
	Py_BEGIN_ALLOW_THREADS;
	if (nvme_mptcp_monitor_open(netns, &mon))
		err = errno;
	Py_END_ALLOW_THREADS;
	return err ? raise_errno(err, netns) : waiter_new(type, "monitor", mon, monitor_end);
}

static PyObject *monitor_fileno(struct waiter *self, PyObject *unused)
{
	if (!waiter_is_usable(self))
		return NULL;
	return PyLong_FromLong(nvme_mptcp_monitor_get_fd(self->on));
}

/* 1 with *@ret, 0 without an event in time or once closed, -errno. */
static int wait_event(nvme_mptcp_monitor_t mon, int wake, int timeout_ms, char **ret)
{
	struct pollfd fds[] = {
		{ .fd = nvme_mptcp_monitor_get_fd(mon), .events = POLLIN },
		{ .fd = wake, .events = POLLIN },
	};
	nvme_mptcp_event_t event;
	int n = nvme_mptcp_monitor_next(mon, &event);

	if (!n) {
		n = poll(fds, 2, timeout_ms);
		if (n > 0)
			n = fds[1].revents ? 0 : nvme_mptcp_monitor_next(mon, &event);
	}
	if (n > 0)
		*ret = nvme_mptcp_event_to_json(event);
	return n < 0 ? -errno : n;
}

static PyObject *monitor_next(struct waiter *self, PyObject *args)
{
	char *json = NULL;
	int timeout_ms, ret;

	if (!PyArg_ParseTuple(args, "i:next", &timeout_ms) || !waiter_is_usable(self))
		return NULL;
	self->busy = true;
	Py_BEGIN_ALLOW_THREADS;
	ret = wait_event(self->on, self->wake, timeout_ms, &json);
	Py_END_ALLOW_THREADS;
	waiter_leave(self);
	if (ret == -EINTR && PyErr_CheckSignals())
		return NULL;
	if (ret < 0 && ret != -EINTR)
		return raise_errno(-ret, NULL);
	if (ret <= 0)
		Py_RETURN_NONE;
	return take_json(json);
}

/* The one place that writes files is the library's. */
static PyObject *save(PyObject *self, PyObject *args)
{
	PyObject *path = NULL, *result = NULL;
	const char *text;
	Py_ssize_t length;
	int secret, public = 0, err;

	if (!PyArg_ParseTuple(args, "O&s#p|p:save", PyUnicode_FSConverter, &path, &text, &length,
			      &secret, &public))
		return NULL;
	Py_BEGIN_ALLOW_THREADS;
	err = file_save(PyBytes_AS_STRING(path), text, (size_t)length,
			FILE_END_LINE | (secret ? FILE_SECRET : 0) | (public ? FILE_PUBLIC : 0));
	Py_END_ALLOW_THREADS;
	if (err)
		raise_errno(-err, PyBytes_AS_STRING(path));
	else
		result = Py_NewRef(Py_None);
	Py_DECREF(path);
	return result;
}

static PyMethodDef monitor_methods[] = {
	{ "next", (PyCFunction)monitor_next, METH_VARARGS,
	  "next(timeout_ms) -> JSON of an event, or None if none came in time; -1 waits." },
	{ "fileno", (PyCFunction)monitor_fileno, METH_NOARGS, "Descriptor for select()." },
	{ "close", (PyCFunction)waiter_close, METH_NOARGS, "Stop listening." },
	{},
};

static char monitor_doc[] = "Listens to the path manager of a network namespace.";

static PyType_Slot monitor_slots[] = {
	{ Py_tp_doc, monitor_doc },
	{ Py_tp_new, monitor_new },
	{ Py_tp_dealloc, waiter_dealloc },
	{ Py_tp_methods, monitor_methods },
	{},
};

static PyType_Spec monitor_spec = {
	.name = MPTCP_PACKAGE "._mptcp.Monitor",
	.basicsize = sizeof(struct waiter),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = monitor_slots,
};

static PyMethodDef functions[] = {
	{ "save", save, METH_VARARGS,
	  "save(file, text, secret, public=False): replace a file as a whole." },
	{ "snapshot", snapshot, METH_VARARGS, "snapshot(netns) -> JSON of a snapshot." },
	{ "check", mptcp_check, METH_VARARGS,
	  "check(netns, ctrls, (traddr, trsvcid, host_traddr, host_iface), peer, role, trial, "
	  "interval_ms) -> JSON of findings." },
	{ "report", mptcp_report, METH_VARARGS, "report(netns, interval_ms) -> JSON of a report." },
	{ "metrics", mptcp_metrics, METH_VARARGS,
	  "metrics(netns, interval_ms, format, max_ctrls) -> text." },
	{ "ignored", mptcp_ignored, METH_VARARGS,
	  "ignored(config) -> list of the rules that a configuration ignores." },
	{ "read_report", mptcp_read_report, METH_VARARGS,
	  "read_report(file): raise ValueError, which says where, if it is no report." },
	{ "setup", mptcp_setup, METH_VARARGS,
	  "setup(netns, traddrs, devices, role, replace, apply) -> JSON of a plan, errno of a step." },
	{ "repair", mptcp_repair, METH_VARARGS,
	  "repair(netns, ctrls, devices, role, force, apply) -> JSON of a plan, errno of a step." },
	{},
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT, .m_name = "_mptcp",     .m_doc = "Documents of MPTCP as JSON.",
	.m_size = -1,	       .m_methods = functions,
};

PyMODINIT_FUNC PyInit__mptcp(void);

static int add_type(PyObject *module, const char *name, PyType_Spec *spec)
{
	PyObject *type = PyType_FromSpec(spec);

	if (type && !PyModule_AddObject(module, name, type))
		return 0;
	Py_XDECREF(type);
	return -1;
}

PyMODINIT_FUNC PyInit__mptcp(void)
{
	PyObject *module = PyModule_Create(&definition);

	nvme_mptcp_set_command(MPTCP_COMMAND);
	if (!module || add_type(module, "Monitor", &monitor_spec) ||
	    add_type(module, "Keeper", &keeper_spec)) {
		Py_XDECREF(module);
		return NULL;
	}
	return module;
}
