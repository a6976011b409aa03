/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The discovery log page (70h) of an untrusted peer: check its length and terminate its strings. */
#include "private.h"

/* Maximum number of entries (64 MiB): more than any fabric has, and harmless for a host. */
#define MAX_RECORDS 65536

/* Length of genctr, numrec and recfmt, rounded up to dwords. */
#define HEADER_LEN 20

struct reader {
	struct nvme_root *r;
	const char *name; /* name of the controller */
	int fd;
	const struct nvme_get_discovery_args *args;
};

static int get_log(const struct reader *reader, uint64_t offset, uint32_t len, void *buffer)
{
	struct nvme_get_log_args args = {
		.lpo = offset,
		.result = reader->args->result,
		.log = buffer,
		.args_size = sizeof(args),
		.fd = reader->fd,
		.timeout = reader->args->timeout,
		.lid = NVME_LOG_LID_DISCOVER,
		.len = len,
		.nsid = NVME_NSID_NONE,
		.csi = NVME_CSI_NVM,
		.lsi = NVME_LOG_LSI_NONE,
		.lsp = reader->args->lsp,
		.uuidx = NVME_UUID_NONE,
	};
	int status = nvme_get_log_page(reader->fd, NVME_LOG_PAGE_PDU_SIZE, &args);

	if (!status)
		return 0;
	if (status > 0)
		log_info(reader->r, "%s: Get Log Page of the discovery log: %s (0x%x)",
			 reader->name, nvme_status_to_string(status, true), status);
	else
		log_info(reader->r, "%s: Get Log Page of the discovery log: %s", reader->name,
			 strerror(errno));
	return -(int)nvme_status_to_errno(status, true);
}

static int get_header(const struct reader *reader, struct nvmf_discovery_log *header)
{
	return get_log(reader, 0, HEADER_LEN, header);
}

/* Allocate a log for the number of entries in @header and copy the header into it. */
static int allocate(const struct reader *reader, const struct nvmf_discovery_log *header,
		    struct nvmf_discovery_log **ret)
{
	uint64_t numrec = le64toh(header->numrec);
	struct nvmf_discovery_log *log;

	if (numrec > MAX_RECORDS)
		return connect_error_set(
			NULL, reader->args->c, EOVERFLOW,
			"%s: the discovery log claims %llu entries, more than the maximum of %u",
			reader->name, (unsigned long long)numrec, MAX_RECORDS);
	log = calloc(1, sizeof(*log) + (size_t)numrec * sizeof(log->entries[0]));
	if (!log)
		return -ENOMEM;
	memcpy(log, header, HEADER_LEN);
	free(*ret);
	*ret = log;
	return 0;
}

static int read_log(const struct reader *reader, struct nvmf_discovery_log **ret)
{
	_cleanup_(free) struct nvmf_discovery_log *log = NULL;
	struct nvmf_discovery_log header = { 0 };
	int retries = 0, err;

	err = get_header(reader, &header);
	if (err)
		return err;
	for (;;) {
		uint64_t numrec = le64toh(header.numrec);

		err = allocate(reader, &header, &log);
		if (err)
			return err;
		if (!numrec)
			break;
		err = get_log(reader, sizeof(*log), (uint32_t)(numrec * sizeof(log->entries[0])),
			      log->entries);
		if (!err)
			err = get_header(reader, &header);
		if (err)
			return err;
		if (header.genctr == log->genctr)
			break;
		if (++retries >= reader->args->max_retries)
			return connect_error_set(NULL, reader->args->c, EAGAIN,
						 "%s: the discovery log changed while it was read, "
						 "%d times",
						 reader->name, retries);
	}
	if (header.numrec != log->numrec)
		return connect_error_set(NULL, reader->args->c, EBADSLT,
					 "%s: the discovery log changed its length, %llu to %llu "
					 "entries",
					 reader->name, (unsigned long long)le64toh(log->numrec),
					 (unsigned long long)le64toh(header.numrec));
	*ret = steal_ptr(&log);
	return 0;
}

/* Terminate the string in @field of @size bytes, and trim it if @trim is set. */
static void bound(char *field, size_t size, bool trim)
{
	size_t len;

	field[size - 1] = '\0';
	len = strlen(field);
	while (trim && len && field[len - 1] == ' ')
		field[--len] = '\0';
}

static void bound_entry(struct nvmf_disc_log_entry *e)
{
	bound(e->trsvcid, sizeof(e->trsvcid), true);
	bound(e->subnqn, sizeof(e->subnqn), false);
	bound(e->traddr, sizeof(e->traddr), true);

	/* FC targets separate node and port name with a comma, which ends a kernel option. */
	if (e->trtype == NVMF_TRTYPE_FC) {
		char *comma = strchr(e->traddr, ',');

		if (comma)
			*comma = ':';
	}
}

struct nvmf_discovery_log *nvmf_get_discovery_wargs(struct nvme_get_discovery_args *args)
{
	struct nvmf_discovery_log *log = NULL;
	struct reader reader = { .args = args };
	uint64_t numrec;
	int err;

	if (!args || args->args_size < (int)sizeof(*args) || !args->c)
		return failure_null(-EINVAL);
	reader.r = args->c->r;
	reader.name = args->c->name ? args->c->name : "discovery controller";
	reader.fd = nvme_ctrl_get_fd(args->c);
	if (reader.fd < 0)
		return NULL;

	connect_error_clear(NULL, args->c);
	err = read_log(&reader, &log);
	if (err)
		return failure_null(err);
	numrec = le64toh(log->numrec);
	for (uint64_t i = 0; i < numrec; i++)
		bound_entry(&log->entries[i]);
	return log;
}

int nvmf_get_discovery_log(nvme_ctrl_t c, struct nvmf_discovery_log **logp, int max_retries)
{
	struct nvme_get_discovery_args args = {
		.c = c,
		.args_size = sizeof(args),
		.max_retries = max_retries,
		.timeout = NVME_DEFAULT_IOCTL_TIMEOUT,
		.lsp = NVMF_LOG_DISC_LSP_NONE,
	};
	struct nvmf_discovery_log *log = nvmf_get_discovery_wargs(&args);

	if (!log)
		return -1;
	*logp = log;
	return 0;
}
