// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Picture of a set of connections: the host on the left, the target on the right, and between them
 * the links with subflows as lines. A table has the same data for readers who do not see the
 * picture.
 */
#include "html.h"

#define MAX_LINK_COUNT 64 /* maximum number of links in a picture */
#define MAX_LINES 12 /* maximum number of subflows drawn per link */
#define BITS_TEXT (MPTCP_NUMBER_TEXT + 8) /* number with unit */

struct lane {
	nvme_mptcp_link_t link; /* NULL: unknown */
	char possible[MPTCP_LINKS_TEXT]; /* "eth1|eth2", if the link is unknown */
	const char *trouble;
	size_t subflows, backups, dead, pending, missing; /* subflows: those that carry */
	int64_t bytes, rate; /* rate: bytes per second, or NVME_MPTCP_UNKNOWN */
};

struct picture {
	struct lane lane[MAX_LINK_COUNT];
	size_t n;
	int64_t bytes;
};

static struct lane *find_lane(struct picture *p, nvme_mptcp_link_t link)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->lane[i].link == link)
			return &p->lane[i];
	if (p->n == MAX_LINK_COUNT)
		return &p->lane[MAX_LINK_COUNT - 1];
	p->lane[p->n] = (struct lane){ .link = link, .rate = NVME_MPTCP_UNKNOWN };
	return &p->lane[p->n++];
}

static int64_t known(int64_t value)
{
	return value > 0 ? value : 0;
}

static void add_subflow(struct picture *p, const struct html_source *source,
			nvme_mptcp_connection_t conn, nvme_mptcp_subflow_t sf)
{
	const int64_t backup = NVME_MPTCP_SUBFLOW_BKUP_LOC | NVME_MPTCP_SUBFLOW_BKUP_REM;
	struct lane *lane = find_lane(p, nvme_mptcp_subflow_link(sf));
	int64_t flags = nvme_mptcp_subflow_flags(sf);
	int64_t bytes = known(nvme_mptcp_subflow_value(sf, NVME_MPTCP_BYTES_SENT)) +
			known(nvme_mptcp_subflow_value(sf, NVME_MPTCP_BYTES_RECEIVED));

	if (!lane->link && nvme_mptcp_subflow_possible_link(sf, 0))
		mptcp_subflow_link_text(sf, lane->possible);
	lane->bytes += bytes;
	p->bytes += bytes;
	if (source->rates)
		lane->rate = known(lane->rate) +
			     known(rates_of(source->rates, conn, sf, NVME_MPTCP_BYTES_SENT)) +
			     known(rates_of(source->rates, conn, sf, NVME_MPTCP_BYTES_RECEIVED));
	if (!nvme_mptcp_subflow_is_carrying(sf)) {
		if (nvme_mptcp_subflow_is_established(sf))
			lane->dead++;
		else
			lane->pending++;
		return;
	}
	lane->subflows++;
	lane->backups += flags != NVME_MPTCP_UNKNOWN && (flags & backup);
}

static void collect_lanes(struct picture *p, const struct html_source *source, nvme_mptcp_set_t set)
{
	nvme_mptcp_for_each_connection(set, conn)
		nvme_mptcp_for_each_subflow(conn, sf)
			add_subflow(p, source, conn, sf);
	nvme_mptcp_for_each_coverage(set, coverage) {
		size_t missing = nvme_mptcp_coverage_count(coverage, NVME_MPTCP_MISSING);
		struct lane *lane;

		if (!missing)
			continue;
		lane = find_lane(p, nvme_mptcp_coverage_link(coverage));
		lane->missing += missing;
		lane->trouble = nvme_mptcp_coverage_trouble(coverage);
	}
}

static const char *lane_name(const struct lane *lane)
{
	return lane->link	 ? nvme_mptcp_link_name(lane->link)
	       : *lane->possible ? lane->possible
				 : "unknown link";
}

/*
 * Return the state of a link as text, since not all readers can tell colours apart, and its CSS
 * class.
 */
static const char *lane_state(const struct lane *lane, const char **class)
{
	bool is_dead = lane->link && (!nvme_mptcp_link_is_up(lane->link) ||
				      !nvme_mptcp_link_has_carrier(lane->link));

	*class = is_dead || (!lane->subflows && (lane->missing || lane->dead)) ? "error"
		 : lane->missing || lane->dead || lane->pending		       ? "warning"
									       : "good";
	return is_dead				 ? "down"
	       : lane->dead && !lane->subflows	 ? "subflows dead"
	       : !lane->subflows		 ? "no subflow"
	       : lane->missing			 ? "subflows missing"
	       : lane->pending			 ? "subflows pending"
	       : lane->backups == lane->subflows ? "backup"
						 : "in use";
}

static const char *rate_text(int64_t bytes_per_second, char text[static BITS_TEXT])
{
	char number[MPTCP_NUMBER_TEXT];

	if (bytes_per_second < 0)
		return "-";
	snprintf(text, BITS_TEXT, "%sbit/s", mptcp_rate_text(bytes_per_second, number));
	return text;
}

static int share_of(const struct picture *p, const struct lane *lane)
{
	return p->bytes ? (int)(100.0 * (double)lane->bytes / (double)p->bytes + 0.5) : 0;
}

static void draw_lane(FILE *out, const struct picture *p, const struct lane *lane, int y)
{
	const size_t all = lane->subflows + lane->dead;
	size_t lines = all < MAX_LINES ? all : MAX_LINES;
	char speed[MPTCP_NUMBER_TEXT], rate[BITS_TEXT];
	const char *class, *state = lane_state(lane, &class);
	int64_t mbps = lane->link ? nvme_mptcp_link_speed(lane->link) : NVME_MPTCP_UNKNOWN;

	fprintf(out, "<text x=\"200\" y=\"%d\">", y - 4);
	html_text(out, lane_name(lane));
	fputs("<tspan class=\"wide\">", out);
	if (mbps >= 0)
		fprintf(out, " (%sbit/s)", mptcp_speed_text(mbps, speed));
	if (lane->rate >= 0)
		fprintf(out, " · %s", rate_text(lane->rate, rate));
	fprintf(out, " · %d%% of the bytes</tspan></text>", share_of(p, lane));
	fprintf(out, "<text class=\"%s\" x=\"600\" y=\"%d\" text-anchor=\"end\">%s</text>", class,
		y - 4, state);
	for (size_t i = 0; i < lines; i++)
		fprintf(out, "<line%s x1=\"180\" x2=\"620\" y1=\"%d\" y2=\"%d\"/>",
			/* Dead subflows come last: they may stay for minutes. */
			i >= lane->subflows		      ? " class=\"error\""
			: lane->subflows - i <= lane->backups ? " class=\"backup\""
							      : "",
			y + 6 + 4 * (int)i, y + 6 + 4 * (int)i);
	if (!lines)
		fprintf(out, "<line class=\"%s\" x1=\"180\" x2=\"620\" y1=\"%d\" y2=\"%d\"/>",
			class, y + 8, y + 8);
	if (all > lines)
		fprintf(out, "<text class=\"dim\" x=\"200\" y=\"%d\">and %zu more</text>",
			y + 20 + 4 * (int)lines, all - lines);
}

static int lane_height(const struct lane *lane)
{
	const size_t all = lane->subflows + lane->dead;
	size_t lines = all < MAX_LINES ? all : MAX_LINES;

	return 40 + 4 * (int)lines + (all > lines ? 16 : 0);
}

static void draw_end(FILE *out, int x, int height, const char *what, const char *name)
{
	fprintf(out, "<rect x=\"%d\" y=\"10\" width=\"170\" height=\"%d\" rx=\"6\"/>", x,
		height - 20);
	fprintf(out, "<text class=\"dim\" x=\"%d\" y=\"36\">%s</text>", x + 12, what);
	fprintf(out, "<text class=\"name\" x=\"%d\" y=\"64\"%s>", x + 12,
		name && strlen(name) > 15 ? " textLength=\"146\" lengthAdjust=\"spacingAndGlyphs\""
					  : "");
	html_text(out, name);
	fputs("</text>", out);
}

static void draw(FILE *out, const struct picture *p, const struct html_source *source,
		 const char *name, const char *portal, size_t number)
{
	const char *peer = source->peer ? nvme_mptcp_peer_hostname(source->peer) : NULL;
	int height = 40, y = 36;

	for (size_t i = 0; i < p->n; i++)
		height += lane_height(&p->lane[i]);
	if (height < 90)
		height = 90;
	fprintf(out,
		"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"t%zu\">"
		"<svg viewBox=\"0 0 800 %d\" role=\"img\" aria-labelledby=\"t%zu\"><title id=\"t%zu\">",
		number, height, number, number);
	fputs("Links of ", out);
	html_text(out, name);
	fputs("; the table below shows the same data</title>", out);
	if (portal) {
		draw_end(out, 6, height, "host", source->hostname);
		draw_end(out, 624, height, peer ? "target" : "target at", peer ? peer : portal);
	} else {
		draw_end(out, 6, height, peer ? "host" : "hosts", peer ? peer : "");
		draw_end(out, 624, height, "target", source->hostname);
	}
	for (size_t i = 0; i < p->n; i++) {
		draw_lane(out, p, &p->lane[i], y);
		y += lane_height(&p->lane[i]);
	}
	fputs("</svg></div>", out);
}

static void list_lanes(FILE *out, const struct picture *p, const char *name)
{
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of ", out);
	html_text(out, name);
	fputs("\"><table>"
	      "<thead><tr><th scope=\"col\">Link<th scope=\"col\">State<th scope=\"col\" class=\"n\">"
	      "Carrying<th scope=\"col\" class=\"n\">Dead<th scope=\"col\" class=\"n\">Missing<th scope=\"col\" class=\"n\">Pending"
	      "<th scope=\"col\" class=\"n\">Backup<th scope=\"col\" class=\"n\">Bytes<th scope=\"col\" "
	      "class=\"n\">Share<th scope=\"col\" class=\"n\">Rate</tr></thead><tbody>",
	      out);
	for (size_t i = 0; i < p->n; i++) {
		const struct lane *lane = &p->lane[i];
		char bytes[MPTCP_NUMBER_TEXT], rate[BITS_TEXT];
		const char *class, *state = lane_state(lane, &class);

		fputs("<tr><th scope=\"row\">", out);
		html_text(out, lane_name(lane));
		fprintf(out, "<td class=\"%s\">%s%s", class, state, lane->trouble ? ": " : "");
		if (lane->trouble)
			html_text(out, lane->trouble);
		fprintf(out,
			"<td class=\"n\">%zu<td class=\"n\">%zu<td class=\"n\">%zu<td class=\"n\">%zu"
			"<td class=\"n\">%zu"
			"<td class=\"n\">%s<td class=\"n\">%d%%<td class=\"n\">%s</tr>",
			lane->subflows, lane->dead, lane->missing, lane->pending, lane->backups,
			mptcp_bytes_text(lane->bytes, bytes), share_of(p, lane),
			rate_text(lane->rate, rate));
	}
	fputs("</tbody></table></div>", out);
}

void html_set(FILE *out, const struct html_source *source, nvme_mptcp_set_t set, const char *name,
	      const char *portal, size_t number)
{
	struct picture *p = calloc(1, sizeof(*p));

	if (!p) {
		fputs("<p class=\"error\">Out of memory: this part is missing.</p>", out);
		return;
	}
	collect_lanes(p, source, set);
	if (p->n) {
		draw(out, p, source, name, portal, number);
		list_lanes(out, p, name);
	} else {
		fputs("<p>No connection in this network namespace.</p>", out);
	}
	free(p);
}
