/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which values of connect options are refused, and why. */
#include <nvme/options.h>

#include "unit.h"

#define HOSTID "11111111-2222-3333-4444-555555555555"

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
