/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file of what keep made: what is believed of it is what keep would write. */
#include "mptcp/plan/keep-state.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct keep_own own = {};
	char *text = fuzz_text(data, size);

	if (!keep_state_parse(text, &own)) {
		for (size_t i = 0; i < own.n_endpoints; i++)
			if (keep_own_find(&own, &own.endpoints[i].spec.ip,
					  own.endpoints[i].spec.port) != &own.endpoints[i] ||
			    own.endpoints[i].claim.contested || own.endpoints[i].spec.id)
				abort();
		keep_own_clear(&own);
	}
	free(text);
	return 0;
}
