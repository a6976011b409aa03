// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme smart-log: SMART / Health Information (log page 02h) */
#include "log-page.h"

#define SMART(kind, member, name, label) \
	FIELD_LABELLED(kind, struct nvme_smart_log, member, name, label)

static const struct field warning_fields[] = {
	FIELD(HEX, struct nvme_smart_log, critical_warning),
	FIELD_END,
};

/* clang-format off */
static const struct field smart_fields[] = {
	SMART(KELVIN, temperature, "temperature", "temperature"),
	SMART(PERCENT, avail_spare, "avail_spare", "available_spare"),
	SMART(PERCENT, spare_thresh, "spare_thresh", "available_spare_threshold"),
	SMART(PERCENT, percent_used, "percent_used", "percentage_used"),
	SMART(HEX, endu_grp_crit_warn_sumry, "endurance_grp_critical_warning_summary",
	      "endurance group critical warning summary"),
	SMART(DATA_UNITS, data_units_read, "data_units_read", "Data Units Read"),
	SMART(DATA_UNITS, data_units_written, "data_units_written", "Data Units Written"),
	SMART(DEC, host_reads, "host_read_commands", "host_read_commands"),
	SMART(DEC, host_writes, "host_write_commands", "host_write_commands"),
	SMART(DEC, ctrl_busy_time, "controller_busy_time", "controller_busy_time"),
	SMART(DEC, power_cycles, "power_cycles", "power_cycles"),
	SMART(DEC, power_on_hours, "power_on_hours", "power_on_hours"),
	SMART(DEC, unsafe_shutdowns, "unsafe_shutdowns", "unsafe_shutdowns"),
	SMART(DEC, media_errors, "media_errors", "media_errors"),
	SMART(DEC, num_err_log_entries, "num_err_log_entries", "num_err_log_entries"),
	SMART(DEC, warning_temp_time, "warning_temp_time", "Warning Temperature Time"),
	SMART(DEC, critical_comp_time, "critical_comp_time", "Critical Composite Temperature Time"),
	SMART(KELVIN_IF, temp_sensor[0], "temperature_sensor_1", "Temperature Sensor 1"),
	SMART(KELVIN_IF, temp_sensor[1], "temperature_sensor_2", "Temperature Sensor 2"),
	SMART(KELVIN_IF, temp_sensor[2], "temperature_sensor_3", "Temperature Sensor 3"),
	SMART(KELVIN_IF, temp_sensor[3], "temperature_sensor_4", "Temperature Sensor 4"),
	SMART(KELVIN_IF, temp_sensor[4], "temperature_sensor_5", "Temperature Sensor 5"),
	SMART(KELVIN_IF, temp_sensor[5], "temperature_sensor_6", "Temperature Sensor 6"),
	SMART(KELVIN_IF, temp_sensor[6], "temperature_sensor_7", "Temperature Sensor 7"),
	SMART(KELVIN_IF, temp_sensor[7], "temperature_sensor_8", "Temperature Sensor 8"),
	SMART(DEC, thm_temp1_trans_count, "thm_temp1_trans_count", "Thermal Management T1 Trans Count"),
	SMART(DEC, thm_temp2_trans_count, "thm_temp2_trans_count", "Thermal Management T2 Trans Count"),
	SMART(DEC, thm_temp1_total_time, "thm_temp1_total_time", "Thermal Management T1 Total Time"),
	SMART(DEC, thm_temp2_total_time, "thm_temp2_total_time", "Thermal Management T2 Total Time"),
	FIELD_END,
};
/* clang-format on */

/* Bits of the critical warning: JSON key, and label in text. */
static const struct warning {
	unsigned int bit;
	const char *key, *label;
} warnings[] = {
	{ NVME_SMART_CRIT_SPARE, "available_spare", "Available Spare[0]" },
	{ NVME_SMART_CRIT_TEMPERATURE, "temp_threshold", "Temp. Threshold[1]" },
	{ NVME_SMART_CRIT_DEGRADED, "reliability_degraded", "NVM subsystem Reliability[2]" },
	{ NVME_SMART_CRIT_MEDIA, "ro", "Read-only[3]" },
	{ NVME_SMART_CRIT_VOLATILE_MEMORY, "vmbu_failed", "Volatile mem. backup failed[4]" },
	{ NVME_SMART_CRIT_PMR_RO, "pmr_ro", "Persistent Mem. RO[5]" },
};

/* With -H, JSON has an object instead of the number, and text has a line for each bit below it. */
static void explain_warnings(struct out *out, unsigned int value)
{
	const size_t n = sizeof(warnings) / sizeof(warnings[0]);

	if (out_is_json(out)) {
		out_object(out, "critical_warning");
		out_uint(out, "value", value);
	} else {
		out_uint_as(out, "critical_warning", value, "%#x", value);
	}
	for (const struct warning *w = warnings; w < warnings + n; w++) {
		out_text(out, "      %-34s: %d\n", w->label, !!(value & w->bit));
		out_uint(out_json_only(out), w->key, !!(value & w->bit));
	}
	if (out_is_json(out))
		out_end(out);
}

static int show_smart_log_fields(struct command *cmd, const void *data, bool explain)
{
	const struct log_page_args *args = cmd->args;
	const struct nvme_smart_log *log = data;
	struct out *out = cmd->out;

	out_text(out, "Smart Log for NVME device:%s namespace-id:%x\n",
		 out_safe(out, cmd->device->name), args->nsid);
	out_listing(out, NULL, OUT_PAD_COLON, 40);
	if (explain)
		explain_warnings(out, log->critical_warning);
	else
		out_fields(out, warning_fields, NULL, log);
	out_fields(out, smart_fields, NULL, log);
	return out_end(out);
}

void log_out_smart(struct out *out, const char *device, const struct nvme_smart_log *log)
{
	out_text(out, "Smart Log for NVME device:%s namespace-id:%x\n", out_safe(out, device),
		 NVME_NSID_ALL);
	out_label_width(out, 40);
	out_fields(out, warning_fields, NULL, log);
	out_fields(out, smart_fields, NULL, log);
}

LOG_PAGE_COMMAND(smart_log_command, "smart-log", "Show the SMART / Health Information log",
		 OPTIONS(OPT(UINT, "namespace-id", 'n', struct log_page_args, nsid, "N",
			     "log of this namespace instead of the controller"),
			 LOG_PAGE_OPTIONS),
		 LOG_ARGS(.nsid = NVME_NSID_ALL), log_page_run, .lid = NVME_LOG_LID_SMART,
		 .size = sizeof(struct nvme_smart_log), .what = "smart log",
		 .show = show_smart_log_fields);
