/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program as a user of libnvme 1.x writes it, built through pkg-config.
 *
 *	lab-discover TRANSPORT TRADDR TRSVCID
 *
 * reads the discovery log, connects every subsystem in it, and disconnects what it connected.
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libnvme.h>

static nvme_ctrl_t connect_discovery(nvme_root_t r, nvme_host_t h, char **argv)
{
	struct nvme_fabrics_config cfg;
	nvme_ctrl_t c;

	c = nvme_create_ctrl(r, NVME_DISC_SUBSYS_NAME, argv[1], argv[2], NULL, NULL, argv[3]);
	if (!c)
		return NULL;
	nvme_ctrl_set_discovery_ctrl(c, true);
	nvmf_default_config(&cfg);
	if (nvmf_add_ctrl(h, c, &cfg)) {
		fprintf(stderr, "discovery controller: %s\n", nvme_errno_to_string(errno));
		nvme_free_ctrl(c);
		return NULL;
	}
	return c;
}

static int use(nvme_ctrl_t c)
{
	printf("connected %s %s %s %s\n", nvme_ctrl_get_transport(c), nvme_ctrl_get_traddr(c),
	       nvme_ctrl_get_trsvcid(c), nvme_ctrl_get_subsysnqn(c));
	if (nvme_disconnect_ctrl(c)) {
		fprintf(stderr, "disconnecting: %s\n", strerror(errno));
		return 1;
	}
	nvme_free_ctrl(c);
	return 0;
}

static int connect_entries(nvme_host_t h, struct nvmf_discovery_log *log)
{
	struct nvme_fabrics_config cfg;
	int failed = 0;

	nvmf_default_config(&cfg);
	for (__u64 i = 0; i < le64toh(log->numrec); i++) {
		struct nvmf_disc_log_entry *e = &log->entries[i];
		bool again = false;
		nvme_ctrl_t c;

		printf("entry %s %s %s %s %s\n", nvmf_trtype_str(e->trtype),
		       nvmf_adrfam_str(e->adrfam), e->traddr, e->trsvcid, e->subnqn);
		if (e->subtype != NVME_NQN_NVME)
			continue;
		c = nvmf_connect_disc_entry(h, e, &cfg, &again);
		if (!c) {
			fprintf(stderr, "%s: %s\n", e->subnqn, nvme_errno_to_string(errno));
			failed = 1;
			continue;
		}
		failed |= use(c);
	}
	return failed;
}

int main(int argc, char **argv)
{
	struct nvmf_discovery_log *log = NULL;
	nvme_ctrl_t c = NULL;
	nvme_root_t r;
	nvme_host_t h;
	int ret = 1;

	if (argc != 4) {
		fprintf(stderr, "usage: lab-discover TRANSPORT TRADDR TRSVCID\n");
		return 2;
	}
	r = nvme_create_root(stderr, DEFAULT_LOGLEVEL);
	h = r ? nvme_default_host(r) : NULL;
	if (h)
		c = connect_discovery(r, h, argv);
	if (!c)
		goto out;
	if (nvmf_get_discovery_log(c, &log, 4)) {
		fprintf(stderr, "discovery log: %s\n", nvme_errno_to_string(errno));
		goto out;
	}
	ret = connect_entries(h, log);
	free(log);
	if (nvme_disconnect_ctrl(c))
		ret = 1;
out:
	nvme_free_tree(r);
	return ret;
}
