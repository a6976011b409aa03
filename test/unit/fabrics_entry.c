/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connecting what a discovery log tells of, against a stand-in for the kernel. */
#include <nvme/fabrics.h>
#include <nvme/tree.h>
#include <nvme/util.h>

#include "unit.h"
#include "fabrics_world.h"

static struct nvmf_disc_log_entry entry(__u8 trtype, __u8 subtype)
{
	struct nvmf_disc_log_entry e = {
		.trtype = trtype,
		.adrfam = NVMF_ADDR_FAMILY_IP4,
		.subtype = subtype,
	};

	memcpy(e.traddr, "10.1.1.1   ", 11);
	memcpy(e.trsvcid, "4420", 4);
	memcpy(e.subnqn, NQN, sizeof(NQN));
	return e;
}

static void assert_entry_refused(struct nvmf_disc_log_entry e, int err, const char *reason)
{
	ASSERT_NONE(nvmf_connect_disc_entry(h, &e, NULL, NULL), err);
	assert_string_equal(nvmf_host_get_connect_error(h), reason);
	assert_int_equal(kernel.writes, 0);
}

/* What a target requires and mptcp does not have ends here, not in a connection in clear. */
TEST(test_entry_security)
{
	struct nvmf_disc_log_entry e = entry(NVMF_TRTYPE_MPTCP, NVME_NQN_NVME);

	e.tsas.tcp.sectype = NVMF_TCP_SECTYPE_TLS13;
	e.treq = NVMF_TREQ_REQUIRED | NVMF_TREQ_DISABLE_SQFLOW;
	assert_entry_refused(e, ENVME_CONNECT_OPNOTSUPP,
			     "10.1.1.1:4420: the target requires TLS, which transport mptcp does "
			     "not support (use its tcp port, or configure the port without TLS)");
	e.trtype = NVMF_TRTYPE_TCP;
	assert_non_null(nvmf_connect_disc_entry(h, &e, NULL, NULL));
	assert_written(LINE("tcp", "10.1.1.1") ",ctrl_loss_tmo=600,disable_sqflow,tls");
	e.treq = NVMF_TREQ_REQUIRED | NVMF_TREQ_NOT_REQUIRED;
	memcpy(e.traddr, "10.1.1.2", 8);
	assert_non_null(nvmf_connect_disc_entry(h, &e, NULL, NULL));
	assert_written(LINE("tcp", "10.1.1.2") ",ctrl_loss_tmo=600,tls");

	memcpy(e.traddr, "10.1.1.1", 8);
	e.treq = NVMF_TREQ_NOT_REQUIRED;
	e.trtype = NVMF_TRTYPE_MPTCP;
	assert_non_null(nvmf_connect_disc_entry(h, &e, NULL, NULL));
	assert_written(LINE("mptcp", "10.1.1.1") ",ctrl_loss_tmo=600");
}

TEST(test_entry_concat)
{
	static char options[2048];
	struct nvmf_disc_log_entry e = entry(NVMF_TRTYPE_TCP, NVME_NQN_NVME);

	snprintf(options, sizeof(options), "concat,%s", linux_6_12);
	kernel.options = options;
	e.tsas.tcp.sectype = NVMF_TCP_SECTYPE_TLS13;
	e.treq = NVMF_TREQ_NOT_REQUIRED;
	assert_non_null(nvmf_connect_disc_entry(h, &e, NULL, NULL));
	assert_written(LINE("tcp", "10.1.1.1") ",ctrl_loss_tmo=600");
	nvme_host_set_dhchap_key(h, SECRET);
	assert_non_null(nvmf_connect_disc_entry(h, &e, NULL, NULL));
	assert_written(LINE("tcp", "10.1.1.1") ",dhchap_secret=" SECRET
					       ",ctrl_loss_tmo=600,concat");
}

/* Not every transport that the entry names takes disable_sqflow. */
TEST(test_entry_sqflow)
{
	struct nvmf_disc_log_entry e = entry(NVMF_TRTYPE_MPTCP, NVME_NQN_NVME);

	e.treq = NVMF_TREQ_DISABLE_SQFLOW;
	assert_non_null(nvmf_connect_disc_entry(h, &e, NULL, NULL));
	assert_written(LINE("mptcp", "10.1.1.1") ",ctrl_loss_tmo=600,disable_sqflow");
	kernel.write_error[1] = EINVAL;
	assert_non_null(nvmf_connect_disc_entry(h, &e, NULL, NULL));
	assert_int_equal(kernel.writes, 3);
	assert_written(LINE("mptcp", "10.1.1.1") ",ctrl_loss_tmo=600");
	kernel.write_error[3] = ECONNREFUSED;
	ASSERT_NONE(nvmf_connect_disc_entry(h, &e, NULL, NULL), ENVME_CONNECT_CONNREFUSED);
	assert_int_equal(kernel.writes, 4);
}

EACH_TEST(world_start, world_stop)
