// SPDX-License-Identifier: LGPL-2.1-or-later
/* Changes endpoints, limits and settings (net/mptcp/pm_kernel.c, before 6.17 pm_netlink.c). */
#include "endpoint-edit.h"

/* Maximum number of attempts to read the state while replies are lost. */
#define READS 3

/* Higher than the limits of any kernel, and still positive if it is read as a signed number. */
#define TOO_MUCH 0x7fffffff

static void put_address(struct nlmsghdr *req, const struct in6_addr *ip)
{
	if (address_is_v4(ip)) {
		mnl_attr_put_u16(req, PM_ADDR_FAMILY, AF_INET);
		mnl_attr_put(req, PM_ADDR_ADDR4, 4, &ip->s6_addr32[3]);
	} else {
		mnl_attr_put_u16(req, PM_ADDR_FAMILY, AF_INET6);
		mnl_attr_put(req, PM_ADDR_ADDR6, sizeof(*ip), ip);
	}
}

struct search {
	const struct endpoint_spec *spec;
	struct nvme_mptcp_endpoint found; /* id 0: none */
};

static int match(const struct nlmsghdr *nlh, void *arg)
{
	struct search *search = arg;
	struct nvme_mptcp_endpoint ep;
	int err = pm_parse_endpoint(nlh, &ep);

	if (err)
		return err;
	if (address_equal(&ep.ip, &search->spec->ip) && ep.port == search->spec->port &&
	    !endpoint_has(&ep, NVME_MPTCP_ENDPOINT_IMPLICIT))
		search->found = ep;
	return 0;
}

static void restart(void *arg)
{
	((struct search *)arg)->found = (struct nvme_mptcp_endpoint){};
}

/* Open a new socket: replies may be lost due to the old one. On failure (-errno) it stays open. */
static int reopen(struct editor *e)
{
	struct genl_family family;
	struct nl nl;
	int err, attempt = 0;

	do
		err = pm_open(&nl, &family);
	while (err && ++attempt < READS);
	if (err)
		return err;
	nl_close(&e->nl);
	e->nl = nl;
	e->family = family;
	return 0;
}

/* True if another attempt to read makes sense after @err. Opens a new socket. */
static bool reads_again(struct editor *e, int err, int attempt)
{
	return err && !e->nl.reply.answered && attempt < READS && !reopen(e);
}

static int dump(struct editor *e, const struct endpoint_spec *spec, struct nvme_mptcp_endpoint *ret)
{
	struct search search = { .spec = spec };
	int err, attempt = 0;

	do {
		nl_genl_request(&e->nl, e->family.id, 0, PM_GET_ADDR, PM_VERSION);
		err = nl_dump(&e->nl, match, restart, &search);
	} while (reads_again(e, err, ++attempt));
	if (!err)
		*ret = search.found;
	return err;
}

static int take_limits(const struct nlmsghdr *nlh, void *arg)
{
	return pm_parse_limits(nlh, arg);
}

static int read_limits(struct editor *e, struct pm_limits *ret)
{
	int err, attempt = 0;

	do {
		*ret = (struct pm_limits){ NVME_MPTCP_UNKNOWN, NVME_MPTCP_UNKNOWN };
		nl_genl_request(&e->nl, e->family.id, 0, PM_GET_LIMITS, PM_VERSION);
		err = nl_talk(&e->nl, take_limits, ret);
	} while (reads_again(e, err, ++attempt));
	return err;
}

/* A requested change, and how to verify it. */
struct change {
	const struct endpoint_spec *spec;
	const struct pm_limits *limits;
	bool (*is_done)(const struct endpoint_spec *spec, const struct nvme_mptcp_endpoint *there);
};

static bool is_same_limit(int64_t asked, int64_t there)
{
	return asked == NVME_MPTCP_UNKNOWN || asked == there;
}

/* Return 1 if the change was made, 0 if it was not, or -errno if the state cannot be read. */
static int read_back(struct editor *e, const struct change *change)
{
	struct nvme_mptcp_endpoint there;
	struct pm_limits limits;
	int err;

	if (change->limits) {
		err = read_limits(e, &limits);
		return err ? err
			   : is_same_limit(change->limits->subflows, limits.subflows) &&
				       is_same_limit(change->limits->add_addr_accepted,
						     limits.add_addr_accepted);
	}
	err = dump(e, change->spec, &there);
	return err ? err : change->is_done(change->spec, &there);
}

/*
 * Send the request. The kernel handles it before send() returns, so an error without a reply only
 * means that the reply was lost; the request may have succeeded.
 */
static int ask(struct editor *e, const struct change *change)
{
	int err = nl_talk(&e->nl, NULL, NULL), done;

	e->is_uncertain = false;
	str_copy(e->text, sizeof(e->text), e->nl.reply.text, strlen(e->nl.reply.text));
	if (!err || e->nl.reply.answered)
		return err;
	done = reopen(e);
	if (!done)
		done = read_back(e, change);
	if (done > 0)
		return 0;
	e->is_uncertain = done < 0;
	snprintf(e->text, sizeof(e->text), "the kernel's reply was lost, and %s",
		 done < 0 ? "the current state cannot be read" : "the change was not made");
	return err;
}

/* True if the endpoint is as requested, except for laminar: kernels may drop unknown flags. */
static bool is_there(const struct endpoint_spec *spec, const struct nvme_mptcp_endpoint *there)
{
	return there->id && (!spec->id || there->id == spec->id) &&
	       there->ifindex == spec->ifindex &&
	       !((there->flags ^ spec->flags) & ~(int64_t)NVME_MPTCP_ENDPOINT_LAMINAR);
}

static bool is_gone(const struct endpoint_spec *spec, const struct nvme_mptcp_endpoint *there)
{
	return !there->id || (spec->id && there->id != spec->id);
}

static int add(struct editor *e, const struct endpoint_spec *spec)
{
	struct nlmsghdr *req = nl_genl_request(&e->nl, e->family.id, 0, PM_ADD_ADDR, PM_VERSION);
	struct nlattr *nest = mnl_attr_nest_start(req, PM_ATTR_ADDR);

	put_address(req, &spec->ip);
	if (spec->id)
		mnl_attr_put_u8(req, PM_ADDR_ID, spec->id);
	if (spec->port)
		mnl_attr_put_u16(req, PM_ADDR_PORT, spec->port);
	if (spec->ifindex)
		mnl_attr_put_u32(req, PM_ADDR_IF_IDX, (uint32_t)spec->ifindex);
	mnl_attr_put_u32(req, PM_ADDR_FLAGS, (uint32_t)spec->flags);
	mnl_attr_nest_end(req, nest);
	return ask(e, &(struct change){ .spec = spec, .is_done = is_there });
}

static int remove_endpoint(struct editor *e, const struct endpoint_spec *spec)
{
	struct nvme_mptcp_endpoint there;
	struct nlattr *nest;
	struct nlmsghdr *req;
	int err = dump(e, spec, &there);

	e->is_uncertain = false;
	e->text[0] = '\0';
	/* It may have been deleted since, and another endpoint may have its id. */
	if (!err && is_gone(spec, &there))
		err = -ENOENT;
	if (err)
		return err;
	req = nl_genl_request(&e->nl, e->family.id, 0, PM_DEL_ADDR, PM_VERSION);
	nest = mnl_attr_nest_start(req, PM_ATTR_ADDR);
	/* With a family, the kernel would require an address as well. */
	mnl_attr_put_u8(req, PM_ADDR_ID, there.id);
	mnl_attr_nest_end(req, nest);
	return ask(e, &(struct change){ .spec = spec, .is_done = is_gone });
}

static int set_flags(struct editor *e, const struct endpoint_spec *spec)
{
	struct nlmsghdr *req = nl_genl_request(&e->nl, e->family.id, 0, PM_SET_FLAGS, PM_VERSION);
	struct nlattr *nest = mnl_attr_nest_start(req, PM_ATTR_ADDR);

	put_address(req, &spec->ip);
	mnl_attr_put_u8(req, PM_ADDR_ID, spec->id);
	if (spec->port)
		mnl_attr_put_u16(req, PM_ADDR_PORT, spec->port);
	mnl_attr_put_u32(req, PM_ADDR_FLAGS, (uint32_t)spec->flags);
	mnl_attr_nest_end(req, nest);
	return ask(e, &(struct change){ .spec = spec, .is_done = is_there });
}

static int set_limits(struct editor *e, const struct pm_limits *limits)
{
	struct nlmsghdr *req = nl_genl_request(&e->nl, e->family.id, 0, PM_SET_LIMITS, PM_VERSION);

	if (limits->add_addr_accepted != NVME_MPTCP_UNKNOWN)
		mnl_attr_put_u32(req, PM_ATTR_RCV_ADD_ADDRS, (uint32_t)limits->add_addr_accepted);
	if (limits->subflows != NVME_MPTCP_UNKNOWN)
		mnl_attr_put_u32(req, PM_ATTR_SUBFLOWS, (uint32_t)limits->subflows);
	return ask(e, &(struct change){ .limits = limits });
}

static int set_setting(struct editor *e, const char *name, int64_t value)
{
	e->text[0] = '\0';
	e->is_uncertain = false;
	return setting_write(name, value);
}

static int find_id(struct editor *e, struct endpoint_spec *spec)
{
	struct nvme_mptcp_endpoint there;
	int err = dump(e, spec, &there);

	if (!err && is_there(spec, &there))
		spec->id = there.id;
	return err;
}

static int record_intent(struct editor *e, const struct endpoint_spec *spec)
{
	int err = !e->intent.is_open ? plan_intent_open(&e->intent, true) : 0;

	e->text[0] = '\0';
	if (!err)
		err = plan_intent_add(&e->intent, spec);
	if (err)
		snprintf(e->text, sizeof(e->text),
			 "nothing was deleted, since " KEEP_DIR
			 " cannot record that it must be added again");
	return err;
}

static int remove_intent(struct editor *e, const struct endpoint_spec *spec)
{
	return plan_intent_drop(&e->intent, spec);
}

void editor_forget_lost(struct editor *e)
{
	if (!e->intent.is_open && plan_intent_open(&e->intent, false))
		return;
	for (size_t i = e->intent.lost.n_endpoints; i--;) {
		const struct endpoint_spec spec = e->intent.lost.endpoints[i].spec;
		struct nvme_mptcp_endpoint there;

		if (!dump(e, &spec, &there) && there.id)
			plan_intent_drop(&e->intent, &spec);
	}
}

int editor_open(struct editor *e)
{
	*e = (struct editor){
		.add = add,
		.remove = remove_endpoint,
		.set_flags = set_flags,
		.set_limits = set_limits,
		.set_setting = set_setting,
		.close = editor_close_subflow,
		.find_id = find_id,
		.record_intent = record_intent,
		.remove_intent = remove_intent,
		.pause_ms = 200,
	};
	return pm_open(&e->nl, &e->family);
}

void editor_close(struct editor *e)
{
	plan_intent_close(&e->intent);
	nl_close(&e->nl);
}

int editor_parse_limit_max(const char *text, uint32_t *ret)
{
	const char *open = strrchr(text, '(');
	unsigned long max;
	char *end;

	if (!open || open[1] < '0' || open[1] > '9')
		return -ENODATA;
	errno = 0;
	max = strtoul(open + 1, &end, 10);
	if (*end != ')' || errno || max >= TOO_MUCH)
		return -ENODATA;
	*ret = (uint32_t)max;
	return 0;
}

int editor_limit_max(struct editor *e, const struct pm_limits *now, uint32_t *ret)
{
	const struct pm_limits too_much = { .subflows = TOO_MUCH, .add_addr_accepted = TOO_MUCH };
	int err = e->set_limits(e, &too_much);

	if (!err) {
		*ret = TOO_MUCH;
		return now ? e->set_limits(e, now) : 0;
	}
	return err == -EINVAL ? editor_parse_limit_max(e->text, ret) : err;
}
