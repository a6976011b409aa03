/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values and data structures of I/O commands, reservations included.
 */
#ifndef _LIBNVME_TYPES_IO_H
#define _LIBNVME_TYPES_IO_H

#include "base.h"

enum nvme_io_control_flags {
	NVME_IO_DTYPE_STREAMS = 0x0010,
	NVME_IO_NSZ = 0x0080,
	NVME_IO_STC = 0x0100,
	NVME_IO_DEAC = 0x0200,
	NVME_IO_ZNS_APPEND_PIREMAP = 0x0200,
	NVME_IO_PRINFO_PRCHK_REF = 0x0400,
	NVME_IO_PRINFO_PRCHK_APP = 0x0800,
	NVME_IO_PRINFO_PRCHK_GUARD = 0x1000,
	NVME_IO_PRINFO_PRACT = 0x2000,
	NVME_IO_FUA = 0x4000,
	NVME_IO_LR = 0x8000,
};

enum nvme_io_dsm_flags {
	NVME_IO_DSM_FREQ_UNSPEC = 0x00,
	NVME_IO_DSM_FREQ_TYPICAL = 0x01,
	NVME_IO_DSM_FREQ_RARE = 0x02,
	NVME_IO_DSM_FREQ_READS = 0x03,
	NVME_IO_DSM_FREQ_WRITES = 0x04,
	NVME_IO_DSM_FREQ_RW = 0x05,
	NVME_IO_DSM_FREQ_ONCE = 0x06,
	NVME_IO_DSM_FREQ_PREFETCH = 0x07,
	NVME_IO_DSM_FREQ_TEMP = 0x08,
	NVME_IO_DSM_LATENCY_NONE = 0x00,
	NVME_IO_DSM_LATENCY_IDLE = 0x10,
	NVME_IO_DSM_LATENCY_NORM = 0x20,
	NVME_IO_DSM_LATENCY_LOW = 0x30,
	NVME_IO_DSM_SEQ_REQ = 0x40,
	NVME_IO_DSM_COMPRESSED = 0x80,
};

enum nvme_dsm_attributes {
	NVME_DSMGMT_IDR = 1 << 0,
	NVME_DSMGMT_IDW = 1 << 1,
	NVME_DSMGMT_AD = 1 << 2,
};

struct nvme_dsm_range {
	__le32 cattr;
	__le32 nlb;
	__le64 slba;
};

enum nvme_copy_range_sopt {
	NVME_COPY_SOPT_FCO = 1 << 15,
};

struct nvme_copy_range {
	__u8 rsvd0[8];
	__le64 slba;
	__le16 nlb;
	__u8 rsvd18[6];
	__le32 eilbrt;
	__le16 elbat;
	__le16 elbatm;
};

struct nvme_copy_range_f1 {
	__u8 rsvd0[8];
	__le64 slba;
	__le16 nlb;
	__u8 rsvd18[8];
	__u8 elbt[10];
	__le16 elbat;
	__le16 elbatm;
};

struct nvme_copy_range_f2 {
	__le32 snsid;
	__u8 rsvd4[4];
	__le64 slba;
	__le16 nlb;
	__u8 rsvd18[4];
	__le16 sopt;
	__le32 eilbrt;
	__le16 elbat;
	__le16 elbatm;
};

struct nvme_copy_range_f3 {
	__le32 snsid;
	__u8 rsvd4[4];
	__le64 slba;
	__le16 nlb;
	__u8 rsvd18[4];
	__le16 sopt;
	__u8 rsvd24[2];
	__u8 elbt[10];
	__le16 elbat;
	__le16 elbatm;
};

enum nvme_resv_rtype {
	NVME_RESERVATION_RTYPE_WE = 1,
	NVME_RESERVATION_RTYPE_EA = 2,
	NVME_RESERVATION_RTYPE_WERO = 3,
	NVME_RESERVATION_RTYPE_EARO = 4,
	NVME_RESERVATION_RTYPE_WEAR = 5,
	NVME_RESERVATION_RTYPE_EAAR = 6,
};

enum nvme_resv_racqa {
	NVME_RESERVATION_RACQA_ACQUIRE = 0,
	NVME_RESERVATION_RACQA_PREEMPT = 1,
	NVME_RESERVATION_RACQA_PREEMPT_AND_ABORT = 2,
};

enum nvme_resv_rrega {
	NVME_RESERVATION_RREGA_REGISTER_KEY = 0,
	NVME_RESERVATION_RREGA_UNREGISTER_KEY = 1,
	NVME_RESERVATION_RREGA_REPLACE_KEY = 2,
};

enum nvme_resv_cptpl {
	NVME_RESERVATION_CPTPL_NO_CHANGE = 0,
	NVME_RESERVATION_CPTPL_CLEAR = 2,
	NVME_RESERVATION_CPTPL_PERSIST = 3,
};

enum nvme_resv_rrela {
	NVME_RESERVATION_RRELA_RELEASE = 0,
	NVME_RESERVATION_RRELA_CLEAR = 1,
};

struct nvme_registered_ctrl {
	__le16 cntlid;
	__u8 rcsts;
	__u8 rsvd3[5];
	__le64 hostid;
	__le64 rkey;
};

struct nvme_registered_ctrl_ext {
	__le16 cntlid;
	__u8 rcsts;
	__u8 rsvd3[5];
	__le64 rkey;
	__u8 hostid[16];
	__u8 rsvd32[32];
};

struct nvme_resv_status {
	__le32 gen;
	__u8 rtype;
	__u8 regctl[2];
	__u8 rsvd7[2];
	__u8 ptpls;
	__u8 rsvd10[14];
	union {
		struct {
			__u8 rsvd24[40];
			struct nvme_registered_ctrl_ext regctl_eds[0];
		};
		struct nvme_registered_ctrl regctl_ds[0];
	};
};

#endif /* _LIBNVME_TYPES_IO_H */
