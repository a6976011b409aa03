/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Size, format and identifiers of a namespace, from /sys, or from Identify on older kernels. */
#include "private.h"

#define SECTOR_SIZE 512

static int read_number(nvme_ns_t n, const char *attr, uint64_t max, uint64_t *ret)
{
	const char *dir = nvme_ns_get_sysfs_dir(n);
	_cleanup_(free) char *text = NULL;
	unsigned long long value;
	char *end;
	int err;

	if (!dir)
		return -ENODEV;
	err = sysfs_read(dir, attr, &text);
	if (err)
		return err;
	errno = 0;
	value = strtoull(text, &end, 0);
	if (errno || end == text || *end || text[0] == '-' || value > max)
		return -EINVAL;
	*ret = value;
	return 0;
}

static void incomplete(nvme_ns_t n, const char *what, int err)
{
	log_info(n->s ? n->s->h->r : NULL, "%s: cannot read %s: %s", n->name, what, strerror(-err));
}

int nvme_ns_identify(nvme_ns_t n, struct nvme_id_ns *ns)
{
	int fd = nvme_ns_get_fd(n);

	return fd < 0 ? -1 : nvme_identify_ns(fd, (__u32)nvme_ns_get_nsid(n), ns);
}

int nvme_ns_identify_descs(nvme_ns_t n, struct nvme_ns_id_desc *descs)
{
	int fd = nvme_ns_get_fd(n);

	return fd < 0 ? -1 : nvme_identify_ns_descs(fd, (__u32)nvme_ns_get_nsid(n), descs);
}

/* Kernels before 6.8 do not show metadata size and utilization. */
static void read_identify(nvme_ns_t n)
{
	_cleanup_(free) struct nvme_id_ns *id = calloc(1, sizeof(*id));
	__u8 format;
	int status;

	if (!id)
		memory_note_failure();
	n->geometry.util_known = n->geometry.meta_known = id;
	status = id ? nvme_ns_identify(n, id) : -1;
	if (status) {
		incomplete(n, "the Identify data",
			   -(status < 0 ? errno : nvme_status_to_errno(status, false)));
		return;
	}
	nvme_id_ns_flbas_to_lbaf_inuse(id->flbas, &format);
	n->geometry.lba_util = le64toh(id->nuse);
	n->geometry.meta_size = le16toh(id->lbaf[format].ms);
}

static void read_size(nvme_ns_t n)
{
	unsigned int failures = memory_failures();
	uint64_t sectors, lba_size;
	int err;

	err = read_number(n, "size", UINT64_MAX, &sectors)
		      ?: read_number(n, "queue/logical_block_size", INT_MAX, &lba_size);
	if (!err && lba_size < SECTOR_SIZE)
		err = -EINVAL;
	n->geometry.size_known = failures == memory_failures();
	if (err) {
		incomplete(n, "the size", err);
		return;
	}
	n->geometry.lba_size = (uint32_t)lba_size;
	n->geometry.lba_count = sectors / (lba_size / SECTOR_SIZE);
}

int nvme_ns_get_lba_size(nvme_ns_t n)
{
	if (!n->geometry.size_known)
		read_size(n);
	return (int)n->geometry.lba_size;
}

uint64_t nvme_ns_get_lba_count(nvme_ns_t n)
{
	if (!n->geometry.size_known)
		read_size(n);
	return n->geometry.lba_count;
}

uint64_t nvme_ns_get_lba_util(nvme_ns_t n)
{
	uint64_t nuse;

	if (n->geometry.util_known)
		return n->geometry.lba_util;
	if (read_number(n, "nuse", UINT64_MAX, &nuse)) {
		read_identify(n);
	} else {
		n->geometry.lba_util = nuse;
		n->geometry.util_known = true;
	}
	return n->geometry.lba_util;
}

int nvme_ns_get_meta_size(nvme_ns_t n)
{
	uint64_t meta_size;

	if (n->geometry.meta_known)
		return (int)n->geometry.meta_size;
	if (read_number(n, "metadata_bytes", INT_MAX, &meta_size)) {
		read_identify(n);
	} else {
		n->geometry.meta_size = (uint32_t)meta_size;
		n->geometry.meta_known = true;
	}
	return (int)n->geometry.meta_size;
}

enum nvme_csi nvme_ns_get_csi(nvme_ns_t n)
{
	uint64_t csi = NVME_CSI_NVM;

	if (!n->geometry.csi_known) {
		read_number(n, "csi", UINT8_MAX, &csi);
		n->geometry.csi = (enum nvme_csi)csi;
		n->geometry.csi_known = true;
	}
	return n->geometry.csi;
}

/* Parse exactly @size bytes in hexadecimal, optionally with spaces or hyphens between bytes. */
static int parse_hex(const char *text, uint8_t *ret, size_t size)
{
	uint8_t bytes[16];

	for (size_t i = 0; i < size; i++) {
		int byte;

		while (i && (*text == ' ' || *text == '-'))
			text++;
		byte = str_hex_byte(text);
		if (byte < 0)
			return -EINVAL;
		bytes[i] = (uint8_t)byte;
		text += 2;
	}
	if (*text)
		return -EINVAL;
	memcpy(ret, bytes, size);
	return 0;
}

static bool read_id(int dirfd, const char *attr, uint8_t *ret, size_t size)
{
	char text[64];

	return memory_noted_read((int)sysfs_read_buf(dirfd, attr, text, sizeof(text))) > 0 &&
	       !parse_hex(text, ret, size);
}

/* Parse Namespace Identification Descriptors: NVM Express Base Specification 2.1, figure 320. */
static void ids_from_descs(const uint8_t *data, struct ns_ids *ret)
{
	const size_t header = sizeof(struct nvme_ns_id_desc);
	size_t at = 0;

	/* Descriptors may have any length, so they are not aligned. */
	while (at + header <= NVME_IDENTIFY_DATA_SIZE) {
		uint8_t type = data[at + offsetof(struct nvme_ns_id_desc, nidt)];
		uint8_t len = data[at + offsetof(struct nvme_ns_id_desc, nidl)];
		const uint8_t *id = data + at + header;

		if (!len || len > NVME_IDENTIFY_DATA_SIZE - at - header)
			break;
		if (type == NVME_NIDT_EUI64 && len == sizeof(ret->eui64))
			memcpy(ret->eui64, id, sizeof(ret->eui64));
		else if (type == NVME_NIDT_NGUID && len == sizeof(ret->nguid))
			memcpy(ret->nguid, id, sizeof(ret->nguid));
		else if (type == NVME_NIDT_UUID && len == sizeof(ret->uuid))
			memcpy(ret->uuid, id, sizeof(ret->uuid));
		at += header + len;
	}
}

/*
 * The kernel hides the attributes of identifiers that a namespace does not have, and shows the
 * NGUID as uuid where there is no UUID: uuid_show() in drivers/nvme/host/sysfs.c.
 */
static void ids_read(nvme_ns_t n, struct ns_ids *ret)
{
	_cleanup_(free) struct nvme_ns_id_desc *descs = NULL;
	const char *dir = nvme_ns_get_sysfs_dir(n);
	_cleanup_(close) int dirfd = -1;
	bool any = false;

	if (!dir)
		return;
	dirfd = sysfs_open_dir(AT_FDCWD, dir);
	if (memory_noted(dirfd) < 0)
		return;
	any |= read_id(dirfd, "eui", ret->eui64, sizeof(ret->eui64));
	any |= read_id(dirfd, "nguid", ret->nguid, sizeof(ret->nguid));
	any |= read_id(dirfd, "uuid", ret->uuid, sizeof(ret->uuid));
	/* Kernels with wwid show all identifiers. */
	if (any || sysfs_exists(dirfd, "wwid"))
		return;
	descs = calloc(1, NVME_IDENTIFY_DATA_SIZE);
	if (!descs)
		memory_note_failure();
	else if (!nvme_ns_identify_descs(n, descs))
		ids_from_descs((const uint8_t *)descs, ret);
}

static const struct ns_ids *ids(nvme_ns_t n)
{
	if (!n->ids.known) {
		unsigned int failures = memory_failures();

		ids_read(n, &n->ids);
		n->ids.known = failures == memory_failures();
	}
	return &n->ids;
}

GETTER_OF(const uint8_t *, nvme_ns_get_eui64, nvme_ns_t, ids(object)->eui64);
GETTER_OF(const uint8_t *, nvme_ns_get_nguid, nvme_ns_t, ids(object)->nguid);

void nvme_ns_get_uuid(nvme_ns_t n, unsigned char out[16])
{
	memcpy(out, ids(n)->uuid, sizeof(n->ids.uuid));
}
