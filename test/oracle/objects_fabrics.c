/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What reaches /dev/nvme-fabrics, and the identity of the host; the stand-in records the lines. */
#include <stdlib.h>

#include "objects.h"

#define NQN "nqn.2026-01.org.example:new"

static void show_identity(void)
{
	char id[] = "3c5e2f61-7a94-4d0b-9a35-0d1f2b6c8e47", *text;

	OWNED("", nvmf_hostnqn_from_file());
	OWNED("", nvmf_hostid_from_file());
	OWNED(id, nvmf_hostnqn_generate_from_hostid(id));
	text = nvmf_hostnqn_generate();
	NUMBER("generated", text && !strncmp(text, "nqn.2014-08.org.nvmexpress:uuid:", 32));
	NUMBER("generated", text ? strlen(text) : 0);
	free(text);
	text = nvmf_hostid_generate();
	NUMBER("generated", text ? strlen(text) : 0);
	free(text);
}

static void show_defaults(void)
{
	struct nvme_fabrics_config cfg;

	memset(&cfg, 0xa5, sizeof(cfg));
	nvmf_default_config(&cfg);
	TEXT("", cfg.host_traddr);
	TEXT("", cfg.host_iface);
	NUMBER("", cfg.queue_size);
	NUMBER("", cfg.nr_io_queues);
	NUMBER("", cfg.reconnect_delay);
	NUMBER("", cfg.ctrl_loss_tmo);
	NUMBER("", cfg.fast_io_fail_tmo);
	NUMBER("", cfg.keep_alive_tmo);
	NUMBER("", cfg.nr_write_queues);
	NUMBER("", cfg.nr_poll_queues);
	NUMBER("", cfg.tos);
	NUMBER("", cfg.keyring);
	NUMBER("", cfg.tls_key);
	NUMBER("", cfg.duplicate_connect);
	NUMBER("", cfg.disable_sqflow);
	NUMBER("", cfg.hdr_digest);
	NUMBER("", cfg.data_digest);
	NUMBER("", cfg.tls);
	NUMBER("", cfg.concat);
}

/* Each is answered by the stand-in in its turn. */
static nvme_ctrl_t show_connect(nvme_root_t r, const char *of, const char *nqn,
				const char *transport, const char *traddr, const char *host_traddr,
				const char *port, const struct nvme_fabrics_config *cfg)
{
	nvme_ctrl_t c = nvme_create_ctrl(r, nqn, transport, traddr, host_traddr, NULL, port);

	NUMBER(of, c != NULL);
	if (!c)
		return NULL;
	RESULT(of, nvmf_add_ctrl(nvme_first_host(r), c, cfg));
	TEXT(of, nvme_ctrl_get_name(c));
	return c;
}

static void show_connects(nvme_root_t r)
{
	struct nvme_fabrics_config cfg;
	nvme_ctrl_t c;

	nvmf_default_config(&cfg);
	c = show_connect(r, "plain", NQN, "tcp", "10.1.1.5", NULL, NULL, &cfg);
	if (c) {
		RESULT("plain", nvme_disconnect_ctrl(c));
		nvme_free_ctrl(c);
	}
	cfg = (struct nvme_fabrics_config){
		.queue_size = 64,
		.nr_io_queues = 4,
		.reconnect_delay = 3,
		.ctrl_loss_tmo = 20,
		.fast_io_fail_tmo = 5,
		.keep_alive_tmo = 10,
		.nr_write_queues = 2,
		.nr_poll_queues = 1,
		.tos = 7,
		.duplicate_connect = true,
		.disable_sqflow = true,
		.hdr_digest = true,
		.data_digest = true,
	};
	show_connect(r, "refused", NQN, "tcp", "fd00::5", "fd00::6", "4421", &cfg);
	show_connect(r, "rdma", NQN, "rdma", "10.1.1.5", NULL, NULL, &cfg);
	show_connect(r, "no address", NQN, "tcp", NULL, NULL, NULL, &cfg);
	show_connect(r, "no transport", NQN, "carrier-pigeon", "10.1.1.5", NULL, NULL, &cfg);
	c = nvme_create_ctrl(r, NQN, "tcp", "10.1.1.5", NULL, NULL, "4420");
	nvmf_update_config(c, &cfg);
	NUMBER("updated", nvme_ctrl_get_config(c)->nr_io_queues);
	NUMBER("updated", nvme_ctrl_get_config(c)->hdr_digest);
	nvme_free_ctrl(c);
	c = nvme_lookup_ctrl(nvme_lookup_subsystem(nvme_first_host(r), NULL, NQN), "tcp",
			     "10.1.1.8", NULL, NULL, "4420", NULL);
	RESULT("known", nvmf_connect_ctrl(c));
	NUMBER("no nqn", nvme_create_ctrl(r, NULL, "tcp", "10.1.1.5", NULL, NULL, NULL) != NULL);
	NUMBER("no transport",
	       nvme_create_ctrl(r, NQN, NULL, "10.1.1.5", NULL, NULL, NULL) != NULL);
}

static void show_log(const char *of, const struct nvmf_discovery_log *log)
{
	NUMBER(of, log != NULL);
	if (!log)
		return;
	NUMBER(of, log->genctr);
	NUMBER(of, log->numrec);
	for (unsigned int i = 0; i < log->numrec; i++) {
		const struct nvmf_disc_log_entry *e = &log->entries[i];

		TEXT(of, e->traddr);
		TEXT(of, e->trsvcid);
		TEXT(of, e->subnqn);
		NUMBER(of, e->trtype);
		NUMBER(of, e->treq);
		NUMBER(of, e->portid);
	}
}

static void show_discovery(nvme_root_t r)
{
	nvme_ctrl_t c = nvme_scan_ctrl(r, "nvme4"), connected;
	struct nvme_get_discovery_args args = {
		.c = c,
		.args_size = sizeof(args),
		.max_retries = 3,
		.timeout = 1000,
		.lsp = 1,
	};
	struct nvmf_discovery_log *log = NULL;
	struct nvme_fabrics_config cfg;
	bool discover = true;
	__u32 result = 0;

	RESULT("nvme4", nvmf_get_discovery_log(c, &log, 4));
	show_log("log", log);
	if (log) {
		nvmf_default_config(&cfg);
		connected = nvmf_connect_disc_entry(nvme_first_host(r), &log->entries[0], &cfg,
						    &discover);
		NUMBER("entry", connected != NULL);
		NUMBER("entry", discover);
	}
	free(log);
	log = nvmf_get_discovery_wargs(&args);
	show_log("wargs", log);
	free(log);
	NUMBER("nvme4", nvmf_is_registration_supported(c));
	RESULT("nvme4", nvmf_register_ctrl(c, NVMF_DIM_TAS_REGISTER, &result));
	NUMBER("nvme4", result);
}

static void show_init(nvme_root_t r)
{
	nvme_ctrl_t c = nvme_create_ctrl(r, "nqn.2026-01.org.example:a", "tcp", "10.1.1.1", NULL,
					 NULL, "4420");
	int fd = nvme_open("nvme0");

	RESULT("0", nvme_init_ctrl(nvme_first_host(r), c, 0));
	TEXT("0", nvme_ctrl_get_name(c));
	NUMBER("nvme0", fd >= 0);
	RESULT("nvme99", nvme_open("nvme99"));
}

void objects_fabrics(void)
{
	nvme_root_t r = nvme_create_root(NULL, -1);

	show_identity();
	show_defaults();
	RESULT("", nvme_scan_topology(r, NULL, NULL));
	show_connects(r);
	show_discovery(r);
	show_init(r);
}
