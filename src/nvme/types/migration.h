/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Host Managed Live Migration: commands, controller state, controller data queues.
 */
#ifndef _LIBNVME_TYPES_MIGRATION_H
#define _LIBNVME_TYPES_MIGRATION_H

#include "base.h"

enum nvme_lm_cdq_fields {
	NVME_LM_CDQ_MOS_SHIFT = 16,
	NVME_LM_CDQ_MOS_MASK = 0xffff,
	NVME_LM_CDQ_SEL_SHIFT = 0,
	NVME_LM_CDQ_SEL_MASK = 0xff,
	NVME_LM_SEL_CREATE_CDQ = 0,
	NVME_LM_SEL_DELETE_CDQ = 1,
	NVME_LM_QT_SHIFT = 0,
	NVME_LM_QT_MASK = 0xff,
	NVME_LM_QT_USER_DATA_MIGRATION_QUEUE = 0,
	NVME_LM_CQS_SHIFT = 16,
	NVME_LM_CQS_MASK = 0xffff,
	NVME_LM_CREATE_CDQ_PC = 1,
	NVME_LM_CREATE_CDQ_CNTLID_SHIFT = 0,
	NVME_LM_CREATE_CDQ_CNTLID_MASK = 0xffff,
	NVME_LM_DELETE_CDQ_CDQID_SHIFT = 0,
	NVME_LM_DELETE_CDQ_CDQID_MASK = 0xffff,
	NVME_LM_CREATE_CDQ_CDQID_SHIFT = 0,
	NVME_LM_CREATE_CDQ_CDQID_MASK = 0xffff,
};

enum nvme_lm_track_send_fields {
	NVME_LM_TRACK_SEND_MOS_SHIFT = 16,
	NVME_LM_TRACK_SEND_MOS_MASK = 0xffff,
	NVME_LM_TRACK_SEND_SEL_SHIFT = 0,
	NVME_LM_TRACK_SEND_SEL_MASK = 0xff,
	NVME_LM_SEL_LOG_USER_DATA_CHANGES = 0,
	NVME_LM_SEL_TRACK_MEMORY_CHANGES = 1,
	NVME_LM_LACT_SHIFT = 0,
	NVME_LM_LACT_MASK = 0xf,
	NVME_LM_LACT_STOP_LOGGING = 0,
	NVME_LM_LACT_START_LOGGING = 1,
};

enum nvme_lm_migration_send_fields {
	NVME_LM_MIGRATION_SEND_MOS_SHIFT = 16,
	NVME_LM_MIGRATION_SEND_MOS_MASK = 0xffff,
	NVME_LM_MIGRATION_SEND_SEL_SHIFT = 0,
	NVME_LM_MIGRATION_SEND_SEL_MASK = 0xff,
	NVME_LM_SEL_SUSPEND = 0,
	NVME_LM_SEL_RESUME = 1,
	NVME_LM_SEL_SET_CONTROLLER_STATE = 2,
	NVME_LM_MIGRATION_SEND_UIDX_SHIFT = 0,
	NVME_LM_MIGRATION_SEND_UIDX_MASK = 0x7f,
	NVME_LM_DUDMQ = (int)(1U << 31),
	NVME_LM_STYPE_SHIFT = 16,
	NVME_LM_STYPE_MASK = 0xff,
	NVME_LM_STYPE_SUSPEND_NOTIFICATION = 0,
	NVME_LM_STYPE_SUSPEND = 1,
	NVME_LM_SUSPEND_CNTLID_SHIFT = 0,
	NVME_LM_SUSPEND_CNTLID_MASK = 0xffff,
	NVME_LM_RESUME_CNTLID_SHIFT = 0,
	NVME_LM_RESUME_CNTLID_MASK = 0xffff,
	NVME_LM_SEQIND_SHIFT = 0,
	NVME_LM_SEQIND_MASK = 0x3,
	NVME_LM_SEQIND_NOT_FIRST_NOT_LAST = 0,
	NVME_LM_SEQIND_FIRST = 1,
	NVME_LM_SEQIND_LAST = 2,
	NVME_LM_SEQIND_ENTIRE = 3,
	NVME_LM_SET_CONTROLLER_STATE_CSUUIDI_SHIFT = 24,
	NVME_LM_SET_CONTROLLER_STATE_CSUUIDI_MASK = 0xff,
	NVME_LM_SET_CONTROLLER_STATE_CSVI_SHIFT = 16,
	NVME_LM_SET_CONTROLLER_STATE_CSVI_MASK = 0xff,
	NVME_LM_SET_CONTROLLER_STATE_CNTLID_SHIFT = 0,
	NVME_LM_SET_CONTROLLER_STATE_CNTLID_MASK = 0xffff,
};

enum nvme_lm_migration_recv_fields {
	NVME_LM_MIGRATION_RECV_MOS_SHIFT = 16,
	NVME_LM_MIGRATION_RECV_MOS_MASK = 0xffff,
	NVME_LM_MIGRATION_RECV_SEL_SHIFT = 0,
	NVME_LM_MIGRATION_RECV_SEL_MASK = 0xff,
	NVME_LM_SEL_GET_CONTROLLER_STATE = 0,
	NVME_LM_MIGRATION_RECV_UIDX_SHIFT = 0,
	NVME_LM_MIGRATION_RECV_UIDX_MASK = 0x7f,
	NVME_LM_GET_CONTROLLER_STATE_CSVI_SHIFT = 0,
	NVME_LM_GET_CONTROLLER_STATE_CSVI_MASK = 0xff,
	NVME_LM_GET_CONTROLLER_STATE_CSUIDXP_SHIFT = 24,
	NVME_LM_GET_CONTROLLER_STATE_CSUIDXP_MASK = 0xff,
	NVME_LM_GET_CONTROLLER_STATE_CSUUIDI_SHIFT = 16,
	NVME_LM_GET_CONTROLLER_STATE_CSUUIDI_MASK = 0xff,
	NVME_LM_GET_CONTROLLER_STATE_CNTLID_SHIFT = 0,
	NVME_LM_GET_CONTROLLER_STATE_CNTLID_MASK = 0xffff,
	NVME_LM_GET_CONTROLLER_STATE_CSUP = 1,
};

enum nvme_lm_queue_attributes {
	NVME_LM_IOSQPC_SHIFT = 0,
	NVME_LM_IOSQPC_MASK = 0x1,
	NVME_LM_IOSQPRIO_SHIFT = 1,
	NVME_LM_IOSQPRIO_MASK = 0x3,
	NVME_LM_IOCQPC_SHIFT = 0,
	NVME_LM_IOCQPC_MASK = 0x1,
	NVME_LM_IOCQIEN_SHIFT = 1,
	NVME_LM_IOCQIEN_MASK = 0x1,
	NVME_LM_S0PT_SHIFT = 2,
	NVME_LM_S0PT_MASK = 0x1,
	NVME_LM_IOCQIV_SHIFT = 16,
	NVME_LM_IOCQIV_MASK = 0xffff,
};

struct nvme_lm_io_submission_queue_data {
	__le64 iosqprp1;
	__le16 iosqqsize;
	__le16 iosqqid;
	__le16 iosqcqid;
	__le16 iosqa;
	__le16 iosqhp;
	__le16 iosqtp;
	__u8 rsvd20[4];
};

struct nvme_lm_io_completion_queue_data {
	__le64 iocqprp1;
	__le16 iocqqsize;
	__le16 iocqqid;
	__le16 iocqhp;
	__le16 iocqtp;
	__le32 iocqa;
	__u8 rsvd20[4];
};

struct nvme_lm_nvme_controller_state_data_header {
	__le16 ver;
	__le16 niosq;
	__le16 niocq;
	__le16 rsvd6;
};

struct nvme_lm_nvme_controller_state_data {
	struct nvme_lm_nvme_controller_state_data_header hdr;
	struct nvme_lm_io_submission_queue_data sqs[0];
	struct nvme_lm_io_completion_queue_data cqs[0];
};

struct nvme_lm_controller_state_data_header {
	__le16 ver;
	__u8 csattr;
	__u8 rsvd3[13];
	__u8 nvmecss[16];
	__u8 vss[16];
};

struct nvme_lm_controller_state_data {
	struct nvme_lm_controller_state_data_header hdr;
	struct nvme_lm_nvme_controller_state_data data;
};

enum nvme_lm_ctrl_data_queue_fid {
	NVME_LM_CTRL_DATA_QUEUE_ETPT_SHIFT = 31,
	NVME_LM_CTRL_DATA_QUEUE_ETPT_MASK = 0x1,
};

struct nvme_lm_ctrl_data_queue_fid_data {
	__le32 hp;
	__le32 tpt;
};

#endif /* _LIBNVME_TYPES_MIGRATION_H */
