/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stddef.h>

/* Ends the run, and shows the @n bytes of @text that are wrong. */
void printed_refuse(const char *what, const char *text, size_t n);

/* End the run unless the @n bytes are plain text, or documents of JSON in UTF-8. A NUL follows. */
void printed_check_text(const char *text, size_t n);
void printed_check_json(const char *text, size_t n);
