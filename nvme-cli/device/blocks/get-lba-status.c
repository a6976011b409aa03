// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme get-lba-status: NVM Command Set Specification 1.1, section 4.2.1 */
#include "device/request.h"

#define STATUS_MAX_DWORDS (1U << 20)

struct status_args {
	uint32_t nsid;
	uint64_t slba;
	uint32_t mndw; /* 0's based */
	uint8_t atype;
	uint16_t rl;
};

static int measure_get_lba_status(struct command *cmd, __u32 *data_len)
{
	const struct status_args *args = cmd->args;

	if (!args->atype)
		return command_fail(cmd, 0, "action type (--action) has to be given");
	if (args->mndw >= STATUS_MAX_DWORDS)
		return command_fail(cmd, 0, "invalid max-dw:%u (up to %u)", args->mndw,
				    STATUS_MAX_DWORDS - 1);
	*data_len = (args->mndw + 1) * 4;
	return 0;
}

#define CONDITION_LINES 3

/* Meanings of the completion conditions, in the words and lines of nvme-cli 2.x. */
static const char *const conditions[][CONDITION_LINES] = {
	{ "No indication of the completion condition" },
	{
		"Completed transferring the amount of data specified in the",
		"MNDW field. But, additional LBA Status Descriptor Entries are",
		"available to transfer or scan did not complete (if ATYPE = 10h)",
	},
	{
		"Completed the specified action over the number of LBAs specified",
		"in the Range Length field and transferred all available LBA Status",
		"Descriptor Entries",
	},
};

static void show_condition(struct out *out, unsigned int cmpc)
{
	char text[256] = "";
	size_t length = 0;

	if (cmpc >= sizeof(conditions) / sizeof(conditions[0]))
		return;
	for (int i = 0; i < CONDITION_LINES && conditions[cmpc][i]; i++) {
		out_text(out, "\t%s\n", conditions[cmpc][i]);
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s",
					   i ? " " : "", conditions[cmpc][i]);
	}
	out_str(out, "cmpc-definition", text);
}

static void show_get_lba_status_descriptor(struct out *out, const struct nvme_lba_status_desc *d)
{
	const uint64_t dslba = le64toh(d->dslba);
	const uint32_t nlb = le32toh(d->nlb);

	out_text(out, "{ DSLBA: %#016" PRIx64 ", NLB: %#08x, Status: %#02x }\n", dslba, nlb,
		 d->status);
	out_object(out, NULL);
	out_uint(out, "DSLBA", dslba);
	out_uint(out, "NLB", nlb);
	out_uint(out, "Status", d->status);
	out_end(out);
}

/* Return the number of descriptors within the data that was read. */
static uint32_t count_descriptors(const struct nvme_lba_status *status, uint32_t length)
{
	const uint32_t announced = le32toh(status->nlsd);
	const size_t room = length < sizeof(*status)
				    ? 0
				    : (length - sizeof(*status)) / sizeof(status->descs[0]);

	return announced < room ? announced : (uint32_t)room;
}

static int answer_get_lba_status(struct command *cmd, const struct nvme_passthru_cmd *c)
{
	struct nvme_lba_status head = { 0 };
	const struct nvme_lba_status *status = request_data(c);
	struct out *out = cmd->out;

	memcpy(&head, status, c->data_len < sizeof(head) ? c->data_len : sizeof(head));
	out_text(out, "Number of LBA Status Descriptors(NLSD): %" PRIu32 "\n", le32toh(head.nlsd));
	out_text(out, "Completion Condition(CMPC): %u\n", head.cmpc);
	out_object(out, NULL);
	out_uint(out, "Number of LBA Status Descriptors (NLSD)", le32toh(head.nlsd));
	out_uint(out, "Completion Condition (CMPC)", head.cmpc);
	show_condition(out, head.cmpc);
	if (head.nlsd)
		out_array(out, "descriptors");
	for (uint32_t i = 0; i < count_descriptors(&head, c->data_len); i++)
		show_get_lba_status_descriptor(out, &status->descs[i]);
	if (head.nlsd)
		out_end(out);
	return out_end(out);
}

REQUEST_COMMAND_BINARY(
	get_lba_status_command, "get-lba-status", "Show which logical blocks may be unreadable",
	BINARY(OPT_NSID(struct status_args),
	       OPT(SUFFIX, "start-lba", 's', struct status_args, slba, "N", "first logical block"),
	       OPT(UINT, "max-dw", 'm', struct status_args, mndw, "N", "dwords to read, less one"),
	       OPT(BYTE, "action", 'a', struct status_args, atype, "N",
		   "source of the answer: 0x10 a scan, 0x11 blocks already known (required)"),
	       OPT(SHORT, "range-len", 'l', struct status_args, rl, "N",
		   "number of blocks (default: to the end)")),
	struct status_args, .opcode = nvme_admin_get_lba_status,
	REQUEST_NSID(OWN, struct status_args),
	.parts = REQUEST_PARTS(REQUEST_BITS(10, 0, 64, struct status_args, slba),
			       REQUEST_BITS(12, 0, 32, struct status_args, mndw),
			       REQUEST_BITS(13, 0, 16, struct status_args, rl),
			       REQUEST_BITS(13, 24, 8, struct status_args, atype)),
	.measure = measure_get_lba_status, .answer = answer_get_lba_status);
