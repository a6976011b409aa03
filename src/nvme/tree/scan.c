/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The whole topology: one pass over the subsystems, because only they link to their controllers,
 * then one over the controllers. Each directory is listed once, and of each controller only what
 * places it is read.
 */
#include <errno.h>
#include <ifaddrs.h>
#include <stdlib.h>
#include <string.h>

#include "../cleanup.h"
#include "../filters.h"
#include "../log-private.h"
#include "../str.h"
#include "../sysfs.h"
#include "private.h"

struct subsystem_dir {
	const char *name;
	char *subsysnqn;
	struct sysfs_names heads;
	bool placed;
};

struct scan {
	struct nvme_root *r;
	uint64_t serial;
	struct sysfs_names ctrls;
	struct sysfs_names subsystems;
	struct subsystem_dir *dirs; /* one per subsystem */
	struct idmap *dir_of; /* number of a controller -> struct subsystem_dir */
};

static uint64_t ctrl_number(const char *name)
{
	return strtoull(name + strlen("nvme"), NULL, 10);
}

static int list(const char *path, int (*filter)(const struct dirent *), struct sysfs_names *ret)
{
	_cleanup_(close) int dirfd = sysfs_open_dir(AT_FDCWD, path);

	return dirfd < 0 ? dirfd : sysfs_names(dirfd, filter, ret);
}

static int ctrl_or_head(const struct dirent *d)
{
	return nvme_ctrls_filter(d) || nvme_namespace_filter(d);
}

/* Takes the links to controllers out of @names, leaves the heads. */
static int split(struct scan *scan, struct subsystem_dir *dir)
{
	struct sysfs_names *names = &dir->heads;
	size_t heads = 0;

	for (size_t i = 0; i < names->count; i++) {
		const char *name = names->name[i];

		if (strchr(name + strlen("nvme"), 'n'))
			names->name[heads++] = names->name[i];
		else if (idmap_put(scan->dir_of, ctrl_number(name), dir))
			return -ENOMEM;
	}
	names->count = heads;
	return 0;
}

static int read_subsystem(struct scan *scan, int class_fd, struct subsystem_dir *dir)
{
	_cleanup_(close) int dirfd = sysfs_open_dir(class_fd, dir->name);
	int err;

	/* It vanished. */
	if (dirfd < 0)
		return 0;
	err = sysfs_read_at(dirfd, "subsysnqn", &dir->subsysnqn);
	if (err)
		return err == -ENOMEM ? err : 0;
	err = sysfs_names(dirfd, ctrl_or_head, &dir->heads);
	if (err)
		return err == -ENOMEM ? err : 0;
	return split(scan, dir);
}

static int read_subsystems(struct scan *scan)
{
	_cleanup_(close) int class_fd = sysfs_open_dir(AT_FDCWD, sysfs_class_nvme_subsystem());
	int err;

	if (class_fd < 0)
		return class_fd == -ENOENT ? 0 : class_fd;
	err = sysfs_names(class_fd, nvme_subsys_filter, &scan->subsystems);
	if (err)
		return err;
	scan->dirs = calloc(scan->subsystems.count + 1, sizeof(*scan->dirs));
	if (!scan->dirs)
		return -ENOMEM;
	for (size_t i = 0; !err && i < scan->subsystems.count; i++) {
		scan->dirs[i].name = scan->subsystems.name[i];
		err = read_subsystem(scan, class_fd, &scan->dirs[i]);
	}
	return err;
}

static int add_heads(struct scan *scan, struct nvme_subsystem *s, struct subsystem_dir *dir)
{
	dir->placed = true;
	if (scan->r->skip_namespaces || s->scanned == scan->serial)
		return 0;
	s->scanned = scan->serial;
	return subsystem_add_heads(s, &dir->heads);
}

static int read_ctrl(struct scan *scan, int class_fd, const char *name)
{
	struct subsystem_dir *dir = idmap_get(scan->dir_of, ctrl_number(name));
	_cleanup_(close) int dirfd = -1;
	struct ctrl_place place;
	struct nvme_ctrl *c;
	int err;

	/* A controller that is being made has no subsystem yet. */
	if (!dir)
		return -ENXIO;
	dirfd = sysfs_open_dir(class_fd, name);
	if (dirfd < 0)
		return dirfd;
	place = (struct ctrl_place){ dir->name, dir->subsysnqn };
	err = ctrl_place(scan->r, dirfd, name, &place, &c);
	if (!err)
		err = add_heads(scan, c->s, dir);
	if (!err && !scan->r->skip_namespaces)
		err = ctrl_add_namespaces(c, dirfd);
	return err;
}

static int read_ctrls(struct scan *scan)
{
	_cleanup_(close) int class_fd = sysfs_open_dir(AT_FDCWD, sysfs_class_nvme());
	int err;

	if (class_fd < 0)
		return class_fd;
	for (size_t i = 0; i < scan->ctrls.count; i++) {
		const char *name = scan->ctrls.name[i];

		err = read_ctrl(scan, class_fd, name);
		if (err == -ENOMEM)
			return err;
		if (err)
			log_debug(scan->r, "%s is left out: %s", name, strerror(-err));
	}
	return 0;
}

/* Subsystems whose controllers are gone or cannot be read still have namespaces. */
static int place_others(struct scan *scan)
{
	for (size_t i = 0; i < scan->subsystems.count; i++) {
		struct subsystem_dir *dir = &scan->dirs[i];
		struct nvme_subsystem *s = NULL;
		struct nvme_host *h;
		int err;

		if (dir->placed || !dir->subsysnqn)
			continue;
		for (h = nvme_first_host(scan->r); h && !s; h = nvme_next_host(scan->r, h))
			s = subsystem_find(h, dir->name, dir->subsysnqn);
		if (!s) {
			h = nvme_default_host(scan->r);
			if (!h)
				return -ENOMEM;
		} else {
			h = s->h;
		}
		s = subsystem_lookup(h, dir->name, dir->subsysnqn);
		if (!s)
			return -ENOMEM;
		err = add_heads(scan, s, dir);
		if (err)
			return err;
	}
	return 0;
}

static void scan_release(struct scan *scan)
{
	for (size_t i = 0; scan->dirs && i < scan->subsystems.count; i++) {
		free(scan->dirs[i].subsysnqn);
		sysfs_names_free(&scan->dirs[i].heads);
	}
	free(scan->dirs);
	sysfs_names_free(&scan->subsystems);
	sysfs_names_free(&scan->ctrls);
	idmap_free(scan->dir_of);
	scan->r->scanning = false;
	if (scan->r->ifaddrs)
		freeifaddrs(scan->r->ifaddrs);
	scan->r->ifaddrs = NULL;
}

static int scan_topology(struct nvme_root *r)
{
	struct scan scan = { .r = r, .serial = ++r->next_serial };
	int err;

	r->scanning = true;
	err = list(sysfs_class_nvme(), nvme_ctrls_filter, &scan.ctrls);
	if (!err) {
		scan.dir_of = idmap_new(scan.ctrls.count);
		err = scan.dir_of ? read_subsystems(&scan) : -ENOMEM;
	}
	if (!err)
		err = read_ctrls(&scan);
	if (!err)
		err = place_others(&scan);
	scan_release(&scan);
	return err;
}

static void filter_subsystem(struct nvme_subsystem *s, nvme_scan_filter_t f, void *f_args)
{
	struct nvme_ctrl *c, *next_c;
	struct nvme_ns *n, *next_n;

	nvme_subsystem_for_each_ctrl_safe(s, c, next_c)
		if (!f(NULL, c, NULL, f_args))
			nvme_free_ctrl(c);
	nvme_subsystem_for_each_ns_safe(s, n, next_n)
		if (!f(NULL, NULL, n, f_args))
			nvme_free_ns(n);
	if (!f(s, NULL, NULL, f_args))
		nvme_free_subsystem(s);
}

static void filter_tree(struct nvme_root *r, nvme_scan_filter_t f, void *f_args)
{
	struct nvme_subsystem *s, *next;
	struct nvme_host *h;

	nvme_for_each_host(r, h)
		nvme_for_each_subsystem_safe(h, s, next)
			filter_subsystem(s, f, f_args);
}

int nvme_scan_topology(nvme_root_t r, nvme_scan_filter_t f, void *f_args)
{
	int err;

	if (!r)
		return 0;
	err = scan_topology(r);
	if (err) {
		errno = -err;
		return -1;
	}
	if (f)
		filter_tree(r, f, f_args);
	return 0;
}
