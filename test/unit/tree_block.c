/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Block devices: what a number stands for, partitions and holders. */
#include <sys/sysmacros.h>

#include <libnvme.h>

#include "unit.h"
#include "fake_sysfs.h"

static int begin(void **state)
{
	fake_sysfs_begin();
	fake_block(NULL, "nvme0n1", "259:0", NULL);
	fake_block("nvme0n1", "nvme0n1p1", "259:1", NULL);
	fake_block("nvme0n1", "nvme0n1p10", "259:10", NULL);
	fake_block("nvme0n1", "nvme0n1p2", "259:2", "dm-0");
	fake_block(NULL, "dm-0", "253:0", "md127");
	fake_attr("", "sys/dev/char/.keep");
	return 0;
}

static int end(void **state)
{
	fake_sysfs_end();
	return 0;
}

static void is_text(char *text, const char *expected)
{
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

TEST(numbers_have_names)
{
	is_text(nvme_device_name(makedev(259, 0), true), "nvme0n1");
	is_text(nvme_device_name(makedev(259, 2), true), "nvme0n1p2");
	is_text(nvme_device_name(makedev(253, 0), true), "dm-0");
	errno = 0;
	assert_null(nvme_device_name(makedev(259, 0), false));
	assert_int_equal(errno, ENOENT);
}

TEST(names_have_numbers)
{
	is_text(nvme_block_number("nvme0n1"), "259:0");
	is_text(nvme_block_number("nvme0n1p10"), "259:10");
	errno = 0;
	assert_null(nvme_block_number("nvme0n2"));
	assert_int_equal(errno, ENOENT);
	errno = 0;
	assert_null(nvme_block_number("../block/nvme0n1"));
	assert_int_equal(errno, ENODEV);
}

TEST(partitions_are_in_order)
{
	is_text(nvme_block_partitions("nvme0n1"), "nvme0n1p1 nvme0n1p2 nvme0n1p10 ");
	is_text(nvme_block_partitions("nvme0n1p1"), "");
	errno = 0;
	assert_null(nvme_block_partitions("nvme1n1"));
	assert_int_equal(errno, ENOENT);
}

TEST(holders_are_those_of_the_device_itself)
{
	is_text(nvme_block_holders("nvme0n1"), "");
	is_text(nvme_block_holders("nvme0n1p2"), "dm-0 ");
	is_text(nvme_block_holders("dm-0"), "md127 ");
	fake_remove("sys/devices/virtual/block/nvme0n1/holders");
	is_text(nvme_block_holders("nvme0n1"), "");
	errno = 0;
	assert_null(nvme_block_holders("nvme1n1"));
	assert_int_equal(errno, ENOENT);
}

EACH_TEST(begin, end)
