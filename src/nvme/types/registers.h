/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Controller properties (registers): offsets, fields and values.
 */
#ifndef _LIBNVME_TYPES_REGISTERS_H
#define _LIBNVME_TYPES_REGISTERS_H

#include "base.h"

/**
 * enum nvme_register_offsets - offsets of the controller properties
 *
 * NVM Express Base Specification, "Property Definition".
 */
enum nvme_register_offsets {
	NVME_REG_CAP = 0x0000,		/* Controller Capabilities */
	NVME_REG_VS = 0x0008,		/* Version */
	NVME_REG_INTMS = 0x000c,	/* Interrupt Mask Set */
	NVME_REG_INTMC = 0x0010,	/* Interrupt Mask Clear */
	NVME_REG_CC = 0x0014,		/* Controller Configuration */
	NVME_REG_CSTS = 0x001c,		/* Controller Status */
	NVME_REG_NSSR = 0x0020,		/* NVM Subsystem Reset */
	NVME_REG_AQA = 0x0024,		/* Admin Queue Attributes */
	NVME_REG_ASQ = 0x0028,		/* Admin Submission Queue Base Address */
	NVME_REG_ACQ = 0x0030,		/* Admin Completion Queue Base Address */
	NVME_REG_CMBLOC = 0x0038,	/* Controller Memory Buffer Location */
	NVME_REG_CMBSZ = 0x003c,	/* Controller Memory Buffer Size */
	NVME_REG_BPINFO = 0x0040,	/* Boot Partition Information */
	NVME_REG_BPRSEL = 0x0044,	/* Boot Partition Read Select */
	NVME_REG_BPMBL = 0x0048,	/* Boot Partition Memory Buffer Location */
	NVME_REG_CMBMSC = 0x0050,	/* Controller Memory Buffer Memory Space Control */
	NVME_REG_CMBSTS = 0x0058,	/* Controller Memory Buffer Status */
	NVME_REG_CMBEBS = 0x005c,	/* Controller Memory Buffer Elasticity Buffer Size */
	NVME_REG_CMBSWTP = 0x0060,	/* Controller Memory Buffer Sustained Write Throughput */
	NVME_REG_NSSD = 0x0064,		/* NVM Subsystem Shutdown */
	NVME_REG_CRTO = 0x0068,		/* Controller Ready Timeouts */
	NVME_REG_PMRCAP = 0x0e00,	/* Persistent Memory Region Capabilities */
	NVME_REG_PMRCTL = 0x0e04,	/* Persistent Memory Region Control */
	NVME_REG_PMRSTS = 0x0e08,	/* Persistent Memory Region Status */
	NVME_REG_PMREBS = 0x0e0c,	/* Persistent Memory Region Elasticity Buffer Size */
	NVME_REG_PMRSWTP = 0x0e10,	/* Persistent Memory Region Sustained Write Throughput */
	NVME_REG_PMRMSCL = 0x0e14,	/* Persistent Memory Region Memory Space Control, lower */
	NVME_REG_PMRMSCU = 0x0e18,	/* Persistent Memory Region Memory Space Control, upper */
};

/**
 * nvme_is_64bit_reg() - whether a property is 64 bits wide
 * @offset:	Offset of the property, see &enum nvme_register_offsets
 *
 * Return: true for CAP, ASQ, ACQ, BPMBL and CMBMSC, false for all others.
 */
static inline bool nvme_is_64bit_reg(__u32 offset)
{
	switch (offset) {
	case NVME_REG_CAP:
	case NVME_REG_ASQ:
	case NVME_REG_ACQ:
	case NVME_REG_BPMBL:
	case NVME_REG_CMBMSC:
		return true;
	default:
		return false;
	}
}

/**
 * enum nvme_cap - Controller Capabilities
 *
 * NVM Express Base Specification, "Controller Capabilities".
 */
enum nvme_cap {
	NVME_CAP_MQES_SHIFT = 0,	/* most entries of a queue, 0's based */
	NVME_CAP_MQES_MASK = 0xffff,
	NVME_CAP_CQR_SHIFT = 16,	/* queues have to be contiguous */
	NVME_CAP_CQR_MASK = 0x1,
	NVME_CAP_AMS_SHIFT = 17,	/* arbitration mechanisms, one bit each */
	NVME_CAP_AMS_MASK = 0x3,
	NVME_CAP_AMS_WRR = 1 << 0,	/* weighted round robin with urgent */
	NVME_CAP_AMS_VS = 1 << 1,	/* vendor specific */
	NVME_CAP_TO_SHIFT = 24,		/* longest time to become ready, units of 500 ms */
	NVME_CAP_TO_MASK = 0xff,
	NVME_CAP_DSTRD_SHIFT = 32,	/* doorbell stride, 2^(2+n) bytes */
	NVME_CAP_DSTRD_MASK = 0xf,
	NVME_CAP_NSSRC_SHIFT = 36,	/* subsystem reset is supported */
	NVME_CAP_NSSRC_MASK = 0x1,
	NVME_CAP_CSS_SHIFT = 37,	/* command sets, one bit each */
	NVME_CAP_CSS_MASK = 0xff,
	NVME_CAP_CSS_NVM = 1 << 0,	/* NVM Command Set */
	NVME_CAP_CSS_CSI = 1 << 6,	/* one or more, by identifier */
	NVME_CAP_CSS_ADMIN = 1 << 7,	/* no I/O command set */
	NVME_CAP_BPS_SHIFT = 45,	/* boot partitions are supported */
	NVME_CAP_BPS_MASK = 0x1,
	NVME_CAP_CPS_SHIFT = 46,	/* controller power scope */
	NVME_CAP_CPS_MASK = 0x3,
	NVME_CAP_CPS_NONE = 0,		/* not reported */
	NVME_CAP_CPS_CTRL = 1,		/* controller */
	NVME_CAP_CPS_DOMAIN = 2,	/* domain */
	NVME_CAP_CPS_NVMS = 3,		/* NVM subsystem */
	NVME_CAP_MPSMIN_SHIFT = 48,	/* smallest memory page, 2^(12+n) bytes */
	NVME_CAP_MPSMIN_MASK = 0xf,
	NVME_CAP_MPSMAX_SHIFT = 52,	/* largest memory page, 2^(12+n) bytes */
	NVME_CAP_MPSMAX_MASK = 0xf,
	NVME_CAP_PMRS_SHIFT = 56,	/* persistent memory region is supported */
	NVME_CAP_PMRS_MASK = 0x1,
	NVME_CAP_CMBS_SHIFT = 57,	/* controller memory buffer is supported */
	NVME_CAP_CMBS_MASK = 0x1,
	NVME_CAP_NSSS_SHIFT = 58,	/* subsystem shutdown is supported */
	NVME_CAP_NSSS_MASK = 0x1,
	NVME_CAP_CRMS_SHIFT = 59,	/* controller ready modes, one bit each */
	NVME_CAP_CRMS_MASK = 0x3,
	NVME_CAP_CRWMS = 1 << 0,	/* ready with media */
	NVME_CAP_CRIMS = 1 << 1,	/* ready independent of media */
};

/* Fields of CAP. */
#define NVME_CAP_MQES(cap) NVME_GET(cap, CAP_MQES)
#define NVME_CAP_CQR(cap) NVME_GET(cap, CAP_CQR)
#define NVME_CAP_AMS(cap) NVME_GET(cap, CAP_AMS)
#define NVME_CAP_TO(cap) NVME_GET(cap, CAP_TO)
#define NVME_CAP_DSTRD(cap) NVME_GET(cap, CAP_DSTRD)
#define NVME_CAP_NSSRC(cap) NVME_GET(cap, CAP_NSSRC)
#define NVME_CAP_CSS(cap) NVME_GET(cap, CAP_CSS)
#define NVME_CAP_BPS(cap) NVME_GET(cap, CAP_BPS)
#define NVME_CAP_CPS(cap) NVME_GET(cap, CAP_CPS)
#define NVME_CAP_MPSMIN(cap) NVME_GET(cap, CAP_MPSMIN)
#define NVME_CAP_MPSMAX(cap) NVME_GET(cap, CAP_MPSMAX)
#define NVME_CAP_PMRS(cap) NVME_GET(cap, CAP_PMRS)
#define NVME_CAP_CMBS(cap) NVME_GET(cap, CAP_CMBS)
#define NVME_CAP_NSSS(cap) NVME_GET(cap, CAP_NSSS)
#define NVME_CAP_CRMS(cap) NVME_GET(cap, CAP_CRMS)

/**
 * enum nvme_vs - Version
 *
 * NVM Express Base Specification, "Version".
 */
enum nvme_vs {
	NVME_VS_TER_SHIFT = 0,	/* tertiary version number */
	NVME_VS_TER_MASK = 0xff,
	NVME_VS_MNR_SHIFT = 8,	/* minor version number */
	NVME_VS_MNR_MASK = 0xff,
	NVME_VS_MJR_SHIFT = 16,	/* major version number */
	NVME_VS_MJR_MASK = 0xffff,
};

/* Fields of VS. */
#define NVME_VS_TER(vs) NVME_GET(vs, VS_TER)
#define NVME_VS_MNR(vs) NVME_GET(vs, VS_MNR)
#define NVME_VS_MJR(vs) NVME_GET(vs, VS_MJR)

/* The three parts of a version number, in VS and in the Version field of Identify Controller. */
#define NVME_MAJOR(ver) NVME_VS_MJR(ver)
#define NVME_MINOR(ver) NVME_VS_MNR(ver)
#define NVME_TERTIARY(ver) NVME_VS_TER(ver)

/**
 * enum nvme_cc - Controller Configuration
 *
 * NVM Express Base Specification, "Controller Configuration".
 */
enum nvme_cc {
	NVME_CC_EN_SHIFT = 0,		/* enable */
	NVME_CC_EN_MASK = 0x1,
	NVME_CC_CSS_SHIFT = 4,		/* command set selected */
	NVME_CC_CSS_MASK = 0x7,
	NVME_CC_CSS_NVM = 0,		/* NVM Command Set */
	NVME_CC_CSS_CSI = 6,		/* all supported ones */
	NVME_CC_CSS_ADMIN = 7,		/* Admin commands only */
	NVME_CC_MPS_SHIFT = 7,		/* memory page, 2^(12+n) bytes */
	NVME_CC_MPS_MASK = 0xf,
	NVME_CC_AMS_SHIFT = 11,		/* arbitration mechanism selected */
	NVME_CC_AMS_MASK = 0x7,
	NVME_CC_AMS_RR = 0,		/* round robin */
	NVME_CC_AMS_WRRU = 1,		/* weighted round robin with urgent */
	NVME_CC_AMS_VS = 7,		/* vendor specific */
	NVME_CC_SHN_SHIFT = 14,		/* shutdown notification */
	NVME_CC_SHN_MASK = 0x3,
	NVME_CC_SHN_NONE = 0,		/* none */
	NVME_CC_SHN_NORMAL = 1,		/* normal shutdown */
	NVME_CC_SHN_ABRUPT = 2,		/* abrupt shutdown */
	NVME_CC_IOSQES_SHIFT = 16,	/* I/O submission queue entry size, 2^n bytes */
	NVME_CC_IOSQES_MASK = 0xf,
	NVME_CC_IOCQES_SHIFT = 20,	/* I/O completion queue entry size, 2^n bytes */
	NVME_CC_IOCQES_MASK = 0xf,
	NVME_CC_CRIME_SHIFT = 24,	/* ready independent of media */
	NVME_CC_CRIME_MASK = 0x1,
	NVME_CC_CRWME = 0,		/* ready with media */
	NVME_CC_CRIME = 1,		/* ready independent of media */
};

/* Fields of CC. */
#define NVME_CC_EN(cc) NVME_GET(cc, CC_EN)
#define NVME_CC_CSS(cc) NVME_GET(cc, CC_CSS)
#define NVME_CC_MPS(cc) NVME_GET(cc, CC_MPS)
#define NVME_CC_AMS(cc) NVME_GET(cc, CC_AMS)
#define NVME_CC_SHN(cc) NVME_GET(cc, CC_SHN)
#define NVME_CC_IOSQES(cc) NVME_GET(cc, CC_IOSQES)
#define NVME_CC_IOCQES(cc) NVME_GET(cc, CC_IOCQES)
#define NVME_CC_CRIME(cc) NVME_GET(cc, CC_CRIME)

/**
 * enum nvme_csts - Controller Status
 *
 * NVM Express Base Specification, "Controller Status".
 */
enum nvme_csts {
	NVME_CSTS_RDY_SHIFT = 0,	/* ready */
	NVME_CSTS_RDY_MASK = 0x1,
	NVME_CSTS_CFS_SHIFT = 1,	/* fatal error */
	NVME_CSTS_CFS_MASK = 0x1,
	NVME_CSTS_SHST_SHIFT = 2,	/* shutdown status */
	NVME_CSTS_SHST_MASK = 0x3,
	NVME_CSTS_SHST_NORMAL = 0,	/* no shutdown */
	NVME_CSTS_SHST_OCCUR = 1,	/* shutting down */
	NVME_CSTS_SHST_CMPLT = 2,	/* shutdown is complete */
	NVME_CSTS_NSSRO_SHIFT = 4,	/* a subsystem reset occurred */
	NVME_CSTS_NSSRO_MASK = 0x1,
	NVME_CSTS_PP_SHIFT = 5,		/* processing is paused */
	NVME_CSTS_PP_MASK = 0x1,
	NVME_CSTS_ST_SHIFT = 6,		/* the shutdown is one of the subsystem */
	NVME_CSTS_ST_MASK = 0x1,
	NVME_CSTS_SHN_MASK = 0x3,	/* same as NVME_CSTS_SHST_MASK */
};

/* Fields of CSTS. */
#define NVME_CSTS_RDY(csts) NVME_GET(csts, CSTS_RDY)
#define NVME_CSTS_CFS(csts) NVME_GET(csts, CSTS_CFS)
#define NVME_CSTS_SHST(csts) NVME_GET(csts, CSTS_SHST)
#define NVME_CSTS_NSSRO(csts) NVME_GET(csts, CSTS_NSSRO)
#define NVME_CSTS_PP(csts) NVME_GET(csts, CSTS_PP)
#define NVME_CSTS_ST(csts) NVME_GET(csts, CSTS_ST)

/**
 * enum nvme_aqa - Admin Queue Attributes
 *
 * NVM Express Base Specification, "Admin Queue Attributes".
 */
enum nvme_aqa {
	NVME_AQA_ASQS_SHIFT = 0,	/* entries of the submission queue, 0's based */
	NVME_AQA_ASQS_MASK = 0xfff,
	NVME_AQA_ACQS_SHIFT = 16,	/* entries of the completion queue, 0's based */
	NVME_AQA_ACQS_MASK = 0xfff,
};

/* Fields of AQA. */
#define NVME_AQA_ASQS(aqa) NVME_GET(aqa, AQA_ASQS)
#define NVME_AQA_ACQS(aqa) NVME_GET(aqa, AQA_ACQS)

/**
 * enum nvme_asq - Admin Submission Queue Base Address
 *
 * NVM Express Base Specification, "Admin Submission Queue Base Address".
 */
enum nvme_asq {
	NVME_ASQ_ASQB_SHIFT = 12,	/* physical address, page aligned */
};

/* Bits 63:12 of an address; too wide for an enumerator. */
#define NVME_ASQ_ASQB_MASK 0xfffffffffffffULL

/* Field of ASQ. */
#define NVME_ASQ_ASQB(asq) NVME_GET(asq, ASQ_ASQB)

/**
 * enum nvme_acq - Admin Completion Queue Base Address
 *
 * NVM Express Base Specification, "Admin Completion Queue Base Address".
 */
enum nvme_acq {
	NVME_ACQ_ACQB_SHIFT = 12,	/* physical address, page aligned */
};

/* Bits 63:12 of an address; too wide for an enumerator. */
#define NVME_ACQ_ACQB_MASK 0xfffffffffffffULL

/* Field of ACQ. */
#define NVME_ACQ_ACQB(acq) NVME_GET(acq, ACQ_ACQB)

/**
 * enum nvme_bpinfo - Boot Partition Information
 *
 * NVM Express Base Specification, "Boot Partition Information".
 */
enum nvme_bpinfo {
	NVME_BPINFO_BPSZ_SHIFT = 0,		/* size, units of 128 KiB */
	NVME_BPINFO_BPSZ_MASK = 0x7fff,
	NVME_BPINFO_BRS_SHIFT = 24,		/* status of the read */
	NVME_BPINFO_BRS_MASK = 0x3,
	NVME_BPINFO_BRS_NONE = 0,		/* no read was requested */
	NVME_BPINFO_BRS_READ_IN_PROGRESS = 1,	/* in progress */
	NVME_BPINFO_BRS_READ_SUCCESS = 2,	/* completed */
	NVME_BPINFO_BRS_READ_ERROR = 3,		/* failed */
	NVME_BPINFO_ABPID_SHIFT = 31,		/* active boot partition */
	NVME_BPINFO_ABPID_MASK = 0x1,
};

/* Fields of BPINFO. */
#define NVME_BPINFO_BPSZ(bpinfo) NVME_GET(bpinfo, BPINFO_BPSZ)
#define NVME_BPINFO_BRS(bpinfo) NVME_GET(bpinfo, BPINFO_BRS)
#define NVME_BPINFO_ABPID(bpinfo) NVME_GET(bpinfo, BPINFO_ABPID)

/**
 * enum nvme_bprsel - Boot Partition Read Select
 *
 * NVM Express Base Specification, "Boot Partition Read Select".
 */
enum nvme_bprsel {
	NVME_BPRSEL_BPRSZ_SHIFT = 0,	/* size to read, units of 4 KiB */
	NVME_BPRSEL_BPRSZ_MASK = 0x3ff,
	NVME_BPRSEL_BPROF_SHIFT = 10,	/* offset to read from, units of 4 KiB */
	NVME_BPRSEL_BPROF_MASK = 0xfffff,
	NVME_BPRSEL_BPID_SHIFT = 31,	/* boot partition */
	NVME_BPRSEL_BPID_MASK = 0x1,
};

/* Fields of BPRSEL. */
#define NVME_BPRSEL_BPRSZ(bprsel) NVME_GET(bprsel, BPRSEL_BPRSZ)
#define NVME_BPRSEL_BPROF(bprsel) NVME_GET(bprsel, BPRSEL_BPROF)
#define NVME_BPRSEL_BPID(bprsel) NVME_GET(bprsel, BPRSEL_BPID)

/**
 * enum nvme_bpmbl - Boot Partition Memory Buffer Location
 *
 * NVM Express Base Specification, "Boot Partition Memory Buffer Location".
 */
enum nvme_bpmbl {
	NVME_BPMBL_BMBBA_SHIFT = 12,	/* address of the buffer, page aligned */
};

/* Bits 63:12 of an address; too wide for an enumerator. */
#define NVME_BPMBL_BMBBA_MASK 0xfffffffffffffULL

/* Field of BPMBL. */
#define NVME_BPMBL_BMBBA(bpmbl) NVME_GET(bpmbl, BPMBL_BMBBA)

/**
 * enum nvme_crto - Controller Ready Timeouts
 *
 * NVM Express Base Specification, "Controller Ready Timeouts".
 */
enum nvme_crto {
	NVME_CRTO_CRWMT_SHIFT = 0,	/* ready with media, units of 500 ms */
	NVME_CRTO_CRWMT_MASK = 0xffff,
	NVME_CRTO_CRIMT_SHIFT = 16,	/* ready independent of media, units of 500 ms */
	NVME_CRTO_CRIMT_MASK = 0xffff,
};

/* Fields of CRTO. */
#define NVME_CRTO_CRIMT(crto) NVME_GET(crto, CRTO_CRIMT)
#define NVME_CRTO_CRWMT(crto) NVME_GET(crto, CRTO_CRWMT)

#endif /* _LIBNVME_TYPES_REGISTERS_H */
