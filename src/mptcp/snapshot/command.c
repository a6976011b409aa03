// SPDX-License-Identifier: LGPL-2.1-or-later
/* Format printed commands for the program's own name and for a network namespace. */
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

/* How to run a command for a network namespace: unchanged, by an option, "ip -n", or inside it. */
enum netns_entry { NETNS_NOWHERE, NETNS_OPTION, NETNS_IP, NETNS_INSIDE };

struct tool {
	const char *name; /* first word of the command, after "sudo " */
	const char *rest; /* text that follows name */
	enum netns_entry entry;
	const char *(*program)(void); /* returns the name to print instead, or NULL */
};

/* The first match counts. */
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

/* Return a copy of a command with this program's name. NULL if out of memory. */
static char *named(const char *command)
{
	const char *root = "sudo ", *name;
	const struct tool *tool;

	if (strncmp(command, root, strlen(root)))
		root = "";
	command += strlen(root);
	tool = tool_of(command);
	name = tool && tool->program ? tool->program() : NULL;
	if (name)
		command += strlen(tool->name);
	return str_format("%s%s%s", root, name ? name : "", command);
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

	if (!command || (netns && !word))
		return NULL;
	if (entry == NETNS_OPTION && !strstr(command, "--netns"))
		return str_format("%s --netns %s", command, word);
	if (path && (entry == NETNS_IP || entry == NETNS_INSIDE))
		return str_format("nsenter --net=%s %s", word, command);
	if (entry == NETNS_IP)
		return str_format("ip -n %s %s", word, command + 3);
	if (entry == NETNS_INSIDE)
		return str_format("ip netns exec %s %s", word, command);
	return steal_ptr(&command);
}

/* sysctl(8) ends a key at '=', and refuses empty parts between separators. */
bool snapshot_is_sysctl_key(const char *link)
{
	return shell_is_word(link) && !strchr(link, '=') && *link != '.' && !strstr(link, "..") &&
	       link[strlen(link) - 1] != '.';
}

/* The dot of eth0.5 would separate parts of a key, unless its first separator is a slash. */
void snapshot_put_setting(FILE *to, const char *link, const char *name, int value)
{
	const char dot = strchr(link, '.') ? '/' : '.';

	fprintf(to, " net%cipv4%cconf%c%s%c%s=%d", dot, dot, dot, LINK_WORD(link), dot, name,
		value);
}
