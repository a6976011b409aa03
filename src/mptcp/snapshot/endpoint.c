// SPDX-License-Identifier: LGPL-2.1-or-later
#include "command.h"
#include "endpoint.h"
#include "snapshot.h"

const char *const endpoint_flag_names[ENDPOINT_FLAGS] = {
	"signal", "subflow", "backup", "fullmesh", "implicit", "laminar",
};

bool endpoint_has(const struct nvme_mptcp_endpoint *ep, enum nvme_mptcp_endpoint_flag flag)
{
	return ep->flags != NVME_MPTCP_UNKNOWN && (ep->flags & (int64_t)flag);
}

static bool is_implicit(const struct nvme_mptcp_endpoint *ep)
{
	return endpoint_has(ep, NVME_MPTCP_ENDPOINT_IMPLICIT);
}

bool endpoint_starts_by_itself(const struct nvme_mptcp_endpoint *ep)
{
	return endpoint_has(ep, NVME_MPTCP_ENDPOINT_SUBFLOW) && !is_implicit(ep);
}

bool endpoint_starts_when_announced(const struct nvme_mptcp_endpoint *ep)
{
	return (endpoint_has(ep, NVME_MPTCP_ENDPOINT_FULLMESH) ||
		endpoint_has(ep, NVME_MPTCP_ENDPOINT_LAMINAR)) &&
	       !is_implicit(ep);
}

bool endpoint_starts_subflows(const struct nvme_mptcp_endpoint *ep)
{
	return endpoint_starts_by_itself(ep) || endpoint_starts_when_announced(ep);
}

bool endpoint_announces(const struct nvme_mptcp_endpoint *ep)
{
	return endpoint_has(ep, NVME_MPTCP_ENDPOINT_SIGNAL) && !is_implicit(ep);
}

bool endpoint_is_initial(const struct nvme_mptcp_endpoint *ep,
			 const struct nvme_mptcp_connection *conn)
{
	return address_equal(&ep->ip, &conn->local.ip);
}

bool endpoint_has_family(const struct nvme_mptcp_endpoint *ep, const struct in6_addr *ip)
{
	return address_same_family(&ep->ip, ip);
}

bool endpoint_is_usable(const struct nvme_mptcp_endpoint *ep)
{
	if (!ep->link || !link_is_alive(ep->link))
		return false;
	if (ep->device && link_is_loopback_like(ep->link))
		return link_is_alive(ep->device);
	return !ep->ifindex || ep->device == ep->link;
}

bool endpoint_is_misplaced(const struct nvme_mptcp_endpoint *ep)
{
	return ep->device && ep->link && ep->device != ep->link && !link_is_loopback_like(ep->link);
}

const struct nvme_mptcp_link *endpoint_carrier(const struct nvme_mptcp_endpoint *ep)
{
	return ep->device ? ep->device : ep->link;
}

/*
 * Linux 6.12, mptcp_nl_remove_subflow_and_signal_addr(): in each connection with a subflow from the
 * endpoint's address (and port, if it has one), the kernel closes the subflows with the endpoint's
 * id, which is 0 for the initial subflow. It does not show whether the initial subflow belongs to
 * the endpoint, and other kernels compare addresses, so each subflow from the address counts.
 */
bool endpoint_has_subflow(const struct nvme_mptcp_endpoint *ep, const struct nvme_mptcp_subflow *sf)
{
	return address_equal(&sf->local.ip, &ep->ip) && (!ep->port || sf->local.port == ep->port);
}

static bool is_on_one_of(const struct nvme_mptcp_subflow *sf,
			 const struct nvme_mptcp_endpoint *const *eps, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (endpoint_has_subflow(eps[i], sf))
			return true;
	return false;
}

/*
 * If no other subflow carries data, an established one counts even if it carries none: it is all
 * that the connection has when its link comes back.
 */
static bool would_end(const struct nvme_mptcp_connection *conn,
		      const struct nvme_mptcp_endpoint *const *eps, size_t n)
{
	size_t closed = 0;

	for (size_t i = 0; i < conn->n_subflows; i++) {
		const struct nvme_mptcp_subflow *sf = &conn->subflows[i];

		if (is_on_one_of(sf, eps, n))
			closed += sf->state == STATE_ESTABLISHED;
		else if (subflow_carries(sf))
			return false;
	}
	return closed;
}

/*
 * True if deleting the endpoints closes an orphan. Its connection appeared between the two dumps,
 * so the other subflows of the connection may be missing from the snapshot.
 */
static bool orphan_ends_with(const struct nvme_mptcp_subflow *sf,
			     const struct nvme_mptcp_endpoint *const *eps, size_t n)
{
	const struct nvme_mptcp_connection alone = {
		.subflows = (struct nvme_mptcp_subflow *)sf,
		.n_subflows = 1,
	};

	return would_end(&alone, eps, n);
}

size_t endpoint_count_ended(const struct nvme_mptcp_snapshot *snap,
			    const struct nvme_mptcp_endpoint *const *eps, size_t n,
			    const struct nvme_mptcp_connection **first)
{
	size_t ended = 0;

	for (size_t i = 0; i < snap->n_connections; i++) {
		const struct nvme_mptcp_connection *conn = &snap->connections[i];

		if (would_end(conn, eps, n) && !ended++ && first)
			*first = conn;
	}
	for (size_t i = snap->n_subflows - snap->n_orphans; i < snap->n_subflows; i++)
		ended += orphan_ends_with(&snap->subflows[i], eps, n);
	return ended;
}

bool endpoint_is_last_for(const struct nvme_mptcp_snapshot *snap,
			  const struct nvme_mptcp_endpoint *ep)
{
	return endpoint_count_ended(snap, &ep, 1, NULL);
}

const struct nvme_mptcp_link *endpoint_egress_link(const struct nvme_mptcp_endpoint *ep)
{
	return !ep->ifindex && ep->link && link_is_loopback_like(ep->link) ? NULL
									   : endpoint_carrier(ep);
}

size_t endpoint_count_carrying(const struct nvme_mptcp_snapshot *snap,
			       const struct nvme_mptcp_endpoint *ep)
{
	size_t n = 0;

	for (size_t i = 0; i < snap->n_subflows; i++)
		n += subflow_carries(&snap->subflows[i]) &&
		     endpoint_has_subflow(ep, &snap->subflows[i]);
	return n;
}

enum endpoint_conflict endpoint_conflict(int64_t flags, unsigned int port)
{
	if (flags == NVME_MPTCP_UNKNOWN)
		return ENDPOINT_CONFLICT_NONE;
	if ((flags & NVME_MPTCP_ENDPOINT_SIGNAL) && (flags & NVME_MPTCP_ENDPOINT_FULLMESH))
		return ENDPOINT_CONFLICT_MESH;
	return port && !(flags & NVME_MPTCP_ENDPOINT_SIGNAL) ? ENDPOINT_CONFLICT_PORT
							     : ENDPOINT_CONFLICT_NONE;
}

#define STARTS \
	(NVME_MPTCP_ENDPOINT_SUBFLOW | NVME_MPTCP_ENDPOINT_FULLMESH | NVME_MPTCP_ENDPOINT_LAMINAR)

int64_t endpoint_flags_for_host(int64_t flags)
{
	flags &= ~(int64_t)(NVME_MPTCP_ENDPOINT_SIGNAL | NVME_MPTCP_ENDPOINT_IMPLICIT);
	return flags & STARTS ? flags : flags | NVME_MPTCP_ENDPOINT_SUBFLOW;
}

int64_t endpoint_flags_for_target(int64_t flags)
{
	flags &= ~(int64_t)(STARTS | NVME_MPTCP_ENDPOINT_IMPLICIT);
	return flags | NVME_MPTCP_ENDPOINT_SIGNAL;
}

int64_t endpoint_flag_by_name(const char *word)
{
	for (size_t i = 0; i < ENDPOINT_FLAGS; i++)
		if (!strcmp(endpoint_flag_names[i], word))
			return (1LL << i) & ~(int64_t)NVME_MPTCP_ENDPOINT_IMPLICIT;
	return 0;
}

bool endpoint_table_is_full(const struct nvme_mptcp_snapshot *snap)
{
	if (snap->n_endpoints == ENDPOINT_IDS)
		return true;
	return snap->n_endpoints == ENDPOINT_TABLE && snap->limit_subflows <= ENDPOINT_TABLE &&
	       snap->limit_add_addr_accepted <= ENDPOINT_TABLE;
}

void endpoint_spec_of(const struct nvme_mptcp_snapshot *snap, const struct nvme_mptcp_endpoint *ep,
		      struct endpoint_spec *ret)
{
	const struct nvme_mptcp_link *link = link_by_index(snap, ep->ifindex);

	*ret = (struct endpoint_spec){
		.ip = ep->ip,
		.flags = ep->flags,
		.ifindex = ep->ifindex,
		.port = ep->port,
		.id = ep->id,
	};
	if (link)
		str_copy(ret->device, sizeof(ret->device), link->name, strlen(link->name));
}

/* Unknown flags are printed as a placeholder that is not the name of a flag. */
static void append_flags(int64_t flags, char *text, size_t size)
{
	if (flags == NVME_MPTCP_UNKNOWN) {
		snprintf(text, size, " FLAGS");
		return;
	}
	for (size_t i = 0; i < ENDPOINT_FLAGS; i++) {
		size_t length = strlen(text);

		if (flags & ~(int64_t)NVME_MPTCP_ENDPOINT_IMPLICIT & 1LL << i)
			snprintf(text + length, size - length, " %s", endpoint_flag_names[i]);
	}
}

void endpoint_spec_text(const struct endpoint_spec *spec, char text[static ENDPOINT_SPEC_TEXT])
{
	char address[ADDRESS_TEXT], id[16] = "", port[16] = "", flags[64] = "";
	const bool has_device = *spec->device;

	address_text(&spec->ip, address);
	if (spec->id)
		snprintf(id, sizeof(id), " id %u", spec->id);
	if (spec->port)
		snprintf(port, sizeof(port), " port %u", spec->port);
	append_flags(spec->flags, flags, sizeof(flags));
	snprintf(text, ENDPOINT_SPEC_TEXT, "%s%s%s%s%s%s", address, has_device ? " dev " : "",
		 has_device ? LINK_WORD(spec->device) : "", id, flags, port);
}

GETTER_OF(bool, nvme_mptcp_endpoint_starts_by_itself, nvme_mptcp_endpoint_t,
	  endpoint_starts_by_itself(object));
GETTER_OF(bool, nvme_mptcp_endpoint_starts_when_announced, nvme_mptcp_endpoint_t,
	  endpoint_starts_when_announced(object));
GETTER_OF(bool, nvme_mptcp_endpoint_announces, nvme_mptcp_endpoint_t, endpoint_announces(object));

bool nvme_mptcp_endpoint_is_initial(nvme_mptcp_endpoint_t ep, nvme_mptcp_connection_t conn)
{
	return endpoint_is_initial(ep, conn);
}

bool nvme_mptcp_endpoint_fits(nvme_mptcp_endpoint_t ep, const char *traddr)
{
	struct in6_addr ip;

	return !address_parse_ip(traddr, &ip) && endpoint_has_family(ep, &ip);
}

GETTER_OF(bool, nvme_mptcp_endpoint_is_usable, nvme_mptcp_endpoint_t, endpoint_is_usable(object));

const char *nvme_mptcp_endpoint_flag_name(enum nvme_mptcp_endpoint_flag flag)
{
	for (size_t i = 0; i < ENDPOINT_FLAGS; i++)
		if ((int64_t)flag == 1LL << i)
			return endpoint_flag_names[i];
	return NULL;
}

ARRAY_GETTER(nvme_mptcp_endpoint_t, nvme_mptcp_endpoint_next, nvme_mptcp_snapshot_t, endpoints,
	     n_endpoints);
GETTER(unsigned int, nvme_mptcp_endpoint_id, nvme_mptcp_endpoint_t, id);
GETTER(const char *, nvme_mptcp_endpoint_address, nvme_mptcp_endpoint_t, address);
GETTER(unsigned int, nvme_mptcp_endpoint_port, nvme_mptcp_endpoint_t, port);
GETTER(int64_t, nvme_mptcp_endpoint_flags, nvme_mptcp_endpoint_t, flags);
GETTER(int, nvme_mptcp_endpoint_ifindex, nvme_mptcp_endpoint_t, ifindex);
GETTER(nvme_mptcp_link_t, nvme_mptcp_endpoint_device, nvme_mptcp_endpoint_t, device);
GETTER(nvme_mptcp_link_t, nvme_mptcp_endpoint_link, nvme_mptcp_endpoint_t, link);
GETTER(int64_t, nvme_mptcp_endpoint_subflows, nvme_mptcp_endpoint_t, subflows);
