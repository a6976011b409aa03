/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The only place that calls the cryptographic library. */
#pragma once

#include <stddef.h>

#define DIGEST_MAX 64

/*
 * Return the digest size in bytes of a hash function (enum nvme_hmac_alg); 0 for NONE and unknown
 * ones.
 */
size_t crypto_digest_len(int hash);

/*
 * Compute the HMAC of RFC 2104; @ret must hold crypto_digest_len(@hash) bytes. Return 0, -EINVAL,
 * -EIO, or -ELIBACC if OpenSSL is not installed.
 */
int crypto_hmac(int hash, const unsigned char *key, size_t key_len, const unsigned char *data,
		size_t data_len, unsigned char *ret);

/*
 * Compute the HKDF of RFC 5869 without salt, for an output of crypto_digest_len(@hash) bytes, which
 * takes one step of its expansion. Return 0, -EINVAL, -ENOMEM, -EIO or -ELIBACC.
 */
int crypto_hkdf(int hash, const unsigned char *key, size_t key_len, const unsigned char *info,
		size_t info_len, unsigned char *ret);
