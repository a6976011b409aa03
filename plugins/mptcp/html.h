/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of nvme mptcp report --html: one document without scripts and without anything from elsewhere. */
#pragma once

#include <stdio.h>

#include "mptcp.h"
#include "rates.h"

/* What the page shows. */
struct html_source {
	nvme_mptcp_snapshot_t snap;
	nvme_mptcp_findings_t findings;
	nvme_mptcp_peer_t peer; /* or NULL */
	const struct rates *rates; /* or NULL */
	const char *hostname;
};

/* The page, to be freed, or NULL without memory. */
char *html_page(const struct html_source *source);

/*
 * html-text.c: text of any origin, in an element or in a quoted attribute: what means something to HTML is
 * escaped, and what cannot be seen becomes U+FFFD. "-" for NULL.
 */
void html_text(FILE *out, const char *text);

/* html-picture.c: a set of connections as a picture, and as tables; @portal is NULL on their target. */
void html_set(FILE *out, const struct html_source *source, nvme_mptcp_set_t set, const char *name,
	      const char *portal, size_t number);

/* html-style.c */
extern const char html_style[];
