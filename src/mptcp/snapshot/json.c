// SPDX-License-Identifier: LGPL-2.1-or-later
#include "json.h"

#define NUMBER_ROOM 24

void json_put_int(struct json_stream *s, const char *key, int64_t value)
{
	if (value == NVME_MPTCP_UNKNOWN)
		stream_string(s, key, NULL);
	else
		stream_int64(s, key, value);
}

void json_put_bool(struct json_stream *s, const char *key, int value)
{
	if (value == NVME_MPTCP_UNKNOWN)
		stream_string(s, key, NULL);
	else
		stream_literal(s, key, value ? "true" : "false");
}

void json_put_part(struct json_stream *s, const char *key, double value)
{
	int n = (int)(value * 10000 + 0.5);
	char text[NUMBER_ROOM];

	if (value < 0) {
		stream_string(s, key, NULL);
		return;
	}
	/* %f would use the decimal point of the locale. */
	snprintf(text, sizeof(text), "%d.%04d", n / 10000, n % 10000);
	stream_literal(s, key, text);
}

void json_put_flags(struct json_stream *s, const char *key, int64_t flags, const char *const *names,
		    size_t n)
{
	char number[NUMBER_ROOM];

	if (flags == NVME_MPTCP_UNKNOWN) {
		stream_string(s, key, NULL);
		return;
	}
	stream_list(s, key);
	for (size_t i = 0; i < n; i++)
		if (flags & (1LL << i))
			stream_string(s, NULL, names[i]);
	if (flags >> n) {
		snprintf(number, sizeof(number), "0x%llx", (unsigned long long)(flags >> n) << n);
		stream_string(s, NULL, number);
	}
	stream_end_list(s);
}
