// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme boot-part-log: Boot Partition (log page 15h), into a file */
#include "log-page.h"

#define HEAD struct nvme_boot_partition
#define UNIT UINT64_C(128) /* KiB */

static uint32_t info_of(const void *head)
{
	return (uint32_t)field_get_le((const unsigned char *)head + offsetof(HEAD, bpinfo), 4);
}

static uint64_t boot_part_length(const void *head, const struct log_page_args *args)
{
	return sizeof(HEAD) + NVME_BOOT_PARTITION_INFO_BPSZ(info_of(head)) * UNIT * 1024;
}

static int save_boot_part(struct command *cmd, const struct log_bytes *log)
{
	const struct log_page_args *args = cmd->args;

	return bytes_save(cmd, args->file, log->at + sizeof(HEAD), log->size - sizeof(HEAD));
}

static int show_boot_part(struct command *cmd, const struct log_bytes *log, bool explain)
{
	const struct log_page_args *args = cmd->args;
	uint32_t info = info_of(log->at);
	uint64_t size = NVME_BOOT_PARTITION_INFO_BPSZ(info);
	struct out *out = cmd->out;

	out_text(out, "Boot Partition Log for device: %s\n", out_safe(out, cmd->device->name));
	out_listing(out, NULL, OUT_PAD_COLON, 0);
	out_uint(out_label(out, "Log ID"), "count", log->at[0]);
	out_text(out, "Boot Partition Size: %" PRIu64 " KiB\n", size * UNIT);
	out_uint(out_label(out, "Active BPID"), "abpid", NVME_BOOT_PARTITION_INFO_ABPID(info));
	out_uint(out_json_only(out), "bpsz", size);
	out_text(out, "Data flushed into file %s\n", out_safe(out, args->file));
	return out_end(out);
}

static int boot_part_log(struct command *cmd)
{
	const struct log_page_args *args = cmd->args;

	if (!args->file)
		return command_fail(cmd, 0, "Please provide an output file!");
	return bytes_may_save(cmd, args->file) ? 1 : log_page_run(cmd);
}

LOG_PAGE_COMMAND(boot_part_log_command, "boot-part-log", "Read the Boot Partition log into a file",
		 BINARY(OPT(BYTE, "lsp", 's', struct log_page_args, lsp, "N",
			    "log specific parameter"),
			OPT(STR, "output-file", 'f', struct log_page_args, file, "FILE",
			    "file for the partition")),
		 LOG_ARGS(.nsid = NVME_NSID_NONE), boot_part_log,
		 .lid = NVME_LOG_LID_BOOT_PARTITION, .size = sizeof(HEAD),
		 .what = "boot partition log", .length = boot_part_length, .save = save_boot_part,
		 .show_bytes = show_boot_part);
