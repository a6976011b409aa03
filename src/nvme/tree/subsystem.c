/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <json.h>

#include "private.h"

struct nvme_subsystem *subsystem_new(struct nvme_host *h, const char *subsysnqn)
{
	struct nvme_subsystem *s = calloc(1, sizeof(*s));
	struct nvme_subsystem *same;

	if (!s)
		return NULL;
	TAILQ_INIT(&s->ctrls);
	TAILQ_INIT(&s->namespaces);
	if (str_set(&s->subsysnqn, subsysnqn))
		goto no_memory;
	if (subsysnqn) {
		same = map_get(h->subsystems_by_nqn, subsysnqn);
		if (!same && map_put(h->subsystems_by_nqn, subsysnqn, s))
			goto no_memory;
		while (same && same->next_same_nqn)
			same = same->next_same_nqn;
		if (same)
			same->next_same_nqn = s;
	}
	TAILQ_INSERT_TAIL(&h->subsystems, s, entry);
	s->h = h;
	s->serial_number = ++h->r->next_serial;
	return s;

no_memory:
	nvme_free_subsystem(s);
	return NULL;
}

/* Set the name when the kernel has the subsystem. */
int subsystem_set_name(struct nvme_subsystem *s, const char *name)
{
	_cleanup_(free) char *dir =
		str_format("%s/%s", sysfs_path(SYSFS_CLASS_NVME_SUBSYSTEM), name);
	_cleanup_(free) char *copy = strdup(name);

	if (!dir || !copy)
		return -ENOMEM;
	s->next_same_name = map_get(s->h->subsystems_by_name, name);
	if (map_put(s->h->subsystems_by_name, name, s)) {
		s->next_same_name = NULL;
		return -ENOMEM;
	}
	s->name = steal_ptr(&copy);
	free(s->sysfs_dir);
	s->sysfs_dir = steal_ptr(&dir);
	return 0;
}

static void forget_subsystem(struct nvme_host *h, struct nvme_subsystem *s)
{
	chain_remove(h->subsystems_by_nqn, s->subsysnqn, s, next_same_nqn);
	chain_remove(h->subsystems_by_name, s->name, s, next_same_name);
	TAILQ_REMOVE(&h->subsystems, s, entry);
}

void nvme_free_subsystem(struct nvme_subsystem *s)
{
	struct nvme_ctrl *c;
	struct nvme_ns *n;

	if (!s)
		return;
	index_clear(s);
	while ((c = TAILQ_FIRST(&s->ctrls)))
		nvme_free_ctrl(c);
	while ((n = TAILQ_FIRST(&s->namespaces)))
		nvme_free_ns(n);
	if (s->h)
		forget_subsystem(s->h, s);
	attr_clear(&s->model);
	attr_clear(&s->serial);
	attr_clear(&s->firmware);
	attr_clear(&s->subsystype);
	attr_clear(&s->iopolicy);
	free(s->name);
	free(s->sysfs_dir);
	free(s->subsysnqn);
	json_object_put(s->unknown_keys);
	free(s->application);
	free(s);
}

GETTER(nvme_host_t, nvme_subsystem_get_host, nvme_subsystem_t, h);
GETTER(const char *, nvme_subsystem_get_name, nvme_subsystem_t, name);
GETTER(const char *, nvme_subsystem_get_sysfs_dir, nvme_subsystem_t, sysfs_dir);
GETTER(const char *, nvme_subsystem_get_nqn, nvme_subsystem_t, subsysnqn);

const char *nvme_subsystem_get_type(nvme_subsystem_t s)
{
	const char *type = attr_get(&s->subsystype, s->sysfs_dir, "subsystype");

	if (type)
		return type;
	return str_eq(s->subsysnqn, NVME_DISC_SUBSYS_NAME) ? "discovery" : "nvm";
}

const char *nvme_subsystem_get_model(nvme_subsystem_t s)
{
	const char *model = attr_get(&s->model, s->sysfs_dir, "model");

	return model ? model : "undefined";
}

ATTR_GETTER(const char *, nvme_subsystem_get_serial, nvme_subsystem_t, serial, "serial");
ATTR_GETTER(const char *, nvme_subsystem_get_fw_rev, nvme_subsystem_t, firmware, "firmware_rev");

const char *nvme_subsystem_get_iopolicy(nvme_subsystem_t s)
{
	attr_clear(&s->iopolicy);
	return attr_get(&s->iopolicy, s->sysfs_dir, "iopolicy");
}

int nvme_subsystem_set_iopolicy(nvme_subsystem_t s, const char *policy)
{
	return failure_errno(s->sysfs_dir ? sysfs_write(s->sysfs_dir, "iopolicy", policy)
					  : -ENODEV);
}

GETTER(const char *, nvme_subsystem_get_application, nvme_subsystem_t, application);

void nvme_subsystem_set_application(nvme_subsystem_t s, const char *a)
{
	if (str_eq(s->application, a))
		return;
	if (memory_noted(str_set(&s->application, a)))
		log_err(s->h->r, "out of memory: application \"%s\" not set", a);
	else
		s->h->r->modified = true;
}

void nvme_subsystem_release_fds(struct nvme_subsystem *s)
{
	struct nvme_ctrl *c;
	struct nvme_ns *n;

	TAILQ_FOREACH(c, &s->ctrls, entry) {
		nvme_ctrl_release_fd(c);
		TAILQ_FOREACH(n, &c->namespaces, entry)
			nvme_ns_release_fd(n);
	}
	TAILQ_FOREACH(n, &s->namespaces, entry)
		nvme_ns_release_fd(n);
}

GETTER_OF(nvme_ctrl_t, nvme_subsystem_first_ctrl, nvme_subsystem_t,
	  object ? TAILQ_FIRST(&object->ctrls) : NULL);
TREE_NEXT(nvme_ctrl_t, nvme_subsystem_next_ctrl, nvme_subsystem_t, entry);
TREE_FIRST(nvme_ns_t, nvme_subsystem_first_ns, nvme_subsystem_t, subsystem_list_heads, namespaces);
TREE_NEXT(nvme_ns_t, nvme_subsystem_next_ns, nvme_subsystem_t, entry);

nvme_ns_t nvme_subsystem_lookup_namespace(struct nvme_subsystem *s, __u32 nsid)
{
	struct nvme_ns *n;

	nvme_subsystem_for_each_ns(s, n)
		if ((__u32)nvme_ns_get_nsid(n) == nsid)
			return n;
	return NULL;
}
