// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme id-ns, nvme ns-descs: Identify Namespace (CNS 00h) and its descriptors (CNS 03h) */
#include "identify.h"

/* OPTPERF: the preferred sizes NPWG to NOWS are valid; NPDG is valid only with bit 4. */
#define NSFEAT_OPTIMAL 0x30
#define NSFEAT_NPDG 0x10

struct id_ns_args {
	uint32_t nsid;
	bool force, vendor_specific, raw, human;
};

#define DEC(member) FIELD(DEC, struct nvme_id_ns, member)
#define HEX(member) FIELD(HEX, struct nvme_id_ns, member)

static const struct field *const id_ns_fields =
	FIELDS(FIELD_NOTED(HEX, struct nvme_id_ns, nsze, "Total size in logical blocks"),
	       FIELD_NOTED(HEX, struct nvme_id_ns, ncap, "Maximum size in logical blocks"),
	       FIELD_NOTED(HEX, struct nvme_id_ns, nuse, "Current size in logical blocks"),
	       HEX(nsfeat), DEC(nlbaf), HEX(flbas), HEX(mc), HEX(dpc), HEX(dps), HEX(nmic),
	       HEX(rescap), HEX(fpi), DEC(dlfeat), DEC(nawun), DEC(nawupf), DEC(nacwu), DEC(nabsn),
	       DEC(nabo), DEC(nabspf), DEC(noiob), DEC(nvmcap));

static const struct field write_fields[] = { DEC(npwg), DEC(npwa), FIELD_END };
static const struct field deallocate_fields[] = { DEC(npdg), FIELD_END };
static const struct field optimal_fields[] = { DEC(npda), DEC(nows), FIELD_END };

static const struct field *const more_fields =
	FIELDS(DEC(mssrl), DEC(mcl), DEC(msrc), DEC(kpios), DEC(nulbaf), DEC(kpiodaag),
	       DEC(anagrpid), DEC(nsattr), DEC(nvmsetid), DEC(endgid),
	       FIELD(BYTES, struct nvme_id_ns, nguid), FIELD(BYTES, struct nvme_id_ns, eui64));

static void show_format(struct out *out, unsigned int index, const struct nvme_lbaf *f, bool in_use)
{
	out_uint(out, "lbaf", index);
	out_uint(out, "ms", le16toh(f->ms));
	out_uint(out, "ds", f->ds);
	out_uint(out, "rp", f->rp);
	out_uint(out, "in_use", in_use);
}

/* Explain an LBA format. JSON has other fields than without -H, named as in nvme-cli 2.16. */
static void explain_format(struct out *out, unsigned int index, const struct nvme_lbaf *f,
			   bool in_use, bool mark)
{
	static const char *const performances[] = { "Best", "Better", "Good", "Degraded" };
	const char *performance = performances[f->rp & 3];
	char size[24], text[40];

	if (f->ds < 64)
		snprintf(size, sizeof(size), "%" PRIu64, UINT64_C(1) << f->ds);
	else
		snprintf(size, sizeof(size), "2^%u", f->ds);
	out_text(out,
		 "LBA Format %2u : Metadata Size: %-3u bytes - Data Size: %-2s bytes - "
		 "Relative Performance: %#x %s %s\n",
		 index, le16toh(f->ms), size, f->rp, performance, mark && in_use ? "(in use)" : "");
	out_uint(out, "LBA Format", index);
	snprintf(text, sizeof(text), "%u bytes", le16toh(f->ms));
	out_str(out, "Metadata Size", text);
	snprintf(text, sizeof(text), "%s bytes", size);
	out_str(out, "Data Size", text);
	snprintf(text, sizeof(text), "%#x %s", f->rp, performance);
	if (!f->rp)
		snprintf(text, sizeof(text), "0x0 %s", performance);
	out_str(out, "Relative Performance", text);
	out_str(out, "in use", in_use ? "yes" : "no");
}

void id_ns_show_formats(struct out *out, const struct nvme_id_ns *ns, bool explain, bool marks)
{
	const unsigned int n = ns->nlbaf + ns->nulbaf + 1U, in_use = device_lbaf(ns->flbas);

	out_array(out, "lbafs");
	for (unsigned int i = 0; i < n && i < 64; i++) {
		const struct nvme_lbaf *f = &ns->lbaf[i];

		out_object(out, NULL);
		if (explain) {
			explain_format(out, i, f, i == in_use, marks);
		} else {
			out_text(out, "lbaf %2u : ms:%-3u lbads:%-2u rp:%#x%s\n", i, le16toh(f->ms),
				 f->ds, f->rp, marks && i == in_use ? " (in use)" : "");
			show_format(out, i, f, i == in_use);
		}
		out_end(out);
	}
	out_end(out);
}

/* Print vendor specific bytes like nvme-cli 2.x: text up to a zero, in strings of 16 characters. */
void id_ns_show_vendor_text(struct out *out, const struct nvme_id_ns *ns)
{
	const size_t length = strnlen((const char *)ns->vs, sizeof(ns->vs));
	char piece[17];

	out_array(out, "vs");
	for (size_t at = 0; at < length; at += sizeof(piece) - 1) {
		size_t n = length - at < sizeof(piece) - 1 ? length - at : sizeof(piece) - 1;

		bytes_format_text(piece, ns->vs + at, n);
		out_str(out_json_only(out), NULL, piece);
	}
	out_end(out);
}

static int answer_id_ns(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct nvme_id_ns *ns = request_data(c);
	const struct id_ns_args *args = cmd->args;
	const struct bits *bits = args->human || cmd->common.verbose ? id_ns_bits : NULL;
	struct out *out = cmd->out;

	out_text(out, "NVME Identify Namespace %u:\n", c->nsid);
	out_listing(out, NULL, OUT_PAD_COLON, 8);
	out_fields(out, id_ns_fields, bits, ns);
	if (ns->nsfeat & NSFEAT_OPTIMAL)
		out_fields(out, write_fields, bits, ns);
	if (ns->nsfeat & NSFEAT_NPDG)
		out_fields(out, deallocate_fields, bits, ns);
	if (ns->nsfeat & NSFEAT_OPTIMAL)
		out_fields(out, optimal_fields, bits, ns);
	out_fields(out, more_fields, bits, ns);
	id_ns_show_formats(out, ns, bits, true);
	if (out_is_json(out))
		id_ns_show_vendor_text(out, ns);
	if (args->vendor_specific) {
		out_text(out, "vs[]:\n");
		out_dump(out, "vs_bytes", ns->vs, sizeof(ns->vs));
	}
	return out_end(out);
}

static int build_id_ns(struct command *cmd, struct nvme_passthru_cmd *c)
{
	const struct id_ns_args *args = cmd->args;

	c->cdw10 = args->force ? NVME_IDENTIFY_CNS_ALLOCATED_NS : NVME_IDENTIFY_CNS_NS;
	return 0;
}

IDENTIFY_COMMAND(
	id_ns_command, "id-ns", "Identify Namespace",
	BINARY(OPT_NSID(struct id_ns_args),
	       OPT_FLAG("force", 0, struct id_ns_args, force,
			"also show an allocated, inactive namespace"),
	       OPT_FLAG("vendor-specific", 'V', struct id_ns_args, vendor_specific,
			"also show the vendor specific bytes"),
	       OPT_FLAG("raw-binary", 'b', struct id_ns_args, raw, "write the structure's bytes"),
	       OPT_FLAG("human-readable", 'H', struct id_ns_args, human, "explain the bits")),
	struct id_ns_args, NULL, 0, .what = "identify namespace",
	REQUEST_NSID(OWN, struct id_ns_args), .build = build_id_ns, .answer = answer_id_ns);

struct descriptor_type {
	const char *name;
	size_t length;
	enum field_kind kind;
};

static const struct descriptor_type descriptor_types[] = {
	[NVME_NIDT_EUI64] = { "eui64", NVME_NIDT_EUI64_LEN, FIELD_BYTES },
	[NVME_NIDT_NGUID] = { "nguid", NVME_NIDT_NGUID_LEN, FIELD_BYTES },
	[NVME_NIDT_UUID] = { "uuid", NVME_NIDT_UUID_LEN, FIELD_UUID },
	[NVME_NIDT_CSI] = { "csi", NVME_NIDT_CSI_LEN, FIELD_HEX_TEXT },
};

/* Return the type of a descriptor, or NULL if the type is unknown or has another length. */
static const struct descriptor_type *type_of(const struct nvme_ns_id_desc *desc)
{
	const struct descriptor_type *type;

	if (desc->nidt >= sizeof(descriptor_types) / sizeof(descriptor_types[0]))
		return NULL;
	type = &descriptor_types[desc->nidt];
	return type->name && type->length == desc->nidl ? type : NULL;
}

static void show_header(struct out *out, const struct nvme_ns_id_desc *desc, const char *type,
			size_t at, bool verbose)
{
	if (!verbose && !out_is_json(out))
		return;
	out_uint(out, "loc", at);
	out_uint(out, "nidt", desc->nidt);
	out_uint(out, "nidl", desc->nidl);
	out_str(out_label(out, "type"), "Type", type);
}

static void show_id_ns_descriptor(struct out *out, const struct nvme_ns_id_desc *desc,
				  const void *nid, size_t at, bool verbose)
{
	const struct descriptor_type *type = type_of(desc);

	out_listing(out, NULL, OUT_PAD_COLON, 8);
	show_header(out, desc, type ? type->name : "unknown", at, verbose);
	if (type) {
		const struct field field[] = {
			{ type->name, 0, type->length, type->kind },
			FIELD_END,
		};

		out_fields(out, field, NULL, nid);
	} else {
		out_text(out, "unknown descriptor type %u of %u bytes\n", desc->nidt, desc->nidl);
	}
	out_end(out);
}

static int answer_ns_descs(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const unsigned char *list = request_data(c);
	struct out *out = cmd->out;
	size_t at = 0;

	out_text(out, "NVME Namespace Identification Descriptors NS %u:\n", c->nsid);
	out_object(out, NULL);
	out_array(out, "ns-descs");
	while (at + sizeof(struct nvme_ns_id_desc) <= NVME_IDENTIFY_DATA_SIZE) {
		const unsigned char *nid = list + at + sizeof(struct nvme_ns_id_desc);
		struct nvme_ns_id_desc desc;

		memcpy(&desc, list + at, sizeof(desc)); /* it is unaligned */
		if (!desc.nidl || nid + desc.nidl > list + NVME_IDENTIFY_DATA_SIZE)
			break;
		show_id_ns_descriptor(out, &desc, nid, at, cmd->common.verbose);
		at += sizeof(desc) + desc.nidl;
	}
	return out_ends(out, 2);
}

IDENTIFY_COMMAND(ns_descs_command, "ns-descs", "List the identifiers of a namespace",
		 BINARY(OPT_NSID(struct id_ns_args), OPT_FLAG("raw-binary", 'b', struct id_ns_args,
							      raw, "write the list's bytes")),
		 struct id_ns_args, NULL, NVME_IDENTIFY_CNS_NS_DESC_LIST,
		 .what = "identify namespace descriptors", REQUEST_NSID(OWN, struct id_ns_args),
		 .answer = answer_ns_descs);
