// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme zns reset-zone and the other actions of Zone Management Send (opcode 79h) */
#include "device/request.h"
#include "zns.h"

struct zone_args {
	uint32_t nsid;
	uint64_t slba; /* of the zone, or of the blocks to flush */
	const char *data;
	uint32_t length; /* of the data in bytes */
	uint8_t zsa;
	bool slba_given, data_given, length_given, all, zsaso, force;
};
#define ARGS struct zone_args

/* clang-format off */
#define ZONE_OPTION \
	OPT_NOTED(SUFFIX, "start-lba", 's', ARGS, slba, slba_given, "LBA", \
		  "first logical block of the zone")
#define ALL_OPTION OPT_FLAG("select-all", 'a', ARGS, all, "select all zones")
#define AREA_OPTION \
	OPT_FLAG("zrwaa", 'r', ARGS, zsaso, "allocate a random write area for the zone")
#define FORCE_OPTION \
	OPT_FORCE(ARGS, "change the namespace even if it is in use")
#define DATA_OPTION \
	OPT_NOTED(STR, "data", 'd', ARGS, data, data_given, "FILE", \
		  "file of the extension (default: standard input)")
/* clang-format on */

static const struct arg forced_options[] = {
	OPT_NSID(ARGS), ZONE_OPTION, ALL_OPTION, FORCE_OPTION, GENERIC_OPTIONS, OPT_END,
};

static const struct request_part zone_parts[] = {
	REQUEST_PART(10, 0, 64, ARGS, slba, "start-lba"),
	REQUEST_BITS(13, 0, 8, ARGS, zsa),
	REQUEST_PART(13, 8, 1, ARGS, all, "select-all"),
	REQUEST_BITS(13, 9, 1, ARGS, zsaso),
	REQUEST_PART_END,
};

/* Require one zone or all zones, so that the first one is never changed by default. */
static int check_zone(struct command *cmd)
{
	const struct zone_args *args = cmd->args;

	if (!args->all && !args->slba_given)
		return command_fail(cmd, 0, "%s: no zone given: use --start-lba or --select-all",
				    cmd->name);
	if (args->all && args->slba_given)
		return command_fail(cmd, 0, "%s: --start-lba and --select-all exclude each other",
				    cmd->name);
	return 0;
}

static int check_place(struct command *cmd)
{
	const struct zone_args *args = cmd->args;

	if (args->slba_given)
		return 0;
	return command_fail(cmd, 0, "%s: --%s is missing", cmd->name,
			    args->zsa == NVME_ZNS_ZSA_ZRWA_FLUSH ? "lba" : "start-lba");
}

static int check_send(struct command *cmd)
{
	const struct zone_args *args = cmd->args;
	const bool one =
		args->zsa == NVME_ZNS_ZSA_SET_DESC_EXT || args->zsa == NVME_ZNS_ZSA_ZRWA_FLUSH;

	if (!args->zsa)
		return command_fail(cmd, 0, "zone send action must be specified");
	if (args->zsa != NVME_ZNS_ZSA_SET_DESC_EXT && (args->data_given || args->length_given))
		return command_fail(cmd, 0,
				    "data, data_len only valid with set extended descriptor");
	if (args->length > ZNS_DESC_EXTENSION_MAX)
		return command_fail(cmd, 0, "invalid data-len:%u (up to %u)", args->length,
				    ZNS_DESC_EXTENSION_MAX);
	if (one && args->all)
		return command_fail(cmd, 0, "%s: action %u does not support --select-all",
				    cmd->name, args->zsa);
	return check_zone(cmd);
}

/* Return 1 if a reset has changed the capacity of the zone. */
static unsigned int capacity_changed(const struct zone_args *args,
				     const struct nvme_passthru_cmd *c)
{
	return args->zsa == NVME_ZNS_ZSA_RESET && c->result & 1;
}

/* Read the extension to set. Other actions have no data. Return the exit status. */
static int read_extension(struct command *cmd, struct nvme_passthru_cmd *c)
{
	const struct zone_args *args = cmd->args;
	struct zns_layout layout;

	c->data_len = 0;
	if (args->zsa != NVME_ZNS_ZSA_SET_DESC_EXT)
		return 0;
	c->data_len = args->length;
	if (!c->data_len && zns_read_layout(cmd, cmd->device, c->nsid, &layout))
		return 1;
	if (!c->data_len)
		c->data_len = layout.extension;
	if (!c->data_len)
		return command_fail(cmd, 0, "%s: namespace %u has no zone descriptor extensions",
				    cmd->name, c->nsid);
	return bytes_read(cmd, args->data, request_data(c), c->data_len);
}

static int report_action(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct zone_args *args = cmd->args;

	return command_succeed(cmd,
			       "zns-%s: Success, action:%u zone:%" PRIx64
			       " all:%u zcapc:%u nsid:%u",
			       cmd->spec->name, args->zsa, args->slba, args->all,
			       capacity_changed(args, c), c->nsid);
}

/* The success of the request ends with the name of the place. */
static int report_place(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct request *req = cmd->spec->row;
	const struct zone_args *args = cmd->args;

	return command_succeed(cmd, "%s:%" PRIx64 " nsid:%u", req->success, args->slba, c->nsid);
}

static int report_send(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct zone_args *args = cmd->args;

	return command_succeed(cmd,
			       "zone-mgmt-send: Success, action:%u zone:%" PRIx64 " all:%u nsid:%u",
			       args->zsa, args->slba, args->all, c->nsid);
}

/* The last arguments are members of the request. */
#define ZONE_COMMAND(variable, name, summary, options, action, ...) \
	DEVICE_COMMAND(variable, name, summary, options, ARGS, \
		       .defaults = (&(const struct zone_args){ .zsa = action }), \
		       REQUEST_ROW(.opcode = nvme_zns_cmd_mgmt_send, .io = true, \
				   REQUEST_NSID(OWN, ARGS), .parts = zone_parts, __VA_ARGS__))
/* The data becomes unreadable or unchangeable. */
#define ZONE_ERASES REQUEST_ERASES(NS, ARGS)
#define ZONE_EXTENSION .data_len = ZNS_DESC_EXTENSION_MAX, .build = read_extension

ZONE_COMMAND(zns_reset_zone_command, "reset-zone", "Reset a zone and discard its data",
	     forced_options, NVME_ZNS_ZSA_RESET, .check = check_zone, .answer = report_action,
	     ZONE_ERASES);
ZONE_COMMAND(zns_close_zone_command, "close-zone", "Close a zone",
	     GENERIC(OPT_NSID(ARGS), ZONE_OPTION, ALL_OPTION), NVME_ZNS_ZSA_CLOSE,
	     .check = check_zone, .answer = report_action);
ZONE_COMMAND(zns_finish_zone_command, "finish-zone", "Finish a zone: mark it as full",
	     forced_options, NVME_ZNS_ZSA_FINISH, .check = check_zone, .answer = report_action,
	     ZONE_ERASES);
ZONE_COMMAND(zns_open_zone_command, "open-zone", "Open a zone for writing",
	     GENERIC(OPT_NSID(ARGS), ZONE_OPTION, ALL_OPTION, AREA_OPTION), NVME_ZNS_ZSA_OPEN,
	     .check = check_zone, .answer = report_place,
	     .success = "zns-open-zone: Success zone slba");
ZONE_COMMAND(zns_offline_zone_command, "offline-zone", "Take a zone offline permanently",
	     forced_options, NVME_ZNS_ZSA_OFFLINE, .check = check_zone, .answer = report_action,
	     ZONE_ERASES);
ZONE_COMMAND(zns_set_zone_desc_command, "set-zone-desc", "Set the descriptor extension of a zone",
	     GENERIC(OPT_NSID(ARGS), ZONE_OPTION, AREA_OPTION, DATA_OPTION),
	     NVME_ZNS_ZSA_SET_DESC_EXT, .check = check_place, .answer = report_place,
	     .success = "set-zone-desc: Success, zone", ZONE_EXTENSION);
ZONE_COMMAND(zns_zrwa_flush_zone_command, "zrwa-flush-zone",
	     "Flush the random write area of a zone",
	     GENERIC(OPT_NSID(ARGS), OPT_NOTED(SUFFIX, "lba", 'l', ARGS, slba, slba_given, "LBA",
					       "last logical block to flush")),
	     NVME_ZNS_ZSA_ZRWA_FLUSH, .check = check_place, .answer = report_place,
	     .success = "zrwa-flush-zone: Success, lba");
/* -o is --zsaso, as in nvme-cli 2.x; --output-format has only its long name. */
ZONE_COMMAND(
	zns_zone_mgmt_send_command, "zone-mgmt-send", "Send Zone Management Send with any action",
	OPTIONS(OPT_NSID(ARGS), ZONE_OPTION, ALL_OPTION, FORCE_OPTION,
		OPT_FLAG("zsaso", 'o', ARGS, zsaso, "action specific option"),
		OPT(BYTE, "zsa", 'z', ARGS, zsa, "N",
		    "action: 1 close, 2 finish, 3 open, 4 reset, 5 offline, 16 set the descriptor "
		    "extension, 17 flush the random write area"),
		OPT_NOTED(UINT, "data-len", 'l', ARGS, length, length_given, "BYTES",
			  "length of the extension (default: the namespace's own)"),
		DATA_OPTION, OPT_COMMON(STR, "output-format", 0, format, "FMT", "normal or json"),
		OPT_VERBOSE, OPT_TIMEOUT('t'), OPT_SENDING),
	0, .check = check_send, .answer = report_send, ZONE_EXTENSION, ZONE_ERASES);
