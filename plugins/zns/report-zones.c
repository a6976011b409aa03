// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme zns report-zones: Report Zones, in pieces, each printed before the next is read. */
#include "zns.h"

#define MAX_DESCRIPTORS 1024 /* in a piece, unless that exceeds MAX_PIECE bytes */
#define MAX_PIECE (UINT32_C(1) << 20)

struct report_args {
	uint32_t nsid;
	uint64_t slba;
	uint32_t descs;
	uint8_t state;
	bool descs_given, extended, partial;
};

static const struct arg options[] = {
	OPT_NSID(struct report_args),
	OPT(SUFFIX, "start-lba", 's', struct report_args, slba, "LBA",
	    "first logical block of the first zone"),
	OPT_NOTED(UINT, "descs", 'd', struct report_args, descs, descs_given, "N",
		  "maximum number of zones to report"),
	OPT(BYTE, "state", 'S', struct report_args, state, "N",
	    "zones to report: 0 all, 1 empty, 2 opened implicitly, 3 opened explicitly, 4 closed, "
	    "5 full, 6 read only, 7 offline"),
	OPT_FLAG("extended", 'e', struct report_args, extended,
		 "include the zone descriptor extensions"),
	OPT_FLAG("partial", 'p', struct report_args, partial,
		 "let the controller count only the zones of each piece"),
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

/* State of a report. */
struct report {
	struct command *cmd;
	const struct device *dev;
	struct zns_layout layout;
	uint32_t nsid;
	uint32_t stride; /* bytes of a descriptor, including its extension if that is reported */
	uint32_t capacity; /* descriptors in a piece */
	uint64_t start; /* first block of the next zone */
	uint64_t left; /* zones to report */
	struct nvme_zone_report *piece;
};

static int fetch(const struct report *r, uint32_t n, bool extended, bool partial)
{
	const struct report_args *args = r->cmd->args;
	const uint32_t length = (uint32_t)sizeof(*r->piece) + n * r->stride;
	int ret = nvme_zns_report_zones(r->dev->fd, r->nsid, r->start,
					(enum nvme_zns_report_options)args->state, extended,
					partial, length, r->piece, r->cmd->common.timeout, NULL);

	return ret ? device_result(r->cmd, ret, "zns-report-zones") || 1 : 0;
}

/* Count the zones from the first one on. They must fit into the namespace. */
static int count_zones(struct report *r, uint64_t *n)
{
	const struct zns_layout *layout = &r->layout;
	uint64_t room = layout->zone_size ? layout->blocks / layout->zone_size : 0;

	if (fetch(r, 0, false, false))
		return 1;
	*n = le64toh(r->piece->nr_zones);
	if (*n <= room)
		return 0;
	return command_fail(r->cmd, 0,
			    "%s: %" PRIu64 " zones of %" PRIu64
			    " blocks do not fit into the namespace, which has %" PRIu64 " blocks",
			    r->cmd->name, *n, layout->zone_size, layout->blocks);
}

static const struct name states[] = {
	{ NVME_ZNS_ZS_EMPTY, "EMPTY" },		 { NVME_ZNS_ZS_IMPL_OPEN, "IMP_OPENED" },
	{ NVME_ZNS_ZS_EXPL_OPEN, "EXP_OPENED" }, { NVME_ZNS_ZS_CLOSED, "CLOSED" },
	{ NVME_ZNS_ZS_READ_ONLY, "READONLY" },	 { NVME_ZNS_ZS_FULL, "FULL" },
	{ NVME_ZNS_ZS_OFFLINE, "OFFLINE" },	 { 0, NULL, NULL },
};

static const struct name types[] = {
	{ NVME_ZONE_TYPE_SEQWRITE_REQ, "SEQWRITE_REQ" },
	{ 0, NULL, NULL },
};

static const char *state_of(const struct nvme_zns_desc *zone)
{
	return name_or(states, zone->zs >> 4, "Unknown State");
}

/* nvme-cli 2.x prints "Vaild", and scripts read it. */
static void show_attributes(struct out *out, const struct nvme_zns_desc *zone)
{
	out_text(out, "Attrs: Zone Descriptor Extension is %s\n",
		 zone->za & NVME_ZNS_ZA_ZDEV ? "Vaild" : "Not Vaild");
	if (zone->za & NVME_ZNS_ZA_RZR)
		out_text(out, "       Reset Zone Recommended with Reset Recommended Limit%u\n",
			 zone->zai >> 2 & 3U);
	if (zone->za & NVME_ZNS_ZA_FZR)
		out_text(out, "       Finish Zone Recommended with Finish Recommended Limit%u\n",
			 zone->zai & 3U);
	if (zone->za & NVME_ZNS_ZA_ZFC)
		out_text(out, "       Zone Finished by Controller\n");
}

static void show_text(struct out *out, const struct nvme_zns_desc *zone, bool verbose)
{
	out_text(out, "SLBA: %#-10" PRIx64 " WP: %#-10" PRIx64 " Cap: %#-10" PRIx64 " ",
		 le64toh(zone->zslba), le64toh(zone->wp), le64toh(zone->zcap));
	if (!verbose) {
		out_text(out, "State: %#-4x Type: %#-4x Attrs: %#-4x AttrsInfo: %#-4x\n", zone->zs,
			 zone->zt, zone->za, zone->zai);
		return;
	}
	out_text(out, "State: %-12s Type: %-14s\n", state_of(zone), name_of(types, zone->zt));
	show_attributes(out, zone);
}

static void show_extension(struct out *out, const struct nvme_zns_desc *zone, uint32_t length)
{
	if (!(zone->za & NVME_ZNS_ZA_ZDEV)) {
		out_str(out, "ext_data", "Not valid");
		return;
	}
	out_text(out, "Extension Data: ");
	out_dump_characters(out, "ext_data", zone + 1, length);
	out_text(out, "..\n");
}

static void show_zone(const struct report *r, const struct nvme_zns_desc *zone)
{
	const struct report_args *args = r->cmd->args;
	struct out *out = r->cmd->out;

	out_object(out, NULL);
	show_text(out, zone, r->cmd->common.verbose);
	out_uint(out, "slba", le64toh(zone->zslba));
	out_uint(out, "wp", le64toh(zone->wp));
	out_uint(out, "cap", le64toh(zone->zcap));
	out_str(out, "state", state_of(zone));
	out_str(out, "type", name_of(types, zone->zt));
	out_uint(out, "attrs", zone->za);
	out_uint(out, "attrs_info", zone->zai);
	if (args->extended && r->layout.extension)
		show_extension(out, zone, r->layout.extension);
	out_end(out);
}

static const struct nvme_zns_desc *zone_at(const struct report *r, uint32_t i)
{
	return (const void *)((const char *)r->piece->entries + (size_t)i * r->stride);
}

static int write_piece(const struct report *r, uint32_t n, bool first)
{
	if (first && bytes_write(r->cmd, r->piece, sizeof(*r->piece)))
		return 1;
	return bytes_write(r->cmd, r->piece->entries, (size_t)n * r->stride);
}

/* Go on after the last of @n zones. A report without progress would never end, and is an error. */
static int advance(struct report *r, uint32_t n)
{
	const uint64_t last = le64toh(zone_at(r, n - 1)->zslba);

	r->left -= n;
	if (r->left && (last < r->start || last > UINT64_MAX - r->layout.zone_size))
		return command_fail(r->cmd, 0,
				    "%s: the report from block %#" PRIx64
				    " does not advance: it ends at %#" PRIx64,
				    r->cmd->name, r->start, last);
	r->start = last + r->layout.zone_size;
	return 0;
}

static int read_piece(struct report *r, bool first)
{
	const struct report_args *args = r->cmd->args;
	uint32_t n = r->left < r->capacity ? (uint32_t)r->left : r->capacity;

	if (fetch(r, n, args->extended, args->partial))
		return 1;
	if (le64toh(r->piece->nr_zones) < n)
		return command_fail(r->cmd, 0,
				    "%s: %" PRIu64 " zones reported from block %#" PRIx64
				    ", not %u",
				    r->cmd->name, le64toh(r->piece->nr_zones), r->start, n);
	if (command_writes_bytes(r->cmd))
		return write_piece(r, n, first) || advance(r, n);
	for (uint32_t i = 0; i < n; i++)
		show_zone(r, zone_at(r, i));
	return advance(r, n);
}

static int show_report_zones(struct report *r, uint64_t n)
{
	struct out *out = r->cmd->out;

	if (!command_writes_bytes(r->cmd)) {
		out_object(out, NULL);
		out_text(out, "nr_zones: %" PRIu64 "\n", n);
		out_uint(out, "nr_zones", n);
		out_array(out, "zone_list");
	}
	for (bool first = true; r->left; first = false)
		if (read_piece(r, first))
			return 1;
	if (command_writes_bytes(r->cmd))
		return 0;
	return out_ends(out, 2);
}

static int report_zones(struct command *cmd)
{
	const struct report_args *args = cmd->args;
	_cleanup_(device_close) struct device dev = DEVICE_NONE;
	_cleanup_(free) void *piece = NULL;
	struct report r = { .cmd = cmd, .dev = &dev, .start = args->slba };
	uint64_t n = 0;

	if (device_open(cmd, &dev) || device_nsid(cmd, &dev, args->nsid, &r.nsid) ||
	    zns_read_layout(cmd, &dev, r.nsid, &r.layout))
		return 1;
	r.stride =
		(uint32_t)sizeof(struct nvme_zns_desc) + (args->extended ? r.layout.extension : 0);
	r.capacity =
		MAX_PIECE / r.stride < MAX_DESCRIPTORS ? MAX_PIECE / r.stride : MAX_DESCRIPTORS;
	piece = calloc(1, sizeof(*r.piece) + (size_t)r.capacity * r.stride);
	if (!piece)
		return command_fail(cmd, ENOMEM, "%s", cmd->name);
	r.piece = piece;
	if (count_zones(&r, &n))
		return 1;
	r.left = args->descs_given && args->descs < n ? args->descs : n;
	return show_report_zones(&r, n);
}

DEVICE_COMMAND_BINARY(zns_report_zones_command, "report-zones", "Report the zones of a namespace",
		      options, struct report_args, .run = report_zones);
