/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hash maps from strings or numbers to pointers. The caller owns the values. */
#pragma once

#include "cleanup.h"

struct map;
struct idmap;

/* Allocate a map that holds @expected entries without growing. NULL if out of memory. */
struct map *map_new(size_t expected);
void map_free(struct map *map);

/* Store @value under a copy of @key, replacing an existing value. Return 0 or -ENOMEM. */
int map_put(struct map *map, const char *key, void *value);
/* Return NULL if @map or @key is NULL or there is no entry for @key. */
void *map_get(const struct map *map, const char *key);
void map_del(struct map *map, const char *key);

struct idmap *idmap_new(size_t expected);
void idmap_free(struct idmap *map);
DEFINE_CLEANUP(struct idmap *, idmap_free);
int idmap_put(struct idmap *map, uint64_t key, void *value);
void *idmap_get(const struct idmap *map, uint64_t key);
