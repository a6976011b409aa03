/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each allocation of reading, comparing and writing reports fails once: all is there, or none. */
#include "fail_alloc.h"
#include "mptcp/report/peer.h"
#include "mptcp_machine.h"

static char *text; /* of a report */
static size_t length;

static void load(const char *name)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/../fuzz/corpus/mptcp-report/%s", getenv("TEST_DATA"),
		 name);
	file = fopen(path, "re");
	assert_non_null(file);
	text = malloc(65536);
	assert_non_null(text);
	length = fread(text, 1, 65536, file);
	fclose(file);
	assert_true(length > 1000 && length < 65536);
}

static size_t n_settings; /* of the report, when nothing fails */

static size_t count_settings(const struct nvme_mptcp_snapshot *snap)
{
	size_t n = 0;

	for (size_t i = 0; i < snap->n_settings; i++)
		n += snap->settings[i].name && snap->settings[i].value;
	return n;
}

static bool parse_once(void)
{
	struct nvme_mptcp_peer *peer = NULL;
	char *error = NULL;
	int err;

	fail_alloc_begin();
	err = peer_parse("peer.json", text, length, &peer, &error);
	fail_alloc_end();
	if (err) {
		assert_int_equal(err, -ENOMEM);
		assert_null(peer);
	} else {
		/* Loopback and two links; a connection over both. */
		assert_int_equal(peer->snap->n_links, 3);
		assert_int_equal(peer->snap->n_connections, 1);
		assert_true(peer->snap->n_subflows >= 2);
		assert_true(peer->snap->connections[0].n_subflows == peer->snap->n_subflows);
		assert_int_equal(count_settings(peer->snap), n_settings);
	}
	free(error);
	nvme_mptcp_peer_free(peer);
	return !err;
}

TEST(a_report_is_read_whole_or_not)
{
	static const char *const names[] = { "host", "target" };

	for (size_t i = 0; i < 2; i++) {
		struct nvme_mptcp_peer *peer = NULL;
		char *error = NULL;

		load(names[i]);
		assert_int_equal(peer_parse("peer.json", text, length, &peer, &error), 0);
		n_settings = count_settings(peer->snap);
		assert_true(n_settings > 0);
		nvme_mptcp_peer_free(peer);
		fail_alloc_each(parse_once);
		free(text);
	}
}

static struct nvme_mptcp_peer *other;
static struct nvme_mptcp_snapshot *own;
static size_t n_errors; /* that are there when nothing fails */

static bool compare_once(void)
{
	struct nvme_mptcp_findings *findings = calloc(1, sizeof(*findings));
	struct check c = { .snap = own, .findings = findings, .ops = &ops };
	size_t errors = 0;
	int err;

	assert_int_equal(check_prepare(&c, "10.77.1.1", "4420", NVME_MPTCP_ROLE_HOST), 0);
	fail_alloc_begin();
	err = peer_check(&c, other);
	fail_alloc_end();
	for (size_t i = 0; i < findings->n; i++)
		errors += findings->finding[i].severity == NVME_MPTCP_ERROR;
	if (err)
		assert_int_equal(err, -ENOMEM);
	else if (n_errors)
		assert_int_equal(errors, n_errors);
	else
		n_errors = errors;
	check_clear(&c);
	nvme_mptcp_findings_free(findings);
	return !err;
}

TEST(both_sides_are_compared_or_not)
{
	char *error;

	load("target");
	assert_int_equal(peer_parse("peer.json", text, length, &other, &error), 0);
	other->snap->limit_subflows = 0;
	own = clean_host();
	assert_int_equal(snapshot_join(own), 0);
	assert_true(compare_once() && n_errors);
	fail_alloc_each(compare_once);
	nvme_mptcp_snapshot_free(own);
	nvme_mptcp_peer_free(other);
	free(text);
}

static bool report_once(void)
{
	const struct nvme_mptcp_report_args args = { .snap = own, .args_size = sizeof(args) };
	char *document;

	fail_alloc_begin();
	document = nvme_mptcp_report(&args);
	if (!document)
		assert_int_equal(errno, ENOMEM);
	fail_alloc_end();
	if (document)
		assert_non_null(strstr(document, "\"snapshot\":{"));
	free(document);
	return document;
}

TEST(a_report_is_written_whole_or_not)
{
	own = clean_host();
	settle(own);
	fail_alloc_each(report_once);
	nvme_mptcp_snapshot_free(own);
}
