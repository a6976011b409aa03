/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DH-HMAC-CHAP secrets. Follows NVM Express Base, "DH-HMAC-CHAP Security Requirements". */
#include "interchange.h"
#include "shared/crypto.h"

int nvme_gen_dhchap_key(char *hostnqn, enum nvme_hmac_alg hmac_alg, unsigned int key_len,
			unsigned char *secret, unsigned char *key)
{
	_cleanup_(free) char *message = NULL;

	if (!key_len || !secret || !key)
		return failure_errno(-EINVAL);
	if (hmac_alg == NVME_HMAC_ALG_NONE) {
		memmove(key, secret, key_len);
		return 0;
	}
	if (!hostnqn || key_len != crypto_digest_len((int)hmac_alg))
		return failure_errno(-EINVAL);
	message = str_format("%sNVMe-over-Fabrics", hostnqn);
	if (!message)
		return failure_errno(-ENOMEM);
	return failure_errno(crypto_hmac((int)hmac_alg, secret, key_len, (unsigned char *)message,
					 strlen(message), key));
}

char *nvme_export_dhchap_key(enum nvme_hmac_alg hmac_alg, const unsigned char *key, size_t key_len)
{
	if (hmac_alg > NVME_HMAC_ALG_SHA2_512)
		return failure_null(-EINVAL);
	return key_export(&dhchap_key_format, 1, (unsigned char)hmac_alg, key, key_len);
}

unsigned char *nvme_import_dhchap_key(const char *encoded_key, enum nvme_hmac_alg *hmac_alg,
				      size_t *key_len, __u32 *crc)
{
	struct interchange_key key;
	unsigned char *data = key_import(&dhchap_key_format, encoded_key, &key);

	if (!data)
		return NULL;
	*hmac_alg = (enum nvme_hmac_alg)key.hash;
	*key_len = key.len;
	if (crc)
		*crc = key.crc;
	return data;
}

const char *nvme_dhchap_key_error(const char *encoded_key)
{
	return key_error(&dhchap_key_format, encoded_key);
}
