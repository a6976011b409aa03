/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The other side as its report describes it: a snapshot, and answers of its kernel. */
#pragma once

#include "mptcp/check/rules.h"
#include <nvme/mptcp/report.h>
#include "mptcp/snapshot/routes.h"

#define REPORT_KIND "nvme-mptcp"
#define REPORT_VERSION 1

/* A number below /proc/sys/. */
struct peer_setting {
	char *path;
	int64_t value;
};

#define PEER_RULE 16

/* What that machine found; its texts. The rule may be one of a later version. */
struct peer_finding {
	char rule[PEER_RULE];
	enum nvme_mptcp_severity severity;
	char *subject, *why;
};

struct nvme_mptcp_peer {
	struct nvme_mptcp_snapshot *snap;
	struct nvme_mptcp_snapshot *before; /* its counters only; NULL if there was one look */
	char *file; /* that it was read from */
	char *hostname;
	int64_t taken; /* s */
	bool has_ipv6;
	unsigned int role; /* ON_*, as that machine judged itself */
	struct peer_finding *findings;
	size_t n_findings;
	struct peer_setting *settings;
	size_t n_settings;
	struct target_port *ports;
	size_t n_ports;
	struct routes routes;
	bool has_routes; /* all of them */
};

struct nvme_mptcp_peer *peer_new(void);

/* What a report holds. 0, -EPROTO with *@error set, -ENOMEM. */
int peer_parse(const char *file, const char *text, size_t length, struct nvme_mptcp_peer **ret,
	       char **error);

int64_t peer_setting(const struct nvme_mptcp_peer *peer, const char *path);

/*
 * Adds to the findings of @c what the report shows: the rules of the other side, and those that
 * need both. Takes back what it refutes. 0, -EPROTO if the report is of this side, -ENOMEM.
 */
int peer_check(struct check *c, struct nvme_mptcp_peer *peer);

/* peer-plan.c: what setup would do on the other side, as check_ops have it. */
int peer_plan(struct check *c, enum nvme_mptcp_role role, const char *const *traddrs,
	      nvme_mptcp_plan_t *ret);

/* rules-peer.c: what only both sides together show; @c, one of them, takes the findings. */
int peer_compare(struct check *c, struct check *host, struct check *target);

/* rules-both.c: addresses that both have; @c takes the findings. */
void peer_compare_addresses(struct check *c, const struct check *host, const struct check *target);

/* The same of joins that failed, and whether a finding of one side has its cause on the other one. */
void peer_compare_joins(struct check *c, struct check *host, struct check *target);
bool peer_has_cause(struct check *c, struct check *host, struct check *target,
		    const struct nvme_mptcp_finding *f);

/* rules-peer.c: the link of @side whose network @ip is in; 0 if it is farther away. */
int peer_neighbour_link(const struct check *side, const struct in6_addr *ip);
