// SPDX-License-Identifier: LGPL-2.1-or-later
/* Changing endpoints and limits over netlink, and settings: net/mptcp/pm_kernel.c, before 6.17 pm_netlink.c. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "endpoint-edit.h"
#include "mptcp/netlink/uapi.h"

/* Beyond what any kernel could mean, and still the same if it is read as a signed number. */
#define TOO_MUCH 0x7fffffff

static int ask(struct editor *e)
{
	int err = nl_talk(&e->nl, NULL, NULL);

	str_copy(e->text, sizeof(e->text), e->nl.reply.text, strlen(e->nl.reply.text));
	return err;
}

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
	return ask(e);
}

struct search {
	const struct endpoint_spec *spec;
	uint8_t id;
};

static int match(const struct nlmsghdr *nlh, void *arg)
{
	struct search *search = arg;
	struct nvme_mptcp_endpoint ep;
	int err = pm_parse_endpoint(nlh, &ep);

	if (err)
		return err;
	if (address_equal(&ep.ip, &search->spec->ip) && ep.port == search->spec->port)
		search->id = ep.id;
	return 0;
}

static void restart(void *arg)
{
	((struct search *)arg)->id = 0;
}

/* Since it was seen, somebody else may have deleted it, and its id may be that of another one. */
static int find_id(struct editor *e, const struct endpoint_spec *spec, uint8_t *ret)
{
	struct search search = { .spec = spec };
	int err;

	nl_genl_request(&e->nl, e->family.id, 0, PM_GET_ADDR, PM_VERSION);
	err = nl_dump(&e->nl, match, restart, &search);
	if (err)
		return err;
	*ret = search.id;
	/* The kernel takes 0 for the address of the initial subflow. */
	return !search.id || (spec->id && spec->id != search.id) ? -ENOENT : 0;
}

static int remove_endpoint(struct editor *e, const struct endpoint_spec *spec)
{
	struct nlattr *nest;
	struct nlmsghdr *req;
	uint8_t id;
	int err = find_id(e, spec, &id);

	if (err) {
		e->text[0] = '\0';
		return err;
	}
	req = nl_genl_request(&e->nl, e->family.id, 0, PM_DEL_ADDR, PM_VERSION);
	nest = mnl_attr_nest_start(req, PM_ATTR_ADDR);
	/* The id decides, and a family would ask for an address as well. */
	mnl_attr_put_u8(req, PM_ADDR_ID, id);
	mnl_attr_nest_end(req, nest);
	return ask(e);
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
	return ask(e);
}

static int set_limits(struct editor *e, const struct pm_limits *limits)
{
	struct nlmsghdr *req = nl_genl_request(&e->nl, e->family.id, 0, PM_SET_LIMITS, PM_VERSION);

	if (limits->add_addr_accepted != NVME_MPTCP_UNKNOWN)
		mnl_attr_put_u32(req, PM_ATTR_RCV_ADD_ADDRS, (uint32_t)limits->add_addr_accepted);
	if (limits->subflows != NVME_MPTCP_UNKNOWN)
		mnl_attr_put_u32(req, PM_ATTR_SUBFLOWS, (uint32_t)limits->subflows);
	return ask(e);
}

static int set_setting(struct editor *e, const char *name, int64_t value)
{
	_cleanup_(close) int fd = -1;
	char path[128], text[32];
	int length;

	e->text[0] = '\0';
	snprintf(path, sizeof(path), "/proc/sys/net/mptcp/%s", name);
	length = snprintf(text, sizeof(text), "%lld\n", (long long)value);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, (size_t)length) < 0)
		return -errno;
	return 0;
}

int editor_open(struct editor *e)
{
	*e = (struct editor){
		.add = add,
		.remove = remove_endpoint,
		.set_flags = set_flags,
		.set_limits = set_limits,
		.set_setting = set_setting,
		.pause = { .tv_nsec = 200000000 },
	};
	return pm_open(&e->nl, &e->family);
}

void editor_close(struct editor *e)
{
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
		return e->set_limits(e, now);
	}
	return err == -EINVAL ? editor_parse_limit_max(e->text, ret) : err;
}
