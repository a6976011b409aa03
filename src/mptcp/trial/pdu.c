// SPDX-License-Identifier: LGPL-2.1-or-later
/* The opening PDUs of NVMe/TCP. A peer's lengths are not trusted. */
#include "pdu.h"

enum pdu_type {
	PDU_ICREQ = 0x00,
	PDU_ICRESP = 0x01,
	PDU_C2H_TERM = 0x03,
};

#define TERM_HEADER 24
#define TERM_MOST (TERM_HEADER + 128) /* with the header that was in error */

#define TLS_ALERT 0x15
#define TLS_HANDSHAKE 0x16
#define TLS_MAJOR 0x03

/* "PDU Header", common to all PDUs. */
struct pdu_header {
	uint8_t type;
	uint8_t flags;
	uint8_t header_length;
	uint8_t data_offset;
	uint32_t length; /* of the whole PDU, little-endian */
} __attribute__((packed));

struct ic_pdu {
	struct pdu_header header;
	uint16_t format;
	uint8_t alignment; /* HPDA, CPDA */
	uint8_t digests;
	uint32_t limit; /* MAXR2T, 0's based, or MAXH2CDATA */
	uint8_t reserved[112];
} __attribute__((packed));

struct term_pdu {
	struct pdu_header header;
	uint16_t error;
	uint32_t info;
	uint8_t reserved[10];
} __attribute__((packed));

_Static_assert(sizeof(struct ic_pdu) == PDU_IC_SIZE, "ICReq and ICResp");
_Static_assert(sizeof(struct term_pdu) == TERM_HEADER, "C2HTermReq");

void pdu_icreq(uint8_t pdu[static PDU_IC_SIZE])
{
	const struct ic_pdu request = {
		.header = {
			.type = PDU_ICREQ,
			.header_length = PDU_IC_SIZE,
			.length = htole32(PDU_IC_SIZE),
		},
	};

	memcpy(pdu, &request, sizeof(request));
}

static enum pdu_answer parse_term(const void *data, size_t len, struct pdu_icresp *ret)
{
	struct term_pdu term;
	uint32_t length;

	memcpy(&term, data, sizeof(term.header));
	length = le32toh(term.header.length);
	if (term.header.header_length != TERM_HEADER || length < TERM_HEADER || length > TERM_MOST)
		return PDU_FOREIGN;
	if (len < sizeof(term))
		return PDU_INCOMPLETE;
	memcpy(&term, data, sizeof(term));
	*ret = (struct pdu_icresp){ .error = le16toh(term.error) };
	return PDU_TERMINATED;
}

static enum pdu_answer parse_icresp(const void *data, size_t len, struct pdu_icresp *ret)
{
	struct ic_pdu answer;

	memcpy(&answer, data, sizeof(answer.header));
	if (answer.header.header_length != PDU_IC_SIZE ||
	    le32toh(answer.header.length) != PDU_IC_SIZE)
		return PDU_FOREIGN;
	if (len < sizeof(answer))
		return PDU_INCOMPLETE;
	memcpy(&answer, data, sizeof(answer));
	*ret = (struct pdu_icresp){
		.format = le16toh(answer.format),
		.max_data = le32toh(answer.limit),
	};
	return PDU_ACCEPTED;
}

enum pdu_answer pdu_parse_answer(const void *data, size_t len, struct pdu_icresp *ret)
{
	const uint8_t *byte = data;

	if (!len)
		return PDU_INCOMPLETE;
	if (byte[0] == TLS_ALERT || byte[0] == TLS_HANDSHAKE)
		return len < 2 ? PDU_INCOMPLETE : byte[1] == TLS_MAJOR ? PDU_TLS : PDU_FOREIGN;
	if (byte[0] != PDU_ICRESP && byte[0] != PDU_C2H_TERM)
		return PDU_FOREIGN;
	if (len < sizeof(struct pdu_header))
		return PDU_INCOMPLETE;
	return byte[0] == PDU_ICRESP ? parse_icresp(data, len, ret) : parse_term(data, len, ret);
}

const char *pdu_error_text(uint16_t error)
{
	/* Indexed by "Fatal Error Status". */
	static const char *const texts[] = {
		NULL,
		"invalid PDU header field",
		"PDU sequence error",
		"header digest error",
		"data transfer out of range",
		"data transfer limit exceeded",
		"unsupported parameter",
	};

	return error < sizeof(texts) / sizeof(*texts) ? texts[error] : NULL;
}
