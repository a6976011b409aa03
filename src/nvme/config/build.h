/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON documents piece by piece; what was added belongs to what it was added to. */
#ifndef NVME_CONFIG_BUILD_H
#define NVME_CONFIG_BUILD_H

#include <json.h>

/* Takes @value over, also on failure; NULL counts as one. 0 or -ENOMEM. */
int config_json_add(struct json_object *object, const char *key, struct json_object *value);

/* Nothing is added for NULL. */
int config_json_add_string(struct json_object *object, const char *key, const char *value);

/* An empty array under @key of @object, an empty object at the end of @array; NULL: no memory. */
struct json_object *config_json_add_array(struct json_object *object, const char *key);
struct json_object *config_json_add_element(struct json_object *array);

#endif /* NVME_CONFIG_BUILD_H */
