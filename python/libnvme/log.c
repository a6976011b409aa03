/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages of the library as records of Python's logging. */
#include "handles.h"

#include <nvme/log.h>

#define CRITICAL 50
#define ERROR 40
#define WARNING 30
#define INFO 20
#define DEBUG 10

/* Levels of syslog(3) as Python has them, which has nothing between WARNING and INFO. */
static const int levels[] = { CRITICAL, CRITICAL, CRITICAL, ERROR, WARNING, INFO, INFO, DEBUG };

static PyObject *log_call(PyObject *log, int level, const char *text)
{
	PyObject *message =
		PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "backslashreplace");
	PyObject *done =
		message ? PyObject_CallFunction(log, "isO", levels[level], "%s", message) : NULL;

	Py_XDECREF(message);
	return done;
}

static _Thread_local bool is_raised;

void py_log_errors(bool on)
{
	is_raised = !on;
}

/* What the caller is about to raise stays; what a handler of logging raises cannot go anywhere. */
static void log_record(int level, const char *text, void *log)
{
	PyObject *type, *value, *traceback, *done;
	PyGILState_STATE state;

	if (is_raised && level <= LOG_ERR)
		return;
	state = PyGILState_Ensure();

	PyErr_Fetch(&type, &value, &traceback);
	done = log_call(log, level < 0 || level > LOG_DEBUG ? LOG_ERR : level, text);
	if (!done)
		PyErr_WriteUnraisable(log);
	Py_XDECREF(done);
	PyErr_Restore(type, value, traceback);
	PyGILState_Release(state);
}

static PyObject *current;

void py_log_warning(const char *text, void *root)
{
	bool pid, timestamp;

	if (nvme_get_logging_level(root, &pid, &timestamp) < LOG_WARNING)
		return;
	if (current)
		log_record(LOG_WARNING, text, current);
	else
		fprintf(stderr, "%s\n", text);
}

PyObject *py_log_to(PyObject *log)
{
	Py_XDECREF(current);
	current = log == Py_None ? NULL : log;
	Py_XINCREF(current);
	nvme_set_log_handler(current ? log_record : NULL, current);
	Py_RETURN_NONE;
}
