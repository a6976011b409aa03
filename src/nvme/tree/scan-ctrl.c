/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scanning one controller: find its subsystem and its place in the tree. */
#include "private.h"

#define UUID_TEXT 64
#define TRANSPORT_TEXT 64

/* Attributes read for every controller. NQNs longer than 223 bytes are invalid. */
struct ctrl_identity {
	char subsysnqn[NVME_NQN_LENGTH + 1];
	char transport[TRANSPORT_TEXT];
};

/* A controller below an open directory. Its own is not opened: most attributes are read once. */
struct ctrl_dir {
	int fd;
	const char *name;
};

static ssize_t read_buf(const struct ctrl_dir *dir, const char *attr, char *buf, size_t size)
{
	return sysfs_read_buf_below(dir->fd, dir->name, attr, buf, size);
}

static const char *read_optional(const struct ctrl_dir *dir, const char *attr, char *buf,
				 size_t size)
{
	return read_buf(dir, attr, buf, size) > 0 ? buf : NULL;
}

/* Get a PCI address from the link ".../0000:01:00.0/nvme/nvme0", for kernels without attribute. */
static int pci_address(const char *name, char **ret)
{
	_cleanup_(close) int class_fd = sysfs_open(SYSFS_CLASS_NVME);
	_cleanup_(free) char *target = NULL;
	char *end, *start;
	int err;

	if (class_fd < 0)
		return class_fd;
	err = sysfs_readlink(class_fd, name, &target);
	if (err)
		return err;
	end = strstr(target, "/nvme/");
	if (!end)
		return -ENXIO;
	*end = '\0';
	start = strrchr(target, '/');
	*ret = strdup(start ? start + 1 : target);
	return *ret ? 0 : -ENOMEM;
}

/*
 * Read the address that controller @name below @dirfd was connected with: its attribute "address"
 * without src_addr. Return 0 and a string to free, NULL if there is none; -ENXIO if the transport
 * requires one; other -errno.
 */
static int read_portal(int dirfd, const char *name, const struct transport *transport, char **ret)
{
	int err = sysfs_read_portal(dirfd, name, ret);

	/* Not a fabrics controller, or a kernel before 5.4. */
	if (err == -ENOENT)
		err = sysfs_read_below(dirfd, name, "address", ret);
	if (!err || err == -ENOMEM)
		return err;
	if (transport->name && !transport_has(transport, NVMF_TRANSPORT_FABRICS))
		return pci_address(name, ret);
	/* It exists, but its address cannot be read now. */
	if (err == -ENOTCONN || err == -EBUSY)
		return 0;
	return transport_has(transport, NVMF_TRANSPORT_TRADDR) ? -ENXIO : 0;
}

bool ctrl_is_same(const struct nvme_ctrl *c)
{
	_cleanup_(free) char *portal = NULL;

	return !read_portal(AT_FDCWD, c->sysfs_dir, c->transport, &portal) &&
	       str_eq(portal, c->portal);
}

const char *ctrl_address(struct nvme_ctrl *c)
{
	if (!c->address && c->sysfs_dir)
		sysfs_read(c->sysfs_dir, "address", &c->address);
	return c->address ? c->address : c->portal;
}

static bool is_unnamed(const struct nvme_ctrl *c)
{
	return !c->name;
}

/* Find a description with a missing transport that a relay carries over that of @query. */
static struct nvme_ctrl *find_relayed(struct nvme_subsystem *s, struct ctrl_query *query)
{
	const struct transport *row = transport_next(NULL);
	struct nvme_ctrl *c;

	while (row && !str_eq(row->relayed_as, query->transport_name))
		row = transport_next(row);
	if (!row)
		return NULL;
	query->transport = row;
	query->transport_name = row->name;
	c = index_find(s, query, NULL, is_unnamed);
	return c && sysfs_has_module(row->module) <= 0 && !ctrl_set_relayed(c, true) ? c : NULL;
}

/* Find a description, from a configuration file, with this controller's address. */
static struct nvme_ctrl *find_description(struct nvme_subsystem *s, const char *transport,
					  const struct address_parts *address,
					  const struct ctrl_dir *dir)
{
	_cleanup_(free) char *text = NULL;
	struct ctrl_query query = ctrl_query(transport, address->traddr, address->trsvcid, NULL,
					     address->host_traddr, address->host_iface);
	struct nvme_ctrl *c;
	const char *src_addr;
	char source[64];
	size_t len;

	if (!s->n_unnamed)
		return NULL;
	/* If the kernel chose the source address, the description may still specify it. */
	if (!query.host_traddr)
		sysfs_read_below(dir->fd, dir->name, "address", &text);
	src_addr = address_value(text, "src_addr", &len);
	if (src_addr && len < sizeof(source)) {
		str_copy(source, sizeof(source), src_addr, len);
		query.host_traddr = source;
		query.host_traddr_is_source = true;
	}
	c = index_find(s, &query, NULL, is_unnamed);
	return c ? c : find_relayed(s, &query);
}

static void take_missing(char **field, char **from)
{
	if (!*field) {
		*field = *from;
		*from = NULL;
	}
}

static int fill_in(struct nvme_ctrl *c, const char *name, char **text,
		   struct address_parts *address)
{
	int err;

	/* Fill what the description leaves open with the kernel's values. */
	index_del(c->s, c);
	take_missing(&c->traddr, &address->traddr);
	take_missing(&c->trsvcid, &address->trsvcid);
	take_missing(&c->options.cfg.host_traddr, &address->host_traddr);
	take_missing(&c->options.cfg.host_iface, &address->host_iface);
	free(c->portal);
	c->portal = steal_ptr(text);
	str_set(&c->address, NULL);
	err = (c->subsysnqn ? 0 : str_set(&c->subsysnqn, c->s->subsysnqn))
		      ?: ctrl_set_name(c, name);
	index_add(c->s, c);
	return err;
}

/* True if the controller with this name is still the same one. */
static bool is_unchanged(struct nvme_ctrl *c, const struct nvme_host *h, const char *subsystem,
			 const char *transport, const char *portal)
{
	return c->s->h == h && str_eq(c->s->name, subsystem) &&
	       str_eq(c->transport_name, transport) && str_eq(c->portal, portal);
}

static int place_in(struct nvme_host *h, const struct ctrl_dir *dir, const struct ctrl_place *place,
		    const char *transport, char **portal, struct nvme_ctrl **ret)
{
	struct address_parts parsed = { 0 };
	struct nvme_ctrl *c, *known;
	struct nvme_subsystem *s;
	int err;

	s = subsystem_lookup(h, place->subsystem, place->subsysnqn);
	if (!s)
		return -ENOMEM;
	err = ctrl_address_parse(transport_by_name(transport), *portal, &parsed);
	if (err)
		return err;
	c = find_description(s, transport, &parsed, dir);
	known = c;
	if (!c) {
		c = ctrl_new(h->r, transport);
		err = c ? ctrl_link(s, c) : -ENOMEM;
		h->r->modified = true;
	}
	if (!err)
		err = fill_in(c, dir->name, portal, &parsed);
	address_parts_free(&parsed);
	if (err) {
		if (!known)
			nvme_free_ctrl(c);
		return err;
	}
	*ret = c;
	return 0;
}

/*
 * The kernel has one host per NQN, and so one host ID (nvmf_host_add() in
 * drivers/nvme/host/fabrics.c): a scan reads it from the first controller only.
 */
static struct nvme_host *find_host(struct nvme_root *r, const struct ctrl_dir *dir)
{
	char hostnqn[NVME_NQN_LENGTH + 1], hostid[UUID_TEXT];
	struct nvme_host *h;

	if (!read_optional(dir, "hostnqn", hostnqn, sizeof(hostnqn)))
		return host_of_local(r);
	for (h = map_get(r->hosts_by_nqn, hostnqn); h && r->scanning; h = h->next_same_nqn)
		if (h->seen == r->scan)
			return h;
	h = nvme_lookup_host(r, hostnqn, read_optional(dir, "hostid", hostid, sizeof(hostid)));
	if (h)
		h->seen = r->scan;
	return h;
}

int ctrl_place(struct nvme_root *r, int dirfd, const char *name, const struct ctrl_place *place,
	       struct nvme_ctrl **ret)
{
	const struct ctrl_dir dir = { dirfd, name };
	struct ctrl_identity id;
	struct ctrl_place full = *place;
	_cleanup_(free) char *portal = NULL;
	struct nvme_host *h;
	struct nvme_ctrl *c;
	ssize_t len;
	int err;

	len = read_buf(&dir, "transport", id.transport, sizeof(id.transport));
	if (len <= 0)
		return len == -ENOENT ? -ENOENT : -ENXIO;
	if (!full.subsysnqn)
		full.subsysnqn =
			read_optional(&dir, "subsysnqn", id.subsysnqn, sizeof(id.subsysnqn));
	if (!full.subsysnqn)
		return -ENXIO;
	err = read_portal(dirfd, name, transport_by_name(id.transport), &portal);
	if (err)
		return err;
	h = find_host(r, &dir);
	if (!h)
		return -ENOMEM;

	c = map_get(r->ctrls_by_name, name);
	if (c && is_unchanged(c, h, full.subsystem, id.transport, portal)) {
		/* It may have reconnected from another address. */
		str_set(&c->address, NULL);
		ctrl_relist(c);
		*ret = c;
		return 0;
	}
	if (c)
		ctrl_forget(c);
	return place_in(h, &dir, &full, id.transport, &portal, ret);
}

struct link_search {
	const char *ctrl;
	char *subsystem;
};

static int has_link(int dirfd, const char *subsystem, const char *ctrl)
{
	char path[NAME_MAX * 2 + 2];

	snprintf(path, sizeof(path), "%s/%s", subsystem, ctrl);
	return sysfs_exists(dirfd, path);
}

static int try_subsystem(int dirfd, const char *name, void *arg)
{
	struct link_search *search = arg;

	if (!has_link(dirfd, name, search->ctrl))
		return 0;
	search->subsystem = strdup(name);
	return search->subsystem ? 1 : -ENOMEM;
}

/* Get the subsystem's number from the first path: nvme3c7n1 belongs to subsystem 3. */
static int take_instance(int dirfd, const char *name, void *arg)
{
	return sscanf(name, "nvme%dc", (int *)arg) == 1 ? 1 : 0;
}

/*
 * The kernel only has links from subsystems to controllers. Usually the numbers determine the
 * subsystem; otherwise try the links of all subsystems.
 */
static int find_subsystem(const struct ctrl_dir *ctrl, char **ret)
{
	_cleanup_(close) int dirfd = sysfs_open(SYSFS_CLASS_NVME_SUBSYSTEM);
	_cleanup_(close) int ctrl_fd = -1;
	struct link_search search = { .ctrl = ctrl->name };
	char guess[32];
	int instance, err;

	if (dirfd < 0)
		return dirfd;
	instance = atoi(ctrl->name + strlen("nvme"));
	snprintf(guess, sizeof(guess), "nvme-subsys%d", instance);
	if (!has_link(dirfd, guess, ctrl->name)) {
		ctrl_fd = sysfs_open_dir(ctrl->fd, ctrl->name);
		if (ctrl_fd >= 0 &&
		    sysfs_walk(ctrl_fd, nvme_paths_filter, take_instance, &instance) == 1)
			snprintf(guess, sizeof(guess), "nvme-subsys%d", instance);
	}
	if (has_link(dirfd, guess, ctrl->name)) {
		search.subsystem = strdup(guess);
		err = search.subsystem ? 1 : -ENOMEM;
	} else {
		err = sysfs_walk(dirfd, nvme_subsys_filter, try_subsystem, &search);
	}
	if (err < 0)
		return err;
	if (!search.subsystem)
		return -ENXIO;
	*ret = search.subsystem;
	return 0;
}

static bool is_ctrl_name(const char *name)
{
	struct dirent entry;

	if (!name || strlen(name) >= sizeof(entry.d_name))
		return false;
	strncpy(entry.d_name, name, sizeof(entry.d_name) - 1);
	entry.d_name[sizeof(entry.d_name) - 1] = '\0';
	return nvme_ctrls_filter(&entry);
}

static int scan_ctrl(struct nvme_root *r, const char *name, struct nvme_ctrl **ret)
{
	_cleanup_(close) int class_fd = sysfs_open(SYSFS_CLASS_NVME);
	const struct ctrl_dir dir = { class_fd, name };
	_cleanup_(free) char *subsystem = NULL;
	struct ctrl_place place = { 0 };
	int err;

	if (!is_ctrl_name(name))
		return -EINVAL;
	if (class_fd < 0)
		return class_fd == -ENOENT ? -ENODEV : class_fd;
	if (!sysfs_exists(class_fd, name))
		return -ENODEV;
	err = find_subsystem(&dir, &subsystem);
	if (!err) {
		place.subsystem = subsystem;
		err = ctrl_place(r, class_fd, name, &place, ret);
	}
	return err == -ENOENT ? -ENXIO : err;
}

nvme_ctrl_t nvme_scan_ctrl(nvme_root_t r, const char *name)
{
	struct nvme_ctrl *c = NULL;
	int err = scan_ctrl(r, name, &c);

	if (err) {
		log_debug(r, "%s cannot be read: %s", name ? name : "(no name)", strerror(-err));
		return failure_null(err);
	}
	return c;
}

void nvme_rescan_ctrl(nvme_ctrl_t c)
{
	ctrl_relist(c);
}

/* Try the subsystem with the same NQN in the tree first. */
static int find_known_subsystem(struct nvme_host *h, const struct nvme_ctrl *c, const char *name,
				char **ret)
{
	struct nvme_subsystem *s = c->subsysnqn ? subsystem_find(h, NULL, c->subsysnqn) : NULL;
	_cleanup_(close) int dirfd = -1;

	if (!s || !s->name)
		return -ENOENT;
	dirfd = sysfs_open(SYSFS_CLASS_NVME_SUBSYSTEM);
	if (dirfd < 0 || !has_link(dirfd, s->name, name))
		return -ENOENT;
	return str_set(ret, s->name);
}

/* Return 0, -errno, or a negated value of enum nvme_connect_err. */
static int init_ctrl(nvme_host_t h, nvme_ctrl_t c, int instance)
{
	_cleanup_(close) int class_fd = sysfs_open(SYSFS_CLASS_NVME);
	_cleanup_(free) char *subsystem = NULL;
	_cleanup_(free) char *portal = NULL;
	char name[32], subsysnqn[NVME_NQN_LENGTH + 1];
	const struct ctrl_dir dir = { class_fd, name };
	struct address_parts parsed = { 0 };
	struct nvme_subsystem *s;
	const char *nqn;
	int err;

	snprintf(name, sizeof(name), "nvme%d", instance);
	if (instance < 0 || class_fd < 0 || !sysfs_exists(class_fd, name))
		return -ENODEV;
	err = read_portal(class_fd, name, c->transport, &portal)
		      ?: ctrl_address_parse(c->transport, portal, &parsed);
	if (err)
		return err == -ENOMEM ? err : -ENVME_CONNECT_INVAL_TR;
	err = find_known_subsystem(h, c, name, &subsystem);
	if (err == -ENOENT)
		err = find_subsystem(&dir, &subsystem);
	if (err) {
		err = err == -ENOMEM ? err : -ENVME_CONNECT_LOOKUP_SUBSYS_NAME;
		goto out;
	}
	nqn = read_optional(&dir, "subsysnqn", subsysnqn, sizeof(subsysnqn));
	s = subsystem_lookup(h, subsystem, nqn ? nqn : c->subsysnqn);
	if (!s) {
		err = -ENVME_CONNECT_LOOKUP_SUBSYS;
		goto out;
	}
	if (c->s != s)
		err = ctrl_link(s, c);
	if (!err)
		err = fill_in(c, name, &portal, &parsed);
out:
	address_parts_free(&parsed);
	return err;
}

int nvme_init_ctrl(nvme_host_t h, nvme_ctrl_t c, int instance)
{
	return failure_errno(init_ctrl(h, c, instance));
}
