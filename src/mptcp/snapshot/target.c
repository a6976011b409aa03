// SPDX-License-Identifier: LGPL-2.1-or-later
/* The ports of this machine's NVMe target: drivers/nvme/target/configfs.c. */
#include "base/sysfs.h"
#include "transport.h"
#include "snapshot.h"
#include "target.h"

#define MAX_PORTS 1024

static int visible(const struct dirent *entry)
{
	return *entry->d_name != '.';
}

static int add_offered(int dirfd, const char *name, void *arg)
{
	struct target_port *port = arg;
	char **added = array_add(&port->subsystems, &port->n_subsystems, sizeof(*added));

	if (!added)
		return -ENOMEM;
	*added = strdup(name);
	return *added ? 0 : -ENOMEM;
}

static int read_subsystems(int portfd, struct target_port *port)
{
	_cleanup_(close) int fd = sysfs_open_dir(portfd, "subsystems");
	int err = fd < 0 ? 0 : sysfs_walk(fd, visible, add_offered, port);

	return err == -ENOMEM ? err : 0;
}

static int read_port(int dirfd, const char *name, void *arg)
{
	_cleanup_(free) char *trsvcid = NULL, *tsas = NULL, *size = NULL;
	struct target *target = arg;
	struct target_port *port;
	int fd, err;

	if (target->n_ports == MAX_PORTS)
		return 0;
	fd = sysfs_open_dir(dirfd, name);
	if (fd < 0)
		return 0;
	port = array_add(&target->ports, &target->n_ports, sizeof(*port));
	if (!port || str_set(&port->name, name)) {
		close(fd);
		return -ENOMEM;
	}
	err = sysfs_read_optional(fd, "addr_trtype", &port->trtype)
	       ?: sysfs_read_optional(fd, "addr_traddr", &port->traddr)
	       ?: sysfs_read_optional(fd, "addr_trsvcid", &trsvcid)
	       ?: sysfs_read_optional(fd, "addr_tsas", &tsas)
	       ?: sysfs_read_optional(fd, "param_inline_data_size", &size)
	       ?: read_subsystems(fd, port);
	close(fd);
	if (err)
		return err;
	port->has_inline_size = size && !str_parse_int(size, -1, INT32_MAX, &port->inline_size);
	port->secure = tsas && !strncmp(tsas, "tls", 3);
	port->subflows = port->trtype && nvmf_transport_has(port->trtype, NVMF_TRANSPORT_SUBFLOWS);
	port->has_address = ctrl_parse_portal(port->traddr, trsvcid, &port->address);
	return 0;
}

static int note_subsystem(int dirfd, const char *name, void *arg)
{
	struct target *target = arg;

	return target->subsystem ? 0 : str_set(&target->subsystem, name);
}

static void note_relay(const struct nvme_mptcp_snapshot *snap, struct target_port *port)
{
	/* A transport with subflows needs no relay. */
	port->relayable = port->has_address && !port->subflows && port->trtype &&
			  nvmf_transport_has(port->trtype, NVMF_TRANSPORT_DIGESTS);
	if (port->relayable)
		port->relayed = port->subflows = relayed_accepts_port(snap, port->address.port);
}

int target_read(const struct nvme_mptcp_snapshot *snap, struct target *ret)
{
	_cleanup_(close) int fd = sysfs_open(SYSFS_NVMET_PORTS);
	_cleanup_(close) int subsystems = fd < 0 ? -1 : sysfs_open_dir(fd, "../subsystems");
	int err = fd == -ENOENT ? 0 : fd < 0 ? fd : sysfs_walk(fd, visible, read_port, ret);

	if (!err && subsystems >= 0)
		err = sysfs_walk(subsystems, visible, note_subsystem, ret);
	for (size_t i = 0; i < ret->n_ports; i++)
		note_relay(snap, &ret->ports[i]);
	return err;
}

bool target_port_in_other_netns(const struct target_port *port,
				const struct nvme_mptcp_snapshot *snap)
{
	return port->subflows && port->has_address && port->n_subsystems &&
	       !snap->problem[NVME_MPTCP_CONNECTIONS].err &&
	       !snapshot_has_listener(snap, &port->address.ip, port->address.port);
}

bool target_is_in_netns(const struct target *target, const struct nvme_mptcp_snapshot *snap)
{
	for (size_t i = 0; i < target->n_ports; i++)
		if (target->ports[i].subflows &&
		    !target_port_in_other_netns(&target->ports[i], snap))
			return true;
	return false;
}

void target_port_clear(struct target_port *port)
{
	free(port->name);
	free(port->trtype);
	free(port->traddr);
	for (size_t i = 0; i < port->n_subsystems; i++)
		free(port->subsystems[i]);
	free(port->subsystems);
}

void target_clear(struct target *target)
{
	for (size_t i = 0; i < target->n_ports; i++)
		target_port_clear(&target->ports[i]);
	free(target->ports);
	free(target->subsystem);
	*target = (struct target){};
}
