// SPDX-License-Identifier: LGPL-2.1-or-later
/* Answers status requests to a relay: see mptcp/netlink/relay-ask.h. */
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "steering.h"

int nvme_mptcp_relay_control(nvme_mptcp_relay_t relay)
{
	_cleanup_(close) int fd = -1;
	struct sockaddr_un name;
	mode_t before;
	int err = 0;

	failure_begin();
	relay_ask_socket(&name);
	if (mkdir(RELAY_ASK_DIRECTORY, 0755) && errno != EEXIST)
		return failure_raise(-errno, RELAY_ASK_DIRECTORY);
	relay->control =
		relay_take_inherited(relay, (const struct sockaddr *)&name, sizeof(name), 0);
	relay_close_inherited(relay);
	if (relay->control < 0) {
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		/*
		 * Remove the socket of a relay that was killed: we hold the lock of the network
		 * namespace.
		 */
		unlink(name.sun_path);
		before = umask(0077);
		if (fd < 0 || bind(fd, (const struct sockaddr *)&name, sizeof(name)) ||
		    listen(fd, 16))
			err = -errno;
		umask(before);
	}
	if (!err)
		err = str_set(&relay->control_path, name.sun_path);
	if (err)
		return failure_raise(err, name.sun_path);
	if (fd >= 0)
		relay->control = steal_fd(&fd);
	return relay->control;
}

void relay_control_close(struct nvme_mptcp_relay *relay)
{
	if (relay->control >= 0) {
		unlink(relay->control_path);
		close(relay->control);
	}
	relay->control = -1;
	free(relay->control_path);
	relay->control_path = NULL;
}

static void put_connection(FILE *to, const struct nvme_mptcp_relay_connection *c)
{
	fprintf(to,
		"connection %" PRIu64 " %s %s %s %s %s %u %u %" PRIu64 " %" PRIu64 " %u %d %s\n",
		c->id, c->portal, c->peer, c->is_target ? "target" : "host",
		c->is_open ? "open" : "connecting", c->is_fallback ? "fallback" : "mptcp", c->token,
		c->subflows, c->to_mptcp, c->from_mptcp, c->inode, c->cntlid,
		*c->subsysnqn ? c->subsysnqn : "-");
}

/*
 * Return where to connect to for a portal, as the last word of a line; "" if @relay does not serve
 * it.
 */
static const char *word_for(const struct nvme_mptcp_relay *relay, const char *portal,
			    char at[static ADDRESS_TEXT])
{
	for (size_t i = 0; i < relay->n_portals; i++) {
		const struct socket_address instead = relay_loopback_address(&relay->portals[i]);

		address_port_text(&relay->portals[i], at);
		if (strcmp(at, portal) != 0)
			continue;
		address_port_text(&instead, at);
		return relay->by_address ? at : "steered";
	}
	return "";
}

static bool has_result(const struct nvme_mptcp_relay_status *status, const char *portal)
{
	for (size_t i = 0; i < status->n_results; i++)
		if (!strcmp(status->results[i].portal, portal))
			return true;
	return false;
}

static void put_portals(FILE *to, const struct nvme_mptcp_relay *relay,
			const struct nvme_mptcp_relay_status *status)
{
	char portal[ADDRESS_TEXT], at[ADDRESS_TEXT];

	for (size_t i = 0; i < status->n_results; i++)
		fprintf(to, "portal %s %s %d %s\n", status->results[i].portal,
			status->results[i].peer, status->results[i].err,
			word_for(relay, status->results[i].portal, at));
	for (size_t i = 0; i < relay->n_portals; i++) {
		address_port_text(&relay->portals[i], portal);
		if (!has_result(status, portal))
			fprintf(to, "portal %s - 0 %s\n", portal, word_for(relay, portal, at));
	}
	for (size_t i = 0; i < relay->n_ports; i++)
		fprintf(to, "takes %u\n", relay->ports[i]);
	for (size_t i = 0; i < relay->n_links; i++)
		fprintf(to, "link %s\n", relay->links[i]);
}

/* Return a memory file with the answer, or -errno. */
static int write_answer(const struct nvme_mptcp_relay *relay,
			const struct nvme_mptcp_relay_status *status)
{
	_cleanup_(close) int fd = memfd_create("nvme-mptcp-relay", MFD_CLOEXEC);
	_cleanup_(text_wipe) struct text text = { 0 };

	if (fd < 0)
		return -errno;
	if (text_open(&text)) {
		fputs(RELAY_ASK_FIRST_LINE, text.stream);
		for (size_t i = 0; i < status->n_connections; i++)
			put_connection(text.stream, &status->connections[i]);
		put_portals(text.stream, relay, status);
	}
	if (text_close(&text))
		return -ENOMEM;
	if (write(fd, text.bytes, text.length) != (ssize_t)text.length)
		return -EIO;
	return steal_fd(&fd);
}

static int send_descriptor(int client, int fd)
{
	union relay_ask_ancillary control = { .header = { .cmsg_level = SOL_SOCKET,
							  .cmsg_type = SCM_RIGHTS,
							  .cmsg_len = CMSG_LEN(sizeof(int)) } };
	char byte = 0;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control.bytes,
			      .msg_controllen = sizeof(control.bytes) };

	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	return sendmsg(client, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? -errno : 0;
}

int nvme_mptcp_relay_answer(nvme_mptcp_relay_t relay, const struct nvme_mptcp_relay_status *status)
{
	_cleanup_(close) int client = accept4(relay->control, NULL, NULL, SOCK_CLOEXEC), fd = -1;
	int err;

	failure_begin();
	if (client < 0)
		return failure_raise(-errno, "a client of the relay");
	fd = write_answer(relay, status);
	err = fd < 0 ? fd : send_descriptor(client, fd);
	return err ? failure_raise(err, "an answer of the relay") : 0;
}
