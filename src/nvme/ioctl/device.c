/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Open devices, and queries that take a command or two. */
#include "../util.h"
#include "command-private.h"

static const char *skip_number(const char *s)
{
	if (*s < '0' || *s > '9')
		return NULL;
	while (*s >= '0' && *s <= '9')
		s++;
	return s;
}

/* Return the file type that /dev/@name must have: nvmeN or nvmeNnM; 0 for other names. */
static mode_t kind_by_name(const char *name)
{
	const char *rest = strncmp(name, "nvme", 4) ? NULL : skip_number(name + 4);

	if (!rest)
		return 0;
	if (!*rest)
		return S_IFCHR;
	rest = *rest == 'n' ? skip_number(rest + 1) : NULL;
	return rest && !*rest ? S_IFBLK : 0;
}

int nvme_open(const char *name)
{
	mode_t kind = name ? kind_by_name(name) : 0;
	_cleanup_(close) int fd = -1;
	char path[64];
	struct stat st;

	if (!kind || snprintf(path, sizeof(path), "/dev/%s", name) >= (int)sizeof(path))
		return ioctl_refuse(EINVAL);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return -1;
	if ((st.st_mode & S_IFMT) != kind)
		return ioctl_refuse(EINVAL);
	return steal_fd(&fd);
}

int nvme_get_logical_block_size(int fd, __u32 nsid, int *blksize)
{
	struct nvme_id_ns ns;
	__u8 format;
	int ret;

	ret = nvme_identify_ns(fd, nsid, &ns);
	if (ret)
		return ret;
	nvme_id_ns_flbas_to_lbaf_inuse(ns.flbas, &format);
	/* The minimum is 512 bytes; the data of an inactive namespace is zero. */
	if (ns.lbaf[format].ds < 9 || ns.lbaf[format].ds > 30)
		return ioctl_refuse(EINVAL);
	*blksize = 1 << ns.lbaf[format].ds;
	return 0;
}

int nvme_get_uuid_list(int fd, struct nvme_id_uuid_list *uuid_list)
{
	struct nvme_id_ctrl id = { 0 };
	int ret;

	ret = nvme_identify_ctrl(fd, &id);
	if (ret)
		return ret;
	if (le32toh(id.ctratt) & NVME_CTRL_CTRATT_UUID_LIST)
		return nvme_identify_uuid(fd, uuid_list);
	memset(uuid_list, 0, sizeof(*uuid_list));
	return 0;
}

static int attach_or_detach(int fd, __u32 nsid, __u16 num_ctrls, __u16 *ctrlist, bool attach)
{
	struct nvme_ctrl_list list = {};

	if (num_ctrls > NVME_ID_CTRL_LIST_MAX)
		return ioctl_refuse(EINVAL);
	nvme_init_ctrl_list(&list, num_ctrls, ctrlist);
	return attach ? nvme_ns_attach_ctrls(fd, nsid, &list)
		      : nvme_ns_detach_ctrls(fd, nsid, &list);
}

int nvme_namespace_attach_ctrls(int fd, __u32 nsid, __u16 num_ctrls, __u16 *ctrlist)
{
	return attach_or_detach(fd, nsid, num_ctrls, ctrlist, true);
}

int nvme_namespace_detach_ctrls(int fd, __u32 nsid, __u16 num_ctrls, __u16 *ctrlist)
{
	return attach_or_detach(fd, nsid, num_ctrls, ctrlist, false);
}

int nvme_fw_download_seq(int fd, __u32 size, __u32 xfer, __u32 offset, void *buf)
{
	/* Partial dwords would be lost between two pieces. */
	if (!xfer || xfer % 4 || size % 4 || offset + size < offset)
		return ioctl_refuse(EINVAL);

	for (__u32 done = 0; done < size;) {
		struct nvme_fw_download_args args = {
			.data = (char *)buf + done,
			.args_size = sizeof(args),
			.fd = fd,
			.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
			.offset = offset + done,
			.data_len = size - done < xfer ? size - done : xfer,
		};
		int ret = nvme_fw_download(&args);

		if (ret)
			return ret;
		done += args.data_len;
	}
	return 0;
}
