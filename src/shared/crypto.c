/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Load OpenSSL with the first key: relocating it takes longer than the rest of a start. */
#include <dlfcn.h>
#include <pthread.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/opensslv.h>

#include <nvme/keys.h>

#include "cleanup.h"
#include "crypto.h"

#define SONAME_OF(version) "libcrypto.so." #version
#define SONAME(version) SONAME_OF(version)

/* Functions of libcrypto, with the types that its headers declare. */
struct crypto {
	__typeof__(&OSSL_LIB_CTX_get0_global_default) context;
	__typeof__(&HMAC) hmac;
	__typeof__(&EVP_sha256) sha256, sha384, sha512;
};

static bool find(void *library, const char *name, void *function)
{
	void *found = dlsym(library, name);

	/* ISO C cannot convert void * to a function pointer; POSIX gives both the same form. */
	memcpy(function, &found, sizeof(found));
	return found;
}

/* Load libcrypto for good. A failure may be lack of memory, so the next caller tries again. */
static const struct crypto *crypto(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct crypto loaded;
	static bool is_loaded;
	void *library;

	pthread_mutex_lock(&lock);
	if (!is_loaded) {
		library = dlopen(SONAME(OPENSSL_SHLIB_VERSION), RTLD_NOW | RTLD_LOCAL);
		if (library && find(library, "OSSL_LIB_CTX_get0_global_default", &loaded.context) &&
		    find(library, "HMAC", &loaded.hmac) &&
		    find(library, "EVP_sha256", &loaded.sha256) &&
		    find(library, "EVP_sha384", &loaded.sha384) &&
		    find(library, "EVP_sha512", &loaded.sha512))
			is_loaded = true;
		else if (library)
			dlclose(library);
	}
	pthread_mutex_unlock(&lock);
	return is_loaded ? &loaded : NULL;
}

size_t crypto_digest_len(int hash)
{
	static const unsigned char bytes[] = {
		[NVME_HMAC_ALG_SHA2_256] = 32,
		[NVME_HMAC_ALG_SHA2_384] = 48,
		[NVME_HMAC_ALG_SHA2_512] = 64,
	};

	return hash >= 0 && (size_t)hash < sizeof(bytes) ? bytes[hash] : 0;
}

int crypto_hmac(int hash, const unsigned char *key, size_t key_len, const unsigned char *data,
		size_t data_len, unsigned char *ret)
{
	unsigned char result[DIGEST_MAX];
	const struct crypto *c;
	const EVP_MD *md;
	unsigned int len;

	if (!crypto_digest_len(hash) || key_len > INT_MAX)
		return -EINVAL;
	c = crypto();
	if (!c)
		return -ELIBACC;
	/* If its initialization ran out of memory, OpenSSL 3.0 goes on and crashes. */
	if (!c->context())
		return -ENOMEM;
	md = hash == NVME_HMAC_ALG_SHA2_256   ? c->sha256()
	     : hash == NVME_HMAC_ALG_SHA2_384 ? c->sha384()
					      : c->sha512();
	errno = 0;
	if (!c->hmac(md, key, (int)key_len, data, data_len, result, &len))
		return errno == ENOMEM ? -ENOMEM : -EIO;
	memcpy(ret, result, len);
	explicit_bzero(result, sizeof(result));
	return 0;
}

int crypto_hkdf(int hash, const unsigned char *key, size_t key_len, const unsigned char *info,
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
	err = crypto_hmac(hash, no_salt, crypto_digest_len(hash), key, key_len, prk);
	if (!err)
		err = crypto_hmac(hash, prk, crypto_digest_len(hash), block, info_len + 1, ret);
	explicit_bzero(prk, sizeof(prk));
	return err;
}
