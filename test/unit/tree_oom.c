/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every allocation of scanning /sys and of asking what was found fails once: there is an error, a
 * value or its absence, and the tree can be used and freed.
 */
#include <dirent.h>

#include <libnvme.h>

#include "unit.h"
#include "base/str.h"
#include "fail_alloc.h"
#include "fake_sysfs.h"

#define NQN_A "nqn.2024-01.org.example:a"
#define NQN_B "nqn.2024-01.org.example:b"
#define ADDRESS "traddr=192.0.2.1,trsvcid=4420,src_addr=192.0.2.9"

/* Multipath and PCI, and a subsystem that has lost its controllers. */
static int begin(void **state)
{
	struct fake_ctrl fabrics = { .transport = "tcp",
				     .address = ADDRESS,
				     .subsysnqn = NQN_A,
				     .hostnqn = FAKE_HOSTNQN,
				     .hostid = FAKE_HOSTID,
				     .cntrltype = "io" };
	struct fake_ctrl pci = { .instance = 1,
				 .subsystem = 1,
				 .transport = "pcie",
				 .address = "0000:01:00.0",
				 .subsysnqn = NQN_B };

	fake_sysfs_begin();
	fake_subsystem(0, NQN_A);
	fake_ctrl(&fabrics);
	fabrics.instance = 10;
	fabrics.transport = "mptcp";
	fake_ctrl(&fabrics);
	for (int head = 1; head <= 2; head++) {
		fake_head(0, head, (unsigned int)head);
		fake_path(0, 0, head);
		fake_path(0, 10, head);
	}
	fake_subsystem(1, NQN_B);
	fake_ctrl(&pci);
	fake_private_ns(1, 1, 1);
	fake_subsystem(2, "nqn.2024-01.org.example:alone");
	fake_head(2, 1, 7);
	return 0;
}

static int end(void **state)
{
	fail_alloc_end();
	fake_sysfs_end();
	return 0;
}

static nvme_root_t make_root(void)
{
	nvme_root_t r = nvme_create_root(NULL, -1);

	assert_non_null(r);
	return r;
}

static bool root_once(void)
{
	nvme_root_t r;

	fail_alloc_begin();
	r = nvme_create_root(NULL, -1);
	if (!r)
		assert_int_equal(errno, ENOMEM);
	fail_alloc_end();
	nvme_free_tree(r);
	return r;
}

static void test_root(void **state)
{
	fail_alloc_each(root_once);
}

/* How much of the tree there is: every object counts. */
static int walk(nvme_root_t r)
{
	nvme_subsystem_t s;
	nvme_host_t h;
	nvme_ctrl_t c;
	nvme_path_t p;
	nvme_ns_t n;
	int found = 0;

	nvme_for_each_host(r, h) {
		found++;
		nvme_for_each_subsystem(h, s) {
			found++;
			nvme_subsystem_for_each_ns(s, n)
				nvme_namespace_for_each_path(n, p)
					found++;
			nvme_subsystem_for_each_ns(s, n)
				found++;
			nvme_subsystem_for_each_ctrl(s, c) {
				found++;
				nvme_ctrl_for_each_ns(c, n)
					found++;
				nvme_ctrl_for_each_path(c, p)
					found++;
			}
		}
	}
	return found;
}

/* Host, subsystems, controllers, namespaces, and paths seen from both sides. */
#define WHOLE (1 + 3 + 3 + 4 + 2 * 4)

static bool scan_once(void)
{
	nvme_root_t r = make_root();
	int ret;

	fail_alloc_begin();
	ret = nvme_scan_topology(r, NULL, NULL);
	if (ret)
		assert_int_equal(errno, ENOMEM);
	fail_alloc_end();
	if (!ret)
		assert_int_equal(walk(r), WHOLE);
	/* With memory the rest is found, once. */
	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	assert_int_equal(walk(r), WHOLE);
	nvme_free_tree(r);
	return !ret;
}

static void test_scan(void **state)
{
	fail_alloc_each(scan_once);
}

static bool subsystem_once(void)
{
	nvme_root_t r = make_root();
	int ret;

	fail_alloc_begin();
	ret = nvme_scan_subsystem(r, NQN_B);
	if (ret)
		assert_int_equal(errno, ENOMEM);
	fail_alloc_end();
	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	assert_int_equal(walk(r), WHOLE);
	nvme_free_tree(r);
	return !ret;
}

static void test_subsystem(void **state)
{
	fail_alloc_each(subsystem_once);
}

/* Namespaces are listed on the way: what memory lacked for is found the next time. */
static bool walk_once(void)
{
	nvme_root_t r = make_root();
	int found;

	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	fail_alloc_begin();
	errno = 0;
	found = walk(r);
	if (found != WHOLE)
		assert_int_equal(errno, ENOMEM);
	fail_alloc_end();
	assert_int_equal(walk(r), WHOLE);
	nvme_free_tree(r);
	return found == WHOLE;
}

static void test_walk(void **state)
{
	fail_alloc_each(walk_once);
}

static bool nothing(nvme_subsystem_t s, nvme_ctrl_t c, nvme_ns_t n, void *arg)
{
	return false;
}

/* A controller that is described already is recognised, or left as it was. */
static bool adopt_once(void)
{
	nvme_root_t r = make_root();
	nvme_host_t h = nvme_lookup_host(r, FAKE_HOSTNQN, FAKE_HOSTID);
	nvme_subsystem_t s = nvme_lookup_subsystem(h, NULL, NQN_A);
	nvme_ctrl_t c = nvme_lookup_ctrl(s, "mptcp", "192.0.2.1", "192.0.2.9", NULL, "4420", NULL);
	int ret;

	assert_non_null(c);
	fail_alloc_begin();
	ret = nvme_scan_topology(r, NULL, NULL);
	fail_alloc_end();
	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	assert_string_equal(nvme_ctrl_get_name(c), "nvme10");
	assert_int_equal(walk(r), WHOLE);
	assert_int_equal(nvme_scan_topology(r, nothing, NULL), 0);
	nvme_free_tree(r);
	return !ret;
}

static void test_adopt(void **state)
{
	fail_alloc_each(adopt_once);
}

static bool ctrl_once(void)
{
	nvme_root_t r = make_root();
	nvme_ctrl_t c;

	fail_alloc_begin();
	c = nvme_scan_ctrl(r, "nvme10");
	if (!c)
		assert_int_equal(errno, ENOMEM);
	fail_alloc_end();
	if (c)
		assert_string_equal(nvme_ctrl_get_traddr(c), "192.0.2.1");
	nvme_free_tree(r);
	return c;
}

static void test_ctrl(void **state)
{
	fail_alloc_each(ctrl_once);
}

static bool create_once(void)
{
	nvme_root_t r = make_root();
	nvme_ctrl_t c;

	fail_alloc_begin();
	c = nvme_create_ctrl(r, NQN_A, "mptcp", "192.0.2.1", "localhost", "eth0", "4420");
	if (!c)
		assert_int_equal(errno, ENOMEM);
	fail_alloc_end();
	nvme_free_ctrl(c);
	nvme_free_tree(r);
	return c;
}

static void test_create(void **state)
{
	fail_alloc_each(create_once);
}

static bool lookup_once(void)
{
	nvme_root_t r = make_root();
	nvme_subsystem_t s = NULL;
	nvme_ctrl_t c = NULL;
	nvme_host_t h;

	fail_alloc_begin();
	h = nvme_lookup_host(r, FAKE_HOSTNQN, FAKE_HOSTID);
	if (h)
		s = nvme_lookup_subsystem(h, "nvme-subsys0", NQN_A);
	if (s)
		c = nvme_lookup_ctrl(s, "mptcp", "192.0.2.1", NULL, "eth0", "4420", NULL);
	if (!c)
		assert_int_equal(errno, ENOMEM);
	fail_alloc_end();
	nvme_free_tree(r);
	return c;
}

static void test_lookup(void **state)
{
	fail_alloc_each(lookup_once);
}

/* NULL, what the header promises for an unknown value, or the value. */
static bool is(const char *got, const char *want, const char *unknown)
{
	if (!got)
		return false;
	if (unknown && !strcmp(got, unknown))
		return !strcmp(want, unknown);
	assert_string_equal(got, want);
	return true;
}

static bool ask_ctrl_once(void)
{
	nvme_root_t r = make_root();
	nvme_ctrl_t c = nvme_scan_ctrl(r, "nvme10");
	char source[64];
	bool all;

	assert_non_null(c);
	fail_alloc_begin();
	all = is(nvme_ctrl_get_model(c), "Linux", NULL);
	all &= is(nvme_ctrl_get_state(c), "live", NULL);
	all &= is(nvme_ctrl_get_queue_count(c), "5", NULL);
	all &= is(nvme_ctrl_get_sysfs_dir(c), nvme_ctrl_get_sysfs_dir(c), NULL);
	all &= is(nvme_ctrl_get_address(c), ADDRESS, "traddr=192.0.2.1,trsvcid=4420");
	all &= is(nvme_ctrl_get_src_addr(c, source, sizeof(source)), "192.0.2.9", NULL);
	nvme_ctrl_get_phy_slot(c);
	nvme_ctrl_get_dhchap_key(c);
	nvme_ctrl_get_tls_key(c);
	nvme_ctrl_is_discovery_ctrl(c);
	nvme_host_get_dhchap_key(nvme_first_host(r));
	fail_alloc_end();
	nvme_free_tree(r);
	return all;
}

static void test_ask_ctrl(void **state)
{
	fail_alloc_each(ask_ctrl_once);
}

static bool ask_subsystem_once(void)
{
	nvme_root_t r = make_root();
	nvme_subsystem_t s;
	char *serial;
	bool all;

	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	s = nvme_first_subsystem(nvme_first_host(r));
	fail_alloc_begin();
	all = is(nvme_subsystem_get_model(s), "Linux", "undefined");
	all &= is(nvme_subsystem_get_type(s), "nvm", NULL);
	all &= is(nvme_subsystem_get_iopolicy(s), "numa", NULL);
	all &= is(nvme_subsystem_get_fw_rev(s), "6.12", NULL);
	serial = nvme_get_subsys_attr(s, "serial");
	all &= is(serial, "0123456789abcdef0123", NULL);
	free(serial);
	fail_alloc_end();
	nvme_free_tree(r);
	return all;
}

static void test_ask_subsystem(void **state)
{
	fail_alloc_each(ask_subsystem_once);
}

static bool ask_ns_once(void)
{
	nvme_root_t r = make_root();
	unsigned char uuid[NVME_UUID_LEN];
	nvme_path_t p;
	nvme_ns_t n;
	bool all;

	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	n = nvme_subsystem_first_ns(nvme_first_subsystem(nvme_first_host(r)));
	assert_non_null(n);
	fail_alloc_begin();
	all = nvme_ns_get_nsid(n) == 1;
	all &= nvme_ns_get_lba_size(n) == 4096;
	all &= nvme_ns_get_lba_count(n) == 16384;
	nvme_ns_get_uuid(n, uuid);
	all &= uuid[0] == 0x0d;
	all &= nvme_ns_get_nguid(n) != NULL;
	all &= nvme_ns_get_eui64(n) != NULL;
	all &= is(nvme_ns_get_generic_name(n), "ng0n1", "");
	all &= is(nvme_ns_get_model(n), "Linux", "undefined");
	all &= nvme_ns_head_get_sysfs_dir(nvme_ns_get_head(n)) != NULL;
	p = nvme_namespace_first_path(n);
	all &= p && is(nvme_path_get_ana_state(p), "optimized", NULL);
	all &= p && is(nvme_path_get_numa_nodes(p), "0-1", "-1");
	all &= p && nvme_path_get_queue_depth(p) == 3;
	fail_alloc_end();
	nvme_free_tree(r);
	return all;
}

static void test_ask_ns(void **state)
{
	fail_alloc_each(ask_ns_once);
}

static bool list_once(void)
{
	struct dirent **found = NULL;
	int n;

	fail_alloc_begin();
	n = nvme_scan_ctrls(&found);
	fail_alloc_end();
	for (int i = 0; i < n; i++)
		free(found[i]);
	if (n >= 0)
		free(found);
	return n == 3;
}

static void test_list(void **state)
{
	fail_alloc_each(list_once);
}

static bool paths_once(void)
{
	nvme_root_t r = make_root();
	struct dirent **found = NULL;
	nvme_ctrl_t c = nvme_scan_ctrl(r, "nvme10");
	int n;

	assert_non_null(c);
	fail_alloc_begin();
	n = nvme_scan_ctrl_namespace_paths(c, &found);
	fail_alloc_end();
	for (int i = 0; i < n; i++)
		free(found[i]);
	if (n >= 0)
		free(found);
	nvme_free_tree(r);
	return n == 2;
}

static void test_paths(void **state)
{
	fail_alloc_each(paths_once);
}

static bool set_once(void)
{
	nvme_root_t r = make_root();
	nvme_host_t h = nvme_lookup_host(r, FAKE_HOSTNQN, FAKE_HOSTID);
	nvme_ctrl_t c = nvme_create_ctrl(r, NQN_A, "mptcp", "192.0.2.1", NULL, NULL, "4420");
	bool all;

	assert_non_null(c);
	fail_alloc_begin();
	nvme_root_set_application(r, "a");
	nvme_host_set_hostsymname(h, "b");
	nvme_host_set_dhchap_key(h, "c");
	nvme_ctrl_set_dhchap_key(c, "d");
	nvme_ctrl_set_dhchap_host_key(c, "e");
	nvme_ctrl_set_keyring(c, "f");
	nvme_ctrl_set_tls_key(c, "g");
	nvme_ctrl_set_tls_key_identity(c, "h");
	fail_alloc_end();
	all = is(nvme_root_get_application(r), "a", NULL);
	all &= is(nvme_host_get_hostsymname(h), "b", NULL);
	all &= is(nvme_host_get_dhchap_key(h), "c", NULL);
	all &= is(nvme_ctrl_get_dhchap_key(c), "d", NULL);
	all &= is(nvme_ctrl_get_dhchap_host_key(c), "e", NULL);
	all &= is(nvme_ctrl_get_keyring(c), "f", NULL);
	all &= is(nvme_ctrl_get_tls_key(c), "g", NULL);
	all &= is(nvme_ctrl_get_tls_key_identity(c), "h", NULL);
	nvme_free_ctrl(c);
	nvme_free_tree(r);
	return all;
}

static void test_set(void **state)
{
	fail_alloc_each(set_once);
}

/* A secret that cannot be kept is no other one, and not silently none. */
static void test_secret(void **state)
{
	char *secret = NULL;

	(void)state;
	assert_int_equal(str_set_secret(&secret, "first"), 0);
	fail_alloc_after(0);
	assert_int_equal(str_set_secret(&secret, "second"), -ENOMEM);
	assert_true(fail_alloc_happened());
	fail_alloc_after(-1);
	assert_string_equal(secret, "first");
	assert_int_equal(str_set_secret(&secret, NULL), 0);
	assert_null(secret);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_root),   TEST(test_scan),  TEST(test_subsystem), TEST(test_walk),
		TEST(test_adopt),  TEST(test_ctrl),  TEST(test_create),	   TEST(test_lookup),
		TEST(test_list),   TEST(test_paths), TEST(test_ask_ctrl),  TEST(test_ask_subsystem),
		TEST(test_ask_ns), TEST(test_set),   TEST(test_secret),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
