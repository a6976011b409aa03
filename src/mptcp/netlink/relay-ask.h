/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The answer of a relay. It is a memory file that the relay sends as a descriptor, so that the
 * relay never waits for a reader, whatever the size. The file has lines of words:
 *
 *	relay 1
 *	connection ID PORTAL PEER host|target open|connecting mptcp|fallback TOKEN SUBFLOWS TO FROM
 *		INODE CNTLID NQN
 *	portal PORTAL PEER ERRNO [steered|AT]
 *	takes PORT
 *	link NAME
 *
 * A connection is one line. An unknown value is 0, -1 or "-". Ignore other lines, and additional
 * words at the end of a line: later relays may write them.
 */
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <nvme/mptcp/relay.h>

#define RELAY_ASK_DIRECTORY "/run/nvme-mptcp"
#define RELAY_ASK_FIRST_LINE "relay 1\n"
/* Mark of packets that a relay does not steer: its own, and those of trials. */
#define RELAY_OWN_MARK 0x4e4d5002U

/* Ancillary data for one descriptor, sent with a message of one byte. */
union relay_ask_ancillary {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

/* Set @ret to the address of the thread's network namespace, "/run/nvme-mptcp/relay-17.sock". */
void relay_ask_socket(struct sockaddr_un *ret);

/*
 * Let a socket connect straight to a portal if a relay runs. The relay answers connections even if
 * the target does not, and a SYN that the kernel sends once more, without the MPTCP option, is
 * steered to it. Without CAP_NET_ADMIN, this has no effect.
 */
void relay_ask_bypass(int fd);

/* Parse an answer. Return 0, -EBADMSG or -ENOMEM, with the lines parsed so far in @ret. */
int relay_ask_parse(const char *text, size_t size, struct nvme_mptcp_relay_status *ret);

/* Ask the relay of the thread's namespace. Return 0, -ENOENT without one, or -errno noted. */
int relay_ask_now(struct nvme_mptcp_relay_status *ret);
