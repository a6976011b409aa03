/* SPDX-License-Identifier: LGPL-2.1-or-later */
%module(docstring="NVMe hosts, subsystems, controllers, namespaces and paths, as the kernel has them.

Every object keeps its root alive. Strings are str, and None where the kernel tells nothing.
When a root is refreshed, the objects of its old tree raise ReferenceError.") nvme

%feature("autodoc", "0");
%feature("kwargs");
%pythonnondynamic; /* assigning to an attribute that does not exist raises */

/*
 * The names that swig 4.3 gives to its own types name no module. Python warns of that, when the first
 * object is wrapped and when the interpreter ends; where warnings are errors, swig is left without a
 * type and does not notice.
 */
%begin %{
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>

static PyObject *type_in_module(PyType_Spec *spec)
{
	static const char *const names[] = {
		"libnvme._nvme.SwigPyObject",
		"libnvme._nvme.SwigPyPacked",
		"libnvme._nvme.swigvarlink",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(strrchr(names[i], '.') + 1, spec->name))
			spec->name = names[i];
	}
	return PyType_FromSpec(spec);
}
#define PyType_FromSpec(spec) type_in_module(spec)
%}

%{
#include "files.h"
#include "input/config-files.h"
#include "outcomes.h"
%}

%exception {
	$action
	if (PyErr_Occurred())
		SWIG_fail;
}

%pythonbegin %{
# SPDX-License-Identifier: LGPL-2.1-or-later
import atexit as _atexit

from . import _fabrics, _objects
from ._errors import (
    AlreadyConnectedError,
    AuthenticationError,
    Error,
    NotAllowedError,
    RefusedError,
    TimedOutError,
    UnreachableError,
)
%}

%rename(_is_in_main) is_in_main;
%inline %{
static bool is_in_main(void)
{
	return PyInterpreterState_Get() == PyInterpreterState_Main();
}
%}

/* Before the classes, which are made with these. */
%pythoncode %{
if not _is_in_main():  # messages of the library would wait for a lock that nobody gives back
    raise ImportError("libnvme.nvme works in the main interpreter of a process alone", name=__name__)

# swig's own hands the descriptors of one class to another, whose objects they do not fit: dir() raises.
_swig_add_metaclass = _objects.add_metaclass
_swig_setattr_nondynamic_instance_variable = _objects.guard_attributes
%}

/* A str or None, without null characters; the message names the argument. */
%define TEXT(is_fit, type)
%typemap(in) type {
	if ($input == Py_None) {
		$1 = NULL;
	} else if (PyUnicode_Check($input)) {
		Py_ssize_t length;

		$1 = (char *)PyUnicode_AsUTF8AndSize($input, &length);
		if (!$1) {
			PyErr_SetString(PyExc_ValueError,
					"$symname: argument '$1_name' holds a lone surrogate");
			SWIG_fail;
		}
		if (strlen($1) != (size_t)length) {
			PyErr_SetString(PyExc_ValueError,
					"$symname: argument '$1_name' holds a null character");
			SWIG_fail;
		}
		if (!(is_fit)) {
			PyErr_SetString(PyExc_ValueError, "$symname: argument '$1_name' is not ASCII");
			SWIG_fail;
		}
	} else {
		PyErr_Format(PyExc_TypeError, "$symname: argument '$1_name' must be str, not %s",
			     Py_TYPE($input)->tp_name);
		SWIG_fail;
	}
}
%enddef
%define ASCII(name)
TEXT(PyUnicode_IS_ASCII($input), const char *name)
%enddef
TEXT(true, const char *)
ASCII(subsysnqn)
ASCII(hostnqn)
ASCII(hostid)
ASCII(transport)
ASCII(traddr)
ASCII(trsvcid)
ASCII(host_traddr)
ASCII(host_iface)
ASCII(hostkey)
ASCII(dhchap_key)
ASCII(dhchap_host_key)

/* An object of its class and no other, nor None; the message names the argument. */
%define OBJECT(tag)
%typemap(in) struct tag * {
	void *object = NULL;

	if ($input == Py_None ||
	    !SWIG_IsOK(SWIG_ConvertPtr($input, &object, $descriptor, $disown)) || !object) {
		PyErr_Format(PyExc_TypeError, "$symname: argument '$1_name' must be nvme." #tag ", not %s",
			     Py_TYPE($input)->tp_name);
		SWIG_fail;
	}
	$1 = object;
}
%enddef
OBJECT(root)
OBJECT(host)
OBJECT(subsystem)
OBJECT(ctrl)
OBJECT(ns)
OBJECT(path)

%define NUMBER(type, low, high)
%typemap(in) type {
	long long number = 0;
	int overflow = 0;

	if (!PyLong_Check($input)) {
		PyErr_Format(PyExc_TypeError, "$symname: argument '$1_name' must be int, not %s",
			     Py_TYPE($input)->tp_name);
		SWIG_fail;
	}
	number = PyLong_AsLongLongAndOverflow($input, &overflow);
	if (overflow || number < low || number > high) {
		PyErr_Format(PyExc_OverflowError, "$symname: argument '$1_name' is out of range: %S",
			     $input);
		SWIG_fail;
	}
	$1 = (type)number;
}
%enddef
NUMBER(int, INT_MIN, INT_MAX)
NUMBER(unsigned int, 0, UINT_MAX)

%typemap(in) bool {
	if (!PyBool_Check($input)) {
		PyErr_Format(PyExc_TypeError, "$symname: argument '$1_name' must be bool, not %s",
			     Py_TYPE($input)->tp_name);
		SWIG_fail;
	}
	$1 = $input == Py_True;
}

%typemap(freearg) const char * "";
%typemap(out) const char * {
	if ($1)
		$result = PyUnicode_DecodeUTF8($1, strlen($1), "surrogateescape");
	else
		$result = SWIG_Py_Void();
}
%typemap(out) PyObject * "$result = $1;";
%typemap(in) PyObject *cfg, PyObject *caller, PyObject *walk, PyObject *given, PyObject *call,
	     PyObject *capsule "$1 = $input;";

%include "constants.i"
%include "objects.i"
