/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parsing the NVMe Boot Firmware Table (NVM Express Boot Specification 1.0). Firmware builds it
 * from network data, so nothing in it is trusted.
 *
 * Descriptors are copied before use because they are not aligned.
 */
#pragma once

#include "base/cleanup.h"
#include "../nbft.h"

DEFINE_CLEANUP(struct nbft_info *, nvme_nbft_free);

struct nbft_table {
	const char *name; /* file name, for messages */
	__u8 *raw;
	uint32_t len;
	uint32_t heap_offset, heap_len;
	struct nbft_control control;
};

/*
 * Parse @raw of @len bytes and take ownership of it, also on failure. Return 0 and a table to free
 * with nvme_nbft_free(), -EINVAL or -ENOMEM.
 */
int nbft_parse(const char *name, __u8 *raw, size_t len, struct nbft_info **ret);

/* Copy a structure out of the table. False if it is out of bounds. */
bool nbft_copy(const struct nbft_table *table, uint64_t offset, void *to, size_t len);

/* Return the bytes of a heap object; NULL if it has less than @min or is out of bounds. */
const __u8 *nbft_heap_object(const struct nbft_table *table, const struct nbft_heap_obj *obj,
			     size_t min);

/* Copy the string of a heap object, to be freed; NULL if empty. Return 0, -EINVAL or -ENOMEM. */
int nbft_heap_string(const struct nbft_table *table, const struct nbft_heap_obj *obj, char **ret);

/* nbft-descriptor.c: add the descriptor at @offset to @nbft's list if it is valid. */
int nbft_add_hfi(const struct nbft_table *table, uint32_t offset, struct nbft_info *nbft);
int nbft_add_security(const struct nbft_table *table, uint32_t offset, struct nbft_info *nbft);
int nbft_add_discovery(const struct nbft_table *table, uint32_t offset, struct nbft_info *nbft);

/* nbft-subsystem.c: call it last, because it refers to the other descriptors. */
int nbft_add_subsystem(const struct nbft_table *table, uint32_t offset, struct nbft_info *nbft);
void nbft_subsystem_free(struct nbft_info_subsystem_ns *info);

/* Return a descriptor by its index, or NULL. */
struct nbft_info_hfi *nbft_find_hfi(const struct nbft_info *nbft, int index);
struct nbft_info_security *nbft_find_security(const struct nbft_info *nbft, int index);
struct nbft_info_discovery *nbft_find_discovery(const struct nbft_info *nbft, int index);

/* Format 16 bytes as IPv6, or as IPv4 if they are a v4-mapped address. */
void nbft_address(const __u8 in6[16], char text[40]);

/* Return the transport's name if the table's layout is defined for it, otherwise NULL. */
const char *nbft_transport(__u8 trtype);

/* Append an element to a NULL-terminated list with enough space. */
#define nbft_append(list, element) \
	do { \
		__typeof__(list) last = (list); \
		while (*last) \
			last++; \
		*last = (element); \
	} while (0)
