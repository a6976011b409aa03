// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme cmdset-ind-id-ns: I/O Command Set Independent Identify Namespace (CNS 08h) */
#include "commands.h"
#include "id-bits.h"
#include "identify.h"

struct ind_id_ns_args {
	uint32_t nsid;
	bool raw;
	bool human;
};

static const struct arg options[] = {
	OPT(UINT, "namespace-id", 'n', struct ind_id_ns_args, nsid, "N",
	    "namespace; the device's own if left out"),
	OPT_FLAG("raw-binary", 'b', struct ind_id_ns_args, raw, "write the structure's bytes"),
	OPT_FLAG("human-readable", 'H', struct ind_id_ns_args, human, "explain the bits"),
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

enum { FEATURES, STATE };

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
#define NONE(kind, member) EXPLAINED(kind, DATA, member, NULL, 0)
#define SAME(kind, member) \
	EXPLAINED(kind, DATA, member, id_ns_bits, offsetof(struct nvme_id_ns, member))

static const struct explained fields[] = {
	EXPLAINED(HEX, DATA, nsfeat, own_bits, FEATURES),
	SAME(HEX, nmic),
	SAME(HEX, rescap),
	SAME(HEX, fpi),
	NONE(DEC, anagrpid),
	SAME(DEC, nsattr),
	NONE(DEC, nvmsetid),
	NONE(DEC, endgid),
	EXPLAINED(HEX, DATA, nstat, own_bits, STATE),
	SAME(HEX, kpios),
	NONE(HEX, maxkt),
	NONE(HEX, rgrpid),
	EXPLAINED_END,
};

static int answer_cmdset_ind_id_ns(struct command *cmd, const struct device *dev,
				   const struct nvme_passthru_cmd *c)
{
	const struct ind_id_ns_args *args = cmd->args;
	struct out *out = cmd->out;

	out_text(out, "NVME Identify Command Set Independent Namespace %u:\n", c->nsid);
	out_listing(out, NULL, OUT_PAD_COLON, 8);
	id_explained(out, fields, args->human || cmd->common.verbose, request_data(c));
	return out_end(out);
}

IDENTIFY_COMMAND(cmdset_ind_id_ns_command, "cmdset-ind-id-ns",
		 "Identify Namespace, independent of its I/O command set", options,
		 struct ind_id_ns_args, NULL, NVME_IDENTIFY_CNS_CSI_INDEPENDENT_ID_NS,
		 .has_nsid = REQUEST_OWN_NSID, .nsid = offsetof(struct ind_id_ns_args, nsid),
		 .answer = answer_cmdset_ind_id_ns);
