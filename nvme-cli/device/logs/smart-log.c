// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme smart-log: SMART / Health Information (log page 02h) */
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "device/device.h"

#define KELVIN 273
#define DATA_UNIT 512000.0 /* bytes */

struct smart_log_args {
	uint32_t nsid;
	bool raw;
	bool human;
};

static const struct arg smart_log_options[] = {
	OPT(UINT, "namespace-id", 'n', struct smart_log_args, nsid, "N",
	    "of this namespace instead of the controller"),
	OPT_FLAG("raw-binary", 'b', struct smart_log_args, raw, "write the log's bytes"),
	OPT_FLAG("human-readable", 'H', struct smart_log_args, human, "explain the bits"),
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

static void temperature(struct out *out, const char *key, const char *label, unsigned int kelvin)
{
	long celsius = (long)kelvin - KELVIN;

	out_label(out, label);
	out_uint_as(out, key, kelvin, "%ld °C (%u K, %ld °F)", celsius, kelvin,
		    celsius * 9 / 5 + 32);
}

static void percent(struct out *out, const char *key, const char *label, unsigned int value)
{
	out_label(out, label);
	out_uint_as(out, key, value, "%u%%", value);
}

static void number(struct out *out, const char *key, const char *label, uint64_t value)
{
	out_label(out, label);
	out_uint(out, key, value);
}

static void counter(struct out *out, const char *key, const char *label, const __u8 *value)
{
	out_label(out, label);
	out_uint128(out, key, value);
}

/* "1234 (631.81 MB)" */
static void data_units(struct out *out, const char *key, const char *label, const __u8 *value)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB" };
	double bytes = 0;
	unsigned int unit = 0;
	char text[32];

	for (int i = 15; i >= 0; i--)
		bytes = bytes * 256 + value[i];
	bytes *= DATA_UNIT;
	while (bytes >= 1000 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		bytes /= 1000;
		unit++;
	}
	snprintf(text, sizeof(text), " (%.2f %s)", bytes, units[unit]);
	out_label(out, label);
	out_uint128_with(out, key, value, text);
}

static const struct out_flag warnings[] = {
	{ NVME_SMART_CRIT_SPARE, "available_spare" },
	{ NVME_SMART_CRIT_TEMPERATURE, "temp_threshold" },
	{ NVME_SMART_CRIT_DEGRADED, "reliability_degraded" },
	{ NVME_SMART_CRIT_MEDIA, "ro" },
	{ NVME_SMART_CRIT_VOLATILE_MEMORY, "vmbu_failed" },
	{ NVME_SMART_CRIT_PMR_RO, "pmr_ro" },
	{ 0, NULL },
};

/* With -H, every bit that is set on a line of its own below the number. */
static void explain_warnings(struct out *out, unsigned int value)
{
	char name[40];

	for (const struct out_flag *w = warnings; w->name; w++) {
		snprintf(name, sizeof(name), "%s[%d]", w->name,
			 __builtin_ctz((unsigned int)w->bit));
		out_text(out, "      %-34s: %d\n", name, !!(value & w->bit));
	}
}

static void sensors(struct out *out, const struct nvme_smart_log *log)
{
	char key[32], label[32];

	for (unsigned int i = 0; i < 8; i++) {
		unsigned int kelvin = le16toh(log->temp_sensor[i]);

		if (!kelvin)
			continue;
		snprintf(key, sizeof(key), "temperature_sensor_%u", i + 1);
		snprintf(label, sizeof(label), "Temperature Sensor %u", i + 1);
		temperature(out, key, label, kelvin);
	}
}

static void thermal(struct out *out, const struct nvme_smart_log *log)
{
	number(out, "thm_temp1_trans_count", "Thermal Management T1 Trans Count",
	       le32toh(log->thm_temp1_trans_count));
	number(out, "thm_temp2_trans_count", "Thermal Management T2 Trans Count",
	       le32toh(log->thm_temp2_trans_count));
	number(out, "thm_temp1_total_time", "Thermal Management T1 Total Time",
	       le32toh(log->thm_temp1_total_time));
	number(out, "thm_temp2_total_time", "Thermal Management T2 Total Time",
	       le32toh(log->thm_temp2_total_time));
}

static int show(struct command *cmd, const char *device, const struct nvme_smart_log *log)
{
	const struct smart_log_args *args = cmd->args;
	struct out *out = cmd->out;

	out_text(out, "Smart Log for NVME device:%s namespace-id:%x\n", out_safe(out, device),
		 args->nsid);
	out_listing(out, NULL, OUT_PAD_COLON, 40);
	out_uint_as(out, "critical_warning", log->critical_warning, "%#x", log->critical_warning);
	if (args->human || cmd->common.verbose)
		explain_warnings(out, log->critical_warning);
	temperature(out, "temperature", "temperature",
		    (unsigned int)field_get_le(log->temperature, 2));
	percent(out, "avail_spare", "available_spare", log->avail_spare);
	percent(out, "spare_thresh", "available_spare_threshold", log->spare_thresh);
	percent(out, "percent_used", "percentage_used", log->percent_used);
	out_label(out, "endurance group critical warning summary");
	out_uint_as(out, "endurance_grp_critical_warning_summary", log->endu_grp_crit_warn_sumry,
		    "%#x", log->endu_grp_crit_warn_sumry);
	data_units(out, "data_units_read", "Data Units Read", log->data_units_read);
	data_units(out, "data_units_written", "Data Units Written", log->data_units_written);
	counter(out, "host_read_commands", "host_read_commands", log->host_reads);
	counter(out, "host_write_commands", "host_write_commands", log->host_writes);
	counter(out, "controller_busy_time", "controller_busy_time", log->ctrl_busy_time);
	counter(out, "power_cycles", "power_cycles", log->power_cycles);
	counter(out, "power_on_hours", "power_on_hours", log->power_on_hours);
	counter(out, "unsafe_shutdowns", "unsafe_shutdowns", log->unsafe_shutdowns);
	counter(out, "media_errors", "media_errors", log->media_errors);
	counter(out, "num_err_log_entries", "num_err_log_entries", log->num_err_log_entries);
	number(out, "warning_temp_time", "Warning Temperature Time",
	       le32toh(log->warning_temp_time));
	number(out, "critical_comp_time", "Critical Composite Temperature Time",
	       le32toh(log->critical_comp_time));
	sensors(out, log);
	thermal(out, log);
	return out_end(out);
}

static int smart_log(struct command *cmd)
{
	const struct smart_log_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	struct nvme_smart_log log = { 0 };
	int ret;

	if (device_open(cmd, &dev))
		return 1;
	ret = nvme_get_log_smart(dev.fd, args->nsid, false, &log);
	if (ret)
		return device_result(cmd, ret, "smart log");
	if (args->raw || out_format(cmd->out) == OUT_BINARY)
		return bytes_write(cmd, &log, sizeof(log));
	return show(cmd, dev.name, &log);
}

const struct command_spec smart_log_command = {
	.name = "smart-log",
	.summary = "Show the SMART / Health Information log",
	.operands = "DEVICE",
	.options = smart_log_options,
	.args_size = sizeof(struct smart_log_args),
	.defaults = &(const struct smart_log_args){ .nsid = NVME_NSID_ALL },
	.formats = OUT_TEXT | OUT_JSON | OUT_BINARY,
	.max_operands = 1,
	.run = smart_log,
};
