/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Secrets are kept out of messages, in every form in which the kernel quotes them. */
#include "unit.h"
#include "shared/mask.h"

static void assert_masked(const char *text, const char *secret, const char *expected)
{
	const char *const secrets[] = { NULL, secret, "" };
	char *masked = mask_secrets(text, secrets, 3);

	assert_string_equal(masked, expected);
	free(masked);
}

TEST(test_nothing_to_hide)
{
	assert_masked("", "garbage", "");
	assert_masked("a plain line: 0x4001", "garbage", "a plain line: 0x4001");
	assert_masked("a plain line", NULL, "a plain line");
	assert_masked("traddr=%s", NULL, "traddr=%s");
}

TEST(test_given_secrets)
{
	assert_masked("Invalid DH/CHAP key garbage", "garbage", "Invalid DH/CHAP key ***");
	assert_masked("garbage garbage", "garbage", "*** ***");
	assert_masked("'dhchap_secret=garbage' in", "garbage", "'dhchap_secret=***' in");
	assert_masked("prefixgarbagesuffix", "garbage", "prefix***suffix");
}

TEST(test_several_secrets)
{
	const char *const secrets[] = { "first-secret", "first-secret-and-more", "second" };
	char *masked = mask_secrets("first-secret-and-more, second, first-secret", secrets, 3);

	assert_string_equal(masked, "***, ***, ***");
	free(masked);
}

/* A line of the log that was cut, or a parser that stopped in the middle. */
TEST(test_pieces)
{
	assert_masked("key 0123456789abc", "0123456789abcdef", "key ***");
	assert_masked("key 56789abcdef", "0123456789abcdef", "key ***");
	assert_masked("key 0123 and cdef", "0123456789abcdef", "key 0123 and cdef");
}

TEST(test_short_secrets)
{
	assert_masked("a parameter a=x, a", "a", "*** parameter ***=x, ***");
	assert_masked("abcd in xabcdx", "abcd", "*** in x***x");
}

/* printk escapes what /dev/kmsg shows: Documentation/ABI/testing/dev-kmsg. */
TEST(test_escaped_by_the_kernel)
{
	assert_masked("key back\\x5cslash\\xc3\\xa4!", "back\\slash\xc3\xa4!", "key ***");
	assert_masked("key back\\slash", "back\\slash", "key ***");
}

TEST(test_keys_by_their_beginning)
{
	assert_masked("got 'DHHC-1:00:aGVsbG8=:'!", NULL, "got 'DHHC-1:***'!");
	assert_masked("NVMeTLSkey-1:01:x: DHHC-1:y", NULL, "NVMeTLSkey-1:*** DHHC-1:***");
	assert_masked("DHHC-1:", NULL, "DHHC-1:");
	assert_masked("(NVMeTLSkey-1:...)", NULL, "(NVMeTLSkey-1:...)");
}

/* Of another process, whose secret is not known here. */
TEST(test_keys_by_the_kernels_words)
{
	assert_masked("nvme_fabrics: Invalid DH/CHAP key other", NULL,
		      "nvme_fabrics: Invalid DH/CHAP key ***");
	assert_masked("Invalid DH/CHAP secret 'other'; next", NULL,
		      "Invalid DH/CHAP secret '***'; next");
	assert_masked("missing value 'dhchap_ctrl_secret=other' in ctrl", NULL,
		      "missing value 'dhchap_ctrl_secret=***' in ctrl");
	assert_masked("give the secret (dhchap_secret)", NULL, "give the secret (dhchap_secret)");
	assert_masked("dhchap_secret=", NULL, "dhchap_secret=");
}
