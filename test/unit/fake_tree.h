/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every test has a made-up /sys of its own, and a tree that has not been scanned. */
#pragma once

#include <libnvme.h>

#include "unit.h"
#include "fake_sysfs.h"

#define NQN_A FAKE_NQN
#define NQN_B FAKE_NQN "-b"

static nvme_root_t r;

static int begin(void **state)
{
	fake_sysfs_begin();
	r = nvme_create_root(stderr, LOG_EMERG);
	return r ? 0 : -1;
}

static int end(void **state)
{
	nvme_free_tree(r);
	fake_sysfs_end();
	return 0;
}

static inline nvme_subsystem_t only_subsystem(void)
{
	nvme_host_t h = nvme_first_host(r);
	nvme_subsystem_t s;

	assert_non_null(h);
	assert_null(nvme_next_host(r, h));
	s = nvme_first_subsystem(h);
	assert_non_null(s);
	assert_null(nvme_next_subsystem(h, s));
	return s;
}

EACH_TEST(begin, end)
