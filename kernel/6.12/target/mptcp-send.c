// SPDX-License-Identifier: GPL-2.0
/*
 * NVMe over Fabrics MPTCP target: workarounds for sending with the MPTCP of
 * Linux 6.12.
 */
#include "mptcp.h"

static void nvmet_mptcp_resend_work(struct work_struct *w)
{
	struct nvmet_mptcp_queue *queue = container_of(to_delayed_work(w),
			struct nvmet_mptcp_queue, resend_work);

	queue_work_on(queue->cpu, queue->wq, queue->io_work);
}

void nvmet_mptcp_init_sending(struct nvmet_mptcp_queue *queue,
			      struct work_struct *io_work,
			      struct workqueue_struct *wq)
{
	queue->io_work = io_work;
	queue->wq = wq;
	INIT_DELAYED_WORK(&queue->resend_work, nvmet_mptcp_resend_work);
}

/* A sender that runs out of space now must not arm the work again */
void nvmet_mptcp_stop_queue(struct nvmet_mptcp_queue *queue)
{
	disable_delayed_work_sync(&queue->resend_work);
}

/*
 * MPTCP wakes processes that sleep on a socket when it has send space again,
 * but does not call sk_write_space(), as TCP does: retry a jiffy later. The
 * timer is not bound to a CPU, because it would never expire on one that has
 * gone offline.
 */
void nvmet_mptcp_send_later(struct nvmet_mptcp_queue *queue, int cpu)
{
	if (!queue->enabled)
		return;
	queue->cpu = cpu;
	queue_delayed_work(queue->wq, &queue->resend_work, 1);
}

/*
 * Collect the pages of the next send: for TCP, those of one scatterlist entry,
 * as nvmet-tcp does
 */
int nvmet_mptcp_gather(struct nvmet_mptcp_queue *queue, struct scatterlist *sg,
		       u32 offset, struct bio_vec *bvec, u32 *left)
{
	int max = queue->enabled ? NVMET_MPTCP_SEND_PAGES : 1, n = 0;

	for (*left = 0; sg && n < max; sg = sg_next(sg), offset = 0) {
		bvec_set_page(&bvec[n++], sg_page(sg), sg->length - offset,
			      offset);
		*left += sg->length - offset;
	}
	return n;
}
