// SPDX-License-Identifier: LGPL-2.1-or-later
/* Plans limits, the repetition of announcements, how ports take writes, and notes about ARP. */
#include "base/sysfs.h"
#include "setup.h"

/* Time until an announcement is repeated, in s: the planned and the highest that is left. */
#define REPEAT_S 2
#define MAX_REPEAT_S 10
/* Maximum number of joins if a kernel permits any number: no host has more links. */
#define MAX_JOINS 64

/*
 * Bytes of a write that a port takes with its command: the request size of Linux for buffered
 * writes and most others. Measured with writes of that size: 3.9 times tcp over four links, 2.6 to
 * 3.6 times without (doc/performance-goals.md). A smaller send buffer gives less, and limits any
 * TCP connection.
 */
#define INLINE_DATA 131072

/* The highest limit that is surely accepted: the kernel reported or uses it, or all accept it. */
static int64_t limit_most(const struct setup *s)
{
	if (s->p->limit_max)
		return s->p->limit_max;
	return s->snap->limit_subflows > LIMIT_GUARANTEED ? s->snap->limit_subflows
							  : LIMIT_GUARANTEED;
}

static int64_t at_most(const struct setup *s, int64_t limit)
{
	return limit > limit_most(s) ? limit_most(s) : limit;
}

int64_t setup_max_joins(const struct setup *s)
{
	return at_most(s, s->p->limit_max ? MAX_JOINS : LIMIT_GUARANTEED);
}

/*
 * Return the limit to set: @now if that is at least @enough, else one with a reserve. Either side
 * may count a dead subflow for a while, and what it used of add_addr_accepted is never given back.
 * The initial subflow is not counted, but the one that replaces it is. With @need alone, nothing
 * could therefore be repaired.
 */
static int64_t raised(const struct setup *s, int64_t now, int64_t need, int64_t enough)
{
	const int64_t room = at_most(s, 2 * need + 2);

	return now >= enough || now >= room ? now : room;
}

static bool follows_announcements(const struct nvme_mptcp_plan *plan)
{
	return plan->method != NVME_MPTCP_METHOD_SUBFLOW &&
	       plan->method != NVME_MPTCP_METHOD_ROUTED;
}

/*
 * Return the limit that suffices. A link that was dead has two subflows of a connection: one
 * follows the announcement, and one starts from the endpoint with which keep took the link out of
 * use. Once all links but the first one have been dead, the first one must still be able to come
 * back.
 */
static int64_t enough_subflows(const struct nvme_mptcp_plan *plan, int64_t need)
{
	return follows_announcements(plan) ? 2 * need + 1 : need + 1;
}

static int64_t accepted_limit(struct setup *s, const struct pm_limits *old, const char **why)
{
	struct nvme_mptcp_plan *plan = s->plan;
	int64_t now = old->add_addr_accepted;

	if (follows_announcements(plan)) {
		const int64_t need = at_most(s, (int64_t)(s->n_links - 1));
		int64_t limit = raised(s, now, need, need + 1);

		if (limit != now)
			*why = "The addresses that the target announces have to be accepted, and "
			       "their subflows permitted";
		return limit;
	}
	if (now <= 0)
		return now;
	if (!s->args->replace) {
		plan_note(plan, NVME_MPTCP_ROLE_AUTO, NULL,
			  "add_addr_accepted is %lld and stays so, since other programs may rely "
			  "on it: if the target announces addresses, their subflows share links "
			  "with those that the host starts; %s setup --replace sets it to 0",
			  (long long)now, snapshot_program());
		return now;
	}
	plan_note(plan, NVME_MPTCP_ROLE_AUTO, NULL,
		  "With add_addr_accepted 0 instead of %lld, no connection of any program in "
		  "this network namespace follows announcements any more",
		  (long long)now);
	*why = "Subflows to announced addresses would share links with those that the host starts";
	return 0;
}

void setup_host_limits(struct setup *s, size_t extra)
{
	struct nvme_mptcp_plan *plan = s->plan;
	const struct pm_limits old = plan->limits;
	const int64_t need = at_most(s, (int64_t)(s->n_links - 1 + extra));
	char needed[128];
	const char *why = needed;

	plan->limits.subflows = raised(s, old.subflows, need, enough_subflows(plan, need));
	snprintf(needed, sizeof(needed),
		 "Each connection has %lld subflow%s in addition to the initial one%s",
		 (long long)need, need == 1 ? "" : "s",
		 plan->limits.subflows > need ? ", and may lose some" : "");
	plan->limits.add_addr_accepted = accepted_limit(s, &old, &why);
	if (plan->limits.subflows != old.subflows ||
	    plan->limits.add_addr_accepted != old.add_addr_accepted)
		plan_limits_step(plan, &old, &plan->limits, why);
	if ((int64_t)(s->n_links - 1) > need)
		plan_note(plan, NVME_MPTCP_ROLE_AUTO, NULL,
			  "This kernel permits %lld subflows in addition to the initial one: a "
			  "connection cannot use all %zu links",
			  (long long)need, s->n_links);
}

/* The limit is for joins: hosts may have more links than this target. */
void setup_target_limits(struct setup *s)
{
	struct nvme_mptcp_plan *plan = s->plan;
	const struct pm_limits old = plan->limits;
	const int64_t most = setup_max_joins(s);

	if (old.subflows >= most)
		return;
	plan->limits.subflows = most;
	plan_limits_step(plan, &old, &plan->limits,
			 "Hosts with several links join as often as this target permits");
}

/*
 * Shorten the time until an announcement is repeated. Only one announcement is under way at a time:
 * a host that still handles one drops the next (counter AddAddrDrop), and the target repeats it, up
 * to three times, only after this timeout. With the kernel's 120 seconds, a connection may miss
 * links for minutes.
 */
void setup_announcement_interval(struct setup *s)
{
	const char *text = nvme_mptcp_setting(s->args->snap, "add_addr_timeout");
	int64_t now = text ? atoll(text) : NVME_MPTCP_UNKNOWN;

	if (s->n_links < 3 || s->plan->method == NVME_MPTCP_METHOD_ROUTED ||
	    now == NVME_MPTCP_UNKNOWN || (now && now <= MAX_REPEAT_S))
		return;
	plan_setting_step(s->plan, "add_addr_timeout", now, REPEAT_S,
			  "A host drops announcements that arrive while it handles one; this "
			  "repeats them soon");
}

int plan_relayable_ports(const struct nvme_mptcp_snapshot *snap, uint16_t **ret, size_t *n)
{
	struct target target = {};
	int err = target_read(snap, &target);

	for (size_t i = 0; !err && i < target.n_ports; i++) {
		const struct target_port *port = &target.ports[i];
		bool is_known = false;
		uint16_t *added;

		if (!port->relayable)
			continue;
		for (size_t j = 0; j < *n; j++)
			is_known |= (*ret)[j] == port->address.port;
		added = is_known ? NULL : array_add(ret, n, sizeof(*added));
		if (added)
			*added = port->address.port;
		else if (!is_known)
			err = -ENOMEM;
	}
	target_clear(&target);
	return err;
}

static void take_writes_step(struct setup *s, const struct target_port *port)
{
	char path[SETTING_PATH];

	snprintf(path, sizeof(path), "%s/%s/param_inline_data_size", sysfs_path(SYSFS_NVMET_PORTS),
		 port->name);
	plan_setting_step(s->plan, path, port->inline_size, INLINE_DATA,
			  "The port accepts the data of writes with the command "
			  "instead of requesting it, so no link waits for another");
}

/* The kernel accepts the setting only while the port is disabled and its hosts have no disks. */
void setup_inline_writes(struct setup *s)
{
	const struct target *target = &s->p->nvmet;

	/* keep does not change ports. */
	if (s->n_links < 2 || s->p->own)
		return;
	FOR_EACH(port, target->ports, target->n_ports) {
		if (!port->subflows || !port->has_inline_size)
			continue;
		if (!port->n_subsystems && port->inline_size < 0)
			take_writes_step(s, port);
		else if (port->n_subsystems && port->inline_size < INLINE_DATA &&
			 !target_port_in_other_netns(port, s->snap))
			plan_note(s->plan, NVME_MPTCP_ROLE_AUTO, NULL,
				  "port %s accepts %lld bytes of a write with the command and "
				  "requests the data of larger writes, which wait for the slowest "
				  "link. Over several links, writes are faster with "
				  "param_inline_data_size %d, which the kernel accepts only before "
				  "a subsystem is linked to the port",
				  port->name, (long long)port->inline_size, INLINE_DATA);
	}
}

/* Return the setting of the link or of "all", whichever is higher: that is the one that counts. */
static int64_t arp_setting(const struct setup *s, const char *link, const char *name)
{
	const char *const both[] = { "all", link };
	int64_t most = 0;

	for (size_t i = 0; s->p->setting && i < 2; i++) {
		char path[80];
		int64_t value;

		snprintf(path, sizeof(path), "net/ipv4/conf/%s/%s", both[i], name);
		value = s->p->setting(path);
		most = value > most ? value : most;
	}
	return most;
}

static bool answers_for_others(const struct setup *s, const struct setup_link *l)
{
	const char *name = l->link->name;

	FOR_EACH(link, s->links, s->n_links)
		if (link != l && link_network_has(s->snap, l->link->ifindex, &link->address->ip))
			return !arp_setting(s, name, "arp_ignore") &&
			       !arp_setting(s, name, "arp_filter");
	return false;
}

/* Peers may learn the MAC address of the wrong link for an IP address. */
void setup_note_arp(struct setup *s)
{
	_cleanup_(text_wipe) struct text text = { 0 };
	FILE *out = s->v4 && s->p->setting && !s->p->own ? text_open(&text) : NULL;
	const char *first = NULL, *second = NULL;

	for (size_t i = 0; out && i < s->n_links; i++) {
		const char *name = s->links[i].link->name;

		if (!answers_for_others(s, &s->links[i]) || !snapshot_is_sysctl_key(name))
			continue;
		fputs(first ? "" : "sysctl -w", out);
		snapshot_put_setting(out, name, "arp_ignore", 1);
		snapshot_put_setting(out, name, "arp_announce", 2);
		second = first && !second ? name : second;
		first = first ? first : name;
	}
	if (!out)
		return;
	if (text_close(&text))
		s->plan->err = -ENOMEM;
	else if (second)
		plan_note(s->plan, NVME_MPTCP_ROLE_AUTO, text.bytes,
			  "%s and %s are in one subnet, and each answers ARP for the other's "
			  "address, so packets may arrive on the wrong link. With this setting, "
			  "each answers for its own address only. Put it into /etc/sysctl.d to "
			  "make it permanent",
			  first, second);
}
