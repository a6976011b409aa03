/* SPDX-License-Identifier: LGPL-2.1-or-later */
%module(docstring="NVMe hosts, subsystems, controllers, namespaces and paths, as the kernel has them.

Every object keeps its root alive. Strings are str, and None where the kernel tells nothing.
When a root is refreshed, the objects of its old tree raise ReferenceError.") nvme

%feature("autodoc", "0");
%feature("kwargs");
%pythonnondynamic; /* assigning to an attribute that does not exist raises */

%{
#include "handles.h"
%}

%exception {
	$action
	if (PyErr_Occurred())
		SWIG_fail;
}

%pythonbegin %{
# SPDX-License-Identifier: LGPL-2.1-or-later
%}

%pythoncode %{
class Error(RuntimeError):
    """The kernel or a controller refused.

    The text explains; the attribute errno is an errno or one of the ENVME_CONNECT_ codes.
    """

    def __init__(self, errno, text):
        super().__init__(text)
        self.errno = errno
%}

/* A str or None, without null characters; the message names the argument. */
%typemap(in) const char * {
	if ($input == Py_None) {
		$1 = NULL;
	} else if (PyUnicode_Check($input)) {
		Py_ssize_t length;

		$1 = (char *)PyUnicode_AsUTF8AndSize($input, &length);
		if (!$1)
			SWIG_fail;
		if (strlen($1) != (size_t)length) {
			PyErr_SetString(PyExc_ValueError,
					"$symname: argument '$1_name' holds a null character");
			SWIG_fail;
		}
	} else {
		PyErr_Format(PyExc_TypeError, "$symname: argument '$1_name' must be str, not %s",
			     Py_TYPE($input)->tp_name);
		SWIG_fail;
	}
}
%typemap(freearg) const char * "";
%typemap(out) const char * {
	if ($1)
		$result = PyUnicode_DecodeUTF8($1, strlen($1), "surrogateescape");
	else
		$result = SWIG_Py_Void();
}
%typemap(out) PyObject * "$result = $1;";
%typemap(in) PyObject *cfg "$1 = $input;";

%include "constants.i"
%include "objects.i"
