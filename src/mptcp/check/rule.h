/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of each rule before it runs. */
#ifndef NVME_MPTCP_RULE_H
#define NVME_MPTCP_RULE_H

#include <nvme/mptcp/check.h>
#include "rule-list.h"

#define ON_HOST (1U << NVME_MPTCP_ROLE_HOST)
#define ON_TARGET (1U << NVME_MPTCP_ROLE_TARGET)
#define ON_BOTH (ON_HOST | ON_TARGET)

#define RULE_ID(id, severity, sides, function, title) RULE_##id,
enum rule_id {
	RULES(RULE_ID) RULE_COUNT,
};
#undef RULE_ID

struct rule {
	const char *name; /* "H08" */
	enum nvme_mptcp_severity severity;
	unsigned int sides; /* ON_*: on which side it applies; 0: wherever it is run */
	const char *title;
};

const struct rule *rule_get(enum rule_id id);

/* The rule of this name, or that it is part of by now; or RULE_COUNT. */
enum rule_id rule_find(const char *name);

/* Is there a rule of this name? */
bool rule_exists(const char *name);

#endif /* NVME_MPTCP_RULE_H */
