/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Identify Namespace data structures of all command sets and of the NVM Command Set.
 */
#ifndef _LIBNVME_TYPES_IDENTIFY_NS_H
#define _LIBNVME_TYPES_IDENTIFY_NS_H

#include "base.h"

enum nvme_flbas {
	NVME_FLBAS_LOWER_SHIFT = 0,
	NVME_FLBAS_META_EXT_SHIFT = 4,
	NVME_FLBAS_HIGHER_SHIFT = 5,
	NVME_FLBAS_LOWER_MASK = 0xf,
	NVME_FLBAS_META_EXT_MASK = 0x1,
	NVME_FLBAS_HIGHER_MASK = 0x3,
};

/* Fields of FLBAS. */
#define NVME_FLBAS_LOWER(flbas) NVME_GET(flbas, FLBAS_LOWER)
#define NVME_FLBAS_META_EXT(flbas) NVME_GET(flbas, FLBAS_META_EXT)
#define NVME_FLBAS_HIGHER(flbas) NVME_GET(flbas, FLBAS_HIGHER)

enum nvme_lbaf_rp {
	NVME_LBAF_RP_BEST = 0,
	NVME_LBAF_RP_BETTER = 1,
	NVME_LBAF_RP_GOOD = 2,
	NVME_LBAF_RP_DEGRADED = 3,
	NVME_LBAF_RP_MASK = 0x3,
};

struct nvme_lbaf {
	__le16 ms;
	__u8 ds;
	__u8 rp;
};

enum nvme_id_nsfeat {
	NVME_NS_FEAT_THIN = 1 << 0,
	NVME_NS_FEAT_NATOMIC = 1 << 1,
	NVME_NS_FEAT_DULBE = 1 << 2,
	NVME_NS_FEAT_ID_REUSE = 1 << 3,
	NVME_NS_FEAT_IO_OPT = 48,
};

enum nvme_id_ns_flbas {
	NVME_NS_FLBAS_LOWER_MASK = 0xf,
	NVME_NS_FLBAS_META_EXT = 0x10,
	NVME_NS_FLBAS_HIGHER_MASK = 0x60,
};

enum nvme_id_ns_mc {
	NVME_NS_MC_EXTENDED = 1 << 0,
	NVME_NS_MC_SEPARATE = 1 << 1,
};

enum nvme_id_ns_dpc {
	NVME_NS_DPC_PI_TYPE1 = 1 << 0,
	NVME_NS_DPC_PI_TYPE2 = 1 << 1,
	NVME_NS_DPC_PI_TYPE3 = 1 << 2,
	NVME_NS_DPC_PI_FIRST = 1 << 3,
	NVME_NS_DPC_PI_LAST = 1 << 4,
};

enum nvme_id_ns_dps {
	NVME_NS_DPS_PI_NONE = 0x00,
	NVME_NS_DPS_PI_TYPE1 = 0x01,
	NVME_NS_DPS_PI_TYPE2 = 0x02,
	NVME_NS_DPS_PI_TYPE3 = 0x03,
	NVME_NS_DPS_PI_MASK = 0x7,
	NVME_NS_DPS_PI_FIRST = 0x08,
};

enum nvme_id_ns_nmic {
	NVME_NS_NMIC_SHARED = 1 << 0,
};

enum nvme_id_ns_rescap {
	NVME_NS_RESCAP_PTPL = 1 << 0,
	NVME_NS_RESCAP_WE = 1 << 1,
	NVME_NS_RESCAP_EA = 1 << 2,
	NVME_NS_RESCAP_WERO = 1 << 3,
	NVME_NS_RESCAP_EARO = 1 << 4,
	NVME_NS_RESCAP_WEAR = 1 << 5,
	NVME_NS_RESCAP_EAAR = 1 << 6,
	NVME_NS_RESCAP_IEK_13 = 1 << 7,
};

enum nvme_nd_ns_fpi {
	NVME_NS_FPI_REMAINING = 0x7f,
	NVME_NS_FPI_SUPPORTED = 0x80,
};

enum nvme_id_ns_dlfeat {
	NVME_NS_DLFEAT_RB = 0x07,
	NVME_NS_DLFEAT_RB_NR = 0x00,
	NVME_NS_DLFEAT_RB_ALL_0S = 0x01,
	NVME_NS_DLFEAT_RB_ALL_FS = 0x02,
	NVME_NS_DLFEAT_WRITE_ZEROES = 0x08,
	NVME_NS_DLFEAT_CRC_GUARD = 0x10,
};

enum nvme_id_ns_attr {
	NVME_NS_NSATTR_WRITE_PROTECTED = 1 << 0,
};

struct nvme_id_ns {
	__le64 nsze;
	__le64 ncap;
	__le64 nuse;
	__u8 nsfeat;
	__u8 nlbaf;
	__u8 flbas;
	__u8 mc;
	__u8 dpc;
	__u8 dps;
	__u8 nmic;
	__u8 rescap;
	__u8 fpi;
	__u8 dlfeat;
	__le16 nawun;
	__le16 nawupf;
	__le16 nacwu;
	__le16 nabsn;
	__le16 nabo;
	__le16 nabspf;
	__le16 noiob;
	__u8 nvmcap[16];
	__le16 npwg;
	__le16 npwa;
	__le16 npdg;
	__le16 npda;
	__le16 nows;
	__le16 mssrl;
	__le32 mcl;
	__u8 msrc;
	__u8 kpios;
	__u8 nulbaf;
	__u8 rsvd83;
	__le32 kpiodaag;
	__u8 rsvd88[4];
	__le32 anagrpid;
	__u8 rsvd96[3];
	__u8 nsattr;
	__le16 nvmsetid;
	__le16 endgid;
	__u8 nguid[16];
	__u8 eui64[8];
	struct nvme_lbaf lbaf[64];
	__u8 vs[3712];
};

enum nvme_nvm_id_ns_elbaf {
	NVME_NVM_ELBAF_STS_MASK = 0x7f,
	NVME_NVM_ELBAF_PIF_MASK = 0x180,
	NVME_NVM_ELBAF_QPIF_MASK = 0x1e00,
};

enum nvme_nvm_id_ns_pif {
	NVME_NVM_PIF_16B_GUARD = 0,
	NVME_NVM_PIF_32B_GUARD = 1,
	NVME_NVM_PIF_64B_GUARD = 2,
	NVME_NVM_PIF_QTYPE = 3,
};

struct nvme_nvm_id_ns {
	__le64 lbstm;
	__u8 pic;
	__u8 pifa;
	__u8 rsvd10[2];
	__le32 elbaf[64];
	__le32 npdgl;
	__le32 nprg;
	__le32 npra;
	__le32 nors;
	__le32 npdal;
	__le32 lbapss;
	__le32 tlbaag;
	__u8 rsvd296[3800];
};

struct nvme_id_independent_id_ns {
	__u8 nsfeat;
	__u8 nmic;
	__u8 rescap;
	__u8 fpi;
	__le32 anagrpid;
	__u8 nsattr;
	__u8 rsvd9;
	__le16 nvmsetid;
	__le16 endgid;
	__u8 nstat;
	__u8 kpios;
	__le16 maxkt;
	__u8 rsvd18[2];
	__le32 rgrpid;
	__u8 rsvd24[4072];
};

enum nvme_ns_id_desc_nidt {
	NVME_NIDT_EUI64 = 1,
	NVME_NIDT_NGUID = 2,
	NVME_NIDT_UUID = 3,
	NVME_NIDT_CSI = 4,
};

enum nvme_ns_id_desc_nidt_lens {
	NVME_NIDT_EUI64_LEN = 8,
	NVME_NIDT_NGUID_LEN = 16,
	NVME_NIDT_UUID_LEN = 16,
	NVME_NIDT_CSI_LEN = 1,
};

struct nvme_ns_id_desc {
	__u8 nidt;
	__u8 nidl;
	__le16 rsvd;
	__u8 nid[];
};

#endif /* _LIBNVME_TYPES_IDENTIFY_NS_H */
