// SPDX-License-Identifier: GPL-2.0-or-later
/* Status of keep in one line, as systemctl status shows it. */
#include "keep.h"

#define MAX_LINK_COUNT 64
#define MAX_NAMED 4 /* maximum number of controllers without a connection to name */

struct counted {
	const char *link;
	const char *dead; /* why the link is out of use, or NULL */
	bool carries;
	size_t missing;
};

struct count {
	struct counted links[MAX_LINK_COUNT];
	size_t n_links, carrying, dead;
	size_t ctrls, connections, missing, fallback;
};

static struct counted *counted_of(struct count *count, nvme_mptcp_link_t link)
{
	const char *name = link ? nvme_mptcp_link_name(link) : "a link";

	for (size_t i = 0; i < count->n_links; i++)
		if (!strcmp(count->links[i].link, name))
			return &count->links[i];
	if (count->n_links == MAX_LINK_COUNT)
		return &count->links[MAX_LINK_COUNT - 1];
	count->links[count->n_links].link = name;
	return &count->links[count->n_links++];
}

static const char *why_dead(nvme_mptcp_link_t link)
{
	if (link && !nvme_mptcp_link_is_up(link))
		return "is administratively down";
	return link && !nvme_mptcp_link_has_carrier(link) ? "has no carrier" : NULL;
}

static void count_set(struct count *count, nvme_mptcp_set_t set)
{
	count->connections += nvme_mptcp_set_count(set);
	count->fallback += nvme_mptcp_set_fallback(set);
	nvme_mptcp_for_each_coverage(set, coverage) {
		nvme_mptcp_link_t link = nvme_mptcp_coverage_link(coverage);
		struct counted *counted = counted_of(count, link);
		const size_t missing = nvme_mptcp_coverage_count(coverage, NVME_MPTCP_MISSING);
		const bool covered = nvme_mptcp_coverage_count(coverage, NVME_MPTCP_COVERED) ||
				     nvme_mptcp_coverage_count(coverage, NVME_MPTCP_SUPERFLUOUS);

		counted->missing += missing;
		count->missing += missing;
		if (!covered && !missing)
			continue;
		counted->dead = why_dead(link);
		counted->carries |= covered && !counted->dead;
	}
}

static void count_all(struct count *count, nvme_mptcp_snapshot_t snap)
{
	nvme_mptcp_for_each_ctrl(snap, ctrl) {
		const size_t shared = nvme_mptcp_ctrl_n_shared(ctrl);
		nvme_mptcp_set_t set = nvme_mptcp_ctrl_connections(ctrl);

		/* Controllers without connections here belong to another network namespace. */
		count->ctrls += shared || nvme_mptcp_set_count(set);
		count_set(count, set);
	}
	nvme_mptcp_for_each_shared(snap, shared) {
		count_set(count, nvme_mptcp_shared_connections(shared));
	}
	if (!count->ctrls)
		count_set(count, nvme_mptcp_connections(snap, NVME_MPTCP_NONE));
}

static nvme_mptcp_link_t link_named(nvme_mptcp_snapshot_t snap, const char *name)
{
	nvme_mptcp_for_each_link(snap, link) {
		if (!strcmp(nvme_mptcp_link_name(link), name))
			return link;
	}
	return NULL;
}

/*
 * Add the links whose endpoints are out of use, since they should carry connections too. Then sum
 * up.
 */
static void count_out(struct count *count, nvme_mptcp_keeper_t keeper, nvme_mptcp_snapshot_t snap)
{
	const char *name;

	for (size_t i = 0; (name = nvme_mptcp_keeper_out(keeper, i)); i++) {
		nvme_mptcp_link_t link = link_named(snap, name);
		const char *dead = why_dead(link);

		if (link && !dead && nvme_mptcp_keeper_slow(keeper, i)) {
			counted_of(count, link)->dead = "is slow and serves as a backup";
			counted_of(count, link)->carries = false;
		} else if (link) {
			counted_of(count, link)->dead = dead ? dead : "is not used yet";
		}
	}
	for (size_t i = 0; i < count->n_links; i++) {
		count->carrying += count->links[i].carries;
		count->dead += count->links[i].dead != NULL;
	}
}

void keep_known_ctrls_clear(struct keep_known_ctrls *memory)
{
	for (size_t i = 0; i < memory->n; i++)
		free(memory->names[i]);
	free(memory->names);
	*memory = (struct keep_known_ctrls){};
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool has_had(const struct keep_known_ctrls *memory, const char *name)
{
	return memory->n &&
	       bsearch(&name, memory->names, memory->n, sizeof(*memory->names), by_name);
}

/*
 * Update the controllers that have had connections. Controllers that are gone are removed, because
 * the kernel reuses their names. Return 0 or -ENOMEM.
 */
static int remember(struct keep_known_ctrls *memory, nvme_mptcp_snapshot_t snap,
		    const struct count *count)
{
	struct keep_known_ctrls now = { .any = memory->any || count->connections };
	size_t most = 0;

	nvme_mptcp_for_each_ctrl(snap, ctrl) {
		most += nvme_mptcp_ctrl_name(ctrl) != NULL;
	}
	now.names = calloc(most + 1, sizeof(*now.names));
	if (!now.names)
		return -ENOMEM;
	nvme_mptcp_for_each_ctrl(snap, ctrl) {
		const char *name = nvme_mptcp_ctrl_name(ctrl);

		if (!nvme_mptcp_set_count(nvme_mptcp_ctrl_connections(ctrl)) &&
		    !nvme_mptcp_ctrl_n_shared(ctrl) && !has_had(memory, name))
			continue;
		now.names[now.n] = strdup(name);
		if (!now.names[now.n++]) {
			keep_known_ctrls_clear(&now);
			return -ENOMEM;
		}
	}
	qsort(now.names, now.n, sizeof(*now.names), by_name);
	keep_known_ctrls_clear(memory);
	*memory = now;
	return 0;
}

/*
 * List the controllers whose state implies that they have no connection. A live controller has its
 * connections in another network namespace.
 */
static void list_down(nvme_mptcp_snapshot_t snap, const struct keep_known_ctrls *memory,
		      struct keep_status *ret)
{
	size_t n = 0;

	nvme_mptcp_for_each_ctrl(snap, ctrl) {
		if (!mptcp_ctrl_is_down(ctrl) || n == KEEP_MAX_CTRLS)
			continue;
		ret->ctrls[n++] = nvme_mptcp_ctrl_name(ctrl);
		ret->is_well &= !has_had(memory, nvme_mptcp_ctrl_name(ctrl));
	}
}

static void put_missing(FILE *to, const struct count *count)
{
	bool first = true;

	for (size_t i = 0; i < count->n_links; i++) {
		const struct counted *link = &count->links[i];

		/* For a dead link, the reason is printed instead. */
		if (!link->missing || link->dead)
			continue;
		if (first)
			fprintf(to, ", %zu subflow%s missing on %s", link->missing,
				mptcp_plural(link->missing), link->link);
		else
			fprintf(to, ", %zu on %s", link->missing, link->link);
		first = false;
	}
	for (size_t i = 0; i < count->n_links; i++)
		if (count->links[i].dead)
			fprintf(to, ", %s %s", count->links[i].link, count->links[i].dead);
	if (count->fallback)
		fprintf(to, ", %zu connection%s without MPTCP", count->fallback,
			mptcp_plural(count->fallback));
}

/* Write "nvme0 has lost its connections and is connecting, nvme1 is connecting", after @begin. */
static void put_down(FILE *to, nvme_mptcp_snapshot_t snap, const struct keep_known_ctrls *memory,
		     const char *begin)
{
	size_t n = 0;

	nvme_mptcp_for_each_ctrl(snap, ctrl) {
		const char *name = nvme_mptcp_ctrl_name(ctrl);

		if (!mptcp_ctrl_is_down(ctrl) || n++ >= MAX_NAMED)
			continue;
		fprintf(to, "%s%s %sis %s", n == 1 ? begin : ", ", name,
			has_had(memory, name) ? "has lost its connections and " : "",
			nvme_mptcp_ctrl_state(ctrl));
	}
	if (n > MAX_NAMED)
		fprintf(to, ", %zu more are not live", n - MAX_NAMED);
}

static void put_status(FILE *to, const struct count *count, const struct keep_known_ctrls *memory,
		       const struct keep_status *status)
{
	if (!count->connections) {
		fputs(*status->ctrls ? "No connection"
		      : memory->any  ? "No connection any more"
				     : "No connection yet",
		      to);
		return;
	}
	fprintf(to, "%zu link%s %s ", count->carrying, mptcp_plural(count->carrying),
		count->carrying == 1 ? "carries" : "carry");
	if (count->ctrls)
		fprintf(to, "%zu controller%s", count->ctrls, mptcp_plural(count->ctrls));
	else
		fprintf(to, "%zu connection%s of hosts", count->connections,
			mptcp_plural(count->connections));
	put_missing(to, count);
}

/*
 * Return the first note that is not about the target, to explain a status without connections, or
 * NULL.
 */
static const char *first_note(nvme_mptcp_plan_t plan)
{
	enum nvme_mptcp_role side = NVME_MPTCP_ROLE_AUTO;
	const char *command, *text = NULL;

	for (size_t i = 0; plan && (text = nvme_mptcp_plan_note(plan, i, &side, &command)); i++)
		if (side != NVME_MPTCP_ROLE_TARGET)
			break;
	return text;
}

bool keep_is_incomplete(nvme_mptcp_snapshot_t snap, nvme_mptcp_plan_t plan)
{
	struct count count = {};
	const char *address;
	size_t links = 0;

	count_all(&count, snap);
	for (size_t i = 0; i < count.n_links; i++)
		count.carrying += count.links[i].carries;
	while (nvme_mptcp_plan_link(plan, links, &address))
		links++;
	return count.connections && (count.missing || count.fallback || count.carrying < links);
}

int keep_status(nvme_mptcp_keeper_t keeper, nvme_mptcp_plan_t plan, struct keep_known_ctrls *memory,
		struct keep_status *ret)
{
	nvme_mptcp_snapshot_t snap = nvme_mptcp_keeper_snapshot(keeper);
	_cleanup_(text_wipe) struct text text = { 0 };
	const char *note = first_note(plan);
	struct count count = {};

	count_all(&count, snap);
	count_out(&count, keeper, snap);
	if (remember(memory, snap, &count))
		return -ENOMEM;
	*ret = (struct keep_status){ .is_well = !count.missing && !count.fallback && !count.dead };
	list_down(snap, memory, ret);
	if (text_open(&text)) {
		put_status(text.stream, &count, memory, ret);
		put_down(text.stream, snap, memory, count.connections ? ", " : ": ");
		if (!count.connections && note)
			fprintf(text.stream, ". %s", note);
	}
	if (text_close(&text))
		return -ENOMEM;
	ret->text = text_take(&text);
	return 0;
}
