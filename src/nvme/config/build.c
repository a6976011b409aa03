/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>

#include "build.h"

int config_json_add(struct json_object *object, const char *key, struct json_object *value)
{
	if (!value)
		return -ENOMEM;
	if (json_object_object_add(object, key, value) < 0) {
		json_object_put(value);
		return -ENOMEM;
	}
	return 0;
}

int config_json_add_string(struct json_object *object, const char *key, const char *value)
{
	return value ? config_json_add(object, key, json_object_new_string(value)) : 0;
}

struct json_object *config_json_add_array(struct json_object *object, const char *key)
{
	struct json_object *array = json_object_new_array();

	return config_json_add(object, key, array) ? NULL : array;
}

struct json_object *config_json_add_element(struct json_object *array)
{
	struct json_object *element = json_object_new_object();

	if (element && json_object_array_add(array, element) < 0) {
		json_object_put(element);
		element = NULL;
	}
	return element;
}
