// SPDX-License-Identifier: LGPL-2.1-or-later
/* Packets that a routing rule or a route of this host forbids. */
#include <string.h>

#include "rules.h"

#define ANY_FORBIDS \
	"a route or a routing rule of this host (type blackhole, prohibit or unreachable)"

const char *check_forbidding_type(int err)
{
	return err == -EINVAL	      ? "blackhole"
	       : err == -EACCES	      ? "prohibit"
	       : err == -EHOSTUNREACH ? "unreachable"
				      : NULL;
}

const char *check_name_forbidding(struct check *c, const struct in6_addr *local,
				  const struct in6_addr *remote, int ifindex,
				  char text[static FORBIDDING_TEXT])
{
	struct path_ends ends = { .remote = { .ip = *remote }, .ifindex = ifindex };
	struct route_answer route = {};

	if (local)
		ends.local = *local;
	else if (!c->ops->route(c, NULL, ifindex, remote, &route))
		ends.local = route.source;
	if (!c->ops->forbids || !c->ops->forbids(c, &ends, text, FORBIDDING_TEXT))
		return ANY_FORBIDS;
	return text;
}

void check_show_forbidding(struct check *c, struct nvme_mptcp_finding *f,
			   const struct in6_addr *remote, const char *text)
{
	if (strncmp(text, "the routing rule", strlen("the routing rule")) != 0)
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip%s route show table all match %s",
			    address_is_v4(remote) ? "" : " -6", ADDRESS_STRING(remote));
	if (strcmp(text, ANY_FORBIDS) == 0 || strstr(text, "routing rule"))
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "%s show", fix_rule_tool(remote));
}
