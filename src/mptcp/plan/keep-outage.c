// SPDX-License-Identifier: LGPL-2.1-or-later
/* Records which endpoints are out of use, and for how long. */
#include <string.h>

#include "find-link.h"
#include "keep-own.h"

int64_t keep_out_hold(const struct keep_out *out)
{
	if (out->is_slow)
		return keep_backoff(KEEP_SLOW_MS, KEEP_SLOW_MOST_MS, out->strikes + 1);
	if (out->is_silent)
		return keep_pause(out->strikes + 1);
	if (!out->strikes)
		return out->lent ? KEEP_LENT_MS : KEEP_CALM_MS;
	return keep_backoff(KEEP_HOLD_MS, KEEP_HOLD_MOST_MS, out->strikes);
}

struct keep_out *keep_out_find(const struct keep_own *own, const struct endpoint_spec *spec)
{
	for (size_t i = 0; own && i < own->n_outs; i++)
		if (own->outs[i].spec.port == spec->port &&
		    address_equal(&own->outs[i].spec.ip, &spec->ip))
			return &own->outs[i];
	return NULL;
}

bool keep_is_out(const struct keep_own *own, const struct endpoint_spec *spec)
{
	const struct keep_out *out = keep_out_find(own, spec);

	return out && out->how != KEEP_OUT_BACK;
}

static bool has_flapped(const struct keep_out *out, int64_t now)
{
	const int64_t hold = 2 * keep_out_hold(out);

	return now - out->back <= (hold > KEEP_FLAP_MS ? hold : KEEP_FLAP_MS);
}

struct keep_out *keep_out_take(struct keep_own *own, const struct endpoint_spec *spec,
			       enum keep_out_how how, int64_t now)
{
	struct keep_out *out = keep_out_find(own, spec);

	if (!out) {
		out = array_add(&own->outs, &own->n_outs, sizeof(*out));
		if (!out)
			return NULL;
	} else if (out->how == KEEP_OUT_BACK && out->back) {
		out->strikes = has_flapped(out, now) ? out->strikes + 1 : 0;
	}
	out->spec = *spec;
	out->how = how;
	out->lent = out->is_silent = out->is_slow = out->is_left = false;
	out->since = now;
	out->calm = out->not_before = 0;
	out->failures = 0;
	return out;
}

void keep_out_return(struct keep_out *out, int64_t now)
{
	out->how = KEEP_OUT_BACK;
	out->back = now;
	out->not_before = now + KEEP_JOIN_MS;
	out->lent = false;
}

const struct keep_out *keep_out_at(const struct keep_own *own, size_t i)
{
	const struct keep_out *out = own->outs, *end = out + own->n_outs;

	for (; out < end && (out->how == KEEP_OUT_BACK || i--); out++)
		;
	return out == end ? NULL : out;
}

const char *keep_out_link(const struct keep_own *own, const struct nvme_mptcp_snapshot *snap,
			  size_t i)
{
	const struct keep_out *out = keep_out_at(own, i);
	const struct nvme_mptcp_link *link;

	if (!out)
		return NULL;
	if (*out->spec.device || !snap)
		return out->spec.device;
	link = plan_link_by_ip(snap, &out->spec.ip);
	return link ? link->name : "";
}

void keep_out_drop(struct keep_own *own, struct keep_out *out)
{
	const size_t i = (size_t)(out - own->outs);

	memmove(out, out + 1, (own->n_outs - i - 1) * sizeof(*out));
	own->n_outs--;
}

void keep_out_forget(struct keep_own *own, const struct nvme_mptcp_snapshot *snap)
{
	for (size_t i = own->n_endpoints; i--;) {
		struct keep_endpoint *kept = &own->endpoints[i];
		const struct nvme_mptcp_link *link = keep_link(snap, kept);
		struct keep_out *out = keep_out_find(own, &kept->spec);

		if (kept->adopted || !out || out->how != KEEP_OUT_DELETED ||
		    (link && !link_is_alive(link)) || snapshot_find_address(snap, &kept->spec.ip))
			continue;
		keep_out_drop(own, out);
		keep_own_drop(own, kept);
	}
}
