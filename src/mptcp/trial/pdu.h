/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The two PDUs that open every NVMe/TCP connection: ICReq and ICResp, NVMe TCP Transport
 * Specification, "Initialize Connection Request" and "Initialize Connection Response".
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PDU_IC_SIZE 128 /* of either */

enum pdu_answer {
	PDU_INCOMPLETE, /* so far nothing is wrong with it */
	PDU_ACCEPTED, /* an ICResp */
	PDU_TERMINATED, /* the target ends the connection: C2HTermReq */
	PDU_TLS, /* a record of TLS */
	PDU_FOREIGN, /* something else */
};

struct pdu_icresp {
	uint16_t format; /* PFV */
	uint16_t error; /* FES of a C2HTermReq */
	uint32_t max_data; /* MAXH2CDATA, bytes */
};

/* Requests format 0, no digests, no alignment, one outstanding R2T. */
void pdu_icreq(uint8_t pdu[static PDU_IC_SIZE]);

/*
 * What the @len bytes at @data, the beginning of what a peer sends, are. @ret is filled for
 * PDU_ACCEPTED and PDU_TERMINATED.
 */
enum pdu_answer pdu_parse_answer(const void *data, size_t len, struct pdu_icresp *ret);

/* What the error of a C2HTermReq means, or NULL. */
const char *pdu_error_text(uint16_t error);
