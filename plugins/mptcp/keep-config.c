// SPDX-License-Identifier: GPL-2.0-or-later
/* Desired state of keep: the "mptcp" objects of the configuration, or a setup for its ports. */
#include <arpa/inet.h>

#include "keep.h"

void keep_config_clear(struct keep_config *config)
{
	nvme_free_tree_cleanup(&config->root);
	nvme_mptcp_config_free(config->mptcp);
	plan_list_free(config->devices);
	free(config->links);
	/* Addresses found in the configuration point to the strings of "found". */
	if (config->found)
		free(config->traddrs);
	else
		plan_list_free(config->traddrs);
	for (size_t i = 0; i < config->n_found; i++)
		free(config->found[i]);
	free(config->found);
	*config = (struct keep_config){};
}

/*
 * Return AF_INET for an IPv4 or IPv4-mapped address, AF_INET6 for another IPv6 address, with or
 * without a zone, and 0 for anything else, such as a host name, which is resolved when connecting.
 */
static int family_of(const char *address)
{
	char text[INET6_ADDRSTRLEN + 1];
	struct in6_addr ip;

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(address, "%"), address);
	if (inet_pton(AF_INET, text, &ip) == 1)
		return AF_INET;
	if (inet_pton(AF_INET6, text, &ip) != 1)
		return 0;
	return IN6_IS_ADDR_V4MAPPED(&ip) ? AF_INET : AF_INET6;
}

/*
 * Add an address of a target. Addresses of another family than the first one are skipped: they need
 * a setup of their own.
 */
static int add_address(struct keep_config *config, const char *address, size_t length)
{
	_cleanup_(free) char *text = strndup(address, length);
	char **longer;

	if (!text)
		return -ENOMEM;
	if (!family_of(text) || (config->n_found && family_of(text) != family_of(config->found[0])))
		return 0;
	longer = realloc(config->found, (config->n_found + 2) * sizeof(*longer));
	if (!longer)
		return -ENOMEM;
	config->found = longer;
	config->found[config->n_found++] = text;
	config->found[config->n_found] = NULL;
	text = NULL;
	return 0;
}

static int add_configured_port(struct keep_config *config, nvme_ctrl_t c)
{
	const char *transport = nvme_ctrl_get_transport(c), *traddr = nvme_ctrl_get_traddr(c);

	if (!transport || !nvmf_transport_has(transport, NVMF_TRANSPORT_SUBFLOWS) || !traddr)
		return 0;
	return add_address(config, traddr, strlen(traddr));
}

const char *keep_split_portal(const char *portal, size_t *length, const char **port)
{
	const char *colon = strchr(portal, ':');

	if (*portal == '[') {
		portal++;
		*length = strcspn(portal, "]");
	} else {
		*length = colon && !strchr(colon + 1, ':') ? (size_t)(colon - portal)
							   : strlen(portal);
	}
	colon = strrchr(portal + *length, ':');
	*port = colon ? colon + 1 : "4420";
	return portal;
}

/*
 * Add the portals of a relay, so that limits and endpoints exist before the first controller does.
 */
static int add_relay_portals(struct keep_config *config)
{
	const char *portal, *port;
	size_t length;
	int err = 0;

	for (size_t i = 0; !err && (portal = nvme_mptcp_config_relay_portal(config->mptcp, i));
	     i++) {
		portal = keep_split_portal(portal, &length, &port);
		err = add_address(config, portal, length);
	}
	return err;
}

static int find_ports(struct keep_config *config)
{
	nvme_subsystem_t s;
	nvme_host_t h;
	nvme_ctrl_t c;
	int err = 0;

	nvme_for_each_host(config->root, h)
		nvme_for_each_subsystem(h, s)
			nvme_subsystem_for_each_ctrl(s, c)
				if (!err)
					err = add_configured_port(config, c);
	if (!err)
		err = add_relay_portals(config);
	if (err || !config->found)
		return err;
	config->traddrs = calloc(config->n_found + 1, sizeof(*config->traddrs));
	if (!config->traddrs)
		return -ENOMEM;
	for (size_t i = 0; i < config->n_found; i++)
		config->traddrs[i] = config->found[i];
	return 0;
}

/* Use the links that the configuration has for the relay's connections. */
static int find_links(struct keep_config *config)
{
	size_t n = 0;

	while (nvme_mptcp_config_relay_link(config->mptcp, n))
		n++;
	if (!n)
		return 0;
	config->links = calloc(n + 1, sizeof(*config->links));
	if (!config->links)
		return -ENOMEM;
	while (n--)
		config->links[n] = nvme_mptcp_config_relay_link(config->mptcp, n);
	return 0;
}

/* Reject values that are not IP addresses, instead of waiting for them. */
static int check_traddrs(struct command *cmd, const char *const *traddrs)
{
	for (size_t i = 0; traddrs && traddrs[i]; i++) {
		const int family = family_of(traddrs[i]);

		if (!family)
			return command_fail(
				cmd, 0,
				"--traddr: %s is not an IP address (separate addresses with "
				"commas; names are not resolved)",
				*traddrs[i] ? traddrs[i] : "\"\"");
		if (family != family_of(traddrs[0]))
			return command_fail(
				cmd, 0,
				"--traddr: %s and %s belong to different address families: use "
				"addresses of one family",
				traddrs[0], traddrs[i]);
	}
	return 0;
}

static int read_all(struct command *cmd, struct keep_config *config)
{
	const struct keep_args *args = cmd->args;
	/* --restore must not depend on the current configuration. */
	const bool none = args->restore || input_is_none(args->config);
	int status = plan_list_split(cmd, args->traddr, &config->traddrs), err = 0;

	if (!status)
		status = check_traddrs(cmd, config->traddrs);
	if (!status)
		status = plan_list_split(cmd, args->dev, &config->devices);
	if (!status && !none)
		status = mptcp_read_config(cmd, args->config, &config->root, &config->mptcp);
	if (status)
		return status;
	/* The "mptcp" object may contain only the rules that check ignores. */
	config->wants = !none && nvme_mptcp_config_wants(config->mptcp, NULL, NULL);
	if (!none && !config->wants && !config->traddrs)
		err = find_ports(config);
	if (!err && !none && !config->wants)
		err = find_links(config);
	if (err)
		return command_fail(cmd, -err, NVME_COMMAND " %s", cmd->name);
	if (!config->wants && !args->automatic && !args->restore)
		return command_fail(
			cmd, 0,
			"%s has no object \"mptcp\" with endpoints and limits: --auto keeps what " NVME_MPTCP_COMMAND
			" setup plans",
			none	       ? "The configuration"
			: args->config ? args->config
				       : CONFIG_FILE);
	return 0;
}

int keep_config_read(struct command *cmd, struct keep_config *ret)
{
	struct keep_config config = {};
	int status = read_all(cmd, &config);

	if (status)
		keep_config_clear(&config);
	else
		*ret = config;
	return status;
}

const char *keep_reload(const struct command *cmd, int (*read)(struct command *cmd, void *ret),
			void *ret, struct text *text)
{
	struct command reader = *cmd;
	int status = 1;

	reader.messages = text_open(text);
	if (reader.messages)
		status = read(&reader, ret);
	if (text_close(text) || (status && !text->bytes))
		return strerror(ENOMEM);
	if (!status)
		return NULL;
	text->bytes[strcspn(text->bytes, "\n")] = '\0';
	return text->bytes;
}
