// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme write-uncor: NVM Command Set Specification 1.1, section 3.3.7 */
#include "device/request.h"

struct uncor_args {
	uint32_t nsid;
	uint64_t slba;
	uint16_t nlb; /* 0's based */
	uint8_t dtype;
	uint16_t dspec;
	bool force;
};
#define ARGS struct uncor_args

REQUEST_COMMAND(write_uncor_command, "write-uncor", "Make logical blocks unreadable",
		GENERIC(OPT_NSID(ARGS),
			OPT(SUFFIX, "start-block", 's', ARGS, slba, "N", "first logical block"),
			OPT(SHORT, "block-count", 'c', ARGS, nlb, "N", "number of blocks less one"),
			OPT(BYTE, "dir-type", 'T', ARGS, dtype, "N", "directive type"),
			OPT(SHORT, "dir-spec", 'S', ARGS, dspec, "N", "directive specific value"),
			OPT_FORCE(ARGS, "write even if the device is in use")),
		ARGS, .opcode = nvme_cmd_write_uncor, .io = true, REQUEST_NSID(OWN, ARGS),
		.parts = REQUEST_PARTS(REQUEST_BITS(10, 0, 64, ARGS, slba),
				       REQUEST_BITS(12, 0, 16, ARGS, nlb),
				       REQUEST_PART(12, 20, 4, ARGS, dtype, "directive type"),
				       REQUEST_BITS(13, 16, 16, ARGS, dspec)),
		REQUEST_ERASES(NS, ARGS), .success = "NVME Write Uncorrectable Success");
