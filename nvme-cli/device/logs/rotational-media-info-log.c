// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme rotational-media-info-log: Rotational Media Information (log page 16h) */
#include "log-page.h"

#define MEDIA(member) FIELD(DEC, struct nvme_rotational_media_info_log, member)

LOG_PAGE_COMMAND(
	rotational_media_info_log_command, "rotational-media-info-log",
	"Show the Rotational Media Information log",
	BINARY(OPT(SHORT, "endg-id", 'e', struct log_page_args, lsi, "N", "endurance group")),
	LOG_ARGS(.nsid = NVME_NSID_NONE), log_page_run, .lid = NVME_LOG_LID_ROTATIONAL_MEDIA_INFO,
	.size = sizeof(struct nvme_rotational_media_info_log), .what = "rotational media info log",
	.fields = FIELDS(MEDIA(endgid), MEDIA(numa), MEDIA(nrs), MEDIA(spinc), MEDIA(fspinc),
			 MEDIA(ldc), MEDIA(fldc)));
