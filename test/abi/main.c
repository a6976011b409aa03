/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program that uses the library from outside, as C and as C++. The assertions beside it run while
 * compiling; what is left to do is to walk a tree with every loop there is.
 */
#include <stdio.h>

#include <libnvme.h>

static int walk_namespaces(nvme_subsystem_t s)
{
	nvme_ns_t n, next_n;
	nvme_path_t p, next_p;
	int found = 0;

	nvme_subsystem_for_each_ns(s, n) {
		nvme_namespace_for_each_path(n, p)
			found++;
		nvme_namespace_for_each_path_safe(n, p, next_p)
			found++;
	}
	nvme_subsystem_for_each_ns_safe(s, n, next_n)
		found++;
	return found;
}

static int walk_controllers(nvme_subsystem_t s)
{
	nvme_ctrl_t c, next_c;
	nvme_ns_t n, next_n;
	nvme_path_t p, next_p;
	int found = 0;

	nvme_subsystem_for_each_ctrl(s, c) {
		nvme_ctrl_for_each_ns(c, n)
			found++;
		nvme_ctrl_for_each_ns_safe(c, n, next_n)
			found++;
		nvme_ctrl_for_each_path(c, p)
			found++;
		nvme_ctrl_for_each_path_safe(c, p, next_p)
			found++;
	}
	nvme_subsystem_for_each_ctrl_safe(s, c, next_c)
		found++;
	return found;
}

int main(void)
{
	nvme_root_t r = nvme_create_root(stderr, DEFAULT_LOGLEVEL);
	nvme_host_t h, next_h;
	nvme_subsystem_t s, next_s;
	int hosts = 0, subsystems = 0, below = 0;

	if (!r || !nvme_lookup_host(r, "nqn.2014-08.org.nvmexpress:uuid:here", NULL))
		return 1;
	nvme_for_each_host(r, h) {
		hosts++;
		if (!nvme_lookup_subsystem(h, NULL, "nqn.2014-08.org.nvmexpress:one"))
			return 1;
		nvme_for_each_subsystem(h, s) {
			subsystems++;
			below += walk_controllers(s) + walk_namespaces(s);
		}
		nvme_for_each_subsystem_safe(h, s, next_s)
			subsystems++;
	}
	nvme_for_each_host_safe(r, h, next_h)
		hosts++;
	nvme_free_tree(r);
	return hosts == 2 && subsystems == 2 && below == 0 ? 0 : 1;
}
