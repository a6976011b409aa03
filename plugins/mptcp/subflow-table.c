// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of subflows and links. The table of subflows should fit a terminal of 100 columns, and
 * addresses differ in length: if it is too wide, the least important columns are dropped, in the
 * order given in columns[]. -v shows all of them.
 */
#include "rates.h"

#define WIDTH 100
#define INDENT 2
#define GAP 2
#define CELL MPTCP_LINKS_TEXT /* the longest cell contains links */

struct row {
	nvme_mptcp_connection_t conn;
	nvme_mptcp_subflow_t sf;
	const struct subflow_view *view;
	bool first; /* first subflow of its connection */
	bool short_local; /* omit the local port */
};

struct column {
	const char *header; /* as for out_table() */
	int drop; /* step at which the column is dropped; 0: never */
	bool verbose; /* only with -v */
	void (*cell)(const struct row *row, char text[static CELL]);
};

static void put_token(const struct row *row, char text[static CELL])
{
	int64_t token = nvme_mptcp_connection_token(row->conn);

	if (!row->first)
		snprintf(text, CELL, " ");
	else if (token == NVME_MPTCP_UNKNOWN)
		snprintf(text, CELL, "-");
	else
		snprintf(text, CELL, "%08" PRIx64, token);
}

/* Write "[2001:db8::1]:4420" as "2001:db8::1". */
static void without_port(const char *address, char text[static CELL])
{
	const char *colon = strrchr(address, ':');
	size_t length = colon ? (size_t)(colon - address) : strlen(address);

	if (*address == '[' && length > 2) {
		address++;
		length -= 2;
	}
	snprintf(text, CELL, "%.*s", (int)length, address);
}

static void put_local(const struct row *row, char text[static CELL])
{
	const char *local = nvme_mptcp_subflow_local(row->sf);

	if (row->short_local)
		without_port(local, text);
	else
		snprintf(text, CELL, "%s", local);
}

static void put_remote(const struct row *row, char text[static CELL])
{
	const char *remote = nvme_mptcp_subflow_remote(row->sf);
	const char *colon = strrchr(remote, ':');

	if (row->view->port && colon && !strcmp(colon + 1, row->view->port))
		without_port(remote, text);
	else
		snprintf(text, CELL, "%s", remote);
}

static void put_link(const struct row *row, char text[static CELL])
{
	mptcp_subflow_link_text(row->sf, text);
}

static void put_ids(const struct row *row, char text[static CELL])
{
	char local[MPTCP_NUMBER_TEXT], remote[MPTCP_NUMBER_TEXT];

	mptcp_number_text(nvme_mptcp_subflow_id_local(row->sf), local);
	mptcp_number_text(nvme_mptcp_subflow_id_remote(row->sf), remote);
	snprintf(text, CELL, "%s/%s", local, remote);
}

static void put_flags(const struct row *row, char text[static CELL])
{
	const int64_t initial = NVME_MPTCP_SUBFLOW_MCAP_LOC | NVME_MPTCP_SUBFLOW_MCAP_REM;
	const int64_t join = NVME_MPTCP_SUBFLOW_JOIN_LOC | NVME_MPTCP_SUBFLOW_JOIN_REM;
	const int64_t backup = NVME_MPTCP_SUBFLOW_BKUP_LOC | NVME_MPTCP_SUBFLOW_BKUP_REM;
	int64_t flags = nvme_mptcp_subflow_flags(row->sf);
	const char *life = !nvme_mptcp_subflow_is_established(row->sf) ? ",pending"
			   : nvme_mptcp_subflow_is_carrying(row->sf)   ? ""
								       : ",dead";

	if (flags == NVME_MPTCP_UNKNOWN) {
		snprintf(text, CELL, "%s", *life ? life + 1 : "-");
		return;
	}
	snprintf(text, CELL, "%s%s%s",
		 nvme_mptcp_connection_fallback(row->conn) == 1 ? "tcp"
		 : flags & initial				? "initial"
		 : flags & join					? "join"
								: "-",
		 flags & backup ? ",backup" : "", life);
}

static void put_raw_flags(const struct row *row, char text[static CELL])
{
	static const char letters[] = "MmJjBbecv";
	int64_t flags = nvme_mptcp_subflow_flags(row->sf);
	size_t n = 0;

	if (flags == NVME_MPTCP_UNKNOWN)
		text[n++] = '-';
	else
		for (size_t i = 0; i < sizeof(letters) - 1; i++)
			if (flags & (1LL << i))
				text[n++] = letters[i];
	text[n] = '\0';
}

static void put_state(const struct row *row, char text[static CELL])
{
	snprintf(text, CELL, "%s", nvme_mptcp_subflow_state(row->sf));
}

static void put_bound(const struct row *row, char text[static CELL])
{
	snprintf(text, CELL, "%s", nvme_mptcp_subflow_is_bound(row->sf) ? "yes" : "no");
}

#define VALUE_CELL(name, value, text_of) \
	static void name(const struct row *row, char text[static CELL]) \
	{ \
		text_of(nvme_mptcp_subflow_value(row->sf, value), text); \
	}

VALUE_CELL(put_rtt, NVME_MPTCP_RTT_US, mptcp_time_text)
VALUE_CELL(put_min_rtt, NVME_MPTCP_MIN_RTT_US, mptcp_time_text)
VALUE_CELL(put_cwnd, NVME_MPTCP_CWND, mptcp_number_text)
VALUE_CELL(put_mss, NVME_MPTCP_MSS, mptcp_number_text)
VALUE_CELL(put_retrans, NVME_MPTCP_RETRANS, mptcp_number_text)
VALUE_CELL(put_retrans_bytes, NVME_MPTCP_BYTES_RETRANS, mptcp_bytes_text)
VALUE_CELL(put_notsent, NVME_MPTCP_BYTES_NOTSENT, mptcp_bytes_text)
VALUE_CELL(put_rate, NVME_MPTCP_DELIVERY_RATE, mptcp_rate_text)
VALUE_CELL(put_idle, NVME_MPTCP_LAST_DATA_RECV_MS, mptcp_number_text)

static int64_t carried(const struct subflow_view *view, nvme_mptcp_connection_t conn,
		       nvme_mptcp_subflow_t sf, enum nvme_mptcp_subflow_value value)
{
	return view->rates ? rates_of(view->rates, conn, sf, value)
			   : nvme_mptcp_subflow_value(sf, value);
}

static void put_sent(const struct row *row, char text[static CELL])
{
	mptcp_bytes_text(carried(row->view, row->conn, row->sf, NVME_MPTCP_BYTES_SENT), text);
}

static void put_received(const struct row *row, char text[static CELL])
{
	mptcp_bytes_text(carried(row->view, row->conn, row->sf, NVME_MPTCP_BYTES_RECEIVED), text);
}

/* header() replaces SENT and RECV if they are per second. */
static const struct column columns[] = {
	{ "TOKEN", 8, false, put_token },     { "LOCAL", 0, false, put_local },
	{ "REMOTE", 9, false, put_remote },   { "LINK", 0, false, put_link },
	{ "BOUND", 0, true, put_bound },      { "IDS", 7, false, put_ids },
	{ "FLAGS", 0, false, put_flags },     { "RAW", 0, true, put_raw_flags },
	{ "STATE", 2, false, put_state },     { "RTT:r", 4, false, put_rtt },
	{ "MINRTT:r", 0, true, put_min_rtt }, { "CWND:r", 1, false, put_cwnd },
	{ "MSS:r", 0, true, put_mss },	      { "SENT:r", 0, false, put_sent },
	{ "RECV:r", 0, false, put_received }, { "NOTSENT:r", 0, true, put_notsent },
	{ "RETR:r", 6, false, put_retrans },  { "RETRBYTES:r", 0, true, put_retrans_bytes },
	{ "IDLEMS:r", 0, true, put_idle },    { "RATE:r", 5, false, put_rate },
};

#define N_COLUMNS (sizeof(columns) / sizeof(columns[0]))
#define DROP_LOCAL_PORT 3
#define DROP_LAST 6
#define DROP_LAST_OF_SCREEN 9 /* keeps SENT/s and RECV/s within the screen */

static const char *header(const struct column *column, const struct subflow_view *view)
{
	if (view->rates && column->cell == put_sent)
		return "SENT/s:r";
	if (view->rates && column->cell == put_received)
		return "RECV/s:r";
	return column->header;
}

static void measure(nvme_mptcp_set_t set, const struct subflow_view *view, bool short_local,
		    size_t width[static N_COLUMNS])
{
	char text[CELL];

	for (size_t i = 0; i < N_COLUMNS; i++)
		width[i] = strcspn(header(&columns[i], view), ":");
	nvme_mptcp_for_each_connection(set, conn) {
		struct row row = { .conn = conn, .view = view, .short_local = short_local };

		row.first = true;
		nvme_mptcp_for_each_subflow(conn, sf) {
			row.sf = sf;
			for (size_t i = 0; i < N_COLUMNS; i++) {
				columns[i].cell(&row, text);
				if (strlen(text) > width[i])
					width[i] = strlen(text);
			}
			row.first = false;
		}
	}
}

static bool is_shown(const struct column *column, bool verbose, int dropped)
{
	return verbose || (!column->verbose && (!column->drop || column->drop > dropped));
}

static size_t total(const size_t width[static N_COLUMNS], int dropped)
{
	size_t sum = INDENT;

	for (size_t i = 0; i < N_COLUMNS; i++)
		if (is_shown(&columns[i], false, dropped))
			sum += width[i] + GAP;
	return sum - GAP;
}

/* Return the number of steps after which the table fits. */
static int choose(nvme_mptcp_set_t set, const struct subflow_view *view)
{
	const size_t most = view->width ? view->width : WIDTH;
	const int last = view->width ? DROP_LAST_OF_SCREEN : DROP_LAST;
	size_t width[N_COLUMNS];
	int dropped = 0;

	measure(set, view, false, width);
	while (dropped < last && total(width, dropped) > most) {
		dropped++;
		if (dropped == DROP_LOCAL_PORT)
			measure(set, view, true, width);
	}
	return dropped;
}

static enum out_colour colour_of(const struct row *row, const struct column *column)
{
	if (column->cell == put_token)
		return OUT_DIM;
	if (column->cell == put_flags && nvme_mptcp_connection_fallback(row->conn) == 1)
		return OUT_RED;
	if ((column->cell == put_flags || column->cell == put_state) &&
	    !nvme_mptcp_subflow_is_carrying(row->sf))
		return nvme_mptcp_subflow_is_established(row->sf) ? OUT_RED : OUT_YELLOW;
	return OUT_PLAIN;
}

void subflow_table_show(struct command *cmd, nvme_mptcp_set_t set, const struct subflow_view *view)
{
	const char *headers[N_COLUMNS + 1] = {};
	bool verbose = cmd->common.verbose;
	int dropped = verbose ? 0 : choose(set, view);
	struct out *out = cmd->out;
	size_t n = 0, hidden = 0;
	int rows = view->rows;
	char text[CELL];

	for (size_t i = 0; i < N_COLUMNS; i++)
		if (is_shown(&columns[i], verbose, dropped))
			headers[n++] = header(&columns[i], view);
	out_table_columns(out, NULL, headers);
	nvme_mptcp_for_each_connection(set, conn) {
		struct row row = { .conn = conn,
				   .first = true,
				   .view = view,
				   .short_local = dropped >= DROP_LOCAL_PORT };

		nvme_mptcp_for_each_subflow(conn, sf) {
			if (!rows) {
				hidden++;
				continue;
			}
			rows -= rows > 0;
			row.sf = sf;
			out_row(out);
			for (size_t i = 0; i < N_COLUMNS; i++) {
				if (!is_shown(&columns[i], verbose, dropped))
					continue;
				columns[i].cell(&row, text);
				out_colour(out, colour_of(&row, &columns[i]));
				out_str(out, NULL, text);
			}
			row.first = false;
		}
	}
	out_end(out);
	if (hidden)
		out_text(out, "  and %zu more\n", hidden);
}

/* Bytes that a link carried, in total or per second. */
struct load {
	int64_t sent, received;
};

static void add(int64_t *sum, int64_t value)
{
	if (value != NVME_MPTCP_UNKNOWN)
		*sum = *sum == NVME_MPTCP_UNKNOWN ? value : *sum + value;
}

static struct load load_of(nvme_mptcp_set_t set, nvme_mptcp_usage_t usage,
			   const struct subflow_view *view)
{
	struct load load = { NVME_MPTCP_UNKNOWN, NVME_MPTCP_UNKNOWN };
	nvme_mptcp_link_t link = nvme_mptcp_usage_link(usage);

	if (!view->rates)
		return (struct load){ nvme_mptcp_usage_bytes_sent(usage),
				      nvme_mptcp_usage_bytes_received(usage) };
	nvme_mptcp_for_each_connection(set, conn) {
		nvme_mptcp_for_each_subflow(conn, sf) {
			if (nvme_mptcp_subflow_link(sf) != link)
				continue;
			add(&load.sent, carried(view, conn, sf, NVME_MPTCP_BYTES_SENT));
			add(&load.received, carried(view, conn, sf, NVME_MPTCP_BYTES_RECEIVED));
		}
	}
	return load;
}

static int64_t both(const struct load *load)
{
	return (load->sent > 0 ? load->sent : 0) + (load->received > 0 ? load->received : 0);
}

/* Return the speed of a link, or why it is not usable. */
static const char *speed_of(nvme_mptcp_link_t link, char text[static MPTCP_NUMBER_TEXT])
{
	if (link && !nvme_mptcp_link_is_up(link))
		return "down";
	if (link && !nvme_mptcp_link_has_carrier(link))
		return "no carrier";
	return mptcp_speed_text(link ? nvme_mptcp_link_speed(link) : NVME_MPTCP_UNKNOWN, text);
}

static void start_usage(struct out *out, nvme_mptcp_link_t link, const char *name, bool missing)
{
	bool fit = !link || (nvme_mptcp_link_is_up(link) && nvme_mptcp_link_has_carrier(link));
	char text[MPTCP_NUMBER_TEXT];

	out_row(out);
	if (missing)
		out_colour(out, OUT_YELLOW);
	out_str(out, NULL, name);
	if (!fit)
		out_colour(out, OUT_YELLOW);
	out_str(out, NULL, speed_of(link, text));
}

static void show_usage(struct out *out, nvme_mptcp_usage_t usage, const struct load *load,
		       int64_t sum)
{
	const size_t pending = nvme_mptcp_usage_pending(usage), dead = nvme_mptcp_usage_dead(usage);
	char text[MPTCP_NUMBER_TEXT], name[MPTCP_LINKS_TEXT], subflows[96];
	int n = snprintf(subflows, sizeof(subflows), "%zu", nvme_mptcp_usage_subflows(usage));

	if (dead)
		n += snprintf(subflows + n, sizeof(subflows) - (size_t)n, "+%zu dead", dead);
	if (pending)
		snprintf(subflows + n, sizeof(subflows) - (size_t)n, "+%zu pending", pending);
	start_usage(out, nvme_mptcp_usage_link(usage), mptcp_usage_link_text(usage, name),
		    dead && !nvme_mptcp_usage_subflows(usage));
	out_uint_as(out, NULL, nvme_mptcp_usage_subflows(usage), "%s", subflows);
	out_str(out, NULL, mptcp_bytes_text(load->sent, text));
	out_str(out, NULL, mptcp_bytes_text(load->received, text));
	if (sum)
		out_double_as(out, NULL, 0, "%.1f%%", 100 * (double)both(load) / (double)sum);
	else
		out_unknown(out, NULL);
}

static bool is_used(nvme_mptcp_set_t set, nvme_mptcp_link_t link)
{
	nvme_mptcp_for_each_usage(set, usage) {
		if (nvme_mptcp_usage_link(usage) == link)
			return true;
	}
	return false;
}

/*
 * True if a link carries nothing of a set, and should, or has no route or only a default one to the
 * target.
 */
static bool is_idle(nvme_mptcp_set_t set, nvme_mptcp_coverage_t coverage)
{
	nvme_mptcp_link_t link = nvme_mptcp_coverage_link(coverage);

	enum nvme_mptcp_reason reason = nvme_mptcp_coverage_reason(coverage);

	return link && !is_used(set, link) &&
	       (nvme_mptcp_coverage_count(coverage, NVME_MPTCP_MISSING) ||
		reason == NVME_MPTCP_ELSEWHERE || reason == NVME_MPTCP_BEHIND_DEFAULT);
}

size_t usage_table_count_idle(nvme_mptcp_set_t set)
{
	size_t n = 0;

	nvme_mptcp_for_each_coverage(set, coverage)
		n += is_idle(set, coverage);
	return n;
}

static void show_idle(struct out *out, nvme_mptcp_set_t set)
{
	nvme_mptcp_for_each_coverage(set, coverage) {
		nvme_mptcp_link_t link = nvme_mptcp_coverage_link(coverage);

		if (!is_idle(set, coverage))
			continue;
		start_usage(out, link, nvme_mptcp_link_name(link),
			    nvme_mptcp_coverage_count(coverage, NVME_MPTCP_MISSING));
		out_uint(out, NULL, 0);
		for (int i = 0; i < 3; i++)
			out_unknown(out, NULL);
	}
}

void usage_table_show(struct command *cmd, nvme_mptcp_set_t set, const struct subflow_view *view)
{
	struct out *out = cmd->out;
	struct load load;
	int64_t sum = 0;

	nvme_mptcp_for_each_usage(set, usage) {
		load = load_of(set, usage, view);
		sum += both(&load);
	}
	if (view->rates)
		out_table(out, NULL, "LINK", "SPEED:r", "SUBFLOWS:r", "SENT/s:r", "RECV/s:r",
			  "SHARE:r");
	else
		out_table(out, NULL, "LINK", "SPEED:r", "SUBFLOWS:r", "SENT:r6", "RECV:r6",
			  "SHARE:r");
	nvme_mptcp_for_each_usage(set, usage) {
		load = load_of(set, usage, view);
		show_usage(out, usage, &load, sum);
	}
	show_idle(out, set);
	out_end(out);
}
