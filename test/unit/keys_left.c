// SPDX-License-Identifier: LGPL-2.1-or-later
/* What functions leave of a secret on the stack; test/cli/left.c looks through all other memory. */
#include <keyutils.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>

#include <nvme/linux.h>

#include "unit.h"
#include "keys/derive.h"
#include "keys/interchange.h"
#include "shared/crypto.h"

#define STACK_SIZE (1 << 20)
#define BELOW 8192 /* what ends a thread uses the stack above this */
#define SOUGHT 16 /* bytes in a row */

/* 00112233445566778899aabbccddeeff twice, and its base64 without the checksum. */
static unsigned char key[32];
static const char base64[] = "ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8";
static const char tls[] = "NVMeTLSkey-1:01:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:";
static const char dhchap[] = "DHHC-1:00:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:";

/* The secret of host "nqn.h" that follows with SHA-256: dhchap_32 of keys_text.c begins with it. */
static const unsigned char of_host[SOUGHT] = { 0xae, 0xd8, 0xe6, 0xcb, 0x7c, 0x88, 0x65, 0x60,
					       0x87, 0x66, 0xaa, 0x39, 0x91, 0xb5, 0x6f, 0xc4 };

static struct interchange_key decoded;
static unsigned char made[DIGEST_MAX];
static struct psk psk;
static void *given; /* to be freed elsewhere: that uses the stack as well */
static int status;

/* The keyring is one that takes everything. */
key_serial_t __wrap_add_key(const char *type, const char *description, const void *payload,
			    size_t length, key_serial_t ring);
long __wrap_find_key_by_type_and_desc(const char *type, const char *description, key_serial_t ring);
long __wrap_keyctl_link(key_serial_t id, key_serial_t ring);
long __wrap_keyctl_search(key_serial_t ring, const char *type, const char *description,
			  key_serial_t destination);

#define NEW_KEY 2

static unsigned int stored;

key_serial_t __wrap_add_key(const char *type, const char *description, const void *payload,
			    size_t length, key_serial_t ring)
{
	stored += length == psk.len && !memcmp(payload, psk.data, length);
	return NEW_KEY;
}

long __wrap_find_key_by_type_and_desc(const char *type, const char *description, key_serial_t ring)
{
	return 1;
}

long __wrap_keyctl_link(key_serial_t id, key_serial_t ring)
{
	return 0;
}

long __wrap_keyctl_search(key_serial_t ring, const char *type, const char *description,
			  key_serial_t destination)
{
	errno = ENOKEY;
	return -1;
}

typedef void (*call_t)(void);

static call_t call;

/* Far below what the thread itself has there. */
static void *run(void *arg)
{
	volatile char above[BELOW];

	above[0] = above[BELOW - 1] = 0;
	call();
	return (void *)(intptr_t)above[0];
}

/* The rest of a thread's stack has marks of a sanitizer that stand for no object any more. */
__attribute__((no_sanitize("address"))) static bool has(const unsigned char *memory, size_t size,
							const void *sought)
{
	const unsigned char *wanted = sought;

	for (size_t at = 0; at + SOUGHT <= size; at++) {
		size_t i = 0;

		while (i < SOUGHT && memory[at + i] == wanted[i])
			i++;
		if (i == SOUGHT)
			return true;
	}
	return false;
}

/* Does @call_ leave the first bytes of @sought? */
static bool leaves(call_t call_, const void *sought)
{
	unsigned char *stack =
		mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;
	bool found;

	assert_true(stack != MAP_FAILED);
	/* Libraries are loaded and functions looked up before it counts. */
	status = 0;
	call_();
	free(given);
	given = NULL;
	call = call_;
	assert_int_equal(pthread_attr_init(&attr), 0);
	assert_int_equal(pthread_attr_setstack(&attr, stack, STACK_SIZE), 0);
	assert_int_equal(pthread_create(&thread, &attr, run, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	pthread_attr_destroy(&attr);
	free(given);
	given = NULL;
	found = has(stack, STACK_SIZE, sought);
	munmap(stack, STACK_SIZE);
	return found;
}

__attribute__((noinline)) static void forget(void)
{
	unsigned char copy[sizeof(key)];

	memcpy(copy, key, sizeof(copy));
	__asm__ volatile("" : : "r"(copy) : "memory");
}

void __asan_init(void) __attribute__((weak));

/* Else nothing of what follows would be. Some sanitizers keep what is local elsewhere. */
TEST(what_is_left_is_seen)
{
	static const unsigned char other[SOUGHT] = { 1, 2, 3 };

	assert_false(leaves(forget, other));
	if (leaves(forget, key))
		return;
	assert_non_null(__asan_init);
	print_message("skipped: what is local is not on the stack here\n");
	skip();
}

static const char *text_to_decode;

static void decode(void)
{
	status = key_interchange_decode(&key_format_tls, text_to_decode, &decoded);
}

TEST(decoding)
{
	static const struct {
		const char *text;
		enum key_fault fault;
	} cases[] = {
		{ tls, KEY_FINE },
		{ "NVMeTLSkey-1:01:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNV:",
		  KEY_FAULT_CRC },
		{ "NVMeTLSkey-1:02:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:",
		  KEY_FAULT_LENGTH },
		/* All but the last of it is decoded by then. */
		{ "NVMeTLSkey-1:01:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDM?U:",
		  KEY_FAULT_BASE64 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		text_to_decode = cases[i].text;
		assert_false(leaves(decode, key));
		assert_int_equal(status, cases[i].fault);
	}
	assert_memory_equal(decoded.data, key, sizeof(key));
}

static void encode(void)
{
	given = key_interchange_encode(&key_format_tls, 1, 1, key, sizeof(key));
}

static void print(void)
{
	char *text = NULL;

	status = asprintf(&text, "%s:", base64);
	given = text;
}

TEST(encoding)
{
	assert_false(leaves(encode, key));
	if (leaves(print, base64))
		print_message("not looked for: asprintf() of this libc leaves what it prints\n");
	else
		assert_false(leaves(encode, base64));
}

static void import_tls(void)
{
	static unsigned char version, hmac;
	static size_t len;

	given = nvme_import_tls_key_versioned(tls, &version, &hmac, &len);
}

static void import_tls_as_before(void)
{
	static unsigned int hmac;
	static int len;

	given = nvme_import_tls_key(tls, &len, &hmac);
}

static void import_dhchap(void)
{
	static enum nvme_hmac_alg hmac;
	static size_t len;

	given = nvme_import_dhchap_key(dhchap, &hmac, &len, NULL);
}

static void check_tls(void)
{
	status = nvme_tls_key_error(tls) ? -1 : 0;
}

static void check_dhchap(void)
{
	status = nvme_dhchap_key_error(dhchap) ? -1 : 0;
}

TEST(importing_and_checking)
{
	static const call_t calls[] = { import_tls, import_tls_as_before, import_dhchap, check_tls,
					check_dhchap };

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		assert_false(leaves(calls[i], key));
		assert_int_equal(status, 0);
	}
}

static void hash(void)
{
	static const char message[] = "nqn.hNVMe-over-Fabrics";

	status = crypto_hmac(NVME_HMAC_ALG_SHA2_256, key, sizeof(key),
			     (const unsigned char *)message, strlen(message), made);
}

static void transform(void)
{
	static char hostnqn[] = "nqn.h";

	status = nvme_gen_dhchap_key(hostnqn, NVME_HMAC_ALG_SHA2_256, sizeof(key), key, made);
}

TEST(transforming)
{
	static const call_t calls[] = { hash, transform };

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		assert_false(leaves(calls[i], of_host));
		assert_false(leaves(calls[i], key));
		assert_int_equal(status, 0);
		assert_memory_equal(made, of_host, sizeof(of_host));
		memset(made, 0, sizeof(made));
	}
}

/* RFC 5869, test case 3. */
static void extract(void)
{
	static const unsigned char ikm[22] = { 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,
					       11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11 };

	status = crypto_hkdf(NVME_HMAC_ALG_SHA2_256, ikm, sizeof(ikm), ikm, 0, made);
}

TEST(what_is_between_two_hashes)
{
	static const unsigned char prk[SOUGHT] = { 0x19, 0xef, 0x24, 0xa3, 0x2c, 0x71, 0x7b, 0x16,
						   0x7f, 0x33, 0xa9, 0x1d, 0x6f, 0x64, 0x8b, 0xdf };
	static const unsigned char okm[SOUGHT] = { 0x8d, 0xa4, 0xe7, 0x75, 0xa5, 0x63, 0xc1, 0x8f,
						   0x71, 0x5f, 0x80, 0x2a, 0x06, 0x3c, 0x5a, 0x31 };

	assert_false(leaves(extract, prk));
	assert_false(leaves(extract, okm));
	assert_int_equal(status, 0);
	assert_memory_equal(made, okm, sizeof(okm));
}

/* The retained key is the configured one where no hash makes it. */
static void derive(void)
{
	const struct psk_source source = { .hostnqn = "nqn.h",
					   .subsysnqn = "nqn.s",
					   .version = 1,
					   .hmac = NVME_HMAC_ALG_NONE,
					   .configured_key = key,
					   .key_len = sizeof(key) };

	psk_clear(&psk);
	status = psk_derive(&source, &psk);
}

static void identify(void)
{
	given = nvme_generate_tls_key_identity("nqn.h", "nqn.s", 1, NVME_HMAC_ALG_NONE, key,
					       sizeof(key));
}

static void insert(void)
{
	status = nvme_insert_tls_key_versioned(".nvme", "psk", "nqn.h", "nqn.s", 1,
					       NVME_HMAC_ALG_NONE, key, sizeof(key)) == NEW_KEY
			 ? 0
			 : -1;
}

TEST(deriving)
{
	static const call_t calls[] = { derive, identify, insert };
	unsigned char of_both[SOUGHT];

	derive();
	assert_int_equal(status, 0);
	memcpy(of_both, psk.data, sizeof(of_both));
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		assert_false(leaves(calls[i], key));
		assert_false(leaves(calls[i], of_both));
		assert_int_equal(status, 0);
	}
	assert_int_equal(stored, 4);
	psk_clear(&psk);
}

static int begin(void **state)
{
	for (size_t i = 0; i < sizeof(key); i++)
		key[i] = (unsigned char)(i % 16 * 0x11);
	return 0;
}

ALL_TESTS(begin, NULL)
