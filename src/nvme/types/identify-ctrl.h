/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Identify Controller data structure.
 */
#ifndef _LIBNVME_TYPES_IDENTIFY_CTRL_H
#define _LIBNVME_TYPES_IDENTIFY_CTRL_H

#include "base.h"

enum nvme_psd_flags {
	NVME_PSD_FLAGS_MXPS = 1 << 0,
	NVME_PSD_FLAGS_NOPS = 1 << 1,
};

enum nvme_psd_ps {
	NVME_PSD_PS_NOT_REPORTED = 0,
	NVME_PSD_PS_100_MICRO_WATT = 1,
	NVME_PSD_PS_10_MILLI_WATT = 2,
};

/**
 * nvme_psd_power_scale() - scale of a power value in the power state descriptor
 * @ps:	Idle or active power scale field (&struct nvme_id_psd.ips, &struct nvme_id_psd.apws)
 *
 * Return: The two uppermost bits: one of &enum nvme_psd_ps.
 */
static inline unsigned int nvme_psd_power_scale(__u8 ps)
{
	return ps >> 6;
}

enum nvme_psd_workload {
	NVME_PSD_WORKLOAD_NP = 0,
	NVME_PSD_WORKLOAD_1 = 1,
	NVME_PSD_WORKLOAD_2 = 2,
};

struct nvme_id_psd {
	__le16 mp;
	__u8 rsvd2;
	__u8 flags;
	__le32 enlat;
	__le32 exlat;
	__u8 rrt;
	__u8 rrl;
	__u8 rwt;
	__u8 rwl;
	__le16 idlp;
	__u8 ips;
	__u8 rsvd19;
	__le16 actp;
	__u8 apws;
	__u8 epfrt;
	__u8 fqvt;
	__u8 epfvt;
	__u8 epfr_fqv_ts;
	__u8 epfvts;
	__u8 rsvd28[4];
};

struct nvme_id_ctrl {
	__le16 vid;
	__le16 ssvid;
	char sn[20];
	char mn[40];
	char fr[8];
	__u8 rab;
	__u8 ieee[3];
	__u8 cmic;
	__u8 mdts;
	__le16 cntlid;
	__le32 ver;
	__le32 rtd3r;
	__le32 rtd3e;
	__le32 oaes;
	__le32 ctratt;
	__le16 rrls;
	__u8 bpcap;
	__u8 rsvd103;
	__le32 nssl;
	__u8 rsvd108[2];
	__u8 plsi;
	__u8 cntrltype;
	__u8 fguid[16];
	__le16 crdt1;
	__le16 crdt2;
	__le16 crdt3;
	__u8 crcap;
	__u8 rsvd135[118];
	__u8 nvmsr;
	__u8 vwci;
	__u8 mec;
	__le16 oacs;
	__u8 acl;
	__u8 aerl;
	__u8 frmw;
	__u8 lpa;
	__u8 elpe;
	__u8 npss;
	__u8 avscc;
	__u8 apsta;
	__le16 wctemp;
	__le16 cctemp;
	__le16 mtfa;
	__le32 hmpre;
	__le32 hmmin;
	__u8 tnvmcap[16];
	__u8 unvmcap[16];
	__le32 rpmbs;
	__le16 edstt;
	__u8 dsto;
	__u8 fwug;
	__le16 kas;
	__le16 hctma;
	__le16 mntmt;
	__le16 mxtmt;
	__le32 sanicap;
	__le32 hmminds;
	__le16 hmmaxd;
	__le16 nsetidmax;
	__le16 endgidmax;
	__u8 anatt;
	__u8 anacap;
	__le32 anagrpmax;
	__le32 nanagrpid;
	__le32 pels;
	__le16 domainid;
	__u8 kpioc;
	__u8 rsvd359;
	__le16 mptfawr;
	__u8 rsvd362[6];
	__u8 megcap[16];
	__u8 tmpthha;
	__u8 rsvd385;
	__le16 cqt;
	__u8 rsvd388[124];
	__u8 sqes;
	__u8 cqes;
	__le16 maxcmd;
	__le32 nn;
	__le16 oncs;
	__le16 fuses;
	__u8 fna;
	__u8 vwc;
	__le16 awun;
	__le16 awupf;
	__u8 icsvscc;
	__u8 nwpc;
	__le16 acwu;
	__le16 ocfs;
	__le32 sgls;
	__le32 mnan;
	__u8 maxdna[16];
	__le32 maxcna;
	__le32 oaqd;
	__u8 rhiri;
	__u8 hirt;
	__le16 cmmrtd;
	__le16 nmmrtd;
	__u8 minmrtg;
	__u8 maxmrtg;
	__u8 trattr;
	__u8 rsvd577;
	__le16 mcudmq;
	__le16 mnsudmq;
	__le16 mcmr;
	__le16 nmcmr;
	__le16 mcdqpc;
	__u8 rsvd588[180];
	char subnqn[NVME_NQN_LENGTH];
	__u8 rsvd1024[768];
	__le32 ioccsz;
	__le32 iorcsz;
	__le16 icdoff;
	__u8 fcatt;
	__u8 msdbd;
	__le16 ofcs;
	__u8 dctype;
	__u8 rsvd1807[241];
	struct nvme_id_psd psd[32];
	__u8 vs[1024];
};

struct nvme_id_ctrl_nvm {
	__u8 vsl;
	__u8 wzsl;
	__u8 wusl;
	__u8 dmrl;
	__le32 dmrsl;
	__le64 dmsl;
	__u8 kpiocap;
	__u8 wzdsl;
	__le16 aocs;
	__le32 ver;
	__u8 lbamqf;
	__u8 rsvd25[4071];
};

enum nvme_id_ctrl_nvm_lbamqf {
	NVME_ID_CTRL_NVM_LBAMQF_TYPE_0 = 0x00,
	NVME_ID_CTRL_NVM_LBAMQF_VENDOR_MIN = 0xc0,
	NVME_ID_CTRL_NVM_LBAMQF_VENDOR_MAX = 0xff,
};

#endif /* _LIBNVME_TYPES_IDENTIFY_CTRL_H */
