/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Namespaces and the paths to them. With multipath, the subsystem has the heads (nvme0n1) and each
 * controller its paths (nvme0c1n1); without multipath, each controller has its own namespaces
 * (nvme0n1). Directories are listed on demand, and no attributes are read.
 */
#include "private.h"

/* Find a namespace by name, from after the last one, *@hint: lookups are in list order. */
static struct nvme_ns *find_ns(struct ns_list *list, struct nvme_ns **hint, const char *name)
{
	struct nvme_ns *start = *hint ? TAILQ_NEXT(*hint, entry) : NULL;
	struct nvme_ns *n;

	for (n = start; n; n = TAILQ_NEXT(n, entry))
		if (!strcmp(n->name, name))
			return *hint = n;
	for (n = TAILQ_FIRST(list); n && n != start; n = TAILQ_NEXT(n, entry))
		if (!strcmp(n->name, name))
			return *hint = n;
	return NULL;
}

static int add_heads(struct nvme_subsystem *s)
{
	_cleanup_(sysfs_names) struct sysfs_names names = { 0 };
	bool had_some = !TAILQ_EMPTY(&s->namespaces);
	_cleanup_(close) int dirfd = sysfs_open_dir(AT_FDCWD, s->sysfs_dir);
	int err = dirfd < 0 ? dirfd : sysfs_names(dirfd, nvme_namespace_filter, &names);

	for (size_t i = 0; !err && i < names.count; i++) {
		if (had_some && find_ns(&s->namespaces, &s->last_found, names.name[i]))
			continue;
		err = ns_new(s, NULL, names.name[i]) ? 0 : -ENOMEM;
	}
	return err;
}

/* Return the head of a path: that of nvme0c1n2 is nvme0n2. */
static struct nvme_ns *head_of(struct nvme_ctrl *c, const char *path)
{
	const char *begin = strchr(path, 'c'), *end = begin ? strchr(begin, 'n') : NULL;
	char name[NAME_MAX + 1];

	if (!end || TAILQ_EMPTY(&c->s->namespaces))
		return NULL;
	if (snprintf(name, sizeof(name), "%.*s%s", (int)(begin - path), path, end) >=
	    (int)sizeof(name))
		return NULL;
	return find_ns(&c->s->namespaces, &c->s->last_found, name);
}

static int add_path(struct nvme_ctrl *c, const char *name)
{
	struct nvme_path *p = path_new(c, name);

	if (!p)
		return -ENOMEM;
	p->n = head_of(c, name);
	if (p->n)
		TAILQ_INSERT_TAIL(&p->n->paths, p, ns_entry);
	return 0;
}

static bool has_path(struct nvme_ctrl *c, struct nvme_path **hint, const char *name)
{
	struct nvme_path *start = *hint ? TAILQ_NEXT(*hint, entry) : NULL;
	struct nvme_path *p;

	for (p = start; p; p = TAILQ_NEXT(p, entry))
		if (!strcmp(p->name, name))
			goto found;
	for (p = TAILQ_FIRST(&c->paths); p && p != start; p = TAILQ_NEXT(p, entry))
		if (!strcmp(p->name, name))
			goto found;
	return false;
found:
	*hint = p;
	return true;
}

static int namespace_or_path(const struct dirent *d)
{
	return nvme_namespace_filter(d) || nvme_paths_filter(d);
}

static int add_namespaces(struct nvme_ctrl *c)
{
	_cleanup_(sysfs_names) struct sysfs_names names = { 0 };
	bool had_ns = !TAILQ_EMPTY(&c->namespaces), had_paths = !TAILQ_EMPTY(&c->paths);
	_cleanup_(close) int dirfd = sysfs_open_dir(AT_FDCWD, c->sysfs_dir);
	int err = dirfd < 0 ? dirfd : sysfs_names(dirfd, namespace_or_path, &names);
	struct nvme_path *last_path = NULL;
	struct nvme_ns *last_ns = NULL;

	for (size_t i = 0; !err && i < names.count; i++) {
		const char *name = names.name[i];

		if (strchr(name, 'c')) {
			if (!had_paths || !has_path(c, &last_path, name))
				err = add_path(c, name);
		} else if (!had_ns || !find_ns(&c->namespaces, &last_ns, name)) {
			err = ns_new(c->s, c, name) ? 0 : -ENOMEM;
		}
	}
	return err;
}

/* Return true unless out of memory, when the list is read again next time. */
static bool is_listed(struct nvme_root *r, const char *name, int err)
{
	if (!err)
		return true;
	log_debug(r, "%s: namespaces are skipped: %s", name, strerror(-err));
	errno = -memory_noted_read(err);
	return err != -ENOMEM;
}

void subsystem_list_heads(struct nvme_subsystem *s)
{
	if (s->heads_listed || !s->sysfs_dir || s->h->r->skip_namespaces)
		return;
	s->heads_listed = is_listed(s->h->r, s->name, add_heads(s));
}

void ctrl_list(struct nvme_ctrl *c)
{
	if (c->listed || !c->s || !c->sysfs_dir || c->r->skip_namespaces)
		return;
	subsystem_list_heads(c->s);
	/* Paths are linked to their heads when they are created. */
	if (c->s->sysfs_dir && !c->s->heads_listed)
		return;
	c->listed = is_listed(c->r, c->name, add_namespaces(c));
}

void subsystem_list_paths(struct nvme_subsystem *s)
{
	bool all = true;
	struct nvme_ctrl *c;

	if (s->paths_listed)
		return;
	TAILQ_FOREACH(c, &s->ctrls, entry) {
		ctrl_list(c);
		all &= c->listed || !c->sysfs_dir;
	}
	s->paths_listed = all;
}

void ctrl_relist(struct nvme_ctrl *c)
{
	c->listed = false;
	if (c->s)
		c->s->heads_listed = c->s->paths_listed = false;
}
