/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NVMe Management Interface: what its data structures hold.
 */
#ifndef _LIBNVME_TYPES_MI_H
#define _LIBNVME_TYPES_MI_H

#include "base.h"

struct nvme_mi_read_nvm_ss_info {
	__u8 nump;
	__u8 mjr;
	__u8 mnr;
	__u8 rsvd3[29];
};

struct nvme_mi_port_pcie {
	__u8 mps;
	__u8 sls;
	__u8 cls;
	__u8 mlw;
	__u8 nlw;
	__u8 pn;
	__u8 rsvd14[18];
};

struct nvme_mi_port_smb {
	__u8 vpd_addr;
	__u8 mvpd_freq;
	__u8 mme_addr;
	__u8 mme_freq;
	__u8 nvmebm;
	__u8 rsvd13[19];
};

struct nvme_mi_read_port_info {
	__u8 portt;
	__u8 rsvd1;
	__le16 mmctptus;
	__le32 meb;
	union {
		struct nvme_mi_port_pcie pcie;
		struct nvme_mi_port_smb smb;
	};
};

struct nvme_mi_read_ctrl_info {
	__u8 portid;
	__u8 rsvd1[4];
	__u8 prii;
	__le16 pri;
	__le16 vid;
	__le16 did;
	__le16 ssvid;
	__le16 ssid;
	__u8 rsvd16[16];
};

struct nvme_mi_osc {
	__u8 type;
	__u8 opc;
};

struct nvme_mi_read_sc_list {
	__le16 numcmd;
	struct nvme_mi_osc cmds[];
};

struct nvme_mi_nvm_ss_health_status {
	__u8 nss;
	__u8 sw;
	__u8 ctemp;
	__u8 pdlu;
	__le16 ccs;
	__u8 rsvd8[2];
};

enum nvme_mi_ccs {
	NVME_MI_CCS_RDY = 1 << 0,
	NVME_MI_CCS_CFS = 1 << 1,
	NVME_MI_CCS_SHST = 1 << 2,
	NVME_MI_CCS_NSSRO = 1 << 4,
	NVME_MI_CCS_CECO = 1 << 5,
	NVME_MI_CCS_NAC = 1 << 6,
	NVME_MI_CCS_FA = 1 << 7,
	NVME_MI_CCS_CSTS = 1 << 8,
	NVME_MI_CCS_CTEMP = 1 << 9,
	NVME_MI_CCS_PDLU = 1 << 10,
	NVME_MI_CCS_SPARE = 1 << 11,
	NVME_MI_CCS_CCWARN = 1 << 12,
};

/* Older spellings of the same. */
#define nvme_mi_css nvme_mi_ccs
#define NVME_MI_CSS_CFS NVME_MI_CCS_CFS
#define NVME_MI_CSS_SHST NVME_MI_CCS_SHST
#define NVME_MI_CSS_NSSRO NVME_MI_CCS_NSSRO
#define NVME_MI_CSS_CECO NVME_MI_CCS_CECO
#define NVME_MI_CSS_NAC NVME_MI_CCS_NAC
#define NVME_MI_CSS_FA NVME_MI_CCS_FA
#define NVME_MI_CSS_CSTS NVME_MI_CCS_CSTS
#define NVME_MI_CSS_CTEMP NVME_MI_CCS_CTEMP
#define NVME_MI_CSS_PDLU NVME_MI_CCS_PDLU
#define NVME_MI_CSS_SPARE NVME_MI_CCS_SPARE
#define NVME_MI_CSS_CCWARN NVME_MI_CCS_CCWARN

struct nvme_mi_ctrl_health_status {
	__le16 ctlid;
	__le16 csts;
	__le16 ctemp;
	__u8 pdlu;
	__u8 spare;
	__u8 cwarn;
	__u8 rsvd9[7];
};

enum nvme_mi_csts {
	NVME_MI_CSTS_RDY = 1 << 0,
	NVME_MI_CSTS_CFS = 1 << 1,
	NVME_MI_CSTS_SHST = 1 << 2,
	NVME_MI_CSTS_NSSRO = 1 << 4,
	NVME_MI_CSTS_CECO = 1 << 5,
	NVME_MI_CSTS_NAC = 1 << 6,
	NVME_MI_CSTS_FA = 1 << 7,
};

enum nvme_mi_cwarn {
	NVME_MI_CWARN_ST = 1 << 0,
	NVME_MI_CWARN_TAUT = 1 << 1,
	NVME_MI_CWARN_RD = 1 << 2,
	NVME_MI_CWARN_RO = 1 << 3,
	NVME_MI_CWARN_VMBF = 1 << 4,
};

enum nvme_mi_elem {
	NVME_MI_ELEM_EED = 1,
	NVME_MI_ELEM_USCE = 2,
	NVME_MI_ELEM_ECED = 3,
	NVME_MI_ELEM_LED = 4,
	NVME_MI_ELEM_SMBMED = 5,
	NVME_MI_ELEM_PCIESED = 6,
	NVME_MI_ELEM_NVMED = 7,
};

struct nvme_mi_vpd_mra {
	__u8 nmravn;
	__u8 ff;
	__u8 rsvd7[6];
	__u8 i18vpwr;
	__u8 m18vpwr;
	__u8 i33vpwr;
	__u8 m33vpwr;
	__u8 rsvd17;
	__u8 m33vapsr;
	__u8 i5vapsr;
	__u8 m5vapsr;
	__u8 i12vapsr;
	__u8 m12vapsr;
	__u8 mtl;
	__u8 tnvmcap[16];
	__u8 rsvd37[27];
};

struct nvme_mi_vpd_ppmra {
	__u8 nppmravn;
	__u8 pn;
	__u8 ppi;
	__u8 ls;
	__u8 mlw;
	__u8 mctp;
	__u8 refccap;
	__u8 pi;
	__u8 rsvd13[3];
};

struct nvme_mi_vpd_telem {
	__u8 type;
	__u8 rev;
	__u8 len;
	__u8 data[0];
};

struct nvme_mi_vpd_tra {
	__u8 vn;
	__u8 rsvd6;
	__u8 ec;
	struct nvme_mi_vpd_telem elems[0];
};

struct nvme_mi_vpd_mr_common {
	__u8 type;
	__u8 rf;
	__u8 rlen;
	__u8 rchksum;
	__u8 hchksum;
	union {
		struct nvme_mi_vpd_mra nmra;
		struct nvme_mi_vpd_ppmra ppmra;
		struct nvme_mi_vpd_tra tmra;
	};
};

struct nvme_mi_vpd_hdr {
	__u8 ipmiver;
	__u8 iuaoff;
	__u8 ciaoff;
	__u8 biaoff;
	__u8 piaoff;
	__u8 mrioff;
	__u8 rsvd6;
	__u8 chchk;
	__u8 vpd[];
};

#endif /* _LIBNVME_TYPES_MI_H */
