// SPDX-License-Identifier: GPL-2.0
/*
 * NVMe over Fabrics MPTCP target: sending without what MPTCP of Linux 6.12
 * does not have.
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

/* A sender that is just giving up must not arm the work again */
void nvmet_mptcp_stop_queue(struct nvmet_mptcp_queue *queue)
{
	disable_delayed_work_sync(&queue->resend_work);
}

/*
 * MPTCP wakes the sleepers on a socket that has got room again, but does not
 * call sk_write_space(): look again a jiffy later. TCP does call it. The timer
 * may run anywhere, as that of a processor that went offline would never expire.
 */
void nvmet_mptcp_send_later(struct nvmet_mptcp_queue *queue, int cpu)
{
	if (!queue->enabled)
		return;
	queue->cpu = cpu;
	queue_delayed_work(queue->wq, &queue->resend_work, 1);
}

/* The pages of the next send: for TCP those of one entry, as ever */
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
