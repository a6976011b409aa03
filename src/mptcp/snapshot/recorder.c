// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Record a connect. New connections to the controller's portal are its own if there are as many as
 * it has queues. If another program connects to the portal at the same time, there are more, and
 * none is recorded. A lock per portal makes our own programs wait for each other, up to WAIT_MS. No
 * record is needed if the kernel shows which controller a connection belongs to.
 */
#include <dirent.h>

#include <nvme/mptcp/recorder.h>

#include "base/sysfs.h"
#include "base/versioned.h"
#include "config.h"
#include "record.h"
#include "shared/file.h"
#include "transport.h"

DEFINE_CLEANUP(nvme_mptcp_snapshot_t, nvme_mptcp_snapshot_free);

/* Timeout for the lock; a connect to a target that answers takes less. */
#define WAIT_MS 10000
/* Interval for checking whether the lock is still needed. */
#define STEP_MS 200

#define RECORDS STATEDIR "/mptcp"

struct nvme_mptcp_recorder {
	char *lock_path;
	int lock;
	bool is_alone; /* no other process of ours connects to the portal meanwhile */
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

/* The address may come from a discovery log: replace characters that no address or port has. */
static int lock_path(const char *dir, const char *traddr, const char *trsvcid, char **ret)
{
	char *path = str_format("%s/.lock-%s-%s", dir, traddr, trsvcid);

	if (!path)
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

static int controller(const struct dirent *entry)
{
	return is_controller(entry->d_name);
}

static int shows_queues(int class, const char *name, void *arg)
{
	char path[NAME_MAX + sizeof("/queue_addrs")];

	snprintf(path, sizeof(path), "%s/queue_addrs", name);
	return sysfs_exists(class, path);
}

/* True if a controller shows its queues. False also if there is no controller yet. */
static bool kernel_shows_queues(void)
{
	_cleanup_(close) int class = sysfs_open(SYSFS_CLASS_NVME);

	return class >= 0 && sysfs_walk(class, controller, shows_queues, NULL) > 0;
}

static void announce_wait(const struct nvme_mptcp_record_args *args)
{
	_cleanup_(free) char *text = NULL, *shown = NULL;

	if (!args->warn)
		return;
	text = str_format("%s:%s: another process is connecting to it; waiting up to %d s, to "
			  "distinguish the connections of both",
			  args->traddr, args->trsvcid, WAIT_MS / 1000);
	/* The address may come from a discovery log: escape terminal control characters. */
	shown = text ? str_escape_control(text, strlen(text)) : NULL;
	if (shown)
		args->warn(shown, args->arg);
}

/* Return a lock of the portal, -EAGAIN if it stays taken or is not needed, or another -errno. */
static int lock(const char *path, const struct nvme_mptcp_record_args *args)
{
	for (unsigned int waited = 0; waited < WAIT_MS && !kernel_shows_queues();
	     waited += STEP_MS) {
		int fd = file_lock(path, STEP_MS);

		if (fd != -EAGAIN)
			return fd;
		if (!waited)
			announce_wait(args);
	}
	return -EAGAIN;
}

/* Remove the records of controllers that no longer exist. */
static void drop_stale(const char *dir)
{
	_cleanup_(close) int class = sysfs_open(SYSFS_CLASS_NVME);
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
	free(rec);
}

/* Return NULL if the connect cannot be recorded. */
static struct nvme_mptcp_recorder *recorder_new(const struct nvme_mptcp_record_args *args)
{
	struct nvme_mptcp_recorder *rec;
	char text[ADDRESS_TEXT];
	struct in6_addr ip;
	bool is_name;

	if (make_directory(RECORDS))
		return NULL;
	rec = calloc(1, sizeof(*rec));
	if (!rec)
		return NULL;
	is_name = address_parse_ip(args->traddr, &ip);
	if (!is_name)
		address_text(&ip, text);
	rec->lock =
		lock_path(RECORDS, is_name ? args->traddr : text, args->trsvcid, &rec->lock_path);
	if (!rec->lock)
		rec->lock = lock(rec->lock_path, args);
	/* The lock of a host name does not exclude a process that connects by address. */
	rec->is_alone = rec->lock >= 0 && !is_name;
	rec->before = rec->lock >= 0 || rec->lock == -EAGAIN ? dump() : NULL;
	if (!rec->before) {
		recorder_free(rec);
		return NULL;
	}
	drop_stale(RECORDS);
	return rec;
}

nvme_mptcp_recorder_t nvme_mptcp_record_begin(const struct nvme_mptcp_record_args *given)
{
	struct nvme_mptcp_record_args args;
	int64_t port;

	if (versioned_take(&args, given) || str_is_unset(args.traddr) || !args.trsvcid ||
	    str_parse_int(args.trsvcid, 1, UINT16_MAX, &port) ||
	    !nvmf_transport_has(args.transport, NVMF_TRANSPORT_SUBFLOWS) || kernel_shows_queues())
		return NULL;
	return recorder_new(&args);
}

/* Add the tokens of connections to @portal that @before does not have. */
static int take_new(const struct nvme_mptcp_snapshot *before,
		    const struct nvme_mptcp_snapshot *after, const struct socket_address *portal,
		    struct record *record)
{
	_cleanup_(idmap_free) struct idmap *old = diag_index_tokens(before);

	if (!old)
		return -ENOMEM;
	for (size_t i = 0; i < after->n_connections; i++) {
		const struct nvme_mptcp_connection *conn = &after->connections[i];

		if (conn->has_token && conn->state == STATE_ESTABLISHED &&
		    address_port_equal(&conn->remote, portal) && !idmap_get(old, conn->token) &&
		    array_push(&record->tokens, &record->n_tokens, &conn->token,
			       sizeof(conn->token)))
			return -ENOMEM;
	}
	return 0;
}

/*
 * True if the new connections must be the controller's: there are as many as it has queues. If that
 * number is unknown, no other process of ours may have created any.
 */
static bool is_certain(const struct nvme_mptcp_recorder *rec, const struct record *record,
		       long queues)
{
	if (!record->n_tokens)
		return false;
	return queues > 0 ? record->n_tokens == (size_t)queues : rec->is_alone;
}

/* Return 0 if unknown. */
static long queue_count(int classfd, const char *ctrl)
{
	char text[32];
	int64_t number;

	if (sysfs_read_buf_below(classfd, ctrl, "queue_count", text, sizeof(text)) < 0 ||
	    str_parse_int(text, 1, 65536, &number))
		return 0;
	return number;
}

/* Ignore errors: without a record, connections are attributed by their addresses. */
static void write_new(const struct nvme_mptcp_recorder *rec, const char *ctrl)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t after = dump();
	_cleanup_(close) int class = sysfs_open(SYSFS_CLASS_NVME);
	struct record record = { .netns = netns_id() };
	struct socket_address portal;

	if (after && class >= 0 && !ctrl_read_portal(class, ctrl, &portal) &&
	    !sysfs_read_below(class, ctrl, "subsysnqn", &record.subsysnqn) &&
	    !take_new(rec->before, after, &portal, &record) &&
	    is_certain(rec, &record, queue_count(class, ctrl)))
		record_write(RECORDS, ctrl, &record);
	record_clear(&record);
}

void nvme_mptcp_record_end(nvme_mptcp_recorder_t rec, const char *ctrl)
{
	int saved = errno;

	/* The name is used as a file name. */
	if (rec && ctrl && is_controller(ctrl))
		write_new(rec, ctrl);
	recorder_free(rec);
	errno = saved;
}
