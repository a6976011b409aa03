// SPDX-License-Identifier: LGPL-2.1-or-later
/* Table of rules without their functions. */
#include <string.h>

#include "rule.h"

#define ROW(id, severity, sides, function, title) \
	[RULE_##id] = { #id, NVME_MPTCP_##severity, sides, title },

static const struct rule rules[RULE_COUNT] = { RULES(ROW) };

const struct rule *rule_get(enum rule_id id)
{
	return &rules[id];
}

#define FORMER(id, now) { #id, RULE_##now },

static const struct {
	const char *name;
	enum rule_id rule;
} former[] = { FORMER_RULES(FORMER) };

#define FORMERS (sizeof(former) / sizeof(*former))

enum rule_id rule_find(const char *name)
{
	enum rule_id rule = 0;

	for (size_t i = 0; i < FORMERS; i++)
		if (!strcmp(former[i].name, name))
			return former[i].rule;
	while (rule < RULE_COUNT && strcmp(rules[rule].name, name))
		rule++;
	return rule;
}

const char *nvme_mptcp_rule(size_t i, const char **title)
{
	if (i >= RULE_COUNT + FORMERS)
		return NULL;
	if (i >= RULE_COUNT) {
		*title = rules[former[i - RULE_COUNT].rule].title;
		return former[i - RULE_COUNT].name;
	}
	*title = rules[i].title;
	return rules[i].name;
}
