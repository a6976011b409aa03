// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp explain */
#include <strings.h>

#include "explain.h"
#include "mptcp.h"

#define TEXT_INDENT 4

static const struct arg explain_options[] = {
	OPT_FORMAT,
	OPT_VERBOSE,
	OPT_END,
};

static const char *title_of(const struct rule_text *rule)
{
	const char *title = NULL, *id;

	for (size_t i = 0; (id = nvme_mptcp_rule(i, &title)); i++)
		if (!strcmp(id, rule->name))
			return title;
	return rule->finds;
}

static const struct rule_text *find(const char *name)
{
	for (const struct rule_former *former = rule_formers; former->name; former++)
		if (!strcasecmp(former->name, name))
			name = former->now;
	for (const struct rule_text *rule = rule_texts; rule->name; rule++)
		if (!strcasecmp(rule->name, name))
			return rule;
	return NULL;
}

static void put_head(struct out *out, const struct rule_text *rule)
{
	out_str(out, "rule", rule->name);
	out_str(out, "severity", nvme_mptcp_severity_name(rule->severity));
	out_str(out, "side", rule->side);
	out_str(out, "title", title_of(rule));
}

static void list_rules(struct out *out)
{
	out_table(out, "rules", "RULE", "SEVERITY", "SIDE", "TITLE");
	for (const struct rule_text *rule = rule_texts; rule->name; rule++) {
		out_row(out);
		put_head(out, rule);
	}
	out_end(out);
}

static void show_part(struct out *out, const char *heading, const char *text)
{
	out_text(out, "\n%s\n", out_paint(out, OUT_BOLD, heading));
	mptcp_show_wrapped(out, TEXT_INDENT, text);
}

static void explain_rule(struct out *out, const struct rule_text *rule)
{
	out_text(out, "%s  %s  (%s, side: %s)\n", out_paint(out, OUT_BOLD, rule->name),
		 title_of(rule), nvme_mptcp_severity_name(rule->severity), rule->side);
	show_part(out, "Meaning", rule->meaning);
	show_part(out, "How it is decided", rule->decided);
	show_part(out, "Fix", rule->fix);
	/* Not indented: the example is as wide as the output of check. */
	out_text(out, "\n%s\n%s", out_paint(out, OUT_BOLD, "Example"), rule->example);
	out_object(out, NULL);
	put_head(out, rule);
	out_str(out, "finds", rule->finds);
	out_str(out, "meaning", rule->meaning);
	out_str(out, "decided_by", rule->decided);
	out_str(out, "fix", rule->fix);
	out_str(out, "example", rule->example);
	out_end(out);
}

static int explain(struct command *cmd)
{
	struct out *out = cmd->out;

	for (int i = 0; i < cmd->argc; i++)
		if (!find(cmd->argv[i]))
			return command_fail(cmd, 0,
					    "%s: unknown rule (" NVME_MPTCP_COMMAND
					    " explain lists "
					    "them)",
					    cmd->argv[i]);
	out_object(out, NULL);
	if (!cmd->argc)
		list_rules(out);
	else
		out_array(out, "rules");
	for (int i = 0; i < cmd->argc; i++) {
		const struct rule_text *rule = find(cmd->argv[i]);

		out_text(out, "%s", i ? "\n\n" : "");
		if (rule)
			explain_rule(out, rule);
	}
	if (cmd->argc)
		out_end(out);
	return out_end(out);
}

const struct command_spec mptcp_explain_command = {
	.name = "explain",
	.summary = "Explain the rules of check",
	.operands = "[RULE...]",
	.description =
		"Explains rules of check: what each means, how it is evaluated, how to fix the problem, and an\n"
		"example. Without a rule, lists all of them. SIDE is where a rule applies: host, target, both, or any\n"
		"machine.",
	.options = explain_options,
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = -1,
	.run = explain,
};
