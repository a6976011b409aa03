/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The transport table answers alike by name and by type, and never for a name it does not have. */
#include "unit.h"
#include "transport-private.h"

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
