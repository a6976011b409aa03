/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What functions that send no command return, one line each: the call as it stands in the source,
 * what it was called with, and the result. The same program runs over two libraries.
 */
#ifndef TEST_OBJECTS_H
#define TEST_OBJECTS_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <libnvme.h>

/* Prints a call with what it returned; @of is the object or argument, as text. */
#define TEXT(of, call) objects_text(#call, of, call)
#define OWNED(of, call) objects_owned(#call, of, call)
#define NUMBER(of, call) objects_number(#call, of, (long long)(call))
#define RESULT(of, call) objects_result(#call, of, (errno = 0, (long long)(call)))
#define BYTES(of, call, size) objects_bytes(#call, of, call, size)

void objects_text(const char *call, const char *of, const char *text);
void objects_owned(const char *call, const char *of, char *text); /* freed */
void objects_number(const char *call, const char *of, long long number);
void objects_result(const char *call, const char *of, long long result); /* with errno, if < 0 */
void objects_bytes(const char *call, const char *of, const void *bytes, size_t size);

/* The parts, by name: what the machine has to hold differs. */
void objects_tree(void);
void objects_values(void);
void objects_keys(void);
void objects_fabrics(void);
void objects_config(void);
void objects_logs(void);

#endif /* TEST_OBJECTS_H */
