// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules whose findings are suppressed, from --ignore and from the configuration. */
#include "ignore.h"
#include "plan.h"

DEFINE_CLEANUP(nvme_mptcp_config_t, nvme_mptcp_config_free);

void ignore_cleanup(struct ignore *ignore)
{
	for (size_t i = 0; i < ignore->n; i++)
		free(ignore->rules[i]);
	free(ignore->rules);
}

static bool is_rule(const char *name)
{
	const char *title, *id;

	for (size_t i = 0; (id = nvme_mptcp_rule(i, &title)); i++)
		if (!strcmp(id, name))
			return true;
	return false;
}

static int add(struct ignore *ignore, const char *rule)
{
	char **rules = realloc(ignore->rules, (ignore->n + 2) * sizeof(*rules));

	if (!rules)
		return -ENOMEM;
	ignore->rules = rules;
	rules[ignore->n] = strdup(rule);
	if (!rules[ignore->n])
		return -ENOMEM;
	rules[++ignore->n] = NULL;
	return 0;
}

static int add_option(struct command *cmd, const char *option, struct ignore *ignore)
{
	_cleanup_(plan_list_free) const char **rules = NULL;
	int status = plan_list_split(cmd, option, &rules);

	for (size_t i = 0; !status && rules && rules[i]; i++) {
		if (!is_rule(rules[i]))
			return command_fail(cmd, 0,
					    "--ignore=%s: unknown rule %s (" NVME_MPTCP_COMMAND
					    " explain "
					    "lists them)",
					    option, rules[i]);
		if (add(ignore, rules[i]))
			return command_fail(cmd, ENOMEM, NVME_COMMAND " %s", cmd->name);
	}
	return status;
}

static int add_config(struct command *cmd, const char *file, struct ignore *ignore)
{
	_cleanup_(nvme_mptcp_config_free) nvme_mptcp_config_t config = NULL;
	_cleanup_(nvme_free_tree) nvme_root_t root = NULL;
	const char *rule;
	int status = mptcp_read_config(cmd, file, &root, &config);

	for (size_t i = 0; !status && (rule = nvme_mptcp_config_ignored(config, i)); i++)
		if (add(ignore, rule))
			status = command_fail(cmd, ENOMEM, NVME_COMMAND " %s", cmd->name);
	return status;
}

int ignore_read(struct command *cmd, const char *option, const char *config, struct ignore *ret)
{
	int status = add_option(cmd, option, ret);

	if (!status && !input_is_none(config))
		status = add_config(cmd, config, ret);
	return status;
}
