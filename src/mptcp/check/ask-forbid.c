// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which routing rule or route of this host forbids packets: the kernel only reports that one does. */
#include <stdio.h>
#include <string.h>
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>

#include "ask.h"
#include "mptcp/snapshot/routes.h"

static void add(char *text, size_t size, const char *before, const char *word)
{
	const size_t n = strlen(text);

	snprintf(text + n, size - n, "%s%s", before, word);
}

static void add_prefix(char *text, size_t size, const char *before, const struct prefix *prefix,
		       bool v4)
{
	char word[ADDRESS_TEXT + sizeof("/128")];
	const unsigned int length = prefix->length - (v4 ? 96U : 0U);

	snprintf(word, sizeof(word), length == (v4 ? 32U : 128U) ? "%s" : "%s/%u",
		 ADDRESS_STRING(&prefix->ip), length);
	add(text, size, before, word);
}

static const char *action_name(uint8_t action)
{
	return action == FR_ACT_BLACKHOLE  ? "blackhole"
	       : action == FR_ACT_PROHIBIT ? "prohibit"
					   : "unreachable";
}

/* "the routing rule with priority 99 (from 10.1.3.2, type blackhole)" */
static void name_rule(const struct policy_entry *policy, char *text, size_t size)
{
	snprintf(text, size, "the routing rule with priority %u (", policy->priority);
	if (policy->has_from)
		add_prefix(text, size, "from ", &policy->from, policy->v4);
	if (policy->has_to)
		add_prefix(text, size, policy->has_from ? " to " : "to ", &policy->to, policy->v4);
	if (*policy->oif)
		add(text, size, policy->has_from || policy->has_to ? " oif " : "oif ", policy->oif);
	if (policy->has_from || policy->has_to || *policy->oif)
		add(text, size, ", ", "");
}

bool ask_forbids(struct check *c, const struct path_ends *ends, char *text, size_t size)
{
	const struct nvme_mptcp_link *link = link_by_index(c->snap, ends->ifindex);
	struct forbidding found = {};
	struct routes routes;
	char number[16];
	bool known;

	if (route_dump(&routes))
		c->err = -ENOMEM;
	known = route_find_forbidding(&routes, &ends->local, ends->ifindex,
				      link ? link->name : NULL, &ends->remote.ip, &found);
	if (known && !found.route) {
		name_rule(found.policy, text, size);
		add(text, size, "type ", action_name(found.policy->action));
		add(text, size, ")", "");
	} else if (known) {
		*text = '\0';
		if (found.route->dst.length == (found.route->v4 ? 96 : 0))
			add(text, size, "the route default", "");
		else
			add_prefix(text, size, "the route ", &found.route->dst, found.route->v4);
		add(text, size, " of type ", route_type_name(found.route->type));
		if (found.route->table != RT_TABLE_MAIN) {
			snprintf(number, sizeof(number), "%u", found.route->table);
			add(text, size, " in table ", number);
			snprintf(number, sizeof(number), "%u", found.policy->priority);
			add(text, size, " (routing rule with priority ", number);
			add(text, size, ")", "");
		}
	}
	route_clear(&routes);
	return known;
}
