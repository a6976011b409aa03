/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directives: Identify and Streams.
 */
#ifndef _LIBNVME_TYPES_DIRECTIVE_H
#define _LIBNVME_TYPES_DIRECTIVE_H

#include "base.h"

enum nvme_directive_types {
	NVME_ID_DIR_ID_BIT = 0,
	NVME_ID_DIR_SD_BIT = 1,
	NVME_ID_DIR_DP_BIT = 2,
};

struct nvme_id_directives {
	__u8 supported[32];
	__u8 enabled[32];
	__u8 rsvd64[4032];
};

enum nvme_directive_dtype {
	NVME_DIRECTIVE_DTYPE_IDENTIFY = 0,
	NVME_DIRECTIVE_DTYPE_STREAMS = 1,
};

enum nvme_directive_receive_doper {
	NVME_DIRECTIVE_RECEIVE_IDENTIFY_DOPER_PARAM = 1,
	NVME_DIRECTIVE_RECEIVE_STREAMS_DOPER_PARAM = 1,
	NVME_DIRECTIVE_RECEIVE_STREAMS_DOPER_STATUS = 2,
	NVME_DIRECTIVE_RECEIVE_STREAMS_DOPER_RESOURCE = 3,
};

enum nvme_directive_send_doper {
	NVME_DIRECTIVE_SEND_IDENTIFY_DOPER_ENDIR = 1,
	NVME_DIRECTIVE_SEND_STREAMS_DOPER_RELEASE_IDENTIFIER = 1,
	NVME_DIRECTIVE_SEND_STREAMS_DOPER_RELEASE_RESOURCE = 2,
};

enum nvme_directive_send_identify_endir {
	NVME_DIRECTIVE_SEND_IDENTIFY_ENDIR_DISABLE = 0,
	NVME_DIRECTIVE_SEND_IDENTIFY_ENDIR_ENABLE = 1,
};

struct nvme_streams_directive_params {
	__le16 msl;
	__le16 nssa;
	__le16 nsso;
	__u8 nssc;
	__u8 rsvd[9];
	__le32 sws;
	__le16 sgs;
	__le16 nsa;
	__le16 nso;
	__u8 rsvd2[6];
};

struct nvme_streams_directive_status {
	__le16 osc;
	__le16 sid[];
};

#endif /* _LIBNVME_TYPES_DIRECTIVE_H */
