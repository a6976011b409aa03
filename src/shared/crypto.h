/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The only place that calls the cryptographic library. */
#pragma once

#include "shared/std.h"

#define DIGEST_MAX 64

/* Return the digest size in bytes of an enum nvme_hmac_alg; 0 for NONE and unknown ones. */
size_t crypto_digest_len(int hash);

/* HMAC of RFC 2104; @ret has the digest size. Return 0 or -errno; -ELIBACC: no OpenSSL. */
int crypto_hmac(int hash, const unsigned char *key, size_t key_len, const unsigned char *data,
		size_t data_len, unsigned char *ret);

/* HKDF of RFC 5869, no salt, one step: crypto_digest_len(@hash) bytes. Return 0 or -errno. */
int crypto_hkdf(int hash, const unsigned char *key, size_t key_len, const unsigned char *info,
		size_t info_len, unsigned char *ret);
