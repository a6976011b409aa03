/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keys in the kernel's keyrings, in a session keyring of this test's own. The type "psk" exists
 * only with the kernel's NVMe modules, so keys of type "user" stand in for it.
 */
#include <keyutils.h>
#include <unistd.h>

#include <nvme/linux.h>

#include "unit.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scanning_finds_identities_only),
	};

	if (open_keyring())
		return 77; /* for meson: skipped */
	return cmocka_run_group_tests(tests, NULL, close_keyring);
}
