// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme zns id-ctrl, id-ns: Identify data of Zoned Namespaces (CNS 06h and 05h, CSI 02h) */
#include "device/identify/identify.h"
#include "zns.h"

#define FORMATS 64 /* that fit into Identify data */

static int identify(struct command *cmd, const struct device *dev, uint32_t nsid,
		    struct nvme_id_ns *ns, struct nvme_zns_id_ns *zns)
{
	int ret = nvme_identify_ns(dev->fd, nsid, ns);

	if (!ret)
		ret = nvme_zns_identify_ns(dev->fd, nsid, zns);
	/* After a dry run there is no answer to process. */
	return ret ? device_result(cmd, ret, "identify namespace") || 1 : 0;
}

int zns_read_layout(struct command *cmd, const struct device *dev, uint32_t nsid,
		    struct zns_layout *layout)
{
	struct nvme_id_ns ns = { 0 };
	struct nvme_zns_id_ns zns = { 0 };
	const struct nvme_zns_lbafe *format;

	if (identify(cmd, dev, nsid, &ns, &zns))
		return 1;
	format = &zns.lbafe[device_lbaf(ns.flbas)];
	*layout = (struct zns_layout){
		.blocks = le64toh(ns.nsze),
		.zone_size = le64toh(format->zsze),
		.extension = format->zdes * ZNS_DESC_EXTENSION_UNIT,
	};
	return 0;
}

struct id_args {
	uint32_t nsid;
	bool vendor_specific, human;
};
#define ARGS struct id_args

static const struct field *const ctrl_fields = FIELDS(FIELD(DEC, struct nvme_zns_id_ctrl, zasl));

static int show_ctrl(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	struct out *out = cmd->out;

	out_text(out, "NVMe ZNS Identify Controller:\n");
	out_listing(out, NULL, OUT_PAD_COLON, 8);
	out_fields(out, ctrl_fields, NULL, (const void *)(uintptr_t)c->addr);
	return out_end(out);
}

IDENTIFY_COMMAND(zns_id_ctrl_command, "id-ctrl",
		 "Identify Controller of the Zoned Namespace command set",
		 OPTIONS(GENERIC_OPTIONS_BINARY), ARGS, NULL, NVME_IDENTIFY_CNS_CSI_CTRL,
		 .cdw11 = NVME_CSI_ZNS << 24, .answer = show_ctrl);

/* -v is --vendor-specific, as in nvme-cli 2.x. */
static const struct arg ns_options[] = {
	OPT_NSID(struct id_args),
	OPT_FLAG("vendor-specific", 'v', ARGS, vendor_specific,
		 "also show the vendor specific bytes"),
	OPT_FLAG("human-readable", 'H', ARGS, human, "explain the bits"),
	OPT_FORMAT_BINARY,
	OPT_COMMON_LATE(COUNT, "verbose", 0, verbose, NULL, "print more; repeat for debugging"),
	OPT_TIMEOUT('t'),
	OPT_SENDING,
	OPT_END,
};

enum { OPERATIONS, COMMANDS, WRITE_AREA };

static const struct bits ns_bits[] = {
	{ OPERATIONS, 2, 14, "Reserved", .style = BITS_ONE_BLANK, .only_if = BITS_MASK(15, 2) },
	{ OPERATIONS, 1, 1,
	  "  Zone Active Excursions:", .words = WORDS("No", "Yes (Host support required)") },
	{ OPERATIONS, 0, 1,
	  "  Variable Zone Capacity:", .words = WORDS("No", "Yes (Host support required)") },
	{ COMMANDS, 2, 14, "Reserved", .style = BITS_ONE_BLANK, .only_if = BITS_MASK(15, 2) },
	{ COMMANDS, 0, 1, "  Read Across Zone Boundaries:", .words = WORDS("No", "Yes") },
	{ COMMANDS, 1, 1, "  Zone Random Write Area:", .words = WORDS("No", "Yes") },
	{ WRITE_AREA, 1, 7, "Reserved", .style = BITS_ONE_BLANK, .only_if = BITS_MASK(7, 1) },
	{ WRITE_AREA, 0, 1, "  Explicit ZRWA Flush Operations:", .words = WORDS("No", "Yes") },
	{ 0, 0, 0, NULL },
};

static void show_bits(struct out *out, const char *key, unsigned int id, uint64_t value,
		      const char *title, bool explain)
{
	out_uint_as(out, key, value, "%" PRIu64 "%s%s", value, explain ? "\t" : "",
		    explain ? title : "");
	if (explain)
		out_bits_text(out, ns_bits, id, value);
}

/* Print a limit, which is 0's based; all ones: no limit. */
static void show_resources(struct out *out, const char *key, __le32 number, const char *what,
			   bool explain)
{
	const uint32_t value = le32toh(number);

	if (!explain)
		out_uint_as(out, key, value, "%#" PRIx32, value);
	else if (value == UINT32_MAX)
		out_uint_as(out, key, value, "No %s Resource Limit", what);
	else
		out_uint_as(out, key, value, "%" PRIu32 "\t%s Resources", value + 1, what);
}

static void show_limits(struct out *out, const struct nvme_zns_id_ns *zns, bool explain)
{
	const struct {
		const char *key;
		__le32 value;
	} limits[] = {
		{ "rrl", zns->rrl },   { "frl", zns->frl },   { "rrl1", zns->rrl1 },
		{ "rrl2", zns->rrl2 }, { "rrl3", zns->rrl3 }, { "frl1", zns->frl1 },
		{ "frl2", zns->frl2 }, { "frl3", zns->frl3 },
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		const uint32_t seconds = le32toh(limits[i].value);

		if (explain && !seconds)
			out_uint_as(out, limits[i].key, seconds, "Not Reported");
		else
			out_uint(out, limits[i].key, seconds);
	}
}

static const struct field *const area_fields = FIELDS(FIELD(HEX, struct nvme_zns_id_ns, numzrwa),
						      FIELD(DEC, struct nvme_zns_id_ns, zrwafg),
						      FIELD(DEC, struct nvme_zns_id_ns, zrwasz));

static void show_format(struct out *out, unsigned int index, const struct nvme_zns_lbafe *format,
			bool explain, bool in_use)
{
	const uint64_t size = le64toh(format->zsze);
	const char *note = in_use ? " (in use)" : "";

	if (explain)
		out_text(out,
			 "LBA Format Extension %2u : Zone Size: %#" PRIx64
			 " LBAs - Zone Descriptor Extension Size: %u bytes%s\n",
			 index, size, format->zdes * ZNS_DESC_EXTENSION_UNIT, note);
	else
		out_text(out, "lbafe %2u: zsze:%#" PRIx64 " zdes:%u%s\n", index, size, format->zdes,
			 note);
	out_object(out, NULL);
	out_uint(out, "zsze", size);
	out_uint(out, "zdes", format->zdes);
	out_end(out);
}

static void show_formats(struct out *out, const struct nvme_id_ns *ns,
			 const struct nvme_zns_id_ns *zns, bool explain)
{
	const unsigned int n = ns->nlbaf + ns->nulbaf + 1U;

	out_array(out, "lbafe");
	for (unsigned int i = 0; i < n && i < FORMATS; i++)
		show_format(out, i, &zns->lbafe[i], explain, i == device_lbaf(ns->flbas));
	out_end(out);
}

static int show_ns(struct command *cmd, const struct nvme_id_ns *ns,
		   const struct nvme_zns_id_ns *zns)
{
	const struct id_args *args = cmd->args;
	const bool explain = args->human || cmd->common.verbose;
	struct out *out = cmd->out;

	out_text(out, "ZNS Command Set Identify Namespace:\n");
	out_listing(out, NULL, OUT_PAD_COLON, 8);
	show_bits(out, "zoc", OPERATIONS, le16toh(zns->zoc), "Zone Operation Characteristics",
		  explain);
	show_bits(out, "ozcs", COMMANDS, le16toh(zns->ozcs), "Optional Zoned Command Support",
		  explain);
	show_resources(out, "mar", zns->mar, "Active", explain);
	show_resources(out, "mor", zns->mor, "Open", explain);
	show_limits(out, zns, explain);
	out_fields(out, area_fields, NULL, zns);
	show_bits(out, "zrwacap", WRITE_AREA, zns->zrwacap, "Zone Random Write Area Capability",
		  explain);
	show_formats(out, ns, zns, explain);
	if (args->vendor_specific && !out_is_json(out)) {
		out_text(out, "vs[]    :\n");
		out_dump(out, NULL, zns->vs, sizeof(zns->vs));
	}
	return out_end(out);
}

static int id_ns(struct command *cmd)
{
	const struct id_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	struct nvme_id_ns ns = { 0 };
	struct nvme_zns_id_ns zns = { 0 };
	uint32_t nsid;

	if (device_open(cmd, &dev) || device_nsid(cmd, &dev, args->nsid, &nsid) ||
	    identify(cmd, &dev, nsid, &ns, &zns))
		return 1;
	if (command_writes_bytes(cmd))
		return bytes_write(cmd, &zns, sizeof(zns));
	return show_ns(cmd, &ns, &zns);
}

DEVICE_COMMAND_BINARY(zns_id_ns_command, "id-ns",
		      "Identify Namespace of the Zoned Namespace command set", ns_options, ARGS,
		      .run = id_ns);
