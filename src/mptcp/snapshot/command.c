// SPDX-License-Identifier: LGPL-2.1-or-later
/* Commands that are printed: the program that has them, and the network namespace that they are meant for. */
#include <nvme/mptcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "config.h"
#include "command.h"
#include "snapshot.h"

static const char *program = NVME_MPTCP_COMMAND;

void nvme_mptcp_set_command(const char *command)
{
	program = command ? command : NVME_MPTCP_COMMAND;
}

const char *snapshot_program(void)
{
	return program;
}

const char *snapshot_connect_program(void)
{
	return strcmp(program, NVME_MPTCP_COMMAND) ? program : NVME_COMMAND;
}

/* How a command gets at a network namespace: by an option, inside of it, or not at all. */
enum netns_entry { NETNS_NOWHERE, NETNS_OPTION, NETNS_IP, NETNS_INSIDE };

struct tool {
	const char *name; /* with it the command begins, once it is root */
	const char *rest; /* that follows */
	enum netns_entry entry;
	const char *(*program)(void); /* what to print instead of the name, or NULL */
};

/* The first that fits counts. */
static const struct tool tools[] = {
	{ "ip", " ", NETNS_IP, NULL },
	{ "sysctl", " ", NETNS_INSIDE, NULL },
	{ "sh", " -c ", NETNS_INSIDE, NULL },
	{ "nft", " ", NETNS_INSIDE, NULL },
	{ "grep", " . /proc/", NETNS_INSIDE, NULL },
	{ NVME_COMMAND, " connect ", NETNS_INSIDE, snapshot_connect_program },
	{ NVME_COMMAND, " reset ", NETNS_NOWHERE, NULL },
	{ NVME_MPTCP_COMMAND, " ", NETNS_OPTION, snapshot_program },
};

static const struct tool *tool_of(const char *command)
{
	for (size_t i = 0; i < sizeof(tools) / sizeof(*tools); i++) {
		const size_t n = strlen(tools[i].name);

		if (!strncmp(command, tools[i].name, n) &&
		    !strncmp(command + n, tools[i].rest, strlen(tools[i].rest)))
			return &tools[i];
	}
	return NULL;
}

/* A copy of a command as this program has it. NULL without memory. */
static char *named(const char *command)
{
	const char *root = "sudo ", *name;
	const struct tool *tool;
	char *text;

	if (strncmp(command, root, strlen(root)))
		root = "";
	command += strlen(root);
	tool = tool_of(command);
	name = tool && tool->program ? tool->program() : NULL;
	if (name)
		command += strlen(tool->name);
	return asprintf(&text, "%s%s%s", root, name ? name : "", command) < 0 ? NULL : text;
}

static enum netns_entry netns_entry(const char *command)
{
	const struct tool *tool = tool_of(command + (strncmp(command, "sudo ", 5) ? 0 : 5));

	return tool ? tool->entry : NETNS_NOWHERE;
}

char *snapshot_command(const char *written, const char *netns)
{
	const enum netns_entry entry = netns ? netns_entry(written) : NETNS_NOWHERE;
	const bool path = netns && strchr(netns, '/');
	_cleanup_(free) char *command = named(written), *word = shell_quote(netns);
	char *text;
	int n;

	if (!command || (netns && !word))
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

/* sysctl(8) ends a key at '=', and refuses one in which a separator follows another. */
bool snapshot_is_key(const char *link)
{
	return shell_is_word(link) && !strchr(link, '=') && *link != '.' && !strstr(link, "..") &&
	       link[strlen(link) - 1] != '.';
}

/*
 * A dot in the name of a link, as VLANs have it, is one of the key's; with a slash first sysctl(8) takes
 * the key for the path that it is.
 */
void snapshot_put_setting(FILE *to, const char *link, const char *name, int value)
{
	const char dot = strchr(link, '.') ? '/' : '.';

	fprintf(to, " net%cipv4%cconf%c%s%c%s=%d", dot, dot, dot, LINK_WORD(link), dot, name,
		value);
}
