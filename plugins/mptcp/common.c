// SPDX-License-Identifier: GPL-2.0-or-later
/* Take snapshots and select controllers. */
#include "mptcp.h"

static int take(struct command *cmd, const char *netns, nvme_mptcp_snapshot_t *ret)
{
	if (!nvme_mptcp_snapshot_take(cmd->root, netns, ret))
		return 0;
	if (netns)
		return command_fail_as(cmd, MPTCP_EXIT_NO_ANSWER, errno, "network namespace %s",
				       netns);
	return command_fail(cmd, errno, "reading MPTCP connections");
}

int mptcp_take_snapshot(struct command *cmd, const char *netns, nvme_mptcp_snapshot_t *ret)
{
	nvme_root_t root = command_root(cmd);
	int status;

	if (!root)
		return command_failure(cmd);
	nvme_root_skip_namespaces(root);
	if (nvme_scan_topology(root, NULL, NULL) && errno != ENOENT)
		return command_fail(cmd, errno, "Failed to scan topology");
	status = take(cmd, netns, ret);
	/* Nothing may be concluded from, or changed because of, incomplete data. */
	if (!status && command_read_failed())
		return command_fail(cmd, errno, "reading MPTCP connections");
	return status;
}

int mptcp_retake_snapshot(struct command *cmd, const char *netns, nvme_mptcp_snapshot_t *ret)
{
	nvme_refresh_topology(cmd->root);
	return take(cmd, netns, ret);
}

int mptcp_fail(struct command *cmd, int status)
{
	const char *why = nvme_mptcp_error(errno);
	const size_t n = strspn(why, "abcdefghijklmnopqrstuvwxyz_");
	char option[32];

	if (why[n] != '=' || n >= sizeof(option))
		return command_fail_as(cmd, status, 0, "%s", why);
	for (size_t i = 0; i < n; i++)
		option[i] = why[i] == '_' ? '-' : why[i];
	option[n] = '\0';
	return command_fail_as(cmd, status, 0, "--%s%s", option, why + n);
}

enum nvme_mptcp_severity mptcp_severity(nvme_mptcp_finding_t f)
{
	const enum nvme_mptcp_severity severity = nvme_mptcp_finding_severity(f);

	return severity == NVME_MPTCP_INFO || severity == NVME_MPTCP_WARNING ? severity
									     : NVME_MPTCP_ERROR;
}

void mptcp_warn_problems(struct command *cmd, nvme_mptcp_snapshot_t snap)
{
	for (int part = 0; nvme_mptcp_part_name(part); part++) {
		const char *problem = nvme_mptcp_snapshot_problem(snap, part);

		if (problem)
			command_warn(cmd, 0, "not complete: %s", problem);
	}
}

int mptcp_require(struct command *cmd, nvme_mptcp_snapshot_t snap)
{
	if (nvme_mptcp_snapshot_errno(snap, NVME_MPTCP_SETTINGS) != EOPNOTSUPP)
		return 0;
	return command_fail_as(cmd, MPTCP_EXIT_NO_ANSWER, 0, "%s",
			       nvme_mptcp_snapshot_problem(snap, NVME_MPTCP_SETTINGS));
}

int mptcp_fail_without_ctrls(struct command *cmd, nvme_mptcp_snapshot_t snap)
{
	const char *problem = nvme_mptcp_snapshot_problem(snap, NVME_MPTCP_CONTROLLERS);

	return problem ? command_fail_as(cmd, MPTCP_EXIT_NO_ANSWER, 0, "%s", problem) : 0;
}

int mptcp_read_config(struct command *cmd, const char *file, nvme_root_t *root,
		      nvme_mptcp_config_t *config)
{
	struct command reader = *cmd;
	int err;

	reader.root = NULL;
	reader.mptcp = NULL;
	err = fabrics_read_config(&reader, file ? file : CONFIG_FILE, file);
	/* Without a file, return an empty tree: libnvme before 1.16 does not accept NULL. */
	*root = err ? reader.root : command_root(&reader);
	*config = reader.mptcp;
	return err ? command_failure(cmd) : 0;
}

bool mptcp_has_ctrl(nvme_mptcp_snapshot_t snap, const char *name)
{
	nvme_mptcp_for_each_ctrl(snap, ctrl) {
		if (!strcmp(nvme_mptcp_ctrl_name(ctrl), name))
			return true;
	}
	return false;
}

bool mptcp_is_named(nvme_mptcp_ctrl_t ctrl, const char *const *names)
{
	if (!names)
		return true;
	for (; *names; names++)
		if (!strcmp(*names, nvme_mptcp_ctrl_name(ctrl)))
			return true;
	return false;
}

bool mptcp_any_named(nvme_mptcp_shared_t shared, const char *const *names)
{
	nvme_mptcp_ctrl_t ctrl;

	for (size_t i = 0; (ctrl = nvme_mptcp_shared_ctrl(shared, i)); i++)
		if (mptcp_is_named(ctrl, names))
			return true;
	return false;
}

int mptcp_named_ctrls(struct command *cmd, nvme_mptcp_snapshot_t snap, const char ***ret)
{
	_cleanup_(free) const char **names = NULL;

	*ret = NULL;
	if (!cmd->argc)
		return 0;
	names = calloc((size_t)cmd->argc + 1, sizeof(*names));
	if (!names)
		return command_fail(cmd, ENOMEM, NVME_COMMAND " %s", cmd->name);
	for (int i = 0; i < cmd->argc; i++) {
		const char *slash = strrchr(cmd->argv[i], '/');

		names[i] = slash ? slash + 1 : cmd->argv[i];
		if (!mptcp_has_ctrl(snap, names[i]))
			return command_fail(
				cmd, 0,
				"%s: no controller of that name is connected over MPTCP (" NVME_COMMAND
				" list-subsys lists controllers)",
				cmd->argv[i]);
	}
	*ret = names;
	names = NULL;
	return 0;
}

size_t mptcp_count_dead(nvme_mptcp_set_t set)
{
	size_t n = 0;

	nvme_mptcp_for_each_usage(set, usage)
		n += nvme_mptcp_usage_dead(usage);
	return n;
}

bool mptcp_ctrl_is_down(nvme_mptcp_ctrl_t ctrl)
{
	static const char *const states[] = { "new",	  "resetting",	      "connecting",
					      "deleting", "deleting (no IO)", "dead" };
	const char *state = nvme_mptcp_ctrl_state(ctrl);

	for (size_t i = 0; state && i < sizeof(states) / sizeof(*states); i++)
		if (!strcmp(state, states[i]))
			return !nvme_mptcp_set_count(nvme_mptcp_ctrl_connections(ctrl));
	return false;
}

void mptcp_put_sentence(struct out *out, const char *text)
{
	const size_t width = MPTCP_WIDTH - MPTCP_INDENT;
	const char *safe = out_safe(out, text);

	while (strlen(safe) > width) {
		size_t n = width;

		while (n && safe[n] != ' ')
			n--;
		if (!n)
			n = strcspn(safe, " ");
		if (!safe[n])
			break;
		out_text(out, "%.*s\n%*s", (int)n, safe, MPTCP_INDENT, "");
		safe += n + 1;
	}
	out_text(out, "%s\n", safe);
}
