/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scanning the controllers of one subsystem. Of other subsystems only the NQN is read. */
#include <ifaddrs.h>

#include "private.h"

static int place(struct nvme_root *r, int dirfd, const char *name, const struct ctrl_place *where)
{
	struct nvme_ctrl *c;
	int err = ctrl_place(r, dirfd, name, where, &c);

	if (err && err != -ENOMEM) {
		log_debug(r, "%s is skipped: %s", name, strerror(-err));
		return 0;
	}
	return err;
}

static int place_ctrls(struct nvme_root *r, int class_fd, const struct ctrl_place *where)
{
	_cleanup_(close) int dirfd = sysfs_open_dir(class_fd, where->subsystem);
	_cleanup_(sysfs_names) struct sysfs_names ctrls = { 0 };
	int err;

	if (dirfd < 0)
		return 0;
	err = sysfs_names(dirfd, nvme_ctrls_filter, &ctrls);
	for (size_t i = 0; !err && i < ctrls.count; i++)
		err = place(r, dirfd, ctrls.name[i], where);
	return err == -ENOMEM ? err : 0;
}

static int scan_class(struct nvme_root *r, const char *subsysnqn)
{
	_cleanup_(close) int class_fd = sysfs_open(SYSFS_CLASS_NVME_SUBSYSTEM);
	_cleanup_(close) int devices_fd = -1;
	char nqn[NVME_NQN_LENGTH + 1];
	_cleanup_(sysfs_names) struct sysfs_names names = { 0 };
	int err;

	if (class_fd < 0)
		return class_fd == -ENOENT ? 0 : class_fd;
	err = sysfs_names(class_fd, nvme_subsys_filter, &names);
	if (!err && names.count)
		devices_fd = sysfs_open_target_dir(class_fd, names.name[0]);
	for (size_t i = 0; !err && i < names.count; i++) {
		const struct ctrl_place where = { names.name[i], nqn };

		if (sysfs_read_buf_below(devices_fd, names.name[i], "subsysnqn", nqn,
					 sizeof(nqn)) <= 0 &&
		    sysfs_read_buf_below(class_fd, names.name[i], "subsysnqn", nqn, sizeof(nqn)) <=
			    0)
			continue;
		if (!strcmp(nqn, subsysnqn))
			err = place_ctrls(r, class_fd, &where);
	}
	return err;
}

/* Add the first controller: its host is the default for connecting. */
static int place_first_ctrl(struct nvme_root *r)
{
	_cleanup_(close) int class_fd = sysfs_open(SYSFS_CLASS_NVME);
	_cleanup_(sysfs_names) struct sysfs_names names = { 0 };
	int err = class_fd < 0 ? class_fd : sysfs_names(class_fd, nvme_ctrls_filter, &names);

	if (!err && names.count && !nvme_scan_ctrl(r, names.name[0]) && errno == ENOMEM)
		err = -ENOMEM;
	return err;
}

int nvme_scan_subsystem(nvme_root_t r, const char *subsysnqn)
{
	int err;

	r->scanning = true;
	r->scan = ++r->next_serial;
	err = place_first_ctrl(r) ?: scan_class(r, subsysnqn);
	r->scanning = false;
	if (r->ifaddrs)
		freeifaddrs(r->ifaddrs);
	r->ifaddrs = NULL;
	return failure_errno(err);
}
