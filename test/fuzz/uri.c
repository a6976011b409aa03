/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* URIs: what is accepted has a scheme, a host and a port in range. */
#include <nvme/fabrics.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct nvme_fabrics_uri *uri;

	uri = nvme_parse_uri(text);
	if (uri) {
		if (!uri->scheme || !*uri->scheme || !uri->host || !*uri->host || uri->port < 0 ||
		    uri->port > UINT16_MAX)
			abort();
		for (char **segment = uri->path_segments; segment && *segment; segment++)
			if (!**segment)
				abort();
	}
	nvme_free_uri(uri);
	free(text);
	return 0;
}
