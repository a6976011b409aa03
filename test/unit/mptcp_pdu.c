/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The opening PDUs of NVMe/TCP: what is sent, and what any answer is taken for. */
#include <stdbool.h>

#include "unit.h"
#include "mptcp/trial/pdu.h"

static const uint8_t icresp[PDU_IC_SIZE] = {
	0x01, 0, 128, 0, 128, 0, 0, 0, /* header */
	0,    0, /* PFV */
	0,    0, /* CPDA, digests */
	0,    0, 2,   0, /* MAXH2CDATA: 128 KiB */
};

static const uint8_t term[24] = { 0x03, 0, 24, 0, 24, 0, 0, 0, 0x06, 0x00 };

static enum pdu_answer parse(const uint8_t *data, size_t len)
{
	struct pdu_icresp answer;

	return pdu_parse_answer(data, len, &answer);
}

TEST(the_request)
{
	uint8_t pdu[PDU_IC_SIZE];

	memset(pdu, 0xff, sizeof(pdu));
	pdu_icreq(pdu);
	assert_memory_equal(pdu, "\x00\x00\x80\x00\x80\x00\x00\x00", 8);
	/* Format 0, no alignment, no digests, one R2T. */
	for (size_t i = 8; i < sizeof(pdu); i++)
		assert_int_equal(pdu[i], 0);
}

TEST(an_answer_may_come_in_pieces)
{
	struct pdu_icresp answer;

	for (size_t len = 0; len < sizeof(icresp); len++)
		assert_int_equal(parse(icresp, len), PDU_INCOMPLETE);
	assert_int_equal(pdu_parse_answer(icresp, sizeof(icresp), &answer), PDU_ACCEPTED);
	assert_int_equal(answer.format, 0);
	assert_int_equal(answer.max_data, 128 * 1024);
}

TEST(the_target_may_end_it)
{
	struct pdu_icresp answer;
	uint8_t large[sizeof(term)];

	for (size_t len = 0; len < sizeof(term); len++)
		assert_int_equal(parse(term, len), PDU_INCOMPLETE);
	assert_int_equal(pdu_parse_answer(term, sizeof(term), &answer), PDU_TERMINATED);
	assert_int_equal(answer.error, 6);
	assert_string_equal(pdu_error_text(answer.error), "unsupported parameter");
	assert_null(pdu_error_text(0));
	assert_null(pdu_error_text(7));
	assert_null(pdu_error_text(UINT16_MAX));
	/* With the header that was wrong, and not with more. */
	memcpy(large, term, sizeof(term));
	large[4] = 24 + 128;
	assert_int_equal(parse(large, sizeof(large)), PDU_TERMINATED);
	large[4]++;
	assert_int_equal(parse(large, sizeof(large)), PDU_FOREIGN);
	large[4] = 23;
	assert_int_equal(parse(large, sizeof(large)), PDU_FOREIGN);
}

TEST(everything_else_is_foreign)
{
	uint8_t changed[PDU_IC_SIZE];

	for (unsigned int type = 0; type < 256; type++) {
		bool known = type == 0x01 || type == 0x03 || type == 0x15 || type == 0x16;

		memcpy(changed, icresp, sizeof(changed));
		changed[0] = (uint8_t)type;
		if (!known)
			assert_int_equal(parse(changed, 1), PDU_FOREIGN);
		if (type != 0x01)
			assert_int_equal(parse(changed, sizeof(changed)), PDU_FOREIGN);
	}
	/* Lengths: of the header, and of the whole. */
	for (size_t at = 2; at < 8; at++) {
		if (at == 3)
			continue;
		memcpy(changed, icresp, sizeof(changed));
		changed[at] ^= 0x01;
		assert_int_equal(parse(changed, sizeof(changed)), PDU_FOREIGN);
		assert_int_equal(parse(changed, 8), PDU_FOREIGN);
	}
}

TEST(tls_is_told_apart)
{
	const uint8_t alert[] = { 0x15, 0x03, 0x03 }, handshake[] = { 0x16, 0x03, 0x01 };
	const uint8_t neither[] = { 0x15, 0x04 };

	assert_int_equal(parse(alert, 1), PDU_INCOMPLETE);
	assert_int_equal(parse(alert, sizeof(alert)), PDU_TLS);
	assert_int_equal(parse(handshake, sizeof(handshake)), PDU_TLS);
	assert_int_equal(parse(neither, sizeof(neither)), PDU_FOREIGN);
}
