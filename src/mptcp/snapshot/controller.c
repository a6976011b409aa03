// SPDX-License-Identifier: LGPL-2.1-or-later
/* Controllers whose connections can have several subflows. */

#include <nvme/filters.h>
#include <nvme/tree.h>

#include "base/sysfs.h"
#include "transport.h"
#include "snapshot.h"

static bool parse_source(const char *text, struct in6_addr *ret)
{
	return !str_is_unset(text) && !address_parse_ip(text, ret);
}

static int copy(char **field, const char *value)
{
	return str_set(field, str_is_unset(value) ? NULL : value);
}

bool ctrl_parse_portal(const char *traddr, const char *trsvcid, struct socket_address *ret)
{
	int64_t number;

	if (!traddr || !trsvcid || address_parse_ip(traddr, &ret->ip) ||
	    str_parse_int(trsvcid, 1, 65535, &number))
		return false;
	ret->port = (uint16_t)number;
	return true;
}

static void parse_portal(struct nvme_mptcp_ctrl *ctrl)
{
	ctrl->has_portal = ctrl_parse_portal(ctrl->traddr, ctrl->trsvcid, &ctrl->portal);
}

static void parse_host_side(struct nvme_mptcp_ctrl *ctrl)
{
	ctrl->has_source = parse_source(ctrl->src_addr, &ctrl->source) ||
			   parse_source(ctrl->host_traddr, &ctrl->source);
}

static int64_t parse_queues(const char *queues)
{
	int64_t number;

	return queues && !str_parse_int(queues, 0, 65536, &number) ? number : NVME_MPTCP_UNKNOWN;
}

/* For plain TCP, read only cntlid: its sockets have no subflows. */
static int read_attributes(struct nvme_mptcp_snapshot *snap, struct nvme_mptcp_ctrl *ctrl,
			   int dirfd)
{
	char text[16];
	int64_t number;

	if (nvmf_transport_has(ctrl->transport, NVMF_TRANSPORT_SUBFLOWS))
		return ctrl_sockets_read(snap, ctrl, dirfd);
	if (sysfs_read_buf(dirfd, "cntlid", text, sizeof(text)) >= 0 &&
	    !str_parse_int(text, 0, UINT16_MAX, &number))
		ctrl->cntlid = (int)number;
	return 0;
}

static int read_sockets(struct nvme_mptcp_snapshot *snap, struct nvme_mptcp_ctrl *ctrl,
			const char *dir)
{
	_cleanup_(close) int fd = dir ? sysfs_open_dir(AT_FDCWD, dir) : -ENOENT;
	int err = 0;

	parse_portal(ctrl);
	if (fd >= 0)
		err = read_attributes(snap, ctrl, fd);
	/* The controller may vanish at any time. */
	else if (fd != -ENOENT)
		problem_set(snap, NVME_MPTCP_CONTROLLERS, fd, "%s: %s", dir, strerror(-fd));
	parse_host_side(ctrl);
	return err;
}

static int describe(struct nvme_mptcp_snapshot *snap, struct nvme_mptcp_ctrl *ctrl, nvme_ctrl_t c)
{
	ctrl->expected = parse_queues(nvme_ctrl_get_queue_count(c));
	if (copy(&ctrl->name, nvme_ctrl_get_name(c)) ||
	    copy(&ctrl->subsystem, nvme_subsystem_get_name(nvme_ctrl_get_subsystem(c))) ||
	    copy(&ctrl->subsysnqn, nvme_ctrl_get_subsysnqn(c)) ||
	    copy(&ctrl->transport, nvme_ctrl_get_transport(c)) ||
	    copy(&ctrl->state, nvme_ctrl_get_state(c)) ||
	    copy(&ctrl->traddr, nvme_ctrl_get_traddr(c)) ||
	    copy(&ctrl->trsvcid, nvme_ctrl_get_trsvcid(c)) ||
	    copy(&ctrl->host_traddr, nvme_ctrl_get_host_traddr(c)) ||
	    copy(&ctrl->host_iface, nvme_ctrl_get_host_iface(c)))
		return -ENOMEM;
	return read_sockets(snap, ctrl, nvme_ctrl_get_sysfs_dir(c));
}

static int by_number(const void *a, const void *b)
{
	const struct nvme_mptcp_ctrl *x = a, *y = b;

	return strverscmp(x->name, y->name);
}

static void sort_ctrls(struct nvme_mptcp_snapshot *snap)
{
	if (snap->n_ctrls)
		qsort(snap->ctrls, snap->n_ctrls, sizeof(*snap->ctrls), by_number);
}

const struct nvme_mptcp_ctrl *snapshot_find_ctrl(const struct nvme_mptcp_snapshot *snap,
						 const char *name)
{
	const struct nvme_mptcp_ctrl key = { .name = (char *)name };

	return snap->n_ctrls ? bsearch(&key, snap->ctrls, snap->n_ctrls, sizeof(key), by_number)
			     : NULL;
}

static bool is_plain(const char *transport)
{
	return nvmf_transport_has(transport, NVMF_TRANSPORT_DIGESTS) &&
	       !nvmf_transport_has(transport, NVMF_TRANSPORT_SUBFLOWS);
}

static int note_plain(struct plain_ctrls *plain, nvme_ctrl_t c, bool is_bound)
{
	if (is_bound && !plain->bound && copy(&plain->bound, nvme_ctrl_get_name(c)))
		return -ENOMEM;
	if (plain->count++)
		return 0;
	return copy(&plain->name, nvme_ctrl_get_name(c)) ||
	       copy(&plain->transport, nvme_ctrl_get_transport(c)) ||
	       copy(&plain->subsysnqn, nvme_ctrl_get_subsysnqn(c)) ||
	       copy(&plain->traddr, nvme_ctrl_get_traddr(c)) ||
	       copy(&plain->trsvcid, nvme_ctrl_get_trsvcid(c));
}

static struct nvme_mptcp_ctrl *add_ctrl(struct nvme_mptcp_snapshot *snap)
{
	struct nvme_mptcp_ctrl *ctrl = array_add(&snap->ctrls, &snap->n_ctrls, sizeof(*ctrl));

	if (ctrl)
		ctrl->cntlid = NVME_MPTCP_UNKNOWN;
	return ctrl;
}

/* Keep the last controller only if several links can carry it. *@is_bound: see relayed_is_served(). */
static bool keep_last(struct nvme_mptcp_snapshot *snap, bool *is_bound)
{
	struct nvme_mptcp_ctrl *ctrl = &snap->ctrls[snap->n_ctrls - 1];

	if (nvmf_transport_has(ctrl->transport, NVMF_TRANSPORT_SUBFLOWS) ||
	    relayed_is_served(snap, ctrl, is_bound))
		return true;
	ctrl_free(ctrl);
	snap->n_ctrls--;
	return false;
}

static int take_tree_ctrl(struct nvme_mptcp_snapshot *snap, nvme_ctrl_t c)
{
	const char *transport = nvme_ctrl_get_transport(c);
	const bool has_subflows = nvmf_transport_has(transport, NVMF_TRANSPORT_SUBFLOWS);
	struct nvme_mptcp_ctrl *ctrl;
	bool is_bound = false;
	int err;

	if (!nvme_ctrl_get_name(c) || (!has_subflows && !is_plain(transport)))
		return 0;
	if (!has_subflows && !snap->relay)
		return note_plain(&snap->plain, c, false) ? -ENOMEM : 0;
	ctrl = add_ctrl(snap);
	if (!ctrl)
		return -ENOMEM;
	err = describe(snap, ctrl, c);
	if (err || keep_last(snap, &is_bound))
		return err;
	return note_plain(&snap->plain, c, is_bound) ? -ENOMEM : 0;
}

/* Return -ENOENT if no NVMe module is loaded: there are no controllers. Note other errors. */
static int open_class(struct nvme_mptcp_snapshot *snap)
{
	int fd = sysfs_open(SYSFS_CLASS_NVME);
	bool no_sysfs = fd == -ENOENT && !sysfs_is_mounted();

	if (no_sysfs || (fd < 0 && fd != -ENOENT))
		problem_set(snap, NVME_MPTCP_CONTROLLERS, fd, "%s: %s%s",
			    sysfs_path(SYSFS_CLASS_NVME), strerror(-fd),
			    no_sysfs ? " (is /sys mounted?)" : "");
	return fd;
}

int snapshot_read_ctrls(struct nvme_mptcp_snapshot *snap, nvme_root_t r)
{
	nvme_host_t h;
	nvme_subsystem_t s;
	nvme_ctrl_t c;
	int fd = open_class(snap); /* opened only to note why it cannot be read */

	if (fd >= 0)
		close(fd);
	nvme_for_each_host(r, h) {
		nvme_for_each_subsystem(h, s) {
			nvme_subsystem_for_each_ctrl(s, c) {
				int err = take_tree_ctrl(snap, c);

				if (err)
					return err;
			}
		}
	}
	sort_ctrls(snap);
	return 0;
}

static int take_ends(struct nvme_mptcp_ctrl *ctrl, const char *address)
{
	struct address_parts parts;
	int err = address_parts_parse(address, &parts);

	if (err)
		return err;
	ctrl->traddr = steal_ptr(&parts.traddr);
	ctrl->trsvcid = steal_ptr(&parts.trsvcid);
	ctrl->host_traddr = steal_ptr(&parts.host_traddr);
	ctrl->host_iface = steal_ptr(&parts.host_iface);
	address_parts_free(&parts);
	return 0;
}

/* Note why a controller could not be read. One that has vanished is no problem. */
static int note_failure(struct nvme_mptcp_snapshot *snap, const char *name, int err)
{
	if (err && err != -ENOENT && err != -ENODEV && err != -ENXIO && err != -ENOMEM)
		problem_set(snap, NVME_MPTCP_CONTROLLERS, err, "%s/%s: %s",
			    sysfs_path(SYSFS_CLASS_NVME), name, strerror(-err));
	return err == -ENOMEM ? err : 0;
}

/* Read the address that it was connected with; NULL if it cannot be read now. */
static int read_ends(int classfd, const char *name, char **ret)
{
	int err = sysfs_read_portal(classfd, name, ret);

	/* Kernels before 5.4. */
	if (err == -ENOENT)
		err = sysfs_read_below(classfd, name, "address", ret);
	if (!err || err == -ENOMEM)
		return err;
	return err == -ENOTCONN || err == -EBUSY ? 0 : -ENXIO;
}

int ctrl_read_portal(int classfd, const char *name, struct socket_address *ret)
{
	_cleanup_(free) char *text = NULL;
	struct address_parts parts;
	int err = read_ends(classfd, name, &text) ?: address_parts_parse(text, &parts);

	if (err)
		return err;
	if (!ctrl_parse_portal(parts.traddr, parts.trsvcid, ret))
		err = -EADDRNOTAVAIL;
	address_parts_free(&parts);
	return err;
}

static int read_ctrl(struct nvme_mptcp_snapshot *snap, int classfd, const char *name)
{
	_cleanup_(close) int fd = sysfs_open_dir(classfd, name);
	_cleanup_(free) char *transport = NULL, *portal = NULL, *queues = NULL;
	struct nvme_mptcp_ctrl *ctrl;
	int err;

	if (fd < 0)
		return fd;
	err = sysfs_read_optional(fd, "transport", &transport)
		      ?: sysfs_read_optional(fd, "queue_count", &queues);
	if (err || (!nvmf_transport_has(transport, NVMF_TRANSPORT_SUBFLOWS) &&
		    !(snap->relay && is_plain(transport))))
		return err;
	err = read_ends(classfd, name, &portal);
	if (err)
		return err;
	ctrl = add_ctrl(snap);
	if (!ctrl)
		return -ENOMEM;
	ctrl->transport = steal_ptr(&transport);
	ctrl->expected = parse_queues(queues);
	err = copy(&ctrl->name, name)
	       ?: sysfs_read_optional(fd, "subsysnqn", &ctrl->subsysnqn)
	       ?: sysfs_read_optional(fd, "state", &ctrl->state)
	       ?: take_ends(ctrl, portal);
	parse_portal(ctrl);
	if (!err)
		err = read_attributes(snap, ctrl, fd);
	parse_host_side(ctrl);
	if (!err)
		keep_last(snap, &(bool){ false });
	return err;
}

static int take_ctrl(int classfd, const char *name, void *arg)
{
	return note_failure(arg, name, read_ctrl(arg, classfd, name));
}

int snapshot_read_ctrls_sysfs(struct nvme_mptcp_snapshot *snap)
{
	_cleanup_(close) int fd = open_class(snap);
	int err = fd < 0 ? 0 : sysfs_walk(fd, nvme_ctrls_filter, take_ctrl, snap);

	/* After -ENOMEM a controller may have no name to sort by. */
	if (!err)
		sort_ctrls(snap);
	return err;
}
