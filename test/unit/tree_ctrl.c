/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One controller: what /sys says about it, finding and adopting it, and letting it go. */
#include "fake_tree.h"

TEST(older_kernels_show_pci_addresses_in_the_path_only)
{
	nvme_ctrl_t c;

	fake_subsystem(0, NQN_A);
	fake_ctrl(&(struct fake_ctrl){ .instance = 0,
				       .subsystem = 0,
				       .transport = "pcie",
				       .subsysnqn = NQN_A,
				       .hostnqn = FAKE_HOSTNQN,
				       .pci = "0000:3d:00.0" });
	fake_subsystem(1, NQN_B);
	fake_fabrics(1, 1, "mptcp", "traddr=192.0.2.1,trsvcid=4420", NQN_B);
	/* They are in different directories. */
	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	c = nvme_scan_ctrl(r, "nvme0");
	assert_string_equal(nvme_ctrl_get_traddr(c), "0000:3d:00.0");
	assert_string_equal(nvme_ctrl_get_state(c), "live");
	c = nvme_scan_ctrl(r, "nvme1");
	assert_string_equal(nvme_ctrl_get_transport(c), "mptcp");
	assert_string_equal(nvme_ctrl_get_state(c), "live");
	nvme_root_release_fds(r);
	assert_string_equal(nvme_ctrl_get_state(c), "live");
}

TEST(security_is_read_when_asked_for)
{
	nvme_ctrl_t tcp, mptcp;

	fake_multipath();
	for (int i = 0; i <= 10; i += 10) {
		static const char dir[] = "sys/devices/virtual/nvme-fabrics/ctl";

		fake_attr("DHHC-1:00:host:\n", "%s/nvme%d/dhchap_secret", dir, i);
		fake_attr("DHHC-1:00:ctrl:\n", "%s/nvme%d/dhchap_ctrl_secret", dir, i);
		fake_attr("tls\n", "%s/nvme%d/tls_mode", dir, i);
		fake_attr(".nvme\n", "%s/nvme%d/tls_keyring", dir, i);
		fake_attr("1a2b3c4d\n", "%s/nvme%d/tls_configured_key", dir, i);
		fake_attr("2b\n", "%s/nvme%d/tls_key", dir, i);
	}
	tcp = nvme_scan_ctrl(r, "nvme0");
	mptcp = nvme_scan_ctrl(r, "nvme10");
	assert_string_equal(nvme_host_get_dhchap_key(nvme_first_host(r)), "DHHC-1:00:host:");
	/* The host's secret, which is not the controller's own. */
	assert_null(nvme_ctrl_get_dhchap_host_key(tcp));
	assert_string_equal(nvme_ctrl_get_dhchap_key(tcp), "DHHC-1:00:ctrl:");
	assert_string_equal(nvme_ctrl_get_keyring(tcp), ".nvme");
	assert_true(nvme_ctrl_get_config(tcp)->tls);
	assert_int_equal(nvme_ctrl_get_config(tcp)->tls_configured_key, 0x1a2b3c4d);
	assert_int_equal(nvme_ctrl_get_config(tcp)->tls_key, 0x2b);
	assert_string_equal(nvme_ctrl_get_dhchap_key(mptcp), "DHHC-1:00:ctrl:");
	/* A kernel that has TLS over MPTCP shows it as for tcp. */
	assert_true(nvme_ctrl_get_config(mptcp)->tls);
}

TEST(odd_addresses_are_shown_as_they_are)
{
	static const struct {
		const char *address, *traddr, *trsvcid, *host_traddr, *host_iface, *src_addr;
	} rows[] = {
		{ "traddr=none,trsvcid=none", NULL, NULL, NULL, NULL, NULL },
		{ "traddr=fe80::1%eth0,trsvcid=4420,src_addr=fe80::2%eth0", "fe80::1%eth0", "4420",
		  NULL, NULL, "fe80::2" },
		{ "traddr=192.0.2.1,trsvcid=4420,host_traddr=192.0.2.2,host_iface=eth1",
		  "192.0.2.1", "4420", "192.0.2.2", "eth1", NULL },
		{ "traddr=192.0.2.1,trsvcid=4420,host_traddr=none", "192.0.2.1", "4420", NULL, NULL,
		  NULL },
		{ ",,,=,traddr,traddr==x,trsvcid=", "=x", NULL, NULL, NULL, NULL },
		{ "xtraddr=1.2.3.4", NULL, NULL, NULL, NULL, NULL },
		{ "src_addr=,traddr=a b,c", "a b", NULL, NULL, NULL, NULL },
		{ "traddr=\x1b[31m\xff", "\x1b[31m\xff", NULL, NULL, NULL, NULL },
	};

	fake_subsystem(0, NQN_A);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char name[16], source[64];
		nvme_ctrl_t c;

		fake_fabrics((int)i, 0, "mptcp", rows[i].address, NQN_A);
		/* A kernel before 5.4. */
		fake_remove("sys/devices/virtual/nvme-fabrics/ctl/nvme%zu/uevent", i);
		snprintf(name, sizeof(name), "nvme%zu", i);
		c = nvme_scan_ctrl(r, name);
		assert_non_null(c);
		assert_string_equal(nvme_ctrl_get_address(c), rows[i].address);
#define ASSERT_SAME(a, b) \
	do { \
		const char *have = (a), *want = (b); \
		assert_true(have &&want ? !strcmp(have, want) : have == want); \
	} while (0)
		ASSERT_SAME(nvme_ctrl_get_traddr(c), rows[i].traddr);
		ASSERT_SAME(nvme_ctrl_get_trsvcid(c), rows[i].trsvcid);
		ASSERT_SAME(nvme_ctrl_get_host_traddr(c), rows[i].host_traddr);
		ASSERT_SAME(nvme_ctrl_get_host_iface(c), rows[i].host_iface);
		ASSERT_SAME(nvme_ctrl_get_src_addr(c, source, sizeof(source)), rows[i].src_addr);
	}
}

TEST(one_controller_is_found_alone)
{
	nvme_ctrl_t c;

	/* The subsystem has neither the controller's number nor paths that tell its own. */
	fake_subsystem(5, NQN_B);
	fake_fabrics(0, 5, "mptcp", "traddr=192.0.2.1,trsvcid=4420", NQN_B);
	fake_subsystem(7, NQN_A);
	fake_fabrics(8, 7, "mptcp", "traddr=192.0.2.1,trsvcid=4420", NQN_A);
	fake_head(7, 1, 1);
	fake_path(7, 8, 1);
	c = nvme_scan_ctrl(r, "nvme0");
	assert_string_equal(nvme_subsystem_get_name(nvme_ctrl_get_subsystem(c)), "nvme-subsys5");
	assert_string_equal(nvme_subsystem_get_nqn(only_subsystem()), NQN_B);
	c = nvme_scan_ctrl(r, "nvme8");
	assert_string_equal(nvme_subsystem_get_name(nvme_ctrl_get_subsystem(c)), "nvme-subsys7");
	assert_non_null(nvme_path_get_ns(nvme_ctrl_first_path(c)));
}

/* A number may be given to another controller between two scans. */
TEST(a_reused_name_is_another_controller)
{
	nvme_ctrl_t old, new;

	fake_subsystem(0, NQN_A);
	fake_fabrics(0, 0, "tcp", "traddr=192.0.2.1,trsvcid=4420", NQN_A);
	old = nvme_scan_ctrl(r, "nvme0");
	assert_non_null(old);
	fake_attr("NVME_TRTYPE=tcp\nNVME_TRADDR=192.0.2.7\nNVME_TRSVCID=4420\n",
		  "sys/devices/virtual/nvme-fabrics/ctl/nvme0/uevent");
	new = nvme_scan_ctrl(r, "nvme0");
	assert_non_null(new);
	assert_ptr_not_equal(old, new);
	assert_null(nvme_ctrl_get_name(old));
	assert_string_equal(nvme_ctrl_get_name(new), "nvme0");
	assert_string_equal(nvme_ctrl_get_traddr(new), "192.0.2.7");
	assert_ptr_equal(nvme_scan_ctrl(r, "nvme0"), new);
}

TEST(a_new_controller_is_attached_to_its_description)
{
	nvme_host_t h = nvme_lookup_host(r, FAKE_HOSTNQN, FAKE_HOSTID);
	nvme_ctrl_t c;

	fake_multipath();
	c = nvme_create_ctrl(r, NQN_A, "mptcp", "192.0.2.1", NULL, NULL, "4420");
	assert_non_null(c);
	ASSERT_FAILS(nvme_init_ctrl(h, c, 99), ENODEV);
	assert_int_equal(nvme_init_ctrl(h, c, 10), 0);
	assert_string_equal(nvme_ctrl_get_name(c), "nvme10");
	assert_string_equal(nvme_ctrl_get_address(c),
			    "traddr=192.0.2.1,trsvcid=4420,src_addr=192.0.2.9");
	assert_ptr_equal(nvme_subsystem_first_ctrl(only_subsystem()), c);
	assert_ptr_equal(nvme_scan_ctrl(r, "nvme10"), c);

	fake_remove("sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0");
	c = nvme_create_ctrl(r, NQN_A, "tcp", "192.0.2.1", NULL, NULL, "4420");
	ASSERT_FAILS(nvme_init_ctrl(h, c, 0), ENVME_CONNECT_LOOKUP_SUBSYS_NAME);
	fake_remove("sys/devices/virtual/nvme-fabrics/ctl/nvme0/uevent");
	fake_remove("sys/devices/virtual/nvme-fabrics/ctl/nvme0/address");
	ASSERT_FAILS(nvme_init_ctrl(h, c, 0), ENVME_CONNECT_INVAL_TR);
	nvme_free_ctrl(c);
}

/*
 * A subsystem's number is given to another while the tree still has the old one, and asking for the
 * well-known name of discovery leads to one that has a name of its own.
 */
TEST(a_reused_number_is_another_subsystem)
{
	nvme_host_t h = nvme_lookup_host(r, FAKE_HOSTNQN, FAKE_HOSTID);
	nvme_subsystem_t s;
	nvme_ctrl_t c;

	fake_subsystem(0, NVME_DISC_SUBSYS_NAME);
	fake_fabrics(0, 0, "tcp", "traddr=192.0.2.1,trsvcid=8009", NVME_DISC_SUBSYS_NAME);
	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	fake_fabrics(1, 0, "tcp", "traddr=192.0.2.2,trsvcid=8009", NQN_B);
	c = nvme_create_ctrl(r, NVME_DISC_SUBSYS_NAME, "tcp", "192.0.2.2", NULL, NULL, "8009");
	assert_non_null(c);
	assert_int_equal(nvme_init_ctrl(h, c, 1), 0);
	s = nvme_ctrl_get_subsystem(c);
	assert_string_equal(nvme_subsystem_get_nqn(s), NQN_B);
	assert_non_null(nvme_subsystem_get_name(s));
	assert_string_equal(nvme_subsystem_get_name(s), "nvme-subsys0");
}

TEST(described_controllers_are_adopted)
{
	nvme_host_t h = nvme_lookup_host(r, FAKE_HOSTNQN, FAKE_HOSTID);
	nvme_subsystem_t s = nvme_lookup_subsystem(h, NULL, NQN_A);
	nvme_ctrl_t tcp, mptcp, other;

	other = nvme_lookup_ctrl(s, "mptcp", "192.0.2.8", NULL, NULL, "4420", NULL);
	mptcp = nvme_lookup_ctrl(s, "mptcp", "::ffff:192.0.2.1", "192.0.2.9", NULL, "4420", NULL);
	tcp = nvme_lookup_ctrl(s, "tcp", "192.0.2.1", NULL, NULL, "4420", NULL);
	assert_non_null(tcp);
	nvme_ctrl_get_config(mptcp)->nr_io_queues = 3;
	fake_multipath();
	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	assert_ptr_equal(only_subsystem(), s);
	assert_string_equal(nvme_subsystem_get_name(s), "nvme-subsys0");
	assert_string_equal(nvme_ctrl_get_name(mptcp), "nvme10");
	assert_int_equal(nvme_ctrl_get_config(mptcp)->nr_io_queues, 3);
	assert_string_equal(nvme_ctrl_get_name(tcp), "nvme0");
	assert_null(nvme_ctrl_get_name(other));
}

static unsigned int count_paths(nvme_subsystem_t s)
{
	unsigned int n_paths = 0;
	nvme_path_t p;

	nvme_namespace_for_each_path(nvme_subsystem_first_ns(s), p)
		n_paths++;
	return n_paths;
}

TEST(a_controller_that_gets_its_name_has_its_paths)
{
	nvme_host_t h = nvme_lookup_host(r, FAKE_HOSTNQN, FAKE_HOSTID);
	nvme_subsystem_t s;
	nvme_ctrl_t c;

	fake_multipath();
	assert_non_null(nvme_scan_ctrl(r, "nvme0"));
	s = only_subsystem();
	c = nvme_lookup_ctrl(s, "mptcp", "192.0.2.1", NULL, NULL, "4420", NULL);
	assert_int_equal(count_paths(s), 1);
	assert_null(nvme_ctrl_first_path(c));
	assert_int_equal(nvme_init_ctrl(h, c, 10), 0);
	assert_int_equal(count_paths(s), 2);
	assert_non_null(nvme_ctrl_first_path(c));
}

/* What a person needs to see why a controller is not the one that was meant; no secrets. */
TEST(a_dump_of_the_tree_has_what_a_controller_is)
{
	static const char *const members[] = {
		"\"name\":\"nvme0\"",	"\"transport\":\"tcp\"",	 "\"traddr\":\"192.0.2.1\"",
		"\"trsvcid\":\"4420\"", "\"host_traddr\":\"192.0.2.9\"", "\"host_iface\":\"eth0\"",
		"\"tls\":true",		"\"keyring\":\".nvme\"",
	};
	const char *dir = "sys/devices/virtual/nvme-fabrics/ctl";
	char *text = calloc(1, 65536);
	FILE *file = tmpfile();
	nvme_root_t own;

	assert_non_null(text);
	assert_non_null(file);
	fake_subsystem(0, NQN_A);
	fake_fabrics(0, 0, "tcp",
		     "traddr=192.0.2.1,trsvcid=4420,host_traddr=192.0.2.9,host_iface=eth0", NQN_A);
	fake_head(0, 1, 1);
	fake_path(0, 0, 1);
	fake_attr("tls\n", "%s/nvme0/tls_mode", dir);
	fake_attr(".nvme\n", "%s/nvme0/tls_keyring", dir);
	fake_attr("DHHC-1:00:secret:\n", "%s/nvme0/dhchap_secret", dir);
	own = nvme_create_root(file, -1);
	assert_int_equal(nvme_scan_topology(own, NULL, NULL), 0);
	/* Programs end with what errno is then; nothing failed. */
	errno = 0;
	assert_int_equal(nvme_dump_tree(own), 0);
	assert_int_equal(errno, 0);
	rewind(file);
	assert_true(fread(text, 1, 65535, file) > 0);
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (!strstr(text, members[i]))
			fail_msg("%s is missing in %s", members[i], text);
	assert_null(strstr(text, "DHHC-1"));
	nvme_free_tree(own);
	own = nvme_create_root(NULL, -1);
	assert_int_equal(nvme_scan_topology(own, NULL, NULL), 0);
	errno = 0;
	assert_int_equal(nvme_dump_config(own), 0);
	assert_int_equal(errno, 0);
	nvme_free_tree(own);
	free(text);
	fclose(file);
}
