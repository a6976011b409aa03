// SPDX-License-Identifier: LGPL-2.1-or-later
/* Preparation of a check, and the order in which rules run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "rules.h"

#define RUN(id, severity, sides, function, title) [RULE_##id] = rule_##function,

static void (*const functions[RULE_COUNT])(struct check *c, enum rule_id rule) = { RULES(RUN) };

static int add_portal(struct check *c, const struct socket_address *address,
		      const struct nvme_mptcp_ctrl *ctrl)
{
	struct portal *portal;

	for (size_t i = 0; i < c->n_portals; i++)
		if (address_port_equal(&c->portals[i].address, address))
			return 0;
	/* Routes are looked up for each portal; more portals show nothing new. */
	if (c->n_portals == MAX_PORTALS)
		return 0;
	portal = array_add(&c->portals, &c->n_portals, sizeof(*portal));
	if (!portal)
		return -ENOMEM;
	portal->address = *address;
	portal->ctrl = ctrl;
	return 0;
}

int check_add_connection(struct check *c, const struct nvme_mptcp_connection *conn)
{
	const struct nvme_mptcp_connection **added =
		array_add(&c->conns, &c->n_conns, sizeof(*added));

	if (!added)
		return -ENOMEM;
	*added = conn;
	return 0;
}

static int add_set(struct check *c, const struct nvme_mptcp_set *set)
{
	int err = 0;

	for (const struct nvme_mptcp_connection *conn = set->first; conn && !err; conn = conn->next)
		err = check_add_connection(c, conn);
	return err;
}

static int prepare_host(struct check *c)
{
	struct nvme_mptcp_snapshot *snap = c->snap;
	int err = 0;

	for (size_t i = 0; i < snap->n_ctrls && !err; i++) {
		struct nvme_mptcp_ctrl *ctrl = &snap->ctrls[i];

		if (!check_covers_ctrl(c, ctrl))
			continue;
		/* The portal of a bypassed controller matters only once a relay carries it. */
		if (ctrl->has_portal && !ctrl->is_bypassed)
			err = add_portal(c, &ctrl->portal, ctrl);
		if (!err)
			err = add_set(c, &ctrl->set);
	}
	for (size_t i = 0; i < snap->n_shared && !err; i++) {
		bool wanted = false;

		for (size_t j = 0; j < snap->shared[i].n_ctrls && !wanted; j++)
			wanted = check_covers_ctrl(c, snap->shared[i].ctrls[j]);
		if (wanted)
			err = add_set(c, &snap->shared[i].set);
	}
	return err;
}

static bool is_port(const struct check *c, const struct socket_address *local)
{
	FOR_EACH(port, c->nvmet.ports, c->nvmet.n_ports)
		if (port->subflows && port->has_address && port->address.port == local->port &&
		    address_covers(&port->address.ip, &local->ip))
			return true;
	return false;
}

static int prepare_target(struct check *c)
{
	int err = 0;

	for (const struct nvme_mptcp_connection *conn = c->snap->other.first; conn && !err;
	     conn = conn->next)
		if (is_port(c, &conn->local))
			err = check_add_connection(c, conn);
	return err;
}

static int add_address(struct check *c, const char *traddr, const char *trsvcid)
{
	struct socket_address address = {};
	struct ip_addr ip;
	int64_t port = 0;
	int err;

	if (!traddr)
		return trsvcid ? failure_note(-EINVAL, "trsvcid=%s: a port without an address",
					      trsvcid)
			       : 0;
	c->before_connecting = true;
	err = address_parse(traddr, &ip);
	if (err)
		failure_refuse_address("traddr", traddr, err);
	if (!err && trsvcid && str_parse_int(trsvcid, 1, 65535, &port))
		err = failure_note(-EINVAL, "trsvcid=%s: a port from 1 to 65535 is needed",
				   trsvcid);
	if (err)
		return err;
	address.ip = ip.in6;
	address.port = (uint16_t)port;
	return add_portal(c, &address, NULL);
}

int check_prepare(struct check *c, const char *traddr, const char *trsvcid,
		  enum nvme_mptcp_role role)
{
	int err;

	if ((unsigned int)role > NVME_MPTCP_ROLE_TARGET)
		return failure_note(-EINVAL, "role=%d: unknown side", (int)role);
	if (role != NVME_MPTCP_ROLE_AUTO)
		c->role = 1U << role;
	else
		c->role = (c->snap->n_ctrls || traddr ? ON_HOST : 0) |
			  (target_is_in_netns(&c->nvmet, c->snap) ? ON_TARGET : 0);
	/* If there is nothing else to check, report where the ports are. */
	if (!c->role && check_has_ports(c))
		c->role = ON_TARGET;
	err = add_address(c, traddr, trsvcid);
	/* Before connecting, only the given address matters. */
	if (!err && (c->role & ON_HOST) && !traddr)
		err = prepare_host(c);
	if (!err && (c->role & ON_TARGET))
		err = prepare_target(c);
	return err;
}

static int worst_first(const void *a, const void *b)
{
	const struct nvme_mptcp_finding *x = a, *y = b;

	if (x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

void finding_sort_all(struct nvme_mptcp_findings *findings)
{
	if (findings->n)
		qsort(findings->finding, findings->n, sizeof(*findings->finding), worst_first);
}

int check_run(struct check *c)
{
	struct nvme_mptcp_findings *findings = c->findings;

	findings->role |= c->role;
	for (enum rule_id rule = 0; rule < RULE_COUNT && !c->err; rule++) {
		unsigned int sides = rule_get(rule)->sides;

		if (!sides || (sides & c->role))
			functions[rule](c, rule);
	}
	check_suggest_deletion(c);
	finding_sort_all(findings);
	return c->err;
}

void check_clear(struct check *c)
{
	target_clear(&c->nvmet);
	free(c->portals);
	free(c->conns);
	free(c->idle);
	free(c->owners);
	for (int role = 0; role <= NVME_MPTCP_ROLE_TARGET; role++)
		nvme_mptcp_plan_free(c->plan[role]);
	keep_own_clear(&c->kept.own);
	nl_close(&c->nl);
}
