/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whatever a datagram holds, nl_parse() stays inside it and says what is wrong. */
#include "mptcp_messages.h"

static int count(const struct nlmsghdr *nlh, void *arg)
{
	++*(int *)arg;
	return 0;
}

static int refuse(const struct nlmsghdr *nlh, void *arg)
{
	count(nlh, arg);
	return -EBADMSG;
}

static int give_up(const struct nlmsghdr *nlh, void *arg)
{
	count(nlh, arg);
	return -ENOMEM;
}

static struct datagram d;
static struct nl_reply reply;
static int seen;

static int begin(void **state)
{
	d.len = 0;
	seen = 0;
	reply = (struct nl_reply){ .seq = SEQ, .portid = PORTID, .fn = count, .arg = &seen };
	return 0;
}

/* Parses what was put, into an empty reply, and empties the datagram. */
static void expect_parse(int expected)
{
	const size_t len = d.len;

	begin(NULL);
	assert_int_equal(nl_parse(d.data, len, &reply), expected);
}

TEST(other_answers_are_not_ours)
{
	struct nlmsghdr *nlh = put_genl(&d, PM_GET_ADDR);

	nlh->nlmsg_seq = SEQ - 1;
	finish(&d, nlh);
	nlh = put_genl(&d, PM_GET_ADDR);
	nlh->nlmsg_pid = PORTID + 1;
	finish(&d, nlh);
	/* An old dump's end must not end this one. */
	put_done(&d, 0, 0);
	nlh = (void *)(d.data + d.len - 20);
	nlh->nlmsg_seq = SEQ - 1;
	expect_parse(1);
	assert_int_equal(seen, 0);
}

TEST(truncated_headers)
{
	struct nlmsghdr *nlh = put_genl(&d, PM_GET_ADDR);

	finish(&d, nlh);
	for (size_t len = 1; len < sizeof(*nlh); len++)
		assert_int_equal(nl_parse(d.data, len, &reply), -EBADMSG);
	assert_int_equal(nl_parse(d.data, d.len - 1, &reply), -EBADMSG);
	for (uint32_t len = 0; len < sizeof(*nlh); len++) {
		nlh->nlmsg_len = len;
		assert_int_equal(nl_parse(d.data, d.len, &reply), -EBADMSG);
	}
	nlh->nlmsg_len = UINT32_MAX;
	assert_int_equal(nl_parse(d.data, d.len, &reply), -EBADMSG);
	assert_int_equal(seen, 0);
	assert_int_equal(nl_parse(d.data, 0, &reply), 1);
}

TEST(callback_decides)
{
	finish(&d, put_genl(&d, PM_GET_ADDR));
	finish(&d, put_genl(&d, PM_GET_ADDR));
	put_done(&d, 0, 0);

	reply.fn = refuse;
	assert_int_equal(nl_parse(d.data, d.len, &reply), 0);
	assert_int_equal(seen, 2);
	assert_int_equal(reply.malformed, 2);

	reply.fn = give_up;
	seen = 0;
	assert_int_equal(nl_parse(d.data, d.len, &reply), -ENOMEM);
	assert_int_equal(seen, 1);
}

static void put_error(int error, uint16_t flags, uint32_t original, size_t copied, const char *text,
		      size_t size)
{
	struct nlmsghdr *nlh = put_header(&d, NLMSG_ERROR, flags);
	struct nlmsgerr *err = mnl_nlmsg_put_extra_header(nlh, sizeof(*err));

	err->error = error;
	err->msg.nlmsg_len = original;
	if (copied)
		mnl_nlmsg_put_extra_header(nlh, copied);
	if (text)
		mnl_attr_put(nlh, NLMSGERR_ATTR_MSG, size, text);
	finish(&d, nlh);
}

TEST(errors_carry_the_kernels_words)
{
	static const char text[] = "limit greater than maximum (8)";

	put_error(-EINVAL, NLM_F_ACK_TLVS, 36, 20, text, sizeof(text));
	expect_parse(-EINVAL);
	assert_string_equal(reply.text, text);
	put_error(-EINVAL, NLM_F_ACK_TLVS | NLM_F_CAPPED, 36, 0, text, sizeof(text));
	expect_parse(-EINVAL);
	assert_string_equal(reply.text, text);
	/* An acknowledgement. */
	put_error(0, NLM_F_CAPPED, 36, 0, NULL, 0);
	expect_parse(0);
	assert_int_equal(seen, 0);
}

TEST(hostile_errors)
{
	static const uint32_t lengths[] = { 0, 15, 16, 17, 1000, UINT32_MAX };
	char text[600];
	struct nlmsghdr *nlh;

	/* A copy of the request that claims any length. */
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		put_error(-EPERM, NLM_F_ACK_TLVS, lengths[i], 20, "x", 2);
		expect_parse(-EPERM);
	}

	/* Too short for an error code. */
	nlh = put_header(&d, NLMSG_ERROR, 0);
	mnl_nlmsg_put_extra_header(nlh, 4);
	finish(&d, nlh);
	expect_parse(-EBADMSG);

	/* No error code, and one that is none. */
	put_error(5, 0, 16, 0, NULL, 0);
	expect_parse(-EBADMSG);
	put_error(INT32_MIN, 0, 16, 0, NULL, 0);
	expect_parse(-EBADMSG);

	/* Words without an end, too many of them, and ones that would reach a terminal. */
	memset(text, 'a', sizeof(text));
	put_error(-EPERM, NLM_F_ACK_TLVS | NLM_F_CAPPED, 16, 0, text, 100);
	expect_parse(-EPERM);
	assert_string_equal(reply.text, "");
	text[599] = '\0';
	put_error(-EPERM, NLM_F_ACK_TLVS | NLM_F_CAPPED, 16, 0, text, 600);
	expect_parse(-EPERM);
	assert_int_equal(strlen(reply.text), sizeof(reply.text) - 1);
	put_error(-EPERM, NLM_F_ACK_TLVS | NLM_F_CAPPED, 16, 0, "a\033[2Jb\xff", 8);
	expect_parse(-EPERM);
	assert_string_equal(reply.text, "a?[2Jb?");
}

TEST(dump_may_end_with_an_error)
{
	put_done(&d, 0, -EPERM);
	expect_parse(-EPERM);
	/* Without a code it is just the end. */
	finish(&d, put_header(&d, NLMSG_DONE, NLM_F_MULTI));
	expect_parse(0);
	finish(&d, put_header(&d, NLMSG_OVERRUN, 0));
	expect_parse(-ENOBUFS);
}

TEST(attribute_lengths)
{
	const struct nlattr *tb[4];
	_Alignas(4) struct {
		struct nlattr attr;
		uint32_t value;
		struct nlattr rest;
	} m = { { 8, 1 }, 5, { 4, 2 } };
	uint32_t value;

	assert_int_equal(nl_attrs(&m, sizeof(m), tb, 3), 0);
	assert_int_equal(nl_u32(tb[1], &value), 0);
	assert_int_equal(value, 5);
	assert_non_null(tb[2]);
	assert_null(tb[3]);
	assert_int_equal(nl_u32(tb[3], &value), -ENOENT);
	assert_int_equal(nl_u32(tb[2], &value), -EBADMSG);

	for (uint16_t len = 0; len < 4; len++) {
		m.attr.nla_len = len;
		assert_int_equal(nl_attrs(&m, sizeof(m), tb, 3), -EBADMSG);
	}
	m.attr.nla_len = sizeof(m) + 1;
	assert_int_equal(nl_attrs(&m, sizeof(m), tb, 3), -EBADMSG);
	m.attr.nla_len = UINT16_MAX;
	assert_int_equal(nl_attrs(&m, sizeof(m), tb, 3), -EBADMSG);

	/* Half a header at the end. */
	m.attr.nla_len = 8;
	assert_int_equal(nl_attrs(&m, sizeof(m) - 2, tb, 3), -EBADMSG);

	/* Types of later kernels are left alone. */
	m.attr.nla_type = 3000;
	assert_int_equal(nl_attrs(&m, sizeof(m), tb, 3), 0);
	assert_null(tb[1]);
}

TEST(strings_end_inside_their_attribute)
{
	_Alignas(4) struct {
		struct nlattr attr;
		char text[4];
	} m = { { 8, 1 }, "abc" };

	assert_string_equal(nl_str(&m.attr), "abc");
	m.attr.nla_len = 7;
	assert_null(nl_str(&m.attr));
	m.attr.nla_len = 4;
	assert_null(nl_str(&m.attr));
	assert_null(nl_str(NULL));
}

EACH_TEST(begin, NULL)
