/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Derivation of the TLS PSK and its identity from a configured key. */
#pragma once

#include "shared/crypto.h"
#include "../keys.h"
#include "base/base.h"

/* Parameters that host and subsystem share. */
struct psk_source {
	const char *hostnqn, *subsysnqn;
	int version; /* version of the identity */
	int hmac; /* hash that derives the retained key from the configured one */
	const unsigned char *configured_key;
	int key_len;
	bool compat; /* derive as libnvme before 1.16 did */
};

struct psk {
	char *identity;
	unsigned char data[DIGEST_MAX];
	size_t len;
};

/* Free the identity and wipe the key. */
void psk_clear(struct psk *psk);

static inline void psk_clear_cleanup(struct psk *psk)
{
	psk_clear(psk);
}

/* Derive identity and PSK. Return 0, -EINVAL, -ENOMEM or -EIO; @ret is unchanged on failure. */
int psk_derive(const struct psk_source *source, struct psk *ret);
