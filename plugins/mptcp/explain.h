/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of doc/mptcp-rules.md about each rule; tools/gen-rules.py makes the table. */
#pragma once

#include <nvme/mptcp.h>

struct rule_text {
	const char *name; /* "H08"; NULL ends the table */
	enum nvme_mptcp_severity severity;
	const char *side; /* "host", "target", "both", "any" */
	const char *finds; /* in a few words */
	const char *meaning; /* this and the next two: sentences */
	const char *decided;
	const char *mends;
	const char *example; /* lines of a session */
};

extern const struct rule_text rule_texts[];

/* A number that stands for a rule which has taken it in. */
struct rule_former {
	const char *name; /* NULL ends the table */
	const char *now;
};

extern const struct rule_former rule_formers[];
