/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys as text: "<name>-<version>:<hash>:<base64 of key and checksum>:". TLS keys and DH-HMAC-CHAP
 * secrets share this format; the checksum is the CRC-32 of the key, little-endian.
 */
#pragma once

#include "../keys.h"
#include "base/base.h"

#define KEY_MAX 64

/* The parameters of a kind of key. */
struct key_format {
	const char *name;
	unsigned char max_version; /* highest version */
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

/* Parse @text strictly. @ret is written only on KEY_FINE; the caller must wipe it. */
enum key_fault key_interchange_decode(const struct key_format *format, const char *text,
				      struct interchange_key *ret);

/* Return the text of a key, to be wiped and freed; NULL if out of memory. */
char *key_interchange_encode(const struct key_format *format, unsigned char version,
			     unsigned char hash, const unsigned char *key, size_t len);

/*
 * Return the bytes of the key in @text, to be wiped and freed, and the rest in @ret; NULL with
 * errno ENOMEM, EINVAL, or ENOKEY if only the checksum is wrong.
 */
unsigned char *key_import(const struct key_format *format, const char *text,
			  struct interchange_key *ret);

/* Like key_interchange_encode(), but check the parameters; NULL with errno. */
char *key_export(const struct key_format *format, unsigned char version, unsigned char hash,
		 const unsigned char *key, size_t len);

/* Return why @text is no key, without any part of it; NULL if it is one. */
const char *key_error(const struct key_format *format, const char *text);
