/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open addressing with linear probing, at most three quarters full. Deleting moves later entries of
 * the same run back, so there are no tombstones.
 */
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

/* A slot is free if @key is NULL. */
struct slot {
	uint64_t hash;
	char *key;
	void *value;
};

struct table {
	struct slot *slots;
	size_t n_slots;
	size_t count;
};

struct map {
	struct table table;
};

/* Its hashes are bijective and decide alone: all keys are id_key. */
struct idmap {
	struct table table;
};

static char id_key[] = "";

/* FNV-1a, with a final mix because the low bits choose the slot. */
static uint64_t hash_string(const char *s)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *s; s++)
		hash = (hash ^ (unsigned char)*s) * 0x100000001b3;
	return hash ^ hash >> 32;
}

/* The finalizer of splitmix64. */
static uint64_t hash_id(uint64_t id)
{
	id = (id ^ id >> 30) * 0xbf58476d1ce4e5b9;
	id = (id ^ id >> 27) * 0x94d049bb133111eb;
	return id ^ id >> 31;
}

/* Return the slot of @key, or the free slot where it belongs. */
static struct slot *find_slot(const struct table *table, const char *key, uint64_t hash)
{
	size_t i = hash & (table->n_slots - 1);

	while (table->slots[i].key &&
	       (table->slots[i].hash != hash || strcmp(table->slots[i].key, key) != 0))
		i = (i + 1) & (table->n_slots - 1);
	return &table->slots[i];
}

/* Allocate a map of @size bytes, which begins with its table. */
static void *new_map(size_t size, size_t expected)
{
	struct table *table = calloc(1, size);

	if (!table)
		return NULL;
	table->n_slots = slots_for(expected);
	table->slots = calloc(table->n_slots, sizeof(*table->slots));
	if (!table->slots) {
		free(table);
		return NULL;
	}
	return table;
}

static int grow(struct table *table)
{
	struct table larger = { .n_slots = table->n_slots * 2, .count = table->count };

	larger.slots = calloc(larger.n_slots, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < table->n_slots; i++)
		if (table->slots[i].key)
			*find_slot(&larger, table->slots[i].key, table->slots[i].hash) =
				table->slots[i];
	free(table->slots);
	*table = larger;
	return 0;
}

/* Return the slot of @key, or a free one in a table that has space for it; NULL without memory. */
static struct slot *slot_to_put(struct table *table, const char *key, uint64_t hash)
{
	struct slot *slot = find_slot(table, key, hash);

	if (slot->key || !is_full(table->count, table->n_slots))
		return slot;
	return grow(table) ? NULL : find_slot(table, key, hash);
}

struct map *map_new(size_t expected)
{
	return new_map(sizeof(struct map), expected);
}

void map_free(struct map *map)
{
	if (!map)
		return;
	for (size_t i = 0; i < map->table.n_slots; i++)
		free(map->table.slots[i].key);
	free(map->table.slots);
	free(map);
}

int map_put(struct map *map, const char *key, void *value)
{
	uint64_t hash = hash_string(key);
	struct slot *slot = slot_to_put(&map->table, key, hash);

	if (!slot)
		return -ENOMEM;
	if (!slot->key) {
		slot->key = strdup(key);
		if (!slot->key)
			return -ENOMEM;
		slot->hash = hash;
		map->table.count++;
	}
	slot->value = value;
	return 0;
}

void *map_get(const struct map *map, const char *key)
{
	if (!map || !key)
		return NULL;
	return find_slot(&map->table, key, hash_string(key))->value;
}

void map_del(struct map *map, const char *key)
{
	struct table *table;
	struct slot *slot;
	size_t hole, i;

	if (!map || !key)
		return;
	table = &map->table;
	slot = find_slot(table, key, hash_string(key));
	if (!slot->key)
		return;
	free(slot->key);
	table->count--;
	hole = (size_t)(slot - table->slots);
	for (i = (hole + 1) & (table->n_slots - 1); table->slots[i].key;
	     i = (i + 1) & (table->n_slots - 1)) {
		if (!may_move(table->slots[i].hash & (table->n_slots - 1), hole, i))
			continue;
		table->slots[hole] = table->slots[i];
		hole = i;
	}
	table->slots[hole] = (struct slot){ 0 };
}

struct idmap *idmap_new(size_t expected)
{
	return new_map(sizeof(struct idmap), expected);
}

void idmap_free(struct idmap *map)
{
	if (!map)
		return;
	free(map->table.slots);
	free(map);
}

int idmap_put(struct idmap *map, uint64_t key, void *value)
{
	uint64_t hash = hash_id(key);
	struct slot *slot = slot_to_put(&map->table, id_key, hash);

	if (!slot)
		return -ENOMEM;
	map->table.count += !slot->key;
	*slot = (struct slot){ hash, id_key, value };
	return 0;
}

void *idmap_get(const struct idmap *map, uint64_t key)
{
	return map ? find_slot(&map->table, id_key, hash_id(key))->value : NULL;
}
