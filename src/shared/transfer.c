// SPDX-License-Identifier: LGPL-2.1-or-later
#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>

#include "cleanup.h"
#include "sigpipe.h"
#include "transfer.h"

#define OPCODE_FABRICS 0x7f

/* One buffer of a command: the caller's, and the pages that replace it, or NULL. */
struct transfer {
	void *caller, *pages;
	size_t length, whole;
};

static void transfer_end_cleanup(struct transfer *t)
{
	if (!t->pages)
		return;
	explicit_bzero(t->pages, t->whole); /* may contain keys */
	free(t->pages);
}

/* Allocate zeroed whole pages for @length bytes; @whole: their size. Return NULL with errno. */
static void *alloc_pages(size_t length, size_t *whole)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *pages = NULL;

	if (length > SIZE_MAX - page) {
		errno = ENOMEM;
		return NULL;
	}
	*whole = (length + page - 1) / page * page;
	errno = posix_memalign(&pages, page, *whole);
	if (errno)
		return NULL;
	memset(pages, 0, *whole);
	return pages;
}

static bool is_whole(uintptr_t address, size_t length)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return !(address % page) && !(length % page);
}

/* Replace *@address by a copy in pages of its own unless its @length bytes are whole pages. */
static int begin(struct transfer *t, __u64 *address, size_t length)
{
	t->caller = (void *)(uintptr_t)*address;
	t->length = length;
	if (!t->caller || !length || is_whole((uintptr_t)t->caller, length))
		return 0;
	t->pages = alloc_pages(length, &t->whole);
	if (!t->pages)
		return -1;
	memcpy(t->pages, t->caller, length);
	*address = (uintptr_t)t->pages;
	return 0;
}

static void restore(const struct transfer *t, __u64 *address, bool from_device)
{
	*address = (uintptr_t)t->caller;
	if (t->pages && from_device)
		memcpy(t->caller, t->pages, t->length);
}

/* True if bit 0 of the opcode, or of the fabrics type, is set: nvme_is_write() in linux/nvme.h. */
static bool is_to_device(const struct nvme_passthru_cmd *cmd)
{
	return (cmd->opcode == OPCODE_FABRICS ? cmd->nsid : cmd->opcode) & 1;
}

/* The vectored requests have an array of struct iovec at addr instead. */
static bool has_buffers(unsigned long request)
{
	return request == NVME_IOCTL_ADMIN_CMD || request == NVME_IOCTL_IO_CMD ||
	       request == NVME_IOCTL_ADMIN64_CMD || request == NVME_IOCTL_IO64_CMD;
}

int transfer_ioctl(int fd, unsigned long request, void *command)
{
	_cleanup_(sigpipe_restore) struct sigpipe before = { 0 };
	_cleanup_(transfer_end) struct transfer data = { 0 }, metadata = { 0 };
	struct nvme_passthru_cmd *cmd = command; /* same layout as _cmd64 up to the result */
	int ret = -1, err;

	sigpipe_block(&before);
	if (!has_buffers(request))
		return ioctl(fd, request, command);
	if (!begin(&data, &cmd->addr, cmd->data_len) &&
	    !begin(&metadata, &cmd->metadata, cmd->metadata_len))
		ret = ioctl(fd, request, command);
	err = errno;
	restore(&data, &cmd->addr, !is_to_device(cmd));
	if (metadata.length)
		restore(&metadata, &cmd->metadata, !is_to_device(cmd));
	errno = err;
	return ret;
}
