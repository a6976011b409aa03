/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The address of a controller, whatever it holds: values come out whole, and it can be matched. */
#include "base/str.h"
#include "tree/private.h"
#include "fuzz.h"

static const char *const transports[] = { "mptcp", "tcp", "rdma", "fc", "loop", "pcie", "new" };

static void check_value(const char *text, const char *value)
{
	if (value && (str_is_unset(value) || !strstr(text, value)))
		abort();
}

static void check_transport(const char *name, const char *text)
{
	const struct transport *transport = transport_by_name(name);
	struct nvme_ctrl *c = ctrl_new(NULL, name);
	struct address_parts address;
	char source[64];

	if (!c || ctrl_address_parse(transport, text, &address))
		abort();
	check_value(text, address.trsvcid);
	check_value(text, address.host_traddr);
	check_value(text, address.host_iface);
	if (address.traddr && !strstr(text, address.traddr))
		abort();

	c->portal = strdup(text);
	c->traddr = address.traddr;
	c->trsvcid = address.trsvcid;
	address.traddr = address.trsvcid = NULL;
	nvme_ctrl_config_match(c, name, c->traddr, c->trsvcid, NULL, address.host_traddr,
			       address.host_iface);
	if (nvme_ctrl_get_src_addr(c, source, sizeof(source)) && strchr(source, '%'))
		abort();
	address_parts_free(&address);
	nvme_free_ctrl(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);

	for (size_t i = 0; i < sizeof(transports) / sizeof(transports[0]); i++)
		check_transport(transports[i], text);
	free(text);
	return 0;
}
