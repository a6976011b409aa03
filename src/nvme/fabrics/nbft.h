/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The NVMe Boot Firmware Table while it is taken apart (NVM Express Boot Specification 1.0). It was
 * written by firmware from what a network sent it: nothing in it is believed.
 *
 * Descriptors are copied out before they are looked at, because nothing aligns them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "../nbft.h"

DEFINE_CLEANUP(struct nbft_info *, nvme_nbft_free);

struct nbft_table {
	const char *name; /* of the file, for messages */
	__u8 *raw;
	uint32_t len;
	uint32_t heap_offset, heap_len;
	struct nbft_control control;
};

/* Takes @raw of @len bytes, always. 0 and a table to free with nvme_nbft_free(), -EINVAL, -ENOMEM. */
int nbft_parse(const char *name, __u8 *raw, size_t len, struct nbft_info **ret);

/* Copies a structure out of the table; false if it does not lie inside. */
bool nbft_copy(const struct nbft_table *table, uint64_t offset, void *to, size_t len);

/* The bytes of a heap object, which has at least @min of them; NULL if it has not, or is outside. */
const __u8 *nbft_heap_object(const struct nbft_table *table, const struct nbft_heap_obj *obj,
			     size_t min);

/* The string of a heap object, to be freed; NULL for an empty one. 0, -EINVAL, -ENOMEM. */
int nbft_heap_string(const struct nbft_table *table, const struct nbft_heap_obj *obj, char **ret);

/* nbft-descriptor.c: one valid descriptor at @offset, which lies inside, added to @nbft's list. */
int nbft_add_hfi(const struct nbft_table *table, uint32_t offset, struct nbft_info *nbft);
int nbft_add_security(const struct nbft_table *table, uint32_t offset, struct nbft_info *nbft);
int nbft_add_discovery(const struct nbft_table *table, uint32_t offset, struct nbft_info *nbft);

/* nbft-subsystem.c: after the others, because it refers to them. */
int nbft_add_subsystem(const struct nbft_table *table, uint32_t offset, struct nbft_info *nbft);
void nbft_subsystem_free(struct nbft_info_subsystem_ns *info);

/* Descriptors of a list by their index, or NULL. */
struct nbft_info_hfi *nbft_find_hfi(const struct nbft_info *nbft, int index);
struct nbft_info_security *nbft_find_security(const struct nbft_info *nbft, int index);
struct nbft_info_discovery *nbft_find_discovery(const struct nbft_info *nbft, int index);

/* 16 bytes as text: IPv4 if they are a v4-mapped address. */
void nbft_address(const __u8 in6[16], char text[40]);

/* The transport's name if the table's layouts are defined for it, else NULL. */
const char *nbft_transport(__u8 trtype);

/* Ends a NULL-terminated list with one more element. */
#define nbft_append(list, element) \
	do { \
		__typeof__(list) last = (list); \
		while (*last) \
			last++; \
		*last = (element); \
	} while (0)
