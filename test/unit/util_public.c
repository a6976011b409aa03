/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What stands around the commands: status and errno in words, UUIDs, command data, IP addresses, /sys. */
#include <arpa/inet.h>
#include <endian.h>
#include <ifaddrs.h>
#include <sys/stat.h>

#include <libnvme.h>

#include "unit.h"
#include "base/address.h"
#include "base/cleanup.h"
#include "base/env.h"
#include "fake_sysfs.h"
#include "base/sysfs.h"

#define CMD(code) (NVME_SCT_CMD_SPECIFIC << NVME_SCT_SHIFT | (code))

TEST(host_names_are_told_from_addresses)
{
	const char *reason = NULL;
	struct ip_addr ip, other;
	char *text = NULL;

	assert_true(address_is_hostname("target.example"));
	assert_true(address_is_hostname("10.1"));
	assert_false(address_is_hostname("192.0.2.1"));
	assert_false(address_is_hostname("[2001:db8::1]"));
	assert_false(address_is_hostname("fe80::1%nosuchlink"));
	assert_false(address_is_hostname(""));
	assert_false(address_is_hostname(NULL));
	assert_int_equal(address_parse("fe80::1%nosuchlink", &ip), -ENODEV);
	assert_int_equal(address_parse("fe80::1%", &ip), -EINVAL);
	assert_int_equal(address_parse("[]", &ip), -EINVAL);
	assert_int_equal(address_parse_ip("fe80::1%nosuchlink", &ip.in6), 0);
	assert_int_equal(address_parse("fe80::1", &other), 0);
	assert_true(address_equal(&ip.in6, &other.in6));
	assert_int_equal(address_parse_ip("[::ffff:192.0.2.1]", &ip.in6), 0);
	assert_int_equal(address_parse_ip("192.0.2.1", &other.in6), 0);
	assert_true(address_equal(&ip.in6, &other.in6));
	assert_int_equal(address_parse_ip("fe80::1%", &ip.in6), -EINVAL);
	assert_int_equal(address_parse_ip("192.0.2.1%lo", &ip.in6), -EINVAL);
	assert_int_equal(address_parse_ip(NULL, &ip.in6), -EINVAL);
	assert_int_equal(
		address_parse("1:2:3:4:5:6:7:8:9:0:1:2:3:4:5:6:7:8:9:0:1:2:3:4:5:6:7:8:9:0:1:2",
			      &ip),
		-EINVAL);
	assert_int_equal(address_resolve("192.0.2.1", &text, &reason), 0);
	assert_string_equal(text, "192.0.2.1");
	free(text);
	text = NULL;
	assert_int_equal(address_resolve("none", &text, &reason), -EINVAL);
	assert_non_null(reason);
	assert_null(text);
}

TEST(interfaces_own_addresses)
{
	struct sockaddr_in first = { .sin_family = AF_INET }, second = { .sin_family = AF_INET };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	void *const addresses[] = { NULL, &six, &first, &second };
	struct ifaddrs list[4];

	for (size_t i = 0; i < 4; i++)
		list[i] = (struct ifaddrs){ .ifa_next = i < 3 ? &list[i + 1] : NULL,
					    .ifa_name = (char *)"eth0",
					    .ifa_addr = addresses[i] };

	inet_pton(AF_INET, "192.0.2.1", &first.sin_addr);
	inet_pton(AF_INET, "192.0.2.2", &second.sin_addr);
	inet_pton(AF_INET6, "2001:db8::1", &six.sin6_addr);
	assert_string_equal(nvme_iface_matching_addr(list, "192.0.2.2"), "eth0");
	assert_string_equal(nvme_iface_matching_addr(list, "2001:db8::1"), "eth0");
	assert_null(nvme_iface_matching_addr(list, "192.0.2.3"));
	assert_null(nvme_iface_matching_addr(list, "garbage"));
	assert_null(nvme_iface_matching_addr(NULL, "192.0.2.1"));
	assert_true(nvme_iface_primary_addr_matches(list, "eth0", "192.0.2.1"));
	assert_false(nvme_iface_primary_addr_matches(list, "eth0", "192.0.2.2"));
	assert_true(nvme_iface_primary_addr_matches(list, "eth0", "2001:db8::1"));
	assert_false(nvme_iface_primary_addr_matches(list, "eth1", "192.0.2.1"));
	assert_false(nvme_iface_primary_addr_matches(list, NULL, "192.0.2.1"));
}

TEST(attributes_are_trimmed_and_bounded)
{
	const char *root = fake_sysfs_begin();
	_cleanup_(close) int dirfd = -1;
	_cleanup_(free) char *value = NULL;
	static char big[8192];
	char buf[8], path[128];

	fake_attr("  two words  \n", "a/value");
	fake_attr("x\n\n", "a/lines");
	fake_attr("\n", "a/empty");
	memset(big, 'y', sizeof(big) - 1);
	fake_attr(big, "a/big");
	snprintf(path, sizeof(path), "%s/a", root);
	dirfd = sysfs_open_dir(AT_FDCWD, path);
	assert_true(dirfd >= 0);
	assert_int_equal(sysfs_read_at(dirfd, "value", &value), 0);
	assert_string_equal(value, "  two words");
	assert_int_equal(sysfs_read_buf(dirfd, "lines", buf, sizeof(buf)), 2);
	assert_string_equal(buf, "x\n");
	assert_int_equal(sysfs_read_buf(dirfd, "value", buf, sizeof(buf)), -EOVERFLOW);
	assert_int_equal(sysfs_read_buf(dirfd, "empty", buf, sizeof(buf)), -ENODATA);
	assert_int_equal(sysfs_read_buf(dirfd, "none", buf, sizeof(buf)), -ENOENT);
	free(value);
	value = NULL;
	assert_int_equal(sysfs_read_at(dirfd, "big", &value), 0);
	assert_int_equal(strlen(value), SYSFS_VALUE_MAX);
	free(value);
	value = nvme_get_attr(path, "value");
	assert_string_equal(value, "  two words");
	ASSERT_NONE(nvme_get_attr(path, "empty"), ENODATA);
	ASSERT_NONE(nvme_get_attr(NULL, "x"), EINVAL);
	assert_int_equal(sysfs_write(path, "value", "1"), 0);
	assert_int_equal(sysfs_write(path, "none", "1"), -ENOENT);
	fake_sysfs_end();
}

TEST(the_environment_moves_the_root)
{
	char long_path[2000];

	unsetenv("LIBNVME_SYSFS_PATH");
	assert_string_equal(sysfs_path(SYSFS_CLASS_NVME), "/sys/class/nvme");
	setenv("LIBNVME_SYSFS_PATH", "/elsewhere", 1);
	assert_string_equal(sysfs_path(SYSFS_CLASS_NVME), "/elsewhere/sys/class/nvme");
	assert_string_equal(sysfs_path(SYSFS_PCI_SLOTS), "/elsewhere/sys/bus/pci/slots");
	memset(long_path, 'x', sizeof(long_path) - 1);
	long_path[0] = '/';
	long_path[sizeof(long_path) - 1] = '\0';
	setenv("LIBNVME_SYSFS_PATH", long_path, 1);
	assert_string_equal(sysfs_path(SYSFS_CLASS_NVME), "");
	unsetenv("LIBNVME_SYSFS_PATH");
	setenv("LIBNVME_FORCE_4K", "enabled", 1);
	assert_true(env_force_4k());
	setenv("LIBNVME_FORCE_4K", "0", 1);
	assert_false(env_force_4k());
	unsetenv("LIBNVME_FORCE_4K");
	assert_false(env_force_4k());
}
