/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sentences that explain failures to the caller. */
#pragma once

#include "shared/std.h"

/* Set *@why, to be freed; NULL if there is no memory for it. Return: -@err. */
int input_fail(char **why, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
