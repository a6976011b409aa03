/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands for Identify data share. */
#pragma once

#include "device/request.h"

/* The command NAME that shows the data of @cns; members of its request come last. */
#define IDENTIFY_COMMAND(variable, name, summary, options, struct_, defaults_, cns, ...) \
	REQUEST_COMMAND_WITH(variable, name, summary, options, struct_, defaults_, \
			     OUT_TEXT | OUT_JSON | OUT_BINARY, .opcode = nvme_admin_identify, \
			     .cdw10 = cns, .data_len = NVME_IDENTIFY_DATA_SIZE, __VA_ARGS__)

/* Fields whose bits a table explains: NULL for none. */
struct explained {
	struct field field[2]; /* one, and the end */
	const struct bits *bits;
	unsigned int id; /* in @bits */
};

#define EXPLAINED(kind, struct_, member, bits_, id_) \
	{ \
		.field = { FIELD(kind, struct_, member), FIELD_END }, .bits = bits_, .id = id_, \
	}
#define EXPLAINED_END \
	{ \
		.field = { FIELD_END }, \
	}

/* A line or JSON field for each, explained in text if @explain. */
void id_explained(struct out *out, const struct explained *fields, bool explain, const void *base);

/* LBA formats of @ns, "lbafs" in JSON; the one in use is marked if @marks. */
void id_ns_show_formats(struct out *out, const struct nvme_id_ns *ns, bool explain, bool marks);

/* Vendor specific bytes of @ns, "vs" in JSON, where alone they are shown. */
void id_ns_show_vendor_text(struct out *out, const struct nvme_id_ns *ns);
