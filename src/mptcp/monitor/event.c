// SPDX-License-Identifier: LGPL-2.1-or-later
/* Events of the path manager: net/mptcp/pm_netlink.c, mptcp_event(). */
#include <linux/genetlink.h>

#include "event-message.h"
#include "mptcp/snapshot/json.h"

#define FLAG_DENY_JOIN_ID0 (1 << 0)
#define FLAG_SERVER_SIDE (1 << 1)

/* A missing attribute leaves the value unknown. */
static int take_number(const struct nlattr *attr, int64_t *ret)
{
	uint16_t u16;
	uint32_t u32;
	uint8_t u8;

	if (!attr)
		return 0;
	if (!nl_u8(attr, &u8))
		*ret = u8;
	else if (!nl_u16(attr, &u16))
		*ret = u16;
	else if (!nl_u32(attr, &u32))
		*ret = u32;
	else
		return -EBADMSG;
	return 0;
}

static int take_end(const struct nlattr *v4, const struct nlattr *v6, const struct nlattr *port,
		    struct socket_address *ret, bool *has)
{
	uint16_t be16;
	int err = v4 ? nl_addr4(v4, &ret->ip) : v6 ? nl_addr6(v6, &ret->ip) : -ENOENT;

	if (err)
		return err == -ENOENT ? 0 : err;
	*has = true;
	err = nl_u16(port, &be16);
	if (!err)
		ret->port = ntohs(be16);
	return err == -ENOENT ? 0 : err;
}

static void text_of(const struct socket_address *address, bool has, char text[static ADDRESS_TEXT])
{
	if (has && address->port)
		address_port_text(address, text);
	else if (has)
		address_text(&address->ip, text);
}

int event_parse(const struct nlmsghdr *nlh, struct nvme_mptcp_event *ret)
{
	static const struct {
		uint16_t attr;
		uint16_t value;
	} numbers[] = {
		{ PM_EVENT_LOC_ID, NVME_MPTCP_EVENT_ID_LOCAL },
		{ PM_EVENT_REM_ID, NVME_MPTCP_EVENT_ID_REMOTE },
		{ PM_EVENT_BACKUP, NVME_MPTCP_EVENT_BACKUP },
		{ PM_EVENT_ERROR, NVME_MPTCP_EVENT_ERROR },
		{ PM_EVENT_RESET_REASON, NVME_MPTCP_EVENT_RESET_REASON },
		{ PM_EVENT_RESET_FLAGS, NVME_MPTCP_EVENT_RESET_FLAGS },
		{ PM_EVENT_IF_IDX, NVME_MPTCP_EVENT_IFINDEX },
		{ PM_EVENT_SERVER_SIDE, NVME_MPTCP_EVENT_SERVER_SIDE },
	};
	struct nvme_mptcp_event ev = { .token = NVME_MPTCP_UNKNOWN };
	const struct nlattr *tb[PM_EVENT_MAX + 1];
	const struct genlmsghdr *genl;
	int64_t flags = NVME_MPTCP_UNKNOWN;

	if (nl_msg_attrs(nlh, sizeof(*genl), tb, PM_EVENT_MAX))
		return -EBADMSG;
	genl = mnl_nlmsg_get_payload(nlh);
	ev.type = genl->cmd;
	/* NVME_MPTCP_EVENT_LOST is 0. */
	if (!ev.type)
		return -EBADMSG;
	for (size_t i = 0; i < NVME_MPTCP_EVENT_VALUES; i++)
		ev.value[i] = NVME_MPTCP_UNKNOWN;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (take_number(tb[numbers[i].attr], &ev.value[numbers[i].value]))
			return -EBADMSG;
	if (take_number(tb[PM_EVENT_TOKEN], &ev.token) || take_number(tb[PM_EVENT_FLAGS], &flags) ||
	    take_end(tb[PM_EVENT_SADDR4], tb[PM_EVENT_SADDR6], tb[PM_EVENT_SPORT], &ev.local,
		     &ev.has_local) ||
	    take_end(tb[PM_EVENT_DADDR4], tb[PM_EVENT_DADDR6], tb[PM_EVENT_DPORT], &ev.remote,
		     &ev.has_remote))
		return -EBADMSG;
	if (flags != NVME_MPTCP_UNKNOWN) {
		ev.value[NVME_MPTCP_EVENT_NO_JOIN_ID0] = !!(flags & FLAG_DENY_JOIN_ID0);
		/* Newer kernels set this flag in addition to the attribute. */
		if (flags & FLAG_SERVER_SIDE)
			ev.value[NVME_MPTCP_EVENT_SERVER_SIDE] = 1;
	}
	text_of(&ev.local, ev.has_local, ev.local_text);
	text_of(&ev.remote, ev.has_remote, ev.remote_text);
	*ret = ev;
	return 0;
}

GETTER(unsigned int, nvme_mptcp_event_type, nvme_mptcp_event_t, type);

const char *nvme_mptcp_event_type_name(unsigned int type)
{
	static const char *const links[] = { "link-down", "link-up" };
	static const char *const names[] = {
		[NVME_MPTCP_EVENT_LOST] = "lost",
		[NVME_MPTCP_EVENT_CREATED] = "created",
		[NVME_MPTCP_EVENT_ESTABLISHED] = "established",
		[NVME_MPTCP_EVENT_CLOSED] = "closed",
		[NVME_MPTCP_EVENT_ANNOUNCED] = "announced",
		[NVME_MPTCP_EVENT_REMOVED] = "removed",
		[NVME_MPTCP_EVENT_SUBFLOW_ESTABLISHED] = "subflow-established",
		[NVME_MPTCP_EVENT_SUBFLOW_CLOSED] = "subflow-closed",
		[NVME_MPTCP_EVENT_SUBFLOW_PRIORITY] = "subflow-priority",
		[NVME_MPTCP_EVENT_LISTENER_CREATED] = "listener-created",
		[NVME_MPTCP_EVENT_LISTENER_CLOSED] = "listener-closed",
	};

	if (type == NVME_MPTCP_EVENT_LINK_DOWN || type == NVME_MPTCP_EVENT_LINK_UP)
		return links[type - NVME_MPTCP_EVENT_LINK_DOWN];
	return type < sizeof(names) / sizeof(*names) ? names[type] : NULL;
}

GETTER(int64_t, nvme_mptcp_event_time, nvme_mptcp_event_t, time);
GETTER(const char *, nvme_mptcp_event_ctrl, nvme_mptcp_event_t, ctrl);
GETTER(int64_t, nvme_mptcp_event_token, nvme_mptcp_event_t, token);
GETTER_OF(const char *, nvme_mptcp_event_local, nvme_mptcp_event_t,
	  *object->local_text ? object->local_text : NULL);
GETTER_OF(const char *, nvme_mptcp_event_remote, nvme_mptcp_event_t,
	  *object->remote_text ? object->remote_text : NULL);
GETTER_OF(const char *, nvme_mptcp_event_link, nvme_mptcp_event_t,
	  *object->link ? object->link : NULL);

int64_t nvme_mptcp_event_value(nvme_mptcp_event_t ev, enum nvme_mptcp_event_value value)
{
	return (unsigned int)value < NVME_MPTCP_EVENT_VALUES ? ev->value[value]
							     : NVME_MPTCP_UNKNOWN;
}

const char *nvme_mptcp_event_reason(nvme_mptcp_event_t ev)
{
	static const char *const reasons[] = {
		NULL,
		"MPTCP-specific error",
		"lack of resources",
		"administratively prohibited",
		"too much outstanding data",
		"unacceptable performance",
		"middlebox interference",
	};
	int64_t reason = ev->value[NVME_MPTCP_EVENT_RESET_REASON];

	if (reason < 0 || reason >= (int64_t)(sizeof(reasons) / sizeof(*reasons)))
		return NULL;
	return reasons[reason];
}

char *nvme_mptcp_event_to_json(nvme_mptcp_event_t ev)
{
	static const char *const names[NVME_MPTCP_EVENT_VALUES] = {
		[NVME_MPTCP_EVENT_ID_LOCAL] = "id_local",
		[NVME_MPTCP_EVENT_ID_REMOTE] = "id_remote",
		[NVME_MPTCP_EVENT_BACKUP] = "backup",
		[NVME_MPTCP_EVENT_ERROR] = "error",
		[NVME_MPTCP_EVENT_RESET_REASON] = "reset_reason",
		[NVME_MPTCP_EVENT_RESET_FLAGS] = "reset_flags",
		[NVME_MPTCP_EVENT_IFINDEX] = "ifindex",
		[NVME_MPTCP_EVENT_SERVER_SIDE] = "server_side",
		[NVME_MPTCP_EVENT_NO_JOIN_ID0] = "no_join_id0",
	};
	struct json_stream s = {};

	stream_dict(&s, NULL);
	json_put_int(&s, "time_us", ev->time);
	stream_string(&s, "event", nvme_mptcp_event_type_name(ev->type));
	json_put_int(&s, "type", ev->type);
	stream_string(&s, "controller", ev->ctrl);
	json_put_int(&s, "token", ev->token);
	stream_string(&s, "local", nvme_mptcp_event_local(ev));
	stream_string(&s, "remote", nvme_mptcp_event_remote(ev));
	stream_string(&s, "link", nvme_mptcp_event_link(ev));
	for (int i = 0; i < NVME_MPTCP_EVENT_VALUES; i++) {
		if (i == NVME_MPTCP_EVENT_BACKUP || i >= NVME_MPTCP_EVENT_SERVER_SIDE)
			json_put_bool(&s, names[i], (int)ev->value[i]);
		else
			json_put_int(&s, names[i], ev->value[i]);
	}
	stream_string(&s, "reset_text", nvme_mptcp_event_reason(ev));
	stream_end_dict(&s);
	return stream_finish(&s);
}
