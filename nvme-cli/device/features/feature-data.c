// SPDX-License-Identifier: GPL-2.0-or-later
/* The data that features carry beside their value: NVM Express Base Specification 2.0, "Get Features". */
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "feature-data.h"

#define FEATURE(id, shift, width, key, label, add) \
	{ \
		NVME_FEAT_FID_##id, shift, width, key, label, add \
	}

/* clang-format off */
static const struct name ctrl_elements[] = {
	{ NVME_CTRL_METADATA_OS_CTRL_NAME, "Operating System Controller Name", NULL },
	{ NVME_CTRL_METADATA_OS_DRIVER_NAME, "Operating System Driver Name", NULL },
	{ NVME_CTRL_METADATA_OS_DRIVER_VER, "Operating System Driver Version", NULL },
	{ NVME_CTRL_METADATA_PRE_BOOT_CTRL_NAME, "Pre-boot Controller Name", NULL },
	{ NVME_CTRL_METADATA_PRE_BOOT_DRIVER_NAME, "Pre-boot Driver Name", NULL },
	{ NVME_CTRL_METADATA_PRE_BOOT_DRIVER_VER, "Pre-boot Driver Version", NULL },
	{ NVME_CTRL_METADATA_SYS_PROC_MODEL, "System Processor Model", NULL },
	{ NVME_CTRL_METADATA_CHIPSET_DRV_NAME, "Chipset Driver Name", NULL },
	{ NVME_CTRL_METADATA_CHIPSET_DRV_VERSION, "Chipset Driver Version", NULL },
	{ NVME_CTRL_METADATA_OS_NAME_AND_BUILD, "Operating System Name and Build", NULL },
	{ NVME_CTRL_METADATA_SYS_PROD_NAME, "System Product Name", NULL },
	{ NVME_CTRL_METADATA_FIRMWARE_VERSION, "Firmware Version", NULL },
	{ NVME_CTRL_METADATA_OS_DRIVER_FILENAME, "Operating System Driver Filename", NULL },
	{ NVME_CTRL_METADATA_DISPLAY_DRV_NAME, "Display Driver Name", NULL },
	{ NVME_CTRL_METADATA_DISPLAY_DRV_VERSION, "Display Driver Version", NULL },
	{ NVME_CTRL_METADATA_HOST_DET_FAIL_REC, "Host-Determined Failure Record", NULL },
	{ 0, NULL, NULL },
};

static const struct name ns_elements[] = {
	{ NVME_NS_METADATA_OS_NS_NAME, "Operating System Namespace Name", NULL },
	{ NVME_NS_METADATA_PRE_BOOT_NS_NAME, "Pre-boot Namespace Name", NULL },
	{ NVME_NS_METADATA_OS_NS_QUAL_1, "Operating System Namespace Name Qualifier 1", NULL },
	{ NVME_NS_METADATA_OS_NS_QUAL_2, "Operating System Namespace Name Qualifier 2", NULL },
	{ 0, NULL, NULL },
};

static const struct name range_types[] = {
	{ NVME_LBART_TYPE_GP, "General purpose", NULL },
	{ NVME_LBART_TYPE_FS, "Filesystem", NULL },
	{ NVME_LBART_TYPE_RAID, "RAID", NULL },
	{ NVME_LBART_TYPE_CACHE, "Cache", NULL },
	{ NVME_LBART_TYPE_SWAP, "Page or swap file", NULL },
	{ 0, NULL, NULL },
};

static const struct bits feature_bits[] = {
	FEATURE(ARBITRATION, 24, 8, "hpw", "High Priority Weight (HPW)", 1),
	FEATURE(ARBITRATION, 16, 8, "mpw", "Medium Priority Weight (MPW)", 1),
	FEATURE(ARBITRATION, 8, 8, "lpw", "Low Priority Weight (LPW)", 1),
	FEATURE(ARBITRATION, 0, 3, "ab", "Arbitration Burst (AB), as a power of two", 0),
	FEATURE(POWER_MGMT, 5, 3, "wh", "Workload Hint (WH)", 0),
	FEATURE(POWER_MGMT, 0, 5, "ps", "Power State (PS)", 0),
	FEATURE(TEMP_THRESH, 22, 3, "tmpthh", "Temperature Threshold Hysteresis (TMPTHH)", 0),
	FEATURE(TEMP_THRESH, 20, 2, "thsel", "Threshold Type Select (THSEL)", 0),
	FEATURE(TEMP_THRESH, 16, 4, "tmpsel", "Threshold Temperature Select (TMPSEL)", 0),
	FEATURE(TEMP_THRESH, 0, 16, "tmpth", "Temperature Threshold (TMPTH) in kelvin", 0),
	FEATURE(ERR_RECOVERY, 16, 1, "dulbe",
		"Deallocated or Unwritten Logical Block Error Enable (DULBE)", 0),
	FEATURE(ERR_RECOVERY, 0, 16, "tler", "Time Limited Error Recovery (TLER) in 100 ms", 0),
	FEATURE(VOLATILE_WC, 0, 1, "wce", "Volatile Write Cache Enable (WCE)", 0),
	FEATURE(NUM_QUEUES, 16, 16, "ncqa", "Number of IO Completion Queues Allocated (NCQA)", 1),
	FEATURE(NUM_QUEUES, 0, 16, "nsqa", "Number of IO Submission Queues Allocated (NSQA)", 1),
	FEATURE(IRQ_COALESCE, 8, 8, "time", "Aggregation Time (TIME) in 100 us", 0),
	FEATURE(IRQ_COALESCE, 0, 8, "thr", "Aggregation Threshold (THR)", 1),
	FEATURE(IRQ_CONFIG, 16, 1, "cd", "Coalescing Disable (CD)", 0),
	FEATURE(IRQ_CONFIG, 0, 16, "iv", "Interrupt Vector (IV)", 0),
	FEATURE(WRITE_ATOMIC, 0, 1, "dn", "Disable Normal (DN)", 0),
	FEATURE(ASYNC_EVENT, 31, 1, "dlpcn", "Discovery Log Page Change Notices", 0),
	FEATURE(ASYNC_EVENT, 27, 1, "zdcn", "Zone Descriptor Changed Notices", 0),
	FEATURE(ASYNC_EVENT, 15, 1, "nnsshdn", "Normal NVM Subsystem Shutdown", 0),
	FEATURE(ASYNC_EVENT, 14, 1, "ega", "Endurance Group Event Aggregate Log Change Notices", 0),
	FEATURE(ASYNC_EVENT, 13, 1, "lbas", "LBA Status Information Notices", 0),
	FEATURE(ASYNC_EVENT, 12, 1, "pla", "Predictable Latency Event Aggregate Notices", 0),
	FEATURE(ASYNC_EVENT, 11, 1, "ana", "Asymmetric Namespace Access Change Notices", 0),
	FEATURE(ASYNC_EVENT, 10, 1, "telem", "Telemetry Log Notices", 0),
	FEATURE(ASYNC_EVENT, 9, 1, "fan", "Firmware Activation Notices", 0),
	FEATURE(ASYNC_EVENT, 8, 1, "nan", "Namespace Attribute Notices", 0),
	FEATURE(ASYNC_EVENT, 0, 8, "smart", "SMART / Health Critical Warnings", 0),
	FEATURE(AUTO_PST, 0, 1, "apste", "Autonomous Power State Transition Enable (APSTE)", 0),
	FEATURE(HOST_MEM_BUF, 0, 1, "ehm", "Enable Host Memory (EHM)", 0),
	FEATURE(KATO, 0, 32, "kato", "Keep Alive Timeout (KATO) in milliseconds", 0),
	FEATURE(HCTM, 16, 16, "tmt1", "Thermal Management Temperature 1 (TMT1) in kelvin", 0),
	FEATURE(HCTM, 0, 16, "tmt2", "Thermal Management Temperature 2 (TMT2) in kelvin", 0),
	FEATURE(NOPSC, 0, 1, "noppme", "Non-Operational Power State Permissive Mode (NOPPME)", 0),
	FEATURE(RRL, 0, 4, "rrl", "Read Recovery Level (RRL)", 0),
	FEATURE(PLM_CONFIG, 0, 1, "plme", "Predictable Latency Mode Enable (PLME)", 0),
	FEATURE(PLM_WINDOW, 0, 3, "ws", "Window Select (WS)", 0),
	FEATURE(LBA_STS_INTERVAL, 16, 16, "lsipi",
		"LBA Status Information Poll Interval (LSIPI) in 100 ms", 0),
	FEATURE(LBA_STS_INTERVAL, 0, 16, "lsiri",
		"LBA Status Information Report Interval (LSIRI) in 100 ms", 0),
	FEATURE(SANITIZE, 0, 1, "nodrm", "No-Deallocate Response Mode (NODRM)", 0),
	FEATURE(ENDURANCE_EVT_CFG, 16, 8, "egcw", "Endurance Group Critical Warnings (EGCW)", 0),
	FEATURE(ENDURANCE_EVT_CFG, 0, 16, "endgid", "Endurance Group Identifier (ENDGID)", 0),
	FEATURE(IOCS_PROFILE, 0, 9, "iocsi", "I/O Command Set Combination Index (IOCSCI)", 0),
	FEATURE(SPINUP_CONTROL, 0, 1, "spinup", "Spinup Control", 0),
	FEATURE(FDP, 8, 8, "fdpcidx", "Flexible Data Placement Configuration Index (FDPCIDX)", 0),
	FEATURE(FDP, 0, 1, "fdpe", "Flexible Data Placement Enable (FDPE)", 0),
	FEATURE(SW_PROGRESS, 0, 8, "pbslc", "Pre-boot Software Load Count (PBSLC)", 0),
	FEATURE(HOST_ID, 0, 1, "exhid", "Extended Host Identifier (EXHID)", 0),
	FEATURE(RESV_MASK, 3, 1, "respre", "Mask Reservation Preempted Notification (RESPRE)", 0),
	FEATURE(RESV_MASK, 2, 1, "resrel", "Mask Reservation Released Notification (RESREL)", 0),
	FEATURE(RESV_MASK, 1, 1, "regpre", "Mask Registration Preempted Notification (REGPRE)", 0),
	FEATURE(RESV_PERSIST, 0, 1, "ptpl", "Persist Through Power Loss (PTPL)", 0),
	FEATURE(WRITE_PROTECT, 0, 3, "wps", "Write Protection State (WPS)", 0),
	FEATURE(BP_WRITE_PROTECT, 3, 3, "bp1wps", "Boot Partition 1 Write Protection State", 0),
	FEATURE(BP_WRITE_PROTECT, 0, 3, "bp0wps", "Boot Partition 0 Write Protection State", 0),
	{ 0, 0, 0, NULL, NULL, 0 },
};
/* clang-format on */

struct feature_value {
	unsigned int fid;
	uint32_t value; /* of the command: dword 0 of the result, or dword 11 */
	const unsigned char *data;
	size_t length;
};

/* One number of the data: a line of text and a JSON field. */
static void number(struct out *out, const char *key, const char *label, uint64_t value)
{
	out_text(out, "\t%s: %" PRIu64 "\n", label, value);
	out_uint(out, key, value);
}

static void flag(struct out *out, const char *key, const char *label, bool value)
{
	number(out, key, label, value);
}

/* Dword 0 of the result holds the number of ranges, 0's based. */
static void lba_ranges(struct out *out, const struct feature_value *f)
{
	size_t n = (f->value & 0x3f) + 1U;
	char guid[33];

	out_array(out, "ranges");
	for (size_t i = 0; i < n && (i + 1) * sizeof(struct nvme_lba_range_type_entry) <= f->length;
	     i++) {
		struct nvme_lba_range_type_entry range;

		memcpy(&range, f->data + i * sizeof(range), sizeof(range));
		field_format_bytes(guid, range.guid, sizeof(range.guid), false);
		out_text(out,
			 "\tRange %2zu: %s, first block %" PRIu64 ", %" PRIu64
			 " blocks%s%s, GUID %s\n",
			 i, name_of(range_types, range.type), (uint64_t)le64toh(range.slba),
			 (uint64_t)le64toh(range.nlb) + 1,
			 range.attributes & NVME_LBART_ATTRIB_TEMP ? ", may be overwritten" : "",
			 range.attributes & NVME_LBART_ATTRIB_HIDE ? ", hidden" : "", guid);
		out_object(out, NULL);
		out_uint(out, "type", range.type);
		out_uint(out, "attributes", range.attributes);
		out_uint(out, "slba", le64toh(range.slba));
		out_uint(out, "nlb", le64toh(range.nlb));
		out_str(out, "guid", guid);
		out_end(out);
	}
	out_end(out);
}

/* States that lead nowhere are left out of the text. */
static void power_transitions(struct out *out, const struct feature_value *f)
{
	struct nvme_feat_auto_pst table;

	if (f->length < sizeof(table))
		return;
	memcpy(&table, f->data, sizeof(table));
	out_array(out, "transitions");
	for (unsigned int i = 0; i < 32; i++) {
		uint64_t entry = le64toh(table.apst_entry[i]);
		unsigned int to = (unsigned int)NVME_GET(entry, APST_ENTRY_ITPS);
		unsigned int after = (unsigned int)NVME_GET(entry, APST_ENTRY_ITPT);

		if (entry)
			out_text(out, "\tPower State %2u: to %u after %u ms idle\n", i, to, after);
		out_object(out, NULL);
		out_uint(out, "ps", i);
		out_uint(out, "itps", to);
		out_uint(out, "itpt", after);
		out_end(out);
	}
	out_end(out);
}

static void host_memory(struct out *out, const struct feature_value *f)
{
	struct nvme_host_mem_buf_attrs attrs;
	uint64_t address;

	if (f->length < sizeof(attrs))
		return;
	memcpy(&attrs, f->data, sizeof(attrs));
	address = (uint64_t)le32toh(attrs.hmdlau) << 32 | le32toh(attrs.hmdlal);
	number(out, "hsize", "Host Memory Buffer Size (HSIZE) in memory pages",
	       le32toh(attrs.hsize));
	out_text(out, "\tHost Memory Descriptor List Address (HMDLLA, HMDLUA): %#" PRIx64 "\n",
		 address);
	out_uint(out, "hmdla", address);
	number(out, "hmdlec", "Host Memory Descriptor List Entry Count (HMDLEC)",
	       le32toh(attrs.hmdlec));
}

static void timestamp(struct out *out, const struct feature_value *f)
{
	static const char *const origins[] = { "cleared by a reset", "set by a host" };
	uint64_t ms = f->length >= 6 ? field_get_le(f->data, 6) : 0;
	time_t seconds = (time_t)(ms / 1000);
	unsigned int origin;
	char text[32] = "?";
	struct tm utc;

	if (f->length < sizeof(struct nvme_timestamp))
		return;
	origin = f->data[6] >> 1 & 7;
	if (gmtime_r(&seconds, &utc))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &utc);
	out_text(out, "\tTimestamp in milliseconds: %" PRIu64 " (%s.%03u UTC)\n", ms, text,
		 (unsigned int)(ms % 1000));
	out_uint(out, "timestamp", ms);
	out_text(out, "\tTimestamp Origin: %u (%s)\n", origin,
		 origin < 2 ? origins[origin] : "reserved");
	out_uint(out, "origin", origin);
	flag(out, "synch", "Stopped counting at times (Synch)", f->data[6] & 1);
}

static void predictable_latency(struct out *out, const struct feature_value *f)
{
	struct nvme_plm_config plm;

	if (f->length < sizeof(plm))
		return;
	memcpy(&plm, f->data, sizeof(plm));
	number(out, "ee", "Enable Event (EE)", le16toh(plm.ee));
	number(out, "dtwinrt", "Deterministic Window Reads Threshold (DTWINRT)",
	       le64toh(plm.dtwinrt));
	number(out, "dtwinwt", "Deterministic Window Writes Threshold (DTWINWT)",
	       le64toh(plm.dtwinwt));
	number(out, "dtwintt", "Deterministic Window Time Threshold (DTWINTT)",
	       le64toh(plm.dtwintt));
}

static void host_behavior(struct out *out, const struct feature_value *f)
{
	struct nvme_feat_host_behavior host;

	if (f->length < sizeof(host))
		return;
	memcpy(&host, f->data, sizeof(host));
	flag(out, "acre", "Advanced Command Retry Enable (ACRE)", host.acre & 1);
	flag(out, "etdas", "Extended Telemetry Data Area 4 Supported (ETDAS)", host.etdas & 1);
	flag(out, "lbafee", "LBA Format Extension Enable (LBAFEE)", host.lbafee & 1);
	flag(out, "hdisns", "Host Dispersed Namespace Support (HDISNS)", host.hdisns & 1);
	number(out, "cdfe", "Copy Descriptor Formats Enable (CDFE)", le16toh(host.cdfe));
}

/* Elements are packed, and their lengths come from the controller. */
static void metadata(struct out *out, const struct feature_value *f)
{
	const struct name *names =
		f->fid == NVME_FEAT_FID_NS_METADATA ? ns_elements : ctrl_elements;
	unsigned int n = f->length >= 2 ? f->data[0] : 0;
	size_t at = 2;

	out_array(out, "elements");
	for (unsigned int i = 0; i < n && at + 4 <= f->length; i++) {
		unsigned int type = f->data[at] & 0x3f, revision = f->data[at + 1] & 0xf;
		size_t length = (size_t)field_get_le(f->data + at + 2, 2);
		char value[256];

		at += 4;
		if (length > f->length - at)
			break;
		snprintf(value, sizeof(value), "%.*s", (int)(length < 255 ? length : 255),
			 (const char *)f->data + at);
		at += length;
		out_text(out, "\t%s: %s\n", name_of(names, type), out_safe(out, value));
		out_object(out, NULL);
		out_uint(out, "type", type);
		out_uint(out, "revision", revision);
		out_str(out, "name", name_of(names, type));
		out_str(out, "value", value);
		out_end(out);
	}
	out_end(out);
}

static void host_identifier(struct out *out, const struct feature_value *f)
{
	bool extended = f->length >= 16;
	char text[40];

	if (f->length < 8)
		return;
	field_format_bytes(text, f->data, extended ? 16 : 8, extended);
	out_text(out, "\tHost Identifier (HOSTID): %s\n", text);
	out_str(out, "hostid", text);
}

static const struct feature_decoder {
	unsigned int fid;
	void (*show)(struct out *out, const struct feature_value *f);
} decoders[] = {
	{ NVME_FEAT_FID_LBA_RANGE, lba_ranges },
	{ NVME_FEAT_FID_AUTO_PST, power_transitions },
	{ NVME_FEAT_FID_HOST_MEM_BUF, host_memory },
	{ NVME_FEAT_FID_TIMESTAMP, timestamp },
	{ NVME_FEAT_FID_PLM_CONFIG, predictable_latency },
	{ NVME_FEAT_FID_HOST_BEHAVIOR, host_behavior },
	{ NVME_FEAT_FID_ENH_CTRL_METADATA, metadata },
	{ NVME_FEAT_FID_CTRL_METADATA, metadata },
	{ NVME_FEAT_FID_NS_METADATA, metadata },
	{ NVME_FEAT_FID_HOST_ID, host_identifier },
};

static const struct feature_decoder *decoder_of(unsigned int fid)
{
	for (size_t i = 0; i < sizeof(decoders) / sizeof(decoders[0]); i++)
		if (decoders[i].fid == fid)
			return &decoders[i];
	return NULL;
}

bool feature_has_details(unsigned int fid)
{
	return decoder_of(fid) || bits_have(feature_bits, fid);
}

void feature_show_details(struct out *out, unsigned int fid, uint32_t value, const void *data,
			  size_t length)
{
	const struct feature_value f = { fid, value, data, length };
	const struct feature_decoder *decoder = decoder_of(fid);

	out_bits(out, feature_bits, fid, value);
	if (decoder && length)
		decoder->show(out, &f);
}
