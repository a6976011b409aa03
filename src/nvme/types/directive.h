/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directives: Identify and Streams.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_DIRECTIVE_H
#define _LIBNVME_TYPES_DIRECTIVE_H

#include "base.h"

/**
 * enum nvme_directive_types - bits of the directives in &struct nvme_id_directives; "Identify
 * Directive"
 */
enum nvme_directive_types {
	NVME_ID_DIR_ID_BIT = 0,	/* Identify */
	NVME_ID_DIR_SD_BIT = 1,	/* Streams */
	NVME_ID_DIR_DP_BIT = 2,	/* Data Placement */
};

/**
 * struct nvme_id_directives - Return Parameters of the Identify directive; "Identify Directive"
 *
 * Bitmaps, &enum nvme_directive_types.
 */
struct nvme_id_directives {
	__u8 supported[32];	/* directives supported */
	__u8 enabled[32];	/* directives enabled */
	__u8 rsvd64[4032];
};

/** enum nvme_directive_dtype - directive types; "Directive Types" */
enum nvme_directive_dtype {
	NVME_DIRECTIVE_DTYPE_IDENTIFY = 0,	/* Identify */
	NVME_DIRECTIVE_DTYPE_STREAMS = 1,	/* Streams */
};

/**
 * enum nvme_directive_receive_doper - operations of Directive Receive; "Directive Receive command"
 */
enum nvme_directive_receive_doper {
	NVME_DIRECTIVE_RECEIVE_IDENTIFY_DOPER_PARAM = 1,	/* Identify: return parameters */
	NVME_DIRECTIVE_RECEIVE_STREAMS_DOPER_PARAM = 1,		/* Streams: return parameters */
	NVME_DIRECTIVE_RECEIVE_STREAMS_DOPER_STATUS = 2,	/* Streams: get status */
	NVME_DIRECTIVE_RECEIVE_STREAMS_DOPER_RESOURCE = 3,	/* Streams: allocate */
};

/** enum nvme_directive_send_doper - operations of Directive Send; "Directive Send command" */
enum nvme_directive_send_doper {
	NVME_DIRECTIVE_SEND_IDENTIFY_DOPER_ENDIR = 1,		/* Identify: enable a directive */
	NVME_DIRECTIVE_SEND_STREAMS_DOPER_RELEASE_IDENTIFIER = 1,	/* Streams: release */
	NVME_DIRECTIVE_SEND_STREAMS_DOPER_RELEASE_RESOURCE = 2,	/* Streams: release all */
};

/** enum nvme_directive_send_identify_endir - enable or disable a directive; "Identify Directive" */
enum nvme_directive_send_identify_endir {
	NVME_DIRECTIVE_SEND_IDENTIFY_ENDIR_DISABLE = 0,	/* disable */
	NVME_DIRECTIVE_SEND_IDENTIFY_ENDIR_ENABLE = 1,	/* enable */
};

/**
 * struct nvme_streams_directive_params - Return Parameters of the Streams directive; "Streams
 * Directive"
 */
struct nvme_streams_directive_params {
	__le16 msl;	/* most streams of the subsystem */
	__le16 nssa;	/* streams available in the subsystem */
	__le16 nsso;	/* streams open in the subsystem */
	__u8 nssc;	/* stream capabilities of the subsystem */
	__u8 rsvd[9];
	__le32 sws;	/* stream write size, logical blocks */
	__le16 sgs;	/* stream granularity, units of sws */
	__le16 nsa;	/* streams allocated to the namespace */
	__le16 nso;	/* streams open in the namespace */
	__u8 rsvd2[6];
};

/**
 * struct nvme_streams_directive_status - Get Status of the Streams directive; "Streams Directive"
 */
struct nvme_streams_directive_status {
	__le16 osc;	/* number of open streams */
	__le16 sid[];	/* their identifiers */
};

#endif /* _LIBNVME_TYPES_DIRECTIVE_H */
