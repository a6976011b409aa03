/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Portals of a relay: what is accepted is written, read again, and is the same. */
#include "mptcp/relay/steering.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct socket_address at, again;
	char written[ADDRESS_TEXT];

	if (!relay_parse_portal(text, &at)) {
		address_port_text(&at, written);
		if (!at.port || relay_parse_portal(written, &again) ||
		    !address_port_equal(&at, &again))
			abort();
	}
	free(text);
	return 0;
}
