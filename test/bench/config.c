/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a configuration and dumps it: the time that this takes is measured from outside. */
#include <stdio.h>

#include <libnvme.h>

int main(int argc, char **argv)
{
	nvme_root_t r = argc == 2 ? nvme_create_root(stderr, DEFAULT_LOGLEVEL) : NULL;
	int ret;

	if (!r) {
		fprintf(stderr, "usage: bench-config FILE >DUMP\n");
		return 2;
	}
	ret = nvme_read_config(r, argv[1]) || nvme_dump_config(r);
	nvme_free_tree(r);
	return ret;
}
