/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of the path manager, as kernels have sent them and as none should. */
#include "mptcp/monitor/event-message.h"
#include "mptcp_messages.h"

static struct datagram d;

/* An event without attributes, in the place of the last one. */
static struct nlmsghdr *put_event(uint8_t type)
{
	d.len = 0;
	return put_genl(&d, type);
}

static void put_subflow(struct nlmsghdr *nlh)
{
	mnl_attr_put_u32(nlh, PM_EVENT_TOKEN, 0xcafe);
	mnl_attr_put_u16(nlh, PM_EVENT_FAMILY, AF_INET);
	mnl_attr_put_u8(nlh, PM_EVENT_LOC_ID, 2);
	mnl_attr_put_u8(nlh, PM_EVENT_REM_ID, 3);
	put_ip4(nlh, PM_EVENT_SADDR4, "192.0.2.2");
	put_ip4(nlh, PM_EVENT_DADDR4, "192.0.2.1");
	mnl_attr_put_u16(nlh, PM_EVENT_SPORT, htons(40000));
	mnl_attr_put_u16(nlh, PM_EVENT_DPORT, htons(4420));
	mnl_attr_put_u8(nlh, PM_EVENT_BACKUP, 0);
	mnl_attr_put_u32(nlh, PM_EVENT_IF_IDX, 4);
}

TEST(subflow_that_was_refused)
{
	struct nlmsghdr *nlh = put_event(NVME_MPTCP_EVENT_SUBFLOW_CLOSED);
	struct nvme_mptcp_event ev;
	_cleanup_(free) char *json = NULL;

	put_subflow(nlh);
	mnl_attr_put_u8(nlh, PM_EVENT_ERROR, ECONNREFUSED);
	mnl_attr_put_u32(nlh, PM_EVENT_RESET_REASON, 3);
	mnl_attr_put_u32(nlh, PM_EVENT_RESET_FLAGS, 1);
	mnl_attr_put_u32(nlh, 200, 1);
	assert_int_equal(event_parse(nlh, &ev), 0);
	assert_int_equal(nvme_mptcp_event_type(&ev), NVME_MPTCP_EVENT_SUBFLOW_CLOSED);
	assert_int_equal(nvme_mptcp_event_token(&ev), 0xcafe);
	assert_string_equal(nvme_mptcp_event_local(&ev), "192.0.2.2:40000");
	assert_string_equal(nvme_mptcp_event_remote(&ev), "192.0.2.1:4420");
	assert_int_equal(nvme_mptcp_event_value(&ev, NVME_MPTCP_EVENT_ID_LOCAL), 2);
	assert_int_equal(nvme_mptcp_event_value(&ev, NVME_MPTCP_EVENT_ID_REMOTE), 3);
	assert_int_equal(nvme_mptcp_event_value(&ev, NVME_MPTCP_EVENT_BACKUP), 0);
	assert_int_equal(nvme_mptcp_event_value(&ev, NVME_MPTCP_EVENT_IFINDEX), 4);
	assert_int_equal(nvme_mptcp_event_value(&ev, NVME_MPTCP_EVENT_ERROR), ECONNREFUSED);
	assert_string_equal(nvme_mptcp_event_reason(&ev), "administratively prohibited");
	assert_null(nvme_mptcp_event_link(&ev));
	assert_null(nvme_mptcp_event_ctrl(&ev));
	json = nvme_mptcp_event_to_json(&ev);
	assert_non_null(strstr(json, "\"event\":\"subflow-closed\""));
	assert_non_null(strstr(json, "\"server_side\":null"));
	assert_null(strchr(json, '\n'));
}

TEST(events_that_say_little)
{
	struct nlmsghdr *nlh = put_event(NVME_MPTCP_EVENT_CLOSED);
	struct nvme_mptcp_event ev;

	mnl_attr_put_u32(nlh, PM_EVENT_TOKEN, 1);
	assert_int_equal(event_parse(nlh, &ev), 0);
	assert_null(nvme_mptcp_event_local(&ev));
	assert_null(nvme_mptcp_event_remote(&ev));
	for (int i = 0; i < NVME_MPTCP_EVENT_VALUES; i++)
		assert_int_equal(nvme_mptcp_event_value(&ev, i), NVME_MPTCP_UNKNOWN);
	assert_int_equal(nvme_mptcp_event_value(&ev, NVME_MPTCP_EVENT_VALUES), NVME_MPTCP_UNKNOWN);

	/* An announced address has no port of its own. */
	nlh = put_event(NVME_MPTCP_EVENT_ANNOUNCED);
	put_ip6(nlh, PM_EVENT_DADDR6, "2001:db8::1");
	assert_int_equal(event_parse(nlh, &ev), 0);
	assert_string_equal(nvme_mptcp_event_remote(&ev), "2001:db8::1");
	assert_int_equal(nvme_mptcp_event_token(&ev), NVME_MPTCP_UNKNOWN);

	/* A later kernel's event. */
	nlh = put_event(99);
	assert_int_equal(event_parse(nlh, &ev), 0);
	assert_int_equal(nvme_mptcp_event_type(&ev), 99);
	assert_null(nvme_mptcp_event_type_name(99));
	assert_null(nvme_mptcp_event_type_name(4));
}

TEST(both_ways_to_say_server_side)
{
	struct nlmsghdr *nlh = put_event(NVME_MPTCP_EVENT_CREATED);
	struct nvme_mptcp_event ev;

	mnl_attr_put_u8(nlh, PM_EVENT_SERVER_SIDE, 1);
	assert_int_equal(event_parse(nlh, &ev), 0);
	assert_int_equal(nvme_mptcp_event_value(&ev, NVME_MPTCP_EVENT_SERVER_SIDE), 1);
	nlh = put_event(NVME_MPTCP_EVENT_CREATED);
	mnl_attr_put_u16(nlh, PM_EVENT_FLAGS, 3);
	assert_int_equal(event_parse(nlh, &ev), 0);
	assert_int_equal(nvme_mptcp_event_value(&ev, NVME_MPTCP_EVENT_SERVER_SIDE), 1);
	assert_int_equal(nvme_mptcp_event_value(&ev, NVME_MPTCP_EVENT_NO_JOIN_ID0), 1);
}

TEST(malformed_events)
{
	static const struct {
		uint16_t attr;
		size_t size;
	} wrong[] = {
		{ PM_EVENT_TOKEN, 3 },	{ PM_EVENT_LOC_ID, 0 },	 { PM_EVENT_SADDR4, 16 },
		{ PM_EVENT_DADDR6, 4 }, { PM_EVENT_SPORT, 4 },	 { PM_EVENT_ERROR, 8 },
		{ PM_EVENT_FLAGS, 3 },	{ PM_EVENT_IF_IDX, 16 },
	};
	static const char junk[16];
	struct nvme_mptcp_event ev = { .type = 77 };
	struct nlmsghdr *nlh;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		nlh = put_event(NVME_MPTCP_EVENT_SUBFLOW_CLOSED);
		if (wrong[i].attr == PM_EVENT_SPORT)
			put_ip4(nlh, PM_EVENT_SADDR4, "192.0.2.2");
		mnl_attr_put(nlh, wrong[i].attr, wrong[i].size, junk);
		assert_int_equal(event_parse(nlh, &ev), -EBADMSG);
	}
	nlh = put_event(0);
	assert_int_equal(event_parse(nlh, &ev), -EBADMSG);
	assert_int_equal(ev.type, 77);

	nlh = put_event(NVME_MPTCP_EVENT_SUBFLOW_ESTABLISHED);
	put_subflow(nlh);
	for (uint32_t len = sizeof(*nlh); len < nlh->nlmsg_len; len++) {
		_cleanup_(free) struct nlmsghdr *cut = malloc(len);

		memcpy(cut, nlh, len);
		cut->nlmsg_len = len;
		/* Cut between two attributes it is a shorter event, and nothing is read beyond it. */
		event_parse(cut, &ev);
	}
}
