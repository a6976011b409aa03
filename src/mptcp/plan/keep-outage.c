// SPDX-License-Identifier: LGPL-2.1-or-later
/* Records which endpoints are out of use, and for how long. */
#include "find-link.h"
#include "keep-own.h"

int64_t keep_outage_hold_ms(const struct keep_outage *out)
{
	if (out->is_slow)
		return keep_backoff(KEEP_SLOW_MS, KEEP_SLOW_MAX_MS, out->flap_count + 1);
	if (out->is_silent)
		return keep_retry_delay_ms(out->flap_count + 1);
	if (!out->flap_count)
		return out->lent ? KEEP_LENT_MS : KEEP_STABLE_MS;
	return keep_backoff(KEEP_HOLD_MS, KEEP_HOLD_MAX_MS, out->flap_count);
}

struct keep_outage *keep_outage_find(const struct keep_own *own, const struct endpoint_spec *spec)
{
	for (size_t i = 0; own && i < own->n_outs; i++)
		if (own->outs[i].spec.port == spec->port &&
		    address_equal(&own->outs[i].spec.ip, &spec->ip))
			return &own->outs[i];
	return NULL;
}

bool keep_is_out_of_use(const struct keep_own *own, const struct endpoint_spec *spec)
{
	const struct keep_outage *out = keep_outage_find(own, spec);

	return out && out->how != KEEP_OUTAGE_OVER;
}

static bool has_flapped(const struct keep_outage *out, int64_t now)
{
	const int64_t hold = 2 * keep_outage_hold_ms(out);

	return now - out->back <= (hold > KEEP_FLAP_MS ? hold : KEEP_FLAP_MS);
}

struct keep_outage *keep_outage_begin(struct keep_own *own, const struct endpoint_spec *spec,
				      enum keep_outage_kind how, int64_t now)
{
	struct keep_outage *out = keep_outage_find(own, spec);

	if (!out) {
		out = array_add(&own->outs, &own->n_outs, sizeof(*out));
		if (!out)
			return NULL;
	} else if (out->how == KEEP_OUTAGE_OVER && out->back) {
		out->flap_count = has_flapped(out, now) ? out->flap_count + 1 : 0;
	}
	out->spec = *spec;
	out->how = how;
	out->lent = out->is_silent = out->is_slow = out->is_left = false;
	out->since = now;
	out->stable_since = out->not_before = 0;
	out->failures = 0;
	return out;
}

void keep_outage_end(struct keep_outage *out, int64_t now)
{
	out->how = KEEP_OUTAGE_OVER;
	out->back = now;
	out->not_before = now + KEEP_JOIN_MS;
	out->lent = false;
}

const struct keep_outage *keep_outage_at(const struct keep_own *own, size_t i)
{
	const struct keep_outage *out = own->outs, *end = out + own->n_outs;

	for (; out < end && (out->how == KEEP_OUTAGE_OVER || i--); out++)
		;
	return out == end ? NULL : out;
}

const char *keep_outage_link(const struct keep_own *own, const struct nvme_mptcp_snapshot *snap,
			     size_t i)
{
	const struct keep_outage *out = keep_outage_at(own, i);
	const struct nvme_mptcp_link *link;

	if (!out)
		return NULL;
	if (*out->spec.device || !snap)
		return out->spec.device;
	link = plan_link_by_ip(snap, &out->spec.ip);
	return link ? link->name : "";
}

void keep_outage_drop(struct keep_own *own, struct keep_outage *out)
{
	const size_t i = (size_t)(out - own->outs);

	memmove(out, out + 1, (own->n_outs - i - 1) * sizeof(*out));
	own->n_outs--;
}

void keep_outage_expire(struct keep_own *own, const struct nvme_mptcp_snapshot *snap)
{
	for (size_t i = own->n_endpoints; i--;) {
		struct keep_endpoint *kept = &own->endpoints[i];
		const struct nvme_mptcp_link *link = keep_link(snap, kept);
		struct keep_outage *out = keep_outage_find(own, &kept->spec);

		if (kept->adopted || !out || out->how != KEEP_OUTAGE_DELETED ||
		    (link && !link_is_alive(link)) || snapshot_find_address(snap, &kept->spec.ip))
			continue;
		keep_outage_drop(own, out);
		keep_own_drop(own, kept);
	}
}
