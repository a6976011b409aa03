// SPDX-License-Identifier: GPL-2.0-or-later
/* Format numbers, in at most five characters if possible, names of links, and sentences. */
#include "mptcp.h"

#define TERMINAL_WIDTH 80

static void add_name(char text[static MPTCP_LINKS_TEXT], const char *before, nvme_mptcp_link_t link)
{
	const size_t n = strlen(text);

	snprintf(text + n, MPTCP_LINKS_TEXT - n, "%s%s", before, nvme_mptcp_link_name(link));
}

const char *mptcp_subflow_link_text(nvme_mptcp_subflow_t sf, char text[static MPTCP_LINKS_TEXT])
{
	nvme_mptcp_link_t link = nvme_mptcp_subflow_link(sf);

	*text = '\0';
	if (link)
		add_name(text, "", link);
	for (size_t i = 0; !link && nvme_mptcp_subflow_possible_link(sf, i); i++)
		add_name(text, i ? "|" : "", nvme_mptcp_subflow_possible_link(sf, i));
	if (!*text)
		snprintf(text, MPTCP_LINKS_TEXT, "-");
	return text;
}

const char *mptcp_usage_link_text(nvme_mptcp_usage_t usage, char text[static MPTCP_LINKS_TEXT])
{
	nvme_mptcp_link_t link = nvme_mptcp_usage_link(usage);

	*text = '\0';
	if (link)
		add_name(text, "", link);
	for (size_t i = 0; !link && nvme_mptcp_usage_possible_link(usage, i); i++)
		add_name(text, i ? ", " : "one of ", nvme_mptcp_usage_possible_link(usage, i));
	if (!*text)
		snprintf(text, MPTCP_LINKS_TEXT, "-");
	return text;
}

/* Format a number with three significant digits and a unit. */
static const char *scaled(double number, double step, const char *const *units, char *text)
{
	volatile double value =
		number; /* compare the value that is printed: i387 registers have more digits */
	size_t i = 0;

	/* 999.5 would be printed as 1000. */
	while (value >= 999.5 && units[i + 1]) {
		value /= step;
		i++;
	}
	if (!i || value >= 99.95)
		snprintf(text, MPTCP_NUMBER_TEXT, "%.0f%s", value, units[i]);
	else if (value >= 9.995)
		snprintf(text, MPTCP_NUMBER_TEXT, "%.1f%s", value, units[i]);
	else
		snprintf(text, MPTCP_NUMBER_TEXT, "%.2f%s", value, units[i]);
	return text;
}

static const char *unknown(char *text)
{
	snprintf(text, MPTCP_NUMBER_TEXT, "-");
	return text;
}

const char *mptcp_bytes_text(int64_t bytes, char text[static MPTCP_NUMBER_TEXT])
{
	static const char *const units[] = { "", "K", "M", "G", "T", "P", "E", NULL };

	return bytes < 0 ? unknown(text) : scaled((double)bytes, 1000, units, text);
}

const char *mptcp_rate_text(int64_t bytes_per_second, char text[static MPTCP_NUMBER_TEXT])
{
	static const char *const units[] = { "", "k", "M", "G", "T", "P", "E", NULL };

	if (bytes_per_second < 0)
		return unknown(text);
	return scaled(8 * (double)bytes_per_second, 1000, units, text);
}

const char *mptcp_time_text(int64_t us, char text[static MPTCP_NUMBER_TEXT])
{
	static const char *const units[] = { "us", "ms", "s", NULL };

	return us < 0 ? unknown(text) : scaled((double)us, 1000, units, text);
}

const char *mptcp_speed_text(int64_t mbps, char text[static MPTCP_NUMBER_TEXT])
{
	if (mbps < 0)
		return unknown(text);
	if (mbps >= 1000 && mbps % 100 == 0)
		snprintf(text, MPTCP_NUMBER_TEXT, "%gG", (double)mbps / 1000);
	else
		snprintf(text, MPTCP_NUMBER_TEXT, "%" PRId64 "M", mbps);
	return text;
}

const char *mptcp_number_text(int64_t n, char text[static MPTCP_NUMBER_TEXT])
{
	if (n == NVME_MPTCP_UNKNOWN)
		return unknown(text);
	snprintf(text, MPTCP_NUMBER_TEXT, "%" PRId64, n);
	return text;
}

void mptcp_show_wrapped(struct out *out, int indent, const char *text)
{
	const size_t width = (size_t)(TERMINAL_WIDTH - indent);
	size_t length, n;

	text = out_safe(out, text);
	length = strlen(text);
	for (size_t at = 0; at < length; at += n + strspn(&text[at + n], " ")) {
		n = length - at;
		if (n > width) {
			for (n = width; n && text[at + n] != ' '; n--)
				;
			if (!n)
				n = width;
			/* Do not cut a character of UTF-8. */
			while (n > 1 && ((unsigned char)text[at + n] & 0xc0) == 0x80)
				n--;
		}
		out_text(out, "%*s%.*s\n", indent, "", (int)n, &text[at]);
	}
}
