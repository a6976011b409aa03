/* SPDX-License-Identifier: GPL-2.0 */
/* NVMe over Fabrics MPTCP host: sockets and the addresses of queues. */
#ifndef _NVME_MPTCP_SOCKET_H
#define _NVME_MPTCP_SOCKET_H

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/mutex.h>
#include <linux/nsproxy.h>
#include <linux/sockptr.h>
#include <net/net_namespace.h>

struct nvme_ctrl;

/* TLS over MPTCP is not supported: leave out its code and parameters */
#undef CONFIG_NVME_TCP_TLS

union nvme_mptcp_addr {
	struct sockaddr		sa;
	struct sockaddr_in	in;
	struct sockaddr_in6	in6;
};

/* Local and remote address of a queue's connection while it is live */
struct nvme_mptcp_addrs {
	bool			live;
	union nvme_mptcp_addr	local;
	union nvme_mptcp_addr	remote;
};

struct nvme_mptcp_ctrl {
	struct net		*net;
	/* Protects the addresses of the queues */
	struct mutex		lock;
};

#include "mptcp-kernel.h"

extern const struct attribute_group *nvme_mptcp_attr_groups[];

/* Defined in the driver, which knows the structures */
struct nvme_mptcp_ctrl *nvme_mptcp_ctrl_of(struct nvme_ctrl *ctrl);
struct nvme_mptcp_queue *nvme_mptcp_queue_of(struct nvme_ctrl *ctrl, int qid);

void nvme_mptcp_init_ctrl(struct nvme_mptcp_ctrl *ctrl);
void nvme_mptcp_exit_ctrl(struct nvme_mptcp_ctrl *ctrl);

bool nvme_mptcp_has_interface(struct nvme_mptcp_ctrl *ctrl, const char *name);
int nvme_mptcp_create_socket(struct nvme_mptcp_ctrl *ctrl, int family,
			     struct socket **sock);
int nvme_mptcp_setsockopt(struct socket *sock, int level, int optname,
			  sockptr_t optval, unsigned int optlen);
int nvme_mptcp_set_sockopts(struct nvme_ctrl *nctrl, struct socket *sock,
			    int priority);
int nvme_mptcp_connect(struct nvme_ctrl *nctrl, struct socket *sock,
		       void *addr, int addrlen, int flags);

void nvme_mptcp_note_addrs(struct nvme_mptcp_ctrl *ctrl,
			   struct nvme_mptcp_queue *queue, struct socket *sock);
void nvme_mptcp_stop_queue(struct nvme_mptcp_ctrl *ctrl,
			   struct nvme_mptcp_queue *queue);
int nvme_mptcp_get_address(struct nvme_ctrl *nctrl, char *buf, int size);

#endif /* _NVME_MPTCP_SOCKET_H */
