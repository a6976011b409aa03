// SPDX-License-Identifier: GPL-2.0
/*
 * NVMe over Fabrics MPTCP target.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt
#include <linux/module.h>
#include <linux/net.h>
#include <linux/ratelimit.h>
#include <linux/tcp.h>
#include <net/sock.h>

#include "mptcp.h"
#include "../host/mptcp-subflow.h"

/* The operations of nvmet-tcp with another type */
static struct nvmet_fabrics_ops nvmet_mptcp_ops;

int nvmet_mptcp_register(const struct nvmet_fabrics_ops *tcp)
{
	int ret;

	nvmet_mptcp_ops = *tcp;
	nvmet_mptcp_ops.type = NVMF_TRTYPE_MPTCP;

	ret = nvmet_register_transport(tcp);
	if (ret)
		return ret;
	ret = nvmet_register_transport(&nvmet_mptcp_ops);
	if (ret)
		nvmet_unregister_transport(tcp);
	return ret;
}

void nvmet_mptcp_unregister(const struct nvmet_fabrics_ops *tcp)
{
	nvmet_unregister_transport(&nvmet_mptcp_ops);
	nvmet_unregister_transport(tcp);
}

/*
 * An MPTCP socket is not a tcp_sock: helpers that access one directly would
 * corrupt it. MPTCP's setsockopt() also sets the option on the subflows.
 */
static int nvmet_mptcp_setsockopt(struct socket *sock, int level, int optname,
				  const char *name, void *val, unsigned int len)
{
	int ret;

	ret = READ_ONCE(sock->ops)->setsockopt(sock, level, optname,
					       KERNEL_SOCKPTR(val), len);
	if (ret)
		pr_err("failed to set %s, err %d\n", name, ret);
	return ret;
}

/* Set the options common to a listener and the sockets that it accepts */
static int nvmet_mptcp_set_sockopts(struct socket *sock, int priority)
{
	int val = 1, ret;

	ret = nvmet_mptcp_setsockopt(sock, SOL_TCP, TCP_NODELAY, "TCP_NODELAY",
				     &val, sizeof(val));
	if (ret)
		return ret;

	if (priority > 0)
		return nvmet_mptcp_setsockopt(sock, SOL_SOCKET, SO_PRIORITY,
					      "SO_PRIORITY", &priority,
					      sizeof(priority));
	return 0;
}

int nvmet_mptcp_set_port_sockopts(struct socket *sock, int priority)
{
	int val = 1, ret;

	ret = nvmet_mptcp_setsockopt(sock, SOL_SOCKET, SO_REUSEADDR,
				     "SO_REUSEADDR", &val, sizeof(val));
	if (ret)
		return ret;

	return nvmet_mptcp_set_sockopts(sock, priority);
}

/* Send responses with the type of service of the host's packets */
static int nvmet_mptcp_reflect_tos(struct socket *sock)
{
	struct sock *ssk = nvme_mptcp_first_subflow(sock);
	int tos;

	/* The subflow may be closed already: the others then have no TOS */
	if (!ssk)
		return 0;
	tos = ssk->sk_state == TCP_ESTABLISHED ? inet_sk(ssk)->rcv_tos : 0;
	sock_gen_put(ssk);
	if (!tos)
		return 0;
	return nvmet_mptcp_setsockopt(sock, SOL_IP, IP_TOS, "IP_TOS", &tos,
				      sizeof(tos));
}

int nvmet_mptcp_set_queue_sockopts(struct socket *sock, int priority)
{
	struct linger linger = { .l_onoff = 1, .l_linger = 0 };
	int ret;

	ret = nvmet_mptcp_setsockopt(sock, SOL_SOCKET, SO_LINGER, "SO_LINGER",
				     &linger, sizeof(linger));
	if (ret)
		return ret;

	ret = nvmet_mptcp_set_sockopts(sock, priority);
	if (ret)
		return ret;

	return nvmet_mptcp_reflect_tos(sock);
}

/*
 * If a host, or a middlebox, does not support MPTCP, an MPTCP listener accepts
 * a plain TCP socket. accept() gives it the operations of TCP, and
 * kernel_accept() overwrites them with those of the listener. Restore them from
 * another TCP socket, because inet6_stream_ops is not exported.
 */
int nvmet_mptcp_accepted(struct nvmet_port *port, struct socket *sock)
{
	static DEFINE_RATELIMIT_STATE(limit, 60 * HZ, 1);
	struct sock *sk = sock->sk;
	struct module *listeners;
	struct socket *tcp;
	int ret;

	if (port->disc_addr.trtype != NVMF_TRTYPE_MPTCP ||
	    sk->sk_protocol == IPPROTO_MPTCP)
		return 0;

	ret = sock_create_kern(sock_net(sk), sk->sk_family, SOCK_STREAM,
			       IPPROTO_TCP, &tcp);
	if (ret) {
		pr_err_ratelimited("failed to create a socket, err %d\n", ret);
		return ret;
	}
	listeners = READ_ONCE(sock->ops)->owner;
	__module_get(READ_ONCE(tcp->ops)->owner);
	WRITE_ONCE(sock->ops, READ_ONCE(tcp->ops));
	module_put(listeners);
	sock_release(tcp);

	if (__ratelimit(&limit))
		pr_info("port %d: a host connected over TCP, not MPTCP: it has one path\n",
			le16_to_cpu(port->disc_addr.portid));
	return 0;
}

void nvmet_mptcp_init_queue(struct nvmet_mptcp_queue *queue,
			    struct nvmet_port *port, struct socket *sock,
			    const struct nvmet_fabrics_ops *tcp,
			    struct work_struct *io_work,
			    struct workqueue_struct *wq)
{
	queue->enabled = sock->sk->sk_protocol == IPPROTO_MPTCP;
	queue->ops = port->disc_addr.trtype == NVMF_TRTYPE_MPTCP ?
		&nvmet_mptcp_ops : tcp;
	nvmet_mptcp_init_sending(queue, io_work, wq);
}
