// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Findings that only the other side could make, with its kernel or packets of its own. They are
 * taken over as text, with its evidence, and commands of this side's own. doc/mptcp-rules.md
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "peer.h"

#define MOST_WHY 2048

struct told {
	struct check *c; /* receives the findings */
	const struct check *host, *target;
	const struct check *other; /* the side that reported */
};

/* True for what a report cannot show: the fate of packets, or what that kernel alone knows. */
static bool is_seen(enum rule_id rule, enum nvme_mptcp_subject kind)
{
	switch (rule) {
	case RULE_F01:
	case RULE_F02:
	case RULE_F03:
	case RULE_R05:
		return kind == NVME_MPTCP_SUBJECT_PATH;
	case RULE_R01:
		return kind == NVME_MPTCP_SUBJECT_ADDRESS;
	case RULE_F10:
	case RULE_R08:
	case RULE_T03:
		return kind == NVME_MPTCP_SUBJECT_PATH || kind == NVME_MPTCP_SUBJECT_ENDPOINT;
	case RULE_A12:
	case RULE_A13:
	case RULE_C17:
		return true;
	default:
		return false;
	}
}

static bool is_printable(const char *text)
{
	for (const char *c = text; *c; c++)
		if (!isprint((unsigned char)*c))
			return false;
	return *text && strlen(text) <= MOST_WHY;
}

/* True if the path leads to this target; the host may have others. */
static bool leads_to(const struct check *target, const struct in6_addr *remote)
{
	FOR_EACH_ENDPOINT(target, ep)
		if (address_equal(&ep->ip, remote))
			return true;
	return snapshot_find_address(target->snap, remote) != NULL;
}

static bool take_subject(const struct told *t, const struct peer_finding *told, struct subject *ret)
{
	struct subject subject = { .kind = (enum nvme_mptcp_subject)told->kind };
	struct ip_addr ip[SUBJECT_OBJECTS] = {};
	char *end;

	switch (subject.kind) {
	case NVME_MPTCP_SUBJECT_PATH:
		if (!told->object[0] || !told->object[1] ||
		    address_parse(told->object[0], &ip[0]) ||
		    address_parse(told->object[1], &ip[1]) || !leads_to(t->target, &ip[1].in6))
			return false;
		*ret = subject_path(&ip[0].in6, &ip[1].in6);
		return true;
	case NVME_MPTCP_SUBJECT_ADDRESS:
		if (!told->object[0] || address_parse(told->object[0], &ip[0]) ||
		    (!leads_to(t->target, &ip[0].in6) &&
		     !snapshot_find_address(t->host->snap, &ip[0].in6)))
			return false;
		*ret = subject_address(&ip[0].in6);
		return true;
	case NVME_MPTCP_SUBJECT_ENDPOINT:
		if (!told->object[0] || !told->object[1])
			return false;
		subject.number = strtoul(told->object[0], &end, 10);
		FOR_EACH_ENDPOINT(t->other, ep)
			if (!*end && ep->id == subject.number &&
			    !strcmp(ep->address, told->object[1])) {
				*ret = subject_endpoint(ep->id, ep->address);
				return true;
			}
		return false;
	case NVME_MPTCP_SUBJECT_LINK:
		if (!told->object[0] || !plan_link_by_name(t->other->snap, told->object[0]))
			return false;
		*ret = subject_link(told->object[0]);
		return true;
	default:
		return false;
	}
}

static bool is_about_path(const struct nvme_mptcp_finding *f, const void *arg)
{
	const struct subject *path = arg;

	return is_seen(f->rule, f->subject.kind) &&
	       subject_is_path(&f->subject, &path->ip[0], &path->ip[1]);
}

/* Drop what this side worked out from the report alone. False if it has found the same itself. */
static bool make_room(struct told *t, enum rule_id rule, const struct subject *subject,
		      const char *text)
{
	struct nvme_mptcp_findings *all = t->c->findings;

	if (subject->kind != NVME_MPTCP_SUBJECT_PATH) {
		FOR_EACH(f, all->finding, all->n)
			if (f->rule == rule && f->text && !strcmp(f->text, text))
				return false;
		return true;
	}
	/* Of paths, the host knows most. */
	if (t->other != t->host)
		return false;
	finding_drop_if(all, is_about_path, subject);
	return true;
}

/* True if the target's report can decide between several causes, see peer_compare_joins(). */
static bool is_undecided(enum rule_id rule, const struct nvme_mptcp_finding *f,
			 const struct peer_finding *told)
{
	const char *echo = finding_get_fact(f, "echo");

	return rule == RULE_F01	  ? echo && !strcmp(echo, "no answer")
	       : rule == RULE_F02 ? !told->rulesets
	       : rule == RULE_R05 ? finding_get_fact(f, FACT_ANSWERED_FROM) != NULL
				  : rule == RULE_R08 && finding_get_fact(f, FACT_NEXT_HOP);
}

/* Add the commands that the rules of a target print for these. False if there are none. */
static bool fix_on_target(struct told *t, struct nvme_mptcp_finding *f)
{
	const char *link = finding_get_fact(f, "link");

	if (f->subject.kind != NVME_MPTCP_SUBJECT_ENDPOINT || f->side != NVME_MPTCP_ROLE_TARGET)
		return false;
	if (f->rule == RULE_R08 && link && plan_link_by_name(t->target->snap, link)) {
		finding_fix(t->c, f, NVME_MPTCP_ROLE_TARGET, "ip link set dev %s arp on",
			    LINK_WORD(link));
		return true;
	}
	if (f->rule != RULE_F10)
		return false;
	finding_fix(t->c, f, NVME_MPTCP_ROLE_TARGET, "ip xfrm policy list");
	finding_fix(t->c, f, NVME_MPTCP_ROLE_TARGET, "ip xfrm state list");
	return true;
}

static void take(struct told *t, const struct peer_finding *told, enum rule_id rule,
		 struct subject subject)
{
	const enum nvme_mptcp_role reported =
		t->other == t->host ? NVME_MPTCP_ROLE_HOST : NVME_MPTCP_ROLE_TARGET;
	struct nvme_mptcp_finding *f = finding_add(t->c, rule, subject);

	if (!f)
		return;
	f->severity = told->severity;
	f->side = told->side > 0 ? (enum nvme_mptcp_role)told->side : reported;
	finding_why(t->c, f, "%s", told->why);
	for (size_t i = 0; i < told->n_evidence; i++)
		finding_fact(t->c, f, told->evidence[i].key, "%s", told->evidence[i].value);
	if (t->c->err)
		return;
	for (int role = NVME_MPTCP_ROLE_HOST; role <= NVME_MPTCP_ROLE_TARGET; role++)
		if (told->rulesets & (1U << role))
			finding_fix(t->c, f, (enum nvme_mptcp_role)role, "nft list ruleset");
	/* The same command is printed once. */
	if (told->rulesets || !told->has_fix || fix_on_target(t, f))
		return;
	finding_fix(t->c, f, reported, NVME_MPTCP_COMMAND " check --role %s",
		    nvme_mptcp_role_name(reported));
	if (subject.kind == NVME_MPTCP_SUBJECT_PATH && is_undecided(rule, f, told))
		finding_fix_is(f, FIX_INSPECT);
}

/* True for what the host's report says of a join to another target, which is not asked here. */
static bool is_of_another_target(const struct nvme_mptcp_finding *f, const void *arg)
{
	const struct told *t = arg;

	if (f->subject.kind != NVME_MPTCP_SUBJECT_PATH || leads_to(t->target, &f->subject.ip[1]))
		return false;
	FOR_EACH_SUBFLOW(t->host, conn, sf)
		if (address_equal(&sf->remote.ip, &f->subject.ip[1]) &&
		    peer_is_another_target(t->host, t->target, &conn->remote.ip))
			return true;
	return false;
}

int peer_take_findings(struct check *c, const struct check *host, const struct check *target,
		       const struct check *other)
{
	const struct nvme_mptcp_peer *peer = other->peer;
	struct told t = { c, host, target, other };

	if (other == host)
		finding_drop_if(c->findings, is_of_another_target, &t);
	for (size_t i = 0; i < peer->n_findings && !c->err; i++) {
		const struct peer_finding *told = &peer->findings[i];
		const enum rule_id rule = rule_find(told->rule);
		struct subject subject;

		/* F10 of a target is for information, until a host misses its answers. */
		if (rule != RULE_COUNT && told->kind >= 0 &&
		    (told->severity != NVME_MPTCP_INFO || rule == RULE_F10) &&
		    is_seen(rule, (enum nvme_mptcp_subject)told->kind) && is_printable(told->why) &&
		    take_subject(&t, told, &subject) &&
		    make_room(&t, rule, &subject, told->subject))
			take(&t, told, rule, subject);
	}
	return c->err;
}
