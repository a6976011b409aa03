/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TLS keys as text. Follows NVM Express TCP Transport, "PSK interchange format". */
#include "interchange.h"

unsigned char *nvme_import_tls_key_versioned(const char *encoded_key, unsigned char *version,
					     unsigned char *hmac, size_t *key_len)
{
	struct interchange_key key;
	unsigned char *data = key_import(&key_format_tls, encoded_key, &key);

	if (!data)
		return NULL;
	*version = key.version;
	*hmac = key.hash;
	*key_len = key.len;
	return data;
}

unsigned char *nvme_import_tls_key(const char *encoded_key, int *key_len, unsigned int *hmac)
{
	unsigned char version, hash;
	unsigned char *data;
	size_t len;

	data = nvme_import_tls_key_versioned(encoded_key, &version, &hash, &len);
	if (!data)
		return NULL;
	/* Callers do not get the version and expect a configured key, which is version 1. */
	if (version != 1) {
		explicit_bzero(data, len);
		free(data);
		return failure_null(-EINVAL);
	}
	*key_len = (int)len;
	*hmac = hash;
	return data;
}

char *nvme_export_tls_key_versioned(unsigned char version, unsigned char hmac,
				    const unsigned char *key_data, size_t key_len)
{
	return key_export(&key_format_tls, version, hmac, key_data, key_len);
}

char *nvme_export_tls_key(const unsigned char *key_data, int key_len)
{
	unsigned char hmac = key_len == 48 ? NVME_HMAC_ALG_SHA2_384 : NVME_HMAC_ALG_SHA2_256;

	if (key_len < 0)
		return failure_null(-EINVAL);
	return nvme_export_tls_key_versioned(1, hmac, key_data, (size_t)key_len);
}

const char *nvme_tls_key_error(const char *encoded_key)
{
	return key_error(&key_format_tls, encoded_key);
}
