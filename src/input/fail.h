/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why something failed, as a sentence for whoever asked for it. */
#pragma once

/* Sets *@why, to be freed; NULL where there is no memory for it. Return: -@err. */
int input_fail(char **why, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
