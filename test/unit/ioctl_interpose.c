/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program that replaces the funnel gets the shared library's own calls, however they are made. */
#include <stdio.h>

#include <nvme/linux.h>

static unsigned int n_commands;

int nvme_submit_passthru(int fd, unsigned long ioctl_cmd, struct nvme_passthru_cmd *cmd,
			 __u32 *result)
{
	n_commands++;
	return 0;
}

int nvme_submit_passthru64(int fd, unsigned long ioctl_cmd, struct nvme_passthru_cmd64 *cmd,
			   __u64 *result)
{
	n_commands++;
	return 0;
}

static char data[16384];

int main(void)
{
	__u64 value = 0;
	struct nvme_get_property_args property = {
		.args_size = sizeof(property),
		.fd = -1,
		.value = &value,
		.offset = NVME_REG_CSTS,
	};
	unsigned int want = 0;
	size_t len;

	nvme_identify_ns(-1, 1, (void *)data);
	want += 1;
	nvme_get_log_discovery(-1, false, 0, sizeof(data), data);
	want += 4;
	nvme_get_property(&property);
	want += 1;
	nvme_flush(-1, 1);
	want += 1;
	nvme_get_ana_log_len(-1, &len);
	want += 1;
	nvme_admin_passthru64(-1, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, NULL, 0, NULL);
	want += 1;
	if (n_commands != want)
		fprintf(stderr, "%u commands came to the program instead of %u\n", n_commands,
			want);
	return n_commands != want;
}
