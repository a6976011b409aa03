// SPDX-License-Identifier: LGPL-2.1-or-later
/* Compares a host's object "mptcp" with the path manager. Endpoints that it does not list stay. */
#include "configured.h"
#include "steps.h"

#define AT_TEXT 40 /* ".endpoints[1]" */
#define KEY_TEXT 64

/* A plan, and the host whose object is read. */
struct wish {
	struct planner *p;
	struct nvme_mptcp_plan *plan;
	const struct config_selection *meant;
	const struct config_host *host;
};

/* Return "file:line: $[0].mptcp.key", to be freed; NULL without memory. */
static char *place(const struct config_host *h, struct json_object *value, const char *key)
{
	char *text;

	return asprintf(&text, "%s:%u: %s%s", h->file, reader_line(value), h->path, key) < 0 ? NULL
											     : text;
}

static int refuse(struct wish *w, struct json_object *value, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static int refuse(struct wish *w, struct json_object *value, const char *key, const char *fmt, ...)
{
	_cleanup_(free) char *where = place(w->host, value, key);
	_cleanup_(free) char *reason = NULL;
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&reason, fmt, ap);
	va_end(ap);
	if (n < 0)
		reason = NULL;
	if (!where || !reason || asprintf(&text, "%s: %s", where, reason) < 0)
		return -ENOMEM;
	free(w->meant->config->error);
	w->meant->config->error = text;
	return failure_note(-EPROTO, "%s", text);
}

static int64_t number(struct json_object *object, const char *key, int64_t otherwise)
{
	struct json_object *value;

	return json_object_object_get_ex(object, key, &value) ? json_object_get_int64(value)
							      : otherwise;
}

/* The default is subflow: without flags, an endpoint has no effect on a host. */
static int64_t read_flags(struct json_object *endpoint)
{
	return config_flags(endpoint, NVME_MPTCP_ENDPOINT_SUBFLOW);
}

static int read_device(struct wish *w, struct json_object *value, const char *key,
		       struct endpoint_spec *spec)
{
	const char *name = json_object_get_string(value);
	const struct nvme_mptcp_link *link = plan_link_by_name(w->p->snap, name);

	if (!link)
		return refuse(w, value, key,
			      "no such network interface: \"%s\" (ip link lists them)", name);
	spec->ifindex = link->ifindex;
	str_copy(spec->device, sizeof(spec->device), name, strlen(name));
	return 0;
}

/* Note a missing address: the kernel accepts it, but no subflow starts until it is added. */
static void note_strange_address(struct wish *w, struct json_object *endpoint, const char *key,
				 const struct endpoint_spec *spec)
{
	const struct local_address *own = snapshot_find_address(w->p->snap, &spec->ip);
	_cleanup_(free) char *where = place(w->host, endpoint, key);
	const char *text = ADDRESS_STRING(&spec->ip);

	if (!own)
		plan_note(w->plan, NVME_MPTCP_ROLE_HOST, NULL,
			  "%s: %s is not an address of this host: no subflow can start from it",
			  where ? where : key, text);
	else if (spec->ifindex && own->ifindex != spec->ifindex)
		plan_note(w->plan, NVME_MPTCP_ROLE_HOST, NULL,
			  "%s: %s is an address of %s, not of %s", where ? where : key, text,
			  LINK_STRING(w->p->snap, own->ifindex), spec->device);
}

/* Return the flags that the kernel does not know. It accepts them, without effect. */
static int64_t unknown_flags(const struct capability *has)
{
	/* If the kernel was asked, @has->endpoints is at least 1. */
	return has->endpoints && !has->laminar ? NVME_MPTCP_ENDPOINT_LAMINAR : 0;
}

static void note_unknown_flag(struct wish *w, struct json_object *endpoint, const char *key,
			      const struct endpoint_spec *spec)
{
	_cleanup_(free) char *where = place(w->host, endpoint, key);

	if (!(spec->flags & unknown_flags(&w->p->has)))
		return;
	plan_note(w->plan, NVME_MPTCP_ROLE_HOST, NULL,
		  "%s: this kernel does not know the flag laminar of %s%s", where ? where : key,
		  ADDRESS_STRING(&spec->ip),
		  spec->flags & NVME_MPTCP_ENDPOINT_SUBFLOW ? "" : ": no subflow starts from it");
}

/* True if keep waits for the missing device or address of an endpoint, which is no mistake. */
static bool is_awaited(struct wish *w, struct json_object *endpoint, const char *at,
		       const struct in6_addr *ip)
{
	_cleanup_(free) char *where = place(w->host, endpoint, at);
	struct json_object *device;
	const char *text = ADDRESS_STRING(ip), *name;

	if (!w->p->own)
		return false;
	if (json_object_object_get_ex(endpoint, "dev", &device)) {
		name = json_object_get_string(device);
		if (!plan_link_by_name(w->p->snap, name)) {
			plan_note(w->plan, NVME_MPTCP_ROLE_HOST, NULL,
				  "%s: endpoint %s waits for network interface %s",
				  where ? where : at, text, name);
			return true;
		}
	}
	if (snapshot_find_address(w->p->snap, ip))
		return false;
	plan_note(w->plan, NVME_MPTCP_ROLE_HOST, NULL,
		  "%s: endpoint %s waits for its address, which no network interface has",
		  where ? where : at, text);
	return true;
}

static int await_zone(struct wish *w, struct json_object *endpoint, const char *at,
		      const char *address)
{
	_cleanup_(free) char *where = place(w->host, endpoint, at);

	plan_note(w->plan, NVME_MPTCP_ROLE_HOST, NULL,
		  "%s: endpoint %s waits for its network interface", where ? where : at, address);
	return -EAGAIN;
}

/* Refuse an id that another endpoint has, either an existing one or one in the configuration. */
static int refuse_id(struct wish *w, struct json_object *endpoint, const char *at,
		     const struct endpoint_spec *spec, const struct in6_addr *other)
{
	char key[KEY_TEXT];

	snprintf(key, sizeof(key), "%s.id", at);
	return refuse(
		w, endpoint, key,
		"%u is the identifier of endpoint %s; leave it out, and the kernel chooses one",
		spec->id, ADDRESS_STRING(other));
}

/* Read an endpoint. Return 0, -EAGAIN if its device or address is waited for, or -errno. */
static int read_endpoint(struct wish *w, struct json_object *endpoint, const char *at,
			 struct endpoint_spec *ret)
{
	struct nvme_mptcp_plan *plan = w->plan;
	struct json_object *address, *device;
	struct endpoint_spec spec = {};
	char key[KEY_TEXT];
	struct ip_addr ip;
	int err;

	if (!json_object_object_get_ex(endpoint, "address", &address))
		return -EINVAL;
	snprintf(key, sizeof(key), "%s.address", at);
	err = address_parse(json_object_get_string(address), &ip);
	if (err && w->p->own)
		return await_zone(w, endpoint, at, json_object_get_string(address));
	if (err)
		return refuse(w, address, key,
			      "\"%s\": no such network interface (ip link lists them)",
			      json_object_get_string(address));
	if (is_awaited(w, endpoint, at, &ip.in6))
		return -EAGAIN;
	spec.ip = ip.in6;
	spec.ifindex = (int)ip.scope;
	spec.flags = read_flags(endpoint);
	spec.id = (uint8_t)number(endpoint, "id", 0);
	spec.port = (uint16_t)number(endpoint, "port", 0);
	FOR_EACH(wanted, plan->wanted, plan->n_wanted) {
		if (address_equal(&wanted->ip, &spec.ip) && wanted->port == spec.port)
			return refuse(w, address, key,
				      "\"%s\" is given twice; an address can have one endpoint",
				      json_object_get_string(address));
		if (spec.id && wanted->id == spec.id)
			return refuse_id(w, endpoint, at, &spec, &wanted->ip);
	}
	snprintf(key, sizeof(key), "%s.dev", at);
	if (json_object_object_get_ex(endpoint, "dev", &device)) {
		err = read_device(w, device, key, &spec);
		if (err)
			return err;
		if (ip.scope && spec.ifindex != (int)ip.scope)
			return refuse(w, device, key,
				      "\"%s\", but the address \"%s\" names another interface",
				      spec.device, json_object_get_string(address));
	}
	note_strange_address(w, endpoint, at, &spec);
	note_unknown_flag(w, endpoint, at, &spec);
	/* A kernel that drops the flag would get it again with each plan. */
	spec.flags &= ~unknown_flags(&w->p->has);
	*ret = spec;
	return 0;
}

static int check_id(struct wish *w, struct json_object *endpoint, const char *at,
		    const struct endpoint_spec *spec, const struct nvme_mptcp_endpoint *found)
{
	const struct nvme_mptcp_snapshot *snap = w->p->snap;

	for (size_t i = 0; spec->id && i < snap->n_endpoints; i++)
		if (snap->endpoints[i].id == spec->id && &snap->endpoints[i] != found &&
		    !address_equal(&snap->endpoints[i].ip, &spec->ip))
			return refuse_id(w, endpoint, at, spec, &snap->endpoints[i].ip);
	return 0;
}

/* Add at most one step: keep an endpoint that exists as required, change one that differs. */
static int settle(struct wish *w, struct json_object *endpoint, const char *at,
		  const struct endpoint_spec *wanted)
{
	/* The kernel replaces implicit endpoints by itself. */
	const struct nvme_mptcp_endpoint *found = keep_find_endpoint(w->p->snap, wanted);
	_cleanup_(free) char *where = place(w->host, endpoint, at);
	struct endpoint_spec old, new = *wanted;
	int err = where ? check_id(w, endpoint, at, wanted, found) : -ENOMEM;
	bool same_place;

	if (err)
		return err;
	if (!found) {
		new.id = plan_free_id(w->p->snap, wanted);
		plan_step(w->plan, STEP_ADD, NULL, &new, "%s requires it", where);
		return 0;
	}
	endpoint_spec_of(w->p->snap, found, &old);
	if (!wanted->id)
		new.id = old.id;
	if (!wanted->ifindex) {
		new.ifindex = old.ifindex;
		str_copy(new.device, sizeof(new.device), old.device, strlen(old.device));
	}
	same_place = new.id == old.id &&new.ifindex == old.ifindex;
	if (same_place && old.flags == new.flags)
		return 0;
	plan_step(w->plan,
		  same_place && old.flags != NVME_MPTCP_UNKNOWN &&
				  !((old.flags ^ new.flags) & ~ENDPOINT_FLAGS_LIVE)
			  ? STEP_FLAGS
			  : STEP_REPLACE,
		  &old, &new, "%s requires it", where);
	return 0;
}

static int add_endpoints(struct wish *w)
{
	struct json_object *endpoints;
	int err = 0;

	if (!json_object_object_get_ex(w->host->mptcp, "endpoints", &endpoints))
		return 0;
	for (size_t i = 0; !err && i < json_object_array_length(endpoints); i++) {
		struct json_object *endpoint = json_object_array_get_idx(endpoints, i);
		struct endpoint_spec spec, *wanted;
		char at[AT_TEXT];

		snprintf(at, sizeof(at), ".endpoints[%zu]", i);
		err = read_endpoint(w, endpoint, at, &spec);
		if (err == -EAGAIN) {
			err = 0;
			continue;
		}
		if (!err)
			err = settle(w, endpoint, at, &spec);
		if (err)
			break;
		wanted = array_add(&w->plan->wanted, &w->plan->n_wanted, sizeof(*wanted));
		if (!wanted)
			return -ENOMEM;
		*wanted = spec;
	}
	return err;
}

/* Set *@limit to the value in the object, if any. *@before: the one of an earlier object. */
static int take_limit(struct wish *w, struct json_object *limits, const char *name, int64_t *limit,
		      int64_t *before)
{
	const int64_t max = w->p->limit_max ? w->p->limit_max : INT64_MAX;
	_cleanup_(free) char *where = NULL;
	struct json_object *value;
	char key[KEY_TEXT];
	int64_t wanted;

	if (!json_object_object_get_ex(limits, name, &value))
		return 0;
	snprintf(key, sizeof(key), ".limits.%s", name);
	wanted = json_object_get_int64(value);
	if (*before != NVME_MPTCP_UNKNOWN && *before != wanted)
		return refuse(w, value, key,
			      "%lld, but another host of this configuration requires %lld, and "
			      "the limit applies to all hosts",
			      (long long)wanted, (long long)*before);
	*before = wanted;
	if (wanted > max) {
		where = place(w->host, value, key);
		plan_note(w->plan, NVME_MPTCP_ROLE_HOST, NULL,
			  "%s: %lld becomes %lld, the maximum of this kernel", where ? where : key,
			  (long long)wanted, (long long)max);
		wanted = max;
	}
	*limit = wanted;
	return 0;
}

/* Add one step for all hosts, before the endpoints, which affect existing connections at once. */
static int set_limits(struct wish *w)
{
	struct pm_limits before = { NVME_MPTCP_UNKNOWN, NVME_MPTCP_UNKNOWN };
	const struct pm_limits old = w->plan->limits;
	struct pm_limits *new = &w->plan->limits;
	_cleanup_(free) char *where = NULL, *why = NULL;

	config_for_each(w->meant, w->host) {
		struct json_object *limits;
		int err;

		if (!json_object_object_get_ex(w->host->mptcp, "limits", &limits))
			continue;
		err = take_limit(w, limits, "subflows", &new->subflows, &before.subflows);
		if (!err)
			err = take_limit(w, limits, "add_addr_accepted", &new->add_addr_accepted,
					 &before.add_addr_accepted);
		if (!err && !where) {
			where = place(w->host, limits, ".limits");
			err = where ? 0 : -ENOMEM;
		}
		if (err)
			return err;
	}
	if (new->subflows == old.subflows &&new->add_addr_accepted == old.add_addr_accepted)
		return 0;
	if (asprintf(&why, "%s requires it", where) < 0) {
		why = NULL;
		return -ENOMEM;
	}
	plan_limits_step(w->plan, &old, new, why);
	return 0;
}

/* Return -ENODATA if the snapshot is incomplete; the error names the first host. */
static int check_snapshot(struct wish *w)
{
	static const enum nvme_mptcp_part parts[] = { NVME_MPTCP_LIMITS, NVME_MPTCP_ENDPOINTS,
						      NVME_MPTCP_LINKS, NVME_MPTCP_ADDRESSES };

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const struct problem *problem = &w->p->snap->problem[parts[i]];

		if (!problem->err)
			continue;
		w->host = config_next(w->meant, NULL);
		if (refuse(w, w->host->mptcp, "", "cannot be followed: %s",
			   problem->text ? problem->text : strerror(problem->err)) == -EPROTO)
			failure_note(-ENODATA, "%s", w->meant->config->error);
		return -ENODATA;
	}
	return 0;
}

static int make(struct wish *w)
{
	int err = set_limits(w);

	config_for_each(w->meant, w->host) {
		if (!err)
			err = add_endpoints(w);
	}
	return err ? err : w->plan->err;
}

int plan_config(struct planner *p, const struct config_selection *meant,
		struct nvme_mptcp_plan **ret)
{
	struct wish w = { .p = p, .meant = meant };
	int err = config_wants(meant) ? check_snapshot(&w) : 0;

	if (err)
		return err;
	w.plan = plan_new(p->snap, NVME_MPTCP_ROLE_HOST, NVME_MPTCP_METHOD_CONFIG);
	if (!w.plan)
		return -ENOMEM;
	err = w.plan->err ? w.plan->err : make(&w);
	if (!err)
		plan_drop_disruptive(w.plan, p->snap);
	return plan_finish(w.plan, err, ret);
}

static bool raises_a_limit(const struct nvme_mptcp_snapshot *snap, struct json_object *mptcp)
{
	struct json_object *limits;

	return json_object_object_get_ex(mptcp, "limits", &limits) &&
	       (number(limits, "subflows", 0) > snap->limit_subflows ||
		number(limits, "add_addr_accepted", 0) > snap->limit_add_addr_accepted);
}

static bool is_for_announcements(struct json_object *mptcp)
{
	struct json_object *endpoints;

	if (!json_object_object_get_ex(mptcp, "endpoints", &endpoints))
		return false;
	for (size_t i = 0; i < json_object_array_length(endpoints); i++)
		if (read_flags(json_object_array_get_idx(endpoints, i)) &
		    NVME_MPTCP_ENDPOINT_LAMINAR)
			return true;
	return false;
}

static bool needs_capability(const struct nvme_mptcp_snapshot *snap,
			     const struct config_selection *meant)
{
	const struct config_host *h;

	config_for_each(meant, h)
		if (raises_a_limit(snap, h->mptcp) || is_for_announcements(h->mptcp))
			return true;
	return false;
}

/* Query capabilities that the configuration needs; without privileges they remain unknown. */
static int learn(struct planner *p, const struct config_selection *meant)
{
	if (needs_capability(p->snap, meant))
		p->capability_err = plan_ask_capability(&p->has);
	p->limit_max = p->has.limit_max;
	return p->capability_err == -ENOMEM ? -ENOMEM : 0;
}

int nvme_mptcp_plan_config(nvme_mptcp_config_t config, const char *hostnqn, const char *hostid,
			   nvme_mptcp_plan_t *ret)
{
	const struct config_selection meant = { config, hostnqn, hostid };
	struct nvme_mptcp_snapshot *snap = snapshot_new();
	struct planner p = { .snap = snap };
	struct nvme_mptcp_plan *plan = NULL;
	int err = snap ? 0 : -ENOMEM;

	failure_begin();
	if (!err && config_wants(&meant)) {
		err = pm_read(snap);
		if (!err)
			err = snapshot_read_links(snap);
		if (!err)
			err = learn(&p, &meant);
	}
	if (!err)
		err = plan_config(&p, &meant, &plan);
	if (!err && config_wants(&meant))
		plan_recover(plan, snap);
	if (!err)
		err = plan_drop_disruptive_now(plan);
	nvme_mptcp_snapshot_free(snap);
	err = plan_finish(plan, err, ret);
	return err ? failure_raise(err, "a plan of the configuration") : 0;
}
