/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the Identify commands. */
#pragma once

#include "device/request.h"

/* A command that prints the data of @cns; the members of its request come last. */
#define IDENTIFY_COMMAND(variable, name, summary, options, struct_, defaults_, cns, ...) \
	DEVICE_COMMAND_BINARY(variable, name, summary, options, struct_, .defaults = defaults_, \
			      REQUEST_ROW(.opcode = nvme_admin_identify, .cdw10 = cns, \
					  .data_len = NVME_IDENTIFY_DATA_SIZE, __VA_ARGS__))

/* Print the LBA formats of @ns, "lbafs" in JSON. If @marks, mark the one in use. */
void id_ns_show_formats(struct out *out, const struct nvme_id_ns *ns, bool explain, bool marks);

/* Print the vendor specific bytes of @ns as text, in JSON ("vs") only. */
void id_ns_show_vendor_text(struct out *out, const struct nvme_id_ns *ns);

/* Bits of Identify data; the id is the offset of the number in the structure. */
extern const struct bits id_ctrl_bits[];
extern const struct bits id_ns_bits[];
