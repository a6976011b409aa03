/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One controller, many spellings of its address: which of them mean it. */

#include "unit.h"
#include "base/str.h"
#include "tree/private.h"

#define NQN "nqn.2024-01.org.example:a"

static nvme_root_t r;

static int begin(void **state)
{
	r = nvme_create_root(NULL, -1);
	return r ? 0 : -1;
}

static int end(void **state)
{
	nvme_free_tree(r);
	return 0;
}

/* Begin again without controllers: those of before would match, too. */
static void begin_again(void)
{
	end(NULL);
	assert_int_equal(begin(NULL), 0);
}

static nvme_ctrl_t add(const char *transport, const char *traddr, const char *trsvcid,
		       const char *host_traddr, const char *host_iface, const char *address)
{
	nvme_host_t h = nvme_lookup_host(r, "nqn.2024-01.org.example:host", NULL);
	nvme_subsystem_t s = nvme_lookup_subsystem(h, NULL, NQN);
	nvme_ctrl_t c =
		nvme_create_ctrl(r, NQN, transport, traddr, host_traddr, host_iface, trsvcid);

	assert_non_null(c);
	c->address = address ? strdup(address) : NULL;
	assert_int_equal(ctrl_link(s, c), 0);
	return c;
}

struct row {
	bool match;
	const char *transport, *traddr, *trsvcid, *nqn, *host_traddr, *host_iface;
};

static void check(nvme_ctrl_t c, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct row *row = &rows[i];
		bool match = nvme_ctrl_config_match(c, row->transport, row->traddr, row->trsvcid,
						    row->nqn, row->host_traddr, row->host_iface);

		if (match != row->match)
			fail_msg("row %zu: %s %s %s", i, row->transport, row->traddr,
				 row->trsvcid ? row->trsvcid : "-");
		assert_ptr_equal(nvme_ctrl_find(c->s, row->transport, row->traddr, row->trsvcid,
						row->nqn, row->host_traddr, row->host_iface),
				 row->match ? c : NULL);
	}
}

#define CHECK(c, rows) check(c, rows, sizeof(rows) / sizeof(rows[0]))

TEST(ip_transports_compare_addresses)
{
	static const char *const transports[] = { "tcp", "mptcp" };

	for (int i = 0; i < 2; i++) {
		const char *own = transports[i], *other = transports[!i];
		const struct row rows[] = {
			{ true, own, "192.0.2.1", "4420", NQN, NULL, NULL },
			{ true, own, "::ffff:192.0.2.1", "4420", NULL, NULL, NULL },
			{ true, own, "::ffff:c000:201", "4420", NULL, NULL, NULL },
			{ false, other, "192.0.2.1", "4420", NQN, NULL, NULL },
			{ false, "rdma", "192.0.2.1", "4420", NQN, NULL, NULL },
			{ false, own, "192.0.2.2", "4420", NQN, NULL, NULL },
			{ false, own, "192.0.2.1", "8009", NQN, NULL, NULL },
			{ false, own, "192.0.2.1", NULL, NQN, NULL, NULL },
			{ false, own, NULL, "4420", NQN, NULL, NULL },
			{ false, own, "192.0.2.1", "4420", NQN "2", NULL, NULL },
			{ false, own, "192.0.2.1", "4420", NVME_DISC_SUBSYS_NAME, NULL, NULL },
			{ true, own, "192.0.2.1", "4420", NQN, "none", "NONE" },
			{ false, own, "192.0.2.1.", "4420", NQN, NULL, NULL },
		};
		nvme_ctrl_t c = add(own, "192.0.2.1", "4420", NULL, NULL, NULL);

		CHECK(c, rows);
		nvme_ctrl_set_discovery_ctrl(c, true);
		assert_true(nvme_ctrl_config_match(c, own, "192.0.2.1", "4420",
						   NVME_DISC_SUBSYS_NAME, NULL, NULL));
		begin_again();
	}
}

TEST(ipv6_spellings_are_equal)
{
	static const struct row rows[] = {
		{ true, "mptcp", "2001:db8::1", "4420", NULL, NULL, NULL },
		{ true, "mptcp", "2001:0DB8:0:0:0:0:0:1", "4420", NULL, NULL, NULL },
		{ true, "mptcp", "[2001:db8::1]", "4420", NULL, NULL, NULL },
		{ false, "mptcp", "2001:db8::2", "4420", NULL, NULL, NULL },
		{ false, "mptcp", "2001:db8::1%nosuchlink", "4420", NULL, NULL, NULL },
	};

	CHECK(add("mptcp", "2001:db8::1", "4420", NULL, NULL, NULL), rows);
}

/* The kernel says where the connection starts; 127.0.0.1 is on lo in every network namespace. */
TEST(source_address_decides)
{
	static const struct row rows[] = {
		{ true, "mptcp", "192.0.2.1", "4420", NULL, "127.0.0.1", NULL },
		{ true, "mptcp", "192.0.2.1", "4420", NULL, "::ffff:127.0.0.1", NULL },
		{ false, "mptcp", "192.0.2.1", "4420", NULL, "192.0.2.9", NULL },
		{ true, "mptcp", "192.0.2.1", "4420", NULL, NULL, "lo" },
		{ true, "mptcp", "192.0.2.1", "4420", NULL, "127.0.0.1", "lo" },
		{ false, "mptcp", "192.0.2.1", "4420", NULL, NULL, "eth77" },
		{ false, "mptcp", "192.0.2.1", "4420", NULL, "garbage", NULL },
	};

	CHECK(add("mptcp", "192.0.2.1", "4420", NULL, NULL,
		  "traddr=192.0.2.1,trsvcid=4420,src_addr=127.0.0.1"),
	      rows);
}

TEST(without_source_address_the_options_decide)
{
	static const struct row by_traddr[] = {
		{ true, "tcp", "192.0.2.1", "4420", NULL, "127.0.0.1", NULL },
		{ false, "tcp", "192.0.2.1", "4420", NULL, "192.0.2.9", NULL },
		{ true, "tcp", "192.0.2.1", "4420", NULL, NULL, "lo" },
		{ false, "tcp", "192.0.2.1", "4420", NULL, NULL, "eth77" },
	};
	static const struct row by_iface[] = {
		{ true, "tcp", "192.0.2.1", "4420", NULL, NULL, "lo" },
		{ false, "tcp", "192.0.2.1", "4420", NULL, NULL, "eth77" },
		{ true, "tcp", "192.0.2.1", "4420", NULL, "127.0.0.1", NULL },
		{ false, "tcp", "192.0.2.1", "4420", NULL, "192.0.2.9", NULL },
	};
	static const struct row by_nothing[] = {
		{ true, "tcp", "192.0.2.1", "4420", NULL, "192.0.2.9", NULL },
		{ true, "tcp", "192.0.2.1", "4420", NULL, NULL, "eth77" },
	};
	static const char address[] = "traddr=192.0.2.1,trsvcid=4420";

	CHECK(add("tcp", "192.0.2.1", "4420", "127.0.0.1", NULL, address), by_traddr);
	begin_again();
	CHECK(add("tcp", "192.0.2.1", "4420", NULL, "lo", address), by_iface);
	begin_again();
	CHECK(add("tcp", "192.0.2.1", "4420", NULL, NULL, address), by_nothing);
}

TEST(rdma_compares_what_both_have)
{
	static const struct row rows[] = {
		{ true, "rdma", "192.0.2.1", "4420", NQN, NULL, NULL },
		{ true, "rdma", "::ffff:192.0.2.1", NULL, NQN, NULL, NULL },
		{ true, "rdma", NULL, NULL, NQN, NULL, NULL },
		{ true, "rdma", "192.0.2.1", "4420", NQN, "::ffff:192.0.2.9", NULL },
		{ false, "rdma", "192.0.2.1", "4420", NQN, "192.0.2.8", NULL },
		{ false, "rdma", "192.0.2.1", "4421", NQN, NULL, NULL },
		{ false, "rdma", "192.0.2.2", "4420", NQN, NULL, NULL },
	};

	CHECK(add("rdma", "192.0.2.1", "4420", "192.0.2.9", NULL, NULL), rows);
}

TEST(others_compare_strings_ignoring_case)
{
	static const char traddr[] = "nn-0x20000090FA942779:pn-0x10000090fa942779";
	static const struct row rows[] = {
		{ true, "fc", traddr, NULL, NQN, NULL, NULL },
		{ true, "fc", "nn-0x20000090fa942779:pn-0x10000090FA942779", NULL, NQN, NULL,
		  NULL },
		{ true, "fc", NULL, NULL, NQN, NULL, NULL },
		{ false, "fc", "nn-0x20000090fa942779:pn-0x10000090fa94277a", NULL, NQN, NULL,
		  NULL },
		{ false, "loop", traddr, NULL, NQN, NULL, NULL },
	};

	CHECK(add("fc", traddr, NULL, NULL, NULL, NULL), rows);
}

TEST(looking_up_makes_what_is_not_there)
{
	nvme_host_t h = nvme_lookup_host(r, "nqn.2024-01.org.example:host", NULL);
	nvme_subsystem_t s = nvme_lookup_subsystem(h, NULL, NQN);
	nvme_ctrl_t tcp, mptcp, second;

	tcp = nvme_lookup_ctrl(s, "tcp", "192.0.2.1", NULL, NULL, "4420", NULL);
	mptcp = nvme_lookup_ctrl(s, "mptcp", "192.0.2.1", NULL, NULL, "4420", NULL);
	assert_ptr_not_equal(tcp, mptcp);
	assert_ptr_equal(nvme_lookup_ctrl(s, "mptcp", "192.0.2.1", NULL, NULL, "4420", NULL),
			 mptcp);
	second = nvme_lookup_ctrl(s, "mptcp", "192.0.2.1", NULL, NULL, "4420", mptcp);
	assert_ptr_not_equal(second, mptcp);
	assert_ptr_equal(nvme_lookup_ctrl(s, "mptcp", "192.0.2.1", NULL, NULL, "4420", mptcp),
			 second);
	ASSERT_NONE(nvme_lookup_ctrl(s, NULL, "192.0.2.1", NULL, NULL, NULL, NULL), EINVAL);
	ASSERT_NONE(nvme_create_ctrl(r, NQN, "quic", NULL, NULL, NULL, NULL), EINVAL);
	assert_ptr_equal(nvme_lookup_host(r, "nqn.2024-01.org.example:host", NULL), h);
	assert_ptr_not_equal(nvme_lookup_host(r, "nqn.2024-01.org.example:host", "id"), h);
	assert_null(nvme_lookup_host(r, NULL, NULL));
	assert_ptr_equal(nvme_lookup_subsystem(h, "nvme-subsys4", NQN), s);
	assert_ptr_not_equal(nvme_lookup_subsystem(h, "nvme-subsys5", NQN), s);
}

TEST(applications_keep_to_their_own)
{
	nvme_host_t h = nvme_lookup_host(r, "nqn.2024-01.org.example:host", NULL);
	nvme_subsystem_t plain = nvme_lookup_subsystem(h, NULL, NQN), own;

	nvme_root_set_application(r, "app");
	assert_string_equal(nvme_root_get_application(r), "app");
	own = nvme_lookup_subsystem(h, NULL, NQN);
	assert_ptr_not_equal(own, plain);
	assert_string_equal(nvme_subsystem_get_application(own), "app");
	assert_ptr_equal(nvme_lookup_subsystem(h, NULL, NQN), own);
	nvme_root_set_application(r, NULL);
	assert_ptr_equal(nvme_lookup_subsystem(h, NULL, NQN), plain);
}

/* The same choices in every run. */
static const char *pick(const char *const *from, size_t n, unsigned int *x)
{
	*x = *x * 1103515245 + 12345;
	return from[(*x >> 16) % n];
}

/* Any query finds by index what a look at the whole list finds. */
TEST(the_index_is_no_second_opinion)
{
	static const char *const transports[] = { "tcp", "mptcp", "rdma", "fc", "other" };
	static const char *const traddrs[] = { "192.0.2.1",	"::ffff:192.0.2.1",
					       "192.0.2.2",	"2001:db8::1",
					       "2001:DB8:0::1", "name",
					       "NAME",		NULL };
	static const char *const services[] = { "4420", "8009", "none", NULL };
	static const char *const hosts[] = { "127.0.0.1", "::ffff:127.0.0.1",
					     "192.0.2.9", "garbage",
					     "none",	  NULL };
	static const char *const addresses[] = { "src_addr=127.0.0.1", "src_addr=192.0.2.9",
						 "src_addr=garbage", "traddr=x", NULL };
#define PICK(array) pick(array, sizeof(array) / sizeof(array[0]), &x)
	nvme_host_t h = nvme_lookup_host(r, "nqn.2024-01.org.example:host", NULL);
	nvme_subsystem_t s = nvme_lookup_subsystem(h, NULL, NQN);
	unsigned int x = 4711, found = 0;
	nvme_ctrl_t c, want;

	for (int i = 0; i < 120; i++) {
		const char *transport = PICK(transports), *address;

		c = ctrl_new(r, transport);
		assert_int_equal(str_set(&c->traddr, PICK(traddrs)), 0);
		assert_int_equal(str_set(&c->trsvcid, PICK(services)), 0);
		assert_int_equal(str_set(&c->options.cfg.host_traddr, PICK(hosts)), 0);
		address = PICK(addresses);
		assert_int_equal(str_set(&c->address, address), 0);
		assert_int_equal(ctrl_link(s, c), 0);
		if (i % 10 == 9)
			nvme_free_ctrl(nvme_subsystem_first_ctrl(s));
	}
	for (int i = 0; i < 5000; i++) {
		const char *transport = PICK(transports);
		const struct ctrl_query query = {
			.transport = transport_by_name(transport),
			.transport_name = transport,
			.traddr = PICK(traddrs),
			.trsvcid = PICK(services),
			.host_traddr = PICK(hosts),
		};
		const struct nvme_ctrl *after = NULL;

		do {
			for (want = nvme_subsystem_first_ctrl(s); want;
			     want = nvme_subsystem_next_ctrl(s, want))
				if ((!after || want->serial_number > after->serial_number) &&
				    ctrl_matches(want, &query))
					break;
			assert_ptr_equal(index_find(s, &query, after, NULL), want);
			found += want != NULL;
			after = want;
		} while (want);
	}
	assert_non_null(s->index);
	assert_true(found > 5000);
}

/* Longer than what is looked up by: still found, and nothing behind the key is written. */
TEST(long_addresses_are_found)
{
	nvme_subsystem_t s = nvme_lookup_subsystem(nvme_lookup_host(r, NQN, NULL), NULL, NQN);
	char longer[3000];
	nvme_ctrl_t c;

	for (size_t length = 900; length < sizeof(longer); length++) {
		memset(longer, 'a', length);
		longer[length] = '\0';
		if (length > 1100 && length % 100)
			continue;
		c = nvme_lookup_ctrl(s, "fc", longer, NULL, NULL, NULL, NULL);
		assert_non_null(c);
		assert_ptr_equal(nvme_lookup_ctrl(s, "fc", longer, NULL, NULL, NULL, NULL), c);
		nvme_free_ctrl(c);
	}
}

EACH_TEST(begin, end)
