/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every allocation of connecting, discovering and parsing fails once: there is an error or a result,
 * but no crash, and the sanitizers see no leak.
 */
#include <endian.h>

#include <libnvme.h>

#include "unit.h"
#include "fabrics/private.h"
#include "fabrics_standin.h"
#include "fail_alloc.h"

#define NQN "nqn.2024-01.org.example:sub"
#define SECRET "DHHC-1:00:ia6zGodOr4SEG0Zzaw398rpY0wqipUWj4jWjUh4HWUz6aQ2n:"

struct world {
	nvme_root_t r;
	nvme_host_t h;
};

static struct world make_world(void)
{
	struct world w = { .r = nvme_create_root(NULL, -1) };

	assert_non_null(w.r);
	w.h = nvme_lookup_host(w.r, "nqn.host", "11111111-2222-3333-4444-555555555555");
	assert_non_null(w.h);
	nvme_host_set_dhchap_key(w.h, SECRET);
	kernel.writes = 0;
	return w;
}

static bool connect_once(void)
{
	struct world w = make_world();
	struct nvme_fabrics_config cfg;
	nvme_ctrl_t c, known;
	int ret;

	nvmf_default_config(&cfg);
	cfg.host_iface = (char *)"eth0";
	known = nvme_lookup_ctrl(nvme_lookup_subsystem(w.h, NULL, NQN), "mptcp", "fd00::1", NULL,
				 NULL, "4420", NULL);
	assert_non_null(known);
	nvme_ctrl_set_dhchap_key(known, SECRET);
	c = nvme_create_ctrl(w.r, NQN, "mptcp", "[fd00::1]", NULL, NULL, "4420");
	assert_non_null(c);
	fail_alloc_begin();
	ret = nvmf_add_ctrl(w.h, c, &cfg);
	fail_alloc_end();
	if (ret)
		nvme_free_ctrl(c);
	nvme_free_tree(w.r);
	return !ret;
}

static void test_connect(void **state)
{
	fail_alloc_each(connect_once);
}

/* A connect that the kernel refuses: the code stays even if there is no memory for the sentence. */
static bool refused_once(void)
{
	struct world w = make_world();
	nvme_ctrl_t c = nvme_create_ctrl(w.r, NQN, "mptcp", "10.1.1.1", NULL, NULL, "4420");
	int ret, err;

	assert_non_null(c);
	kernel.write_error[0] = EIO;
	kernel.log = "3,8,1,-;nvme nvme0: Connect Invalid Data Parameter, subsysnqn \"x\"\n";
	fail_alloc_begin();
	ret = nvmf_add_ctrl(w.h, c, NULL);
	err = errno;
	fail_alloc_end();
	assert_int_equal(ret, -1);
	assert_true(err == ENOMEM || err == ENVME_CONNECT_WRITE);
	nvme_free_ctrl(c);
	nvme_free_tree(w.r);
	return err == ENVME_CONNECT_WRITE;
}

static void test_refused(void **state)
{
	fail_alloc_each(refused_once);
}

static bool entry_once(void)
{
	struct nvmf_disc_log_entry e = {
		.trtype = NVMF_TRTYPE_MPTCP,
		.adrfam = NVMF_ADDR_FAMILY_IP4,
		.subtype = NVME_NQN_NVME,
		.treq = NVMF_TREQ_NOT_REQUIRED | NVMF_TREQ_DISABLE_SQFLOW,
		.trsvcid = "4420",
		.subnqn = NQN,
		.traddr = "10.1.1.1",
		.tsas.tcp.sectype = NVMF_TCP_SECTYPE_TLS13,
	};
	struct nvme_fabrics_config cfg;
	struct world w = make_world();
	bool discover = false;
	nvme_ctrl_t c;

	nvmf_default_config(&cfg);
	cfg.host_traddr = (char *)"10.1.1.2";
	kernel.write_error[0] = EINVAL;
	fail_alloc_begin();
	c = nvmf_connect_disc_entry(w.h, &e, &cfg, &discover);
	fail_alloc_end();
	nvme_free_tree(w.r);
	return c;
}

static void test_entry(void **state)
{
	fail_alloc_each(entry_once);
}

int nvme_submit_passthru(int fd, unsigned long ioctl_cmd, struct nvme_passthru_cmd *cmd,
			 __u32 *result)
{
	struct nvmf_discovery_log header = { .numrec = htole64(3), .genctr = htole64(1) };

	memset((void *)(uintptr_t)cmd->addr, 0, cmd->data_len);
	if (cmd->data_len == 20)
		memcpy((void *)(uintptr_t)cmd->addr, &header, 20);
	return 0;
}

static bool log_once(void)
{
	struct nvme_ctrl c = { .name = (char *)"nvme0", .fd = 0 };
	struct nvmf_discovery_log *log = NULL;
	int ret;

	fail_alloc_begin();
	ret = nvmf_get_discovery_log(&c, &log, 3);
	if (ret)
		assert_int_equal(errno, ENOMEM);
	fail_alloc_end();
	free(log);
	return !ret;
}

static void test_log(void **state)
{
	fail_alloc_each(log_once);
}

static bool uri_once(void)
{
	struct nvme_fabrics_uri *uri;

	fail_alloc_begin();
	uri = nvme_parse_uri("nvme+tcp://user@[fd00::1]:4420/a/b?q#f");
	if (!uri)
		assert_int_equal(errno, ENOMEM);
	fail_alloc_end();
	nvme_free_uri(uri);
	return uri;
}

static void test_uri(void **state)
{
	fail_alloc_each(uri_once);
}

static bool ids_once(void)
{
	char *hostnqn = NULL, *hostid = NULL;
	int ret;

	fail_alloc_begin();
	ret = nvme_host_get_ids(NULL, NULL, NULL, &hostnqn, &hostid);
	fail_alloc_end();
	if (ret) {
		assert_null(hostnqn);
		assert_null(hostid);
	}
	free(hostnqn);
	free(hostid);
	return !ret;
}

static void test_ids(void **state)
{
	fail_alloc_each(ids_once);
}

static bool generate_once(void)
{
	char *hostnqn;

	fail_alloc_begin();
	hostnqn = nvmf_hostnqn_generate();
	fail_alloc_end();
	free(hostnqn);
	return hostnqn;
}

static void test_generate(void **state)
{
	fail_alloc_each(generate_once);
}

static bool nbft_once(void)
{
	struct nbft_info *nbft = NULL;
	char path[512];
	int ret;

	snprintf(path, sizeof(path), "%s/../fuzz/corpus/nbft/good", getenv("TEST_DATA"));
	fail_alloc_begin();
	ret = nvme_nbft_read(&nbft, path);
	fail_alloc_end();
	if (ret)
		assert_null(nbft);
	nvme_nbft_free(nbft);
	return !ret;
}

static void test_nbft(void **state)
{
	fail_alloc_each(nbft_once);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, kernel_start, kernel_stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_connect), TEST(test_refused), TEST(test_entry),    TEST(test_log),
		TEST(test_uri),	    TEST(test_ids),	TEST(test_generate), TEST(test_nbft),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
