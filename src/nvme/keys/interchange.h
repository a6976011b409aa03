/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys as text: "<name>-<version>:<hash>:<base64 of key and checksum>:". TLS keys and DH-HMAC-CHAP
 * secrets share the form; the checksum is the CRC-32 of the key, little endian.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEY_MAX 64

/* What distinguishes one kind of key from another. */
struct key_format {
	const char *name;
	unsigned char max_version; /* all from 0 or 1 to this */
	unsigned char min_version;
	unsigned char max_hash; /* enum nvme_hmac_alg */
};

extern const struct key_format key_format_tls, dhchap_key_format;

struct interchange_key {
	unsigned char data[KEY_MAX];
	size_t len;
	uint32_t crc;
	unsigned char version, hash;
};

enum key_fault {
	KEY_FINE,
	KEY_FAULT_NAME,
	KEY_FAULT_VERSION,
	KEY_FAULT_HASH,
	KEY_FAULT_LENGTH,
	KEY_FAULT_END,
	KEY_FAULT_BASE64,
	KEY_FAULT_CRC,
};

/* Reads @text strictly. @ret is written only if it is fine, and is the caller's to wipe. */
enum key_fault key_interchange_decode(const struct key_format *format, const char *text,
				      struct interchange_key *ret);

/* One sentence about @fault, without what the key contains; NULL for KEY_FINE. */
const char *key_fault_text(enum key_fault fault);

/* The errno that stands for @fault: EINVAL, or ENOKEY if only the checksum is wrong. */
int key_fault_errno(enum key_fault fault);

/* May a key of @len bytes be used with @hash? NVME_HMAC_ALG_NONE takes the lengths of all. */
bool key_len_fits(const struct key_format *format, unsigned char hash, size_t len);

/* The text of a key, malloc'ed, to be wiped by the caller; NULL without memory. */
char *key_interchange_encode(const struct key_format *format, unsigned char version,
			     unsigned char hash, const unsigned char *key, size_t len);
