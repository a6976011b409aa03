/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The one writer of metrics. A family is begun, its samples follow, each with its labels and one
 * value; what that looks like is the format's business.
 */
#pragma once

#include <stdint.h>

#include <nvme/mptcp/metrics.h>
#include "shared/json-stream.h"
#include "shared/text.h"

#define METRIC_PREFIX "nvme_mptcp_"

struct metric_family {
	const char *
		name; /* after METRIC_PREFIX, ends with its unit; a counter has its _total besides */
	const char *unit; /* or NULL */
	const char *help;
	bool is_counter;
};

struct metric_writer {
	enum nvme_mptcp_metrics_format format;
	const char *netns; /* a label of every sample, or NULL */
	struct json_stream json;
	struct text text;
	FILE *out; /* into text */
	const struct metric_family *family;
	bool has_labels; /* the sample under way */
};

/* 0, or -ENOMEM. */
int metric_open(struct metric_writer *w);

void metric_family_begin(struct metric_writer *w, const struct metric_family *family);
void metric_family_end(struct metric_writer *w);

/* A sample: begun, labelled (NULL is an empty value), and ended by its value. */
void metric_sample(struct metric_writer *w);
void metric_label(struct metric_writer *w, const char *name, const char *value);
void metric_value(struct metric_writer *w, int64_t value);
/* A number of microseconds, which is written in seconds. */
void metric_value_us(struct metric_writer *w, int64_t us);

/* The document, to be freed, or NULL without memory. */
char *metric_close(struct metric_writer *w);
