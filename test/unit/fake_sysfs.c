/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_sysfs.h"

#define CTRL_DIR "sys/devices/virtual/nvme-fabrics/ctl/nvme%d"
#define SUBSYSTEM_DIR "sys/devices/virtual/nvme-subsystem/nvme-subsys%d"

static char root[64];

static void need(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "fake /sys: %s: %s\n", what, strerror(errno));
	abort();
}

__attribute__((format(printf, 2, 0))) static char *join(char path[4096], const char *fmt,
							va_list ap)
{
	int len = snprintf(path, 4096, "%s/", root);

	need(vsnprintf(path + len, 4096 - (size_t)len, fmt, ap) < 4096 - len, "path");
	return path;
}

static void make_parents(char *path)
{
	for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		need(!mkdir(path, 0755) || errno == EEXIST, path);
	}
}

const char *fake_sysfs_begin(void)
{
	snprintf(root, sizeof(root), "/tmp/fake-sysfs-XXXXXX");
	need(mkdtemp(root) != NULL, root);
	need(!setenv("LIBNVME_SYSFS_PATH", root, 1), "environment");
	fake_attr("", "sys/class/nvme/.keep");
	fake_attr("", "sys/class/nvme-subsystem/.keep");
	fake_attr("", "sys/module/nvme_mptcp/.keep");
	return root;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	return remove(path);
}

void fake_sysfs_end(void)
{
	need(!nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS), root);
	unsetenv("LIBNVME_SYSFS_PATH");
}

void fake_attr(const char *value, const char *path_fmt, ...)
{
	char path[4096];
	va_list ap;
	FILE *file;

	va_start(ap, path_fmt);
	join(path, path_fmt, ap);
	va_end(ap);
	make_parents(path);
	file = fopen(path, "w");
	need(file != NULL, path);
	need(fputs(value, file) >= 0 && !fclose(file), path);
}

void fake_remove(const char *path_fmt, ...)
{
	char path[4096];
	va_list ap;

	va_start(ap, path_fmt);
	join(path, path_fmt, ap);
	va_end(ap);
	need(!nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS), path);
}

static void make_link(const char *target, const char *path_fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void make_link(const char *target, const char *path_fmt, ...)
{
	char path[4096];
	va_list ap;

	va_start(ap, path_fmt);
	join(path, path_fmt, ap);
	va_end(ap);
	make_parents(path);
	need(!symlink(target, path), path);
}

static void optional_attr(const char *value, const char *dir, const char *name)
{
	char line[4096];

	if (!value)
		return;
	snprintf(line, sizeof(line), "%s\n", value);
	fake_attr(line, "sys/%s/%s", dir, name);
}

void fake_subsystem(int instance, const char *nqn)
{
	char line[512];

	snprintf(line, sizeof(line), "%s\n", nqn);
	fake_attr(line, SUBSYSTEM_DIR "/subsysnqn", instance);
	fake_attr("Linux                                   \n", SUBSYSTEM_DIR "/model", instance);
	fake_attr("0123456789abcdef0123\n", SUBSYSTEM_DIR "/serial", instance);
	fake_attr("6.12\n", SUBSYSTEM_DIR "/firmware_rev", instance);
	fake_attr("nvm\n", SUBSYSTEM_DIR "/subsystype", instance);
	fake_attr("numa\n", SUBSYSTEM_DIR "/iopolicy", instance);
	snprintf(line, sizeof(line), "../../devices/virtual/nvme-subsystem/nvme-subsys%d",
		 instance);
	make_link(line, "sys/class/nvme-subsystem/nvme-subsys%d", instance);
}

/* What a controller over fabrics was connected with: nvme_class_uevent() in the kernel. */
static void fake_uevent(const struct fake_ctrl *ctrl, const char *dir)
{
	static const char *const keys[] = { "TRADDR", "TRSVCID", "HOST_TRADDR", "HOST_IFACE" };
	static const char *const names[] = { "traddr=", "trsvcid=", "host_traddr=", "host_iface=" };
	char text[4096];
	size_t used;

	if (!ctrl->hostnqn || !ctrl->transport || !ctrl->address || !*ctrl->address)
		return;
	used = (size_t)snprintf(text, sizeof(text), "DEVNAME=nvme%d\nNVME_TRTYPE=%s\n",
				ctrl->instance, ctrl->transport);
	for (size_t i = 0; i < 4; i++) {
		const char *value = strstr(ctrl->address, names[i]);

		/* "traddr=" is the end of "host_traddr=", too. */
		while (value && value != ctrl->address && value[-1] != ',')
			value = strstr(value + 1, names[i]);
		value = value ? value + strlen(names[i]) : i ? "none" : "(null)";
		used += (size_t)snprintf(text + used, sizeof(text) - used, "NVME_%s=%.*s\n",
					 keys[i], (int)strcspn(value, ","), value);
	}
	fake_attr(text, "sys/%s/uevent", dir);
}

void fake_ctrl(const struct fake_ctrl *ctrl)
{
	char dir[128], target[256];

	if (ctrl->pci)
		snprintf(dir, sizeof(dir), "devices/pci0000:00/%s/nvme/nvme%d", ctrl->pci,
			 ctrl->instance);
	else
		snprintf(dir, sizeof(dir), "devices/virtual/nvme-fabrics/ctl/nvme%d",
			 ctrl->instance);
	optional_attr(ctrl->transport, dir, "transport");
	optional_attr(ctrl->address, dir, "address");
	fake_uevent(ctrl, dir);
	optional_attr(ctrl->subsysnqn, dir, "subsysnqn");
	optional_attr(ctrl->hostnqn, dir, "hostnqn");
	optional_attr(ctrl->hostid, dir, "hostid");
	optional_attr(ctrl->cntrltype, dir, "cntrltype");
	optional_attr("live", dir, "state");
	optional_attr("Linux                                   ", dir, "model");
	optional_attr("5", dir, "queue_count");
	snprintf(target, sizeof(target), "../../%s", dir);
	make_link(target, "sys/class/nvme/nvme%d", ctrl->instance);
	if (ctrl->subsystem < 0)
		return;
	snprintf(target, sizeof(target), "../../../../%s", dir);
	make_link(target, SUBSYSTEM_DIR "/nvme%d", ctrl->subsystem, ctrl->instance);
}

static void fill_ns(unsigned int nsid, const char *dir)
{
	char text[16];

	snprintf(text, sizeof(text), "%u\n", nsid);
	fake_attr(text, "%s/nsid", dir);
	fake_attr("131072\n", "%s/size", dir);
	fake_attr("4096\n", "%s/queue/logical_block_size", dir);
	fake_attr("0\n", "%s/csi", dir);
	fake_attr("1024\n", "%s/nuse", dir);
	fake_attr("8\n", "%s/metadata_bytes", dir);
	fake_attr("uuid.0d1a6b5c-7b0b-4b7e-9e43-000000000001\n", "%s/wwid", dir);
	fake_attr("0d1a6b5c-7b0b-4b7e-9e43-000000000001\n", "%s/uuid", dir);
	fake_attr("01020304-0506-0708-090a-0b0c0d0e0f10\n", "%s/nguid", dir);
	fake_attr("00 25 38 b1 11 b2 a0 01\n", "%s/eui", dir);
}

void fake_head(int subsystem, int head, unsigned int nsid)
{
	char dir[256];

	snprintf(dir, sizeof(dir), SUBSYSTEM_DIR "/nvme%dn%d", subsystem, subsystem, head);
	fill_ns(nsid, dir);
}

void fake_path(int subsystem, int ctrl, int head)
{
	fake_attr("optimized\n", CTRL_DIR "/nvme%dc%dn%d/ana_state", ctrl, subsystem, ctrl, head);
	fake_attr("0-1\n", CTRL_DIR "/nvme%dc%dn%d/numa_nodes", ctrl, subsystem, ctrl, head);
	fake_attr("3\n", CTRL_DIR "/nvme%dc%dn%d/queue_depth", ctrl, subsystem, ctrl, head);
}

void fake_private_ns(int ctrl, int head, unsigned int nsid)
{
	char dir[256];

	snprintf(dir, sizeof(dir), CTRL_DIR "/nvme%dn%d", ctrl, ctrl, head);
	fill_ns(nsid, dir);
}

void fake_fabrics(int instance, int subsystem, const char *transport, const char *address,
		  const char *nqn)
{
	fake_ctrl(&(struct fake_ctrl){
		.instance = instance,
		.subsystem = subsystem,
		.transport = transport,
		.address = address,
		.subsysnqn = nqn,
		.hostnqn = FAKE_HOSTNQN,
		.hostid = FAKE_HOSTID,
	});
}

void fake_block(const char *disk, const char *name, const char *number, const char *holder)
{
	char dir[256], target[300];

	snprintf(dir, sizeof(dir), "devices/virtual/block/%s%s%s", disk ? disk : "",
		 disk ? "/" : "", name);
	optional_attr(number, dir, "dev");
	if (disk)
		optional_attr("1", dir, "partition");
	fake_attr("", "sys/%s/holders/%s", dir, holder ? holder : ".keep");
	snprintf(target, sizeof(target), "../../%s", dir);
	make_link(target, "sys/class/block/%s", name);
	make_link(target, "sys/dev/block/%s", number);
}

void fake_multipath(void)
{
	fake_subsystem(0, FAKE_NQN);
	fake_fabrics(0, 0, "tcp", "traddr=192.0.2.1,trsvcid=4420,src_addr=192.0.2.9", FAKE_NQN);
	fake_fabrics(10, 0, "mptcp", "traddr=192.0.2.1,trsvcid=4420,src_addr=192.0.2.9", FAKE_NQN);
	for (int head = 1; head <= 2; head++) {
		fake_head(0, head, (unsigned int)head);
		fake_path(0, 0, head);
		fake_path(0, 10, head);
	}
}
