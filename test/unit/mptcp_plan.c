/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plans on recorded snapshots: which endpoints and limits are planned for which links, addresses
 * and kernels; that a second plan is empty; that what fails is undone; what is repaired, and what
 * is left alone.
 */
#include <errno.h>
#include <net/if.h>
#include <json-c/json.h>

#include "mptcp/plan-private.h"
#include "mptcp_messages.h"

#define UP (IFF_UP | 0x10000 /* IFF_LOWER_UP */)
#define MOST_LINKS 10

DEFINE_CLEANUP(nvme_mptcp_snapshot_t, nvme_mptcp_snapshot_free);
DEFINE_CLEANUP(nvme_mptcp_plan_t, nvme_mptcp_plan_free);

static struct in6_addr ip(const char *text)
{
	struct in6_addr result = { .s6_addr32 = { 0, 0, htonl(0xffff), 0 } };

	if (inet_pton(AF_INET, text, &result.s6_addr32[3]) != 1)
		assert_int_equal(inet_pton(AF_INET6, text, &result), 1);
	return result;
}

static struct in6_addr numbered(const char *fmt, int i)
{
	char text[INET6_ADDRSTRLEN];

	/* The formats are those below. */
	snprintf(text, sizeof(text), "%.*s%d%s", (int)strcspn(fmt, "#"), fmt, i,
		 strchr(fmt, '#') + 1);
	return ip(text);
}

static const char v4[] = "10.1.#.2", v6[] = "fd00:1:#::2";
static const char v4_target[] = "10.1.#.1";

static struct nvme_mptcp_link *add_link(struct nvme_mptcp_snapshot *snap, int i)
{
	struct nvme_mptcp_link *link = array_add(&snap->links, &snap->n_links, sizeof(*link));

	assert_non_null(link);
	link->ifindex = i;
	link->flags = UP;
	link->speed = NVME_MPTCP_UNKNOWN;
	snprintf(link->name, sizeof(link->name), "eth%d", i);
	return link;
}

static void add_address(struct nvme_mptcp_snapshot *snap, int ifindex, struct in6_addr address)
{
	struct local_address *a = array_add(&snap->addresses, &snap->n_addresses, sizeof(*a));

	assert_non_null(a);
	a->ip = address;
	a->ifindex = ifindex;
	a->prefix = IN6_IS_ADDR_V4MAPPED(&address) ? 96 + 24 : 64;
}

/* eth1 to eth@n with an IPv4 and an IPv6 address each, the kernel's limits after boot. */
static struct nvme_mptcp_snapshot *machine(int n)
{
	struct nvme_mptcp_snapshot *snap = snapshot_new();

	assert_non_null(snap);
	snap->limit_subflows = 2;
	snap->limit_add_addr_accepted = 0;
	for (int i = 1; i <= n; i++)
		add_link(snap, i);
	for (int i = 1; i <= n; i++)
		add_address(snap, i, numbered(v4, i));
	for (int i = 1; i <= n; i++)
		add_address(snap, i, numbered(v6, i));
	return snap;
}

static struct nvme_mptcp_endpoint *add_endpoint(struct nvme_mptcp_snapshot *snap, int id,
						struct in6_addr address, int ifindex, int64_t flags)
{
	struct nvme_mptcp_endpoint *ep =
		array_add(&snap->endpoints, &snap->n_endpoints, sizeof(*ep));

	assert_non_null(ep);
	ep->id = (uint8_t)id;
	ep->ip = address;
	ep->ifindex = ifindex;
	ep->flags = flags;
	address_text(&ep->ip, ep->address);
	return ep;
}

/* A kernel whose table of endpoints is that of a snapshot. */
struct kernel {
	struct editor e;
	struct nvme_mptcp_snapshot *snap;
	uint32_t limit_max;
	int fail_at; /* the request that is refused, from 1; 0: none */
	int requests;
	char log[1024];
};

static int request(struct editor *e, const char *what)
{
	struct kernel *k = (struct kernel *)e;
	size_t n = strlen(k->log);

	snprintf(k->log + n, sizeof(k->log) - n, "%s ", what);
	e->text[0] = '\0';
	if (++k->requests != k->fail_at)
		return 0;
	snprintf(e->text, sizeof(e->text), "refused");
	return -EPERM;
}

static int find(const struct kernel *k, const struct endpoint_spec *spec)
{
	for (size_t i = 0; i < k->snap->n_endpoints; i++)
		if (spec->id ? k->snap->endpoints[i].id == spec->id
			     : !memcmp(&k->snap->endpoints[i].ip, &spec->ip, sizeof(spec->ip)))
			return (int)i;
	return -ENOENT;
}

static int kernel_add(struct editor *e, const struct endpoint_spec *spec)
{
	struct kernel *k = (struct kernel *)e;
	int err = request(e, "add"), id = spec->id;

	if (err)
		return err;
	for (size_t i = 0; !spec->id && i < k->snap->n_endpoints; i++)
		if (k->snap->endpoints[i].id >= id)
			id = k->snap->endpoints[i].id + 1;
	add_endpoint(k->snap, id ? id : 1, spec->ip, spec->ifindex, spec->flags);
	return 0;
}

static int kernel_remove(struct editor *e, const struct endpoint_spec *spec)
{
	struct kernel *k = (struct kernel *)e;
	int err = request(e, "remove"), i = find(k, spec);

	if (err || i < 0)
		return err ? err : i;
	/* The room of the array follows from its count, so that a place stays, with no address. */
	k->snap->endpoints[i] = (struct nvme_mptcp_endpoint){ .flags = NVME_MPTCP_UNKNOWN };
	return 0;
}

static int kernel_set_flags(struct editor *e, const struct endpoint_spec *spec)
{
	struct kernel *k = (struct kernel *)e;
	int err = request(e, "flags"), i = find(k, spec);

	if (!err && i >= 0)
		k->snap->endpoints[i].flags = spec->flags;
	return err ? err : i < 0 ? i : 0;
}

static int kernel_set_limits(struct editor *e, const struct pm_limits *limits)
{
	struct kernel *k = (struct kernel *)e;
	int err = request(e, "limits");

	if (err)
		return err;
	if (limits->subflows > k->limit_max || limits->add_addr_accepted > k->limit_max) {
		snprintf(e->text, sizeof(e->text), "limit greater than maximum (%u)", k->limit_max);
		return -EINVAL;
	}
	k->snap->limit_subflows = limits->subflows;
	k->snap->limit_add_addr_accepted = limits->add_addr_accepted;
	return 0;
}

static struct kernel kernel_of(struct nvme_mptcp_snapshot *snap)
{
	return (struct kernel){
		.e = { .add = kernel_add,
		       .remove = kernel_remove,
		       .set_flags = kernel_set_flags,
		       .set_limits = kernel_set_limits },
		.snap = snap,
		.limit_max = 8,
	};
}

/* How this machine sends: each network by its own link, and all links have a gateway or none. */
static bool have_gateways;
static int all_routes_by; /* every address by this link; 0: by the link of its network */

static int route(struct planner *p, int ifindex, const struct in6_addr *dst,
		 struct route_answer *ret)
{
	*ret = (struct route_answer){ .ifindex = ifindex, .gateway = have_gateways };
	if (ifindex)
		return 0;
	ret->ifindex = all_routes_by;
	for (size_t i = 0; !ret->ifindex && i < p->snap->n_addresses; i++)
		if (!memcmp(&p->snap->addresses[i].ip, dst, 15))
			ret->ifindex = p->snap->addresses[i].ifindex;
	return ret->ifindex ? 0 : -ENETUNREACH;
}

static struct nvme_mptcp_plan *plan_as(struct nvme_mptcp_snapshot *snap, enum nvme_mptcp_role role,
				       const char *const *traddrs, bool laminar, bool replace)
{
	struct planner p = { .snap = snap, .route = route, .limit_max = 8, .laminar = laminar };
	const struct nvme_mptcp_setup_args args = {
		.snap = snap,
		.traddrs = traddrs,
		.args_size = sizeof(args),
		.role = role,
		.replace = replace,
	};
	struct nvme_mptcp_plan *plan = NULL;

	assert_int_equal(plan_setup(&p, &args, &plan), 0);
	return plan;
}

/* The first @n addresses of a target in @family's networks. */
static const char *const *targets(const char *fmt, int n)
{
	static char text[MOST_LINKS][ADDRESS_TEXT];
	static const char *list[MOST_LINKS + 1];

	for (int i = 0; i < n; i++) {
		struct in6_addr address = numbered(fmt, i + 1);

		address_text(&address, text[i]);
		list[i] = text[i];
	}
	list[n] = NULL;
	return list;
}

static size_t count(const struct nvme_mptcp_plan *plan, enum step_action action)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n_steps; i++)
		n += plan->steps[i].action == action;
	return n;
}

static bool has_note(nvme_mptcp_plan_t plan, const char *words)
{
	enum nvme_mptcp_role side;
	const char *text, *command;

	for (size_t i = 0; (text = nvme_mptcp_plan_note(plan, i, &side, &command)); i++)
		if (strstr(text, words) || (command && strstr(command, words)))
			return true;
	return false;
}

/* Follows a plan on a stand-in for the kernel, and sees that a second one is empty. */
static void settles(struct nvme_mptcp_snapshot *snap, struct nvme_mptcp_plan *plan,
		    const char *const *traddrs, bool laminar, bool replace)
{
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t again = NULL;
	struct kernel k = kernel_of(snap);

	assert_int_equal(plan_follow(plan, &k.e), 0);
	nvme_mptcp_for_each_step(plan, step)
		assert_int_equal(nvme_mptcp_step_state(step), NVME_MPTCP_STEP_DONE);
	again = plan_as(snap, plan->role, traddrs, laminar, replace);
	assert_int_equal(again->n_steps, 0);
}

static void target_signals_each_link(void **state)
{
	for (int n = 2; n <= 8; n++) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(n);
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
			plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
		const bool raises = n > 3; /* two besides the initial one are permitted */

		assert_string_equal(nvme_mptcp_plan_way(plan), "signal");
		assert_int_equal(count(plan, STEP_ADD), n);
		assert_int_equal(count(plan, STEP_LIMITS), raises);
		assert_int_equal(plan->n_steps, (size_t)n + raises);
		for (int i = 0; i < n; i++) {
			const struct nvme_mptcp_step *step = &plan->steps[i + raises];

			assert_int_equal(step->new.flags, NVME_MPTCP_ENDPOINT_SIGNAL);
			assert_int_equal(step->new.ifindex, i + 1);
			assert_true(IN6_IS_ADDR_V4MAPPED(&step->new.ip));
		}
		assert_true(plan->limits.subflows >= n - 1 && plan->limits.subflows <= 8);
		assert_int_equal(plan->limits.add_addr_accepted, 0);
		settles(snap, plan, NULL, false, false);
	}
}

static void one_link_needs_nothing(void **state)
{
	for (int role = NVME_MPTCP_ROLE_HOST; role <= NVME_MPTCP_ROLE_TARGET; role++) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(1);
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
			plan_as(snap, role, NULL, true, true);

		assert_string_equal(nvme_mptcp_plan_way(plan), "single");
		assert_int_equal(plan->n_steps, 0);
	}
}

static void an_address_for_each_link_needs_no_endpoints(void **state)
{
	const bool laminar = *state != NULL;

	have_gateways = false;
	for (int n = 2; n <= 8; n++) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(n);
		const char *const *traddrs = targets(v4_target, n);
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
			plan_as(snap, NVME_MPTCP_ROLE_HOST, traddrs, laminar, false);

		assert_string_equal(nvme_mptcp_plan_way(plan), "announced");
		assert_int_equal(plan->n_steps, 1);
		assert_int_equal(count(plan, STEP_LIMITS), 1);
		assert_true(plan->limits.add_addr_accepted >= n - 1);
		assert_true(plan->limits.add_addr_accepted <= 8);
		assert_true(has_note(plan, "--role target --traddr 10.1.1.1"));
		settles(snap, plan, traddrs, laminar, false);
	}
}

static void one_address_gets_a_subflow_from_each_link(void **state)
{
	static const char *const one[][2] = { { "10.9.9.9", NULL }, { "fd00:9::9", NULL } };

	have_gateways = true;
	for (int family = 0; family < 2; family++) {
		for (int n = 2; n <= 8; n++) {
			_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(n);
			_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

			snap->limit_add_addr_accepted = 4;
			plan = plan_as(snap, NVME_MPTCP_ROLE_HOST, one[family], true, false);
			assert_string_equal(nvme_mptcp_plan_way(plan), "subflow");
			assert_int_equal(count(plan, STEP_ADD), n);
			assert_int_equal(plan->limits.add_addr_accepted, 0);
			assert_int_equal(plan->wanted[0].flags, NVME_MPTCP_ENDPOINT_SUBFLOW);
			assert_int_equal(!IN6_IS_ADDR_V4MAPPED(&plan->wanted[0].ip), family);
			settles(snap, plan, one[family], true, false);
		}
	}
}

static void links_that_do_not_lead_there_are_left_out(void **state)
{
	static const char *const one[] = { "10.1.1.1", NULL };
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(4);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

	/* A second link into the target's network. */
	have_gateways = false;
	add_address(snap, 2, ip("10.1.1.3"));
	plan = plan_as(snap, NVME_MPTCP_ROLE_HOST, one, false, false);
	assert_string_equal(nvme_mptcp_plan_way(plan), "subflow");
	assert_int_equal(plan->n_links, 2);
	assert_string_equal(plan->links[1].address, "10.1.1.3");
	assert_true(has_note(plan, "eth3 is left out"));
	assert_true(has_note(plan, "eth4 is left out"));
}

static void laminar_where_routes_do_not_separate(void **state)
{
	static const char far[] = "10.8.#.1";

	have_gateways = true;
	all_routes_by = 1;
	for (int laminar = 0; laminar < 2; laminar++) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(4);
		const char *const *traddrs = targets(far, 4);
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
			plan_as(snap, NVME_MPTCP_ROLE_HOST, traddrs, laminar, false);

		assert_string_equal(nvme_mptcp_plan_way(plan), laminar ? "laminar" : "subflow");
		assert_int_equal(plan->wanted[0].flags, laminar ? NVME_MPTCP_ENDPOINT_LAMINAR
								: NVME_MPTCP_ENDPOINT_SUBFLOW);
		assert_int_equal(plan->limits.add_addr_accepted > 0, laminar);
		settles(snap, plan, traddrs, laminar, false);
	}
	all_routes_by = 0;
}

static void what_others_made_is_kept(void **state)
{
	static const char *const one[] = { "10.9.9.9", NULL };
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(3);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL, other = NULL;

	have_gateways = true;
	/* Right; wrong flag; wrong device; elsewhere; the kernel's own; of the other family. */
	add_endpoint(snap, 1, ip("10.1.1.2"), 1, NVME_MPTCP_ENDPOINT_SUBFLOW);
	add_endpoint(snap, 2, ip("10.1.2.2"), 2,
		     NVME_MPTCP_ENDPOINT_SUBFLOW | NVME_MPTCP_ENDPOINT_BACKUP);
	add_endpoint(snap, 3, ip("10.1.3.2"), 0, NVME_MPTCP_ENDPOINT_SUBFLOW);
	add_endpoint(snap, 4, ip("10.7.7.7"), 0, NVME_MPTCP_ENDPOINT_SUBFLOW);
	add_endpoint(snap, 5, ip("fd00:1:1::2"), 1, NVME_MPTCP_ENDPOINT_SUBFLOW);

	plan = plan_as(snap, NVME_MPTCP_ROLE_HOST, one, false, false);
	assert_int_equal(plan->n_steps, 1);
	assert_int_equal(plan->steps[0].action, STEP_LIMITS); /* for the one elsewhere */
	assert_true(has_note(plan, "endpoint 2 (10.1.2.2) is there with other settings"));
	assert_true(has_note(plan, "endpoint 3 (10.1.3.2) is there with other settings"));
	assert_true(has_note(plan, "endpoint 4 (10.7.7.7) was made by somebody else"));

	other = plan_as(snap, NVME_MPTCP_ROLE_HOST, one, false, true);
	assert_int_equal(count(other, STEP_DELETE), 1);
	assert_int_equal(count(other, STEP_FLAGS), 1);
	assert_int_equal(count(other, STEP_REPLACE), 1);
	assert_int_equal(other->n_steps, 3);
	for (size_t i = 0; i < other->n_steps; i++) {
		if (other->steps[i].action == STEP_FLAGS)
			assert_string_equal(other->steps[i].command,
					    "ip mptcp endpoint change id 2 nobackup");
		if (other->steps[i].action == STEP_REPLACE)
			assert_string_equal(other->steps[i].command,
					    "ip mptcp endpoint delete id 3 && ip mptcp endpoint "
					    "add 10.1.3.2 dev eth3 id 3 subflow");
	}
	settles(snap, other, one, false, true);
}

static void the_kernels_own_give_way(void **state)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

	add_endpoint(snap, 1, ip("10.1.1.2"), 0, NVME_MPTCP_ENDPOINT_IMPLICIT);
	plan = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	assert_int_equal(count(plan, STEP_ADD), 2);
	assert_int_equal(plan->n_notes, 0);
}

static void unfit_links(void **state)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(6);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
	const char *address;

	snap->links[0].flags = UP | IFF_LOOPBACK;
	snap->links[1].flags = 0;
	snap->links[2].flags = IFF_UP;
	snap->links[3].master = 9;
	plan = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	assert_string_equal(nvme_mptcp_plan_link(plan, 0, &address), "eth5");
	assert_string_equal(address, "10.1.5.2");
	assert_string_equal(nvme_mptcp_plan_link(plan, 1, &address), "eth6");
	assert_null(nvme_mptcp_plan_link(plan, 2, &address));
	assert_true(has_note(plan, "eth2 is left out: it is down"));
	assert_true(has_note(plan, "eth3 is left out: it has no carrier"));
	assert_true(has_note(plan, "eth4 is left out: it belongs to a bond"));
}

static void wrong_questions(void **state)
{
	static const char *const mixed[] = { "10.1.1.1", "fd00::1", NULL };
	static const char *const name[] = { "disk.example", NULL };
	static const char *const nowhere[] = { "eth7", NULL };
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	struct nvme_mptcp_setup_args args = { .snap = snap, .args_size = sizeof(args) };
	struct planner p = { .snap = snap, .route = route };
	struct nvme_mptcp_plan *plan = NULL;

	assert_int_equal(plan_setup(&p, &args, &plan), -EINVAL);
	args.role = NVME_MPTCP_ROLE_HOST;
	args.traddrs = mixed;
	assert_int_equal(plan_setup(&p, &args, &plan), -EINVAL);
	args.traddrs = name;
	assert_int_equal(plan_setup(&p, &args, &plan), -EINVAL);
	args.traddrs = NULL;
	args.devices = nowhere;
	assert_int_equal(plan_setup(&p, &args, &plan), -ENODEV);
	args.devices = NULL;
	snap->links[0].flags = snap->links[1].flags = 0;
	assert_int_equal(plan_setup(&p, &args, &plan), -ENOLINK);
	problem_set(snap, NVME_MPTCP_LIMITS, EPERM, "limits");
	assert_int_equal(plan_setup(&p, &args, &plan), -ENODATA);
	assert_null(plan);
	args.args_size = 1;
	assert_int_equal(nvme_mptcp_setup(&args, &plan), -1);
	assert_int_equal(errno, EINVAL);
}

/* Whichever request is refused: what was there before is there again. */
static void failure_is_undone(void **state)
{
	for (int fail_at = 1; fail_at <= 5; fail_at++) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(4);
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
			plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
		struct kernel k = kernel_of(snap);
		size_t living = 0;

		k.fail_at = fail_at;
		assert_int_equal(plan->n_steps, 5);
		assert_int_equal(plan_follow(plan, &k.e), -EPERM);
		for (int i = 0; i < 5; i++)
			assert_int_equal(plan->steps[i].state,
					 i + 1 < fail_at    ? NVME_MPTCP_STEP_UNDONE
					 : i + 1 == fail_at ? NVME_MPTCP_STEP_FAILED
							    : NVME_MPTCP_STEP_PLANNED);
		assert_non_null(strstr(plan->steps[fail_at - 1].error, "refused"));
		for (size_t i = 0; i < snap->n_endpoints; i++)
			living += snap->endpoints[i].id != 0;
		assert_int_equal(living, 0);
		assert_int_equal(snap->limit_subflows, 2);
		assert_int_equal(k.requests, 2 * fail_at - 1);
	}
}

static void half_an_exchange_is_undone(void **state)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
	struct kernel k = kernel_of(snap);

	add_endpoint(snap, 7, ip("10.1.1.2"), 1, NVME_MPTCP_ENDPOINT_SUBFLOW);
	plan = plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, true);
	assert_int_equal(plan->steps[0].action, STEP_REPLACE);
	k.fail_at = 2;
	assert_int_equal(plan_follow(plan, &k.e), -EPERM);
	assert_string_equal(k.log, "remove add add ");
	assert_int_equal(plan->steps[0].state, NVME_MPTCP_STEP_FAILED);
	assert_int_equal(plan->steps[1].state, NVME_MPTCP_STEP_PLANNED);
}

static void limits_fall_back_to_what_the_kernel_takes(void **state)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(8);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
		plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	const struct pm_limits now = { 2, 0 };
	struct kernel k = kernel_of(snap);
	uint32_t max = 0;

	k.limit_max = 5;
	assert_int_equal(editor_limit_max(&k.e, &now, &max), 0);
	assert_int_equal(max, 5);
	assert_int_equal(plan_follow(plan, &k.e), 0);
	assert_int_equal(snap->limit_subflows, 5);
	k.fail_at = k.requests + 1;
	assert_int_equal(editor_limit_max(&k.e, &now, &max), -EPERM);

	assert_int_equal(limit_max_of_text("limit greater than maximum (64)", &max), 0);
	assert_int_equal(max, 64);
	assert_int_equal(limit_max_of_text("", &max), -ENODATA);
	assert_int_equal(limit_max_of_text("too great (really)", &max), -ENODATA);
	assert_int_equal(limit_max_of_text("maximum (8", &max), -ENODATA);
	assert_int_equal(limit_max_of_text("maximum (-8)", &max), -ENODATA);
	assert_int_equal(limit_max_of_text("maximum (99999999999999999999)", &max), -ENODATA);
	assert_int_equal(max, 64);
}

static void more_links_than_the_kernel_permits(void **state)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(10);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
		plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);

	assert_int_equal(plan->limits.subflows, 8);
	assert_true(has_note(plan, "permits 8 subflows besides the initial one: 10 links"));
}

/* nvme0 with @n connections over the links of a machine; @dead: connection, link that lacks it. */
static void add_controller(struct nvme_mptcp_snapshot *snap, int n, bool (*is_dead)(int, int))
{
	struct nvme_mptcp_ctrl *ctrl = array_add(&snap->ctrls, &snap->n_ctrls, sizeof(*ctrl));
	const int links = (int)snap->n_links;

	assert_non_null(ctrl);
	ctrl->name = strdup("nvme0");
	ctrl->transport = strdup("mptcp");
	ctrl->portal = (struct socket_address){ ip("10.1.1.1"), 4420 };
	ctrl->has_portal = true;
	ctrl->expected = n;
	for (int c = 1; c <= n; c++) {
		struct nvme_mptcp_connection *conn =
			array_add(&snap->connections, &snap->n_connections, sizeof(*conn));

		assert_non_null(conn);
		conn->local = (struct socket_address){ ip("10.1.1.2"), (uint16_t)(40000 + c) };
		conn->remote = (struct socket_address){ ip("10.1.1.1"), 4420 };
		conn->token = (uint32_t)c;
		conn->has_token = true;
		conn->inode = (uint32_t)c;
		conn->state = STATE_ESTABLISHED;
		for (int l = 1; l <= links; l++) {
			struct nvme_mptcp_subflow *sf;

			if (is_dead(c, l))
				continue;
			sf = array_add(&snap->subflows, &snap->n_subflows, sizeof(*sf));
			assert_non_null(sf);
			sf->local = (struct socket_address){ numbered(v4, l), 40000 };
			sf->remote = (struct socket_address){ ip("10.1.1.1"), 4420 };
			sf->token = (uint32_t)c;
			sf->has_token = true;
			sf->ifindex = l;
			sf->state = STATE_ESTABLISHED;
			sf->id_local = (int16_t)(l - 1);
		}
	}
	assert_int_equal(snapshot_join(snap), 0);
	assert_int_equal(snapshot_attribute(snap), 0);
	assert_int_equal(snapshot_sum(snap), 0);
}

static bool link3(int c, int l)
{
	return l == 3;
}

static bool link3_of_second(int c, int l)
{
	return c == 2 && l == 3;
}

static bool none(int c, int l)
{
	return false;
}

static int by_ip(const void *a, const void *b)
{
	const struct local_address *x = a, *y = b;

	return memcmp(&x->ip, &y->ip, sizeof(x->ip));
}

/* A host whose connections lack some subflows; its endpoints have @flags. */
static struct nvme_mptcp_snapshot *lame(int64_t flags, bool (*is_dead)(int, int))
{
	struct nvme_mptcp_snapshot *snap = machine(4);

	qsort(snap->addresses, snap->n_addresses, sizeof(*snap->addresses), by_ip);
	for (int i = 2; i <= 4; i++)
		add_endpoint(snap, i, numbered(v4, i), i, flags);
	add_controller(snap, 3, is_dead);
	return snap;
}

static void repair_renews_what_nobody_uses(void **state)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap =
		lame(NVME_MPTCP_ENDPOINT_SUBFLOW, link3);
	struct nvme_mptcp_repair_args args = { .snap = snap, .args_size = sizeof(args) };
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;
	struct kernel k = kernel_of(snap);
	const struct nvme_mptcp_gap *gap;

	assert_int_equal(nvme_mptcp_repair(&args, &plan), 0);
	gap = nvme_mptcp_plan_gap(plan, 0);
	assert_string_equal(gap->subject, "nvme0");
	assert_string_equal(gap->link, "eth3");
	assert_int_equal(gap->missing, 3);
	assert_int_equal(gap->connections, 3);
	assert_null(nvme_mptcp_plan_gap(plan, 1));
	assert_int_equal(plan->n_steps, 1);
	assert_string_equal(plan->steps[0].command,
			    "ip mptcp endpoint delete id 3 && ip mptcp endpoint add 10.1.3.2 dev "
			    "eth3 id 3 subflow");
	assert_int_equal(plan_follow(plan, &k.e), 0);
	assert_string_equal(k.log, "remove add ");
}

static void repair_spares_the_living(void **state)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap =
		lame(NVME_MPTCP_ENDPOINT_SUBFLOW, link3_of_second);
	struct nvme_mptcp_repair_args args = { .snap = snap, .args_size = sizeof(args) };
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL, forced = NULL;

	assert_int_equal(nvme_mptcp_repair(&args, &plan), 0);
	assert_int_equal(plan->n_steps, 0);
	assert_int_equal(nvme_mptcp_plan_gap(plan, 0)->missing, 1);
	assert_true(has_note(plan, "2 subflows of other connections live on endpoint 3"));
	args.force = true;
	assert_int_equal(nvme_mptcp_repair(&args, &forced), 0);
	assert_int_equal(count(forced, STEP_RENEW), 1);
}

static void repair_leaves_announcing_to_the_target(void **state)
{
	static const int64_t flags[] = { NVME_MPTCP_ENDPOINT_IMPLICIT,
					 NVME_MPTCP_ENDPOINT_LAMINAR };

	for (size_t i = 0; i < 2; i++) {
		_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap =
			lame(flags[i], link3);
		struct nvme_mptcp_repair_args args = { .snap = snap, .args_size = sizeof(args) };
		_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

		assert_int_equal(nvme_mptcp_repair(&args, &plan), 0);
		assert_int_equal(plan->n_steps, 0);
		assert_int_equal(plan->n_gaps, 1);
		assert_true(has_note(plan, "nvme mptcp repair --role target"));
	}
}

static void repair_of_what_is_whole_is_empty(void **state)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap =
		lame(NVME_MPTCP_ENDPOINT_SUBFLOW, none);
	struct nvme_mptcp_repair_args args = { .snap = snap, .args_size = sizeof(args) };
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

	assert_int_equal(nvme_mptcp_repair(&args, &plan), 0);
	assert_int_equal(plan->n_steps + plan->n_gaps + plan->n_notes, 0);
}

static void repair_knows_links_that_cannot_carry(void **state)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap =
		lame(NVME_MPTCP_ENDPOINT_SUBFLOW, link3);
	struct nvme_mptcp_repair_args args = { .snap = snap, .args_size = sizeof(args) };
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan = NULL;

	snap->links[2].flags = 0;
	assert_int_equal(nvme_mptcp_repair(&args, &plan), 0);
	assert_int_equal(plan->n_steps, 0);
	assert_true(has_note(plan, "ip link set eth3 up"));
}

static void documents(void **state)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = machine(2);
	_cleanup_(nvme_mptcp_plan_free) nvme_mptcp_plan_t plan =
		plan_as(snap, NVME_MPTCP_ROLE_TARGET, NULL, false, false);
	_cleanup_(free) char *document = nvme_mptcp_plan_to_json(plan, false);
	_cleanup_(free) char *config = nvme_mptcp_plan_to_config(plan);
	struct json_object *top = json_tokener_parse(document), *value;

	assert_true(json_object_object_get_ex(top, "steps", &value));
	assert_int_equal(json_object_array_length(value), 2);
	json_object_put(top);
	top = json_tokener_parse(config);
	assert_true(json_object_object_get_ex(top, "endpoints", &value));
	value = json_object_array_get_idx(value, 1);
	assert_string_equal(json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN),
			    "{\"address\":\"10.1.2.2\",\"dev\":\"eth2\",\"flags\":[\"signal\"]}");
	json_object_put(top);
}

int main(void)
{
	static char with_laminar[] = "laminar";
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(target_signals_each_link),
		cmocka_unit_test(one_link_needs_nothing),
		cmocka_unit_test(an_address_for_each_link_needs_no_endpoints),
		cmocka_unit_test_prestate(an_address_for_each_link_needs_no_endpoints,
					  with_laminar),
		cmocka_unit_test(one_address_gets_a_subflow_from_each_link),
		cmocka_unit_test(links_that_do_not_lead_there_are_left_out),
		cmocka_unit_test(laminar_where_routes_do_not_separate),
		cmocka_unit_test(what_others_made_is_kept),
		cmocka_unit_test(the_kernels_own_give_way),
		cmocka_unit_test(unfit_links),
		cmocka_unit_test(wrong_questions),
		cmocka_unit_test(failure_is_undone),
		cmocka_unit_test(half_an_exchange_is_undone),
		cmocka_unit_test(limits_fall_back_to_what_the_kernel_takes),
		cmocka_unit_test(more_links_than_the_kernel_permits),
		cmocka_unit_test(repair_renews_what_nobody_uses),
		cmocka_unit_test(repair_spares_the_living),
		cmocka_unit_test(repair_leaves_announcing_to_the_target),
		cmocka_unit_test(repair_of_what_is_whole_is_empty),
		cmocka_unit_test(repair_knows_links_that_cannot_carry),
		cmocka_unit_test(documents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
