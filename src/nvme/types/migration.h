/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Host Managed Live Migration: commands, controller state, controller data queues.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_MIGRATION_H
#define _LIBNVME_TYPES_MIGRATION_H

#include "base.h"

/**
 * enum nvme_lm_cdq_fields - fields of the Controller Data Queue command; "Controller Data Queue
 * command"
 */
enum nvme_lm_cdq_fields {
	NVME_FIELD(LM_CDQ_MOS, 16, 0xffff),		/* management operation specific */
	NVME_FIELD(LM_CDQ_SEL, 0, 0xff),		/* select */
	NVME_LM_SEL_CREATE_CDQ = 0,			/* create */
	NVME_LM_SEL_DELETE_CDQ = 1,			/* delete */
	NVME_FIELD(LM_QT, 0, 0xff),			/* queue type */
	NVME_LM_QT_USER_DATA_MIGRATION_QUEUE = 0,	/* user data migration queue */
	NVME_FIELD(LM_CQS, 16, 0xffff),			/* controller data queue specific */
	NVME_LM_CREATE_CDQ_PC = 1,			/* physically contiguous */
	NVME_FIELD(LM_CREATE_CDQ_CNTLID, 0, 0xffff),	/* create: controller */
	NVME_FIELD(LM_DELETE_CDQ_CDQID, 0, 0xffff),	/* delete: queue */
	NVME_FIELD(LM_CREATE_CDQ_CDQID, 0, 0xffff),	/* create: queue, in the completion */
};

/** enum nvme_lm_track_send_fields - fields of the Track Send command; "Track Send command" */
enum nvme_lm_track_send_fields {
	NVME_FIELD(LM_TRACK_SEND_MOS, 16, 0xffff),	/* management operation specific */
	NVME_FIELD(LM_TRACK_SEND_SEL, 0, 0xff),		/* select */
	NVME_LM_SEL_LOG_USER_DATA_CHANGES = 0,		/* log changes of user data */
	NVME_LM_SEL_TRACK_MEMORY_CHANGES = 1,		/* track changes of memory */
	NVME_FIELD(LM_LACT, 0, 0xf),			/* logging action */
	NVME_LM_LACT_STOP_LOGGING = 0,			/* stop */
	NVME_LM_LACT_START_LOGGING = 1,			/* start */
};

/**
 * enum nvme_lm_migration_send_fields - fields of the Migration Send command; "Migration Send
 * command"
 */
enum nvme_lm_migration_send_fields {
	NVME_FIELD(LM_MIGRATION_SEND_MOS, 16, 0xffff),		/* operation specific */
	NVME_FIELD(LM_MIGRATION_SEND_SEL, 0, 0xff),		/* select */
	NVME_LM_SEL_SUSPEND = 0,				/* suspend */
	NVME_LM_SEL_RESUME = 1,					/* resume */
	NVME_LM_SEL_SET_CONTROLLER_STATE = 2,			/* set controller state */
	NVME_FIELD(LM_MIGRATION_SEND_UIDX, 0, 0x7f),		/* UUID index */
	NVME_LM_DUDMQ = (int)(1U << 31),			/* delete the data queue */
	NVME_FIELD(LM_STYPE, 16, 0xff),				/* suspend type */
	NVME_LM_STYPE_SUSPEND_NOTIFICATION = 0,			/* announce */
	NVME_LM_STYPE_SUSPEND = 1,				/* suspend */
	NVME_FIELD(LM_SUSPEND_CNTLID, 0, 0xffff),		/* suspend: controller */
	NVME_FIELD(LM_RESUME_CNTLID, 0, 0xffff),		/* resume: controller */
	NVME_FIELD(LM_SEQIND, 0, 0x3),				/* place in the sequence */
	NVME_LM_SEQIND_NOT_FIRST_NOT_LAST = 0,			/* middle */
	NVME_LM_SEQIND_FIRST = 1,				/* first */
	NVME_LM_SEQIND_LAST = 2,				/* last */
	NVME_LM_SEQIND_ENTIRE = 3,				/* only one */
	NVME_FIELD(LM_SET_CONTROLLER_STATE_CSUUIDI, 24, 0xff),	/* state UUID index */
	NVME_FIELD(LM_SET_CONTROLLER_STATE_CSVI, 16, 0xff),	/* state version index */
	NVME_FIELD(LM_SET_CONTROLLER_STATE_CNTLID, 0, 0xffff),	/* set: controller */
};

/**
 * enum nvme_lm_migration_recv_fields - fields of the Migration Receive command; "Migration Receive
 * command"
 */
enum nvme_lm_migration_recv_fields {
	NVME_FIELD(LM_MIGRATION_RECV_MOS, 16, 0xffff),		/* operation specific */
	NVME_FIELD(LM_MIGRATION_RECV_SEL, 0, 0xff),		/* select */
	NVME_LM_SEL_GET_CONTROLLER_STATE = 0,			/* get controller state */
	NVME_FIELD(LM_MIGRATION_RECV_UIDX, 0, 0x7f),		/* UUID index */
	NVME_FIELD(LM_GET_CONTROLLER_STATE_CSVI, 0, 0xff),	/* state version index */
	NVME_FIELD(LM_GET_CONTROLLER_STATE_CSUIDXP, 24, 0xff),	/* UUID parameter */
	NVME_FIELD(LM_GET_CONTROLLER_STATE_CSUUIDI, 16, 0xff),	/* state UUID index */
	NVME_FIELD(LM_GET_CONTROLLER_STATE_CNTLID, 0, 0xffff),	/* controller */
	NVME_LM_GET_CONTROLLER_STATE_CSUP = 1,			/* controller is suspended */
};

/**
 * enum nvme_lm_queue_attributes - attributes of queues in the controller state; "NVMe Controller
 * State"
 */
enum nvme_lm_queue_attributes {
	NVME_FIELD(LM_IOSQPC, 0, 0x1),		/* submission queue: physically contiguous */
	NVME_FIELD(LM_IOSQPRIO, 1, 0x3),	/* submission queue: priority */
	NVME_FIELD(LM_IOCQPC, 0, 0x1),		/* completion queue: physically contiguous */
	NVME_FIELD(LM_IOCQIEN, 1, 0x1),		/* completion queue: interrupts enabled */
	NVME_FIELD(LM_S0PT, 2, 0x1),		/* completion queue: phase tag of slot 0 */
	NVME_FIELD(LM_IOCQIV, 16, 0xffff),	/* completion queue: interrupt vector */
};

/** struct nvme_lm_io_submission_queue_data - "I/O Submission Queue State Data Structure" */
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

/** struct nvme_lm_io_completion_queue_data - "I/O Completion Queue State Data Structure" */
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
 * struct nvme_lm_nvme_controller_state_data_header - header of the NVMe Controller State; "NVMe
 * Controller State"
 */
struct nvme_lm_nvme_controller_state_data_header {
	__le16 ver;	/* version */
	__le16 niosq;	/* number of I/O submission queues */
	__le16 niocq;	/* number of I/O completion queues */
	__le16 rsvd6;
};

/**
 * struct nvme_lm_nvme_controller_state_data - "NVMe Controller State"
 *
 * The completion queues follow niosq submission queues; they are not at member cqs unless niosq is
 * 0.
 */
struct nvme_lm_nvme_controller_state_data {
	struct nvme_lm_nvme_controller_state_data_header hdr;	/* header */
#ifdef __cplusplus /* in C++ an empty union takes a byte */
	struct nvme_lm_io_submission_queue_data sqs[0];
	struct nvme_lm_io_completion_queue_data cqs[0];
#else
	union {
		struct nvme_lm_io_submission_queue_data sqs[0]; /* I/O submission queues */
		struct nvme_lm_io_completion_queue_data cqs[0]; /* valid if niosq is 0 */
	};
#endif
};

/**
 * struct nvme_lm_controller_state_data_header - header of the Controller State; "Controller State"
 */
struct nvme_lm_controller_state_data_header {
	__le16 ver;		/* version */
	__u8 csattr;		/* bit 0: the controller is suspended */
	__u8 rsvd3[13];
	__u8 nvmecss[16];	/* dwords of the NVMe controller state, 128 bits */
	__u8 vss[16];		/* dwords of vendor specific state, 128 bits */
};

/** struct nvme_lm_controller_state_data - Controller State; "Controller State" */
struct nvme_lm_controller_state_data {
	struct nvme_lm_controller_state_data_header hdr;	/* header */
	struct nvme_lm_nvme_controller_state_data data;		/* NVMe controller state */
};

/**
 * enum nvme_lm_ctrl_data_queue_fid - fields of the Controller Data Queue feature; "Controller Data
 * Queue"
 */
enum nvme_lm_ctrl_data_queue_fid {
	NVME_FIELD(LM_CTRL_DATA_QUEUE_ETPT, 31, 0x1),	/* enable the tail pointer trigger */
};

/**
 * struct nvme_lm_ctrl_data_queue_fid_data - data of the Controller Data Queue feature; "Controller
 * Data Queue"
 */
struct nvme_lm_ctrl_data_queue_fid_data {
	__le32 hp;	/* head pointer */
	__le32 tpt;	/* tail pointer trigger */
};

#endif /* _LIBNVME_TYPES_MIGRATION_H */
