// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme get-log: any log page; nvme supported-log-pages (log page 00h) */
#include "log-page.h"

#define MAX_LOG_SIZE (1U << 30)
#define MAX_LSP 127 /* seven bits */

struct get_log_args {
	const char *lid;
	uint32_t nsid, length, aen;
	uint64_t offset;
	uint8_t lsp;
	uint16_t lsi;
	uint8_t uuid_index, csi;
	uint32_t transfer;
	bool rae, raw, ot;
};
#define ARGS struct get_log_args

/* clang-format off */
#define LOG(id, name, word) { NVME_LOG_LID_##id, name, word }
static const struct name log_names[] = {
	LOG(SUPPORTED_LOG_PAGES, "Supported Log Pages", "supported-log-pages"),
	LOG(ERROR, "Error Information", "error"),
	LOG(SMART, "SMART / Health Information", "smart"),
	LOG(FW_SLOT, "Firmware Slot Information", "fw-slot"),
	LOG(CHANGED_NS, "Changed Namespace List", "changed-ns"),
	LOG(CMD_EFFECTS, "Commands Supported and Effects", "cmd-effects"),
	LOG(DEVICE_SELF_TEST, "Device Self-test", "device-self-test"),
	LOG(TELEMETRY_HOST, "Telemetry Host-Initiated", "telemetry-host"),
	LOG(TELEMETRY_CTRL, "Telemetry Controller-Initiated", "telemetry-ctrl"),
	LOG(ENDURANCE_GROUP, "Endurance Group Information", "endurance-group"),
	LOG(PREDICTABLE_LAT_NVMSET, "Predictable Latency Per NVM Set", "predictable-lat-nvmset"),
	LOG(PREDICTABLE_LAT_AGG, "Predictable Latency Event Aggregate", "predictable-lat-agg"),
	LOG(ANA, "Asymmetric Namespace Access", "ana"),
	LOG(PERSISTENT_EVENT, "Persistent Event Log", "persistent-event"),
	LOG(LBA_STATUS, "LBA Status Information", "lba-status"),
	LOG(ENDURANCE_GRP_EVT, "Endurance Group Event Aggregate", "endurance-grp-evt"),
	LOG(MEDIA_UNIT_STATUS, "Media Unit Status", "media-unit-status"),
	LOG(SUPPORTED_CAP_CONFIG_LIST, "Supported Capacity Configuration List",
	    "supported-cap-config-list"),
	LOG(FID_SUPPORTED_EFFECTS, "Feature Identifiers Supported and Effects",
	    "fid-supported-effects"),
	LOG(MI_CMD_SUPPORTED_EFFECTS, "NVMe-MI Commands Supported and Effects",
	    "mi-cmd-supported-effects"),
	LOG(CMD_AND_FEAT_LOCKDOWN, "Command and Feature Lockdown", "cmd-and-feat-lockdown"),
	LOG(BOOT_PARTITION, "Boot Partition", "boot-partition"),
	LOG(ROTATIONAL_MEDIA_INFO, "Rotational Media Information", "rotational-media-info"),
	LOG(DISPERSED_NS_PARTICIPATING_NSS, "Dispersed Namespace Participating NVM Subsystems",
	    "dispersed-ns-participating-nss"),
	LOG(MGMT_ADDR_LIST, "Management Address List", "mgmt-addr-list"),
	LOG(PHY_RX_EOM, "Physical Interface Receiver Eye Opening Measurement", "phy-rx-eom"),
	LOG(REACHABILITY_GROUPS, "Reachability Groups", "reachability-groups"),
	LOG(REACHABILITY_ASSOCIATIONS, "Reachability Associations", "reachability-associations"),
	LOG(CHANGED_ALLOC_NS_LIST, "Changed Allocated Namespace List", "changed-alloc-ns-list"),
	LOG(FDP_CONFIGS, "FDP Configurations", "fdp-configs"),
	LOG(FDP_RUH_USAGE, "Reclaim Unit Handle Usage", "fdp-ruh-usage"),
	LOG(FDP_STATS, "FDP Statistics", "fdp-stats"),
	LOG(FDP_EVENTS, "FDP Events", "fdp-events"),
	LOG(DISCOVER, "Discovery", "discover"),
	LOG(HOST_DISCOVER, "Host Discovery", "host-discover"),
	LOG(AVE_DISCOVER, "AVE Discovery", "ave-discover"),
	LOG(PULL_MODEL_DDC_REQ, "Pull Model DDC Request", "pull-model-ddc-req"),
	LOG(RESERVATION, "Reservation Notification", "reservation"),
	LOG(SANITIZE, "Sanitize Status", "sanitize"),
	LOG(ZNS_CHANGED_ZONES, "Changed Zone List", "zns-changed-zones"),
	{ 0, NULL, NULL },
};
/* clang-format on */

/* Return the length to read. For an asynchronous event, the default is the smallest memory page. */
static uint32_t length_of(const struct get_log_args *args)
{
	return args->aen && !args->length ? 4096 : args->length;
}

static int check_get_log(struct command *cmd, const struct get_log_args *args, unsigned int *lid)
{
	const uint32_t length = length_of(args);

	*lid = 0xff;
	if (args->lid && name_value(log_names, args->lid, 0xff, lid))
		return command_fail(cmd, 0,
				    "Invalid --log-id '%s': use a number up to 0xff, or a name",
				    args->lid);
	if (args->aen)
		*lid = args->aen >> 16 & 0xff;
	if (!length || length % 4)
		return command_fail(cmd, 0,
				    "non-zero or non-dw alignment log-len is required param");
	if (length > MAX_LOG_SIZE)
		return command_fail(cmd, 0, "Invalid --log-len %u: use up to %u", length,
				    MAX_LOG_SIZE);
	if (!args->transfer || args->transfer % 4096)
		return command_fail(cmd, 0, "Invalid --xfer-len %u: use a multiple of 4096",
				    args->transfer);
	if (args->lsp > MAX_LSP)
		return command_fail(cmd, 0, "Invalid --lsp %u: use up to %u", args->lsp, MAX_LSP);
	return device_check_uuid_index(cmd, args->uuid_index);
}

static int get_log(struct command *cmd)
{
	const struct get_log_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(free) unsigned char *log = NULL;
	struct out *out = cmd->out;
	const uint32_t length = length_of(args);
	unsigned int lid;
	int ret;

	if (check_get_log(cmd, args, &lid) || device_open(cmd, &dev))
		return 1;
	log = calloc(1, length);
	if (!log)
		return command_fail(cmd, ENOMEM, "log of %u bytes", length);

	struct nvme_get_log_args command = {
		.lpo = args->offset,
		.log = log,
		.args_size = sizeof(command),
		.fd = dev.fd,
		.timeout = cmd->common.timeout,
		.lid = lid,
		.len = length,
		.nsid = args->nsid,
		.csi = args->csi,
		.lsi = args->lsi,
		.lsp = args->lsp,
		.uuidx = args->uuid_index,
		.rae = args->rae,
		.ot = args->ot,
	};

	ret = nvme_get_log_page(dev.fd, args->transfer, &command);
	if (ret)
		return device_result(cmd, ret, "log page");
	if (command_writes_bytes(cmd))
		return bytes_write(cmd, log, length);
	out_text(out, "Device:%s log-id:%u namespace-id:%#x\n", out_safe(out, dev.name), lid,
		 args->nsid);
	out_dump(out, NULL, log, length);
	return 0;
}

DEVICE_COMMAND_FOR(
	OUT_TEXT | OUT_BINARY, get_log_command, "get-log", "Read any log page",
	OPTIONS(OPT(UINT, "namespace-id", 'n', ARGS, nsid, "N", "namespace of the log"),
		OPT(STR, "log-id", 'i', ARGS, lid, "ID", "number or name of the log page"),
		OPT(UINT, "log-len", 'l', ARGS, length, "N", "bytes to read"),
		OPT(UINT, "aen", 'a', ARGS, aen, "N",
		    "result of an asynchronous event; selects its log page"),
		OPT(SUFFIX, "lpo", 'L', ARGS, offset, "N", "log page offset in bytes"),
		OPT(BYTE, "lsp", 's', ARGS, lsp, "N", "log specific parameter"),
		OPT(SHORT, "lsi", 'S', ARGS, lsi, "N", "log specific identifier"),
		OPT_FLAG("rae", 'r', ARGS, rae, "retain the asynchronous event"),
		OPT(BYTE, "uuid-index", 'U', ARGS, uuid_index, "N", "UUID index"),
		OPT(BYTE, "csi", 'y', ARGS, csi, "N", "command set identifier"),
		OPT_FLAG("ot", 'O', ARGS, ot, "--lpo is an index, not an offset"),
		OPT(UINT, "xfer-len", 'x', ARGS, transfer, "N", "bytes of one command"),
		OPT_FLAG("raw-binary", 'b', ARGS, raw, "write the log's bytes"),
		GENERIC_OPTIONS_AND(OPT_COMMON(STR, "output-format", 'o', format, "FMT",
					       "normal or binary"))),
	ARGS, .defaults = &(const struct get_log_args){ .nsid = NVME_NSID_ALL, .transfer = 4096 },
	.run = get_log);

#define EVERY_LOG 0x100

/* Bits of the dword of a log page: those of every log page, and those of specific ones. */
static const struct support_bit {
	unsigned int lid, bit;
	const char *what;
} support_bits[] = {
	{ EVERY_LOG, 0, "LSUPP" },
	{ EVERY_LOG, 1, "IOS" },
	{ NVME_LOG_LID_TELEMETRY_HOST, 16, "Maximum Created Data Area" },
	{ NVME_LOG_LID_PERSISTENT_EVENT, 16, "Establish Context and Read 512 Bytes of Header" },
	{ NVME_LOG_LID_DISCOVER, 16, "Extended Discovery Log Page Entry" },
	{ NVME_LOG_LID_DISCOVER, 17, "Port Local Entries Only" },
	{ NVME_LOG_LID_DISCOVER, 18, "All NVM Subsystem Entries" },
	{ NVME_LOG_LID_HOST_DISCOVER, 16, "All Host Entries" },
};

static void explain_support(struct out *out, unsigned int lid, uint32_t support)
{
	for (size_t i = 0; i < sizeof(support_bits) / sizeof(support_bits[0]); i++) {
		const struct support_bit *row = &support_bits[i];

		if (row->lid == EVERY_LOG || row->lid == lid)
			out_text(out, "  %s is %ssupported\n", row->what,
				 support >> row->bit & 1 ? "" : "not ");
	}
}

static int show_supported(struct command *cmd, const void *data, bool explain)
{
	const struct nvme_supported_log_pages *log = data;
	struct out *out = cmd->out;

	out_text(out, "Support Log Pages Details for %s:\n", out_safe(out, cmd->device->name));
	out_object(out, NULL);
	out_array(out, "supported_logs");
	for (unsigned int lid = 0; lid < NVME_LOG_SUPPORTED_LOG_PAGES_MAX; lid++) {
		uint32_t support = le32toh(log->lid_support[lid]);
		char key[16]; /* as in nvme-cli 2.x, including the trailing blank */

		if (!(support & 1))
			continue;
		out_text(out, "LID %#x - %s\n", lid, name_of(log_names, lid));
		if (explain)
			explain_support(out, lid, support);
		snprintf(key, sizeof(key), "lid_0x%x ", lid);
		out_uint_object(out, key, support);
	}
	return out_ends(out, 2);
}

LOG_PAGE_COMMAND(supported_log_pages_command, "supported-log-pages",
		 "List the log pages of a controller", OPTIONS(LOG_PAGE_OPTIONS),
		 LOG_ARGS(.nsid = NVME_NSID_ALL), log_page_run,
		 .lid = NVME_LOG_LID_SUPPORTED_LOG_PAGES,
		 .size = sizeof(struct nvme_supported_log_pages), .what = "supported log pages",
		 .show = show_supported);
