/* SPDX-License-Identifier: GPL-2.0 */
/* NVMe over Fabrics MPTCP host: differences of kernels after Linux 6.12. */
#ifndef _NVME_MPTCP_KERNEL_H
#define _NVME_MPTCP_KERNEL_H

#include <linux/net.h>

#define NVME_MPTCP_CONST		const
#define NVME_MPTCP_BIN_ATTRIBUTE	const struct bin_attribute
#define NVME_MPTCP_CORE_GROUPS		&nvme_dev_attrs_group, \
					&nvme_dev_diag_attrs_group

struct nvme_mptcp_queue {
	struct nvme_mptcp_addrs		addrs;
};

static inline int nvme_mptcp_sock_create(struct net *net, int family,
					 struct socket **sock)
{
	return sock_create_kern(net, family, SOCK_STREAM, IPPROTO_MPTCP, sock);
}

static inline void nvme_mptcp_stop_sending(struct nvme_mptcp_queue *queue)
{
}

#endif /* _NVME_MPTCP_KERNEL_H */
