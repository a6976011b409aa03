/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A configuration in a temporary file. */
#pragma once

#include <unistd.h>

#include "unit.h"

static char path[] = "/tmp/config-test-XXXXXX";

static inline void write_text(const char *text, size_t len)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static inline void make_file(void)
{
	int fd;

	memcpy(path + strlen(path) - 6, "XXXXXX", 6);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
}
