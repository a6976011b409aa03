/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bits and values of the Identify Controller data structure.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_IDENTIFY_CTRL_FIELDS_H
#define _LIBNVME_TYPES_IDENTIFY_CTRL_FIELDS_H

#include "base.h"

/**
 * enum nvme_cmic - Controller Multi-path I/O and Namespace Sharing Capabilities, as fields;
 * "Identify Controller Data Structure"
 */
enum nvme_cmic {
	NVME_FIELD(CMIC_MULTI_PORT, 0, 0x1),	/* the subsystem has more than one port */
	NVME_FIELD(CMIC_MULTI_CTRL, 1, 0x1),	/* the subsystem has more than one controller */
	NVME_FIELD(CMIC_MULTI_SRIOV, 2, 0x1),	/* the controller is an SR-IOV virtual function */
	NVME_FIELD(CMIC_MULTI_ANA, 3, 0x1),	/* ANA reporting is supported */
	NVME_FIELD(CMIC_MULTI_RSVD, 4, 0xf),	/* reserved */
};

/* Fields of CMIC. */
#define NVME_CMIC_MULTI_PORT(cmic) NVME_GET(cmic, CMIC_MULTI_PORT)
#define NVME_CMIC_MULTI_CTRL(cmic) NVME_GET(cmic, CMIC_MULTI_CTRL)
#define NVME_CMIC_MULTI_SRIOV(cmic) NVME_GET(cmic, CMIC_MULTI_SRIOV)
#define NVME_CMIC_MULTI_ANA(cmic) NVME_GET(cmic, CMIC_MULTI_ANA)
#define NVME_CMIC_MULTI_RSVD(cmic) NVME_GET(cmic, CMIC_MULTI_RSVD)

/**
 * enum nvme_id_ctrl_cmic - Controller Multi-path I/O and Namespace Sharing Capabilities, as bits;
 * "Identify Controller Data Structure"
 */
enum nvme_id_ctrl_cmic {
	NVME_CTRL_CMIC_MULTI_PORT = 1 << 0,		/* the subsystem has several ports */
	NVME_CTRL_CMIC_MULTI_CTRL = 1 << 1,		/* the subsystem has several controllers */
	NVME_CTRL_CMIC_MULTI_SRIOV = 1 << 2,		/* an SR-IOV virtual function */
	NVME_CTRL_CMIC_MULTI_ANA_REPORTING = 1 << 3,	/* ANA is reported */
};

/**
 * enum nvme_id_ctrl_oaes - Optional Asynchronous Events Supported; "Identify Controller Data
 * Structure"
 *
 * The bits behind the fields are the same, in place.
 */
enum nvme_id_ctrl_oaes {
	NVME_FIELD(CTRL_OAES_NA, 8, 0x1),	/* attached namespace attribute changed */
	NVME_FIELD(CTRL_OAES_FA, 9, 0x1),	/* firmware activation starts */
	NVME_FIELD(CTRL_OAES_ANA, 11, 0x1),	/* asymmetric namespace access changed */
	NVME_FIELD(CTRL_OAES_PLEA, 12, 0x1),	/* predictable latency aggregate log changed */
	NVME_FIELD(CTRL_OAES_LBAS, 13, 0x1),	/* LBA status information alert */
	NVME_FIELD(CTRL_OAES_EGE, 14, 0x1),	/* endurance group event aggregate log changed */
	NVME_FIELD(CTRL_OAES_NS, 15, 0x1),	/* normal NVM subsystem shutdown */
	NVME_FIELD(CTRL_OAES_TTH, 16, 0x1),	/* temperature threshold hysteresis recovery */
	NVME_FIELD(CTRL_OAES_RGCNS, 17, 0x1),	/* reachability groups changed */
	NVME_FIELD(CTRL_OAES_ANSAN, 19, 0x1),	/* allocated namespace attribute changed */
	NVME_FIELD(CTRL_OAES_ZD, 27, 0x1),	/* zone descriptor changed */
	NVME_FIELD(CTRL_OAES_DL, 31, 0x1),	/* discovery log page changed */
	NVME_CTRL_OAES_NA = 1 << 8,
	NVME_CTRL_OAES_FA = 1 << 9,
	NVME_CTRL_OAES_ANA = 1 << 11,
	NVME_CTRL_OAES_PLEA = 1 << 12,
	NVME_CTRL_OAES_LBAS = 1 << 13,
	NVME_CTRL_OAES_EGE = 1 << 14,
	NVME_CTRL_OAES_NS = 1 << 15,
	NVME_CTRL_OAES_TTH = 1 << 16,
	NVME_CTRL_OAES_RGCNS = 1 << 17,
	NVME_CTRL_OAES_ANSAN = 1 << 19,
	NVME_CTRL_OAES_ZD = 1 << 27,
	NVME_CTRL_OAES_DL = (int)(1U << 31),
};

/* Fields of OAES. */
#define NVME_CTRL_OAES_NAN(oaes) NVME_GET(oaes, CTRL_OAES_NA)
#define NVME_CTRL_OAES_FAN(oaes) NVME_GET(oaes, CTRL_OAES_FA)
#define NVME_CTRL_OAES_ANACN(oaes) NVME_GET(oaes, CTRL_OAES_ANA)
#define NVME_CTRL_OAES_PLEALCN(oaes) NVME_GET(oaes, CTRL_OAES_PLEA)
#define NVME_CTRL_OAES_LBASIAN(oaes) NVME_GET(oaes, CTRL_OAES_LBAS)
#define NVME_CTRL_OAES_EGEALPCN(oaes) NVME_GET(oaes, CTRL_OAES_EGE)
#define NVME_CTRL_OAES_NNVMSS(oaes) NVME_GET(oaes, CTRL_OAES_NS)
#define NVME_CTRL_OAES_TTHR(oaes) NVME_GET(oaes, CTRL_OAES_TTH)
#define NVME_CTRL_OAES_RGCNS(oaes) NVME_GET(oaes, CTRL_OAES_RGCNS)
#define NVME_CTRL_OAES_ANSAN(oaes) NVME_GET(oaes, CTRL_OAES_ANSAN)
#define NVME_CTRL_OAES_ZDCN(oaes) NVME_GET(oaes, CTRL_OAES_ZD)
#define NVME_CTRL_OAES_DLPCN(oaes) NVME_GET(oaes, CTRL_OAES_DL)

/** enum nvme_id_ctrl_ctratt - Controller Attributes; "Identify Controller Data Structure" */
enum nvme_id_ctrl_ctratt {
	NVME_CTRL_CTRATT_128_ID = 1 << 0,			/* Host Identifier of 128 bits */
	NVME_CTRL_CTRATT_NON_OP_PSP = 1 << 1,			/* may exceed idle power */
	NVME_CTRL_CTRATT_NVM_SETS = 1 << 2,			/* NVM sets */
	NVME_CTRL_CTRATT_READ_RECV_LVLS = 1 << 3,		/* read recovery levels */
	NVME_CTRL_CTRATT_ENDURANCE_GROUPS = 1 << 4,		/* endurance groups */
	NVME_CTRL_CTRATT_PREDICTABLE_LAT = 1 << 5,		/* predictable latency mode */
	NVME_CTRL_CTRATT_TBKAS = 1 << 6,			/* traffic based keep alive */
	NVME_CTRL_CTRATT_NAMESPACE_GRANULARITY = 1 << 7,	/* namespace granularity */
	NVME_CTRL_CTRATT_SQ_ASSOCIATIONS = 1 << 8,		/* queues belong to NVM sets */
	NVME_CTRL_CTRATT_UUID_LIST = 1 << 9,			/* UUID list */
	NVME_CTRL_CTRATT_MDS = 1 << 10,				/* several domains */
	NVME_CTRL_CTRATT_FIXED_CAP = 1 << 11,			/* fixed capacity management */
	NVME_CTRL_CTRATT_VARIABLE_CAP = 1 << 12,		/* variable capacity management */
	NVME_CTRL_CTRATT_DEL_ENDURANCE_GROUPS = 1 << 13,	/* deletes endurance groups */
	NVME_CTRL_CTRATT_DEL_NVM_SETS = 1 << 14,		/* deletes NVM sets */
	NVME_CTRL_CTRATT_ELBAS = 1 << 15,			/* extended LBA formats */
	NVME_CTRL_CTRATT_MEM = 1 << 16,				/* MDTS excludes metadata */
	NVME_CTRL_CTRATT_HMBR = 1 << 17,			/* host memory buffer rules */
	NVME_CTRL_CTRATT_RHII = 1 << 18,			/* reservations need a host id */
	NVME_CTRL_CTRATT_FDPS = 1 << 19,			/* flexible data placement */
};

/** enum nvme_id_ctrl_bpcap - Boot Partition Capabilities; "Identify Controller Data Structure" */
enum nvme_id_ctrl_bpcap {
	NVME_FIELD(CTRL_BACAP_RPMBBPWPS, 0, 0x3),	/* boot partition protection by RPMB */
	NVME_CTRL_BACAP_RPMBBPWPS_NOT_SPECIFIED = 0,	/* not specified */
	NVME_CTRL_BACAP_RPMBBPWPS_NOT_SUPPORTED = 1,	/* not supported */
	NVME_CTRL_BACAP_RPMBBPWPS_SUPPORTED = 2,	/* supported */
	NVME_FIELD(CTRL_BACAP_SFBPWPS, 2, 0x1),		/* boot partition protection by feature */
};

/**
 * enum nvme_id_ctrl_plsi - Power Loss Signaling Information; "Identify Controller Data Structure"
 */
enum nvme_id_ctrl_plsi {
	NVME_FIELD(CTRL_PLSI_PLSEPF, 0, 0x1),	/* emergency power fail */
	NVME_FIELD(CTRL_PLSI_PLSFQ, 1, 0x1),	/* forced quiescence */
};

/**
 * enum nvme_id_ctrl_crcap - Controller Reachability Capabilities; "Identify Controller Data
 * Structure"
 */
enum nvme_id_ctrl_crcap {
	NVME_FIELD(CTRL_CRCAP_RRSUP, 0, 0x1),	/* reachability is reported */
	NVME_FIELD(CTRL_CRCAP_RGIDC, 1, 0x1),	/* group ids change only while detached */
};

/** enum nvme_id_ctrl_cntrltype - controller types; "Identify Controller Data Structure" */
enum nvme_id_ctrl_cntrltype {
	NVME_CTRL_CNTRLTYPE_IO = 1,		/* I/O controller */
	NVME_CTRL_CNTRLTYPE_DISCOVERY = 2,	/* discovery controller */
	NVME_CTRL_CNTRLTYPE_ADMIN = 3,		/* administrative controller */
};

/** enum nvme_id_ctrl_dctype - discovery controller types; "Identify Controller Data Structure" */
enum nvme_id_ctrl_dctype {
	NVME_CTRL_DCTYPE_NOT_REPORTED = 0,	/* not reported */
	NVME_CTRL_DCTYPE_DDC = 1,		/* direct discovery controller */
	NVME_CTRL_DCTYPE_CDC = 2,		/* centralized discovery controller */
};

/** enum nvme_id_ctrl_nvmsr - NVM Subsystem Report; "Identify Controller Data Structure" */
enum nvme_id_ctrl_nvmsr {
	NVME_CTRL_NVMSR_NVMESD = 1 << 0,	/* part of an NVMe storage device */
	NVME_CTRL_NVMSR_NVMEE = 1 << 1,		/* part of an NVMe enclosure */
};

/** enum nvme_id_ctrl_vwci - VPD Write Cycle Information; "Identify Controller Data Structure" */
enum nvme_id_ctrl_vwci {
	NVME_CTRL_VWCI_VWCR = 0x7f,	/* write cycles remaining */
	NVME_CTRL_VWCI_VWCRV = 0x80,	/* the remaining write cycles are valid */
};

/**
 * enum nvme_id_ctrl_mec - Management Endpoint Capabilities; "Identify Controller Data Structure"
 */
enum nvme_id_ctrl_mec {
	NVME_CTRL_MEC_SMBUSME = 1 << 0,	/* management endpoint on an SMBus or I2C port */
	NVME_CTRL_MEC_PCIEME = 1 << 1,	/* management endpoint on a PCIe port */
};

/**
 * enum nvme_id_ctrl_oacs - Optional Admin Command Support; "Identify Controller Data Structure"
 *
 * The bits behind the fields are the same, in place.
 */
enum nvme_id_ctrl_oacs {
	NVME_FIELD(CTRL_OACS_SSRS, 0, 0x1),	/* Security Send and Security Receive */
	NVME_FIELD(CTRL_OACS_FNVMS, 1, 0x1),	/* Format NVM */
	NVME_FIELD(CTRL_OACS_FWDS, 2, 0x1),	/* Firmware Commit and Firmware Image Download */
	NVME_FIELD(CTRL_OACS_NMS, 3, 0x1),	/* Namespace Management and Namespace Attachment */
	NVME_FIELD(CTRL_OACS_DSTS, 4, 0x1),	/* Device Self-test */
	NVME_FIELD(CTRL_OACS_DIRS, 5, 0x1),	/* Directive Send and Directive Receive */
	NVME_FIELD(CTRL_OACS_NSRS, 6, 0x1),	/* NVMe-MI Send and NVMe-MI Receive */
	NVME_FIELD(CTRL_OACS_VMS, 7, 0x1),	/* Virtualization Management */
	NVME_FIELD(CTRL_OACS_DBCS, 8, 0x1),	/* Doorbell Buffer Config */
	NVME_FIELD(CTRL_OACS_GLSS, 9, 0x1),	/* Get LBA Status */
	NVME_FIELD(CTRL_OACS_CFLS, 10, 0x1),	/* Lockdown */
	NVME_FIELD(CTRL_OACS_HMLMS, 11, 0x1),	/* Host Managed Live Migration */
	NVME_CTRL_OACS_SECURITY = 1 << 0,
	NVME_CTRL_OACS_FORMAT = 1 << 1,
	NVME_CTRL_OACS_FW = 1 << 2,
	NVME_CTRL_OACS_NS_MGMT = 1 << 3,
	NVME_CTRL_OACS_SELF_TEST = 1 << 4,
	NVME_CTRL_OACS_DIRECTIVES = 1 << 5,
	NVME_CTRL_OACS_NVME_MI = 1 << 6,
	NVME_CTRL_OACS_VIRT_MGMT = 1 << 7,
	NVME_CTRL_OACS_DBBUF_CFG = 1 << 8,
	NVME_CTRL_OACS_LBA_STATUS = 1 << 9,
	NVME_CTRL_OACS_CMD_FEAT_LD = 1 << 10,
	NVME_CTRL_OACS_HMLM = 1 << 11,
};

/* Fields of OACS. NMS and VMS carry _M, as their bare names were taken. */
#define NVME_CTRL_OACS_SSRS(oacs) NVME_GET(oacs, CTRL_OACS_SSRS)
#define NVME_CTRL_OACS_FNVMS(oacs) NVME_GET(oacs, CTRL_OACS_FNVMS)
#define NVME_CTRL_OACS_FWDS(oacs) NVME_GET(oacs, CTRL_OACS_FWDS)
#define NVME_CTRL_OACS_NMS_M(oacs) NVME_GET(oacs, CTRL_OACS_NMS)
#define NVME_CTRL_OACS_DSTS(oacs) NVME_GET(oacs, CTRL_OACS_DSTS)
#define NVME_CTRL_OACS_DIRS(oacs) NVME_GET(oacs, CTRL_OACS_DIRS)
#define NVME_CTRL_OACS_NSRS(oacs) NVME_GET(oacs, CTRL_OACS_NSRS)
#define NVME_CTRL_OACS_VMS_M(oacs) NVME_GET(oacs, CTRL_OACS_VMS)
#define NVME_CTRL_OACS_DBCS(oacs) NVME_GET(oacs, CTRL_OACS_DBCS)
#define NVME_CTRL_OACS_GLSS(oacs) NVME_GET(oacs, CTRL_OACS_GLSS)
#define NVME_CTRL_OACS_CFLS(oacs) NVME_GET(oacs, CTRL_OACS_CFLS)
#define NVME_CTRL_OACS_HMLMS(oacs) NVME_GET(oacs, CTRL_OACS_HMLMS)

/**
 * enum nvme_id_ctrl_frmw - Firmware Updates; "Identify Controller Data Structure"
 *
 * The number of slots is in bits 3:1; NR_SLOTS covers only the two lower ones of them.
 */
enum nvme_id_ctrl_frmw {
	NVME_CTRL_FRMW_1ST_RO = 1 << 0,			/* slot 1 is read-only */
	NVME_CTRL_FRMW_NR_SLOTS = 0x06,			/* mask: number of slots */
	NVME_CTRL_FRMW_FW_ACT_NO_RESET = 1 << 4,	/* activation without a reset */
	NVME_CTRL_FRMW_MP_UP_DETECTION = 1 << 5,	/* overlapping updates are detected */
};

/** enum nvme_id_ctrl_lpa - Log Page Attributes; "Identify Controller Data Structure" */
enum nvme_id_ctrl_lpa {
	NVME_CTRL_LPA_SMART_PER_NS = 1 << 0,		/* SMART log page per namespace */
	NVME_CTRL_LPA_CMD_EFFECTS = 1 << 1,		/* Commands Supported and Effects log */
	NVME_CTRL_LPA_EXTENDED = 1 << 2,		/* Get Log Page takes an offset */
	NVME_CTRL_LPA_TELEMETRY = 1 << 3,		/* telemetry log pages and notices */
	NVME_CTRL_LPA_PERSETENT_EVENT = 1 << 4,		/* Persistent Event log page */
	NVME_CTRL_LPA_LI0_LI5_LI12_LI13 = 1 << 5,	/* log pages 00h, 05h, 12h and 13h */
	NVME_CTRL_LPA_DA4_TELEMETRY = 1 << 6,		/* telemetry data area 4 */
};

/**
 * enum nvme_id_ctrl_avscc - Admin Vendor Specific Command Configuration; "Identify Controller Data
 * Structure"
 */
enum nvme_id_ctrl_avscc {
	NVME_CTRL_AVSCC_AVS = 1 << 0,	/* vendor specific Admin commands have the common format */
};

/**
 * enum nvme_id_ctrl_apsta - Autonomous Power State Transition Attributes; "Identify Controller Data
 * Structure"
 */
enum nvme_id_ctrl_apsta {
	NVME_CTRL_APSTA_APST = 1 << 0,	/* autonomous power state transitions */
};

/**
 * enum nvme_id_ctrl_rpmbs - Replay Protected Memory Block Support; "Identify Controller Data
 * Structure"
 */
enum nvme_id_ctrl_rpmbs {
	NVME_CTRL_RPMBS_NR_UNITS = 7,			/* mask: number of RPMB units */
	NVME_CTRL_RPMBS_AUTH_METHOD = 56,		/* mask: authentication method */
	NVME_CTRL_RPMBS_TOTAL_SIZE = 0xff0000,		/* mask: size in 128 KiB, 0's based */
	NVME_CTRL_RPMBS_ACCESS_SIZE = (int)0xff000000,	/* mask: access in 512 B, 0's based */
};

/**
 * enum nvme_id_ctrl_dsto - Device Self-test Options; "Identify Controller Data Structure"
 *
 * The bits behind the fields are the same, in place.
 */
enum nvme_id_ctrl_dsto {
	NVME_FIELD(CTRL_DSTO_SDSO, 0, 0x1),	/* one self-test at a time in the subsystem */
	NVME_FIELD(CTRL_DSTO_HIRS, 1, 0x1),	/* host-initiated refresh is supported */
	NVME_CTRL_DSTO_ONE_DST = 1 << 0,
	NVME_CTRL_DSTO_HIRS = 1 << 1,
};

/**
 * enum nvme_id_ctrl_hctm - Host Controlled Thermal Management Attributes; "Identify Controller Data
 * Structure"
 */
enum nvme_id_ctrl_hctm {
	NVME_CTRL_HCTMA_HCTM = 1 << 0,	/* host controlled thermal management */
};

/** enum nvme_id_ctrl_sanicap - Sanitize Capabilities; "Identify Controller Data Structure" */
enum nvme_id_ctrl_sanicap {
	NVME_CTRL_SANICAP_CES = 1 << 0,			/* crypto erase */
	NVME_CTRL_SANICAP_BES = 1 << 1,			/* block erase */
	NVME_CTRL_SANICAP_OWS = 1 << 2,			/* overwrite */
	NVME_CTRL_SANICAP_NDI = 1 << 29,		/* "no deallocate" is not honoured */
	NVME_CTRL_SANICAP_NODMMAS = (int)0xc0000000,	/* mask: media changed afterwards */
};

/**
 * enum nvme_id_ctrl_anacap - Asymmetric Namespace Access Capabilities; "Identify Controller Data
 * Structure"
 */
enum nvme_id_ctrl_anacap {
	NVME_CTRL_ANACAP_OPT = 1 << 0,			/* reports ANA optimized state */
	NVME_CTRL_ANACAP_NON_OPT = 1 << 1,		/* reports ANA non-optimized state */
	NVME_CTRL_ANACAP_INACCESSIBLE = 1 << 2,		/* reports ANA inaccessible state */
	NVME_CTRL_ANACAP_PERSISTENT_LOSS = 1 << 3,	/* reports ANA persistent loss state */
	NVME_CTRL_ANACAP_CHANGE = 1 << 4,		/* reports ANA change state */
	NVME_CTRL_ANACAP_GRPID_NO_CHG = 1 << 6,		/* ANAGRPID is fixed while attached */
	NVME_CTRL_ANACAP_GRPID_MGMT = 1 << 7,		/* Namespace Management takes an ANAGRPID */
};

/** enum nvme_id_ctrl_kpioc - Key Per I/O Capabilities; "Identify Controller Data Structure" */
enum nvme_id_ctrl_kpioc {
	NVME_FIELD(CTRL_KPIOC_KPIOS, 0, 0x1),	/* key per I/O is supported */
	NVME_FIELD(CTRL_KPIOC_KPIOSC, 1, 0x1),	/* enabled for all namespaces at once */
};

/**
 * enum nvme_id_ctrl_sqes - Submission Queue Entry Size, as powers of two; "Identify Controller Data
 * Structure"
 */
enum nvme_id_ctrl_sqes {
	NVME_CTRL_SQES_MIN = 0x0f,	/* mask: required size */
	NVME_CTRL_SQES_MAX = 0xf0,	/* mask: largest size */
};

/**
 * enum nvme_id_ctrl_cqes - Completion Queue Entry Size, as powers of two; "Identify Controller Data
 * Structure"
 */
enum nvme_id_ctrl_cqes {
	NVME_CTRL_CQES_MIN = 0x0f,	/* mask: required size */
	NVME_CTRL_CQES_MAX = 0xf0,	/* mask: largest size */
};

/** enum nvme_id_ctrl_oncs - Optional NVM Command Support; "Identify Controller Data Structure" */
enum nvme_id_ctrl_oncs {
	NVME_CTRL_ONCS_COMPARE = 1 << 0,			/* Compare */
	NVME_CTRL_ONCS_WRITE_UNCORRECTABLE = 1 << 1,		/* Write Uncorrectable */
	NVME_CTRL_ONCS_DSM = 1 << 2,				/* Dataset Management */
	NVME_CTRL_ONCS_WRITE_ZEROES = 1 << 3,			/* Write Zeroes */
	NVME_CTRL_ONCS_SAVE_FEATURES = 1 << 4,			/* features can be saved */
	NVME_CTRL_ONCS_RESERVATIONS = 1 << 5,			/* reservations */
	NVME_CTRL_ONCS_TIMESTAMP = 1 << 6,			/* Timestamp feature */
	NVME_CTRL_ONCS_VERIFY = 1 << 7,				/* Verify */
	NVME_CTRL_ONCS_COPY = 1 << 8,				/* Copy */
	NVME_CTRL_ONCS_COPY_SINGLE_ATOMICITY = 1 << 9,		/* Copy is atomic */
	NVME_CTRL_ONCS_ALL_FAST_COPY = 1 << 10,			/* every Copy is fast */
	NVME_CTRL_ONCS_WRITE_ZEROES_DEALLOCATE = 1 << 11,	/* WZDSL is valid */
	NVME_CTRL_ONCS_NAMESPACE_ZEROES = 1 << 12,		/* zeroes a whole namespace */
};

/** enum nvme_id_ctrl_fuses - Fused Operation Support; "Identify Controller Data Structure" */
enum nvme_id_ctrl_fuses {
	NVME_CTRL_FUSES_COMPARE_AND_WRITE = 1 << 0,	/* Compare and Write */
};

/**
 * enum nvme_id_ctrl_fna - Format NVM Attributes; "Identify Controller Data Structure"
 *
 * The bits behind the fields are the same, in place.
 */
enum nvme_id_ctrl_fna {
	NVME_FIELD(CTRL_FNA_FMT_ALL_NS, 0, 0x1),	/* a format applies to all namespaces */
	NVME_FIELD(CTRL_FNA_SEC_ALL_NS, 1, 0x1),	/* an erase applies to all namespaces */
	NVME_FIELD(CTRL_FNA_CES, 2, 0x1),		/* cryptographic erase is supported */
	NVME_FIELD(CTRL_FNA_NSID_ALL_F, 3, 0x1),	/* NSID ffffffffh is not supported */
	NVME_CTRL_FNA_FMT_ALL_NAMESPACES = 1 << 0,
	NVME_CTRL_FNA_SEC_ALL_NAMESPACES = 1 << 1,
	NVME_CTRL_FNA_CRYPTO_ERASE = 1 << 2,
	NVME_CTRL_FNA_NSID_FFFFFFFF = 1 << 3,
};

/* Fields of FNA. */
#define NVME_CTRL_FNA_FMT_ALL_NS(fna) NVME_GET(fna, CTRL_FNA_FMT_ALL_NS)
#define NVME_CTRL_FNA_SEC_ALL_NS(fna) NVME_GET(fna, CTRL_FNA_SEC_ALL_NS)
#define NVME_CTRL_FNA_CES(fna) NVME_GET(fna, CTRL_FNA_CES)
#define NVME_CTRL_FNA_NSID_ALL_F(fna) NVME_GET(fna, CTRL_FNA_NSID_ALL_F)

/** enum nvme_id_ctrl_vwc - Volatile Write Cache; "Identify Controller Data Structure" */
enum nvme_id_ctrl_vwc {
	NVME_CTRL_VWC_PRESENT = 1,	/* volatile write cache present */
	NVME_CTRL_VWC_FLUSH = 6,	/* mask: behaviour of Flush with NSID ffffffffh */
};

/**
 * enum nvme_id_ctrl_nvscc - I/O Command Set Vendor Specific Command Configuration; "Identify
 * Controller Data Structure"
 */
enum nvme_id_ctrl_nvscc {
	NVME_CTRL_NVSCC_FMT = 1 << 0,	/* vendor specific commands have the common format */
};

/**
 * enum nvme_id_ctrl_nwpc - Namespace Write Protection Capabilities; "Identify Controller Data
 * Structure"
 */
enum nvme_id_ctrl_nwpc {
	NVME_CTRL_NWPC_WRITE_PROTECT = 1 << 0,			/* Write Protect */
	NVME_CTRL_NWPC_WRITE_PROTECT_POWER_CYCLE = 1 << 1,	/* Until Power Cycle */
	NVME_CTRL_NWPC_WRITE_PROTECT_PERMANENT = 1 << 2,	/* Permanent */
};

/** enum nvme_id_ctrl_sgls - SGL Support; "Identify Controller Data Structure" */
enum nvme_id_ctrl_sgls {
	NVME_CTRL_SGLS_SUPPORTED = 0x3,			/* mask: whether and how aligned */
	NVME_CTRL_SGLS_KEYED = 1 << 2,			/* keyed SGL data block descriptor */
	NVME_CTRL_SGLS_BIT_BUCKET = 1 << 16,		/* SGL bit bucket descriptor */
	NVME_CTRL_SGLS_MPTR_BYTE_ALIGNED = 1 << 17,	/* metadata may start at any byte */
	NVME_CTRL_SGLS_OVERSIZE = 1 << 18,		/* an SGL may be longer than the data */
	NVME_CTRL_SGLS_MPTR_SGL = 1 << 19,		/* metadata pointer may be an SGL */
	NVME_CTRL_SGLS_OFFSET = 1 << 20,		/* a data block may have an offset */
	NVME_CTRL_SGLS_TPORT = 1 << 21,			/* transport SGL data block descriptor */
};

/** enum nvme_id_ctrl_trattr - Tracking Attributes; "Identify Controller Data Structure" */
enum nvme_id_ctrl_trattr {
	NVME_FIELD(CTRL_TRATTR_THMCS, 0, 0x1),	/* tracks changes of host memory */
	NVME_FIELD(CTRL_TRATTR_TUDCS, 1, 0x1),	/* tracks changes of user data */
	NVME_FIELD(CTRL_TRATTR_MRTLL, 2, 0x1),	/* memory range tracking has length limits */
};

/** enum nvme_id_ctrl_fcatt - Fabrics Controller Attributes; "Identify Controller Data Structure" */
enum nvme_id_ctrl_fcatt {
	NVME_CTRL_FCATT_DYNAMIC = 1 << 0,	/* 0: dynamic, 1: static controller model */
};

/**
 * enum nvme_id_ctrl_ofcs - Optional Fabrics Commands Support; "Identify Controller Data Structure"
 */
enum nvme_id_ctrl_ofcs {
	NVME_CTRL_OFCS_DISCONNECT = 1 << 0,	/* Disconnect */
};

#endif /* _LIBNVME_TYPES_IDENTIFY_CTRL_FIELDS_H */
