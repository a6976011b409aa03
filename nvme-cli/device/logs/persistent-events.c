// SPDX-License-Identifier: GPL-2.0-or-later
/* NVM Express Base Specification 2.1, "Persistent Event Log Events" */
#include "device/features/feature-data.h"
#include "log-page.h"

#define MAX_EVENT 512 /* bytes of the largest structure below */

/* An event whose data is a structure: the title of the text, and the fields. */
struct event {
	unsigned int type;
	const char *name, *title;
	const struct field *fields;
};

#define EVENT(event, member, name, label) \
	FIELD_LABELLED(DEC, struct nvme_##event##_event, member, name, label)
#define RESET(member, name, label) \
	FIELD_LABELLED(DEC, struct nvme_power_on_reset_info_list, member, name, label)
static const struct field *const reset_fields =
	FIELDS(RESET(cid, "ctrl_id", "Controller ID"),
	       RESET(fw_act, "fw_act", "Firmware Activation"),
	       RESET(op_in_prog, "op_in_prog", "Operation in Progress"),
	       RESET(ctrl_power_cycle, "ctrl_power_cycle", "Controller Power Cycle"),
	       RESET(power_on_ml_seconds, "power_on_ml_secs", "Power on milliseconds"),
	       RESET(ctrl_time_stamp, "ctrl_time_stamp", "Controller Timestamp"));

static const struct event events[] = {
	{ NVME_PEL_SMART_HEALTH_EVENT, "SMART/Health Log Snapshot Event",
	  "Smart Health Event Entry:", NULL },
	{ NVME_PEL_FW_COMMIT_EVENT, "Firmware Commit Event", "FW Commit Event Entry:",
	  FIELDS(FIELD_LABELLED(REVISION, struct nvme_fw_commit_event, old_fw_rev, "old_fw_rev",
				"Old Firmware Revision"),
		 FIELD_LABELLED(REVISION, struct nvme_fw_commit_event, new_fw_rev, "new_fw_rev",
				"New Firmware Revision"),
		 EVENT(fw_commit, fw_commit_action, "fw_commit_action", "FW Commit Action"),
		 EVENT(fw_commit, fw_slot, "fw_slot", "FW Slot"),
		 EVENT(fw_commit, sct_fw, "sct_fw", "Status Code Type for Firmware Commit Command"),
		 EVENT(fw_commit, sc_fw, "sc_fw", "Status Returned for Firmware Commit Command"),
		 EVENT(fw_commit, vndr_assign_fw_commit_rc, "vu_assign_fw_commit_rc",
		       "Vendor Assigned Firmware Commit Result Code")) },
	{ NVME_PEL_TIMESTAMP_EVENT, "Timestamp Change Event", "Time Stamp Change Event Entry:",
	  FIELDS(EVENT(time_stamp_change, previous_timestamp, "prev_ts", "Previous Timestamp"),
		 EVENT(time_stamp_change, ml_secs_since_reset, "ml_secs_since_reset",
		       "Milliseconds Since Reset")) },
	{ NVME_PEL_POWER_ON_RESET_EVENT, "Power-on or Reset Event",
	  "Power On Reset Event Entry:", NULL },
	{ NVME_PEL_NSS_HW_ERROR_EVENT, "NVM Subsystem Hardware Error Event", NULL, NULL },
	{ NVME_PEL_CHANGE_NS_EVENT, "Change Namespace Event", "Change Namespace Event Entry:",
	  FIELDS(EVENT(change_ns, nsmgt_cdw10, "nsmgt_cdw10", "Namespace Management CDW10"),
		 EVENT(change_ns, nsze, "nsze", "Namespace Size"),
		 EVENT(change_ns, nscap, "nscap", "Namespace Capacity"),
		 EVENT(change_ns, flbas, "flbas", "Formatted LBA Size"),
		 EVENT(change_ns, dps, "dps", "End-to-end Data Protection Type Settings"),
		 EVENT(change_ns, nmic, "nmic",
		       "Namespace Multi-path I/O and Namespace Sharing Capabilities"),
		 EVENT(change_ns, ana_grp_id, "ana_grp_id", "ANA Group Identifier"),
		 EVENT(change_ns, nvmset_id, "nvmset_id", "NVM Set Identifier"),
		 EVENT(change_ns, nsid, "nsid", "Namespace ID")) },
	{ NVME_PEL_FORMAT_START_EVENT, "Format NVM Start Event", "Format NVM Start Event Entry:",
	  FIELDS(EVENT(format_nvm_start, nsid, "nsid", "Namespace Identifier"),
		 EVENT(format_nvm_start, fna, "fna", "Format NVM Attributes"),
		 EVENT(format_nvm_start, format_nvm_cdw10, "format_nvm_cdw10",
		       "Format NVM CDW10")) },
	{ NVME_PEL_FORMAT_COMPLETION_EVENT, "Format NVM Completion Event",
	  "Format NVM Completion Event Entry:",
	  FIELDS(EVENT(format_nvm_compln, nsid, "nsid", "Namespace Identifier"),
		 EVENT(format_nvm_compln, smallest_fpi, "smallest_fpi",
		       "Smallest Format Progress Indicator"),
		 EVENT(format_nvm_compln, format_nvm_status, "format_nvm_status",
		       "Format NVM Status"),
		 EVENT(format_nvm_compln, compln_info, "compln_info", "Completion Information"),
		 EVENT(format_nvm_compln, status_field, "status_field", "Status Field")) },
	{ NVME_PEL_SANITIZE_START_EVENT, "Sanitize Start Event", "Sanitize Start Event Entry:",
	  FIELDS(EVENT(sanitize_start, sani_cap, "SANICAP", "SANICAP"),
		 EVENT(sanitize_start, sani_cdw10, "sani_cdw10", "Sanitize CDW10"),
		 EVENT(sanitize_start, sani_cdw11, "sani_cdw11", "Sanitize CDW11")) },
	{ NVME_PEL_SANITIZE_COMPLETION_EVENT, "Sanitize Completion Event",
	  "Sanitize Completion Event Entry:",
	  FIELDS(EVENT(sanitize_compln, sani_prog, "sani_prog", "Sanitize Progress"),
		 EVENT(sanitize_compln, sani_status, "sani_status", "Sanitize Status"),
		 EVENT(sanitize_compln, cmpln_info, "cmpln_info", "Completion Information")) },
	{ NVME_PEL_SET_FEATURE_EVENT, "Set Feature Event", "Set Feature Event Entry:", NULL },
	{ NVME_PEL_TELEMETRY_CRT, "Set Telemetry CRT Event", NULL, NULL },
	{ NVME_PEL_THERMAL_EXCURSION_EVENT, "Thermal Excursion Event",
	  "Thermal Excursion Event Entry:",
	  FIELDS(EVENT(thermal_exc, over_temp, "over_temp", "Over Temperature"),
		 EVENT(thermal_exc, threshold, "threshold", "Threshold")) },
	{ NVME_PEL_SANITIZE_MEDIA_VERIF_EVENT, "Sanitize Media Verification Event",
	  "Sanitize Media Verification Event", NULL },
	{ NVME_PEL_VENDOR_SPECIFIC_EVENT, "Vendor Specific Event", "Reserved Event", NULL },
	{ NVME_PEL_TCG_DEFINED_EVENT, "TCG Defined Event", "Reserved Event", NULL },
};

static const struct event *event_of(unsigned int type)
{
	static const struct event reserved = { 0, "Reserved Event", "Reserved Event", NULL };

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (events[i].type == type)
			return &events[i];
	return &reserved;
}

const char *log_event_name(unsigned int type)
{
	return event_of(type)->name;
}

/* Print the firmware revision, then the reset information of each controller of the subsystem. */
static void show_resets(struct out *out, const unsigned char *data, size_t length)
{
	const size_t size = sizeof(struct nvme_power_on_reset_info_list);
	char text[48], characters[9];

	if (length < 8)
		return;
	bytes_format_text(characters, data, 8);
	snprintf(text, sizeof(text), "%" PRIu64 " (%s)", field_get_le(data, 8), characters);
	out_str(out_label(out, "Firmware Revision"), "fw_rev", text);
	out_text(out, "Reset Information List:\n");
	out_array(out, "reset_info_list");
	for (size_t at = 8; length - at >= size; at += size) {
		out_listing(out, NULL, OUT_PAD_COLON, 0);
		out_fields(out, reset_fields, NULL, data + at);
		out_end(out);
	}
	out_end(out);
}

static void show_hardware_error(struct out *out, const unsigned char *data)
{
	unsigned int code = (unsigned int)field_get_le(data, 2);

	out_label(out, "NVM Subsystem Hardware Error Event Code Entry");
	out_uint_as(out, "nss_hw_err_code", code, "%u, %s", code,
		    bits_word(WORDS("Reserved", "PCIe Correctable Error",
				    "PCIe Uncorrectable Non fatal Error",
				    "PCIe Uncorrectable Fatal Error", "PCIe Link Status Change",
				    "PCIe Link Not Active", "Critical Warning Condition",
				    "Endurance Group Critical Warning Condition", "Unsafe Shutdown",
				    "Controller Fatal Status", "Media and Data Integrity Status",
				    "Controller Ready Timeout Exceeded", "Reserved"),
			      code));
}

/* Command dwords 10 and 11 follow the layout. */
static void show_set_feature(struct out *out, const unsigned char *data)
{
	unsigned int fid = data[4], value = (unsigned int)field_get_le(data + 8, 4);
	char text[16];

	out_text(out, "Set Feature ID: 0x%02x (%s), value: 0x%08x\n", fid, feature_name(fid),
		 value);
	snprintf(text, sizeof(text), "0x%02x", fid);
	out_str(out_json_only(out), "feature", text);
	out_str(out_json_only(out), "name", feature_name(fid));
	snprintf(text, sizeof(text), "0x%08x", value);
	out_str(out_json_only(out), "value", text);
}

/* Copy the structure: the data may be shorter than the type defines, and unaligned. */
static void show_fields(struct out *out, const struct field *fields, const unsigned char *data,
			size_t length)
{
	unsigned char whole[MAX_EVENT] = { 0 };

	memcpy(whole, data, length < sizeof(whole) ? length : sizeof(whole));
	out_fields(out, fields, NULL, whole);
}

static void show_smart(struct out *out, const char *device, const unsigned char *data,
		       size_t length)
{
	struct nvme_smart_log log = { 0 };

	memcpy(&log, data, length < sizeof(log) ? length : sizeof(log));
	log_out_smart(out, device, &log);
}

void log_show_event(struct out *out, const char *device, unsigned int type,
		    const unsigned char *data, size_t length)
{
	const struct event *event = event_of(type);

	if (event->title)
		out_text(out, "%s\n", event->title);
	if (event->fields)
		show_fields(out, event->fields, data, length);
	else if (type == NVME_PEL_SMART_HEALTH_EVENT)
		show_smart(out, device, data, length);
	else if (type == NVME_PEL_POWER_ON_RESET_EVENT)
		show_resets(out, data, length);
	else if (type == NVME_PEL_NSS_HW_ERROR_EVENT && length >= 2)
		show_hardware_error(out, data);
	else if (type == NVME_PEL_SET_FEATURE_EVENT && length >= 12)
		show_set_feature(out, data);
	else if (type == NVME_PEL_TELEMETRY_CRT)
		out_dump(out, "create", data, length);
}
