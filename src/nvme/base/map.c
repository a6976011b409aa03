/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open addressing with linear probing, at most three quarters full. Deleting moves later entries of
 * the same run back, so there are no tombstones.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"

#define MIN_SLOTS 16

static size_t slots_for(size_t expected)
{
	size_t slots = MIN_SLOTS;

	while (slots - slots / 4 < expected && slots <= SIZE_MAX / 4)
		slots *= 2;
	return slots;
}

static bool is_full(size_t count, size_t slots)
{
	return count >= slots - slots / 4;
}

/* True if an entry with home slot @home is still found after it moves from @from back to @hole. */
static bool may_move(size_t home, size_t hole, size_t from)
{
	if (hole <= from)
		return home <= hole || home > from;
	return home <= hole && home > from;
}

struct slot {
	uint64_t hash;
	char *key;
	void *value;
};

struct map {
	struct slot *slots;
	size_t n_slots;
	size_t count;
};

/* FNV-1a, with a final mix because the low bits choose the slot. */
static uint64_t hash_string(const char *s)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *s; s++)
		hash = (hash ^ (unsigned char)*s) * 0x100000001b3;
	return hash ^ hash >> 32;
}

struct map *map_new(size_t expected)
{
	struct map *map = calloc(1, sizeof(*map));

	if (!map)
		return NULL;
	map->n_slots = slots_for(expected);
	map->slots = calloc(map->n_slots, sizeof(*map->slots));
	if (!map->slots) {
		free(map);
		return NULL;
	}
	return map;
}

void map_free(struct map *map)
{
	if (!map)
		return;
	for (size_t i = 0; i < map->n_slots; i++)
		free(map->slots[i].key);
	free(map->slots);
	free(map);
}

/* Return the slot of @key, or the free slot where it belongs. */
static struct slot *map_slot(const struct map *map, const char *key, uint64_t hash)
{
	size_t i = hash & (map->n_slots - 1);

	while (map->slots[i].key &&
	       (map->slots[i].hash != hash || strcmp(map->slots[i].key, key) != 0))
		i = (i + 1) & (map->n_slots - 1);
	return &map->slots[i];
}

static int map_grow(struct map *map)
{
	struct map larger = { .n_slots = map->n_slots * 2 };

	larger.slots = calloc(larger.n_slots, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < map->n_slots; i++)
		if (map->slots[i].key)
			*map_slot(&larger, map->slots[i].key, map->slots[i].hash) = map->slots[i];
	free(map->slots);
	map->slots = larger.slots;
	map->n_slots = larger.n_slots;
	return 0;
}

int map_put(struct map *map, const char *key, void *value)
{
	uint64_t hash = hash_string(key);
	struct slot *slot = map_slot(map, key, hash);
	char *copy;

	if (slot->key) {
		slot->value = value;
		return 0;
	}
	if (is_full(map->count, map->n_slots)) {
		if (map_grow(map))
			return -ENOMEM;
		slot = map_slot(map, key, hash);
	}
	copy = strdup(key);
	if (!copy)
		return -ENOMEM;
	*slot = (struct slot){ hash, copy, value };
	map->count++;
	return 0;
}

void *map_get(const struct map *map, const char *key)
{
	if (!map || !key)
		return NULL;
	return map_slot(map, key, hash_string(key))->value;
}

void map_del(struct map *map, const char *key)
{
	size_t hole, i;
	struct slot *slot;

	if (!map || !key)
		return;
	slot = map_slot(map, key, hash_string(key));
	if (!slot->key)
		return;
	free(slot->key);
	map->count--;
	hole = (size_t)(slot - map->slots);
	for (i = (hole + 1) & (map->n_slots - 1); map->slots[i].key;
	     i = (i + 1) & (map->n_slots - 1)) {
		if (!may_move(map->slots[i].hash & (map->n_slots - 1), hole, i))
			continue;
		map->slots[hole] = map->slots[i];
		hole = i;
	}
	map->slots[hole] = (struct slot){ 0 };
}

struct id_slot {
	uint64_t key;
	void *value;
	bool used;
};

struct idmap {
	struct id_slot *slots;
	size_t n_slots;
	size_t count;
};

/* The finalizer of splitmix64. */
static uint64_t hash_id(uint64_t id)
{
	id = (id ^ id >> 30) * 0xbf58476d1ce4e5b9;
	id = (id ^ id >> 27) * 0x94d049bb133111eb;
	return id ^ id >> 31;
}

struct idmap *idmap_new(size_t expected)
{
	struct idmap *map = calloc(1, sizeof(*map));

	if (!map)
		return NULL;
	map->n_slots = slots_for(expected);
	map->slots = calloc(map->n_slots, sizeof(*map->slots));
	if (!map->slots) {
		free(map);
		return NULL;
	}
	return map;
}

void idmap_free(struct idmap *map)
{
	if (!map)
		return;
	free(map->slots);
	free(map);
}

static struct id_slot *idmap_slot(const struct idmap *map, uint64_t key)
{
	size_t i = hash_id(key) & (map->n_slots - 1);

	while (map->slots[i].used && map->slots[i].key != key)
		i = (i + 1) & (map->n_slots - 1);
	return &map->slots[i];
}

static int idmap_grow(struct idmap *map)
{
	struct idmap larger = { .n_slots = map->n_slots * 2 };

	larger.slots = calloc(larger.n_slots, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < map->n_slots; i++)
		if (map->slots[i].used)
			*idmap_slot(&larger, map->slots[i].key) = map->slots[i];
	free(map->slots);
	map->slots = larger.slots;
	map->n_slots = larger.n_slots;
	return 0;
}

int idmap_put(struct idmap *map, uint64_t key, void *value)
{
	struct id_slot *slot = idmap_slot(map, key);

	if (slot->used) {
		slot->value = value;
		return 0;
	}
	if (is_full(map->count, map->n_slots)) {
		if (idmap_grow(map))
			return -ENOMEM;
		slot = idmap_slot(map, key);
	}
	*slot = (struct id_slot){ key, value, true };
	map->count++;
	return 0;
}

void *idmap_get(const struct idmap *map, uint64_t key)
{
	return map ? idmap_slot(map, key)->value : NULL;
}
