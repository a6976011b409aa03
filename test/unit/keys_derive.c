/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Identities and PSKs that both ends of a connection must derive alike. */
#include <nvme/linux.h>

#include "unit.h"
#include "keys/derive.h"
#include "shared/crypto.h"

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

static void from_hex(const char *hex, unsigned char *ret)
{
	for (; *hex; hex += 2)
		sscanf(hex, "%2hhx", ret++);
}

/* RFC 4231 test case 2, and RFC 5869 test case 3 (no salt, no info) cut to one block. */
TEST(primitives_match_their_rfcs)
{
	unsigned char got[DIGEST_MAX], want[DIGEST_MAX], ikm[22];

	from_hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", want);
	assert_int_equal(crypto_hmac(NVME_HMAC_ALG_SHA2_256, (const unsigned char *)"Jefe", 4,
				     (const unsigned char *)"what do ya want for nothing?", 28,
				     got),
			 0);
	assert_memory_equal(got, want, 32);
	memset(ikm, 0x0b, sizeof(ikm));
	from_hex("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d", want);
	assert_int_equal(crypto_hkdf(NVME_HMAC_ALG_SHA2_256, ikm, sizeof(ikm),
				     (const unsigned char *)"", 0, got),
			 0);
	assert_memory_equal(got, want, 32);
	assert_int_equal(crypto_digest_len(NVME_HMAC_ALG_NONE), 0);
	assert_int_equal(crypto_digest_len(NVME_HMAC_ALG_SHA2_256), 32);
	assert_int_equal(crypto_digest_len(NVME_HMAC_ALG_SHA2_384), 48);
	assert_int_equal(crypto_digest_len(NVME_HMAC_ALG_SHA2_512), 64);
	assert_int_equal(crypto_digest_len(77), 0);
	assert_int_equal(crypto_hmac(NVME_HMAC_ALG_NONE, ikm, 4, ikm, 4, got), -EINVAL);
	assert_int_equal(crypto_hkdf(99, ikm, 4, ikm, 4, got), -EINVAL);
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

static void assert_psk(int version, int hash, bool compat, const char *hex)
{
	const unsigned char *key = hash == 1 ? key_32 : key_48;
	struct psk_source source = { "nqn.h", "nqn.s", version, hash, key, 16 + 16 * hash, compat };
	unsigned char want[DIGEST_MAX];
	struct psk psk = { 0 };

	assert_int_equal(psk_derive(&source, &psk), 0);
	assert_int_equal(psk.len, strlen(hex) / 2);
	from_hex(hex, want);
	assert_memory_equal(psk.data, want, psk.len);
	psk_clear(&psk);
	assert_null(psk.identity);
	for (size_t i = 0; i < sizeof(psk.data); i++)
		assert_int_equal(psk.data[i], 0);
}

/* Calculated independently, with Python's hmac module, from the formulas of the specification. */
TEST(psks)
{
	assert_psk(0, 1, false, "3a068b4fcede0805088d855fe2b407e7a3d024059c79fec0275e3256909a3fa9");
	assert_psk(1, 1, false, "7aba4bd9f2cefe589ef3d74f1ccb510efd6c8db215b3b8df7fea88e57d0af7a4");
	assert_psk(0, 2, false,
		   "aeb755726df45546fc1f3ccb4fa8a7b78a95dbd85d1e1d4b695a58a986afb4e9"
		   "cbeb61a13fa9d8fe893a969f5b75d8b8");
	assert_psk(1, 2, false,
		   "5a141a7333aae7b9110c9cbeafd4a2c8c41a8e455789e8d12198ac4b7abbf6b5"
		   "ae5abfba501a4a18591fde78f3368840");
	assert_psk(0, 1, true, "8b761a761ecbe2eb6f334fbafbd9ac7003a516f6a9ea15c4f10243ad865c4793");
	assert_psk(1, 2, true,
		   "52986a286dce4b0b1d2d630107848fd9085a829fd21940208ef7851484c4a110"
		   "6877f84ffc0fb32abc3b18503a93fd93");
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
