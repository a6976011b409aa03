// SPDX-License-Identifier: GPL-2.0-or-later
/* Base Specification 2.1, 5.1.25. Even odd labels and keys are nvme-cli 2.x's: scripts read it. */
#include "feature-data.h"

/* clang-format off */
#define PART(id, shift, width, kind, ...) \
	{ NVME_FEAT_FID_##id, shift, width, PART_##kind, __VA_ARGS__ }
/* A member of the data structure of the feature. */
#define DATA(id, struct_, member, kind, ...) \
	PART(id, 0, 8 * sizeof(((struct_ *)NULL)->member), kind, __VA_ARGS__, \
	     .at = offsetof(struct_, member), .size = sizeof(((struct_ *)NULL)->member))
#define BIT(id, bit, ...) PART(id, bit, 1, WORDS, __VA_ARGS__)
#define FLAG(id, bit, label) BIT(id, bit, label, .text = false_true)
#define PLM(member, kind, label) \
	DATA(PLM_CONFIG, struct nvme_plm_config, member, kind, label, .colon = ":")
#define HMB(member, kind, label) \
	DATA(HOST_MEM_BUF, struct nvme_host_mem_buf_attrs, member, kind, label)
#define BEHAVIOR(member, label, words) \
	DATA(HOST_BEHAVIOR, struct nvme_feat_host_behavior, member, WORDS, label, .text = words)
#define CDF(bit, label, key) \
	PART(HOST_BEHAVIOR, bit, 1, WORDS, label, key, .text = false_true, \
	     .at = offsetof(struct nvme_feat_host_behavior, cdfe), .size = 2)
#define EVENT(bit, ...) BIT(ASYNC_EVENT, bit, __VA_ARGS__, .text = events)

static const char *const disabled[] = { "Disabled", "Enabled", NULL };
static const char *const false_true[] = { "False", "True", NULL };
static const char *const events[] = { "Do not send async event", "Send async event", NULL };
static const char *const locks[] = {
	"Change in state not requested", "Write Unlocked", "Write Locked",
	"Write Locked Until Power Cycle", "Write Protection controlled by RPMB", "Reserved", NULL,
};

static const struct part feature_parts[] = {
	PART(ARBITRATION, 24, 8, COUNT, "High Priority Weight   (HPW)"),
	PART(ARBITRATION, 16, 8, COUNT, "Medium Priority Weight (MPW)"),
	PART(ARBITRATION, 8, 8, COUNT, "Low Priority Weight    (LPW)"),
	PART(ARBITRATION, 0, 3, POWER, "Arbitration Burst       (AB)"),
	PART(POWER_MGMT, 5, 3, NUMBER_WORDS, "Workload Hint (WH)", .more = "WH description",
	     .text = WORDS("No Workload", "Extended Idle Period with a Burst of Random Writes",
			   "Heavy Sequential Writes", "Reserved")),
	PART(POWER_MGMT, 0, 5, DEC, "Power State   (PS)"),
	PART(LBA_RANGE, 0, 6, COUNT, "Number of LBA Ranges (NUM)"),
	PART(TEMP_THRESH, 22, 3, CELSIUS, "Temperature Threshold Hysteresis(TMPTHH)",
	     "Temperature Threshold Hysteresis (TMPTHH)", .more = "TMPTHH kelvin"),
	PART(TEMP_THRESH, 20, 2, NUMBER_WORDS, "Threshold Type Select         (THSEL)",
	     .more = "THSEL description",
	     .text = WORDS("Over Temperature Threshold", "Under Temperature Threshold", "Reserved")),
	PART(TEMP_THRESH, 16, 4, NUMBER_WORDS, "Threshold Temperature Select (TMPSEL)",
	     .more = "TMPSEL description",
	     .text = WORDS("Composite Temperature", "Temperature Sensor 1",
			   "Temperature Sensor 2", "Temperature Sensor 3",
			   "Temperature Sensor 4", "Temperature Sensor 5",
			   "Temperature Sensor 6", "Temperature Sensor 7",
			   "Temperature Sensor 8", "Reserved")),
	PART(TEMP_THRESH, 0, 16, CELSIUS, "Temperature Threshold         (TMPTH)",
	     .more = "TMPTH kelvin"),
	BIT(ERR_RECOVERY, 16, "Deallocated or Unwritten Logical Block Error Enable (DULBE)",
	    .text = disabled),
	PART(ERR_RECOVERY, 0, 16, UNITS,
	     "Time Limited Error Recovery                          (TLER)", .unit = 100,
	     .suffix = " ms"),
	BIT(VOLATILE_WC, 0, "Volatile Write Cache Enable (WCE)", .text = disabled),
	PART(NUM_QUEUES, 16, 16, COUNT, "Number of IO Completion Queues Allocated (NCQA)"),
	PART(NUM_QUEUES, 0, 16, COUNT, "Number of IO Submission Queues Allocated (NSQA)"),
	PART(IRQ_COALESCE, 8, 8, UNITS, "Aggregation Time     (TIME)", .unit = 100,
	     .suffix = " usec"),
	PART(IRQ_COALESCE, 0, 8, COUNT, "Aggregation Threshold (THR)"),
	FLAG(IRQ_CONFIG, 16, "Coalescing Disable (CD)"),
	PART(IRQ_CONFIG, 0, 16, DEC, "Interrupt Vector   (IV)"),
	FLAG(WRITE_ATOMIC, 0, "Disable Normal (DN)"),
	EVENT(31, "Discovery Log Page Change Notices                         "),
	EVENT(30, "Host Discovery Log Page Change Notification               "),
	EVENT(29, "AVE Discovery Log Page Change Notification                "),
	EVENT(28, "Pull Model DDC Request Log Page Change Notification       "),
	EVENT(27, "Zone Descriptor Changed Notices                           "),
	EVENT(19, "Allocated Namespace Attribute Notices                     "),
	EVENT(18, "Reachability Group                                        "),
	EVENT(17, "Reachability Association                                  "),
	EVENT(16, "Temperature Threshold Hysteresis Recovery                 "),
	EVENT(15, "Normal NVM Subsystem Shutdown                             "),
	EVENT(14, "Endurance Group Event Aggregate Log Change Notices        "),
	EVENT(13, "LBA Status Information Notices                            "),
	EVENT(12, "Predictable Latency Event Aggregate Log Change Notices    "),
	EVENT(11, "Asymmetric Namespace Access Change Notices                "),
	EVENT(10, "Telemetry Log Notices                                     "),
	EVENT(9, "Firmware Activation Notices                               "),
	EVENT(8, "Namespace Attribute Notices                               "),
	PART(ASYNC_EVENT, 0, 8, WORDS,
	     "SMART / Health Critical Warnings                          ", .text = events),
	BIT(AUTO_PST, 0, "Autonomous Power State Transition Enable (APSTE)", .text = disabled),
	BIT(HOST_MEM_BUF, 0, "Enable Host Memory (EHM)", .text = disabled),
	FLAG(HOST_MEM_BUF, 2, "Host Memory Non-operational Access Restriction Enable (HMNARE)"),
	FLAG(HOST_MEM_BUF, 3, "Host Memory Non-operational Access Restricted (HMNAR)"),
	HMB(hmdlec, DEC, "Host Memory Descriptor List Entry Count (HMDLEC)"),
	HMB(hmdlau, OFFSET, "Host Memory Descriptor List Address     (HMDLAU)"),
	HMB(hmdlal, OFFSET, "Host Memory Descriptor List Address     (HMDLAL)"),
	HMB(hsize, DEC, "Host Memory Buffer Size                  (HSIZE)"),
	PART(TIMESTAMP, 1, 3, WORDS, NULL, "timestamp origin",
	     .text = WORDS("The Timestamp field was initialized to ‘0’ by a Controller Level Reset.",
			   "The Timestamp field was initialized with a Timestamp value "
			   "using a Set Features command.",
			   "The origin of the Timestamp field is a reserved value."),
	     .json = WORDS("The Timestamp field was initialized to 0h by a Controller Level Reset.",
			   "The Timestamp field was initialized with a Timestamp value "
			   "using a Set Features command.",
			   "The origin of the Timestamp field is a reserved value."),
	     .at = offsetof(struct nvme_timestamp, attr), .size = 1),
	PART(TIMESTAMP, 0, 1, WORDS, NULL, "synch",
	     .text = WORDS("The controller counted time in milliseconds continuously "
			   "since the Timestamp value was initialized.",
			   "The controller may have stopped counting during vendor specific "
			   "intervals after the Timestamp value was initialized"),
	     .json = WORDS("The controller counted time in milliseconds continuously "
			   "since the Timestamp value was initialized.",
			   "The controller may have stopped counting during vendor specific "
			   "intervals after the Timestamp value was initialized."),
	     .at = offsetof(struct nvme_timestamp, attr), .size = 1),
	PART(KATO, 0, 32, DEC, "Keep Alive Timeout (KATO) in milliseconds"),
	PART(HCTM, 16, 16, KELVIN, "Thermal Management Temperature 1 (TMT1) ",
	     .more = "TMT1 celsius"),
	PART(HCTM, 0, 16, KELVIN, "Thermal Management Temperature 2 (TMT2) ",
	     "Thermal Management Temperature 2", .more = "TMT2 celsius"),
	FLAG(NOPSC, 0, "Non-Operational Power State Permissive Mode Enable (NOPPME)"),
	PART(RRL, 0, 4, DEC, "Read Recovery Level (RRL)"),
	FLAG(PLM_CONFIG, 0, "Predictable Latency Window Enabled"),
	PLM(ee, HEX_4, "Enable Event          "),
	PLM(dtwinrt, DEC, "DTWIN Reads Threshold "),
	PLM(dtwinwt, DEC, "DTWIN Writes Threshold"),
	PLM(dtwintt, DEC, "DTWIN Time Threshold  "),
	PART(PLM_WINDOW, 0, 3, WORDS, "Window Select",
	     .text = WORDS("Reserved", "Deterministic Window (DTWIN)",
			   "Non-deterministic Window (NDWIN)", "Reserved")),
	PART(LBA_STS_INTERVAL, 16, 16, DEC, "LBA Status Information Poll Interval (LSIPI)  "),
	PART(LBA_STS_INTERVAL, 0, 16, DEC, "LBA Status Information Report Interval (LSIRI)"),
	PART(HOST_BEHAVIOR, 0, 1, JSON_WORDS, "Host Behavior Support", .text = false_true,
	     .at = offsetof(struct nvme_feat_host_behavior, acre), .size = 1),
	BEHAVIOR(acre, "Advanced Command Retry Enable (ACRE)", false_true),
	BEHAVIOR(etdas, "Extended Telemetry Data Area 4 Supported (ETDAS)", false_true),
	BEHAVIOR(lbafee, "LBA Format Extension Enable (LBAFEE)", false_true),
	BEHAVIOR(hdisns, "Host Dispersed Namespace Support (HDISNS) ", disabled),
	CDF(2, "Copy Descriptor Format 2h Enabled (CDF2E) ",
	    "Copy Descriptor Format 2h Enable (CDF2E)"),
	CDF(3, "Copy Descriptor Format 3h Enabled (CDF3E) ",
	    "Copy Descriptor Format 3h Enable (CDF3E)"),
	CDF(4, "Copy Descriptor Format 4h Enabled (CDF4E) ",
	    "Copy Descriptor Format 4h Enable (CDF4E)"),
	PART(SANITIZE, 0, 1, DEC, "No-Deallocate Response Mode (NODRM) "),
	PART(ENDURANCE_EVT_CFG, 0, 16, DEC, "Endurance Group Identifier (ENDGID)"),
	PART(ENDURANCE_EVT_CFG, 16, 8, DEC, "Endurance Group Critical Warnings  "),
	FLAG(IOCS_PROFILE, 0, "I/O Command Set Profile"),
	FLAG(SPINUP_CONTROL, 0, "Spinup control feature Enabled"),
	PART(POWER_LOSS_SIGNAL, 0, 2, WORDS, "Power Loss Signaling Mode (PLSM)",
	     .text = WORDS("not enabled", "enabled with Emergency Power Fail",
			   "enabled with Forced Quiescence", "Reserved")),
	BIT(FDP, 0, "Flexible Direct Placement Enable (FDPE)       ",
	    .text = WORDS("No", "Yes")),
	PART(FDP, 8, 8, DEC, "Flexible Direct Placement Configuration Index "),
	PART(ENH_CTRL_METADATA, 0, 8, DEC, "Num Metadata Element Descriptors", .at = 0, .size = 1),
	PART(CTRL_METADATA, 0, 8, DEC, "Num Metadata Element Descriptors", .at = 0, .size = 1),
	PART(NS_METADATA, 0, 8, DEC, "Num Metadata Element Descriptors", .at = 0, .size = 1),
	PART(SW_PROGRESS, 0, 8, DEC, "Pre-boot Software Load Count (PBSLC)"),
	FLAG(RESV_MASK, 3, "Mask Reservation Preempted Notification  (RESPRE)"),
	FLAG(RESV_MASK, 2, "Mask Reservation Released Notification   (RESREL)"),
	FLAG(RESV_MASK, 1, "Mask Registration Preempted Notification (REGPRE)"),
	FLAG(RESV_PERSIST, 0, "Persist Through Power Loss (PTPL)"),
	PART(WRITE_PROTECT, 0, 32, WORDS, "Namespace Write Protect",
	     .text = WORDS("No Write Protect", "Write Protect", "Write Protect Until Power Cycle",
			   "Permanent Write Protect", "Reserved")),
	/* Text shows boot partition 1 first, JSON boot partition 0. */
	PART(BP_WRITE_PROTECT, 0, 3, JSON_WORDS, "Boot Partition 0 Write Protection State",
	     .text = locks),
	PART(BP_WRITE_PROTECT, 3, 3, WORDS, "Boot Partition 1 Write Protection State (BP1WPS)",
	     .key = "Boot Partition 1 Write Protection State", .text = locks),
	PART(BP_WRITE_PROTECT, 0, 3, TEXT_WORDS, "Boot Partition 0 Write Protection State (BP0WPS)",
	     .text = locks),
};
/* clang-format on */

#define N_PARTS (sizeof(feature_parts) / sizeof(feature_parts[0]))

bool feature_has_parts(unsigned int fid)
{
	return part_any(feature_parts, N_PARTS, fid);
}

void feature_show_parts(struct out *out, unsigned int fid, const struct parts_of *of)
{
	out_parts(out, feature_parts, N_PARTS, fid, of);
}
