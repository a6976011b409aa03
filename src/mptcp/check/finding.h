/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What rules say: a finding's text, evidence and commands. */
#pragma once

#include "rules.h"

/* Add a finding. Returns NULL if out of memory; all functions below accept NULL. */
struct nvme_mptcp_finding *finding_add(struct check *c, enum rule_id rule, struct subject subject);
/* Add a finding about a path. Returns NULL also if the rule already has one for this path. */
struct nvme_mptcp_finding *finding_add_path(struct check *c, enum rule_id rule,
					    const struct in6_addr *local,
					    const struct in6_addr *remote);
/* Add a finding about the counters in @names (NULL ends it) that have grown; NULL if none has. */
struct nvme_mptcp_finding *finding_add_growth(struct check *c, enum rule_id rule,
					      struct subject subject, const char *const *names);
/* Replace what the rule's row has. */
void finding_set_severity(struct nvme_mptcp_finding *f, enum nvme_mptcp_severity severity);
void finding_set_side(struct nvme_mptcp_finding *f, enum nvme_mptcp_role side);
/* Set the reason: a complete sentence that can be read on its own. Returns @f. */
struct nvme_mptcp_finding *finding_why(struct check *c, struct nvme_mptcp_finding *f,
				       const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void finding_why_more(struct check *c, struct nvme_mptcp_finding *f, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Set the reason to the finding's subject followed by this text: "Endpoint 2 (10.1.2.2)" ... */
struct nvme_mptcp_finding *finding_why_subject(struct check *c, struct nvme_mptcp_finding *f,
					       const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void finding_fact(struct check *c, struct nvme_mptcp_finding *f, const char *key, const char *fmt,
		  ...) __attribute__((format(printf, 4, 5)));
void finding_number(struct check *c, struct nvme_mptcp_finding *f, const char *key, int64_t value);
/* Return the endpoint that a finding is about; the link, also that of the endpoint; or NULL. */
const struct nvme_mptcp_endpoint *finding_endpoint(const struct check *side,
						   const struct nvme_mptcp_finding *f);
const struct nvme_mptcp_link *finding_link(const struct check *side,
					   const struct nvme_mptcp_finding *f);
/* Return the value of evidence @key, or NULL. */
const char *finding_get_fact(const struct nvme_mptcp_finding *f, const char *key);
/* Probe result: the refused port is closed. */
#define FACT_CLOSED "closed_port"
#define FACT_REJECTED_BY "rejected_by"
#define FACT_NEXT_HOP "next_hop"
#define FACT_ROUTER "router"
#define FACT_OWN_ROUTE "own_route"
#define FACT_REMOTE "remote"
#define FACT_LEAVES_BY "leaves_by"
#define FACT_JOINS "joins"
#define FACT_TARGET_THERE "target_there"
#define FACT_RIGHT_ROUTER "right_router"
/* The link that carries a subflow which belongs on an unused link. It explains C14. */
#define FACT_CROWDED "crowded"
/* Reason for FACT_CROWDED. */
#define ROUTES_CHOOSE "routes choose the link of subflows that follow announcements"
/* Add a command for a shell. On the checked side it enters the snapshot's network namespace. */
void finding_fix(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Add a command that runs in network namespace @netns of this machine. */
void finding_fix_in(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
		    const char *netns, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Add a command that already contains its namespace. */
void finding_fix_verbatim(struct check *c, struct nvme_mptcp_finding *f, enum nvme_mptcp_role side,
			  const char *command);

/* Set the kind of the command that was added last. */
void finding_fix_is(struct nvme_mptcp_finding *f, enum fix_kind kind);

/* Write findings as nvme_mptcp_findings_to_json() does. */
void finding_encode_all(struct json_stream *s, const char *key, nvme_mptcp_findings_t findings);

void finding_drop_fixes(struct nvme_mptcp_finding *f);
void finding_clear(struct nvme_mptcp_finding *f);
/* Drop the findings for which @is_gone is true. Returns their number. */
size_t finding_drop_if(struct nvme_mptcp_findings *all,
		       bool (*is_gone)(const struct nvme_mptcp_finding *f, const void *arg),
		       const void *arg);
