// SPDX-License-Identifier: GPL-2.0
/* NVMe over Fabrics MPTCP host: sockets and the addresses of queues. */
#include <linux/module.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/tcp.h>
#include <net/ipv6.h>
#include <net/sock.h>

#include "nvme.h"
#include "fabrics.h"
#include "mptcp-socket.h"
#include "mptcp-subflow.h"

/*
 * TCP limits the time of a connect by its number of SYN retries. MPTCP has no
 * such option; this is the time that TCP's single retry takes.
 */
#define NVME_MPTCP_CONNECT_TIMEOUT	(3 * HZ)

/*
 * A controller holds the network namespace of the process that creates it, and
 * a reference to the module, which must not be removed while in use.
 */
void nvme_mptcp_init_ctrl(struct nvme_mptcp_ctrl *ctrl)
{
	ctrl->net = get_net(current->nsproxy->net_ns);
	mutex_init(&ctrl->lock);
	__module_get(THIS_MODULE);
}

void nvme_mptcp_exit_ctrl(struct nvme_mptcp_ctrl *ctrl)
{
	put_net(ctrl->net);
	module_put(THIS_MODULE);
}

/* Unlike __dev_get_by_name(), the RCU variant does not need the RTNL */
bool nvme_mptcp_has_interface(struct nvme_mptcp_ctrl *ctrl, const char *name)
{
	bool found;

	rcu_read_lock();
	found = dev_get_by_name_rcu(ctrl->net, name);
	rcu_read_unlock();
	return found;
}

int nvme_mptcp_create_socket(struct nvme_mptcp_ctrl *ctrl, int family,
			     struct socket **sock)
{
	return nvme_mptcp_sock_create(ctrl->net, family, sock);
}

/*
 * An MPTCP socket is not a tcp_sock: helpers that access one directly would
 * corrupt it. MPTCP's setsockopt() sets the option on the first subflow, and
 * later ones inherit it.
 */
int nvme_mptcp_setsockopt(struct socket *sock, int level, int optname,
			  sockptr_t optval, unsigned int optlen)
{
	return READ_ONCE(sock->ops)->setsockopt(sock, level, optname, optval,
						optlen);
}

static int nvme_mptcp_set(struct nvme_ctrl *nctrl, struct socket *sock,
			  int level, int optname, const char *name, void *val,
			  unsigned int len)
{
	int ret = nvme_mptcp_setsockopt(sock, level, optname,
					KERNEL_SOCKPTR(val), len);

	if (ret)
		dev_err(nctrl->device, "failed to set %s: %d\n", name, ret);
	return ret;
}

int nvme_mptcp_set_sockopts(struct nvme_ctrl *nctrl, struct socket *sock,
			    int priority)
{
	struct linger linger = { .l_onoff = 1, .l_linger = 0 };
	int val = 1, ret;

	ret = nvme_mptcp_set(nctrl, sock, SOL_TCP, TCP_NODELAY, "TCP_NODELAY",
			     &val, sizeof(val));
	if (ret)
		return ret;

	/*
	 * Cleanup whatever is sitting in the transmit queue on socket close.
	 * This is done to prevent stale data from being sent should the
	 * network connection be restored before TCP times out.
	 */
	ret = nvme_mptcp_set(nctrl, sock, SOL_SOCKET, SO_LINGER, "SO_LINGER",
			     &linger, sizeof(linger));
	if (ret)
		return ret;

	val = priority;
	if (val > 0) {
		ret = nvme_mptcp_set(nctrl, sock, SOL_SOCKET, SO_PRIORITY,
				     "SO_PRIORITY", &val, sizeof(val));
		if (ret)
			return ret;
	}

	/* Set socket type of service */
	val = nctrl->opts->tos;
	if (val >= 0)
		return nvme_mptcp_set(nctrl, sock, SOL_IP, IP_TOS, "IP_TOS",
				      &val, sizeof(val));
	return 0;
}

/*
 * IP_TOS applies to IPv4 only, and MPTCP does not support IPV6_TCLASS: set the
 * class on the first subflow. The path manager creates later subflows without a
 * class.
 */
static void nvme_mptcp_set_tclass(struct socket *sock, int tclass)
{
#if IS_ENABLED(CONFIG_IPV6)
	struct sock *ssk;

	if (tclass < 0 || sock->sk->sk_family != AF_INET6)
		return;
	ssk = nvme_mptcp_first_subflow(sock);
	if (!ssk)
		return;
	lock_sock(ssk);
	if (ssk->sk_family == AF_INET6)
		inet6_sk(ssk)->tclass = tclass;
	release_sock(ssk);
	sock_gen_put(ssk);
#endif
}

int nvme_mptcp_connect(struct nvme_ctrl *nctrl, struct socket *sock,
		       void *addr, int addrlen, int flags)
{
	struct sock *sk = sock->sk;
	int ret;

	sk->sk_sndtimeo = NVME_MPTCP_CONNECT_TIMEOUT;
	ret = kernel_connect(sock, addr, addrlen, flags);
	sk->sk_sndtimeo = MAX_SCHEDULE_TIMEOUT;
	if (!ret)
		nvme_mptcp_set_tclass(sock, nctrl->opts->tos);
	/* Still in progress after the timeout */
	return ret == -EINPROGRESS ? -ETIMEDOUT : ret;
}

/*
 * Note the addresses from which and to which the queue was connected, whatever
 * subflow carries it now: MPTCP's diagnosis identifies the socket by this pair.
 */
void nvme_mptcp_note_addrs(struct nvme_mptcp_ctrl *ctrl,
			   struct nvme_mptcp_queue *queue, struct socket *sock)
{
	struct sockaddr_storage local, remote;
	bool known = kernel_getsockname(sock, (struct sockaddr *)&local) > 0 &&
		     kernel_getpeername(sock, (struct sockaddr *)&remote) > 0;

	mutex_lock(&ctrl->lock);
	queue->addrs.live = known;
	if (known) {
		memcpy(&queue->addrs.local, &local, sizeof(queue->addrs.local));
		memcpy(&queue->addrs.remote, &remote,
		       sizeof(queue->addrs.remote));
	}
	mutex_unlock(&ctrl->lock);
}

void nvme_mptcp_stop_queue(struct nvme_mptcp_ctrl *ctrl,
			   struct nvme_mptcp_queue *queue)
{
	mutex_lock(&ctrl->lock);
	queue->addrs.live = false;
	mutex_unlock(&ctrl->lock);
	nvme_mptcp_stop_sending(queue);
}

int nvme_mptcp_get_address(struct nvme_ctrl *nctrl, char *buf, int size)
{
	struct nvme_mptcp_addrs *addrs = &nvme_mptcp_queue_of(nctrl, 0)->addrs;
	struct nvme_mptcp_ctrl *ctrl = nvme_mptcp_ctrl_of(nctrl);
	int len = nvmf_get_address(nctrl, buf, size);

	mutex_lock(&ctrl->lock);
	if (addrs->live) {
		if (len > 0)
			len--; /* strip trailing newline */
		len += scnprintf(buf + len, size - len, "%ssrc_addr=%pISc\n",
				 len ? "," : "", &addrs->local);
	}
	mutex_unlock(&ctrl->lock);
	return len;
}
