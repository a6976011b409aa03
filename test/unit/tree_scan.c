/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is in /sys is in the tree, once, in its place; and what is odd in /sys breaks nothing. */
#include "fake_tree.h"

TEST(leaves_out_what_has_no_place)
{
	nvme_subsystem_t s;

	fake_subsystem(0, NQN_A);
	fake_fabrics(0, 0, "tcp", "traddr=192.0.2.1,trsvcid=4420", NQN_A);
	fake_fabrics(1, -1, "tcp", "traddr=192.0.2.2,trsvcid=4420", NQN_A);
	fake_fabrics(2, 0, NULL, "traddr=192.0.2.3,trsvcid=4420", NQN_A);
	fake_fabrics(3, 0, "tcp", NULL, NQN_A);
	fake_fabrics(4, 0, "tcp", "", NQN_A);
	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	s = only_subsystem();
	assert_string_equal(nvme_ctrl_get_name(nvme_subsystem_first_ctrl(s)), "nvme0");
	assert_null(nvme_subsystem_next_ctrl(s, nvme_subsystem_first_ctrl(s)));

	ASSERT_NONE(nvme_scan_ctrl(r, "nvme1"), ENXIO);
	ASSERT_NONE(nvme_scan_ctrl(r, "nvme2"), ENXIO);
	ASSERT_NONE(nvme_scan_ctrl(r, "nvme99"), ENODEV);
	ASSERT_NONE(nvme_scan_ctrl(r, "../nvme0"), EINVAL);
	ASSERT_NONE(nvme_scan_ctrl(r, "nvme0n1"), EINVAL);
}

TEST(scanning_again_adds_what_is_new)
{
	nvme_subsystem_t s;
	nvme_ctrl_t c;
	nvme_ns_t n;
	int count = 0;

	fake_multipath();
	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	c = nvme_subsystem_first_ctrl(only_subsystem());
	n = nvme_subsystem_first_ns(only_subsystem());
	fake_fabrics(11, 0, "tcp", "traddr=192.0.2.3,trsvcid=4420", NQN_A);
	fake_head(0, 3, 3);
	fake_path(0, 0, 3);
	fake_path(0, 11, 3);
	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	s = only_subsystem();
	assert_ptr_equal(nvme_subsystem_first_ctrl(s), c);
	assert_ptr_equal(nvme_subsystem_first_ns(s), n);
	nvme_subsystem_for_each_ctrl(s, c)
		count++;
	assert_int_equal(count, 3);
	count = 0;
	nvme_subsystem_for_each_ns(s, n)
		count++;
	assert_int_equal(count, 3);
	n = nvme_subsystem_lookup_namespace(s, 3);
	assert_non_null(nvme_namespace_first_path(n));
	assert_non_null(nvme_namespace_next_path(n, nvme_namespace_first_path(n)));
}

static bool keep_mptcp(nvme_subsystem_t s, nvme_ctrl_t c, nvme_ns_t n, void *arg)
{
	int *calls = arg;

	assert_int_equal(!!s + !!c + !!n, 1);
	(*calls)++;
	if (c)
		return !strcmp(nvme_ctrl_get_transport(c), "mptcp");
	if (n)
		return nvme_ns_get_nsid(n) == 1;
	return strcmp(nvme_subsystem_get_nqn(s), NQN_B) != 0;
}

TEST(filters_free_what_they_refuse)
{
	nvme_subsystem_t s;
	int calls = 0;

	fake_multipath();
	fake_subsystem(1, NQN_B);
	fake_fabrics(1, 1, "mptcp", "traddr=192.0.2.1,trsvcid=4420", NQN_B);
	assert_int_equal(nvme_scan_topology(r, keep_mptcp, &calls), 0);
	assert_int_equal(calls, 3 + 2 + 2);
	s = only_subsystem();
	assert_string_equal(nvme_ctrl_get_name(nvme_subsystem_first_ctrl(s)), "nvme10");
	assert_int_equal(nvme_ns_get_nsid(nvme_subsystem_first_ns(s)), 1);
	assert_null(nvme_subsystem_next_ns(s, nvme_subsystem_first_ns(s)));
	/* The path to the namespace that went is there, and leads nowhere. */
	assert_null(nvme_path_get_ns(nvme_ctrl_next_path(
		nvme_subsystem_first_ctrl(s), nvme_ctrl_first_path(nvme_subsystem_first_ctrl(s)))));
}

TEST(objects_go_in_any_order)
{
	nvme_subsystem_t s;
	nvme_ctrl_t c, loose;

	fake_multipath();
	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	s = only_subsystem();
	nvme_free_ns(nvme_subsystem_first_ns(s));
	loose = nvme_subsystem_first_ctrl(s);
	nvme_unlink_ctrl(loose);
	assert_null(nvme_ctrl_get_subsystem(loose));
	nvme_unlink_ctrl(loose);
	c = nvme_subsystem_first_ctrl(s);
	nvme_free_ctrl(c);
	assert_null(nvme_subsystem_first_ctrl(s));
	nvme_free_subsystem(s);
	assert_null(nvme_first_subsystem(nvme_first_host(r)));
	nvme_free_host(nvme_first_host(r));
	assert_null(nvme_first_host(r));
	nvme_free_tree(r);
	nvme_free_ctrl(loose);
	nvme_free_ctrl(NULL);
	nvme_free_ns(NULL);
	nvme_free_subsystem(NULL);
	nvme_free_host(NULL);
	nvme_free_tree(NULL);
	r = NULL;
}

TEST(without_the_module_there_is_an_error)
{
	fake_remove("sys/class/nvme");
	ASSERT_FAILS(nvme_scan_topology(r, NULL, NULL), ENOENT);
	assert_int_equal(nvme_scan_topology(NULL, NULL, NULL), 0);
}

TEST(subsystems_without_controllers_belong_to_this_machine)
{
	setenv("LIBNVME_HOSTNQN", FAKE_HOSTNQN, 1);
	setenv("LIBNVME_HOSTID", FAKE_HOSTID, 1);
	fake_subsystem(2, NQN_A);
	fake_head(2, 1, 1);
	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	assert_string_equal(nvme_host_get_hostnqn(nvme_first_host(r)), FAKE_HOSTNQN);
	assert_non_null(nvme_subsystem_first_ns(only_subsystem()));
	unsetenv("LIBNVME_HOSTNQN");
	unsetenv("LIBNVME_HOSTID");
}
