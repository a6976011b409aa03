/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The discovery log from controllers that change it, lie about it or fail. */
#include <endian.h>

#include <nvme/linux.h>
#include <nvme/log.h>
#include <nvme/types.h>

#include "unit.h"
#include "fabrics/private.h"

#define FD 4711
#define ENTRIES 20

/* The controller: what it says in which header read, and what it has been asked. */
static struct {
	struct {
		uint64_t genctr, numrec;
	} headers[16];
	unsigned int n_headers; /* the last one is repeated */
	unsigned int header_reads, entry_reads;
	unsigned int fail_at; /* number of the command that fails, from 1; 0: none */
	int failure; /* what it returns; -1 with errno EIO */
	uint64_t next_offset;
	unsigned int last_rae;
	struct nvmf_disc_log_entry entries[ENTRIES];
} target;

static void serve_header(void *buffer, uint32_t len)
{
	unsigned int i = target.header_reads++;
	struct nvmf_discovery_log header = { 0 };

	if (i >= target.n_headers)
		i = target.n_headers - 1;
	assert_int_equal(len, 20);
	header.genctr = htole64(target.headers[i].genctr);
	header.numrec = htole64(target.headers[i].numrec);
	memcpy(buffer, &header, len);
	target.next_offset = 1024;
}

int nvme_submit_passthru(int fd, unsigned long ioctl_cmd, struct nvme_passthru_cmd *cmd,
			 __u32 *result)
{
	uint64_t offset = (uint64_t)cmd->cdw13 << 32 | cmd->cdw12;
	uint32_t len = ((cmd->cdw10 >> 16) + 1 + (cmd->cdw11 << 16)) * 4;

	assert_int_equal(fd, FD);
	assert_int_equal(cmd->opcode, nvme_admin_get_log_page);
	assert_int_equal(cmd->cdw10 & 0xff, NVME_LOG_LID_DISCOVER);
	assert_int_equal(cmd->nsid, 0);
	assert_int_equal(cmd->data_len, len);
	assert_true(len <= 4096);
	if (target.fail_at && target.header_reads + target.entry_reads + 1 == target.fail_at) {
		if (target.failure < 0)
			errno = EIO;
		return target.failure;
	}
	if (!offset) {
		serve_header((void *)(uintptr_t)cmd->addr, len);
		return 0;
	}
	assert_int_equal(offset, target.next_offset);
	assert_true(offset - 1024 + len <= sizeof(target.entries));
	memcpy((void *)(uintptr_t)cmd->addr, (char *)target.entries + offset - 1024, len);
	target.next_offset += len;
	target.entry_reads++;
	target.last_rae = cmd->cdw10 >> 15 & 1;
	return 0;
}

static struct nvme_ctrl ctrl;

static void says(unsigned int n, const uint64_t (*headers)[2])
{
	memset(&target, 0, sizeof(target));
	for (unsigned int i = 0; i < n; i++) {
		target.headers[i].genctr = headers[i][0];
		target.headers[i].numrec = headers[i][1];
	}
	target.n_headers = n;
	for (unsigned int i = 0; i < ENTRIES; i++) {
		target.entries[i].trtype = NVMF_TRTYPE_MPTCP;
		target.entries[i].portid = htole16((uint16_t)i);
	}
	free(ctrl.connect_error);
	memset(&ctrl, 0, sizeof(ctrl));
	ctrl.name = (char *)"nvme0";
	ctrl.fd = FD;
	nvme_init_default_logging(NULL, -1, false, false);
}

#define SAYS(...) \
	do { \
		static const uint64_t headers[][2] = { __VA_ARGS__ }; \
		says(sizeof(headers) / sizeof(headers[0]), headers); \
	} while (0)

static struct nvmf_discovery_log *read_log(int retries)
{
	struct nvmf_discovery_log *log = NULL;

	errno = 0;
	if (nvmf_get_discovery_log(&ctrl, &log, retries)) {
		assert_null(log);
		return NULL;
	}
	assert_non_null(log);
	return log;
}

static void assert_fails(int retries, int err)
{
	assert_null(read_log(retries));
	assert_int_equal(errno, err);
}

TEST(test_plain)
{
	struct nvmf_discovery_log *log;

	SAYS({ 8, 3 });
	log = read_log(10);
	assert_non_null(log);
	assert_int_equal(le64toh(log->genctr), 8);
	assert_int_equal(le64toh(log->numrec), 3);
	assert_int_equal(le16toh(log->entries[2].portid), 2);
	assert_int_equal(target.header_reads, 2);
	assert_int_equal(target.entry_reads, 1);
	free(log);

	SAYS({ 8, ENTRIES });
	log = read_log(10);
	assert_non_null(log);
	assert_int_equal(le16toh(log->entries[ENTRIES - 1].portid), ENTRIES - 1);
	assert_int_equal(target.entry_reads, ENTRIES * 1024 / 4096);
	assert_int_equal(target.last_rae, 0);
	free(log);
}

TEST(test_empty)
{
	struct nvmf_discovery_log *log;

	SAYS({ 1, 0 });
	log = read_log(10);
	assert_non_null(log);
	assert_int_equal(le64toh(log->numrec), 0);
	assert_int_equal(target.header_reads, 1);
	free(log);
}

/* 2^54 entries of 2^10 bytes wrap to nothing, and far less is still more than a host has. */
TEST(test_too_many)
{
	SAYS({ 1, (UINT64_C(1) << 54) + 2 });
	assert_fails(10, EOVERFLOW);
	SAYS({ 1, UINT64_MAX / 1024 });
	assert_fails(10, EOVERFLOW);
	SAYS({ 1, UINT64_MAX });
	assert_fails(10, EOVERFLOW);
	SAYS({ 1, UINT64_C(1) << 40 });
	assert_fails(10, EOVERFLOW);
	SAYS({ 1, 65537 });
	assert_fails(10, EOVERFLOW);
	assert_int_equal(target.header_reads, 1);
	assert_int_equal(target.entry_reads, 0);
	/* … and also when the second header says so. */
	SAYS({ 1, 2 }, { 2, UINT64_MAX });
	assert_fails(10, EOVERFLOW);
}

TEST(test_generations)
{
	struct nvmf_discovery_log *log;

	SAYS({ 1, 2 }, { 2, 4 }, { 2, 4 });
	log = read_log(10);
	assert_non_null(log);
	assert_int_equal(le64toh(log->genctr), 2);
	assert_int_equal(le64toh(log->numrec), 4);
	free(log);

	/* shrinks, to nothing in the end */
	SAYS({ 1, 4 }, { 2, 1 }, { 3, 0 });
	log = read_log(10);
	assert_non_null(log);
	assert_int_equal(le64toh(log->numrec), 0);
	free(log);

	SAYS({ 1, 1 }, { 2, 1 }, { 3, 1 }, { 4, 1 }, { 5, 1 }, { 6, 1 });
	assert_fails(3, EAGAIN);
	assert_int_equal(target.header_reads, 4);
	SAYS({ 1, 1 }, { 2, 1 });
	assert_fails(0, EAGAIN);
	assert_int_equal(target.header_reads, 2);
}

TEST(test_length_changes_silently)
{
	SAYS({ 1, 2 }, { 1, 4 });
	assert_fails(10, EBADSLT);
	SAYS({ 1, 4 }, { 1, 0 });
	assert_fails(10, EBADSLT);
}

TEST(test_failures)
{
	for (unsigned int at = 1; at <= 3; at++) {
		SAYS({ 1, 2 });
		target.fail_at = at;
		target.failure = 0x6002; /* Invalid Field, DNR and More set */
		assert_fails(10, EINVAL);
		SAYS({ 1, 2 });
		target.fail_at = at;
		target.failure = -1;
		assert_fails(10, EIO);
	}
}

TEST(test_arguments)
{
	struct nvme_get_discovery_args args = { .c = &ctrl, .args_size = sizeof(args) - 8 };

	SAYS({ 1, 1 });
	assert_null(nvmf_get_discovery_wargs(&args));
	assert_int_equal(errno, EINVAL);
	assert_null(nvmf_get_discovery_wargs(NULL));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(target.header_reads, 0);
}

TEST(test_strings)
{
	struct nvmf_discovery_log *log;
	struct nvmf_disc_log_entry *e;

	SAYS({ 1, 3 });
	e = &target.entries[0];
	memset(e->trsvcid, '9', sizeof(e->trsvcid));
	memset(e->subnqn, 'a', sizeof(e->subnqn));
	memset(e->traddr, '1', sizeof(e->traddr));
	e = &target.entries[1];
	memset(e->trsvcid, ' ', sizeof(e->trsvcid));
	memset(e->traddr, ' ', sizeof(e->traddr));
	memcpy(e->traddr, "10.1.1.1", 8);
	memcpy(e->trsvcid, "4420 ", 5);
	e = &target.entries[2];
	e->trtype = NVMF_TRTYPE_FC;
	memcpy(e->traddr, "nn-0x1,pn-0x2", 13);
	memset(e->trsvcid, ' ', sizeof(e->trsvcid));

	log = read_log(10);
	assert_non_null(log);
	e = &log->entries[0];
	assert_int_equal(strlen(e->trsvcid), 31);
	assert_int_equal(strlen(e->subnqn), 255);
	assert_int_equal(strlen(e->traddr), 255);
	e = &log->entries[1];
	assert_string_equal(e->traddr, "10.1.1.1");
	assert_string_equal(e->trsvcid, "4420");
	e = &log->entries[2];
	assert_string_equal(e->traddr, "nn-0x1:pn-0x2");
	assert_string_equal(e->trsvcid, "");
	free(log);
}

static int forget(void **state)
{
	free(ctrl.connect_error);
	return 0;
}

ALL_TESTS(NULL, forget)
