// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme predictable-lat-log: Predictable Latency Per NVM Set (log page 0Ah) */
#include "log-page.h"

#define LATENCY(member, name, label) \
	FIELD_LABELLED(DEC, struct nvme_nvmset_predictable_lat_log, member, name, label)

LOG_PAGE_COMMAND(
	predictable_lat_log_command, "predictable-lat-log",
	"Show the Predictable Latency Per NVM Set log",
	BINARY(OPT(SHORT, "nvmset-id", 'i', struct log_page_args, lsi, "N", "NVM set"),
	       LOG_PAGE_OPT_RAW),
	LOG_ARGS(.lsi = 1), log_page_run, .lid = NVME_LOG_LID_PREDICTABLE_LAT_NVMSET,
	.size = sizeof(struct nvme_nvmset_predictable_lat_log),
	.what = "predictable latency per NVM set log",
	.title = "Predictable Latency Per NVM Set Log for device: ",
	.title_lsi = "\nPredictable Latency Per NVM Set Log for NVM Set ID: ",
	.key_lsi = "nvmset_id",
	.fields = FIELDS(LATENCY(status, "status", "Status"),
			 LATENCY(event_type, "event_type", "Event Type"),
			 LATENCY(dtwin_rt, "dtwin_reads_typical", "DTWIN Reads Typical"),
			 LATENCY(dtwin_wt, "dtwin_writes_typical", "DTWIN Writes Typical"),
			 LATENCY(dtwin_tmax, "dtwin_time_maximum", "DTWIN Time Maximum"),
			 LATENCY(ndwin_tmin_hi, "ndwin_time_minimum_high",
				 "NDWIN Time Minimum High"),
			 LATENCY(ndwin_tmin_lo, "ndwin_time_minimum_low", "NDWIN Time Minimum Low"),
			 LATENCY(dtwin_re, "dtwin_reads_estimate", "DTWIN Reads Estimate"),
			 LATENCY(dtwin_we, "dtwin_writes_estimate", "DTWIN Writes Estimate"),
			 LATENCY(dtwin_te, "dtwin_time_estimate", "DTWIN Time Estimate")));
