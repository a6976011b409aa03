/* SPDX-License-Identifier: GPL-2.0 */
/* NVMe over Fabrics MPTCP target: differences of kernels after Linux 6.12. */
#ifndef _NVMET_MPTCP_KERNEL_H
#define _NVMET_MPTCP_KERNEL_H

#include <linux/workqueue.h>

struct nvmet_fabrics_ops;

struct nvmet_mptcp_queue {
	/* The connection is MPTCP, not plain TCP to an MPTCP port */
	bool				enabled;
	const struct nvmet_fabrics_ops	*ops;
};

static inline void nvmet_mptcp_init_sending(struct nvmet_mptcp_queue *queue,
					    struct work_struct *io_work,
					    struct workqueue_struct *wq)
{
}

#endif /* _NVMET_MPTCP_KERNEL_H */
