/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attributes of a controller: from its description, or read from /sys on demand. */
#include "private.h"

GETTER(const char *, nvme_ctrl_get_name, nvme_ctrl_t, name);
GETTER(const char *, nvme_ctrl_get_sysfs_dir, nvme_ctrl_t, sysfs_dir);
GETTER_OF(const char *, nvme_ctrl_get_subsysnqn, nvme_ctrl_t,
	  object->s && object->s->subsysnqn ? object->s->subsysnqn : object->subsysnqn);
GETTER(const char *, nvme_ctrl_get_transport, nvme_ctrl_t, transport_name);

const char *nvme_ctrl_get_address(nvme_ctrl_t c)
{
	const char *address = ctrl_address(c);

	return address ? address : "";
}

GETTER(const char *, nvme_ctrl_get_traddr, nvme_ctrl_t, traddr);
GETTER(const char *, nvme_ctrl_get_trsvcid, nvme_ctrl_t, trsvcid);
GETTER(const char *, nvme_ctrl_get_host_traddr, nvme_ctrl_t, options.cfg.host_traddr);
GETTER(const char *, nvme_ctrl_get_host_iface, nvme_ctrl_t, options.cfg.host_iface);

char *nvme_ctrl_get_src_addr(nvme_ctrl_t c, char *src_addr, size_t src_addr_len)
{
	size_t len;
	const char *value = address_value(ctrl_address(c), "src_addr", &len);
	const char *zone;

	if (!value || !src_addr)
		return NULL;
	zone = memchr(value, '%', len);
	if (zone)
		len = (size_t)(zone - value);
	if (!len || len >= src_addr_len)
		return NULL;
	str_copy(src_addr, src_addr_len, value, len);
	return src_addr;
}

const char *nvme_ctrl_get_state(nvme_ctrl_t c)
{
	free(c->state);
	c->state = NULL;
	if (!c->sysfs_dir)
		return NULL;
	if (!c->r || c->r->devices_fd < 0 ||
	    sysfs_read_below(c->r->devices_fd, c->name, "state", &c->state))
		sysfs_read(c->sysfs_dir, "state", &c->state);
	return c->state;
}

ATTR_GETTER(const char *, nvme_ctrl_get_firmware, nvme_ctrl_t, firmware, "firmware_rev");
ATTR_GETTER(const char *, nvme_ctrl_get_model, nvme_ctrl_t, model, "model");
ATTR_GETTER(const char *, nvme_ctrl_get_serial, nvme_ctrl_t, serial, "serial");
ATTR_GETTER(const char *, nvme_ctrl_get_numa_node, nvme_ctrl_t, numa_node, "numa_node");
ATTR_GETTER(const char *, nvme_ctrl_get_queue_count, nvme_ctrl_t, queue_count, "queue_count");
ATTR_GETTER(const char *, nvme_ctrl_get_sqsize, nvme_ctrl_t, sqsize, "sqsize");
ATTR_GETTER(const char *, nvme_ctrl_get_cntlid, nvme_ctrl_t, cntlid, "cntlid");

struct slot_search {
	const char *address; /* controller's address, domain:bus:device.function */
	char *slot;
};

/* The address of a slot is domain:bus:device. */
static int try_slot(int dirfd, const char *name, void *arg)
{
	struct slot_search *search = arg;
	char attr[512], value[32];

	if (name[0] == '.' || snprintf(attr, sizeof(attr), "%s/address", name) >= (int)sizeof(attr))
		return 0;
	if (sysfs_read_buf(dirfd, attr, value, sizeof(value)) <= 0 ||
	    strncmp(value, search->address, strcspn(search->address, ".")) != 0)
		return 0;
	search->slot = strdup(name);
	return search->slot ? 1 : memory_noted(-ENOMEM);
}

const char *nvme_ctrl_get_phy_slot(nvme_ctrl_t c)
{
	struct slot_search search = { .address = c->portal };
	unsigned int failures = memory_failures();
	_cleanup_(close) int dirfd = -1;

	if (c->phy_slot.known)
		return c->phy_slot.value ? c->phy_slot.value : "";
	if (!c->name || transport_has(c->transport, NVMF_TRANSPORT_FABRICS) || !c->portal ||
	    !*c->portal)
		return "";
	dirfd = sysfs_open(SYSFS_PCI_SLOTS);
	if (dirfd >= 0)
		sysfs_walk(dirfd, NULL, try_slot, &search);
	c->phy_slot.value = search.slot;
	c->phy_slot.known = failures == memory_failures();
	return search.slot ? search.slot : "";
}

static long key_serial(nvme_ctrl_t c, const char *attr)
{
	_cleanup_(free) char *text = nvme_get_ctrl_attr(c, attr);
	char *end;
	long serial;

	if (!text)
		return 0;
	/* The kernel writes key serial numbers as %08x. */
	serial = strtol(text, &end, 16);
	return *end ? 0 : serial;
}

static void take_secret(nvme_ctrl_t c, const char *attr, const char *common, char **field)
{
	_cleanup_(str_free_secret) char *secret = NULL;

	if (*field)
		return;
	secret = nvme_get_ctrl_attr(c, attr);
	if (!str_is_unset(secret) && !str_eq(secret, common))
		*field = steal_ptr(&secret);
}

static void read_tls(struct nvme_ctrl *c)
{
	_cleanup_(free) char *mode = nvme_get_ctrl_attr(c, "tls_mode");
	_cleanup_(free) char *keyring = nvme_get_ctrl_attr(c, "tls_keyring");

	if (str_eq(mode, "tls"))
		c->options.cfg.tls = true;
	else if (str_eq(mode, "concat"))
		c->options.cfg.concat = true;
	if (!str_is_unset(keyring) && !c->keyring)
		c->keyring = steal_ptr(&keyring);
	c->options.cfg.tls_configured_key = key_serial(c, "tls_configured_key");
	c->options.cfg.tls_key = key_serial(c, "tls_key");
}

void ctrl_read_security(struct nvme_ctrl *c)
{
	unsigned int failures = memory_failures();

	if (!c->name || c->security_known)
		return;
	if (transport_has(c->transport, NVMF_TRANSPORT_FABRICS)) {
		take_secret(c, "dhchap_secret", c->s ? nvme_host_get_dhchap_key(c->s->h) : NULL,
			    &c->dhchap_key);
		take_secret(c, "dhchap_ctrl_secret", NULL, &c->dhchap_ctrl_key);
		if (transport_may_have_tls(c->transport))
			read_tls(c);
	}
	/* If out of memory, read again on the next call. */
	c->security_known = failures == memory_failures();
}

static const struct nvme_ctrl *security(struct nvme_ctrl *c)
{
	ctrl_read_security(c);
	return c;
}

GETTER_OF(const char *, nvme_ctrl_get_dhchap_host_key, nvme_ctrl_t, security(object)->dhchap_key);
GETTER_OF(const char *, nvme_ctrl_get_dhchap_key, nvme_ctrl_t, security(object)->dhchap_ctrl_key);
GETTER_OF(const char *, nvme_ctrl_get_keyring, nvme_ctrl_t, security(object)->keyring);
GETTER(const char *, nvme_ctrl_get_tls_key_identity, nvme_ctrl_t, tls_key_identity);
GETTER(const char *, nvme_ctrl_get_tls_key, nvme_ctrl_t, tls_key);

static void changed(nvme_ctrl_t c, int err, const char *what)
{
	if (memory_noted(err))
		log_err(c->r, "out of memory: %s not set", what);
	else if (c->s)
		c->r->modified = true;
}

#define CTRL_SETTER(set, function, field, what) \
	void function(nvme_ctrl_t c, const char *value) \
	{ \
		if (!str_eq(c->field, value)) \
			changed(c, set(&c->field, value), what); \
	} \
	struct setter_semicolon_##function

CTRL_SETTER(str_set_secret, nvme_ctrl_set_dhchap_host_key, dhchap_key,
	    "DH-HMAC-CHAP secret of the host");
CTRL_SETTER(str_set_secret, nvme_ctrl_set_dhchap_key, dhchap_ctrl_key,
	    "DH-HMAC-CHAP secret of the controller");
CTRL_SETTER(str_set, nvme_ctrl_set_keyring, keyring, "keyring");
CTRL_SETTER(str_set, nvme_ctrl_set_tls_key_identity, tls_key_identity, "identity of the TLS key");
CTRL_SETTER(str_set_secret, nvme_ctrl_set_tls_key, tls_key, "TLS key");
