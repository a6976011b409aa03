/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads documents that the library wrote, straight into objects. What others wrote is read by the
 * module json, and checked, before objects are made of it; yet nothing here trusts the text.
 */
#include "mptcp-make.h"

#include <errno.h>

#define MAX_DEPTH 64
#define N_KNOWN 256 /* short strings that come again and again: states, flags, links */
#define LONGEST_KNOWN 24
#define DIGITS 18 /* of a number that is a long long for sure */

struct reader {
	const char *at, *end;
	unsigned int depth;
	PyObject *known[N_KNOWN];
};

static PyObject *read_value(struct reader *r, const struct shape *shape, bool tuples);

static PyObject *fail(const char *what)
{
	if (!PyErr_Occurred())
		PyErr_Format(PyExc_ValueError, "read: %s", what);
	return NULL;
}

/* The next character that is no space; 0 at the end. */
static char peek(struct reader *r)
{
	while (r->at < r->end &&
	       (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
		r->at++;
	return r->at < r->end ? *r->at : '\0';
}

static bool take(struct reader *r, char c)
{
	if (peek(r) != c || !c)
		return false;
	r->at++;
	return true;
}

/* The text between quotation marks as it stands; *@escaped: it is not what it means. */
static const char *read_raw(struct reader *r, size_t *length, bool *escaped)
{
	const char *begin;

	*escaped = false;
	if (!take(r, '"')) {
		fail("a string is wanted");
		return NULL;
	}
	for (begin = r->at; r->at < r->end && *r->at != '"'; r->at++) {
		if (*r->at == '\\') {
			*escaped = true;
			r->at++;
		}
	}
	if (r->at >= r->end) {
		fail("a string does not end");
		return NULL;
	}
	*length = (size_t)(r->at++ - begin);
	return begin;
}

/* With its escapes, by the module json. */
static PyObject *read_escaped(const char *begin, size_t length)
{
	PyObject *json = PyImport_ImportModule("json"), *string = NULL;

	if (json)
		string =
			PyObject_CallMethod(json, "loads", "s#", begin - 1, (Py_ssize_t)length + 2);
	Py_XDECREF(json);
	return string;
}

static PyObject **place_of(struct reader *r, const char *text, size_t length)
{
	uint32_t hash = 2166136261;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619;
	return &r->known[hash % N_KNOWN];
}

static PyObject *read_known(struct reader *r, const char *text, size_t length)
{
	PyObject **place = place_of(r, text, length);
	const char *there;
	Py_ssize_t n;

	if (*place) {
		there = PyUnicode_AsUTF8AndSize(*place, &n);
		if (!there)
			return NULL;
		if ((size_t)n == length && !memcmp(there, text, length))
			return Py_NewRef(*place);
	}
	Py_XSETREF(*place, PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, NULL));
	return Py_XNewRef(*place);
}

static PyObject *read_string(struct reader *r)
{
	const char *text;
	size_t length;
	bool escaped;

	text = read_raw(r, &length, &escaped);
	if (!text)
		return NULL;
	if (escaped)
		return read_escaped(text, length);
	if (length <= LONGEST_KNOWN)
		return read_known(r, text, length);
	return PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, NULL);
}

/* What is no short integer; Python's own means refuse what is none at all. */
static PyObject *read_long_number(const char *begin, size_t length, bool is_float)
{
	PyObject *text = PyUnicode_FromStringAndSize(begin, (Py_ssize_t)length), *number = NULL;

	if (text)
		number = is_float ? PyFloat_FromString(text) : PyLong_FromUnicodeObject(text, 10);
	Py_XDECREF(text);
	return number;
}

static PyObject *read_number(struct reader *r)
{
	const char *begin = r->at;
	long long number = 0;
	bool is_float = false;
	size_t length;

	for (; r->at < r->end && strchr("+-.eE0123456789", *r->at) && *r->at; r->at++) {
		if (*r->at < '0' || *r->at > '9')
			is_float |= r->at != begin || *r->at != '-';
		else if (r->at - begin < DIGITS)
			number = 10 * number + (*r->at - '0');
	}
	length = (size_t)(r->at - begin);
	if (!length)
		return fail("a value is wanted");
	if (is_float || length > DIGITS || (*begin == '-' && length == 1))
		return read_long_number(begin, length, is_float);
	return PyLong_FromLongLong(*begin == '-' ? -number : number);
}

static PyObject *read_word(struct reader *r, const char *word, PyObject *value)
{
	const size_t length = strlen(word);

	if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
		return fail("a value is wanted");
	r->at += length;
	return Py_NewRef(value);
}

static PyObject *read_list(struct reader *r, const struct shape *shape, bool tuples)
{
	PyObject *list = PyList_New(0), *tuple;

	r->at++;
	if (!list || take(r, ']'))
		goto end;
	do {
		PyObject *item = read_value(r, shape, tuples);

		if (!item || PyList_Append(list, item)) {
			Py_XDECREF(item);
			Py_CLEAR(list);
			return NULL;
		}
		Py_DECREF(item);
	} while (take(r, ','));
	if (!take(r, ']')) {
		Py_DECREF(list);
		return fail("a list does not end");
	}
end:
	if (!list || !tuples)
		return list;
	tuple = PyList_AsTuple(list);
	Py_DECREF(list);
	return tuple;
}

/* 1 after a key and its colon, 0 at the end of the object, -1 with an exception. */
static int next_member(struct reader *r, bool first)
{
	if (take(r, '}'))
		return 0;
	if (!first && !take(r, ',')) {
		fail("an object does not end");
		return -1;
	}
	return 1;
}

static PyObject *read_dict(struct reader *r)
{
	PyObject *dict = PyDict_New();
	int more = 0;

	r->at++;
	for (bool first = true; dict && (more = next_member(r, first)) > 0; first = false) {
		PyObject *key = read_string(r);
		PyObject *value = NULL;

		if (key && !take(r, ':'))
			fail("a colon is wanted");
		else if (key)
			value = read_value(r, NULL, false);
		if (!value || PyDict_SetItem(dict, key, value))
			Py_CLEAR(dict);
		Py_XDECREF(key);
		Py_XDECREF(value);
	}
	if (more < 0)
		Py_CLEAR(dict);
	return dict;
}

/* Most often it is the one behind the last one. NULL: no field has that key. */
static const struct field *find_field(const struct shape *shape, const char *key, size_t length,
				      size_t *next)
{
	for (size_t i = 0; i < shape->n; i++) {
		const size_t at = (*next + i) % shape->n;
		const struct field *field = &shape->fields[at];

		if ((size_t)field->length == length && !memcmp(field->text, key, length)) {
			*next = at + 1;
			return field;
		}
	}
	return NULL;
}

static int read_member(struct reader *r, const struct shape *shape, PyObject *object, size_t *next)
{
	const struct field *field;
	PyObject *value;
	const char *key;
	size_t length;
	bool escaped;

	key = read_raw(r, &length, &escaped);
	if (!key)
		return -1;
	if (!take(r, ':')) {
		fail("a colon is wanted");
		return -1;
	}
	field = escaped ? NULL : find_field(shape, key, length, next);
	value = read_value(r, field ? field->below : NULL, true);
	if (!value)
		return -1;
	if (field)
		shape_put(field, object, value);
	else
		Py_DECREF(value);
	return 0;
}

static PyObject *read_object(struct reader *r, const struct shape *shape)
{
	PyObject *object = shape_new(shape);
	size_t next = 0;
	int more = 0;

	r->at++;
	for (bool first = true; object && (more = next_member(r, first)) > 0; first = false)
		if (read_member(r, shape, object, &next))
			Py_CLEAR(object);
	if (more < 0)
		Py_CLEAR(object);
	if (object)
		shape_complete(shape, object);
	return object;
}

static PyObject *read_any(struct reader *r, const struct shape *shape, bool tuples)
{
	switch (peek(r)) {
	case '{':
		return shape ? read_object(r, shape) : read_dict(r);
	case '[':
		return read_list(r, shape, tuples);
	case '"':
		return read_string(r);
	case 'n':
		return read_word(r, "null", Py_None);
	case 't':
		return read_word(r, "true", Py_True);
	case 'f':
		return read_word(r, "false", Py_False);
	default:
		return read_number(r);
	}
}

/* Lists become tuples in objects, and stay lists in dicts. */
static PyObject *read_value(struct reader *r, const struct shape *shape, bool tuples)
{
	PyObject *value;

	if (r->depth >= MAX_DEPTH)
		return fail("too deep");
	r->depth++;
	value = read_any(r, shape, tuples);
	r->depth--;
	return value;
}

PyObject *mptcp_read(PyObject *self, PyObject *args)
{
	struct reader reader = { 0 };
	struct shape *shape;
	PyObject *object;
	Py_ssize_t size;

	if (!PyArg_ParseTuple(args, "O&s#:read", shape_of, &shape, &reader.at, &size))
		return NULL;
	reader.end = reader.at + size;
	object = peek(&reader) == '{' ? read_value(&reader, shape, true)
				      : fail("an object is wanted");
	if (object && peek(&reader)) {
		Py_CLEAR(object);
		fail("something stands behind the object");
	}
	for (size_t i = 0; i < N_KNOWN; i++)
		Py_XDECREF(reader.known[i]);
	return object;
}
