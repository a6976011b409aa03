/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the Identify commands. */
#pragma once

#include "device/request.h"

/* A command that prints the data of @cns; the members of its request come last. */
#define IDENTIFY_COMMAND(variable, name, summary, options, struct_, defaults_, cns, ...) \
	REQUEST_COMMAND_WITH(variable, name, summary, options, struct_, defaults_, \
			     OUT_TEXT | OUT_JSON | OUT_BINARY, .opcode = nvme_admin_identify, \
			     .cdw10 = cns, .data_len = NVME_IDENTIFY_DATA_SIZE, __VA_ARGS__)

/* A field, and the table that explains its bits or NULL. */
struct explained {
	struct field field[2]; /* one field, and the end of the table */
	const struct bits *bits;
	unsigned int id; /* of its rows in @bits */
};

#define EXPLAINED(kind, struct_, member, bits_, id_) \
	{ \
		.field = { FIELD(kind, struct_, member), FIELD_END }, .bits = bits_, .id = id_, \
	}
#define EXPLAINED_END \
	{ \
		.field = { FIELD_END }, \
	}

/* Print a line or JSON field for each entry and, in text if @explain, the meaning of its bits. */
void id_explained(struct out *out, const struct explained *fields, bool explain, const void *base);

/* Print the LBA formats of @ns, "lbafs" in JSON. If @marks, mark the one in use. */
void id_ns_show_formats(struct out *out, const struct nvme_id_ns *ns, bool explain, bool marks);

/* Print the vendor specific bytes of @ns as text, in JSON ("vs") only. */
void id_ns_show_vendor_text(struct out *out, const struct nvme_id_ns *ns);
