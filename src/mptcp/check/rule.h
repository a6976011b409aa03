/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Static data of each rule. */
#pragma once

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
	unsigned int sides; /* sides on which it applies, ON_*; 0: any */
	const char *title;
};

const struct rule *rule_get(enum rule_id id);

/* Return the rule with this name or former name, or RULE_COUNT. */
enum rule_id rule_find(const char *name);
