/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef NVME_CONFIG_WRITE_H
#define NVME_CONFIG_WRITE_H

#include <json.h>
#include <stddef.h>

/* The text of @json as all files and dumps have it, owned by @json; NULL without memory. */
const char *config_text(struct json_object *json);

/* All @len bytes. 0 or -errno. */
int config_write_all(int fd, const char *text, size_t len);

#endif /* NVME_CONFIG_WRITE_H */
