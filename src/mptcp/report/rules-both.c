// SPDX-License-Identifier: LGPL-2.1-or-later
/* What both sides have and only one may have, and what one side's joins meet on the other. doc/mptcp-rules.md */
#include <string.h>
#include <linux/rtnetlink.h>

#include "peer.h"

/* Do connections use it: as the address of an endpoint, or in the network that a portal is in? */
static bool matters(const struct check *host, const struct local_address *address)
{
	FOR_EACH_ENDPOINT(host, ep)
		if (address_equal(&ep->ip, &address->ip))
			return true;
	for (size_t i = 0; i < host->n_conns; i++)
		for (size_t j = 0; j < host->conns[i]->n_subflows; j++)
			if (address_equal(&host->conns[i]->subflows[j].local.ip, &address->ip))
				return true;
	for (size_t i = 0; i < host->n_portals; i++)
		if (link_address_has(address, &host->portals[i].address.ip))
			return true;
	return false;
}

/* Bridges of containers have the same address on every machine, and nobody minds. */
void peer_compare_addresses(struct check *c, const struct check *host, const struct check *target)
{
	for (size_t i = 0; i < host->snap->n_addresses; i++) {
		const struct local_address *ours = &host->snap->addresses[i];
		const struct local_address *theirs = snapshot_find_address(target->snap, &ours->ip);
		char text[ADDRESS_TEXT], here[LINK_TEXT], there[LINK_TEXT];
		struct nvme_mptcp_finding *f;

		if (!theirs || ours->scope != RT_SCOPE_UNIVERSE || address_is_loopback(&ours->ip) ||
		    !matters(host, ours))
			continue;
		address_text(&ours->ip, text);
		link_text(host->snap, ours->ifindex, here);
		link_text(target->snap, theirs->ifindex, there);
		f = finding_add(c, RULE_A13, subject_address(&ours->ip));
		if (f)
			f->side = NVME_MPTCP_ROLE_HOST;
		finding_why(c, f,
			    "Both sides have the address %s, the host on %s and the target on %s: "
			    "what one sends to it never leaves that machine",
			    text, here, there);
		finding_fact(c, f, "host_link", "%s", here);
		finding_fact(c, f, "target_link", "%s", there);
		finding_fix(c, f, NVME_MPTCP_ROLE_HOST, "ip address show to %s", text);
		finding_fix(c, f, NVME_MPTCP_ROLE_TARGET, "ip address show to %s", text);
	}
}

struct both {
	struct check *c; /* which takes findings */
	struct check *host, *target;
};

/* The link that a finding about one, or about an endpoint of one, means on this side; or NULL. */
static const struct nvme_mptcp_link *link_of(const struct check *side,
					     const struct nvme_mptcp_finding *f)
{
	if (f->subject.kind == NVME_MPTCP_SUBJECT_ENDPOINT) {
		FOR_EACH_ENDPOINT(side, ep)
			if (ep->id == f->subject.number)
				return endpoint_carrier(ep);
		return NULL;
	}
	for (size_t i = 0; f->object[0] && i < side->snap->n_links; i++)
		if (!strcmp(side->snap->links[i].name, f->object[0]))
			return &side->snap->links[i];
	return NULL;
}

/* Does the target have the address that a finding's path leads to, and listen there? */
static bool is_open_there(const struct both *p, const struct nvme_mptcp_finding *f)
{
	const struct in6_addr *ip = &f->subject.ip[1];

	for (size_t i = 0; i < p->host->n_portals; i++)
		if (snapshot_find_address(p->target->snap, ip) &&
		    snapshot_has_listener(p->target->snap, ip, p->host->portals[i].address.port))
			return true;
	return false;
}

/* Refused, and not by the target. */
static void refused_by_another(struct both *p)
{
	const size_t n = p->c->findings->n;

	for (size_t i = 0; i < n; i++) {
		struct in6_addr ip = p->c->findings->finding[i].subject.ip[1];
		struct nvme_mptcp_finding *f = &p->c->findings->finding[i];
		const bool closed = finding_get_fact(f, FACT_CLOSED);
		char text[ADDRESS_TEXT];

		if (f->rule != RULE_T03 || f->subject.kind != NVME_MPTCP_SUBJECT_PATH ||
		    !is_open_there(p, f))
			continue;
		address_text(&ip, text);
		f = finding_add(p->c, RULE_A13, subject_address(&ip));
		if (f)
			f->side = NVME_MPTCP_ROLE_HOST;
		finding_why(
			p->c, f,
			"Joins to %s are refused, though the target has that address and listens "
			"there: %s",
			text,
			closed ? "another machine has the same address"
			       : "a firewall of the target rejects them, or another machine has "
				 "the same address");
		if (!closed)
			finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
		finding_fix(p->c, f, NVME_MPTCP_ROLE_HOST, "ip neighbour show to %s", text);
		finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "ip -br link show");
	}
}

/* Has the other side switched off a link in the same network? Then it takes the carrier from this one. */
static bool is_off_there(const struct both *p, const struct nvme_mptcp_finding *f)
{
	const bool on_target = f->side == NVME_MPTCP_ROLE_TARGET;
	const struct check *here = on_target ? p->target : p->host;
	const struct nvme_mptcp_snapshot *there = on_target ? p->host->snap : p->target->snap;
	const struct nvme_mptcp_link *link = link_of(here, f);

	for (size_t i = 0; link && i < there->n_addresses; i++) {
		const struct nvme_mptcp_link *other =
			link_by_index(there, there->addresses[i].ifindex);

		if (other && !nvme_mptcp_link_is_up(other) &&
		    link_network_has(here->snap, link->ifindex, &there->addresses[i].ip))
			return true;
	}
	return false;
}

/*
 * The target answers a join by another link than the one that it came for, and nothing arrives. Where routers
 * lie between, only the join that failed shows it.
 */
static void answers_elsewhere(struct both *p)
{
	const size_t n = p->c->findings->n;

	for (size_t i = 0; i < n; i++) {
		const struct subject subject = p->c->findings->finding[i].subject;
		const struct in6_addr *local = &subject.ip[0], *remote = &subject.ip[1];
		char source[ADDRESS_TEXT], host[ADDRESS_TEXT], link[LINK_TEXT], other[LINK_TEXT];
		const struct local_address *own;
		struct route_answer back = {};
		struct nvme_mptcp_finding *f;

		if (p->c->findings->finding[i].rule != RULE_F01 ||
		    subject.kind != NVME_MPTCP_SUBJECT_PATH)
			continue;
		own = snapshot_find_address(p->target->snap, remote);
		if (!own || check_starts_beside(p->host, local) ||
		    p->target->ops->route(p->target, remote, 0, local, &back) ||
		    back.ifindex == own->ifindex || peer_neighbour_link(p->target, local))
			continue;
		address_text(remote, source);
		address_text(local, host);
		link_text(p->target->snap, back.ifindex, link);
		link_text(p->target->snap, own->ifindex, other);
		f = finding_add(p->c, RULE_R05, subject);
		if (f) {
			f->side = NVME_MPTCP_ROLE_TARGET;
			f->severity = NVME_MPTCP_ERROR;
		}
		finding_why(
			p->c, f,
			"The target answers joins from %s to %s by %s instead of %s, which has that "
			"address, and no answer arrives: a routing rule for packets from %s has to "
			"lead to a table whose routes leave by %s",
			host, source, link, other, source, other);
		finding_fact(p->c, f, "link", "%s", link);
		finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "ip route get %s from %s", host,
			    source);
	}
}

static bool has_answer_elsewhere(const struct both *p, const struct nvme_mptcp_finding *f)
{
	for (size_t i = 0; i < p->c->findings->n; i++)
		if (p->c->findings->finding[i].rule == RULE_R05 &&
		    subject_is_path(&p->c->findings->finding[i].subject, &f->subject.ip[0],
				    &f->subject.ip[1]))
			return true;
	return false;
}

/* Does the target's reverse path filter keep it from answering, to ARP as to anything else? */
static bool is_filtered_there(const struct both *p)
{
	for (size_t i = 0; i < p->c->findings->n; i++)
		if (p->c->findings->finding[i].rule == RULE_R06 &&
		    p->c->findings->finding[i].side == NVME_MPTCP_ROLE_TARGET)
			return true;
	return false;
}

/* Does the target say itself that nothing listens at the address that it announces? */
static bool is_unheard_there(const struct both *p, const struct nvme_mptcp_finding *f)
{
	for (size_t i = 0; i < p->c->findings->n; i++) {
		const struct nvme_mptcp_finding *other = &p->c->findings->finding[i];

		if (other->rule != RULE_T03 || other->subject.kind != NVME_MPTCP_SUBJECT_ENDPOINT)
			continue;
		FOR_EACH_ENDPOINT(p->target, ep)
			if (ep->id == other->subject.number &&
			    address_equal(&ep->ip, &f->subject.ip[1]))
				return true;
	}
	return false;
}

static bool has_found_as(const struct check *c, enum rule_id rule,
			 enum nvme_mptcp_severity severity)
{
	for (size_t i = 0; i < c->findings->n; i++)
		if (c->findings->finding[i].rule == rule &&
		    c->findings->finding[i].severity == severity)
			return true;
	return false;
}

void peer_compare_joins(struct check *c, struct check *host, struct check *target)
{
	struct both both = { c, host, target };

	refused_by_another(&both);
	answers_elsewhere(&both);
}

bool peer_has_cause(struct check *c, struct check *host, struct check *target,
		    const struct nvme_mptcp_finding *f)
{
	const struct both both = { c, host, target };

	switch (f->rule) {
	case RULE_A07:
		return check_has_found(c, RULE_A06) && is_off_there(&both, f);
	case RULE_F01:
		return f->subject.kind == NVME_MPTCP_SUBJECT_PATH && has_answer_elsewhere(&both, f);
	case RULE_F04:
		return has_found_as(c, RULE_T09, NVME_MPTCP_ERROR);
	case RULE_H01:
		/* It announces, and that gets lost or is of no use. */
		return check_has_found(c, RULE_F08) || check_has_found(c, RULE_A04) ||
		       has_found_as(c, RULE_T01, NVME_MPTCP_WARNING);
	case RULE_R08:
		return is_filtered_there(&both);
	case RULE_T03:
		return f->subject.kind == NVME_MPTCP_SUBJECT_PATH &&
		       (is_unheard_there(&both, f) ||
			(check_has_found(c, RULE_A13) && is_open_there(&both, f)));
	default:
		return false;
	}
}
