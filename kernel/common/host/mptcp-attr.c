// SPDX-License-Identifier: GPL-2.0
/*
 * NVMe over Fabrics MPTCP host: the attribute queue_addrs.
 */
#include <linux/sysfs.h>

#include "nvme.h"
#include "mptcp-socket.h"

/*
 * Length of a line by address family. It divides the page size: sysfs reads a
 * page at a time, and queues may come and go between two pages.
 */
#define NVME_MPTCP_LINE		64
#define NVME_MPTCP_LINE_IPV6	128

static size_t nvme_mptcp_line_size(struct nvme_ctrl *nctrl)
{
	return nvme_mptcp_queue_of(nctrl, 0)->addrs.remote.sa.sa_family ==
		AF_INET6 ? NVME_MPTCP_LINE_IPV6 : NVME_MPTCP_LINE;
}

/* Format the line of a live queue: number, local and remote address and port */
static void nvme_mptcp_line(char *line, size_t size, int qid,
			    struct nvme_mptcp_addrs *addrs)
{
	int len = scnprintf(line, size, "%d %pISpc %pISpc", qid, &addrs->local,
			    &addrs->remote);

	memset(line + len, ' ', size - len);
	line[size - 1] = '\n';
}

/* A binary attribute, because the lines of many queues exceed a page */
static ssize_t queue_addrs_read(struct file *file, struct kobject *kobj,
				NVME_MPTCP_BIN_ATTRIBUTE *attr, char *buf,
				loff_t off, size_t count)
{
	struct nvme_ctrl *nctrl = dev_get_drvdata(kobj_to_dev(kobj));
	struct nvme_mptcp_ctrl *ctrl = nvme_mptcp_ctrl_of(nctrl);
	char line[NVME_MPTCP_LINE_IPV6];
	size_t size, done = 0;
	int i;

	mutex_lock(&ctrl->lock);
	size = nvme_mptcp_line_size(nctrl);
	/* Return whole lines only, unless the reader's buffer is too small */
	if (!(off % size) && count > size)
		count -= count % size;
	for (i = 0; i < nctrl->queue_count && done < count; i++) {
		struct nvme_mptcp_addrs *addrs =
			&nvme_mptcp_queue_of(nctrl, i)->addrs;
		size_t len;

		if (!addrs->live)
			continue;
		if (off >= size) {
			off -= size;
			continue;
		}
		nvme_mptcp_line(line, size, i, addrs);
		len = min_t(size_t, size - off, count - done);
		memcpy(buf + done, line + off, len);
		done += len;
		off = 0;
	}
	mutex_unlock(&ctrl->lock);
	return done;
}

static NVME_MPTCP_CONST BIN_ATTR_RO(queue_addrs, 0);

static NVME_MPTCP_BIN_ATTRIBUTE *NVME_MPTCP_CONST nvme_mptcp_bin_attrs[] = {
	&bin_attr_queue_addrs,
	NULL
};

static const struct attribute_group nvme_mptcp_attrs_group = {
	.bin_attrs	= nvme_mptcp_bin_attrs,
};

const struct attribute_group *nvme_mptcp_attr_groups[] = {
	NVME_MPTCP_CORE_GROUPS,
	&nvme_mptcp_attrs_group,
	NULL
};
