// SPDX-License-Identifier: LGPL-2.1-or-later
/* Endpoints, limits and settings that keep made, and other programs that contest them. */
#include "keep-own.h"

#define FIRST_PAUSE_MS 2000
#define MAX_PAUSE_MS 60000

const char *const keep_value_names[KEEP_VALUES] = {
	[KEEP_SUBFLOWS] = "subflows",
	[KEEP_ADD_ADDR_ACCEPTED] = "add_addr_accepted",
	[KEEP_ADD_ADDR_TIMEOUT] = "add_addr_timeout",
};

void keep_debounce_note(struct keep_debounce *quiet, int64_t now)
{
	quiet->last = now;
	if (!quiet->since)
		quiet->since = now;
}

int64_t keep_debounce_due(const struct keep_debounce *quiet)
{
	const int64_t settled = quiet->last + KEEP_SETTLED_MS;
	const int64_t most = quiet->since + KEEP_SETTLED_MAX_MS;

	if (!quiet->since)
		return KEEP_NEVER;
	return settled < most ? settled : most;
}

int64_t keep_backoff(int64_t first, int64_t most, unsigned int times)
{
	int64_t pause = first;

	while (times-- > 1 && pause < most)
		pause *= 2;
	return pause < most ? pause : most;
}

int64_t keep_retry_delay_ms(unsigned int failures)
{
	return keep_backoff(FIRST_PAUSE_MS, MAX_PAUSE_MS, failures);
}

int64_t keep_conflict_backoff_ms(unsigned int conflicts)
{
	return keep_backoff(KEEP_CONFLICT_BACKOFF_MS, KEEP_CONFLICT_BACKOFF_MAX_MS, conflicts);
}

bool keep_claim_update(struct keep_claim *claim, bool is_there, int64_t now)
{
	const bool is_lost = claim->seen && !is_there;
	const bool is_fight = is_lost && ((claim->lost && now - claim->lost <= KEEP_CONFLICT_MS) ||
					  (claim->until && now - claim->until <= KEEP_CONFLICT_MS));

	claim->seen = is_there;
	if (is_lost)
		claim->lost = now;
	if (claim->contested) {
		claim->contested = now < claim->until;
		return false;
	}
	if (is_lost && !is_fight) {
		claim->conflicts = 0;
		claim->until = 0;
	}
	if (!is_fight)
		return false;
	claim->contested = true;
	claim->until = now + keep_conflict_backoff_ms(++claim->conflicts);
	return true;
}

void keep_own_clear(struct keep_own *own)
{
	free(own->endpoints);
	free(own->outs);
	*own = (struct keep_own){};
}

struct keep_endpoint *keep_own_find(const struct keep_own *own, const struct in6_addr *ip,
				    uint16_t port)
{
	FOR_EACH(ep, own->endpoints, own->n_endpoints)
		if (ep->spec.port == port && address_equal(&ep->spec.ip, ip))
			return ep;
	return NULL;
}

static bool is_same(const struct nvme_mptcp_endpoint *ep, const struct endpoint_spec *spec)
{
	return (!spec->id || ep->id == spec->id) && ep->ifindex == spec->ifindex &&
	       ep->flags == spec->flags;
}

/*
 * True if the endpoint may be @spec, except for flags that can be changed in place. Without an id,
 * only the flags distinguish endpoints.
 */
static bool may_be(const struct nvme_mptcp_endpoint *ep, const struct endpoint_spec *spec)
{
	return is_same(ep, spec) ||
	       (spec->id && ep->id == spec->id && ep->ifindex == spec->ifindex &&
		!((ep->flags ^ spec->flags) & ~(int64_t)ENDPOINT_FLAGS_LIVE));
}

bool keep_owns(const struct keep_own *own, const struct nvme_mptcp_endpoint *ep)
{
	const struct keep_endpoint *kept = own ? keep_own_find(own, &ep->ip, ep->port) : NULL;

	return kept && !kept->claim.contested &&
	       (may_be(ep, &kept->spec) || (kept->is_changing && may_be(ep, &kept->was)));
}

struct keep_endpoint *keep_own_add(struct keep_own *own, const struct endpoint_spec *spec,
				   bool adopted)
{
	struct keep_endpoint *kept = keep_own_find(own, &spec->ip, spec->port);

	if (!kept) {
		kept = array_add(&own->endpoints, &own->n_endpoints, sizeof(*kept));
		if (!kept)
			return NULL;
		kept->adopted = adopted;
	}
	kept->spec = *spec;
	kept->is_changing = false;
	return kept;
}

void keep_own_drop(struct keep_own *own, struct keep_endpoint *kept)
{
	const size_t i = (size_t)(kept - own->endpoints);

	memmove(kept, kept + 1, (own->n_endpoints - i - 1) * sizeof(*kept));
	own->n_endpoints--;
}

bool keep_own_has_lent(const struct keep_own *own)
{
	for (size_t i = 0; i < own->n_endpoints; i++)
		if (own->endpoints[i].lent)
			return true;
	for (size_t i = 0; i < own->n_outs; i++)
		if (own->outs[i].lent)
			return true;
	return false;
}

const struct nvme_mptcp_endpoint *keep_find_endpoint(const struct nvme_mptcp_snapshot *snap,
						     const struct endpoint_spec *spec)
{
	FOR_EACH(ep, snap->endpoints, snap->n_endpoints)
		if (ep->port == spec->port && address_equal(&ep->ip, &spec->ip) &&
		    (spec->flags & NVME_MPTCP_ENDPOINT_IMPLICIT ||
		     !endpoint_has(ep, NVME_MPTCP_ENDPOINT_IMPLICIT)))
			return ep;
	return NULL;
}

int64_t keep_current_value(const struct nvme_mptcp_snapshot *snap, enum keep_value_name name)
{
	const char *text;

	switch (name) {
	case KEEP_SUBFLOWS:
		return snap->limit_subflows;
	case KEEP_ADD_ADDR_ACCEPTED:
		return snap->limit_add_addr_accepted;
	default:
		text = nvme_mptcp_setting((nvme_mptcp_snapshot_t)snap, keep_value_names[name]);
		return text ? atoll(text) : NVME_MPTCP_UNKNOWN;
	}
}

bool keep_is_unmodified(const struct nvme_mptcp_endpoint *ep, const struct keep_endpoint *kept)
{
	return ep && is_same(ep, &kept->spec);
}

/* Record which of the two endpoints exists after an exchange, and its id. */
static void settle(struct keep_endpoint *kept, const struct nvme_mptcp_endpoint *there)
{
	if (kept->is_changing && !is_same(there, &kept->spec) && is_same(there, &kept->was))
		kept->spec = kept->was;
	if (!is_same(there, &kept->spec))
		return;
	kept->spec.id = there->id;
	kept->is_changing = false;
}

static int ifindex_of(const struct nvme_mptcp_snapshot *snap, const struct keep_endpoint *kept)
{
	const struct local_address *own;

	if (kept->spec.ifindex)
		return kept->spec.ifindex;
	own = snapshot_find_address(snap, &kept->spec.ip);
	return own ? own->ifindex : kept->link;
}

const struct nvme_mptcp_link *keep_link(const struct nvme_mptcp_snapshot *snap,
					const struct keep_endpoint *kept)
{
	return link_by_index(snap, ifindex_of(snap, kept));
}

/* Update the device name: a link can be renamed, but its ifindex remains. */
static void follow_link(struct keep_endpoint *kept, const struct nvme_mptcp_snapshot *snap)
{
	const struct nvme_mptcp_link *link = link_by_index(snap, kept->spec.ifindex);

	kept->link = ifindex_of(snap, kept);
	if (link)
		str_copy(kept->spec.device, sizeof(kept->spec.device), link->name,
			 strlen(link->name));
}

void keep_own_update(struct keep_own *own, const struct nvme_mptcp_snapshot *snap, int64_t now)
{
	FOR_EACH(kept, own->endpoints, own->n_endpoints) {
		const struct nvme_mptcp_endpoint *there = keep_find_endpoint(snap, &kept->spec);

		follow_link(kept, snap);
		/* It is no fight if keep itself took it out of use. */
		if (keep_is_out_of_use(own, &kept->spec)) {
			kept->claim.seen = false;
			continue;
		}
		if (there)
			settle(kept, there);
		keep_claim_update(&kept->claim, keep_is_unmodified(there, kept), now);
	}
	for (int i = 0; i < KEEP_VALUES; i++) {
		struct keep_value *value = &own->values[i];

		if (value->is_set)
			keep_claim_update(&value->claim, keep_current_value(snap, i) == value->now,
					  now);
	}
}

void keep_own_reset_conflicts(struct keep_own *own)
{
	for (size_t i = 0; i < own->n_endpoints;) {
		own->endpoints[i].claim.lost = 0;
		if (own->endpoints[i].claim.contested)
			keep_own_drop(own, &own->endpoints[i]);
		else
			i++;
	}
	for (int i = 0; i < KEEP_VALUES; i++)
		own->values[i].claim = (struct keep_claim){};
}

static bool is_identical(const struct nvme_mptcp_endpoint *a, const struct nvme_mptcp_endpoint *b)
{
	return a->id == b->id && a->port == b->port && a->flags == b->flags &&
	       a->ifindex == b->ifindex && address_equal(&a->ip, &b->ip);
}

static bool has_same_manager(nvme_mptcp_snapshot_t a, nvme_mptcp_snapshot_t b)
{
	const char *x = nvme_mptcp_path_manager(a), *y = nvme_mptcp_path_manager(b);

	return x && y ? !strcmp(x, y) : x == y;
}

/* Compare relays, to detect one that starts: kernels before 6.3 report no listeners. */
static bool has_same_relay(nvme_mptcp_snapshot_t a, nvme_mptcp_snapshot_t b)
{
	return a->relay && b->relay ? a->relay->n_ports == b->relay->n_ports &&
					      a->relay->n_results == b->relay->n_results
				    : !a->relay == !b->relay;
}

bool keep_is_same_state(nvme_mptcp_snapshot_t a, nvme_mptcp_snapshot_t b)
{
	if (a->limit_subflows != b->limit_subflows ||
	    a->limit_add_addr_accepted != b->limit_add_addr_accepted ||
	    a->n_endpoints != b->n_endpoints || !has_same_manager(a, b) || !has_same_relay(a, b) ||
	    nvme_mptcp_is_enabled(a) != nvme_mptcp_is_enabled(b))
		return false;
	for (size_t i = 0; i < a->n_endpoints; i++)
		if (!is_identical(&a->endpoints[i], &b->endpoints[i]))
			return false;
	return true;
}
