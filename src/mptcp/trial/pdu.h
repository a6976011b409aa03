/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The two PDUs that open every NVMe/TCP connection, ICReq and ICResp: NVMe TCP Transport
 * Specification, "Initialize Connection Request" and "Initialize Connection Response".
 */
#pragma once

#include "shared/std.h"

#define PDU_IC_SIZE 128 /* size of ICReq and ICResp in bytes */

enum pdu_answer {
	PDU_INCOMPLETE, /* valid so far */
	PDU_ACCEPTED, /* ICResp */
	PDU_TERMINATED, /* C2HTermReq: the target ends the connection */
	PDU_TLS, /* a TLS record */
	PDU_FOREIGN, /* anything else */
};

struct pdu_icresp {
	uint16_t format; /* PFV */
	uint16_t error; /* FES of a C2HTermReq */
	uint32_t max_data; /* MAXH2CDATA, bytes */
};

/* Build an ICReq for format 0 with no digests, no alignment and one outstanding R2T. */
void pdu_icreq(uint8_t pdu[static PDU_IC_SIZE]);

/* Parse the first @len bytes that a peer sent. *@ret is set for PDU_ACCEPTED and PDU_TERMINATED. */
enum pdu_answer pdu_parse_answer(const void *data, size_t len, struct pdu_icresp *ret);

/* Return the meaning of a C2HTermReq's error, or NULL if it is unknown. */
const char *pdu_error_text(uint16_t error);
