// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "device.h"

int device_open(struct command *cmd, struct device *dev)
{
	const char *slash;
	struct stat st;
	int err;

	if (!cmd->argc) {
		fail(cmd, EINVAL, "%s", cmd->name);
		return -EINVAL;
	}
	dev->path = cmd->argv[0];
	slash = strrchr(dev->path, '/');
	dev->name = slash ? slash + 1 : dev->path;
	dev->fd = open(dev->path, O_RDONLY | O_CLOEXEC);
	if (dev->fd < 0) {
		err = errno;
		if (err == ENOENT && !slash && !strncmp(dev->path, "nvme", 4))
			fail(cmd, 0, "%s: %s (is it /dev/%s?)", dev->path, strerror(err),
			     dev->path);
		else
			fail(cmd, err, "%s", dev->path);
		return -err;
	}
	if (fstat(dev->fd, &st)) {
		err = errno;
		fail(cmd, err, "%s", dev->path);
		return -err;
	}
	dev->is_block = S_ISBLK(st.st_mode);
	if (!dev->is_block && !S_ISCHR(st.st_mode)) {
		fail(cmd, 0, "%s is not a block or character device", dev->path);
		return -ENODEV;
	}
	return 0;
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
		err = errno;
		fail(cmd, 0, "get-namespace-id: %s%s", strerror(err),
		     err == ENOTTY ? " (a controller has no namespace of its own, use "
				     "--namespace-id)"
				   : "");
		return -err;
	}
	*nsid = own;
	return 0;
}

int nvme_result(struct command *cmd, int ret, const char *what)
{
	if (!ret)
		return 0;
	if (ret < 0)
		return fail(cmd, errno, "%s", what);
	return fail_nvme(cmd, ret);
}

int write_binary(struct command *cmd, const void *bytes, size_t length)
{
	out_flush(cmd->out);
	if (length && fwrite(bytes, length, 1, stdout) != 1)
		return fail(cmd, errno, "%s: writing the output", cmd->name);
	return 0;
}

int read_bytes(struct command *cmd, const char *path, void *bytes, size_t length)
{
	_cleanup_(close) int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
	const char *name = path ? path : "standard input";
	size_t done = 0;

	if (fd < 0)
		return fail(cmd, errno, "%s", name);
	while (done < length) {
		ssize_t n = read(fd, (char *)bytes + done, length - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(cmd, errno, "%s", name);
		if (!n)
			return fail(cmd, 0, "%s: %zu bytes instead of %zu", name, done, length);
		done += (size_t)n;
	}
	return 0;
}

int save_bytes(struct command *cmd, const char *path, const void *bytes, size_t length)
{
	_cleanup_(close) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	size_t done = 0;

	if (fd < 0)
		return fail(cmd, errno, "Failed to open %s", path);
	while (done < length) {
		ssize_t n = write(fd, (const char *)bytes + done, length - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(cmd, errno, "Failed to write %s", path);
		done += (size_t)n;
	}
	return 0;
}

static void dump_line(struct out *out, const unsigned char *bytes, size_t offset, size_t n)
{
	out_text(out, "%04zx:", offset);
	for (size_t i = 0; i < 16; i++) {
		if (i < n)
			out_text(out, " %02x", bytes[offset + i]);
		else
			out_text(out, "   ");
	}
	out_text(out, " \"");
	for (size_t i = 0; i < n; i++) {
		unsigned char c = bytes[offset + i];

		out_text(out, "%c", c >= 0x20 && c <= 0x7e ? c : '.');
	}
	out_text(out, "\"\n");
}

void out_dump(struct out *out, const char *key, const void *bytes, size_t length)
{
	if (out_is_json(out)) {
		out_array(out, key);
		for (size_t i = 0; i < length; i++)
			out_uint(out, NULL, ((const unsigned char *)bytes)[i]);
		out_end(out);
		return;
	}
	out_text(out, "       0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f\n");
	for (size_t i = 0; i < length; i += 16)
		dump_line(out, bytes, i, length - i < 16 ? length - i : 16);
}
