/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why connecting failed: the code for programs, the sentence for people. */
#include <nvme/log.h>
#include <nvme/util.h>

#include "unit.h"
#include "fabrics/private.h"

static struct nvme_host host = { .hostnqn = (char *)"nqn.host" };
static struct nvme_ctrl ctrl;

static struct connect attempt(const char *transport, const char *traddr, const char *trsvcid)
{
	struct connect connect = { .h = &host, .c = &ctrl };

	connect_error_clear(&host, &ctrl);
	memset(&ctrl, 0, sizeof(ctrl));
	ctrl.transport_name = (char *)transport;
	ctrl.transport = transport_by_name(transport);
	ctrl.subsysnqn = (char *)"nqn.sub";
	ctrl.traddr = (char *)traddr;
	ctrl.trsvcid = (char *)trsvcid;
	return connect;
}

static void assert_error(struct connect connect, int err, const char *log, int code,
			 const char *sentence)
{
	assert_int_equal(connect_error_write(&connect, err, log), -code);
	assert_string_equal(nvmf_ctrl_get_connect_error(&ctrl), sentence);
	assert_string_equal(nvmf_host_get_connect_error(&host), sentence);
	connect_error_clear(&host, &ctrl);
	assert_null(nvmf_ctrl_get_connect_error(&ctrl));
	assert_null(nvmf_host_get_connect_error(&host));
}

TEST(test_refused)
{
	assert_error(attempt("mptcp", "10.1.1.1", "4420"), ECONNREFUSED, NULL,
		     ENVME_CONNECT_CONNREFUSED,
		     "10.1.1.1:4420: connection refused (is a port with trtype mptcp enabled "
		     "there?)");
	assert_error(attempt("tcp", "fd00::1", "4420"), ECONNREFUSED,
		     "nvme nvme0: failed to connect socket: -111", ENVME_CONNECT_CONNREFUSED,
		     "[fd00::1]:4420: connection refused (is a port with trtype tcp enabled "
		     "there?); kernel: nvme nvme0: failed to connect socket: -111");
	/* A target's I/O port answers discovery; few have one on the port that discovery uses. */
	assert_error(attempt("mptcp", "10.1.1.1", "8009"), ECONNREFUSED, NULL,
		     ENVME_CONNECT_CONNREFUSED,
		     "10.1.1.1:8009: connection refused. Discovery uses port 8009; for the I/O "
		     "port try -s 4420.");
	assert_error(attempt("tcp", "fd00::1", "8009"), ECONNREFUSED, "nvme nvme0: no",
		     ENVME_CONNECT_CONNREFUSED,
		     "[fd00::1]:8009: connection refused. Discovery uses port 8009; for the I/O "
		     "port try -s 4420. Kernel: nvme nvme0: no");
	assert_error(attempt("rdma", "10.1.1.1", "4420"), ECONNREFUSED, NULL,
		     ENVME_CONNECT_CONNREFUSED,
		     "10.1.1.1:4420: connection refused (is a port with trtype rdma enabled "
		     "there?)");
}

TEST(test_no_transport)
{
	static const char log[] = "nvme_fabrics: no handler found for transport mptcp.";

	assert_error(
		attempt("mptcp", "10.1.1.1", "4420"), EINVAL, log, ENVME_CONNECT_INVAL,
		"this kernel has no mptcp transport (modprobe nvme-mptcp). Without it, nvme mptcp relay carries tcp over several links; kernel: nvme_fabrics: no handler found for transport mptcp.");
	assert_error(attempt("rdma", "10.1.1.1", "4420"), EINVAL,
		     "nvme_fabrics: no handler found for transport rdma.", ENVME_CONNECT_INVAL,
		     "this kernel has no rdma transport (modprobe nvme-rdma); kernel: "
		     "nvme_fabrics: no handler found for transport rdma.");
}

TEST(test_wrong_nqn)
{
	assert_error(attempt("tcp", "10.1.1.1", "4420"), EIO,
		     "nvme nvme0: Connect Invalid Data Parameter, subsysnqn \"nqn.sub\"",
		     ENVME_CONNECT_WRITE,
		     "10.1.1.1:4420: the target refused the connection (the target has no "
		     "subsystem nqn.sub on this port; its discovery log lists what it offers); "
		     "kernel: nvme nvme0: Connect Invalid Data Parameter, subsysnqn \"nqn.sub\"");
	assert_error(attempt("tcp", "10.1.1.1", "4420"), EIO,
		     "nvme nvme0: Connect for subsystem nqn.sub is not allowed, hostnqn: nqn.host",
		     ENVME_CONNECT_WRITE,
		     "10.1.1.1:4420: the target refused the connection (subsystem nqn.sub does "
		     "not allow host nqn.host; the target's administrator can add it); kernel: "
		     "nvme nvme0: Connect for subsystem nqn.sub is not allowed, hostnqn: nqn.host");
	assert_error(attempt("tcp", "10.1.1.1", NULL), EIO, NULL, ENVME_CONNECT_WRITE,
		     "10.1.1.1: the target refused the connection (does it have subsystem nqn.sub, "
		     "and does that allow host nqn.host?)");
}

TEST(test_codes)
{
	static const struct {
		int err, code;
	} codes[] = {
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
		struct connect connect = attempt("tcp", "10.1.1.1", "4420");

		assert_int_equal(connect_error_write(&connect, codes[i].err, NULL), -codes[i].code);
		assert_non_null(strstr(ctrl.connect_error, "10.1.1.1:4420: "));
	}
	connect_error_clear(&host, &ctrl);
}

/* What has no code of its own is said in words all the same. */
TEST(test_words)
{
	static const struct {
		int err;
		const char *words;
	} said[] = {
		{ ETIMEDOUT, "connection timed out" },
		{ EAGAIN, "connection timed out" },
		{ EINPROGRESS, "connection timed out" },
		{ EHOSTUNREACH, "host unreachable" },
		{ ENETUNREACH, "network unreachable" },
		{ ECONNRESET, "connection closed by the target" },
		{ EIO, "the target refused the connection" },
		{ EPERM, "Operation not permitted" },
	};

	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		struct connect connect = attempt("tcp", "10.1.1.1", "4420");

		connect_error_write(&connect, said[i].err, NULL);
		assert_memory_equal(ctrl.connect_error, "10.1.1.1:4420: ", 15);
		assert_memory_equal(ctrl.connect_error + 15, said[i].words, strlen(said[i].words));
	}
	connect_error_clear(&host, &ctrl);
}

TEST(test_interface_and_address)
{
	struct connect connect = attempt("mptcp", "10.1.1.1", "4420");

	ctrl.options.cfg.host_iface = (char *)"eth9";
	assert_error(connect, ENODEV, NULL, ENVME_CONNECT_NODEV,
		     "10.1.1.1:4420: invalid interface (is host_iface eth9 an interface of "
		     "this host?)");
	ctrl.options.cfg.host_traddr = (char *)"10.9.9.9";
	assert_error(connect, EADDRNOTAVAIL, NULL, ENVME_CONNECT_ADDRNOTAVAIL,
		     "10.1.1.1:4420: cannot assign requested address (is host_traddr 10.9.9.9 an "
		     "address of this host?)");
}

TEST(test_authentication)
{
	static const char log[] = "nvme nvme0: qid 0: no key; nvme nvme0: qid 0: authentication "
				  "setup failed";
	struct connect connect = attempt("mptcp", "10.1.1.1", "4420");

	assert_error(connect, ENOKEY, log, ENVME_CONNECT_NOKEY,
		     "10.1.1.1:4420: authentication failed (the target asks for it; give the "
		     "DH-HMAC-CHAP secret that it has for host nqn.host (dhchap_secret)); kernel: "
		     "nvme nvme0: qid 0: no key; nvme nvme0: qid 0: authentication setup failed");
	ctrl.dhchap_key = (char *)"DHHC-1:00:secret:";
	assert_error(connect, EKEYREJECTED, "nvme nvme0: qid 0: authentication failed, error -129",
		     ENVME_CONNECT_WRITE,
		     "10.1.1.1:4420: authentication failed (are the DH-HMAC-CHAP secrets those of "
		     "the target?); kernel: nvme nvme0: qid 0: authentication failed, error -129");
}

TEST(test_mptcp_off)
{
	assert_error(attempt("mptcp", "10.1.1.1", "4420"), ENOPROTOOPT, NULL, ENVME_CONNECT_WRITE,
		     "10.1.1.1:4420: Protocol not available (MPTCP is switched off or not built "
		     "in; sysctl net.mptcp.enabled=1)");
}

TEST(test_escaped)
{
	assert_error(attempt("tcp", "\x1b[31mx", "1\n"), EIO, "nvme nvme0: \\x1b says the kernel",
		     ENVME_CONNECT_WRITE,
		     "\\x1b[31mx:1\\x0a: the target refused the connection; kernel: nvme nvme0: "
		     "\\x1b says the kernel");
}

TEST(test_open)
{
	attempt("mptcp", "10.1.1.1", "4420");
	assert_int_equal(connect_error_open(&host, &ctrl, ENOENT), -ENVME_CONNECT_OPEN);
	assert_string_equal(ctrl.connect_error,
			    "cannot open /dev/nvme-fabrics: No such file or directory (is the "
			    "kernel module loaded? modprobe nvme-fabrics; modprobe nvme-mptcp)");
	assert_int_equal(connect_error_open(&host, &ctrl, EACCES), -ENVME_CONNECT_OPEN);
	assert_string_equal(ctrl.connect_error, "cannot open /dev/nvme-fabrics: Permission denied "
						"(connecting needs root)");
	connect_error_clear(&host, &ctrl);
}

static int quiet(void **state)
{
	nvme_init_default_logging(NULL, -1, false, false);
	return 0;
}

ALL_TESTS(quiet, NULL)
