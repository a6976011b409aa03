/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Controllers: creating, linking and freeing them, and their settings. */
#include <json.h>

#include "private.h"

static void set_defaults(struct nvmf_options *options)
{
#define SET_DEFAULT(id, name, owner, least, most, standard, ...) \
	options->NVMF_OPTION_MEMBER(owner, name) = standard;

	options->size = sizeof(*options);
	NVMF_OPTIONS(NVMF_NO_ROW, NVMF_NO_ROW, NVMF_NO_ROW, SET_DEFAULT, NVMF_NO_ROW, NVMF_NO_ROW)
}

static void free_options(struct nvmf_options *options)
{
#define FREE_TEXT(id, name, json, owner, member, ...) FREE_##owner(member)
#define FREE_HOST(member)
#define FREE_CTRL(member)
#define FREE_PEER(member)
#define FREE_CFG(member) free(options->cfg.member);
#define FREE_OWN(member) free(options->member);

	NVMF_OPTIONS(NVMF_NO_ROW, FREE_TEXT, NVMF_NO_ROW, NVMF_NO_ROW, NVMF_NO_ROW, NVMF_NO_ROW)
}

struct nvme_ctrl *ctrl_new(struct nvme_root *r, const char *transport)
{
	struct nvme_ctrl *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	TAILQ_INIT(&c->paths);
	TAILQ_INIT(&c->namespaces);
	c->fd = -1;
	set_defaults(&c->options);
	c->transport = transport_by_name(transport);
	if (str_set(&c->transport_name, transport)) {
		nvme_free_ctrl(c);
		return NULL;
	}
	c->r = r;
	if (r)
		TAILQ_INSERT_TAIL(&r->loose, c, entry);
	return c;
}

/* Replace a host name with its address. */
static int resolve_host_traddr(struct nvme_ctrl *c)
{
	_cleanup_(free) char *escaped = NULL;
	const char *name = c->options.cfg.host_traddr, *reason;
	char *address = NULL;
	int err;

	if (str_is_unset(name) || !transport_has(c->transport, NVMF_TRANSPORT_IP) ||
	    !address_is_hostname(name))
		return 0;
	err = address_resolve(name, &address, &reason);
	if (!err) {
		free(c->options.cfg.host_traddr);
		c->options.cfg.host_traddr = address;
		return 0;
	}
	escaped = str_escape_control(name, strlen(name));
	log_err(c->r, "host_traddr \"%s\": neither an address nor a name that resolves (%s)",
		escaped ? escaped : "?", reason);
	return err == -ENOMEM ? err : -ENVME_CONNECT_TRADDR;
}

/* Create a controller outside any subsystem. Looking up a description queries no name server. */
static int describe(nvme_root_t r, const char *subsysnqn, const char *transport, const char *traddr,
		    const char *host_traddr, const char *host_iface, const char *trsvcid,
		    struct nvme_ctrl **ret)
{
	const struct transport *row = transport_by_name(transport);
	struct nvme_ctrl *c;

	if (!transport) {
		log_err(r, "No transport specified");
		return -EINVAL;
	}
	/* Unknown transports always need an address. */
	if (!traddr && (!row->name || transport_has(row, NVMF_TRANSPORT_TRADDR))) {
		log_err(r, "No transport address for '%s'", transport);
		return -EINVAL;
	}
	if (!subsysnqn) {
		log_err(r, "No subsystem NQN specified");
		return -EINVAL;
	}
	c = ctrl_new(r, transport);
	if (!c)
		return -ENOMEM;
	if (str_set(&c->subsysnqn, subsysnqn) || str_set(&c->traddr, traddr) ||
	    str_set(&c->trsvcid, trsvcid) || str_set(&c->options.cfg.host_iface, host_iface) ||
	    str_set(&c->options.cfg.host_traddr, host_traddr)) {
		nvme_free_ctrl(c);
		return -ENOMEM;
	}
	*ret = c;
	return 0;
}

nvme_ctrl_t nvme_create_ctrl(nvme_root_t r, const char *subsysnqn, const char *transport,
			     const char *traddr, const char *host_traddr, const char *host_iface,
			     const char *trsvcid)
{
	struct nvme_ctrl *c = NULL;
	int err = describe(r, subsysnqn, transport, traddr, host_traddr, host_iface, trsvcid, &c)
			  ?: resolve_host_traddr(c);

	if (err) {
		nvme_free_ctrl(c);
		return failure_null(err);
	}
	return c;
}

static void unlink_ctrl(struct nvme_ctrl *c)
{
	struct nvme_subsystem *s = c->s;

	if (!s)
		return;
	index_del(s, c);
	TAILQ_REMOVE(&s->ctrls, c, entry);
	s->n_ctrls--;
	if (!c->name)
		s->n_unnamed--;
	else if (map_get(c->r->ctrls_by_name, c->name) == c)
		map_del(c->r->ctrls_by_name, c->name);
	c->s = NULL;
	TAILQ_INSERT_TAIL(&c->r->loose, c, entry);
}

int ctrl_link(struct nvme_subsystem *s, struct nvme_ctrl *c)
{
	int err = 0;

	unlink_ctrl(c);
	if (c->r)
		TAILQ_REMOVE(&c->r->loose, c, entry);
	c->r = s->h->r;
	c->s = s;
	c->serial_number = ++c->r->next_serial;
	TAILQ_INSERT_TAIL(&s->ctrls, c, entry);
	s->n_ctrls++;
	if (c->name)
		err = map_put(c->r->ctrls_by_name, c->name, c);
	else
		s->n_unnamed++;
	index_add(s, c);
	ctrl_relist(c);
	return err;
}

int ctrl_set_name(struct nvme_ctrl *c, const char *name)
{
	_cleanup_(free) char *copy = NULL;
	_cleanup_(free) char *dir = NULL;

	if (name) {
		copy = strdup(name);
		dir = str_format("%s/%s", sysfs_path(SYSFS_CLASS_NVME), name);
		if (!copy || !dir)
			return -ENOMEM;
		if (c->s && map_put(c->r->ctrls_by_name, name, c))
			return -ENOMEM;
	}
	if (c->name && c->s && !str_eq(c->name, name) && map_get(c->r->ctrls_by_name, c->name) == c)
		map_del(c->r->ctrls_by_name, c->name);
	if (c->s && !c->name != !name)
		c->s->n_unnamed += name ? (size_t)-1 : 1;
	free(c->name);
	free(c->sysfs_dir);
	c->name = steal_ptr(&copy);
	c->sysfs_dir = steal_ptr(&dir);
	ctrl_relist(c);
	return 0;
}

/* Set a member of the address, by which the subsystem finds its controllers. */
static int change_address(struct nvme_ctrl *c, char **member, const char *value)
{
	int err;

	if (c->s)
		index_del(c->s, c);
	err = str_set(member, value);
	c->transport = transport_by_name(c->transport_name);
	if (c->s)
		index_add(c->s, c);
	return err;
}

int ctrl_set_trsvcid(struct nvme_ctrl *c, const char *trsvcid)
{
	return change_address(c, &c->trsvcid, trsvcid);
}

int ctrl_set_relayed(struct nvme_ctrl *c, bool is_relayed)
{
	const struct transport *described =
		c->described_transport ? c->described_transport : c->transport;
	int err;

	if (is_relayed == !!c->described_transport)
		return 0;
	if (!described->relayed_as)
		return -EINVAL;
	err = change_address(c, &c->transport_name,
			     is_relayed ? described->relayed_as : described->name);
	if (!err)
		c->described_transport = is_relayed ? described : NULL;
	return err;
}

static bool is_over_own(const struct nvme_ctrl *c)
{
	return c->name && !c->described_transport;
}

struct nvme_ctrl *ctrl_describe_relayed(struct nvme_subsystem *s, const struct ctrl_query *query)
{
	const struct transport *described = query->transport;
	struct ctrl_query over = *query;
	struct nvme_ctrl *c;

	if (!described->relayed_as || sysfs_has_module(described->module) > 0)
		return NULL;
	over.transport_name = described->relayed_as;
	over.transport = transport_by_name(over.transport_name);
	c = index_find(s, &over, NULL, is_over_own);
	if (c)
		c->described_transport = described;
	return c;
}

int nvme_ctrl_set_trsvcid(nvme_ctrl_t c, const char *trsvcid)
{
	return failure_errno(ctrl_set_trsvcid(c, trsvcid));
}

void nvme_unlink_ctrl(struct nvme_ctrl *c)
{
	if (c)
		unlink_ctrl(c);
}

static void free_children(struct nvme_ctrl *c)
{
	struct nvme_path *p;
	struct nvme_ns *n;

	while ((p = TAILQ_FIRST(&c->paths)))
		path_free(p);
	while ((n = TAILQ_FIRST(&c->namespaces)))
		nvme_free_ns(n);
}

static void clear_attrs(struct nvme_ctrl *c)
{
	struct attr *const attrs[] = { &c->firmware, &c->model,	  &c->numa_node, &c->queue_count,
				       &c->serial,   &c->sqsize,  &c->cntrltype, &c->cntlid,
				       &c->dctype,   &c->phy_slot };

	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++)
		attr_clear(attrs[i]);
	free(c->state);
	c->state = NULL;
}

static void clear_secrets(struct nvme_ctrl *c)
{
	str_set_secret(&c->dhchap_key, NULL);
	str_set_secret(&c->dhchap_ctrl_key, NULL);
	str_set_secret(&c->tls_key, NULL);
	str_set(&c->tls_key_identity, NULL);
	str_set(&c->keyring, NULL);
	c->security_known = false;
}

void ctrl_forget(struct nvme_ctrl *c)
{
	nvme_ctrl_release_fd(c);
	free_children(c);
	clear_attrs(c);
	clear_secrets(c);
	str_set(&c->portal, NULL);
	str_set(&c->address, NULL);
	ctrl_set_name(c, NULL);
	ctrl_set_relayed(c, false);
}

void nvme_free_ctrl(struct nvme_ctrl *c)
{
	if (!c)
		return;
	unlink_ctrl(c);
	if (c->r)
		TAILQ_REMOVE(&c->r->loose, c, entry);
	nvme_ctrl_release_fd(c);
	free_children(c);
	clear_attrs(c);
	clear_secrets(c);
	free(c->transport_name);
	free(c->name);
	free(c->sysfs_dir);
	free(c->portal);
	free(c->address);
	free(c->subsysnqn);
	free(c->traddr);
	free(c->trsvcid);
	free(c->connect_error);
	free_options(&c->options);
	json_object_put(c->unknown_keys);
	free(c);
}

nvme_ctrl_t nvme_lookup_ctrl(nvme_subsystem_t s, const char *transport, const char *traddr,
			     const char *host_traddr, const char *host_iface, const char *trsvcid,
			     nvme_ctrl_t p)
{
	const struct ctrl_query query =
		ctrl_query(transport, traddr, trsvcid, NULL, host_traddr, host_iface);
	struct nvme_ctrl *c;
	int err;

	if (!s || !transport)
		return failure_null(-EINVAL);
	c = index_find(s, &query, p, NULL);
	if (c)
		return c;
	err = describe(s->h->r, s->subsysnqn, transport, traddr, host_traddr, host_iface, trsvcid,
		       &c);
	if (!err)
		err = ctrl_link(s, c);
	if (err) {
		nvme_free_ctrl(c);
		return failure_null(err);
	}
	s->h->r->modified = true;
	return c;
}

GETTER(nvme_subsystem_t, nvme_ctrl_get_subsystem, nvme_ctrl_t, s);

struct nvme_fabrics_config *nvme_ctrl_get_config(nvme_ctrl_t c)
{
	ctrl_read_security(c);
	return &c->options.cfg;
}

GETTER(bool, nvme_ctrl_is_discovered, nvme_ctrl_t, discovered);
SETTER(bool, nvme_ctrl_set_discovered, nvme_ctrl_t, discovered);
GETTER(bool, nvme_ctrl_is_persistent, nvme_ctrl_t, persistent);
SETTER(bool, nvme_ctrl_set_persistent, nvme_ctrl_t, persistent);

bool nvme_ctrl_is_discovery_ctrl(nvme_ctrl_t c)
{
	const char *type;

	if (c->discovery_ctrl || str_eq(c->subsysnqn, NVME_DISC_SUBSYS_NAME))
		return true;
	if (!c->name)
		return false;
	/* Kernels before 5.16 have no cntrltype; some report it as the subsystem's type. */
	type = attr_get(&c->cntrltype, c->sysfs_dir, "cntrltype");
	if (!type && c->s)
		type = nvme_subsystem_get_type(c->s);
	return str_eq(type, "discovery");
}

SETTER(bool, nvme_ctrl_set_discovery_ctrl, nvme_ctrl_t, discovery_ctrl);
GETTER(bool, nvme_ctrl_is_unique_discovery_ctrl, nvme_ctrl_t, unique_discovery_ctrl);
SETTER(bool, nvme_ctrl_set_unique_discovery_ctrl, nvme_ctrl_t, unique_discovery_ctrl);

TREE_FIRST(nvme_ns_t, nvme_ctrl_first_ns, nvme_ctrl_t, ctrl_list, namespaces);
TREE_NEXT(nvme_ns_t, nvme_ctrl_next_ns, nvme_ctrl_t, entry);
TREE_FIRST(nvme_path_t, nvme_ctrl_first_path, nvme_ctrl_t, ctrl_list, paths);
TREE_NEXT(nvme_path_t, nvme_ctrl_next_path, nvme_ctrl_t, entry);
