/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DH-HMAC-CHAP secrets. Follows NVM Express Base, "DH-HMAC-CHAP Security Requirements". */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "../keys.h"
#include "interchange.h"
#include "shared/crypto.h"

int nvme_gen_dhchap_key(char *hostnqn, enum nvme_hmac_alg hmac_alg, unsigned int key_len,
			unsigned char *secret, unsigned char *key)
{
	_cleanup_(free) char *message = NULL;
	int len, err;

	if (!key_len || !secret || !key) {
		errno = EINVAL;
		return -1;
	}
	if (hmac_alg == NVME_HMAC_ALG_NONE) {
		memmove(key, secret, key_len);
		return 0;
	}
	if (!hostnqn || key_len != crypto_digest_len((int)hmac_alg)) {
		errno = EINVAL;
		return -1;
	}
	len = asprintf(&message, "%sNVMe-over-Fabrics", hostnqn);
	if (len < 0) {
		message = NULL;
		errno = ENOMEM;
		return -1;
	}
	err = crypto_hmac((int)hmac_alg, secret, key_len, (unsigned char *)message, (size_t)len,
			  key);
	if (err) {
		errno = -err;
		return -1;
	}
	return 0;
}

char *nvme_export_dhchap_key(enum nvme_hmac_alg hmac_alg, const unsigned char *key, size_t key_len)
{
	char *text;

	if (!key || hmac_alg > NVME_HMAC_ALG_SHA2_512 ||
	    !key_len_fits(&dhchap_key_format, (unsigned char)hmac_alg, key_len)) {
		errno = EINVAL;
		return NULL;
	}
	text = key_interchange_encode(&dhchap_key_format, 1, (unsigned char)hmac_alg, key, key_len);
	if (!text)
		errno = ENOMEM;
	return text;
}

unsigned char *nvme_import_dhchap_key(const char *encoded_key, enum nvme_hmac_alg *hmac_alg,
				      size_t *key_len, __u32 *crc)
{
	struct interchange_key key;
	enum key_fault fault;
	unsigned char *data;

	fault = key_interchange_decode(&dhchap_key_format, encoded_key, &key);
	if (fault) {
		errno = key_fault_errno(fault);
		return NULL;
	}
	data = malloc(key.len);
	if (data) {
		memcpy(data, key.data, key.len);
		*hmac_alg = (enum nvme_hmac_alg)key.hash;
		*key_len = key.len;
		if (crc)
			*crc = key.crc;
	} else {
		errno = ENOMEM;
	}
	explicit_bzero(&key, sizeof(key));
	return data;
}

const char *nvme_dhchap_key_error(const char *encoded_key)
{
	struct interchange_key key;
	enum key_fault fault = key_interchange_decode(&dhchap_key_format, encoded_key, &key);

	explicit_bzero(&key, sizeof(key));
	return key_fault_text(fault);
}
