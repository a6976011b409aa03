/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the writer and the reader of reports have in common. */
#ifndef NVME_MPTCP_REPORT_PRIVATE_H
#define NVME_MPTCP_REPORT_PRIVATE_H

#include "mptcp/report.h"
#include "routes.h"

#define REPORT_KIND "nvme-mptcp"
#define REPORT_VERSION 1

/* IFA_F_*, from bit 0. */
#define REPORT_ADDRESS_FLAGS 11
extern const char *const report_address_flags[REPORT_ADDRESS_FLAGS];

/* MPTCP_PM_ADDR_FLAG_*, from bit 0. */
#define REPORT_ENDPOINT_FLAGS 6
extern const char *const report_endpoint_flags[REPORT_ENDPOINT_FLAGS];

/* Name of an RTN_*, "other" for one that is not told apart. */
const char *report_route_type(unsigned int type);

#endif /* NVME_MPTCP_REPORT_PRIVATE_H */
