/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes metrics: begin a family, write its samples, each with labels and one value, and end it. */
#pragma once

#include <stdint.h>

#include <nvme/mptcp/metrics.h>
#include "shared/json-stream.h"
#include "shared/text.h"

#define METRIC_PREFIX "nvme_mptcp_"

struct metric_family {
	const char *
		name; /* after METRIC_PREFIX; ends with its unit; a counter also gets the suffix _total */
	const char *unit; /* unit, or NULL */
	const char *help;
	bool is_counter;
};

struct metric_writer {
	enum nvme_mptcp_metrics_format format;
	const char *netns; /* label of each sample, or NULL */
	struct json_stream json;
	struct text text;
	FILE *out; /* writes into text */
	const struct metric_family *family;
	bool has_labels; /* of the current sample */
};

/* Return 0 or -ENOMEM. */
int metric_open(struct metric_writer *w);

void metric_family_begin(struct metric_writer *w, const struct metric_family *family);
void metric_family_end(struct metric_writer *w);

/* Begin a sample, add labels (NULL is an empty value), and end it with its value. */
void metric_sample(struct metric_writer *w);
void metric_label(struct metric_writer *w, const char *name, const char *value);
void metric_value(struct metric_writer *w, int64_t value);
/* End a sample with a value in microseconds, which is written in seconds. */
void metric_value_us(struct metric_writer *w, int64_t us);

/* Return the document, which the caller frees, or NULL if out of memory. */
char *metric_close(struct metric_writer *w);
