// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which MPTCP sockets are held by a process. The kernel's own have an inode as well, but nobody
 * has them open, so one walk over /proc tells them apart.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/map.h"
#include "snapshot.h"

DEFINE_CLEANUP(struct idmap *, idmap_free);

/* "socket:[12345]" */
static bool socket_inode(int dirfd, const char *name, uint32_t *ret)
{
	char target[64];
	ssize_t n = readlinkat(dirfd, name, target, sizeof(target) - 1);
	unsigned long long inode;
	char *end;

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

/* Number of sockets found, or -errno if the process does not let the caller look. */
static int look_into(int procfd, const char *pid, const struct idmap *by_inode)
{
	_cleanup_(closedir) DIR *dir = NULL;
	const struct dirent *entry;
	int found = 0;
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "%.20s/fd", pid);
	fd = openat(procfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) { /* for want of memory, or as the process has ended since */
		int err = -errno;

		close(fd);
		return err;
	}
	while ((entry = readdir(dir))) {
		struct nvme_mptcp_connection *conn;
		uint32_t inode;

		if (*entry->d_name == '.' || !socket_inode(fd, entry->d_name, &inode))
			continue;
		conn = idmap_get(by_inode, inode);
		if (conn && conn->pid <= 0) {
			conn->pid = atoi(pid);
			found++;
		}
	}
	return found;
}

int snapshot_read_owners(struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(idmap_free) struct idmap *by_inode = NULL;
	_cleanup_(closedir) DIR *proc = NULL;
	const struct dirent *entry;
	size_t left = 0;
	bool hidden = false;

	if (!snap->n_connections)
		return 0;
	by_inode = idmap_new(snap->n_connections);
	if (!by_inode)
		return -ENOMEM;
	for (size_t i = 0; i < snap->n_connections; i++) {
		struct nvme_mptcp_connection *conn = &snap->connections[i];

		/* Without inode it was closed by its process and lingers. */
		if (!conn->inode)
			continue;
		if (idmap_put(by_inode, conn->inode, conn))
			return -ENOMEM;
		left++;
	}

	proc = opendir("/proc");
	if (!proc) {
		problem_set(snap, NVME_MPTCP_OWNERS, errno, "processes: /proc: %s",
			    strerror(errno));
		return 0;
	}
	while (left && (entry = readdir(proc))) {
		int found;

		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		found = look_into(dirfd(proc), entry->d_name, by_inode);
		if (found == -ENOMEM)
			return found;
		if (found == -EACCES || found == -EPERM)
			hidden = true;
		else if (found > 0)
			left -= found;
	}
	if (hidden && left)
		problem_set(snap, NVME_MPTCP_OWNERS, EPERM,
			    "which of the sockets are the kernel's: only root sees the sockets of "
			    "all processes");
	for (size_t i = 0; i < snap->n_connections; i++)
		if (snap->connections[i].pid < 0 && !hidden)
			snap->connections[i].pid = 0;
	return 0;
}
