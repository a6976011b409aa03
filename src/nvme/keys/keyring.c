/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TLS keys in the kernel's keyrings: keyrings(7), drivers/nvme/common/keyring.c. */

#include <keyutils.h>

#include "derive.h"

#define DEFAULT_KEYRING ".nvme"
#define DEFAULT_KEY_TYPE "psk"

static key_serial_t serial(long id)
{
	return id >= INT_MIN && id <= INT_MAX ? (key_serial_t)id : 0;
}

long nvme_lookup_keyring(const char *keyring)
{
	long id = find_key_by_type_and_desc("keyring", keyring ? keyring : DEFAULT_KEYRING, 0);

	return id < 0 ? 0 : id;
}

/* Return the fifth field of "type;uid;gid;permissions;description", which may have semicolons. */
static char *description(char *whole)
{
	char *s = whole;

	for (int i = 0; i < 4 && s; i++) {
		s = strchr(s, ';');
		if (s)
			s++;
	}
	return s;
}

char *nvme_describe_key_serial(long key_id)
{
	_cleanup_(free) char *whole = NULL;
	char *s;

	if (keyctl_describe_alloc(serial(key_id), &whole) < 0) {
		whole = NULL;
		return NULL;
	}
	s = description(whole);
	return s ? strdup(s) : failure_null(-EPROTO);
}

long nvme_lookup_key(const char *type, const char *identity)
{
	long id = keyctl_search(KEY_SPEC_SESSION_KEYRING, type, identity, 0);

	return id < 0 ? 0 : id;
}

int nvme_set_keyring(long keyring_id)
{
	if (!keyring_id)
		keyring_id = nvme_lookup_keyring(NULL);
	if (!serial(keyring_id))
		return failure_errno(-ENOKEY);
	return keyctl_link(serial(keyring_id), KEY_SPEC_SESSION_KEYRING) < 0 ? -1 : 0;
}

unsigned char *nvme_read_key(long keyring_id, long key_id, int *len)
{
	void *payload = NULL;
	long n;

	if (nvme_set_keyring(keyring_id))
		return NULL;
	n = keyctl_read_alloc(serial(key_id), &payload);
	if (n < 0)
		return NULL;
	*len = (int)n;
	return payload;
}

static bool holds(key_serial_t id, const unsigned char *data, size_t len)
{
	void *payload = NULL;
	long n = keyctl_read_alloc(id, &payload);
	bool same;

	if (n < 0)
		return false;
	same = (size_t)n == len && !memcmp(payload, data, len);
	explicit_bzero(payload, (size_t)n);
	free(payload);
	return same;
}

long nvme_update_key(long keyring_id, const char *key_type, const char *identity,
		     unsigned char *key_data, int key_len)
{
	long id;

	if (key_len <= 0) {
		errno = EINVAL;
		return 0;
	}
	/*
	 * Keys of type "psk" cannot be updated. Revoke the old key so that it is no longer used;
	 * adding the new key with the same description unlinks it. Keep an identical key: other
	 * controllers need it to reconnect.
	 */
	id = keyctl_search(serial(keyring_id), key_type, identity, 0);
	if (id > 0 && holds((key_serial_t)id, key_data, (size_t)key_len))
		return id;
	if (id > 0 && keyctl_revoke((key_serial_t)id) < 0)
		return 0;
	id = add_key(key_type, identity, key_data, (size_t)key_len, serial(keyring_id));
	return id < 0 ? 0 : id;
}

static long insert(const char *keyring, const char *key_type, const struct psk_source *source)
{
	_cleanup_(psk_clear) struct psk psk = {};
	long keyring_id;
	int err;

	keyring_id = nvme_lookup_keyring(keyring);
	if (!keyring_id || nvme_set_keyring(keyring_id))
		return 0;
	err = psk_derive(source, &psk);
	if (err) {
		errno = -err;
		return 0;
	}
	return nvme_update_key(keyring_id, key_type ? key_type : DEFAULT_KEY_TYPE, psk.identity,
			       psk.data, (int)psk.len);
}

long nvme_insert_tls_key_versioned(const char *keyring, const char *key_type, const char *hostnqn,
				   const char *subsysnqn, int version, int hmac,
				   unsigned char *configured_key, int key_len)
{
	return insert(keyring, key_type,
		      &(struct psk_source){ hostnqn, subsysnqn, version, hmac, configured_key,
					    key_len, false });
}

long nvme_insert_tls_key_compat(const char *keyring, const char *key_type, const char *hostnqn,
				const char *subsysnqn, int version, int hmac,
				unsigned char *configured_key, int key_len)
{
	return insert(keyring, key_type,
		      &(struct psk_source){ hostnqn, subsysnqn, version, hmac, configured_key,
					    key_len, true });
}

long nvme_insert_tls_key(const char *keyring, const char *key_type, const char *hostnqn,
			 const char *subsysnqn, int hmac, unsigned char *configured_key,
			 int key_len)
{
	return nvme_insert_tls_key_versioned(keyring, key_type, hostnqn, subsysnqn, 0, hmac,
					     configured_key, key_len);
}

long nvme_revoke_tls_key(const char *keyring, const char *key_type, const char *identity)
{
	long keyring_id = nvme_lookup_keyring(keyring);
	long id;

	if (!keyring_id)
		return -1;
	id = keyctl_search(serial(keyring_id), key_type ? key_type : DEFAULT_KEY_TYPE, identity, 0);
	return id < 0 ? -1 : keyctl_revoke((key_serial_t)id);
}

struct scan {
	nvme_scan_tls_keys_cb_t cb;
	void *data;
};

/* True for "NVMe<version>R<hash> ...", or G for generated keys, which are the kernel's names. */
static bool is_tls_identity(const char *s)
{
	return !strncmp(s, "NVMe", 4) && (s[4] == '0' || s[4] == '1') &&
	       (s[5] == 'R' || s[5] == 'G') && s[6] == '0' && (s[7] == '1' || s[7] == '2') &&
	       s[8] == ' ';
}

static int scan_key(key_serial_t parent, key_serial_t key, char *whole, int whole_len, void *data)
{
	struct scan *scan = data;
	char *identity;

	/* A key that is gone or not readable for the caller has no description. */
	identity = whole_len > 0 && whole ? description(whole) : NULL;
	if (!identity || !is_tls_identity(identity))
		return 0;
	scan->cb(parent, key, identity, (int)strlen(identity), scan->data);
	return 1;
}

int nvme_scan_tls_keys(const char *keyring, nvme_scan_tls_keys_cb_t cb, void *data)
{
	struct scan scan = { cb, data };
	long keyring_id = nvme_lookup_keyring(keyring);

	if (!keyring_id || nvme_set_keyring(keyring_id))
		return -1;
	return recursive_key_scan((key_serial_t)keyring_id, scan_key, &scan);
}
