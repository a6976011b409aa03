/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <nvme/log.h>

#include "fabrics_standin.h"
#include "fake_sysfs.h"

struct kernel kernel;

const char linux_6_12[] =
	"instance=-1,cntlid=-1,transport=%s,traddr=%s,trsvcid=%s,nqn=%s,queue_size=%d,"
	"nr_io_queues=%d,reconnect_delay=%d,ctrl_loss_tmo=%d,keep_alive_tmo=%d,hostnqn=%s,"
	"host_traddr=%s,host_iface=%s,hostid=%s,duplicate_connect,disable_sqflow,hdr_digest,"
	"data_digest,nr_write_queues=%d,nr_poll_queues=%d,tos=%d,keyring=%d,tls_key=%d,"
	"fast_io_fail_tmo=%d,discovery,dhchap_secret=%s,dhchap_ctrl_secret=%s,tls\n";

static int device_fd = -1, kmsg_fd = -1;
static size_t device_read, kmsg_read;
static char reply[64];

static int open_log(int flags)
{
	int ends[2];

	if (kernel.log_has_no_end && !pipe2(ends, flags & (O_NONBLOCK | O_CLOEXEC))) {
		syscall(SYS_close, ends[1]);
		return ends[0];
	}
	kmsg_read = 0;
	kmsg_fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", flags, 0);
	return kmsg_fd;
}

static int open_device(int flags)
{
	if (kernel.open_error) {
		errno = kernel.open_error;
		return -1;
	}
	device_read = 0;
	reply[0] = '\0';
	device_fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", flags, 0);
	return device_fd;
}

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	if (!strcmp(path, "/dev/nvme-fabrics"))
		return open_device(flags);
	if (!strcmp(path, "/dev/kmsg"))
		return open_log(flags);
	if (flags & O_CREAT) {
		va_start(args, flags);
		mode = va_arg(args, mode_t);
		va_end(args);
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int close(int fd)
{
	if (fd == device_fd)
		device_fd = -1;
	if (fd == kmsg_fd)
		kmsg_fd = -1;
	return (int)syscall(SYS_close, fd);
}

static ssize_t hand_out(const char *text, size_t *done, void *buf, size_t n)
{
	size_t left = strlen(text) - *done;

	if (n > left)
		n = left;
	memcpy(buf, text + *done, n);
	*done += n;
	return (ssize_t)n;
}

ssize_t read(int fd, void *buf, size_t n)
{
	if (fd == device_fd) {
		const char *text = *reply ? reply : kernel.options;

		if (!text) {
			errno = EINVAL;
			return -1;
		}
		return hand_out(text, &device_read, buf, n);
	}
	if (fd == kmsg_fd) {
		if (!kernel.log || kmsg_read) {
			errno = EAGAIN;
			return -1;
		}
		return hand_out(kernel.log, &kmsg_read, buf, n);
	}
	return syscall(SYS_read, fd, buf, n);
}

/* The value of an option in the line that was written. */
static void option(const char *name, char *value, size_t size)
{
	const char *p = kernel.line;
	size_t len = strlen(name), n = 0;

	while (p && (strncmp(p, name, len) != 0 || p[len] != '=')) {
		p = strchr(p, ',');
		p = p ? p + 1 : NULL;
	}
	if (p)
		for (p += len + 1; *p && *p != ',' && n < size - 1; p++)
			value[n++] = *p;
	value[n] = '\0';
}

static void make_ctrl(unsigned int instance)
{
	char ctrl[16], value[256], address[600], more[256];

	snprintf(ctrl, sizeof(ctrl), "nvme%u", instance);
	option("nqn", value, sizeof(value));
	kernel_set_attr(ctrl, "subsysnqn", value);
	option("transport", value, sizeof(value));
	kernel_set_attr(ctrl, "transport", value);
	option("traddr", value, sizeof(value));
	option("trsvcid", more, sizeof(more));
	snprintf(address, sizeof(address), "traddr=%s,trsvcid=%s", value, more);
	kernel_set_attr(ctrl, "address", address);
	fake_attr("", "sys/class/nvme-subsystem/nvme-subsys%u/nvme%u/.keep", instance, instance);
}

void kernel_set_attr(const char *ctrl, const char *attr, const char *value)
{
	char line[640];

	snprintf(line, sizeof(line), "%s\n", value);
	fake_attr(line, "sys/class/nvme/%s/%s", ctrl, attr);
}

ssize_t write(int fd, const void *buf, size_t n)
{
	int error;

	if (fd != device_fd)
		return syscall(SYS_write, fd, buf, n);
	memcpy(kernel.line, buf, n < KERNEL_LINE ? n : KERNEL_LINE - 1);
	kernel.line[n < KERNEL_LINE ? n : KERNEL_LINE - 1] = '\0';
	error = kernel.writes < 4 ? kernel.write_error[kernel.writes] : 0;
	kernel.writes++;
	if (error) {
		errno = error;
		return -1;
	}
	make_ctrl(kernel.next_instance);
	if (kernel.reply)
		snprintf(reply, sizeof(reply), "%s", kernel.reply);
	else
		snprintf(reply, sizeof(reply), "instance=%u,cntlid=1\n", kernel.next_instance++);
	return (ssize_t)n;
}

int kernel_start(void **state)
{
	memset(&kernel, 0, sizeof(kernel));
	kernel.options = linux_6_12;
	fake_sysfs_begin();
	fake_remove("sys/module");
	setenv("LIBNVME_HOSTNQN", "", 1);
	setenv("LIBNVME_HOSTID", "", 1);
	nvme_init_default_logging(NULL, -1, false, false);
	return 0;
}

int kernel_stop(void **state)
{
	fake_sysfs_end();
	return 0;
}
