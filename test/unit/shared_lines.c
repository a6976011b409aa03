// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lines of files, however long, and files that are none. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"
#include "fail_alloc.h"
#include "shared/lines.h"

static int file_of(const char *bytes, size_t length)
{
	int fd = memfd_create("lines", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, length), length);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

TEST(lines_of_a_file)
{
	static const struct {
		const char *text;
		const char *lines[4];
	} cases[] = {
		{ "", { NULL } },
		{ "\n", { "" } },
		{ "one", { "one" } },
		{ "one\n", { "one" } },
		{ "one\n\ntwo\r\nthree", { "one", "", "two\r", "three" } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int fd = file_of(cases[i].text, strlen(cases[i].text));
		struct lines lines = LINES_OF(fd);

		for (size_t n = 0; n < 4 && cases[i].lines[n]; n++) {
			assert_true(lines_next(&lines));
			assert_string_equal(lines.line, cases[i].lines[n]);
			assert_int_equal(lines.length, strlen(cases[i].lines[n]));
			assert_int_equal(lines.number, n + 1);
		}
		assert_false(lines_next(&lines));
		assert_int_equal(lines.err, 0);
		lines_wipe_cleanup(&lines);
		close(fd);
	}
}

/* Longer than what is read at a time, and cut there, too. */
TEST(long_lines)
{
	static const size_t lengths[] = { 127, 128, 4095, 4096, 4097, 20000, 3 };
	char *text = malloc(1 << 16), *at = text;
	int fd;
	struct lines lines;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		memset(at, 'a' + (int)i, lengths[i]);
		at[lengths[i]] = '\n';
		at += lengths[i] + 1;
	}
	fd = file_of(text, (size_t)(at - text));
	lines = (struct lines)LINES_OF(fd);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		assert_true(lines_next(&lines));
		assert_int_equal(lines.length, lengths[i]);
		assert_int_equal(strlen(lines.line), lengths[i]);
		assert_int_equal(strspn(lines.line, (char[]){ (char)('a' + (int)i), '\0' }),
				 lengths[i]);
	}
	assert_false(lines_next(&lines));
	assert_int_equal(lines.err, 0);
	lines_wipe_cleanup(&lines);
	close(fd);
	free(text);
}

TEST(what_cannot_be_read)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct lines lines = LINES_OF(fd);

	assert_false(lines_next(&lines));
	assert_int_equal(lines.err, -EISDIR);
	assert_false(lines_next(&lines));
	assert_int_equal(lines.number, 0);
	lines_wipe_cleanup(&lines);
	close(fd);
}

/* A line that there is no memory for is no line, and neither is what follows. */
TEST(lines_without_memory)
{
	int fd = file_of("one\ntwo\n", 8);
	struct lines lines = LINES_OF(fd);

	fail_alloc_after(0);
	assert_false(lines_next(&lines));
	assert_true(fail_alloc_happened());
	fail_alloc_after(-1);
	assert_int_equal(lines.err, -ENOMEM);
	assert_false(lines_next(&lines));
	lines_wipe_cleanup(&lines);
	close(fd);
}
