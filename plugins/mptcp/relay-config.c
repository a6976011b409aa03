// SPDX-License-Identifier: GPL-2.0-or-later
/* What to relay: the options, else the "relay" objects of the configuration. */
#include <arpa/inet.h>

#include "input/discovery-conf.h"
#include "relay.h"

/* Portals that "auto" stands for: an owned, NULL-terminated array of owned strings. */
struct portal_list {
	char **texts;
	size_t n;
	int err; /* -errno of the first failure */
};

static void clear_list(struct portal_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->texts[i]);
	free(list->texts);
}

/* Add a portal of the configuration, with the interface that its connections are bound to. */
static void add_auto_portal(struct portal_list *list, const char *transport, const char *traddr,
			    const char *trsvcid, const char *host_iface, bool is_discovery)
{
	const bool is_bound = host_iface && *host_iface && strcmp(host_iface, "none") != 0;
	char **longer;

	if (!transport || !traddr || !nvmf_transport_has(transport, NVMF_TRANSPORT_SRC_ADDR))
		return;
	if (!trsvcid)
		trsvcid = nvmf_transport_default_trsvcid(transport, is_discovery);
	longer = realloc(list->texts, (list->n + 2) * sizeof(*longer));
	if (!longer) {
		list->err = -ENOMEM;
		return;
	}
	list->texts = longer;
	longer[list->n + 1] = NULL;
	if (asprintf(&longer[list->n], strchr(traddr, ':') ? "[%s%s%s]:%s" : "%s%s%s:%s", traddr,
		     is_bound ? "%" : "", is_bound ? host_iface : "",
		     trsvcid ? trsvcid : "4420") < 0) {
		longer[list->n] = NULL;
		list->err = -ENOMEM;
		return;
	}
	list->n++;
}

static void add_configured(struct portal_list *list, nvme_root_t root)
{
	nvme_subsystem_t s;
	nvme_host_t h;
	nvme_ctrl_t c;

	nvme_for_each_host(root, h)
		nvme_for_each_subsystem(h, s)
			nvme_subsystem_for_each_ctrl(s, c)
				add_auto_portal(list, nvme_ctrl_get_transport(c),
						nvme_ctrl_get_traddr(c), nvme_ctrl_get_trsvcid(c),
						nvme_ctrl_get_host_iface(c),
						nvme_ctrl_is_discovery_ctrl(c));
}

static void add_discovery_line(struct discovery_line *line, void *arg)
{
	const struct fabrics_args *args = &line->args.fabrics;

	/* Skip invalid lines; discovery reports them. */
	if (!line->err)
		add_auto_portal(arg, args->transport, args->traddr, args->trsvcid,
				line->args.fabrics.host_iface, true);
}

static int find_auto_portals(struct command *cmd, nvme_root_t root, struct portal_list *list)
{
	static const struct discover_args defaults = DISCOVER_DEFAULTS;
	_cleanup_(free) char *why = NULL;
	int err;

	add_configured(list, root);
	err = input_each_line(DISCOVERY_CONF, cmd->name, &defaults, add_discovery_line, list, &why);
	if (!err)
		err = list->err;
	return err ? command_fail(cmd, why ? 0 : -err, "%s", why ? why : DISCOVERY_CONF) : 0;
}

static int parse_mode(struct command *cmd, const char *mode, bool *by_address)
{
	if (mode && strcmp(mode, "steer") != 0 && strcmp(mode, "address") != 0)
		return command_fail(cmd, 0, "--mode=%s: use steer or address", mode);
	*by_address = mode && !strcmp(mode, "address");
	return 0;
}

static bool is_auto(nvme_mptcp_config_t config)
{
	const char *portal;

	for (size_t i = 0; config && (portal = nvme_mptcp_config_relay_portal(config, i)); i++)
		if (!strcmp(portal, "auto"))
			return true;
	return false;
}

static int make_relay(struct command *cmd, const struct nvme_mptcp_relay_args *args,
		      nvme_mptcp_relay_t *ret)
{
	if (!nvme_mptcp_relay_new(args, ret))
		return 0;
	if (errno != ENODATA)
		return mptcp_fail(cmd, 1);
	command_fail(cmd, 0, "Nothing to relay: %s",
		     is_auto(args->config)
			     ? "\"auto\" stands for the portals of the configuration and of "
			       "discovery.conf, and none of them is an address that can be relayed"
			     : "a host takes --portal, a target takes --port, or the configuration "
			       "has an object \"relay\" below \"mptcp\"");
	return RELAY_NOT_CONFIGURED;
}

int relay_config_read(struct command *cmd, nvme_mptcp_relay_t *ret)
{
	const struct relay_args *args = cmd->args;
	/*
	 * Options replace the configuration, so that a test does not depend on the installed file.
	 */
	const bool is_configured = !args->portal && !args->port && !args->dev;
	_cleanup_(plan_list_free) const char **portals = NULL, **ports = NULL, **links = NULL;
	struct nvme_mptcp_relay_args query = { .args_size = sizeof(query),
					       .send_buffer = (int)args->send_buffer };
	nvme_mptcp_config_t config = NULL;
	struct portal_list found = {};
	nvme_root_t root = NULL;
	int status = plan_list_split(cmd, args->portal, &portals);

	if (!status && args->dev && !args->port)
		status = command_fail(
			cmd, 0,
			"--dev=%s requires --port: on a target, it limits the interfaces "
			"on which connections are accepted",
			args->dev);
	if (!status)
		status = plan_list_split(cmd, args->port, &ports);
	if (!status)
		status = plan_list_split(cmd, args->dev, &links);
	if (!status)
		status = parse_mode(cmd, args->mode, &query.by_address);
	if (!status && is_configured && !input_is_none(args->config)) {
		status = mptcp_read_config(cmd, args->config, &root, &config);
		if (!status)
			status = find_auto_portals(cmd, root, &found);
	}
	if (!status) {
		query.portals = portals;
		query.ports = ports;
		query.links = links;
		query.config = config;
		query.auto_portals = (const char *const *)found.texts;
		status = make_relay(cmd, &query, ret);
	}
	clear_list(&found);
	nvme_free_tree_cleanup(&root);
	nvme_mptcp_config_free(config);
	return status;
}

static bool is_same_ip(const char *a, const char *b)
{
	static const int families[] = { AF_INET, AF_INET6 };

	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
		struct in6_addr x = {}, y = {};

		if (inet_pton(families[i], a, &x) == 1 && inet_pton(families[i], b, &y) == 1)
			return !memcmp(&x, &y, sizeof(x));
	}
	return false;
}

static bool is_portal(const char *text, const char *traddr, const char *trsvcid)
{
	char address[64];
	const char *port;
	size_t length;

	text = keep_split_portal(text, &length, &port);
	snprintf(address, sizeof(address), "%.*s", (int)length, text);
	return !strcmp(port, trsvcid) && is_same_ip(address, traddr);
}

static bool has_auto_portal(const struct portal_list *list, const char *traddr, const char *trsvcid)
{
	bool has = false;

	for (size_t i = 0; !has && i < list->n; i++)
		has = is_portal(list->texts[i], traddr, trsvcid);
	return has;
}

bool relay_config_has(struct command *cmd, const char *traddr, const char *trsvcid)
{
	nvme_mptcp_config_t config = NULL;
	struct portal_list found = {};
	nvme_root_t root = NULL;
	const char *portal;
	bool has = false;

	if (!mptcp_read_config(cmd, NULL, &root, &config) &&
	    !find_auto_portals(cmd, root, &found)) {
		for (size_t i = 0; !has && (portal = nvme_mptcp_config_relay_portal(config, i));
		     i++)
			has = strcmp(portal, "auto") != 0
				      ? is_portal(portal, traddr, trsvcid)
				      : has_auto_portal(&found, traddr, trsvcid);
	}
	clear_list(&found);
	nvme_free_tree_cleanup(&root);
	nvme_mptcp_config_free(config);
	return has;
}

int relay_config_show(struct command *cmd, nvme_mptcp_relay_t relay)
{
	const char *rules = nvme_mptcp_relay_rules(relay), *notice;
	struct out *out = cmd->out;

	if (!rules)
		return mptcp_fail(cmd, 1);
	out_object(out, NULL);
	out_str(out, "rules", rules);
	out_array(out, "notices");
	for (size_t i = 0; (notice = nvme_mptcp_relay_notice(relay, i)); i++)
		out_str(out, NULL, notice);
	out_end(out);
	for (size_t i = 0; (notice = nvme_mptcp_relay_notice(relay, i)); i++)
		out_text(out, "# %s\n", out_safe(out, notice));
	out_text(out, "%s", rules);
	return out_end(out);
}
