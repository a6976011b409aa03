/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "recorded.h"

/* The port that the library takes where none is given. */
static const char *port_or_default(const char *transport, const char *trsvcid, bool is_discovery)
{
	return trsvcid && *trsvcid ? trsvcid
				   : nvmf_transport_default_trsvcid(transport, is_discovery);
}

static nvme_mptcp_recorder_t begin(const char *transport, const char *traddr, const char *trsvcid,
				   const struct input_waiter *waiter)
{
	const struct nvme_mptcp_record_args args = {
		.transport = transport,
		.traddr = traddr,
		.trsvcid = trsvcid,
		.warn = waiter->warn,
		.arg = waiter->arg,
		.args_size = sizeof(args),
	};

	return nvme_mptcp_record_begin(&args);
}

/* The library would find it as well, but only after all sockets were listed for nothing. */
static bool is_connected_already(nvme_host_t h, nvme_ctrl_t c, bool is_discovery)
{
	return !is_discovery && !nvme_ctrl_get_config(c)->duplicate_connect &&
	       nvmf_find_connected(h, c);
}

int input_add_ctrl(nvme_host_t h, nvme_ctrl_t c, const struct input_waiter *waiter)
{
	const char *transport = nvme_ctrl_get_transport(c);
	const char *nqn = nvme_ctrl_get_subsysnqn(c);
	const bool is_discovery =
		nvme_ctrl_is_discovery_ctrl(c) || (nqn && !strcmp(nqn, NVME_DISC_SUBSYS_NAME));
	nvme_mptcp_recorder_t recorder = NULL;
	int ret;

	if (nvmf_transport_has(transport, NVMF_TRANSPORT_SUBFLOWS) &&
	    !is_connected_already(h, c, is_discovery))
		recorder = begin(transport, nvme_ctrl_get_traddr(c),
				 port_or_default(transport, nvme_ctrl_get_trsvcid(c), is_discovery),
				 waiter);
	ret = nvmf_add_ctrl(h, c, NULL);
	nvme_mptcp_record_end(recorder, ret ? NULL : nvme_ctrl_get_name(c));
	return ret;
}

/* Entries that did not come from the library need not end where the field ends. */
static void field_text(char *text, const char *field, size_t size)
{
	size_t n = strnlen(field, size);

	while (n && field[n - 1] == ' ')
		n--;
	memcpy(text, field, n);
	text[n] = '\0';
}

nvme_ctrl_t input_connect_entry(nvme_host_t h, struct nvmf_disc_log_entry *e,
				const struct nvmf_options *options, bool *discover,
				const struct input_waiter *waiter)
{
	char traddr[sizeof(e->traddr) + 1], trsvcid[sizeof(e->trsvcid) + 1];
	const char *transport = nvmf_trtype_str(e->trtype);
	nvme_mptcp_recorder_t recorder;
	nvme_ctrl_t c;

	field_text(traddr, e->traddr, sizeof(e->traddr));
	field_text(trsvcid, e->trsvcid, sizeof(e->trsvcid));
	recorder = begin(transport, traddr,
			 port_or_default(transport, trsvcid, e->subtype == NVME_NQN_DISC), waiter);
	c = nvmf_connect_entry(h, e, options, discover);
	nvme_mptcp_record_end(recorder, c ? nvme_ctrl_get_name(c) : NULL);
	return c;
}
