// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme rotational-media-info-log: Rotational Media Information (log page 16h) */
#include "commands.h"
#include "log-page.h"

static const struct arg rotational_media_info_log_options[] = {
	OPT(SHORT, "endg-id", 'e', struct log_page_args, lsi, "N", "endurance group"),
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

#define MEDIA(member) FIELD(DEC, struct nvme_rotational_media_info_log, member)

static const struct field rotational_media_fields[] = {
	MEDIA(endgid), MEDIA(numa), MEDIA(nrs),	 MEDIA(spinc),
	MEDIA(fspinc), MEDIA(ldc),  MEDIA(fldc), FIELD_END,
};

static const struct log_page rotational_media_info_log_page = {
	.lid = NVME_LOG_LID_ROTATIONAL_MEDIA_INFO,
	.size = sizeof(struct nvme_rotational_media_info_log),
	.what = "rotational media info log",
	.fields = rotational_media_fields,
};

const struct command_spec rotational_media_info_log_command = LOG_PAGE_COMMAND_AS(
	"rotational-media-info-log", "Show the Rotational Media Information log",
	rotational_media_info_log_options, rotational_media_info_log_page, .nsid = NVME_NSID_NONE);
