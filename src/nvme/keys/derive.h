/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a configured key to the TLS PSK and its identity. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "shared/crypto.h"

/* What host and subsystem agreed on. */
struct psk_source {
	const char *hostnqn, *subsysnqn;
	int version; /* of the identity */
	int hmac; /* that makes the retained key of the configured one */
	const unsigned char *configured_key;
	int key_len;
	bool compat; /* libnvme before 1.16 */
};

struct psk {
	char *identity;
	unsigned char data[DIGEST_MAX];
	size_t len;
};

/* Frees the identity and wipes the key. */
void psk_clear(struct psk *psk);

static inline void psk_clear_cleanup(struct psk *psk)
{
	psk_clear(psk);
}

/* Derives identity and PSK. 0, -EINVAL, -ENOMEM, or -EIO; @ret is untouched on failure. */
int psk_derive(const struct psk_source *source, struct psk *ret);
