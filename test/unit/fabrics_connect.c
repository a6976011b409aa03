/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connecting from end to end, against a stand-in for the kernel. */
#include <endian.h>
#include <unistd.h>

#include <nvme/fabrics.h>
#include <nvme/options.h>
#include <nvme/tree.h>
#include <nvme/util.h>

#include "unit.h"
#include "fabrics_world.h"

static void assert_refused(nvme_ctrl_t c, const struct nvme_fabrics_config *cfg, int code)
{
	assert_int_equal(nvmf_add_ctrl(h, c, cfg), -1);
	assert_int_equal(errno, code);
}

static nvme_ctrl_t ctrl(const char *transport, const char *traddr)
{
	nvme_ctrl_t c = nvme_create_ctrl(r, NQN, transport, traddr, NULL, NULL, "4420");

	assert_non_null(c);
	return c;
}

/* The same range as on the command line and in config.json; what is below it, 1.16 leaves out. */
TEST(test_ranges)
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
		nvme_ctrl_t c = ctrl("mptcp", "10.1.1.1");

		nvmf_default_config(&cfg);
		*(int *)(void *)((char *)&cfg + rows[i].offset) = rows[i].value;
		assert_refused(c, &cfg, ENVME_CONNECT_INVAL);
		assert_string_equal(nvmf_ctrl_get_connect_error(c), rows[i].reason);
		nvme_free_ctrl(c);
	}
	assert_int_equal(kernel.writes, 0);
}

/* What is no value, whatever the program, has a reason; a secret is not repeated in it. */
TEST(test_bad_values)
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
		assert_refused(c, NULL, ENVME_CONNECT_INVAL);
		assert_memory_equal(nvmf_ctrl_get_connect_error(c), rows[i].reason,
				    strlen(rows[i].reason));
		nvme_free_ctrl(c);
	}
	assert_int_equal(kernel.writes, 0);
}

/* The kernel's errno becomes the code that programs of 1.16 know. */
TEST(test_codes)
{
	static const int codes[][2] = {
		{ EALREADY, ENVME_CONNECT_ALREADY },
		{ EINVAL, ENVME_CONNECT_INVAL },
		{ EADDRINUSE, ENVME_CONNECT_ADDRINUSE },
		{ ENODEV, ENVME_CONNECT_NODEV },
		{ EOPNOTSUPP, ENVME_CONNECT_OPNOTSUPP },
		{ ECONNREFUSED, ENVME_CONNECT_CONNREFUSED },
		{ EADDRNOTAVAIL, ENVME_CONNECT_ADDRNOTAVAIL },
		{ ENOKEY, ENVME_CONNECT_NOKEY },
		{ EIO, ENVME_CONNECT_WRITE },
		{ ETIMEDOUT, ENVME_CONNECT_WRITE },
		{ EPERM, ENVME_CONNECT_WRITE },
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		nvme_ctrl_t c = ctrl("tcp", "10.1.1.1");

		kernel.writes = 0;
		kernel.write_error[0] = codes[i][0];
		assert_refused(c, NULL, codes[i][1]);
		nvme_free_ctrl(c);
	}
}

/* What the tree knows to be connected is not asked of the kernel again. */
TEST(test_connected)
{
	nvme_ctrl_t first = ctrl("mptcp", "10.1.1.1"), c;

	assert_int_equal(nvmf_add_ctrl(h, first, NULL), 0);
	kernel_set_attr("nvme0", "state", "live");
	c = nvme_create_ctrl(r, NQN, "mptcp", "10.1.1.1", NULL, NULL, NULL);
	assert_ptr_equal(nvmf_find_connected(h, c), first);
	assert_true(nvmf_ctrl_is_connected_as(first, c));
	assert_refused(c, NULL, ENVME_CONNECT_ALREADY);
	assert_string_equal(nvmf_ctrl_get_connect_error(c), "already connected as nvme0");
	assert_int_equal(kernel.writes, 1);

	/* Dying ones do not count, nor does another controller that has the name now. */
	kernel_set_attr("nvme0", "state", "deleting");
	assert_null(nvmf_find_connected(h, c));
	kernel_set_attr("nvme0", "state", "live");
	kernel_set_attr("nvme0", "address", "traddr=10.1.1.9,trsvcid=4420");
	assert_null(nvmf_find_connected(h, c));
	kernel_set_attr("nvme0", "address", "traddr=10.1.1.1,trsvcid=4420");
	nvme_ctrl_get_config(c)->duplicate_connect = true;
	assert_int_equal(nvmf_add_ctrl(h, c, NULL), 0);
	assert_int_equal(kernel.writes, 2);
}

TEST(test_set_options)
{
	struct nvmf_options options;
	nvme_ctrl_t c = ctrl("mptcp", "10.1.1.1");

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

/* The well-known NQN makes a discovery controller of it, whatever was said before. */
TEST(test_well_known)
{
	nvme_ctrl_t c =
		nvme_create_ctrl(r, NVME_DISC_SUBSYS_NAME, "mptcp", "10.1.1.1", NULL, NULL, "8009");

	nvme_ctrl_set_unique_discovery_ctrl(c, true);
	nvme_ctrl_get_config(c)->nr_io_queues = 3;
	assert_int_equal(nvmf_add_ctrl(h, c, NULL), 0);
	assert_true(nvme_ctrl_is_discovery_ctrl(c));
	assert_false(nvme_ctrl_is_unique_discovery_ctrl(c));
	assert_written("nqn=" NVME_DISC_SUBSYS_NAME ",transport=mptcp,traddr=10.1.1.1,trsvcid=8009,"
		       "hostnqn=" HOSTNQN ",hostid=" HOSTID ",ctrl_loss_tmo=600");
}

/* What a description in the tree says is used for what the caller leaves open. */
TEST(test_description)
{
	nvme_subsystem_t s = nvme_lookup_subsystem(h, NULL, NQN);
	nvme_ctrl_t known = nvme_lookup_ctrl(s, "mptcp", "10.1.1.1", NULL, NULL, "4420", NULL);
	nvme_ctrl_t c = ctrl("mptcp", "10.1.1.1");

	assert_non_null(known);
	nvme_ctrl_get_config(known)->ctrl_loss_tmo = 20;
	nvme_ctrl_get_config(known)->queue_size = 64;
	nvme_ctrl_set_dhchap_host_key(known, SECRET);
	nvme_ctrl_get_config(c)->queue_size = 32;
	assert_int_equal(nvmf_add_ctrl(h, c, NULL), 0);
	assert_written(LINE("mptcp", "10.1.1.1") ",dhchap_secret=" SECRET
						 ",queue_size=32,ctrl_loss_tmo=20");

	/* tcp to the same portal is another connection. */
	c = ctrl("tcp", "10.1.1.1");
	assert_int_equal(nvmf_add_ctrl(h, c, NULL), 0);
	assert_written(LINE("tcp", "10.1.1.1") ",ctrl_loss_tmo=600");

	assert_int_equal(nvmf_connect_ctrl(known), 0);
	assert_null(nvme_ctrl_get_name(known));
	assert_written(LINE("mptcp", "10.1.1.1") ",dhchap_secret=" SECRET
						 ",queue_size=64,ctrl_loss_tmo=20");
}

/* Secrets that the caller brings are not exchanged for those of a description. */
TEST(test_own_secrets)
{
	static const char own[] = "DHHC-1:00:own:", of_controller[] = "DHHC-1:00:own-ctrl:";
	nvme_subsystem_t s = nvme_lookup_subsystem(h, NULL, NQN);
	nvme_ctrl_t known = nvme_lookup_ctrl(s, "mptcp", "10.1.1.1", NULL, NULL, "4420", NULL);
	nvme_ctrl_t c = ctrl("mptcp", "10.1.1.1");

	nvme_ctrl_set_dhchap_host_key(known, "DHHC-1:00:described:");
	nvme_ctrl_set_dhchap_key(known, "DHHC-1:00:described-ctrl:");
	nvme_ctrl_set_dhchap_host_key(c, own);
	nvme_ctrl_set_dhchap_key(c, of_controller);
	nvmf_add_ctrl(h, c, NULL);
	assert_string_equal(nvme_ctrl_get_dhchap_host_key(c), own);
	assert_string_equal(nvme_ctrl_get_dhchap_key(c), of_controller);
}

TEST(test_application)
{
	nvme_subsystem_t s = nvme_lookup_subsystem(h, NULL, NQN);
	nvme_ctrl_t c = ctrl("mptcp", "10.1.1.1");

	nvme_subsystem_set_application(s, "theirs");
	nvme_root_set_application(r, "ours");
	assert_refused(c, NULL, ENVME_CONNECT_IGNORED);
	assert_string_equal(nvmf_ctrl_get_connect_error(c),
			    "subsystem " NQN " is not managed by ours");
	assert_int_equal(kernel.writes, 0);

	nvme_subsystem_set_application(s, "ours");
	assert_int_equal(nvmf_add_ctrl(h, c, NULL), 0);
}

TEST(test_brackets_and_names)
{
	nvme_ctrl_t c = ctrl("mptcp", "[fd00::1]");

	assert_int_equal(nvmf_add_ctrl(h, c, NULL), 0);
	assert_string_equal(nvme_ctrl_get_traddr(c), "fd00::1");
	assert_written(LINE("mptcp", "fd00::1") ",ctrl_loss_tmo=600");

	c = ctrl("mptcp", "name.invalid");
	assert_refused(c, NULL, ENVME_CONNECT_TRADDR);
	assert_non_null(strstr(nvmf_ctrl_get_connect_error(c), "traddr \"name.invalid\": neither"));
	assert_int_equal(kernel.writes, 1);
	nvme_free_ctrl(c);
}

/* The host's side may be a name, too, wherever it comes from. */
TEST(test_host_name)
{
	struct nvme_fabrics_config cfg;
	nvme_ctrl_t c = ctrl("mptcp", "localhost");

	nvmf_default_config(&cfg);
	cfg.host_traddr = (char *)"localhost";
	assert_int_equal(nvmf_add_ctrl(h, c, &cfg), 0);
	assert_null(strstr(kernel.line, "localhost"));
	assert_non_null(strstr(kernel.line, ",host_traddr="));
	assert_string_not_equal(nvme_ctrl_get_traddr(c), "localhost");

	c = ctrl("mptcp", "[fd00::1]");
	cfg.host_traddr = (char *)"[fd00::2]";
	assert_int_equal(nvmf_add_ctrl(h, c, &cfg), 0);
	assert_non_null(strstr(kernel.line, "traddr=fd00::1,"));
	assert_non_null(strstr(kernel.line, ",host_traddr=fd00::2"));

	c = ctrl("mptcp", "10.1.1.1");
	cfg.host_traddr = (char *)"name.invalid";
	assert_refused(c, &cfg, ENVME_CONNECT_TRADDR);
	assert_non_null(strstr(nvmf_ctrl_get_connect_error(c), "host_traddr \"name.invalid\": "));
	nvme_free_ctrl(c);
}

static void assert_fails(const char *transport, int code, const char *reason)
{
	nvme_ctrl_t c = ctrl(transport, "10.1.1.1");

	errno = 0;
	assert_refused(c, NULL, code);
	assert_string_equal(nvmf_ctrl_get_connect_error(c), reason);
	assert_string_equal(nvmf_host_get_connect_error(h), reason);
	assert_null(nvme_ctrl_get_name(c));
	nvme_free_ctrl(c);
}

/* Where no log can be read, what the caller has on its standard input is not taken for it. */
TEST(test_no_kernel_log)
{
	static const char record[] = "3,7,1,-;nvme_fabrics: of the caller\n";
	const int own = dup(STDIN_FILENO);
	char rest[sizeof(record)] = "";
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], record, sizeof(record)), sizeof(record));
	close(ends[1]);
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
	kernel.log_has_no_end = true;
	kernel.write_error[0] = ECONNREFUSED;
	assert_fails("mptcp", ENVME_CONNECT_CONNREFUSED,
		     "10.1.1.1:4420: connection refused (is a port with trtype mptcp enabled "
		     "there?)");
	assert_int_equal(read(STDIN_FILENO, rest, sizeof(rest)), sizeof(rest));
	assert_string_equal(rest, record);
	assert_int_equal(dup2(own, STDIN_FILENO), STDIN_FILENO);
	close(own);
}

TEST(test_device)
{
	kernel.open_error = ENOENT;
	assert_fails("mptcp", ENVME_CONNECT_OPEN,
		     "cannot open /dev/nvme-fabrics: No such file or directory (is the kernel "
		     "module loaded? modprobe nvme-fabrics; modprobe nvme-mptcp)");
	kernel.open_error = 0;
	kernel.reply = "cntlid=1";
	assert_fails("mptcp", ENVME_CONNECT_PARSE,
		     "the reply of /dev/nvme-fabrics names no controller");
	kernel.reply = "instance=-1,cntlid=1";
	assert_fails("mptcp", ENVME_CONNECT_PARSE,
		     "the reply of /dev/nvme-fabrics names no controller");
	kernel.reply = "instance=4711,cntlid=1";
	assert_fails("mptcp", ENODEV, "nvme4711 is connected, but is not in /sys: No such device");
}

/* A kernel that lists nothing gets the options that have always been there, and no more. */
TEST(test_old_kernel)
{
	nvme_ctrl_t c = ctrl("tcp", "10.1.1.1");

	kernel.options = NULL;
	assert_int_equal(nvmf_add_ctrl(h, c, NULL), 0);
	assert_written(LINE("tcp", "10.1.1.1") ",ctrl_loss_tmo=600");
	nvme_host_set_dhchap_key(h, SECRET);
	assert_fails("tcp", ENVME_CONNECT_INVAL,
		     "dhchap_secret: this kernel's nvme-fabrics does not support the option: it "
		     "is too old, or built without it");
	assert_int_equal(kernel.writes, 1);
}

TEST(test_nothing_written)
{
	nvme_ctrl_t c =
		nvme_create_ctrl(r, NQN ",hostnqn=x", "mptcp", "10.1.1.1", NULL, NULL, NULL);

	/* Wrong values are told even where nothing could be connected. */
	kernel.open_error = ENOENT;
	assert_refused(c, NULL, ENVME_CONNECT_INVAL);
	assert_string_equal(nvmf_ctrl_get_connect_error(c),
			    "nqn \"" NQN
			    ",hostnqn=x\": commas are not allowed, because they separate options");
	nvme_free_ctrl(c);
	c = ctrl("mptcp", "10.1.1.1");
	nvme_ctrl_get_config(c)->tls = true;
	assert_refused(c, NULL, ENVME_CONNECT_INVAL);
	nvme_free_ctrl(c);
	assert_int_equal(kernel.writes, 0);
}

EACH_TEST(world_start, world_stop)
