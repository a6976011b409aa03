/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Storage and reference tags in a command, NVM Command Set, "End-to-end Data Protection". */
#pragma once

#include "command-private.h"

struct protection_tags {
	__u8 format; /* enum nvme_nvm_id_ns_pif */
	__u8 storage_bits; /* width of the storage tag (STS) */
	__u64 storage_tag;
	__u64 reference_tag;
};

/* Fill dwords 2, 3 and 14 of @cmd. Return false if the format or width does not exist. */
bool ioctl_place_tags(const struct protection_tags *tags, struct nvme_passthru_cmd *cmd);
