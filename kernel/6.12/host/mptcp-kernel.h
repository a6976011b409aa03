/* SPDX-License-Identifier: GPL-2.0 */
/* NVMe over Fabrics MPTCP host: differences of Linux 6.12. */
#ifndef _NVME_MPTCP_KERNEL_H
#define _NVME_MPTCP_KERNEL_H

#include <linux/net.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>

#define NVME_MPTCP_CONST
#define NVME_MPTCP_BIN_ATTRIBUTE	struct bin_attribute
#define NVME_MPTCP_CORE_GROUPS		&nvme_dev_attrs_group

struct nvme_mptcp_queue {
	struct nvme_mptcp_addrs		addrs;
	/* Serializes io_work and poll; lives as long as the controller */
	struct mutex			recv_mutex;
	struct mutex			frag_mutex;
	struct sk_buff			*recv_skb;
	struct delayed_work		resend_work;
	struct work_struct		*io_work;
	struct workqueue_struct		*wq;
	int				cpu;
};

static inline int nvme_mptcp_sock_create(struct net *net, int family,
					 struct socket **sock)
{
	return __sock_create(net, family, SOCK_STREAM, IPPROTO_MPTCP, sock, 0);
}

void nvme_mptcp_init_queue(struct nvme_mptcp_queue *queue);
int nvme_mptcp_start_queue(struct nvme_mptcp_queue *queue,
			   struct work_struct *io_work,
			   struct workqueue_struct *wq);
void nvme_mptcp_stop_sending(struct nvme_mptcp_queue *queue);
void nvme_mptcp_free_queue(struct nvme_mptcp_queue *queue);
void nvme_mptcp_send_later(struct nvme_mptcp_queue *queue, int cpu);
int nvme_mptcp_receive(struct nvme_mptcp_queue *queue, struct socket *sock);

#endif /* _NVME_MPTCP_KERNEL_H */
