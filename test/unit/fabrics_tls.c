/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Serial numbers of TLS keys; the keyring is a stand-in, as "psk" takes the kernel's modules. */
#include <keyutils.h>

#include <nvme/fabrics.h>
#include <nvme/linux.h>
#include <nvme/util.h>

#include "unit.h"
#define NQN "nqn.s"
#define HOSTNQN "nqn.h"
#include "fabrics_world.h"

#define TLS_LINE "nqn=" NQN ",transport=tcp,traddr=10.1.1.1,trsvcid=4420,hostnqn=" HOSTNQN
#define TLS_LINE_OF(key) \
	TLS_LINE ",ctrl_loss_tmo=600,keyring=0x00001001,tls_key=" key ",duplicate_connect,tls"

/* 32 bytes 00 11 … ff 00 11 … ff */
#define KEY "NVMeTLSkey-1:01:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNU:"

#define KEYRING 0x1001
#define FIRST_KEY 0x2001

static struct {
	char *identity;
	unsigned char data[64];
	size_t len;
	bool revoked;
} keys[8];

static unsigned int n_keys, n_links;

int32_t find_key_by_type_and_desc(const char *type, const char *desc, int32_t destringid)
{
	assert_string_equal(type, "keyring");
	if (!strcmp(desc, ".nvme"))
		return KEYRING;
	errno = ENOKEY;
	return -1;
}

long keyctl_link(int32_t id, int32_t ringid)
{
	assert_true(id == KEYRING || id == 0x77);
	n_links++;
	return 0;
}

long keyctl_search(int32_t ringid, const char *type, const char *description, int32_t destringid)
{
	assert_string_equal(type, "psk");
	for (unsigned int i = 0; i < n_keys; i++)
		if (!keys[i].revoked && !strcmp(keys[i].identity, description))
			return FIRST_KEY + (long)i;
	errno = ENOKEY;
	return -1;
}

int keyctl_read_alloc(int32_t id, void **buffer)
{
	unsigned int i = (unsigned int)(id - FIRST_KEY);

	*buffer = malloc(keys[i].len);
	memcpy(*buffer, keys[i].data, keys[i].len);
	return (int)keys[i].len;
}

long keyctl_revoke(int32_t id)
{
	keys[id - FIRST_KEY].revoked = true;
	return 0;
}

int32_t add_key(const char *type, const char *description, const void *payload, size_t plen,
		int32_t ringid)
{
	assert_string_equal(type, "psk");
	assert_int_equal(ringid, KEYRING);
	assert_true(plen <= sizeof(keys[0].data));
	keys[n_keys].identity = strdup(description);
	memcpy(keys[n_keys].data, payload, plen);
	keys[n_keys].len = plen;
	return (int32_t)(FIRST_KEY + n_keys++);
}

static nvme_ctrl_t ctrl(void)
{
	nvme_ctrl_t c = nvme_create_ctrl(r, NQN, "tcp", "10.1.1.1", NULL, NULL, "4420");

	assert_non_null(c);
	nvme_ctrl_get_config(c)->tls = true;
	nvme_ctrl_get_config(c)->duplicate_connect = true;
	return c;
}

static void assert_connects(nvme_ctrl_t c, const char *line)
{
	assert_int_equal(nvmf_add_ctrl(h, c, NULL), 0);
	assert_string_equal(kernel.line, line);
}

static void assert_fails(nvme_ctrl_t c, const char *reason)
{
	unsigned int before = kernel.writes;

	ASSERT_FAILS(nvmf_add_ctrl(h, c, NULL), ENVME_CONNECT_NOKEY);
	assert_string_equal(nvmf_ctrl_get_connect_error(c), reason);
	assert_int_equal(kernel.writes, before);
	nvme_free_ctrl(c);
}

TEST(test_configured_key)
{
	nvme_ctrl_t c = ctrl();

	nvme_ctrl_set_tls_key(c, KEY);
	assert_connects(c, TLS_LINE_OF("0x00002001"));
	assert_string_equal(keys[0].identity, "NVMe0R01 nqn.h nqn.s");
	assert_int_equal(keys[0].len, 32);

	/* The second path uses the same key: a new one would revoke the first path's. */
	c = ctrl();
	nvme_ctrl_set_tls_key(c, KEY);
	assert_connects(c, TLS_LINE_OF("0x00002001"));
	assert_int_equal(n_keys, 1);
	assert_false(keys[0].revoked);

	/* Another key for the same identity replaces it. */
	keys[0].data[0] ^= 1;
	c = ctrl();
	nvme_ctrl_set_tls_key(c, KEY);
	assert_connects(c, TLS_LINE_OF("0x00002002"));
	assert_true(keys[0].revoked);
}

TEST(test_identity)
{
	nvme_ctrl_t c = ctrl();
	char *exported;
	unsigned char data[32];

	memset(data, 0x5a, sizeof(data));
	exported = nvme_export_tls_key_versioned(0, NVME_HMAC_ALG_SHA2_256, data, sizeof(data));
	assert_non_null(exported);
	nvme_ctrl_set_tls_key(c, exported);
	nvme_ctrl_set_tls_key_identity(c, "NVMe0R01 nqn.h nqn.s");
	assert_connects(c, TLS_LINE_OF("0x00002001"));
	assert_string_equal(keys[0].identity, "NVMe0R01 nqn.h nqn.s");
	assert_memory_equal(keys[0].data, data, sizeof(data));
	free(exported);
}

TEST(test_serials)
{
	nvme_ctrl_t c = ctrl();

	assert_connects(c, TLS_LINE ",ctrl_loss_tmo=600,duplicate_connect,tls");
	c = ctrl();
	nvme_ctrl_get_config(c)->keyring = 0x77;
	nvme_ctrl_get_config(c)->tls_key = 0x88;
	assert_connects(c, TLS_LINE ",ctrl_loss_tmo=600,keyring=0x00000077,tls_key=0x00000088,"
				    "duplicate_connect,tls");
	c = ctrl();
	nvme_ctrl_set_keyring(c, "0x77");
	nvme_ctrl_set_tls_key(c, "0x99");
	nvme_ctrl_get_config(c)->tls_key = 0x88;
	assert_connects(c, TLS_LINE ",ctrl_loss_tmo=600,keyring=0x00000077,tls_key=0x00000099,"
				    "duplicate_connect,tls");
	c = ctrl();
	nvme_ctrl_get_config(c)->tls_key = 0x88;
	nvme_ctrl_get_config(c)->tls_configured_key = 0xaa;
	assert_connects(c, TLS_LINE ",ctrl_loss_tmo=600,tls_key=0x000000aa,duplicate_connect,tls");
	assert_int_equal(n_keys, 0);
}

TEST(test_wrong_keys)
{
	nvme_ctrl_t c = ctrl();

	nvme_ctrl_set_tls_key(c,
			      "NVMeTLSkey-1:01:ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8qDMNV:");
	assert_fails(c, "tls_key: the checksum is wrong");
	c = ctrl();
	nvme_ctrl_set_tls_key(c, "NVMeTLSkey-1:01:short:");
	assert_fails(c, "tls_key: not a key in interchange format");
	c = ctrl();
	nvme_ctrl_set_tls_key(c, "secret");
	assert_fails(c, "tls_key: neither a key in interchange format (NVMeTLSkey-1:...) nor a "
			"serial number");
	c = ctrl();
	nvme_ctrl_set_keyring(c, "absent");
	assert_fails(c, "keyring \"absent\": no such keyring; does the kernel have NVMe TLS "
			"(modprobe nvme-keyring)?");
	assert_int_equal(n_keys, 0);
}

/* A key without tls, as when one is set for all controllers, does not turn up in the line. */
TEST(test_without_tls)
{
	nvme_ctrl_t c = ctrl();

	nvme_ctrl_get_config(c)->tls = false;
	nvme_ctrl_set_tls_key(c, KEY);
	nvme_ctrl_set_keyring(c, ".nvme");
	assert_connects(c, TLS_LINE ",ctrl_loss_tmo=600,duplicate_connect");
	assert_int_equal(n_keys, 0);
	assert_int_equal(n_links, 0);
}

static int start(void **state)
{
	n_keys = n_links = 0;
	memset(keys, 0, sizeof(keys));
	return world_start(state);
}

static int stop(void **state)
{
	for (unsigned int i = 0; i < n_keys; i++)
		free(keys[i].identity);
	return world_stop(state);
}

EACH_TEST(start, stop)
