/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters of the network stack: /proc/net/netstat, /proc/net/snmp, /proc/net/stat/nf_conntrack. */
#pragma once

#include "shared/std.h"

/* Group and name point into the parsed text. */
struct counter {
	const char *group; /* "MPTcpExt" */
	const char *name; /* "MPJoinSynTx" */
	int64_t value;
};

struct counters {
	char *text[3]; /* of the files, which the names point into */
	struct counter *counter; /* sorted by group and name */
	size_t n;
};

/*
 * Add the counters in @text: pairs of lines, names and values, that begin with "Group:". @text is
 * modified and must live as long as @ret. Malformed lines are skipped. Return 0 or -ENOMEM.
 */
int counter_parse(char *text, struct counters *ret);

/* Like counter_parse(), for a line of names and hexadecimal lines for each CPU, summed up. */
int counter_parse_cpus(const char *group, char *text, struct counters *ret);

/* Read the counters of the calling thread's network namespace. Return 0 or -errno. */
int counter_load(struct counters *ret);
void counter_sort(struct counters *counters);
void counter_clear(struct counters *counters);

/* Return the value, or NVME_MPTCP_UNKNOWN if the kernel does not have this counter. */
int64_t counter_get(const struct counters *counters, const char *group, const char *name);
