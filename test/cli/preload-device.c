// SPDX-License-Identifier: LGPL-2.1-or-later
/* The devices of the stand-in for the kernel: what becomes of a command. The files: see preload.c. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "preload.h"

/* Is there an answer to this command, and which one? @name becomes its file. */
static bool find_answer(const char *device, const char *queue, unsigned int opcode,
			unsigned int low, char *name, size_t size)
{
	static struct {
		char name[64];
		unsigned int count;
	} seen[64];
	char base[64];
	size_t i = 0;

	snprintf(base, sizeof(base), "%.16s/%s-%02x-%02x", device, queue, opcode, low);
	while (i < 63 && *seen[i].name && strcmp(seen[i].name, base))
		i++;
	snprintf(seen[i].name, sizeof(seen[i].name), "%s", base);
	snprintf(name, size, "%s@%u", base, ++seen[i].count);
	if (preload_exists(name))
		return true;
	snprintf(name, size, "%s", base);
	if (preload_exists(name))
		return true;
	snprintf(name, size, "%.16s/otherwise", device);
	return preload_exists(name);
}

/* Every field of a command that the kernel reads, and a sum over the data that go out. */
static void note_whole(const struct nvme_passthru_cmd *cmd)
{
	const unsigned char *data = (const void *)(uintptr_t)cmd->addr;
	uint64_t sum = 0;

	for (uint32_t i = 0; cmd->opcode & 1 && data && i < cmd->data_len; i++)
		sum = (sum ^ data[i]) * UINT64_C(0x100000001b3);
	preload_note(
		"  flags=%x rsvd=%x cdw2=%x cdw3=%x cdw13=%x cdw15=%x metadata=%u timeout=%u sent=%llx\n",
		cmd->flags, cmd->rsvd1, cmd->cdw2, cmd->cdw3, cmd->cdw13, cmd->cdw15,
		cmd->metadata_len, cmd->timeout_ms, (unsigned long long)sum);
}

static uint64_t data_offset(unsigned int opcode, const struct nvme_passthru_cmd *cmd)
{
	return opcode == 0x02 ? cmd->cdw12 | (uint64_t)cmd->cdw13 << 32 : 0;
}

/* What the command sends, in a file beside its answer. */
static void keep_data(const char *name, const struct nvme_passthru_cmd *cmd)
{
	char path[4096];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/%s.got", preload_dir(), name);
	fd = preload_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd >= 0)
		n = REAL_FUNCTION(ssize_t, write, int, const void *,
				  size_t)(fd, (const void *)(uintptr_t)cmd->addr, cmd->data_len);
	if (n != (ssize_t)cmd->data_len)
		_exit(99);
	REAL_FUNCTION(int, close, int)(fd);
}

/* Bytes from @address + @length to the end of its page; a buffer of no bytes has no page. */
static size_t rest_of_page(uint64_t address, uint32_t length)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return address && length ? (size_t)((page - (address + length) % page) % page) : 0;
}

/*
 * A PCIe controller is not given the length of a buffer: it reads and writes what its command transfers, which
 * the kernel limits to the pages of the buffer. Anything else in these pages would be damaged, or leave the
 * process. Other programs than ours are spared: FAKE_EXACT.
 */
static void use_page(bool writes, uint64_t address, uint32_t length, const char *more, size_t n)
{
	const size_t rest = getenv("FAKE_EXACT") ? 0 : rest_of_page(address, length);
	unsigned char *behind = (unsigned char *)(uintptr_t)address + length;

	for (size_t i = 0; i < rest; i++) {
		if (writes) {
			behind[i] = i < n ? (unsigned char)more[i] : 0xdb;
		} else if (behind[i]) {
			fprintf(stderr, "preload: the page of a buffer has other data\n");
			_exit(99);
		}
	}
}

static void transfer(const struct nvme_passthru_cmd *cmd, const char *data, size_t size)
{
	const size_t n = size < cmd->data_len ? size : cmd->data_len;
	const bool writes = !(cmd->opcode & 1);

	if (writes && n)
		memcpy((void *)(uintptr_t)cmd->addr, data, n);
	use_page(writes, cmd->addr, cmd->data_len, data ? data + n : NULL, size - n);
	use_page(writes, cmd->metadata, cmd->metadata_len, NULL, 0);
}

/* struct nvme_passthru_cmd and ..._cmd64 agree up to the result. */
static int submit(const char *device, const char *queue, const struct nvme_passthru_cmd *cmd,
		  uint64_t *result)
{
	uint64_t offset = data_offset(cmd->opcode, cmd);
	static long commands;
	char name[96], more[128];
	size_t size = 0;
	char *data;
	long err;

	preload_note("%s %s opcode=%02x nsid=%x cdw10=%x cdw11=%x cdw12=%x cdw14=%x len=%u\n",
		     device, queue, cmd->opcode, cmd->nsid, cmd->cdw10, cmd->cdw11, cmd->cdw12,
		     cmd->cdw14, cmd->data_len);
	if (preload_exists("whole-commands"))
		note_whole(cmd);
	if (preload_load_number("failing", 0) == ++commands)
		return 0x4006; /* Internal Error, Do Not Retry */
	if (preload_rpmb(device, cmd))
		return 0;
	if (!find_answer(device, queue, cmd->opcode, cmd->cdw10 & 0xff, name, sizeof(name)))
		return 0x4001; /* Invalid Opcode, Do Not Retry */
	snprintf(more, sizeof(more), "%s.errno", name);
	err = preload_load_number(more, 0);
	if (err) {
		errno = preload_raise((int)err);
		return -1;
	}
	if ((cmd->opcode & 1) && cmd->data_len)
		keep_data(name, cmd);
	snprintf(more, sizeof(more), "%s.result", name);
	*result = (uint64_t)preload_load_number(more, 0);
	data = preload_load(name, &size);
	if (!data || offset > size)
		offset = size;
	transfer(cmd, data ? data + offset : NULL, data ? size - offset : 0);
	free(data);
	snprintf(more, sizeof(more), "%s.status", name);
	return (int)preload_load_number(more, 0);
}

int preload_device_ioctl(const char *device, unsigned long request, void *arg)
{
	struct nvme_passthru_cmd64 *cmd64 = arg;
	struct nvme_passthru_cmd *cmd = arg;
	uint64_t result = 0;
	char name[64];
	int ret;

	switch (request) {
	case NVME_IOCTL_ADMIN_CMD:
	case NVME_IOCTL_IO_CMD:
		ret = submit(device, request == NVME_IOCTL_IO_CMD ? "io" : "admin", cmd, &result);
		cmd->result = (uint32_t)result;
		return ret;
	case NVME_IOCTL_ADMIN64_CMD:
	case NVME_IOCTL_IO64_CMD:
		ret = submit(device, request == NVME_IOCTL_IO64_CMD ? "io" : "admin", cmd, &result);
		cmd64->result = result;
		return ret;
	case NVME_IOCTL_ID:
		snprintf(name, sizeof(name), "%.16s/nsid.errno", device);
		errno = (int)preload_load_number(name, 0);
		if (errno)
			return -1;
		snprintf(name, sizeof(name), "%.16s/nsid", device);
		return (int)preload_load_number(name, 1);
	case NVME_IOCTL_RESET:
	case NVME_IOCTL_SUBSYS_RESET:
	case NVME_IOCTL_RESCAN:
		preload_note("%s %s\n", device,
			     request == NVME_IOCTL_RESET	  ? "reset"
			     : request == NVME_IOCTL_SUBSYS_RESET ? "subsystem-reset"
								  : "rescan");
		return 0;
	}
	if (_IOC_TYPE(request) == 0x12) { /* of block devices, <linux/fs.h> */
		preload_note("%s block %u\n", device, (unsigned int)_IOC_NR(request));
		return 0;
	}
	errno = ENOTTY;
	return -1;
}

/* Kind and number of a device, where /sys has it. */
void preload_describe(const char *name, struct stat64 *st)
{
	static const struct {
		const char *directory;
		mode_t mode;
	} kinds[] = {
		{ "class/nvme", S_IFCHR },
		{ "class/nvme-generic", S_IFCHR },
		{ "class/block", S_IFBLK },
	};
	const char *sysfs = getenv("LIBNVME_SYSFS_PATH");
	unsigned int major, minor;
	char path[4096];

	for (size_t i = 0; sysfs && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/sys/%s/%s/dev", sysfs, kinds[i].directory, name);
		f = REAL_FUNCTION(FILE *, fopen64, const char *, const char *)(path, "re");
		if (f && fscanf(f, "%u:%u", &major, &minor) == 2) {
			st->st_mode = (st->st_mode & ~(mode_t)S_IFMT) | kinds[i].mode;
			st->st_rdev = makedev(major, minor);
		}
		if (f)
			fclose(f);
	}
}

static bool note_sleep(unsigned int seconds)
{
	char line[16];

	preload_append("slept", 0, line, (size_t)snprintf(line, sizeof(line), "%u\n", seconds));
	return preload_exists("slept");
}

unsigned int sleep(unsigned int seconds)
{
	if (note_sleep(seconds))
		return 0;
	return REAL_FUNCTION(unsigned int, sleep, unsigned int)(seconds);
}

uid_t geteuid(void)
{
	long uid = preload_load_number("euid", -1);

	return uid >= 0 ? (uid_t)uid : REAL_FUNCTION(uid_t, geteuid, void)();
}
