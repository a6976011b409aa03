// SPDX-License-Identifier: GPL-2.0-or-later
/* The data that features carry beside their value: NVM Express Base Specification 2.0, "Get Features". */
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "feature-data.h"
#include "frame/frame.h"

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
		format_bytes(guid, range.guid, sizeof(range.guid), false);
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
	uint64_t ms = f->length >= 6 ? get_le(f->data, 6) : 0;
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
		size_t length = (size_t)get_le(f->data + at + 2, 2);
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
	format_bytes(text, f->data, extended ? 16 : 8, extended);
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

bool has_feature_details(unsigned int fid)
{
	return decoder_of(fid) || has_bits(feature_bits, fid);
}

void out_feature_details(struct out *out, unsigned int fid, uint32_t value, const void *data,
			 size_t length)
{
	const struct feature_value f = { fid, value, data, length };
	const struct feature_decoder *decoder = decoder_of(fid);

	out_bits(out, feature_bits, fid, value);
	if (decoder && length)
		decoder->show(out, &f);
}
