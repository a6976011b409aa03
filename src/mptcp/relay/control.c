// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a relay has, for those who ask. The answer is a memory file that is sent as a descriptor: the
 * relay never waits for a reader, however much it has to say. The file has lines of words:
 *
 *	relay 1
 *	connection ID PORTAL PEER host|target open|connecting mptcp|fallback TOKEN SUBFLOWS TO FROM
 *	portal PORTAL PEER ERRNO [steered]
 *
 * Lines that begin otherwise belong to later relays.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

#include "mptcp/netlink/netns.h"
#include "steering.h"

#define DIRECTORY "/run/nvme-mptcp"
#define FIRST_LINE "relay 1\n"
/* Far more than as many connections as there are descriptors. */
#define ANSWER_MAX (256 << 20)
#define ANSWER_TIMEOUT_S 5

/* "/run/nvme-mptcp/relay-17.sock" */
static void name_socket(struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(ret->sun_path, sizeof(ret->sun_path), DIRECTORY "/relay-%" PRIu64 ".sock",
		 netns_cookie());
}

int nvme_mptcp_relay_control(nvme_mptcp_relay_t relay)
{
	_cleanup_(close) int fd = -1;
	struct sockaddr_un name;
	mode_t before;
	int err = 0;

	failure_begin();
	name_socket(&name);
	if (mkdir(DIRECTORY, 0755) && errno != EEXIST)
		return failure_raise(-errno, DIRECTORY);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* One that was killed left its own: the lock of the network namespace is ours. */
	unlink(name.sun_path);
	before = umask(0077);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&name, sizeof(name)) || listen(fd, 16))
		err = -errno;
	umask(before);
	if (!err)
		err = str_set(&relay->control_path, name.sun_path);
	if (err)
		return failure_raise(err, name.sun_path);
	relay->control = fd;
	fd = -1;
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
	fprintf(to, "connection %" PRIu64 " %s %s %s %s %s %u %u %" PRIu64 " %" PRIu64 "\n", c->id,
		c->portal, c->peer, c->is_target ? "target" : "host",
		c->is_open ? "open" : "connecting", c->is_fallback ? "fallback" : "mptcp", c->token,
		c->subflows, c->to_mptcp, c->from_mptcp);
}

static bool is_steered(const struct nvme_mptcp_relay *relay, const char *portal)
{
	char text[ADDRESS_TEXT];

	for (size_t i = 0; !relay->by_address && i < relay->n_portals; i++) {
		address_port_text(&relay->portals[i], text);
		if (!strcmp(text, portal))
			return true;
	}
	return false;
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
	char text[ADDRESS_TEXT];

	for (size_t i = 0; i < status->n_results; i++)
		fprintf(to, "portal %s %s %d%s\n", status->results[i].portal,
			status->results[i].peer, status->results[i].err,
			is_steered(relay, status->results[i].portal) ? " steered" : "");
	for (size_t i = 0; !relay->by_address && i < relay->n_portals; i++) {
		address_port_text(&relay->portals[i], text);
		if (!has_result(status, text))
			fprintf(to, "portal %s - 0 steered\n", text);
	}
}

/* A memory file with the answer, or -errno. */
static int write_answer(const struct nvme_mptcp_relay *relay,
			const struct nvme_mptcp_relay_status *status)
{
	int fd = memfd_create("nvme-mptcp-relay", MFD_CLOEXEC), copy = fd < 0 ? -1 : dup(fd);
	FILE *to = copy < 0 ? NULL : fdopen(copy, "w");
	int err = to ? 0 : -errno;

	if (!to && copy >= 0)
		close(copy);
	if (to) {
		fputs(FIRST_LINE, to);
		for (size_t i = 0; i < status->n_connections; i++)
			put_connection(to, &status->connections[i]);
		put_portals(to, relay, status);
		if (fclose(to))
			err = -errno;
	}
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}

/* Room for one descriptor beside a message of one byte. */
union ancillary {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static int send_descriptor(int client, int fd)
{
	union ancillary control = { .header = { .cmsg_level = SOL_SOCKET,
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

static int receive_descriptor(int fd)
{
	union ancillary control;
	char byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control.bytes,
			      .msg_controllen = sizeof(control.bytes) };
	const struct cmsghdr *header;
	int received;

	if (recvmsg(fd, &msg, MSG_CMSG_CLOEXEC) < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	header = CMSG_FIRSTHDR(&msg);
	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
	    header->cmsg_len != CMSG_LEN(sizeof(int)))
		return -EBADMSG;
	memcpy(&received, CMSG_DATA(header), sizeof(received));
	return received;
}

/* Words that are copied without a length fit: their width stands in the format. */
static int parse_connection(const char *line, struct nvme_mptcp_relay_status *status)
{
	struct nvme_mptcp_relay_connection c = {}, *added;
	char side[8], state[12], protocol[12];

	if (sscanf(line,
		   "connection %" SCNu64 " %55s %55s %7s %11s %11s %u %u %" SCNu64 " %" SCNu64,
		   &c.id, c.portal, c.peer, side, state, protocol, &c.token, &c.subflows,
		   &c.to_mptcp, &c.from_mptcp) != 10)
		return -EBADMSG;
	c.is_target = !strcmp(side, "target");
	c.is_open = !strcmp(state, "open");
	c.is_fallback = !strcmp(protocol, "fallback");
	added = array_add(&status->connections, &status->n_connections, sizeof(c));
	if (!added)
		return -ENOMEM;
	*added = c;
	return 0;
}

static int parse_result(const char *line, struct nvme_mptcp_relay_status *status)
{
	struct nvme_mptcp_relay_result result = {}, *added;
	char steered[12] = "";

	if (sscanf(line, "portal %55s %55s %d%*[ ]%11s", result.portal, result.peer, &result.err,
		   steered) < 3 ||
	    result.err < 0)
		return -EBADMSG;
	result.is_steered = !strcmp(steered, "steered");
	if (!strcmp(result.peer, "-"))
		*result.peer = '\0';
	added = array_add(&status->results, &status->n_results, sizeof(result));
	if (!added)
		return -ENOMEM;
	*added = result;
	return 0;
}

static int parse_status_line(const char *line, struct nvme_mptcp_relay_status *status)
{
	if (!strncmp(line, "connection ", strlen("connection ")))
		return parse_connection(line, status);
	if (!strncmp(line, "portal ", strlen("portal ")))
		return parse_result(line, status);
	return 0;
}

int relay_status_parse(const char *text, size_t size, struct nvme_mptcp_relay_status *ret)
{
	const char *const end = text + size;
	int err = 0;

	if (size < strlen(FIRST_LINE) || memcmp(text, FIRST_LINE, strlen(FIRST_LINE)) != 0)
		return -EBADMSG;
	for (text += strlen(FIRST_LINE); !err && text < end;) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		char line[512];

		if (!newline || (size_t)(newline - text) >= sizeof(line))
			return -EBADMSG;
		str_copy(line, sizeof(line), text, (size_t)(newline - text));
		err = parse_status_line(line, ret);
		text = newline + 1;
	}
	return err;
}

static int read_answer(int fd, struct nvme_mptcp_relay_status *ret)
{
	struct stat st;
	char *text;
	int err;

	/* A file that could shrink while it is read would end us by a signal: it is copied. */
	if (fstat(fd, &st))
		return -errno;
	if (st.st_size > ANSWER_MAX)
		return -EBADMSG;
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		return -ENOMEM;
	if (pread(fd, text, (size_t)st.st_size, 0) != st.st_size)
		err = -EBADMSG;
	else
		err = relay_status_parse(text, (size_t)st.st_size, ret);
	free(text);
	return err;
}

static int ask_relay(void *arg)
{
	const struct timeval timeout = { .tv_sec = ANSWER_TIMEOUT_S };
	_cleanup_(close) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), file = -1;
	struct sockaddr_un name;

	if (fd < 0)
		return -errno;
	name_socket(&name);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	if (connect(fd, (const struct sockaddr *)&name, sizeof(name))) {
		if (errno == ENOENT || errno == ECONNREFUSED)
			return failure_note(-ENOENT, "no relay runs in this network namespace "
						     "(the command relay starts one)");
		return failure_note(-errno, "%s: %s%s", name.sun_path, strerror(errno),
				    errno == EACCES ? " (a relay answers root)" : "");
	}
	file = receive_descriptor(fd);
	return file < 0 ? file : read_answer(file, arg);
}

int nvme_mptcp_relay_ask(const char *netns, struct nvme_mptcp_relay_status **ret)
{
	struct nvme_mptcp_relay_status *status = calloc(1, sizeof(*status));
	int err;

	failure_begin();
	err = status ? netns_run(netns, ask_relay, status) : -ENOMEM;
	if (err) {
		nvme_mptcp_relay_status_free(status);
		return failure_raise(err, "the relay's answer");
	}
	*ret = status;
	return 0;
}

void nvme_mptcp_relay_status_free(struct nvme_mptcp_relay_status *status)
{
	if (!status)
		return;
	free(status->connections);
	free(status->results);
	free(status);
}
