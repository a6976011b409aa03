/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first bytes that whoever listens at a target's address sends, in any pieces. */
#include "mptcp/trial/pdu.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum pdu_answer last = PDU_INCOMPLETE;

	if (size > PDU_IC_SIZE)
		size = PDU_IC_SIZE;
	for (size_t length = 0; length <= size; length++) {
		uint8_t *copy = fuzz_copy(data, length);
		struct pdu_icresp answer = {};

		last = pdu_parse_answer(copy, length, &answer);
		if (last == PDU_TERMINATED)
			pdu_error_text(answer.error);
		free(copy);
		/* As when receiving: what is certain ends it. */
		if (last != PDU_INCOMPLETE)
			break;
	}
	/* A whole PDU is always something. */
	if (size == PDU_IC_SIZE && last == PDU_INCOMPLETE)
		abort();
	return 0;
}
