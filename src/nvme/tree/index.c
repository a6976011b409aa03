/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Controllers of a subsystem by transport and address, so that finding one does not look at all.
 * Only subsystems with many controllers have the index. Its keys are coarser than a match: what
 * they find is compared in full.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../addr.h"
#include "../cleanup.h"
#include "../str.h"
#include "private.h"

#define INDEX_FROM 16

static int canonical(const struct transport *transport, const char *traddr, char **ret)
{
	static const char hex[] = "0123456789abcdef";
	struct ip_addr ip;
	char *text;

	if (transport->match != MATCH_STRINGS && !ip_parse(traddr, &ip)) {
		text = malloc(2 * sizeof(ip.in6) + 1);
		if (!text)
			return -ENOMEM;
		for (size_t i = 0; i < sizeof(ip.in6); i++) {
			text[2 * i] = hex[ip.in6.s6_addr[i] >> 4];
			text[2 * i + 1] = hex[ip.in6.s6_addr[i] & 0xf];
		}
		text[2 * sizeof(ip.in6)] = '\0';
	} else {
		text = strdup(traddr);
		if (!text)
			return -ENOMEM;
		for (char *p = text; *p; p++)
			*p = (char)tolower((unsigned char)*p);
	}
	*ret = text;
	return 0;
}

static char *portal_key(const struct transport *transport, const char *name, const char *traddr,
			const char *trsvcid)
{
	_cleanup_(free) char *address = NULL;
	char *key = NULL;

	if (!str_is_unset(traddr) && canonical(transport, traddr, &address))
		return NULL;
	if (transport->match != MATCH_IP_STRICT || str_is_unset(trsvcid))
		trsvcid = "";
	if (asprintf(&key, "%s,%s,%s", name, address ? address : "", trsvcid) < 0)
		return NULL;
	return key;
}

/* Without memory for the index, searching the list is slower and as right. */
void index_clear(struct nvme_subsystem *s)
{
	struct nvme_ctrl *c;

	map_free(s->ctrls_by_portal);
	s->ctrls_by_portal = NULL;
	TAILQ_FOREACH(c, &s->ctrls, entry) {
		free(c->portal);
		c->portal = NULL;
		c->next_same_portal = NULL;
	}
}

static int insert(struct nvme_subsystem *s, struct nvme_ctrl *c)
{
	struct nvme_ctrl *other;

	c->portal = portal_key(c->transport, c->transport_name, c->traddr, c->trsvcid);
	if (!c->portal)
		return -ENOMEM;
	/* Newest first: the order of the list is in the serial numbers. */
	other = map_get(s->ctrls_by_portal, c->portal);
	if (map_put(s->ctrls_by_portal, c->portal, c))
		return -ENOMEM;
	c->next_same_portal = other;
	return 0;
}

void index_add(struct nvme_subsystem *s, struct nvme_ctrl *c)
{
	struct nvme_ctrl *each;

	if (s->ctrls_by_portal) {
		if (insert(s, c))
			index_clear(s);
		return;
	}
	if (s->n_ctrls < INDEX_FROM)
		return;
	s->ctrls_by_portal = map_new(2 * INDEX_FROM);
	if (!s->ctrls_by_portal)
		return;
	TAILQ_FOREACH(each, &s->ctrls, entry)
		if (insert(s, each)) {
			index_clear(s);
			return;
		}
}

void index_del(struct nvme_subsystem *s, struct nvme_ctrl *c)
{
	struct nvme_ctrl *first;

	if (!c->portal)
		return;
	first = map_get(s->ctrls_by_portal, c->portal);
	if (first == c) {
		if (c->next_same_portal)
			map_put(s->ctrls_by_portal, c->portal, c->next_same_portal);
		else
			map_del(s->ctrls_by_portal, c->portal);
	} else {
		while (first && first->next_same_portal != c)
			first = first->next_same_portal;
		if (first)
			first->next_same_portal = c->next_same_portal;
	}
	free(c->portal);
	c->portal = NULL;
	c->next_same_portal = NULL;
}

static bool fits(struct nvme_ctrl *c, const struct ctrl_query *query, const struct nvme_ctrl *after,
		 bool (*accept)(const struct nvme_ctrl *c))
{
	return (!after || c->serial_number > after->serial_number) && (!accept || accept(c)) &&
	       ctrl_matches(c, query);
}

static struct nvme_ctrl *find_in_chain(struct nvme_ctrl *c, const struct ctrl_query *query,
				       const struct nvme_ctrl *after,
				       bool (*accept)(const struct nvme_ctrl *c),
				       struct nvme_ctrl *best)
{
	for (; c; c = c->next_same_portal)
		if ((!best || c->serial_number < best->serial_number) &&
		    fits(c, query, after, accept))
			best = c;
	return best;
}

struct nvme_ctrl *index_find(struct nvme_subsystem *s, const struct ctrl_query *query,
			     const struct nvme_ctrl *after,
			     bool (*accept)(const struct nvme_ctrl *c))
{
	_cleanup_(free) char *key = NULL;
	struct nvme_ctrl *c;

	/* Loosely compared transports match any address where none is given. */
	if (s && s->ctrls_by_portal && query->transport_name &&
	    (query->transport->match == MATCH_IP_STRICT || !str_is_unset(query->traddr)))
		key = portal_key(query->transport, query->transport_name, query->traddr,
				 query->trsvcid);
	if (key) {
		_cleanup_(free) char *any = NULL;

		c = find_in_chain(map_get(s->ctrls_by_portal, key), query, after, accept, NULL);
		if (query->transport->match == MATCH_IP_STRICT)
			return c;
		any = portal_key(query->transport, query->transport_name, NULL, NULL);
		if (any)
			return find_in_chain(map_get(s->ctrls_by_portal, any), query, after, accept,
					     c);
	}
	for (c = nvme_subsystem_first_ctrl(s); c; c = nvme_subsystem_next_ctrl(s, c))
		if (fits(c, query, after, accept))
			return c;
	return NULL;
}
