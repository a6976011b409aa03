// SPDX-License-Identifier: GPL-2.0-or-later
/* Figures of the NVM Express Base Specification 2.0: "Get Features", "Controller Properties". */
#include <inttypes.h>

#include <libnvme.h>

#include "bits.h"

#define FEATURE(id, shift, width, key, label, add) \
	{ \
		NVME_FEAT_FID_##id, shift, width, key, label, add \
	}
#define REGISTER(id, shift, width, key, label) \
	{ \
		NVME_REG_##id, shift, width, key, label, 0 \
	}

/* clang-format off */
const struct bits feature_bits[] = {
	FEATURE(ARBITRATION, 24, 8, "hpw", "High Priority Weight (HPW)", 1),
	FEATURE(ARBITRATION, 16, 8, "mpw", "Medium Priority Weight (MPW)", 1),
	FEATURE(ARBITRATION, 8, 8, "lpw", "Low Priority Weight (LPW)", 1),
	FEATURE(ARBITRATION, 0, 3, "ab", "Arbitration Burst (AB), as a power of two", 0),
	FEATURE(POWER_MGMT, 5, 3, "wh", "Workload Hint (WH)", 0),
	FEATURE(POWER_MGMT, 0, 5, "ps", "Power State (PS)", 0),
	FEATURE(TEMP_THRESH, 22, 3, "tmpthh", "Temperature Threshold Hysteresis (TMPTHH)", 0),
	FEATURE(TEMP_THRESH, 20, 2, "thsel", "Threshold Type Select (THSEL)", 0),
	FEATURE(TEMP_THRESH, 16, 4, "tmpsel", "Threshold Temperature Select (TMPSEL)", 0),
	FEATURE(TEMP_THRESH, 0, 16, "tmpth", "Temperature Threshold (TMPTH) in kelvin", 0),
	FEATURE(ERR_RECOVERY, 16, 1, "dulbe",
		"Deallocated or Unwritten Logical Block Error Enable (DULBE)", 0),
	FEATURE(ERR_RECOVERY, 0, 16, "tler", "Time Limited Error Recovery (TLER) in 100 ms", 0),
	FEATURE(VOLATILE_WC, 0, 1, "wce", "Volatile Write Cache Enable (WCE)", 0),
	FEATURE(NUM_QUEUES, 16, 16, "ncqa", "Number of IO Completion Queues Allocated (NCQA)", 1),
	FEATURE(NUM_QUEUES, 0, 16, "nsqa", "Number of IO Submission Queues Allocated (NSQA)", 1),
	FEATURE(IRQ_COALESCE, 8, 8, "time", "Aggregation Time (TIME) in 100 us", 0),
	FEATURE(IRQ_COALESCE, 0, 8, "thr", "Aggregation Threshold (THR)", 1),
	FEATURE(IRQ_CONFIG, 16, 1, "cd", "Coalescing Disable (CD)", 0),
	FEATURE(IRQ_CONFIG, 0, 16, "iv", "Interrupt Vector (IV)", 0),
	FEATURE(WRITE_ATOMIC, 0, 1, "dn", "Disable Normal (DN)", 0),
	FEATURE(ASYNC_EVENT, 31, 1, "dlpcn", "Discovery Log Page Change Notices", 0),
	FEATURE(ASYNC_EVENT, 27, 1, "zdcn", "Zone Descriptor Changed Notices", 0),
	FEATURE(ASYNC_EVENT, 15, 1, "nnsshdn", "Normal NVM Subsystem Shutdown", 0),
	FEATURE(ASYNC_EVENT, 14, 1, "ega", "Endurance Group Event Aggregate Log Change Notices", 0),
	FEATURE(ASYNC_EVENT, 13, 1, "lbas", "LBA Status Information Notices", 0),
	FEATURE(ASYNC_EVENT, 12, 1, "pla", "Predictable Latency Event Aggregate Notices", 0),
	FEATURE(ASYNC_EVENT, 11, 1, "ana", "Asymmetric Namespace Access Change Notices", 0),
	FEATURE(ASYNC_EVENT, 10, 1, "telem", "Telemetry Log Notices", 0),
	FEATURE(ASYNC_EVENT, 9, 1, "fan", "Firmware Activation Notices", 0),
	FEATURE(ASYNC_EVENT, 8, 1, "nan", "Namespace Attribute Notices", 0),
	FEATURE(ASYNC_EVENT, 0, 8, "smart", "SMART / Health Critical Warnings", 0),
	FEATURE(AUTO_PST, 0, 1, "apste", "Autonomous Power State Transition Enable (APSTE)", 0),
	FEATURE(HOST_MEM_BUF, 0, 1, "ehm", "Enable Host Memory (EHM)", 0),
	FEATURE(KATO, 0, 32, "kato", "Keep Alive Timeout (KATO) in milliseconds", 0),
	FEATURE(HCTM, 16, 16, "tmt1", "Thermal Management Temperature 1 (TMT1) in kelvin", 0),
	FEATURE(HCTM, 0, 16, "tmt2", "Thermal Management Temperature 2 (TMT2) in kelvin", 0),
	FEATURE(NOPSC, 0, 1, "noppme", "Non-Operational Power State Permissive Mode (NOPPME)", 0),
	FEATURE(RRL, 0, 4, "rrl", "Read Recovery Level (RRL)", 0),
	FEATURE(PLM_CONFIG, 0, 1, "plme", "Predictable Latency Mode Enable (PLME)", 0),
	FEATURE(PLM_WINDOW, 0, 3, "ws", "Window Select (WS)", 0),
	FEATURE(LBA_STS_INTERVAL, 16, 16, "lsipi",
		"LBA Status Information Poll Interval (LSIPI) in 100 ms", 0),
	FEATURE(LBA_STS_INTERVAL, 0, 16, "lsiri",
		"LBA Status Information Report Interval (LSIRI) in 100 ms", 0),
	FEATURE(SANITIZE, 0, 1, "nodrm", "No-Deallocate Response Mode (NODRM)", 0),
	FEATURE(ENDURANCE_EVT_CFG, 16, 8, "egcw", "Endurance Group Critical Warnings (EGCW)", 0),
	FEATURE(ENDURANCE_EVT_CFG, 0, 16, "endgid", "Endurance Group Identifier (ENDGID)", 0),
	FEATURE(IOCS_PROFILE, 0, 9, "iocsi", "I/O Command Set Combination Index (IOCSCI)", 0),
	FEATURE(SPINUP_CONTROL, 0, 1, "spinup", "Spinup Control", 0),
	FEATURE(FDP, 8, 8, "fdpcidx", "Flexible Data Placement Configuration Index (FDPCIDX)", 0),
	FEATURE(FDP, 0, 1, "fdpe", "Flexible Data Placement Enable (FDPE)", 0),
	FEATURE(SW_PROGRESS, 0, 8, "pbslc", "Pre-boot Software Load Count (PBSLC)", 0),
	FEATURE(HOST_ID, 0, 1, "exhid", "Extended Host Identifier (EXHID)", 0),
	FEATURE(RESV_MASK, 3, 1, "respre", "Mask Reservation Preempted Notification (RESPRE)", 0),
	FEATURE(RESV_MASK, 2, 1, "resrel", "Mask Reservation Released Notification (RESREL)", 0),
	FEATURE(RESV_MASK, 1, 1, "regpre", "Mask Registration Preempted Notification (REGPRE)", 0),
	FEATURE(RESV_PERSIST, 0, 1, "ptpl", "Persist Through Power Loss (PTPL)", 0),
	FEATURE(WRITE_PROTECT, 0, 3, "wps", "Write Protection State (WPS)", 0),
	FEATURE(BP_WRITE_PROTECT, 3, 3, "bp1wps", "Boot Partition 1 Write Protection State", 0),
	FEATURE(BP_WRITE_PROTECT, 0, 3, "bp0wps", "Boot Partition 0 Write Protection State", 0),
	{ 0, 0, 0, NULL, NULL, 0 },
};

const struct bits register_bits[] = {
	REGISTER(CAP, 59, 2, "crms", "Controller Ready Modes Supported (CRMS)"),
	REGISTER(CAP, 58, 1, "nsss", "NVM Subsystem Shutdown Supported (NSSS)"),
	REGISTER(CAP, 57, 1, "cmbs", "Controller Memory Buffer Supported (CMBS)"),
	REGISTER(CAP, 56, 1, "pmrs", "Persistent Memory Region Supported (PMRS)"),
	REGISTER(CAP, 52, 4, "mpsmax", "Memory Page Size Maximum (MPSMAX), 2^(12+n)"),
	REGISTER(CAP, 48, 4, "mpsmin", "Memory Page Size Minimum (MPSMIN), 2^(12+n)"),
	REGISTER(CAP, 46, 2, "cps", "Controller Power Scope (CPS)"),
	REGISTER(CAP, 45, 1, "bps", "Boot Partition Support (BPS)"),
	REGISTER(CAP, 37, 8, "css", "Command Sets Supported (CSS)"),
	REGISTER(CAP, 36, 1, "nssrs", "NVM Subsystem Reset Supported (NSSRS)"),
	REGISTER(CAP, 32, 4, "dstrd", "Doorbell Stride (DSTRD), 2^(2+n) bytes"),
	REGISTER(CAP, 24, 8, "to", "Timeout (TO) in 500 ms"),
	REGISTER(CAP, 17, 2, "ams", "Arbitration Mechanism Supported (AMS)"),
	REGISTER(CAP, 16, 1, "cqr", "Contiguous Queues Required (CQR)"),
	REGISTER(CAP, 0, 16, "mqes", "Maximum Queue Entries Supported (MQES), 0's based"),
	REGISTER(VS, 16, 16, "mjr", "Major Version (MJR)"),
	REGISTER(VS, 8, 8, "mnr", "Minor Version (MNR)"),
	REGISTER(VS, 0, 8, "ter", "Tertiary Version (TER)"),
	REGISTER(CC, 24, 1, "crime", "Controller Ready Independent of Media Enable (CRIME)"),
	REGISTER(CC, 20, 4, "iocqes", "I/O Completion Queue Entry Size (IOCQES), 2^n"),
	REGISTER(CC, 16, 4, "iosqes", "I/O Submission Queue Entry Size (IOSQES), 2^n"),
	REGISTER(CC, 14, 2, "shn", "Shutdown Notification (SHN)"),
	REGISTER(CC, 11, 3, "ams", "Arbitration Mechanism Selected (AMS)"),
	REGISTER(CC, 7, 4, "mps", "Memory Page Size (MPS), 2^(12+n)"),
	REGISTER(CC, 4, 3, "css", "I/O Command Set Selected (CSS)"),
	REGISTER(CC, 0, 1, "en", "Enable (EN)"),
	REGISTER(CSTS, 6, 1, "st", "Shutdown Type (ST)"),
	REGISTER(CSTS, 5, 1, "pp", "Processing Paused (PP)"),
	REGISTER(CSTS, 4, 1, "nssro", "NVM Subsystem Reset Occurred (NSSRO)"),
	REGISTER(CSTS, 2, 2, "shst", "Shutdown Status (SHST)"),
	REGISTER(CSTS, 1, 1, "cfs", "Controller Fatal Status (CFS)"),
	REGISTER(CSTS, 0, 1, "rdy", "Ready (RDY)"),
	REGISTER(AQA, 16, 12, "acqs", "Admin Completion Queue Size (ACQS), 0's based"),
	REGISTER(AQA, 0, 12, "asqs", "Admin Submission Queue Size (ASQS), 0's based"),
	{ 0, 0, 0, NULL, NULL, 0 },
};
/* clang-format on */

bool has_bits(const struct bits *table, unsigned int id)
{
	for (; table->key; table++)
		if (table->id == id)
			return true;
	return false;
}

static uint64_t part_of(const struct bits *row, uint64_t value)
{
	return (value >> row->shift & ((UINT64_C(1) << row->width) - 1)) + row->add;
}

void out_bits(struct out *out, const struct bits *table, unsigned int id, uint64_t value)
{
	for (; table->key; table++) {
		if (table->id != id)
			continue;
		out_text(out, "\t%s: %" PRIu64 "\n", table->label, part_of(table, value));
		out_json_only(out);
		out_uint(out, table->key, part_of(table, value));
	}
}

void out_bits_text(struct out *out, const struct bits *table, unsigned int id, uint64_t value)
{
	for (; table->key; table++)
		if (table->id == id)
			out_text(out, "  [%u:%u] : %#" PRIx64 "\t%s\n",
				 table->shift + table->width - 1, table->shift,
				 part_of(table, value), table->label);
}
