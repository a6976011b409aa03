/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Properties of the Controller Memory Buffer and the Persistent Memory Region.
 */
#ifndef _LIBNVME_TYPES_REGISTERS_MEMORY_H
#define _LIBNVME_TYPES_REGISTERS_MEMORY_H

#include "base.h"

/**
 * enum nvme_unit - units of buffer sizes and throughputs
 *
 * NVM Express Base Specification, "Property Definition".
 */
enum nvme_unit {
	NVME_UNIT_B = 0,	/* bytes */
	NVME_UNIT_1K = 1,	/* KiB */
	NVME_UNIT_1M = 2,	/* MiB */
	NVME_UNIT_1G = 3,	/* GiB */
};

/**
 * enum nvme_cmbloc - Controller Memory Buffer Location
 *
 * NVM Express NVMe over PCIe Transport Specification, "Controller Memory Buffer Location".
 */
enum nvme_cmbloc {
	NVME_CMBLOC_BIR_SHIFT = 0,	/* base address register */
	NVME_CMBLOC_BIR_MASK = 0x7,
	NVME_CMBLOC_CQMMS_SHIFT = 3,	/* queues and other data may share memory */
	NVME_CMBLOC_CQMMS_MASK = 0x1,
	NVME_CMBLOC_CQPDS_SHIFT = 4,	/* queues need not be contiguous */
	NVME_CMBLOC_CQPDS_MASK = 0x1,
	NVME_CMBLOC_CDPLMS_SHIFT = 5,	/* a command's data pointers may mix locations */
	NVME_CMBLOC_CDPLMS_MASK = 0x1,
	NVME_CMBLOC_CDPCILS_SHIFT = 6,	/* data need not be where the command is */
	NVME_CMBLOC_CDPCILS_MASK = 0x1,
	NVME_CMBLOC_CDMMMS_SHIFT = 7,	/* data and metadata may mix memory */
	NVME_CMBLOC_CDMMMS_MASK = 0x1,
	NVME_CMBLOC_CQDA_SHIFT = 8,	/* queues have to be dword aligned */
	NVME_CMBLOC_CQDA_MASK = 0x1,
	NVME_CMBLOC_OFST_SHIFT = 12,	/* offset in units of CMBSZ */
	NVME_CMBLOC_OFST_MASK = 0xfffff,
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

/**
 * enum nvme_cmbsz - Controller Memory Buffer Size
 *
 * NVM Express NVMe over PCIe Transport Specification, "Controller Memory Buffer Size".
 */
enum nvme_cmbsz {
	NVME_CMBSZ_SQS_SHIFT = 0,	/* submission queues */
	NVME_CMBSZ_SQS_MASK = 0x1,
	NVME_CMBSZ_CQS_SHIFT = 1,	/* completion queues */
	NVME_CMBSZ_CQS_MASK = 0x1,
	NVME_CMBSZ_LISTS_SHIFT = 2,	/* PRP and SGL lists */
	NVME_CMBSZ_LISTS_MASK = 0x1,
	NVME_CMBSZ_RDS_SHIFT = 3,	/* data and metadata of reads */
	NVME_CMBSZ_RDS_MASK = 0x1,
	NVME_CMBSZ_WDS_SHIFT = 4,	/* data and metadata of writes */
	NVME_CMBSZ_WDS_MASK = 0x1,
	NVME_CMBSZ_SZU_SHIFT = 8,	/* unit of the size */
	NVME_CMBSZ_SZU_MASK = 0xf,
	NVME_CMBSZ_SZU_4K = 0,		/* 4 KiB */
	NVME_CMBSZ_SZU_64K = 1,		/* 64 KiB */
	NVME_CMBSZ_SZU_1M = 2,		/* 1 MiB */
	NVME_CMBSZ_SZU_16M = 3,		/* 16 MiB */
	NVME_CMBSZ_SZU_256M = 4,	/* 256 MiB */
	NVME_CMBSZ_SZU_4G = 5,		/* 4 GiB */
	NVME_CMBSZ_SZU_64G = 6,		/* 64 GiB */
	NVME_CMBSZ_SZ_SHIFT = 12,	/* size */
	NVME_CMBSZ_SZ_MASK = 0xfffff,
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

/**
 * enum nvme_cmbmsc - Controller Memory Buffer Memory Space Control
 *
 * NVM Express NVMe over PCIe Transport Specification, "Controller Memory Buffer Memory Space
 * Control".
 */
enum nvme_cmbmsc {
	NVME_CMBMSC_CRE_SHIFT = 0,	/* capabilities registers are enabled */
	NVME_CMBMSC_CRE_MASK = 0x1,
	NVME_CMBMSC_CMSE_SHIFT = 1,	/* memory space is enabled */
	NVME_CMBMSC_CMSE_MASK = 0x1,
	NVME_CMBMSC_CBA_SHIFT = 12,	/* base address as the controller sees it */
};

/* Bits 63:12 of an address; too wide for an enumerator. */
#define NVME_CMBMSC_CBA_MASK 0xfffffffffffffULL

/* Fields of CMBMSC. */
#define NVME_CMBMSC_CRE(cmbmsc) NVME_GET(cmbmsc, CMBMSC_CRE)
#define NVME_CMBMSC_CMSE(cmbmsc) NVME_GET(cmbmsc, CMBMSC_CMSE)
#define NVME_CMBMSC_CBA(cmbmsc) NVME_GET(cmbmsc, CMBMSC_CBA)

/**
 * enum nvme_cmbsts - Controller Memory Buffer Status
 *
 * NVM Express NVMe over PCIe Transport Specification, "Controller Memory Buffer Status".
 */
enum nvme_cmbsts {
	NVME_CMBSTS_CBAI_SHIFT = 0,	/* base address is invalid */
	NVME_CMBSTS_CBAI_MASK = 0x1,
};

/* Field of CMBSTS. */
#define NVME_CMBSTS_CBAI(cmbsts) NVME_GET(cmbsts, CMBSTS_CBAI)

/**
 * enum nvme_cmbebs - Controller Memory Buffer Elasticity Buffer Size
 *
 * NVM Express NVMe over PCIe Transport Specification, "Controller Memory Buffer Elasticity Buffer
 * Size".
 */
enum nvme_cmbebs {
	NVME_CMBEBS_CMBSZU_SHIFT = 0,	/* unit of the size */
	NVME_CMBEBS_CMBSZU_MASK = 0xf,
	NVME_CMBEBS_CMBSZU_B = 0,	/* bytes */
	NVME_CMBEBS_CMBSZU_1K = 1,	/* KiB */
	NVME_CMBEBS_CMBSZU_1M = 2,	/* MiB */
	NVME_CMBEBS_CMBSZU_1G = 3,	/* GiB */
	NVME_CMBEBS_RBB_SHIFT = 4,	/* reads bypass the buffer */
	NVME_CMBEBS_RBB_MASK = 0x1,
	NVME_CMBEBS_CMBWBZ_SHIFT = 8,	/* size */
	NVME_CMBEBS_CMBWBZ_MASK = 0xffffff,
};

/* Fields of CMBEBS. */
#define NVME_CMBEBS_CMBSZU(cmbebs) NVME_GET(cmbebs, CMBEBS_CMBSZU)
#define NVME_CMBEBS_RBB(cmbebs) NVME_GET(cmbebs, CMBEBS_RBB)
#define NVME_CMBEBS_CMBWBZ(cmbebs) NVME_GET(cmbebs, CMBEBS_CMBWBZ)

/**
 * enum nvme_cmbswtp - Controller Memory Buffer Sustained Write Throughput
 *
 * NVM Express NVMe over PCIe Transport Specification, "Controller Memory Buffer Sustained Write
 * Throughput".
 */
enum nvme_cmbswtp {
	NVME_CMBSWTP_CMBSWTU_SHIFT = 0,	/* unit of the throughput */
	NVME_CMBSWTP_CMBSWTU_MASK = 0xf,
	NVME_CMBSWTP_CMBSWTU_B = 0,	/* bytes per second */
	NVME_CMBSWTP_CMBSWTU_1K = 1,	/* KiB per second */
	NVME_CMBSWTP_CMBSWTU_1M = 2,	/* MiB per second */
	NVME_CMBSWTP_CMBSWTU_1G = 3,	/* GiB per second */
	NVME_CMBSWTP_CMBSWTV_SHIFT = 8,	/* throughput */
	NVME_CMBSWTP_CMBSWTV_MASK = 0xffffff,
};

/* Fields of CMBSWTP. */
#define NVME_CMBSWTP_CMBSWTU(cmbswtp) NVME_GET(cmbswtp, CMBSWTP_CMBSWTU)
#define NVME_CMBSWTP_CMBSWTV(cmbswtp) NVME_GET(cmbswtp, CMBSWTP_CMBSWTV)

/**
 * enum nvme_pmrcap - Persistent Memory Region Capabilities
 *
 * NVM Express NVMe over PCIe Transport Specification, "Persistent Memory Region Capabilities".
 */
enum nvme_pmrcap {
	NVME_PMRCAP_RDS_SHIFT = 3,	/* data and metadata of reads */
	NVME_PMRCAP_RDS_MASK = 0x1,
	NVME_PMRCAP_WDS_SHIFT = 4,	/* data and metadata of writes */
	NVME_PMRCAP_WDS_MASK = 0x1,
	NVME_PMRCAP_BIR_SHIFT = 5,	/* base address register */
	NVME_PMRCAP_BIR_MASK = 0x7,
	NVME_PMRCAP_PMRTU_SHIFT = 8,	/* unit of the timeout */
	NVME_PMRCAP_PMRTU_MASK = 0x3,
	NVME_PMRCAP_PMRTU_500MS = 0,	/* 500 ms */
	NVME_PMRCAP_PMRTU_60S = 1,	/* minutes */
	NVME_PMRCAP_PMRWBM_SHIFT = 10,	/* write barrier mechanisms, one bit each */
	NVME_PMRCAP_PMRWBM_MASK = 0xf,
	NVME_PMRCAP_PMRTO_SHIFT = 16,	/* timeout */
	NVME_PMRCAP_PMRTO_MASK = 0xff,
	NVME_PMRCAP_CMSS_SHIFT = 24,	/* controller memory space is supported */
	NVME_PMRCAP_CMSS_MASK = 0x1,
	NVME_PMRCAP_PMRWMB_SHIFT = 10,	/* older spelling of PMRWBM */
	NVME_PMRCAP_PMRWMB_MASK = 0xf,
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

/**
 * enum nvme_pmrctl - Persistent Memory Region Control
 *
 * NVM Express NVMe over PCIe Transport Specification, "Persistent Memory Region Control".
 */
enum nvme_pmrctl {
	NVME_PMRCTL_EN_SHIFT = 0,	/* enable */
	NVME_PMRCTL_EN_MASK = 0x1,
};

/* Field of PMRCTL. */
#define NVME_PMRCTL_EN(pmrctl) NVME_GET(pmrctl, PMRCTL_EN)

/**
 * enum nvme_pmrsts - Persistent Memory Region Status
 *
 * NVM Express NVMe over PCIe Transport Specification, "Persistent Memory Region Status".
 */
enum nvme_pmrsts {
	NVME_PMRSTS_ERR_SHIFT = 0,	/* error */
	NVME_PMRSTS_ERR_MASK = 0xff,
	NVME_PMRSTS_NRDY_SHIFT = 8,	/* not ready */
	NVME_PMRSTS_NRDY_MASK = 0x1,
	NVME_PMRSTS_HSTS_SHIFT = 9,	/* health status */
	NVME_PMRSTS_HSTS_MASK = 0x7,
	NVME_PMRSTS_CBAI_SHIFT = 12,	/* base address is invalid */
	NVME_PMRSTS_CBAI_MASK = 0x1,
};

/* Fields of PMRSTS. */
#define NVME_PMRSTS_ERR(pmrsts) NVME_GET(pmrsts, PMRSTS_ERR)
#define NVME_PMRSTS_NRDY(pmrsts) NVME_GET(pmrsts, PMRSTS_NRDY)
#define NVME_PMRSTS_HSTS(pmrsts) NVME_GET(pmrsts, PMRSTS_HSTS)
#define NVME_PMRSTS_CBAI(pmrsts) NVME_GET(pmrsts, PMRSTS_CBAI)

/**
 * enum nvme_pmrebs - Persistent Memory Region Elasticity Buffer Size
 *
 * NVM Express NVMe over PCIe Transport Specification, "Persistent Memory Region Elasticity Buffer
 * Size".
 */
enum nvme_pmrebs {
	NVME_PMREBS_PMRSZU_SHIFT = 0,	/* unit of the size */
	NVME_PMREBS_PMRSZU_MASK = 0xf,
	NVME_PMREBS_PMRSZU_B = 0,	/* bytes */
	NVME_PMREBS_PMRSZU_1K = 1,	/* KiB */
	NVME_PMREBS_PMRSZU_1M = 2,	/* MiB */
	NVME_PMREBS_PMRSZU_1G = 3,	/* GiB */
	NVME_PMREBS_RBB_SHIFT = 4,	/* reads bypass the buffer */
	NVME_PMREBS_RBB_MASK = 0x1,
	NVME_PMREBS_PMRWBZ_SHIFT = 8,	/* size */
	NVME_PMREBS_PMRWBZ_MASK = 0xffffff,
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
 * enum nvme_pmrswtp - Persistent Memory Region Sustained Write Throughput
 *
 * NVM Express NVMe over PCIe Transport Specification, "Persistent Memory Region Sustained Write
 * Throughput".
 */
enum nvme_pmrswtp {
	NVME_PMRSWTP_PMRSWTU_SHIFT = 0,	/* unit of the throughput */
	NVME_PMRSWTP_PMRSWTU_MASK = 0xf,
	NVME_PMRSWTP_PMRSWTU_BPS = 0,	/* bytes per second */
	NVME_PMRSWTP_PMRSWTU_KBPS = 1,	/* KiB per second */
	NVME_PMRSWTP_PMRSWTU_MBPS = 2,	/* MiB per second */
	NVME_PMRSWTP_PMRSWTU_GBPS = 3,	/* GiB per second */
	NVME_PMRSWTP_PMRSWTV_SHIFT = 8,	/* throughput */
	NVME_PMRSWTP_PMRSWTV_MASK = 0xffffff,
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

/**
 * enum nvme_pmrmsc - Persistent Memory Region Memory Space Control
 *
 * NVM Express NVMe over PCIe Transport Specification, "Persistent Memory Region Memory Space
 * Control".
 */
enum nvme_pmrmsc {
	NVME_PMRMSC_CMSE_SHIFT = 1,	/* memory space is enabled */
	NVME_PMRMSC_CMSE_MASK = 0x1,
	NVME_PMRMSC_CBA_SHIFT = 12,	/* base address as the controller sees it */
};

/* Bits 63:12 of an address; too wide for an enumerator. */
#define NVME_PMRMSC_CBA_MASK 0xfffffffffffffULL

/* Fields of PMRMSC, which PMRMSCU and PMRMSCL form together. */
#define NVME_PMRMSC_CMSE(pmrmsc) NVME_GET(pmrmsc, PMRMSC_CMSE)
#define NVME_PMRMSC_CBA(pmrmsc) NVME_GET(pmrmsc, PMRMSC_CBA)

#endif /* _LIBNVME_TYPES_REGISTERS_MEMORY_H */
