// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nvme resv-register, resv-acquire, resv-release: NVM Express Base Specification 2.1, sections 7.5
 * to 7.7
 */
#include "commands.h"
#include "device/request.h"

struct resv_args {
	uint32_t nsid;
	uint64_t crkey, nrkey, prkey;
	uint8_t rtype, rrega, racqa, rrela, cptpl;
	bool iekey;
};

/* clang-format off */
#define RESV_OPTIONS \
	OPT(UINT, "namespace-id", 'n', struct resv_args, nsid, "N", \
	    "namespace; the device's own if left out"), \
	OPT(SUFFIX, "crkey", 'c', struct resv_args, crkey, "KEY", "current reservation key"), \
	OPT_FLAG("iekey", 'i', struct resv_args, iekey, "ignore the existing key")
#define RTYPE_OPTION \
	OPT(BYTE, "rtype", 't', struct resv_args, rtype, "N", \
	    "type: 1 write exclusive, 2 exclusive access, 3 and 4 the same for registrants only, 5 and " \
	    "6 for all registrants")
/* clang-format on */

/* -t is the type of a reservation; --timeout has only its long name. */
static const struct arg register_options[] = {
	RESV_OPTIONS,
	OPT(SUFFIX, "nrkey", 'k', struct resv_args, nrkey, "KEY", "new reservation key"),
	OPT(BYTE, "rrega", 'r', struct resv_args, rrega, "N",
	    "0 registers, 1 unregisters, 2 replaces the key"),
	OPT(BYTE, "cptpl", 'p', struct resv_args, cptpl, "N",
	    "persistence through power loss: 0 unchanged, 2 off, 3 on"),
	GENERIC_OPTIONS,
	OPT_END,
};

static const struct request_part register_parts[] = {
	REQUEST_BITS(10, 0, 3, struct resv_args, rrega),
	REQUEST_BITS(10, 3, 1, struct resv_args, iekey),
	REQUEST_BITS(10, 30, 2, struct resv_args, cptpl),
	REQUEST_BYTES(0, struct resv_args, crkey),
	REQUEST_BYTES(8, struct resv_args, nrkey),
	REQUEST_PART_END,
};

REQUEST_COMMAND(resv_register_command, "resv-register",
		"Register, unregister or replace a reservation key", register_options,
		struct resv_args, .opcode = nvme_cmd_resv_register, .io = true,
		.has_nsid = REQUEST_OWN_NSID, .nsid = offsetof(struct resv_args, nsid),
		.parts = register_parts, .data_len = 16, .success = "NVME Reservation  success");

static const struct arg acquire_options[] = {
	RESV_OPTIONS,
	OPT(SUFFIX, "prkey", 'p', struct resv_args, prkey, "KEY",
	    "key of the registrant that is preempted"),
	RTYPE_OPTION,
	OPT(BYTE, "racqa", 'a', struct resv_args, racqa, "N",
	    "0 acquires, 1 preempts, 2 preempts and aborts"),
	GENERIC_OPTIONS_WITHOUT_T,
	OPT_END,
};

static const struct request_part acquire_parts[] = {
	REQUEST_BITS(10, 0, 3, struct resv_args, racqa),
	REQUEST_BITS(10, 3, 1, struct resv_args, iekey),
	REQUEST_BITS(10, 8, 8, struct resv_args, rtype),
	REQUEST_BYTES(0, struct resv_args, crkey),
	REQUEST_BYTES(8, struct resv_args, prkey),
	REQUEST_PART_END,
};

REQUEST_COMMAND(resv_acquire_command, "resv-acquire",
		"Acquire a reservation of a namespace, or preempt another's", acquire_options,
		struct resv_args, .opcode = nvme_cmd_resv_acquire, .io = true,
		.has_nsid = REQUEST_OWN_NSID, .nsid = offsetof(struct resv_args, nsid),
		.parts = acquire_parts, .data_len = 16,
		.success = "NVME Reservation Acquire success");

static const struct arg release_options[] = {
	RESV_OPTIONS,
	RTYPE_OPTION,
	OPT(BYTE, "rrela", 'a', struct resv_args, rrela, "N", "0 releases, 1 clears"),
	GENERIC_OPTIONS_WITHOUT_T,
	OPT_END,
};

static const struct request_part release_parts[] = {
	REQUEST_BITS(10, 0, 3, struct resv_args, rrela),
	REQUEST_BITS(10, 3, 1, struct resv_args, iekey),
	REQUEST_BITS(10, 8, 8, struct resv_args, rtype),
	REQUEST_BYTES(0, struct resv_args, crkey),
	REQUEST_PART_END,
};

REQUEST_COMMAND(resv_release_command, "resv-release", "Release or clear a reservation",
		release_options, struct resv_args, .opcode = nvme_cmd_resv_release, .io = true,
		.has_nsid = REQUEST_OWN_NSID, .nsid = offsetof(struct resv_args, nsid),
		.parts = release_parts, .data_len = 8,
		.success = "NVME Reservation Release success");
