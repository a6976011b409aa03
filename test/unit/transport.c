/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The transport table answers alike by name and by type, and never for a name it does not have. */
#include "unit.h"
#include "transport-private.h"

TEST(mptcp_is_a_row_like_tcp)
{
	const struct transport *mptcp = transport_by_name("mptcp");
	const struct transport *tcp = transport_by_name("tcp");

	assert_string_equal(mptcp->name, "mptcp");
	assert_int_equal(mptcp->trtype, 4);
	assert_ptr_equal(transport_by_trtype(4), mptcp);
	assert_ptr_equal(transport_by_trtype(3), tcp);
	assert_string_equal(mptcp->io_port, "4420");
	assert_string_equal(mptcp->discovery_port, "8009");
	assert_int_equal(mptcp->match, tcp->match);
	assert_int_equal(mptcp->tsas, NVMF_TSAS_TCP);
	assert_true(transport_has(mptcp, NVMF_TRANSPORT_SUBFLOWS | NVMF_TRANSPORT_DIGESTS));
	assert_false(transport_has(tcp, NVMF_TRANSPORT_SUBFLOWS));
}

TEST(unknown_names_have_no_traits)
{
	static const char *const names[] = { "", "TCP", "tcp ", "mptcp2", "none" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_false(nvmf_transport_is_known(names[i]));
		assert_false(nvmf_transport_has(names[i], NVMF_TRANSPORT_FABRICS));
		assert_null(nvmf_transport_default_trsvcid(names[i], true));
		assert_null(nvmf_transport_module(names[i]));
	}
	assert_false(nvmf_transport_is_known(NULL));
	assert_null(transport_by_trtype(5));
	assert_null(transport_by_trtype(TRANSPORT_NO_TRTYPE));
	assert_int_equal(nvmf_trtype_tsas_kind(255), NVMF_TSAS_NONE);
}

TEST(listed_names_are_the_fabrics_rows)
{
	char names[128];
	char *rest = NULL;
	int count = 0;

	snprintf(names, sizeof(names), "%s", nvmf_transport_names());
	for (char *name = strtok_r(names, ", ", &rest); name; name = strtok_r(NULL, ", ", &rest)) {
		assert_true(nvmf_transport_has(name, NVMF_TRANSPORT_FABRICS));
		count++;
	}
	assert_int_equal(count, 5);
	assert_string_equal(nvmf_transport_names(), "tcp, mptcp, rdma, fc, loop");
	assert_false(nvmf_transport_has("pcie", NVMF_TRANSPORT_FABRICS));
}

TEST(adrfams)
{
	const struct transport *mptcp = transport_by_name("mptcp");
	const struct transport *loop = transport_by_name("loop");

	assert_true(transport_takes_adrfam(mptcp, NVMF_ADDR_FAMILY_IP4));
	assert_true(transport_takes_adrfam(mptcp, NVMF_ADDR_FAMILY_IP6));
	assert_false(transport_takes_adrfam(mptcp, NVMF_ADDR_FAMILY_FC));
	assert_false(transport_takes_adrfam(mptcp, 255));
	assert_true(transport_takes_adrfam(loop, 255));
}
