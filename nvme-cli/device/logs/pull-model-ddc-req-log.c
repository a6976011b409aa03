// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme pull-model-ddc-req-log: Pull Model DDC Request (log page 73h) */
#include "commands.h"
#include "log-page.h"

static const struct arg pull_model_ddc_req_log_options[] = {
	LOG_PAGE_OPT_RAE,
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

#define HEAD struct nvme_pull_model_ddc_req_log

static const struct field head_fields[] = {
	FIELD(DEC, HEAD, ori),
	FIELD(DEC, HEAD, tpdrpl),
	FIELD_END,
};

static uint64_t length_of(const void *head)
{
	return field_get_le((const unsigned char *)head + offsetof(HEAD, tpdrpl), 4);
}

static uint64_t pull_model_length(const void *head, const struct log_page_args *args)
{
	return length_of(head);
}

static int show_request(struct command *cmd, const struct device *dev, const struct log_bytes *log,
			bool explain)
{
	uint64_t length = length_of(log->at);
	struct out *out = cmd->out;

	out_listing(out, NULL, OUT_PAD_COLON, 0);
	out_fields(out, head_fields, NULL, log->at);
	out_text(out, "osp:\n");
	out_dump(out, "osp", log->at + sizeof(HEAD),
		 length > sizeof(HEAD) ? length - sizeof(HEAD) : 0);
	return out_end(out);
}

static const struct log_page pull_model_ddc_req_log_page = {
	.lid = NVME_LOG_LID_PULL_MODEL_DDC_REQ,
	.size = sizeof(HEAD),
	.what = "pull model ddc req log",
	.resume = true,
	.length = pull_model_length,
	.show_bytes = show_request,
};

const struct command_spec pull_model_ddc_req_log_command =
	LOG_PAGE_COMMAND("pull-model-ddc-req-log", "Show the Pull Model DDC Request log",
			 pull_model_ddc_req_log_options, pull_model_ddc_req_log_page);
