/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program as a user of libnvme 1.x writes it, built with nothing but its headers and -lnvme.
 *
 *	lab-connect TRANSPORT TRADDR TRSVCID NQN
 *
 * connects, shows the controller with its namespaces, and stays connected.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libnvme.h>

static int show(nvme_ctrl_t c)
{
	nvme_subsystem_t s = nvme_ctrl_get_subsystem(c);
	struct nvme_id_ctrl id;

	if (nvme_ctrl_identify(c, &id)) {
		fprintf(stderr, "identify: %s\n", strerror(errno));
		return 1;
	}
	printf("name %s\n", nvme_ctrl_get_name(c));
	printf("transport %s\n", nvme_ctrl_get_transport(c));
	printf("traddr %s\n", nvme_ctrl_get_traddr(c));
	printf("trsvcid %s\n", nvme_ctrl_get_trsvcid(c));
	printf("state %s\n", nvme_ctrl_get_state(c));
	printf("nqn %s\n", nvme_subsystem_get_nqn(s));
	printf("identified %.223s\n", id.subnqn);
	return 0;
}

/* Finds the new controller once more, in a tree of its own. */
static int look(const char *name)
{
	nvme_root_t r = nvme_scan(NULL);
	nvme_subsystem_t s;
	nvme_host_t h;
	nvme_ctrl_t c;
	int found = 0;

	if (!r) {
		fprintf(stderr, "scan: %s\n", strerror(errno));
		return 1;
	}
	nvme_for_each_host(r, h)
		nvme_for_each_subsystem(h, s)
			nvme_subsystem_for_each_ctrl(s, c)
				found += !strcmp(nvme_ctrl_get_name(c), name);
	nvme_free_tree(r);
	printf("found %d\n", found);
	return found != 1;
}

int main(int argc, char **argv)
{
	struct nvme_fabrics_config cfg;
	nvme_root_t r;
	nvme_host_t h;
	nvme_ctrl_t c;
	int ret;

	if (argc != 5) {
		fprintf(stderr, "usage: lab-connect TRANSPORT TRADDR TRSVCID NQN\n");
		return 2;
	}
	r = nvme_scan(NULL);
	h = r ? nvme_default_host(r) : NULL;
	c = h ? nvme_create_ctrl(r, argv[4], argv[1], argv[2], NULL, NULL, argv[3]) : NULL;
	if (!c) {
		fprintf(stderr, "preparing: %s\n", nvme_errno_to_string(errno));
		nvme_free_tree(r);
		return 1;
	}
	nvmf_default_config(&cfg);
	cfg.nr_io_queues = 1;
	if (nvmf_add_ctrl(h, c, &cfg)) {
		fprintf(stderr, "connecting: %s\n", nvme_errno_to_string(errno));
		nvme_free_ctrl(c);
		nvme_free_tree(r);
		return 1;
	}
	ret = show(c) || look(nvme_ctrl_get_name(c));
	nvme_free_tree(r);
	return ret;
}
