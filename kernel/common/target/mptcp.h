/* SPDX-License-Identifier: GPL-2.0 */
/*
 * NVMe over Fabrics MPTCP target.
 */
#ifndef _NVMET_MPTCP_H
#define _NVMET_MPTCP_H

#include <linux/in.h>
#include <linux/nsproxy.h>

#include "nvmet.h"
#include "mptcp-kernel.h"

/*
 * The specification has no transport type for NVMe over MPTCP yet. This
 * reserved value is used provisionally.
 */
#define NVMF_TRTYPE_MPTCP		4

static inline bool nvmet_mptcp_refuses_tls(struct nvmet_port *port, bool tls)
{
	if (!tls || port->disc_addr.trtype != NVMF_TRTYPE_MPTCP)
		return false;
	pr_err("TLS is not supported over MPTCP\n");
	return true;
}

/*
 * TSAS has the layout of TCP. A setting from another transport type must not
 * require TLS.
 */
static inline void nvmet_mptcp_init_port(struct nvmet_port *port)
{
	port->disc_addr.tsas.tcp.sectype = NVMF_TCP_SECTYPE_NONE;
	port->disc_addr.treq &= ~NVME_TREQ_SECURE_CHANNEL_MASK;
}

static inline int nvmet_mptcp_protocol(struct nvmet_port *port)
{
	return port->disc_addr.trtype == NVMF_TRTYPE_MPTCP ? IPPROTO_MPTCP :
							     IPPROTO_TCP;
}

int nvmet_mptcp_register(const struct nvmet_fabrics_ops *tcp);
void nvmet_mptcp_unregister(const struct nvmet_fabrics_ops *tcp);

int nvmet_mptcp_set_port_sockopts(struct socket *sock, int priority);
int nvmet_mptcp_set_queue_sockopts(struct socket *sock, int priority);

int nvmet_mptcp_accepted(struct nvmet_port *port, struct socket *sock);
void nvmet_mptcp_init_queue(struct nvmet_mptcp_queue *queue,
			    struct nvmet_port *port, struct socket *sock,
			    const struct nvmet_fabrics_ops *tcp,
			    struct work_struct *io_work,
			    struct workqueue_struct *wq);

#endif /* _NVMET_MPTCP_H */
