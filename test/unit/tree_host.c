/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which host a controller of the kernel belongs to. */
#include "fake_tree.h"

#define LATER "6a2b2a5c-6f2f-4f3e-8e0d-6d6f5a5c0002"

static void make_ctrls(void)
{
	fake_subsystem(0, NQN_A);
	fake_fabrics(0, 0, "tcp", "traddr=192.0.2.1,trsvcid=4420", NQN_A);
	fake_fabrics(1, 0, "mptcp", "traddr=192.0.2.1,trsvcid=4420", NQN_A);
}

static const char *hostid_of(const char *name)
{
	nvme_ctrl_t c = nvme_scan_ctrl(r, name);

	assert_non_null(c);
	return nvme_host_get_hostid(nvme_subsystem_get_host(nvme_ctrl_get_subsystem(c)));
}

TEST(a_described_host_without_identifier_is_another_one)
{
	nvme_host_t described = nvme_lookup_host(r, FAKE_HOSTNQN, NULL);

	make_ctrls();
	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	assert_null(nvme_first_subsystem(described));
	assert_string_equal(nvme_host_get_hostid(nvme_next_host(r, described)), FAKE_HOSTID);
	assert_string_equal(hostid_of("nvme0"), FAKE_HOSTID);
	assert_string_equal(hostid_of("nvme1"), FAKE_HOSTID);
}

/* It is read once per scan, because the kernel has one for each NQN, but not once for all. */
TEST(every_scan_reads_the_identifier)
{
	nvme_ctrl_t c;

	make_ctrls();
	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	fake_attr(LATER, "sys/class/nvme/nvme0/hostid");
	fake_attr(LATER, "sys/class/nvme/nvme1/hostid");
	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	c = nvme_subsystem_first_ctrl(nvme_first_subsystem(nvme_next_host(r, nvme_first_host(r))));
	assert_string_equal(nvme_ctrl_get_name(c), "nvme0");
	assert_string_equal(hostid_of("nvme0"), LATER);
	assert_string_equal(hostid_of("nvme1"), LATER);
}

/* Hosts of one NQN differ in their identifiers; whichever goes, the others are still found. */
TEST(one_of_several_hosts_goes)
{
	static const char *const hostid[] = {
		"6a2b2a5c-6f2f-4f3e-8e0d-6d6f5a5c0011",
		"6a2b2a5c-6f2f-4f3e-8e0d-6d6f5a5c0012",
		"6a2b2a5c-6f2f-4f3e-8e0d-6d6f5a5c0013",
		"6a2b2a5c-6f2f-4f3e-8e0d-6d6f5a5c0014",
	};
	const size_t n = sizeof(hostid) / sizeof(*hostid);

	for (size_t gone = 0; gone < n; gone++) {
		nvme_root_t own = nvme_create_root(stderr, LOG_EMERG);
		nvme_host_t hosts[sizeof(hostid) / sizeof(*hostid)], h;
		size_t left = 0;

		for (size_t i = 0; i < n; i++)
			hosts[i] = nvme_lookup_host(own, "nqn.2024-01.org.example:h", hostid[i]);
		nvme_free_host(hosts[gone]);
		for (size_t i = 0; i < n; i++)
			if (i != gone)
				assert_ptr_equal(nvme_lookup_host(own, "nqn.2024-01.org.example:h",
								  hostid[i]),
						 hosts[i]);
		/* Found, not made once more. */
		nvme_for_each_host(own, h)
			left++;
		assert_int_equal(left, n - 1);
		nvme_free_tree(own);
	}
}
