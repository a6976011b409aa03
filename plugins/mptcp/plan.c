// SPDX-License-Identifier: GPL-2.0-or-later
/* Print plans, and parse the options that they are made from. */
#include "plan.h"

#define MAX_LIST 64

void plan_list_free(const char **list)
{
	if (!list)
		return;
	/* All words share one allocation. */
	free((void *)list[MAX_LIST + 1]);
	free(list);
}

int plan_list_split(struct command *cmd, const char *text, const char ***ret)
{
	_cleanup_(free) char *words = NULL;
	const char **list;
	size_t n = 0;
	char *rest;

	if (!text)
		return 0;
	words = strdup(text);
	list = calloc(MAX_LIST + 2, sizeof(*list));
	if (!words || !list) {
		free(list);
		return command_fail(cmd, ENOMEM, NVME_COMMAND " %s", cmd->name);
	}
	rest = words;
	for (char *word; (word = strsep(&rest, ","));) {
		if (!*word || n == MAX_LIST) {
			free(list);
			return command_fail(cmd, 0,
					    "%s: a list is up to %d words, separated by commas",
					    text, MAX_LIST);
		}
		list[n++] = word;
	}
	list[MAX_LIST + 1] = words;
	words = NULL;
	*ret = list;
	return 0;
}

int plan_parse_side(struct command *cmd, const char *text, enum nvme_mptcp_role *ret)
{
	*ret = NVME_MPTCP_ROLE_AUTO;
	if (!text)
		return 0;
	for (int role = NVME_MPTCP_ROLE_HOST; role <= NVME_MPTCP_ROLE_TARGET; role++) {
		if (strcmp(text, nvme_mptcp_role_name(role)))
			continue;
		*ret = role;
		return 0;
	}
	return command_fail(cmd, 0, "--role=%s: use host or target", text);
}

static enum out_colour colour_of(enum nvme_mptcp_step_state state)
{
	switch (state) {
	case NVME_MPTCP_STEP_PLANNED:
		return OUT_PLAIN;
	case NVME_MPTCP_STEP_DONE:
		return OUT_GREEN;
	case NVME_MPTCP_STEP_UNDONE:
		return OUT_YELLOW;
	case NVME_MPTCP_STEP_FAILED:
	case NVME_MPTCP_STEP_STUCK:
		break;
	}
	return OUT_RED;
}

void plan_show_steps(struct command *cmd, nvme_mptcp_plan_t plan)
{
	struct out *out = cmd->out;
	bool first = true;

	nvme_mptcp_for_each_step(plan, step) {
		enum nvme_mptcp_step_state state = nvme_mptcp_step_state(step);
		const char *error = nvme_mptcp_step_error(step);

		if (first)
			out_text(out, "\n");
		first = false;
		out_text(out, "%s\n", out_safe(out, nvme_mptcp_step_command(step)));
		out_text(out, "%*s", MPTCP_INDENT, "");
		mptcp_put_sentence(out, nvme_mptcp_step_why(step));
		if (state == NVME_MPTCP_STEP_PLANNED)
			continue;
		out_text(out, "       %s%s%s\n",
			 out_paint(out, colour_of(state), nvme_mptcp_step_state_name(state)),
			 error ? ": " : "", error ? out_safe(out, error) : "");
	}
}

static void show_note(struct out *out, const char *text, enum nvme_mptcp_role side,
		      const char *command)
{
	out_text(out, "note   ");
	mptcp_put_sentence(out, text);
	if (command)
		out_text(out, "       %s# %s\n",
			 side == NVME_MPTCP_ROLE_AUTO ? "" : nvme_mptcp_role_name(side),
			 out_safe(out, command));
}

void plan_show_notes(struct command *cmd, nvme_mptcp_plan_t plan, enum plan_notes which)
{
	struct out *out = cmd->out;
	enum nvme_mptcp_role side;
	const char *text, *command;
	bool first = true;

	for (size_t i = 0; (text = nvme_mptcp_plan_note(plan, i, &side, &command)); i++) {
		bool is_here = side == NVME_MPTCP_ROLE_AUTO;

		if (which == (is_here ? PLAN_NOTES_THERE : PLAN_NOTES_HERE))
			continue;
		if (first)
			out_text(out, "\n");
		first = false;
		show_note(out, text, side, command);
	}
}

int plan_show_json(struct command *cmd, nvme_mptcp_plan_t plan)
{
	_cleanup_(free) char *document = nvme_mptcp_plan_to_json(plan, false);

	if (!document)
		return command_fail(cmd, errno, NVME_COMMAND " %s", cmd->name);
	out_json(cmd->out, NULL, document);
	return 0;
}

int plan_apply_failed(struct command *cmd, int err)
{
	if (err == EPERM)
		command_warn(cmd, 0, "nothing was changed: root is required (CAP_NET_ADMIN)");
	else
		command_warn(cmd, err, "some steps failed");
	return 1;
}
