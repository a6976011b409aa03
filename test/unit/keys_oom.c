/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys of type "user", for lack of "psk", in a keyring; and each allocation fails once. */
#include <keyutils.h>
#include <unistd.h>

#include <nvme/linux.h>

#include "unit.h"
#include "fail_alloc.h"

#define HOST "nqn.2024-01.org.example:host"
#define SUBSYSTEM "nqn.2024-01.org.example:sub"

static unsigned char key[32] = { 1, 2, 3 };
static char name[64];
static long ring; /* 0 or less: the kernel has none */

static int open_keyring(void **state)
{
	snprintf(name, sizeof(name), "nvme-unit-%d", getpid());
	if (keyctl_join_session_keyring(NULL) >= 0)
		ring = add_key("keyring", name, NULL, 0, KEY_SPEC_SESSION_KEYRING);
	if (ring <= 0)
		print_message("skipped: no keyring: %s\n", strerror(errno));
	return 0;
}

static int close_keyring(void **state)
{
	if (ring > 0)
		keyctl_revoke((key_serial_t)ring);
	return 0;
}

struct found {
	int n;
	char identities[8][128];
};

static void remember(long keyring, long id, char *desc, int desc_len, void *data)
{
	struct found *found = data;

	assert_int_equal(keyring, ring);
	assert_true(id > 0);
	assert_int_equal(desc_len, strlen(desc));
	assert_true(found->n < 8);
	snprintf(found->identities[found->n++], 128, "%s", desc);
}

TEST(scanning_finds_identities_only)
{
	struct found found = { 0 };

	if (ring <= 0)
		skip();
	assert_true(nvme_insert_tls_key(name, "user", "nqn.h", "nqn.s", 1, key, 32) > 0);
	assert_true(nvme_insert_tls_key_versioned(name, "user", "nqn.h", "nqn.s", 1, 1, key, 32) >
		    0);
	assert_true(nvme_insert_tls_key_compat(name, "user", "nqn.h", "nqn.s", 1, 1, key, 32) > 0);
	nvme_update_key(ring, "user", "NVMe2R01 nqn.h nqn.s", key, 32);
	nvme_update_key(ring, "user", "NVMe0X01 nqn.h nqn.s", key, 32);
	nvme_update_key(ring, "user", "NVMe0R03 nqn.h nqn.s", key, 32);
	nvme_update_key(ring, "user", "NVMe", key, 32);
	nvme_update_key(ring, "user", "NVMe1G02 nqn.h nqn.s digest", key, 32);
	/* version 0, two of version 1, and the generated one */
	assert_int_equal(nvme_scan_tls_keys(name, remember, &found), 4);
	assert_int_equal(found.n, 4);
	for (int i = 0; i < found.n; i++)
		assert_memory_equal(found.identities[i] + 8, " nqn.h nqn.s", 12);
	assert_int_equal(nvme_scan_tls_keys("nvme-unit-test-absent", remember, &found), -1);
}

/* Neither OpenSSL nor loading it tells lack of memory from other failures. */
static void assert_reason(void)
{
	assert_true(errno == ENOMEM || errno == EIO || errno == ELIBACC);
}

ALLOC_TEST(test_text)
{
	unsigned char version, hash, *data = NULL;
	char *text;
	size_t len;

	fail_alloc_begin();
	text = nvme_export_tls_key_versioned(1, NVME_HMAC_ALG_SHA2_256, key, sizeof(key));
	if (text)
		data = nvme_import_tls_key_versioned(text, &version, &hash, &len);
	if (!data)
		assert_int_equal(errno, ENOMEM);
	fail_alloc_end();
	if (data)
		assert_memory_equal(data, key, sizeof(key));
	free(text);
	free(data);
	return data;
}

ALLOC_TEST(test_secret)
{
	unsigned char *data = NULL;
	enum nvme_hmac_alg hash;
	char *text;
	size_t len;

	fail_alloc_begin();
	text = nvme_export_dhchap_key(NVME_HMAC_ALG_NONE, key, sizeof(key));
	if (text)
		data = nvme_import_dhchap_key(text, &hash, &len, NULL);
	if (!data)
		assert_int_equal(errno, ENOMEM);
	fail_alloc_end();
	free(text);
	free(data);
	return data;
}

ALLOC_TEST(test_transform)
{
	unsigned char result[sizeof(key)];
	int ret;

	fail_alloc_begin();
	ret = nvme_gen_dhchap_key((char *)HOST, NVME_HMAC_ALG_SHA2_256, sizeof(key), key, result);
	if (ret)
		assert_reason();
	fail_alloc_end();
	return !ret;
}

ALLOC_TEST(test_identity)
{
	char *identity;

	fail_alloc_begin();
	identity = nvme_generate_tls_key_identity(HOST, SUBSYSTEM, 1, NVME_HMAC_ALG_SHA2_256, key,
						  sizeof(key));
	if (!identity)
		assert_reason();
	fail_alloc_end();
	free(identity);
	return identity;
}

static bool insert_once(void)
{
	long id;

	fail_alloc_begin();
	id = nvme_insert_tls_key_versioned(name, "user", HOST, SUBSYSTEM, 1, NVME_HMAC_ALG_SHA2_256,
					   key, sizeof(key));
	if (!id)
		assert_reason();
	fail_alloc_end();
	return id;
}

TEST(test_insert)
{
	if (ring <= 0)
		skip();
	fail_alloc_each(insert_once);
}

static void count_key(long keyring, long id, char *desc, int len, void *arg)
{
	++*(int *)arg;
}

static bool look_once(void)
{
	unsigned char *data = NULL;
	char *description = NULL;
	long id = add_key("user", "NVMe1R01 a b c", key, sizeof(key), (key_serial_t)ring);
	int found = 0, len = 0;

	assert_true(id > 0);
	fail_alloc_begin();
	nvme_scan_tls_keys(name, count_key, &found);
	description = nvme_describe_key_serial(id);
	data = nvme_read_key(ring, id, &len);
	fail_alloc_end();
	if (data)
		assert_memory_equal(data, key, sizeof(key));
	if (description)
		assert_string_equal(description, "NVMe1R01 a b c");
	free(data);
	free(description);
	return data && description && found;
}

TEST(test_look)
{
	if (ring <= 0)
		skip();
	fail_alloc_each(look_once);
}

ALL_TESTS(open_keyring, close_keyring)
