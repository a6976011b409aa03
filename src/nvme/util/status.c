/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NVMe status as text and as errno, with one table per status code type: NVM Express Base
 * Specification 2.1, section 4.2.3, and the command set specifications for their ranges.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "../util.h"

struct status {
	const char *text;
	int err; /* 0 stands for EIO */
};

#define N_CODES 256

static const struct status generic[N_CODES] = {
	[NVME_SC_SUCCESS] = { "Successful Completion" },
	[NVME_SC_INVALID_OPCODE] = { "Invalid Command Opcode", EINVAL },
	[NVME_SC_INVALID_FIELD] = { "Invalid Field in Command", EINVAL },
	[NVME_SC_CMDID_CONFLICT] = { "Command ID Conflict", EADDRINUSE },
	[NVME_SC_DATA_XFER_ERROR] = { "Data Transfer Error", EIO },
	[NVME_SC_POWER_LOSS] = { "Commands Aborted due to Power Loss Notification", EWOULDBLOCK },
	[NVME_SC_INTERNAL] = { "Internal Error", EIO },
	[NVME_SC_ABORT_REQ] = { "Command Abort Requested", EWOULDBLOCK },
	[NVME_SC_ABORT_QUEUE] = { "Command Aborted due to SQ Deletion", EWOULDBLOCK },
	[NVME_SC_FUSED_FAIL] = { "Command Aborted due to Failed Fused Command", EWOULDBLOCK },
	[NVME_SC_FUSED_MISSING] = { "Command Aborted due to Missing Fused Command", EWOULDBLOCK },
	[NVME_SC_INVALID_NS] = { "Invalid Namespace or Format", EINVAL },
	[NVME_SC_CMD_SEQ_ERROR] = { "Command Sequence Error", EILSEQ },
	[NVME_SC_SGL_INVALID_LAST] = { "Invalid SGL Segment Descriptor", EINVAL },
	[NVME_SC_SGL_INVALID_COUNT] = { "Invalid Number of SGL Descriptors", EINVAL },
	[NVME_SC_SGL_INVALID_DATA] = { "Data SGL Length Invalid", EINVAL },
	[NVME_SC_SGL_INVALID_METADATA] = { "Metadata SGL Length Invalid", EINVAL },
	[NVME_SC_SGL_INVALID_TYPE] = { "SGL Descriptor Type Invalid", EINVAL },
	[NVME_SC_CMB_INVALID_USE] = { "Invalid Use of Controller Memory Buffer", EINVAL },
	[NVME_SC_PRP_INVALID_OFFSET] = { "PRP Offset Invalid", EINVAL },
	[NVME_SC_AWU_EXCEEDED] = { "Atomic Write Unit Exceeded", ENOSPC },
	[NVME_SC_OP_DENIED] = { "Operation Denied", EACCES },
	[NVME_SC_SGL_INVALID_OFFSET] = { "SGL Offset Invalid", EINVAL },
	[NVME_SC_HOSTID_FORMAT] = { "Host Identifier Inconsistent Format" },
	[NVME_SC_KAT_EXPIRED] = { "Keep Alive Timer Expired" },
	[NVME_SC_KAT_INVALID] = { "Keep Alive Timeout Invalid", EINVAL },
	[NVME_SC_CMD_ABORTED_PREMEPT] = { "Command Aborted due to Preempt and Abort" },
	[NVME_SC_SANITIZE_FAILED] = { "Sanitize Failed", EIO },
	[NVME_SC_SANITIZE_IN_PROGRESS] = { "Sanitize In Progress", EINPROGRESS },
	[NVME_SC_SGL_INVALID_GRANULARITY] = { "SGL Data Block Granularity Invalid" },
	[NVME_SC_CMD_IN_CMBQ_NOT_SUPP] = { "Command Not Supported for Queue in CMB" },
	[NVME_SC_NS_WRITE_PROTECTED] = { "Namespace is Write Protected", EACCES },
	[NVME_SC_CMD_INTERRUPTED] = { "Command Interrupted" },
	[NVME_SC_TRAN_TPORT_ERROR] = { "Transient Transport Error" },
	[NVME_SC_PROHIBITED_BY_CMD_AND_FEAT] = { "Command Prohibited by Command and Feature Lockdown" },
	[NVME_SC_ADMIN_CMD_MEDIA_NOT_READY] = { "Admin Command Media Not Ready", EACCES },
	[NVME_SC_INVALID_KEY_TAG] = { "Invalid Key Tag", EINVAL },
	[NVME_SC_HOST_DISPERSED_NS_NOT_ENABLED] = { "Host Dispersed Namespace Support Not Enabled" },
	[NVME_SC_HOST_ID_NOT_INITIALIZED] = { "Host Identifier Not Initialized" },
	[NVME_SC_INCORRECT_KEY] = { "Incorrect Key", EINVAL },
	[NVME_SC_FDP_DISABLED] = { "Flexible Data Placement Disabled" },
	[NVME_SC_INVALID_PLACEMENT_HANDLE_LIST] = { "Invalid Placement Handle List" },
	[NVME_SC_LBA_RANGE] = { "LBA Out of Range", EREMOTEIO },
	[NVME_SC_CAP_EXCEEDED] = { "Capacity Exceeded", ENOSPC },
	[NVME_SC_NS_NOT_READY] = { "Namespace Not Ready", EACCES },
	[NVME_SC_RESERVATION_CONFLICT] = { "Reservation Conflict", EACCES },
	[NVME_SC_FORMAT_IN_PROGRESS] = { "Format In Progress", EINPROGRESS },
	[NVME_SC_INVALID_VALUE_SIZE] = { "Invalid Value Size", EINVAL },
	[NVME_SC_INVALID_KEY_SIZE] = { "Invalid Key Size", EINVAL },
	[NVME_SC_KV_KEY_NOT_EXISTS] = { "Key Does Not Exist" },
	[NVME_SC_UNRECOVERED_ERROR] = { "Unrecovered Error" },
	[NVME_SC_KEY_EXISTS] = { "Key Exists" },
};

/* Codes below 0x80 are common to all controllers; those from 0x80 on depend on the command set. */
static const struct status command[N_CODES] = {
	[NVME_SC_CQ_INVALID] = { "Completion Queue Invalid", EINVAL },
	[NVME_SC_QID_INVALID] = { "Invalid Queue Identifier", EINVAL },
	[NVME_SC_QUEUE_SIZE] = { "Invalid Queue Size", EINVAL },
	[NVME_SC_ABORT_LIMIT] = { "Abort Command Limit Exceeded", EDQUOT },
	[NVME_SC_ABORT_MISSING] = { "Abort Command Is Missing", EWOULDBLOCK },
	[NVME_SC_ASYNC_LIMIT] = { "Asynchronous Event Request Limit Exceeded", EDQUOT },
	[NVME_SC_FIRMWARE_SLOT] = { "Invalid Firmware Slot", EINVAL },
	[NVME_SC_FIRMWARE_IMAGE] = { "Invalid Firmware Image", EINVAL },
	[NVME_SC_INVALID_VECTOR] = { "Invalid Interrupt Vector", EINVAL },
	[NVME_SC_INVALID_LOG_PAGE] = { "Invalid Log Page", EINVAL },
	[NVME_SC_INVALID_FORMAT] = { "Invalid Format", EINVAL },
	[NVME_SC_FW_NEEDS_CONV_RESET] = { "Firmware Activation Requires Conventional Reset",
					  ERESTART },
	[NVME_SC_INVALID_QUEUE] = { "Invalid Queue Deletion", EINVAL },
	[NVME_SC_FEATURE_NOT_SAVEABLE] = { "Feature Identifier Not Saveable", EPERM },
	[NVME_SC_FEATURE_NOT_CHANGEABLE] = { "Feature Not Changeable", EPERM },
	[NVME_SC_FEATURE_NOT_PER_NS] = { "Feature Not Namespace Specific", EPERM },
	[NVME_SC_FW_NEEDS_SUBSYS_RESET] = { "Firmware Activation Requires NVM Subsystem Reset",
					    ERESTART },
	[NVME_SC_FW_NEEDS_RESET] = { "Firmware Activation Requires Controller Level Reset",
				     ERESTART },
	[NVME_SC_FW_NEEDS_MAX_TIME] = { "Firmware Activation Requires Maximum Time Violation",
					ERESTART },
	[NVME_SC_FW_ACTIVATE_PROHIBITED] = { "Firmware Activation Prohibited", EPERM },
	[NVME_SC_OVERLAPPING_RANGE] = { "Overlapping Range", ENOSPC },
	[NVME_SC_NS_INSUFFICIENT_CAP] = { "Namespace Insufficient Capacity", EINVAL },
	[NVME_SC_NS_ID_UNAVAILABLE] = { "Namespace Identifier Unavailable", EINVAL },
	[NVME_SC_NS_ALREADY_ATTACHED] = { "Namespace Already Attached", EALREADY },
	[NVME_SC_NS_IS_PRIVATE] = { "Namespace Is Private", EPERM },
	[NVME_SC_NS_NOT_ATTACHED] = { "Namespace Not Attached", ENOSPC },
	[NVME_SC_THIN_PROV_NOT_SUPP] = { "Thin Provisioning Not Supported", EOPNOTSUPP },
	[NVME_SC_CTRL_LIST_INVALID] = { "Controller List Invalid", EINVAL },
	[NVME_SC_SELF_TEST_IN_PROGRESS] = { "Device Self-test In Progress", EINPROGRESS },
	[NVME_SC_BP_WRITE_PROHIBITED] = { "Boot Partition Write Prohibited", EPERM },
	[NVME_SC_INVALID_CTRL_ID] = { "Invalid Controller Identifier", EINVAL },
	[NVME_SC_INVALID_SEC_CTRL_STATE] = { "Invalid Secondary Controller State", EINVAL },
	[NVME_SC_INVALID_CTRL_RESOURCES] = { "Invalid Number of Controller Resources", EINVAL },
	[NVME_SC_INVALID_RESOURCE_ID] = { "Invalid Resource Identifier", EINVAL },
	[NVME_SC_PMR_SAN_PROHIBITED] = { "Sanitize Prohibited While Persistent Memory Region is "
					 "Enabled",
					 EPERM },
	[NVME_SC_ANA_GROUP_ID_INVALID] = { "ANA Group Identifier Invalid", EINVAL },
	[NVME_SC_ANA_ATTACH_FAILED] = { "ANA Attach Failed" },
	[NVME_SC_INSUFFICIENT_CAP] = { "Insufficient Capacity", EINVAL },
	[NVME_SC_NS_ATTACHMENT_LIMIT_EXCEEDED] = { "Namespace Attachment Limit Exceeded", EDQUOT },
	[NVME_SC_PROHIBIT_CMD_EXEC_NOT_SUPPORTED] = { "Prohibition of Command Execution Not "
						      "Supported",
						      EOPNOTSUPP },
	[NVME_SC_IOCS_NOT_SUPPORTED] = { "I/O Command Set Not Supported" },
	[NVME_SC_IOCS_NOT_ENABLED] = { "I/O Command Set Not Enabled" },
	[NVME_SC_IOCS_COMBINATION_REJECTED] = { "I/O Command Set Combination Rejected" },
	[NVME_SC_INVALID_IOCS] = { "Invalid I/O Command Set", EINVAL },
	[NVME_SC_ID_UNAVAILABLE] = { "Identifier Unavailable", EINVAL },
	[NVME_SC_INVALID_DISCOVERY_INFO] = { "Invalid Discovery Information" },
	[NVME_SC_ZONING_DATA_STRUCT_LOCKED] = { "Zoning Data Structure Locked" },
	[NVME_SC_ZONING_DATA_STRUCT_NOTFND] = { "Zoning Data Structure Not Found" },
	[NVME_SC_INSUFFICIENT_DISC_RES] = { "Insufficient Discovery Resources" },
	[NVME_SC_REQSTD_FUNCTION_DISABLED] = { "Requested Function Disabled" },
	[NVME_SC_ZONEGRP_ORIGINATOR_INVLD] = { "ZoneGroup Originator Invalid" },
	[NVME_SC_INVALID_CONTROLER_DATA_QUEUE] = { "Invalid Controller Data Queue" },
	[NVME_SC_NOT_ENOUGH_RESOURCES] = { "Not Enough Resources" },
	[NVME_SC_CONTROLLER_SUSPENDED] = { "Controller Suspended" },
	[NVME_SC_CONTROLLER_NOT_SUSPENDED] = { "Controller Not Suspended" },
	[NVME_SC_CONTROLLER_DATA_QUEUE_FULL] = { "Controller Data Queue Full" },
	[NVME_SC_BAD_ATTRIBUTES] = { "Conflicting Attributes", EINVAL },
	[NVME_SC_INVALID_PI] = { "Invalid Protection Information", EINVAL },
	[NVME_SC_READ_ONLY] = { "Attempted Write to Read Only Range", EPERM },
	[NVME_SC_CMD_SIZE_LIMIT_EXCEEDED] = { "Command Size Limit Exceeded" },
	[NVME_SC_INCOMPATIBLE_NS] = { "Incompatible Namespace or Format" },
	[NVME_SC_FAST_COPY_NOT_POSSIBLE] = { "Fast Copy Not Possible" },
	[NVME_SC_OVERLAPPING_IO_RANGE] = { "Overlapping I/O Range" },
	[NVME_SC_INSUFFICIENT_RESOURCES] = { "Insufficient Resources" },
	[NVME_SC_ZNS_INVALID_OP_REQUEST] = { "Invalid Zone Operation Request" },
	[NVME_SC_ZNS_ZRWA_RESOURCES_UNAVAILABLE] = { "ZRWA Resources Unavailable" },
	[NVME_SC_ZNS_BOUNDARY_ERROR] = { "Zoned Boundary Error" },
	[NVME_SC_ZNS_FULL] = { "Zone Is Full" },
	[NVME_SC_ZNS_READ_ONLY] = { "Zone Is Read Only" },
	[NVME_SC_ZNS_OFFLINE] = { "Zone Is Offline" },
	[NVME_SC_ZNS_INVALID_WRITE] = { "Zone Invalid Write" },
	[NVME_SC_ZNS_TOO_MANY_ACTIVE] = { "Too Many Active Zones" },
	[NVME_SC_ZNS_TOO_MANY_OPENS] = { "Too Many Open Zones" },
	[NVME_SC_ZNS_INVAL_TRANSITION] = { "Invalid Zone State Transition" },
};

static const struct status fabrics_command[N_CODES] = {
	[NVME_SC_CONNECT_FORMAT] = { "Incompatible Connect Record Format", EINVAL },
	[NVME_SC_CONNECT_CTRL_BUSY] = { "Controller Busy", EBUSY },
	[NVME_SC_CONNECT_INVALID_PARAM] = { "Connect Invalid Parameters", EINVAL },
	[NVME_SC_CONNECT_RESTART_DISC] = { "Connect Restart Discovery", ERESTART },
	[NVME_SC_CONNECT_INVALID_HOST] = { "Connect Invalid Host", ECONNREFUSED },
	[NVME_SC_DISCONNECT_INVALID_QTYPE] = { "Disconnect Invalid Queue Type", EINVAL },
	[NVME_SC_DISCOVERY_RESTART] = { "Discovery Restart", EAGAIN },
	[NVME_SC_AUTH_REQUIRED] = { "Authentication Required", EPERM },
};

static const struct status media[N_CODES] = {
	[NVME_SC_WRITE_FAULT] = { "Write Fault" },
	[NVME_SC_READ_ERROR] = { "Unrecovered Read Error" },
	[NVME_SC_GUARD_CHECK] = { "End-to-end Guard Check Error" },
	[NVME_SC_APPTAG_CHECK] = { "End-to-end Application Tag Check Error" },
	[NVME_SC_REFTAG_CHECK] = { "End-to-end Reference Tag Check Error" },
	[NVME_SC_COMPARE_FAILED] = { "Compare Failure" },
	[NVME_SC_ACCESS_DENIED] = { "Access Denied" },
	[NVME_SC_UNWRITTEN_BLOCK] = { "Deallocated or Unwritten Logical Block" },
	[NVME_SC_STORAGE_TAG_CHECK] = { "End-to-End Storage Tag Check Error" },
};

static const struct status path[N_CODES] = {
	[NVME_SC_ANA_INTERNAL_PATH_ERROR] = { "Internal Path Error" },
	[NVME_SC_ANA_PERSISTENT_LOSS] = { "Asymmetric Access Persistent Loss" },
	[NVME_SC_ANA_INACCESSIBLE] = { "Asymmetric Access Inaccessible" },
	[NVME_SC_ANA_TRANSITION] = { "Asymmetric Access Transition" },
	[NVME_SC_CTRL_PATH_ERROR] = { "Controller Pathing Error" },
	[NVME_SC_HOST_PATH_ERROR] = { "Host Pathing Error" },
	[NVME_SC_CMD_ABORTED_BY_HOST] = { "Command Aborted By Host" },
};

static unsigned int code_type(int status)
{
	return (unsigned int)status >> NVME_SCT_SHIFT & NVME_SCT_MASK;
}

/* Return NULL for a type without a table, and a row without text for an undefined code. */
static const struct status *lookup(int status, bool fabrics)
{
	unsigned int code = (unsigned int)status & NVME_SC_MASK;

	switch (code_type(status)) {
	case NVME_SCT_GENERIC:
		return &generic[code];
	case NVME_SCT_CMD_SPECIFIC:
		return fabrics && code >= 0x80 ? &fabrics_command[code] : &command[code];
	case NVME_SCT_MEDIA:
		return &media[code];
	case NVME_SCT_PATH:
		return &path[code];
	default:
		return NULL;
	}
}

/* True for an NVMe status, not one of management commands, whose upper bits hold another type. */
static bool is_nvme_status(int status)
{
	return nvme_status_get_type(status) == NVME_STATUS_TYPE_NVME;
}

__u8 nvme_status_to_errno(int status, bool fabrics)
{
	const struct status *row;

	if (!status)
		return 0;
	if (status < 0)
		return (__u8)errno;
	if (!is_nvme_status(status))
		return EIO;
	status = (int)nvme_status_get_value(status);
	row = lookup(status, fabrics);
	if (row == &generic[NVME_SC_SUCCESS])
		return 0;
	/* Codes of queue and firmware commands do not apply to Fabrics commands. */
	if (fabrics && code_type(status) == NVME_SCT_CMD_SPECIFIC && (status & NVME_SC_MASK) < 0x80)
		return EIO;
	return row && row->err ? (__u8)row->err : EIO;
}

const char *nvme_status_to_string(int status, bool fabrics)
{
	const struct status *row;

	if (status < 0)
		return strerror(errno);
	if (!is_nvme_status(status))
		return "Unknown status";
	status = (int)nvme_status_get_value(status);
	row = lookup(status, fabrics);
	if (row)
		return row->text ? row->text : "unrecognized";
	return code_type(status) == NVME_SCT_VS ? "Vendor Specific Status" : "Unknown status";
}
