/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of doc/mptcp-rules.md about each rule. tools/gen-rules.py generates the table. */
#pragma once

#include <nvme/mptcp.h>

struct rule_text {
	const char *name; /* "H08"; NULL ends the table */
	enum nvme_mptcp_severity severity;
	const char *side; /* "host", "target", "both", "any" */
	const char *finds; /* one short phrase */
	const char *meaning; /* meaning, decided and fix: full sentences */
	const char *decided;
	const char *fix;
	const char *example; /* transcript of a shell session */
};

extern const struct rule_text rule_texts[];

/* A former rule number and the rule that includes it now. */
struct rule_former {
	const char *name; /* NULL ends the table */
	const char *now;
};

extern const struct rule_former rule_formers[];
