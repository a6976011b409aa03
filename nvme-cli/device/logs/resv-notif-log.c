// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme resv-notif-log: Reservation Notification (log page 80h) */
#include "log-page.h"

static const struct name notifications[] = {
	{ NVME_RESV_NOTIFY_RNLPT_EMPTY, "Empty Log Page" },
	{ NVME_RESV_NOTIFY_RNLPT_REGISTRATION_PREEMPTED, "Registration Preempted" },
	{ NVME_RESV_NOTIFY_RNLPT_RESERVATION_RELEASED, "Reservation Released" },
	{ NVME_RESV_NOTIFY_RNLPT_RESERVATION_PREEMPTED, "Reservation Preempted" },
	{ 0, NULL, NULL },
};

#define NOTIFICATION struct nvme_resv_notification_log

LOG_PAGE_COMMAND(
	resv_notif_log_command, "resv-notif-log", "Show the Reservation Notification log",
	OPTIONS(GENERIC_OPTIONS_BINARY), LOG_ARGS(.nsid = NVME_NSID_ALL), log_page_run,
	.lid = NVME_LOG_LID_RESERVATION, .size = sizeof(NOTIFICATION), .what = "resv notifi log",
	.title = "Reservation Notif Log for device: ", .width = 32,
	.fields = FIELDS(FIELD_LABELLED(HEX_BARE, NOTIFICATION, lpc, "count", "Log Page Count"),
			 FIELD_OF(notifications, NOTIFICATION, rnlpt, "rn_log_type",
				  "Resv Notif Log Page Type"),
			 FIELD_LABELLED(DEC, NOTIFICATION, nalp, "num_logs",
					"Num of Available Log Pages"),
			 FIELD_LABELLED(HEX_BARE, NOTIFICATION, nsid, "NSID", "Namespace ID:")));
