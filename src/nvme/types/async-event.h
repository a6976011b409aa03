/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Asynchronous events: types and what they report.
 * Names in quotes are sections of the NVM Express Base Specification.
 */
#ifndef _LIBNVME_TYPES_ASYNC_EVENT_H
#define _LIBNVME_TYPES_ASYNC_EVENT_H

#include "base.h"

/** enum nvme_ae_type - types of asynchronous events; "Asynchronous Event Type" */
enum nvme_ae_type {
	NVME_AER_ERROR = 0,	/* error */
	NVME_AER_SMART = 1,	/* SMART / health */
	NVME_AER_NOTICE = 2,	/* notice */
	NVME_AER_IMMEDIATE = 3,	/* immediate */
	NVME_AER_ONESHOT = 4,	/* one-shot */
	NVME_AER_CSS = 6,	/* I/O command set specific */
	NVME_AER_VS = 7,	/* vendor specific */
};

/** enum nvme_ae_info_error - error events; "Asynchronous Event Information - Error Status" */
enum nvme_ae_info_error {
	NVME_AER_ERROR_INVALID_DB_REG = 0,		/* write to an invalid doorbell */
	NVME_AER_ERROR_INVALID_DB_VAL = 1,		/* invalid value written to a doorbell */
	NVME_AER_ERROR_DIAG_FAILURE = 2,		/* diagnostic failure */
	NVME_AER_ERROR_PERSISTENT_INTERNAL_ERROR = 3,	/* persistent internal error */
	NVME_AER_ERROR_TRANSIENT_INTERNAL_ERROR = 4,	/* transient internal error */
	NVME_AER_ERROR_FW_IMAGE_LOAD_ERROR = 5,		/* firmware could not be loaded */
};

/**
 * enum nvme_ae_info_smart - SMART / health events; "Asynchronous Event Information - SMART / Health
 * Status"
 */
enum nvme_ae_info_smart {
	NVME_AER_SMART_SUBSYSTEM_RELIABILITY = 0,	/* reliability is compromised */
	NVME_AER_SMART_TEMPERATURE_THRESHOLD = 1,	/* a temperature is beyond its threshold */
	NVME_AER_SMART_SPARE_THRESHOLD = 2,		/* spare is below its threshold */
};

/**
 * enum nvme_ae_info_css_nvm - events of the NVM Command Set; "Asynchronous Event Information - I/O
 * Command Specific Status"
 */
enum nvme_ae_info_css_nvm {
	NVME_AER_CSS_NVM_RESERVATION = 0,			/* reservation log page */
	NVME_AER_CSS_NVM_SANITIZE_COMPLETED = 1,		/* sanitize completed */
	NVME_AER_CSS_NVM_UNEXPECTED_SANITIZE_DEALLOC = 2,	/* sanitize deallocated anyway */
};

/** enum nvme_ae_info_notice - notices; "Asynchronous Event Information - Notice" */
enum nvme_ae_info_notice {
	NVME_AER_NOTICE_NS_CHANGED = 0x00,		/* attached namespaces changed */
	NVME_AER_NOTICE_FW_ACT_STARTING = 0x01,		/* firmware activation starts */
	NVME_AER_NOTICE_TELEMETRY = 0x02,		/* telemetry log changed */
	NVME_AER_NOTICE_ANA = 0x03,			/* asymmetric namespace access changed */
	NVME_AER_NOTICE_PL_EVENT = 0x04,		/* predictable latency event */
	NVME_AER_NOTICE_LBA_STATUS_ALERT = 0x05,	/* LBA status information alert */
	NVME_AER_NOTICE_EG_EVENT = 0x06,		/* endurance group event */
	NVME_AER_NOTICE_DISC_CHANGED = 0xf0,		/* discovery log page changed */
};

#endif /* _LIBNVME_TYPES_ASYNC_EVENT_H */
