/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How objects of a dataclass with slots are made. */
#ifndef LIBNVME_PYTHON_MPTCP_MAKE_H
#define LIBNVME_PYTHON_MPTCP_MAKE_H

#include "mptcp.h"

/* A field: its key in JSON, its slot, and the class of what is in it, or NULL. */
struct field {
	const char *text; /* of @key */
	Py_ssize_t length, offset;
	struct shape *below;
	PyObject *key, *held; /* references; @held owns @below */
};

/* A class and its fields. */
struct shape {
	PyTypeObject *type;
	size_t n;
	struct field fields[];
};

/* Argument converter ("O&"): what describe() returned. */
int shape_of(PyObject *capsule, void *ret);

/* An object whose slots are empty, to be filled by shape_put() and in the end by shape_complete(). */
PyObject *shape_new(const struct shape *shape);
void shape_put(const struct field *field, PyObject *object, PyObject *value);
void shape_complete(const struct shape *shape, PyObject *object);

#endif /* LIBNVME_PYTHON_MPTCP_MAKE_H */
