/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "private.h"

struct nvme_path *path_new(struct nvme_ctrl *c, const char *name)
{
	struct nvme_path *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->name = strdup(name);
	if (!p->name) {
		free(p);
		return NULL;
	}
	p->c = c;
	TAILQ_INSERT_TAIL(&c->paths, p, entry);
	return p;
}

void path_free(struct nvme_path *p)
{
	TAILQ_REMOVE(&p->c->paths, p, entry);
	if (p->n)
		TAILQ_REMOVE(&p->n->paths, p, ns_entry);
	free(p->name);
	free(p->sysfs_dir);
	free(p->ana_state);
	free(p->numa_nodes);
	free(p);
}

nvme_path_t nvme_namespace_first_path(nvme_ns_t ns)
{
	if (!ns)
		return NULL;
	if (ns->s && !ns->c)
		subsystem_list_paths(ns->s);
	return TAILQ_FIRST(&ns->paths);
}

TREE_NEXT(nvme_path_t, nvme_namespace_next_path, nvme_ns_t, ns_entry);
GETTER(nvme_ctrl_t, nvme_path_get_ctrl, nvme_path_t, c);
GETTER(nvme_ns_t, nvme_path_get_ns, nvme_path_t, n);
GETTER(const char *, nvme_path_get_name, nvme_path_t, name);

const char *nvme_path_get_sysfs_dir(nvme_path_t p)
{
	if (!p->sysfs_dir && p->c->sysfs_dir)
		memory_print(&p->sysfs_dir, "%s/%s", p->c->sysfs_dir, p->name);
	return p->sysfs_dir;
}

static const char *read_uncached(nvme_path_t p, const char *attr, char **field,
				 const char *fallback)
{
	const char *dir = nvme_path_get_sysfs_dir(p);

	free(*field);
	*field = NULL;
	if (dir)
		sysfs_read(dir, attr, field);
	return *field ? *field : fallback;
}

GETTER_OF(const char *, nvme_path_get_ana_state, nvme_path_t,
	  read_uncached(object, "ana_state", &object->ana_state, "optimized"));
GETTER_OF(const char *, nvme_path_get_numa_nodes, nvme_path_t,
	  read_uncached(object, "numa_nodes", &object->numa_nodes, "-1"));

int nvme_path_get_queue_depth(nvme_path_t p)
{
	_cleanup_(free) char *text = nvme_get_path_attr(p, "queue_depth");
	int64_t depth;

	return str_parse_int(text, 0, INT_MAX, &depth) ? 0 : (int)depth;
}
