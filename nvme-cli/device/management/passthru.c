// SPDX-License-Identifier: GPL-2.0-or-later
/* Replace the library's functions that submit commands: --dry-run, --timeout, retries, traces. */
#include "device/device.h"
#include "shared/transfer.h"

#define MAX_REPEATS 10

static struct {
	FILE *trace; /* NULL: no trace */
	bool timed; /* the trace includes result and latency */
	unsigned int timeout;
	bool dry_run, repeat;
} settings;

void passthru_setup(const struct common_args *common, bool elsewhere)
{
	bool traced = common->verbose >= 2 || common->dry_run;

	settings.trace = !traced ? NULL : elsewhere ? stderr : stdout;
	settings.timed = common->verbose >= 2;
	settings.timeout = common->timeout;
	settings.dry_run = common->dry_run;
	settings.repeat = !common->no_retries;
}

void passthru_show(FILE *stream)
{
	if (!settings.trace)
		settings.trace = stream;
}

/* Print the members of a command. Both structures have the same layout up to the result. */
static void trace(const struct nvme_passthru_cmd *cmd)
{
	FILE *f = settings.trace;

	fprintf(f, "opcode       : %02x\n", cmd->opcode);
	fprintf(f, "flags        : %02x\n", cmd->flags);
	fprintf(f, "rsvd1        : %04x\n", cmd->rsvd1);
	fprintf(f, "nsid         : %08x\n", cmd->nsid);
	fprintf(f, "cdw2         : %08x\n", cmd->cdw2);
	fprintf(f, "cdw3         : %08x\n", cmd->cdw3);
	fprintf(f, "data_len     : %08x\n", cmd->data_len);
	fprintf(f, "metadata_len : %08x\n", cmd->metadata_len);
	fprintf(f, "addr         : %" PRIx64 "\n", (uint64_t)cmd->addr);
	fprintf(f, "metadata     : %" PRIx64 "\n", (uint64_t)cmd->metadata);
	fprintf(f, "cdw10        : %08x\n", cmd->cdw10);
	fprintf(f, "cdw11        : %08x\n", cmd->cdw11);
	fprintf(f, "cdw12        : %08x\n", cmd->cdw12);
	fprintf(f, "cdw13        : %08x\n", cmd->cdw13);
	fprintf(f, "cdw14        : %08x\n", cmd->cdw14);
	fprintf(f, "cdw15        : %08x\n", cmd->cdw15);
	fprintf(f, "timeout_ms   : %08x\n", cmd->timeout_ms);
}

uint64_t passthru_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static int run(int fd, unsigned long request, void *cmd)
{
	int ret, repeats = 0;

	do {
		ret = transfer_ioctl(fd, request, cmd);
	} while (ret < 0 && (errno == EAGAIN || errno == EINTR) && settings.repeat &&
		 repeats++ < MAX_REPEATS);
	return ret;
}

static int submit_passthru(int fd, unsigned long request, struct nvme_passthru_cmd *cmd)
{
	uint64_t start;
	int ret, err;

	if (settings.timeout && !cmd->timeout_ms)
		cmd->timeout_ms = settings.timeout;
	if (settings.trace)
		trace(cmd);
	if (settings.dry_run) {
		errno = ECANCELED; /* no answer to show */
		return -1;
	}
	start = passthru_clock();
	ret = run(fd, request, cmd);
	err = errno;
	if (settings.trace && settings.timed)
		fprintf(settings.trace, "err          : %d\nlatency      : %" PRIu64 " us\n", ret,
			passthru_clock() - start);
	errno = err;
	return ret;
}

int nvme_submit_passthru(int fd, unsigned long ioctl_cmd, struct nvme_passthru_cmd *cmd,
			 __u32 *result)
{
	int ret = submit_passthru(fd, ioctl_cmd, cmd);

	if (ret >= 0 && result)
		*result = cmd->result;
	return ret;
}

int nvme_submit_passthru64(int fd, unsigned long ioctl_cmd, struct nvme_passthru_cmd64 *cmd,
			   __u64 *result)
{
	int ret = submit_passthru(fd, ioctl_cmd, (struct nvme_passthru_cmd *)(void *)cmd);

	if (ret >= 0 && result)
		*result = cmd->result;
	return ret;
}
