/* SPDX-License-Identifier: GPL-2.0 */
/*
 * NVMe over MPTCP: the first subflow of a connection.
 */
#ifndef _NVME_MPTCP_SUBFLOW_H
#define _NVME_MPTCP_SUBFLOW_H

#include <net/inet6_hashtables.h>
#include <net/inet_hashtables.h>
#include <net/ipv6.h>

/*
 * Return the TCP socket that has the addresses of an MPTCP socket, or NULL.
 * Release it with sock_gen_put(). Instead of the socket, the table may contain
 * the timewait socket of a closed connection, which is not a full socket.
 */
static inline struct sock *nvme_mptcp_first_subflow(struct socket *sock)
{
	struct sock *sk = sock->sk, *ssk;
	struct inet_sock *inet = inet_sk(sk);

	/* Entries of the table are freed after a grace period */
	rcu_read_lock();
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6 && !ipv6_addr_v4mapped(&sk->sk_v6_daddr))
		ssk = __inet6_lookup_established(sock_net(sk),
				&sk->sk_v6_daddr, inet->inet_dport,
				&sk->sk_v6_rcv_saddr, ntohs(inet->inet_sport),
				sk->sk_bound_dev_if, 0);
	else
#endif
		ssk = __inet_lookup_established(sock_net(sk),
				inet->inet_daddr, inet->inet_dport,
				inet->inet_rcv_saddr, ntohs(inet->inet_sport),
				sk->sk_bound_dev_if, 0);
	rcu_read_unlock();
	if (ssk && !sk_fullsock(ssk)) {
		sock_gen_put(ssk);
		return NULL;
	}
	return ssk;
}

#endif /* _NVME_MPTCP_SUBFLOW_H */
