// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules that compare what the host connects to with the ports of the target. doc/mptcp-rules.md */
#include "peer.h"
#include "mptcp/trial/trial-state.h"

struct ports {
	struct check *c; /* receives the findings */
	struct check *host, *target;
};

static const struct target_port *find_port(const struct check *target,
					   const struct socket_address *portal)
{
	FOR_EACH(port, target->nvmet.ports, target->nvmet.n_ports)
		if (port->has_address && address_covers(&port->address.ip, &portal->ip) &&
		    (!portal->port || port->address.port == portal->port))
			return port;
	return NULL;
}

static void wrong_transport(struct ports *p, const struct socket_address *portal,
			    const struct target_port *port)
{
	struct nvme_mptcp_finding *f;

	if (peer_settles(p->c, RULE_T08))
		return;
	f = finding_add(p->c, RULE_T08, subject_portal(ADDRESS_PORT_STRING(portal)));
	peer_settles(p->c, RULE_T08);
	finding_why(p->c, f,
		    "Port %s of the target, which the host connects to, has trtype %s: the host "
		    "gets plain TCP, over one link",
		    port->name, port->trtype ? port->trtype : "(none)");
	finding_fact(p->c, f, "port", "%s", port->name);
	finding_fact(p->c, f, "addr_trtype", "%s", port->trtype ? port->trtype : "");
	fix_plain_port(p->target, f, port);
}

static void no_port(struct ports *p, const struct socket_address *portal)
{
	struct nvme_mptcp_finding *f;
	const char *text = ADDRESS_PORT_STRING(portal);

	if (check_has_found(p->c, RULE_C09) || !p->target->nvmet.n_ports)
		return;
	f = finding_why(p->c, finding_add(p->c, RULE_C09, subject_portal(text)),
			"No port of the target is at %s: its ports have other addresses", text);
	finding_fact(p->c, f, "ports", "%zu", p->target->nvmet.n_ports);
	finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET,
		    "grep . /sys/kernel/config/nvmet/ports/*/addr_*");
}

static bool is_fallback(const struct check *c, const struct nvme_mptcp_connection *conn)
{
	(void)c;
	return conn->fallback == 1;
}

/* True if the trial, or a connection to the portal, uses plain TCP although this host has MPTCP. */
static bool is_plain(const struct check *host, const struct socket_address *portal)
{
	if (host->trial)
		return host->trial->outcome == NVME_MPTCP_TRIAL_FALLBACK;
	FOR_EACH_CONN(host, conn)
		if (conn->fallback == 1 && address_port_equal(&conn->remote, portal))
			return !check_has_found(host, RULE_K02);
	return false;
}

void peer_compare_ports(struct check *c, struct check *host, struct check *target)
{
	struct ports ports = { c, host, target }, *p = &ports;

	for (size_t i = 0; i < p->host->n_portals && !p->c->err; i++) {
		const struct socket_address *portal = &p->host->portals[i].address;
		const struct target_port *port = find_port(p->target, portal);
		struct nvme_mptcp_finding *f;

		if (!port) {
			if (!peer_is_another_target(p->host, p->target, &portal->ip))
				no_port(p, portal);
		} else if (!port->subflows) {
			wrong_transport(p, portal, port);
		} else if (is_plain(p->host, portal) && !check_has_found(p->c, RULE_F04) &&
			   !check_has_found(p->c, RULE_T09) &&
			   !check_has_option_loss(p->c, RULE_COUNT)) {
			struct socket_address named = *portal;

			if (!named.port)
				named.port = port->address.port;
			f = finding_why(p->c,
					finding_add(p->c, RULE_F04,
						    subject_portal(ADDRESS_PORT_STRING(&named))),
					"The target offers MPTCP there, but the host gets "
					"plain TCP: something on the path removes the option");
			finding_fact(p->c, f, "addr_trtype", "%s", port->trtype);
			finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "nft list ruleset");
			fix_reset(p->host, f, is_fallback);
		}
	}
}
