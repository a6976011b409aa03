/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Option values: defaults, merging, and the values for the kernel. */
#include "private.h"

/* clang-format off */
#define DEFAULT(id, name, owner, least, most, standard, ...) \
	.NVMF_OPTION_MEMBER(owner, name) = standard,

static const struct nvmf_options defaults = {
	.size = sizeof(struct nvmf_options),
	NVMF_OPTIONS(NVMF_NO_ROW, NVMF_NO_ROW, NVMF_NO_ROW, DEFAULT, NVMF_NO_ROW, NVMF_NO_ROW)
};
/* clang-format on */

void nvmf_default_config(struct nvme_fabrics_config *cfg)
{
	*cfg = defaults.cfg;
}

void nvmf_init_options(struct nvmf_options *options, size_t size)
{
	memset(options, 0, size);
	memcpy(options, &defaults, size < sizeof(defaults) ? size : sizeof(defaults));
	options->size = size;
}

static int merge_string(char **to, const char *from, bool replace)
{
	if (str_is_unset(from) || (!replace && !str_is_unset(*to)))
		return 0;
	return str_set(to, from);
}

#define MERGE(type, to, from, standard, replace) \
	do { \
		type *to_ = (void *)(to); \
		const type from_ = *(const type *)(const void *)(from); \
\
		if (from_ != (type)(standard) && ((replace) || *to_ == (type)(standard))) \
			*to_ = from_; \
	} while (0)

static int merge_row(const struct option_row *row, struct nvme_ctrl *c, const char *from,
		     bool replace)
{
	void *to = option_field(row, c);

	switch (row->type) {
	case OPTION_TYPE_TEXT:
		return merge_string(to, *(char *const *)(const void *)from, replace);
	case OPTION_TYPE_NUMBER:
		MERGE(int, to, from, row->standard, replace);
		break;
	case OPTION_TYPE_FLAG:
		MERGE(bool, to, from, false, replace);
		break;
	default:
		break;
	}
	return 0;
}

int option_merge(struct nvme_ctrl *c, const struct nvmf_options *from, bool replace)
{
	const size_t base = offsetof(struct nvme_ctrl, options);
	const char *options = (const char *)from;

	for (size_t i = 0; i < N_OPTIONS; i++) {
		const struct option_row *row = &option_rows[i];

		/* The program may use an older, shorter struct nvmf_options. */
		if (row->of_options && row->offset - base < from->size &&
		    merge_row(row, c, options + (row->offset - base), replace))
			return -ENOMEM;
		if (row->type == OPTION_TYPE_KEY)
			MERGE(long, (char *)c + row->serial, options + (row->serial - base), 0,
			      replace);
	}
	MERGE(long, &c->options.cfg.tls_configured_key, &from->cfg.tls_configured_key, 0, replace);
	return 0;
}

int option_merge_config(struct nvme_ctrl *c, const struct nvme_fabrics_config *cfg, bool replace)
{
	struct nvmf_options options = defaults;

	options.cfg = *cfg;
	return option_merge(c, &options, replace);
}

void nvmf_update_config(nvme_ctrl_t c, const struct nvme_fabrics_config *cfg)
{
	if (option_merge_config(c, cfg, true))
		log_err(c->r, "options of %s: out of memory", c->subsysnqn);
}

int nvmf_set_options(nvme_ctrl_t c, const struct nvmf_options *options, bool replace)
{
	int err = options->size < offsetof(struct nvmf_options, cfg) + sizeof(options->cfg)
			  ? -EINVAL
			  : option_merge(c, options, replace);

	return failure_errno(err);
}

static const char *text_of(const struct connect *connect, enum fabrics_option id)
{
	const struct option_row *row = &option_rows[id];
	const struct nvme_host *h = connect->h;
	const void *owner = row->of_host ? (const void *)h : connect->c;
	const char *text = *(char *const *)(const void *)((const char *)owner + row->offset);

	switch (id) {
	case OPTION_TRADDR:
		return connect->traddr ? connect->traddr : text;
	case OPTION_HOST_TRADDR:
		return connect->host_traddr ? connect->host_traddr : text;
	case OPTION_HOSTID:
		return str_is_unset(text) ? connect->hostid : text;
	case OPTION_DHCHAP_SECRET:
		return str_is_unset(h->dhchap_key) ? text : h->dhchap_key;
	default:
		return text;
	}
}

/* If the kernel supports tclass, IPv6 needs it in addition to tos. */
static bool tclass_of(const struct connect *connect, struct option_value *ret)
{
	const char *traddr = text_of(connect, OPTION_TRADDR);
	struct ip_addr addr;

	ret->number = connect->c->options.cfg.tos;
	return ret->number >= 0 && transport_has(connect->c->transport, NVMF_TRANSPORT_TOS) &&
	       connect->options && option_is_known(connect->options, OPTION_TCLASS) && traddr &&
	       !address_parse(traddr, &addr) && !address_is_v4(&addr.in6);
}

static bool flag_of(const struct connect *connect, enum fabrics_option id)
{
	const struct nvme_ctrl *c = connect->c;

	/* The kernel recognises the well-known NQN without the option. */
	if (id == OPTION_DISCOVERY && !strcmp(c->subsysnqn, NVME_DISC_SUBSYS_NAME))
		return false;
	return *(const bool *)option_const_field(&option_rows[id], c);
}

bool option_value(const struct connect *connect, enum fabrics_option id, struct option_value *ret)
{
	const struct option_row *row = &option_rows[id];
	const struct nvme_ctrl *c = connect->c;

	*ret = (struct option_value){ 0 };
	if (row->rules & NVMF_OPTION_LOCAL || (row->rules & NVMF_OPTION_IO && c->discovery_ctrl) ||
	    (row->rules & NVMF_OPTION_FITS && !transport_has(c->transport, row->traits)))
		return false;
	switch (row->type) {
	case OPTION_TYPE_NAMED:
		return id == OPTION_TCLASS && tclass_of(connect, ret);
	case OPTION_TYPE_TEXT:
		ret->text = text_of(connect, id);
		return !str_is_unset(ret->text);
	case OPTION_TYPE_KEY:
		ret->number = id == OPTION_KEYRING ? connect->keyring : connect->tls_key;
		return ret->number;
	case OPTION_TYPE_NUMBER:
		ret->number = *(const int *)option_const_field(row, c);
		return ret->number > row->unset;
	case OPTION_TYPE_FLAG:
	case OPTION_TYPE_MARK:
		return flag_of(connect, id);
	}
	return false;
}
