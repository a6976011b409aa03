/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "../cleanup.h"
#include "../keys.h"
#include "crypto.h"

static const EVP_MD *digest(int hash)
{
	switch (hash) {
	case NVME_HMAC_ALG_SHA2_256:
		return EVP_sha256();
	case NVME_HMAC_ALG_SHA2_384:
		return EVP_sha384();
	case NVME_HMAC_ALG_SHA2_512:
		return EVP_sha512();
	default:
		return NULL;
	}
}

size_t digest_len(int hash)
{
	const EVP_MD *md = digest(hash);

	return md ? (size_t)EVP_MD_get_size(md) : 0;
}

int hmac(int hash, const unsigned char *key, size_t key_len, const unsigned char *data,
	 size_t data_len, unsigned char *ret)
{
	unsigned char result[DIGEST_MAX];
	const EVP_MD *md = digest(hash);
	unsigned int len;

	if (!md || key_len > INT_MAX)
		return -EINVAL;
	if (!HMAC(md, key, (int)key_len, data, data_len, result, &len))
		return -EIO;
	memcpy(ret, result, len);
	explicit_bzero(result, sizeof(result));
	return 0;
}

int hkdf(int hash, const unsigned char *key, size_t key_len, const unsigned char *info,
	 size_t info_len, unsigned char *ret)
{
	static const unsigned char no_salt[DIGEST_MAX];
	unsigned char prk[DIGEST_MAX];
	_cleanup_(free) unsigned char *block = NULL;
	int err;

	block = malloc(info_len + 1);
	if (!block)
		return -ENOMEM;
	memcpy(block, info, info_len);
	block[info_len] = 1;
	err = hmac(hash, no_salt, digest_len(hash), key, key_len, prk);
	if (!err)
		err = hmac(hash, prk, digest_len(hash), block, info_len + 1, ret);
	explicit_bzero(prk, sizeof(prk));
	return err;
}
