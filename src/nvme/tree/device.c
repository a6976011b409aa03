/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations on the device of a controller: opening, identifying, disconnecting. */
#include "../linux.h"
#include "private.h"

int nvme_ctrl_get_fd(nvme_ctrl_t c)
{
	if (c->fd >= 0)
		return c->fd;
	if (!c->name)
		return failure_errno(-ENODEV);
	c->fd = nvme_open(c->name);
	if (c->fd < 0)
		log_err(c->r, "/dev/%s cannot be opened: %s", c->name, strerror(errno));
	return c->fd;
}

void nvme_ctrl_release_fd(nvme_ctrl_t c)
{
	if (c->fd < 0)
		return;
	close(c->fd);
	c->fd = -1;
}

int nvme_ctrl_identify(nvme_ctrl_t c, struct nvme_id_ctrl *id)
{
	int fd = nvme_ctrl_get_fd(c);

	return fd < 0 ? -1 : nvme_identify_ctrl(fd, id);
}

int nvme_disconnect_ctrl(nvme_ctrl_t c)
{
	int err;

	if (!c->sysfs_dir)
		return failure_errno(-ENODEV);
	err = sysfs_write(c->sysfs_dir, "delete_controller", "1");
	if (err) {
		log_err(c->r, "%s: disconnecting failed: %s", c->name, strerror(-err));
		return failure_errno(err);
	}
	log_info(c->r, "%s: %s disconnected", c->name, nvme_ctrl_get_subsysnqn(c));
	ctrl_forget(c);
	return 0;
}
