// SPDX-License-Identifier: LGPL-2.1-or-later
/* The table of rules, without what they do. */
#include <string.h>

#include "rule.h"

#define ROW(id, severity, sides, function, title) \
	[RULE_##id] = { #id, NVME_MPTCP_##severity, sides, title },

static const struct rule rules[RULE_COUNT] = { RULES(ROW) };

const struct rule *rule_get(enum rule_id id)
{
	return &rules[id];
}

enum rule_id rule_find(const char *name)
{
	enum rule_id rule = 0;

	while (rule < RULE_COUNT && strcmp(rules[rule].name, name))
		rule++;
	return rule;
}

bool rule_exists(const char *name)
{
	return rule_find(name) < RULE_COUNT;
}

const char *nvme_mptcp_rule(size_t i, const char **title)
{
	if (i >= RULE_COUNT)
		return NULL;
	*title = rules[i].title;
	return rules[i].name;
}
