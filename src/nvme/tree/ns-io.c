/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* I/O commands on a namespace, with offsets and lengths in bytes. */
#include "private.h"

/* The number of blocks is a zero-based 16-bit field. */
#define BLOCKS_MAX 65536

typedef int (*io_command)(struct nvme_io_args *args);

static int submit(nvme_ns_t n, io_command command, void *buf, off_t offset, size_t count)
{
	struct nvme_io_args args = { .args_size = sizeof(args) };
	size_t lba_size = (size_t)nvme_ns_get_lba_size(n);
	size_t blocks;

	if (!lba_size || offset < 0 || (size_t)offset % lba_size || !count || count % lba_size)
		return failure_errno(-EINVAL);
	blocks = count / lba_size;
	if (blocks > BLOCKS_MAX || (buf && count > UINT32_MAX))
		return failure_errno(-EINVAL);
	args.fd = nvme_ns_get_fd(n);
	if (args.fd < 0)
		return -1;
	args.nsid = (__u32)nvme_ns_get_nsid(n);
	args.slba = (__u64)((size_t)offset / lba_size);
	args.nlb = (__u16)(blocks - 1);
	args.data = buf;
	args.data_len = buf ? (__u32)count : 0;
	args.timeout = NVME_DEFAULT_IOCTL_TIMEOUT;
	return command(&args);
}

int nvme_ns_read(nvme_ns_t n, void *buf, off_t offset, size_t count)
{
	return submit(n, nvme_read, buf, offset, count);
}

int nvme_ns_write(nvme_ns_t n, void *buf, off_t offset, size_t count)
{
	return submit(n, nvme_write, buf, offset, count);
}

int nvme_ns_compare(nvme_ns_t n, void *buf, off_t offset, size_t count)
{
	return submit(n, nvme_compare, buf, offset, count);
}

int nvme_ns_verify(nvme_ns_t n, off_t offset, size_t count)
{
	return submit(n, nvme_verify, NULL, offset, count);
}

int nvme_ns_write_uncorrectable(nvme_ns_t n, off_t offset, size_t count)
{
	return submit(n, nvme_write_uncorrectable, NULL, offset, count);
}

int nvme_ns_write_zeros(nvme_ns_t n, off_t offset, size_t count)
{
	return submit(n, nvme_write_zeros, NULL, offset, count);
}

int nvme_ns_flush(nvme_ns_t n)
{
	int fd = nvme_ns_get_fd(n);

	return fd < 0 ? -1 : nvme_flush(fd, (__u32)nvme_ns_get_nsid(n));
}
