/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys as text: whatever is read as a key writes back to the very same text. */
#include <nvme/linux.h>

#include "fuzz.h"

static void tls(const char *text)
{
	unsigned char version, hmac, *key;
	size_t len;
	char *again;

	key = nvme_import_tls_key_versioned(text, &version, &hmac, &len);
	if (!key != !!nvme_tls_key_error(text))
		abort();
	if (!key)
		return;
	again = nvme_export_tls_key_versioned(version, hmac, key, len);
	if (!again || strcmp(again, text))
		abort();
	free(again);
	if (version == 1) {
		again = nvme_generate_tls_key_identity("nqn.h", "nqn.s", 1, hmac, key, (int)len);
		if (!again)
			abort();
		free(again);
	}
	free(key);
}

static void dhchap(const char *text)
{
	enum nvme_hmac_alg hmac;
	unsigned char *key;
	size_t len;
	char *again;

	key = nvme_import_dhchap_key(text, &hmac, &len, NULL);
	if (!key != !!nvme_dhchap_key_error(text))
		abort();
	if (!key)
		return;
	again = nvme_export_dhchap_key(hmac, key, len);
	if (!again || strcmp(again, text))
		abort();
	free(again);
	free(key);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);

	tls(text);
	dhchap(text);
	free(text);
	return 0;
}
