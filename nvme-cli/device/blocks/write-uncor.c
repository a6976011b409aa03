// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme write-uncor: NVM Command Set Specification 1.1, section 3.3.7 */
#include "commands.h"
#include "device/request.h"

struct uncor_args {
	uint32_t nsid;
	uint64_t slba;
	uint16_t nlb; /* 0's based */
	uint8_t dtype;
	uint16_t dspec;
	bool force;
};

static const struct arg options[] = {
	OPT(UINT, "namespace-id", 'n', struct uncor_args, nsid, "N",
	    "namespace; the device's own if left out"),
	OPT(SUFFIX, "start-block", 's', struct uncor_args, slba, "N", "first logical block"),
	OPT(SHORT, "block-count", 'c', struct uncor_args, nlb, "N", "number of blocks less one"),
	OPT(BYTE, "dir-type", 'T', struct uncor_args, dtype, "N", "directive type"),
	OPT(SHORT, "dir-spec", 'S', struct uncor_args, dspec, "N", "directive specific value"),
	OPT_FORCE(struct uncor_args, "write even if the device is in use"),
	GENERIC_OPTIONS,
	OPT_END,
};

static const struct request_part parts[] = {
	REQUEST_BITS(10, 0, 64, struct uncor_args, slba),
	REQUEST_BITS(12, 0, 16, struct uncor_args, nlb),
	REQUEST_PART(12, 20, 4, struct uncor_args, dtype, "directive type"),
	REQUEST_BITS(13, 16, 16, struct uncor_args, dspec),
	REQUEST_PART_END,
};

REQUEST_COMMAND(write_uncor_command, "write-uncor", "Make logical blocks unreadable", options,
		struct uncor_args, .opcode = nvme_cmd_write_uncor, .io = true,
		.has_nsid = REQUEST_OWN_NSID, .nsid = offsetof(struct uncor_args, nsid),
		.parts = parts, .erases = IN_USE_NS, .force = offsetof(struct uncor_args, force),
		.success = "NVME Write Uncorrectable Success");
