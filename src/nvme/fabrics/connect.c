/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connecting: write one line to /dev/nvme-fabrics and read one line back. */
#include "../tree/hostid-private.h"
#include "kmsg.h"
#include "private.h"
#include "shared/sigpipe.h"

void connect_release_cleanup(struct connect *connect)
{
	explicit_bzero(connect->line, sizeof(connect->line));
	free(connect->traddr);
	free(connect->host_traddr);
	free(connect->hostid);
}

/* Resolve @name, the value of option @what. *@ret stays NULL if it is an address. */
static int resolve_name(struct connect *connect, const char *what, const char *name, char **ret)
{
	_cleanup_(free) char *text = NULL;
	const char *reason = NULL;
	int err;

	if (str_is_unset(name))
		return 0;
	if (!address_is_hostname(name)) {
		if (*name != '[')
			return 0;
		*ret = strndup(name + 1, strlen(name) - 2);
		return *ret ? 0 : -ENOMEM;
	}
	err = address_resolve(name, ret, &reason);
	if (!err || err == -ENOMEM)
		return err;
	text = connect_escape(name);
	return connect_fail(connect, ENVME_CONNECT_TRADDR,
			    "%s \"%s\": neither an address nor a name that resolves (%s)", what,
			    or_unknown(text), reason ? reason : strerror(-err));
}

/* The kernel accepts no names or brackets. A configured controller keeps its names. */
static int resolve(struct connect *connect)
{
	const struct nvme_ctrl *c = connect->c;

	if (!transport_has(c->transport, NVMF_TRANSPORT_IP))
		return 0;
	return resolve_name(connect, "traddr", c->traddr, &connect->traddr)
		       ?: resolve_name(connect, "host_traddr", c->options.cfg.host_traddr,
				       &connect->host_traddr);
}

/* True if the controller exists: then its messages are not about the failed one, which is gone. */
static bool is_other_ctrl(int instance)
{
	_cleanup_(close) int dirfd = sysfs_open(SYSFS_CLASS_NVME);
	char name[32];

	snprintf(name, sizeof(name), "nvme%d", instance);
	return dirfd >= 0 && sysfs_exists(dirfd, name);
}

static int write_failed(struct connect *connect, int err, int log_fd)
{
	_cleanup_(free) char *log = NULL;

	if (log_fd >= 0 && kmsg_collect(log_fd, is_other_ctrl, &log))
		log = NULL;
	return connect_error_write(connect, err, log);
}

/* Parse the reply, "instance=0,cntlid=1". */
static int read_instance(struct connect *connect, int fd)
{
	struct nvme_ctrl *c = connect->c;
	char reply[CONNECT_STRING_SIZE];
	char *rest = reply, *item;
	int64_t instance;
	ssize_t n;

	n = read(fd, reply, sizeof(reply) - 1);
	if (n < 0)
		return connect_fail(connect, ENVME_CONNECT_READ, "reading the reply of %s: %s",
				    NVMF_DEVICE, strerror(errno));
	reply[n] = '\0';
	str_trim_end(reply);
	log_debug(c->r, "connect ctrl, response '%s'", reply);

	while ((item = strsep(&rest, ",")))
		if (!strncmp(item, "instance=", 9) &&
		    !str_parse_int(item + 9, 0, INT_MAX, &instance))
			return (int)instance;
	return connect_fail(connect, ENVME_CONNECT_PARSE, "the reply of %s names no controller",
			    NVMF_DEVICE);
}

static int write_line(struct connect *connect)
{
	_cleanup_(sigpipe_restore) struct sigpipe before = { 0 };
	_cleanup_(close) int fd = open(NVMF_DEVICE, O_RDWR | O_CLOEXEC);
	_cleanup_(close) int log_fd = -1;
	struct nvme_ctrl *c = connect->c;
	ssize_t n;

	if (fd < 0)
		return connect_error_open(connect->h, c, errno);
	if (log_enabled(root_log(c->r), LOG_DEBUG)) {
		_cleanup_(free) char *line = connect_string_shown(connect);

		log_debug(c->r, "connect ctrl, '%s'", or_unknown(line));
	}

	log_fd = kmsg_open();
	connect->written = true;
	sigpipe_block(&before);
	n = write(fd, connect->line, connect->len);
	if (n < 0)
		return write_failed(connect, errno, log_fd);
	if ((size_t)n != connect->len)
		return write_failed(connect, EIO, log_fd);
	return read_instance(connect, fd);
}

const char *connect_port(const struct nvme_ctrl *c)
{
	if (!str_is_unset(c->trsvcid))
		return c->trsvcid;
	return c->discovery_ctrl ? c->transport->discovery_port : c->transport->io_port;
}

int connect_complete(struct nvme_ctrl *c)
{
	const char *port;

	if (c->subsysnqn && !strcmp(c->subsysnqn, NVME_DISC_SUBSYS_NAME)) {
		c->discovery_ctrl = true;
		c->unique_discovery_ctrl = false;
	}
	port = connect_port(c);
	return port && port != c->trsvcid ? ctrl_set_trsvcid(c, port) : 0;
}

/* Without one, the kernel uses its own ID, which must equal that of other connections. */
static int complete_host(struct connect *connect)
{
	if (!str_is_unset(connect->h->hostid) || connect->hostid)
		return 0;
	return hostid_of_nqn(connect->h->hostnqn, &connect->hostid);
}

/* The kernel permits duplicate discovery controllers. */
static int check_duplicate(struct connect *connect)
{
	struct nvme_ctrl *c = connect->c, *twin;

	if (c->discovery_ctrl || c->options.cfg.duplicate_connect)
		return 0;
	twin = connect_find_duplicate(connect->h, c, connect->traddr);
	if (!twin)
		return 0;
	return connect_fail(connect, ENVME_CONNECT_ALREADY, "already connected as %s", twin->name);
}

int connect_run(struct connect *connect)
{
	struct nvme_ctrl *c = connect->c;
	int err;

	connect_error_clear(connect->h, c);
	err = connect_complete(c) ?: complete_host(connect) ?: option_check_values(connect);
	if (err)
		return err;

	err = fabrics_options_get(c->r, &connect->options);
	if (err == -ENVME_CONNECT_OPEN)
		return connect_error_open(connect->h, c, errno);
	return err
	       ?: resolve(connect)
	       ?: option_check_kernel(connect)
	       ?: check_duplicate(connect)
	       ?: connect_find_keys(connect)
	       ?: connect_string_build(connect)
	       ?: write_line(connect);
}

int nvmf_connect_ctrl(nvme_ctrl_t c)
{
	struct nvme_host *h = c->s ? c->s->h : nvme_default_host(c->r);
	_cleanup_(connect_release) struct connect connect = { .h = h, .c = c };
	int instance;

	if (!h)
		return -1;
	instance = connect_run(&connect);
	if (instance < 0)
		return failure_errno(instance);
	return 0;
}
