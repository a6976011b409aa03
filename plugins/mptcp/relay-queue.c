// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Find the controller of a connection in the Connect command of its queue: NVMe/TCP Transport
 * Specification 1.0, 3.6.2 (ICReq, ICResp, CapsuleCmd, CapsuleResp); NVMe Base Specification 2.0,
 * 6.3. Bytes are only read, not changed or delayed. With TLS, the controller stays unknown.
 */
#include "relay.h"

/*
 * Size of ICReq and ICResp, which precede everything else, and offsets in the CapsuleCmd PDU, its
 * data and the CapsuleResp PDU.
 */
#define IC_SIZE 128
#define COMMAND_OPCODE 8
#define COMMAND_FCTYPE 12
#define DATA_CNTLID 16
#define DATA_SUBSYSNQN 256
#define ANSWER_RESULT 8
#define ANSWER_STATUS 22

#define PDU_CAPSULE_CMD 4
#define PDU_CAPSULE_RESP 5
#define FABRICS_COMMAND 0x7f
#define FABRICS_CONNECT 0x01
/* The controller chooses the controller ID and returns it in the response. */
#define CNTLID_DYNAMIC 0xffff

/*
 * Copy the overlap of @bytes (@n bytes at stream offset @at) with the @size bytes at stream offset
 * @from to @to, which holds the latter.
 */
static void copy_part(const unsigned char *bytes, size_t n, uint64_t at, uint64_t from, size_t size,
		      void *to)
{
	const uint64_t begin = at > from ? at : from;
	const uint64_t end = at + n < from + size ? at + n : from + size;

	if (begin < end)
		memcpy((unsigned char *)to + (begin - from), bytes + (begin - at),
		       (size_t)(end - begin));
}

static unsigned int get_u16(const unsigned char *bytes)
{
	return bytes[0] | (unsigned int)bytes[1] << 8;
}

static bool is_connect(const struct relay_queue *q)
{
	return q->command[0] == PDU_CAPSULE_CMD && q->command[COMMAND_OPCODE] == FABRICS_COMMAND &&
	       q->command[COMMAND_FCTYPE] == FABRICS_CONNECT;
}

/* True if @nqn is terminated and has no blanks, which separate the words of a status answer. */
static bool is_name(const char nqn[static RELAY_NQN])
{
	size_t length = 0;

	while (length < RELAY_NQN && isgraph((unsigned char)nqn[length]))
		length++;
	return length && length < RELAY_NQN && !nqn[length];
}

static void read_command(struct relay_queue *q, const unsigned char *bytes, size_t n, uint64_t at)
{
	const uint64_t end = at + n;
	uint64_t data;

	copy_part(bytes, n, at, IC_SIZE, sizeof(q->command), q->command);
	if (end < IC_SIZE + sizeof(q->command))
		return;
	data = IC_SIZE + q->command[3]; /* PDO: offset of the data in the PDU */
	copy_part(bytes, n, at, data + DATA_CNTLID, sizeof(q->cntlid), q->cntlid);
	copy_part(bytes, n, at, data + DATA_SUBSYSNQN, sizeof(q->subsysnqn), q->subsysnqn);
	q->has_command = end >= data + DATA_SUBSYSNQN + sizeof(q->subsysnqn);
}

void relay_queue_parse(struct relay_queue *q, bool is_answer, const void *bytes, size_t n,
		       uint64_t at)
{
	if (is_answer) {
		copy_part(bytes, n, at, IC_SIZE, sizeof(q->answer), q->answer);
		q->has_answer = at + n >= IC_SIZE + sizeof(q->answer);
	} else if (!q->has_command) {
		read_command(q, bytes, n, at);
	}
	if (!q->has_command || !q->has_answer)
		return;
	q->is_over = true;
	/* If Connect was refused, the connection ends. */
	if (!is_connect(q) || q->answer[0] != PDU_CAPSULE_RESP ||
	    get_u16(q->answer + ANSWER_STATUS) >> 1 || !is_name(q->subsysnqn))
		return;
	q->number = get_u16(q->cntlid) == CNTLID_DYNAMIC ? get_u16(q->answer + ANSWER_RESULT)
							 : get_u16(q->cntlid);
	/* From here on, other threads may read it. */
	q->is_known = true;
}

void relay_queue_name(const struct relay_queue *q, struct nvme_mptcp_relay_connection *ret)
{
	ret->cntlid = -1;
	if (!q->is_known)
		return;
	ret->cntlid = (int)q->number;
	memcpy(ret->subsysnqn, q->subsysnqn, sizeof(q->subsysnqn));
}
