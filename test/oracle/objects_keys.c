/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys as text, derived, and in a keyring: that of the process, which nobody else sees. */
#include <linux/keyctl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "objects.h"

static unsigned char secret[64];

static void show_dhchap(void)
{
	for (unsigned int hmac = 0; hmac < 5; hmac++) {
		for (unsigned int len = 32; len <= 64; len += 16) {
			unsigned char key[64] = {};
			char of[32];

			snprintf(of, sizeof(of), "%u %u", hmac, len);
			RESULT(of, nvme_gen_dhchap_key((char *)"nqn.h", (enum nvme_hmac_alg)hmac,
						       len, secret, key));
			BYTES(of, key, sizeof(key));
		}
	}
}

static void show_imported(const char *text)
{
	unsigned char version = 0, hmac_of = 0, *key;
	unsigned int hmac = 77;
	size_t size = 0;
	int len = 0;

	errno = 0;
	key = nvme_import_tls_key(text, &len, &hmac);
	NUMBER(text, key != NULL);
	if (key) {
		NUMBER(text, hmac);
		BYTES(text, key, (size_t)len);
	}
	free(key);
	key = nvme_import_tls_key_versioned(text, &version, &hmac_of, &size);
	NUMBER(text, key != NULL);
	if (key) {
		NUMBER(text, version);
		NUMBER(text, hmac_of);
		BYTES(text, key, size);
	}
	free(key);
}

static void show_text(void)
{
	static const char *const bad[] = {
		"",
		"NVMeTLSkey-1:01:",
		"NVMeTLSkey-1:03:VRLbtnN9AQb2WXW3c9+wEf/DRLz0QuLdbYvEhwtdWwNf9LrZ:",
		"NVMeTLSkey-1:01:VRLbtnN9AQb2WXW3c9+wEf/DRLz0QuLdbYvEhwtdWwNf9LrA:",
		"NVMeTLSkey-2:01:VRLbtnN9AQb2WXW3c9+wEf/DRLz0QuLdbYvEhwtdWwNf9LrZ:",
		"NVMeTLSkey-1:01:VRLbtnN9AQb2WXW3c9+wEf/DRLz0QuLdbYvEhwtdWwNf9LrZ",
		"garbage",
	};

	for (int len = 0; len <= 64; len += 16) {
		char of[16], *text;

		snprintf(of, sizeof(of), "%d", len);
		text = nvme_export_tls_key(secret, len);
		TEXT(of, text);
		if (text)
			show_imported(text);
		free(text);
		for (unsigned char hmac = 0; hmac < 4; hmac++) {
			text = nvme_export_tls_key_versioned(1, hmac, secret, (size_t)len);
			TEXT(of, text);
			if (text)
				show_imported(text);
			free(text);
		}
	}
	OWNED("version 2", nvme_export_tls_key_versioned(2, 1, secret, 32));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		show_imported(bad[i]);
}

static void show_identities(void)
{
	for (int version = 0; version < 3; version++) {
		for (int hmac = 1; hmac < 4; hmac++) {
			char of[32];

			snprintf(of, sizeof(of), "%d %d", version, hmac);
			OWNED(of,
			      nvme_generate_tls_key_identity_compat("nqn.h", "nqn.s", version, hmac,
								    secret, hmac == 2 ? 48 : 32));
			OWNED(of, nvme_generate_tls_key_identity("nqn.h", "nqn.s", version, hmac,
								 secret, hmac == 2 ? 48 : 32));
		}
	}
}

static void scanned(long keyring, long key, char *desc, int desc_len, void *data)
{
	(void)keyring;
	(void)key;
	(void)desc_len;
	objects_text("scanned", data, desc);
}

/* A key that was derived, and its identity. */
static void show_inserted(const char *of, long ring, long key)
{
	int len = 0;
	unsigned char *data = nvme_read_key(ring, key, &len);

	NUMBER(of, key > 0);
	OWNED(of, nvme_describe_key_serial(key));
	BYTES(of, data, (size_t)len);
	free(data);
}

static void show_keyring(void)
{
	long ring, key;
	int len = 0;

	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, "oracle") < 0) {
		puts("no keyrings here");
		return;
	}
	ring = syscall(SYS_add_key, "keyring", "oracle-ring", NULL, 0, KEY_SPEC_SESSION_KEYRING);
	NUMBER("made", ring > 0);
	NUMBER("none", nvme_lookup_keyring("oracle-none"));
	NUMBER("oracle-ring", nvme_lookup_keyring("oracle-ring") == ring);
	NUMBER("oracle-ring", nvme_set_keyring(ring));
	OWNED("oracle-ring", nvme_describe_key_serial(ring));
	OWNED("none", nvme_describe_key_serial(0x7ffffff1));
	NUMBER("none", nvme_lookup_key("user", "oracle-key"));
	key = nvme_update_key(ring, "user", "oracle-key", secret, 32);
	NUMBER("oracle-key", key > 0);
	NUMBER("oracle-key", nvme_lookup_key("user", "oracle-key") == key);
	{
		unsigned char *data = nvme_read_key(ring, key, &len);

		BYTES("oracle-key", data, (size_t)len);
		free(data);
	}
	key = nvme_insert_tls_key("oracle-ring", "user", "nqn.h", "nqn.s", 1, secret, 32);
	show_inserted("version 0", ring, key);
	key = nvme_insert_tls_key_versioned("oracle-ring", "user", "nqn.h", "nqn.s2", 0, 2, secret,
					    48);
	show_inserted("versioned", ring, key);
	for (int hmac = 1; hmac < 3; hmac++) {
		const int length = 16 + 16 * hmac;

		key = nvme_insert_tls_key_versioned("oracle-ring", "user", "nqn.h", "nqn.s3", 1,
						    hmac, secret, length);
		show_inserted("version 1", ring, key);
		key = nvme_insert_tls_key_compat("oracle-ring", "user", "nqn.h", "nqn.s4", hmac - 1,
						 hmac, secret, length);
		show_inserted("compat", ring, key);
	}
	NUMBER("wrong",
	       nvme_insert_tls_key("oracle-none", "user", "nqn.h", "nqn.s", 1, secret, 32));
	RESULT("oracle-ring", nvme_scan_tls_keys("oracle-ring", scanned, (void *)"oracle-ring"));
	RESULT("none", nvme_scan_tls_keys("oracle-none", scanned, (void *)"none"));
	NUMBER("oracle-key", nvme_revoke_tls_key("oracle-ring", "user", "oracle-key"));
	NUMBER("none", nvme_revoke_tls_key("oracle-ring", "user", "oracle-nothing"));
}

void objects_keys(void)
{
	for (size_t i = 0; i < sizeof(secret); i++)
		secret[i] = (unsigned char)(i * 37 + 5);
	show_dhchap();
	show_text();
	show_identities();
	show_keyring();
}
