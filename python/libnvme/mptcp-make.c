/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Objects of frozen dataclasses from JSON objects. Their own constructors take half of the time that
 * a snapshot of thousands of connections takes.
 */
#include "mptcp.h"

static PyObject *make_from(PyObject *spec, PyObject *data);

/* A new reference; objects are made of what is one, tuples of what is a list. */
static PyObject *make_value(PyObject *spec, PyObject *data)
{
	Py_ssize_t n;
	PyObject *tuple;

	if (PyDict_Check(data) && spec != Py_None)
		return make_from(spec, data);
	if (!PyList_Check(data)) {
		Py_INCREF(data);
		return data;
	}
	n = PyList_GET_SIZE(data);
	tuple = PyTuple_New(n);
	for (Py_ssize_t i = 0; tuple && i < n; i++) {
		PyObject *item = make_value(spec, PyList_GET_ITEM(data, i));

		if (item)
			PyTuple_SET_ITEM(tuple, i, item);
		else
			Py_CLEAR(tuple);
	}
	return tuple;
}

/* Past the __setattr__ of a frozen class, which refuses. */
static int set_field(PyObject *object, PyObject *field, PyObject *data)
{
	PyObject *key, *name, *spec, *found, *value;
	int ret;

	if (!PyTuple_Check(field) || PyTuple_GET_SIZE(field) != 3) {
		PyErr_SetString(PyExc_TypeError,
				"make: a field is a key, a name and a description");
		return -1;
	}
	key = PyTuple_GET_ITEM(field, 0);
	name = PyTuple_GET_ITEM(field, 1);
	spec = PyTuple_GET_ITEM(field, 2);
	found = PyDict_GetItemWithError(data, key);
	if (!found && PyErr_Occurred())
		return -1;
	value = make_value(spec, found ? found : Py_None);
	if (!value)
		return -1;
	ret = PyObject_GenericSetAttr(object, name, value);
	Py_DECREF(value);
	return ret;
}

static PyObject *make_from(PyObject *spec, PyObject *data)
{
	PyObject *type, *object, *fields;

	if (!PyArg_ParseTuple(spec, "O!O!:make", &PyType_Type, &type, &PyTuple_Type, &fields))
		return NULL;
	object = PyType_GenericAlloc((PyTypeObject *)type, 0);
	for (Py_ssize_t i = 0; object && i < PyTuple_GET_SIZE(fields); i++)
		if (set_field(object, PyTuple_GET_ITEM(fields, i), data))
			Py_CLEAR(object);
	return object;
}

PyObject *mptcp_make(PyObject *self, PyObject *args)
{
	PyObject *spec, *data;

	if (!PyArg_ParseTuple(args, "O!O!:make", &PyTuple_Type, &spec, &PyDict_Type, &data))
		return NULL;
	return make_from(spec, data);
}
