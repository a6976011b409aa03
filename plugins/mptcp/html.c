// SPDX-License-Identifier: GPL-2.0-or-later
/* The page of nvme mptcp report --html, from top to bottom. */
#include "html.h"

#define OPEN_UP_TO 8 /* number of sections that are open initially; they are sorted by trouble */

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
		"</title><style>%s</style></head>\n<body><a class=\"skip\" "
		"href=\"#findings\">Skip to the findings</a><header><h1>NVMe over MPTCP: ",
		html_style);
	html_text(out, source->hostname);
	fputs("</h1>", out);
}

struct totals {
	size_t ctrls, not_live, connections, subflows, dead, missing, fallback;
};

static void add_set(struct totals *t, nvme_mptcp_set_t set)
{
	t->connections += nvme_mptcp_set_count(set);
	t->subflows += nvme_mptcp_set_subflows(set);
	t->dead += mptcp_count_dead(set);
	t->missing += nvme_mptcp_set_missing(set);
	t->fallback += nvme_mptcp_set_fallback(set);
}

/* Write a count that should be 0; its class is @class if it is not. */
static void sum(FILE *out, size_t n, const char *what, const char *class)
{
	fprintf(out, "<li><b class=\"%s\">%zu</b>%s</li>", n ? class : "good", n, what);
}

/* Write a count of wanted things; 0 is dimmed, not marked as good. */
static void amount(FILE *out, size_t n, const char *what)
{
	fprintf(out, "<li><b class=\"%s\">%zu</b>%s</li>", n ? "" : "dim", n, what);
}

/* True if a controller is live. An unknown state does not count as trouble. */
static bool ctrl_is_live(nvme_mptcp_ctrl_t ctrl)
{
	const char *state = nvme_mptcp_ctrl_state(ctrl);

	return !state || !strcmp(state, "live");
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
		t.not_live += !ctrl_is_live(ctrl);
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
	sum(out, t.not_live, "not live", "error");
	amount(out, t.connections, "connections");
	amount(out, t.subflows, "subflows");
	sum(out, t.dead, "dead", "error");
	sum(out, t.missing, "missing", "warning");
	sum(out, t.fallback, "in fallback", "error");
	sum(out, count[NVME_MPTCP_ERROR], "errors", "error");
	sum(out, count[NVME_MPTCP_WARNING], "warnings", "warning");
	fputs("</ul></header><main>", out);
}

/* A collapsible section: a controller, connections shared by several, or connections of hosts. */
struct fold {
	nvme_mptcp_ctrl_t ctrl; /* or NULL */
	nvme_mptcp_shared_t shared; /* or NULL */
	nvme_mptcp_set_t set;
	unsigned int trouble; /* 0: none */
	size_t number; /* order in the snapshot */
};

/* Return how bad the trouble is; the worst has the highest number, and 0 is none. */
static unsigned int fold_trouble(nvme_mptcp_ctrl_t ctrl, nvme_mptcp_set_t set)
{
	const bool is_hidden =
		ctrl && !nvme_mptcp_set_count(set) && !nvme_mptcp_ctrl_n_shared(ctrl);

	return ctrl && !ctrl_is_live(ctrl)		   ? 6
	       : nvme_mptcp_set_fallback(set)		   ? 5
	       : ctrl && nvme_mptcp_ctrl_is_bypassed(ctrl) ? 4
	       : mptcp_count_dead(set)			   ? 3
	       : nvme_mptcp_set_missing(set)		   ? 2
	       : is_hidden				   ? 1
							   : 0;
}

static int by_trouble(const void *a, const void *b)
{
	const struct fold *x = a, *y = b;

	if (x->trouble != y->trouble)
		return x->trouble > y->trouble ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static void begin_fold(FILE *out, size_t number, const char *name)
{
	fprintf(out, "<details%s><summary><b>", number <= OPEN_UP_TO ? " open" : "");
	html_text(out, name);
	fputs("</b> ", out);
}

static void end_summary(FILE *out, const struct fold *fold)
{
	nvme_mptcp_set_t set = fold->set;
	const char *class = fold->trouble		   ? "warning"
			    : nvme_mptcp_set_subflows(set) ? "good"
							   : "dim";

	fprintf(out,
		" <span class=\"%s\">%zu subflows, %zu dead, %zu missing, %zu in fallback</span></summary>",
		class, nvme_mptcp_set_subflows(set), mptcp_count_dead(set),
		nvme_mptcp_set_missing(set), nvme_mptcp_set_fallback(set));
}

/* Write why a controller has no connections, as show-subflows does. */
static void write_absence(FILE *out, nvme_mptcp_ctrl_t ctrl)
{
	size_t shared = nvme_mptcp_ctrl_n_shared(ctrl);

	if (shared) {
		fprintf(out, "<p>Some of the %zu shared connections, see below.</p>", shared);
	} else if (nvme_mptcp_ctrl_is_bypassed(ctrl)) {
		fputs("<p>Connected straight to the target, bypassing the relay: " NVME_COMMAND
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

static void ctrl_fold(FILE *out, const struct html_source *source, const struct fold *fold,
		      size_t n)
{
	const char *name = nvme_mptcp_ctrl_name(fold->ctrl);
	const char *portal = nvme_mptcp_ctrl_traddr(fold->ctrl);

	begin_fold(out, n, name);
	fputs(ctrl_is_live(fold->ctrl) ? "" : "<span class=\"error\">", out);
	html_text(out, nvme_mptcp_ctrl_state(fold->ctrl));
	fputs(ctrl_is_live(fold->ctrl) ? "" : "</span>", out);
	if (nvme_mptcp_ctrl_is_bypassed(fold->ctrl))
		fputs(", bypassed", out);
	else if (nvme_mptcp_ctrl_is_relayed(fold->ctrl))
		fputs(", relay", out);
	fputs(" <span class=\"dim\">", out);
	html_text(out, nvme_mptcp_ctrl_subsysnqn(fold->ctrl));
	fputs("</span>", out);
	end_summary(out, fold);
	if (nvme_mptcp_set_count(fold->set))
		html_set(out, source, fold->set, name, portal ? portal : "-", n);
	else
		write_absence(out, fold->ctrl);
}

static void shared_fold(FILE *out, const struct html_source *source, const struct fold *fold,
			size_t n)
{
	nvme_mptcp_ctrl_t ctrl;

	begin_fold(out, n, "shared");
	for (size_t i = 0; (ctrl = nvme_mptcp_shared_ctrl(fold->shared, i)); i++) {
		fputs(i ? ", " : "", out);
		html_text(out, nvme_mptcp_ctrl_name(ctrl));
	}
	end_summary(out, fold);
	html_set(out, source, fold->set, "shared connections",
		 nvme_mptcp_ctrl_traddr(nvme_mptcp_shared_ctrl(fold->shared, 0)), n);
}

static void hosts_fold(FILE *out, const struct html_source *source, const struct fold *fold,
		       size_t n)
{
	begin_fold(out, n, "hosts");
	end_summary(out, fold);
	html_set(out, source, fold->set, "connections of hosts", NULL, n);
}

static size_t count_folds(nvme_mptcp_snapshot_t snap)
{
	size_t n = 1;

	nvme_mptcp_for_each_ctrl(snap, ctrl)
		n++;
	nvme_mptcp_for_each_shared(snap, sh)
		n++;
	return n;
}

static size_t find_folds(nvme_mptcp_snapshot_t snap, struct fold *folds)
{
	nvme_mptcp_set_t others = nvme_mptcp_connections(snap, NVME_MPTCP_NONE);
	size_t n = 0;

	nvme_mptcp_for_each_ctrl(snap, ctrl)
		folds[n++] =
			(struct fold){ .ctrl = ctrl, .set = nvme_mptcp_ctrl_connections(ctrl) };
	nvme_mptcp_for_each_shared(snap, sh)
		folds[n++] =
			(struct fold){ .shared = sh, .set = nvme_mptcp_shared_connections(sh) };
	if (nvme_mptcp_set_count(others))
		folds[n++] = (struct fold){ .set = others };
	for (size_t i = 0; i < n; i++) {
		folds[i].trouble = fold_trouble(folds[i].ctrl, folds[i].set);
		folds[i].number = i;
	}
	if (n)
		qsort(folds, n, sizeof(*folds), by_trouble);
	return n;
}

static bool ctrls(FILE *out, const struct html_source *source)
{
	_cleanup_(free) struct fold *folds = calloc(count_folds(source->snap), sizeof(*folds));
	size_t n;

	if (!folds)
		return false;
	n = find_folds(source->snap, folds);
	fputs("<h2>Controllers</h2>", out);
	for (size_t i = 0; i < n; i++) {
		if (folds[i].ctrl)
			ctrl_fold(out, source, &folds[i], i + 1);
		else if (folds[i].shared)
			shared_fold(out, source, &folds[i], i + 1);
		else
			hosts_fold(out, source, &folds[i], i + 1);
		fputs("</details>\n", out);
	}
	if (!n)
		fputs("<p>No controller is connected over MPTCP.</p>", out);
	return true;
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
	bool complete;

	if (!out)
		return NULL;
	head(out, source);
	sums(out, source);
	complete = ctrls(out, source);
	endpoints(out, source->snap, "here", source->hostname);
	if (source->peer)
		endpoints(out, nvme_mptcp_peer_snapshot(source->peer), "there",
			  nvme_mptcp_peer_hostname(source->peer));
	findings(out, source);
	fputs("</main></body></html>", out);
	return text_close(&text) || !complete ? NULL : text_take(&text);
}
