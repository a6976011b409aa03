/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "../linux.h"
#include "private.h"

struct nvme_ns *ns_new(struct nvme_subsystem *s, struct nvme_ctrl *c, const char *name)
{
	struct nvme_ns *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->fd = -1;
	n->head.n = n;
	TAILQ_INIT(&n->paths);
	n->name = strdup(name);
	if (!n->name) {
		free(n);
		return NULL;
	}
	n->s = s;
	n->c = c;
	if (c)
		TAILQ_INSERT_TAIL(&c->namespaces, n, entry);
	else if (s)
		TAILQ_INSERT_TAIL(&s->namespaces, n, entry);
	return n;
}

void nvme_free_ns(struct nvme_ns *n)
{
	struct nvme_path *p;

	if (!n)
		return;
	while ((p = TAILQ_FIRST(&n->paths))) {
		TAILQ_REMOVE(&n->paths, p, ns_entry);
		p->n = NULL;
	}
	if (n->c)
		TAILQ_REMOVE(&n->c->namespaces, n, entry);
	else if (n->s)
		TAILQ_REMOVE(&n->s->namespaces, n, entry);
	if (n->s && n->s->last_found == n)
		n->s->last_found = NULL;
	nvme_ns_release_fd(n);
	attr_clear(&n->nsid_text);
	attr_clear(&n->model);
	attr_clear(&n->serial);
	attr_clear(&n->firmware);
	free(n->name);
	free(n->generic_name);
	free(n->sysfs_dir);
	free(n->head.sysfs_dir);
	free(n);
}

nvme_ns_t nvme_scan_namespace(const char *name)
{
	_cleanup_(free) char *dir = NULL;
	_cleanup_(close) int fd = -1;
	struct nvme_ns *n;

	if (!name || strchr(name, '/'))
		return failure_null(-EINVAL);
	dir = str_format("%s/%s", sysfs_path(SYSFS_BLOCK), name);
	fd = dir ? sysfs_open_dir(AT_FDCWD, dir) : -ENOMEM;
	n = fd < 0 ? NULL : ns_new(NULL, NULL, name);
	if (!n)
		return failure_null(fd < 0 ? fd : -ENOMEM);
	n->sysfs_dir = steal_ptr(&dir);
	return n;
}

GETTER(nvme_subsystem_t, nvme_ns_get_subsystem, nvme_ns_t, s);
GETTER(nvme_ctrl_t, nvme_ns_get_ctrl, nvme_ns_t, c);

int nvme_ns_get_fd(nvme_ns_t n)
{
	if (n->fd >= 0)
		return n->fd;
	n->fd = nvme_open(n->name);
	if (n->fd < 0)
		log_err(n->s ? n->s->h->r : NULL, "/dev/%s cannot be opened: %s", n->name,
			strerror(errno));
	return n->fd;
}

void nvme_ns_release_fd(nvme_ns_t n)
{
	if (n->fd < 0)
		return;
	close(n->fd);
	n->fd = -1;
}

GETTER(const char *, nvme_ns_get_name, nvme_ns_t, name);

/* ng0n1 is the character device of nvme0n1: nvme_cdev_add() in drivers/nvme/host. */
const char *nvme_ns_get_generic_name(nvme_ns_t n)
{
	int instance, head;

	if (!n->generic_name && sscanf(n->name, "nvme%dn%d", &instance, &head) == 2)
		memory_print(&n->generic_name, "ng%dn%d", instance, head);
	return n->generic_name ? n->generic_name : "";
}

const char *nvme_ns_get_sysfs_dir(nvme_ns_t n)
{
	const char *above = n->c ? n->c->sysfs_dir : n->s ? n->s->sysfs_dir : NULL;

	if (!n->sysfs_dir && above)
		memory_print(&n->sysfs_dir, "%s/%s", above, n->name);
	return n->sysfs_dir;
}

GETTER_OF(nvme_ns_head_t, nvme_ns_get_head, nvme_ns_t, &object->head);

const char *nvme_ns_head_get_sysfs_dir(nvme_ns_head_t head)
{
	const char *dir = nvme_ns_get_sysfs_dir(head->n);

	if (!head->sysfs_dir && dir)
		memory_print(&head->sysfs_dir, "%s/multipath", dir);
	return head->sysfs_dir;
}

int nvme_ns_get_nsid(nvme_ns_t n)
{
	const char *text = attr_get(&n->nsid_text, nvme_ns_get_sysfs_dir(n), "nsid");
	int64_t nsid;

	return str_parse_int(text, 0, UINT32_MAX, &nsid) ? 0 : (int)nsid;
}

/* Read an attribute of the controller: a namespace without a tree has the link "device". */
static const char *own_attr(nvme_ns_t n, struct attr *attr, const char *name)
{
	_cleanup_(free) char *dir = NULL;

	if (attr->known)
		return attr->value;
	if (memory_print(&dir, "%s/device", n->sysfs_dir ? n->sysfs_dir : ""))
		return NULL;
	return attr_get(attr, dir, name);
}

#define NS_GETTER(field, function, of_ctrl, of_subsystem, name) \
	const char *function(nvme_ns_t n) \
	{ \
		if (n->c) \
			return of_ctrl(n->c); \
		return n->s ? of_subsystem(n->s) : own_attr(n, &n->field, name); \
	} \
	struct getter_semicolon_##function

NS_GETTER(model, nvme_ns_get_model, nvme_ctrl_get_model, nvme_subsystem_get_model, "model");
NS_GETTER(serial, nvme_ns_get_serial, nvme_ctrl_get_serial, nvme_subsystem_get_serial, "serial");
NS_GETTER(firmware, nvme_ns_get_firmware, nvme_ctrl_get_firmware, nvme_subsystem_get_fw_rev,
	  "firmware_rev");
