/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Field access, sizes and identifiers that all other headers of this directory use.
 * Names in quotes are sections of the NVM Express Base Specification.
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
 * NVME_FIELD() - the two constants of a field, as members of an enumeration
 * @name:	Name of the field, without the prefix NVME_ and the suffix _SHIFT or _MASK
 * @shift:	Its lowest bit
 * @mask:	Its width, after shifting
 */
#define NVME_FIELD(name, shift, mask) NVME_##name##_SHIFT = (shift), NVME_##name##_MASK = (mask)

/**
 * NVME_GET() - read a field
 * @value:	Word that holds the field
 * @name:	Name of the field
 */
#define NVME_GET(value, name) (((value) >> NVME_##name##_SHIFT) & NVME_##name##_MASK)

/**
 * NVME_SET() - place a value in a field
 * @value:	Value of the field; bits that do not fit in the field are cut off
 * @name:	Name of the field
 *
 * Return: A 32-bit word with only this field set, to be combined with others by OR.
 */
#define NVME_SET(value, name) (((__u32)(value) & NVME_##name##_MASK) << NVME_##name##_SHIFT)

/**
 * NVME_CHECK() - compare a field's value with one of its named values
 * @value:	Value of the field, as NVME_GET() returns it
 * @name:	Name of the field
 * @check:	Rest of the constant's name after NVME_<name>_
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

/** enum nvme_constants - sizes, limits and values that belong to no other header */
__extension__ enum nvme_constants {
	/* Values that mean all or none. */
	NVME_NSID_ALL = 0xffffffff,			/* all namespaces */
	NVME_NSID_NONE = 0,				/* no namespace */
	NVME_UUID_NONE = 0,				/* no UUID index */
	NVME_CNTLID_NONE = 0,				/* no controller */
	NVME_CNSSPECID_NONE = 0,			/* no CNS specific identifier */
	NVME_LOG_LSP_NONE = 0,				/* no log specific parameter */
	NVME_LOG_LSI_NONE = 0,				/* no log specific identifier */
	NVME_LOG_LPO_NONE = 0,				/* no offset into the log page */

	/* Sizes and numbers of entries. */
	NVME_IDENTIFY_DATA_SIZE = 4096,			/* bytes that Identify returns */
	NVME_LOG_SUPPORTED_LOG_PAGES_MAX = 256,		/* log page identifiers */
	NVME_ID_NVMSET_LIST_MAX = 31,			/* entries of an NVM set list */
	NVME_ID_UUID_LIST_MAX = 127,			/* entries of a UUID list */
	NVME_ID_CTRL_LIST_MAX = 2047,			/* entries of a controller list */
	NVME_ID_NS_LIST_MAX = 1024,			/* entries of a namespace list */
	NVME_ID_SECONDARY_CTRL_MAX = 127,		/* entries of its list */
	NVME_ID_DOMAIN_LIST_MAX = 31,			/* entries of a domain list */
	NVME_ID_ENDURANCE_GROUP_LIST_MAX = 2047,	/* entries of its list */
	NVME_ID_ND_DESCRIPTOR_MAX = 16,			/* namespace granularities */
	NVME_FEAT_LBA_RANGE_MAX = 64,			/* LBA ranges of a namespace */
	NVME_LOG_ST_MAX_RESULTS = 20,			/* results of self-tests */
	NVME_LOG_TELEM_BLOCK_SIZE = 512,		/* bytes of a telemetry block */
	NVME_LOG_FID_SUPPORTED_EFFECTS_MAX = 256,	/* feature identifiers */
	NVME_LOG_MI_CMD_SUPPORTED_EFFECTS_MAX = 256,	/* NVMe-MI opcodes */
	NVME_LOG_MI_CMD_SUPPORTED_EFFECTS_RESERVED = 768,	/* reserved words after them */
	NVME_DSM_MAX_RANGES = 256,			/* ranges of a command */
	NVME_NQN_LENGTH = 256,				/* bytes of an NQN field */
	NVMF_TRADDR_SIZE = 256,				/* bytes of a transport address field */
	NVMF_TSAS_SIZE = 256,				/* bytes of &union nvmf_tsas */
	NVME_ZNS_CHANGED_ZONES_MAX = 511,		/* entries of the log page */
	NVME_STREAM_ID_MAX = 65535,			/* stream identifiers */
};

/** enum nvme_csi - command set identifiers; "Command Set Identifiers" */
enum nvme_csi {
	NVME_CSI_NVM = 0,	/* NVM Command Set */
	NVME_CSI_KV = 1,	/* Key Value Command Set */
	NVME_CSI_ZNS = 2,	/* Zoned Namespace Command Set */
	NVME_CSI_SLM = 3,	/* Subsystem Local Memory Command Set */
	NVME_CSI_CP = 4,	/* Computational Programs Command Set */
};

#endif /* _LIBNVME_TYPES_BASE_H */
