// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * OpenMetrics 1.0, the Prometheus text format 0.0.4, and JSON. The Prometheus format has two
 * differences: HELP and TYPE name a counter with its suffix _total, and UNIT and EOF are plain
 * comments.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "metrics-write.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */
#define MICROSECONDS 1000000

static bool is_json(const struct metric_writer *w)
{
	return w->format == NVME_MPTCP_METRICS_JSON;
}

int metric_open(struct metric_writer *w)
{
	if (is_json(w)) {
		stream_dict(&w->json, NULL);
		stream_int64(&w->json, "version", 1);
		stream_list(&w->json, "metrics");
		return 0;
	}
	w->out = text_open(&w->text);
	return w->out ? 0 : -ENOMEM;
}

static const char *type_name(const struct metric_family *family)
{
	return family->is_counter ? "counter" : "gauge";
}

static const char *suffix(const struct metric_family *family)
{
	return family->is_counter ? "_total" : "";
}

static void begin_json(struct json_stream *s, const struct metric_family *family)
{
	char name[128];

	snprintf(name, sizeof(name), METRIC_PREFIX "%s%s", family->name, suffix(family));
	stream_dict(s, NULL);
	stream_string(s, "name", name);
	stream_string(s, "type", type_name(family));
	stream_string(s, "unit", family->unit);
	stream_string(s, "help", family->help);
	stream_list(s, "samples");
}

void metric_family_begin(struct metric_writer *w, const struct metric_family *family)
{
	const bool is_open = w->format == NVME_MPTCP_METRICS_OPENMETRICS;
	const char *end = is_open ? "" : suffix(family);

	w->family = family;
	if (is_json(w)) {
		begin_json(&w->json, family);
		return;
	}
	fprintf(w->out, "# TYPE " METRIC_PREFIX "%s%s %s\n", family->name, end, type_name(family));
	if (family->unit && is_open)
		fprintf(w->out, "# UNIT " METRIC_PREFIX "%s %s\n", family->name, family->unit);
	fprintf(w->out, "# HELP " METRIC_PREFIX "%s%s %s\n", family->name, end, family->help);
}

void metric_family_end(struct metric_writer *w)
{
	if (is_json(w)) {
		stream_end_list(&w->json);
		stream_end_dict(&w->json);
	}
}

void metric_sample(struct metric_writer *w)
{
	w->has_labels = false;
	if (is_json(w)) {
		stream_dict(&w->json, NULL);
		stream_dict(&w->json, "labels");
	} else {
		fputs_unlocked(METRIC_PREFIX, w->out);
		fputs_unlocked(w->family->name, w->out);
		fputs_unlocked(suffix(w->family), w->out);
	}
	if (w->netns)
		metric_label(w, "netns", w->netns);
}

/* Escape newlines, quotes and backslashes; replace each byte of other unprintable characters. */
static void put_value(FILE *out, const char *s)
{
	size_t left = strlen(s), length;

	for (; left; s += length, left -= length) {
		length = text_printable_length(s, left);
		if (!length && *s == '\n')
			fputs_unlocked("\\n", out);
		else if (!length)
			fputs_unlocked(REPLACEMENT, out);
		else if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else
			fwrite_unlocked(s, 1, length, out);
		length = length ? length : 1;
	}
}

void metric_label(struct metric_writer *w, const char *name, const char *value)
{
	value = value ? value : "";
	if (is_json(w)) {
		stream_string(&w->json, name, value);
		return;
	}
	fputc_unlocked(w->has_labels ? ',' : '{', w->out);
	fputs_unlocked(name, w->out);
	fputs_unlocked("=\"", w->out);
	put_value(w->out, value);
	fputc_unlocked('"', w->out);
	w->has_labels = true;
}

static void put_number(struct metric_writer *w, const char *number)
{
	if (is_json(w)) {
		stream_end_dict(&w->json);
		stream_literal(&w->json, "value", number);
		stream_end_dict(&w->json);
		return;
	}
	if (w->has_labels)
		fputc_unlocked('}', w->out);
	fputc_unlocked(' ', w->out);
	fputs_unlocked(number, w->out);
	fputc_unlocked('\n', w->out);
}

void metric_value(struct metric_writer *w, int64_t value)
{
	char number[24];

	snprintf(number, sizeof(number), "%" PRId64, value);
	put_number(w, number);
}

void metric_value_us(struct metric_writer *w, int64_t us)
{
	char number[32];

	snprintf(number, sizeof(number), "%" PRId64 ".%06" PRId64, us / MICROSECONDS,
		 us % MICROSECONDS);
	put_number(w, number);
}

char *metric_close(struct metric_writer *w)
{
	char *document = NULL;

	if (is_json(w)) {
		stream_end_list(&w->json);
		stream_end_dict(&w->json);
		return stream_finish(&w->json);
	}
	if (w->out && w->format == NVME_MPTCP_METRICS_OPENMETRICS)
		fputs_unlocked("# EOF\n", w->out);
	if (!text_close(&w->text))
		document = text_take(&w->text);
	text_wipe_cleanup(&w->text);
	return document;
}
