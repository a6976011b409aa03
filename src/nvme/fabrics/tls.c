/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys of connections with TLS. The kernel gets serial numbers of keys (keyrings(7)), never a key:
 * keys given as text are added to a keyring first.
 */
#include "../keys/derive.h"
#include "../linux.h"
#include "private.h"

#define INTERCHANGE_PREFIX "NVMeTLSkey-"
#define KEY_TYPE "psk"

/* A key in clear text, wiped when it goes out of scope. */
struct key {
	unsigned char *data;
	size_t len;
	unsigned char version, hmac;
};

static void key_wipe_cleanup(struct key *key)
{
	if (key->data)
		explicit_bzero(key->data, key->len);
	free(key->data);
}

static int fail(struct connect *connect, const char *what, const char *value, const char *why)
{
	_cleanup_(free) char *text = connect_escape(value);

	return connect_fail(connect, ENVME_CONNECT_NOKEY, "%s \"%s\": %s", what, or_unknown(text),
			    why);
}

/* Parse a serial number as users and sysfs write it: decimal, 0x… or eight hexadecimal digits. */
static bool parse_serial(const char *s, long *ret)
{
	int64_t serial;
	char *end;

	if (str_parse_int(s, 1, INT_MAX, &serial)) {
		if (strlen(s) != 8)
			return false;
		serial = strtoll(s, &end, 16);
		if (*end || serial <= 0 || serial > INT_MAX)
			return false;
	}
	*ret = (long)serial;
	return true;
}

static int find_keyring(struct connect *connect, bool needed)
{
	const struct nvme_ctrl *c = connect->c;
	const char *name = str_is_unset(c->keyring) ? NULL : c->keyring;

	if (c->options.cfg.keyring)
		connect->keyring = c->options.cfg.keyring;
	else if (name && parse_serial(name, &connect->keyring))
		;
	else if (name || needed)
		connect->keyring = nvme_lookup_keyring(name);
	else
		return 0;

	if (connect->keyring <= 0)
		return fail(
			connect, "keyring", name ? name : ".nvme",
			"no such keyring; does the kernel have NVMe TLS (modprobe nvme-keyring)?");
	if (nvme_set_keyring(connect->keyring))
		return fail(connect, "keyring", name ? name : ".nvme", strerror(errno));
	return 0;
}

static int wrong_key(struct connect *connect, const char *why)
{
	return connect_fail(connect, ENVME_CONNECT_NOKEY, "tls_key: %s", why);
}

/*
 * With an identity, the key is its PSK, as "nvme tls-key --export" writes it. Without one, it is
 * the configured key of host and subsystem, from which identity and PSK are derived.
 */
static int insert_key(struct connect *connect)
{
	const struct nvme_ctrl *c = connect->c;
	_cleanup_(key_wipe) struct key key = { 0 };
	_cleanup_(psk_clear) struct psk psk = { 0 };
	struct psk_source source = { .hostnqn = connect->h->hostnqn, .subsysnqn = c->subsysnqn };
	int err;

	key.data = nvme_import_tls_key_versioned(c->tls_key, &key.version, &key.hmac, &key.len);
	if (!key.data && errno == ENOMEM)
		return -ENOMEM;
	if (!key.data)
		return wrong_key(connect, errno == ENOKEY ? "the checksum is wrong"
							  : "not a key in interchange format");
	if (!str_is_unset(c->tls_key_identity)) {
		connect->tls_key = nvme_update_key(connect->keyring, KEY_TYPE, c->tls_key_identity,
						   key.data, (int)key.len);
	} else {
		source.hmac = key.hmac;
		source.configured_key = key.data;
		source.key_len = (int)key.len;
		err = psk_derive(&source, &psk);
		if (err)
			return err == -ENOMEM ? err : wrong_key(connect, strerror(-err));
		connect->tls_key = nvme_update_key(connect->keyring, KEY_TYPE, psk.identity,
						   psk.data, (int)psk.len);
	}
	if (connect->tls_key <= 0)
		return connect_fail(connect, ENVME_CONNECT_NOKEY,
				    "tls_key: cannot add the key to the keyring: %s",
				    strerror(errno));
	return 0;
}

int connect_find_keys(struct connect *connect)
{
	const struct nvme_ctrl *c = connect->c;
	bool is_text = !str_is_unset(c->tls_key) &&
		       !strncmp(c->tls_key, INTERCHANGE_PREFIX, strlen(INTERCHANGE_PREFIX));
	int err;

	if (!c->options.cfg.tls && !c->options.cfg.concat)
		return 0;
	err = find_keyring(connect, c->options.cfg.tls && is_text);
	if (err || !c->options.cfg.tls)
		return err;

	if (is_text)
		return insert_key(connect);
	if (!str_is_unset(c->tls_key)) {
		if (parse_serial(c->tls_key, &connect->tls_key))
			return 0;
		return wrong_key(connect, "neither a key in interchange format "
					  "(" INTERCHANGE_PREFIX "1:...) nor a serial number");
	}
	connect->tls_key = c->options.cfg.tls_configured_key ? c->options.cfg.tls_configured_key
							     : c->options.cfg.tls_key;
	return 0;
}
