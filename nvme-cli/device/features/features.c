// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme get-feature, nvme set-feature */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "commands.h"
#include "device/device.h"
#include "feature-data.h"

#define MAX_FEATURE_DATA (1U << 20)

struct get_feature_args {
	uint8_t fid;
	uint32_t nsid;
	uint8_t sel;
	uint32_t data_len;
	uint32_t cdw11;
	uint8_t uuid_index;
	bool raw;
	bool human;
	bool changed;
};

static const struct arg get_feature_options[] = {
	OPT(BYTE, "feature-id", 'f', struct get_feature_args, fid, "ID", "feature; 0: all"),
	OPT(UINT, "namespace-id", 'n', struct get_feature_args, nsid, "N", "namespace"),
	OPT(BYTE, "sel", 's', struct get_feature_args, sel, "N",
	    "0: current, 1: default, 2: saved, 3: supported"),
	OPT(UINT, "data-len", 'l', struct get_feature_args, data_len, "N",
	    "bytes of the feature's data"),
	OPT_FLAG("raw-binary", 'b', struct get_feature_args, raw, "write the data's bytes"),
	OPT(UINT, "cdw11", 'c', struct get_feature_args, cdw11, "N", "command dword 11"),
	OPT(BYTE, "uuid-index", 'U', struct get_feature_args, uuid_index, "N", "UUID index"),
	OPT_FLAG("human-readable", 'H', struct get_feature_args, human, "explain the bits"),
	OPT_FLAG("changed", 'C', struct get_feature_args, changed,
		 "only features with another value than the default"),
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

static const char *const sel_names[] = { "Current", "Default", "Saved", "Supported capabilities" };

#define FEATURE(id, name) \
	{ \
		NVME_FEAT_FID_##id, name, NULL \
	}

/* clang-format off */
static const struct name feature_names[] = {
	FEATURE(ARBITRATION, "Arbitration"),
	FEATURE(POWER_MGMT, "Power Management"),
	FEATURE(LBA_RANGE, "LBA Range Type"),
	FEATURE(TEMP_THRESH, "Temperature Threshold"),
	FEATURE(ERR_RECOVERY, "Error Recovery"),
	FEATURE(VOLATILE_WC, "Volatile Write Cache"),
	FEATURE(NUM_QUEUES, "Number of Queues"),
	FEATURE(IRQ_COALESCE, "Interrupt Coalescing"),
	FEATURE(IRQ_CONFIG, "Interrupt Vector Configuration"),
	FEATURE(WRITE_ATOMIC, "Write Atomicity Normal"),
	FEATURE(ASYNC_EVENT, "Async Event Configuration"),
	FEATURE(AUTO_PST, "Autonomous Power State Transition"),
	FEATURE(HOST_MEM_BUF, "Host Memory Buffer"),
	FEATURE(TIMESTAMP, "Timestamp"),
	FEATURE(KATO, "Keep Alive Timer"),
	FEATURE(HCTM, "Host Controlled Thermal Management"),
	FEATURE(NOPSC, "Non-Operational Power State Config"),
	FEATURE(RRL, "Read Recovery Level"),
	FEATURE(PLM_CONFIG, "Predictable Latency Mode Config"),
	FEATURE(PLM_WINDOW, "Predictable Latency Mode Window"),
	FEATURE(LBA_STS_INTERVAL, "LBA Status Interval"),
	FEATURE(HOST_BEHAVIOR, "Host Behavior"),
	FEATURE(SANITIZE, "Sanitize"),
	FEATURE(ENDURANCE_EVT_CFG, "Endurance Event Group Configuration"),
	FEATURE(IOCS_PROFILE, "I/O Command Set Profile"),
	FEATURE(SPINUP_CONTROL, "Spinup Control"),
	FEATURE(POWER_LOSS_SIGNAL, "Power Loss Signaling Config"),
	FEATURE(PERF_CHARACTERISTICS, "Performance Characteristics"),
	FEATURE(FDP, "Flexible Direct Placement"),
	FEATURE(FDP_EVENTS, "Flexible Direct Placement Events"),
	FEATURE(NS_ADMIN_LABEL, "Namespace Admin Label"),
	FEATURE(KEY_VALUE, "Key Value Configuration"),
	FEATURE(CTRL_DATA_QUEUE, "Controller Data Queue"),
	FEATURE(EMB_MGMT_CTRL_ADDR, "Embedded Management Controller Address"),
	FEATURE(HOST_MGMT_AGENT_ADDR, "Host Management Agent Address"),
	FEATURE(ENH_CTRL_METADATA, "Enhanced Controller Metadata"),
	FEATURE(CTRL_METADATA, "Controller Metadata"),
	FEATURE(NS_METADATA, "Namespace Metadata"),
	FEATURE(SW_PROGRESS, "Software Progress Marker"),
	FEATURE(HOST_ID, "Host Identifier"),
	FEATURE(RESV_MASK, "Reservation Notification Mask"),
	FEATURE(RESV_PERSIST, "Reservation Persistence"),
	FEATURE(WRITE_PROTECT, "Namespace Write Protection Config"),
	FEATURE(BP_WRITE_PROTECT, "Boot Partition Write Protection Config"),
	{ 0, NULL, NULL },
};
/* clang-format on */

struct feature {
	unsigned int fid;
	__u32 value;
	__u32 length;
	unsigned char *data; /* owned; NULL without data */
};

static void feature_free_cleanup(struct feature *f)
{
	free(f->data);
}

static int read_feature(struct command *cmd, int fd, unsigned int sel, struct feature *f)
{
	const struct get_feature_args *args = cmd->args;
	struct nvme_get_features_args command = {
		.result = &f->value,
		.args_size = sizeof(command),
		.fd = fd,
		.timeout = cmd->common.timeout,
		.nsid = args->nsid,
		.sel = sel,
		.cdw11 = args->cdw11,
		.fid = (__u8)f->fid,
		.uuidx = args->uuid_index,
	};

	f->length = args->data_len;
	if (!f->length && sel != NVME_GET_FEATURES_SEL_SUPPORTED)
		nvme_get_feature_length((int)f->fid, args->cdw11, &f->length);
	if (f->length && !f->data) {
		f->data = calloc(1, f->length);
		if (!f->data) {
			errno = ENOMEM;
			return -1;
		}
	}
	command.data = f->data;
	command.data_len = f->length;
	return nvme_get_features(&command);
}

static void show_feature(struct command *cmd, unsigned int sel, const struct feature *f)
{
	const struct get_feature_args *args = cmd->args;
	bool decode = sel < NVME_GET_FEATURES_SEL_SUPPORTED && feature_has_details(f->fid);
	struct out *out = cmd->out;
	char key[32], value[16];

	snprintf(key, sizeof(key), "feature: 0x%02x", f->fid);
	snprintf(value, sizeof(value), "0x%08x", f->value);
	out_text(out, "get-feature:0x%02x (%s), %s value:%s\n", f->fid,
		 name_of(feature_names, f->fid), sel_names[sel], value);
	out_array(out, key);
	out_object(out, NULL);
	out_str(out, "name", name_of(feature_names, f->fid));
	out_str(out, sel_names[sel], value);
	if (f->length)
		out_dump(out, "data", f->data, f->length);
	out_end(out);
	out_end(out);
	if (!decode || (!out_is_json(out) && !args->human && !cmd->common.verbose))
		return;
	*key = 'F';
	out_array(out, key);
	out_object(out, NULL);
	feature_show_details(out, f->fid, f->value, f->data, f->length);
	out_end(out);
	out_end(out);
}

static int is_changed(struct command *cmd, int fd, const struct feature *f)
{
	_cleanup_(feature_free) struct feature standard = { .fid = f->fid };

	return read_feature(cmd, fd, NVME_GET_FEATURES_SEL_DEFAULT, &standard) ||
	       standard.value != f->value ||
	       (f->length && memcmp(standard.data, f->data, f->length));
}

/* Of all features, those that the controller does not have are left out. */
static int get_one(struct command *cmd, int fd, unsigned int fid, bool all)
{
	const struct get_feature_args *args = cmd->args;
	_cleanup_(feature_free) struct feature f = { .fid = fid };
	int ret = read_feature(cmd, fd, args->sel, &f);

	if (ret && all && ret > 0)
		return 0;
	if (ret)
		return device_result(cmd, ret, "get-feature");
	if (args->changed && !is_changed(cmd, fd, &f))
		return 0;
	if (command_writes_bytes(cmd))
		return bytes_write(cmd, f.length ? (void *)f.data : &f.value,
				   f.length ? f.length : sizeof(f.value));
	show_feature(cmd, args->sel, &f);
	return 0;
}

static int get_feature(struct command *cmd)
{
	const struct get_feature_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	int status = 0;

	if (args->sel > NVME_GET_FEATURES_SEL_SUPPORTED)
		return command_fail(cmd, 0, "invalid 'select' param:%d", args->sel);
	if (args->data_len > MAX_FEATURE_DATA)
		return command_fail(cmd, 0, "Invalid --data-len %u: use up to %u", args->data_len,
				    MAX_FEATURE_DATA);
	if (device_open(cmd, &dev))
		return 1;
	out_object(cmd->out, NULL);
	if (args->fid) {
		status = get_one(cmd, dev.fd, args->fid, false);
	} else {
		for (const struct name *f = feature_names; f->name && !status; f++)
			status = get_one(cmd, dev.fd, f->value, true);
	}
	out_end(cmd->out);
	return status;
}

const struct command_spec get_feature_command = {
	.name = "get-feature",
	.summary = "Show a feature of a controller",
	.operands = "DEVICE",
	.options = get_feature_options,
	.args_size = sizeof(struct get_feature_args),
	.formats = OUT_TEXT | OUT_JSON | OUT_BINARY,
	.max_operands = 1,
	.run = get_feature,
};

struct set_feature_args {
	uint8_t fid;
	uint32_t nsid;
	uint64_t value;
	uint32_t cdw12;
	uint8_t uuid_index;
	uint32_t data_len;
	const char *data;
	bool save;
	bool human;
};

static const struct arg set_feature_options[] = {
	OPT(UINT, "namespace-id", 'n', struct set_feature_args, nsid, "N", "namespace"),
	OPT(BYTE, "feature-id", 'f', struct set_feature_args, fid, "ID", "feature (required)"),
	OPT(SUFFIX, "value", 'V', struct set_feature_args, value, "N", "new value (dword 11)"),
	OPT(UINT, "cdw12", 'c', struct set_feature_args, cdw12, "N", "command dword 12"),
	OPT(BYTE, "uuid-index", 'U', struct set_feature_args, uuid_index, "N", "UUID index"),
	OPT(UINT, "data-len", 'l', struct set_feature_args, data_len, "N",
	    "bytes of the feature's data"),
	OPT(STR, "data", 'd', struct set_feature_args, data, "FILE",
	    "file with the feature's data; standard input if left out"),
	OPT_FLAG("save", 's', struct set_feature_args, save, "keep the value across power cycles"),
	OPT_FLAG("human-readable", 'H', struct set_feature_args, human, "explain the bits"),
	GENERIC_OPTIONS,
	OPT_END,
};

static int set_feature(struct command *cmd)
{
	const struct set_feature_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(free) unsigned char *data = NULL;
	struct out *out = cmd->out;
	__u32 result, length = args->data_len;
	int ret;

	if (!args->fid)
		return command_fail(cmd, 0, "feature-id required param");
	if (args->value == UINT64_MAX && !args->data)
		return command_fail(cmd, 0, "value required param");
	if (length > MAX_FEATURE_DATA)
		return command_fail(cmd, 0, "Invalid --data-len %u: use up to %u", length,
				    MAX_FEATURE_DATA);
	if (args->value != UINT64_MAX && args->value > UINT32_MAX)
		return command_fail(cmd, 0,
				    "Invalid --value 0x%" PRIx64 ": a feature's value has 32 bits",
				    args->value);
	if (device_open(cmd, &dev))
		return 1;
	if (!length)
		nvme_get_feature_length2(args->fid, (__u32)args->value, NVME_DATA_TFR_HOST_TO_CTRL,
					 &length);
	if (length) {
		data = calloc(1, length);
		if (!data)
			return command_fail(cmd, ENOMEM, "set-feature");
		if (bytes_read(cmd, args->data, data, length))
			return 1;
	}

	struct nvme_set_features_args command = {
		.result = &result,
		.data = data,
		.args_size = sizeof(command),
		.fd = dev.fd,
		.timeout = cmd->common.timeout,
		.nsid = args->nsid,
		.cdw11 = args->value == UINT64_MAX ? 0 : (__u32)args->value,
		.cdw12 = args->cdw12,
		.data_len = length,
		.save = args->save,
		.uuidx = args->uuid_index,
		.fid = args->fid,
	};

	ret = nvme_set_features(&command);
	if (ret)
		return device_result(cmd, ret, "set-feature");
	out_text(out, "set-feature:0x%02x (%s), value:0x%08x, cdw12:%08x, save:%d\n", args->fid,
		 name_of(feature_names, args->fid), command.cdw11, args->cdw12, args->save);
	out_object(out, NULL);
	out_uint(out, "feature", args->fid);
	out_str(out, "name", name_of(feature_names, args->fid));
	out_uint(out, "value", command.cdw11);
	out_uint(out, "cdw12", args->cdw12);
	out_bool(out, "save", args->save);
	if (length)
		out_dump(out, "data", data, length);
	if (feature_has_details(args->fid) &&
	    (out_is_json(out) || args->human || cmd->common.verbose)) {
		out_object(out, "bits");
		feature_show_details(out, args->fid, command.cdw11, data, length);
		out_end(out);
	}
	return out_end(out);
}

const struct command_spec set_feature_command = {
	.name = "set-feature",
	.summary = "Set a feature of a controller",
	.operands = "DEVICE",
	.options = set_feature_options,
	.args_size = sizeof(struct set_feature_args),
	.defaults = &(const struct set_feature_args){ .value = UINT64_MAX },
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = 1,
	.run = set_feature,
};
