// SPDX-License-Identifier: LGPL-2.1-or-later
/* Commands that are printed, and the network namespace that they are meant for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "config.h"
#include "command.h"

/* How a command gets at a network namespace: by an option, inside of it, or not at all. */
enum netns_entry { NETNS_NOWHERE, NETNS_OPTION, NETNS_IP, NETNS_INSIDE };

/* By what the command begins with, once it is root; the first that fits counts. */
static enum netns_entry netns_entry(const char *command)
{
	static const struct {
		const char *begin;
		enum netns_entry entry;
	} tools[] = {
		{ "ip ", NETNS_IP },
		{ "sysctl ", NETNS_INSIDE },
		{ "sh -c ", NETNS_INSIDE },
		{ "nft ", NETNS_INSIDE },
		{ "grep . /proc/", NETNS_INSIDE },
		{ NVME_COMMAND " connect ", NETNS_INSIDE },
		{ NVME_COMMAND " reset ", NETNS_NOWHERE },
		{ NVME_MPTCP_COMMAND " ", NETNS_OPTION },
	};

	if (!strncmp(command, "sudo ", 5))
		command += 5;
	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++)
		if (!strncmp(command, tools[i].begin, strlen(tools[i].begin)))
			return tools[i].entry;
	return NETNS_NOWHERE;
}

char *snapshot_command(const char *command, const char *netns)
{
	const enum netns_entry entry = netns ? netns_entry(command) : NETNS_NOWHERE;
	const bool path = netns && strchr(netns, '/');
	_cleanup_(free) char *word = shell_quote(netns);
	char *text;
	int n;

	if (netns && !word)
		return NULL;
	if (entry == NETNS_OPTION && !strstr(command, "--netns"))
		n = asprintf(&text, "%s --netns %s", command, word);
	else if (path && (entry == NETNS_IP || entry == NETNS_INSIDE))
		n = asprintf(&text, "nsenter --net=%s %s", word, command);
	else if (entry == NETNS_IP)
		n = asprintf(&text, "ip -n %s %s", word, command + 3);
	else if (entry == NETNS_INSIDE)
		n = asprintf(&text, "ip netns exec %s %s", word, command);
	else
		n = asprintf(&text, "%s", command);
	return n < 0 ? NULL : text;
}
