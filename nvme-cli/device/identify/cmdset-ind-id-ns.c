// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme cmdset-ind-id-ns: I/O Command Set Independent Identify Namespace (CNS 08h) */
#include "identify.h"

struct ind_id_ns_args {
	uint32_t nsid;
	bool raw, human;
};

enum { FEATURES, STATE, NONE };

static const struct bits own_bits[] = {
	{ FEATURES, 6, 2, "Reserved", .only_if = BITS_MASK(7, 6) },
	{ FEATURES, 5, 1, "Volatile Write Cache is", .words = WORDS("Not Present", "Present") },
	{ FEATURES, 4, 1, "Namespace",
	  .words = WORDS("does not store data on rotational media",
			 "store data on rotational media") },
	{ FEATURES, 3, 1, "NGUID and EUI64 fields if non-zero,",
	  .words = WORDS("Reused", "Never Reused") },
	{ FEATURES, 0, 3, "Reserved", .only_if = BITS_MASK(2, 0) },
	{ STATE, 3, 5, "Reserved", .only_if = BITS_MASK(7, 3) },
	{ STATE, 1, 2, "",
	  .words = WORDS("I/O performance degradation is not reported", "Reserved",
			 "I/O performance is not currently degraded",
			 "I/O performance is currently degraded") },
	{ STATE, 0, 1, "Name space is", .words = WORDS("not ready", "ready") },
	{ 0, 0, 0, NULL },
};

#define DATA struct nvme_id_independent_id_ns
#define OWN(kind, member, id) \
	{ \
		{ FIELD(kind, DATA, member), FIELD_END }, own_bits, id \
	}
#define SAME(kind, member) \
	{ \
		{ FIELD(kind, DATA, member), FIELD_END }, id_ns_bits, \
			offsetof(struct nvme_id_ns, member) \
	}

/* Most fields are in the data of id-ns as well, at other offsets. */
static const struct {
	struct field field[2]; /* one field, and the end of the table */
	const struct bits *bits;
	unsigned int id; /* of its rows in @bits */
} fields[] = {
	OWN(HEX, nsfeat, FEATURES), SAME(HEX, nmic),
	SAME(HEX, rescap),	    SAME(HEX, fpi),
	SAME(DEC, anagrpid),	    SAME(DEC, nsattr),
	SAME(DEC, nvmsetid),	    SAME(DEC, endgid),
	OWN(HEX, nstat, STATE),	    SAME(HEX, kpios),
	OWN(HEX, maxkt, NONE),	    OWN(HEX, rgrpid, NONE),
};

static int answer_cmdset_ind_id_ns(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	const struct ind_id_ns_args *args = cmd->args;
	const char *data = request_data(c);
	struct out *out = cmd->out;

	out_text(out, "NVME Identify Command Set Independent Namespace %u:\n", c->nsid);
	out_listing(out, NULL, OUT_PAD_COLON, 8);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		out_fields(out, fields[i].field, NULL, data);
		if (args->human || cmd->common.verbose)
			out_bits_text(out, fields[i].bits, fields[i].id,
				      field_get_le(data + fields[i].field->offset,
						   fields[i].field->size));
	}
	return out_end(out);
}

IDENTIFY_COMMAND(cmdset_ind_id_ns_command, "cmdset-ind-id-ns",
		 "Identify Namespace, independent of its I/O command set",
		 BINARY(OPT_NSID(struct ind_id_ns_args),
			OPT_FLAG("raw-binary", 'b', struct ind_id_ns_args, raw,
				 "write the structure's bytes"),
			OPT_FLAG("human-readable", 'H', struct ind_id_ns_args, human,
				 "explain the bits")),
		 struct ind_id_ns_args, NULL, NVME_IDENTIFY_CNS_CSI_INDEPENDENT_ID_NS,
		 REQUEST_NSID(OWN, struct ind_id_ns_args), .answer = answer_cmdset_ind_id_ns);
