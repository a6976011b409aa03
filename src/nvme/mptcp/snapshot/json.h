/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Building JSON documents: running out of memory is remembered and told once, at the end. */
#ifndef NVME_MPTCP_JSON_H
#define NVME_MPTCP_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

struct json_writer {
	bool failed;
};

struct json_object *json_dict(struct json_writer *w);
struct json_object *json_list(struct json_writer *w);

/* Valid UTF-8 whatever @value holds; NULL, which is JSON's null, for NULL. */
struct json_object *json_string(struct json_writer *w, const char *value);

/* Both take @value over. @key must live as long as @dict. */
void json_append(struct json_writer *w, struct json_object *list, struct json_object *value);
void json_put(struct json_writer *w, struct json_object *dict, const char *key,
	      struct json_object *value);

void json_put_string(struct json_writer *w, struct json_object *dict, const char *key,
		     const char *value);
/* NVME_MPTCP_UNKNOWN is null. */
void json_put_int(struct json_writer *w, struct json_object *dict, const char *key, int64_t value);
void json_put_bool(struct json_writer *w, struct json_object *dict, const char *key, int value);
/* The names of bits 0 to @n - 1, and the others as one number. */
void json_put_flags(struct json_writer *w, struct json_object *dict, const char *key, int64_t flags,
		    const char *const *names, size_t n);

/* The document as a string to be freed, or NULL with errno ENOMEM; @top is released. */
char *json_finish(struct json_writer *w, struct json_object *top, bool pretty);

#endif /* NVME_MPTCP_JSON_H */
