// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Connect with any libnvme 1.x. Libraries other than this project's do not know mptcp: they do not
 * resolve names or choose a port for it, and silently ignore options of tcp. In addition, struct
 * nvme_fabrics_config differs after "tos" between versions. So names and ports are resolved here,
 * the members before "tos" are passed on, and all other options are errors. This project's library
 * does everything itself.
 *
 * The linker redirects calls of nvme_create_ctrl(), nvme_ctrl_get_config(), nvmf_add_ctrl(), and of
 * the getters that differ for a relayed controller, to this file.
 */
#include "base/address.h"
#include "base/str.h"
#include "base/sysfs.h"
#include "older.h"
#include "transport-private.h"

/* Options of a controller that is to be connected; the command owns the strings. */
struct described {
	struct described *next;
	nvme_ctrl_t c;
	struct nvmf_options options;
	char *error; /* why it was not connected, or NULL */
	bool is_refused; /* rejected with @error before connecting */
	bool has_tls_keys;
	bool is_relayed; /* connect with the transport of the relay */
	nvme_ctrl_t carried; /* controller that is connected instead, or NULL */
};

const char *__real_nvme_ctrl_get_name(nvme_ctrl_t c);
const char *__wrap_nvme_ctrl_get_name(nvme_ctrl_t c);
const char *__wrap_nvme_ctrl_get_transport(nvme_ctrl_t c);
nvme_subsystem_t __real_nvme_ctrl_get_subsystem(nvme_ctrl_t c);
nvme_subsystem_t __wrap_nvme_ctrl_get_subsystem(nvme_ctrl_t c);

static struct described *all; /* never freed */
static const char *application; /* application for which this process connects; NULL: all */
static const char *unmarked; /* application of subsystems for which the configuration has none */

static void reset_description(struct described *d, nvme_ctrl_t c)
{
	free(d->error);
	d->c = c;
	d->error = NULL;
	d->is_refused = d->has_tls_keys = d->is_relayed = false;
	d->carried = NULL;
	nvmf_init_options(&d->options, sizeof(d->options));
}

/* Return the description of a controller, added if it is new. NULL if out of memory. */
static struct described *description_of(nvme_ctrl_t c)
{
	struct described *d = all;

	while (d && d->c != c)
		d = d->next;
	if (d)
		return d;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	reset_description(d, c);
	d->next = all;
	all = d;
	return d;
}

static int refuse(struct described *d, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int refuse(struct described *d, int err, const char *fmt, ...)
{
	va_list ap;

	free(d->error);
	va_start(ap, fmt);
	if (vasprintf(&d->error, fmt, ap) < 0)
		d->error = NULL;
	va_end(ap);
	snprintf(older_reason, sizeof(older_reason), "%s", d->error ? d->error : strerror(ENOMEM));
	errno = err;
	return -1;
}

void nvmf_init_options(struct nvmf_options *options, size_t size)
{
	__typeof__(&nvmf_init_options) init = OWN(nvmf_init_options);

	if (init) {
		init(options, size);
		return;
	}
	memset(options, 0, size);
	options->size = size;
	options->cfg.tos = -1;
	options->cfg.ctrl_loss_tmo = NVMF_DEF_CTRL_LOSS_TMO;
}

int nvmf_set_options(nvme_ctrl_t c, const struct nvmf_options *options, bool replace)
{
	__typeof__(&nvmf_set_options) set = OWN(nvmf_set_options);
	struct described *d;

	if (set)
		return set(c, options, replace);
	d = description_of(c);
	if (!d || options->size != sizeof(d->options)) {
		errno = d ? EINVAL : ENOMEM;
		return -1;
	}
	d->options = *options;
	return 0;
}

const char *nvmf_ctrl_get_connect_error(nvme_ctrl_t c)
{
	__typeof__(&nvmf_ctrl_get_connect_error) why = OWN(nvmf_ctrl_get_connect_error);
	const struct described *d = why ? NULL : description_of(c);

	return why ? why(c) : d ? d->error : NULL;
}

/* With another library, TLS is refused; see left_out(). */
bool nvmf_needs_relay(const char *transport, bool tls)
{
	__typeof__(&nvmf_needs_relay) needs = OWN(nvmf_needs_relay);
	const struct transport *row = transport_by_name(transport);

	return needs ? needs(transport, tls)
		     : row->relayed_as && sysfs_has_module(row->module) <= 0;
}

static struct described *find_relayed(nvme_ctrl_t c)
{
	struct described *d = all;

	while (d && (d->c != c || !d->is_relayed))
		d = d->next;
	return d;
}

/* Another library cannot change a controller's transport: add_carried() connects a second one. */
int nvmf_ctrl_set_relayed(nvme_ctrl_t c, bool relayed)
{
	__typeof__(&nvmf_ctrl_set_relayed) set = OWN(nvmf_ctrl_set_relayed);
	const struct transport *row = transport_by_name(__real_nvme_ctrl_get_transport(c));
	struct described *d = set ? NULL : description_of(c);

	if (set)
		return set(c, relayed);
	errno = d ? EINVAL : ENOMEM;
	if (!d || !row->relayed_as || nvme_ctrl_is_discovery_ctrl(c))
		return -1;
	d->is_relayed = relayed;
	return 0;
}

const char *__wrap_nvme_ctrl_get_transport(nvme_ctrl_t c)
{
	const char *transport = __real_nvme_ctrl_get_transport(c);

	return find_relayed(c) ? transport_by_name(transport)->relayed_as : transport;
}

static nvme_ctrl_t carried_of(nvme_ctrl_t c)
{
	const struct described *d = find_relayed(c);

	return d && d->carried ? d->carried : c;
}

const char *__wrap_nvme_ctrl_get_name(nvme_ctrl_t c)
{
	return __real_nvme_ctrl_get_name(carried_of(c));
}

nvme_subsystem_t __wrap_nvme_ctrl_get_subsystem(nvme_ctrl_t c)
{
	return __real_nvme_ctrl_get_subsystem(carried_of(c));
}

int nvmf_explain_connect(nvme_host_t h, nvme_ctrl_t c, int err)
{
	__typeof__(&nvmf_explain_connect) explain = OWN(nvmf_explain_connect);
	struct described *d = explain ? NULL : description_of(c);

	if (explain)
		return explain(h, c, err);
	errno = ENOMEM;
	return d ? refuse(d, ENVME_CONNECT_WRITE, "%s", strerror(err)) : -1;
}

static void note_tls_keys(nvme_ctrl_t c)
{
	struct described *d = description_of(c);

	if (d)
		d->has_tls_keys = true;
}

void nvme_ctrl_set_keyring(nvme_ctrl_t c, const char *keyring)
{
	__typeof__(&nvme_ctrl_set_keyring) set = OWN(nvme_ctrl_set_keyring);

	if (set)
		set(c, keyring);
	else
		note_tls_keys(c);
}

void nvme_ctrl_set_tls_key(nvme_ctrl_t c, const char *key)
{
	__typeof__(&nvme_ctrl_set_tls_key) set = OWN(nvme_ctrl_set_tls_key);

	if (set)
		set(c, key);
	else
		note_tls_keys(c);
}

void nvme_ctrl_set_tls_key_identity(nvme_ctrl_t c, const char *identity)
{
	__typeof__(&nvme_ctrl_set_tls_key_identity) set = OWN(nvme_ctrl_set_tls_key_identity);

	if (set)
		set(c, identity);
	else
		note_tls_keys(c);
}

/* libnvme 1.5 introduced applications. With an older one, the configuration file is read. */
void nvme_root_set_application(nvme_root_t r, const char *name)
{
	__typeof__(&nvme_root_set_application) set = LATER(nvme_root_set_application);

	if (set)
		set(r, name);
	else
		application = name;
}

void nvme_subsystem_set_application(nvme_subsystem_t s, const char *name)
{
	__typeof__(&nvme_subsystem_set_application) set = LATER(nvme_subsystem_set_application);

	if (set)
		set(s, name);
	else
		unmarked = name;
}

const char *nvme_subsystem_get_application(nvme_subsystem_t s)
{
	__typeof__(&nvme_subsystem_get_application) get = LATER(nvme_subsystem_get_application);
	const char *own;

	if (get)
		return get(s);
	own = older_application(nvme_subsystem_get_host(s), nvme_subsystem_get_nqn(s));
	return own ? own : unmarked;
}

int nvme_scan_subsystem(nvme_root_t r, const char *nqn)
{
	__typeof__(&nvme_scan_subsystem) scan = OWN(nvme_scan_subsystem);

	return scan ? scan(r, nqn) : nvme_scan_topology(r, NULL, NULL);
}

int nvme_subsystem_set_iopolicy(nvme_subsystem_t s, const char *policy)
{
	__typeof__(&nvme_subsystem_set_iopolicy) set = OWN(nvme_subsystem_set_iopolicy);
	_cleanup_(free) char *path = NULL;
	_cleanup_(close) int fd = -1;
	ssize_t n;

	if (set)
		return set(s, policy);
	if (asprintf(&path, "%s/iopolicy", nvme_subsystem_get_sysfs_dir(s)) < 0) {
		path = NULL;
		errno = ENOMEM;
		return -1;
	}
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = write(fd, policy, strlen(policy));
	return n < 0 ? -1 : 0;
}

/* Return the UUID of an NQN, which is the ID of the host's other connections as well, or NULL. */
static char *id_of(const char *hostnqn)
{
	const char *uuid = strstr(hostnqn, "uuid:");

	return uuid ? strdup(uuid + strlen("uuid:")) : NULL;
}

int nvme_host_get_ids(nvme_root_t r, char *given_nqn, char *given_id, char **ret_nqn, char **ret_id)
{
	__typeof__(&nvme_host_get_ids) get = OWN(nvme_host_get_ids);
	const nvme_host_t first = get ? NULL : nvme_first_host(r);
	const char *first_nqn = first ? nvme_host_get_hostnqn(first) : NULL;
	char *nqn, *id;

	if (get)
		return get(r, given_nqn, given_id, ret_nqn, ret_id);
	/* NQN and ID of a configured host belong together, and override those of the files. */
	if (!given_nqn)
		given_nqn = (char *)first_nqn;
	if (!given_id && first && given_nqn && str_eq(given_nqn, first_nqn))
		given_id = (char *)nvme_host_get_hostid(first);
	nqn = given_nqn ? strdup(given_nqn) : nvmf_hostnqn_from_file();
	id = given_id ? strdup(given_id) : nvmf_hostid_from_file();
	if (!nqn && !given_nqn)
		nqn = nvmf_hostnqn_generate();
	if (nqn && !id && !given_id)
		id = id_of(nqn);
	if (!nqn || (given_id && !id)) {
		free(nqn);
		free(id);
		errno = ENOMEM;
		return -1;
	}
	*ret_nqn = nqn;
	*ret_id = id;
	return 0;
}

bool older_is_same_address(const char *a, const char *b)
{
	struct in6_addr x, y;

	if (str_is_unset(a) || str_is_unset(b))
		return str_is_unset(a) && str_is_unset(b);
	return !address_parse_ip(a, &x) && !address_parse_ip(b, &y) ? address_equal(&x, &y)
								    : !strcmp(a, b);
}

static bool is_same_text(const char *a, const char *b)
{
	return str_is_unset(a) || str_is_unset(b) || !strcmp(a, b);
}

/* True if the transports are equal, or @there is the one of a relay that carries @described. */
static bool is_same_transport(const char *there, const char *described)
{
	const struct transport *row = transport_by_name(described);

	return str_eq(there, described) || (row->relayed_as && str_eq(there, row->relayed_as) &&
					    sysfs_has_module(row->module) <= 0);
}

nvme_ctrl_t nvmf_find_connected(nvme_host_t h, nvme_ctrl_t described)
{
	__typeof__(&nvmf_find_connected) find = OWN(nvmf_find_connected);
	nvme_subsystem_t s;
	nvme_ctrl_t c;

	if (find)
		return find(h, described);
	nvme_for_each_subsystem(h, s)
		nvme_subsystem_for_each_ctrl(s, c)
			if (c != described && nvme_ctrl_get_name(c) &&
			    str_eq(nvme_ctrl_get_subsysnqn(c),
				   nvme_ctrl_get_subsysnqn(described)) &&
			    is_same_transport(nvme_ctrl_get_transport(c),
					      nvme_ctrl_get_transport(described)) &&
			    older_is_same_address(nvme_ctrl_get_traddr(c),
						  nvme_ctrl_get_traddr(described)) &&
			    is_same_text(nvme_ctrl_get_trsvcid(c),
					 nvme_ctrl_get_trsvcid(described)) &&
			    is_same_text(nvme_ctrl_get_host_iface(c),
					 nvme_ctrl_get_host_iface(described)) &&
			    (str_is_unset(nvme_ctrl_get_host_traddr(described)) ||
			     older_is_same_address(nvme_ctrl_get_host_traddr(c),
						   nvme_ctrl_get_host_traddr(described))))
				return c;
	return NULL;
}

nvme_ctrl_t __real_nvme_create_ctrl(nvme_root_t r, const char *nqn, const char *transport,
				    const char *traddr, const char *host_traddr,
				    const char *host_iface, const char *trsvcid);
nvme_ctrl_t __wrap_nvme_create_ctrl(nvme_root_t r, const char *nqn, const char *transport,
				    const char *traddr, const char *host_traddr,
				    const char *host_iface, const char *trsvcid);

/* Resolve @name to *@ret, NULL if it is an address. Return NULL, or the reason of a failure. */
static const char *resolve(const char *transport, const char *name, char **ret)
{
	const char *reason = NULL;

	*ret = NULL;
	if (str_is_unset(name) || !nvmf_transport_has(transport, NVMF_TRANSPORT_IP) ||
	    !address_is_hostname(name) || !address_resolve(name, ret, &reason))
		return NULL;
	return reason ? reason : strerror(ENOMEM);
}

nvme_ctrl_t __wrap_nvme_create_ctrl(nvme_root_t r, const char *nqn, const char *transport,
				    const char *traddr, const char *host_traddr,
				    const char *host_iface, const char *trsvcid)
{
	_cleanup_(free) char *target = NULL, *host = NULL;
	const char *no_target, *no_host;
	struct described *d;
	nvme_ctrl_t c;

	if (OWN(nvmf_set_options))
		return __real_nvme_create_ctrl(r, nqn, transport, traddr, host_traddr, host_iface,
					       trsvcid);
	no_target = resolve(transport, traddr, &target);
	no_host = resolve(transport, host_traddr, &host);
	if (str_is_unset(trsvcid))
		trsvcid =
			nvmf_transport_default_trsvcid(transport,
						       nqn && !strcmp(nqn, NVME_DISC_SUBSYS_NAME));
	c = __real_nvme_create_ctrl(r, nqn, transport, target ? target : traddr,
				    host ? host : host_traddr, host_iface, trsvcid);
	d = c ? description_of(c) : NULL;
	if (c && !d) {
		nvme_free_ctrl(c);
		errno = ENOMEM;
	}
	if (!d)
		return NULL;
	/* Discard the description of a freed controller that had the same address in memory. */
	reset_description(d, c);
	d->is_refused = no_target || no_host;
	if (d->is_refused)
		refuse(d, ENVME_CONNECT_TRADDR,
		       "%s \"%s\": neither an address nor a name that resolves (%s)",
		       no_target ? "traddr" : "host_traddr", no_target ? traddr : host_traddr,
		       no_target ? no_target : no_host);
	return c;
}

struct nvme_fabrics_config *__real_nvme_ctrl_get_config(nvme_ctrl_t c);
struct nvme_fabrics_config *__wrap_nvme_ctrl_get_config(nvme_ctrl_t c);

struct nvme_fabrics_config *__wrap_nvme_ctrl_get_config(nvme_ctrl_t c)
{
	static struct nvmf_options none;
	struct described *d;

	if (OWN(nvmf_set_options))
		return __real_nvme_ctrl_get_config(c);
	d = description_of(c);
	return d ? &d->options.cfg : &none.cfg;
}

/* Members with the same offset in every libnvme 1.x, which passes them on for any transport. */
static const size_t numbers[] = {
	offsetof(struct nvme_fabrics_config, queue_size),
	offsetof(struct nvme_fabrics_config, nr_io_queues),
	offsetof(struct nvme_fabrics_config, reconnect_delay),
	offsetof(struct nvme_fabrics_config, ctrl_loss_tmo),
	offsetof(struct nvme_fabrics_config, fast_io_fail_tmo),
	offsetof(struct nvme_fabrics_config, keep_alive_tmo),
	offsetof(struct nvme_fabrics_config, nr_write_queues),
	offsetof(struct nvme_fabrics_config, nr_poll_queues),
};

/* Return an option that is requested and would be ignored, or NULL. */
static const char *left_out(const struct described *d)
{
	const struct nvme_fabrics_config *cfg = &d->options.cfg;
	struct nvmf_options rest = d->options, none;

	if (d->has_tls_keys || cfg->tls || cfg->concat || cfg->keyring || cfg->tls_key)
		return "tls";
	if (cfg->hdr_digest)
		return "hdr-digest";
	if (cfg->data_digest)
		return "data-digest";
	if (cfg->duplicate_connect)
		return "duplicate-connect";
	if (cfg->disable_sqflow)
		return "disable-sqflow";
	if (cfg->tos != -1)
		return "tos";
	nvmf_init_options(&none, sizeof(none));
	/* Options that were added later have no name here. */
	memset(&rest.cfg, 0, sizeof(rest.cfg));
	memset(&none.cfg, 0, sizeof(none.cfg));
	return memcmp(&rest, &none, sizeof(none)) ? "one of its options" : NULL;
}

int __real_nvmf_add_ctrl(nvme_host_t h, nvme_ctrl_t c, const struct nvme_fabrics_config *cfg);
int __wrap_nvmf_add_ctrl(nvme_host_t h, nvme_ctrl_t c, const struct nvme_fabrics_config *cfg);

/* Connect with the relay's transport in place of d->c. On success, the tree owns the controller. */
static int add_carried(nvme_host_t h, struct described *d, const struct nvme_fabrics_config *cfg)
{
	nvme_ctrl_t c = d->c;
	nvme_ctrl_t carried =
		__real_nvme_create_ctrl(nvme_host_get_root(h), nvme_ctrl_get_subsysnqn(c),
					nvme_ctrl_get_transport(c), nvme_ctrl_get_traddr(c),
					nvme_ctrl_get_host_traddr(c), nvme_ctrl_get_host_iface(c),
					nvme_ctrl_get_trsvcid(c));
	int err;

	if (!carried)
		return -1;
	nvme_ctrl_set_dhchap_host_key(carried, nvme_ctrl_get_dhchap_host_key(c));
	nvme_ctrl_set_dhchap_key(carried, nvme_ctrl_get_dhchap_key(c));
	if (!__real_nvmf_add_ctrl(h, carried, cfg)) {
		d->carried = carried;
		return 0;
	}
	err = errno;
	nvme_free_ctrl(carried);
	errno = err;
	return -1;
}

int __wrap_nvmf_add_ctrl(nvme_host_t h, nvme_ctrl_t c, const struct nvme_fabrics_config *cfg)
{
	const char *transport = __real_nvme_ctrl_get_transport(c);
	const char *version = nvme_get_version(NVME_VERSION_PROJECT);
	struct described *d;
	union {
		struct nvme_fabrics_config cfg;
		char room[1024]; /* for the larger structure of another version */
	} given = { 0 };
	const char *option, *file, *owner;

	if (OWN(nvmf_set_options))
		return __real_nvmf_add_ctrl(h, c, cfg);
	*older_reason = '\0';
	d = description_of(c);
	if (!d) {
		errno = ENOMEM;
		return -1;
	}
	if (d->is_refused) {
		snprintf(older_reason, sizeof(older_reason), "%s", d->error ? d->error : "");
		errno = ENVME_CONNECT_TRADDR;
		return -1;
	}
	owner = application ? older_application(h, nvme_ctrl_get_subsysnqn(c)) : NULL;
	if (owner && strcmp(owner, application))
		return refuse(d, ENVME_CONNECT_IGNORED,
			      "the configuration assigns it to the application \"%s\"", owner);
	option = left_out(d);
	if (option && !nvmf_transport_has(transport, NVMF_TRANSPORT_SUBFLOWS))
		return refuse(
			d, ENOTSUP,
			"--%s: nvme-mptcp cannot pass it to libnvme %s for transport %s; nvme can",
			option, version, transport);
	if (option)
		return refuse(
			d, ENOTSUP,
			"--%s: libnvme %s does not pass it to the kernel for transport %s (the "
			"libnvme of the project nvme-mptcp does)",
			option, version, transport);
	option = nvmf_transport_has(transport, NVMF_TRANSPORT_SUBFLOWS)
			 ? older_left_out(h, c, &file)
			 : NULL;
	if (option)
		return refuse(
			d, ENOTSUP,
			"\"%s\" in %s: libnvme %s does not pass it to the kernel for transport "
			"%s (the libnvme of the project nvme-mptcp does)",
			option, file, version, transport);
	if (nvmf_transport_has(transport, NVMF_TRANSPORT_IP) &&
	    (str_is_unset(nvme_ctrl_get_trsvcid(c)) ||
	     address_is_hostname(nvme_ctrl_get_traddr(c))))
		return refuse(d, ENOTSUP,
			      "for transport %s, libnvme %s requires an address and a port "
			      "(\"traddr\" and \"trsvcid\" of the configuration)",
			      transport, version);
	/* The kernel accepts several equal discovery controllers. */
	if (!nvme_ctrl_is_discovery_ctrl(c) && nvmf_find_connected(h, c)) {
		errno = ENVME_CONNECT_ALREADY;
		return -1;
	}
	nvmf_default_config(&given.cfg);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		memcpy(given.room + numbers[i], (char *)&d->options.cfg + numbers[i], sizeof(int));
	if (d->is_relayed)
		return add_carried(h, d, &given.cfg);
	/* nvmf_add_ctrl() adds it to the tree even if it is there already. */
	if (nvme_ctrl_get_subsystem(c))
		nvme_unlink_ctrl(c);
	return __real_nvmf_add_ctrl(h, c, &given.cfg);
}
