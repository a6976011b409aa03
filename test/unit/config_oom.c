/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every allocation of reading, writing and dumping the configuration fails once: the tree and the
 * file are then as they were.
 */
#include <fcntl.h>
#include <unistd.h>

#include <libnvme.h>

#include "unit.h"
#include "fail_alloc.h"

#define HOSTNQN "nqn.2014-08.org.nvmexpress:uuid:6a2b2a5c-6f2f-4f3e-8e0d-6d6f5a5c0001"
#define NQN "nqn.2024-01.org.example:"

static const char document[] =
	"{\"hosts\": [{\"hostnqn\": \"" HOSTNQN "\", \"dhchap_key\": \"DHHC-1:00:host:\",\n"
	"\"hostsymname\": \"a \\u00e9 host\", \"persistent_discovery_ctrl\": true,\n"
	"\"mptcp\": {\"limits\": {\"subflows\": 8}, \"endpoints\": [{\"address\": \"10.1.2.2\",\n"
	"\"dev\": \"eth2\", \"flags\": [\"subflow\"]}]},\n"
	"\"subsystems\": [{\"nqn\": \"" NQN "a\", \"application\": \"app\", \"ports\": [\n"
	"{\"transport\": \"mptcp\", \"traddr\": \"192.0.2.1\", \"trsvcid\": \"4420\", \"tos\": 3,\n"
	"\"dhchap_key\": \"DHHC-1:00:one:\", \"dhchap_ctrl_key\": \"DHHC-1:00:two:\"},\n"
	"{\"transport\": \"tcp\", \"traddr\": \"192.0.2.2\", \"keyring\": \".nvme\", \"tls\": true,\n"
	"\"host_traddr\": \"192.0.2.9\", \"host_iface\": \"eth0\", \"tls_key_identity\": \"x\",\n"
	"\"tls_key\": \"NVMeTLSkey-1:01:x:\", \"hdr_digest\": true}]},\n"
	"{\"nqn\": \"" NQN "b\", \"ports\": [{\"transport\": \"loop\"}]}]}]}\n";

static const char mistaken[] = "[{\"hostnqn\": \"" HOSTNQN "\",\n"
			       "\"subsystems\": [{\"nqn\": \"" NQN "c\", \"ports\": [{\n"
			       "\"transport\": \"mptcp\", \"traddr\": \"192.0.2.1\"},\n"
			       "{\"transport\": \"mptcp\", \"tos\": 1000}]}]}]\n";

static char path[] = "/tmp/config-oom-XXXXXX";

static int begin(void **state)
{
	int fd;

	memcpy(path + strlen(path) - 6, "XXXXXX", 6);
	fd = mkstemp(path);
	if (fd < 0)
		return -1;
	return close(fd);
}

static int end(void **state)
{
	fail_alloc_end();
	return unlink(path);
}

static void put(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* The file and what it says, to be freed. */
static char *get(void)
{
	FILE *file = fopen(path, "r");
	char *text = calloc(1, 65536);

	assert_non_null(file);
	assert_non_null(text);
	assert_true(fread(text, 1, 65535, file) > 0);
	assert_int_equal(fclose(file), 0);
	return text;
}

static nvme_root_t make_root(void)
{
	nvme_root_t r = nvme_create_root(NULL, -1);

	assert_non_null(r);
	return r;
}

static void count(nvme_root_t r, int want_hosts, int want_subsystems, int want_ctrls)
{
	int hosts = 0, subsystems = 0, ctrls = 0;
	nvme_subsystem_t s;
	nvme_host_t h;
	nvme_ctrl_t c;

	nvme_for_each_host(r, h) {
		hosts++;
		nvme_for_each_subsystem(h, s) {
			subsystems++;
			nvme_subsystem_for_each_ctrl(s, c)
				ctrls++;
		}
	}
	assert_int_equal(hosts, want_hosts);
	assert_int_equal(subsystems, want_subsystems);
	assert_int_equal(ctrls, want_ctrls);
}

static bool read_once(void)
{
	nvme_root_t r = make_root();
	int ret, err;

	put(document);
	fail_alloc_begin();
	ret = nvme_read_config(r, path);
	err = errno;
	fail_alloc_end();
	if (ret) {
		assert_int_equal(err, ENOMEM);
		count(r, 0, 0, 0);
	} else {
		count(r, 1, 2, 3);
		assert_null(nvme_config_error(r));
		assert_non_null(nvme_host_get_mptcp_config(nvme_first_host(r)));
	}
	nvme_free_tree(r);
	return !ret;
}

static void test_read(void **state)
{
	fail_alloc_each(read_once);
}

/* What was in the tree before stays there, alone. */
static bool read_more_once(void)
{
	nvme_root_t r = make_root();
	nvme_host_t h = nvme_lookup_host(r, HOSTNQN, NULL);
	nvme_subsystem_t s = nvme_lookup_subsystem(h, NULL, NQN "a");
	nvme_ctrl_t c = nvme_lookup_ctrl(s, "mptcp", "192.0.2.1", NULL, NULL, "4420", NULL);
	int ret;

	assert_non_null(c);
	put(document);
	fail_alloc_begin();
	ret = nvme_read_config(r, path);
	fail_alloc_end();
	if (ret)
		count(r, 1, 1, 1);
	else
		count(r, 1, 2, 3);
	assert_ptr_equal(nvme_subsystem_first_ctrl(s), c);
	nvme_free_tree(r);
	return !ret;
}

static void test_read_more(void **state)
{
	fail_alloc_each(read_more_once);
}

static bool mistake_once(void)
{
	nvme_root_t r = make_root();
	int err;
	bool told;

	put(mistaken);
	fail_alloc_begin();
	assert_int_equal(nvme_read_config(r, path), -1);
	err = errno;
	fail_alloc_end();
	assert_true(err == EPROTO || err == ENOMEM);
	count(r, 0, 0, 0);
	told = err == EPROTO && nvme_config_error(r) &&
	       strstr(nvme_config_error(r), ":4: $[0].subsystems[0].ports[1]");
	nvme_free_tree(r);
	return told;
}

static void test_mistake(void **state)
{
	fail_alloc_each(mistake_once);
}

static bool absent_once(void)
{
	nvme_root_t r = make_root();
	int ret;

	fail_alloc_begin();
	ret = nvme_read_config(r, "/nonexistent/config.json");
	fail_alloc_end();
	if (ret)
		assert_int_equal(errno, ENOMEM);
	nvme_free_tree(r);
	return !ret;
}

static void test_absent(void **state)
{
	fail_alloc_each(absent_once);
}

static nvme_root_t filled(void)
{
	nvme_root_t r = make_root();

	put(document);
	assert_int_equal(nvme_read_config(r, path), 0);
	nvme_lookup_host(r, "nqn.one-more", NULL);
	return r;
}

static bool write_once(void)
{
	nvme_root_t r = filled();
	char *before = get(), *after;
	int ret, err;

	fail_alloc_begin();
	ret = nvme_update_config(r);
	err = errno;
	fail_alloc_end();
	after = get();
	if (ret) {
		assert_int_equal(err, ENOMEM);
		assert_string_equal(after, before);
	} else {
		assert_string_not_equal(after, before);
		assert_int_equal(nvme_read_config(r, path), 0);
	}
	free(before);
	free(after);
	nvme_free_tree(r);
	return !ret;
}

static void test_write(void **state)
{
	fail_alloc_each(write_once);
}

/* Calls @dump with standard output going nowhere. */
static int silently(int (*dump)(nvme_root_t), nvme_root_t r)
{
	int out = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int ret, err;

	assert_true(out >= 0 && nowhere >= 0);
	fflush(stdout);
	dup2(nowhere, STDOUT_FILENO);
	fail_alloc_begin();
	ret = dump(r);
	err = errno;
	fail_alloc_end();
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	close(nowhere);
	errno = err;
	return ret;
}

static bool dump_once(void)
{
	nvme_root_t r = filled();
	int ret = silently(nvme_dump_config, r);

	if (ret)
		assert_int_equal(errno, ENOMEM);
	nvme_free_tree(r);
	return !ret;
}

static void test_dump(void **state)
{
	fail_alloc_each(dump_once);
}

static bool dump_tree_once(void)
{
	nvme_root_t r = nvme_create_root(stdout, -1);
	int ret;

	assert_non_null(r);
	put(document);
	assert_int_equal(nvme_read_config(r, path), 0);
	ret = silently(nvme_dump_tree, r);
	if (ret)
		assert_int_equal(errno, ENOMEM);
	nvme_free_tree(r);
	return !ret;
}

static void test_dump_tree(void **state)
{
	fail_alloc_each(dump_tree_once);
}

static bool mptcp_once(void)
{
	nvme_root_t r = filled();
	bool there;

	fail_alloc_begin();
	there = nvme_host_get_mptcp_config(nvme_first_host(r));
	fail_alloc_end();
	nvme_free_tree(r);
	return there;
}

static void test_mptcp(void **state)
{
	fail_alloc_each(mptcp_once);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_read),  TEST(test_read_more), TEST(test_mistake), TEST(test_absent),
		TEST(test_write), TEST(test_dump),	TEST(test_mptcp),   TEST(test_dump_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
