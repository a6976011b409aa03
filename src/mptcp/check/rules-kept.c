// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rule A14: endpoints that keep has taken out of use. doc/mptcp-rules.md */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rules.h"
#include "lower-links.h"

static const struct kept *kept_noted(struct check *c)
{
	/* If keep's state cannot be read, other rules treat these links as they do without keep. */
	if (!c->kept_known && c->ops->kept && c->ops->kept(c, &c->kept) == -ENOMEM)
		c->err = -ENOMEM;
	c->kept_known = true;
	return &c->kept;
}

bool check_is_out_of_use(struct check *c, const struct nvme_mptcp_link *link)
{
	const struct kept *kept = kept_noted(c);
	const char *name;

	for (size_t i = 0; (name = keep_outage_link(&kept->own, c->snap, i)); i++)
		if (!strcmp(name, link->name))
			return true;
	return false;
}

/* Write "for 12 s"; nothing if the time is unknown. */
static const char *kept_age(int64_t ms, char text[static 32])
{
	const int64_t s = ms / 1000;

	if (ms < 0)
		return "";
	snprintf(text, 32, "for %lld %s",
		 (long long)(s < 120	? s
			     : s < 7200 ? s / 60
					: s / 3600),
		 s < 120    ? "s"
		 : s < 7200 ? "min"
			    : "h");
	return text;
}

/* Return why keep took the endpoint out of use, by the link's state. *@advice: what to do. */
static const char *kept_reason(const struct keep_outage *out, const struct nvme_mptcp_link *link,
			       const char **advice)
{
	*advice = "; check cable, switch port and the other end";
	if (!link)
		return "it is gone";
	if (link_is_switched_off(link))
		*advice = "";
	if (link_trouble(link))
		return link_trouble(link);
	if (out->is_slow)
		*advice = "; check cable, duplex and switch port";
	return out->is_slow ? "it delivers less than a quarter of what other links do"
			    : "it was dead or silent";
}

static const char *kept_action(const struct keep_outage *out)
{
	if (out->how == KEEP_OUTAGE_BACKUP)
		return "made its endpoint a backup";
	return out->lent ? "took its subflows away" : "deleted its endpoint";
}

static const char *kept_outlook(const struct kept *kept, const struct keep_outage *out,
				bool is_dead)
{
	if (!kept->runs)
		return "keep no longer runs here; when it starts again, it puts the link back";
	if (is_dead)
		return "keep puts it back once the link is well";
	return out->is_slow || out->is_silent ? "keep tries it again later"
					      : "keep puts it back when the link has worked for "
						"a while";
}

static void report_kept_out(struct check *c, enum rule_id rule, const struct keep_outage *out,
			    const char *name)
{
	const struct nvme_mptcp_link *link = plan_link_by_name(c->snap, name);
	const struct kept *kept = kept_noted(c);
	const int64_t ms = out->since > 0 && out->since <= kept->now ? kept->now - out->since : -1;
	struct nvme_mptcp_finding *f;
	const char *advice, *why = kept_reason(out, link, &advice);
	char age[32], address[ADDRESS_TEXT];

	address_text(&out->spec.ip, address);
	f = finding_add(c, rule, *name ? subject_link(name) : subject_address(&out->spec.ip));
	finding_why_subject(c, f, "has been out of use%s%s: keep %s (%s), since %s; %s%s",
			    ms < 0 ? "" : " ", kept_age(ms, age), kept_action(out), address, why,
			    kept_outlook(kept, out, !link || link_trouble(link)), advice);
	finding_fact(c, f, "address", "%s", address);
	finding_fact(c, f, "how", "%s", out->how == KEEP_OUTAGE_BACKUP ? "backup" : "deleted");
	if (ms >= 0)
		finding_number(c, f, "out_ms", ms);
	if (link && link_is_switched_off(link))
		fix_switch_on(c, f, link);
}

void rule_kept_out(struct check *c, enum rule_id rule)
{
	const struct kept *kept = kept_noted(c);
	const struct keep_outage *out;

	for (size_t i = 0; (out = keep_outage_at(&kept->own, i)); i++) {
		const char *name = keep_outage_link(&kept->own, c->snap, i);
		bool already_reported = false;

		for (size_t j = 0; j < i && !already_reported; j++)
			already_reported =
				*name && !strcmp(keep_outage_link(&kept->own, c->snap, j), name);
		if (!already_reported)
			report_kept_out(c, rule, out, name);
	}
}
