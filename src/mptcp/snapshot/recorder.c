// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Watching a connect from outside: the connections that lead to the controller's portal and were
 * not there before are its own, if they are as many as it has queues. If others connect to that portal
 * meanwhile, they are more, and none is recorded: a lock per portal makes our own programs wait for
 * each other, for a while. Where the kernel shows whose a connection is, nobody has to wait.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/address.h"
#include "base/log-private.h"
#include "base/map.h"
#include "base/str.h"
#include "base/sysfs.h"
#include "fabrics/watch.h"
#include "config.h"
#include "mptcp/netlink/netns.h"
#include "record.h"
#include "shared/file-lock.h"
#include "snapshot.h"

DEFINE_CLEANUP(struct idmap *, idmap_free);
DEFINE_CLEANUP(nvme_mptcp_snapshot_t, nvme_mptcp_snapshot_free);

/* Longer than a connect to a target that answers takes. */
#define WAIT_MS 10000
/* How often it is asked meanwhile whether a lock is needed. */
#define STEP_MS 200

struct nvme_mptcp_recorder {
	char *dir;
	char *lock_path;
	int lock;
	struct nvme_mptcp_snapshot *before;
};

static struct nvme_mptcp_snapshot *dump(void)
{
	struct nvme_mptcp_snapshot *snap = snapshot_new();

	if (snap && (diag_read_connections(snap) || snap->problem[NVME_MPTCP_CONNECTIONS].err)) {
		nvme_mptcp_snapshot_free(snap);
		snap = NULL;
	}
	return snap;
}

static int make_directory(const char *dir)
{
	char parent[PATH_MAX];
	const char *slash = strrchr(dir, '/');

	if (slash && slash != dir) {
		str_copy(parent, sizeof(parent), dir, (size_t)(slash - dir));
		if (mkdir(parent, 0755) && errno != EEXIST)
			return -errno;
	}
	return mkdir(dir, 0755) && errno != EEXIST ? -errno : 0;
}

/* Addresses may come from a discovery log: what is no part of one does not get into a file name. */
static int lock_path(const char *dir, const char *traddr, const char *trsvcid, char **ret)
{
	char *path;

	if (asprintf(&path, "%s/.lock-%s-%s", dir, traddr, trsvcid) < 0)
		return -ENOMEM;
	for (char *at = path + strlen(dir) + 1; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr(".:-", *at))
			*at = '_';
	*ret = path;
	return 0;
}

static bool is_controller(const char *name)
{
	return !strncmp(name, "nvme", 4) && name[4] && !name[4 + strspn(name + 4, "0123456789")];
}

/* Does the kernel show the queues of its MPTCP controllers? One of them tells; without any: unknown. */
static bool kernel_shows_queues(void)
{
	_cleanup_(closedir) DIR *ctrls = NULL;
	int class = sysfs_open_dir(AT_FDCWD, sysfs_class_nvme());
	const struct dirent *entry;
	bool found = false;

	if (class < 0)
		return false;
	ctrls = fdopendir(class);
	if (!ctrls) {
		close(class);
		return false;
	}
	while (!found && (entry = readdir(ctrls))) {
		char path[NAME_MAX + sizeof("/queue_addrs")];

		snprintf(path, sizeof(path), "%s/queue_addrs", entry->d_name);
		found = is_controller(entry->d_name) && sysfs_exists(class, path);
	}
	return found;
}

/* The lock of the portal, -EAGAIN if it is not to be had or not needed, or other -errno. */
static int lock(const char *path, const struct connect_target *target)
{
	for (unsigned int waited = 0; waited < WAIT_MS && !kernel_shows_queues();
	     waited += STEP_MS) {
		int fd = file_lock(path, STEP_MS);

		if (fd != -EAGAIN)
			return fd;
		if (!waited)
			log_msg(target->log, LOG_WARNING,
				"%s:%s: another process is connecting to it; waiting up to %d s, so "
				"that the connections of both can be told apart",
				target->traddr, target->trsvcid, WAIT_MS / 1000);
	}
	return -EAGAIN;
}

/* Records of controllers that are gone. */
static void drop_stale(const char *dir)
{
	_cleanup_(close) int class = sysfs_open_dir(AT_FDCWD, sysfs_class_nvme());
	_cleanup_(closedir) DIR *records = opendir(dir);
	const struct dirent *entry;

	if (class < 0 || !records)
		return;
	while ((entry = readdir(records)))
		if (is_controller(entry->d_name) && !sysfs_exists(class, entry->d_name))
			unlinkat(dirfd(records), entry->d_name, 0);
}

static void recorder_free(struct nvme_mptcp_recorder *rec)
{
	if (!rec)
		return;
	nvme_mptcp_snapshot_free(rec->before);
	if (rec->lock >= 0) {
		unlink(rec->lock_path);
		close(rec->lock);
	}
	free(rec->lock_path);
	free(rec->dir);
	free(rec);
}

/* NULL if it cannot be watched; then the connections stay unrecorded. */
static struct nvme_mptcp_recorder *recorder_begin(const char *dir,
						  const struct connect_target *target)
{
	struct nvme_mptcp_recorder *rec;

	if (make_directory(dir))
		return NULL;
	rec = calloc(1, sizeof(*rec));
	if (!rec)
		return NULL;
	rec->lock = lock_path(dir, target->traddr, target->trsvcid, &rec->lock_path);
	if (!rec->lock)
		rec->lock = lock(rec->lock_path, target);
	rec->dir = strdup(dir);
	rec->before = rec->lock >= 0 || rec->lock == -EAGAIN ? dump() : NULL;
	if (!rec->dir || !rec->before) {
		recorder_free(rec);
		return NULL;
	}
	drop_stale(dir);
	return rec;
}

/* The tokens of connections to @portal that @before does not have. */
static int take_new(const struct nvme_mptcp_snapshot *before,
		    const struct nvme_mptcp_snapshot *after, const struct socket_address *portal,
		    struct record *record)
{
	_cleanup_(idmap_free) struct idmap *old = idmap_new(before->n_connections);

	if (!old)
		return -ENOMEM;
	for (size_t i = 0; i < before->n_connections; i++)
		if (before->connections[i].has_token &&
		    idmap_put(old, before->connections[i].token, &before->connections[i]))
			return -ENOMEM;
	for (size_t i = 0; i < after->n_connections; i++) {
		const struct nvme_mptcp_connection *conn = &after->connections[i];
		uint32_t *token;

		if (!conn->has_token || conn->state != STATE_ESTABLISHED ||
		    !address_port_equal(&conn->remote, portal) || idmap_get(old, conn->token))
			continue;
		token = array_add(&record->tokens, &record->n_tokens, sizeof(*token));
		if (!token)
			return -ENOMEM;
		*token = conn->token;
	}
	return 0;
}

/*
 * 0; -EAGAIN if what appeared is not @queues connections (0: any number, if no other process of ours
 * can have made some); other -errno.
 */
static int recorder_end(struct nvme_mptcp_recorder *rec, const char *ctrl, const char *subsysnqn,
			const struct socket_address *portal, long queues)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t after = dump();
	struct record record = { .netns = netns_id() };
	int err = after ? take_new(rec->before, after, portal, &record) : -ENOMEM;

	/* More, or fewer, and it is not certain whose they are. */
	if (!err &&
	    (!record.n_tokens || (queues > 0 ? record.n_tokens != (size_t)queues : rec->lock < 0)))
		err = -EAGAIN;
	if (!err)
		err = str_set(&record.subsysnqn, subsysnqn);
	if (!err)
		err = record_write(rec->dir, ctrl, &record);
	record_clear(&record);
	return err;
}

/* What is watched: the portal, and the queues that the kernel makes there. */
struct watched {
	struct nvme_mptcp_recorder *rec;
	struct socket_address portal;
	char *subsysnqn;
};

static void watched_free(struct watched *watched)
{
	recorder_free(watched->rec);
	free(watched->subsysnqn);
	free(watched);
}

static void *begin_connect(const struct connect_target *target)
{
	struct watched *watched;
	struct ip_addr ip;
	long port;

	if (!transport_has(target->transport, NVMF_TRANSPORT_SUBFLOWS) || !target->traddr ||
	    address_parse(target->traddr, &ip) || !target->trsvcid ||
	    str_parse_int(target->trsvcid, 1, UINT16_MAX, &port))
		return NULL;
	watched = calloc(1, sizeof(*watched));
	if (!watched)
		return NULL;
	watched->portal.ip = ip.in6;
	watched->portal.port = (uint16_t)port;
	if (!str_set(&watched->subsysnqn, target->subsysnqn))
		watched->rec = recorder_begin(STATEDIR "/mptcp", target);
	if (watched->rec)
		return watched;
	watched_free(watched);
	return NULL;
}

static long queue_count(const char *ctrl)
{
	_cleanup_(close) int class = sysfs_open_dir(AT_FDCWD, sysfs_class_nvme());
	char path[64], text[32];
	long number;

	snprintf(path, sizeof(path), "%s/queue_count", ctrl);
	if (class < 0 || sysfs_read_buf(class, path, text, sizeof(text)) < 0 ||
	    str_parse_int(text, 1, 65536, &number))
		return 0;
	return number;
}

/* What cannot be recorded is attributed by its addresses, as without a record. */
static void end_connect(void *arg, int instance)
{
	struct watched *watched = arg;
	int saved = errno;
	char ctrl[32];

	snprintf(ctrl, sizeof(ctrl), "nvme%d", instance);
	if (instance >= 0)
		recorder_end(watched->rec, ctrl, watched->subsysnqn, &watched->portal,
			     queue_count(ctrl));
	watched_free(watched);
	errno = saved;
}

__attribute__((constructor)) static void recorder_register(void)
{
	static const struct connect_watch recorder = { begin_connect, end_connect };

	connect_watch_register(&recorder);
}
