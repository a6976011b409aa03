/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arguments of the I/O commands that take a structure.
 * Names in quotes are sections of the NVM Express NVM Command Set Specification.
 */
#ifndef _LIBNVME_TYPES_ARGS_IO_H
#define _LIBNVME_TYPES_ARGS_IO_H

#include "../types.h"

/**
 * struct nvme_get_lba_status_args - arguments of nvme_get_lba_status(); NVM Command Set "Get LBA
 * Status command"
 */
struct nvme_get_lba_status_args {
	__u64 slba;				/* first logical block */
	__u32 *result;				/* completion dword 0, may be NULL */
	struct nvme_lba_status *lbas;		/* buffer */
	int args_size;				/* size of this structure */
	int fd;					/* device to send the command to */
	__u32 timeout;				/* milliseconds; 0 for the default */
	__u32 nsid;				/* namespace */
	__u32 mndw;				/* dwords of lbas, 0's based */
	enum nvme_lba_status_atype atype;	/* action type */
	__u16 rl;				/* number of logical blocks, 0 for all */
};

/** struct nvme_io_args - arguments of nvme_io() and of the commands based on it; "Read command" */
struct nvme_io_args {
	__u64 slba;		/* first logical block */
	__u64 storage_tag;	/* storage tag */
	__u32 *result;		/* completion dword 0, may be NULL */
	void *data;		/* buffer */
	void *metadata;		/* metadata buffer */
	int args_size;		/* size of this structure */
	int fd;			/* device to send the command to */
	__u32 timeout;		/* milliseconds; 0 for the default */
	__u32 nsid;		/* namespace */
	__u32 reftag;		/* reference tag of 32 bits */
	__u32 data_len;		/* bytes of data */
	__u32 metadata_len;	/* bytes of metadata */
	__u16 nlb;		/* number of logical blocks, 0's based */
	__u16 control;		/* &enum nvme_io_control_flags */
	__u16 apptag;		/* application tag */
	__u16 appmask;		/* application tag mask */
	__u16 dspec;		/* directive specific */
	__u8 dsm;		/* &enum nvme_io_dsm_flags */
	__u8 rsvd1[1];
	__u64 reftag_u64;	/* reference tag of up to 64 bits */
	__u8 sts;		/* bits of the storage tag */
	__u8 pif;		/* &enum nvme_nvm_id_ns_pif */
};

/** struct nvme_dsm_args - arguments of nvme_dsm(); "Dataset Management command" */
struct nvme_dsm_args {
	__u32 *result;			/* completion dword 0, may be NULL */
	struct nvme_dsm_range *dsm;	/* ranges */
	int args_size;			/* size of this structure */
	int fd;				/* device to send the command to */
	__u32 timeout;			/* milliseconds; 0 for the default */
	__u32 nsid;			/* namespace */
	__u32 attrs;			/* &enum nvme_dsm_attributes */
	__u16 nr_ranges;		/* number of ranges */
};

/** struct nvme_copy_args - arguments of nvme_copy(); "Copy command" */
struct nvme_copy_args {
	__u64 sdlba;			/* first logical block to write */
	__u32 *result;			/* completion dword 0, may be NULL */
	struct nvme_copy_range *copy;	/* source ranges, in the structure of the format */
	int args_size;			/* size of this structure */
	int fd;				/* device to send the command to */
	__u32 timeout;			/* milliseconds; 0 for the default */
	__u32 nsid;			/* namespace */
	__u32 ilbrt;			/* initial reference tag of 32 bits */
	int lr;				/* limited retry */
	int fua;			/* force unit access */
	__u16 nr;			/* number of ranges, 0's based */
	__u16 dspec;			/* directive specific */
	__u16 lbatm;			/* application tag mask */
	__u16 lbat;			/* application tag */
	__u8 prinfor;			/* protection information of the reads */
	__u8 prinfow;			/* protection information of the writes */
	__u8 dtype;			/* directive type */
	__u8 format;			/* format of the source ranges */
	__u64 ilbrt_u64;		/* initial reference tag of up to 64 bits */
};

/**
 * struct nvme_resv_acquire_args - arguments of nvme_resv_acquire(); "Reservation Acquire command"
 */
struct nvme_resv_acquire_args {
	__u64 crkey;			/* current reservation key */
	__u64 nrkey;			/* key to preempt */
	__u32 *result;			/* completion dword 0, may be NULL */
	int args_size;			/* size of this structure */
	int fd;				/* device to send the command to */
	__u32 timeout;			/* milliseconds; 0 for the default */
	__u32 nsid;			/* namespace */
	enum nvme_resv_rtype rtype;	/* reservation type */
	enum nvme_resv_racqa racqa;	/* action */
	bool iekey;			/* ignore the existing key */
};

/**
 * struct nvme_resv_register_args - arguments of nvme_resv_register(); "Reservation Register
 * command"
 */
struct nvme_resv_register_args {
	__u64 crkey;			/* current reservation key */
	__u64 nrkey;			/* new reservation key */
	__u32 *result;			/* completion dword 0, may be NULL */
	int args_size;			/* size of this structure */
	int fd;				/* device to send the command to */
	__u32 timeout;			/* milliseconds; 0 for the default */
	__u32 nsid;			/* namespace */
	enum nvme_resv_rrega rrega;	/* action */
	enum nvme_resv_cptpl cptpl;	/* change of persist through power loss */
	bool iekey;			/* ignore the existing key */
};

/**
 * struct nvme_resv_release_args - arguments of nvme_resv_release(); "Reservation Release command"
 */
struct nvme_resv_release_args {
	__u64 crkey;			/* current reservation key */
	__u32 *result;			/* completion dword 0, may be NULL */
	int args_size;			/* size of this structure */
	int fd;				/* device to send the command to */
	__u32 timeout;			/* milliseconds; 0 for the default */
	__u32 nsid;			/* namespace */
	enum nvme_resv_rtype rtype;	/* reservation type */
	enum nvme_resv_rrela rrela;	/* action */
	bool iekey;			/* ignore the existing key */
};

/** struct nvme_resv_report_args - arguments of nvme_resv_report(); "Reservation Report command" */
struct nvme_resv_report_args {
	__u32 *result;			/* completion dword 0, may be NULL */
	struct nvme_resv_status *report;	/* buffer */
	int args_size;			/* size of this structure */
	int fd;				/* device to send the command to */
	__u32 timeout;			/* milliseconds; 0 for the default */
	__u32 nsid;			/* namespace */
	__u32 len;			/* bytes of report */
	bool eds;			/* extended data structure, with long host identifiers */
};

/**
 * struct nvme_io_mgmt_recv_args - arguments of nvme_io_mgmt_recv(); NVM Command Set "I/O Management
 * Receive command"
 */
struct nvme_io_mgmt_recv_args {
	void *data;	/* buffer */
	int args_size;	/* size of this structure */
	int fd;		/* device to send the command to */
	__u32 nsid;	/* namespace */
	__u32 data_len;	/* bytes of data */
	__u32 timeout;	/* milliseconds; 0 for the default */
	__u16 mos;	/* management operation specific */
	__u8 mo;	/* &enum nvme_io_mgmt_recv_mo */
};

/**
 * struct nvme_io_mgmt_send_args - arguments of nvme_io_mgmt_send(); NVM Command Set "I/O Management
 * Send command"
 */
struct nvme_io_mgmt_send_args {
	void *data;	/* buffer */
	int args_size;	/* size of this structure */
	int fd;		/* device to send the command to */
	__u32 nsid;	/* namespace */
	__u32 data_len;	/* bytes of data */
	__u32 timeout;	/* milliseconds; 0 for the default */
	__u16 mos;	/* management operation specific */
	__u8 mo;	/* &enum nvme_io_mgmt_send_mo */
};

/**
 * struct nvme_zns_mgmt_send_args - arguments of nvme_zns_mgmt_send(); Zoned Namespace Command Set
 * "Zone Management Send command"
 */
struct nvme_zns_mgmt_send_args {
	__u64 slba;			/* first logical block of the zone */
	__u32 *result;			/* completion dword 0, may be NULL */
	void *data;			/* buffer */
	int args_size;			/* size of this structure */
	int fd;				/* device to send the command to */
	__u32 timeout;			/* milliseconds; 0 for the default */
	__u32 nsid;			/* namespace */
	enum nvme_zns_send_action zsa;	/* action */
	__u32 data_len;			/* bytes of data */
	bool select_all;		/* do it to all zones */
	__u8 zsaso;			/* action specific option */
};

/**
 * struct nvme_zns_mgmt_recv_args - arguments of nvme_zns_mgmt_recv(); Zoned Namespace Command Set
 * "Zone Management Receive command"
 */
struct nvme_zns_mgmt_recv_args {
	__u64 slba;			/* logical block of the first zone */
	__u32 *result;			/* completion dword 0, may be NULL */
	void *data;			/* buffer */
	int args_size;			/* size of this structure */
	int fd;				/* device to send the command to */
	__u32 timeout;			/* milliseconds; 0 for the default */
	__u32 nsid;			/* namespace */
	enum nvme_zns_recv_action zra;	/* action */
	__u32 data_len;			/* bytes of data */
	__u16 zrasf;			/* &enum nvme_zns_report_options */
	bool zras_feat;			/* count only the zones that fit */
};

/**
 * struct nvme_zns_append_args - arguments of nvme_zns_append(); Zoned Namespace Command Set "Zone
 * Append command"
 */
struct nvme_zns_append_args {
	__u64 zslba;		/* first logical block of the zone */
	__u64 *result;		/* where the data was written */
	void *data;		/* buffer */
	void *metadata;		/* metadata buffer */
	int args_size;		/* size of this structure */
	int fd;			/* device to send the command to */
	__u32 timeout;		/* milliseconds; 0 for the default */
	__u32 nsid;		/* namespace */
	__u32 ilbrt;		/* initial reference tag of 32 bits */
	__u32 data_len;		/* bytes of data */
	__u32 metadata_len;	/* bytes of metadata */
	__u16 nlb;		/* number of logical blocks, 0's based */
	__u16 control;		/* &enum nvme_io_control_flags */
	__u16 lbat;		/* application tag */
	__u16 lbatm;		/* application tag mask */
	__u8 rsvd1[4];
	__u64 ilbrt_u64;	/* initial reference tag of up to 64 bits */
};

#endif /* _LIBNVME_TYPES_ARGS_IO_H */
