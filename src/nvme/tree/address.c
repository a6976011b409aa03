/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The address attribute of a controller: nvmf_get_address() in drivers/nvme/host/fabrics.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "private.h"

const char *ctrl_address_value(const char *text, const char *key, size_t *len)
{
	size_t key_len = strlen(key);

	while (text && *text) {
		size_t token = strcspn(text, ",");

		if (token > key_len && text[key_len] == '=' && !strncmp(text, key, key_len)) {
			*len = token - key_len - 1;
			return text + key_len + 1;
		}
		text += token;
		text += strspn(text, ", ");
	}
	return NULL;
}

static int take(const char *text, const char *key, char **ret)
{
	size_t len;
	const char *value = ctrl_address_value(text, key, &len);
	char *copy;

	if (!value || !len)
		return 0;
	copy = strndup(value, len);
	if (!copy)
		return -ENOMEM;
	if (str_is_unset(copy))
		free(copy);
	else
		*ret = copy;
	return 0;
}

int ctrl_address_parse(const struct transport *transport, const char *text,
		       struct ctrl_address *ret)
{
	struct ctrl_address address = { 0 };
	size_t len;

	if (!text || !*text) {
		*ret = address;
		return 0;
	}
	/* A PCI address has no keys; an unknown transport is taken for what it looks like. */
	if (!transport_has(transport, NVMF_TRANSPORT_FABRICS) &&
	    (transport->name || !ctrl_address_value(text, "traddr", &len))) {
		address.traddr = strdup(text);
		if (!address.traddr)
			return -ENOMEM;
	} else if (take(text, "traddr", &address.traddr) ||
		   take(text, "trsvcid", &address.trsvcid) ||
		   take(text, "host_traddr", &address.host_traddr) ||
		   take(text, "host_iface", &address.host_iface)) {
		ctrl_address_free(&address);
		return -ENOMEM;
	}
	*ret = address;
	return 0;
}

void ctrl_address_free(struct ctrl_address *address)
{
	free(address->traddr);
	free(address->trsvcid);
	free(address->host_traddr);
	free(address->host_iface);
	*address = (struct ctrl_address){ 0 };
}
