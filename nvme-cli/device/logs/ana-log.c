// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme ana-log: Asymmetric Namespace Access (log page 0Ch) */
#include "device/device.h"

#define LOG_RETRIES 10

struct ana_log_args {
	bool groups, raw;
};

static const struct name states[] = {
	{ NVME_ANA_STATE_OPTIMIZED, "optimized" },
	{ NVME_ANA_STATE_NONOPTIMIZED, "non-optimized" },
	{ NVME_ANA_STATE_INACCESSIBLE, "inaccessible" },
	{ NVME_ANA_STATE_PERSISTENT_LOSS, "persistent-loss" },
	{ NVME_ANA_STATE_CHANGE, "change" },
	{ 0, NULL },
};

/* Print the group at @at of @length bytes. Return the offset of the next, or 0 if truncated. */
static size_t show_group(struct out *out, const unsigned char *log, size_t at, size_t length)
{
	struct nvme_ana_group_desc group;
	const char *state;
	size_t n;

	if (at + sizeof(group) > length)
		return 0;
	memcpy(&group, log + at, sizeof(group)); /* aligned to four bytes only */
	at += sizeof(group);
	n = le32toh(group.nnsids);
	state = name_or(states, group.state & 0xf, "invalid");
	if (n > (length - at) / sizeof(group.nsids[0]))
		return 0;
	out_text(out, "grpid\t:\t%u\nnnsids\t:\t%zu\nchgcnt\t:\t%" PRIu64 "\nstate\t:\t%s\n",
		 le32toh(group.grpid), n, (uint64_t)le64toh(group.chgcnt), state);
	out_object(out, NULL);
	out_uint(out, "grpid", le32toh(group.grpid));
	out_uint(out, "nnsids", n);
	out_uint(out, "chgcnt", le64toh(group.chgcnt));
	out_str(out, "state", state);
	out_array(out, "NSIDS");
	for (size_t i = 0; i < n; i++) {
		uint64_t nsid = field_get_le(log + at + i * sizeof(group.nsids[0]), 4);

		out_text(out, "\tnsid\t:\t%" PRIu64 "\n", nsid);
		out_uint_object(out, "nsid", nsid);
	}
	out_ends(out, 2);
	out_text(out, "\n");
	return at + n * sizeof(group.nsids[0]);
}

static int show_ana_log(struct command *cmd, const char *device, const struct nvme_ana_log *log,
			size_t length)
{
	unsigned int n = le16toh(log->ngrps);
	size_t at = sizeof(*log);
	struct out *out = cmd->out;

	out_text(out,
		 "Asymmetric Namespace Access Log for NVMe device: %s\n"
		 "ANA LOG HEADER :-\nchgcnt\t:\t%" PRIu64 "\nngrps\t:\t%u\nANA Log Desc :-\n",
		 out_safe(out, device), (uint64_t)le64toh(log->chgcnt), n);
	out_object(out, NULL);
	out_str(out, "Asymmetric Namespace Access Log for NVMe device", device);
	out_uint(out, "chgcnt", le64toh(log->chgcnt));
	out_uint(out, "ngrps", n);
	out_array(out, "ANA DESC LIST ");
	for (unsigned int i = 0; i < n; i++) {
		at = show_group(out, (const void *)log, at, length);
		if (!at)
			return command_fail(
				cmd, 0, "ana-log: group %u of %u goes beyond the log's %zu bytes",
				i + 1, n, length);
	}
	return out_ends(out, 2);
}

static int ana_log(struct command *cmd)
{
	const struct ana_log_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(free) struct nvme_ana_log *log = NULL;
	struct nvme_id_ctrl id = { 0 };
	size_t length;
	__u32 len;
	int ret;

	if (device_open(cmd, &dev) || device_identify_ctrl(cmd, &id))
		return 1;
	length = nvme_get_ana_log_len_from_id_ctrl(&id, args->groups);
	if (length > UINT32_MAX || !(log = calloc(1, length)))
		return command_fail(cmd, ENOMEM, "ana log of %zu bytes", length);
	len = (__u32)length;
	/* Retain the asynchronous event: the driver needs it to update the path states. */
	ret = nvme_get_ana_log_atomic(dev.fd, args->groups, true, LOG_RETRIES, log, &len);
	if (ret)
		return device_result(cmd, ret, "ana-log");
	if (command_writes_bytes(cmd))
		return bytes_write(cmd, log, len);
	return show_ana_log(cmd, dev.name, log, len);
}

DEVICE_COMMAND_BINARY(ana_log_command, "ana-log", "Show the Asymmetric Namespace Access log",
		      BINARY(OPT_FLAG("groups", 'g', struct ana_log_args, groups,
				      "groups only, without their namespaces"),
			     OPT_FLAG("raw-binary", 'b', struct ana_log_args, raw,
				      "write the log's bytes")),
		      struct ana_log_args, .run = ana_log);
