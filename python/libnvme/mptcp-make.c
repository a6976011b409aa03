/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Objects of frozen dataclasses from JSON. Dicts in between, and constructors, take most of the time
 * that a snapshot of thousands of connections takes.
 */
#include "mptcp-make.h"

#include <structmember.h>

static const char shape_name[] = MPTCP_PACKAGE "._mptcp.shape";

static void shape_free(struct shape *shape)
{
	for (size_t i = 0; i < shape->n; i++) {
		Py_XDECREF(shape->fields[i].key);
		Py_XDECREF(shape->fields[i].held);
	}
	Py_XDECREF(shape->type);
	free(shape);
}

static void capsule_free(PyObject *capsule)
{
	shape_free(PyCapsule_GetPointer(capsule, shape_name));
}

int shape_of(PyObject *capsule, void *ret)
{
	struct shape *shape = PyCapsule_GetPointer(capsule, shape_name);

	*(struct shape **)ret = shape;
	return shape != NULL;
}

/* Where objects of @type have the slot @name; 0 with an exception if it is none. */
static Py_ssize_t slot_offset(PyTypeObject *type, PyObject *name)
{
	PyObject *slot = PyObject_GetAttr((PyObject *)type, name);
	Py_ssize_t offset = 0;

	if (slot && Py_IS_TYPE(slot, &PyMemberDescr_Type) &&
	    ((PyMemberDescrObject *)slot)->d_member->type == T_OBJECT_EX)
		offset = ((PyMemberDescrObject *)slot)->d_member->offset;
	else if (slot)
		PyErr_Format(PyExc_TypeError, "describe: %s.%U is no slot", type->tp_name, name);
	Py_XDECREF(slot);
	return offset;
}

static int field_set(struct field *field, PyTypeObject *type, PyObject *described)
{
	PyObject *key, *name, *below;

	if (!PyArg_ParseTuple(described, "UUO:describe", &key, &name, &below))
		return -1;
	if (below != Py_None && !shape_of(below, &field->below))
		return -1;
	field->text = PyUnicode_AsUTF8AndSize(key, &field->length);
	field->offset = field->text ? slot_offset(type, name) : 0;
	field->key = Py_NewRef(key);
	field->held = Py_NewRef(below);
	return field->offset ? 0 : -1;
}

PyObject *mptcp_describe(PyObject *self, PyObject *args)
{
	PyObject *type, *fields, *capsule;
	struct shape *shape;

	if (!PyArg_ParseTuple(args, "O!O!:describe", &PyType_Type, &type, &PyTuple_Type, &fields))
		return NULL;
	shape = calloc(1,
		       sizeof(*shape) + (size_t)PyTuple_GET_SIZE(fields) * sizeof(*shape->fields));
	if (!shape)
		return PyErr_NoMemory();
	shape->type = (PyTypeObject *)Py_NewRef(type);
	shape->n = (size_t)PyTuple_GET_SIZE(fields);
	for (size_t i = 0; i < shape->n; i++) {
		if (field_set(&shape->fields[i], shape->type,
			      PyTuple_GET_ITEM(fields, (Py_ssize_t)i))) {
			shape_free(shape);
			return NULL;
		}
	}
	capsule = PyCapsule_New(shape, shape_name, capsule_free);
	if (!capsule)
		shape_free(shape);
	return capsule;
}

PyObject *shape_new(const struct shape *shape)
{
	return PyType_GenericAlloc(shape->type, 0);
}

static PyObject **slot_of(const struct field *field, PyObject *object)
{
	return (void *)((char *)object + field->offset);
}

/* Past the __setattr__ of a frozen class, which refuses; @value is consumed. */
void shape_put(const struct field *field, PyObject *object, PyObject *value)
{
	PyObject **slot = slot_of(field, object);

	Py_XSETREF(*slot, value);
}

void shape_complete(const struct shape *shape, PyObject *object)
{
	for (size_t i = 0; i < shape->n; i++)
		if (!*slot_of(&shape->fields[i], object))
			shape_put(&shape->fields[i], object, Py_NewRef(Py_None));
}

static PyObject *make_from(const struct shape *shape, PyObject *data);

/* A new reference; objects are made of what is one, tuples of what is a list. */
static PyObject *make_value(const struct shape *shape, PyObject *data)
{
	PyObject *tuple;
	Py_ssize_t n;

	if (PyDict_Check(data) && shape)
		return make_from(shape, data);
	if (!PyList_Check(data))
		return Py_NewRef(data);
	n = PyList_GET_SIZE(data);
	tuple = PyTuple_New(n);
	for (Py_ssize_t i = 0; tuple && i < n; i++) {
		PyObject *item = make_value(shape, PyList_GET_ITEM(data, i));

		if (item)
			PyTuple_SET_ITEM(tuple, i, item);
		else
			Py_CLEAR(tuple);
	}
	return tuple;
}

static PyObject *make_from(const struct shape *shape, PyObject *data)
{
	PyObject *object = shape_new(shape);

	for (size_t i = 0; object && i < shape->n; i++) {
		PyObject *found = PyDict_GetItemWithError(data, shape->fields[i].key);
		PyObject *value = found ? make_value(shape->fields[i].below, found) : NULL;

		if (value)
			shape_put(&shape->fields[i], object, value);
		else if (PyErr_Occurred())
			Py_CLEAR(object);
	}
	if (object)
		shape_complete(shape, object);
	return object;
}

PyObject *mptcp_make(PyObject *self, PyObject *args)
{
	struct shape *shape;
	PyObject *data;

	if (!PyArg_ParseTuple(args, "O&O!:make", shape_of, &shape, &PyDict_Type, &data))
		return NULL;
	return make_from(shape, data);
}
