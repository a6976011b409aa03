/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "command-private.h"

/* Number of bits that storage tag and reference tag share, and the limits for the storage tag. */
struct tag_space {
	unsigned int bits, min_storage, max_storage;
};

static const struct tag_space tag_spaces[] = {
	[NVME_NVM_PIF_16B_GUARD] = { 32, 0, 32 },
	[NVME_NVM_PIF_32B_GUARD] = { 80, 16, 64 },
	[NVME_NVM_PIF_64B_GUARD] = { 48, 0, 48 },
};

static __u64 low_bits(__u64 value, unsigned int bits)
{
	return bits < 64 ? value & ((1ULL << bits) - 1) : value;
}

bool ioctl_place_tags(const struct protection_tags *tags, struct nvme_passthru_cmd *cmd)
{
	const struct tag_space *space;
	unsigned int reference_bits;
	__u64 storage, low, high;

	if (tags->format >= sizeof(tag_spaces) / sizeof(tag_spaces[0]))
		return false;
	space = &tag_spaces[tags->format];
	if (tags->storage_bits < space->min_storage || tags->storage_bits > space->max_storage)
		return false;

	/* Up to 80 bits, with the storage tag above the reference tag. */
	reference_bits = space->bits - tags->storage_bits;
	storage = low_bits(tags->storage_tag, tags->storage_bits);
	low = low_bits(tags->reference_tag, space->bits);
	high = 0;
	if (reference_bits < 64) {
		low |= storage << reference_bits;
		if (reference_bits)
			high = storage >> (64 - reference_bits);
	} else {
		high = storage << (reference_bits - 64);
	}

	cmd->cdw14 = (__u32)low;
	cmd->cdw3 = (__u32)(low >> 32);
	cmd->cdw2 = (__u32)high;
	return true;
}
