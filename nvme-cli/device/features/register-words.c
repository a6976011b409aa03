// SPDX-License-Identifier: GPL-2.0-or-later
/* Base Specification 2.1, 3.1.4. Even odd labels and keys are nvme-cli 2.x's: scripts read them. */
#include "frame/parts.h"
#include "registers.h"

#define PAGE 12 /* log2 of the smallest memory page size in bytes */
#define NOT_READY 0x100 /* NRDY of PMRSTS */
#define DOORBELL 2 /* log2 of the smallest doorbell stride in bytes */

/* clang-format off */
#define PART(reg, shift, width, kind, ...) \
	{ NVME_REG_##reg, shift, width, PART_##kind, __VA_ARGS__ }

static const char *const no_yes[] = { "No", "Yes", NULL };
static const char *const not_supported[] = { "Not supported", "Supported", NULL };
static const char *const unsupported[] = { "Not Supported", "Supported", NULL };
static const char *const enforced[] = { "Enforced", "Not enforced", NULL };
static const char *const rules[] = { "Enforced", "Not Enforced", NULL };
static const char *const units[] = { "Bytes", "One KB", "One MB", "One GB", "Reserved", NULL };
static const char *const rates[] = {
	"Bytes/second", "One KB/second", "One MB/second", "One GB/second", "Reserved/second", NULL,
};

#define SUPPORT(bit, label) \
	PART(CAP, bit, 1, WORDS, label, .text = unsupported, .json = not_supported)
#define RULE(bit, label) PART(CMBLOC, bit, 1, WORDS, label, .text = rules, .json = enforced)
#define CMB_BUFFER(what) \
	.text = WORDS(what " in Controller Memory Buffer is Not supported", \
		      what " in Controller Memory Buffer is Supported"), \
	.json = not_supported
#define BYPASS(buffer, may) \
	"memory reads not conflicting with memory writes in the " buffer " Elasticity Buffer " may \
	" bypass those memory writes"

static const struct part parts[] = {
	SUPPORT(61, "NVM Subsystem Shutdown Enhancements Supported (NSSES)"),
	SUPPORT(59, "Controller Ready With Media Support (CRWMS)"),
	SUPPORT(60, "Controller Ready Independent of Media Support (CRIMS)"),
	SUPPORT(58, "NVM Subsystem Shutdown Supported (NSSS)"),
	PART(CAP, 57, 1, WORDS, "Controller Memory Buffer Supported (CMBS)",
	     "Controller Memory Buffer Supported (CMBS):",
	     .text = WORDS("The Controller Memory Buffer is Not Supported",
			   "The Controller Memory Buffer is Supported"),
	     .json = not_supported),
	PART(CAP, 56, 1, WORDS, "Persistent Memory Region Supported (PMRS)",
	     .text = WORDS("The Persistent Memory Region is Not Supported",
			   "The Persistent Memory Region is Supported"),
	     .json = not_supported),
	PART(CAP, 52, 4, BYTES, "Memory Page Size Maximum (MPSMAX)", .unit = PAGE),
	PART(CAP, 48, 4, BYTES, "Memory Page Size Minimum (MPSMIN)", .unit = PAGE),
	PART(CAP, 46, 2, WORDS, "Controller Power Scope (CPS)",
	     .text = WORDS("Not Reported", "Controller scope", "Domain scope",
			   "NVM subsystem scope")),
	PART(CAP, 45, 1, WORDS, "Boot Partition Support (BPS)", .text = no_yes),
	PART(CAP, 37, 8, COMMAND_SETS, "Command Sets Supported (CSS)"),
	PART(CAP, 36, 1, WORDS, "NVM Subsystem Reset Supported (NSSRS)", .text = no_yes),
	PART(CAP, 32, 4, BYTES, "Doorbell Stride (DSTRD)", .unit = DOORBELL),
	PART(CAP, 24, 8, UNITS, "Timeout (TO)", .unit = 500, .suffix = " ms"),
	PART(CAP, 17, 1, WORDS, "Arbitration Mechanism Supported (AMS)",
	     .text = WORDS("Weighted Round Robin with Urgent Priority Class is Not supported",
			   "Weighted Round Robin with Urgent Priority Class is Supported"),
	     .json = not_supported, .inner = "Weighted Round Robin with Urgent Priority Class"),
	PART(CAP, 16, 1, WORDS, "Contiguous Queues Required (CQR)", .text = no_yes),
	PART(CAP, 0, 16, COUNT, "Maximum Queue Entries Supported (MQES)"),
	PART(VS, 0, 32, VERSION, "NVMe specification", .colon = " "),
	PART(INTMS, 0, 32, MASK, "Interrupt Vector Mask Set (IVMS)"),
	PART(INTMC, 0, 32, MASK, "Interrupt Vector Mask Clear (IVMC)",
	     "Interrupt Vector Mask Set (IVMC)"),
	PART(CC, 24, 1, WORDS, "Controller Ready Independent of Media Enable (CRIME)",
	     .text = WORDS("Disabled", "Enabled")),
	PART(CC, 20, 4, BYTES, "I/O Completion Queue Entry Size (IOCQES)",
	     "I/O Completion Queue Entry Size (IOCQES): "),
	PART(CC, 16, 4, BYTES, "I/O Submission Queue Entry Size (IOSQES)"),
	PART(CC, 14, 2, WORDS, "Shutdown Notification (SHN)",
	     .text = WORDS("No notification; no effect", "Normal shutdown notification",
			   "Abrupt shutdown notification", "Reserved")),
	PART(CC, 11, 3, WORDS, "Arbitration Mechanism Selected (AMS)",
	     .text = WORDS("Round Robin", "Weighted Round Robin with Urgent Priority Class",
			   "Reserved", "Reserved", "Reserved", "Reserved", "Reserved",
			   "Vendor Specific")),
	PART(CC, 7, 4, BYTES, "Memory Page Size (MPS)", .unit = PAGE),
	PART(CC, 4, 3, WORDS, "I/O Command Set Selected (CSS)",
	     .text = WORDS("NVM Command Set", "Reserved", "Reserved", "Reserved", "Reserved",
			   "Reserved", "All supported I/O Command Sets", "Admin Command Set only")),
	PART(CC, 0, 1, WORDS, "Enable (EN)", .text = no_yes),
	PART(CSTS, 6, 1, WORDS, "Shutdown Type (ST)", .text = WORDS("Controller", "Subsystem")),
	PART(CSTS, 5, 1, WORDS, "Processing Paused (PP)", .text = no_yes),
	PART(CSTS, 4, 1, WORDS, "NVM Subsystem Reset Occurred (NSSRO)", .text = no_yes),
	PART(CSTS, 2, 2, WORDS, "Shutdown Status (SHST)",
	     .text = WORDS("Normal operation (no shutdown has been requested)",
			   "Shutdown processing occurring", "Shutdown processing complete",
			   "Reserved")),
	PART(CSTS, 1, 1, WORDS, "Controller Fatal Status (CFS)", .text = WORDS("False", "True")),
	PART(CSTS, 0, 1, WORDS, "Ready (RDY)", .text = no_yes),
	PART(NSSR, 0, 32, DEC, "NVM Subsystem Reset Control (NSSRC)"),
	PART(AQA, 16, 12, COUNT, "Admin Completion Queue Size (ACQS)"),
	PART(AQA, 0, 12, COUNT, "Admin Submission Queue Size (ASQS)"),
	PART(ASQ, 12, 52, BASE, "Admin Submission Queue Base (ASQB)"),
	PART(ACQ, 12, 52, BASE, "Admin Completion Queue Base (ACQB)"),
	PART(CMBLOC, 12, 20, OFFSET, "Offset (OFST)",
	     "Offset (OFST) (See cmbsz.szu for granularity)",
	     .suffix = " (See cmbsz.szu for granularity)"),
	PART(CMBLOC, 8, 1, DEC, "CMB Queue Dword Alignment (CQDA)"),
	RULE(7, "CMB Data Metadata Mixed Memory Support (CDMMMS)"),
	RULE(6, "CMB Data Pointer and Command Independent Locations Support (CDPCILS)"),
	RULE(5, "CMB Data Pointer Mixed Locations Support (CDPMLS)"),
	RULE(4, "CMB Queue Physically Discontiguous Support (CQPDS)"),
	RULE(3, "CMB Queue Mixed Memory Support (CQMMS)"),
	PART(CMBLOC, 0, 3, OFFSET, "Base Indicator Register (BIR)"),
	PART(CMBSZ, 12, 20, DEC, "Size (SZ)"),
	PART(CMBSZ, 8, 4, WORDS, "Size Units (SZU)",
	     .text = WORDS("4 KB", "64 KB", "1 MB", "16 MB", "256 MB", "4 GB", "64 GB", "Reserved")),
	PART(CMBSZ, 4, 1, WORDS, "Write Data Support (WDS)",
	     CMB_BUFFER("Write Data and metadata transfer")),
	PART(CMBSZ, 3, 1, WORDS, "Read Data Support (RDS)",
	     CMB_BUFFER("Read Data and metadata transfer")),
	PART(CMBSZ, 2, 1, WORDS, "PRP SGL List Support (LISTS)", CMB_BUFFER("PRP/SG Lists")),
	PART(CMBSZ, 1, 1, WORDS, "Completion Queue Support (CQS)",
	     CMB_BUFFER("Admin and I/O Completion Queues")),
	PART(CMBSZ, 0, 1, WORDS, "Submission Queue Support (SQS)",
	     CMB_BUFFER("Admin and I/O Submission Queues")),
	PART(BPINFO, 31, 1, DEC, "Active Boot Partition ID (ABPID)"),
	PART(BPINFO, 24, 2, WORDS, "Boot Read Status (BRS)",
	     .text = WORDS("No Boot Partition read operation requested",
			   "Boot Partition read in progress",
			   "Boot Partition read completed successfully",
			   "Error completing Boot Partition read")),
	PART(BPINFO, 0, 15, DEC, "Boot Partition Size (BPSZ)"),
	PART(BPRSEL, 31, 1, DEC, "Boot Partition Identifier (BPID)"),
	PART(BPRSEL, 10, 20, HEX, "Boot Partition Read Offset (BPROF)"),
	PART(BPRSEL, 0, 10, HEX, "Boot Partition Read Size (BPRSZ)"),
	PART(BPMBL, 12, 52, HEX, "Boot Partition Memory Buffer Base Address (BMBBA)"),
	PART(CMBMSC, 12, 52, HEX, "Controller Base Address (CBA)"),
	PART(CMBMSC, 1, 1, HEX, "Controller Memory Space Enable (CMSE)"),
	PART(CMBMSC, 0, 1, WORDS, "Capabilities Registers Enabled (CRE)",
	     .text = WORDS("CMBLOC and CMBSZ registers are NOT enabled",
			   "CMBLOC and CMBSZ registers are enabled"),
	     .json = WORDS("Not enabled", "Enabled")),
	PART(CMBSTS, 0, 1, HEX, "Controller Base Address Invalid (CBAI)"),
	PART(CMBEBS, 8, 24, HEX_0X, "CMB Elasticity Buffer Size Base (CMBWBZ)"),
	PART(CMBEBS, 4, 1, WORDS, "Read Bypass Behavior ", "CMB Read Bypass Behavior (CMBRBB)",
	     .text = WORDS(BYPASS("CMB", "MAY"), BYPASS("CMB", "SHALL")),
	     .json = WORDS("may", "shall")),
	PART(CMBEBS, 0, 4, WORDS, "CMB Elasticity Buffer Size Units (CMBSZU)", .text = units),
	PART(CMBSWTP, 8, 24, HEX_0X, "CMB Sustained Write Throughput (CMBSWTV)"),
	PART(CMBSWTP, 0, 4, WORDS, "CMB Sustained Write Throughput Units (CMBSWTU)", .text = rates),
	PART(NSSD, 0, 32, HEX_0X, "NVM Subsystem Shutdown Control (NSSC)"),
	PART(CRTO, 16, 16, SECONDS, "CRIMT ", "CRIMT"),
	PART(CRTO, 0, 16, SECONDS, "CRWMT ", "CRWMT"),
	PART(PMRCAP, 24, 1, WORDS, "Controller Memory Space Supported (CMSS)",
	     .text = WORDS("Referencing PMR with host supplied addresses is Not Supported",
			   "Referencing PMR with host supplied addresses is Supported"),
	     .json = not_supported),
	PART(PMRCAP, 16, 8, HEX, "Persistent Memory Region Timeout (PMRTO)"),
	PART(PMRCAP, 10, 4, HEX, "Persistent Memory Region Write Barrier Mechanisms (PMRWBM)"),
	PART(PMRCAP, 8, 2, WORDS, "Persistent Memory Region Time Units (PMRTU)",
	     .text = WORDS("PMR time unit is 500 milliseconds", "PMR time unit is minutes"),
	     .json = WORDS("500 milliseconds", "minutes")),
	PART(PMRCAP, 5, 3, HEX, "Base Indicator Register (BIR)"),
	PART(PMRCAP, 4, 1, WORDS, "Write Data Support (WDS)",
	     .text = WORDS("Write data to the PMR is not supported",
			   "Write data to the PMR is supported"),
	     .json = not_supported),
	PART(PMRCAP, 3, 1, WORDS, "Read Data Support (RDS)",
	     .text = WORDS("Read data from the PMR is not supported",
			   "Read data from the PMR is supported"),
	     .json = not_supported),
	PART(PMRCTL, 0, 1, WORDS, "Enable (EN)",
	     .text = WORDS("PMR is Disabled", "PMR is READY"), .json = WORDS("Disabled", "Ready")),
	PART(PMRSTS, 12, 1, HEX, "Controller Base Address Invalid (CBAI)"),
	PART(PMRSTS, 9, 3, WORDS, "Health Status (HSTS)",
	     .text = WORDS("Normal Operation", "Restore Error", "Read Only", "Unreliable",
			   "Reserved")),
	PART(PMRSTS, 8, 1, WORDS, "Not Ready (NRDY)",
	     .text = WORDS("The Persistent Memory Region is READY to process "
			   "PCI Express memory read and write requests",
			   "The Persistent Memory Region is Not Ready to process "
			   "PCI Express memory read and write requests"),
	     .json = WORDS("Ready", "Not ready")),
	PART(PMRSTS, 0, 8, HEX, "Error (ERR)"),
	PART(PMREBS, 8, 24, HEX, "PMR Elasticity Buffer Size Base (PMRWBZ)"),
	PART(PMREBS, 4, 1, WORDS, "Read Bypass Behavior ", "Read Bypass Behavior",
	     .text = WORDS(BYPASS("PMR", "MAY"), BYPASS("PMR", "SHALL")),
	     .json = WORDS("May", "Shall")),
	PART(PMREBS, 0, 4, WORDS, "PMR Elasticity Buffer Size Units (PMRSZU)", .text = units),
	PART(PMRSWTP, 8, 24, HEX, "PMR Sustained Write Throughput (PMRSWTV)"),
	PART(PMRSWTP, 0, 4, WORDS, "PMR Sustained Write Throughput Units (PMRSWTU)", .text = rates),
	PART(PMRMSCL, 12, 20, HEX_0X, "Controller Base Address (CBA)"),
	PART(PMRMSCL, 1, 1, HEX_0X, "Controller Memory Space Enable (CMSE)"),
	PART(PMRMSCU, 0, 32, HEX_0X, "Controller Base Address (CBA)"),
};
/* clang-format on */

/* Print the whole value, in JSON only. NSSD has a single part, which is the whole value. */
static void show_value(struct out *out, const char *key, unsigned int offset, uint64_t value)
{
	const bool prefixed = offset == NVME_REG_CMBEBS || offset == NVME_REG_CMBSWTP ||
			      offset == NVME_REG_PMRMSCL || offset == NVME_REG_PMRMSCU;
	char text[20];

	if (offset == NVME_REG_NSSD)
		return;
	snprintf(text, sizeof(text), prefixed ? "%#" PRIx64 : "%" PRIx64, value);
	out_str(out_json_only(out), offset == NVME_REG_VS ? "Version" : key, text);
}

void feature_explain_register(struct out *out, const char *key, unsigned int offset, uint64_t value,
			      const struct register_context *context)
{
	struct parts_of of = { .value = value };

	if (!nvme_is_64bit_reg(offset))
		of.value &= UINT32_MAX;
	show_value(out, key, offset, of.value);
	if (!context->cmbsz && (offset == NVME_REG_CMBLOC || offset == NVME_REG_CMBSZ)) {
		out_text(out, "\tController Memory Buffer feature is not supported\n");
		out_str(out_json_only(out), "Result",
			"Controller Memory Buffer feature is not supported");
		return;
	}
	if (offset == NVME_REG_PMRSTS && !(context->pmrctl & 1))
		of.value |= NOT_READY;
	out_parts(out, parts, sizeof(parts) / sizeof(parts[0]), offset, &of);
}
