// SPDX-License-Identifier: LGPL-2.1-or-later
/* Short texts of numbers: three digits and a unit, rounded where the next unit begins. */
#include "unit.h"
#include "mptcp.h"

struct example {
	int64_t number;
	const char *text;
};

typedef const char *(*number_text_t)(int64_t number, char text[static MPTCP_NUMBER_TEXT]);

static void expect_texts(number_text_t number_text, const struct example *examples, size_t n)
{
	char text[MPTCP_NUMBER_TEXT];

	for (size_t i = 0; i < n; i++) {
		assert_ptr_equal(number_text(examples[i].number, text), text);
		assert_string_equal(text, examples[i].text);
	}
}

#define EXPECT(function, ...) \
	do { \
		static const struct example examples[] = { __VA_ARGS__ }; \
		expect_texts(function, examples, sizeof(examples) / sizeof(*examples)); \
	} while (0)

TEST(bytes)
{
	EXPECT(mptcp_bytes_text, { NVME_MPTCP_UNKNOWN, "-" }, { 0, "0" }, { 5, "5" }, { 10, "10" },
	       { 999, "999" }, { 1000, "1.00K" }, { 1234, "1.23K" }, { 12345, "12.3K" },
	       { 123456, "123K" }, { INT64_C(1000000), "1.00M" }, { INT64_C(2500000000), "2.50G" },
	       { INT64_C(3000000000000), "3.00T" }, { INT64_C(4000000000000000), "4.00P" },
	       { INT64_C(5000000000000000000), "5.00E" }, { INT64_MAX, "9.22E" });
}

/* No text has four digits, or as many as the next larger number has less. */
TEST(edges)
{
	EXPECT(mptcp_bytes_text, { 9994, "9.99K" }, { 9995, "10.0K" }, { 99949, "99.9K" },
	       { 99950, "100K" }, { 999400, "999K" }, { 999499, "999K" }, { 999500, "1.00M" },
	       { 999999, "1.00M" }, { INT64_C(999499999), "999M" }, { INT64_C(999500000), "1.00G" },
	       { INT64_C(999499999999990000), "999P" }, { INT64_C(999500000000000000), "1.00E" });
	EXPECT(mptcp_rate_text, { 124, "992" }, { 125, "1.00k" }, { 1249, "9.99k" },
	       { 12500, "100k" }, { 124937, "999k" }, { 124938, "1.00M" });
	EXPECT(mptcp_time_text, { 999499, "999ms" }, { 999500, "1.00s" }, { 9994999, "9.99s" },
	       { 9995000, "10.0s" }, { 99949999, "99.9s" }, { 99950000, "100s" });
}

/* Bytes per second come in, bits per second are shown. */
TEST(rates)
{
	EXPECT(mptcp_rate_text, { NVME_MPTCP_UNKNOWN, "-" }, { 0, "0" }, { 1, "8" },
	       { 1000, "8.00k" }, { INT64_C(1250000), "10.0M" }, { INT64_C(1250000000), "10.0G" },
	       { INT64_C(250000000000), "2.00T" }, { INT64_C(375000000000000), "3.00P" },
	       { INT64_C(500000000000000000), "4.00E" });
}

/* Of seconds there may be any number. */
TEST(times)
{
	EXPECT(mptcp_time_text, { NVME_MPTCP_UNKNOWN, "-" }, { 0, "0us" }, { 5, "5us" },
	       { 210, "210us" }, { 999, "999us" }, { 1200, "1.20ms" }, { 15000, "15.0ms" },
	       { 3000000, "3.00s" }, { INT64_C(3600000000), "3600s" });
}

TEST(speeds)
{
	EXPECT(mptcp_speed_text, { NVME_MPTCP_UNKNOWN, "-" }, { 0, "0M" }, { 10, "10M" },
	       { 900, "900M" }, { 1000, "1G" }, { 1050, "1050M" }, { 2500, "2.5G" },
	       { 100000, "100G" });
}

TEST(numbers)
{
	EXPECT(mptcp_number_text, { NVME_MPTCP_UNKNOWN, "-" }, { 0, "0" }, { 1460, "1460" },
	       { INT64_MAX, "9223372036854775807" });
}
