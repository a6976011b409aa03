/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The line for /dev/nvme-fabrics: its order, what is left out, what is refused. */
#include <nvme/log.h>
#include <nvme/util.h>

#include "unit.h"
#include "fabrics/private.h"
#include "base/str.h"

#define HOSTNQN "nqn.2014-08.org.nvmexpress:uuid:11111111-2222-3333-4444-555555555555"
#define HOSTID "11111111-2222-3333-4444-555555555555"
#define SECRET "DHHC-1:00:ia6zGodOr4SEG0Zzaw398rpY0wqipUWj4jWjUh4HWUz6aQ2n:"

/* What Linux 6.12 with authentication and TLS lists; concat is newer. */
static const char linux_6_12[] =
	"instance=-1,cntlid=-1,transport=%s,traddr=%s,trsvcid=%s,nqn=%s,queue_size=%d,"
	"nr_io_queues=%d,reconnect_delay=%d,ctrl_loss_tmo=%d,keep_alive_tmo=%d,hostnqn=%s,"
	"host_traddr=%s,host_iface=%s,hostid=%s,duplicate_connect,disable_sqflow,hdr_digest,"
	"data_digest,nr_write_queues=%d,nr_poll_queues=%d,tos=%d,keyring=%d,tls_key=%d,"
	"fast_io_fail_tmo=%d,discovery,dhchap_secret=%s,dhchap_ctrl_secret=%s,tls\n";

struct fixture {
	struct nvme_root root;
	struct nvme_host host;
	struct nvme_ctrl ctrl;
	struct fabrics_options options;
	struct connect connect;
};

static void init(struct fixture *f, const char *transport, const char *traddr)
{
	memset(f, 0, sizeof(*f));
	nvme_init_default_logging(NULL, -1, false, false);
	f->host.r = f->ctrl.r = NULL;
	f->host.hostnqn = (char *)HOSTNQN;
	f->host.hostid = (char *)HOSTID;
	f->ctrl.transport_name = (char *)transport;
	f->ctrl.transport = transport_by_name(transport);
	f->ctrl.subsysnqn = (char *)"nqn.test";
	f->ctrl.traddr = (char *)traddr;
	nvmf_default_config(&f->ctrl.options.cfg);
	fabrics_options_parse(linux_6_12, sizeof(linux_6_12) - 1, &f->options);
	f->connect.h = &f->host;
	f->connect.c = &f->ctrl;
	f->connect.options = &f->options;
}

static void done(struct fixture *f)
{
	connect_error_clear(&f->host, &f->ctrl);
}

static int build(struct fixture *f)
{
	int err = option_check_values(&f->connect);

	if (!err)
		err = option_check_kernel(&f->connect);
	if (!err)
		err = connect_string_build(&f->connect);

	f->connect.line[f->connect.len] = '\0';
	return err;
}

static void assert_line(struct fixture *f, const char *line)
{
	assert_int_equal(build(f), 0);
	assert_string_equal(f->connect.line, line);
	assert_int_equal(f->connect.len, strlen(line));
	assert_null(f->ctrl.connect_error);
	done(f);
}

static void assert_refused(struct fixture *f, int code, const char *reason)
{
	assert_int_equal(build(f), -code);
	assert_non_null(f->ctrl.connect_error);
	assert_string_equal(f->ctrl.connect_error, reason);
	assert_string_equal(f->host.connect_error, reason);
	done(f);
}

/* The names are the table's, which test/unit/transport.c has. */
#define assert_refused_with_names(f, code, format) \
	do { \
		char reason_[256]; \
\
		snprintf(reason_, sizeof(reason_), format, nvmf_transport_names()); \
		assert_refused(f, code, reason_); \
	} while (0)

static void set_everything(struct fixture *f)
{
	struct nvme_fabrics_config *cfg = &f->ctrl.options.cfg;

	f->ctrl.trsvcid = (char *)"4420";
	f->host.dhchap_key = (char *)SECRET;
	f->ctrl.dhchap_ctrl_key = (char *)SECRET;
	cfg->host_traddr = (char *)"10.1.1.2";
	cfg->host_iface = (char *)"eth0";
	cfg->nr_io_queues = 1;
	cfg->nr_write_queues = 2;
	cfg->nr_poll_queues = 3;
	cfg->queue_size = 4;
	cfg->keep_alive_tmo = 5;
	cfg->reconnect_delay = 6;
	cfg->ctrl_loss_tmo = -1;
	cfg->fast_io_fail_tmo = 7;
	cfg->tos = 0;
	cfg->duplicate_connect = cfg->disable_sqflow = true;
	cfg->hdr_digest = cfg->data_digest = true;
}

TEST(test_injection)
{
	struct fixture f;

	init(&f, "tcp", "10.1.1.1");
	f.ctrl.subsysnqn = (char *)"nqn.test,hostnqn=nqn.evil";
	assert_refused(&f, ENVME_CONNECT_INVAL,
		       "nqn \"nqn.test,hostnqn=nqn.evil\": a comma would start another option");
	init(&f, "tcp", "10.1.1.1,tls");
	assert_refused(&f, ENVME_CONNECT_INVAL,
		       "traddr \"10.1.1.1,tls\": a comma would start another option");
	init(&f, "tcp", "10.1.1.1");
	f.host.hostnqn = (char *)"nqn.a\nhostid=1";
	assert_refused(&f, ENVME_CONNECT_INVAL,
		       "hostnqn \"nqn.a\\x0ahostid=1\": control characters are not allowed");
	init(&f, "tcp", "10.1.1.1");
	f.ctrl.options.cfg.host_iface = (char *)"eth0\x1b[31m";
	assert_refused(&f, ENVME_CONNECT_INVAL,
		       "host_iface \"eth0\\x1b[31m\": control characters are not allowed");
	/* A secret is never shown. */
	init(&f, "tcp", "10.1.1.1");
	f.host.dhchap_key = (char *)"DHHC-1:00:abc,tls";
	assert_refused(&f, ENVME_CONNECT_INVAL,
		       "dhchap_secret: a comma would start another option");
}

TEST(test_too_long)
{
	struct fixture f;
	char value[4200];

	memset(value, 'a', sizeof(value));
	value[224] = '\0';
	init(&f, "tcp", "10.1.1.1");
	f.ctrl.subsysnqn = value;
	assert_int_equal(build(&f), -ENVME_CONNECT_INVAL);
	assert_non_null(strstr(f.ctrl.connect_error, "224 bytes long, at most 223 are allowed"));
	done(&f);

	value[224] = 'a';
	value[4199] = '\0';
	init(&f, "tcp", value);
	assert_int_equal(build(&f), -ENVME_CONNECT_INVAL);
	assert_non_null(strstr(f.ctrl.connect_error, "4199 bytes long, at most 255 are allowed"));
	done(&f);

	init(&f, "tcp", "10.1.1.1");
	f.ctrl.options.cfg.host_iface = (char *)"interface-name-1";
	assert_refused(&f, ENVME_CONNECT_INVAL,
		       "host_iface \"interface-name-1\": 16 bytes long, at most 15 are allowed");
	init(&f, "tcp", "10.1.1.1");
	f.ctrl.trsvcid = (char *)"99999999999999999999999999999999";
	assert_refused(
		&f, ENVME_CONNECT_INVAL,
		"trsvcid \"99999999999999999999999999999999\": not a port number (1 to 65535)");
}

TEST(test_bad_target)
{
	struct fixture f;

	init(&f, "bogus", "10.1.1.1");
	assert_refused_with_names(&f, ENVME_CONNECT_INVAL,
				  "transport \"bogus\" is unknown; it must be one of %s");
	init(&f, "pcie", "10.1.1.1");
	assert_refused_with_names(&f, ENVME_CONNECT_INVAL,
				  "transport pcie is not connected; it must be one of %s");
	init(&f, NULL, "10.1.1.1");
	assert_refused_with_names(&f, ENVME_CONNECT_TARG,
				  "no transport given; one of %s is needed");
	init(&f, "mptcp", NULL);
	assert_refused(&f, ENVME_CONNECT_AARG,
		       "no transport address (traddr) given, which transport mptcp needs");
	init(&f, "mptcp", "10.1.1.1");
	f.ctrl.subsysnqn = NULL;
	assert_refused(&f, ENVME_CONNECT_INVAL, "nqn: no subsystem NQN given");
	init(&f, "mptcp", "10.1.1.1");
	f.ctrl.trsvcid = (char *)"nvme";
	assert_refused(&f, ENVME_CONNECT_INVAL, "trsvcid \"nvme\": not a port number (1 to 65535)");
	init(&f, "loop", NULL);
	f.ctrl.trsvcid = (char *)"4420";
	assert_refused(&f, ENVME_CONNECT_INVAL,
		       "trsvcid: transport loop does not take it; leave it out");
}

#define NO_TLS \
	": transport mptcp has no TLS in this kernel; nvme mptcp relay carries tcp with TLS over " \
	"several links, or leave it out to connect in clear"

/* Security that the transport does not have is an error, never a connection in clear. */
TEST(test_transport_security)
{
	struct fixture f;

	init(&f, "mptcp", "10.1.1.1");
	f.ctrl.options.cfg.tls = true;
	assert_refused(&f, ENVME_CONNECT_INVAL, "tls" NO_TLS);
	init(&f, "mptcp", "10.1.1.1");
	f.host.dhchap_key = (char *)SECRET;
	f.ctrl.options.cfg.concat = true;
	assert_refused(&f, ENVME_CONNECT_INVAL, "concat" NO_TLS);
	init(&f, "mptcp", "10.1.1.1");
	f.ctrl.tls_key = (char *)"NVMeTLSkey-1:01:";
	assert_refused(&f, ENVME_CONNECT_INVAL, "tls_key" NO_TLS);
	init(&f, "mptcp", "10.1.1.1");
	f.ctrl.options.cfg.tls_key = 7;
	assert_refused(&f, ENVME_CONNECT_INVAL, "tls_key" NO_TLS);
	init(&f, "mptcp", "10.1.1.1");
	f.ctrl.keyring = (char *)".nvme";
	assert_refused(&f, ENVME_CONNECT_INVAL, "keyring" NO_TLS);
	init(&f, "rdma", "10.1.1.1");
	f.ctrl.options.cfg.hdr_digest = true;
	assert_refused(&f, ENVME_CONNECT_INVAL,
		       "hdr_digest: transport rdma has no digests; "
		       "leave it out to connect without");
	init(&f, "loop", NULL);
	f.ctrl.options.cfg.data_digest = true;
	assert_refused(&f, ENVME_CONNECT_INVAL,
		       "data_digest: transport loop has no digests; "
		       "leave it out to connect without");
}

#define UNKNOWN \
	": this kernel's nvme-fabrics does not know the option; it is too old or built without"

TEST(test_kernel_security)
{
	struct fixture f;

	init(&f, "tcp", "10.1.1.1");
	f.ctrl.options.cfg.tls = true;
	f.options.known &= ~(UINT64_C(1) << OPTION_TLS);
	assert_refused(&f, ENVME_CONNECT_INVAL, "tls" UNKNOWN);
	init(&f, "tcp", "10.1.1.1");
	f.host.dhchap_key = (char *)SECRET;
	f.ctrl.options.cfg.concat = true;
	assert_refused(&f, ENVME_CONNECT_INVAL, "concat" UNKNOWN);
	init(&f, "mptcp", "10.1.1.1");
	f.host.dhchap_key = (char *)SECRET;
	f.options.known &= ~(UINT64_C(1) << OPTION_DHCHAP_SECRET);
	assert_refused(&f, ENVME_CONNECT_INVAL, "dhchap_secret" UNKNOWN);
	init(&f, "mptcp", "10.1.1.1");
	f.ctrl.options.cfg.hdr_digest = true;
	f.options.known &= ~(UINT64_C(1) << OPTION_HDR_DIGEST);
	assert_refused(&f, ENVME_CONNECT_INVAL, "hdr_digest" UNKNOWN);
}

TEST(test_tls_choices)
{
	struct fixture f;

	init(&f, "tcp", "10.1.1.1");
	f.ctrl.options.cfg.tls = f.ctrl.options.cfg.concat = true;
	assert_refused(&f, ENVME_CONNECT_INVAL,
		       "concat: cannot be combined with tls; ask for one of them");
	init(&f, "tcp", "10.1.1.1");
	f.ctrl.options.cfg.concat = true;
	assert_refused(&f, ENVME_CONNECT_INVAL,
		       "concat: needs a DH-HMAC-CHAP secret of the host (dhchap_secret), "
		       "from which the TLS key is made");
}

/* What does not weaken the connection is left out, as libnvme 1.16 does. */
TEST(test_unknown_to_kernel)
{
	struct fixture f;

	init(&f, "tcp", "10.1.1.1");
	f.ctrl.options.cfg.host_iface = (char *)"eth0";
	f.ctrl.options.cfg.nr_poll_queues = 2;
	f.ctrl.options.cfg.duplicate_connect = true;
	f.options.known &= ~(UINT64_C(1) << OPTION_HOST_IFACE);
	f.options.known &= ~(UINT64_C(1) << OPTION_NR_POLL_QUEUES);
	f.options.known &= ~(UINT64_C(1) << OPTION_DUPLICATE_CONNECT);
	assert_line(&f, "nqn=nqn.test,transport=tcp,traddr=10.1.1.1,hostnqn=" HOSTNQN
			",hostid=" HOSTID ",ctrl_loss_tmo=600");
}

/* Every field at its longest stays below the kernel's page; the guard is for what may come. */
TEST(test_longest)
{
	char nqn[224], traddr[256], secret[256];
	struct fixture f;

	memset(nqn, 'n', sizeof(nqn));
	memset(traddr, 't', sizeof(traddr));
	memset(secret, 's', sizeof(secret));
	nqn[223] = traddr[255] = secret[255] = '\0';
	init(&f, "tcp", traddr);
	set_everything(&f);
	f.ctrl.subsysnqn = f.host.hostnqn = nqn;
	f.ctrl.options.cfg.host_traddr = traddr;
	f.host.dhchap_key = f.ctrl.dhchap_ctrl_key = secret;
	assert_int_equal(build(&f), 0);
	assert_true(f.connect.len < CONNECT_STRING_SIZE);
	done(&f);
}

TEST(test_secrets_hidden)
{
	struct fixture f;
	char *line;

	init(&f, "tcp", "10.1.1.1");
	f.host.dhchap_key = (char *)SECRET;
	f.ctrl.dhchap_ctrl_key = (char *)"DHHC-1:00:secret:";
	assert_int_equal(build(&f), 0);
	line = connect_string_shown(&f.connect);
	assert_non_null(line);
	assert_null(strstr(line, "DHHC"));
	assert_non_null(strstr(line, "dhchap_secret=***"));
	assert_non_null(strstr(line, "dhchap_ctrl_secret=*****************,ctrl_loss_tmo"));
	free(line);
	done(&f);
}

TEST(test_list)
{
	struct fabrics_options options;
	static const char odd[] = "\0nqn,,=,nqn\0,tls=%d\n,xtls,tlsx,tls_ke,concat";

	fabrics_options_parse(linux_6_12, sizeof(linux_6_12) - 1, &options);
	assert_true(option_is_known(&options, OPTION_TLS));
	assert_true(option_is_known(&options, OPTION_TLS_KEY));
	assert_true(option_is_known(&options, OPTION_INSTANCE));
	assert_false(option_is_known(&options, OPTION_CONCAT));
	assert_false(option_is_known(&options, OPTION_TCLASS));

	fabrics_options_parse(odd, sizeof(odd) - 1, &options);
	assert_true(options.known == (UINT64_C(1) << OPTION_TLS | UINT64_C(1) << OPTION_CONCAT));
	fabrics_options_parse("", 0, &options);
	assert_true(options.known == 0);
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
