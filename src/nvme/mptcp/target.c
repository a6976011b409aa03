// SPDX-License-Identifier: LGPL-2.1-or-later
/* The ports of this machine's NVMe target: drivers/nvme/target/configfs.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "../addr.h"
#include "../str.h"
#include "../sysfs.h"
#include "../transport.h"
#include "target.h"

#define MAX_PORTS 1024

static int visible(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

static int read_port(int dirfd, const char *name, void *arg)
{
	_cleanup_(free) char *trsvcid = NULL;
	struct check *c = arg;
	struct target_port *port;
	struct ip_addr ip;
	long number;
	int fd;

	if (c->n_ports == MAX_PORTS)
		return 0;
	fd = sysfs_open_dir(dirfd, name);
	if (fd < 0)
		return 0;
	port = array_add(&c->ports, &c->n_ports, sizeof(*port));
	if (!port || set_string(&port->name, name)) {
		close(fd);
		return -ENOMEM;
	}
	sysfs_read_at(fd, "addr_trtype", &port->trtype);
	sysfs_read_at(fd, "addr_traddr", &port->traddr);
	sysfs_read_at(fd, "addr_trsvcid", &trsvcid);
	close(fd);
	port->subflows = port->trtype && nvmf_transport_has(port->trtype, NVMF_TRANSPORT_SUBFLOWS);
	if (port->traddr && trsvcid && !ip_parse(port->traddr, &ip) &&
	    !parse_int(trsvcid, 1, 65535, &number)) {
		port->address.ip = ip.in6;
		port->address.port = (uint16_t)number;
		port->has_address = true;
	}
	return 0;
}

int target_ports_read(struct check *c)
{
	_cleanup_(close) int fd = sysfs_open_dir(AT_FDCWD, sysfs_nvmet_ports());

	return fd < 0 ? 0 : sysfs_walk(fd, visible, read_port, c);
}
