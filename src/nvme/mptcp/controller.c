// SPDX-License-Identifier: LGPL-2.1-or-later
/* Controllers of a tree whose connections may have several subflows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../addr.h"
#include "../fabrics.h"
#include "../str.h"
#include "../transport.h"
#include "../tree.h"
#include "private.h"

static bool parse_source(const char *text, struct in6_addr *ret)
{
	struct ip_addr ip;

	if (str_is_unset(text) || ip_parse(text, &ip))
		return false;
	*ret = ip.in6;
	return true;
}

static int copy(char **field, const char *value)
{
	return set_string(field, str_is_unset(value) ? NULL : value);
}

static int describe(struct nvme_mptcp_ctrl *ctrl, nvme_ctrl_t c)
{
	const char *queues = nvme_ctrl_get_queue_count(c);
	char src_addr[INET6_ADDRSTRLEN] = "";
	struct ip_addr ip;
	long number;

	ctrl->expected = NVME_MPTCP_UNKNOWN;
	if (queues && !parse_int(queues, 0, 65536, &number))
		ctrl->expected = number;
	if (!nvme_ctrl_get_src_addr(c, src_addr, sizeof(src_addr)))
		*src_addr = '\0';

	if (copy(&ctrl->name, nvme_ctrl_get_name(c)) ||
	    copy(&ctrl->subsysnqn, nvme_ctrl_get_subsysnqn(c)) ||
	    copy(&ctrl->transport, nvme_ctrl_get_transport(c)) ||
	    copy(&ctrl->state, nvme_ctrl_get_state(c)) ||
	    copy(&ctrl->traddr, nvme_ctrl_get_traddr(c)) ||
	    copy(&ctrl->trsvcid, nvme_ctrl_get_trsvcid(c)) ||
	    copy(&ctrl->host_traddr, nvme_ctrl_get_host_traddr(c)) ||
	    copy(&ctrl->host_iface, nvme_ctrl_get_host_iface(c)) || copy(&ctrl->src_addr, src_addr))
		return -ENOMEM;

	if (ctrl->traddr && ctrl->trsvcid && !ip_parse(ctrl->traddr, &ip) &&
	    !parse_int(ctrl->trsvcid, 1, 65535, &number)) {
		ctrl->portal.ip = ip.in6;
		ctrl->portal.port = (uint16_t)number;
		ctrl->has_portal = true;
	}
	ctrl->has_source = parse_source(ctrl->src_addr, &ctrl->source) ||
			   parse_source(ctrl->host_traddr, &ctrl->source);
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const struct nvme_mptcp_ctrl *x = a, *y = b;

	return strverscmp(x->name, y->name);
}

int ctrls_read(struct nvme_mptcp_snapshot *snap, nvme_root_t r)
{
	nvme_host_t h;
	nvme_subsystem_t s;
	nvme_ctrl_t c;

	nvme_for_each_host(r, h) {
		nvme_for_each_subsystem(h, s) {
			nvme_subsystem_for_each_ctrl(s, c) {
				struct nvme_mptcp_ctrl *ctrl;
				int err;

				if (!nvme_ctrl_get_name(c) ||
				    !nvmf_transport_has(nvme_ctrl_get_transport(c),
							NVMF_TRANSPORT_SUBFLOWS))
					continue;
				ctrl = array_add(&snap->ctrls, &snap->n_ctrls, sizeof(*ctrl));
				if (!ctrl)
					return -ENOMEM;
				err = describe(ctrl, c);
				if (err)
					return err;
			}
		}
	}
	if (snap->n_ctrls)
		qsort(snap->ctrls, snap->n_ctrls, sizeof(*snap->ctrls), by_number);
	return 0;
}
