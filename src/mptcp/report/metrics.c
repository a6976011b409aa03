// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The table of metrics. A row has the name, unit and help text of a metric, and the function that
 * writes its samples from a snapshot. The text formats, the JSON document, and the names in alert
 * rules and dashboards follow from it.
 *
 * Samples of a controller have the labels subsystem, controller and transport, like
 * node_nvmesubsystem_* of node_exporter.
 */
#include <errno.h>
#include <string.h>

#include "base/failure.h"
#include "base/versioned.h"
#include "config.h"
#include "metrics-rows.h"
#include "metrics-write.h"
#include <nvme/mptcp/check.h>
#include "mptcp/check/rule.h"
#include "mptcp/plan/keeper.h"
#include "mptcp/snapshot/endpoint.h"
#include "mptcp/snapshot/snapshot.h"
#include "shared/cleanup.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

DEFINE_CLEANUP(nvme_mptcp_findings_t, nvme_mptcp_findings_free);

/* Input of the table. */
struct source {
	struct nvme_mptcp_snapshot *snap;
	struct metric_rows rows;
	size_t n_ctrls; /* controllers with series of their own */
	size_t found[RULE_COUNT][NVME_MPTCP_ERROR + 1]; /* number of findings */
};

struct metric {
	struct metric_family family;
	void (*put)(struct metric_writer *w, const struct source *from, const struct metric *m);
	int which;
};

static void put_one(struct metric_writer *w, int64_t value)
{
	if (value == NVME_MPTCP_UNKNOWN)
		return;
	metric_sample(w);
	metric_value(w, value);
}

/* Names with replaced characters may be equal, so add the index. */
static void label_link(struct metric_writer *w, const struct nvme_mptcp_link *link)
{
	char text[LINK_NAME + 16];

	if (!link || text_is_printable(link->name)) {
		metric_label(w, "link", link ? link->name : NULL);
		return;
	}
	snprintf(text, sizeof(text), "%s#%d", link->name, link->ifindex);
	metric_label(w, "link", text);
}

/* Metrics of the machine. */

static void put_info(struct metric_writer *w, const struct source *from, const struct metric *m)
{
	metric_sample(w);
	metric_label(w, "version", PROJECT_VERSION);
	metric_label(w, "path_manager", nvme_mptcp_path_manager(from->snap));
	metric_label(w, "scheduler", nvme_mptcp_scheduler(from->snap));
	metric_value(w, 1);
}

static void put_enabled(struct metric_writer *w, const struct source *from, const struct metric *m)
{
	put_one(w, nvme_mptcp_is_enabled(from->snap));
}

static void put_parts(struct metric_writer *w, const struct source *from, const struct metric *m)
{
	for (int part = 0; part < NVME_MPTCP_PARTS; part++) {
		metric_sample(w);
		metric_label(w, "part", nvme_mptcp_part_name(part));
		metric_value(w, !nvme_mptcp_snapshot_errno(from->snap, part));
	}
}

static void put_limits(struct metric_writer *w, const struct source *from, const struct metric *m)
{
	const struct {
		const char *name;
		int64_t value;
	} limits[] = {
		{ "subflows", from->snap->limit_subflows },
		{ "add_addr_accepted", from->snap->limit_add_addr_accepted },
	};

	for (size_t i = 0; i < COUNT(limits); i++) {
		if (limits[i].value == NVME_MPTCP_UNKNOWN)
			continue;
		metric_sample(w);
		metric_label(w, "limit", limits[i].name);
		metric_value(w, limits[i].value);
	}
}

/* The only value in the kernel's list that can decrease. */
#define ESTABLISHED "MPCurrEstab"

static void put_established(struct metric_writer *w, const struct source *from,
			    const struct metric *m)
{
	put_one(w, counter_get(&from->snap->counters, "MPTcpExt", ESTABLISHED));
}

static void put_events(struct metric_writer *w, const struct source *from, const struct metric *m)
{
	FOR_EACH(counter, from->snap->counters.counter, from->snap->counters.n) {
		if (strcmp(counter->group, "MPTcpExt") || !strcmp(counter->name, ESTABLISHED))
			continue;
		metric_sample(w);
		metric_label(w, "event", counter->name);
		metric_value(w, counter->value);
	}
}

/* EAGAIN: the part changed while it was read, but it was read. */
static bool is_read(const struct source *from, enum nvme_mptcp_part part)
{
	int err = from->snap->problem[part].err;

	return !err || err == EAGAIN;
}

static bool is_all_read(const struct source *from)
{
	for (int part = 0; part < NVME_MPTCP_PARTS; part++)
		if (!is_read(from, part))
			return false;
	return true;
}

static void put_findings(struct metric_writer *w, const struct source *from, const struct metric *m)
{
	for (enum rule_id rule = 0; rule < RULE_COUNT; rule++)
		for (int severity = 0; severity <= NVME_MPTCP_ERROR; severity++) {
			const bool usual = severity == (int)rule_get(rule)->severity;

			/* Without all parts, a rule with no findings proves nothing. */
			if (!from->found[rule][severity] && (!usual || !is_all_read(from)))
				continue;
			metric_sample(w);
			metric_label(w, "rule", rule_get(rule)->name);
			metric_label(w, "severity", nvme_mptcp_severity_name(severity));
			metric_value(w, (int64_t)from->found[rule][severity]);
		}
}

enum machine_number {
	MACHINE_CTRLS,
	MACHINE_OMITTED,
	MACHINE_ENDPOINTS,
};

static void put_machine(struct metric_writer *w, const struct source *from, const struct metric *m)
{
	const struct nvme_mptcp_snapshot *snap = from->snap;
	int64_t value = m->which == MACHINE_CTRLS     ? (int64_t)snap->n_ctrls
			: m->which == MACHINE_OMITTED ? (int64_t)(snap->n_ctrls - from->n_ctrls)
						      : (int64_t)snap->n_endpoints;

	if (is_read(from,
		    m->which == MACHINE_ENDPOINTS ? NVME_MPTCP_ENDPOINTS : NVME_MPTCP_CONTROLLERS))
		put_one(w, value);
}

/* Metrics of endpoints; a kernel has at most 255. */

enum endpoint_number {
	ENDPOINT_FLAGS_SET,
	ENDPOINT_USABLE,
	ENDPOINT_SUBFLOWS,
};

static void label_endpoint(struct metric_writer *w, const struct nvme_mptcp_endpoint *ep)
{
	char id[8];

	snprintf(id, sizeof(id), "%u", ep->id);
	metric_label(w, "id", id);
	metric_label(w, "address", ep->address);
	label_link(w, ep->link);
}

static void put_endpoint_flags(struct metric_writer *w, const struct nvme_mptcp_endpoint *ep)
{
	for (int i = 0; i < ENDPOINT_FLAGS && ep->flags != NVME_MPTCP_UNKNOWN; i++) {
		metric_sample(w);
		label_endpoint(w, ep);
		metric_label(w, "flag", endpoint_flag_names[i]);
		metric_value(w, !!(ep->flags & (1 << i)));
	}
}

static void put_endpoints(struct metric_writer *w, const struct source *from,
			  const struct metric *m)
{
	FOR_EACH(ep, from->snap->endpoints, from->snap->n_endpoints) {
		int64_t value = m->which == ENDPOINT_USABLE ? nvme_mptcp_endpoint_is_usable(ep)
							    : ep->subflows;

		if (m->which == ENDPOINT_FLAGS_SET) {
			put_endpoint_flags(w, ep);
			continue;
		}
		if (value == NVME_MPTCP_UNKNOWN)
			continue;
		metric_sample(w);
		label_endpoint(w, ep);
		metric_value(w, value);
	}
}

/* Metrics of links that carry connections, should carry some, or have an endpoint. */

enum link_number {
	LINK_UP,
	LINK_SPEED,
	LINK_MTU,
};

static int64_t link_number(const struct nvme_mptcp_link *link, int which)
{
	switch (which) {
	case LINK_UP:
		return link_is_alive(link);
	case LINK_SPEED:
		return link->speed == NVME_MPTCP_UNKNOWN ? link->speed : link->speed * 125000;
	default:
		return link->mtu;
	}
}

static void put_links(struct metric_writer *w, const struct source *from, const struct metric *m)
{
	for (size_t i = 0; i < from->snap->n_links; i++) {
		int64_t value = link_number(&from->snap->links[i], m->which);

		if (!from->rows.is_used[i] || value == NVME_MPTCP_UNKNOWN)
			continue;
		metric_sample(w);
		label_link(w, &from->snap->links[i]);
		metric_value(w, value);
	}
}

/* Metrics of controllers. */

static void label_ctrl(struct metric_writer *w, const struct nvme_mptcp_ctrl *ctrl)
{
	metric_label(w, "subsystem", ctrl ? ctrl->subsystem : NULL);
	metric_label(w, "controller", ctrl ? ctrl->name : NULL);
	metric_label(w, "transport", ctrl ? ctrl->transport : NULL);
}

static void put_ctrl_info(struct metric_writer *w, const struct source *from,
			  const struct metric *m)
{
	FOR_EACH(ctrl, from->snap->ctrls, from->n_ctrls) {
		metric_sample(w);
		label_ctrl(w, ctrl);
		metric_label(w, "subsysnqn", ctrl->subsysnqn);
		metric_label(w, "traddr", ctrl->traddr);
		metric_label(w, "trsvcid", ctrl->trsvcid);
		metric_value(w, 1);
	}
}

/* States that node_exporter knows, and the other ones in drivers/nvme/host/sysfs.c. */
static const char *const states[] = {
	"live", "connecting", "resetting", "new", "deleting", "deleting (no IO)", "dead", "unknown",
};

static const char *state_of(const struct nvme_mptcp_ctrl *ctrl)
{
	for (size_t i = 0; ctrl->state && i < COUNT(states); i++)
		if (!strcmp(ctrl->state, states[i]))
			return states[i];
	return "unknown";
}

static void put_ctrl_states(struct metric_writer *w, const struct source *from,
			    const struct metric *m)
{
	FOR_EACH(ctrl, from->snap->ctrls, from->n_ctrls) {
		const char *state = state_of(ctrl);

		for (size_t j = 0; j < COUNT(states); j++) {
			metric_sample(w);
			label_ctrl(w, ctrl);
			metric_label(w, "state", states[j]);
			metric_value(w, !strcmp(state, states[j]));
		}
	}
}

enum ctrl_number {
	CTRL_EXPECTED,
	CTRL_SHARED,
	CTRL_RELAY,
	CTRL_BYPASSED,
};

static int64_t ctrl_number(const struct nvme_mptcp_ctrl *ctrl, unsigned int which)
{
	switch (which) {
	case CTRL_EXPECTED:
		return ctrl->expected;
	case CTRL_SHARED:
		return (int64_t)ctrl->n_shared;
	case CTRL_RELAY:
		return nvme_mptcp_ctrl_is_relayed(ctrl);
	default:
		return ctrl->is_bypassed;
	}
}

static void put_ctrls(struct metric_writer *w, const struct source *from, const struct metric *m)
{
	FOR_EACH(ctrl, from->snap->ctrls, from->n_ctrls) {
		int64_t value = ctrl_number(ctrl, m->which);

		if (value == NVME_MPTCP_UNKNOWN)
			continue;
		metric_sample(w);
		label_ctrl(w, ctrl);
		metric_value(w, value);
	}
}

/* Metrics of sets of connections, and of each set on a link. */

static void put_sets(struct metric_writer *w, const struct source *from, const struct metric *m)
{
	/* Without controllers, all connections seem to belong to hosts. */
	if (!is_read(from, NVME_MPTCP_CONNECTIONS) || !is_read(from, NVME_MPTCP_CONTROLLERS))
		return;
	FOR_EACH(set, from->rows.sets, from->rows.n_sets) {
		metric_sample(w);
		label_ctrl(w, set->ctrl);
		metric_label(w, "owner", set->owner);
		metric_value(w, set->value[m->which]);
	}
}

static void put_rows(struct metric_writer *w, const struct source *from, const struct metric *m)
{
	if ((m->which == ROW_EXPECTED || m->which == ROW_MISSING) &&
	    !snapshot_shows_subflows(from->snap))
		return;
	FOR_EACH(row, from->rows.rows, from->rows.n_rows) {
		int64_t value = row->value[m->which];

		if (value == NVME_MPTCP_UNKNOWN)
			continue;
		metric_sample(w);
		label_ctrl(w, row->set->ctrl);
		metric_label(w, "owner", row->set->owner);
		label_link(w, row->link);
		if (m->which == ROW_RTT_US || m->which == ROW_RTT_MAX_US)
			metric_value_us(w, value);
		else
			metric_value(w, value);
	}
}

/* Gauges without and with a unit, and counters that keep maintains. */
#define U(name, unit, help, put, which) \
	{ \
		{ name, unit, help, false }, put, which \
	}
#define G(name, help, put, which) U(name, NULL, help, put, which)
#define TOTAL(what, unit, Unit, which) \
	{ \
		{ "traffic_" what "_" unit, unit, \
		  Unit " " what " over the link since keep started, including ended subflows.", \
		  true }, \
			put_rows, which \
	}

static const struct metric metrics[] = {
	G("info", "Program, path manager and scheduler; always 1.", put_info, 0),
	G("enabled", "1 if new sockets may use MPTCP (net.mptcp.enabled).", put_enabled, 0),
	G("part_complete",
	  "1 if this part of the kernel's state could be read; 0: its numbers are missing.",
	  put_parts, 0),
	G("limit", "Limit of the path manager for each connection.", put_limits, 0),
	{ { "events", NULL, "MPTCP counters of the kernel in this network namespace (MPTcpExt).",
	    true },
	  put_events,
	  0 },
	G("established", "Established connections, including those of processes.", put_established,
	  0),
	G("findings", "Findings of a check, by rule.", put_findings, 0),
	G("endpoints", "Endpoints of the path manager.", put_machine, MACHINE_ENDPOINTS),
	G("endpoint_flag", "1 if the endpoint has the flag.", put_endpoints, ENDPOINT_FLAGS_SET),
	G("endpoint_usable", "1 if subflows can leave from the endpoint.", put_endpoints,
	  ENDPOINT_USABLE),
	G("endpoint_subflows",
	  "Established subflows that start from the endpoint, including dead ones.", put_endpoints,
	  ENDPOINT_SUBFLOWS),
	G("link_up", "1 if the link is up and has a carrier.", put_links, LINK_UP),
	U("link_speed_bytes_per_second", "bytes_per_second", "Speed that the driver reports.",
	  put_links, LINK_SPEED),
	U("link_mtu_bytes", "bytes", "Largest packet of the link.", put_links, LINK_MTU),
	G("controllers", "Controllers that are connected over MPTCP.", put_machine, MACHINE_CTRLS),
	G("controllers_omitted", "Controllers without series of their own.", put_machine,
	  MACHINE_OMITTED),
	G("controller_info", "Subsystem and portal of the controller; always 1.", put_ctrl_info, 0),
	G("controller_state", "1 for the state that the controller is in, 0 for the others.",
	  put_ctrl_states, 0),
	G("controller_connections_expected", "Queues of the controller, the admin queue included.",
	  put_ctrls, CTRL_EXPECTED),
	G("controller_connections_shared",
	  "Connections that may belong to this controller or to another one.", put_ctrls,
	  CTRL_SHARED),
	G("controller_relay", "1 if a relay carries the connections of the controller.", put_ctrls,
	  CTRL_RELAY),
	G("controller_bypassed",
	  "1 if a relay serves the portal but the controller bypasses it, over one link.",
	  put_ctrls, CTRL_BYPASSED),
	G("connections", "MPTCP connections.", put_sets, SET_CONNECTIONS),
	G("connections_fallback", "Connections that fell back to plain TCP.", put_sets,
	  SET_FALLBACK),
	G("subflows_expected", "Subflows that the link should carry.", put_rows, ROW_EXPECTED),
	G("subflows", "Subflows on the link that carry data.", put_rows, ROW_SUBFLOWS),
	G("subflows_dead", "Established subflows on the link that carry nothing.", put_rows,
	  ROW_DEAD),
	G("subflows_missing",
	  "Connections without a subflow that carries data on the link, which should have one.",
	  put_rows, ROW_MISSING),
	G("subflows_pending", "Subflows that are not established.", put_rows, ROW_PENDING),
	G("subflows_backup", "Subflows that carry data and are backups.", put_rows, ROW_BACKUP),
	U("sent_bytes", "bytes", "Bytes that live subflows have sent; falls when one ends.",
	  put_rows, ROW_SENT),
	U("received_bytes", "bytes", "Bytes that live subflows have received; falls when one ends.",
	  put_rows, ROW_RECEIVED),
	U("retransmitted_bytes", "bytes",
	  "Bytes that live subflows have retransmitted; falls when one ends.", put_rows,
	  ROW_RETRANS_BYTES),
	U("retransmitted_segments", "segments",
	  "Segments that live subflows have retransmitted; falls when one ends.", put_rows,
	  ROW_RETRANS),
	TOTAL("sent", "bytes", "Bytes", ROW_SENT_TOTAL),
	TOTAL("received", "bytes", "Bytes", ROW_RECEIVED_TOTAL),
	TOTAL("retransmitted", "bytes", "Bytes", ROW_RETRANS_BYTES_TOTAL),
	TOTAL("retransmitted", "segments", "Segments", ROW_RETRANS_TOTAL),
	U("rtt_seconds", "seconds", "Mean round-trip time of the subflows that carry data.",
	  put_rows, ROW_RTT_US),
	U("rtt_max_seconds", "seconds", "Longest round-trip time of a subflow that carries data.",
	  put_rows, ROW_RTT_MAX_US),
	U("delivery_rate_bytes_per_second", "bytes_per_second",
	  "Sum of the latest goodput of the subflows that carry data.", put_rows, ROW_RATE),
};

static int count_findings(struct source *from, nvme_mptcp_snapshot_t before)
{
	const struct nvme_mptcp_check_args query = {
		.snap = from->snap,
		/* Totals since boot are not current: nothing has grown. */
		.before = before ? before : from->snap,
		.args_size = sizeof(query),
		.no_trial = true,
	};
	_cleanup_(nvme_mptcp_findings_free) nvme_mptcp_findings_t findings = NULL;

	if (nvme_mptcp_check(&query, &findings))
		return -errno;
	nvme_mptcp_for_each_finding(findings, f) {
		enum rule_id rule = rule_find(nvme_mptcp_finding_rule(f));

		if (rule < RULE_COUNT)
			from->found[rule][nvme_mptcp_finding_severity(f)]++;
	}
	return 0;
}

static char *write_all(const struct nvme_mptcp_metrics_args *args, const struct source *from)
{
	struct metric_writer w = {
		.format = args->format,
		.netns = args->snap->netns,
		.json.pretty = args->pretty,
	};

	if (metric_open(&w))
		return NULL;
	for (size_t i = 0; i < COUNT(metrics); i++) {
		metric_family_begin(&w, &metrics[i].family);
		metrics[i].put(&w, from, &metrics[i]);
		metric_family_end(&w);
	}
	return metric_close(&w);
}

static int totals_of(struct nvme_mptcp_keeper *keeper, struct metric_totals **ret)
{
	if (!keeper)
		return 0;
	if (!keeper->totals)
		keeper->totals = metric_totals_new();
	keeper->totals_free = metric_totals_free;
	*ret = keeper->totals;
	return *ret ? 0 : -ENOMEM;
}

char *nvme_mptcp_metrics(const struct nvme_mptcp_metrics_args *args)
{
	struct nvme_mptcp_metrics_args known;
	struct source from = {};
	char *document = NULL;
	int err = versioned_take(&known, args);

	if (!err && !known.snap)
		err = failure_note(-EINVAL, "snap=NULL: metrics require a snapshot");
	if (!err && (unsigned int)known.format > NVME_MPTCP_METRICS_JSON)
		err = failure_note(-EINVAL, "format=%d: unknown format", (int)known.format);
	if (err) {
		failure_raise(err, "metrics");
		return NULL;
	}
	from.snap = known.snap;
	from.n_ctrls = known.max_ctrls ? known.max_ctrls : NVME_MPTCP_METRICS_CTRLS;
	if (from.n_ctrls > known.snap->n_ctrls)
		from.n_ctrls = known.snap->n_ctrls;
	err = totals_of(known.keeper, &from.rows.totals);
	if (!err)
		err = metric_rows_read(&from.rows, from.snap, from.n_ctrls);
	if (!err)
		err = count_findings(&from, known.before);
	if (!err) {
		document = write_all(&known, &from);
		err = document ? 0 : -ENOMEM;
	}
	metric_rows_clear(&from.rows);
	if (err)
		failure_raise(err, "metrics");
	return document;
}
