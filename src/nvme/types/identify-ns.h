/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Identify Namespace data structures of all command sets and of the NVM Command Set.
 * Names in quotes are sections of the NVM Express NVM Command Set Specification.
 */
#ifndef _LIBNVME_TYPES_IDENTIFY_NS_H
#define _LIBNVME_TYPES_IDENTIFY_NS_H

#include "base.h"

/** enum nvme_flbas - Formatted LBA Size, as fields; "Identify Namespace Data Structure" */
enum nvme_flbas {
	NVME_FIELD(FLBAS_LOWER, 0, 0xf),	/* lower four bits of the format index */
	NVME_FIELD(FLBAS_META_EXT, 4, 0x1),	/* metadata is at the end of the data */
	NVME_FIELD(FLBAS_HIGHER, 5, 0x3),	/* upper two bits of the format index */
};

/* Fields of FLBAS. */
#define NVME_FLBAS_LOWER(flbas) NVME_GET(flbas, FLBAS_LOWER)
#define NVME_FLBAS_META_EXT(flbas) NVME_GET(flbas, FLBAS_META_EXT)
#define NVME_FLBAS_HIGHER(flbas) NVME_GET(flbas, FLBAS_HIGHER)

/** enum nvme_lbaf_rp - relative performance of an LBA format; "LBA Format Data Structure" */
enum nvme_lbaf_rp {
	NVME_LBAF_RP_BEST = 0,		/* best */
	NVME_LBAF_RP_BETTER = 1,	/* better */
	NVME_LBAF_RP_GOOD = 2,		/* good */
	NVME_LBAF_RP_DEGRADED = 3,	/* degraded */
	NVME_LBAF_RP_MASK = 0x3,	/* the field */
};

/** struct nvme_lbaf - LBA Format; "LBA Format Data Structure" */
struct nvme_lbaf {
	__le16 ms;	/* metadata bytes of a logical block */
	__u8 ds;	/* data bytes of a logical block, as a power of two */
	__u8 rp;	/* &enum nvme_lbaf_rp */
};

/** enum nvme_id_nsfeat - Namespace Features; "Identify Namespace Data Structure" */
enum nvme_id_nsfeat {
	NVME_NS_FEAT_THIN = 1 << 0,	/* thin provisioning */
	NVME_NS_FEAT_NATOMIC = 1 << 1,	/* NAWUN, NAWUPF and NACWU apply */
	NVME_NS_FEAT_DULBE = 1 << 2,	/* deallocated blocks can be made to fail */
	NVME_NS_FEAT_ID_REUSE = 1 << 3,	/* NGUID and EUI64 are not used again */
	NVME_NS_FEAT_IO_OPT = 48,	/* NPWG, NPWA, NPDG, NPDA and NOWS are valid */
};

/** enum nvme_id_ns_flbas - Formatted LBA Size, as masks; "Identify Namespace Data Structure" */
enum nvme_id_ns_flbas {
	NVME_NS_FLBAS_LOWER_MASK = 0xf,		/* lower four bits of the format index */
	NVME_NS_FLBAS_META_EXT = 0x10,		/* metadata is at the end of the data */
	NVME_NS_FLBAS_HIGHER_MASK = 0x60,	/* upper two bits of the format index */
};

/** enum nvme_id_ns_mc - Metadata Capabilities; "Identify Namespace Data Structure" */
enum nvme_id_ns_mc {
	NVME_NS_MC_EXTENDED = 1 << 0,	/* metadata at the end of the data */
	NVME_NS_MC_SEPARATE = 1 << 1,	/* metadata in a separate buffer */
};

/**
 * enum nvme_id_ns_dpc - End-to-end Data Protection Capabilities; NVM Command Set "Identify
 * Namespace Data Structure"
 */
enum nvme_id_ns_dpc {
	NVME_NS_DPC_PI_TYPE1 = 1 << 0,	/* protection information type 1 */
	NVME_NS_DPC_PI_TYPE2 = 1 << 1,	/* protection information type 2 */
	NVME_NS_DPC_PI_TYPE3 = 1 << 2,	/* protection information type 3 */
	NVME_NS_DPC_PI_FIRST = 1 << 3,	/* protection information as first bytes of the metadata */
	NVME_NS_DPC_PI_LAST = 1 << 4,	/* protection information as last bytes of the metadata */
};

/**
 * enum nvme_id_ns_dps - End-to-end Data Protection Type Settings; NVM Command Set "Identify
 * Namespace Data Structure"
 */
enum nvme_id_ns_dps {
	NVME_NS_DPS_PI_NONE = 0x00,	/* no protection information */
	NVME_NS_DPS_PI_TYPE1 = 0x01,	/* type 1 */
	NVME_NS_DPS_PI_TYPE2 = 0x02,	/* type 2 */
	NVME_NS_DPS_PI_TYPE3 = 0x03,	/* type 3 */
	NVME_NS_DPS_PI_MASK = 0x7,	/* the type's field */
	NVME_NS_DPS_PI_FIRST = 0x08,	/* protection information is first in the metadata */
};

/**
 * enum nvme_id_ns_nmic - Namespace Multi-path I/O and Namespace Sharing Capabilities; NVM Command
 * Set "Identify Namespace Data Structure"
 */
enum nvme_id_ns_nmic {
	NVME_NS_NMIC_SHARED = 1 << 0,	/* may be attached to several controllers at once */
};

/** enum nvme_id_ns_rescap - Reservation Capabilities; "Identify Namespace Data Structure" */
enum nvme_id_ns_rescap {
	NVME_NS_RESCAP_PTPL = 1 << 0,	/* persist through power loss */
	NVME_NS_RESCAP_WE = 1 << 1,	/* Write Exclusive */
	NVME_NS_RESCAP_EA = 1 << 2,	/* Exclusive Access */
	NVME_NS_RESCAP_WERO = 1 << 3,	/* Write Exclusive, registrants only */
	NVME_NS_RESCAP_EARO = 1 << 4,	/* Exclusive Access, registrants only */
	NVME_NS_RESCAP_WEAR = 1 << 5,	/* Write Exclusive, all registrants */
	NVME_NS_RESCAP_EAAR = 1 << 6,	/* Exclusive Access, all registrants */
	NVME_NS_RESCAP_IEK_13 = 1 << 7,	/* Ignore Existing Key as of version 1.3 */
};

/** enum nvme_nd_ns_fpi - Format Progress Indicator; "Identify Namespace Data Structure" */
enum nvme_nd_ns_fpi {
	NVME_NS_FPI_REMAINING = 0x7f,	/* mask: percentage that remains to be formatted */
	NVME_NS_FPI_SUPPORTED = 0x80,	/* the indicator is supported */
};

/**
 * enum nvme_id_ns_dlfeat - Deallocate Logical Block Features; NVM Command Set "Identify Namespace
 * Data Structure"
 */
enum nvme_id_ns_dlfeat {
	NVME_NS_DLFEAT_RB = 0x07,		/* mask: what deallocated blocks read as */
	NVME_NS_DLFEAT_RB_NR = 0x00,		/* not reported */
	NVME_NS_DLFEAT_RB_ALL_0S = 0x01,	/* all bytes 00h */
	NVME_NS_DLFEAT_RB_ALL_FS = 0x02,	/* all bytes ffh */
	NVME_NS_DLFEAT_WRITE_ZEROES = 0x08,	/* Write Zeroes can deallocate */
	NVME_NS_DLFEAT_CRC_GUARD = 0x10,	/* the guard of deallocated blocks is a valid CRC */
};

/** enum nvme_id_ns_attr - Namespace Attributes; "Identify Namespace Data Structure" */
enum nvme_id_ns_attr {
	NVME_NS_NSATTR_WRITE_PROTECTED = 1 << 0,	/* currently write protected */
};

/**
 * struct nvme_id_ns - Identify Namespace data structure of the NVM Command Set; NVM Command Set
 * "Identify Namespace Data Structure"
 *
 * Returned by Identify with CNS 00h or 11h.
 */
struct nvme_id_ns {
	__le64 nsze;			/* size in logical blocks */
	__le64 ncap;			/* capacity in logical blocks */
	__le64 nuse;			/* logical blocks allocated */
	__u8 nsfeat;			/* &enum nvme_id_nsfeat */
	__u8 nlbaf;			/* number of LBA formats, 0's based */
	__u8 flbas;			/* &enum nvme_id_ns_flbas */
	__u8 mc;			/* &enum nvme_id_ns_mc */
	__u8 dpc;			/* &enum nvme_id_ns_dpc */
	__u8 dps;			/* &enum nvme_id_ns_dps */
	__u8 nmic;			/* &enum nvme_id_ns_nmic */
	__u8 rescap;			/* &enum nvme_id_ns_rescap */
	__u8 fpi;			/* &enum nvme_nd_ns_fpi */
	__u8 dlfeat;			/* &enum nvme_id_ns_dlfeat */
	__le16 nawun;			/* atomic write unit, normal, blocks, 0's based */
	__le16 nawupf;			/* atomic write unit, power fail, blocks, 0's based */
	__le16 nacwu;			/* atomic Compare and Write unit, blocks, 0's based */
	__le16 nabsn;			/* atomic boundary size, normal */
	__le16 nabo;			/* atomic boundary offset */
	__le16 nabspf;			/* atomic boundary size, power fail */
	__le16 noiob;			/* optimal I/O boundary in logical blocks */
	__u8 nvmcap[16];		/* capacity in bytes, 128 bits */
	__le16 npwg;			/* preferred write granularity, blocks, 0's based */
	__le16 npwa;			/* preferred write alignment, blocks, 0's based */
	__le16 npdg;			/* preferred deallocate granularity, 0's based */
	__le16 npda;			/* preferred deallocate alignment, 0's based */
	__le16 nows;			/* optimal write size, blocks, 0's based */
	__le16 mssrl;			/* longest source range of a Copy, blocks */
	__le32 mcl;			/* longest Copy in all, blocks */
	__u8 msrc;			/* most source ranges of a Copy, 0's based */
	__u8 kpios;			/* key per I/O status */
	__u8 nulbaf;			/* LBA formats that differ in attributes only */
	__u8 rsvd83;
	__le32 kpiodaag;		/* key per I/O access alignment and granularity */
	__u8 rsvd88[4];
	__le32 anagrpid;		/* ANA group */
	__u8 rsvd96[3];
	__u8 nsattr;			/* &enum nvme_id_ns_attr */
	__le16 nvmsetid;		/* NVM set */
	__le16 endgid;			/* endurance group */
	__u8 nguid[16];			/* namespace globally unique identifier, 16 bytes */
	__u8 eui64[8];			/* IEEE extended unique identifier, 8 bytes */
	struct nvme_lbaf lbaf[64];	/* LBA formats */
	__u8 vs[3712];			/* vendor specific */
};

/**
 * enum nvme_nvm_id_ns_elbaf - masks of an extended LBA format; NVM Command Set "Extended LBA Format
 * Data Structure"
 */
enum nvme_nvm_id_ns_elbaf {
	NVME_NVM_ELBAF_STS_MASK = 0x7f,		/* storage tag size in bits */
	NVME_NVM_ELBAF_PIF_MASK = 0x180,	/* protection information format */
	NVME_NVM_ELBAF_QPIF_MASK = 0x1e00,	/* qualified protection information format */
};

/**
 * enum nvme_nvm_id_ns_pif - protection information formats; NVM Command Set "Extended LBA Format
 * Data Structure"
 */
enum nvme_nvm_id_ns_pif {
	NVME_NVM_PIF_16B_GUARD = 0,	/* guard of 16 bits */
	NVME_NVM_PIF_32B_GUARD = 1,	/* guard of 32 bits */
	NVME_NVM_PIF_64B_GUARD = 2,	/* guard of 64 bits */
	NVME_NVM_PIF_QTYPE = 3,		/* given by the qualified protection information format */
};

/**
 * struct nvme_nvm_id_ns - I/O command set specific Identify Namespace of the NVM Command Set; NVM
 * Command Set "I/O Command Set Specific Identify Namespace Data Structure"
 *
 * Returned by Identify with CNS 05h and CSI 00h.
 */
struct nvme_nvm_id_ns {
	__le64 lbstm;		/* logical block storage tag mask */
	__u8 pic;		/* protection information capabilities */
	__u8 pifa;		/* protection information format attributes */
	__u8 rsvd10[2];
	__le32 elbaf[64];	/* extended LBA formats, &enum nvme_nvm_id_ns_elbaf */
	__le32 npdgl;		/* preferred deallocate granularity, long form */
	__le32 nprg;		/* preferred read granularity */
	__le32 npra;		/* preferred read alignment */
	__le32 nors;		/* optimal read size */
	__le32 npdal;		/* preferred deallocate alignment, long form */
	__le32 lbapss;		/* LBA format placement shard size */
	__le32 tlbaag;		/* tracked LBA allocation granularity */
	__u8 rsvd296[3800];
};

/**
 * struct nvme_id_independent_id_ns - "I/O Command Set Independent Identify Namespace Data
 * Structure"
 *
 * Returned by Identify with CNS 08h.
 */
struct nvme_id_independent_id_ns {
	__u8 nsfeat;		/* common namespace features */
	__u8 nmic;		/* &enum nvme_id_ns_nmic */
	__u8 rescap;		/* &enum nvme_id_ns_rescap */
	__u8 fpi;		/* &enum nvme_nd_ns_fpi */
	__le32 anagrpid;	/* ANA group */
	__u8 nsattr;		/* &enum nvme_id_ns_attr */
	__u8 rsvd9;
	__le16 nvmsetid;	/* NVM set */
	__le16 endgid;		/* endurance group */
	__u8 nstat;		/* namespace status; bit 0: ready */
	__u8 kpios;		/* key per I/O status */
	__le16 maxkt;		/* largest key tag */
	__u8 rsvd18[2];
	__le32 rgrpid;		/* reachability group */
	__u8 rsvd24[4072];
};

/**
 * enum nvme_ns_id_desc_nidt - types of namespace identifiers; "Namespace Identification Descriptor"
 */
enum nvme_ns_id_desc_nidt {
	NVME_NIDT_EUI64 = 1,	/* IEEE extended unique identifier */
	NVME_NIDT_NGUID = 2,	/* namespace globally unique identifier */
	NVME_NIDT_UUID = 3,	/* UUID */
	NVME_NIDT_CSI = 4,	/* command set identifier */
};

/**
 * enum nvme_ns_id_desc_nidt_lens - bytes of namespace identifiers; "Namespace Identification
 * Descriptor"
 */
enum nvme_ns_id_desc_nidt_lens {
	NVME_NIDT_EUI64_LEN = 8,	/* of &enum nvme_ns_id_desc_nidt NVME_NIDT_EUI64 */
	NVME_NIDT_NGUID_LEN = 16,	/* of NVME_NIDT_NGUID */
	NVME_NIDT_UUID_LEN = 16,	/* of NVME_NIDT_UUID */
	NVME_NIDT_CSI_LEN = 1,		/* of NVME_NIDT_CSI */
};

/**
 * struct nvme_ns_id_desc - "Namespace Identification Descriptor"
 *
 * Identify with CNS 03h returns a list of them, ended by a descriptor of length 0.
 */
struct nvme_ns_id_desc {
	__u8 nidt;	/* &enum nvme_ns_id_desc_nidt */
	__u8 nidl;	/* bytes of the identifier */
	__le16 rsvd;
	__u8 nid[];	/* the identifier */
};

#endif /* _LIBNVME_TYPES_IDENTIFY_NS_H */
