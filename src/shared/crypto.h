/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The only place that calls the cryptographic library. */
#pragma once

#include <stddef.h>

#define DIGEST_MAX 64

/* Bytes that a hash function (enum nvme_hmac_alg) yields; 0 for NONE and what is not defined. */
size_t crypto_digest_len(int hash);

/*
 * HMAC of RFC 2104; @ret takes crypto_digest_len(@hash) bytes. 0, -EINVAL, -EIO, or -ELIBACC where OpenSSL is
 * not installed.
 */
int crypto_hmac(int hash, const unsigned char *key, size_t key_len, const unsigned char *data,
		size_t data_len, unsigned char *ret);

/*
 * HKDF of RFC 5869 with no salt, for output of crypto_digest_len(@hash) bytes, which is one step of its
 * expansion. 0, -EINVAL, -ENOMEM, -EIO, or -ELIBACC.
 */
int crypto_hkdf(int hash, const unsigned char *key, size_t key_len, const unsigned char *info,
		size_t info_len, unsigned char *ret);
