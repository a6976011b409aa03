// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find out which MPTCP sockets are held by a process. The kernel's own sockets also have an inode,
 * but no process has them open, so one pass over /proc distinguishes them. It costs one system call
 * for each open file of each process, so only sockets are searched for that may belong to NVMe and
 * that no controller shows as a queue.
 */
#include <dirent.h>

#include "queues.h"
#include "target.h"

/* Parse "socket:[12345]". *@denied is set if the caller may not read the process's open files. */
static bool socket_inode(int dirfd, const char *name, uint32_t *ret, bool *denied)
{
	char target[64];
	ssize_t n = readlinkat(dirfd, name, target, sizeof(target) - 1);
	unsigned long long inode;
	char *end;

	*denied |= n < 0 && (errno == EACCES || errno == EPERM);
	if (n < 0)
		return false;
	target[n] = '\0';
	if (strncmp(target, "socket:[", 8))
		return false;
	inode = strtoull(target + 8, &end, 10);
	if (strcmp(end, "]") || inode > UINT32_MAX)
		return false;
	*ret = (uint32_t)inode;
	return true;
}

/* Return the number of sockets found, or -errno: -EACCES, -EPERM if its files are unreadable. */
static int search_process(int procfd, const char *pid, const struct idmap *by_inode)
{
	_cleanup_(closedir) DIR *dir = NULL;
	const struct dirent *entry;
	bool denied = false;
	int found = 0;
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "%.20s/fd", pid);
	fd = openat(procfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) { /* out of memory, or the process has ended */
		int err = -errno;

		close(fd);
		return err;
	}
	while ((entry = readdir(dir))) {
		struct nvme_mptcp_connection *conn;
		uint32_t inode;

		if (*entry->d_name == '.' || !socket_inode(fd, entry->d_name, &inode, &denied))
			continue;
		conn = idmap_get(by_inode, inode);
		if (conn && conn->pid <= 0) {
			conn->pid = atoi(pid);
			found++;
		}
	}
	/* Root cannot read a few protected processes only, which hold no storage sockets. */
	return denied && geteuid() ? -EACCES : found;
}

/* Ports and queues that NVMe sockets lead to or arrive at. */
struct places {
	uint64_t portal[1024], listener[1024]; /* one bit per port */
	struct shown_queues shown;
	struct target target;
	bool none; /* no controllers and no listeners, so all sockets belong to programs */
};

static void add_port_bit(uint64_t *ports, uint16_t port)
{
	ports[port / 64] |= 1ULL << port % 64;
}

static bool has_port_bit(const uint64_t *ports, uint16_t port)
{
	return ports[port / 64] >> port % 64 & 1;
}

/* Many programs accept MPTCP, such as all of Go: where ports of nvmet are known, only those count. */
static int find_listeners(const struct nvme_mptcp_snapshot *snap, struct places *ret)
{
	const struct target *target = &ret->target;
	int err = snap->n_listeners ? target_read(snap, &ret->target) : 0;
	bool any = false;

	for (size_t i = 0; i < target->n_ports; i++) {
		if (!target->ports[i].has_address)
			continue;
		any |= target->ports[i].subflows;
		add_port_bit(ret->listener, target->ports[i].address.port);
	}
	for (size_t i = 0; i < snap->n_listeners && !any; i++)
		add_port_bit(ret->listener, snap->listeners[i].local.port);
	return err == -ENOMEM ? err : 0;
}

/*
 * True if an enabled port of nvmet accepted the connection: then it is the kernel's, even where some
 * processes cannot be searched. No program of this network namespace can listen there, too.
 */
static bool is_of_nvmet(const struct places *places, const struct nvme_mptcp_connection *conn)
{
	FOR_EACH(port, places->target.ports, places->target.n_ports)
		if (port->subflows && !port->relayed && port->n_subsystems && port->has_address &&
		    port->address.port == conn->local.port &&
		    address_covers(&port->address.ip, &conn->local.ip))
			return true;
	return false;
}

static int find_places(const struct nvme_mptcp_snapshot *snap, struct places *ret)
{
	int err;

	*ret = (struct places){ .none = !snap->n_ctrls && !snap->n_listeners };
	err = find_listeners(snap, ret);
	if (err)
		return err;
	for (size_t i = 0; i < snap->n_ctrls; i++)
		if (snap->ctrls[i].has_portal)
			add_port_bit(ret->portal, snap->ctrls[i].portal.port);
	return ctrl_queues_index(snap, &ret->shown);
}

static bool may_be_ours(const struct places *places, const struct nvme_mptcp_connection *conn)
{
	return places->none || conn->relayed || has_port_bit(places->portal, conn->remote.port) ||
	       has_port_bit(places->listener, conn->local.port);
}

/*
 * /proc in a PID namespace shows only its own processes, so sockets of other processes look like
 * the kernel's. The same happens with hidepid, where a user does not see process 1.
 */
#define INITIAL_PID_NAMESPACE 0xeffffffcU /* PROC_PID_INIT_INO */

static bool is_in_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) || st.st_ino != INITIAL_PID_NAMESPACE;
}

static bool hides_processes(DIR *proc)
{
	struct stat st;

	return fstatat(dirfd(proc), "1", &st, 0) != 0;
}

static void note_hidden(struct nvme_mptcp_snapshot *snap)
{
	problem_set(snap, NVME_MPTCP_OWNERS, EPERM, "which of the sockets are the kernel's: %s",
		    geteuid() ? "only root sees the sockets of all processes"
			      : "this process may not see the open files of all others "
				"(CAP_SYS_PTRACE)");
}

/* Search processes until @left sockets are found. Return 1 if some are hidden, 0, or -ENOMEM. */
static int search_processes(DIR *proc, const struct idmap *by_inode, size_t left)
{
	const struct dirent *entry;
	int hidden = 0;

	while (left && (entry = readdir(proc))) {
		int found;

		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		found = search_process(dirfd(proc), entry->d_name, by_inode);
		if (found == -ENOMEM)
			return found;
		if (found == -EACCES || found == -EPERM)
			hidden = 1;
		else if (found > 0)
			left -= (size_t)found;
	}
	return left && (hidden || hides_processes(proc));
}

/*
 * Collect the sockets to search for, and their number in *@left. Skip queues that controllers show,
 * and sockets that cannot be NVMe's. The caller clears *@places.
 */
static int choose_sockets(struct nvme_mptcp_snapshot *snap, struct places *places,
			  struct idmap *by_inode, size_t *left)
{
	int err = find_places(snap, places);

	for (size_t i = 0; i < snap->n_connections && !err; i++) {
		struct nvme_mptcp_connection *conn = &snap->connections[i];

		if (ctrl_queues_owner(&places->shown, conn)) {
			conn->pid = 0;
			continue;
		}
		conn->is_foreign = conn->inode && !may_be_ours(places, conn);
		/* A socket without inode was closed by its process and lingers. */
		if (!conn->inode || conn->is_foreign)
			continue;
		err = idmap_put(by_inode, conn->inode, conn) ? -ENOMEM : 0;
		++*left;
	}
	return err;
}

static void places_cleanup(struct places *places)
{
	target_clear(&places->target);
	free(places->shown.queue);
}

int snapshot_read_owners(struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(places) struct places places = {};
	_cleanup_(idmap_free) struct idmap *by_inode = NULL;
	_cleanup_(closedir) DIR *proc = NULL;
	bool is_partial, is_unknown = false;
	size_t left = 0;
	int hidden;

	if (!snap->n_connections)
		return 0;
	by_inode = idmap_new(snap->n_connections);
	if (!by_inode || choose_sockets(snap, &places, by_inode, &left))
		return -ENOMEM;

	proc = opendir("/proc");
	if (!proc) {
		problem_set(snap, NVME_MPTCP_OWNERS, errno, "processes: /proc: %s",
			    strerror(errno));
		return 0;
	}
	hidden = search_processes(proc, by_inode, left);
	if (hidden < 0)
		return hidden;
	is_partial = is_in_namespace();
	for (size_t i = 0; i < snap->n_connections; i++) {
		struct nvme_mptcp_connection *conn = &snap->connections[i];

		/* The relay itself tells which connections are its own. */
		if (conn->pid >= 0 || conn->is_foreign || conn->relayed)
			continue;
		if (hidden ? is_of_nvmet(&places, conn) : !is_partial)
			conn->pid = 0;
		else
			is_unknown |= hidden && conn->inode;
	}
	if (is_unknown)
		note_hidden(snap);
	return 0;
}
