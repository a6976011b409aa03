// SPDX-License-Identifier: LGPL-2.1-or-later
/* Netlink requests and answers over libmnl. */
#include <sys/epoll.h>
#include <sys/socket.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#include "nl.h"

#define BUFFER_SIZE (64 * 1024)
#define BUFFER_MAX (4 * 1024 * 1024)
#define MULTICAST_BUFFER (4 * 1024 * 1024)
#define DUMP_ATTEMPTS 8
#define ANSWER_TIMEOUT_S 10

int nl_open(struct nl *nl, int protocol)
{
	struct timeval timeout = { .tv_sec = ANSWER_TIMEOUT_S };
	int on = 1;
	int err;

	memset(nl, 0, sizeof(*nl));
	nl->size = BUFFER_SIZE;
	nl->buf = malloc(nl->size);
	nl->req = calloc(1, NL_REQUEST_SIZE);
	if (!nl->buf || !nl->req) {
		err = -ENOMEM;
		goto fail;
	}
	nl->sock = mnl_socket_open2(protocol, SOCK_CLOEXEC);
	if (!nl->sock || mnl_socket_bind(nl->sock, 0, MNL_SOCKET_AUTOPID)) {
		err = -errno;
		goto fail;
	}
	/* Kernels without this option still answer, but do not explain errors. */
	mnl_socket_setsockopt(nl->sock, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(mnl_socket_get_fd(nl->sock), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	return 0;
fail:
	nl_close(nl);
	return err;
}

int nl_join(struct nl *nl, unsigned int group)
{
	int number = (int)group, size = MULTICAST_BUFFER, fd = mnl_socket_get_fd(nl->sock);

	/* Have space for a burst. Without privileges the system's limit applies. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	return mnl_socket_setsockopt(nl->sock, NETLINK_ADD_MEMBERSHIP, &number, sizeof(number))
		       ? -errno
		       : 0;
}

int nl_watch(struct nl *nl, int epoll)
{
	struct epoll_event event = { .events = EPOLLIN };
	int fd = mnl_socket_get_fd(nl->sock);

	return fd >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

void nl_close(struct nl *nl)
{
	if (nl->sock)
		mnl_socket_close(nl->sock);
	free(nl->buf);
	free(nl->req);
	memset(nl, 0, sizeof(*nl));
}

struct nlmsghdr *nl_request(struct nl *nl, uint16_t type, uint16_t flags)
{
	memset(nl->req, 0, NL_REQUEST_SIZE);
	mnl_nlmsg_put_header(nl->req);
	nl->req->nlmsg_type = type;
	nl->req->nlmsg_flags = NLM_F_REQUEST | flags;
	return nl->req;
}

struct nlmsghdr *nl_genl_request(struct nl *nl, uint16_t family, uint16_t flags, uint8_t command,
				 uint8_t version)
{
	struct nlmsghdr *req = nl_request(nl, family, flags);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(req, sizeof(*genl));

	genl->cmd = command;
	genl->version = version;
	return req;
}

static void keep_text(struct nl_reply *reply, const struct nlattr *attr)
{
	const char *text = nl_str(attr);
	size_t n = 0;

	if (!text)
		return;
	for (; *text && n < sizeof(reply->text) - 1; text++)
		reply->text[n++] = *text >= 0x20 && *text <= 0x7e ? *text : '?';
	reply->text[n] = '\0';
}

/* The kernel's message follows the error code and, unless capped, a copy of the request. */
static void keep_extack(struct nl_reply *reply, const struct nlmsghdr *nlh, size_t header)
{
	const struct nlattr *tb[NLMSGERR_ATTR_MAX + 1];

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (!nl_msg_attrs(nlh, header, tb, NLMSGERR_ATTR_MAX))
		keep_text(reply, tb[NLMSGERR_ATTR_MSG]);
}

static int parse_error(const struct nlmsghdr *nlh, struct nl_reply *reply)
{
	const struct nlmsgerr *error = mnl_nlmsg_get_payload(nlh);
	size_t payload = mnl_nlmsg_get_payload_len(nlh);
	size_t header = sizeof(*error);

	if (payload < sizeof(*error))
		return -EBADMSG;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED)) {
		if (error->msg.nlmsg_len < sizeof(error->msg) ||
		    error->msg.nlmsg_len - sizeof(error->msg) > payload - sizeof(*error))
			header = payload;
		else
			header += error->msg.nlmsg_len - sizeof(error->msg);
	}
	keep_extack(reply, nlh, header);
	if (error->error > 0 || error->error < -4095)
		return -EBADMSG;
	reply->answered = true;
	return error->error;
}

static int parse_done(const struct nlmsghdr *nlh, struct nl_reply *reply)
{
	int32_t error = 0;

	if (mnl_nlmsg_get_payload_len(nlh) >= sizeof(error))
		memcpy(&error, mnl_nlmsg_get_payload(nlh), sizeof(error));
	keep_extack(reply, nlh, sizeof(error));
	if (error < -4095)
		return -EBADMSG;
	reply->answered = true;
	return error < 0 ? error : 0;
}

static int parse_message(const struct nlmsghdr *nlh, struct nl_reply *reply)
{
	int ret;

	if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
		reply->interrupted = true;

	switch (nlh->nlmsg_type) {
	case NLMSG_NOOP:
		return 1;
	case NLMSG_ERROR:
		return parse_error(nlh, reply);
	case NLMSG_DONE:
		return parse_done(nlh, reply);
	case NLMSG_OVERRUN:
		return -ENOBUFS;
	}
	ret = reply->fn ? reply->fn(nlh, reply->arg) : 0;
	if (ret == -EBADMSG) {
		reply->malformed++;
		return 1;
	}
	return ret < 0 ? ret : 1;
}

void nl_advance(const char **at, size_t *len, size_t item)
{
	size_t step = MNL_ALIGN(item) < *len ? MNL_ALIGN(item) : *len;

	*at += step;
	*len -= step;
}

int nl_parse(const void *buf, size_t len, struct nl_reply *reply)
{
	const char *at = buf;

	while (len >= sizeof(struct nlmsghdr)) {
		const struct nlmsghdr *nlh = (const void *)at;
		int ret;

		if (nlh->nlmsg_len < sizeof(*nlh) || nlh->nlmsg_len > len)
			return -EBADMSG;
		/* Another sequence number belongs to an earlier answer that was given up. */
		if (nlh->nlmsg_seq == reply->seq &&
		    (!nlh->nlmsg_pid || nlh->nlmsg_pid == reply->portid)) {
			ret = parse_message(nlh, reply);
			if (ret <= 0)
				return ret;
		}
		nl_advance(&at, &len, nlh->nlmsg_len);
	}
	return len ? -EBADMSG : 1;
}

int nl_parse_multicasts(const void *buf, size_t len, nl_fn fn, void *arg)
{
	const char *at = buf;

	while (len >= sizeof(struct nlmsghdr)) {
		const struct nlmsghdr *nlh = (const void *)at;
		int err;

		if (nlh->nlmsg_len < sizeof(*nlh) || nlh->nlmsg_len > len)
			break;
		err = fn(nlh, arg);
		if (err < 0 && err != -EBADMSG)
			return err;
		nl_advance(&at, &len, nlh->nlmsg_len);
	}
	return 0;
}

ssize_t nl_receive(struct nl *nl, int flags)
{
	for (;;) {
		struct sockaddr_nl from = {};
		struct iovec iov = { .iov_base = nl->buf, .iov_len = nl->size };
		struct msghdr msg = {
			.msg_name = &from,
			.msg_namelen = sizeof(from),
			.msg_iov = &iov,
			.msg_iovlen = 1,
		};
		ssize_t len = recvmsg(mnl_socket_get_fd(nl->sock), &msg, flags);

		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return errno == EAGAIN && !flags ? -ETIMEDOUT : -errno;
		if (msg.msg_namelen != sizeof(from) || from.nl_pid)
			continue;
		return msg.msg_flags & MSG_TRUNC ? -EMSGSIZE : len;
	}
}

static int answer(struct nl *nl)
{
	for (;;) {
		ssize_t len = nl_receive(nl, 0);
		int ret;

		if (len < 0)
			return len;
		ret = nl_parse(nl->buf, len, &nl->reply);
		if (ret <= 0)
			return ret;
	}
}

static int transact(struct nl *nl, nl_fn fn, void *arg)
{
	nl->reply = (struct nl_reply){
		.seq = ++nl->seq,
		.portid = mnl_socket_get_portid(nl->sock),
		.fn = fn,
		.arg = arg,
	};
	nl->req->nlmsg_seq = nl->seq;
	while (mnl_socket_sendto(nl->sock, nl->req, nl->req->nlmsg_len) < 0)
		if (errno != EINTR)
			return -errno;
	return answer(nl);
}

int nl_talk(struct nl *nl, nl_fn fn, void *arg)
{
	nl->req->nlmsg_flags |= NLM_F_ACK;
	return transact(nl, fn, arg);
}

static int grow(struct nl *nl)
{
	void *buf;

	if (nl->size >= BUFFER_MAX)
		return -EMSGSIZE;
	buf = realloc(nl->buf, nl->size * 4);
	if (!buf)
		return -ENOMEM;
	nl->buf = buf;
	nl->size *= 4;
	return 0;
}

/* Restart by @restart, or by resetting *@n. */
static int dump(struct nl *nl, nl_fn fn, void (*restart)(void *arg), size_t *n, void *arg)
{
	const size_t before = n ? *n : 0;
	int ret = 0;

	nl->req->nlmsg_flags |= NLM_F_DUMP;
	for (int attempt = 0; attempt < DUMP_ATTEMPTS; attempt++) {
		if (restart)
			restart(arg);
		else if (n)
			*n = before;
		ret = transact(nl, fn, arg);
		if (ret == -EMSGSIZE) {
			ret = grow(nl);
			if (ret)
				return ret;
			ret = -EMSGSIZE;
			continue;
		}
		/* EBUSY: the previous dump has not ended. ENOBUFS: messages were lost. */
		if (ret == -EBUSY || ret == -ENOBUFS)
			continue;
		if (ret || !nl->reply.interrupted)
			return ret;
	}
	return ret;
}

int nl_dump(struct nl *nl, nl_fn fn, void (*restart)(void *arg), void *arg)
{
	return dump(nl, fn, restart, NULL, arg);
}

int nl_dump_array(struct nl *nl, nl_fn fn, size_t *n, void *arg)
{
	return dump(nl, fn, NULL, n, arg);
}

int nl_attrs(const void *payload, size_t len, const struct nlattr **tb, unsigned int max)
{
	const char *at = payload;

	memset(tb, 0, (max + 1) * sizeof(*tb));
	while (len >= sizeof(struct nlattr)) {
		const struct nlattr *attr = (const void *)at;

		if (attr->nla_len < sizeof(*attr) || attr->nla_len > len)
			return -EBADMSG;
		if (mnl_attr_get_type(attr) <= max)
			tb[mnl_attr_get_type(attr)] = attr;
		nl_advance(&at, &len, attr->nla_len);
	}
	return len ? -EBADMSG : 0;
}

int nl_nested(const struct nlattr *attr, const struct nlattr **tb, unsigned int max)
{
	if (!attr)
		return -ENOENT;
	return nl_attrs(mnl_attr_get_payload(attr), mnl_attr_get_payload_len(attr), tb, max);
}

int nl_msg_attrs(const struct nlmsghdr *nlh, size_t header, const struct nlattr **tb,
		 unsigned int max)
{
	size_t len = mnl_nlmsg_get_payload_len(nlh);

	header = MNL_ALIGN(header);
	if (len < header)
		return -EBADMSG;
	return nl_attrs(mnl_nlmsg_get_payload_offset(nlh, header), len - header, tb, max);
}

static int fixed(const struct nlattr *attr, void *ret, size_t size)
{
	if (!attr)
		return -ENOENT;
	if (mnl_attr_get_payload_len(attr) != size)
		return -EBADMSG;
	memcpy(ret, mnl_attr_get_payload(attr), size);
	return 0;
}

#define NL_FIXED(function, type) \
	int function(const struct nlattr *attr, type *ret) \
	{ \
		return fixed(attr, ret, sizeof(*ret)); \
	}

NL_FIXED(nl_u8, uint8_t)
NL_FIXED(nl_u16, uint16_t)
NL_FIXED(nl_u32, uint32_t)
NL_FIXED(nl_addr6, struct in6_addr)

int nl_addr4(const struct nlattr *attr, struct in6_addr *ret)
{
	uint32_t v4;
	int err = fixed(attr, &v4, sizeof(v4));

	if (!err)
		*ret = (struct in6_addr){ .s6_addr32 = { 0, 0, htonl(0xffff), v4 } };
	return err;
}

const char *nl_str(const struct nlattr *attr)
{
	if (!attr || !memchr(mnl_attr_get_payload(attr), '\0', mnl_attr_get_payload_len(attr)))
		return NULL;
	return mnl_attr_get_payload(attr);
}
