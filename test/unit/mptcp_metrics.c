// SPDX-License-Identifier: LGPL-2.1-or-later
/* Metrics of made-up machines: sums, what is unknown, hostile names, and lack of memory. */
#include <inttypes.h>

#include "fail_alloc.h"
#include "mptcp_machine.h"
#include "mptcp/plan/keeper.h"
#include "mptcp/report/metrics-rows.h"

static char *write_metrics(struct nvme_mptcp_snapshot *snap, enum nvme_mptcp_metrics_format format,
			   size_t max_ctrls)
{
	const struct nvme_mptcp_metrics_args args = {
		.snap = snap,
		.args_size = sizeof(args),
		.format = format,
		.max_ctrls = max_ctrls,
	};
	char *text = nvme_mptcp_metrics(&args);

	assert_non_null(text);
	return text;
}

/* Is it there as a whole line? */
static bool has_line(const char *text, const char *line)
{
	const size_t length = strlen(line);

	for (const char *at = strstr(text, line); at; at = strstr(at + 1, line))
		if ((at == text || at[-1] == '\n') && at[length] == '\n')
			return true;
	return false;
}

#define expect(text, line) \
	do { \
		if (!has_line(text, line)) \
			fail_msg("missing: %s\nin:\n%s", line, text); \
	} while (0)

#define NVME0 "subsystem=\"nvme-subsys3\",controller=\"nvme0\",transport=\"mptcp\""
#define ON(link) "{" NVME0 ",owner=\"controller\",link=\"" link "\"}"

static void numbers(struct nvme_mptcp_snapshot *snap)
{
	static const int64_t rtt[] = { 200, 1300000 };
	size_t n = 0;

	snap->ctrls[0].subsystem = strdup("nvme-subsys3");
	for (size_t i = 0; i < snap->n_subflows; i++) {
		struct nvme_mptcp_subflow *sf = &snap->subflows[i];

		sf->value[NVME_MPTCP_RTT_US] = sf->value[NVME_MPTCP_PMTU] = NVME_MPTCP_UNKNOWN;
		if (sf->ifindex != 2)
			continue;
		sf->value[NVME_MPTCP_BYTES_SENT] = INT64_C(5000000000);
		sf->value[NVME_MPTCP_BYTES_RETRANS] = 7;
		sf->value[NVME_MPTCP_DELIVERY_RATE] = 1000;
		sf->value[NVME_MPTCP_RTT_US] = rtt[n++];
		sf->flags = NVME_MPTCP_SUBFLOW_BKUP_LOC;
	}
	assert_int_equal(n, 2);
}

/* A look of a keeper, at the machine of numbers() whose first subflow on eth2 has sent so much more. */
static char *look(struct nvme_mptcp_keeper *keeper, int64_t more, uint16_t port, int err)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = clean_host();
	struct nvme_mptcp_metrics_args args = {
		.snap = snap,
		.args_size = sizeof(args),
		.keeper = keeper,
	};
	struct nvme_mptcp_subflow *sf = &snap->subflows[1];
	char *text;

	numbers(snap);
	assert_int_equal(sf->ifindex, 2);
	sf->value[NVME_MPTCP_BYTES_SENT] = more;
	if (port)
		sf->local.port = port;
	cover(snap);
	snap->problem[NVME_MPTCP_SUBFLOWS].err = err;
	text = nvme_mptcp_metrics(&args);
	assert_non_null(text);
	return text;
}

TEST(totals_never_fall)
{
	static const struct {
		int64_t sent, total;
		uint16_t port; /* of another subflow, 0: the same one */
		int err;
	} looks[] = {
		{ 700, 0, 0, 0 },	{ 1700, 1000, 0, 0 },	 { 500, 1500, 60000, 0 },
		{ 9, 1500, 1, EAGAIN }, { 600, 1600, 60000, 0 }, { 200, 1800, 60000, 0 },
	};
	struct nvme_mptcp_keeper keeper = {};
	char line[256];

	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++) {
		_cleanup_(free) char *text =
			look(&keeper, looks[i].sent, looks[i].port, looks[i].err);

		snprintf(line, sizeof(line),
			 "nvme_mptcp_traffic_sent_bytes_total" ON("eth2") " %" PRId64,
			 looks[i].total);
		expect(text, line);
		expect(text, "# TYPE nvme_mptcp_traffic_sent_bytes counter");
		/* What the kernel does not tell is not 0. */
		assert_null(strstr(text, "nvme_mptcp_traffic_received_bytes_total{"));
	}
	metric_totals_free(keeper.totals);
}

TEST(hostile_names)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = clean_host();
	struct nvme_mptcp_ctrl *ctrl = &snap->ctrls[0];
	_cleanup_(free) char *text = NULL;

	free(ctrl->subsysnqn);
	ctrl->subsysnqn =
		strdup("a\"} 1\nevil \\ \xff\xc3\x28 \x1b[2J \xe2\x80\xae \xf0\x9f\x90\x87");
	set_state(ctrl, "live\"} 1");
	snprintf(snap->links[1].name, sizeof(snap->links[1].name), "\x01");
	snprintf(snap->links[2].name, sizeof(snap->links[2].name), "\x02");
	cover(snap);
	text = write_metrics(snap, NVME_MPTCP_METRICS_OPENMETRICS, 0);
	expect(text,
	       "nvme_mptcp_controller_info{subsystem=\"\",controller=\"nvme0\",transport=\"mptcp\","
	       "subsysnqn=\"a\\\"} 1\\nevil \\\\ \xef\xbf\xbd\xef\xbf\xbd( \xef\xbf\xbd[2J "
	       "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xf0\x9f\x90\x87\",traddr=\"\",trsvcid=\"\"} 1");
	expect(text, "nvme_mptcp_controller_state{subsystem=\"\",controller=\"nvme0\","
		     "transport=\"mptcp\",state=\"unknown\"} 1");
	/* Two names that look the same are two series. */
	expect(text, "nvme_mptcp_link_up{link=\"\xef\xbf\xbd#2\"} 1");
	expect(text, "nvme_mptcp_link_up{link=\"\xef\xbf\xbd#3\"} 1");
}

TEST(links_without_subflows_and_unknown_speeds)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = clean_host();
	_cleanup_(free) char *text = NULL;

	add_link(snap, 4);
	snap->links[0].speed = NVME_MPTCP_UNKNOWN;
	snap->links[1].speed = 1000;
	cover(snap);
	text = write_metrics(snap, NVME_MPTCP_METRICS_OPENMETRICS, 0);
	expect(text, "nvme_mptcp_link_mtu_bytes{link=\"eth1\"} 1500");
	expect(text, "nvme_mptcp_link_speed_bytes_per_second{link=\"eth2\"} 125000000");
	assert_null(strstr(text, "nvme_mptcp_link_speed_bytes_per_second{link=\"eth1\"}"));
	assert_null(strstr(text, "link=\"eth4\""));
}

TEST(only_so_many_controllers)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = clean_host();
	_cleanup_(free) char *text = NULL;
	add_ctrl(snap, "nvme1", NULL, NVME_MPTCP_UNKNOWN, "10.1.1.1", 4421);
	cover(snap);
	text = write_metrics(snap, NVME_MPTCP_METRICS_OPENMETRICS, 1);
	expect(text, "nvme_mptcp_controllers 2");
	expect(text, "nvme_mptcp_controllers_omitted 1");
	assert_non_null(strstr(text, "controller=\"nvme0\""));
	assert_null(strstr(text, "controller=\"nvme1\""));
}

static struct nvme_mptcp_snapshot *whole;

static bool write_once(void)
{
	struct nvme_mptcp_keeper keeper = {};
	const struct nvme_mptcp_metrics_args args = {
		.snap = whole,
		.args_size = sizeof(args),
		.keeper = &keeper,
	};
	char *text;

	fail_alloc_begin();
	text = nvme_mptcp_metrics(&args);
	if (!text)
		assert_int_equal(errno, ENOMEM);
	fail_alloc_end();
	if (text)
		assert_non_null(strstr(text, "\n# EOF\n"));
	free(text);
	metric_totals_free(keeper.totals);
	return text;
}

TEST(whole_or_not)
{
	whole = clean_host();
	cover(whole);
	fail_alloc_each(write_once);
	nvme_mptcp_snapshot_free(whole);
}

TEST(wrong_arguments)
{
	struct nvme_mptcp_metrics_args args = { .args_size = sizeof(args) };

	ASSERT_NONE(nvme_mptcp_metrics(&args), EINVAL);
	args.args_size = 1;
	ASSERT_NONE(nvme_mptcp_metrics(&args), EINVAL);
}
