/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Host Managed Live Migration: commands, controller state, controller data queues.
 */
#ifndef _LIBNVME_TYPES_MIGRATION_H
#define _LIBNVME_TYPES_MIGRATION_H

#include "base.h"

/**
 * enum nvme_lm_cdq_fields - fields of the Controller Data Queue command
 *
 * NVM Express Base Specification, "Controller Data Queue command".
 */
enum nvme_lm_cdq_fields {
	NVME_LM_CDQ_MOS_SHIFT = 16,			/* management operation specific */
	NVME_LM_CDQ_MOS_MASK = 0xffff,
	NVME_LM_CDQ_SEL_SHIFT = 0,			/* select */
	NVME_LM_CDQ_SEL_MASK = 0xff,
	NVME_LM_SEL_CREATE_CDQ = 0,			/* create */
	NVME_LM_SEL_DELETE_CDQ = 1,			/* delete */
	NVME_LM_QT_SHIFT = 0,				/* queue type */
	NVME_LM_QT_MASK = 0xff,
	NVME_LM_QT_USER_DATA_MIGRATION_QUEUE = 0,	/* user data migration queue */
	NVME_LM_CQS_SHIFT = 16,				/* controller data queue specific */
	NVME_LM_CQS_MASK = 0xffff,
	NVME_LM_CREATE_CDQ_PC = 1,			/* physically contiguous */
	NVME_LM_CREATE_CDQ_CNTLID_SHIFT = 0,		/* create: controller */
	NVME_LM_CREATE_CDQ_CNTLID_MASK = 0xffff,
	NVME_LM_DELETE_CDQ_CDQID_SHIFT = 0,		/* delete: queue */
	NVME_LM_DELETE_CDQ_CDQID_MASK = 0xffff,
	NVME_LM_CREATE_CDQ_CDQID_SHIFT = 0,		/* create: queue, in the completion */
	NVME_LM_CREATE_CDQ_CDQID_MASK = 0xffff,
};

/**
 * enum nvme_lm_track_send_fields - fields of the Track Send command
 *
 * NVM Express Base Specification, "Track Send command".
 */
enum nvme_lm_track_send_fields {
	NVME_LM_TRACK_SEND_MOS_SHIFT = 16,	/* management operation specific */
	NVME_LM_TRACK_SEND_MOS_MASK = 0xffff,
	NVME_LM_TRACK_SEND_SEL_SHIFT = 0,	/* select */
	NVME_LM_TRACK_SEND_SEL_MASK = 0xff,
	NVME_LM_SEL_LOG_USER_DATA_CHANGES = 0,	/* log changes of user data */
	NVME_LM_SEL_TRACK_MEMORY_CHANGES = 1,	/* track changes of memory */
	NVME_LM_LACT_SHIFT = 0,			/* logging action */
	NVME_LM_LACT_MASK = 0xf,
	NVME_LM_LACT_STOP_LOGGING = 0,		/* stop */
	NVME_LM_LACT_START_LOGGING = 1,		/* start */
};

/**
 * enum nvme_lm_migration_send_fields - fields of the Migration Send command
 *
 * NVM Express Base Specification, "Migration Send command".
 */
enum nvme_lm_migration_send_fields {
	NVME_LM_MIGRATION_SEND_MOS_SHIFT = 16,			/* operation specific */
	NVME_LM_MIGRATION_SEND_MOS_MASK = 0xffff,
	NVME_LM_MIGRATION_SEND_SEL_SHIFT = 0,			/* select */
	NVME_LM_MIGRATION_SEND_SEL_MASK = 0xff,
	NVME_LM_SEL_SUSPEND = 0,				/* suspend */
	NVME_LM_SEL_RESUME = 1,					/* resume */
	NVME_LM_SEL_SET_CONTROLLER_STATE = 2,			/* set controller state */
	NVME_LM_MIGRATION_SEND_UIDX_SHIFT = 0,			/* UUID index */
	NVME_LM_MIGRATION_SEND_UIDX_MASK = 0x7f,
	NVME_LM_DUDMQ = (int)(1U << 31),			/* delete the data queue */
	NVME_LM_STYPE_SHIFT = 16,				/* suspend type */
	NVME_LM_STYPE_MASK = 0xff,
	NVME_LM_STYPE_SUSPEND_NOTIFICATION = 0,			/* announce */
	NVME_LM_STYPE_SUSPEND = 1,				/* suspend */
	NVME_LM_SUSPEND_CNTLID_SHIFT = 0,			/* suspend: controller */
	NVME_LM_SUSPEND_CNTLID_MASK = 0xffff,
	NVME_LM_RESUME_CNTLID_SHIFT = 0,			/* resume: controller */
	NVME_LM_RESUME_CNTLID_MASK = 0xffff,
	NVME_LM_SEQIND_SHIFT = 0,				/* place in the sequence */
	NVME_LM_SEQIND_MASK = 0x3,
	NVME_LM_SEQIND_NOT_FIRST_NOT_LAST = 0,			/* middle */
	NVME_LM_SEQIND_FIRST = 1,				/* first */
	NVME_LM_SEQIND_LAST = 2,				/* last */
	NVME_LM_SEQIND_ENTIRE = 3,				/* only one */
	NVME_LM_SET_CONTROLLER_STATE_CSUUIDI_SHIFT = 24,	/* state UUID index */
	NVME_LM_SET_CONTROLLER_STATE_CSUUIDI_MASK = 0xff,
	NVME_LM_SET_CONTROLLER_STATE_CSVI_SHIFT = 16,		/* state version index */
	NVME_LM_SET_CONTROLLER_STATE_CSVI_MASK = 0xff,
	NVME_LM_SET_CONTROLLER_STATE_CNTLID_SHIFT = 0,		/* set: controller */
	NVME_LM_SET_CONTROLLER_STATE_CNTLID_MASK = 0xffff,
};

/**
 * enum nvme_lm_migration_recv_fields - fields of the Migration Receive command
 *
 * NVM Express Base Specification, "Migration Receive command".
 */
enum nvme_lm_migration_recv_fields {
	NVME_LM_MIGRATION_RECV_MOS_SHIFT = 16,			/* operation specific */
	NVME_LM_MIGRATION_RECV_MOS_MASK = 0xffff,
	NVME_LM_MIGRATION_RECV_SEL_SHIFT = 0,			/* select */
	NVME_LM_MIGRATION_RECV_SEL_MASK = 0xff,
	NVME_LM_SEL_GET_CONTROLLER_STATE = 0,			/* get controller state */
	NVME_LM_MIGRATION_RECV_UIDX_SHIFT = 0,			/* UUID index */
	NVME_LM_MIGRATION_RECV_UIDX_MASK = 0x7f,
	NVME_LM_GET_CONTROLLER_STATE_CSVI_SHIFT = 0,		/* state version index */
	NVME_LM_GET_CONTROLLER_STATE_CSVI_MASK = 0xff,
	NVME_LM_GET_CONTROLLER_STATE_CSUIDXP_SHIFT = 24,	/* UUID parameter */
	NVME_LM_GET_CONTROLLER_STATE_CSUIDXP_MASK = 0xff,
	NVME_LM_GET_CONTROLLER_STATE_CSUUIDI_SHIFT = 16,	/* state UUID index */
	NVME_LM_GET_CONTROLLER_STATE_CSUUIDI_MASK = 0xff,
	NVME_LM_GET_CONTROLLER_STATE_CNTLID_SHIFT = 0,		/* controller */
	NVME_LM_GET_CONTROLLER_STATE_CNTLID_MASK = 0xffff,
	NVME_LM_GET_CONTROLLER_STATE_CSUP = 1,			/* controller is suspended */
};

/**
 * enum nvme_lm_queue_attributes - attributes of queues in the controller state
 *
 * NVM Express Base Specification, "NVMe Controller State".
 */
enum nvme_lm_queue_attributes {
	NVME_LM_IOSQPC_SHIFT = 0,	/* submission queue: physically contiguous */
	NVME_LM_IOSQPC_MASK = 0x1,
	NVME_LM_IOSQPRIO_SHIFT = 1,	/* submission queue: priority */
	NVME_LM_IOSQPRIO_MASK = 0x3,
	NVME_LM_IOCQPC_SHIFT = 0,	/* completion queue: physically contiguous */
	NVME_LM_IOCQPC_MASK = 0x1,
	NVME_LM_IOCQIEN_SHIFT = 1,	/* completion queue: interrupts enabled */
	NVME_LM_IOCQIEN_MASK = 0x1,
	NVME_LM_S0PT_SHIFT = 2,		/* completion queue: phase tag of slot 0 */
	NVME_LM_S0PT_MASK = 0x1,
	NVME_LM_IOCQIV_SHIFT = 16,	/* completion queue: interrupt vector */
	NVME_LM_IOCQIV_MASK = 0xffff,
};

/**
 * struct nvme_lm_io_submission_queue_data - I/O Submission Queue State
 *
 * NVM Express Base Specification, "I/O Submission Queue State Data Structure".
 */
struct nvme_lm_io_submission_queue_data {
	__le64 iosqprp1;	/* PRP entry 1 */
	__le16 iosqqsize;	/* entries, 0's based */
	__le16 iosqqid;		/* queue */
	__le16 iosqcqid;	/* its completion queue */
	__le16 iosqa;		/* &enum nvme_lm_queue_attributes */
	__le16 iosqhp;		/* head pointer */
	__le16 iosqtp;		/* tail pointer */
	__u8 rsvd20[4];
};

/**
 * struct nvme_lm_io_completion_queue_data - I/O Completion Queue State
 *
 * NVM Express Base Specification, "I/O Completion Queue State Data Structure".
 */
struct nvme_lm_io_completion_queue_data {
	__le64 iocqprp1;	/* PRP entry 1 */
	__le16 iocqqsize;	/* entries, 0's based */
	__le16 iocqqid;		/* queue */
	__le16 iocqhp;		/* head pointer */
	__le16 iocqtp;		/* tail pointer */
	__le32 iocqa;		/* &enum nvme_lm_queue_attributes */
	__u8 rsvd20[4];
};

/**
 * struct nvme_lm_nvme_controller_state_data_header - header of the NVMe Controller State
 *
 * NVM Express Base Specification, "NVMe Controller State".
 */
struct nvme_lm_nvme_controller_state_data_header {
	__le16 ver;	/* version */
	__le16 niosq;	/* number of I/O submission queues */
	__le16 niocq;	/* number of I/O completion queues */
	__le16 rsvd6;
};

/**
 * struct nvme_lm_nvme_controller_state_data - NVMe Controller State
 *
 * The completion queues follow the submission queues: behind niosq of them, not where cqs points.
 *
 * NVM Express Base Specification, "NVMe Controller State".
 */
struct nvme_lm_nvme_controller_state_data {
	struct nvme_lm_nvme_controller_state_data_header hdr;	/* header */
#ifdef __cplusplus /* where a union of nothing takes a byte */
	struct nvme_lm_io_submission_queue_data sqs[0];
	struct nvme_lm_io_completion_queue_data cqs[0];
#else
	union {
		struct nvme_lm_io_submission_queue_data sqs[0]; /* I/O submission queues */
		struct nvme_lm_io_completion_queue_data cqs[0]; /* if there are none of those */
	};
#endif
};

/**
 * struct nvme_lm_controller_state_data_header - header of the Controller State
 *
 * NVM Express Base Specification, "Controller State".
 */
struct nvme_lm_controller_state_data_header {
	__le16 ver;		/* version */
	__u8 csattr;		/* bit 0: the controller is suspended */
	__u8 rsvd3[13];
	__u8 nvmecss[16];	/* dwords of the NVMe controller state, 128 bits */
	__u8 vss[16];		/* dwords of vendor specific state, 128 bits */
};

/**
 * struct nvme_lm_controller_state_data - Controller State
 *
 * NVM Express Base Specification, "Controller State".
 */
struct nvme_lm_controller_state_data {
	struct nvme_lm_controller_state_data_header hdr;	/* header */
	struct nvme_lm_nvme_controller_state_data data;		/* NVMe controller state */
};

/**
 * enum nvme_lm_ctrl_data_queue_fid - fields of the Controller Data Queue feature
 *
 * NVM Express Base Specification, "Controller Data Queue".
 */
enum nvme_lm_ctrl_data_queue_fid {
	NVME_LM_CTRL_DATA_QUEUE_ETPT_SHIFT = 31,	/* enable the tail pointer trigger */
	NVME_LM_CTRL_DATA_QUEUE_ETPT_MASK = 0x1,
};

/**
 * struct nvme_lm_ctrl_data_queue_fid_data - data of the Controller Data Queue feature
 *
 * NVM Express Base Specification, "Controller Data Queue".
 */
struct nvme_lm_ctrl_data_queue_fid_data {
	__le32 hp;	/* head pointer */
	__le32 tpt;	/* tail pointer trigger */
};

#endif /* _LIBNVME_TYPES_MIGRATION_H */
