// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libnvme.h>

#include "names.h"

#define LOG(id, name, word) \
	{ \
		NVME_LOG_LID_##id, name, word \
	}
#define FEATURE(id, name) \
	{ \
		NVME_FEAT_FID_##id, name, NULL \
	}
#define REGISTER(id, name, word) \
	{ \
		NVME_REG_##id, name, word \
	}

/* clang-format off */
const struct name log_names[] = {
	LOG(SUPPORTED_LOG_PAGES, "Supported Log Pages", "supported-log-pages"),
	LOG(ERROR, "Error Information", "error"),
	LOG(SMART, "SMART / Health Information", "smart"),
	LOG(FW_SLOT, "Firmware Slot Information", "fw-slot"),
	LOG(CHANGED_NS, "Changed Namespace List", "changed-ns"),
	LOG(CMD_EFFECTS, "Commands Supported and Effects", "cmd-effects"),
	LOG(DEVICE_SELF_TEST, "Device Self-test", "device-self-test"),
	LOG(TELEMETRY_HOST, "Telemetry Host-Initiated", "telemetry-host"),
	LOG(TELEMETRY_CTRL, "Telemetry Controller-Initiated", "telemetry-ctrl"),
	LOG(ENDURANCE_GROUP, "Endurance Group Information", "endurance-group"),
	LOG(PREDICTABLE_LAT_NVMSET, "Predictable Latency Per NVM Set", "predictable-lat-nvmset"),
	LOG(PREDICTABLE_LAT_AGG, "Predictable Latency Event Aggregate", "predictable-lat-agg"),
	LOG(ANA, "Asymmetric Namespace Access", "ana"),
	LOG(PERSISTENT_EVENT, "Persistent Event Log", "persistent-event"),
	LOG(LBA_STATUS, "LBA Status Information", "lba-status"),
	LOG(ENDURANCE_GRP_EVT, "Endurance Group Event Aggregate", "endurance-grp-evt"),
	LOG(MEDIA_UNIT_STATUS, "Media Unit Status", "media-unit-status"),
	LOG(SUPPORTED_CAP_CONFIG_LIST, "Supported Capacity Configuration List",
	    "supported-cap-config-list"),
	LOG(FID_SUPPORTED_EFFECTS, "Feature Identifiers Supported and Effects",
	    "fid-supported-effects"),
	LOG(MI_CMD_SUPPORTED_EFFECTS, "NVMe-MI Commands Supported and Effects",
	    "mi-cmd-supported-effects"),
	LOG(CMD_AND_FEAT_LOCKDOWN, "Command and Feature Lockdown", "cmd-and-feat-lockdown"),
	LOG(BOOT_PARTITION, "Boot Partition", "boot-partition"),
	LOG(ROTATIONAL_MEDIA_INFO, "Rotational Media Information", "rotational-media-info"),
	LOG(DISPERSED_NS_PARTICIPATING_NSS, "Dispersed Namespace Participating NVM Subsystems",
	    "dispersed-ns-participating-nss"),
	LOG(MGMT_ADDR_LIST, "Management Address List", "mgmt-addr-list"),
	LOG(PHY_RX_EOM, "Physical Interface Receiver Eye Opening Measurement", "phy-rx-eom"),
	LOG(REACHABILITY_GROUPS, "Reachability Groups", "reachability-groups"),
	LOG(REACHABILITY_ASSOCIATIONS, "Reachability Associations", "reachability-associations"),
	LOG(CHANGED_ALLOC_NS_LIST, "Changed Allocated Namespace List", "changed-alloc-ns-list"),
	LOG(FDP_CONFIGS, "FDP Configurations", "fdp-configs"),
	LOG(FDP_RUH_USAGE, "Reclaim Unit Handle Usage", "fdp-ruh-usage"),
	LOG(FDP_STATS, "FDP Statistics", "fdp-stats"),
	LOG(FDP_EVENTS, "FDP Events", "fdp-events"),
	LOG(DISCOVER, "Discovery", "discover"),
	LOG(HOST_DISCOVER, "Host Discovery", "host-discover"),
	LOG(AVE_DISCOVER, "AVE Discovery", "ave-discover"),
	LOG(PULL_MODEL_DDC_REQ, "Pull Model DDC Request", "pull-model-ddc-req"),
	LOG(RESERVATION, "Reservation Notification", "reservation"),
	LOG(SANITIZE, "Sanitize Status", "sanitize"),
	LOG(ZNS_CHANGED_ZONES, "Changed Zone List", "zns-changed-zones"),
	{ 0, NULL, NULL },
};

const struct name feature_names[] = {
	FEATURE(ARBITRATION, "Arbitration"),
	FEATURE(POWER_MGMT, "Power Management"),
	FEATURE(LBA_RANGE, "LBA Range Type"),
	FEATURE(TEMP_THRESH, "Temperature Threshold"),
	FEATURE(ERR_RECOVERY, "Error Recovery"),
	FEATURE(VOLATILE_WC, "Volatile Write Cache"),
	FEATURE(NUM_QUEUES, "Number of Queues"),
	FEATURE(IRQ_COALESCE, "Interrupt Coalescing"),
	FEATURE(IRQ_CONFIG, "Interrupt Vector Configuration"),
	FEATURE(WRITE_ATOMIC, "Write Atomicity Normal"),
	FEATURE(ASYNC_EVENT, "Async Event Configuration"),
	FEATURE(AUTO_PST, "Autonomous Power State Transition"),
	FEATURE(HOST_MEM_BUF, "Host Memory Buffer"),
	FEATURE(TIMESTAMP, "Timestamp"),
	FEATURE(KATO, "Keep Alive Timer"),
	FEATURE(HCTM, "Host Controlled Thermal Management"),
	FEATURE(NOPSC, "Non-Operational Power State Config"),
	FEATURE(RRL, "Read Recovery Level"),
	FEATURE(PLM_CONFIG, "Predictable Latency Mode Config"),
	FEATURE(PLM_WINDOW, "Predictable Latency Mode Window"),
	FEATURE(LBA_STS_INTERVAL, "LBA Status Interval"),
	FEATURE(HOST_BEHAVIOR, "Host Behavior"),
	FEATURE(SANITIZE, "Sanitize"),
	FEATURE(ENDURANCE_EVT_CFG, "Endurance Event Group Configuration"),
	FEATURE(IOCS_PROFILE, "I/O Command Set Profile"),
	FEATURE(SPINUP_CONTROL, "Spinup Control"),
	FEATURE(POWER_LOSS_SIGNAL, "Power Loss Signaling Config"),
	FEATURE(PERF_CHARACTERISTICS, "Performance Characteristics"),
	FEATURE(FDP, "Flexible Direct Placement"),
	FEATURE(FDP_EVENTS, "Flexible Direct Placement Events"),
	FEATURE(NS_ADMIN_LABEL, "Namespace Admin Label"),
	FEATURE(KEY_VALUE, "Key Value Configuration"),
	FEATURE(CTRL_DATA_QUEUE, "Controller Data Queue"),
	FEATURE(EMB_MGMT_CTRL_ADDR, "Embedded Management Controller Address"),
	FEATURE(HOST_MGMT_AGENT_ADDR, "Host Management Agent Address"),
	FEATURE(ENH_CTRL_METADATA, "Enhanced Controller Metadata"),
	FEATURE(CTRL_METADATA, "Controller Metadata"),
	FEATURE(NS_METADATA, "Namespace Metadata"),
	FEATURE(SW_PROGRESS, "Software Progress Marker"),
	FEATURE(HOST_ID, "Host Identifier"),
	FEATURE(RESV_MASK, "Reservation Notification Mask"),
	FEATURE(RESV_PERSIST, "Reservation Persistence"),
	FEATURE(WRITE_PROTECT, "Namespace Write Protection Config"),
	FEATURE(BP_WRITE_PROTECT, "Boot Partition Write Protection Config"),
	{ 0, NULL, NULL },
};

/* word: the name of show-regs */
const struct name register_names[] = {
	REGISTER(CAP, "Controller Capabilities", "cap"),
	REGISTER(VS, "Version", "version"),
	REGISTER(INTMS, "Interrupt Mask Set", "intms"),
	REGISTER(INTMC, "Interrupt Mask Clear", "intmc"),
	REGISTER(CC, "Controller Configuration", "cc"),
	REGISTER(CSTS, "Controller Status", "csts"),
	REGISTER(NSSR, "NVM Subsystem Reset", "nssr"),
	REGISTER(AQA, "Admin Queue Attributes", "aqa"),
	REGISTER(ASQ, "Admin Submission Queue Base Address", "asq"),
	REGISTER(ACQ, "Admin Completion Queue Base Address", "acq"),
	REGISTER(CMBLOC, "Controller Memory Buffer Location", "cmbloc"),
	REGISTER(CMBSZ, "Controller Memory Buffer Size", "cmbsz"),
	REGISTER(BPINFO, "Boot Partition Information", "bpinfo"),
	REGISTER(BPRSEL, "Boot Partition Read Select", "bprsel"),
	REGISTER(BPMBL, "Boot Partition Memory Buffer Location", "bpmbl"),
	REGISTER(CMBMSC, "Controller Memory Buffer Memory Space Control", "cmbmsc"),
	REGISTER(CMBSTS, "Controller Memory Buffer Status", "cmbsts"),
	REGISTER(CMBEBS, "Controller Memory Buffer Elasticity Buffer Size", "cmbebs"),
	REGISTER(CMBSWTP, "Controller Memory Buffer Sustained Write Throughput", "cmbswtp"),
	REGISTER(NSSD, "NVM Subsystem Shutdown", "nssd"),
	REGISTER(CRTO, "Controller Ready Timeouts", "crto"),
	REGISTER(PMRCAP, "Persistent Memory Region Capabilities", "pmrcap"),
	REGISTER(PMRCTL, "Persistent Memory Region Control", "pmrctl"),
	REGISTER(PMRSTS, "Persistent Memory Region Status", "pmrsts"),
	REGISTER(PMREBS, "Persistent Memory Region Elasticity Buffer Size", "pmrebs"),
	REGISTER(PMRSWTP, "Persistent Memory Region Sustained Write Throughput", "pmrswtp"),
	REGISTER(PMRMSCL, "Persistent Memory Region Controller Memory Space Control Lower", "pmrmscl"),
	REGISTER(PMRMSCU, "Persistent Memory Region Controller Memory Space Control Upper", "pmrmscu"),
	{ 0, NULL, NULL },
};
/* clang-format on */

const char *name_of(const struct name *names, unsigned int value)
{
	for (; names->name; names++)
		if (names->value == value)
			return names->name;
	return "Unknown";
}

int value_of(const struct name *names, const char *word, unsigned int max, unsigned int *value)
{
	unsigned long number;
	char *end;

	for (; names->name; names++) {
		if (names->word && !strcmp(names->word, word)) {
			*value = names->value;
			return 0;
		}
	}
	errno = 0;
	number = strtoul(word, &end, 0);
	if (errno || end == word || *end || strchr(word, '-') || number > max)
		return -EINVAL;
	*value = (unsigned int)number;
	return 0;
}
