/* SPDX-License-Identifier: GPL-2.0 */
/*
 * NVMe over Fabrics MPTCP target: workarounds for sending with the MPTCP of
 * Linux 6.12.
 */
#ifndef _NVMET_MPTCP_KERNEL_H
#define _NVMET_MPTCP_KERNEL_H

#include <linux/bvec.h>
#include <linux/scatterlist.h>
#include <linux/workqueue.h>

struct nvmet_fabrics_ops;

/*
 * Pages passed to an MPTCP socket in one send. MPTCP copies the data anyway and
 * turns every send into packets at once, MSG_MORE or not.
 */
#define NVMET_MPTCP_SEND_PAGES		32

struct nvmet_mptcp_queue {
	/* The connection is MPTCP, not plain TCP to an MPTCP port */
	bool				enabled;
	const struct nvmet_fabrics_ops	*ops;
	struct delayed_work		resend_work;
	struct work_struct		*io_work;
	struct workqueue_struct		*wq;
	int				cpu;
};

void nvmet_mptcp_init_sending(struct nvmet_mptcp_queue *queue,
			      struct work_struct *io_work,
			      struct workqueue_struct *wq);
void nvmet_mptcp_stop_queue(struct nvmet_mptcp_queue *queue);
void nvmet_mptcp_send_later(struct nvmet_mptcp_queue *queue, int cpu);
int nvmet_mptcp_gather(struct nvmet_mptcp_queue *queue, struct scatterlist *sg,
		       u32 offset, struct bio_vec *bvec, u32 *left);

#endif /* _NVMET_MPTCP_KERNEL_H */
