/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The other side as described by its report: a snapshot, and answers of its kernel. */
#pragma once

#include "mptcp/check/rules.h"
#include <nvme/mptcp/report.h>
#include "mptcp/snapshot/routes.h"

#define REPORT_KIND "nvme-mptcp"
#define REPORT_VERSION 1

/* A value in a file below /proc/sys/. */
struct peer_setting {
	char *path;
	int64_t value;
};

#define PEER_RULE 16

/*
 * A finding of that machine, as text. The rule may be from a later version. Objects and evidence are
 * words; others are left out.
 */
struct peer_finding {
	char rule[PEER_RULE];
	enum nvme_mptcp_severity severity;
	char *subject, *why;
	int side, kind; /* enum nvme_mptcp_role, enum nvme_mptcp_subject; -1: unknown */
	char *object[SUBJECT_OBJECTS];
	struct pair *evidence;
	size_t n_evidence;
	bool has_fix;
	unsigned int rulesets; /* ON_*, sides on which it asks for the rules of the firewall */
};

struct nvme_mptcp_peer {
	struct nvme_mptcp_snapshot *snap;
	struct nvme_mptcp_snapshot
		*before; /* its counters only; NULL if the report has no growth */
	char *file; /* name of the report file */
	char *hostname;
	int64_t taken; /* time of the report, in s since the epoch */
	bool has_ipv6;
	unsigned int role; /* ON_*, as that machine determined */
	struct peer_finding *findings;
	size_t n_findings;
	struct peer_setting *settings;
	size_t n_settings;
	struct target_port *ports;
	size_t n_ports;
	struct routes routes;
	bool has_routes; /* routes is complete */
	int filters; /* bits of enum filter, or -ENODATA */
};

struct nvme_mptcp_peer *peer_new(void);

/* Parse a report. Return 0, -EPROTO with *@error set, or -ENOMEM. */
int peer_parse(const char *file, const char *text, size_t length, struct nvme_mptcp_peer **ret,
	       char **error);

int64_t peer_setting(const struct nvme_mptcp_peer *peer, const char *path);

/*
 * Add the findings of the other side's rules and of those that need both sides, and remove what the
 * report disproves. Return 0, -EPROTO if it is of this side, or -ENOMEM.
 */
int peer_check(struct check *c, struct nvme_mptcp_peer *peer);

/* In peer-plan.c: work out a setup of the other side, for check_ops. */
int peer_plan(struct check *c, enum nvme_mptcp_role role, const char *const *traddrs,
	      nvme_mptcp_plan_t *ret);

/* In rules-peer.c: rules that need both sides. Findings are added to @c, which is one of them. */
int peer_compare(struct check *c, struct check *host, struct check *target);

/*
 * In rules-told.c: take over what only the other side could see, with its kernel or its own packets.
 * Findings are added to @c; @other is the side that reported. Return 0 or -ENOMEM.
 */
int peer_take_findings(struct check *c, const struct check *host, const struct check *target,
		       const struct check *other);

#define FACT_PORTAL "portal"
/* In rules-addresses.c: find addresses that both sides have. Findings are added to @c. */
void peer_compare_addresses(struct check *c, const struct check *host, const struct check *target);

/*
 * In rules-filtered.c: say what of the target stops a join that gets no reply, though an echo
 * request does. peer_filters(): bits of enum filter, or -errno.
 */
void peer_explain_filtered(struct check *c, struct check *target, struct nvme_mptcp_finding *f);
int peer_filters(struct check *target);

/*
 * Explain a missing answer by what both sides' links show: VLANs that differ, or bonds. False if
 * nothing does. @there: the target's link.
 */
bool peer_explain_wires(struct check *c, struct check *host, struct check *target,
			struct nvme_mptcp_finding *f, const struct nvme_mptcp_link *there);

/* In rules-ports.c: compare what the host connects to with the target's ports. */
void peer_compare_ports(struct check *c, struct check *host, struct check *target);

/* Explain announced addresses that no route of the host leads to. */
void peer_compare_announced(struct check *c, struct check *host, const struct check *target);

/* In rules-both.c: find out why joins failed, and if a finding has its cause on the other side. */
void peer_compare_joins(struct check *c, struct check *host, struct check *target);
bool peer_has_cause(struct check *c, struct check *host, struct check *target,
		    const struct nvme_mptcp_finding *f);

/* In peer-find.c, for all of them. */

/* True if @rule has found something; make it an error, because it was only a guess of one side. */
bool peer_settles(struct check *c, enum rule_id rule);

/* True if a portal of the host belongs to another target than the one that reported. */
bool peer_is_another_target(const struct check *host, const struct check *target,
			    const struct in6_addr *portal);

/*
 * Return the link of @side with the smallest network that has @ip; 0: behind a router. Of equals,
 * peer_link_of() prefers one.
 */
int peer_neighbour_link(const struct check *side, const struct in6_addr *ip);
int peer_link_of(const struct check *side, const struct in6_addr *ip, int prefer);
