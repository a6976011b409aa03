/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page of nvme mptcp report --html: a single document without scripts and external resources.
 */
#pragma once

#include "rates.h"

/* What the page shows. */
struct html_source {
	nvme_mptcp_snapshot_t snap;
	nvme_mptcp_findings_t findings;
	nvme_mptcp_peer_t peer; /* or NULL */
	const struct rates *rates; /* or NULL */
	const char *hostname;
};

/* Return the page, which the caller frees, or NULL if out of memory. */
char *html_page(const struct html_source *source);

/*
 * html-text.c: write untrusted text into an element or a quoted attribute. HTML metacharacters are
 * escaped, and unprintable bytes become U+FFFD. NULL is written as "-".
 */
void html_text(FILE *out, const char *text);

/*
 * html-picture.c: write a set of connections as a picture and a table. On a target, @portal is
 * NULL.
 */
void html_set(FILE *out, const struct html_source *source, nvme_mptcp_set_t set, const char *name,
	      const char *portal, size_t number);

/* html-style.c */
extern const char html_style[];
