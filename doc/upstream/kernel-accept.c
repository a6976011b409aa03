// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel-accept: compare the operations of a plain TCP socket that kernel_accept() took from an
 * MPTCP listener with those of another TCP socket. The result is in the kernel log; loading always
 * fails with EAGAIN, so that nothing stays.
 *
 *     echo 'obj-m := kernel-accept.o' >Makefile
 *     make -C /lib/modules/$(uname -r)/build M=$PWD modules
 *     insmod kernel-accept.ko; dmesg | tail -n 1
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/in.h>
#include <linux/module.h>
#include <linux/net.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#define PORT 4993

static int listen_and_accept(struct socket *listener, struct socket *client)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(PORT),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct socket *taken;
	int err;

	err = kernel_bind(listener, (struct sockaddr *)&address, sizeof(address));
	if (!err)
		err = kernel_listen(listener, 1);
	if (!err)
		err = kernel_connect(client, (struct sockaddr *)&address, sizeof(address), 0);
	if (!err)
		err = kernel_accept(listener, &taken, 0);
	if (err)
		return err;
	pr_info("accepted a socket of protocol %u with the operations of %s\n",
		taken->sk->sk_protocol, taken->ops == client->ops ? "TCP" : "MPTCP");
	/* what runs on it from here on must be TCP's */
	taken->ops = client->ops;
	sock_release(taken);
	return 0;
}

static int __init start(void)
{
	struct socket *listener, *client;
	int err;

	err = sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_MPTCP, &listener);
	if (err)
		return err;
	err = sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP, &client);
	if (!err) {
		err = listen_and_accept(listener, client);
		sock_release(client);
	}
	sock_release(listener);
	return err ?: -EAGAIN;
}
module_init(start);
MODULE_DESCRIPTION("Reproducer: kernel_accept() of an MPTCP listener");
MODULE_LICENSE("GPL");
