/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Controller properties (registers): offsets, fields and values.
 */
#ifndef _LIBNVME_TYPES_REGISTERS_H
#define _LIBNVME_TYPES_REGISTERS_H

#include "base.h"

enum nvme_register_offsets {
	NVME_REG_CAP = 0x0000,
	NVME_REG_VS = 0x0008,
	NVME_REG_INTMS = 0x000c,
	NVME_REG_INTMC = 0x0010,
	NVME_REG_CC = 0x0014,
	NVME_REG_CSTS = 0x001c,
	NVME_REG_NSSR = 0x0020,
	NVME_REG_AQA = 0x0024,
	NVME_REG_ASQ = 0x0028,
	NVME_REG_ACQ = 0x0030,
	NVME_REG_CMBLOC = 0x0038,
	NVME_REG_CMBSZ = 0x003c,
	NVME_REG_BPINFO = 0x0040,
	NVME_REG_BPRSEL = 0x0044,
	NVME_REG_BPMBL = 0x0048,
	NVME_REG_CMBMSC = 0x0050,
	NVME_REG_CMBSTS = 0x0058,
	NVME_REG_CMBEBS = 0x005c,
	NVME_REG_CMBSWTP = 0x0060,
	NVME_REG_NSSD = 0x0064,
	NVME_REG_CRTO = 0x0068,
	NVME_REG_PMRCAP = 0x0e00,
	NVME_REG_PMRCTL = 0x0e04,
	NVME_REG_PMRSTS = 0x0e08,
	NVME_REG_PMREBS = 0x0e0c,
	NVME_REG_PMRSWTP = 0x0e10,
	NVME_REG_PMRMSCL = 0x0e14,
	NVME_REG_PMRMSCU = 0x0e18,
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

enum nvme_cap {
	NVME_CAP_MQES_SHIFT = 0,
	NVME_CAP_MQES_MASK = 0xffff,
	NVME_CAP_CQR_SHIFT = 16,
	NVME_CAP_CQR_MASK = 0x1,
	NVME_CAP_AMS_SHIFT = 17,
	NVME_CAP_AMS_MASK = 0x3,
	NVME_CAP_AMS_WRR = 1,
	NVME_CAP_AMS_VS = 2,
	NVME_CAP_TO_SHIFT = 24,
	NVME_CAP_TO_MASK = 0xff,
	NVME_CAP_DSTRD_SHIFT = 32,
	NVME_CAP_DSTRD_MASK = 0xf,
	NVME_CAP_NSSRC_SHIFT = 36,
	NVME_CAP_NSSRC_MASK = 0x1,
	NVME_CAP_CSS_SHIFT = 37,
	NVME_CAP_CSS_MASK = 0xff,
	NVME_CAP_CSS_NVM = 1,
	NVME_CAP_CSS_CSI = 64,
	NVME_CAP_CSS_ADMIN = 128,
	NVME_CAP_BPS_SHIFT = 45,
	NVME_CAP_BPS_MASK = 0x1,
	NVME_CAP_CPS_SHIFT = 46,
	NVME_CAP_CPS_MASK = 0x3,
	NVME_CAP_CPS_NONE = 0,
	NVME_CAP_CPS_CTRL = 1,
	NVME_CAP_CPS_DOMAIN = 2,
	NVME_CAP_CPS_NVMS = 3,
	NVME_CAP_MPSMIN_SHIFT = 48,
	NVME_CAP_MPSMIN_MASK = 0xf,
	NVME_CAP_MPSMAX_SHIFT = 52,
	NVME_CAP_MPSMAX_MASK = 0xf,
	NVME_CAP_PMRS_SHIFT = 56,
	NVME_CAP_PMRS_MASK = 0x1,
	NVME_CAP_CMBS_SHIFT = 57,
	NVME_CAP_CMBS_MASK = 0x1,
	NVME_CAP_NSSS_SHIFT = 58,
	NVME_CAP_NSSS_MASK = 0x1,
	NVME_CAP_CRMS_SHIFT = 59,
	NVME_CAP_CRMS_MASK = 0x3,
	NVME_CAP_CRWMS = 1,
	NVME_CAP_CRIMS = 2,
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

enum nvme_vs {
	NVME_VS_TER_SHIFT = 0,
	NVME_VS_TER_MASK = 0xff,
	NVME_VS_MNR_SHIFT = 8,
	NVME_VS_MNR_MASK = 0xff,
	NVME_VS_MJR_SHIFT = 16,
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

enum nvme_cc {
	NVME_CC_EN_SHIFT = 0,
	NVME_CC_EN_MASK = 0x1,
	NVME_CC_CSS_SHIFT = 4,
	NVME_CC_CSS_MASK = 0x7,
	NVME_CC_CSS_NVM = 0,
	NVME_CC_CSS_CSI = 6,
	NVME_CC_CSS_ADMIN = 7,
	NVME_CC_MPS_SHIFT = 7,
	NVME_CC_MPS_MASK = 0xf,
	NVME_CC_AMS_SHIFT = 11,
	NVME_CC_AMS_MASK = 0x7,
	NVME_CC_AMS_RR = 0,
	NVME_CC_AMS_WRRU = 1,
	NVME_CC_AMS_VS = 7,
	NVME_CC_SHN_SHIFT = 14,
	NVME_CC_SHN_MASK = 0x3,
	NVME_CC_SHN_NONE = 0,
	NVME_CC_SHN_NORMAL = 1,
	NVME_CC_SHN_ABRUPT = 2,
	NVME_CC_IOSQES_SHIFT = 16,
	NVME_CC_IOSQES_MASK = 0xf,
	NVME_CC_IOCQES_SHIFT = 20,
	NVME_CC_IOCQES_MASK = 0xf,
	NVME_CC_CRIME_SHIFT = 24,
	NVME_CC_CRIME_MASK = 0x1,
	NVME_CC_CRWME = 0,
	NVME_CC_CRIME = 1,
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

enum nvme_csts {
	NVME_CSTS_RDY_SHIFT = 0,
	NVME_CSTS_RDY_MASK = 0x1,
	NVME_CSTS_CFS_SHIFT = 1,
	NVME_CSTS_CFS_MASK = 0x1,
	NVME_CSTS_SHST_SHIFT = 2,
	NVME_CSTS_SHST_MASK = 0x3,
	NVME_CSTS_SHST_NORMAL = 0,
	NVME_CSTS_SHST_OCCUR = 1,
	NVME_CSTS_SHST_CMPLT = 2,
	NVME_CSTS_NSSRO_SHIFT = 4,
	NVME_CSTS_NSSRO_MASK = 0x1,
	NVME_CSTS_PP_SHIFT = 5,
	NVME_CSTS_PP_MASK = 0x1,
	NVME_CSTS_ST_SHIFT = 6,
	NVME_CSTS_ST_MASK = 0x1,
	NVME_CSTS_SHN_MASK = 0x3,
};

/* Fields of CSTS. */
#define NVME_CSTS_RDY(csts) NVME_GET(csts, CSTS_RDY)
#define NVME_CSTS_CFS(csts) NVME_GET(csts, CSTS_CFS)
#define NVME_CSTS_SHST(csts) NVME_GET(csts, CSTS_SHST)
#define NVME_CSTS_NSSRO(csts) NVME_GET(csts, CSTS_NSSRO)
#define NVME_CSTS_PP(csts) NVME_GET(csts, CSTS_PP)
#define NVME_CSTS_ST(csts) NVME_GET(csts, CSTS_ST)

enum nvme_aqa {
	NVME_AQA_ASQS_SHIFT = 0,
	NVME_AQA_ASQS_MASK = 0xfff,
	NVME_AQA_ACQS_SHIFT = 16,
	NVME_AQA_ACQS_MASK = 0xfff,
};

/* Fields of AQA. */
#define NVME_AQA_ASQS(aqa) NVME_GET(aqa, AQA_ASQS)
#define NVME_AQA_ACQS(aqa) NVME_GET(aqa, AQA_ACQS)

enum nvme_asq {
	NVME_ASQ_ASQB_SHIFT = 12,
};

/* Bits 63:12 of an address; too wide for an enumerator. */
#define NVME_ASQ_ASQB_MASK 0xfffffffffffffULL

/* Field of ASQ. */
#define NVME_ASQ_ASQB(asq) NVME_GET(asq, ASQ_ASQB)

enum nvme_acq {
	NVME_ACQ_ACQB_SHIFT = 12,
};

/* Bits 63:12 of an address; too wide for an enumerator. */
#define NVME_ACQ_ACQB_MASK 0xfffffffffffffULL

/* Field of ACQ. */
#define NVME_ACQ_ACQB(acq) NVME_GET(acq, ACQ_ACQB)

enum nvme_bpinfo {
	NVME_BPINFO_BPSZ_SHIFT = 0,
	NVME_BPINFO_BPSZ_MASK = 0x7fff,
	NVME_BPINFO_BRS_SHIFT = 24,
	NVME_BPINFO_BRS_MASK = 0x3,
	NVME_BPINFO_BRS_NONE = 0,
	NVME_BPINFO_BRS_READ_IN_PROGRESS = 1,
	NVME_BPINFO_BRS_READ_SUCCESS = 2,
	NVME_BPINFO_BRS_READ_ERROR = 3,
	NVME_BPINFO_ABPID_SHIFT = 31,
	NVME_BPINFO_ABPID_MASK = 0x1,
};

/* Fields of BPINFO. */
#define NVME_BPINFO_BPSZ(bpinfo) NVME_GET(bpinfo, BPINFO_BPSZ)
#define NVME_BPINFO_BRS(bpinfo) NVME_GET(bpinfo, BPINFO_BRS)
#define NVME_BPINFO_ABPID(bpinfo) NVME_GET(bpinfo, BPINFO_ABPID)

enum nvme_bprsel {
	NVME_BPRSEL_BPRSZ_SHIFT = 0,
	NVME_BPRSEL_BPRSZ_MASK = 0x3ff,
	NVME_BPRSEL_BPROF_SHIFT = 10,
	NVME_BPRSEL_BPROF_MASK = 0xfffff,
	NVME_BPRSEL_BPID_SHIFT = 31,
	NVME_BPRSEL_BPID_MASK = 0x1,
};

/* Fields of BPRSEL. */
#define NVME_BPRSEL_BPRSZ(bprsel) NVME_GET(bprsel, BPRSEL_BPRSZ)
#define NVME_BPRSEL_BPROF(bprsel) NVME_GET(bprsel, BPRSEL_BPROF)
#define NVME_BPRSEL_BPID(bprsel) NVME_GET(bprsel, BPRSEL_BPID)

enum nvme_bpmbl {
	NVME_BPMBL_BMBBA_SHIFT = 12,
};

/* Bits 63:12 of an address; too wide for an enumerator. */
#define NVME_BPMBL_BMBBA_MASK 0xfffffffffffffULL

/* Field of BPMBL. */
#define NVME_BPMBL_BMBBA(bpmbl) NVME_GET(bpmbl, BPMBL_BMBBA)

enum nvme_crto {
	NVME_CRTO_CRWMT_SHIFT = 0,
	NVME_CRTO_CRWMT_MASK = 0xffff,
	NVME_CRTO_CRIMT_SHIFT = 16,
	NVME_CRTO_CRIMT_MASK = 0xffff,
};

/* Fields of CRTO. */
#define NVME_CRTO_CRIMT(crto) NVME_GET(crto, CRTO_CRIMT)
#define NVME_CRTO_CRWMT(crto) NVME_GET(crto, CRTO_CRWMT)

#endif /* _LIBNVME_TYPES_REGISTERS_H */
