// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ask the relay of a network namespace for its connections and portals. */
#include "config.h"
#include "base/array.h"
#include "base/failure.h"
#include "base/str.h"
#include "netns.h"
#include "relay-ask.h"

/* Maximum size of an answer; far more than descriptors can be open */
#define ANSWER_MAX (256 << 20)
#define ANSWER_TIMEOUT_S 5

void relay_ask_socket(struct sockaddr_un *ret)
{
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	snprintf(ret->sun_path, sizeof(ret->sun_path),
		 RELAY_ASK_DIRECTORY "/relay-%" PRIu64 ".sock", netns_cookie());
}

void relay_ask_bypass(int fd)
{
	const unsigned int mark = RELAY_OWN_MARK;
	struct sockaddr_un name;

	relay_ask_socket(&name);
	if (!access(name.sun_path, F_OK))
		setsockopt(fd, SOL_SOCKET, SO_MARK, &mark, sizeof(mark));
}

static int receive_descriptor(int fd)
{
	union relay_ask_ancillary control;
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

/* The format limits the width of each word to the size of its buffer. */
static int parse_connection(const char *line, struct nvme_mptcp_relay_status *status)
{
	struct nvme_mptcp_relay_connection c = {};
	char side[8], state[12], protocol[12];

	if (sscanf(line,
		   "connection %" SCNu64 " %55s %55s %7s %11s %11s %u %u %" SCNu64 " %" SCNu64
		   " %u %d %223s",
		   &c.id, c.portal, c.peer, side, state, protocol, &c.token, &c.subflows,
		   &c.to_mptcp, &c.from_mptcp, &c.inode, &c.cntlid, c.subsysnqn) != 13)
		return -EBADMSG;
	if (c.cntlid < 0 || !strcmp(c.subsysnqn, "-")) {
		c.cntlid = -1;
		*c.subsysnqn = '\0';
	}
	c.is_target = !strcmp(side, "target");
	c.is_open = !strcmp(state, "open");
	c.is_fallback = !strcmp(protocol, "fallback");
	return array_push(&status->connections, &status->n_connections, &c, sizeof(c));
}

static int parse_result(const char *line, struct nvme_mptcp_relay_status *status)
{
	struct nvme_mptcp_relay_result result = {};

	if (sscanf(line, "portal %55s %55s %d%*[ ]%55s", result.portal, result.peer, &result.err,
		   result.at) < 3 ||
	    result.err < 0)
		return -EBADMSG;
	result.is_steered = !strcmp(result.at, "steered");
	if (result.is_steered)
		memcpy(result.at, result.portal, sizeof(result.at));
	if (!strcmp(result.peer, "-"))
		*result.peer = '\0';
	return array_push(&status->results, &status->n_results, &result, sizeof(result));
}

static int parse_taken(const char *line, struct nvme_mptcp_relay_status *status)
{
	int64_t number;
	uint16_t port;

	if (str_parse_int(line + strlen("takes "), 1, UINT16_MAX, &number))
		return -EBADMSG;
	port = (uint16_t)number;
	return array_push(&status->ports, &status->n_ports, &port, sizeof(port));
}

static int parse_link(const char *line, struct nvme_mptcp_relay_status *status)
{
	char link[sizeof(*status->links)];

	if (sscanf(line, "link %15s", link) != 1)
		return -EBADMSG;
	return array_push(&status->links, &status->n_links, &link, sizeof(link));
}

static int parse_status_line(const char *line, struct nvme_mptcp_relay_status *status)
{
	if (!strncmp(line, "connection ", strlen("connection ")))
		return parse_connection(line, status);
	if (!strncmp(line, "portal ", strlen("portal ")))
		return parse_result(line, status);
	if (!strncmp(line, "takes ", strlen("takes ")))
		return parse_taken(line, status);
	if (!strncmp(line, "link ", strlen("link ")))
		return parse_link(line, status);
	return 0;
}

int relay_ask_parse(const char *text, size_t size, struct nvme_mptcp_relay_status *ret)
{
	const char *const end = text + size;
	int err = 0;

	if (size < strlen(RELAY_ASK_FIRST_LINE) ||
	    memcmp(text, RELAY_ASK_FIRST_LINE, strlen(RELAY_ASK_FIRST_LINE)) != 0)
		return -EBADMSG;
	for (text += strlen(RELAY_ASK_FIRST_LINE); !err && text < end;) {
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

	/* Read a copy instead of mapping: if the file shrank, access would raise SIGBUS. */
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
		err = relay_ask_parse(text, (size_t)st.st_size, ret);
	free(text);
	return err;
}

int relay_ask_now(struct nvme_mptcp_relay_status *ret)
{
	const struct timeval timeout = { .tv_sec = ANSWER_TIMEOUT_S };
	_cleanup_(close) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), file = -1;
	struct sockaddr_un name;

	if (fd < 0)
		return -errno;
	relay_ask_socket(&name);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	if (connect(fd, (const struct sockaddr *)&name, sizeof(name))) {
		if (errno == ENOENT || errno == ECONNREFUSED)
			return failure_note(-ENOENT, "no relay runs in this network namespace "
						     "(nvme-mptcp-relay.service starts one)");
		return failure_note(-errno, "%s: %s%s", name.sun_path, strerror(errno),
				    errno == EACCES ? " (a relay answers only root)" : "");
	}
	file = receive_descriptor(fd);
	return file < 0 ? file : read_answer(file, ret);
}

static int ask_there(void *arg)
{
	return relay_ask_now(arg);
}

int nvme_mptcp_relay_ask(const char *netns, struct nvme_mptcp_relay_status **ret)
{
	struct nvme_mptcp_relay_status *status = calloc(1, sizeof(*status));
	int err;

	failure_begin();
	err = status ? netns_run(netns, ask_there, status) : -ENOMEM;
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
	free(status->ports);
	free(status->links);
	free(status);
}
