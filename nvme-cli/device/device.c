// SPDX-License-Identifier: GPL-2.0-or-later
#include "device.h"

/* True for "nvme0n1p2". Commands go to the namespace or the controller, not to a partition. */
static bool is_partition(const char *name)
{
	unsigned int instance, nsid, partition;
	int end = 0;

	return sscanf(name, "nvme%un%up%u%n", &instance, &nsid, &partition, &end) == 3 &&
	       !name[end];
}

static const char *name_of_path(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Write a hint for @err, from opening @path or from a command to it, to @text; "" without one. */
static void format_hint(const char *path, int err, char *text, size_t size)
{
	const char *name = name_of_path(path);
	bool is_nvme = !strncmp(name, "nvme", 4) || !strncmp(name, "ng", 2);

	*text = '\0';
	if (err == ENOENT && name == path && is_nvme)
		snprintf(text, size, " (is it /dev/%s?)", path);
	else if (err == ENOENT && !strncmp(path, "mctp:", 5))
		snprintf(text, size, " (devices behind MCTP are not supported)");
	else if (err == ENOENT)
		snprintf(text, size,
			 " (" NVME_COMMAND " list and " NVME_COMMAND
			 " list-subsys print the devices)");
	else if ((err == EACCES || err == EPERM) && is_partition(name))
		snprintf(text, size,
			 " (a partition does not accept commands; use its namespace: %.*s)",
			 (int)(strrchr(path, 'p') - path), path);
	else if ((err == EACCES || err == EPERM) && !geteuid())
		snprintf(text, size, " (the kernel refuses this even to root here)");
	else if (err == EACCES || err == EPERM)
		snprintf(text, size, " (only root may do that)");
	else if (err == ENOTBLK)
		snprintf(text, size, " (name the controller, not its namespace)");
	else if (err == ENOTTY || (err == EINVAL && !is_nvme))
		snprintf(text, size, " (is %s an NVMe device?)", path);
}

int device_open(struct command *cmd, struct device *dev)
{
	char hint[160];
	struct stat st;
	int err;

	if (!cmd->argc) {
		command_fail(cmd, 0, "%s: %s (which device? e.g. " NVME_COMMAND " %s /dev/nvme0)",
			     cmd->name, strerror(EINVAL), cmd->name);
		return -EINVAL;
	}
	dev->path = cmd->argv[0];
	dev->name = name_of_path(dev->path);
	dev->fd = open(dev->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (dev->fd < 0) {
		err = errno;
		format_hint(dev->path, err, hint, sizeof(hint));
		command_fail(cmd, 0, "%s: %s%s", dev->path, strerror(err), hint);
		return -err;
	}
	cmd->device = dev;
	if (fstat(dev->fd, &st)) {
		err = errno;
		command_fail(cmd, err, "%s", dev->path);
		return -err;
	}
	dev->is_block = S_ISBLK(st.st_mode);
	if (!dev->is_block && !S_ISCHR(st.st_mode)) {
		command_fail(cmd, 0, "%s is not a block or character device", dev->path);
		return -ENODEV;
	}
	return 0;
}

static bool takes_nsid(const struct command *cmd)
{
	for (const struct arg *arg = cmd->spec->options; arg && arg->name; arg++)
		if (!strcmp(arg->name, "namespace-id"))
			return true;
	return false;
}

int device_nsid(struct command *cmd, const struct device *dev, uint32_t given, uint32_t *nsid)
{
	__u32 own;
	int err;

	if (given) {
		*nsid = given;
		return 0;
	}
	if (nvme_get_nsid(dev->fd, &own)) {
		char hint[160];

		err = errno;
		format_hint(dev->path, err, hint, sizeof(hint));
		if (err == ENOTTY && !dev->is_block && !strncmp(dev->name, "nvme", 4))
			snprintf(hint, sizeof(hint),
				 " (a controller has no namespace of its own%s)",
				 takes_nsid(cmd) ? ", use --namespace-id" : "");
		command_fail(cmd, 0, "get-namespace-id: %s%s", strerror(err), hint);
		return -err;
	}
	*nsid = own;
	return 0;
}

int device_result(struct command *cmd, int ret, const char *what)
{
	char hint[160] = "";
	int err = errno;

	if (!ret)
		return 0;
	if (ret > 0)
		return command_fail_nvme(cmd, ret);
	if (err == ECANCELED && cmd->common.dry_run) {
		cmd->was_shown = true;
		return 0;
	}
	if (cmd->argc)
		format_hint(cmd->argv[0], err, hint, sizeof(hint));
	return command_fail(cmd, 0, "%s: %s%s", what, command_error_text(err), hint);
}

int device_identify_ctrl(struct command *cmd, struct nvme_id_ctrl *ctrl)
{
	int ret = nvme_identify_ctrl(cmd->device->fd, ctrl);

	return ret ? device_result(cmd, ret, "identify controller") || 1 : 0;
}

int device_identify_ns(struct command *cmd, uint32_t nsid, struct nvme_id_ns *ns)
{
	int ret = nvme_identify_ns(cmd->device->fd, nsid, ns);

	return ret ? device_result(cmd, ret, "identify namespace") || 1 : 0;
}

int device_find_lbaf(const struct nvme_id_ns *ns, unsigned int n, uint64_t block_size)
{
	const unsigned int room = sizeof(ns->lbaf) / sizeof(ns->lbaf[0]);

	for (unsigned int i = 0; i < n && i < room; i++) {
		const struct nvme_lbaf *f = &ns->lbaf[i];

		if (!f->ms && f->ds <= 62 && UINT64_C(1) << f->ds == block_size)
			return (int)i;
	}
	return -1;
}
