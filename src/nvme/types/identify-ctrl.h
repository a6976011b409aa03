/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Identify Controller data structure.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_IDENTIFY_CTRL_H
#define _LIBNVME_TYPES_IDENTIFY_CTRL_H

#include "base.h"

/**
 * enum nvme_psd_flags - flags of a power state descriptor; "Power State Descriptor Data Structure"
 */
enum nvme_psd_flags {
	NVME_PSD_FLAGS_MXPS = 1 << 0,	/* maximum power is in units of 0.0001 W, else 0.01 W */
	NVME_PSD_FLAGS_NOPS = 1 << 1,	/* non-operational state: no I/O is processed */
};

/** enum nvme_psd_ps - scales of a power value; "Power State Descriptor Data Structure" */
enum nvme_psd_ps {
	NVME_PSD_PS_NOT_REPORTED = 0,	/* no value reported */
	NVME_PSD_PS_100_MICRO_WATT = 1,	/* units of 0.0001 W */
	NVME_PSD_PS_10_MILLI_WATT = 2,	/* units of 0.01 W */
};

/**
 * nvme_psd_power_scale() - scale of a power value in the power state descriptor
 * @ps:	Idle or active power scale field (&struct nvme_id_psd.ips, &struct nvme_id_psd.apws)
 *
 * Return: The two most significant bits: one of &enum nvme_psd_ps.
 */
static inline unsigned int nvme_psd_power_scale(__u8 ps)
{
	return ps >> 6;
}

/** enum nvme_psd_workload - workloads that active power was measured with; "Workload Hint" */
enum nvme_psd_workload {
	NVME_PSD_WORKLOAD_NP = 0,	/* unknown */
	NVME_PSD_WORKLOAD_1 = 1,	/* random writes of 4 KiB after idle time */
	NVME_PSD_WORKLOAD_2 = 2,	/* sequential writes at full speed */
};

/** struct nvme_id_psd - Power State Descriptor; "Power State Descriptor Data Structure" */
struct nvme_id_psd {
	__le16 mp;		/* maximum power; the unit follows from flags */
	__u8 rsvd2;
	__u8 flags;		/* &enum nvme_psd_flags */
	__le32 enlat;		/* entry latency in microseconds */
	__le32 exlat;		/* exit latency in microseconds */
	__u8 rrt;		/* relative read throughput, 0 is best */
	__u8 rrl;		/* relative read latency, 0 is best */
	__u8 rwt;		/* relative write throughput, 0 is best */
	__u8 rwl;		/* relative write latency, 0 is best */
	__le16 idlp;		/* idle power */
	__u8 ips;		/* idle power scale in bits 7:6 */
	__u8 rsvd19;
	__le16 actp;		/* active power */
	__u8 apws;		/* active power scale in bits 7:6, workload in bits 2:0 */
	__u8 epfrt;		/* emergency power fail recovery time */
	__u8 fqvt;		/* forced quiescence vault time */
	__u8 epfvt;		/* emergency power fail vault time */
	__u8 epfr_fqv_ts;	/* scales of epfrt (bits 3:0) and fqvt (bits 7:4) */
	__u8 epfvts;		/* scale of epfvt */
	__u8 rsvd28[4];
};

/**
 * struct nvme_id_ctrl - "Identify Controller Data Structure"
 *
 * Returned by Identify with CNS 01h. Strings are ASCII, padded with spaces, and not terminated.
 */
struct nvme_id_ctrl {
	__le16 vid;			/* PCI vendor id */
	__le16 ssvid;			/* PCI subsystem vendor id */
	char sn[20];			/* serial number */
	char mn[40];			/* model number */
	char fr[8];			/* firmware revision */
	__u8 rab;			/* recommended arbitration burst, as a power of two */
	__u8 ieee[3];			/* IEEE OUI, least significant byte first */
	__u8 cmic;			/* &enum nvme_cmic */
	__u8 mdts;			/* most data of a command, 2^n minimum pages */
	__le16 cntlid;			/* controller id */
	__le32 ver;			/* version, as in property VS */
	__le32 rtd3r;			/* RTD3 resume latency in microseconds */
	__le32 rtd3e;			/* RTD3 entry latency in microseconds */
	__le32 oaes;			/* &enum nvme_id_ctrl_oaes */
	__le32 ctratt;			/* &enum nvme_id_ctrl_ctratt */
	__le16 rrls;			/* read recovery levels supported, one bit each */
	__u8 bpcap;			/* &enum nvme_id_ctrl_bpcap */
	__u8 rsvd103;
	__le32 nssl;			/* NVM subsystem shutdown latency in microseconds */
	__u8 rsvd108[2];
	__u8 plsi;			/* &enum nvme_id_ctrl_plsi */
	__u8 cntrltype;			/* &enum nvme_id_ctrl_cntrltype */
	__u8 fguid[16];			/* GUID of the FRU, most significant byte first */
	__le16 crdt1;			/* command retry delay 1 in units of 100 ms */
	__le16 crdt2;			/* command retry delay 2 in units of 100 ms */
	__le16 crdt3;			/* command retry delay 3 in units of 100 ms */
	__u8 crcap;			/* &enum nvme_id_ctrl_crcap */
	__u8 rsvd135[118];
	__u8 nvmsr;			/* &enum nvme_id_ctrl_nvmsr */
	__u8 vwci;			/* &enum nvme_id_ctrl_vwci */
	__u8 mec;			/* &enum nvme_id_ctrl_mec */
	__le16 oacs;			/* &enum nvme_id_ctrl_oacs */
	__u8 acl;			/* abort commands at a time, 0's based */
	__u8 aerl;			/* asynchronous event requests at a time, 0's based */
	__u8 frmw;			/* &enum nvme_id_ctrl_frmw */
	__u8 lpa;			/* &enum nvme_id_ctrl_lpa */
	__u8 elpe;			/* entries of the Error Information log, 0's based */
	__u8 npss;			/* number of power states, 0's based */
	__u8 avscc;			/* &enum nvme_id_ctrl_avscc */
	__u8 apsta;			/* &enum nvme_id_ctrl_apsta */
	__le16 wctemp;			/* warning composite temperature in kelvin */
	__le16 cctemp;			/* critical composite temperature in kelvin */
	__le16 mtfa;			/* longest pause for firmware activation, units of 100 ms */
	__le32 hmpre;			/* preferred size of the host memory buffer, 4 KiB units */
	__le32 hmmin;			/* least size of the host memory buffer, 4 KiB units */
	__u8 tnvmcap[16];		/* capacity in all, bytes, 128 bits */
	__u8 unvmcap[16];		/* capacity not allocated, bytes, 128 bits */
	__le32 rpmbs;			/* &enum nvme_id_ctrl_rpmbs */
	__le16 edstt;			/* time of an extended self-test in minutes */
	__u8 dsto;			/* &enum nvme_id_ctrl_dsto */
	__u8 fwug;			/* firmware update granularity, 4 KiB units */
	__le16 kas;			/* keep alive granularity, units of 100 ms */
	__le16 hctma;			/* &enum nvme_id_ctrl_hctm */
	__le16 mntmt;			/* lowest thermal management temperature in kelvin */
	__le16 mxtmt;			/* highest thermal management temperature in kelvin */
	__le32 sanicap;			/* &enum nvme_id_ctrl_sanicap */
	__le32 hmminds;			/* least size of a host memory descriptor, 4 KiB units */
	__le16 hmmaxd;			/* most descriptors of a host memory buffer */
	__le16 nsetidmax;		/* largest NVM set id */
	__le16 endgidmax;		/* largest endurance group id */
	__u8 anatt;			/* longest ANA transition in seconds */
	__u8 anacap;			/* &enum nvme_id_ctrl_anacap */
	__le32 anagrpmax;		/* largest ANA group id */
	__le32 nanagrpid;		/* number of ANA groups */
	__le32 pels;			/* size of the persistent event log, units of 64 KiB */
	__le16 domainid;		/* domain of this controller */
	__u8 kpioc;			/* &enum nvme_id_ctrl_kpioc */
	__u8 rsvd359;
	__le16 mptfawr;			/* longest activation without reset, 100 ms units */
	__u8 rsvd362[6];
	__u8 megcap[16];		/* largest capacity of an endurance group, bytes */
	__u8 tmpthha;			/* temperature threshold hysteresis attributes */
	__u8 rsvd385;
	__le16 cqt;			/* command quiesce time in milliseconds */
	__u8 rsvd388[124];
	__u8 sqes;			/* submission queue entry size, &enum nvme_id_ctrl_sqes */
	__u8 cqes;			/* completion queue entry size, &enum nvme_id_ctrl_cqes */
	__le16 maxcmd;			/* most outstanding commands of a queue */
	__le32 nn;			/* largest valid namespace id */
	__le16 oncs;			/* &enum nvme_id_ctrl_oncs */
	__le16 fuses;			/* &enum nvme_id_ctrl_fuses */
	__u8 fna;			/* &enum nvme_id_ctrl_fna */
	__u8 vwc;			/* &enum nvme_id_ctrl_vwc */
	__le16 awun;			/* atomic write unit, normal, blocks, 0's based */
	__le16 awupf;			/* atomic write unit, power fail, blocks, 0's based */
	__u8 icsvscc;			/* &enum nvme_id_ctrl_nvscc */
	__u8 nwpc;			/* &enum nvme_id_ctrl_nwpc */
	__le16 acwu;			/* atomic Compare and Write unit, blocks, 0's based */
	__le16 ocfs;			/* copy formats supported, one bit each */
	__le32 sgls;			/* &enum nvme_id_ctrl_sgls */
	__le32 mnan;			/* most namespaces attached at a time */
	__u8 maxdna[16];		/* most attachments in the domain, 128 bits */
	__le32 maxcna;			/* most attachments to this controller */
	__le32 oaqd;			/* optimal depth of all queues together */
	__u8 rhiri;			/* recommended host-initiated refresh interval */
	__u8 hirt;			/* time of a host-initiated refresh */
	__le16 cmmrtd;			/* most memory ranges tracked by a controller */
	__le16 nmmrtd;			/* most memory ranges tracked by the subsystem */
	__u8 minmrtg;			/* smallest memory range tracking granularity */
	__u8 maxmrtg;			/* largest memory range tracking granularity */
	__u8 trattr;			/* &enum nvme_id_ctrl_trattr */
	__u8 rsvd577;
	__le16 mcudmq;			/* most user data migration queues of a controller */
	__le16 mnsudmq;			/* most user data migration queues of all */
	__le16 mcmr;			/* most memory ranges of a controller data queue */
	__le16 nmcmr;			/* most memory ranges of all controller data queues */
	__le16 mcdqpc;			/* most PRP entries of a controller data queue */
	__u8 rsvd588[180];
	char subnqn[NVME_NQN_LENGTH];	/* NQN of the subsystem, terminated */
	__u8 rsvd1024[768];
	__le32 ioccsz;			/* I/O capsule command size, units of 16 bytes (fabrics) */
	__le32 iorcsz;			/* I/O capsule response size, units of 16 bytes (fabrics) */
	__le16 icdoff;			/* offset of in-capsule data, units of 16 bytes (fabrics) */
	__u8 fcatt;			/* &enum nvme_id_ctrl_fcatt */
	__u8 msdbd;			/* most SGL data block descriptors (fabrics) */
	__le16 ofcs;			/* &enum nvme_id_ctrl_ofcs */
	__u8 dctype;			/* &enum nvme_id_ctrl_dctype */
	__u8 rsvd1807[241];
	struct nvme_id_psd psd[32];	/* power state descriptors */
	__u8 vs[1024];			/* vendor specific */
};

/**
 * struct nvme_id_ctrl_nvm - Identify Controller data structure of the NVM Command Set; NVM Command
 * Set "I/O Command Set Specific Identify Controller Data Structure"
 *
 * Returned by Identify with CNS 06h and CSI 00h. The limits vsl, wzsl, wusl and wzdsl are powers of
 * two in units of the minimum memory page, and 0 means no limit.
 */
struct nvme_id_ctrl_nvm {
	__u8 vsl;	/* most data of a Verify command */
	__u8 wzsl;	/* most data of a Write Zeroes command */
	__u8 wusl;	/* most data of a Write Uncorrectable command */
	__u8 dmrl;	/* most ranges of a Dataset Management command */
	__le32 dmrsl;	/* most logical blocks of a range */
	__le64 dmsl;	/* most logical blocks of a command */
	__u8 kpiocap;	/* key per I/O capabilities */
	__u8 wzdsl;	/* most data of a Write Zeroes command that deallocates */
	__le16 aocs;	/* admin optional command support */
	__le32 ver;	/* version of the command set specification */
	__u8 lbamqf;	/* &enum nvme_id_ctrl_nvm_lbamqf */
	__u8 rsvd25[4071];
};

/**
 * enum nvme_id_ctrl_nvm_lbamqf - formats of logical block migration queue entries; NVM Command Set
 * "I/O Command Set Specific Identify Controller Data Structure"
 */
enum nvme_id_ctrl_nvm_lbamqf {
	NVME_ID_CTRL_NVM_LBAMQF_TYPE_0 = 0x00,		/* format 0 */
	NVME_ID_CTRL_NVM_LBAMQF_VENDOR_MIN = 0xc0,	/* first vendor specific format */
	NVME_ID_CTRL_NVM_LBAMQF_VENDOR_MAX = 0xff,	/* last vendor specific format */
};

#endif /* _LIBNVME_TYPES_IDENTIFY_CTRL_H */
