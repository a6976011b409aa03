/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NVMe Management Interface: contents of its data structures.
 * Names in quotes are sections of the NVM Express Management Interface Specification.
 */
#ifndef _LIBNVME_TYPES_MI_H
#define _LIBNVME_TYPES_MI_H

#include "base.h"

/**
 * struct nvme_mi_read_nvm_ss_info - Management Interface "NVM Subsystem Information Data Structure"
 */
struct nvme_mi_read_nvm_ss_info {
	__u8 nump;	/* number of ports, 0's based */
	__u8 mjr;	/* major version of NVMe-MI */
	__u8 mnr;	/* minor version of NVMe-MI */
	__u8 rsvd3[29];
};

/** struct nvme_mi_port_pcie - PCIe port specific data; "PCIe Port Specific Data" */
struct nvme_mi_port_pcie {
	__u8 mps;	/* PCIe maximum payload size */
	__u8 sls;	/* PCIe supported link speeds */
	__u8 cls;	/* PCIe current link speed */
	__u8 mlw;	/* PCIe maximum link width */
	__u8 nlw;	/* PCIe negotiated link width */
	__u8 pn;	/* PCIe port number */
	__u8 rsvd14[18];
};

/** struct nvme_mi_port_smb - SMBus port specific data; "2-Wire Port Specific Data" */
struct nvme_mi_port_smb {
	__u8 vpd_addr;	/* address of the VPD */
	__u8 mvpd_freq;	/* highest frequency of the VPD */
	__u8 mme_addr;	/* address of the management endpoint */
	__u8 mme_freq;	/* highest frequency of the management endpoint */
	__u8 nvmebm;	/* bit 0: NVMe Basic Management Command */
	__u8 rsvd13[19];
};

/** struct nvme_mi_read_port_info - Management Interface "Port Information Data Structure" */
struct nvme_mi_read_port_info {
	__u8 portt;				/* port type: 1 for PCIe, 2 for SMBus */
	__u8 rsvd1;
	__le16 mmctptus;			/* largest MCTP transmission unit */
	__le32 meb;				/* size of the management endpoint buffer */
	union {
		struct nvme_mi_port_pcie pcie;	/* if portt is 1 */
		struct nvme_mi_port_smb smb;	/* if portt is 2 */
	};
};

/** struct nvme_mi_read_ctrl_info - Management Interface "Controller Information Data Structure" */
struct nvme_mi_read_ctrl_info {
	__u8 portid;	/* port */
	__u8 rsvd1[4];
	__u8 prii;	/* bit 0: pri is valid */
	__le16 pri;	/* PCIe routing id */
	__le16 vid;	/* PCI vendor id */
	__le16 did;	/* PCI device id */
	__le16 ssvid;	/* PCI subsystem vendor id */
	__le16 ssid;	/* PCI subsystem device id */
	__u8 rsvd16[16];
};

/** struct nvme_mi_osc - one supported command; "Optionally Supported Command Data Structure" */
struct nvme_mi_osc {
	__u8 type;	/* message type and command set */
	__u8 opc;	/* opcode */
};

/**
 * struct nvme_mi_read_sc_list - Management Interface "Optionally Supported Command List Data
 * Structure"
 */
struct nvme_mi_read_sc_list {
	__le16 numcmd;			/* number of commands */
	struct nvme_mi_osc cmds[];	/* commands */
};

/**
 * struct nvme_mi_nvm_ss_health_status - Management Interface "NVM Subsystem Health Data Structure"
 */
struct nvme_mi_nvm_ss_health_status {
	__u8 nss;	/* NVM subsystem status */
	__u8 sw;	/* SMART warnings, cleared where one is active */
	__u8 ctemp;	/* composite temperature */
	__u8 pdlu;	/* percentage of the drive's life used */
	__le16 ccs;	/* &enum nvme_mi_ccs */
	__u8 rsvd8[2];
};

/** enum nvme_mi_ccs - Composite Controller Status; "Composite Controller Status Flags" */
enum nvme_mi_ccs {
	NVME_MI_CCS_RDY = 1 << 0,	/* ready changed */
	NVME_MI_CCS_CFS = 1 << 1,	/* controller fatal status */
	NVME_MI_CCS_SHST = 1 << 2,	/* shutdown status */
	NVME_MI_CCS_NSSRO = 1 << 4,	/* NVM subsystem reset occurred */
	NVME_MI_CCS_CECO = 1 << 5,	/* controller enable change occurred */
	NVME_MI_CCS_NAC = 1 << 6,	/* namespace attribute changed */
	NVME_MI_CCS_FA = 1 << 7,	/* firmware activated */
	NVME_MI_CCS_CSTS = 1 << 8,	/* controller status changed */
	NVME_MI_CCS_CTEMP = 1 << 9,	/* composite temperature changed */
	NVME_MI_CCS_PDLU = 1 << 10,	/* percentage used changed */
	NVME_MI_CCS_SPARE = 1 << 11,	/* available spare changed */
	NVME_MI_CCS_CCWARN = 1 << 12,	/* critical warning */
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

/** struct nvme_mi_ctrl_health_status - Management Interface "Controller Health Data Structure" */
struct nvme_mi_ctrl_health_status {
	__le16 ctlid;	/* controller */
	__le16 csts;	/* &enum nvme_mi_csts */
	__le16 ctemp;	/* composite temperature in kelvin */
	__u8 pdlu;	/* percentage of the drive's life used */
	__u8 spare;	/* spare capacity left in percent */
	__u8 cwarn;	/* &enum nvme_mi_cwarn */
	__u8 rsvd9[7];
};

/**
 * enum nvme_mi_csts - Controller Status of &struct nvme_mi_ctrl_health_status; Management Interface
 * "Controller Health Data Structure"
 */
enum nvme_mi_csts {
	NVME_MI_CSTS_RDY = 1 << 0,	/* ready */
	NVME_MI_CSTS_CFS = 1 << 1,	/* controller fatal status */
	NVME_MI_CSTS_SHST = 1 << 2,	/* shutdown status */
	NVME_MI_CSTS_NSSRO = 1 << 4,	/* NVM subsystem reset occurred */
	NVME_MI_CSTS_CECO = 1 << 5,	/* controller enable change occurred */
	NVME_MI_CSTS_NAC = 1 << 6,	/* namespace attribute changed */
	NVME_MI_CSTS_FA = 1 << 7,	/* firmware activated */
};

/**
 * enum nvme_mi_cwarn - Critical Warning of &struct nvme_mi_ctrl_health_status; Management Interface
 * "Controller Health Data Structure"
 */
enum nvme_mi_cwarn {
	NVME_MI_CWARN_ST = 1 << 0,	/* spare is below its threshold */
	NVME_MI_CWARN_TAUT = 1 << 1,	/* temperature is beyond its threshold */
	NVME_MI_CWARN_RD = 1 << 2,	/* reliability is degraded */
	NVME_MI_CWARN_RO = 1 << 3,	/* read only */
	NVME_MI_CWARN_VMBF = 1 << 4,	/* volatile memory backup failed */
};

/** enum nvme_mi_elem - types of topology elements; "Element Descriptor Types" */
enum nvme_mi_elem {
	NVME_MI_ELEM_EED = 1,		/* extended */
	NVME_MI_ELEM_USCE = 2,		/* upstream connector */
	NVME_MI_ELEM_ECED = 3,		/* expansion connector */
	NVME_MI_ELEM_LED = 4,		/* label */
	NVME_MI_ELEM_SMBMED = 5,	/* SMBus or I2C mux */
	NVME_MI_ELEM_PCIESED = 6,	/* PCIe switch */
	NVME_MI_ELEM_NVMED = 7,		/* NVM subsystem */
};

/** struct nvme_mi_vpd_mra - NVMe MultiRecord Area; "NVMe MultiRecord Area" */
struct nvme_mi_vpd_mra {
	__u8 nmravn;		/* version */
	__u8 ff;		/* form factor */
	__u8 rsvd7[6];
	__u8 i18vpwr;		/* initial 1.8 V power */
	__u8 m18vpwr;		/* maximum 1.8 V power */
	__u8 i33vpwr;		/* initial 3.3 V power */
	__u8 m33vpwr;		/* maximum 3.3 V power */
	__u8 rsvd17;
	__u8 m33vapsr;		/* maximum 3.3 V auxiliary power */
	__u8 i5vapsr;		/* initial 5 V power */
	__u8 m5vapsr;		/* maximum 5 V power */
	__u8 i12vapsr;		/* initial 12 V power */
	__u8 m12vapsr;		/* maximum 12 V power */
	__u8 mtl;		/* maximum thermal load in watts */
	__u8 tnvmcap[16];	/* capacity in bytes, 128 bits */
	__u8 rsvd37[27];
};

/** struct nvme_mi_vpd_ppmra - NVMe PCIe Port MultiRecord Area; "NVMe PCIe Port MultiRecord Area" */
struct nvme_mi_vpd_ppmra {
	__u8 nppmravn;	/* version */
	__u8 pn;	/* port number */
	__u8 ppi;	/* port information */
	__u8 ls;	/* link speeds */
	__u8 mlw;	/* maximum link width */
	__u8 mctp;	/* MCTP support */
	__u8 refccap;	/* reference clock capabilities */
	__u8 pi;	/* port identifier */
	__u8 rsvd13[3];
};

/** struct nvme_mi_vpd_telem - element of the topology; "Element Descriptor" */
struct nvme_mi_vpd_telem {
	__u8 type;	/* &enum nvme_mi_elem */
	__u8 rev;	/* revision */
	__u8 len;	/* bytes of the element */
	__u8 data[0];	/* content */
};

/** struct nvme_mi_vpd_tra - Topology MultiRecord Area; "Topology MultiRecord Area" */
struct nvme_mi_vpd_tra {
	__u8 vn;				/* version */
	__u8 rsvd6;
	__u8 ec;				/* number of elements */
	struct nvme_mi_vpd_telem elems[0];	/* elements, which vary in length */
};

/** struct nvme_mi_vpd_mr_common - MultiRecord Area with its header; "VPD Elements" */
struct nvme_mi_vpd_mr_common {
	__u8 type;				/* record type */
	__u8 rf;				/* record format */
	__u8 rlen;				/* bytes of the record */
	__u8 rchksum;				/* checksum of the record */
	__u8 hchksum;				/* checksum of the header */
	union {
		struct nvme_mi_vpd_mra nmra;	/* type 0Bh */
		struct nvme_mi_vpd_ppmra ppmra;	/* type 0Ch */
		struct nvme_mi_vpd_tra tmra;	/* type 0Dh */
	};
};

/**
 * struct nvme_mi_vpd_hdr - Common Header of the VPD; Management Interface "VPD Elements"
 *
 * Offsets are in units of 8 bytes.
 */
struct nvme_mi_vpd_hdr {
	__u8 ipmiver;	/* version of the IPMI FRU format */
	__u8 iuaoff;	/* offset of the internal use area */
	__u8 ciaoff;	/* offset of the chassis info area */
	__u8 biaoff;	/* offset of the board info area */
	__u8 piaoff;	/* offset of the product info area */
	__u8 mrioff;	/* offset of the MultiRecord info area */
	__u8 rsvd6;
	__u8 chchk;	/* checksum of the header */
	__u8 vpd[];	/* what follows */
};

#endif /* _LIBNVME_TYPES_MI_H */
