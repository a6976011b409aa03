/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Scanning the whole topology in one pass over the controllers. The kernel only has links from
 * subsystems to controllers, but a subsystem has the number of its first controller. The links of
 * all subsystems are listed only if that is not sufficient.
 */
#include <ifaddrs.h>

#include "private.h"

struct subsystem_dir {
	const char *name;
	char *subsysnqn;
	bool placed;
};

/* A class directory and the directory of most of its devices. */
struct class_dir {
	int fd;
	int devices_fd;
};

struct scan {
	struct nvme_root *r;
	struct class_dir nvme, subsystem;
	struct sysfs_names ctrls;
	struct sysfs_names subsystems;
	struct subsystem_dir *dirs; /* one per subsystem */
	struct idmap *by_number; /* number of a subsystem -> struct subsystem_dir */
	/* Number of a controller -> struct subsystem_dir; NULL until links are listed. */
	struct idmap *by_ctrl;
	struct subsystem_dir *listing;
};

static uint64_t number_of(const char *name)
{
	return strtoull(name + strcspn(name, "0123456789"), NULL, 10);
}

static int open_class(enum sysfs_path path, int (*filter)(const struct dirent *),
		      struct class_dir *class, struct sysfs_names *names)
{
	int err;

	class->fd = sysfs_open(path);
	if (class->fd < 0)
		return class->fd;
	err = sysfs_names(class->fd, filter, names);
	if (err || !names->count)
		return err;
	class->devices_fd = sysfs_open_target_dir(class->fd, names->name[0]);
	/* The first device may be gone: fall back to the class directory, which links to all. */
	if (class->devices_fd < 0)
		class->devices_fd = sysfs_open_dir(class->fd, ".");
	return class->devices_fd < 0 ? class->devices_fd : 0;
}

static void close_class(struct class_dir *class)
{
	if (class->fd >= 0)
		close(class->fd);
	if (class->devices_fd >= 0)
		close(class->devices_fd);
}

static int open_subsystems(struct scan *scan)
{
	int err = open_class(SYSFS_CLASS_NVME_SUBSYSTEM, nvme_subsys_filter, &scan->subsystem,
			     &scan->subsystems);

	if (err)
		return err == -ENOENT ? 0 : err;
	scan->dirs = calloc(scan->subsystems.count + 1, sizeof(*scan->dirs));
	scan->by_number = idmap_new(scan->subsystems.count);
	if (!scan->dirs || !scan->by_number)
		return -ENOMEM;
	for (size_t i = 0; i < scan->subsystems.count; i++) {
		const char *name = scan->subsystems.name[i];

		scan->dirs[i].name = name;
		if (idmap_put(scan->by_number, number_of(name), &scan->dirs[i]))
			return -ENOMEM;
	}
	return 0;
}

static int take_link(int dirfd, const char *name, void *arg)
{
	struct scan *scan = arg;

	return idmap_put(scan->by_ctrl, number_of(name), scan->listing);
}

static int list_links(struct scan *scan)
{
	scan->by_ctrl = idmap_new(scan->ctrls.count);
	if (!scan->by_ctrl)
		return -ENOMEM;
	for (size_t i = 0; i < scan->subsystems.count; i++) {
		_cleanup_(close) int dirfd = -1;

		scan->listing = &scan->dirs[i];
		dirfd = sysfs_open_dir(scan->subsystem.fd, scan->listing->name);
		if (dirfd >= 0 && sysfs_walk(dirfd, nvme_ctrls_filter, take_link, scan) == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

static bool links_to(const struct scan *scan, const struct subsystem_dir *dir, const char *ctrl)
{
	char path[2 * NAME_MAX + 2];

	snprintf(path, sizeof(path), "%s/%s", dir->name, ctrl);
	return sysfs_exists(scan->subsystem.devices_fd, path) ||
	       sysfs_exists(scan->subsystem.fd, path);
}

/* True if @dir links to @ctrl: test it by reading the NQN, which is needed, over the link. */
static bool read_through_link(const struct scan *scan, struct subsystem_dir *dir, const char *ctrl)
{
	char path[2 * NAME_MAX + 2];

	if (dir->subsysnqn)
		return false;
	snprintf(path, sizeof(path), "%s/%s", dir->name, ctrl);
	return !sysfs_read_below(scan->subsystem.devices_fd, path, "subsysnqn", &dir->subsysnqn);
}

static int find_dir(struct scan *scan, const char *ctrl, struct subsystem_dir **ret)
{
	uint64_t number = number_of(ctrl);
	struct subsystem_dir *dir;

	if (!scan->by_ctrl) {
		dir = idmap_get(scan->by_number, number);
		if (dir && (read_through_link(scan, dir, ctrl) || links_to(scan, dir, ctrl))) {
			*ret = dir;
			return 0;
		}
		if (list_links(scan))
			return -ENOMEM;
	}
	*ret = idmap_get(scan->by_ctrl, number);
	/* A controller that is being created has no subsystem yet. */
	return *ret ? 0 : -ENXIO;
}

static int read_nqn(const struct scan *scan, struct subsystem_dir *dir)
{
	int err;

	if (dir->subsysnqn)
		return 0;
	err = sysfs_read_below(scan->subsystem.devices_fd, dir->name, "subsysnqn", &dir->subsysnqn);
	if (err && err != -ENOMEM)
		err = sysfs_read_below(scan->subsystem.fd, dir->name, "subsysnqn", &dir->subsysnqn);
	return err == -ENOMEM ? err : 0;
}

static int read_ctrl(struct scan *scan, const char *name)
{
	struct ctrl_place place;
	struct subsystem_dir *dir;
	struct nvme_ctrl *c;
	int err = find_dir(scan, name, &dir) ?: read_nqn(scan, dir);

	if (err)
		return err;
	place = (struct ctrl_place){ dir->name, dir->subsysnqn };
	err = ctrl_place(scan->r, scan->nvme.devices_fd, name, &place, &c);
	if (err == -ENOENT)
		err = ctrl_place(scan->r, scan->nvme.fd, name, &place, &c);
	if (!err)
		dir->placed = true;
	return err;
}

static int read_ctrls(struct scan *scan)
{
	for (size_t i = 0; i < scan->ctrls.count; i++) {
		const char *name = scan->ctrls.name[i];
		int err = read_ctrl(scan, name);

		if (err == -ENOMEM)
			return err;
		if (err)
			log_debug(scan->r, "%s is skipped: %s", name, strerror(-err));
	}
	return 0;
}

/* Add subsystems without readable controllers: they still have namespaces. */
static int place_others(struct scan *scan)
{
	for (size_t i = 0; i < scan->subsystems.count; i++) {
		struct subsystem_dir *dir = &scan->dirs[i];
		struct nvme_subsystem *s = NULL;
		struct nvme_host *h;

		if (dir->placed)
			continue;
		if (read_nqn(scan, dir))
			return -ENOMEM;
		if (!dir->subsysnqn)
			continue;
		for (h = nvme_first_host(scan->r); h && !s; h = nvme_next_host(scan->r, h))
			s = subsystem_find(h, dir->name, dir->subsysnqn);
		h = s ? s->h : host_of_local(scan->r);
		if (!h || !subsystem_lookup(h, dir->name, dir->subsysnqn))
			return -ENOMEM;
	}
	return 0;
}

static void scan_release(struct scan *scan)
{
	for (size_t i = 0; scan->dirs && i < scan->subsystems.count; i++)
		free(scan->dirs[i].subsysnqn);
	free(scan->dirs);
	sysfs_names_cleanup(&scan->subsystems);
	sysfs_names_cleanup(&scan->ctrls);
	idmap_free(scan->by_number);
	idmap_free(scan->by_ctrl);
	if (scan->nvme.devices_fd >= 0) {
		if (scan->r->devices_fd >= 0)
			close(scan->r->devices_fd);
		scan->r->devices_fd = steal_fd(&scan->nvme.devices_fd);
	}
	close_class(&scan->nvme);
	close_class(&scan->subsystem);
	scan->r->scanning = false;
	if (scan->r->ifaddrs)
		freeifaddrs(scan->r->ifaddrs);
	scan->r->ifaddrs = NULL;
}

static int scan_topology(struct nvme_root *r)
{
	struct scan scan = { .r = r, .nvme = { -1, -1 }, .subsystem = { -1, -1 } };
	int err;

	r->scanning = true;
	r->scan = ++r->next_serial;
	err = open_class(SYSFS_CLASS_NVME, nvme_ctrls_filter, &scan.nvme, &scan.ctrls)
	       ?: open_subsystems(&scan)
	       ?: read_ctrls(&scan)
	       ?: place_others(&scan);
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
	if (err)
		return failure_errno(err);
	if (f)
		filter_tree(r, f, f_args);
	return 0;
}
