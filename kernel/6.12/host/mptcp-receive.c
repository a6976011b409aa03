// SPDX-License-Identifier: GPL-2.0
/*
 * NVMe over Fabrics MPTCP host: workarounds for receiving and sending with the
 * MPTCP of Linux 6.12.
 */
#include <linux/skbuff.h>

#include "mptcp-socket.h"

/* Payload of the buffer that receives a queue's data */
#define NVME_MPTCP_RECV_LEN	SKB_WITH_OVERHEAD(SZ_32K)

static void nvme_mptcp_resend_work(struct work_struct *w)
{
	struct nvme_mptcp_queue *queue = container_of(to_delayed_work(w),
			struct nvme_mptcp_queue, resend_work);

	queue_work_on(queue->cpu, queue->wq, queue->io_work);
}

void nvme_mptcp_init_queue(struct nvme_mptcp_queue *queue)
{
	mutex_init(&queue->recv_mutex);
	mutex_init(&queue->frag_mutex);
}

int nvme_mptcp_start_queue(struct nvme_mptcp_queue *queue,
			   struct work_struct *io_work,
			   struct workqueue_struct *wq)
{
	queue->io_work = io_work;
	queue->wq = wq;
	INIT_DELAYED_WORK(&queue->resend_work, nvme_mptcp_resend_work);
	queue->recv_skb = alloc_skb(NVME_MPTCP_RECV_LEN, GFP_KERNEL);
	return queue->recv_skb ? 0 : -ENOMEM;
}

/* A sender that runs out of space now must not arm the work again */
void nvme_mptcp_stop_sending(struct nvme_mptcp_queue *queue)
{
	disable_delayed_work_sync(&queue->resend_work);
}

void nvme_mptcp_free_queue(struct nvme_mptcp_queue *queue)
{
	kfree_skb(queue->recv_skb);
	queue->recv_skb = NULL;
}

/*
 * MPTCP wakes processes that sleep on a socket when it has send space again,
 * but does not call sk_write_space(), as TCP does: retry a jiffy later. The
 * timer is not bound to a CPU, because it would never expire on one that has
 * gone offline.
 */
void nvme_mptcp_send_later(struct nvme_mptcp_queue *queue, int cpu)
{
	queue->cpu = cpu;
	queue_delayed_work(queue->wq, &queue->resend_work, 1);
}

/*
 * Fill the buffer. Return the number of bytes, 0 at the end of the stream, or a
 * negative error code.
 */
int nvme_mptcp_receive(struct nvme_mptcp_queue *queue, struct socket *sock)
{
	struct sk_buff *skb = queue->recv_skb;
	struct msghdr msg = {};
	struct kvec iov;
	int ret;

	skb_trim(skb, 0);
	iov.iov_base = skb->data;
	iov.iov_len = NVME_MPTCP_RECV_LEN;
	ret = kernel_recvmsg(sock, &msg, &iov, 1, iov.iov_len, MSG_DONTWAIT);
	if (ret > 0)
		skb_put(skb, ret);
	return ret;
}
