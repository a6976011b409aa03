/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which values of connect options are refused, and why; test/cli and test/python connect. */
#include <nvme/fabrics.h>
#include <nvme/log.h>
#include <nvme/options.h>
#include <nvme/tree.h>
#include <nvme/util.h>

#include "unit.h"

#define NQN "nqn.2024-01.org.example:sub"
#define HOSTID "11111111-2222-3333-4444-555555555555"

static nvme_root_t r;
static nvme_host_t h;

static int begin(void **state)
{
	nvme_init_default_logging(NULL, -1, false, false);
	r = nvme_create_root(NULL, -1);
	h = nvme_lookup_host(r, "nqn.2014-08.org.nvmexpress:uuid:" HOSTID, NULL);
	return h ? 0 : -1;
}

static int end(void **state)
{
	nvme_free_tree(r);
	return 0;
}

static nvme_ctrl_t ctrl(void)
{
	nvme_ctrl_t c = nvme_create_ctrl(r, NQN, "mptcp", "10.1.1.1", NULL, NULL, "4420");

	assert_non_null(c);
	return c;
}

/* What every door asks; the words for it are the door's. */
TEST(faults_of_values)
{
	static const struct {
		const char *option, *transport, *value;
		enum nvmf_option_fault fault;
	} rows[] = {
		{ "traddr", "tcp", "10.1.1.1", NVMF_FAULT_NONE },
		{ "traddr", "tcp", "", NVMF_FAULT_EMPTY },
		{ "host_iface", "tcp", "interface-name-1", NVMF_FAULT_LONG },
		{ "nqn", "tcp", "nqn.test,tls", NVMF_FAULT_COMMA },
		{ "hostnqn", "tcp", "nqn.a\nb", NVMF_FAULT_CONTROL },
		{ "nqn", "tcp", "nqn.\xff", NVMF_FAULT_UNPRINTABLE },
		{ "trsvcid", "tcp", "65535", NVMF_FAULT_NONE },
		{ "trsvcid", "mptcp", "65536", NVMF_FAULT_PORT },
		{ "trsvcid", "tcp", "0", NVMF_FAULT_PORT },
		{ "trsvcid", "tcp", "http", NVMF_FAULT_PORT },
		{ "trsvcid", "loop", "http", NVMF_FAULT_NONE },
		{ "trsvcid", NULL, "http", NVMF_FAULT_NONE },
		{ "hostid", "tcp", HOSTID, NVMF_FAULT_NONE },
		{ "hostid", NULL, "1-2-3", NVMF_FAULT_UUID },
		{ "hostid", NULL, HOSTID "0", NVMF_FAULT_LONG },
		{ "tls_key", "tcp", "NVMeTLSkey-1:01:a,b", NVMF_FAULT_COMMA },
		{ "no such", "tcp", "x", NVMF_FAULT_UNKNOWN },
	};
	struct nvmf_options options;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(nvmf_check_text(rows[i].option, rows[i].transport, rows[i].value),
				 rows[i].fault);
	assert_int_equal(nvmf_check_number("queue_size", 65536), NVMF_FAULT_NONE);
	assert_int_equal(nvmf_check_number("queue_size", 65537), NVMF_FAULT_ABOVE);
	assert_int_equal(nvmf_check_number("ctrl_loss_tmo", -1), NVMF_FAULT_NONE);
	assert_int_equal(nvmf_check_number("ctrl_loss_tmo", -2), NVMF_FAULT_BELOW);
	assert_int_equal(nvmf_check_number("no such", 0), NVMF_FAULT_UNKNOWN);
	assert_int_equal(nvmf_check_transport("mptcp"), NVMF_FAULT_NONE);
	assert_int_equal(nvmf_check_transport("pcie"), NVMF_FAULT_NO_FABRIC);
	assert_int_equal(nvmf_check_transport("bogus"), NVMF_FAULT_UNKNOWN);
	assert_int_equal(nvmf_check_transport(NULL), NVMF_FAULT_MISSING);
	assert_int_equal(nvmf_check_traddr("mptcp", NULL), NVMF_FAULT_MISSING);
	assert_int_equal(nvmf_check_traddr("mptcp", "10.1.1.1"), NVMF_FAULT_NONE);
	assert_int_equal(nvmf_check_traddr("loop", NULL), NVMF_FAULT_NONE);
	nvmf_init_options(&options, sizeof(options));
	options.cfg.tls = true;
	assert_int_equal(nvmf_check_options(&options), NVMF_FAULT_NONE);
	options.cfg.concat = true;
	assert_int_equal(nvmf_check_options(&options), NVMF_FAULT_EXCLUDES);
}

/* The same range as on the command line and in config.json; what is below it, 1.16 leaves out. */
TEST(ranges_of_structures)
{
	static const struct {
		size_t offset;
		int value;
		const char *reason;
	} rows[] = {
		{ offsetof(struct nvme_fabrics_config, nr_io_queues), 70000,
		  "nr_io_queues 70000: must be from 0 to 65535" },
		{ offsetof(struct nvme_fabrics_config, queue_size), 2000000000,
		  "queue_size 2000000000: must be from 0 to 65536" },
		{ offsetof(struct nvme_fabrics_config, tos), 256,
		  "tos 256: must be from -1 to 255" },
	};
	struct nvme_fabrics_config cfg;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		nvme_ctrl_t c = ctrl();

		nvmf_default_config(&cfg);
		*(int *)(void *)((char *)&cfg + rows[i].offset) = rows[i].value;
		ASSERT_FAILS(nvmf_add_ctrl(h, c, &cfg), ENVME_CONNECT_INVAL);
		assert_string_equal(nvmf_ctrl_get_connect_error(c), rows[i].reason);
		nvme_free_ctrl(c);
	}
}

/* What is no value, whatever the program, has a reason; a secret is not repeated in it. */
TEST(bad_values)
{
	static const struct {
		const char *nqn, *transport, *traddr, *trsvcid, *iface, *secret, *reason;
	} rows[] = {
		{ NQN ",hostnqn=x", "tcp", "10.1.1.1", NULL, NULL, NULL,
		  "nqn \"" NQN
		  ",hostnqn=x\": commas are not allowed, because they separate options" },
		{ NQN, "tcp", "10.1.1.1", NULL, "eth0\x1b[31m", NULL,
		  "host_iface \"eth0\\x1b[31m\": control characters are not allowed" },
		{ NQN, "tcp", "10.1.1.1", NULL, NULL, "DHHC-1:00:abc,tls",
		  "dhchap_secret: commas are not allowed, because they separate options" },
		{ NQN, "tcp", "10.1.1.1", NULL, "interface-name-1", NULL,
		  "host_iface \"interface-name-1\": 16 bytes long, at most 15 are allowed" },
		{ NQN, "tcp", "10.1.1.1", "nvme", NULL, NULL,
		  "trsvcid \"nvme\": not a port number (1 to 65535)" },
		{ NQN, "loop", NULL, "4420", NULL, NULL,
		  "trsvcid: transport loop does not support it; omit the option" },
		{ NQN, "bogus", "10.1.1.1", NULL, NULL, NULL,
		  "transport \"bogus\" is unknown; it must be one of " },
		{ NQN, "pcie", "10.1.1.1", NULL, NULL, NULL,
		  "transport pcie is not a fabrics transport; it must be one of " },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		nvme_ctrl_t c = nvme_create_ctrl(r, rows[i].nqn, rows[i].transport, rows[i].traddr,
						 NULL, rows[i].iface, rows[i].trsvcid);

		assert_non_null(c);
		nvme_ctrl_set_dhchap_host_key(c, rows[i].secret);
		ASSERT_FAILS(nvmf_add_ctrl(h, c, NULL), ENVME_CONNECT_INVAL);
		assert_memory_equal(nvmf_ctrl_get_connect_error(c), rows[i].reason,
				    strlen(rows[i].reason));
		nvme_free_ctrl(c);
	}
}

TEST(options_are_set_once)
{
	struct nvmf_options options;
	nvme_ctrl_t c = ctrl();

	nvmf_init_options(&options, sizeof(options));
	assert_int_equal(options.cfg.ctrl_loss_tmo, NVMF_DEF_CTRL_LOSS_TMO);
	assert_int_equal(options.cfg.tos, -1);
	options.cfg.nr_io_queues = 4;
	options.cfg.tls_configured_key = 7;
	options.cfg.keyring = 8;
	assert_int_equal(nvmf_set_options(c, &options, false), 0);
	options.cfg.nr_io_queues = 6;
	assert_int_equal(nvmf_set_options(c, &options, false), 0);
	assert_int_equal(nvme_ctrl_get_config(c)->nr_io_queues, 4);
	assert_int_equal(nvmf_set_options(c, &options, true), 0);
	assert_int_equal(nvme_ctrl_get_config(c)->nr_io_queues, 6);
	assert_int_equal(nvme_ctrl_get_config(c)->tls_configured_key, 7);
	assert_int_equal(nvme_ctrl_get_config(c)->keyring, 8);
	options.size = 8;
	ASSERT_FAILS(nvmf_set_options(c, &options, true), EINVAL);
	nvme_free_ctrl(c);
}

EACH_TEST(begin, end)
