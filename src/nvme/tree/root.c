/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <json.h>

#include "hostid-private.h"
#include "private.h"

struct log *root_log(nvme_root_t r)
{
	return r ? r->log : NULL;
}

static struct log *log_of(nvme_root_t r)
{
	struct log *log = root_log(r);

	return log ? log : log_default();
}

void nvme_init_logging(nvme_root_t r, int lvl, bool log_pid, bool log_tstamp)
{
	struct log *log = log_of(r);

	log->level = lvl;
	log->pid = log_pid;
	log->timestamp = log_tstamp;
}

int nvme_get_logging_level(nvme_root_t r, bool *log_pid, bool *log_tstamp)
{
	const struct log *log = log_of(r);

	if (log_pid)
		*log_pid = log->pid;
	if (log_tstamp)
		*log_tstamp = log->timestamp;
	return log->level;
}

void nvme_set_root(nvme_root_t r)
{
	if (r)
		*log_default() = *log_of(r);
	else
		*log_default() = (struct log){ .fd = STDERR_FILENO, .level = DEFAULT_LOGLEVEL };
}

nvme_root_t nvme_create_root(FILE *fp, int log_level)
{
	struct nvme_root *r = calloc(1, sizeof(*r));
	int fd = fp ? fileno(fp) : STDERR_FILENO;

	if (!r)
		goto no_memory;
	TAILQ_INIT(&r->hosts);
	TAILQ_INIT(&r->loose);
	r->devices_fd = -1;
	r->config_lock = (struct file_hold)FILE_HOLD_NONE;
	r->memory_failures = memory_failures();
	r->log = calloc(1, sizeof(*r->log));
	r->hosts_by_nqn = map_new(0);
	r->ctrls_by_name = map_new(0);
	if (!r->log || !r->hosts_by_nqn || !r->ctrls_by_name)
		goto no_memory;
	*r->log = (struct log){ .fd = fd >= 0 ? fd : STDERR_FILENO, .level = log_level };
	return r;

no_memory:
	nvme_free_tree(r);
	return failure_null(-ENOMEM);
}

void nvme_free_tree(nvme_root_t r)
{
	struct nvme_host *h;
	struct nvme_ctrl *c;

	if (!r)
		return;
	while ((h = TAILQ_FIRST(&r->hosts)))
		nvme_free_host(h);
	/* Their owners free them later: clear the pointers to this tree. */
	while ((c = TAILQ_FIRST(&r->loose))) {
		TAILQ_REMOVE(&r->loose, c, entry);
		c->r = NULL;
	}
	if (r->devices_fd >= 0)
		close(r->devices_fd);
	map_free(r->hosts_by_nqn);
	map_free(r->ctrls_by_name);
	json_object_put(r->config_members);
	file_release_cleanup(&r->config_lock);
	free(r->config_file);
	free(r->config_error);
	root_forget_problems(r);
	root_forget_guards(r);
	free(r->application);
	free(r->options);
	free(r->log);
	free(r);
}

void nvme_refresh_topology(nvme_root_t r)
{
	struct nvme_host *h;

	while ((h = TAILQ_FIRST(&r->hosts)))
		nvme_free_host(h);
	nvme_scan_topology(r, NULL, NULL);
}

void nvme_root_release_fds(nvme_root_t r)
{
	struct nvme_host *h;

	if (r->devices_fd >= 0)
		close(steal_fd(&r->devices_fd));
	TAILQ_FOREACH(h, &r->hosts, entry)
		nvme_host_release_fds(h);
}

GETTER(const char *, nvme_root_get_application, nvme_root_t, application);

void nvme_root_set_application(nvme_root_t r, const char *a)
{
	if (str_set(&r->application, a))
		log_err(r, "out of memory: application \"%s\" not set", a);
}

void nvme_root_skip_namespaces(nvme_root_t r)
{
	r->skip_namespaces = true;
}

GETTER_OF(nvme_host_t, nvme_first_host, nvme_root_t, object ? TAILQ_FIRST(&object->hosts) : NULL);
TREE_NEXT(nvme_host_t, nvme_next_host, nvme_root_t, entry);

static struct nvme_host *host_find(struct nvme_root *r, const char *hostnqn, const char *hostid)
{
	struct nvme_host *h = map_get(r->hosts_by_nqn, hostnqn);

	while (h && hostid && !str_eq(h->hostid, hostid))
		h = h->next_same_nqn;
	return h;
}

nvme_host_t nvme_lookup_host(nvme_root_t r, const char *hostnqn, const char *hostid)
{
	struct nvme_host *h;

	if (!r || !hostnqn)
		return failure_null(-EINVAL);
	h = host_find(r, hostnqn, hostid);
	if (!h) {
		h = host_new(r, hostnqn, hostid);
		if (!h)
			return failure_null(-ENOMEM);
		r->modified = true;
	}
	return h;
}

/* Return this host. With invalid names: unnamed_host, or NULL with errno if @must_be_named. */
static struct nvme_host *this_host(struct nvme_root *r, bool must_be_named)
{
	_cleanup_(free) char *hostnqn = NULL;
	_cleanup_(free) char *hostid = NULL;
	struct nvme_host *h;
	int err;

	/* Cached: a machine without identity would get a new random one on each call. */
	if (r->default_host)
		return r->default_host;
	if (r->unnamed_host && !must_be_named)
		return r->unnamed_host;
	err = hostid_names(r, &hostnqn, &hostid);
	if (err && (must_be_named || err == -ENOMEM))
		return failure_null(err);
	h = err ? host_new(r, hostnqn ? hostnqn : "unknown", NULL)
		: nvme_lookup_host(r, hostnqn, hostid);
	if (!h)
		return failure_null(-ENOMEM);
	if (err)
		return r->unnamed_host = h;
	nvme_host_set_hostsymname(h, NULL);
	return r->default_host = h;
}

struct nvme_host *host_of_local(struct nvme_root *r)
{
	return this_host(r, false);
}

GETTER_OF(nvme_host_t, nvme_default_host, nvme_root_t, this_host(object, true));
