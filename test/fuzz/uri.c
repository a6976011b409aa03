/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* URIs: what is accepted has a scheme, a host and a port in range. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <nvme/fabrics.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct nvme_fabrics_uri *uri;

	if (!text)
		abort();
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
