/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The discovery log of a hostile controller: the input is what its log page holds, read after read.
 * The first byte bounds the number of entries that a header claims, so that most inputs reach the
 * entries; 255 lets through what is beyond all bounds.
 */
#include <endian.h>

#include <nvme/linux.h>
#include <nvme/log.h>
#include <nvme/types.h>

#include "fabrics/private.h"
#include "fuzz.h"

static const uint8_t *input;
static size_t left;
static uint8_t bound;

static void take(void *to, size_t n)
{
	size_t have = n < left ? n : left;

	memset(to, 0, n);
	memcpy(to, input, have);
	input += have;
	left -= have;
}

int nvme_submit_passthru(int fd, unsigned long ioctl_cmd, struct nvme_passthru_cmd *cmd,
			 __u32 *result)
{
	uint8_t *buffer = (uint8_t *)(uintptr_t)cmd->addr;

	take(buffer, cmd->data_len);
	if (cmd->data_len == 20) {
		uint64_t numrec;

		memcpy(&numrec, buffer + 8, sizeof(numrec));
		if (bound != 0xff || numrec <= 65536)
			numrec %= bound + 1U;
		memcpy(buffer + 8, &numrec, sizeof(numrec));
	}
	return 0;
}

static void check_string(const char *s, size_t size)
{
	if (!memchr(s, '\0', size))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nvme_ctrl c = { .name = (char *)"nvme0", .fd = 0 };
	struct nvmf_discovery_log *log;

	if (!size)
		return 0;
	nvme_init_default_logging(NULL, -1, false, false);
	bound = *data;
	input = data + 1;
	left = size - 1;
	if (nvmf_get_discovery_log(&c, &log, 3)) {
		free(c.connect_error);
		return 0;
	}
	for (uint64_t i = 0; i < le64toh(log->numrec); i++) {
		struct nvmf_disc_log_entry *e = &log->entries[i];

		check_string(e->trsvcid, sizeof(e->trsvcid));
		check_string(e->subnqn, sizeof(e->subnqn));
		check_string(e->traddr, sizeof(e->traddr));
		check_string(nvmf_trtype_str(e->trtype), 64);
		check_string(nvmf_treq_str(e->treq), 64);
		check_string(nvmf_eflags_str(le16toh(e->eflags)), 128);
	}
	free(log);
	free(c.connect_error);
	return 0;
}
