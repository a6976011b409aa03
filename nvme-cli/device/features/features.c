// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme get-feature, nvme set-feature */
#include "device/in-use.h"
#include "feature-data.h"

#define MAX_FEATURE_DATA (1U << 20)
#define N_FEATURES 256
#define HEX_SIZE 24
#define FDP_EVENTS 255U /* maximum number of FDP events that one command can request */

struct get_feature_args {
	uint8_t fid;
	uint32_t nsid;
	bool has_nsid;
	uint8_t sel;
	uint32_t data_len, cdw11;
	uint8_t uuid_index;
	bool raw, human, changed;
};
#define ARGS struct get_feature_args

/* clang-format off */
#define FEATURE(id, name, word) { NVME_FEAT_FID_##id, name, word }
static const struct name feature_names[] = {
	FEATURE(ARBITRATION, "Arbitration", "arbitration"),
	FEATURE(POWER_MGMT, "Power Management", "power-mgmt"),
	FEATURE(LBA_RANGE, "LBA Range Type", "lba-range"),
	FEATURE(TEMP_THRESH, "Temperature Threshold", "temp-thresh"),
	FEATURE(ERR_RECOVERY, "Error Recovery", "err-recovery"),
	FEATURE(VOLATILE_WC, "Volatile Write Cache", "volatile-wc"),
	FEATURE(NUM_QUEUES, "Number of Queues", "num-queues"),
	FEATURE(IRQ_COALESCE, "Interrupt Coalescing", "irq-coalesce"),
	FEATURE(IRQ_CONFIG, "Interrupt Vector Configuration", "irq-config"),
	FEATURE(WRITE_ATOMIC, "Write Atomicity Normal", "write-atomic"),
	FEATURE(ASYNC_EVENT, "Async Event Configuration", "async-event"),
	FEATURE(AUTO_PST, "Autonomous Power State Transition", "auto-pst"),
	FEATURE(HOST_MEM_BUF, "Host Memory Buffer", "host-mem-buf"),
	FEATURE(TIMESTAMP, "Timestamp", "timestamp"),
	FEATURE(KATO, "Keep Alive Timer", "kato"),
	FEATURE(HCTM, "Host Controlled Thermal Management", "hctm"),
	FEATURE(NOPSC, "Non-Operational Power State Config", "nopsc"),
	FEATURE(RRL, "Read Recovery Level", "rrl"),
	FEATURE(PLM_CONFIG, "Predictable Latency Mode Config", "plm-config"),
	FEATURE(PLM_WINDOW, "Predictable Latency Mode Window", "plm-window"),
	FEATURE(LBA_STS_INTERVAL, "LBA Status Interval", "lba-sts-interval"),
	FEATURE(HOST_BEHAVIOR, "Host Behavior", "host-behavior"),
	FEATURE(SANITIZE, "Sanitize", "sanitize"),
	FEATURE(ENDURANCE_EVT_CFG, "Endurance Event Group Configuration", "endurance-evt-cfg"),
	FEATURE(IOCS_PROFILE, "I/O Command Set Profile", "iocs-profile"),
	FEATURE(SPINUP_CONTROL, "Spinup Control", "spinup-control"),
	FEATURE(POWER_LOSS_SIGNAL, "Power Loss Signaling Config", "power-loss-signal"),
	FEATURE(PERF_CHARACTERISTICS, "Performance Characteristics", "perf-characteristics"),
	FEATURE(FDP, "Flexible Direct Placement", "fdp"),
	FEATURE(FDP_EVENTS, "Flexible Direct Placement Events", "fdp-events"),
	FEATURE(NS_ADMIN_LABEL, "Namespace Admin Label", "ns-admin-label"),
	FEATURE(KEY_VALUE, "Key Value Configuration", "key-value"),
	FEATURE(CTRL_DATA_QUEUE, "Controller Data Queue", "ctrl-data-queue"),
	FEATURE(EMB_MGMT_CTRL_ADDR, "Embedded Management Controller Address", "emb-mgmt-ctrl-addr"),
	FEATURE(HOST_MGMT_AGENT_ADDR, "Host Management Agent Address", "host-mgmt-agent-addr"),
	FEATURE(ENH_CTRL_METADATA, "Enhanced Controller Metadata", "enh-ctrl-metadata"),
	FEATURE(CTRL_METADATA, "Controller Metadata", "ctrl-metadata"),
	FEATURE(NS_METADATA, "Namespace Metadata", "ns-metadata"),
	FEATURE(SW_PROGRESS, "Software Progress", "sw-progress"),
	FEATURE(HOST_ID, "Host Identifier", "host-id"),
	FEATURE(RESV_MASK, "Reservation Notification Mask", "resv-mask"),
	FEATURE(RESV_PERSIST, "Reservation Persistence", "resv-persist"),
	FEATURE(WRITE_PROTECT, "Namespace Write Protect", "write-protect"),
	FEATURE(BP_WRITE_PROTECT, "Boot Partition Write Protection Config", "bp-write-protect"),
	{ 0, NULL, NULL },
};
/* clang-format on */

static int feature_by_word(const char *text, uint8_t *fid)
{
	const struct name *name = name_by_word(feature_names, text);

	if (!name)
		return -EINVAL;
	*fid = (uint8_t)name->value;
	return 0;
}

static const char *const sel_names[] = { "Current", "Default", "Saved", "Supported capabilities" };

struct feature {
	unsigned int fid;
	uint32_t nsid;
	__u32 value, length;
	unsigned char *data; /* owned; NULL without data */
};

static void feature_free_cleanup(struct feature *f)
{
	free(f->data);
}

/* Without --namespace-id, use the namespace of the device; for a controller, all namespaces. */
static int find_namespace(struct command *cmd, const struct device *dev, bool given, uint32_t *nsid)
{
	__u32 own = NVME_NSID_ALL;

	if (given)
		return 0;
	if (nvme_get_nsid(dev->fd, &own) && errno != ENOTTY)
		return device_nsid(cmd, dev, 0, nsid);
	*nsid = own;
	return 0;
}

/* Return dword 11. For FDP events, bits 31:16 are the number of events that fit into the buffer. */
static uint32_t dword_11(const struct get_feature_args *args, unsigned int fid)
{
	if (fid == NVME_FEAT_FID_FDP_EVENTS)
		return (args->cdw11 & UINT16_MAX) | FDP_EVENTS << 16;
	return args->cdw11;
}

static __u32 length_of(const struct get_feature_args *args, unsigned int fid, unsigned int sel)
{
	__u32 length = args->data_len;

	if (length || sel == NVME_GET_FEATURES_SEL_SUPPORTED)
		return length;
	if (fid == NVME_FEAT_FID_FDP_EVENTS)
		return 2 * FDP_EVENTS;
	nvme_get_feature_length((int)fid, args->cdw11, &length);
	return length;
}

static int read_feature(struct command *cmd, int fd, unsigned int sel, struct feature *f)
{
	const struct get_feature_args *args = cmd->args;
	struct nvme_get_features_args command = {
		.result = &f->value,
		.args_size = sizeof(command),
		.fd = fd,
		.timeout = cmd->common.timeout,
		.nsid = f->nsid,
		.sel = sel,
		.cdw11 = dword_11(args, f->fid),
		.fid = (__u8)f->fid,
		.uuidx = args->uuid_index,
	};

	f->length = length_of(args, f->fid, sel);
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

const char *feature_name(unsigned int fid)
{
	return name_of(feature_names, fid);
}

/* Format @value as nvme-cli 2.x prints numbers of features: with "0x" unless it is 0. */
static const char *format_hex(char text[HEX_SIZE], uint64_t value, int digits)
{
	snprintf(text, HEX_SIZE, value ? "0x%0*" PRIx64 : "%0*" PRIx64, digits, value);
	return text;
}

/* Print the capabilities of a feature, requested with --sel=3 instead of its value. */
static void show_capabilities(struct out *out, const char *key, uint32_t capabilities)
{
	static const char *const names[] = { "saveable", "per-namespace", "changeable" };
	char array[56];

	snprintf(array, sizeof(array), "%s: select", key);
	out_array(out, array);
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!(capabilities & 1U << i))
			continue;
		out_text(out, "  Feature is %s\n", names[i]);
		out_str(out_json_only(out), NULL, names[i]);
	}
	out_end(out);
}

static void show_value(struct out *out, const char *key, unsigned int sel, const struct feature *f,
		       bool with_data)
{
	char fid[HEX_SIZE], value[HEX_SIZE];

	format_hex(value, f->value, 8);
	out_text(out, "get-feature:%s (%s), %s value:%s\n", format_hex(fid, f->fid, 2),
		 name_of(feature_names, f->fid), sel_names[sel], value);
	out_array(out, key);
	out_object(out, NULL);
	out_str(out, "name", name_of(feature_names, f->fid));
	out_str(out, sel_names[sel], value);
	if (f->length && with_data)
		out_dump(out, "data", f->data, f->length);
	out_ends(out, 2);
}

/* Print a feature. In text, its data is shown as bytes only if it is not explained. */
static void show_feature(struct command *cmd, unsigned int sel, const struct feature *f)
{
	const struct get_feature_args *args = cmd->args;
	bool explain = feature_has_details(f->fid) && (args->human || cmd->common.verbose);
	struct out *out = cmd->out;
	char key[40], fid[HEX_SIZE];

	snprintf(key, sizeof(key), "feature: %s", format_hex(fid, f->fid, 2));
	show_value(out, key, sel, f, out_is_json(out) || !explain);
	*key = 'F';
	if (sel == NVME_GET_FEATURES_SEL_SUPPORTED) {
		show_capabilities(out, key, f->value);
		return;
	}
	if (!out_is_json(out) && !explain)
		return;
	out_array(out, key);
	out_object(out, NULL);
	feature_show_details(out, f->fid, f->value, f->data, f->length);
	out_ends(out, 2);
}

static int is_changed(struct command *cmd, int fd, const struct feature *f)
{
	_cleanup_(feature_free) struct feature standard = { .fid = f->fid, .nsid = f->nsid };

	return read_feature(cmd, fd, NVME_GET_FEATURES_SEL_DEFAULT, &standard) ||
	       standard.value != f->value ||
	       (f->length && memcmp(standard.data, f->data, f->length));
}

/* Read and print one feature. With @all, skip it if the controller returns an error status. */
static int get_one(struct command *cmd, int fd, uint32_t nsid, unsigned int fid, bool all)
{
	const struct get_feature_args *args = cmd->args;
	_cleanup_(feature_free) struct feature f = { .fid = fid, .nsid = nsid };
	int ret = read_feature(cmd, fd, args->sel, &f);

	if (ret && all && ret > 0)
		return 0;
	if (ret)
		return device_result(cmd, ret, "get-feature");
	if (args->changed && !is_changed(cmd, fd, &f))
		return 0;
	if (f.length && command_writes_bytes(cmd))
		return bytes_write(cmd, f.data, f.length);
	show_feature(cmd, args->sel, &f);
	return 0;
}

static int get_feature(struct command *cmd)
{
	const struct get_feature_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	uint32_t nsid = args->nsid;
	int status = 0;

	if (args->sel > NVME_GET_FEATURES_SEL_SUPPORTED)
		return command_fail(cmd, 0, "invalid 'select' param:%d", args->sel);
	if (device_check_uuid_index(cmd, args->uuid_index))
		return 1;
	if (args->data_len > MAX_FEATURE_DATA)
		return command_fail(cmd, 0, "Invalid --data-len %u: use up to %u", args->data_len,
				    MAX_FEATURE_DATA);
	if (device_open(cmd, &dev))
		return 1;
	if (find_namespace(cmd, &dev, args->has_nsid, &nsid))
		return 1;
	out_object(cmd->out, NULL);
	if (args->fid)
		status = get_one(cmd, dev.fd, nsid, args->fid, false);
	for (unsigned int fid = 0; !args->fid && fid < N_FEATURES && !status; fid++)
		status = get_one(cmd, dev.fd, nsid, fid, true);
	out_end(cmd->out);
	return status;
}

DEVICE_COMMAND_BINARY(get_feature_command, "get-feature", "Show a feature of a controller",
		      BINARY(OPT_NAMED("feature-id", 'f', ARGS, fid, feature_by_word, "ID",
				       "feature, as a number or a name like temp-thresh; 0: all"),
			     OPT_NOTED(UINT, "namespace-id", 'n', ARGS, nsid, has_nsid, "N",
				       "namespace (default: the device's own, or all)"),
			     OPT(BYTE, "sel", 's', ARGS, sel, "N",
				 "0: current, 1: default, 2: saved, 3: supported"),
			     OPT(UINT, "data-len", 'l', ARGS, data_len, "N",
				 "bytes of the feature's data"),
			     OPT_FLAG("raw-binary", 'b', ARGS, raw, "write the data's bytes"),
			     OPT(UINT, "cdw11", 'c', ARGS, cdw11, "N", "command dword 11"),
			     OPT(BYTE, "uuid-index", 'U', ARGS, uuid_index, "N", "UUID index"),
			     OPT_FLAG("human-readable", 'H', ARGS, human, "explain the bits"),
			     OPT_FLAG("changed", 'C', ARGS, changed,
				      "only features whose value differs from the default")),
		      ARGS, .run = get_feature);

struct set_feature_args {
	uint8_t fid;
	uint32_t nsid;
	bool has_nsid;
	uint64_t value;
	uint32_t cdw12;
	uint8_t uuid_index;
	uint32_t data_len;
	const char *data;
	bool save, human;
};
#undef ARGS
#define ARGS struct set_feature_args

/* True if the value is the time to set, which has 48 bits and is sent as data. */
static bool is_time(const struct set_feature_args *args)
{
	return args->fid == NVME_FEAT_FID_TIMESTAMP && args->value != UINT64_MAX && !args->data;
}

static int check_setting(struct command *cmd, const struct set_feature_args *args)
{
	if (device_check_uuid_index(cmd, args->uuid_index))
		return 1;
	if (!args->fid)
		return command_fail(cmd, 0, "feature-id required param");
	if (args->value == UINT64_MAX && !args->data)
		return command_fail(cmd, 0, "value required param");
	if (args->data_len > MAX_FEATURE_DATA)
		return command_fail(cmd, 0, "Invalid --data-len %u: use up to %u", args->data_len,
				    MAX_FEATURE_DATA);
	if (args->value != UINT64_MAX && args->value > UINT32_MAX && !is_time(args))
		return command_fail(cmd, 0,
				    "Invalid --value 0x%" PRIx64 ": a feature's value has 32 bits",
				    args->value);
	return 0;
}

/* Get the data to send, to be freed: from a file or standard input, or the time in the value. */
static int read_setting(struct command *cmd, struct feature *f)
{
	const struct set_feature_args *args = cmd->args;

	f->length = args->data_len;
	if (!f->length)
		nvme_get_feature_length2(args->fid, f->value, NVME_DATA_TFR_HOST_TO_CTRL,
					 &f->length);
	if (!f->length)
		return 0;
	f->data = calloc(1, f->length);
	if (!f->data)
		return command_fail(cmd, ENOMEM, "set-feature");
	if (!is_time(args))
		return bytes_read(cmd, args->data, f->data, f->length);
	for (unsigned int i = 0; i < f->length && i < sizeof(args->value); i++)
		f->data[i] = (unsigned char)(args->value >> 8 * i);
	return 0;
}

static int show_setting(struct command *cmd, const struct feature *f)
{
	const struct set_feature_args *args = cmd->args;
	uint64_t value = args->value == UINT64_MAX ? 0 : args->value;
	char fid[HEX_SIZE], digits[HEX_SIZE], cdw12[HEX_SIZE];
	struct out *out = cmd->out;

	out_text(out, "set-feature:%s (%s), value:%s, cdw12:%s, save:%#x\n",
		 format_hex(fid, f->fid, 2), name_of(feature_names, f->fid),
		 format_hex(digits, value, 8), format_hex(cdw12, args->cdw12, 8), args->save);
	out_object(out, NULL);
	out_uint(out, "feature", f->fid);
	out_str(out, "name", name_of(feature_names, f->fid));
	out_uint(out, "value", value);
	out_uint(out, "cdw12", args->cdw12);
	out_bool(out, "save", args->save);
	if (f->length)
		out_dump(out, "data", f->data, f->length);
	if (feature_has_details(f->fid) && (out_is_json(out) || args->human)) {
		out_object(out, "bits");
		feature_show_details(out, f->fid, f->value, f->data, f->length);
		out_end(out);
	}
	return out_end(out);
}

static int set_feature(struct command *cmd)
{
	const struct set_feature_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(feature_free) struct feature f = {
		.fid = args->fid,
		.nsid = args->nsid,
		.value = args->value == UINT64_MAX ? 0 : (__u32)args->value,
	};
	__u32 result;
	int ret;

	if (check_setting(cmd, args) || device_open(cmd, &dev) || in_use_require_nvme(cmd, &dev) ||
	    find_namespace(cmd, &dev, args->has_nsid, &f.nsid) || read_setting(cmd, &f))
		return 1;

	struct nvme_set_features_args command = {
		.result = &result,
		.data = f.data,
		.args_size = sizeof(command),
		.fd = dev.fd,
		.timeout = cmd->common.timeout,
		.nsid = f.nsid,
		.cdw11 = f.value,
		.cdw12 = args->cdw12,
		.data_len = f.length,
		.save = args->save,
		.uuidx = args->uuid_index,
		.fid = args->fid,
	};

	ret = nvme_set_features(&command);
	return ret ? device_result(cmd, ret, "set-feature") : show_setting(cmd, &f);
}

DEVICE_COMMAND(set_feature_command, "set-feature", "Set a feature of a controller",
	       GENERIC(OPT_NOTED(UINT, "namespace-id", 'n', ARGS, nsid, has_nsid, "N",
				 "namespace (default: the device's own, or all)"),
		       OPT_NAMED("feature-id", 'f', ARGS, fid, feature_by_word, "ID",
				 "feature, as a number or a name like temp-thresh (required)"),
		       OPT(SUFFIX, "value", 'V', ARGS, value, "N", "new value (dword 11)"),
		       OPT(UINT, "cdw12", 'c', ARGS, cdw12, "N", "command dword 12"),
		       OPT(BYTE, "uuid-index", 'U', ARGS, uuid_index, "N", "UUID index"),
		       OPT(UINT, "data-len", 'l', ARGS, data_len, "N",
			   "bytes of the feature's data"),
		       OPT(STR, "data", 'd', ARGS, data, "FILE",
			   "file with the feature's data (default: standard input)"),
		       OPT_FLAG("save", 's', ARGS, save, "keep the value across power cycles"),
		       OPT_FLAG("human-readable", 'H', ARGS, human, "explain the bits")),
	       ARGS, .defaults = &(const struct set_feature_args){ .value = UINT64_MAX },
	       .run = set_feature);
