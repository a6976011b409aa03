/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of the numbers in a discovery log entry. */
#include <nvme/fabrics.h>

#include "unit.h"

TEST(test_trtype)
{
	assert_string_equal(nvmf_trtype_str(1), "rdma");
	assert_string_equal(nvmf_trtype_str(2), "fc");
	assert_string_equal(nvmf_trtype_str(3), "tcp");
	assert_string_equal(nvmf_trtype_str(4), "mptcp");
	assert_string_equal(nvmf_trtype_str(254), "loop");
	assert_string_equal(nvmf_trtype_str(0), "unrecognized");
	assert_string_equal(nvmf_trtype_str(0x7b), "unrecognized");
	assert_string_equal(nvmf_trtype_str(255), "unrecognized");
}

TEST(test_adrfam_and_subtype)
{
	assert_string_equal(nvmf_adrfam_str(0), "pci");
	assert_string_equal(nvmf_adrfam_str(1), "ipv4");
	assert_string_equal(nvmf_adrfam_str(2), "ipv6");
	assert_string_equal(nvmf_adrfam_str(3), "infiniband");
	assert_string_equal(nvmf_adrfam_str(4), "fibre-channel");
	assert_string_equal(nvmf_adrfam_str(254), "unrecognized");
	assert_string_equal(nvmf_subtype_str(1), "discovery subsystem referral");
	assert_string_equal(nvmf_subtype_str(2), "nvme subsystem");
	assert_string_equal(nvmf_subtype_str(3), "current discovery subsystem");
	assert_string_equal(nvmf_subtype_str(0), "unrecognized");
	assert_string_equal(nvmf_subtype_str(9), "unrecognized");
}

TEST(test_treq)
{
	assert_string_equal(nvmf_treq_str(0), "not specified");
	assert_string_equal(nvmf_treq_str(1), "required");
	assert_string_equal(nvmf_treq_str(2), "not required");
	assert_string_equal(nvmf_treq_str(4), "not specified, sq flow control disable supported");
	assert_string_equal(nvmf_treq_str(5), "required, sq flow control disable supported");
	assert_string_equal(nvmf_treq_str(6), "not required, sq flow control disable supported");
	assert_string_equal(nvmf_treq_str(3), "unrecognized");
	assert_string_equal(nvmf_treq_str(0x84), "unrecognized");
}

TEST(test_eflags)
{
	assert_string_equal(nvmf_eflags_str(0), "none");
	assert_string_equal(nvmf_eflags_str(1), "duplicate discovery information");
	assert_string_equal(nvmf_eflags_str(2), "explicit discovery connections");
	assert_string_equal(nvmf_eflags_str(3), "explicit discovery connections, "
						"duplicate discovery information");
	assert_string_equal(nvmf_eflags_str(4), "no cdc connectivity");
	assert_string_equal(nvmf_eflags_str(6),
			    "explicit discovery connections, no cdc connectivity");
	assert_string_equal(nvmf_eflags_str(5),
			    "duplicate discovery information, no cdc connectivity");
	assert_string_equal(nvmf_eflags_str(7),
			    "explicit discovery connections, duplicate discovery information, "
			    "no cdc connectivity");
	assert_string_equal(nvmf_eflags_str(8), "unrecognized");
}

TEST(test_tsas)
{
	assert_string_equal(nvmf_sectype_str(0), "none");
	assert_string_equal(nvmf_sectype_str(1), "tls");
	assert_string_equal(nvmf_sectype_str(2), "tls13");
	assert_string_equal(nvmf_sectype_str(3), "unrecognized");
	assert_string_equal(nvmf_prtype_str(1), "not specified");
	assert_string_equal(nvmf_prtype_str(2), "infiniband");
	assert_string_equal(nvmf_prtype_str(3), "roce");
	assert_string_equal(nvmf_prtype_str(4), "roce-v2");
	assert_string_equal(nvmf_prtype_str(5), "iwarp");
	assert_string_equal(nvmf_prtype_str(0), "unrecognized");
	assert_string_equal(nvmf_qptype_str(1), "connected");
	assert_string_equal(nvmf_qptype_str(2), "datagram");
	assert_string_equal(nvmf_qptype_str(0), "unrecognized");
	assert_string_equal(nvmf_cms_str(1), "rdma-cm");
	assert_string_equal(nvmf_cms_str(0), "unrecognized");
}
