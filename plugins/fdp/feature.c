// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme fdp feature, set-events: Flexible Data Placement and FDP Events (features 1Dh and 1Eh) */
#include "device/request.h"
#include "fdp.h"

#define ENABLE 1 /* bit 0 of the value */
#define INDEX_SHIFT 8 /* of the configuration index in the value */
#define SAVE (1U << 31) /* bit of dword 10 */
#define LABEL_WIDTH 46

struct feature_args {
	uint16_t endgrp;
	uint8_t index;
	bool index_given, disable;
};

static int show_feature(struct command *cmd, __u32 value)
{
	const struct feature_args *args = cmd->args;
	struct out *out = cmd->out;

	out_listing(out, NULL, OUT_PAD_COLON, LABEL_WIDTH);
	out_uint(out_label(out, "Endurance Group"), "endgrp", args->endgrp);
	out_label(out, "Flexible Direct Placement Enable (FDPE)");
	out_uint_as(out, "fdpe", value & ENABLE, "%s", value & ENABLE ? "Yes" : "No");
	out_label(out, "Flexible Direct Placement Configuration Index");
	out_uint(out, "fdpcidx", value >> INDEX_SHIFT & 0xff);
	return out_end(out);
}

static int feature(struct command *cmd)
{
	const struct feature_args *args = cmd->args;
	const bool sets = args->index_given || args->disable;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	struct nvme_passthru_cmd c = {
		.opcode = sets ? nvme_admin_set_features : nvme_admin_get_features,
		.nsid = NVME_NSID_ALL,
		.cdw10 = NVME_FEAT_FID_FDP | (sets ? SAVE : 0),
		.cdw11 = args->endgrp,
		.cdw12 = args->index_given ? (__u32)args->index << INDEX_SHIFT | ENABLE : 0,
		.timeout_ms = cmd->common.timeout,
	};
	int ret;

	if (args->index_given && args->disable)
		return command_fail(cmd, 0, "Cannot enable and disable at the same time");
	if (device_open(cmd, &dev) || (sets && in_use_require_nvme(cmd, &dev)))
		return 1;
	ret = nvme_submit_passthru(dev.fd, NVME_IOCTL_ADMIN_CMD, &c, &c.result);
	if (ret)
		return device_result(cmd, ret, "fdp feature");
	if (!sets)
		return show_feature(cmd, c.result);
	return command_succeed(cmd, "Success %s Endurance Group: %u, FDP configuration index: %u",
			       args->disable ? "disabling" : "enabling", args->endgrp, args->index);
}

DEVICE_COMMAND(fdp_feature_command, "feature", "Show, enable or disable a configuration",
	       GENERIC(OPT(SHORT, "endgrp-id", 'e', struct feature_args, endgrp, "N",
			   "Endurance Group"),
		       OPT_NOTED(BYTE, "enable-conf-idx", 'c', struct feature_args, index,
				 index_given, "N", "enable this configuration"),
		       OPT_FLAG("disable", 'd', struct feature_args, disable,
				"disable the configuration in use")),
	       struct feature_args, .run = feature);

#define MAX_EVENTS 255 /* maximum of the count in dword 11 */

struct events_args {
	uint32_t nsid;
	const char *types;
	uint16_t handle;
	bool enable, save;
	int n;
	uint64_t numbers[MAX_EVENTS]; /* parsed from types */
};
#define ARGS struct events_args

int fdp_parse(struct command *cmd, const char *text, uint64_t max, const char *what,
	      const char *option, uint64_t *numbers, unsigned int room)
{
	const int n = args_list(text, max, numbers, room);

	if (!n)
		command_fail(cmd, 0, "no %s set", what);
	else if (n == -E2BIG)
		command_fail(cmd, 0, "%s: more than %u %s", cmd->name, room, what);
	else if (n < 0)
		command_fail(cmd, 0, "could not parse %s: '%s'", option, text);
	return n > 0 ? n : -1;
}

static int check_events(struct command *cmd)
{
	struct events_args *args = cmd->args;

	args->n = fdp_parse(cmd, args->types, UINT8_MAX, "event types", "event types",
			    args->numbers, MAX_EVENTS);
	return args->n < 0;
}

static int build_events(struct command *cmd, struct nvme_passthru_cmd *c)
{
	const struct events_args *args = cmd->args;
	uint8_t *types = request_data(c);

	for (int i = 0; i < args->n; i++)
		types[i] = (uint8_t)args->numbers[i];
	c->cdw11 |= (__u32)args->n << 16;
	return device_nsid(cmd, cmd->device, args->nsid, &c->nsid) ? 1 : 0;
}

/* -t is --event-types; --timeout has only its long name. */
REQUEST_COMMAND(fdp_set_events_command, "set-events", "Enable or disable events",
		OPTIONS(OPT_NSID(ARGS),
			OPT(SHORT, "placement-handle", 'p', ARGS, handle, "N", "placement handle"),
			OPT_FLAG("enable", 'e', ARGS, enable,
				 "enable the events; otherwise they are disabled"),
			OPT_FLAG("save", 's', ARGS, save, "keep the setting across resets"),
			OPT(STR, "event-types", 't', ARGS, types, "N,...", "types of events"),
			GENERIC_OPTIONS_WITHOUT_T),
		ARGS, .opcode = nvme_admin_set_features, .cdw10 = NVME_FEAT_FID_FDP_EVENTS,
		.parts = REQUEST_PARTS(REQUEST_BITS(10, 31, 1, ARGS, save),
				       REQUEST_BITS(11, 0, 16, ARGS, handle),
				       REQUEST_BITS(12, 0, 1, ARGS, enable)),
		.data_len = MAX_EVENTS, .check = check_events, .build = build_events,
		.what = "set-events", .success = "set-events: Success");
