/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Identities and PSKs that both ends of a connection must derive alike. */
#include <nvme/linux.h>

#include "unit.h"
#include "keys/derive.h"

/* The key of the specification's example. */
static unsigned char *key_32;
static unsigned char key_48[48];

static int load(void **state)
{
	unsigned int hmac;
	int len;

	key_32 = nvme_import_tls_key(
		"NVMeTLSkey-1:01:VRLbtnN9AQb2WXW3c9+wEf/DRLz0QuLdbYvEhwtdWwNf9LrZ:", &len, &hmac);
	for (int i = 0; i < 48; i++)
		key_48[i] = (unsigned char)i;
	return key_32 ? 0 : -1;
}

static int unload(void **state)
{
	free(key_32);
	return 0;
}

static void assert_identity(char *got, const char *want)
{
	assert_non_null(got);
	assert_string_equal(got, want);
	free(got);
}

/* A key without hash function is its own retained key; its length says which hash TLS uses. */
TEST(keys_without_hash_function)
{
	assert_identity(nvme_generate_tls_key_identity("nqn.h", "nqn.s", 0, 0, key_32, 32),
			"NVMe0R01 nqn.h nqn.s");
	assert_identity(nvme_generate_tls_key_identity("nqn.h", "nqn.s", 0, 0, key_48, 48),
			"NVMe0R02 nqn.h nqn.s");
	assert_identity(nvme_generate_tls_key_identity("nqn.h", "nqn.s", 1, 0, key_32, 32),
			"NVMe1R01 nqn.h nqn.s IUZH5aAi5bUgdxdIHf5mXQGPfKJnxf6D2TcM2CAPfkM=");
}

TEST(what_does_not_exist_is_refused)
{
	static const struct {
		int version, hmac, len;
	} cases[] = { { 2, 1, 32 }, { -1, 1, 32 }, { 0, 3, 64 }, { 0, 4, 32 }, { 0, -1, 32 },
		      { 0, 1, 48 }, { 0, 2, 32 },  { 0, 1, 0 },	 { 0, 1, -1 }, { 0, 1, 33 },
		      { 0, 0, 64 }, { 0, 0, 16 },  { 1, 1, 31 } };
	char longest[224 + 1];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ASSERT_NONE(nvme_generate_tls_key_identity("nqn.h", "nqn.s", cases[i].version,
							   cases[i].hmac, key_48, cases[i].len),
			    EINVAL);
	}
	assert_null(nvme_generate_tls_key_identity(NULL, "nqn.s", 0, 1, key_32, 32));
	assert_null(nvme_generate_tls_key_identity("nqn.h", NULL, 0, 1, key_32, 32));
	assert_null(nvme_generate_tls_key_identity("", "nqn.s", 0, 1, key_32, 32));
	assert_null(nvme_generate_tls_key_identity("nqn.h", "nqn.s", 0, 1, NULL, 32));

	memset(longest, 'q', 224);
	longest[224] = '\0';
	ASSERT_NONE(nvme_generate_tls_key_identity(longest, "nqn.s", 1, 1, key_32, 32), EINVAL);
}

TEST(the_longest_names_fit)
{
	char host[224], subsys[224], *identity;
	struct psk psk = { 0 };

	memset(host, 'h', 223);
	memset(subsys, 's', 223);
	host[223] = subsys[223] = '\0';
	identity = nvme_generate_tls_key_identity(host, subsys, 1, 1, key_32, 32);
	assert_non_null(identity);
	assert_int_equal(strlen(identity), 9 + 223 + 1 + 223 + 1 + 44);
	free(identity);
	identity = nvme_generate_tls_key_identity(host, subsys, 0, 1, key_32, 32);
	assert_non_null(identity);
	free(identity);
	assert_int_equal(
		psk_derive(&(struct psk_source){ host, subsys, 0, 1, key_32, 32, true }, &psk), 0);
	psk_clear(&psk);

	/* As context of version 0 they exceed the byte that RFC 8446 has for its length. */
	assert_int_equal(psk_derive(&(struct psk_source){ host, subsys, 0, 1, key_32, 32, false },
				    &psk),
			 -EINVAL);
	assert_null(psk.identity);
	host[223 - (446 - 245)] = '\0';
	assert_int_equal(
		psk_derive(&(struct psk_source){ host, subsys, 0, 1, key_32, 32, false }, &psk), 0);
	psk_clear(&psk);
}

ALL_TESTS(load, unload)
