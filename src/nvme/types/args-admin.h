/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arguments of the Admin and Fabrics commands that take a structure.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_ARGS_ADMIN_H
#define _LIBNVME_TYPES_ARGS_ADMIN_H

#include "../types.h"

/** struct nvme_identify_args - arguments of nvme_identify(); "Identify command" */
struct nvme_identify_args {
	__u32 *result;			/* completion dword 0, may be NULL */
	void *data;			/* buffer of NVME_IDENTIFY_DATA_SIZE bytes */
	int args_size;			/* size of this structure */
	int fd;				/* device to send the command to */
	__u32 timeout;			/* milliseconds; 0 for the default */
	enum nvme_identify_cns cns;	/* data structure to return */
	enum nvme_csi csi;		/* command set */
	__u32 nsid;			/* namespace */
	__u16 cntid;			/* controller */
	__u16 cns_specific_id;		/* CNS specific identifier */
	__u8 uuidx;			/* UUID index */
};

/** struct nvme_get_log_args - arguments of nvme_get_log(); "Get Log Page command" */
struct nvme_get_log_args {
	__u64 lpo;			/* offset, in bytes or entries */
	__u32 *result;			/* completion dword 0, may be NULL */
	void *log;			/* buffer */
	int args_size;			/* size of this structure */
	int fd;				/* device to send the command to */
	__u32 timeout;			/* milliseconds; 0 for the default */
	enum nvme_cmd_get_log_lid lid;	/* log page */
	__u32 len;			/* bytes of log */
	__u32 nsid;			/* namespace */
	enum nvme_csi csi;		/* command set */
	__u16 lsi;			/* log specific identifier */
	__u8 lsp;			/* log specific parameter */
	__u8 uuidx;			/* UUID index */
	bool rae;			/* retain the asynchronous event */
	bool ot;			/* the offset counts entries */
};

/** struct nvme_set_features_args - arguments of nvme_set_features(); "Set Features command" */
struct nvme_set_features_args {
	__u32 *result;	/* completion dword 0, may be NULL */
	void *data;	/* buffer */
	int args_size;	/* size of this structure */
	int fd;		/* device to send the command to */
	__u32 timeout;	/* milliseconds; 0 for the default */
	__u32 nsid;	/* namespace */
	__u32 cdw11;	/* value of the feature */
	__u32 cdw12;	/* command dword 12 */
	__u32 cdw13;	/* command dword 13 */
	__u32 cdw15;	/* command dword 15 */
	__u32 data_len;	/* bytes of data */
	bool save;	/* keep the value across power cycles and resets */
	__u8 uuidx;	/* UUID index */
	__u8 fid;	/* feature */
};

/** struct nvme_get_features_args - arguments of nvme_get_features(); "Get Features command" */
struct nvme_get_features_args {
	__u32 *result;			/* completion dword 0, may be NULL */
	void *data;			/* buffer */
	int args_size;			/* size of this structure */
	int fd;				/* device to send the command to */
	__u32 timeout;			/* milliseconds; 0 for the default */
	__u32 nsid;			/* namespace */
	enum nvme_get_features_sel sel;	/* value to return */
	__u32 cdw11;			/* command dword 11 */
	__u32 data_len;			/* bytes of data */
	__u8 fid;			/* feature */
	__u8 uuidx;			/* UUID index */
};

/** struct nvme_format_nvm_args - arguments of nvme_format_nvm(); "Format NVM command" */
struct nvme_format_nvm_args {
	__u32 *result;			/* completion dword 0, may be NULL */
	int args_size;			/* size of this structure */
	int fd;				/* device to send the command to */
	__u32 timeout;			/* milliseconds; 0 for the default */
	__u32 nsid;			/* namespace */
	enum nvme_cmd_format_mset mset;	/* where metadata goes */
	enum nvme_cmd_format_pi pi;	/* protection information */
	enum nvme_cmd_format_pil pil;	/* where protection information goes */
	enum nvme_cmd_format_ses ses;	/* secure erase */
	__u8 lbaf;			/* LBA format, lower four bits */
	__u8 rsvd1[7];
	__u8 lbafu;			/* LBA format, upper two bits */
};

/**
 * struct nvme_ns_mgmt_args - arguments of nvme_ns_mgmt(); "Namespace Management command"
 *
 * To create a namespace, set either ns or data, which is newer.
 */
struct nvme_ns_mgmt_args {
	__u32 *result;					/* completion dword 0, may be NULL */
	struct nvme_id_ns *ns;				/* namespace to create, older form */
	int args_size;					/* size of this structure */
	int fd;						/* device to send the command to */
	__u32 timeout;					/* milliseconds; 0 for the default */
	__u32 nsid;					/* namespace */
	enum nvme_ns_mgmt_sel sel;			/* action */
	__u8 csi;					/* command set */
	__u8 rsvd1[3];
	void *rsvd2;					/* unused */
	struct nvme_ns_mgmt_host_sw_specified *data;	/* namespace to create */
};

/** struct nvme_ns_attach_args - arguments of nvme_ns_attach(); "Namespace Attachment command" */
struct nvme_ns_attach_args {
	__u32 *result;			/* completion dword 0, may be NULL */
	struct nvme_ctrl_list *ctrlist;	/* controllers */
	int args_size;			/* size of this structure */
	int fd;				/* device to send the command to */
	__u32 timeout;			/* milliseconds; 0 for the default */
	__u32 nsid;			/* namespace */
	enum nvme_ns_attach_sel sel;	/* action */
};

/**
 * struct nvme_fw_download_args - arguments of nvme_fw_download(); "Firmware Image Download command"
 */
struct nvme_fw_download_args {
	__u32 *result;	/* completion dword 0, may be NULL */
	void *data;	/* part of the image */
	int args_size;	/* size of this structure */
	int fd;		/* device to send the command to */
	__u32 timeout;	/* milliseconds; 0 for the default */
	__u32 offset;	/* offset in the image in bytes, a multiple of 4 */
	__u32 data_len;	/* bytes of data, a multiple of 4 */
};

/** struct nvme_fw_commit_args - arguments of nvme_fw_commit(); "Firmware Commit command" */
struct nvme_fw_commit_args {
	__u32 *result;			/* completion dword 0, may be NULL */
	int args_size;			/* size of this structure */
	int fd;				/* device to send the command to */
	__u32 timeout;			/* milliseconds; 0 for the default */
	enum nvme_fw_commit_ca action;	/* action */
	__u8 slot;			/* firmware slot; 0: the controller chooses */
	bool bpid;			/* boot partition */
};

/** struct nvme_security_send_args - arguments of nvme_security_send(); "Security Send command" */
struct nvme_security_send_args {
	__u32 *result;	/* completion dword 0, may be NULL */
	void *data;	/* buffer */
	int args_size;	/* size of this structure */
	int fd;		/* device to send the command to */
	__u32 timeout;	/* milliseconds; 0 for the default */
	__u32 nsid;	/* namespace */
	__u32 tl;	/* transfer length in bytes */
	__u32 data_len;	/* bytes of data */
	__u8 nssf;	/* NVMe security specific field */
	__u8 spsp0;	/* security protocol specific, lower byte */
	__u8 spsp1;	/* security protocol specific, upper byte */
	__u8 secp;	/* security protocol */
};

/**
 * struct nvme_security_receive_args - arguments of nvme_security_receive(); "Security Receive
 * command"
 */
struct nvme_security_receive_args {
	__u32 *result;	/* completion dword 0, may be NULL */
	void *data;	/* buffer */
	int args_size;	/* size of this structure */
	int fd;		/* device to send the command to */
	__u32 timeout;	/* milliseconds; 0 for the default */
	__u32 nsid;	/* namespace */
	__u32 al;	/* allocation length in bytes */
	__u32 data_len;	/* bytes of data */
	__u8 nssf;	/* NVMe security specific field */
	__u8 spsp0;	/* security protocol specific, lower byte */
	__u8 spsp1;	/* security protocol specific, upper byte */
	__u8 secp;	/* security protocol */
};

/**
 * struct nvme_directive_send_args - arguments of nvme_directive_send(); "Directive Send command"
 */
struct nvme_directive_send_args {
	__u32 *result;				/* completion dword 0, may be NULL */
	void *data;				/* buffer */
	int args_size;				/* size of this structure */
	int fd;					/* device to send the command to */
	__u32 timeout;				/* milliseconds; 0 for the default */
	__u32 nsid;				/* namespace */
	enum nvme_directive_send_doper doper;	/* operation */
	enum nvme_directive_dtype dtype;	/* directive type */
	__u32 cdw12;				/* command dword 12 */
	__u32 data_len;				/* bytes of data */
	__u16 dspec;				/* directive specific */
};

/**
 * struct nvme_directive_recv_args - arguments of nvme_directive_recv(); "Directive Receive command"
 */
struct nvme_directive_recv_args {
	__u32 *result;					/* completion dword 0, may be NULL */
	void *data;					/* buffer */
	int args_size;					/* size of this structure */
	int fd;						/* device to send the command to */
	__u32 timeout;					/* milliseconds; 0 for the default */
	__u32 nsid;					/* namespace */
	enum nvme_directive_receive_doper doper;	/* operation */
	enum nvme_directive_dtype dtype;		/* directive type */
	__u32 cdw12;					/* command dword 12 */
	__u32 data_len;					/* bytes of data */
	__u16 dspec;					/* directive specific */
};

/**
 * struct nvme_capacity_mgmt_args - arguments of nvme_capacity_mgmt(); "Capacity Management command"
 */
struct nvme_capacity_mgmt_args {
	__u32 *result;		/* completion dword 0, may be NULL */
	int args_size;		/* size of this structure */
	int fd;			/* device to send the command to */
	__u32 timeout;		/* milliseconds; 0 for the default */
	__u32 cdw11;		/* capacity, lower half */
	__u32 cdw12;		/* capacity, upper half */
	__u16 element_id;	/* element */
	__u8 op;		/* operation */
};

/** struct nvme_lockdown_args - arguments of nvme_lockdown(); "Lockdown command" */
struct nvme_lockdown_args {
	__u32 *result;	/* completion dword 0, may be NULL */
	int args_size;	/* size of this structure */
	int fd;		/* device to send the command to */
	__u32 timeout;	/* milliseconds; 0 for the default */
	__u8 scp;	/* scope of ofi */
	__u8 prhbt;	/* 1 to prohibit, 0 to allow */
	__u8 ifc;	/* interfaces affected */
	__u8 ofi;	/* opcode or feature identifier */
	__u8 uuidx;	/* UUID index */
};

/** struct nvme_set_property_args - arguments of nvme_set_property(); "Property Set command" */
struct nvme_set_property_args {
	__u64 value;	/* value of the property */
	__u32 *result;	/* completion dword 0, may be NULL */
	int args_size;	/* size of this structure */
	int fd;		/* device to send the command to */
	__u32 timeout;	/* milliseconds; 0 for the default */
	int offset;	/* &enum nvme_register_offsets */
};

/** struct nvme_get_property_args - arguments of nvme_get_property(); "Property Get command" */
struct nvme_get_property_args {
	__u64 *value;	/* where to store the value */
	int args_size;	/* size of this structure */
	int fd;		/* device to send the command to */
	__u32 timeout;	/* milliseconds; 0 for the default */
	int offset;	/* &enum nvme_register_offsets */
};

/** struct nvme_sanitize_nvm_args - arguments of nvme_sanitize_nvm(); "Sanitize command" */
struct nvme_sanitize_nvm_args {
	__u32 *result;				/* completion dword 0, may be NULL */
	int args_size;				/* size of this structure */
	int fd;					/* device to send the command to */
	__u32 timeout;				/* milliseconds; 0 for the default */
	enum nvme_sanitize_sanact sanact;	/* action */
	__u32 ovrpat;				/* overwrite pattern */
	bool ause;				/* allow unrestricted sanitize exit */
	__u8 owpass;				/* overwrite passes, 0 for 16 */
	bool oipbp;				/* invert the pattern between passes */
	bool nodas;				/* do not deallocate afterwards */
	bool emvs;				/* enter media verification */
};

/**
 * struct nvme_dev_self_test_args - arguments of nvme_dev_self_test(); "Device Self-test command"
 */
struct nvme_dev_self_test_args {
	__u32 *result;		/* completion dword 0, may be NULL */
	int args_size;		/* size of this structure */
	int fd;			/* device to send the command to */
	__u32 timeout;		/* milliseconds; 0 for the default */
	__u32 nsid;		/* namespace */
	enum nvme_dst_stc stc;	/* action */
};

/**
 * struct nvme_virtual_mgmt_args - arguments of nvme_virtual_mgmt(); "Virtualization Management
 * command"
 */
struct nvme_virtual_mgmt_args {
	__u32 *result;			/* completion dword 0, may be NULL */
	int args_size;			/* size of this structure */
	int fd;				/* device to send the command to */
	__u32 timeout;			/* milliseconds; 0 for the default */
	enum nvme_virt_mgmt_act act;	/* action */
	enum nvme_virt_mgmt_rt rt;	/* resource type */
	__u16 cntlid;			/* controller */
	__u16 nr;			/* number of resources */
};

/**
 * struct nvme_dim_args - arguments of nvme_dim_send(); "Discovery Information Management command"
 */
struct nvme_dim_args {
	__u32 *result;	/* completion dword 0, may be NULL */
	void *data;	/* &struct nvmf_dim_data */
	int args_size;	/* size of this structure */
	int fd;		/* device to send the command to */
	__u32 timeout;	/* milliseconds; 0 for the default */
	__u32 data_len;	/* bytes of data */
	__u8 tas;	/* &enum nvmf_dim_tas */
};

/** struct nvme_lm_cdq_args - arguments of nvme_lm_cdq(); "Controller Data Queue command" */
struct nvme_lm_cdq_args {
	__u32 *result;	/* completion dword 0, may be NULL */
	void *data;	/* buffer */
	int args_size;	/* size of this structure */
	int fd;		/* device to send the command to */
	__u32 timeout;	/* milliseconds; 0 for the default */
	__u16 mos;	/* management operation specific */
	__u16 cntlid;	/* controller */
	__u16 cdqid;	/* queue to delete, or the created queue */
	__u8 sel;	/* action */
	__u8 sz_u8;	/* unused */
	__u8 rsvd1[4];
	__u32 sz;	/* dwords of the queue */
};

/** struct nvme_lm_track_send_args - arguments of nvme_lm_track_send(); "Track Send command" */
struct nvme_lm_track_send_args {
	__u32 *result;	/* completion dword 0, may be NULL */
	int args_size;	/* size of this structure */
	int fd;		/* device to send the command to */
	__u32 timeout;	/* milliseconds; 0 for the default */
	__u16 mos;	/* management operation specific */
	__u16 cdqid;	/* controller data queue */
	__u8 sel;	/* action */
};

/**
 * struct nvme_lm_migration_send_args - arguments of nvme_lm_migration_send(); "Migration Send
 * command"
 */
struct nvme_lm_migration_send_args {
	__u64 offset;	/* offset of the data in bytes */
	__u32 *result;	/* completion dword 0, may be NULL */
	void *data;	/* buffer */
	int args_size;	/* size of this structure */
	int fd;		/* device to send the command to */
	__u32 timeout;	/* milliseconds; 0 for the default */
	__u32 numd;	/* dwords of data */
	__u16 mos;	/* management operation specific */
	__u16 cntlid;	/* controller */
	__u16 csuuidi;	/* controller state UUID index */
	__u8 sel;	/* action */
	__u8 uidx;	/* UUID index */
	__u8 stype;	/* suspend type */
	__u8 seqind;	/* position in the sequence */
	__u8 csvi;	/* controller state version index */
	bool dudmq;	/* delete the user data migration queue */
};

/**
 * struct nvme_lm_migration_recv_args - arguments of nvme_lm_migration_recv(); "Migration Receive
 * command"
 */
struct nvme_lm_migration_recv_args {
	__u64 offset;	/* offset of the data in bytes */
	__u32 *result;	/* completion dword 0, may be NULL */
	void *data;	/* buffer */
	int args_size;	/* size of this structure */
	int fd;		/* device to send the command to */
	__u32 timeout;	/* milliseconds; 0 for the default */
	__u32 numd;	/* dwords of data */
	__u16 mos;	/* management operation specific */
	__u16 cntlid;	/* controller */
	__u16 csuuidi;	/* controller state UUID index */
	__u8 sel;	/* action */
	__u8 uidx;	/* UUID index */
	__u8 csuidxp;	/* controller state UUID index parameter */
};

#endif /* _LIBNVME_TYPES_ARGS_ADMIN_H */
