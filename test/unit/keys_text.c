/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys as text: what is written can be read, and nothing else can. */
#include <ctype.h>

#include <nvme/linux.h>

#include "unit.h"

static unsigned char secret[64];

/* 00112233445566778899aabbccddeeff over and over */
static int make_secret(void **state)
{
	for (int i = 0; i < 64; i++)
		secret[i] = (unsigned char)(i % 16 * 0x11);
	return 0;
}

#define KEY_TEXT 49 /* characters of base64 for 32 bytes and their checksum, and the colon */

static const char tls_32[] = "NVMeTLSkey-1:01:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:";
static const char dhchap_32[] = "DHHC-1:01:rtjmy3yIZWCHZqo5kbVvxOM93iVypsOwk7qqPQk5JMRlAEey:";

TEST(the_older_import_takes_version_1_only)
{
	char *text = nvme_export_tls_key_versioned(0, NVME_HMAC_ALG_SHA2_256, secret, 32);
	unsigned int hmac = 9;
	unsigned char *key;
	int len = 9;

	ASSERT_NONE(nvme_import_tls_key(text, &len, &hmac), EINVAL);
	assert_int_equal(len, 9);
	assert_int_equal(hmac, 9);
	free(text);
	key = nvme_import_tls_key(tls_32, &len, &hmac);
	assert_non_null(key);
	assert_int_equal(len, 32);
	assert_int_equal(hmac, NVME_HMAC_ALG_SHA2_256);
	assert_memory_equal(key, secret, 32);
	free(key);
}

TEST(exporting_refuses_what_could_not_be_read)
{
	static const struct {
		unsigned char version, hmac;
		size_t len;
	} cases[] = { { 2, 1, 32 }, { 1, 3, 64 },   { 1, 1, 48 },	    { 1, 2, 32 },
		      { 1, 0, 64 }, { 1, 0, 33 },   { 1, 1, 31 },	    { 1, 0, 0 },
		      { 1, 0, 16 }, { 1, 200, 32 }, { 1, 0, SIZE_MAX - 15 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ASSERT_NONE(nvme_export_tls_key_versioned(cases[i].version, cases[i].hmac, secret,
							  cases[i].len),
			    EINVAL);
	}
	ASSERT_NONE(nvme_export_tls_key(secret, -1), EINVAL);
	assert_null(nvme_export_tls_key(secret, 33));
	assert_null(nvme_export_tls_key(NULL, 32));
	ASSERT_NONE(nvme_export_dhchap_key(NVME_HMAC_ALG_SHA2_512, secret, 48), EINVAL);
	assert_null(nvme_export_dhchap_key(4, secret, 64));
	assert_null(nvme_export_dhchap_key(NVME_HMAC_ALG_NONE, NULL, 32));
}

static void refuse_tls(const char *text, int err)
{
	unsigned char version = 9, hmac = 9;
	size_t len = 9;

	errno = 0;
	assert_null(nvme_import_tls_key_versioned(text, &version, &hmac, &len));
	if (errno != err)
		print_message("text: %s\n", text);
	assert_int_equal(errno, err);
	assert_int_equal(version, 9);
	assert_int_equal(hmac, 9);
	assert_int_equal(len, 9);
	assert_non_null(nvme_tls_key_error(text));
}

static void refuse_dhchap(const char *text, int err)
{
	enum nvme_hmac_alg hmac = 9;
	size_t len = 9;
	__u32 crc = 9;

	errno = 0;
	assert_null(nvme_import_dhchap_key(text, &hmac, &len, &crc));
	if (errno != err)
		print_message("text: %s\n", text);
	assert_int_equal(errno, err);
	assert_int_equal(hmac, 9);
	assert_int_equal(len, 9);
	assert_int_equal(crc, 9);
	assert_non_null(nvme_dhchap_key_error(text));
}

TEST(bad_text_is_refused)
{
	static const char *const bad[] = {
		":",
		"NVMeTLSkey-1:01::",
		"NVMeTLSkey-1:01:====:",
		/* another name, version, hash */
		"DHHC-1:01:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:",
		" NVMeTLSkey-1:01:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:",
		"nvmetlskey-1:01:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:",
		"NVMeTLSkey-11:01:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:",
		"NVMeTLSkey--1:01:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:",
		"NVMeTLSkey-1:1:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:",
		"NVMeTLSkey-1:0x1:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:",
		"NVMeTLSkey-1:99:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:",
		"NVMeTLSkey-1:-1:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:",
		/* the end: cut, more after it */
		"NVMeTLSkey-1:01:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMN:",
		"NVMeTLSkey-1:01:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDM==:",
		"NVMeTLSkey-1:01:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU::",
		"NVMeTLSkey-1:01:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:\n",
		"NVMeTLSkey-1:01:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:x",
		/* what base64 does not have */
		"NVMeTLSkey-1:01:\303\244EiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:",
	};
	char *longer = malloc(100000);

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refuse_tls(bad[i], EINVAL);
	refuse_tls(NULL, EINVAL);
	refuse_tls("NVMeTLSkey-1:01:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNV:", ENOKEY);
	refuse_tls("NVMeTLSkey-1:01:BBEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:", ENOKEY);

	assert_non_null(longer);
	memset(longer, 'A', 99999);
	longer[99999] = '\0';
	memcpy(longer, "NVMeTLSkey-1:01:", 16);
	longer[99998] = ':';
	refuse_tls(longer, EINVAL);
	memcpy(longer, "DHHC-1:00:AAAAAA", 16);
	refuse_dhchap(longer, EINVAL);
	free(longer);

	refuse_dhchap(NULL, EINVAL);
	refuse_dhchap("DHHC-1:01:rtjmy3yIZWCHZqo5kbVvxOM93iVypsOwk7qqPQk5JMRlAEez:", ENOKEY);
	refuse_dhchap(tls_32, EINVAL);
}

/* Every change of one character is noticed, and every cut. */
TEST(mutations_are_refused)
{
	static const char *const keys[] = { tls_32, dhchap_32 };
	static void (*const refuse[])(const char *text, int err) = { refuse_tls, refuse_dhchap };

	for (size_t k = 0; k < 2; k++) {
		size_t len = strlen(keys[k]);
		char copy[128];

		for (size_t i = 0; i < len; i++) {
			memcpy(copy, keys[k], len + 1);
			for (int c = 0; c < 256; c++) {
				const bool is_base64 = (isalnum(c) || c == '+' || c == '/');

				if ((char)c == keys[k][i])
					continue;
				copy[i] = (char)c;
				/* Version 0 and hash 00 are other keys, not wrong ones. */
				if (c == '0' && (k ? i == 8 : i == 11 || i == 14))
					assert_null(k ? nvme_dhchap_key_error(copy)
						      : nvme_tls_key_error(copy));
				else
					refuse[k](copy,
						  is_base64 && i >= len - KEY_TEXT && i < len - 1
							  ? ENOKEY
							  : EINVAL);
			}
		}
		for (size_t cut = 0; cut < len; cut++) {
			memcpy(copy, keys[k], cut);
			copy[cut] = '\0';
			refuse[k](copy, EINVAL);
		}
	}
}

TEST(reasons_say_what_is_wrong)
{
	assert_string_equal(nvme_tls_key_error("key"),
			    "does not start with the prefix of its key type");
	assert_string_equal(nvme_tls_key_error("NVMeTLSkey-7:01:"), "has an undefined version");
	assert_string_equal(nvme_tls_key_error("NVMeTLSkey-1:07:"),
			    "has an undefined hash function");
	assert_string_equal(nvme_tls_key_error("NVMeTLSkey-1:01:ABEiM0RV"),
			    "does not end with a colon");
	assert_string_equal(nvme_tls_key_error("NVMeTLSkey-1:01:ABEiM0R:"), "is not valid base64");
	assert_string_equal(nvme_tls_key_error("NVMeTLSkey-1:01:ABEiM0RV:"),
			    "is too short or too long for its hash function");
	assert_string_equal(nvme_dhchap_key_error(
				    "DHHC-1:01:rtjmy3yIZWCHZqo5kbVvxOM93iVypsOwk7qqPQk5JMRlAEez:"),
			    "has a wrong checksum (mistyped?)");
}

ALL_TESTS(make_secret, NULL)
