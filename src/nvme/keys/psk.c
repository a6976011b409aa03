/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TLS keys as text. Follows NVM Express TCP Transport, "PSK interchange format". */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../keys.h"
#include "interchange.h"

unsigned char *nvme_import_tls_key_versioned(const char *encoded_key, unsigned char *version,
					     unsigned char *hmac, size_t *key_len)
{
	struct interchange_key key;
	unsigned char *data;
	enum key_fault fault;

	fault = key_interchange_decode(&key_format_tls, encoded_key, &key);
	if (fault) {
		errno = key_fault_errno(fault);
		return NULL;
	}
	data = malloc(key.len);
	if (data) {
		memcpy(data, key.data, key.len);
		*version = key.version;
		*hmac = key.hash;
		*key_len = key.len;
	} else {
		errno = ENOMEM;
	}
	explicit_bzero(&key, sizeof(key));
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
	/*
	 * Callers of this function do not get the version and expect a configured key, which is
	 * version 1.
	 */
	if (version != 1) {
		explicit_bzero(data, len);
		free(data);
		errno = EINVAL;
		return NULL;
	}
	*key_len = (int)len;
	*hmac = hash;
	return data;
}

char *nvme_export_tls_key_versioned(unsigned char version, unsigned char hmac,
				    const unsigned char *key_data, size_t key_len)
{
	char *text;

	if (!key_data || version > key_format_tls.max_version ||
	    !key_len_fits(&key_format_tls, hmac, key_len)) {
		errno = EINVAL;
		return NULL;
	}
	text = key_interchange_encode(&key_format_tls, version, hmac, key_data, key_len);
	if (!text)
		errno = ENOMEM;
	return text;
}

char *nvme_export_tls_key(const unsigned char *key_data, int key_len)
{
	unsigned char hmac = key_len == 48 ? NVME_HMAC_ALG_SHA2_384 : NVME_HMAC_ALG_SHA2_256;

	if (key_len < 0) {
		errno = EINVAL;
		return NULL;
	}
	return nvme_export_tls_key_versioned(1, hmac, key_data, (size_t)key_len);
}

const char *nvme_tls_key_error(const char *encoded_key)
{
	struct interchange_key key;
	enum key_fault fault = key_interchange_decode(&key_format_tls, encoded_key, &key);

	explicit_bzero(&key, sizeof(key));
	return key_fault_text(fault);
}
