/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys in the kernel's keyrings, in a session keyring of this test's own. The type "psk" exists
 * only with the kernel's NVMe modules, so keys of type "user" stand in for it.
 */
#include <keyutils.h>
#include <unistd.h>

#include <nvme/linux.h>

#include "unit.h"
#include "keys/derive.h"

static char name[64];
static long ring;
static unsigned char key[32];

static int open_keyring(void)
{
	for (size_t i = 0; i < sizeof(key); i++)
		key[i] = (unsigned char)i;
	snprintf(name, sizeof(name), "nvme-unit-test-%d", getpid());
	if (keyctl_join_session_keyring(NULL) < 0) {
		print_message("skipped: no session keyring: %s\n", strerror(errno));
		return -1;
	}
	ring = add_key("keyring", name, NULL, 0, KEY_SPEC_SESSION_KEYRING);
	if (ring < 0)
		print_message("skipped: no keyring: %s\n", strerror(errno));
	return ring < 0 ? -1 : 0;
}

static int close_keyring(void **state)
{
	if (ring > 0)
		keyctl_revoke((key_serial_t)ring);
	return 0;
}

static void keyrings_have_names(void **state)
{
	char *description;

	assert_int_equal(nvme_lookup_keyring(name), ring);
	assert_int_equal(nvme_lookup_keyring("nvme-unit-test-absent"), 0);
	description = nvme_describe_key_serial(ring);
	assert_string_equal(description, name);
	free(description);
	errno = 0;
	assert_null(nvme_describe_key_serial(0x7ffffff0));
	assert_int_equal(errno, ENOKEY);
	if (sizeof(long) > sizeof(int32_t)) /* as a key's number is */
		assert_null(nvme_describe_key_serial((long)INT64_C(0x1000000000)));
}

static void keys_are_stored_found_and_replaced(void **state)
{
	unsigned char other[3] = { 7, 8, 9 }, *data;
	long first, second;
	int len = 0;
	char *description;

	first = nvme_update_key(ring, "user", "odd;name; 1", key, sizeof(key));
	assert_true(first > 0);
	assert_int_equal(nvme_lookup_key("user", "odd;name; 1"), first);
	description = nvme_describe_key_serial(first);
	assert_string_equal(description, "odd;name; 1");
	free(description);
	data = nvme_read_key(ring, first, &len);
	assert_non_null(data);
	assert_int_equal(len, sizeof(key));
	assert_memory_equal(data, key, sizeof(key));
	free(data);

	assert_int_equal(nvme_update_key(ring, "user", "odd;name; 1", key, sizeof(key)), first);
	second = nvme_update_key(ring, "user", "odd;name; 1", other, sizeof(other));
	assert_true(second > 0 && second != first);
	assert_int_equal(nvme_lookup_key("user", "odd;name; 1"), second);
	len = 99;
	errno = 0;
	assert_null(nvme_read_key(ring, first, &len));
	assert_true(errno); /* revoked, or already out of reach */
	assert_int_equal(len, 99);
	data = nvme_read_key(ring, second, &len);
	assert_int_equal(len, 3);
	assert_memory_equal(data, other, 3);
	free(data);

	assert_int_equal(nvme_lookup_key("user", "absent"), 0);
	errno = 0;
	assert_int_equal(nvme_update_key(ring, "user", "empty", key, 0), 0);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(nvme_update_key(0x7ffffff0, "user", "nowhere", key, 32), 0);
	assert_int_equal(nvme_update_key(ring, "no-such-type", "x", key, 32), 0);
}

static void a_keyring_is_linked_once_it_is_found(void **state)
{
	assert_int_equal(nvme_set_keyring(ring), 0);
	errno = 0;
	assert_int_equal(nvme_set_keyring(0x7ffffff0), -1);
	assert_int_equal(errno, ENOKEY);
	errno = 0;
	if (sizeof(long) > sizeof(int32_t)) {
		assert_int_equal(nvme_set_keyring((long)INT64_C(0x100000000)), -1);
		assert_int_equal(errno, ENOKEY);
	}
}

static void assert_inserted(long id, const struct psk_source *source)
{
	struct psk psk = { 0 };
	unsigned char *data;
	char *description;
	int len = 0;

	assert_true(id > 0);
	assert_int_equal(psk_derive(source, &psk), 0);
	description = nvme_describe_key_serial(id);
	assert_string_equal(description, psk.identity);
	free(description);
	data = nvme_read_key(ring, id, &len);
	assert_non_null(data);
	assert_int_equal(len, psk.len);
	assert_memory_equal(data, psk.data, psk.len);
	free(data);
	psk_clear(&psk);
}

static void derived_keys_are_inserted_under_their_identity(void **state)
{
	assert_inserted(nvme_insert_tls_key(name, "user", "nqn.h", "nqn.s", 1, key, 32),
			&(struct psk_source){ "nqn.h", "nqn.s", 0, 1, key, 32, false });
	assert_inserted(nvme_insert_tls_key_versioned(name, "user", "nqn.h", "nqn.s", 1, 1, key,
						      32),
			&(struct psk_source){ "nqn.h", "nqn.s", 1, 1, key, 32, false });
	assert_inserted(nvme_insert_tls_key_compat(name, "user", "nqn.h", "nqn.s", 1, 1, key, 32),
			&(struct psk_source){ "nqn.h", "nqn.s", 1, 1, key, 32, true });

	errno = 0;
	assert_int_equal(
		nvme_insert_tls_key_versioned(name, "user", "nqn.h", "nqn.s", 1, 1, key, 31), 0);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(nvme_insert_tls_key_versioned("nvme-unit-test-absent", "user", "nqn.h",
						       "nqn.s", 1, 1, key, 32),
			 0);
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

static void scanning_finds_identities_only(void **state)
{
	struct found found = { 0 };

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

static void revoked_keys_are_gone(void **state)
{
	long id = nvme_update_key(ring, "user", "NVMe0R01 gone", key, 32);
	int len;

	assert_true(id > 0);
	assert_int_equal(nvme_revoke_tls_key(name, "user", "NVMe0R01 gone"), 0);
	assert_int_equal(nvme_lookup_key("user", "NVMe0R01 gone"), 0);
	assert_null(nvme_read_key(ring, id, &len));
	assert_int_equal(nvme_revoke_tls_key(name, "user", "NVMe0R01 gone"), -1);
	assert_int_equal(nvme_revoke_tls_key(name, "user", "absent"), -1);
	errno = 0;
	assert_int_equal(nvme_revoke_tls_key("nvme-unit-test-absent", "user", "absent"), -1);
	assert_true(errno);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keyrings_have_names),
		cmocka_unit_test(keys_are_stored_found_and_replaced),
		cmocka_unit_test(a_keyring_is_linked_once_it_is_found),
		cmocka_unit_test(derived_keys_are_inserted_under_their_identity),
		cmocka_unit_test(scanning_finds_identities_only),
		cmocka_unit_test(revoked_keys_are_gone),
	};

	if (open_keyring())
		return 77; /* for meson: skipped */
	return cmocka_run_group_tests(tests, NULL, close_keyring);
}
