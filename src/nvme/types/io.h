/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values and data structures of I/O commands, reservations included.
 * Names in quotes are sections of the NVM Express NVM Command Set Specification.
 */
#ifndef _LIBNVME_TYPES_IO_H
#define _LIBNVME_TYPES_IO_H

#include "base.h"

/**
 * enum nvme_io_control_flags - control flags of I/O commands; NVM Command Set "Write command"
 *
 * Bits 31:16 of command dword 12, shifted down. One bit may mean different things to different
 * commands.
 */
enum nvme_io_control_flags {
	NVME_IO_DTYPE_STREAMS = 0x0010,		/* directive type Streams */
	NVME_IO_NSZ = 0x0080,			/* Write Zeroes: the whole namespace */
	NVME_IO_STC = 0x0100,			/* check the storage tag */
	NVME_IO_DEAC = 0x0200,			/* Write Zeroes: deallocate */
	NVME_IO_ZNS_APPEND_PIREMAP = 0x0200,	/* Zone Append: remap protection information */
	NVME_IO_PRINFO_PRCHK_REF = 0x0400,	/* check the reference tag */
	NVME_IO_PRINFO_PRCHK_APP = 0x0800,	/* check the application tag */
	NVME_IO_PRINFO_PRCHK_GUARD = 0x1000,	/* check the guard */
	NVME_IO_PRINFO_PRACT = 0x2000,		/* protection information action */
	NVME_IO_FUA = 0x4000,			/* force unit access */
	NVME_IO_LR = 0x8000,			/* limited retry */
};

/** enum nvme_io_dsm_flags - dataset management hints of Read and Write; "Read command" */
enum nvme_io_dsm_flags {
	NVME_IO_DSM_FREQ_UNSPEC = 0x00,		/* frequency: not specified */
	NVME_IO_DSM_FREQ_TYPICAL = 0x01,	/* typical number of reads and writes */
	NVME_IO_DSM_FREQ_RARE = 0x02,		/* few reads, few writes */
	NVME_IO_DSM_FREQ_READS = 0x03,		/* few writes, many reads */
	NVME_IO_DSM_FREQ_WRITES = 0x04,		/* many writes, few reads */
	NVME_IO_DSM_FREQ_RW = 0x05,		/* many writes, many reads */
	NVME_IO_DSM_FREQ_ONCE = 0x06,		/* read once */
	NVME_IO_DSM_FREQ_PREFETCH = 0x07,	/* speculative read */
	NVME_IO_DSM_FREQ_TEMP = 0x08,		/* overwritten soon */
	NVME_IO_DSM_LATENCY_NONE = 0x00,	/* latency: not specified */
	NVME_IO_DSM_LATENCY_IDLE = 0x10,	/* as long as it takes */
	NVME_IO_DSM_LATENCY_NORM = 0x20,	/* typical */
	NVME_IO_DSM_LATENCY_LOW = 0x30,		/* as short as possible */
	NVME_IO_DSM_SEQ_REQ = 0x40,		/* part of a sequential request */
	NVME_IO_DSM_COMPRESSED = 0x80,		/* data cannot be compressed */
};

/** enum nvme_dsm_attributes - attributes of Dataset Management; "Dataset Management command" */
enum nvme_dsm_attributes {
	NVME_DSMGMT_IDR = 1 << 0,	/* will be read as a whole */
	NVME_DSMGMT_IDW = 1 << 1,	/* will be written as a whole */
	NVME_DSMGMT_AD = 1 << 2,	/* deallocate */
};

/** struct nvme_dsm_range - range of Dataset Management; "Dataset Management command" */
struct nvme_dsm_range {
	__le32 cattr;	/* context attributes */
	__le32 nlb;	/* number of logical blocks */
	__le64 slba;	/* first logical block */
};

/** enum nvme_copy_range_sopt - source options of a copy range; "Copy command" */
enum nvme_copy_range_sopt {
	NVME_COPY_SOPT_FCO = 1 << 15,	/* fast copy only */
};

/**
 * struct nvme_copy_range - Copy source range, format 0; NVM Command Set "Copy Source Range Entries
 * Descriptor Format 0h"
 */
struct nvme_copy_range {
	__u8 rsvd0[8];
	__le64 slba;	/* first logical block */
	__le16 nlb;	/* number of logical blocks, 0's based */
	__u8 rsvd18[6];
	__le32 eilbrt;	/* expected initial reference tag */
	__le16 elbat;	/* expected application tag */
	__le16 elbatm;	/* expected application tag mask */
};

/**
 * struct nvme_copy_range_f1 - Copy source range, format 1; NVM Command Set "Copy Source Range
 * Entries Descriptor Format 1h"
 */
struct nvme_copy_range_f1 {
	__u8 rsvd0[8];
	__le64 slba;	/* first logical block */
	__le16 nlb;	/* number of logical blocks, 0's based */
	__u8 rsvd18[8];
	__u8 elbt[10];	/* expected storage and reference tags, big-endian */
	__le16 elbat;	/* expected application tag */
	__le16 elbatm;	/* expected application tag mask */
};

/**
 * struct nvme_copy_range_f2 - Copy source range, format 2; NVM Command Set "Copy Source Range
 * Entries Descriptor Format 2h"
 */
struct nvme_copy_range_f2 {
	__le32 snsid;	/* source namespace */
	__u8 rsvd4[4];
	__le64 slba;	/* first logical block */
	__le16 nlb;	/* number of logical blocks, 0's based */
	__u8 rsvd18[4];
	__le16 sopt;	/* &enum nvme_copy_range_sopt */
	__le32 eilbrt;	/* expected initial reference tag */
	__le16 elbat;	/* expected application tag */
	__le16 elbatm;	/* expected application tag mask */
};

/**
 * struct nvme_copy_range_f3 - Copy source range, format 3; NVM Command Set "Copy Source Range
 * Entries Descriptor Format 3h"
 */
struct nvme_copy_range_f3 {
	__le32 snsid;	/* source namespace */
	__u8 rsvd4[4];
	__le64 slba;	/* first logical block */
	__le16 nlb;	/* number of logical blocks, 0's based */
	__u8 rsvd18[4];
	__le16 sopt;	/* &enum nvme_copy_range_sopt */
	__u8 rsvd24[2];
	__u8 elbt[10];	/* expected storage and reference tags, big-endian */
	__le16 elbat;	/* expected application tag */
	__le16 elbatm;	/* expected application tag mask */
};

/** enum nvme_resv_rtype - reservation types; Base "Reservation Types" */
enum nvme_resv_rtype {
	NVME_RESERVATION_RTYPE_WE = 1,		/* Write Exclusive */
	NVME_RESERVATION_RTYPE_EA = 2,		/* Exclusive Access */
	NVME_RESERVATION_RTYPE_WERO = 3,	/* Write Exclusive, registrants only */
	NVME_RESERVATION_RTYPE_EARO = 4,	/* Exclusive Access, registrants only */
	NVME_RESERVATION_RTYPE_WEAR = 5,	/* Write Exclusive, all registrants */
	NVME_RESERVATION_RTYPE_EAAR = 6,	/* Exclusive Access, all registrants */
};

/** enum nvme_resv_racqa - actions of Reservation Acquire; Base "Reservation Acquire command" */
enum nvme_resv_racqa {
	NVME_RESERVATION_RACQA_ACQUIRE = 0,		/* acquire */
	NVME_RESERVATION_RACQA_PREEMPT = 1,		/* preempt */
	NVME_RESERVATION_RACQA_PREEMPT_AND_ABORT = 2,	/* preempt and abort */
};

/** enum nvme_resv_rrega - actions of Reservation Register; Base "Reservation Register command" */
enum nvme_resv_rrega {
	NVME_RESERVATION_RREGA_REGISTER_KEY = 0,	/* register a key */
	NVME_RESERVATION_RREGA_UNREGISTER_KEY = 1,	/* unregister a key */
	NVME_RESERVATION_RREGA_REPLACE_KEY = 2,		/* replace a key */
};

/** enum nvme_resv_cptpl - changes of persist through power loss; "Reservation Register command" */
enum nvme_resv_cptpl {
	NVME_RESERVATION_CPTPL_NO_CHANGE = 0,	/* leave as it is */
	NVME_RESERVATION_CPTPL_CLEAR = 2,	/* reservations are released by a power cycle */
	NVME_RESERVATION_CPTPL_PERSIST = 3,	/* reservations persist */
};

/** enum nvme_resv_rrela - actions of Reservation Release; Base "Reservation Release command" */
enum nvme_resv_rrela {
	NVME_RESERVATION_RRELA_RELEASE = 0,	/* release */
	NVME_RESERVATION_RRELA_CLEAR = 1,	/* clear all registrations */
};

/** struct nvme_registered_ctrl - Registered Controller; "Registered Controller Data Structure" */
struct nvme_registered_ctrl {
	__le16 cntlid;	/* controller; ffffh: none at present */
	__u8 rcsts;	/* bit 0: holds the reservation */
	__u8 rsvd3[5];
	__le64 hostid;	/* Host Identifier of 64 bits */
	__le64 rkey;	/* reservation key */
};

/** struct nvme_registered_ctrl_ext - "Registered Controller Extended Data Structure" */
struct nvme_registered_ctrl_ext {
	__le16 cntlid;		/* controller; ffffh: none at present */
	__u8 rcsts;		/* bit 0: holds the reservation */
	__u8 rsvd3[5];
	__le64 rkey;		/* reservation key */
	__u8 hostid[16];	/* Host Identifier of 128 bits */
	__u8 rsvd32[32];
};

/** struct nvme_resv_status - Reservation Status; Base "Reservation Status Data Structure" */
struct nvme_resv_status {
	__le32 gen;				/* generation */
	__u8 rtype;				/* &enum nvme_resv_rtype; 0: no reservation */
	__u8 regctl[2];				/* number of registrants, little-endian */
	__u8 rsvd7[2];
	__u8 ptpls;				/* persists through power loss */
	__u8 rsvd10[14];
	union {
		struct {
			__u8 rsvd24[40];
			struct nvme_registered_ctrl_ext regctl_eds[0];	/* extended ones */
		};
		struct nvme_registered_ctrl regctl_ds[0];	/* registrants */
	};
};

#endif /* _LIBNVME_TYPES_IO_H */
