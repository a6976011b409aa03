/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Escape sequences: untrusted strings made safe for a terminal, and colours. */
#pragma once

#include "input/escape.h"
#include "out.h"

/* Write a JSON text, with DEL and C1 controls as \u00XX. */
void escape_print_json(FILE *stream, const char *json);

/* Return the sequence that starts @colour, or "" for plain. ESCAPE_COLOUR_END ends it. */
const char *escape_colour(enum out_colour colour);
#define ESCAPE_COLOUR_END "\033[0m"
