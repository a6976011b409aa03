/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of a connection: their defaults, and combining those from several places. */
#include <errno.h>
#include <stddef.h>

#include "base/log-private.h"
#include "base/str.h"
#include "private.h"

static const struct nvme_fabrics_config defaults = {
	.ctrl_loss_tmo = NVMF_DEF_CTRL_LOSS_TMO,
	.tos = -1,
};

void nvmf_default_config(struct nvme_fabrics_config *cfg)
{
	*cfg = defaults;
}

static int merge_string(char **to, const char *from, bool replace)
{
	if (str_is_unset(from) || (!replace && !str_is_unset(*to)))
		return 0;
	return str_set(to, from);
}

int config_merge(struct nvme_fabrics_config *cfg, const struct nvme_fabrics_config *from,
		 bool replace)
{
#define MERGE(option) \
	do { \
		if (from->option != defaults.option && \
		    (replace || cfg->option == defaults.option)) \
			cfg->option = from->option; \
	} while (0)

	if (merge_string(&cfg->host_traddr, from->host_traddr, replace) ||
	    merge_string(&cfg->host_iface, from->host_iface, replace))
		return -ENOMEM;
	MERGE(queue_size);
	MERGE(nr_io_queues);
	MERGE(reconnect_delay);
	MERGE(ctrl_loss_tmo);
	MERGE(fast_io_fail_tmo);
	MERGE(keep_alive_tmo);
	MERGE(nr_write_queues);
	MERGE(nr_poll_queues);
	MERGE(tos);
	MERGE(keyring);
	MERGE(tls_key);
	MERGE(tls_configured_key);
	MERGE(duplicate_connect);
	MERGE(disable_sqflow);
	MERGE(hdr_digest);
	MERGE(data_digest);
	MERGE(tls);
	MERGE(concat);
	return 0;
}

void nvmf_update_config(nvme_ctrl_t c, const struct nvme_fabrics_config *cfg)
{
	if (config_merge(&c->cfg, cfg, true))
		log_err(c->r, "options of %s: out of memory", c->subsysnqn);
}
