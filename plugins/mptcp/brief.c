// SPDX-License-Identifier: GPL-2.0-or-later
/* nvme mptcp check --brief: one line as monitoring plugins print it. */
#include "mptcp.h"

#define MAX_RULES 5 /* maximum number of rules to print: the line may go to a pager */

/* Existing and missing subflows, counted once per connection and link. */
struct tally {
	size_t ctrls, fallback, covered, missing;
};

static void add_set(struct tally *tally, nvme_mptcp_set_t set)
{
	tally->missing += nvme_mptcp_set_missing(set);
	tally->fallback += nvme_mptcp_set_fallback(set);
	nvme_mptcp_for_each_coverage(set, coverage)
		tally->covered += nvme_mptcp_coverage_count(coverage, NVME_MPTCP_COVERED) +
				  nvme_mptcp_coverage_count(coverage, NVME_MPTCP_SUPERFLUOUS);
}

static struct tally count_connected(nvme_mptcp_snapshot_t snap, const char *const *names)
{
	struct tally tally = {};

	nvme_mptcp_for_each_ctrl(snap, ctrl) {
		if (!mptcp_is_named(ctrl, names))
			continue;
		tally.ctrls++;
		add_set(&tally, nvme_mptcp_ctrl_connections(ctrl));
	}
	nvme_mptcp_for_each_shared(snap, sh)
		if (mptcp_any_named(sh, names))
			add_set(&tally, nvme_mptcp_shared_connections(sh));
	return tally;
}

/* True if an earlier subflow of the connection carries data on the same wire. */
static bool is_repeated(nvme_mptcp_snapshot_t snap, nvme_mptcp_connection_t conn,
			nvme_mptcp_subflow_t sf)
{
	nvme_mptcp_link_t link = nvme_mptcp_subflow_link(sf);

	nvme_mptcp_for_each_subflow(conn, other) {
		nvme_mptcp_link_t earlier = nvme_mptcp_subflow_link(other);

		if (other == sf)
			break;
		if (link && earlier && nvme_mptcp_subflow_is_carrying(other) &&
		    nvme_mptcp_link_wire(snap, earlier) == nvme_mptcp_link_wire(snap, link))
			return true;
	}
	return false;
}

static struct tally count_tried(nvme_mptcp_trial_t trial)
{
	nvme_mptcp_connection_t conn = nvme_mptcp_trial_connection(trial);
	int64_t expected = nvme_mptcp_trial_expected(trial);
	size_t carrying = 0;
	struct tally tally = {};

	if (conn) {
		tally.fallback = nvme_mptcp_connection_fallback(conn) == 1;
		nvme_mptcp_for_each_subflow(conn, sf) {
			if (!nvme_mptcp_subflow_is_carrying(sf))
				continue;
			carrying++;
			tally.covered += !is_repeated(nvme_mptcp_trial_snapshot(trial), conn, sf);
		}
	}
	if (expected > (int64_t)carrying)
		tally.missing = (size_t)expected - carrying;
	return tally;
}

static void show_number(struct out *out, size_t n, const char *what)
{
	if (n)
		out_text(out, ", %zu %s%s", n, what, n == 1 ? "" : "s");
}

/* Print the first rules, each once. Findings are sorted by severity. */
static void show_rules(struct out *out, nvme_mptcp_findings_t findings)
{
	const char *last = "";
	int n = 0;

	nvme_mptcp_for_each_finding(findings, f) {
		if (nvme_mptcp_finding_severity(f) == NVME_MPTCP_INFO ||
		    !strcmp(nvme_mptcp_finding_rule(f), last))
			continue;
		last = nvme_mptcp_finding_rule(f);
		if (n == MAX_RULES) {
			out_text(out, " ...");
			break;
		}
		out_text(out, "%s%s", n++ ? " " : " (", last);
	}
	out_text(out, "%s", n ? ")" : "");
}

void brief_show(struct command *cmd, nvme_mptcp_findings_t findings, const size_t count[static 3],
		const struct brief_source *source)
{
	struct tally tally = source->trial  ? count_tried(source->trial)
			     : source->snap ? count_connected(source->snap, source->names)
					    : (struct tally){};
	const size_t wanted = tally.covered + tally.missing;
	struct out *out = cmd->out;

	out_text(out, "MPTCP %s - ",
		 count[NVME_MPTCP_ERROR]     ? "CRITICAL"
		 : count[NVME_MPTCP_WARNING] ? "WARNING"
					     : "OK");
	if (source->trial)
		out_text(out, "trial to %s", nvme_mptcp_trial_portal(source->trial));
	else if (tally.ctrls ||
		 !(nvme_mptcp_findings_role(findings) & 1U << NVME_MPTCP_ROLE_TARGET))
		out_text(out, "%zu controller%s", tally.ctrls, tally.ctrls == 1 ? "" : "s");
	else
		out_text(out, "target");
	if (wanted)
		out_text(out, ", %zu of %zu subflow%s", tally.covered, wanted,
			 wanted == 1 ? "" : "s");
	if (tally.fallback)
		out_text(out, ", %zu in fallback", tally.fallback);
	show_number(out, count[NVME_MPTCP_ERROR], "error");
	show_number(out, count[NVME_MPTCP_WARNING], "warning");
	show_rules(out, findings);
	if (nvme_mptcp_findings_ignored(findings))
		out_text(out, ", %zu ignored", nvme_mptcp_findings_ignored(findings));
	out_text(out, " | subflows=%zu;;;0;%zu missing=%zu warnings=%zu errors=%zu\n",
		 tally.covered, wanted, tally.missing, count[NVME_MPTCP_WARNING],
		 count[NVME_MPTCP_ERROR]);
}
