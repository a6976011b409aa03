/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys of secure channels: pre-shared keys for TLS (NVM Express TCP Transport, "Transport Specific
 * Content: TLS"), secrets for DH-HMAC-CHAP in-band authentication (NVM Express Base, "NVMe In-band
 * Authentication") and the kernel's keyrings, keyrings(7). Use <nvme/linux.h>.
 *
 * Buffers with keys that these functions return should be wiped before they are freed.
 *
 * Common to all functions unless noted otherwise:
 * @configured_key: The configured key
 * @encoded_key: A key as text
 * @hmac: Hash function (enum nvme_hmac_alg)
 * @hostnqn: Host NQN
 * @identity: Description of the key
 * @key_len: Bytes at @configured_key
 * @key_type: Type of the key; NULL: "psk"
 * @keyring: Name; NULL: ".nvme"
 * @subsysnqn: Subsystem NQN
 * @version: Version of the identity, 0 or 1
 */
#ifndef _LIBNVME_KEYS_H
#define _LIBNVME_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum nvme_hmac_alg - hash functions of keys
 * @NVME_HMAC_ALG_NONE:	    None: the key is used unchanged
 * @NVME_HMAC_ALG_SHA2_256: SHA-256, keys of 32 bytes
 * @NVME_HMAC_ALG_SHA2_384: SHA-384, keys of 48 bytes
 * @NVME_HMAC_ALG_SHA2_512: SHA-512, keys of 64 bytes; not for TLS
 */
enum nvme_hmac_alg {
	NVME_HMAC_ALG_NONE = 0,
	NVME_HMAC_ALG_SHA2_256 = 1,
	NVME_HMAC_ALG_SHA2_384 = 2,
	NVME_HMAC_ALG_SHA2_512 = 3,
};

/**
 * nvme_gen_dhchap_key() - transform a DH-HMAC-CHAP secret for one host
 * @hostnqn:	Host NQN the key is bound to
 * @hmac:	Hash function; NVME_HMAC_ALG_NONE copies @secret
 * @key_len:	Length of @secret and @key in bytes; with a hash function, its digest size
 * @secret:	The secret
 * @key:	Where to store the key, @key_len bytes
 *
 * The key is HMAC(secret, hostnqn || "NVMe-over-Fabrics").
 *
 * Return: 0, or -1 with errno set: EINVAL for a hash function or length that does not exist, EIO if
 * the calculation failed.
 */
int nvme_gen_dhchap_key(char *hostnqn, enum nvme_hmac_alg hmac, unsigned int key_len,
			unsigned char *secret, unsigned char *key);

/**
 * nvme_export_dhchap_key() - write a DH-HMAC-CHAP secret as text
 * @hmac:	Hash function that transformed the key; NVME_HMAC_ALG_NONE for an untransformed
 *		secret
 * @key:	The key
 * @key_len:	Length in bytes: 32, 48 or 64; with a hash function, its digest size
 *
 * Return: "DHHC-1:<hash>:<base64>:", which the caller wipes and frees, or NULL with errno set.
 */
char *nvme_export_dhchap_key(enum nvme_hmac_alg hmac, const unsigned char *key, size_t key_len);

/**
 * nvme_import_dhchap_key() - read a DH-HMAC-CHAP secret from text
 * @hmac:	Where to store its hash function
 * @key_len:	Where to store its bytes
 * @crc:	Where to store its checksum, or NULL
 *
 * Return: The key, which the caller wipes and frees, or NULL with errno set: EINVAL if the text
 * does not have the format, ENOKEY if its checksum is wrong, ENOMEM. nvme_dhchap_key_error()
 * describes the error.
 */
unsigned char *nvme_import_dhchap_key(const char *encoded_key, enum nvme_hmac_alg *hmac,
				      size_t *key_len, __u32 *crc);

/**
 * nvme_dhchap_key_error() - describe the error in the text of a DH-HMAC-CHAP secret
 * @encoded_key: The text, or NULL
 *
 * Return: A few words that continue "the key ...", static and without any part of the key, or NULL
 * if nothing is wrong.
 */
const char *nvme_dhchap_key_error(const char *encoded_key);

/**
 * nvme_tls_key_error() - describe the error in the text of a TLS key
 * @encoded_key: The text, or NULL
 *
 * Return: A few words that continue "the key ...", static and without any part of the key, or NULL
 * if nothing is wrong.
 */
const char *nvme_tls_key_error(const char *encoded_key);

/**
 * nvme_lookup_keyring() - find a keyring by name
 * @keyring: Name; NULL: ".nvme", the kernel's
 *
 * Return: Its serial number, or 0 with errno set if there is none.
 */
long nvme_lookup_keyring(const char *keyring);

/**
 * nvme_describe_key_serial() - name of a key or keyring
 * @key_id: Serial number
 *
 * Return: The last field of its description, which the caller frees, or NULL with errno set.
 */
char *nvme_describe_key_serial(long key_id);

/**
 * nvme_lookup_key() - find a key
 * @type:	Type of the key, such as "psk"
 *
 * Return: Its serial number, or 0 with errno set if there is none.
 */
long nvme_lookup_key(const char *type, const char *identity);

/**
 * nvme_set_keyring() - link a keyring to the session, so that its keys can be read
 * @keyring_id: Serial number; 0: the keyring ".nvme"
 *
 * Return: 0, or -1 with errno set.
 */
int nvme_set_keyring(long keyring_id);

/**
 * nvme_read_key() - read the payload of a key
 * @keyring_id:	Keyring that holds it; linked to the session first
 * @key_id:	Serial number
 * @len:	Where to store the bytes
 *
 * Return: The payload, which the caller wipes and frees, or NULL with errno set.
 */
unsigned char *nvme_read_key(long keyring_id, long key_id, int *len);

/**
 * nvme_update_key() - create a key, or replace the one with the same description
 * @keyring_id:	Keyring that holds it
 * @key_type:	Type of the key, such as "psk"
 * @key_data:	Payload
 * @key_len:	Bytes at @key_data
 *
 * A key with the same description and payload is kept. Any other key with this description is
 * revoked.
 *
 * Return: The serial number, or 0 with errno set.
 */
long nvme_update_key(long keyring_id, const char *key_type, const char *identity,
		     unsigned char *key_data, int key_len);

/**
 * typedef nvme_scan_tls_keys_cb_t - called for each key of a keyring
 * @keyring:	Keyring
 * @key:	Key
 * @desc:	Its description, valid during the call
 * @desc_len:	Bytes of @desc without the terminating NUL
 * @data:	Argument of nvme_scan_tls_keys()
 */
typedef void (*nvme_scan_tls_keys_cb_t)(long keyring, long key, char *desc, int desc_len,
					void *data);

/**
 * nvme_scan_tls_keys() - call a function for each TLS key of a keyring
 * @cb:		Function; called for keys whose description is the identity of a TLS PSK
 * @data:	Passed to @cb
 *
 * Return: The number of keys @cb was called for, or -1 with errno set.
 */
int nvme_scan_tls_keys(const char *keyring, nvme_scan_tls_keys_cb_t cb, void *data);

/**
 * nvme_insert_tls_key() - derive a TLS PSK and put it into a keyring, identity version 0
 *
 * Return: The serial number, or 0 with errno set.
 */
long nvme_insert_tls_key(const char *keyring, const char *key_type, const char *hostnqn,
			 const char *subsysnqn, int hmac, unsigned char *configured_key,
			 int key_len);

/**
 * nvme_insert_tls_key_versioned() - derive a TLS PSK and put it into a keyring
 *
 * The retained key, the identity and the TLS PSK are derived from the configured key (RFC 8446
 * HKDF-Expand-Label). The PSK is stored under its identity.
 *
 * Return: The serial number, or 0 with errno set: EINVAL for an unknown version or hash function,
 * for a wrong length, and for NQNs of more than 245 characters in total with version 0, whose
 * identity is too long for the derivation; or the error of the key management.
 */
long nvme_insert_tls_key_versioned(const char *keyring, const char *key_type, const char *hostnqn,
				   const char *subsysnqn, int version, int hmac,
				   unsigned char *configured_key, int key_len);

/**
 * nvme_insert_tls_key_compat() - nvme_insert_tls_key_versioned() for older peers
 *
 * libnvme before 1.16 encoded the info of HKDF-Expand-Label differently from RFC 8446. Both ends
 * must use the same derivation.
 *
 * Return: As nvme_insert_tls_key_versioned().
 */
long nvme_insert_tls_key_compat(const char *keyring, const char *key_type, const char *hostnqn,
				const char *subsysnqn, int version, int hmac,
				unsigned char *configured_key, int key_len);

/**
 * nvme_generate_tls_key_identity() - identity of a TLS PSK
 *
 * Return: "NVMe<version>R<hash> <hostnqn> <subsysnqn>", in version 1 followed by a digest; the
 * caller frees it. NULL with errno set on failure.
 */
char *nvme_generate_tls_key_identity(const char *hostnqn, const char *subsysnqn, int version,
				     int hmac, unsigned char *configured_key, int key_len);

/**
 * nvme_generate_tls_key_identity_compat() - identity of a TLS PSK with the older derivation
 *
 * See nvme_insert_tls_key_compat().
 *
 * Return: As nvme_generate_tls_key_identity().
 */
char *nvme_generate_tls_key_identity_compat(const char *hostnqn, const char *subsysnqn, int version,
					    int hmac, unsigned char *configured_key, int key_len);

/**
 * nvme_revoke_tls_key() - revoke a key
 *
 * Return: 0, or -1 with errno set.
 */
long nvme_revoke_tls_key(const char *keyring, const char *key_type, const char *identity);

/**
 * nvme_export_tls_key() - write a key in the interchange format, version 1
 * @key_data:	The key, 32 or 48 bytes
 * @key_len:	Its length in bytes, which selects the hash function
 *
 * Return: "NVMeTLSkey-1:<hash>:<base64>:", which the caller wipes and frees, or NULL with errno
 * set.
 */
char *nvme_export_tls_key(const unsigned char *key_data, int key_len);

/**
 * nvme_export_tls_key_versioned() - write a key in the interchange format
 * @version:	Version, 0 or 1
 * @hmac:	Hash function (enum nvme_hmac_alg); NVME_HMAC_ALG_NONE for a key of either length
 * @key_data:	The key
 * @key_len:	Its bytes, 32 or 48
 *
 * Return: As nvme_export_tls_key().
 */
char *nvme_export_tls_key_versioned(unsigned char version, unsigned char hmac,
				    const unsigned char *key_data, size_t key_len);

/**
 * nvme_import_tls_key() - read a key in the interchange format
 * @key_len:	Where to store the bytes of the key
 * @hmac:	Where to store its hash function (enum nvme_hmac_alg)
 *
 * Accepts version 1 only, the format of configured keys.
 *
 * Return: The key, which the caller wipes and frees, or NULL with errno set: EINVAL if the text
 * does not have the format, ENOKEY if its checksum is wrong, ENOMEM. nvme_tls_key_error() describes
 * the error.
 */
unsigned char *nvme_import_tls_key(const char *encoded_key, int *key_len, unsigned int *hmac);

/**
 * nvme_import_tls_key_versioned() - read a key in the interchange format, version 0 or 1
 * @version:	Where to store its version
 * @hmac:	Where to store its hash function (enum nvme_hmac_alg)
 * @key_len:	Where to store the bytes of the key
 *
 * Return: As nvme_import_tls_key().
 */
unsigned char *nvme_import_tls_key_versioned(const char *encoded_key, unsigned char *version,
					     unsigned char *hmac, size_t *key_len);

#ifdef __cplusplus
}
#endif

#endif /* _LIBNVME_KEYS_H */
