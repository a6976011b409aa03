/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The same program has to be C++ as well. */
#include "main.c"
