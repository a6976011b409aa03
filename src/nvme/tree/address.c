/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parsing the address attribute of a controller according to its transport. */
#include "private.h"

int ctrl_address_parse(const struct transport *transport, const char *text,
		       struct address_parts *ret)
{
	size_t len;
	char *copy;

	/* A PCI address has no keys; for an unknown transport, the format decides. */
	if (!text || !*text || transport_has(transport, NVMF_TRANSPORT_FABRICS) ||
	    (!transport->name && address_value(text, "traddr", &len)))
		return address_parts_parse(text, ret);
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	*ret = (struct address_parts){ .traddr = copy };
	return 0;
}
