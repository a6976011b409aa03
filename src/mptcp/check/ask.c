// SPDX-License-Identifier: LGPL-2.1-or-later
/* Queries of rules for facts that are not in a snapshot. Each is made only by the rule that needs it. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "ask.h"
#include "mptcp/netlink/netns.h"
#include "mptcp/netlink/uapi.h"
#include "mptcp/plan/keep-poll.h"
#include "mptcp/plan/keeper-kernel.h"
#include "mptcp/plan/keeper.h"
#include "mptcp/plan/steps.h"
#include "mptcp/trial/trial-state.h"

DEFINE_CLEANUP(nvme_mptcp_snapshot_t, nvme_mptcp_snapshot_free);

#define MAX_NAMESPACES 256
#define RATES_MS 2000
#define INITIAL_NAMESPACE "/proc/1/ns/net"

static int open_routes(struct check *c)
{
	return c->nl.sock ? 0 : nl_open(&c->nl, NETLINK_ROUTE);
}

/* Return the address with the port of its portal: routing rules may match the port. */
static struct socket_address with_port(const struct check *c, const struct in6_addr *dst)
{
	struct socket_address ret = { .ip = *dst };

	for (size_t i = 0; i < c->n_portals && !ret.port; i++)
		if (address_equal(&c->portals[i].address.ip, dst))
			ret.port = c->portals[i].address.port;
	if (ret.port || !c->n_portals)
		return ret;
	/* Joins to an announced address use the portal's port. */
	for (size_t i = 1; !c->trial && i < c->n_portals; i++)
		if (c->portals[i].address.port != c->portals[0].address.port)
			return ret;
	ret.port = c->trial ? c->trial->portal.port : c->portals[0].address.port;
	return ret;
}

static int ask_route(struct check *c, const struct in6_addr *src, int ifindex,
		     const struct in6_addr *dst, struct route_answer *ret)
{
	const struct socket_address to = with_port(c, dst);
	const struct nvme_mptcp_link *vrf;
	int err = open_routes(c);

	if (err) {
		c->err = err;
		return err;
	}
	/* The kernel's own lookup of a reply: the socket that accepts in a VRF is bound to it. */
	vrf = ifindex ? NULL : link_vrf_of(c->snap, src);
	if (vrf)
		err = route_ask(&c->nl, src, vrf->ifindex, &to, ret);
	else
		err = src && ifindex ? route_ask_bound(&c->nl, src, ifindex, &to, ret)
				     : route_ask(&c->nl, src, ifindex, &to, ret);
	/* Rules treat an error as "no route", so other errors must end the check. */
	if (err && !route_is_none(err))
		c->err = err;
	return err;
}

static bool ask_ways(struct check *c, const struct in6_addr *dst)
{
	const struct socket_address to = with_port(c, dst);

	return !open_routes(c) && route_has_hops(&c->nl, &to);
}

int ask_entry(struct check *c, int ifindex, const struct in6_addr *ip, struct neighbour *ret)
{
	int err = open_routes(c);

	return err ? err : route_ask_neighbour(&c->nl, ifindex, ip, ret);
}

static int ask_neighbour(struct check *c, int ifindex, const struct in6_addr *ip)
{
	struct neighbour entry = {};
	int err = ask_entry(c, ifindex, ip, &entry);

	return err ? err : entry.state;
}

int64_t ask_setting(struct check *c, const char *path)
{
	(void)c;
	return snapshot_sysctl(path);
}

static int64_t ask_setting_number(struct check *c, const char *path, size_t i)
{
	(void)c;
	return snapshot_sysctl_number(path, i);
}

static bool ask_family(struct check *c, int family)
{
	_cleanup_(close) int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_MPTCP);

	/* Other rules report other errors. */
	return fd >= 0 || errno != EAFNOSUPPORT;
}

/* Return 1 if a line (@end 0: a NUL-terminated string) of @path matches, else 0, or -errno. */
static int search(const char *path, int end, bool (*matches)(const char *line, const void *arg),
		  const void *arg)
{
	_cleanup_(fclose) FILE *file = fopen(path, "re");
	_cleanup_(free) char *line = NULL;
	size_t size = 0;
	ssize_t n;

	if (!file)
		return -errno;
	while ((n = getdelim(&line, &size, end, file)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		if (matches(line, arg))
			return 1;
	}
	return ferror(file) ? -EIO : 0;
}

/* Match "alias nvme-mptcp nvme_tcp" or, for built-in modules, "nvme_tcp.alias=nvme-mptcp". */
bool ask_is_alias(const char *line, const void *arg)
{
	const struct offer *offer = arg;
	size_t n = strlen(offer->alias);
	const char *equal;

	if (!strncmp(line, "alias ", 6))
		return !strncmp(line + 6, offer->alias, n) && line[6 + n] == ' ';
	equal = strstr(line, ".alias=");
	return equal && !strcmp(equal + 7, offer->alias);
}

/* Match "0000000000000000 t nvme_mptcp_setup_ctrl [nvme_tcp]". */
bool ask_is_function(const char *line, const void *arg)
{
	const struct offer *offer = arg;
	const char *module = strchr(line, '[');
	size_t n = strlen(offer->module);

	return module && !strncmp(module + 1, offer->module, n) && !strcmp(module + 1 + n, "]") &&
	       strstr(line, "mptcp");
}

int ask_is_loaded(const struct offer *offer)
{
	int found;

	/* A module loaded by insmod is in no alias list. */
	if (!strncmp(offer->module, "nvme_", 5) && sysfs_module_has(offer->module, "."))
		return 1;
	found = search("/proc/kallsyms", '\n', ask_is_function, offer);

	return found < 0 ? NVME_MPTCP_UNKNOWN : found;
}

static int ask_offer(struct check *c, const struct offer *offer)
{
	static const struct {
		const char *name;
		int end;
	} files[] = { { "modules.alias", '\n' }, { "modules.builtin.modinfo", '\0' } };
	struct utsname kernel;
	char path[256];

	/* With a replaced /sys (tests), this machine's files do not apply. */
	if (*sysfs_root() || uname(&kernel))
		return NVME_MPTCP_UNKNOWN;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		int found;

		snprintf(path, sizeof(path), "/lib/modules/%.64s/%s", kernel.release,
			 files[i].name);
		found = search(path, files[i].end, ask_is_alias, offer);
		if (found)
			return found < 0 ? NVME_MPTCP_UNKNOWN : found;
	}
	return ask_is_loaded(offer);
}

/* True if a process has this name. Used without a service manager. */
static bool has_process(const char *process)
{
	_cleanup_(closedir) DIR *proc = opendir("/proc");
	const struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		_cleanup_(close) int fd = -1;
		char path[32], name[32];
		ssize_t n;

		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		snprintf(path, sizeof(path), "%.20s/comm", entry->d_name);
		fd = openat(dirfd(proc), path, O_RDONLY | O_CLOEXEC);
		n = fd < 0 ? -1 : read(fd, name, sizeof(name) - 1);
		if (n <= 0)
			continue;
		name[n] = '\0';
		if (!strcmp(str_trim_end(name), process))
			return true;
	}
	return false;
}

static bool ask_active(struct check *c, const char *unit, const char *process)
{
	char path[128], id[64];

	if (*sysfs_root())
		return false;
	/* systemd keeps a symbolic link for each active unit. */
	snprintf(path, sizeof(path), "/run/systemd/units/invocation:%s.service", unit);
	if (readlink(path, id, sizeof(id)) > 0)
		return true;
	return access("/run/systemd/units", F_OK) && has_process(process);
}

struct visit {
	const struct socket_address *portal;
	const struct in6_addr *source; /* NULL: search for a listener */
	uint64_t here; /* namespace that the query comes from */
	bool found;
	uint64_t id; /* namespace where it was found */
};

static int look_for_portal(void *arg)
{
	_cleanup_(nvme_mptcp_snapshot_free) nvme_mptcp_snapshot_t snap = NULL;
	struct visit *v = arg;
	int err;

	if (v->here && netns_id() == v->here)
		return 0;
	snap = snapshot_new();
	err = snap ? diag_read_connections(snap) : -ENOMEM;
	if (err)
		return err;
	for (size_t i = 0; v->source && i < snap->n_connections && !v->found; i++)
		v->found = address_port_equal(&snap->connections[i].remote, v->portal) &&
			   address_equal(&snap->connections[i].local.ip, v->source);
	for (size_t i = 0; !v->source && i < snap->n_listeners && !v->found; i++)
		v->found = address_port_equal(&snap->listeners[i].local, v->portal);
	if (v->found)
		v->id = netns_id();
	return 0;
}

/* The only namespace that matches. */
struct owner_netns {
	char *name;
	size_t size;
	uint64_t id;
	size_t n;
};

/* Search one namespace, which may have several names. One that cannot be entered is skipped. */
static void search_netns(struct check *c, const char *netns, struct visit *v,
			 struct owner_netns *owner)
{
	int err;

	v->found = false;
	err = netns_run(netns, look_for_portal, v);
	if (err == -ENOMEM)
		c->err = err;
	if (err || !v->found || (owner->n && v->id == owner->id))
		return;
	if (!owner->n++)
		str_copy(owner->name, owner->size, netns, strlen(netns));
	owner->id = v->id;
}

static bool ask_netns(struct check *c, const struct socket_address *portal,
		      const struct in6_addr *source, char *name, size_t size)
{
	_cleanup_(closedir) DIR *dir = opendir("/run/netns");
	struct visit v = { .portal = portal, .source = source, .here = c->snap->netns_id };
	struct owner_netns owner = { .name = name, .size = size };
	const struct dirent *entry;
	int n = 0;

	if (!dir && errno == ENOMEM)
		c->err = -ENOMEM;
	while (dir && (entry = readdir(dir)) && n < MAX_NAMESPACES) {
		if (*entry->d_name == '.')
			continue;
		n++;
		search_netns(c, entry->d_name, &v, &owner);
	}
	/* The initial namespace has no name. */
	search_netns(c, INITIAL_NAMESPACE, &v, &owner);
	/* If there are two, the connections of one belong to another program. */
	return owner.n == 1;
}

static uint32_t ask_table(struct check *c)
{
	struct capability has = {};

	if (plan_ask_capability(&has) == -ENOMEM)
		c->err = -ENOMEM;
	return has.endpoints;
}

static uint32_t ask_limit_max(struct check *c)
{
	struct plan_known known = {};

	if (plan_query_kernel(c->snap, &known))
		c->err = -ENOMEM;
	return known.limit_max;
}

static int ask_plan(struct check *c, enum nvme_mptcp_role role, const char *const *traddrs,
		    nvme_mptcp_plan_t *ret)
{
	const struct nvme_mptcp_setup_args args = {
		.snap = c->snap,
		.traddrs = traddrs,
		.args_size = sizeof(args),
		.role = role,
	};

	return nvme_mptcp_setup(&args, ret) ? -errno : 0;
}

static bool ask_joins(struct check *c, const struct join_proof *proof)
{
	struct editor e = { .seen = c->snap };

	return !plan_verify_join(&e, proof);
}

/* Runs in the thread's network namespace, which is the checked one. */
static int ask_kept(struct check *c, struct kept *ret)
{
	const struct nvme_mptcp_keeper_args args = { .args_size = sizeof(args) };
	nvme_mptcp_keeper_t keeper;
	int err = keeper_open(&args, &keeper_kernel_ops, &keeper, NULL);

	(void)c;
	if (err)
		return err;
	ret->own = keeper->own;
	keeper->own = (struct keep_own){};
	ret->now = keeper_now(keeper);
	ret->runs = keep_lock_is_held();
	nvme_mptcp_keeper_close(keeper);
	return 0;
}

/* Measure rates with keep's own code and interval. */
static int ask_rates(struct check *c, struct keep_rates *ret)
{
	const struct timespec pause = { .tv_nsec = KEEP_BUSY_MS * 1000000 };
	_cleanup_(idmap_free) struct idmap *tokens = idmap_new(c->n_conns);
	struct keep_poll pulse = {};
	int64_t now = trial_clock();
	const int64_t end = now + RATES_MS;
	int err = tokens ? 0 : -ENOMEM;
	bool trouble;

	for (size_t i = 0; !err && i < c->n_conns; i++)
		if (c->conns[i]->has_token)
			err = idmap_put(tokens, c->conns[i]->token, (void *)c->conns[i]);
	if (!err)
		keep_poll_select(&pulse, c->snap, tokens, check_side(c), now);
	while (!err && pulse.places.n_ports && !pulse.rates.n_slow && now < end) {
		pulse.due = now;
		err = keep_poll_run(&pulse, tokens, keeper_kernel_ops.sample_subflows, NULL, now,
				    &trouble);
		nanosleep(&pause, NULL);
		now = trial_clock();
	}
	*ret = pulse.rates;
	return err;
}

static int ask_attempt(struct check *c, const struct path_ends *ends, int answer_ms,
		       struct probe_result *ret)
{
	(void)c;
	return ask_try_way(ends, -1, answer_ms, ret);
}

const struct check_ops ask_kernel_ops = {
	.route = ask_route,
	.has_multipath_route = ask_ways,
	.marked_route = ask_marked_route,
	.forbids = ask_forbids,
	.machines = ask_machines,
	.echo_on_link = ask_echo_on_link,
	.neighbour = ask_neighbour,
	.setting = ask_setting,
	.setting_number = ask_setting_number,
	.has_family = ask_family,
	.offers = ask_offer,
	.table = ask_table,
	.limit_max = ask_limit_max,
	.is_active = ask_active,
	.plan = ask_plan,
	.netns_of = ask_netns,
	.probe_result = ask_probe_path,
	.announced = ask_announced,
	.sizes = ask_sizes,
	.losses = ask_losses,
	.attempt = ask_attempt,
	.open = ask_open,
	.same_broadcast_domain = ask_same_broadcast_domain,
	.owners = ask_owners,
	.probe_via_mac = ask_probe_via_mac,
	.answers_once_told = ask_once_told,
	.joins = ask_joins,
	.steered = ask_steered,
	.filters = ask_filters,
	.ipsec = ask_ipsec,
	.kept = ask_kept,
	.rates = ask_rates,
};
