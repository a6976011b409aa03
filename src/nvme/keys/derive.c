/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Key derivation of the NVM Express TCP Transport Specification, "TLS PSK and PSK Identity
 * Derivation":
 *
 *	retained key = HKDF-Expand-Label(HKDF-Extract(0, configured key), "HostNQN", hostnqn)
 *	PSK = HKDF-Expand-Label(HKDF-Extract(0, retained key), "nvme-tls-psk", context)
 *
 * with the labels of RFC 8446 section 7.1. The context of version 0 is the identity, that of
 * version 1 "<hash> <digest>", where <digest> is the end of the identity.
 */
#include "base/base64.h"
#include "derive.h"

#define NQN_MAX 223
/*
 * Maximum size of the HKDF info: length, then "tls13 nvme-tls-psk" and "NVMe0R01 <NQN> <NQN>" with
 * a length byte before each.
 */
#define INFO_MAX (2 + 1 + 18 + 1 + 9 + NQN_MAX + 1 + NQN_MAX)

void psk_clear(struct psk *psk)
{
	free(psk->identity);
	explicit_bzero(psk, sizeof(*psk));
}

/* HKDF-Expand-Label of RFC 8446, or if @compat the variant that libnvme used before 1.16. */
static int expand_label(int hash, const unsigned char *key, const char *label, const char *context,
			bool compat, unsigned char *ret)
{
	size_t label_len = strlen(label), context_len = strlen(context), n = 0;
	unsigned int len = (unsigned int)crypto_digest_len(hash);
	unsigned char info[INFO_MAX];

	if (!compat && context_len > UINT8_MAX)
		return -EINVAL;
	info[n++] = (unsigned char)(compat ? len : len >> 8);
	info[n++] = (unsigned char)(compat ? len >> 8 : len);
	if (!compat)
		info[n++] = (unsigned char)label_len;
	memcpy(info + n, label, label_len);
	n += label_len;
	if (!compat)
		info[n++] = (unsigned char)context_len;
	memcpy(info + n, context, context_len);
	return crypto_hkdf(hash, key, len, info, n + context_len, ret);
}

/* Compute the base64 HMAC that binds an identity of version 1 to its key. */
static int psk_digest(const struct psk_source *source, int hash, const unsigned char *retained,
		      char *ret)
{
	_cleanup_(free) char *names =
		str_format("%s %s NVMe-over-Fabrics", source->hostnqn, source->subsysnqn);
	unsigned char mac[DIGEST_MAX];
	int err;

	if (!names)
		return -ENOMEM;
	err = crypto_hmac(hash, retained, crypto_digest_len(hash), (unsigned char *)names,
			  strlen(names), mac);
	if (!err)
		base64_encode(mac, (int)crypto_digest_len(hash), ret);
	return err;
}

/* Return the hash function of the PSK: that of the retained key, or implied by the length. */
static int psk_hash(const struct psk_source *source)
{
	int hash = source->hmac;

	if (hash == NVME_HMAC_ALG_NONE)
		hash = source->key_len == 48 ? NVME_HMAC_ALG_SHA2_384 : NVME_HMAC_ALG_SHA2_256;
	if (hash != NVME_HMAC_ALG_SHA2_256 && hash != NVME_HMAC_ALG_SHA2_384)
		return -EINVAL;
	return source->key_len == (int)crypto_digest_len(hash) ? hash : -EINVAL;
}

static bool is_nqn(const char *s)
{
	return s && *s && strnlen(s, NQN_MAX + 1) <= NQN_MAX;
}

/* Intermediate values for both identity and PSK. */
struct retained {
	int hash;
	unsigned char key[DIGEST_MAX];
	char digest[BASE64_LEN(DIGEST_MAX) + 1]; /* "" with version 0 */
};

static void retained_clear_cleanup(struct retained *retained)
{
	explicit_bzero(retained, sizeof(*retained));
}

static int derive_retained(const struct psk_source *source, struct retained *ret)
{
	int err = 0;

	ret->hash = psk_hash(source);
	if (ret->hash < 0 || source->version < 0 || source->version > 1 ||
	    !source->configured_key || !is_nqn(source->hostnqn) || !is_nqn(source->subsysnqn))
		return -EINVAL;
	if (source->hmac == NVME_HMAC_ALG_NONE)
		memcpy(ret->key, source->configured_key, crypto_digest_len(ret->hash));
	else
		err = expand_label(ret->hash, source->configured_key, "tls13 HostNQN",
				   source->hostnqn, source->compat, ret->key);
	if (!err && source->version == 1)
		err = psk_digest(source, ret->hash, ret->key, ret->digest);
	return err;
}

static int make_identity(const struct psk_source *source, const struct retained *retained,
			 char **ret)
{
	*ret = str_format("NVMe%dR%02d %s %s%s%s", source->version, retained->hash, source->hostnqn,
			  source->subsysnqn, *retained->digest ? " " : "", retained->digest);
	return *ret ? 0 : -ENOMEM;
}

int psk_derive(const struct psk_source *source, struct psk *ret)
{
	_cleanup_(retained_clear) struct retained retained = {};
	char hash_and_digest[sizeof("01 ") + sizeof(retained.digest)];
	_cleanup_(free) char *identity = NULL;
	int err;

	err = derive_retained(source, &retained);
	if (err)
		return err;
	err = make_identity(source, &retained, &identity);
	if (err)
		return err;
	snprintf(hash_and_digest, sizeof(hash_and_digest), "%02d %s", retained.hash,
		 retained.digest);
	err = expand_label(retained.hash, retained.key, "tls13 nvme-tls-psk",
			   source->version == 1 ? hash_and_digest : identity, source->compat,
			   ret->data);
	if (err)
		return err;
	ret->identity = steal_ptr(&identity);
	ret->len = crypto_digest_len(retained.hash);
	return 0;
}

static char *generate_identity(const struct psk_source *source)
{
	_cleanup_(retained_clear) struct retained retained = {};
	char *identity;
	int err;

	err = derive_retained(source, &retained) ?: make_identity(source, &retained, &identity);
	return err ? failure_null(err) : identity;
}

char *nvme_generate_tls_key_identity(const char *hostnqn, const char *subsysnqn, int version,
				     int hmac, unsigned char *configured_key, int key_len)
{
	return generate_identity(&(struct psk_source){ hostnqn, subsysnqn, version, hmac,
						       configured_key, key_len, false });
}

char *nvme_generate_tls_key_identity_compat(const char *hostnqn, const char *subsysnqn, int version,
					    int hmac, unsigned char *configured_key, int key_len)
{
	return generate_identity(&(struct psk_source){ hostnqn, subsysnqn, version, hmac,
						       configured_key, key_len, true });
}
