/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Register this host with a discovery controller: Discovery Information Management (21h). */
#include <sys/utsname.h>

#include "../tree/hostid-private.h"
#include "private.h"

#define OS_RELEASE "/etc/os-release"
#define EKTYPE 0x5f /* all entity key types that libnvme 1.16 registers */

/* Return the discovery controller type from sysfs, or from Identify on kernels without it. */
static int dctype(struct nvme_ctrl *c)
{
	_cleanup_(free) char *text = nvme_get_ctrl_attr(c, "dctype");
	_cleanup_(free) struct nvme_id_ctrl *id = NULL;

	if (text && !strcmp(text, "ddc"))
		return NVME_CTRL_DCTYPE_DDC;
	if (text && !strcmp(text, "cdc"))
		return NVME_CTRL_DCTYPE_CDC;
	if (text)
		return NVME_CTRL_DCTYPE_NOT_REPORTED;
	id = calloc(1, sizeof(*id));
	if (!id || nvme_ctrl_identify(c, id))
		return NVME_CTRL_DCTYPE_NOT_REPORTED;
	return id->dctype;
}

bool nvmf_is_registration_supported(nvme_ctrl_t c)
{
	int type = dctype(c);

	return type == NVME_CTRL_DCTYPE_DDC || type == NVME_CTRL_DCTYPE_CDC;
}

/* Return the value of "NAME=value" or NAME="value" in a line of os-release(5), or NULL. */
static char *value_of(char *line, const char *name)
{
	size_t len = strlen(name);
	char *value = line + len + 1;

	if (strncmp(line, name, len) != 0 || line[len] != '=')
		return NULL;
	str_trim_end(value);
	len = strlen(value);
	if (len >= 2 && (*value == '"' || *value == '\'') && value[len - 1] == *value) {
		value[len - 1] = '\0';
		value++;
	}
	return value;
}

/* Format "<system> <release> <distribution> <version>", as far as known, truncated to @size. */
static void entity_version(char *version, size_t size)
{
	_cleanup_(fclose) FILE *file = fopen(OS_RELEASE, "re");
	char name[NVMF_EVER_LEN] = "", id[NVMF_EVER_LEN] = "";
	char text[4 * NVMF_EVER_LEN + 4];
	struct utsname os;
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		char *value;

		value = value_of(line, "NAME");
		if (value)
			str_copy(name, sizeof(name), value, strlen(value));
		value = value_of(line, "VERSION_ID");
		if (value)
			str_copy(id, sizeof(id), value, strlen(value));
	}
	if (uname(&os))
		return;
	snprintf(text, sizeof(text), "%.64s %.64s %s %s", os.sysname, os.release, name, id);
	str_trim_end(text);
	str_copy(version, size, text, sizeof(text));
}

static void add_attribute(struct nvmf_ext_die *die, struct nvmf_ext_attr **next, __u16 type,
			  const void *value, size_t len)
{
	struct nvmf_ext_attr *attr = *next;

	attr->exattype = htole16(type);
	attr->exatlen = htole16(nvmf_exat_len(len));
	memset(attr->exatval, ' ', nvmf_exat_len(len));
	memcpy(attr->exatval, value, len);
	*next = nvmf_exat_ptr_next(attr);
	die->numexat = htole16((__u16)(le16toh(die->numexat) + 1));
}

static __u8 adrfam_of(const struct nvme_ctrl *c)
{
	struct ip_addr addr;

	if (address_parse(c->traddr, &addr))
		return NVMF_ADDR_FAMILY_IP4;
	return address_is_v4(&addr.in6) && !strchr(c->traddr, ':') ? NVMF_ADDR_FAMILY_IP4
								   : NVMF_ADDR_FAMILY_IP6;
}

static void fill(struct nvmf_dim_data *dim, __u32 tel, const struct nvme_ctrl *c,
		 const unsigned char *hostid)
{
	const struct nvme_host *h = c->s->h;
	struct nvmf_ext_die *die = &dim->die[0].extended;
	struct nvmf_ext_attr *next = die->exat;

	dim->tdl = htole32((__u32)sizeof(*dim) + tel);
	dim->nument = htole64(1);
	dim->entfmt = htole16(NVMF_DIM_ENTFMT_EXTENDED);
	dim->etype = htole16(NVMF_DIM_ETYPE_HOST);
	dim->ektype = htole16(EKTYPE);
	str_copy(dim->eid, sizeof(dim->eid), h->hostnqn, strlen(h->hostnqn));
	if (gethostname(dim->ename, sizeof(dim->ename)))
		dim->ename[0] = '\0';
	dim->ename[sizeof(dim->ename) - 1] = '\0';
	entity_version(dim->ever, sizeof(dim->ever));

	/* Without traddr, the controller uses the source address of the connection. */
	die->trtype = (__u8)c->transport->trtype;
	die->adrfam = adrfam_of(c);
	str_copy(die->nqn, sizeof(die->nqn), h->hostnqn, strlen(h->hostnqn));
	die->tel = htole32(tel);
	add_attribute(die, &next, NVMF_EXATTYPE_HOSTID, hostid, NVME_UUID_LEN);
	if (!str_is_unset(h->hostsymname))
		add_attribute(die, &next, NVMF_EXATTYPE_SYMNAME, h->hostsymname,
			      strnlen(h->hostsymname, NVMF_ENAME_LEN));
}

int nvmf_register_ctrl(nvme_ctrl_t c, enum nvmf_dim_tas tas, __u32 *result)
{
	_cleanup_(free) struct nvmf_dim_data *dim = NULL;
	unsigned char hostid[NVME_UUID_LEN] = { 0 };
	struct nvme_dim_args args = {
		.result = result,
		.args_size = sizeof(args),
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.tas = (__u8)tas,
	};
	const char *symname;
	__u32 tel;

	if (!nvmf_is_registration_supported(c))
		return failure_errno(-ENOTSUP);
	if (!transport_has(c->transport, NVMF_TRANSPORT_DIM) || !c->s || !c->s->h->hostnqn)
		return failure_errno(-EINVAL);
	if (!c->s->h->hostid || !hostid_parse(c->s->h->hostid, hostid)) {
		log_err(c->r, "%s: registering needs a host identifier", c->name);
		return failure_errno(-EINVAL);
	}
	args.fd = nvme_ctrl_get_fd(c);
	if (args.fd < 0)
		return -1;

	symname = c->s->h->hostsymname;
	tel = (__u32)sizeof(struct nvmf_ext_die) + nvmf_exat_size(NVME_UUID_LEN);
	if (!str_is_unset(symname))
		tel += nvmf_exat_size(strnlen(symname, NVMF_ENAME_LEN));
	args.data_len = (__u32)sizeof(*dim) + tel;
	dim = calloc(1, args.data_len);
	if (!dim)
		return failure_errno(-ENOMEM);
	fill(dim, tel, c, hostid);
	args.data = dim;
	return nvme_dim_send(&args);
}
