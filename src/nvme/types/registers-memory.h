/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties of the Controller Memory Buffer and the Persistent Memory Region.
 * Names in quotes are sections of the NVM Express NVMe over PCIe Transport Specification.
 */
#ifndef _LIBNVME_TYPES_REGISTERS_MEMORY_H
#define _LIBNVME_TYPES_REGISTERS_MEMORY_H

#include "base.h"

/** enum nvme_unit - units of buffer sizes and throughputs; Base "Property Definition" */
enum nvme_unit {
	NVME_UNIT_B = 0,	/* bytes */
	NVME_UNIT_1K = 1,	/* KiB */
	NVME_UNIT_1M = 2,	/* MiB */
	NVME_UNIT_1G = 3,	/* GiB */
};

/** enum nvme_cmbloc - Controller Memory Buffer Location; "Controller Memory Buffer Location" */
enum nvme_cmbloc {
	NVME_FIELD(CMBLOC_BIR, 0, 0x7),		/* base address register */
	NVME_FIELD(CMBLOC_CQMMS, 3, 0x1),	/* queues and other data may share memory */
	NVME_FIELD(CMBLOC_CQPDS, 4, 0x1),	/* queues need not be contiguous */
	NVME_FIELD(CMBLOC_CDPLMS, 5, 0x1),	/* a command's data pointers may mix locations */
	NVME_FIELD(CMBLOC_CDPCILS, 6, 0x1),	/* data and command may be in different memory */
	NVME_FIELD(CMBLOC_CDMMMS, 7, 0x1),	/* data and metadata may mix memory */
	NVME_FIELD(CMBLOC_CQDA, 8, 0x1),	/* queues must be dword aligned */
	NVME_FIELD(CMBLOC_OFST, 12, 0xfffff),	/* offset in units of CMBSZ */
};

/* Fields of CMBLOC. */
#define NVME_CMBLOC_BIR(cmbloc) NVME_GET(cmbloc, CMBLOC_BIR)
#define NVME_CMBLOC_CQMMS(cmbloc) NVME_GET(cmbloc, CMBLOC_CQMMS)
#define NVME_CMBLOC_CQPDS(cmbloc) NVME_GET(cmbloc, CMBLOC_CQPDS)
#define NVME_CMBLOC_CDPLMS(cmbloc) NVME_GET(cmbloc, CMBLOC_CDPLMS)
#define NVME_CMBLOC_CDPCILS(cmbloc) NVME_GET(cmbloc, CMBLOC_CDPCILS)
#define NVME_CMBLOC_CDMMMS(cmbloc) NVME_GET(cmbloc, CMBLOC_CDMMMS)
#define NVME_CMBLOC_CQDA(cmbloc) NVME_GET(cmbloc, CMBLOC_CQDA)
#define NVME_CMBLOC_OFST(cmbloc) NVME_GET(cmbloc, CMBLOC_OFST)

/** enum nvme_cmbsz - Controller Memory Buffer Size; "Controller Memory Buffer Size" */
enum nvme_cmbsz {
	NVME_FIELD(CMBSZ_SQS, 0, 0x1),		/* submission queues */
	NVME_FIELD(CMBSZ_CQS, 1, 0x1),		/* completion queues */
	NVME_FIELD(CMBSZ_LISTS, 2, 0x1),	/* PRP and SGL lists */
	NVME_FIELD(CMBSZ_RDS, 3, 0x1),		/* data and metadata of reads */
	NVME_FIELD(CMBSZ_WDS, 4, 0x1),		/* data and metadata of writes */
	NVME_FIELD(CMBSZ_SZU, 8, 0xf),		/* unit of the size */
	NVME_CMBSZ_SZU_4K = 0,			/* 4 KiB */
	NVME_CMBSZ_SZU_64K = 1,			/* 64 KiB */
	NVME_CMBSZ_SZU_1M = 2,			/* 1 MiB */
	NVME_CMBSZ_SZU_16M = 3,			/* 16 MiB */
	NVME_CMBSZ_SZU_256M = 4,		/* 256 MiB */
	NVME_CMBSZ_SZU_4G = 5,			/* 4 GiB */
	NVME_CMBSZ_SZU_64G = 6,			/* 64 GiB */
	NVME_FIELD(CMBSZ_SZ, 12, 0xfffff),	/* size */
};

/* Fields of CMBSZ. */
#define NVME_CMBSZ_SQS(cmbsz) NVME_GET(cmbsz, CMBSZ_SQS)
#define NVME_CMBSZ_CQS(cmbsz) NVME_GET(cmbsz, CMBSZ_CQS)
#define NVME_CMBSZ_LISTS(cmbsz) NVME_GET(cmbsz, CMBSZ_LISTS)
#define NVME_CMBSZ_RDS(cmbsz) NVME_GET(cmbsz, CMBSZ_RDS)
#define NVME_CMBSZ_WDS(cmbsz) NVME_GET(cmbsz, CMBSZ_WDS)
#define NVME_CMBSZ_SZU(cmbsz) NVME_GET(cmbsz, CMBSZ_SZU)
#define NVME_CMBSZ_SZ(cmbsz) NVME_GET(cmbsz, CMBSZ_SZ)

/**
 * nvme_cmb_size() - size of the Controller Memory Buffer
 * @cmbsz:	Value of CMBSZ
 *
 * Return: Size in bytes.
 */
static inline __u64 nvme_cmb_size(__u32 cmbsz)
{
	return (__u64)NVME_CMBSZ_SZ(cmbsz) << (12 + 4 * NVME_CMBSZ_SZU(cmbsz));
}

/** enum nvme_cmbmsc - NVMe over PCIe Transport "Controller Memory Buffer Memory Space Control" */
enum nvme_cmbmsc {
	NVME_FIELD(CMBMSC_CRE, 0, 0x1),		/* capabilities registers are enabled */
	NVME_FIELD(CMBMSC_CMSE, 1, 0x1),	/* memory space is enabled */
	NVME_CMBMSC_CBA_SHIFT = 12,		/* base address as the controller sees it */
};

/* Bits 63:12 of an address; too wide for an enumerator. */
#define NVME_CMBMSC_CBA_MASK 0xfffffffffffffULL

/* Fields of CMBMSC. */
#define NVME_CMBMSC_CRE(cmbmsc) NVME_GET(cmbmsc, CMBMSC_CRE)
#define NVME_CMBMSC_CMSE(cmbmsc) NVME_GET(cmbmsc, CMBMSC_CMSE)
#define NVME_CMBMSC_CBA(cmbmsc) NVME_GET(cmbmsc, CMBMSC_CBA)

/** enum nvme_cmbsts - Controller Memory Buffer Status; "Controller Memory Buffer Status" */
enum nvme_cmbsts {
	NVME_FIELD(CMBSTS_CBAI, 0, 0x1),	/* base address is invalid */
};

/* Field of CMBSTS. */
#define NVME_CMBSTS_CBAI(cmbsts) NVME_GET(cmbsts, CMBSTS_CBAI)

/** enum nvme_cmbebs - NVMe over PCIe Transport "Controller Memory Buffer Elasticity Buffer Size" */
enum nvme_cmbebs {
	NVME_FIELD(CMBEBS_CMBSZU, 0, 0xf),	/* unit of the size */
	NVME_CMBEBS_CMBSZU_B = 0,		/* bytes */
	NVME_CMBEBS_CMBSZU_1K = 1,		/* KiB */
	NVME_CMBEBS_CMBSZU_1M = 2,		/* MiB */
	NVME_CMBEBS_CMBSZU_1G = 3,		/* GiB */
	NVME_FIELD(CMBEBS_RBB, 4, 0x1),		/* reads bypass the buffer */
	NVME_FIELD(CMBEBS_CMBWBZ, 8, 0xffffff),	/* size */
};

/* Fields of CMBEBS. */
#define NVME_CMBEBS_CMBSZU(cmbebs) NVME_GET(cmbebs, CMBEBS_CMBSZU)
#define NVME_CMBEBS_RBB(cmbebs) NVME_GET(cmbebs, CMBEBS_RBB)
#define NVME_CMBEBS_CMBWBZ(cmbebs) NVME_GET(cmbebs, CMBEBS_CMBWBZ)

/**
 * enum nvme_cmbswtp - NVMe over PCIe Transport "Controller Memory Buffer Sustained Write
 * Throughput"
 */
enum nvme_cmbswtp {
	NVME_FIELD(CMBSWTP_CMBSWTU, 0, 0xf),		/* unit of the throughput */
	NVME_CMBSWTP_CMBSWTU_B = 0,			/* bytes per second */
	NVME_CMBSWTP_CMBSWTU_1K = 1,			/* KiB per second */
	NVME_CMBSWTP_CMBSWTU_1M = 2,			/* MiB per second */
	NVME_CMBSWTP_CMBSWTU_1G = 3,			/* GiB per second */
	NVME_FIELD(CMBSWTP_CMBSWTV, 8, 0xffffff),	/* throughput */
};

/* Fields of CMBSWTP. */
#define NVME_CMBSWTP_CMBSWTU(cmbswtp) NVME_GET(cmbswtp, CMBSWTP_CMBSWTU)
#define NVME_CMBSWTP_CMBSWTV(cmbswtp) NVME_GET(cmbswtp, CMBSWTP_CMBSWTV)

/** enum nvme_pmrcap - NVMe over PCIe Transport "Persistent Memory Region Capabilities" */
enum nvme_pmrcap {
	NVME_FIELD(PMRCAP_RDS, 3, 0x1),		/* data and metadata of reads */
	NVME_FIELD(PMRCAP_WDS, 4, 0x1),		/* data and metadata of writes */
	NVME_FIELD(PMRCAP_BIR, 5, 0x7),		/* base address register */
	NVME_FIELD(PMRCAP_PMRTU, 8, 0x3),	/* unit of the timeout */
	NVME_PMRCAP_PMRTU_500MS = 0,		/* 500 ms */
	NVME_PMRCAP_PMRTU_60S = 1,		/* minutes */
	NVME_FIELD(PMRCAP_PMRWBM, 10, 0xf),	/* write barrier mechanisms, one bit each */
	NVME_FIELD(PMRCAP_PMRTO, 16, 0xff),	/* timeout */
	NVME_FIELD(PMRCAP_CMSS, 24, 0x1),	/* controller memory space is supported */
	NVME_FIELD(PMRCAP_PMRWMB, 10, 0xf),	/* older spelling of PMRWBM */
};

/* Fields of PMRCAP. */
#define NVME_PMRCAP_RDS(pmrcap) NVME_GET(pmrcap, PMRCAP_RDS)
#define NVME_PMRCAP_WDS(pmrcap) NVME_GET(pmrcap, PMRCAP_WDS)
#define NVME_PMRCAP_BIR(pmrcap) NVME_GET(pmrcap, PMRCAP_BIR)
#define NVME_PMRCAP_PMRTU(pmrcap) NVME_GET(pmrcap, PMRCAP_PMRTU)
#define NVME_PMRCAP_PMRWBM(pmrcap) NVME_GET(pmrcap, PMRCAP_PMRWBM)
#define NVME_PMRCAP_PMRTO(pmrcap) NVME_GET(pmrcap, PMRCAP_PMRTO)
#define NVME_PMRCAP_CMSS(pmrcap) NVME_GET(pmrcap, PMRCAP_CMSS)
#define NVME_PMRCAP_PMRWMB(pmrcap) NVME_GET(pmrcap, PMRCAP_PMRWMB)

/** enum nvme_pmrctl - Persistent Memory Region Control; "Persistent Memory Region Control" */
enum nvme_pmrctl {
	NVME_FIELD(PMRCTL_EN, 0, 0x1),	/* enable */
};

/* Field of PMRCTL. */
#define NVME_PMRCTL_EN(pmrctl) NVME_GET(pmrctl, PMRCTL_EN)

/** enum nvme_pmrsts - Persistent Memory Region Status; "Persistent Memory Region Status" */
enum nvme_pmrsts {
	NVME_FIELD(PMRSTS_ERR, 0, 0xff),	/* error */
	NVME_FIELD(PMRSTS_NRDY, 8, 0x1),	/* not ready */
	NVME_FIELD(PMRSTS_HSTS, 9, 0x7),	/* health status */
	NVME_FIELD(PMRSTS_CBAI, 12, 0x1),	/* base address is invalid */
};

/* Fields of PMRSTS. */
#define NVME_PMRSTS_ERR(pmrsts) NVME_GET(pmrsts, PMRSTS_ERR)
#define NVME_PMRSTS_NRDY(pmrsts) NVME_GET(pmrsts, PMRSTS_NRDY)
#define NVME_PMRSTS_HSTS(pmrsts) NVME_GET(pmrsts, PMRSTS_HSTS)
#define NVME_PMRSTS_CBAI(pmrsts) NVME_GET(pmrsts, PMRSTS_CBAI)

/** enum nvme_pmrebs - NVMe over PCIe Transport "Persistent Memory Region Elasticity Buffer Size" */
enum nvme_pmrebs {
	NVME_FIELD(PMREBS_PMRSZU, 0, 0xf),	/* unit of the size */
	NVME_PMREBS_PMRSZU_B = 0,		/* bytes */
	NVME_PMREBS_PMRSZU_1K = 1,		/* KiB */
	NVME_PMREBS_PMRSZU_1M = 2,		/* MiB */
	NVME_PMREBS_PMRSZU_1G = 3,		/* GiB */
	NVME_FIELD(PMREBS_RBB, 4, 0x1),		/* reads bypass the buffer */
	NVME_FIELD(PMREBS_PMRWBZ, 8, 0xffffff),	/* size */
};

/* Fields of PMREBS. */
#define NVME_PMREBS_PMRSZU(pmrebs) NVME_GET(pmrebs, PMREBS_PMRSZU)
#define NVME_PMREBS_RBB(pmrebs) NVME_GET(pmrebs, PMREBS_RBB)
#define NVME_PMREBS_PMRWBZ(pmrebs) NVME_GET(pmrebs, PMREBS_PMRWBZ)

/**
 * nvme_pmr_size() - size of the Persistent Memory Region's elasticity buffer
 * @pmrebs:	Value of PMREBS
 *
 * Return: Size in bytes.
 */
static inline __u64 nvme_pmr_size(__u32 pmrebs)
{
	return (__u64)NVME_PMREBS_PMRWBZ(pmrebs) << (10 * NVME_PMREBS_PMRSZU(pmrebs));
}

/**
 * enum nvme_pmrswtp - NVMe over PCIe Transport "Persistent Memory Region Sustained Write
 * Throughput"
 */
enum nvme_pmrswtp {
	NVME_FIELD(PMRSWTP_PMRSWTU, 0, 0xf),		/* unit of the throughput */
	NVME_PMRSWTP_PMRSWTU_BPS = 0,			/* bytes per second */
	NVME_PMRSWTP_PMRSWTU_KBPS = 1,			/* KiB per second */
	NVME_PMRSWTP_PMRSWTU_MBPS = 2,			/* MiB per second */
	NVME_PMRSWTP_PMRSWTU_GBPS = 3,			/* GiB per second */
	NVME_FIELD(PMRSWTP_PMRSWTV, 8, 0xffffff),	/* throughput */
};

/* Fields of PMRSWTP. */
#define NVME_PMRSWTP_PMRSWTU(pmrswtp) NVME_GET(pmrswtp, PMRSWTP_PMRSWTU)
#define NVME_PMRSWTP_PMRSWTV(pmrswtp) NVME_GET(pmrswtp, PMRSWTP_PMRSWTV)

/**
 * nvme_pmr_throughput() - sustained write throughput of the Persistent Memory Region
 * @pmrswtp:	Value of PMRSWTP
 *
 * Return: Bytes per second.
 */
static inline __u64 nvme_pmr_throughput(__u32 pmrswtp)
{
	return (__u64)NVME_PMRSWTP_PMRSWTV(pmrswtp) << (10 * NVME_PMRSWTP_PMRSWTU(pmrswtp));
}

/** enum nvme_pmrmsc - NVMe over PCIe Transport "Persistent Memory Region Memory Space Control" */
enum nvme_pmrmsc {
	NVME_FIELD(PMRMSC_CMSE, 1, 0x1),	/* memory space is enabled */
	NVME_PMRMSC_CBA_SHIFT = 12,		/* base address as the controller sees it */
};

/* Bits 63:12 of an address; too wide for an enumerator. */
#define NVME_PMRMSC_CBA_MASK 0xfffffffffffffULL

/* Fields of PMRMSC, which consists of PMRMSCU and PMRMSCL. */
#define NVME_PMRMSC_CMSE(pmrmsc) NVME_GET(pmrmsc, PMRMSC_CMSE)
#define NVME_PMRMSC_CBA(pmrmsc) NVME_GET(pmrmsc, PMRMSC_CBA)

#endif /* _LIBNVME_TYPES_REGISTERS_MEMORY_H */
