// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme telemetry-log: Telemetry Host-Initiated and Controller-Initiated (log pages 07h and 08h) */
#include "log-page.h"

#define BLOCK UINT64_C(512)
#define MCDA_NONE UINT8_MAX
#define LPA_DATA_AREA_4 0x40

/* Return the last block of @area; for 0, with which the controller chooses, that of the last area. */
static uint64_t last_block(const struct nvme_telemetry_log *head, unsigned int area)
{
	const uint64_t last[] = {
		[NVME_TELEMETRY_DA_1] = le16toh(head->dalb1),
		[NVME_TELEMETRY_DA_2] = le16toh(head->dalb2),
		[NVME_TELEMETRY_DA_3] = le16toh(head->dalb3),
		[NVME_TELEMETRY_DA_4] = le32toh(head->dalb4),
	};

	if (!area)
		for (area = NVME_TELEMETRY_DA_4; area > NVME_TELEMETRY_DA_1 && !last[area];)
			area--;
	return last[area];
}

/* Read the first block; capture new data if requested. Return the exit status. */
static int read_head(struct command *cmd, enum nvme_cmd_get_log_lid lid, unsigned char *head,
		     unsigned int area)
{
	struct log_page_args *args = cmd->args;
	const bool rae = args->rae;
	int ret;

	if (args->controller)
		args->rae = true;
	else if (args->generate)
		args->lsp = (uint8_t)(NVME_LOG_TELEM_HOST_LSP_CREATE | area << 1);
	ret = log_page_read(cmd, lid, 0, head, BLOCK);
	args->lsp = NVME_LOG_TELEM_HOST_LSP_RETAIN;
	args->rae = rae && args->controller;
	return ret ? device_result(cmd, ret, "get-telemetry-log") : 0;
}

static int read_blocks(struct command *cmd, enum nvme_cmd_get_log_lid lid, uint64_t blocks)
{
	const struct log_page_args *args = cmd->args;
	_cleanup_(free) unsigned char *log = NULL;
	int ret;

	if (blocks * BLOCK > UINT32_MAX / 2)
		return command_fail(cmd, 0,
				    "telemetry log: too long, %" PRIu64 " blocks of %" PRIu64
				    " bytes",
				    blocks, BLOCK);
	log = calloc(blocks, BLOCK);
	if (!log)
		return command_fail(cmd, ENOMEM, "telemetry log");
	ret = log_page_read(cmd, lid, 0, log, (uint32_t)(blocks * BLOCK));
	if (ret)
		return device_result(cmd, ret, "get-telemetry-log");
	if (bytes_save(cmd, args->file, log, blocks * BLOCK))
		return 1;
	/* Nothing is printed in text, as in nvme-cli 2.x. */
	out_object(cmd->out, NULL);
	out_str(cmd->out, "result", "telemetry log written");
	return out_end(cmd->out);
}

/* Check in LPA whether there is a data area 4: Base Specification 2.1, figure 313. */
static int require_area_4(struct command *cmd)
{
	struct nvme_id_ctrl ctrl = { 0 };

	if (device_identify_ctrl(cmd, &ctrl))
		return 1;
	if (ctrl.lpa & LPA_DATA_AREA_4)
		return 0;
	return command_fail(cmd, 0,
			    "get_telemetry_log: Telemetry data area 4 not supported by device "
			    "(-d 3 reads up to area 3)");
}

/* The controller omits area 4 unless ETDAS is set in the feature Host Behavior Support. */
static int enable_area_4(struct command *cmd, bool *changed)
{
	return nvme_set_etdas(cmd->device->fd, changed)
		       ? command_fail(cmd, 0, "get_telemetry_log: Failed to set ETDAS bit")
		       : 0;
}

static int disable_area_4(struct command *cmd)
{
	bool changed;

	return nvme_clear_etdas(cmd->device->fd, &changed)
		       ? command_fail(cmd, 0, "get_telemetry_log: Failed to clear ETDAS bit")
		       : 0;
}

static int read_log(struct command *cmd, enum nvme_cmd_get_log_lid lid, unsigned int area)
{
	const struct log_page_args *args = cmd->args;
	unsigned char first[BLOCK] = { 0 };
	struct nvme_telemetry_log head;

	if (read_head(cmd, lid, first, area))
		return 1;
	memcpy(&head, first, sizeof(head));
	if (args->controller && !head.ctrlavail)
		return command_fail(
			cmd, 0, "telemetry log: the controller has not captured data on its own");
	return read_blocks(cmd, lid, last_block(&head, area) + 1);
}

static int telemetry_log(struct command *cmd)
{
	const struct log_page_args *args = cmd->args;
	const enum nvme_cmd_get_log_lid lid =
		args->controller ? NVME_LOG_LID_TELEMETRY_CTRL : NVME_LOG_LID_TELEMETRY_HOST;
	unsigned int area = args->mcda == MCDA_NONE ? args->area : args->mcda;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	bool changed = false;
	int status;

	if (!args->file)
		return command_fail(cmd, 0, "Please provide an output file!");
	if (area > NVME_TELEMETRY_DA_4)
		return command_fail(cmd, 0, "Invalid data area parameter - %u (use 1 to 4)", area);
	if (bytes_may_save(cmd, args->file) || device_open(cmd, &dev) ||
	    (area == NVME_TELEMETRY_DA_4 && (require_area_4(cmd) || enable_area_4(cmd, &changed))))
		return 1;
	status = read_log(cmd, lid, area);
	if (changed && disable_area_4(cmd))
		status = 1;
	return status;
}

DEVICE_COMMAND_BINARY(telemetry_log_command, "telemetry-log", "Read a telemetry log into a file",
		      BINARY(OPT(STR, "output-file", 'O', struct log_page_args, file, "FILE",
				 "file for the data"),
			     OPT(UINT, "host-generate", 'g', struct log_page_args, generate, "N",
				 "0: read the data captured before; otherwise capture new data"),
			     OPT_FLAG("controller-init", 'c', struct log_page_args, controller,
				      "read the data that the controller captured on its own"),
			     OPT(UINT, "data-area", 'd', struct log_page_args, area, "N",
				 "last data area to read, 1 to 4"),
			     LOG_PAGE_OPT_RAE,
			     OPT(BYTE, "mcda", 'm', struct log_page_args, mcda, "N",
				 "last data area to capture")),
		      struct log_page_args,
		      .defaults = &(const struct log_page_args){ .generate = 1,
								 .area = NVME_TELEMETRY_DA_3,
								 .mcda = MCDA_NONE },
		      .run = telemetry_log);
