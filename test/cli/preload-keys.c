// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A keyring for keys of type "psk", which take modules of the kernel. If there is a file $FAKE_DIR/keys, it has those
 * that are there: "HEX IDENTITY", one line each. What is added and revoked is appended to the file "written".
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload.h"

#define KEYRING 0x1001
#define FIRST_KEY 0x2001
#define MAX_KEYS 8

static struct {
	char identity[512], hex[129];
	bool revoked;
} keys[MAX_KEYS];

static int n_keys = -1; /* not read yet */

/* Without that file it is the kernel's. A library that Python has loaded for itself is not found. */
#define UNLESS_FAKE(type, name, parameters, ...) \
	do { \
		type(*next) parameters = (type(*) parameters)dlsym(RTLD_NEXT, #name); \
		if (preload_exists("keys")) \
			break; \
		if (next) \
			return next(__VA_ARGS__); \
		errno = ENOSYS; \
		return -1; \
	} while (0)

static void read_keys(void)
{
	char *text, *rest;

	if (n_keys >= 0)
		return;
	n_keys = 0;
	text = rest = preload_exists("keys") ? preload_load("keys", NULL) : NULL;
	for (char *line; (line = strsep(&rest, "\n")) && n_keys < MAX_KEYS;)
		if (sscanf(line, "%128s %511[^\n]", keys[n_keys].hex, keys[n_keys].identity) == 2)
			n_keys++;
	free(text);
}

int32_t find_key_by_type_and_desc(const char *type, const char *desc, int32_t ring)
{
	UNLESS_FAKE(int32_t, find_key_by_type_and_desc, (const char *, const char *, int32_t), type,
		    desc, ring);
	if (!strcmp(type, "keyring") && !strcmp(desc, ".nvme"))
		return KEYRING;
	errno = ENOKEY;
	return -1;
}

long keyctl_link(int32_t id, int32_t ring)
{
	UNLESS_FAKE(long, keyctl_link, (int32_t, int32_t), id, ring);
	preload_note("link %#x\n", (unsigned int)id);
	return 0;
}

long keyctl_search(int32_t ring, const char *type, const char *description, int32_t to)
{
	UNLESS_FAKE(long, keyctl_search, (int32_t, const char *, const char *, int32_t), ring, type,
		    description, to);
	read_keys();
	for (int i = 0; i < n_keys; i++)
		if (!keys[i].revoked && !strcmp(type, "psk") &&
		    !strcmp(keys[i].identity, description))
			return FIRST_KEY + i;
	errno = ENOKEY;
	return -1;
}

int keyctl_read_alloc(int32_t id, void **buffer)
{
	const char *hex;
	unsigned char *bytes;
	size_t length;

	UNLESS_FAKE(int, keyctl_read_alloc, (int32_t, void **), id, buffer);
	hex = keys[id - FIRST_KEY].hex;
	length = strlen(hex) / 2;
	bytes = malloc(length + 1);
	for (size_t i = 0; i < length; i++)
		sscanf(&hex[2 * i], "%2hhx", &bytes[i]);
	*buffer = bytes;
	return (int)length;
}

long keyctl_revoke(int32_t id)
{
	UNLESS_FAKE(long, keyctl_revoke, (int32_t), id);
	keys[id - FIRST_KEY].revoked = true;
	preload_note("revoke %#x\n", (unsigned int)id);
	return 0;
}

int32_t add_key(const char *type, const char *description, const void *payload, size_t length,
		int32_t ring)
{
	const unsigned char *bytes = payload;

	UNLESS_FAKE(int32_t, add_key, (const char *, const char *, const void *, size_t, int32_t),
		    type, description, payload, length, ring);
	read_keys();
	if (strcmp(type, "psk") != 0 || ring != KEYRING || n_keys == MAX_KEYS || length > 64) {
		errno = EINVAL;
		return -1;
	}
	for (size_t i = 0; i < length; i++)
		snprintf(&keys[n_keys].hex[2 * i], 3, "%02x", bytes[i]);
	snprintf(keys[n_keys].identity, sizeof(keys[n_keys].identity), "%s", description);
	preload_note("key %s %s\n", keys[n_keys].hex, description);
	return FIRST_KEY + n_keys++;
}
