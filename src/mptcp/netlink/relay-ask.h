/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a relay tells those who ask. The answer is a memory file that is sent as a descriptor: the relay
 * never waits for a reader, however much it has to say. The file has lines of words:
 *
 *	relay 1
 *	connection ID PORTAL PEER host|target open|connecting mptcp|fallback TOKEN SUBFLOWS TO FROM
 *		INODE CNTLID NQN
 *	portal PORTAL PEER ERRNO [steered|AT]
 *	takes PORT
 *
 * A connection is one line. What is not known of it is 0, -1 or "-". Lines that begin otherwise, and words
 * at their ends, belong to later relays.
 */
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <nvme/mptcp/relay.h>

#define RELAY_ASK_DIRECTORY "/run/nvme-mptcp"
#define RELAY_ASK_FIRST_LINE "relay 1\n"

/* Room for one descriptor beside a message of one byte. */
union relay_ask_ancillary {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

/* The socket of the thread's network namespace, "/run/nvme-mptcp/relay-17.sock". */
void relay_ask_socket(struct sockaddr_un *ret);

/* Lines of an answer. 0, -EBADMSG or -ENOMEM with what is there by then. */
int relay_ask_parse(const char *text, size_t size, struct nvme_mptcp_relay_status *ret);

/* What the relay of the thread's network namespace has: 0, -ENOENT: none runs, or -errno with a sentence. */
int relay_ask_now(struct nvme_mptcp_relay_status *ret);
