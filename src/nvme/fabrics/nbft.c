/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading a whole NBFT: file, header, control and host descriptors, lists. */
#include "base/failure.h"
#include "base/log-private.h"
#include "nbft.h"

/* Maximum size, far above the largest table that its fields can describe. */
#define TABLE_MAX (1U << 20)

#define NBFT_MAJOR_REVISION 1

bool nbft_copy(const struct nbft_table *table, uint64_t offset, void *to, size_t len)
{
	if (offset > table->len || len > table->len - offset)
		return false;
	memcpy(to, table->raw + offset, len);
	return true;
}

const __u8 *nbft_heap_object(const struct nbft_table *table, const struct nbft_heap_obj *obj,
			     size_t min)
{
	uint64_t offset = le32toh(obj->offset);
	uint64_t end = offset + le16toh(obj->length);

	if (le16toh(obj->length) < min || offset < table->heap_offset ||
	    end > (uint64_t)table->heap_offset + table->heap_len)
		return NULL;
	return table->raw + offset;
}

int nbft_heap_string(const struct nbft_table *table, const struct nbft_heap_obj *obj, char **ret)
{
	const __u8 *bytes;
	char *string;

	if (!le16toh(obj->length)) {
		*ret = NULL;
		return 0;
	}
	bytes = nbft_heap_object(table, obj, 1);
	if (!bytes)
		return -EINVAL;
	string = strndup((const char *)bytes, le16toh(obj->length));
	if (!string)
		return -ENOMEM;
	*ret = string;
	return 0;
}

static int bad(const struct nbft_table *table, const char *what)
{
	log_err(NULL, "%s: not a valid NBFT: %s", table->name, what);
	return -EINVAL;
}

static int read_file(const char *name, __u8 **ret, size_t *len)
{
	/* Do not block if the file is a pipe. */
	_cleanup_(close) int fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	_cleanup_(free) __u8 *raw = NULL;
	size_t have = 0;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	raw = malloc(TABLE_MAX + 1);
	if (!raw)
		return -ENOMEM;
	do {
		n = read(fd, raw + have, TABLE_MAX + 1 - have);
		if (n > 0)
			have += (size_t)n;
	} while ((n > 0 && have <= TABLE_MAX) || (n < 0 && errno == EINTR));
	if (n < 0)
		return -errno;
	if (have > TABLE_MAX)
		return -EFBIG;
	*ret = steal_ptr(&raw);
	*len = have;
	return 0;
}

static bool sums_to_zero(const __u8 *bytes, size_t n)
{
	__u8 sum = 0;

	while (n--)
		sum = (__u8)(sum + *bytes++);
	return !sum;
}

/* @have: size of the file, which may exceed the table. */
static int check_header(struct nbft_table *table, size_t have)
{
	struct nbft_header header;
	uint64_t heap_end;

	table->len = (uint32_t)have;
	if (!nbft_copy(table, 0, &header, sizeof(header)))
		return bad(table, "shorter than its header");
	if (memcmp(header.signature, NBFT_HEADER_SIG, sizeof(header.signature)) != 0)
		return bad(table, "wrong signature");
	if (le32toh(header.length) > have)
		return bad(table, "longer than the file");
	if (le32toh(header.length) < sizeof(header) + sizeof(struct nbft_control))
		return bad(table, "too short for the control descriptor");
	table->len = le32toh(header.length);
	if (header.major_revision != NBFT_MAJOR_REVISION)
		return bad(table, "unknown revision");
	if (!sums_to_zero(table->raw, table->len))
		return bad(table, "wrong checksum");

	table->heap_offset = le32toh(header.heap_offset);
	table->heap_len = le32toh(header.heap_length);
	heap_end = (uint64_t)table->heap_offset + table->heap_len;
	if (heap_end > table->len)
		return bad(table, "the heap extends beyond the table");
	return 0;
}

static int check_control(struct nbft_table *table)
{
	struct nbft_control *control = &table->control;

	if (!nbft_copy(table, sizeof(struct nbft_header), control, sizeof(*control)))
		return bad(table, "no control descriptor");
	if (control->structure_id != NBFT_DESC_CONTROL)
		return bad(table, "wrong control descriptor");
	if (!(control->flags & NBFT_CONTROL_VALID))
		return bad(table, "the control descriptor is marked invalid");
	if (le16toh(control->csl) < sizeof(*control))
		return bad(table, "short control descriptor");
	return 0;
}

static int read_host(const struct nbft_table *table, struct nbft_info *nbft)
{
	const struct nbft_heap_obj *obj = &table->control.hdesc;
	uint32_t offset = le32toh(obj->offset);
	struct nbft_host host;
	int err;

	if (le16toh(obj->length) < sizeof(host) || !nbft_copy(table, offset, &host, sizeof(host)))
		return bad(table, "the host descriptor is outside the table");
	if (host.structure_id != NBFT_DESC_HOST || !(host.flags & NBFT_HOST_VALID))
		return bad(table, "wrong host descriptor");
	err = nbft_heap_string(table, &host.host_nqn_obj, &nbft->host.nqn);
	if (err == -EINVAL)
		return bad(table, "the host NQN is outside the heap");
	if (err)
		return err;
	nbft->host.id = table->raw + offset + offsetof(struct nbft_host, host_id);
	nbft->host.host_id_configured = host.flags & NBFT_HOST_HOSTID_CONFIGURED;
	nbft->host.host_nqn_configured = host.flags & NBFT_HOST_HOSTNQN_CONFIGURED;
	nbft->host.primary = (host.flags & NBFT_HOST_PRIMARY_ADMIN_MASK) >> 3;
	return 0;
}

/* A list of descriptors of one type: its position and their minimum length. */
struct list {
	const char *what;
	__u8 type;
	size_t min_len;
	uint32_t offset;
	uint16_t len;
	__u8 count;
	int (*add)(const struct nbft_table *table, uint32_t offset, struct nbft_info *nbft);
};

/* Skip an invalid descriptor: the machine may boot from another one. */
static int read_list(const struct nbft_table *table, const struct list *list,
		     struct nbft_info *nbft)
{
	if (!list->count)
		return 0;
	if (list->len < list->min_len ||
	    (uint64_t)list->offset + (uint64_t)list->len * list->count > table->len) {
		log_err(NULL, "%s: the list of %s descriptors is outside the table", table->name,
			list->what);
		return 0;
	}
	for (unsigned int i = 0; i < list->count; i++) {
		uint32_t offset = list->offset + i * list->len;
		int err;

		if (table->raw[offset] != list->type) {
			log_err(NULL, "%s: %s descriptor %u has the wrong type", table->name,
				list->what, i);
			continue;
		}
		err = list->add(table, offset, nbft);
		if (err == -ENOMEM)
			return err;
		if (err)
			log_err(NULL, "%s: %s descriptor %u cannot be read and is skipped",
				table->name, list->what, i);
	}
	return 0;
}

static int read_lists(const struct nbft_table *table, struct nbft_info *nbft)
{
	const struct nbft_control *c = &table->control;
	const struct list lists[] = {
		{ "host fabric interface", NBFT_DESC_HFI, sizeof(struct nbft_hfi), le32toh(c->hfio),
		  le16toh(c->hfil), c->num_hfi, nbft_add_hfi },
		{ "security", NBFT_DESC_SECURITY, sizeof(struct nbft_security), le32toh(c->seco),
		  le16toh(c->secl), c->num_sec, nbft_add_security },
		{ "discovery", NBFT_DESC_DISCOVERY, sizeof(struct nbft_discovery),
		  le32toh(c->disco), le16toh(c->discl), c->num_disc, nbft_add_discovery },
		{ "subsystem namespace", NBFT_DESC_SSNS, sizeof(struct nbft_ssns),
		  le32toh(c->ssnso), le16toh(c->ssnsl), c->num_ssns, nbft_add_subsystem },
	};

	nbft->hfi_list = calloc((size_t)c->num_hfi + 1, sizeof(*nbft->hfi_list));
	nbft->security_list = calloc((size_t)c->num_sec + 1, sizeof(*nbft->security_list));
	nbft->discovery_list = calloc((size_t)c->num_disc + 1, sizeof(*nbft->discovery_list));
	nbft->subsystem_ns_list = calloc((size_t)c->num_ssns + 1, sizeof(*nbft->subsystem_ns_list));
	if (!nbft->hfi_list || !nbft->security_list || !nbft->discovery_list ||
	    !nbft->subsystem_ns_list)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		int err = read_list(table, &lists[i], nbft);

		if (err)
			return err;
	}
	return 0;
}

int nbft_parse(const char *name, __u8 *raw, size_t len, struct nbft_info **ret)
{
	_cleanup_(nvme_nbft_free) struct nbft_info *nbft = calloc(1, sizeof(*nbft));
	struct nbft_table table = { .name = name, .raw = raw };
	int err;

	if (!nbft) {
		free(raw);
		return -ENOMEM;
	}
	nbft->raw_nbft = raw;
	nbft->raw_nbft_size = (ssize_t)len;
	nbft->filename = strdup(name);
	if (!nbft->filename)
		return -ENOMEM;
	err = check_header(&table, len)
	       ?: check_control(&table)
	       ?: read_host(&table, nbft)
	       ?: read_lists(&table, nbft);
	if (!err)
		*ret = steal_ptr(&nbft);
	return err;
}

int nvme_nbft_read(struct nbft_info **nbft, const char *filename)
{
	__u8 *raw = NULL;
	size_t len = 0;
	int err = read_file(filename, &raw, &len);

	if (err)
		log_err(NULL, "%s: cannot be read: %s", filename, strerror(-err));
	else
		err = nbft_parse(filename, raw, len, nbft);
	return failure_errno(err);
}

void nvme_nbft_free(struct nbft_info *nbft)
{
	if (!nbft)
		return;
	for (struct nbft_info_subsystem_ns **s = nbft->subsystem_ns_list; s && *s; s++)
		nbft_subsystem_free(*s);
	for (struct nbft_info_discovery **d = nbft->discovery_list; d && *d; d++) {
		free((*d)->uri);
		free((*d)->nqn);
		free(*d);
	}
	for (struct nbft_info_security **s = nbft->security_list; s && *s; s++)
		free(*s);
	for (struct nbft_info_hfi **h = nbft->hfi_list; h && *h; h++) {
		free((*h)->tcp_info.host_name);
		free(*h);
	}
	free(nbft->subsystem_ns_list);
	free(nbft->discovery_list);
	free(nbft->security_list);
	free(nbft->hfi_list);
	free(nbft->host.nqn);
	free(nbft->filename);
	free(nbft->raw_nbft);
	free(nbft);
}
