// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvme fdp feature, nvme fdp set-events: the features Flexible Data Placement and FDP Events (1Dh and
 * 1Eh)
 */
#include <errno.h>

#include "device/in-use.h"
#include "fdp.h"

#define ENABLE 1 /* bit 0 of the value */
#define INDEX_SHIFT 8 /* of the configuration index in the value */
#define LABEL_WIDTH 46

struct feature_args {
	uint16_t endgrp;
	uint8_t index;
	bool index_given;
	bool disable;
};

static const struct arg feature_options[] = {
	OPT(SHORT, "endgrp-id", 'e', struct feature_args, endgrp, "N", "Endurance Group"),
	OPT_NOTED(BYTE, "enable-conf-idx", 'c', struct feature_args, index, index_given, "N",
		  "enable this configuration"),
	OPT_FLAG("disable", 'd', struct feature_args, disable, "disable the configuration in use"),
	GENERIC_OPTIONS,
	OPT_END,
};

static int show_feature(struct command *cmd, const struct device *dev)
{
	const struct feature_args *args = cmd->args;
	struct out *out = cmd->out;
	__u32 value = 0;
	struct nvme_get_features_args get = {
		.result = &value,
		.args_size = sizeof(get),
		.fd = dev->fd,
		.timeout = cmd->common.timeout,
		.nsid = NVME_NSID_ALL,
		.cdw11 = args->endgrp,
		.fid = NVME_FEAT_FID_FDP,
	};
	int ret = nvme_get_features(&get);

	if (ret)
		return device_result(cmd, ret, "fdp feature");
	out_listing(out, NULL, OUT_PAD_COLON, LABEL_WIDTH);
	out_label(out, "Endurance Group");
	out_uint(out, "endgrp", args->endgrp);
	out_label(out, "Flexible Direct Placement Enable (FDPE)");
	out_uint_as(out, "fdpe", value & ENABLE, "%s", value & ENABLE ? "Yes" : "No");
	out_label(out, "Flexible Direct Placement Configuration Index");
	out_uint(out, "fdpcidx", value >> INDEX_SHIFT & 0xff);
	return out_end(out);
}

static int set_feature(struct command *cmd, const struct device *dev)
{
	const struct feature_args *args = cmd->args;
	struct nvme_set_features_args set = {
		.args_size = sizeof(set),
		.fd = dev->fd,
		.timeout = cmd->common.timeout,
		.nsid = NVME_NSID_ALL,
		.cdw11 = args->endgrp,
		.cdw12 = args->disable ? 0 : (__u32)args->index << INDEX_SHIFT | ENABLE,
		.save = true,
		.fid = NVME_FEAT_FID_FDP,
	};
	int ret = nvme_set_features(&set);

	if (ret)
		return device_result(cmd, ret, "fdp feature");
	return command_succeed(cmd, "Success %s Endurance Group: %u, FDP configuration index: %u",
			       args->disable ? "disabling" : "enabling", args->endgrp, args->index);
}

static int feature(struct command *cmd)
{
	const struct feature_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;

	if (args->index_given && args->disable)
		return command_fail(cmd, 0, "Cannot enable and disable at the same time");
	if (device_open(cmd, &dev))
		return 1;
	if (!args->index_given && !args->disable)
		return show_feature(cmd, &dev);
	return in_use_require_nvme(cmd, &dev) ? 1 : set_feature(cmd, &dev);
}

const struct command_spec fdp_feature_command = {
	.name = "feature",
	.summary = "Show, enable or disable a configuration",
	.operands = "DEVICE",
	.options = feature_options,
	.args_size = sizeof(struct feature_args),
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = feature,
};

struct events_args {
	uint32_t nsid;
	const char *types;
	uint16_t handle;
	bool enable;
	bool save;
};

#define MAX_EVENTS 255 /* maximum of the count in dword 11 */

/* -t is --event-types; --timeout has only its long name. */
static const struct arg events_options[] = {
	OPT(UINT, "namespace-id", 'n', struct events_args, nsid, "N",
	    "namespace; the device's own if left out"),
	OPT(SHORT, "placement-handle", 'p', struct events_args, handle, "N", "placement handle"),
	OPT_FLAG("enable", 'e', struct events_args, enable,
		 "enable the events; otherwise they are disabled"),
	OPT_FLAG("save", 's', struct events_args, save, "keep the setting across resets"),
	OPT(STR, "event-types", 't', struct events_args, types, "N,...", "types of events"),
	GENERIC_OPTIONS_WITHOUT_T,
	OPT_END,
};

static int parse_types(struct command *cmd, uint8_t types[MAX_EVENTS], unsigned int *n)
{
	const struct events_args *args = cmd->args;
	uint64_t numbers[MAX_EVENTS];
	int found = args_list(args->types, UINT8_MAX, numbers, MAX_EVENTS);

	if (!found)
		return command_fail(cmd, 0, "no event types set");
	if (found == -E2BIG)
		return command_fail(cmd, 0, "%s: more than %u event types", cmd->name, MAX_EVENTS);
	if (found < 0)
		return command_fail(cmd, 0, "could not parse event types: '%s'", args->types);
	*n = (unsigned int)found;
	for (unsigned int i = 0; i < *n; i++)
		types[i] = (uint8_t)numbers[i];
	return 0;
}

static int set_events(struct command *cmd)
{
	const struct events_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	struct nvme_set_features_args set = { .args_size = sizeof(set) };
	uint8_t types[MAX_EVENTS] = { 0 };
	unsigned int n = 0;
	int ret;

	if (parse_types(cmd, types, &n) || device_open(cmd, &dev) ||
	    in_use_require_nvme(cmd, &dev) || device_nsid(cmd, &dev, args->nsid, &set.nsid))
		return 1;
	set.data = types;
	set.data_len = sizeof(types);
	set.fd = dev.fd;
	set.timeout = cmd->common.timeout;
	set.cdw11 = n << 16 | args->handle;
	set.cdw12 = args->enable;
	set.save = args->save;
	set.fid = NVME_FEAT_FID_FDP_EVENTS;
	ret = nvme_set_features(&set);
	if (ret)
		return device_result(cmd, ret, "set-events");
	return command_succeed(cmd, "set-events: Success");
}

const struct command_spec fdp_set_events_command = {
	.name = "set-events",
	.summary = "Enable or disable events",
	.operands = "DEVICE",
	.options = events_options,
	.args_size = sizeof(struct events_args),
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = set_events,
};
