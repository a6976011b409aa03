// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp explain */
#include <string.h>
#include <strings.h>

#include "explain.h"
#include "mptcp.h"

#define LABEL_WIDTH 16
#define TEXT_WIDTH 82

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

/* A label, and beside it the text in lines that fit. */
static void show_text(struct out *out, const char *label, const char *text)
{
	size_t length = strlen(text), n;

	for (size_t at = 0; at < length; at += n + strspn(&text[at + n], " ")) {
		n = length - at;
		if (n > TEXT_WIDTH) {
			for (n = TEXT_WIDTH; n && text[at + n] != ' '; n--)
				;
			if (!n)
				n = TEXT_WIDTH;
		}
		out_text(out, "  %-*s%.*s\n", LABEL_WIDTH, at ? "" : label, (int)n, &text[at]);
	}
}

static void explain_rule(struct out *out, const struct rule_text *rule)
{
	out_text(out, "%s  %s  (%s, side: %s)\n", out_paint(out, OUT_BOLD, rule->name),
		 title_of(rule), nvme_mptcp_severity_name(rule->severity), rule->side);
	show_text(out, "finds", rule->finds);
	show_text(out, "decided by", rule->decided);
	if (rule->mends)
		show_text(out, "what mends it", rule->mends);
	/* As wide as a check prints it: there is no room to indent it. */
	if (rule->example)
		out_text(out, "  example\n\n%s", rule->example);
	out_object(out, NULL);
	put_head(out, rule);
	out_str(out, "finds", rule->finds);
	out_str(out, "decided_by", rule->decided);
	out_str(out, "mends", rule->mends);
	out_str(out, "example", rule->example);
	out_end(out);
}

static int explain(struct command *cmd)
{
	struct out *out = cmd->out;

	for (int i = 0; i < cmd->argc; i++)
		if (!find(cmd->argv[i]))
			return command_fail(cmd, 0,
					    "%s: there is no such rule (nvme mptcp explain lists "
					    "them)",
					    cmd->argv[i]);
	out_object(out, NULL);
	if (!cmd->argc)
		list_rules(out);
	else
		out_array(out, "rules");
	for (int i = 0; i < cmd->argc; i++) {
		const struct rule_text *rule = find(cmd->argv[i]);

		out_text(out, "%s", i ? "\n" : "");
		if (rule)
			explain_rule(out, rule);
	}
	if (cmd->argc)
		out_end(out);
	return out_end(out);
}

const struct command_spec mptcp_explain_command = {
	.name = "explain",
	.summary = "Explain the rules of a check",
	.operands = "[RULE...]",
	.description =
		"Explains what rules of nvme mptcp check find, how they decide, what mends it, and shows an\n"
		"example of what is printed; without a rule, lists all of them. SIDE is where a rule applies:\n"
		"host, target, both, or any machine.",
	.options = explain_options,
	.formats = OUT_TEXT | OUT_JSON,
	.max_operands = -1,
	.run = explain,
};
