// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme resv-notif-log: Reservation Notification (log page 80h) */
#include "commands.h"
#include "log-page.h"

static const struct arg resv_notif_log_options[] = {
	GENERIC_OPTIONS_BINARY,
	OPT_END,
};

static const struct name notifications[] = {
	{ NVME_RESV_NOTIFY_RNLPT_EMPTY, "Empty Log Page", NULL },
	{ NVME_RESV_NOTIFY_RNLPT_REGISTRATION_PREEMPTED, "Registration Preempted", NULL },
	{ NVME_RESV_NOTIFY_RNLPT_RESERVATION_RELEASED, "Reservation Released", NULL },
	{ NVME_RESV_NOTIFY_RNLPT_RESERVATION_PREEMPTED, "Reservation Preempted", NULL },
	{ 0, NULL, NULL },
};

#define NOTIFICATION struct nvme_resv_notification_log

static const struct field resv_notif_fields[] = {
	FIELD_LABELLED(HEX_BARE, NOTIFICATION, lpc, "count", "Log Page Count"),
	FIELD_OF(notifications, NOTIFICATION, rnlpt, "rn_log_type", "Resv Notif Log Page Type"),
	FIELD_LABELLED(DEC, NOTIFICATION, nalp, "num_logs", "Num of Available Log Pages"),
	FIELD_LABELLED(HEX_BARE, NOTIFICATION, nsid, "NSID", "Namespace ID:"),
	FIELD_END,
};

static const struct log_page resv_notif_log_page = {
	.lid = NVME_LOG_LID_RESERVATION,
	.size = sizeof(NOTIFICATION),
	.what = "resv notifi log",
	.title = "Reservation Notif Log for device: ",
	.width = 32,
	.fields = resv_notif_fields,
};

const struct command_spec resv_notif_log_command =
	LOG_PAGE_COMMAND("resv-notif-log", "Show the Reservation Notification log",
			 resv_notif_log_options, resv_notif_log_page);
