/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Completion status: code types, codes, and how the library returns them.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_STATUS_H
#define _LIBNVME_TYPES_STATUS_H

#include "base.h"

/**
 * enum nvme_status_field - status code types, status codes and flags; "Status Field Definitions"
 *
 * A status consists of SCT and SC; the meaning of SC depends on SCT, so that values repeat. Command
 * specific codes from 80h depend on the command set as well. The command retry delay and the bits
 * MORE and DNR follow above. The phase tag is not part of it.
 */
enum nvme_status_field {
	/* Fields, and the status code types. */
	NVME_FIELD(SCT, 8, 0x7),			/* status code type */
	NVME_SCT_GENERIC = 0x00,			/* generic */
	NVME_SCT_CMD_SPECIFIC = 0x01,			/* command specific */
	NVME_SCT_MEDIA = 0x02,				/* media and data integrity */
	NVME_SCT_PATH = 0x03,				/* path related */
	NVME_SCT_VS = 0x07,				/* vendor specific */
	NVME_FIELD(SC, 0, 0xff),			/* status code */

	/* Generic. */
	NVME_SC_SUCCESS = 0x00,				/* success */
	NVME_SC_INVALID_OPCODE = 0x01,			/* invalid opcode */
	NVME_SC_INVALID_FIELD = 0x02,			/* invalid field */
	NVME_SC_CMDID_CONFLICT = 0x03,			/* the command id is in use */
	NVME_SC_DATA_XFER_ERROR = 0x04,			/* data or metadata transfer failed */
	NVME_SC_POWER_LOSS = 0x05,			/* aborted, power is being lost */
	NVME_SC_INTERNAL = 0x06,			/* internal error */
	NVME_SC_ABORT_REQ = 0x07,			/* aborted by an Abort command */
	NVME_SC_ABORT_QUEUE = 0x08,			/* aborted, its queue was deleted */
	NVME_SC_FUSED_FAIL = 0x09,			/* the other fused command failed */
	NVME_SC_FUSED_MISSING = 0x0a,			/* the other fused command is missing */
	NVME_SC_INVALID_NS = 0x0b,			/* invalid namespace or format */
	NVME_SC_CMD_SEQ_ERROR = 0x0c,			/* commands in the wrong order */
	NVME_SC_SGL_INVALID_LAST = 0x0d,		/* last SGL segment is invalid */
	NVME_SC_SGL_INVALID_COUNT = 0x0e,		/* number of SGL descriptors is invalid */
	NVME_SC_SGL_INVALID_DATA = 0x0f,		/* length of the data SGL is invalid */
	NVME_SC_SGL_INVALID_METADATA = 0x10,		/* length of the metadata SGL is invalid */
	NVME_SC_SGL_INVALID_TYPE = 0x11,		/* SGL descriptor type is invalid */
	NVME_SC_CMB_INVALID_USE = 0x12,			/* controller memory buffer misused */
	NVME_SC_PRP_INVALID_OFFSET = 0x13,		/* PRP offset is invalid */
	NVME_SC_AWU_EXCEEDED = 0x14,			/* atomic write unit exceeded */
	NVME_SC_OP_DENIED = 0x15,			/* not allowed */
	NVME_SC_SGL_INVALID_OFFSET = 0x16,		/* SGL offset is invalid */
	NVME_SC_HOSTID_FORMAT = 0x18,			/* wrong size of the Host Identifier */
	NVME_SC_KAT_EXPIRED = 0x19,			/* keep alive timer ran out */
	NVME_SC_KAT_INVALID = 0x1a,			/* keep alive timeout is invalid */
	NVME_SC_CMD_ABORTED_PREMEPT = 0x1b,		/* aborted by preempt and abort */
	NVME_SC_SANITIZE_FAILED = 0x1c,			/* the last sanitize failed */
	NVME_SC_SANITIZE_IN_PROGRESS = 0x1d,		/* a sanitize is in progress */
	NVME_SC_SGL_INVALID_GRANULARITY = 0x1e,		/* SGL granularity is invalid */
	NVME_SC_CMD_IN_CMBQ_NOT_SUPP = 0x1f,		/* not supported for a queue in the CMB */
	NVME_SC_NS_WRITE_PROTECTED = 0x20,		/* namespace is write protected */
	NVME_SC_CMD_INTERRUPTED = 0x21,			/* interrupted, try again */
	NVME_SC_TRAN_TPORT_ERROR = 0x22,		/* transient transport error */
	NVME_SC_PROHIBITED_BY_CMD_AND_FEAT = 0x23,	/* prohibited by lockdown */
	NVME_SC_ADMIN_CMD_MEDIA_NOT_READY = 0x24,	/* media is not ready */
	NVME_SC_INVALID_KEY_TAG = 0x25,			/* invalid key tag */
	NVME_SC_HOST_DISPERSED_NS_NOT_ENABLED = 0x26,	/* host knows no dispersed namespaces */
	NVME_SC_HOST_ID_NOT_INITIALIZED = 0x27,		/* Host Identifier is not set */
	NVME_SC_INCORRECT_KEY = 0x28,			/* key is incorrect */
	NVME_SC_FDP_DISABLED = 0x29,			/* flexible data placement is off */
	NVME_SC_INVALID_PLACEMENT_HANDLE_LIST = 0x2a,	/* placement handles are invalid */

	/* Generic, of I/O command sets. */
	NVME_SC_LBA_RANGE = 0x80,			/* beyond the namespace */
	NVME_SC_CAP_EXCEEDED = 0x81,			/* beyond the capacity */
	NVME_SC_NS_NOT_READY = 0x82,			/* namespace is not ready */
	NVME_SC_RESERVATION_CONFLICT = 0x83,		/* reservation conflict */
	NVME_SC_FORMAT_IN_PROGRESS = 0x84,		/* a format is in progress */
	NVME_SC_INVALID_VALUE_SIZE = 0x85,		/* size of the value is invalid */
	NVME_SC_INVALID_KEY_SIZE = 0x86,		/* size of the key is invalid */
	NVME_SC_KV_KEY_NOT_EXISTS = 0x87,		/* no such key */
	NVME_SC_UNRECOVERED_ERROR = 0x88,		/* unrecovered error */
	NVME_SC_KEY_EXISTS = 0x89,			/* key exists */

	/* Command specific, Admin commands. */
	NVME_SC_CQ_INVALID = 0x00,			/* completion queue is invalid */
	NVME_SC_QID_INVALID = 0x01,			/* queue id is invalid */
	NVME_SC_QUEUE_SIZE = 0x02,			/* queue size is invalid */
	NVME_SC_ABORT_LIMIT = 0x03,			/* too many Abort commands */
	NVME_SC_ABORT_MISSING = 0x04,			/* command to abort is missing */
	NVME_SC_ASYNC_LIMIT = 0x05,			/* too many Asynchronous Event Requests */
	NVME_SC_FIRMWARE_SLOT = 0x06,			/* firmware slot is invalid */
	NVME_SC_FIRMWARE_IMAGE = 0x07,			/* firmware image is invalid */
	NVME_SC_INVALID_VECTOR = 0x08,			/* interrupt vector is invalid */
	NVME_SC_INVALID_LOG_PAGE = 0x09,		/* log page is invalid */
	NVME_SC_INVALID_FORMAT = 0x0a,			/* format is invalid */
	NVME_SC_FW_NEEDS_CONV_RESET = 0x0b,		/* firmware needs a conventional reset */
	NVME_SC_INVALID_QUEUE = 0x0c,			/* queue cannot be deleted */
	NVME_SC_FEATURE_NOT_SAVEABLE = 0x0d,		/* feature cannot be saved */
	NVME_SC_FEATURE_NOT_CHANGEABLE = 0x0e,		/* feature cannot be changed */
	NVME_SC_FEATURE_NOT_PER_NS = 0x0f,		/* feature is not per namespace */
	NVME_SC_FW_NEEDS_SUBSYS_RESET = 0x10,		/* firmware needs a subsystem reset */
	NVME_SC_FW_NEEDS_RESET = 0x11,			/* firmware needs a reset */
	NVME_SC_FW_NEEDS_MAX_TIME = 0x12,		/* activation would take too long */
	NVME_SC_FW_ACTIVATE_PROHIBITED = 0x13,		/* firmware is not allowed */
	NVME_SC_OVERLAPPING_RANGE = 0x14,		/* ranges overlap */
	NVME_SC_NS_INSUFFICIENT_CAP = 0x15,		/* capacity does not suffice */
	NVME_SC_NS_ID_UNAVAILABLE = 0x16,		/* no namespace id is left */
	NVME_SC_NS_ALREADY_ATTACHED = 0x18,		/* namespace is attached */
	NVME_SC_NS_IS_PRIVATE = 0x19,			/* namespace is private */
	NVME_SC_NS_NOT_ATTACHED = 0x1a,			/* namespace is not attached */
	NVME_SC_THIN_PROV_NOT_SUPP = 0x1b,		/* thin provisioning is not supported */
	NVME_SC_CTRL_LIST_INVALID = 0x1c,		/* controller list is invalid */
	NVME_SC_SELF_TEST_IN_PROGRESS = 0x1d,		/* a self-test is in progress */
	NVME_SC_BP_WRITE_PROHIBITED = 0x1e,		/* boot partition is protected */
	NVME_SC_INVALID_CTRL_ID = 0x1f,			/* controller id is invalid */
	NVME_SC_INVALID_SEC_CTRL_STATE = 0x20,		/* secondary controller's state */
	NVME_SC_INVALID_CTRL_RESOURCES = 0x21,		/* number of resources is invalid */
	NVME_SC_INVALID_RESOURCE_ID = 0x22,		/* resource id is invalid */
	NVME_SC_PMR_SAN_PROHIBITED = 0x23,		/* sanitize while PMR is enabled */
	NVME_SC_ANA_GROUP_ID_INVALID = 0x24,		/* ANA group is invalid */
	NVME_SC_ANA_ATTACH_FAILED = 0x25,		/* attachment failed due to ANA */
	NVME_SC_INSUFFICIENT_CAP = 0x26,		/* capacity does not suffice */
	NVME_SC_NS_ATTACHMENT_LIMIT_EXCEEDED = 0x27,	/* too many namespaces attached */
	NVME_SC_PROHIBIT_CMD_EXEC_NOT_SUPPORTED = 0x28,	/* lockdown is not possible */
	NVME_SC_IOCS_NOT_SUPPORTED = 0x29,		/* command set is not supported */
	NVME_SC_IOCS_NOT_ENABLED = 0x2a,		/* command set is not enabled */
	NVME_SC_IOCS_COMBINATION_REJECTED = 0x2b,	/* combination is rejected */
	NVME_SC_INVALID_IOCS = 0x2c,			/* command set is invalid */
	NVME_SC_ID_UNAVAILABLE = 0x2d,			/* identifier is not available */
	NVME_SC_INVALID_DISCOVERY_INFO = 0x2f,		/* discovery information is invalid */
	NVME_SC_ZONING_DATA_STRUCT_LOCKED = 0x30,	/* zoning data is locked */
	NVME_SC_ZONING_DATA_STRUCT_NOTFND = 0x31,	/* zoning data was not found */
	NVME_SC_INSUFFICIENT_DISC_RES = 0x32,		/* discovery resources do not suffice */
	NVME_SC_REQSTD_FUNCTION_DISABLED = 0x33,	/* function is disabled */
	NVME_SC_ZONEGRP_ORIGINATOR_INVLD = 0x34,	/* zone group's originator is invalid */
	NVME_SC_INVALID_CONTROLER_DATA_QUEUE = 0x37,	/* controller data queue */
	NVME_SC_NOT_ENOUGH_RESOURCES = 0x38,		/* resources do not suffice */
	NVME_SC_CONTROLLER_SUSPENDED = 0x39,		/* controller is suspended */
	NVME_SC_CONTROLLER_NOT_SUSPENDED = 0x3a,	/* controller is not suspended */
	NVME_SC_CONTROLLER_DATA_QUEUE_FULL = 0x3b,	/* controller data queue is full */

	/* Command specific, I/O commands. */
	NVME_SC_BAD_ATTRIBUTES = 0x80,			/* conflicting attributes */
	NVME_SC_INVALID_PI = 0x81,			/* protection information is invalid */
	NVME_SC_READ_ONLY = 0x82,			/* range is read only */
	NVME_SC_CMD_SIZE_LIMIT_EXCEEDED = 0x83,		/* command is too long */
	NVME_SC_INCOMPATIBLE_NS = 0x85,			/* namespaces do not match */
	NVME_SC_FAST_COPY_NOT_POSSIBLE = 0x86,		/* fast copy is not possible */
	NVME_SC_OVERLAPPING_IO_RANGE = 0x87,		/* I/O ranges overlap */
	NVME_SC_INSUFFICIENT_RESOURCES = 0x89,		/* resources do not suffice */

	/* Command specific, Fabrics commands. */
	NVME_SC_CONNECT_FORMAT = 0x80,			/* format is not supported */
	NVME_SC_CONNECT_CTRL_BUSY = 0x81,		/* controller is busy */
	NVME_SC_CONNECT_INVALID_PARAM = 0x82,		/* invalid parameter */
	NVME_SC_CONNECT_RESTART_DISC = 0x83,		/* discover again */
	NVME_SC_CONNECT_INVALID_HOST = 0x84,		/* host is not allowed */
	NVME_SC_DISCONNECT_INVALID_QTYPE = 0x85,	/* invalid queue type */
	NVME_SC_DISCOVERY_RESTART = 0x90,		/* log page changed meanwhile */
	NVME_SC_AUTH_REQUIRED = 0x91,			/* authentication is required */

	/* Command specific, Zoned Namespace Command Set. */
	NVME_SC_ZNS_INVALID_OP_REQUEST = 0xb6,		/* invalid zone operation */
	NVME_SC_ZNS_ZRWA_RESOURCES_UNAVAILABLE = 0xb7,	/* no random write area is left */
	NVME_SC_ZNS_BOUNDARY_ERROR = 0xb8,		/* beyond the zone */
	NVME_SC_ZNS_FULL = 0xb9,			/* zone is full */
	NVME_SC_ZNS_READ_ONLY = 0xba,			/* zone is read only */
	NVME_SC_ZNS_OFFLINE = 0xbb,			/* zone is offline */
	NVME_SC_ZNS_INVALID_WRITE = 0xbc,		/* not at the write pointer */
	NVME_SC_ZNS_TOO_MANY_ACTIVE = 0xbd,		/* too many active zones */
	NVME_SC_ZNS_TOO_MANY_OPENS = 0xbe,		/* too many open zones */
	NVME_SC_ZNS_INVAL_TRANSITION = 0xbf,		/* invalid zone state transition */

	/* Media and data integrity. */
	NVME_SC_WRITE_FAULT = 0x80,			/* write fault */
	NVME_SC_READ_ERROR = 0x81,			/* unrecovered read error */
	NVME_SC_GUARD_CHECK = 0x82,			/* guard is wrong */
	NVME_SC_APPTAG_CHECK = 0x83,			/* application tag is wrong */
	NVME_SC_REFTAG_CHECK = 0x84,			/* reference tag is wrong */
	NVME_SC_COMPARE_FAILED = 0x85,			/* data differs */
	NVME_SC_ACCESS_DENIED = 0x86,			/* access denied */
	NVME_SC_UNWRITTEN_BLOCK = 0x87,			/* deallocated or unwritten block */
	NVME_SC_STORAGE_TAG_CHECK = 0x88,		/* storage tag is wrong */

	/* Path related. */
	NVME_SC_ANA_INTERNAL_PATH_ERROR = 0x00,		/* internal path error */
	NVME_SC_ANA_PERSISTENT_LOSS = 0x01,		/* ANA persistent loss */
	NVME_SC_ANA_INACCESSIBLE = 0x02,		/* ANA inaccessible */
	NVME_SC_ANA_TRANSITION = 0x03,			/* ANA transition */
	NVME_SC_CTRL_PATH_ERROR = 0x60,			/* controller found a path error */
	NVME_SC_HOST_PATH_ERROR = 0x70,			/* host found a path error */
	NVME_SC_CMD_ABORTED_BY_HOST = 0x71,		/* aborted by the host */

	/* Flags above the status. */
	NVME_SC_CRD = 0x1800,				/* mask: command retry delay */
	NVME_SC_MORE = 0x2000,				/* more in the error log */
	NVME_SC_DNR = 0x4000,				/* do not retry */
};

/**
 * nvme_status_code_type() - status code type of a completion
 * @status_field:	Status without the phase tag
 *
 * Return: SCT, one of the NVME_SCT_ values of &enum nvme_status_field.
 */
static inline __u16 nvme_status_code_type(__u16 status_field)
{
	return NVME_GET(status_field, SCT);
}

/**
 * nvme_status_code() - status code of a completion
 * @status_field:	Status without the phase tag
 *
 * Return: SC; its meaning depends on nvme_status_code_type().
 */
static inline __u16 nvme_status_code(__u16 status_field)
{
	return NVME_GET(status_field, SC);
}

/**
 * enum nvme_status_type - origin of a status
 *
 * The library stores the type above the status, so that one positive int has both.
 */
enum nvme_status_type {
	NVME_FIELD(STATUS_TYPE, 27, 0x7),	/* type of the status */
	NVME_STATUS_TYPE_NVME = 0,		/* NVMe status, &enum nvme_status_field */
	NVME_STATUS_TYPE_MI = 1,		/* NVMe-MI response status */
};

/**
 * nvme_status_get_type() - return the origin of a status
 * @status:	Positive result of a command
 *
 * Return: One of &enum nvme_status_type.
 */
static inline __u32 nvme_status_get_type(int status)
{
	return NVME_GET(status, STATUS_TYPE);
}

/**
 * nvme_status_get_value() - status without its type
 * @status:	Positive result of a command
 *
 * Return: The value, to be read according to nvme_status_get_type().
 */
static inline __u32 nvme_status_get_value(int status)
{
	return status & ~(NVME_STATUS_TYPE_MASK << NVME_STATUS_TYPE_SHIFT);
}

/**
 * nvme_status_equals() - compare a command's result with an expected status
 * @status:	Result of a command; a negative one never matches
 * @type:	Expected type
 * @value:	Expected value
 *
 * Return: 1 if type and value are as expected, else 0.
 */
static inline __u32 nvme_status_equals(int status, enum nvme_status_type type, unsigned int value)
{
	if (status < 0)
		return 0;
	return nvme_status_get_type(status) == (__u32)type && nvme_status_get_value(status) == value;
}

#endif /* _LIBNVME_TYPES_STATUS_H */
