// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists that features return in addition to their value: Base Specification 2.1, "Get Features". */
#include "feature-data.h"

#define ELEMENT_HEADER 4 /* bytes of a metadata element before its value */
#define RULE "\t.................\n"

struct element_names {
	const char *unknown;
	struct name names[17];
};

/* clang-format off */
static const struct element_names ctrl_elements = { "Unknown Controller Type", {
	{ NVME_CTRL_METADATA_OS_CTRL_NAME, "Operating System Controller Name" },
	{ NVME_CTRL_METADATA_OS_DRIVER_NAME, "Operating System Driver Name" },
	{ NVME_CTRL_METADATA_OS_DRIVER_VER, "Operating System Driver Version" },
	{ NVME_CTRL_METADATA_PRE_BOOT_CTRL_NAME, "Pre-boot Controller Name" },
	{ NVME_CTRL_METADATA_PRE_BOOT_DRIVER_NAME, "Pre-boot Driver Name" },
	{ NVME_CTRL_METADATA_PRE_BOOT_DRIVER_VER, "Pre-boot Driver Version" },
	{ NVME_CTRL_METADATA_SYS_PROC_MODEL, "System Processor Model" },
	{ NVME_CTRL_METADATA_CHIPSET_DRV_NAME, "Chipset Driver Name" },
	{ NVME_CTRL_METADATA_CHIPSET_DRV_VERSION, "Chipset Driver Version" },
	{ NVME_CTRL_METADATA_OS_NAME_AND_BUILD, "Operating System Name and Build" },
	{ NVME_CTRL_METADATA_SYS_PROD_NAME, "System Product Name" },
	{ NVME_CTRL_METADATA_FIRMWARE_VERSION, "Firmware Version" },
	{ NVME_CTRL_METADATA_OS_DRIVER_FILENAME, "Operating System Driver Filename" },
	{ NVME_CTRL_METADATA_DISPLAY_DRV_NAME, "Display Driver Name" },
	{ NVME_CTRL_METADATA_DISPLAY_DRV_VERSION, "Display Driver Version" },
	{ NVME_CTRL_METADATA_HOST_DET_FAIL_REC, "Host-Determined Failure Record" },
} };

static const struct element_names ns_elements = { "Unknown Namespace Type", {
	{ NVME_NS_METADATA_OS_NS_NAME, "Operating System Namespace Name" },
	{ NVME_NS_METADATA_PRE_BOOT_NS_NAME, "Pre-boot Namespace Name" },
	{ NVME_NS_METADATA_OS_NS_QUAL_1, "Operating System Namespace Name Qualifier 1" },
	{ NVME_NS_METADATA_OS_NS_QUAL_2, "Operating System Namespace Name Qualifier 2" },
} };

const struct name feature_fdp_events[] = {
	{ NVME_FDP_EVENT_RUNFW, "Reclaim Unit Not Fully Written" },
	{ NVME_FDP_EVENT_RUTLE, "Reclaim Unit Active Time Limit Exceeded" },
	{ NVME_FDP_EVENT_RESET, "Controller Level Reset Modified Reclaim Unit Handles" },
	{ NVME_FDP_EVENT_PID, "Invalid Placement Identifier" },
	{ NVME_FDP_EVENT_REALLOC, "Media Reallocated" },
	{ NVME_FDP_EVENT_MODIFY, "Implicitly Modified Reclaim Unit Handle" },
	{ 0, NULL, NULL },
};

static const char *const range_types[] = {
	"Reserved", "Filesystem", "RAID", "Cache", "Page / Swap file", "Reserved", NULL,
};
static const char *const overwritten[] = {
	"LBA range should not be overwritten", "LBA range may be overwritten", NULL,
};
static const char *const hidden[] = {
	"LBA range should be visible from the OS/EFI/BIOS",
	"LBA range should be hidden from the OS/EFI/BIOS", NULL,
};
/* clang-format on */

/* Print a number in hex, with "0x" unless it is 0, in text and in JSON. */
static void hex_line(struct out *out, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%#" PRIx64, value);
	out_text(out, "\t%-11s: %s\n", key, text);
	out_str(out, key, text);
}

static void lba_range(struct out *out, size_t index, const struct nvme_lba_range_type_entry *range)
{
	const char *type =
		range->type & 0x80 ? "Vendor Specific" : bits_word(range_types, range->type);
	const char *overwrite = bits_word(overwritten, range->attributes & 1);
	const char *hide = bits_word(hidden, range->attributes >> 1 & 1);
	char text[16], guid[33];

	out_object(out, NULL);
	out_uint(out, "LBA range", index);
	snprintf(text, sizeof(text), "%#x", range->type);
	out_text(out, "\ttype       : %s - %s\n", text, type);
	out_str(out, "type", text);
	out_str(out, "type description", type);
	snprintf(text, sizeof(text), "%#x", range->attributes);
	out_text(out, "\tattributes : %s - %s, %s\n", text, overwrite, hide);
	out_str(out, "attributes", text);
	out_str(out, "attribute[0]", overwrite);
	out_str(out, "attribute[1]", hide);
	hex_line(out, "slba", le64toh(range->slba));
	hex_line(out, "nlb", le64toh(range->nlb));
	field_format_bytes(guid, range->guid, sizeof(range->guid), false);
	out_text(out, "\t%-11s: %s\n", "guid", guid);
	out_str(out, "guid", guid);
	out_end(out);
}

/* Dword 0 of the result is the number of ranges, 0's based. */
static void lba_ranges(struct out *out, unsigned int fid, const struct parts_of *of)
{
	struct nvme_lba_range_type_entry range;
	size_t n = (of->value & 0x3f) + 1U;

	out_array(out, "LBA Ranges");
	for (size_t i = 0; i < n && (i + 1) * sizeof(range) <= of->length; i++) {
		memcpy(&range, of->data + i * sizeof(range), sizeof(range));
		lba_range(out, i, &range);
	}
	out_end(out);
}

static void power_transitions(struct out *out, unsigned int fid, const struct parts_of *of)
{
	struct nvme_feat_auto_pst table;

	if (of->length < sizeof(table))
		return;
	memcpy(&table, of->data, sizeof(table));
	out_text(out, "\tAuto PST Entries\t.................\n");
	out_array(out, "Auto PST Entries");
	for (unsigned int i = 0; i < 32; i++) {
		uint64_t entry = le64toh(table.apst_entry[i]);
		unsigned int to = (unsigned int)NVME_GET(entry, APST_ENTRY_ITPS);
		char index[16], after[16];

		snprintf(index, sizeof(index), "%2u", i);
		snprintf(after, sizeof(after), "%u ms",
			 (unsigned int)NVME_GET(entry, APST_ENTRY_ITPT));
		out_text(out, "\tEntry[%s]\n" RULE, index);
		out_text(out, "\tIdle Time Prior to Transition (ITPT): %s\n", after);
		out_text(out, "\tIdle Transition Power State   (ITPS): %u\n" RULE, to);
		out_object(out, NULL);
		out_str(out, "entry", index);
		out_str(out, "Idle Time Prior to Transition (ITPT)", after);
		out_uint(out, "Idle Transition Power State (ITPS)", to);
		out_end(out);
	}
	out_end(out);
}

void feature_format_time(uint64_t ms, char text[FEATURE_TIME_SIZE])
{
	const time_t seconds = (time_t)(ms / 1000);
	struct tm utc;

	snprintf(text, FEATURE_TIME_SIZE, "?");
	if (gmtime_r(&seconds, &utc))
		strftime(text, FEATURE_TIME_SIZE, "%a %b %e %H:%M:%S %Y UTC", &utc);
}

static void timestamp(struct out *out, unsigned int fid, const struct parts_of *of)
{
	uint64_t ms = of->length >= 6 ? field_get_le(of->data, 6) : 0;
	char text[FEATURE_TIME_SIZE];

	if (of->length < sizeof(struct nvme_timestamp))
		return;
	feature_format_time(ms, text);
	out_text(out, "\tThe timestamp is : %" PRIu64 " (%s)\n", ms, text);
	out_uint(out, "timestamp", ms);
	out_str(out, "timestamp string", text);
}

/* The value is the number of events, of two bytes each: type, and enabled. JSON has a type once. */
static void placement_events(struct out *out, unsigned int fid, const struct parts_of *of)
{
	bool seen[UINT8_MAX + 1] = { false };

	for (size_t i = 0; i < of->value && 2 * i + 1 < of->length; i++) {
		unsigned int type = of->data[2 * i];
		bool enabled = of->data[2 * i + 1] & 1;
		const char *name = name_of(feature_fdp_events, type);
		bool known = strcmp(name, "Unknown");
		char key[40];

		out_text(out, "\t%-53s: %sEnabled\n", name, enabled ? "" : "Not ");
		snprintf(key, sizeof(key), "Unknown (%#x)", type);
		if (seen[type])
			continue;
		seen[type] = true;
		out_str(out, known ? name : key, enabled ? "Enabled" : "Not enabled");
	}
}

/* Return the length of the element at @at, including its header, or 0 if it exceeds the data. */
static size_t element_length(const struct parts_of *of, size_t at)
{
	size_t length;

	if (at + ELEMENT_HEADER > of->length)
		return 0;
	length = ELEMENT_HEADER + (size_t)field_get_le(of->data + at + 2, 2);
	return length > of->length - at ? 0 : length;
}

static void element(struct out *out, const struct element_names *names, unsigned int index,
		    const unsigned char *bytes, size_t length)
{
	unsigned int type = bytes[0] & 0x3f, revision = bytes[1] & 0xf;
	const char *name = name_of(names->names, type);
	char value[256], text[8];

	if (!strcmp(name, "Unknown"))
		name = names->unknown;
	length -= ELEMENT_HEADER;
	snprintf(value, sizeof(value), "%.*s", (int)(length < 255 ? length : 255),
		 (const char *)bytes + ELEMENT_HEADER);
	out_text(out, "\tElement[%-3u]:\n\t\tType\t    : %#02x (%s)\n", index, type, name);
	out_text(out, "\t\tRevision : %u\n\t\tLength   : %zu\n\t\tValue    : %s\n", revision,
		 length, out_safe(out, value));
	out_object(out, NULL);
	out_uint(out, "Element", index);
	snprintf(text, sizeof(text), "0x%02x", type);
	out_str(out, "Type", text);
	out_str(out, "Type definition", name);
	out_uint(out, "Revision", revision);
	out_uint(out, "Length", length);
	out_str(out, "Value", value);
	out_end(out);
}

/* Elements are packed. Their lengths come from the controller and are checked. */
static void metadata(struct out *out, unsigned int fid, const struct parts_of *of)
{
	const struct element_names *names =
		fid == NVME_FEAT_FID_NS_METADATA ? &ns_elements : &ctrl_elements;
	unsigned int n = of->length >= 2 ? of->data[0] : 0;
	size_t at = 2, length;

	if (!n)
		return;
	out_array(out, "Metadata Element Descriptors");
	for (unsigned int i = 0; i < n && (length = element_length(of, at)); i++) {
		element(out, names, i, of->data + at, length);
		at += length;
	}
	out_end(out);
}

/* An identifier of 8 bytes is printed as a number, an extended one of 16 bytes like a UUID. */
static void host_identifier(struct out *out, unsigned int fid, const struct parts_of *of)
{
	static const char key[] = "Host Identifier (HOSTID)";
	char text[40];

	if (of->length >= 16) {
		field_format_bytes(text, of->data, 16, true);
		out_text(out, "\t%s:  %s\n", key, text);
		out_str(out, key, text);
	} else if (of->length >= 8) {
		out_text(out, "\t%s:  %" PRIu64 "\n", key, field_get_le(of->data, 8));
		out_uint(out, key, field_get_le(of->data, 8));
	}
}

static const struct feature_list {
	unsigned int fid;
	void (*show)(struct out *out, unsigned int fid, const struct parts_of *of);
	bool first; /* shown before the parts of the value */
} lists[] = {
	{ NVME_FEAT_FID_LBA_RANGE, lba_ranges },
	{ NVME_FEAT_FID_AUTO_PST, power_transitions },
	{ NVME_FEAT_FID_TIMESTAMP, timestamp, true },
	{ NVME_FEAT_FID_FDP_EVENTS, placement_events },
	{ NVME_FEAT_FID_ENH_CTRL_METADATA, metadata },
	{ NVME_FEAT_FID_CTRL_METADATA, metadata },
	{ NVME_FEAT_FID_NS_METADATA, metadata },
	{ NVME_FEAT_FID_HOST_ID, host_identifier },
};

static const struct feature_list *list_of(unsigned int fid)
{
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (lists[i].fid == fid)
			return &lists[i];
	return NULL;
}

bool feature_has_details(unsigned int fid)
{
	return list_of(fid) || feature_has_parts(fid);
}

void feature_show_details(struct out *out, unsigned int fid, uint32_t value, const void *data,
			  size_t length)
{
	const struct parts_of of = { .value = value, .data = data, .length = length };
	const struct feature_list *list = length ? list_of(fid) : NULL;

	if (list && list->first)
		list->show(out, fid, &of);
	feature_show_parts(out, fid, &of);
	if (list && !list->first)
		list->show(out, fid, &of);
}
