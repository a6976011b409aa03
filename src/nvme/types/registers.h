/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Controller properties (registers): offsets, fields and values.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_REGISTERS_H
#define _LIBNVME_TYPES_REGISTERS_H

#include "base.h"

/** enum nvme_register_offsets - offsets of the controller properties; "Property Definition" */
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

/** enum nvme_cap - Controller Capabilities; "Controller Capabilities" */
enum nvme_cap {
	NVME_FIELD(CAP_MQES, 0, 0xffff),	/* most entries of a queue, 0's based */
	NVME_FIELD(CAP_CQR, 16, 0x1),		/* queues must be contiguous */
	NVME_FIELD(CAP_AMS, 17, 0x3),		/* arbitration mechanisms, one bit each */
	NVME_CAP_AMS_WRR = 1 << 0,		/* weighted round robin with urgent */
	NVME_CAP_AMS_VS = 1 << 1,		/* vendor specific */
	NVME_FIELD(CAP_TO, 24, 0xff),		/* longest time to become ready, units of 500 ms */
	NVME_FIELD(CAP_DSTRD, 32, 0xf),		/* doorbell stride, 2^(2+n) bytes */
	NVME_FIELD(CAP_NSSRC, 36, 0x1),		/* subsystem reset is supported */
	NVME_FIELD(CAP_CSS, 37, 0xff),		/* command sets, one bit each */
	NVME_CAP_CSS_NVM = 1 << 0,		/* NVM Command Set */
	NVME_CAP_CSS_CSI = 1 << 6,		/* one or more command sets, selected by CSI */
	NVME_CAP_CSS_ADMIN = 1 << 7,		/* no I/O command set */
	NVME_FIELD(CAP_BPS, 45, 0x1),		/* boot partitions are supported */
	NVME_FIELD(CAP_CPS, 46, 0x3),		/* controller power scope */
	NVME_CAP_CPS_NONE = 0,			/* not reported */
	NVME_CAP_CPS_CTRL = 1,			/* controller */
	NVME_CAP_CPS_DOMAIN = 2,		/* domain */
	NVME_CAP_CPS_NVMS = 3,			/* NVM subsystem */
	NVME_FIELD(CAP_MPSMIN, 48, 0xf),	/* smallest memory page, 2^(12+n) bytes */
	NVME_FIELD(CAP_MPSMAX, 52, 0xf),	/* largest memory page, 2^(12+n) bytes */
	NVME_FIELD(CAP_PMRS, 56, 0x1),		/* persistent memory region is supported */
	NVME_FIELD(CAP_CMBS, 57, 0x1),		/* controller memory buffer is supported */
	NVME_FIELD(CAP_NSSS, 58, 0x1),		/* subsystem shutdown is supported */
	NVME_FIELD(CAP_CRMS, 59, 0x3),		/* controller ready modes, one bit each */
	NVME_CAP_CRWMS = 1 << 0,		/* ready with media */
	NVME_CAP_CRIMS = 1 << 1,		/* ready independent of media */
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

/** enum nvme_vs - Version; "Version" */
enum nvme_vs {
	NVME_FIELD(VS_TER, 0, 0xff),	/* tertiary version number */
	NVME_FIELD(VS_MNR, 8, 0xff),	/* minor version number */
	NVME_FIELD(VS_MJR, 16, 0xffff),	/* major version number */
};

/* Fields of VS. */
#define NVME_VS_TER(vs) NVME_GET(vs, VS_TER)
#define NVME_VS_MNR(vs) NVME_GET(vs, VS_MNR)
#define NVME_VS_MJR(vs) NVME_GET(vs, VS_MJR)

/* The three parts of a version number, in VS and in the Version field of Identify Controller. */
#define NVME_MAJOR(ver) NVME_VS_MJR(ver)
#define NVME_MINOR(ver) NVME_VS_MNR(ver)
#define NVME_TERTIARY(ver) NVME_VS_TER(ver)

/** enum nvme_cc - Controller Configuration; "Controller Configuration" */
enum nvme_cc {
	NVME_FIELD(CC_EN, 0, 0x1),	/* enable */
	NVME_FIELD(CC_CSS, 4, 0x7),	/* command set selected */
	NVME_CC_CSS_NVM = 0,		/* NVM Command Set */
	NVME_CC_CSS_CSI = 6,		/* all supported ones */
	NVME_CC_CSS_ADMIN = 7,		/* Admin commands only */
	NVME_FIELD(CC_MPS, 7, 0xf),	/* memory page, 2^(12+n) bytes */
	NVME_FIELD(CC_AMS, 11, 0x7),	/* arbitration mechanism selected */
	NVME_CC_AMS_RR = 0,		/* round robin */
	NVME_CC_AMS_WRRU = 1,		/* weighted round robin with urgent */
	NVME_CC_AMS_VS = 7,		/* vendor specific */
	NVME_FIELD(CC_SHN, 14, 0x3),	/* shutdown notification */
	NVME_CC_SHN_NONE = 0,		/* none */
	NVME_CC_SHN_NORMAL = 1,		/* normal shutdown */
	NVME_CC_SHN_ABRUPT = 2,		/* abrupt shutdown */
	NVME_FIELD(CC_IOSQES, 16, 0xf),	/* I/O submission queue entry size, 2^n bytes */
	NVME_FIELD(CC_IOCQES, 20, 0xf),	/* I/O completion queue entry size, 2^n bytes */
	NVME_FIELD(CC_CRIME, 24, 0x1),	/* ready independent of media */
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

/** enum nvme_csts - Controller Status; "Controller Status" */
enum nvme_csts {
	NVME_FIELD(CSTS_RDY, 0, 0x1),	/* ready */
	NVME_FIELD(CSTS_CFS, 1, 0x1),	/* fatal error */
	NVME_FIELD(CSTS_SHST, 2, 0x3),	/* shutdown status */
	NVME_CSTS_SHST_NORMAL = 0,	/* no shutdown */
	NVME_CSTS_SHST_OCCUR = 1,	/* shutting down */
	NVME_CSTS_SHST_CMPLT = 2,	/* shutdown is complete */
	NVME_FIELD(CSTS_NSSRO, 4, 0x1),	/* a subsystem reset occurred */
	NVME_FIELD(CSTS_PP, 5, 0x1),	/* processing is paused */
	NVME_FIELD(CSTS_ST, 6, 0x1),	/* the shutdown affects the subsystem */
	NVME_CSTS_SHN_MASK = 0x3,	/* same as NVME_CSTS_SHST_MASK */
};

/* Fields of CSTS. */
#define NVME_CSTS_RDY(csts) NVME_GET(csts, CSTS_RDY)
#define NVME_CSTS_CFS(csts) NVME_GET(csts, CSTS_CFS)
#define NVME_CSTS_SHST(csts) NVME_GET(csts, CSTS_SHST)
#define NVME_CSTS_NSSRO(csts) NVME_GET(csts, CSTS_NSSRO)
#define NVME_CSTS_PP(csts) NVME_GET(csts, CSTS_PP)
#define NVME_CSTS_ST(csts) NVME_GET(csts, CSTS_ST)

/** enum nvme_aqa - Admin Queue Attributes; "Admin Queue Attributes" */
enum nvme_aqa {
	NVME_FIELD(AQA_ASQS, 0, 0xfff),		/* entries of the submission queue, 0's based */
	NVME_FIELD(AQA_ACQS, 16, 0xfff),	/* entries of the completion queue, 0's based */
};

/* Fields of AQA. */
#define NVME_AQA_ASQS(aqa) NVME_GET(aqa, AQA_ASQS)
#define NVME_AQA_ACQS(aqa) NVME_GET(aqa, AQA_ACQS)

/** enum nvme_asq - Admin Submission Queue Base Address; "Admin Submission Queue Base Address" */
enum nvme_asq {
	NVME_ASQ_ASQB_SHIFT = 12,	/* physical address, page aligned */
};

/* Bits 63:12 of an address; too wide for an enumerator. */
#define NVME_ASQ_ASQB_MASK 0xfffffffffffffULL

/* Field of ASQ. */
#define NVME_ASQ_ASQB(asq) NVME_GET(asq, ASQ_ASQB)

/** enum nvme_acq - Admin Completion Queue Base Address; "Admin Completion Queue Base Address" */
enum nvme_acq {
	NVME_ACQ_ACQB_SHIFT = 12,	/* physical address, page aligned */
};

/* Bits 63:12 of an address; too wide for an enumerator. */
#define NVME_ACQ_ACQB_MASK 0xfffffffffffffULL

/* Field of ACQ. */
#define NVME_ACQ_ACQB(acq) NVME_GET(acq, ACQ_ACQB)

/** enum nvme_bpinfo - Boot Partition Information; "Boot Partition Information" */
enum nvme_bpinfo {
	NVME_FIELD(BPINFO_BPSZ, 0, 0x7fff),	/* size, units of 128 KiB */
	NVME_FIELD(BPINFO_BRS, 24, 0x3),	/* status of the read */
	NVME_BPINFO_BRS_NONE = 0,		/* no read was requested */
	NVME_BPINFO_BRS_READ_IN_PROGRESS = 1,	/* in progress */
	NVME_BPINFO_BRS_READ_SUCCESS = 2,	/* completed */
	NVME_BPINFO_BRS_READ_ERROR = 3,		/* failed */
	NVME_FIELD(BPINFO_ABPID, 31, 0x1),	/* active boot partition */
};

/* Fields of BPINFO. */
#define NVME_BPINFO_BPSZ(bpinfo) NVME_GET(bpinfo, BPINFO_BPSZ)
#define NVME_BPINFO_BRS(bpinfo) NVME_GET(bpinfo, BPINFO_BRS)
#define NVME_BPINFO_ABPID(bpinfo) NVME_GET(bpinfo, BPINFO_ABPID)

/** enum nvme_bprsel - Boot Partition Read Select; "Boot Partition Read Select" */
enum nvme_bprsel {
	NVME_FIELD(BPRSEL_BPRSZ, 0, 0x3ff),	/* size to read, units of 4 KiB */
	NVME_FIELD(BPRSEL_BPROF, 10, 0xfffff),	/* offset to read from, units of 4 KiB */
	NVME_FIELD(BPRSEL_BPID, 31, 0x1),	/* boot partition */
};

/* Fields of BPRSEL. */
#define NVME_BPRSEL_BPRSZ(bprsel) NVME_GET(bprsel, BPRSEL_BPRSZ)
#define NVME_BPRSEL_BPROF(bprsel) NVME_GET(bprsel, BPRSEL_BPROF)
#define NVME_BPRSEL_BPID(bprsel) NVME_GET(bprsel, BPRSEL_BPID)

/** enum nvme_bpmbl - "Boot Partition Memory Buffer Location" */
enum nvme_bpmbl {
	NVME_BPMBL_BMBBA_SHIFT = 12,	/* address of the buffer, page aligned */
};

/* Bits 63:12 of an address; too wide for an enumerator. */
#define NVME_BPMBL_BMBBA_MASK 0xfffffffffffffULL

/* Field of BPMBL. */
#define NVME_BPMBL_BMBBA(bpmbl) NVME_GET(bpmbl, BPMBL_BMBBA)

/** enum nvme_crto - Controller Ready Timeouts; "Controller Ready Timeouts" */
enum nvme_crto {
	NVME_FIELD(CRTO_CRWMT, 0, 0xffff),	/* ready with media, units of 500 ms */
	NVME_FIELD(CRTO_CRIMT, 16, 0xffff),	/* ready independent of media, units of 500 ms */
};

/* Fields of CRTO. */
#define NVME_CRTO_CRIMT(crto) NVME_GET(crto, CRTO_CRIMT)
#define NVME_CRTO_CRWMT(crto) NVME_GET(crto, CRTO_CRWMT)

#endif /* _LIBNVME_TYPES_REGISTERS_H */
