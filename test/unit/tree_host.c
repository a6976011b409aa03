/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which host a controller of the kernel belongs to. */
#include <libnvme.h>

#include "unit.h"
#include "fake_sysfs.h"

#define NQN "nqn.2024-01.org.example:a"
#define LATER "6a2b2a5c-6f2f-4f3e-8e0d-6d6f5a5c0002"

static int begin(void **state)
{
	fake_sysfs_begin();
	fake_subsystem(0, NQN);
	for (int instance = 0; instance < 2; instance++) {
		fake_ctrl(&(struct fake_ctrl){
			.instance = instance,
			.transport = instance ? "mptcp" : "tcp",
			.address = "traddr=192.0.2.1,trsvcid=4420",
			.subsysnqn = NQN,
			.hostnqn = FAKE_HOSTNQN,
			.hostid = FAKE_HOSTID,
		});
	}
	*state = nvme_create_root(stderr, LOG_EMERG);
	return *state ? 0 : -1;
}

static int end(void **state)
{
	nvme_free_tree(*state);
	fake_sysfs_end();
	return 0;
}

static const char *hostid_of(nvme_root_t r, const char *name)
{
	nvme_ctrl_t c = nvme_scan_ctrl(r, name);

	assert_non_null(c);
	return nvme_host_get_hostid(nvme_subsystem_get_host(nvme_ctrl_get_subsystem(c)));
}

TEST(a_described_host_without_identifier_is_another_one)
{
	nvme_root_t r = *state;
	nvme_host_t described = nvme_lookup_host(r, FAKE_HOSTNQN, NULL);

	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	assert_null(nvme_first_subsystem(described));
	assert_string_equal(nvme_host_get_hostid(nvme_next_host(r, described)), FAKE_HOSTID);
	assert_string_equal(hostid_of(r, "nvme0"), FAKE_HOSTID);
	assert_string_equal(hostid_of(r, "nvme1"), FAKE_HOSTID);
}

/* It is read once per scan, because the kernel has one for each NQN, but not once for all. */
TEST(every_scan_reads_the_identifier)
{
	nvme_root_t r = *state;
	nvme_ctrl_t c;

	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	fake_attr(LATER, "sys/class/nvme/nvme0/hostid");
	fake_attr(LATER, "sys/class/nvme/nvme1/hostid");
	assert_int_equal(nvme_scan_topology(r, NULL, NULL), 0);
	c = nvme_subsystem_first_ctrl(nvme_first_subsystem(nvme_next_host(r, nvme_first_host(r))));
	assert_string_equal(nvme_ctrl_get_name(c), "nvme0");
	assert_string_equal(hostid_of(r, "nvme0"), LATER);
	assert_string_equal(hostid_of(r, "nvme1"), LATER);
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
		nvme_root_t r = nvme_create_root(stderr, LOG_EMERG);
		nvme_host_t hosts[sizeof(hostid) / sizeof(*hostid)];

		for (size_t i = 0; i < n; i++)
			hosts[i] = nvme_lookup_host(r, "nqn.2024-01.org.example:h", hostid[i]);
		nvme_free_host(hosts[gone]);
		for (size_t i = 0; i < n; i++)
			if (i != gone)
				assert_ptr_equal(nvme_lookup_host(r, "nqn.2024-01.org.example:h",
								  hostid[i]),
						 hosts[i]);
		/* Found, not made once more. */
		size_t left = 0;
		nvme_host_t h;

		nvme_for_each_host(r, h)
			left++;
		assert_int_equal(left, n - 1);
		nvme_free_tree(r);
	}
}

EACH_TEST(begin, end)
