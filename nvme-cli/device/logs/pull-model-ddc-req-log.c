// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme pull-model-ddc-req-log: Pull Model DDC Request (log page 73h) */
#include "log-page.h"

#define HEAD struct nvme_pull_model_ddc_req_log

static const struct field *const head_fields =
	FIELDS(FIELD(DEC, HEAD, ori), FIELD(DEC, HEAD, tpdrpl));

static int show_request(struct command *cmd, const struct log_bytes *log, bool explain)
{
	uint64_t length = field_get_le(log->at + offsetof(HEAD, tpdrpl), 4);
	struct out *out = cmd->out;

	out_listing(out, NULL, OUT_PAD_COLON, 0);
	out_fields(out, head_fields, NULL, log->at);
	out_text(out, "osp:\n");
	out_dump(out, "osp", log->at + sizeof(HEAD),
		 length > sizeof(HEAD) ? length - sizeof(HEAD) : 0);
	return out_end(out);
}

LOG_PAGE_COMMAND(pull_model_ddc_req_log_command, "pull-model-ddc-req-log",
		 "Show the Pull Model DDC Request log", BINARY(LOG_PAGE_OPT_RAE),
		 LOG_ARGS(.nsid = NVME_NSID_ALL), log_page_run,
		 .lid = NVME_LOG_LID_PULL_MODEL_DDC_REQ, .size = sizeof(HEAD),
		 .what = "pull model ddc req log", .resume = true,
		 .length_at = offsetof(HEAD, tpdrpl), .length_size = 4, .show_bytes = show_request);
