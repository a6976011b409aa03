/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports of the other side: read strictly, looked up like a kernel, and compared with this side. */
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>

#include "mptcp/report/peer.h"
#include "mptcp_machine.h"

DEFINE_CLEANUP(nvme_mptcp_plan_t, nvme_mptcp_plan_free);

/* The least that a report has to have. */
static const char least[] =
	"{\"report\": \"nvme-mptcp\", \"version\": 1, \"taken_s\": 1, \"kernel\": {},\n"
	" \"missing\": [], \"findings\": {\"roles\": [\"target\"]}, \"ports\": [],\n"
	" \"listeners\": [], \"addresses\": [],\n"
	" \"routes\": [], \"rules\": [], \"sysctls\": {}, \"counters\": {},\n"
	" \"snapshot\": {\"settings\": {}, \"limits\": {\"subflows\": 8}, \"endpoints\": [],\n"
	"  \"links\": [], \"controllers\": [], \"shared\": [],\n"
	"  \"userspace\": {\"connections\": []}, \"other\": {\"connections\": []}}}\n";

#define OTHER_CONNECTIONS "other\": {\"connections"

static nvme_mptcp_peer_t peer;
static char *error;

static int end(void **state)
{
	nvme_mptcp_peer_free(peer);
	free(error);
	peer = NULL;
	error = NULL;
	return 0;
}

/* Reads the least with another value of the empty member @name. */
static int parse_with(const char *name, const char *value)
{
	char text[2048], key[64];
	char *at = text;

	memcpy(text, least, sizeof(least));
	if (name) {
		snprintf(key, sizeof(key), "\"%s\": ", name);
		at = strstr(text, key) + strlen(key);
		memmove(at + strlen(value), at + 2, strlen(at + 2) + 1);
		memcpy(at, value, strlen(value));
	}
	end(NULL);
	return peer_parse("peer.json", text, strlen(text), &peer, &error);
}

/* Objects and evidence may get into texts and commands: what is no word is left out. */
TEST(findings_keep_words_and_no_command)
{
	static const char roles[] = "[\"target\"]}";
	static const char finding[] =
		"[\"target\"], \"findings\": [{\"rule\": \"R08\", \"severity\": \"error\",\n"
		" \"side\": \"target\", \"subject\": \"s\", \"kind\": \"endpoint\",\n"
		" \"objects\": [\"3\", \"10.1.3.1; reboot\"], \"why\": \"w\",\n"
		" \"evidence\": {\"link\": \"eth3\", \"echo\": \"$(reboot)\", \"a b\": \"c\"},\n"
		" \"fix\": [{\"side\": \"target\", \"command\": \"nft list ruleset; reboot\"},\n"
		" {\"side\": \"host\", \"command\": \"ip netns exec x nft list ruleset\"}]}]}";
	const char *at = strstr(least, roles);
	char text[4096];

	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - least), least, finding,
		 at + strlen(roles));
	end(NULL);
	assert_int_equal(peer_parse("peer.json", text, strlen(text), &peer, &error), 0);
	assert_int_equal(peer->n_findings, 1);
	assert_int_equal(peer->findings[0].side, NVME_MPTCP_ROLE_TARGET);
	assert_int_equal(peer->findings[0].kind, NVME_MPTCP_SUBJECT_ENDPOINT);
	assert_string_equal(peer->findings[0].object[0], "3");
	assert_null(peer->findings[0].object[1]);
	assert_int_equal(peer->findings[0].n_evidence, 1);
	assert_string_equal(peer->findings[0].evidence[0].value, "eth3");
	assert_true(peer->findings[0].has_fix);
	assert_int_equal(peer->findings[0].rulesets, ON_HOST);
}

TEST(the_least_is_enough)
{
	assert_int_equal(parse_with(NULL, NULL), 0);
	assert_int_equal(peer->snap->limit_subflows, 8);
	assert_int_equal(peer->snap->limit_add_addr_accepted, NVME_MPTCP_UNKNOWN);
	assert_int_equal(peer->role, ON_TARGET);
	assert_null(nvme_mptcp_peer_hostname(peer));
	assert_int_equal(nvme_mptcp_peer_taken(peer), 1);
	assert_int_equal(peer_setting(peer, "net/ipv4/conf/all/rp_filter"), NVME_MPTCP_UNKNOWN);
}

/* Endpoints are known by their ids, and commands are made of them. */
TEST(endpoints_are_as_they_are_told)
{
	const struct in6_addr address = ip("10.1.2.1");

	assert_int_equal(parse_with("endpoints",
				    "[{\"id\": 7, \"address\": \"10.1.2.1\", \"port\": 4421,"
				    " \"ifindex\": 3, \"flags\": [\"signal\"]}]"),
			 0);
	assert_int_equal(peer->snap->n_endpoints, 1);
	assert_int_equal(peer->snap->endpoints[0].id, 7);
	assert_memory_equal(&peer->snap->endpoints[0].ip, &address, sizeof(address));
	assert_int_equal(peer->snap->endpoints[0].port, 4421);
	assert_int_equal(peer->snap->endpoints[0].ifindex, 3);
	assert_int_equal(peer->snap->endpoints[0].flags, NVME_MPTCP_ENDPOINT_SIGNAL);
}

TEST(whatever_is_cut_off_is_an_error)
{
	for (size_t length = 0; length + 2 < strlen(least); length++) {
		end(state);
		assert_int_equal(peer_parse("peer.json", least, length, &peer, &error), -EPROTO);
		assert_memory_equal(error, "peer.json:", 10);
	}
}

TEST(wrong_values_are_named)
{
	static const struct {
		const char *name, *value, *said;
	} cases[] = {
		{ "ports", "[7]", "peer.json:2: $.ports[0]: an object" },
		{ "ports", "[{\"name\": \"-x\"}]", "$.ports[0].name: a name of letters" },
		{ "listeners", "[{\"local\": \"10.1.1.1\"}]", "peer.json:3: $.listeners[0].local" },
		{ "addresses", "[{\"address\": \"fe80::1%lo\"}]", "$.addresses[0].address: an IP" },
		{ "endpoints", "[{\"id\": 256}]", "peer.json:5: $.snapshot.endpoints[0].id" },
		{ "endpoints", "[{\"id\": 1.5}]", "$.snapshot.endpoints[0].id: a whole number" },
		{ OTHER_CONNECTIONS, "[{}]", "$.snapshot.other.connections[0].local" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(parse_with(cases[i].name, cases[i].value), -EPROTO);
		if (!strstr(error, cases[i].said))
			fail_msg("case %zu: %s", i, error);
	}
}

/* A version that did not know a value leaves it out; a kernel that does not know it makes it null. */
TEST(what_an_older_version_leaves_out)
{
	static const char connection[] =
		"[{\"local\": \"10.1.1.2:40000\", \"remote\": \"10.1.1.1:4420\", \"inode\": 7,"
		" \"state\": \"ESTAB\", \"extra_subflows\": 2, %s \"fullmesh_max\": null,"
		" \"subflows\": []}]";
	static const struct {
		const char *member;
		bool is_missing;
	} cases[] = { { "", true },
		      { "\"laminar_max\": null,", false },
		      { "\"laminar_max\": 1,", false } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char one[512];
		uint64_t missing;

		snprintf(one, sizeof(one), connection, cases[i].member);
		assert_int_equal(parse_with(OTHER_CONNECTIONS, one), 0);
		missing = peer->snap->values_not_reported;
		assert_int_equal(missing >> NVME_MPTCP_CONN_LAMINAR_MAX & 1, cases[i].is_missing);
		assert_int_equal(missing >> NVME_MPTCP_CONN_FULLMESH_MAX & 1, 0);
		assert_int_equal(missing >> NVME_MPTCP_CONN_EXTRA_SUBFLOWS & 1, 0);
		assert_int_equal(missing >> NVME_MPTCP_CONN_CHECKSUM & 1, 1);
	}
}

#define ROUTE(network, source) \
	"{\"family\": \"ipv4\", \"table\": 254, \"type\": \"unicast\", \"dst\": \"" network \
	"/24\", \"gatewayed\": false, \"ifindex\": 2, \"source\": " source "}"

/* A kernel sends from the address that its route names. */
TEST(sources_of_routes)
{
	const struct in6_addr source = ip("10.1.9.1");

	assert_int_equal(parse_with("routes", "[" ROUTE("10.1.1.0", "\"10.1.9.1\"") "," ROUTE(
						      "10.1.2.0", "null") "]"),
			 0);
	assert_int_equal(peer->routes.n_routes, 2);
	assert_true(peer->routes.route[0].has_source);
	assert_memory_equal(&peer->routes.route[0].source, &source, sizeof(source));
	assert_false(peer->routes.route[1].has_source);
}

/* How much counters have grown is told of all of them, of some, or of none; never more than they are. */
TEST(counters_that_have_grown)
{
	static const struct {
		const char *grown;
		int64_t a, b; /* before; -1: not known */
		int status;
	} cases[] = {
		{ "", -1, -1, 0 },
		{ ", \"grown\": {}", 5, 7, 0 },
		{ ", \"grown\": {\"MPTcpExt\": {\"A\": 0, \"B\": 3}}", 5, 4, 0 },
		{ ", \"grown\": {\"MPTcpExt\": {\"A\": 5}}", 0, 7, 0 },
		{ ", \"grown\": {\"MPTcpExt\": {\"A\": 6}}", 0, 0, -EPROTO },
		{ ", \"grown\": {\"MPTcpExt\": {\"A\": -1}}", 0, 0, -EPROTO },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char counters[256];

		snprintf(counters, sizeof(counters), "{\"MPTcpExt\": {\"A\": 5, \"B\": 7}}%s",
			 cases[i].grown);
		assert_int_equal(parse_with("counters", counters), cases[i].status);
		if (cases[i].status) {
			assert_non_null(strstr(error, "$.grown.MPTcpExt.A"));
			continue;
		}
		assert_int_equal(counter_get(&peer->snap->counters, "MPTcpExt", "A"), 5);
		assert_int_equal(counter_get(&peer->snap->counters, "MPTcpExt", "B"), 7);
		assert_int_equal(!peer->before, cases[i].a < 0);
		if (!peer->before)
			continue;
		assert_int_equal(counter_get(&peer->before->counters, "MPTcpExt", "A"), cases[i].a);
		assert_int_equal(counter_get(&peer->before->counters, "MPTcpExt", "B"), cases[i].b);
	}
}

static struct prefix prefix(const char *text, int length)
{
	return (struct prefix){ ip(text), (uint8_t)(strchr(text, ':') ? length : length + 96) };
}

static void add_route(struct routes *routes, const char *dst, int length, uint32_t table,
		      int ifindex, int64_t metric, uint8_t type)
{
	struct route_entry *entry = array_add(&routes->route, &routes->n_routes, sizeof(*entry));

	entry->dst = prefix(dst, length);
	entry->v4 = !strchr(dst, ':');
	entry->table = table;
	entry->ifindex = ifindex;
	entry->metric = metric;
	entry->type = type;
	entry->has_gateway = !length;
}

static struct policy_entry *add_policy(struct routes *routes, uint32_t table)
{
	struct policy_entry *entry =
		array_add(&routes->policy, &routes->n_policies, sizeof(*entry));

	entry->v4 = true;
	entry->action = FR_ACT_TO_TBL;
	entry->table = table;
	return entry;
}

static int find(const struct routes *routes, const char *src, int ifindex, const char *dst)
{
	struct in6_addr from = ip(src ? src : "::"), to = ip(dst);
	struct route_answer answer = {};
	int err = route_find(routes, src ? &from : NULL, ifindex, NULL, &to, &answer);

	return err ? err : answer.gateway ? 100 + answer.ifindex : answer.ifindex;
}

TEST(routes_are_found_as_the_kernel_does)
{
	struct routes routes = {};
	struct policy_entry *policy;

	/* Without policy there is no table to look into. */
	add_route(&routes, "0.0.0.0", 0, 254, 1, 20, RTN_UNICAST);
	assert_int_equal(find(&routes, NULL, 0, "10.9.9.9"), -ENETUNREACH);
	policy = add_policy(&routes, 77);
	policy->from = prefix("10.1.2.0", 24);
	policy->has_from = true;
	add_policy(&routes, 254);
	add_route(&routes, "0.0.0.0", 0, 254, 2, 10, RTN_UNICAST);
	add_route(&routes, "10.1.3.0", 24, 254, 3, 0, RTN_UNICAST);
	add_route(&routes, "10.1.3.7", 32, 254, 4, 0, RTN_UNICAST);
	add_route(&routes, "10.66.0.0", 16, 254, 0, 0, RTN_UNREACHABLE);
	add_route(&routes, "0.0.0.0", 0, 77, 5, 0, RTN_UNICAST);
	add_route(&routes, "10.1.4.0", 24, 77, 0, 0, RTN_THROW);
	/* The least metric, the longest prefix. */
	assert_int_equal(find(&routes, NULL, 0, "10.9.9.9"), 102);
	assert_int_equal(find(&routes, NULL, 0, "10.1.3.1"), 3);
	assert_int_equal(find(&routes, NULL, 0, "10.1.3.7"), 4);
	assert_int_equal(find(&routes, NULL, 0, "10.66.1.1"), -EHOSTUNREACH);
	/* By the source's own table, and back from it. */
	assert_int_equal(find(&routes, "10.1.2.2", 0, "10.9.9.9"), 105);
	assert_int_equal(find(&routes, "10.1.2.2", 0, "10.1.4.1"), 102);
	/* By a link; where it has no route the peer is taken for a neighbour. */
	assert_int_equal(find(&routes, NULL, 1, "10.9.9.9"), 101);
	assert_int_equal(find(&routes, NULL, 9, "10.9.9.9"), 9);
	assert_int_equal(find(&routes, NULL, 0, "fd00::1"), -ENETUNREACH);
	/* What is not known here does not count. */
	routes.policy[0].other = true;
	assert_int_equal(find(&routes, "10.1.2.2", 0, "10.9.9.9"), 102);
	route_clear(&routes);
}

static bool is_forbidden(const struct routes *routes, const char *src, const char *ifname,
			 const char *dst, struct forbidding *ret)
{
	const struct in6_addr from = ip(src), to = ip(dst);

	*ret = (struct forbidding){};
	return route_find_forbidding(routes, &from, 0, ifname, &to, ret);
}

TEST(what_forbids_packets)
{
	struct routes routes = {};
	struct forbidding found;

	add_policy(&routes, 0)->action = FR_ACT_PROHIBIT;
	routes.policy[0].from = prefix("10.1.3.2", 32);
	routes.policy[0].has_from = true;
	add_policy(&routes, 0)->action = FR_ACT_BLACKHOLE;
	str_copy(routes.policy[1].oif, LINK_NAME, "eth3", 4);
	add_policy(&routes, 99)->mark = 5;
	add_policy(&routes, 254);
	add_route(&routes, "0.0.0.0", 0, 254, 1, 0, RTN_UNICAST);
	add_route(&routes, "10.66.0.0", 16, 254, 0, 0, RTN_UNREACHABLE);
	add_route(&routes, "0.0.0.0", 0, 99, 0, 0, RTN_BLACKHOLE);
	assert_true(is_forbidden(&routes, "10.1.3.2", NULL, "10.9.9.9", &found));
	assert_true(found.policy == &routes.policy[0] && !found.route);
	assert_true(is_forbidden(&routes, "10.1.2.2", "eth3", "10.9.9.9", &found));
	assert_true(found.policy == &routes.policy[1] && !found.route);
	assert_true(is_forbidden(&routes, "10.1.2.2", "eth2", "10.66.1.1", &found));
	assert_true(found.policy == &routes.policy[3] && found.route == &routes.route[1]);
	/* A route comes first, and a rule for marked packets does not apply. */
	assert_false(is_forbidden(&routes, "10.1.2.2", "eth2", "10.9.9.9", &found));
	/* A rule that selects by a port, say, is taken to apply if it forbids. */
	routes.policy[0].other = true;
	assert_true(is_forbidden(&routes, "10.1.3.2", NULL, "10.9.9.9", &found));
	route_clear(&routes);
}

static void add_policy_from(struct routes *routes, const char *network, uint32_t table)
{
	struct policy_entry *policy = add_policy(routes, table);

	policy->from = prefix(network, 24);
	policy->has_from = true;
}

/* It starts from its route's source or the link's address, whose policy may lead elsewhere. */
TEST(the_source_of_a_route_decides_which_way_a_connection_takes)
{
	static const struct {
		int ifindex; /* of the route to the second target */
		const char *source;
		enum nvme_mptcp_plan_method method;
	} cases[] = {
		/* By eth1 as to the first target, and from an address that goes by eth2. */
		{ 1, "10.1.2.2", NVME_MPTCP_METHOD_ANNOUNCED },
		{ 1, NULL, NVME_MPTCP_METHOD_SUBFLOW },
		/* By eth3, whose own address goes by eth1, and the one that is named by eth2. */
		{ 3, "10.1.2.2", NVME_MPTCP_METHOD_ANNOUNCED },
		{ 3, NULL, NVME_MPTCP_METHOD_SUBFLOW },
	};
	static const char *const traddrs[] = { "10.9.1.1", "10.9.2.1", NULL };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
		struct routes *routes;
		struct check c;

		end(state);
		peer = peer_new();
		routes = &peer->routes;
		c = (struct check){ .peer = peer };
		nvme_mptcp_snapshot_free(peer->snap);
		c.snap = peer->snap = clean_host();
		assert_int_equal(snapshot_join(peer->snap), 0);
		peer->has_routes = true;
		add_policy_from(routes, "10.1.2.0", 72);
		add_policy_from(routes, "10.1.3.0", 73);
		add_policy(routes, 254);
		add_route(routes, "10.9.0.0", 16, 72, 2, 0, RTN_UNICAST);
		add_route(routes, "10.9.0.0", 16, 73, 1, 0, RTN_UNICAST);
		add_route(routes, "10.9.1.0", 24, 254, 1, 0, RTN_UNICAST);
		add_route(routes, "10.9.2.0", 24, 254, cases[i].ifindex, 0, RTN_UNICAST);
		if (cases[i].source) {
			routes->route[3].source = ip(cases[i].source);
			routes->route[3].has_source = true;
		}
		assert_int_equal(peer_plan(&c, NVME_MPTCP_ROLE_HOST, traddrs, &plan), 0);
		assert_int_equal(nvme_mptcp_plan_method(plan), cases[i].method);
	}
}

EACH_TEST(NULL, end)
