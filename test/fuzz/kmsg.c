/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of the kernel log: what is taken over is printable. */
#include "fabrics/kmsg.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = NULL;

	if (!kmsg_parse((const char *)data, size, &text)) {
		for (const char *p = text; *p; p++)
			if (*p < 0x20 || *p > 0x7e)
				abort();
		if (kmsg_instance(text) < -1)
			abort();
	} else if (text) {
		abort();
	}
	free(text);
	return 0;
}
