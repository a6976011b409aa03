// SPDX-License-Identifier: GPL-2.0-or-later
/* The page of nvme mptcp report --html, from top to bottom. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config.h"
#include "html.h"
#include "shared/text.h"

#define OPEN_UP_TO 8 /* controllers that are unfolded from the start; as many that are not well */

static const char *const severity_names[] = { "information", "warning", "error" };

static void head(FILE *out, const struct html_source *source)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'\"><meta name=\"viewport\" "
	      "content=\"width=device-width,initial-scale=1\"><title>NVMe over MPTCP: ",
	      out);
	html_text(out, source->hostname);
	fprintf(out,
		"</title><style>%s</style></head>\n<body><a class=\"skip\" href=\"#findings\">"
		"To the findings</a><header><h1>NVMe over MPTCP: ",
		html_style);
	html_text(out, source->hostname);
	fputs("</h1>", out);
}

struct totals {
	size_t ctrls, connections, subflows, dead, missing, fallback;
};

static void add_set(struct totals *t, nvme_mptcp_set_t set)
{
	t->connections += nvme_mptcp_set_count(set);
	t->subflows += nvme_mptcp_set_subflows(set);
	t->dead += mptcp_count_dead(set);
	t->missing += nvme_mptcp_set_missing(set);
	t->fallback += nvme_mptcp_set_fallback(set);
}

/* What there should be none of; @class if there is. */
static void sum(FILE *out, size_t n, const char *what, const char *class)
{
	fprintf(out, "<li><b class=\"%s\">%zu</b>%s</li>", n ? class : "good", n, what);
}

/* What there should be; that there is none is no success. */
static void amount(FILE *out, size_t n, const char *what)
{
	fprintf(out, "<li><b class=\"%s\">%zu</b>%s</li>", n ? "" : "dim", n, what);
}

static void sums(FILE *out, const struct html_source *source)
{
	struct totals t = {};
	size_t count[3] = {};
	char text[40] = "";
	time_t now = time(NULL);
	struct tm utc;

	nvme_mptcp_for_each_ctrl(source->snap, ctrl) {
		t.ctrls++;
		add_set(&t, nvme_mptcp_ctrl_connections(ctrl));
	}
	nvme_mptcp_for_each_shared(source->snap, sh)
		add_set(&t, nvme_mptcp_shared_connections(sh));
	add_set(&t, nvme_mptcp_connections(source->snap, NVME_MPTCP_NONE));
	nvme_mptcp_for_each_finding(source->findings, f)
		count[mptcp_severity(f)]++;
	if (gmtime_r(&now, &utc))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &utc);
	fprintf(out, "<p class=\"dim\">%s, %s", text, PROJECT_VERSION);
	if (source->peer) {
		fputs(", with the report of ", out);
		html_text(out, nvme_mptcp_peer_hostname(source->peer));
	}
	fputs("</p><ul class=\"sums\">", out);
	amount(out, t.ctrls, "controllers");
	amount(out, t.connections, "connections");
	amount(out, t.subflows, "subflows");
	sum(out, t.dead, "dead", "error");
	sum(out, t.missing, "missing", "warning");
	sum(out, t.fallback, "in fallback", "error");
	sum(out, count[NVME_MPTCP_ERROR], "errors", "error");
	sum(out, count[NVME_MPTCP_WARNING], "warnings", "warning");
	fputs("</ul></header><main>", out);
}

static bool is_well(nvme_mptcp_set_t set)
{
	return !mptcp_count_dead(set) && !nvme_mptcp_set_missing(set) &&
	       !nvme_mptcp_set_fallback(set);
}

/* How many controllers have been shown, and how many of them are not well. */
struct shown {
	size_t n, unwell;
};

static void begin_fold(FILE *out, struct shown *shown, nvme_mptcp_set_t set, const char *name)
{
	bool open = shown->n++ < OPEN_UP_TO;

	if (!is_well(set) && shown->unwell++ < OPEN_UP_TO)
		open = true;
	fprintf(out, "<details%s><summary><b>", open ? " open" : "");
	html_text(out, name);
	fputs("</b> ", out);
}

static void end_summary(FILE *out, nvme_mptcp_set_t set)
{
	const char *class = !is_well(set)		   ? "warning"
			    : nvme_mptcp_set_subflows(set) ? "good"
							   : "dim";

	fprintf(out,
		" <span class=\"%s\">%zu subflows, %zu dead, %zu missing, %zu in fallback</span></summary>",
		class, nvme_mptcp_set_subflows(set), mptcp_count_dead(set),
		nvme_mptcp_set_missing(set), nvme_mptcp_set_fallback(set));
}

/* As nvme mptcp show-subflows has it. */
static void why_none(FILE *out, nvme_mptcp_ctrl_t ctrl)
{
	size_t shared = nvme_mptcp_ctrl_n_shared(ctrl);

	if (shared) {
		fprintf(out, "<p>Some of the %zu shared connections, see below.</p>", shared);
	} else if (nvme_mptcp_ctrl_is_bypassed(ctrl)) {
		fputs("<p>Connected straight to the target, past the relay: " NVME_COMMAND
		      " reset /dev/",
		      out);
		html_text(out, nvme_mptcp_ctrl_name(ctrl));
		fputs("</p>", out);
	} else if (mptcp_ctrl_is_down(ctrl)) {
		fputs("<p>No connection while the controller is ", out);
		html_text(out, nvme_mptcp_ctrl_state(ctrl));
		fputs(".</p>", out);
	} else {
		fputs("<p>No connection in this network namespace.</p>", out);
	}
}

static void ctrls(FILE *out, const struct html_source *source)
{
	nvme_mptcp_set_t others = nvme_mptcp_connections(source->snap, NVME_MPTCP_NONE);
	struct shown shown = { 0 };

	fputs("<h2>Controllers</h2>", out);
	nvme_mptcp_for_each_ctrl(source->snap, ctrl) {
		nvme_mptcp_set_t set = nvme_mptcp_ctrl_connections(ctrl);
		const char *name = nvme_mptcp_ctrl_name(ctrl);

		begin_fold(out, &shown, set, name);
		html_text(out, nvme_mptcp_ctrl_state(ctrl));
		if (nvme_mptcp_ctrl_is_bypassed(ctrl))
			fputs(", bypassed", out);
		else if (nvme_mptcp_ctrl_is_relayed(ctrl))
			fputs(", relay", out);
		fputs(" <span class=\"dim\">", out);
		html_text(out, nvme_mptcp_ctrl_subsysnqn(ctrl));
		fputs("</span>", out);
		end_summary(out, set);
		if (nvme_mptcp_set_count(set))
			html_set(out, source, set, name, nvme_mptcp_ctrl_traddr(ctrl), shown.n);
		else
			why_none(out, ctrl);
		fputs("</details>\n", out);
	}
	nvme_mptcp_for_each_shared(source->snap, sh) {
		nvme_mptcp_set_t set = nvme_mptcp_shared_connections(sh);
		nvme_mptcp_ctrl_t ctrl;

		begin_fold(out, &shown, set, "shared");
		for (size_t i = 0; (ctrl = nvme_mptcp_shared_ctrl(sh, i)); i++) {
			fputs(i ? ", " : "", out);
			html_text(out, nvme_mptcp_ctrl_name(ctrl));
		}
		end_summary(out, set);
		html_set(out, source, set, "shared connections",
			 nvme_mptcp_ctrl_traddr(nvme_mptcp_shared_ctrl(sh, 0)), shown.n);
		fputs("</details>\n", out);
	}
	if (nvme_mptcp_set_count(others)) {
		begin_fold(out, &shown, others, "hosts");
		end_summary(out, others);
		html_set(out, source, others, "connections of hosts", "hosts", shown.n);
		fputs("</details>\n", out);
	}
	if (!shown.n)
		fputs("<p>No controller is connected over MPTCP.</p>", out);
}

static void flags(FILE *out, int64_t value)
{
	const char *name;

	for (int bit = 0; value != NVME_MPTCP_UNKNOWN && bit < 16; bit++) {
		name = nvme_mptcp_endpoint_flag_name((enum nvme_mptcp_endpoint_flag)(1 << bit));
		if (name && value & (1 << bit))
			fprintf(out, "%s ", name);
	}
}

static void endpoints(FILE *out, nvme_mptcp_snapshot_t snap, const char *side, const char *hostname)
{
	char subflows[MPTCP_NUMBER_TEXT], accepted[MPTCP_NUMBER_TEXT];

	fprintf(out, "<h2>Endpoints %s: ", side);
	html_text(out, hostname);
	fprintf(out, "</h2><p>Limits: subflows %s, add_addr_accepted %s</p>",
		mptcp_number_text(nvme_mptcp_limit_subflows(snap), subflows),
		mptcp_number_text(nvme_mptcp_limit_add_addr_accepted(snap), accepted));
	if (!nvme_mptcp_endpoint_next(snap, NULL)) {
		fputs("<p>No endpoints.</p>", out);
		return;
	}
	fprintf(out,
		"<div class=\"scroll\" "
		"tabindex=\"0\" role=\"region\" aria-label=\"Endpoints %s\"><table><thead><tr>"
		"<th scope=\"col\">Id<th scope=\"col\">Address<th scope=\"col\">Link<th scope=\"col\">"
		"Flags<th scope=\"col\" class=\"n\">Subflows</tr></thead><tbody>",
		side);
	nvme_mptcp_for_each_endpoint(snap, ep) {
		nvme_mptcp_link_t link = nvme_mptcp_endpoint_link(ep);

		fprintf(out, "<tr><th scope=\"row\">%u<td>", nvme_mptcp_endpoint_id(ep));
		html_text(out, nvme_mptcp_endpoint_address(ep));
		fputs("<td>", out);
		html_text(out, link ? nvme_mptcp_link_name(link) : NULL);
		fputs("<td>", out);
		flags(out, nvme_mptcp_endpoint_flags(ep));
		fprintf(out, "<td class=\"n\">%s</tr>",
			mptcp_number_text(nvme_mptcp_endpoint_subflows(ep), subflows));
	}
	fputs("</tbody></table></div>", out);
}

static void finding(FILE *out, nvme_mptcp_finding_t f)
{
	enum nvme_mptcp_severity severity = mptcp_severity(f);
	enum nvme_mptcp_role side;
	const char *command;

	fprintf(out, "<div class=\"finding\"><h3><span class=\"%s\">%s</span> %s: ",
		nvme_mptcp_severity_name(severity), severity_names[severity],
		nvme_mptcp_finding_rule(f));
	html_text(out, nvme_mptcp_finding_subject(f));
	fputs("</h3><p>", out);
	html_text(out, nvme_mptcp_finding_why(f));
	fputs("</p>", out);
	for (size_t i = 0; (command = nvme_mptcp_finding_fix(f, i, &side)); i++) {
		fprintf(out, "<p class=\"dim\">on the %s</p><pre tabindex=\"0\"><code>",
			nvme_mptcp_role_name(side));
		html_text(out, command);
		fputs("</code></pre>", out);
	}
	fputs("</div>", out);
}

static void findings(FILE *out, const struct html_source *source)
{
	size_t n = 0;

	fputs("<h2 id=\"findings\" tabindex=\"-1\">Findings</h2>", out);
	nvme_mptcp_for_each_finding(source->findings, f) {
		finding(out, f);
		n++;
	}
	if (!n)
		fputs("<p class=\"good\">Nothing was found.</p>", out);
	for (int part = 0; nvme_mptcp_part_name(part); part++) {
		const char *problem = nvme_mptcp_snapshot_problem(source->snap, part);

		if (!problem)
			continue;
		fputs("<p class=\"warning\">Not complete: ", out);
		html_text(out, problem);
		fputs("</p>", out);
	}
}

char *html_page(const struct html_source *source)
{
	_cleanup_(text_wipe) struct text text = { 0 };
	FILE *out = text_open(&text);

	if (!out)
		return NULL;
	head(out, source);
	sums(out, source);
	ctrls(out, source);
	endpoints(out, source->snap, "here", source->hostname);
	if (source->peer)
		endpoints(out, nvme_mptcp_peer_snapshot(source->peer), "there",
			  nvme_mptcp_peer_hostname(source->peer));
	findings(out, source);
	fputs("</main></body></html>", out);
	return text_close(&text) ? NULL : text_take(&text);
}
