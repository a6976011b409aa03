/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What every other header of the types uses: field access, sizes, identifiers.
 */
#ifndef _LIBNVME_TYPES_BASE_H
#define _LIBNVME_TYPES_BASE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Fields are described by a pair of constants: NVME_<name>_SHIFT is the field's lowest bit and
 * NVME_<name>_MASK its width after shifting. Values are in host byte order.
 */

/**
 * NVME_GET() - read a field
 * @value:	Word that holds the field
 * @name:	Name of the field, without NVME_ in front and _SHIFT or _MASK behind
 */
#define NVME_GET(value, name) (((value) >> NVME_##name##_SHIFT) & NVME_##name##_MASK)

/**
 * NVME_SET() - place a value in a field
 * @value:	Value of the field; what exceeds the field is cut off
 * @name:	Name of the field
 *
 * Return: A 32-bit word with only this field set, to be combined with others by OR.
 */
#define NVME_SET(value, name) (((__u32)(value) & NVME_##name##_MASK) << NVME_##name##_SHIFT)

/**
 * NVME_CHECK() - compare a field's value with one of its named values
 * @value:	Value of the field, as NVME_GET() returns it
 * @name:	Name of the field
 * @check:	Rest of the constant's name behind NVME_<name>_
 */
#define NVME_CHECK(value, name, check) ((value) == NVME_##name##_##check)

/**
 * NVME_VAL() - all bits of a field, in place
 * @name:	Name of the field
 */
#define NVME_VAL(name) (NVME_##name##_MASK << NVME_##name##_SHIFT)

/* Bytes of a UUID, and of its text form 8-4-4-4-12 with the terminating NUL. */
#define NVME_UUID_LEN 16
#define NVME_UUID_LEN_STRING 37

__extension__ enum nvme_constants {
	NVME_NSID_ALL = 0xffffffff,
	NVME_NSID_NONE = 0,
	NVME_UUID_NONE = 0,
	NVME_CNTLID_NONE = 0,
	NVME_CNSSPECID_NONE = 0,
	NVME_LOG_LSP_NONE = 0,
	NVME_LOG_LSI_NONE = 0,
	NVME_LOG_LPO_NONE = 0,
	NVME_IDENTIFY_DATA_SIZE = 4096,
	NVME_LOG_SUPPORTED_LOG_PAGES_MAX = 256,
	NVME_ID_NVMSET_LIST_MAX = 31,
	NVME_ID_UUID_LIST_MAX = 127,
	NVME_ID_CTRL_LIST_MAX = 2047,
	NVME_ID_NS_LIST_MAX = 1024,
	NVME_ID_SECONDARY_CTRL_MAX = 127,
	NVME_ID_DOMAIN_LIST_MAX = 31,
	NVME_ID_ENDURANCE_GROUP_LIST_MAX = 2047,
	NVME_ID_ND_DESCRIPTOR_MAX = 16,
	NVME_FEAT_LBA_RANGE_MAX = 64,
	NVME_LOG_ST_MAX_RESULTS = 20,
	NVME_LOG_TELEM_BLOCK_SIZE = 512,
	NVME_LOG_FID_SUPPORTED_EFFECTS_MAX = 256,
	NVME_LOG_MI_CMD_SUPPORTED_EFFECTS_MAX = 256,
	NVME_LOG_MI_CMD_SUPPORTED_EFFECTS_RESERVED = 768,
	NVME_DSM_MAX_RANGES = 256,
	NVME_NQN_LENGTH = 256,
	NVMF_TRADDR_SIZE = 256,
	NVMF_TSAS_SIZE = 256,
	NVME_ZNS_CHANGED_ZONES_MAX = 511,
	NVME_STREAM_ID_MAX = 65535,
};

enum nvme_csi {
	NVME_CSI_NVM = 0,
	NVME_CSI_KV = 1,
	NVME_CSI_ZNS = 2,
	NVME_CSI_SLM = 3,
	NVME_CSI_CP = 4,
};

#endif /* _LIBNVME_TYPES_BASE_H */
