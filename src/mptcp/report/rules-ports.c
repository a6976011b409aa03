// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules that compare what the host connects to with the ports of the target. doc/mptcp-rules.md */
#include <errno.h>
#include <stdlib.h>

#include "config.h"
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

/* Return the finding that a trial of the portal failed with this error; NULL if there is none. */
static struct nvme_mptcp_finding *failed_with(struct ports *p, int err)
{
	FOR_EACH(f, p->c->findings->finding, p->c->findings->n) {
		const char *number = f->rule == RULE_C09 ? finding_get_fact(f, "errno") : NULL;

		if (number && atoi(number) == err)
			return f;
	}
	return NULL;
}

/* Explain a refused connection by a port of the target that has the address and another number. */
static void other_number(struct ports *p, const struct socket_address *portal)
{
	struct nvme_mptcp_finding *f = failed_with(p, ECONNREFUSED);
	const struct socket_address any = { portal->ip, 0 };
	const struct target_port *port = find_port(p->target, &any);

	if (!f || !port || !snapshot_find_address(p->target->snap, &portal->ip))
		return;
	finding_drop_fixes(f);
	finding_why(p->c, f,
		    "Connecting to the target at %s fails: no port of it has the number %u. Port "
		    "%s is at %s and has the number %u",
		    p->host->trial->portal_text, portal->port, port->name, port->traddr,
		    port->address.port);
	finding_fact(p->c, f, "trsvcid", "%u", port->address.port);
	finding_fix(p->c, f, NVME_MPTCP_ROLE_HOST,
		    NVME_MPTCP_COMMAND " check --traddr %s --trsvcid %u",
		    ADDRESS_STRING(&portal->ip), port->address.port);
}

/* Explain a refused connection over IPv4 by a port whose listener takes IPv6 only. */
static void no_ipv4(struct ports *p, const struct socket_address *portal,
		    const struct target_port *port)
{
	struct nvme_mptcp_finding *f = failed_with(p, ECONNREFUSED);

	if (!f || !address_is_v4(&portal->ip) || !IN6_IS_ADDR_UNSPECIFIED(&port->address.ip) ||
	    p->target->ops->setting(p->target, "net/ipv6/bindv6only") != 1)
		return;
	finding_drop_fixes(f);
	f->side = NVME_MPTCP_ROLE_TARGET;
	finding_why(p->c, f,
		    "Connecting to the target at %s fails: its port %s is at ::, and takes IPv6 "
		    "only, because net.ipv6.bindv6only is set there",
		    p->host->trial->portal_text, port->name);
	finding_fact(p->c, f, "bindv6only", "1");
	finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "sysctl -w net.ipv6.bindv6only=0");
	fix_port(p->target, f, port, "addr_traddr", "::");
}

/* Explain a connection without an answer by a hop limit that the target's answers use up. */
static void hop_limit(struct ports *p, const struct socket_address *portal)
{
	struct nvme_mptcp_finding *f = failed_with(p, ETIMEDOUT);
	const int64_t ttl = p->target->ops->setting(p->target, "net/ipv4/ip_default_ttl");
	struct route_answer back = {};
	struct path_ends ends;

	if (!f || ttl < 1 || ttl >= FEW_HOPS || !address_is_v4(&portal->ip) || !p->host->trial ||
	    !check_portal_ends(p->host, &ends) ||
	    p->target->ops->route(p->target, &portal->ip, 0, &ends.local, &back) || !back.gateway)
		return;
	finding_drop_fixes(f);
	f->side = NVME_MPTCP_ROLE_TARGET;
	finding_why(p->c, f,
		    "Connecting to the target at %s fails: no answer. The target sends with a hop "
		    "limit (TTL) of %lld, which is used up in a router on the way back to %s: its "
		    "setting net/ipv4/ip_default_ttl is too small",
		    p->host->trial->portal_text, (long long)ttl, ADDRESS_STRING(&ends.local));
	finding_number(p->c, f, "ip_default_ttl", ttl);
	finding_fix(p->c, f, NVME_MPTCP_ROLE_TARGET, "sysctl -w net.ipv4.ip_default_ttl=64");
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

/* Explain a trial that failed by the target's ports and settings. */
static void explain_failure(struct ports *p, const struct socket_address *portal)
{
	const struct socket_address named = {
		portal->ip,
		portal->port ? portal->port : p->host->trial->portal.port,
	};
	const struct target_port *port = find_port(p->target, &named);

	hop_limit(p, &named);
	if (port)
		no_ipv4(p, &named, port);
	else
		other_number(p, &named);
}

void peer_compare_ports(struct check *c, struct check *host, struct check *target)
{
	struct ports ports = { c, host, target }, *p = &ports;

	for (size_t i = 0; i < p->host->n_portals && !p->c->err; i++) {
		const struct socket_address *portal = &p->host->portals[i].address;
		const struct target_port *port = find_port(p->target, portal);
		struct nvme_mptcp_finding *f;

		if (p->host->trial && !peer_is_another_target(p->host, p->target, &portal->ip))
			explain_failure(p, portal);
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
