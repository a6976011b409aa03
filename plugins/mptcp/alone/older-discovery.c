// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Discovery with any libnvme 1.x. Libraries other than this project's do not know the transport
 * type of mptcp, and do not terminate every string of a log.
 *
 * The linker redirects calls of nvmf_trtype_str() and nvmf_get_discovery_wargs() to this file.
 */
#include "base/address.h"
#include "base/str.h"
#include "older.h"
#include "transport-private.h"

const char *__real_nvmf_trtype_str(__u8 trtype);
const char *__wrap_nvmf_trtype_str(__u8 trtype);

const char *__wrap_nvmf_trtype_str(__u8 trtype)
{
	const struct transport *row = transport_by_trtype(trtype);

	return row ? row->name : __real_nvmf_trtype_str(trtype);
}

/* Terminate the string in @field, in case the target did not, and trim it. */
static void bound_field(char *field, size_t size)
{
	field[size - 1] = '\0';
	str_trim_end(field);
}

struct nvmf_discovery_log *__real_nvmf_get_discovery_wargs(struct nvme_get_discovery_args *args);
struct nvmf_discovery_log *__wrap_nvmf_get_discovery_wargs(struct nvme_get_discovery_args *args);

struct nvmf_discovery_log *__wrap_nvmf_get_discovery_wargs(struct nvme_get_discovery_args *args)
{
	struct nvmf_discovery_log *log = __real_nvmf_get_discovery_wargs(args);
	const uint64_t n = log ? le64toh(log->numrec) : 0;

	for (uint64_t i = 0; i < n; i++) {
		struct nvmf_disc_log_entry *e = &log->entries[i];

		bound_field(e->trsvcid, sizeof(e->trsvcid));
		bound_field(e->subnqn, sizeof(e->subnqn));
		bound_field(e->traddr, sizeof(e->traddr));
	}
	return log;
}

const char *nvmf_host_get_connect_error(nvme_host_t h)
{
	__typeof__(&nvmf_host_get_connect_error) get = OWN(nvmf_host_get_connect_error);

	return get ? get(h) : *older_reason ? older_reason : NULL;
}

static nvme_ctrl_t give_up(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static nvme_ctrl_t give_up(int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(older_reason, sizeof(older_reason), fmt, ap);
	va_end(ap);
	errno = err;
	return NULL;
}

/* The strings of @e are terminated, see above. */
nvme_ctrl_t nvmf_connect_entry(nvme_host_t h, struct nvmf_disc_log_entry *e,
			       const struct nvmf_options *options, bool *discover)
{
	const char *transport = nvmf_trtype_str(e->trtype);
	const __u8 secure = e->treq & (NVMF_TREQ_REQUIRED | NVMF_TREQ_NOT_REQUIRED);
	__typeof__(&nvmf_connect_entry) connect = OWN(nvmf_connect_entry);
	int err;
	nvme_ctrl_t c;

	if (connect)
		return connect(h, e, options, discover);
	*older_reason = '\0';
	if (!nvmf_transport_has(transport, NVMF_TRANSPORT_FABRICS))
		return give_up(EINVAL, "unknown transport type %u", e->trtype);
	if (secure == NVMF_TREQ_REQUIRED)
		return give_up(
			ENOTSUP,
			"the entry requires a secure channel, which libnvme %s does not support "
			"for transport %s",
			nvme_get_version(NVME_VERSION_PROJECT), transport);
	c = nvme_create_ctrl(nvme_host_get_root(h), e->subnqn, transport,
			     *e->traddr ? e->traddr : NULL,
			     options ? options->cfg.host_traddr : NULL,
			     options ? options->cfg.host_iface : NULL,
			     *e->trsvcid ? e->trsvcid : NULL);
	if (!c)
		return NULL;
	if (e->subtype == NVME_NQN_DISC)
		nvme_ctrl_set_discovery_ctrl(c, true);
	if ((!options || !nvmf_set_options(c, options, false)) && !nvmf_add_ctrl(h, c, NULL)) {
		if (discover && e->subtype == NVME_NQN_DISC)
			*discover = true;
		return c;
	}
	err = errno;
	nvme_free_ctrl(c);
	errno = err;
	return NULL;
}

bool nvmf_ctrl_is_connected_as(nvme_ctrl_t c, nvme_ctrl_t described)
{
	__typeof__(&nvmf_ctrl_is_connected_as) is_as = OWN(nvmf_ctrl_is_connected_as);
	const char *theirs = nvme_ctrl_get_trsvcid(c), *port = nvme_ctrl_get_trsvcid(described);
	struct in6_addr a, b;

	if (is_as)
		return is_as(c, described);
	return nvme_ctrl_get_name(c) &&
	       str_eq(nvme_ctrl_get_transport(c), nvme_ctrl_get_transport(described)) &&
	       (str_eq(nvme_ctrl_get_traddr(c), nvme_ctrl_get_traddr(described)) ||
		(nvme_ctrl_get_traddr(c) && nvme_ctrl_get_traddr(described) &&
		 !address_parse_ip(nvme_ctrl_get_traddr(c), &a) &&
		 !address_parse_ip(nvme_ctrl_get_traddr(described), &b) &&
		 address_equal(&a, &b))) &&
	       (str_is_unset(port) || str_eq(theirs, port));
}

/*
 * libnvme 1.5 introduced boot tables, and 1.10 nvme_parse_uri(); their structures are the same
 * since then.
 */
int nvme_nbft_read(struct nbft_info **ret, const char *file)
{
	__typeof__(&nvme_nbft_read) read = LATER(nvme_parse_uri) ? LATER(nvme_nbft_read) : NULL;

	if (read)
		return read(ret, file);
	fprintf(stderr,
		"%s: libnvme %s cannot read boot tables, 1.10 can (--no-nbft leaves them out)\n",
		file, nvme_get_version(NVME_VERSION_PROJECT));
	errno = ENOTSUP;
	return -1;
}

void nvme_nbft_free(struct nbft_info *table)
{
	__typeof__(&nvme_nbft_free) release = LATER(nvme_nbft_free);

	if (release)
		release(table);
}

struct nvme_fabrics_uri *nvme_parse_uri(const char *text)
{
	__typeof__(&nvme_parse_uri) parse = LATER(nvme_parse_uri);

	if (parse)
		return parse(text);
	errno = ENOTSUP;
	return NULL;
}

void nvme_free_uri(struct nvme_fabrics_uri *uri)
{
	__typeof__(&nvme_free_uri) release = LATER(nvme_free_uri);

	if (release)
		release(uri);
}
