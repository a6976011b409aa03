// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme resv-register, resv-acquire, resv-release: Base Specification 2.1, sections 7.5 to 7.7 */
#include "device/request.h"

struct resv_args {
	uint32_t nsid;
	uint64_t crkey, nrkey, prkey;
	uint8_t rtype, rrega, racqa, rrela, cptpl;
	bool iekey;
};
#define ARGS struct resv_args

/* clang-format off */
#define RESV_OPTIONS \
	OPT_NSID(ARGS), \
	OPT(SUFFIX, "crkey", 'c', ARGS, crkey, "KEY", "current reservation key"), \
	OPT_FLAG("iekey", 'i', ARGS, iekey, "ignore the existing key")
#define RTYPE_OPTION \
	OPT(BYTE, "rtype", 't', ARGS, rtype, "N", \
	    "type: 1 write exclusive, 2 exclusive access, 3 and 4 the same for registrants only, 5 and " \
	    "6 for all registrants")
/* clang-format on */

/* -t is the type of a reservation; --timeout has only its long name. */
static const struct arg register_options[] = {
	RESV_OPTIONS,
	OPT(SUFFIX, "nrkey", 'k', ARGS, nrkey, "KEY", "new reservation key"),
	OPT(BYTE, "rrega", 'r', ARGS, rrega, "N", "0 registers, 1 unregisters, 2 replaces the key"),
	OPT(BYTE, "cptpl", 'p', ARGS, cptpl, "N",
	    "persistence through power loss: 0 unchanged, 2 off, 3 on"),
	GENERIC_OPTIONS,
	OPT_END,
};

REQUEST_COMMAND(resv_register_command, "resv-register",
		"Register, unregister or replace a reservation key", register_options, ARGS,
		.opcode = nvme_cmd_resv_register, .io = true, REQUEST_NSID(OWN, ARGS),
		.parts = REQUEST_PARTS(REQUEST_BITS(10, 0, 3, ARGS, rrega),
				       REQUEST_BITS(10, 3, 1, ARGS, iekey),
				       REQUEST_BITS(10, 30, 2, ARGS, cptpl),
				       REQUEST_BYTES(0, ARGS, crkey),
				       REQUEST_BYTES(8, ARGS, nrkey)),
		.data_len = 16, .success = "NVME Reservation  success");

REQUEST_COMMAND(resv_acquire_command, "resv-acquire",
		"Acquire a reservation of a namespace, or preempt another's",
		OPTIONS(RESV_OPTIONS,
			OPT(SUFFIX, "prkey", 'p', ARGS, prkey, "KEY",
			    "key of the registrant that is preempted"),
			RTYPE_OPTION,
			OPT(BYTE, "racqa", 'a', ARGS, racqa, "N",
			    "0 acquires, 1 preempts, 2 preempts and aborts"),
			GENERIC_OPTIONS_WITHOUT_T),
		ARGS, .opcode = nvme_cmd_resv_acquire, .io = true, REQUEST_NSID(OWN, ARGS),
		.parts = REQUEST_PARTS(REQUEST_BITS(10, 0, 3, ARGS, racqa),
				       REQUEST_BITS(10, 3, 1, ARGS, iekey),
				       REQUEST_BITS(10, 8, 8, ARGS, rtype),
				       REQUEST_BYTES(0, ARGS, crkey),
				       REQUEST_BYTES(8, ARGS, prkey)),
		.data_len = 16, .success = "NVME Reservation Acquire success");

REQUEST_COMMAND(resv_release_command, "resv-release", "Release or clear a reservation",
		OPTIONS(RESV_OPTIONS, RTYPE_OPTION,
			OPT(BYTE, "rrela", 'a', ARGS, rrela, "N", "0 releases, 1 clears"),
			GENERIC_OPTIONS_WITHOUT_T),
		ARGS, .opcode = nvme_cmd_resv_release, .io = true, REQUEST_NSID(OWN, ARGS),
		.parts = REQUEST_PARTS(REQUEST_BITS(10, 0, 3, ARGS, rrela),
				       REQUEST_BITS(10, 3, 1, ARGS, iekey),
				       REQUEST_BITS(10, 8, 8, ARGS, rtype),
				       REQUEST_BYTES(0, ARGS, crkey)),
		.data_len = 8, .success = "NVME Reservation Release success");
