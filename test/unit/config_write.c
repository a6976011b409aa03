/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The JSON configuration read, changed and written by several programs. */
#include <libnvme.h>

#include "config_file.h"

#define NQN "nqn.2024-01.org.example:"

static nvme_root_t r;

static int begin(void **state)
{
	static const char text[] = "[{\"hostnqn\":\"" NQN "first\",\"subsystems\":[]}]";
	make_file();
	write_text(text, sizeof(text) - 1);
	r = nvme_create_root(NULL, -1);
	assert_int_equal(nvme_read_config(r, path), 0);
	return 0;
}

static int end(void **state)
{
	nvme_free_tree(r);
	unlink(path);
	return 0;
}

/* Changes a tree: a host with a port. */
static void add(nvme_root_t root, const char *name)
{
	char hostnqn[64];
	nvme_host_t h;
	nvme_subsystem_t s;

	snprintf(hostnqn, sizeof(hostnqn), NQN "%s", name);
	h = nvme_lookup_host(root, hostnqn, NULL);
	s = nvme_lookup_subsystem(h, NULL, NQN "disk");
	assert_non_null(nvme_lookup_ctrl(s, "mptcp", "192.0.2.1", NULL, NULL, "4420", NULL));
}

static size_t count_hosts(void)
{
	nvme_root_t read = nvme_create_root(NULL, -1);
	size_t n = 0;
	nvme_host_t h;

	assert_int_equal(nvme_read_config(read, path), 0);
	nvme_for_each_host(read, h)
		n++;
	nvme_free_tree(read);
	return n;
}

/* One that is there now was not read. */
TEST(a_new_file_of_others_is_not_replaced)
{
	nvme_root_t other = nvme_create_root(NULL, -1);

	assert_int_equal(unlink(path), 0);
	assert_int_equal(nvme_read_config(other, path), 0);
	add(other, "new");
	nvme_free_tree(r);
	r = nvme_create_root(NULL, -1);
	assert_int_equal(nvme_read_config(r, path), 0);
	add(r, "ours");
	assert_int_equal(nvme_update_config(r), 0);
	ASSERT_FAILS(nvme_update_config(other), ESTALE);
	assert_int_equal(count_hosts(), 1);
	nvme_free_tree(other);
}

TEST(a_lock_ends_with_the_update)
{
	char lock[80];

	snprintf(lock, sizeof(lock), "/tmp/.%s.lock", strrchr(path, '/') + 1);
	ASSERT_FAILS(nvme_lock_config(NULL, path), EINVAL);
	ASSERT_FAILS(nvme_lock_config(r, NULL), EINVAL);
	ASSERT_FAILS(nvme_lock_config(r, "/nonexistent/file"), ENOENT);
	assert_int_equal(nvme_lock_config(r, path), 0);
	assert_int_equal(nvme_lock_config(r, path), 0);
	assert_int_equal(access(lock, F_OK), 0);
	add(r, "ours");
	assert_int_equal(nvme_update_config(r), 0);
	assert_int_equal(access(lock, F_OK), -1);
	assert_int_equal(nvme_lock_config(r, path), 0);
	nvme_free_tree(r);
	assert_int_equal(access(lock, F_OK), -1);
	r = nvme_create_root(NULL, -1);
}

EACH_TEST(begin, end)
