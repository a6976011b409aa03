/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Escape sequences: strings from outside made harmless for a terminal, and colours. */
#pragma once

#include <stdio.h>

#include "input/escape.h"
#include "out.h"

/* Writes a JSON text with DEL and C1 controls as \u00XX. */
void escape_print_json(FILE *stream, const char *json);

/* The sequence that starts @colour, "" for plain, and the one that ends it. */
const char *escape_colour(enum out_colour colour);
#define ESCAPE_COLOUR_END "\033[0m"
