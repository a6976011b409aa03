/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hash maps from strings and from numbers to pointers. Values belong to the caller. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct map;
struct idmap;

/* Room for @expected entries before the first growth; NULL if there is no memory. */
struct map *map_new(size_t expected);
void map_free(struct map *map);

/* Copies @key; an existing value is replaced. 0 or -ENOMEM. */
int map_put(struct map *map, const char *key, void *value);
/* NULL if @map or @key is NULL, or nothing is stored under @key. */
void *map_get(const struct map *map, const char *key);
void map_del(struct map *map, const char *key);

struct idmap *idmap_new(size_t expected);
void idmap_free(struct idmap *map);
int idmap_put(struct idmap *map, uint64_t key, void *value);
void *idmap_get(const struct idmap *map, uint64_t key);
