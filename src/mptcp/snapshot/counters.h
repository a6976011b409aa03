/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters of the network stack: /proc/net/netstat, /proc/net/snmp, /proc/net/stat/nf_conntrack. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Names point into the text that was parsed. */
struct counter {
	const char *group; /* "MPTcpExt" */
	const char *name; /* "MPJoinSynTx" */
	int64_t value;
};

struct counters {
	char *text[3]; /* of the files */
	struct counter *counter; /* in the order of group and name */
	size_t n;
};

/*
 * Adds what @text holds: pairs of lines, names and values, that begin with "Group:". Cuts @text into
 * pieces, which must live as long as @ret. What is malformed is left out. 0 or -ENOMEM.
 */
int counter_parse(char *text, struct counters *ret);

/*
 * The same for a line of names and then a line of hexadecimal numbers for each CPU, which are added
 * up.
 */
int counter_parse_cpus(const char *group, char *text, struct counters *ret);

/* Those of the calling thread's network namespace: 0, -ENOMEM, or another -errno. */
int counter_load(struct counters *ret);
void counter_sort(struct counters *counters);
void counter_clear(struct counters *counters);

/* The value, or NVME_MPTCP_UNKNOWN: kernels have different ones. */
int64_t counter_get(const struct counters *counters, const char *group, const char *name);
