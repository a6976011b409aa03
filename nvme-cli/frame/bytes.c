// SPDX-License-Identifier: GPL-2.0-or-later
#include "bytes.h"
#include "config.h"
#include "shared/cleanup.h"
#include "shared/file.h"

#define LINE 16 /* bytes in a line of a dump */

int bytes_write(struct command *cmd, const void *bytes, size_t length)
{
	out_flush(cmd->out);
	if (length)
		fwrite(bytes, length, 1, stdout);
	/* The error is printed at the end, like those of all output. */
	return out_finish(cmd->out) ? 1 : 0;
}

int bytes_read(struct command *cmd, const char *path, void *bytes, size_t length)
{
	_cleanup_(close) int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
	const char *name = path ? path : "standard input";
	size_t done = 0;

	if (fd < 0)
		return command_fail(cmd, errno, "%s", name);
	while (done < length) {
		ssize_t n = read(fd, (char *)bytes + done, length - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return command_fail(cmd, errno, "%s", name);
		if (!n)
			return command_fail(cmd, 0, "%s: %zu bytes instead of %zu", name, done,
					    length);
		done += (size_t)n;
	}
	return 0;
}

static int refuse_file(struct command *cmd, const char *path, int err)
{
	return err ? command_fail(cmd, -err, "Failed to write %s", *path ? path : "''") : 0;
}

int bytes_may_save(struct command *cmd, const char *path)
{
	return path ? refuse_file(cmd, path, file_check(path)) : 0;
}

int bytes_save(struct command *cmd, const char *path, const void *bytes, size_t length)
{
	return refuse_file(cmd, path, file_save(path, bytes, length, FILE_SECRET));
}

void bytes_format_text(char *text, const void *bytes, size_t n)
{
	const unsigned char *in = bytes;

	for (size_t i = 0; i < n; i++)
		text[i] = in[i] > 0x20 && in[i] <= 0x7e ? (char)in[i] : '.';
	text[n] = '\0';
}

static void dump_line(struct out *out, const unsigned char *bytes, size_t offset, size_t n)
{
	char text[LINE + 1];

	out_text(out, "%04zx:", offset);
	for (size_t i = 0; i < LINE; i++) {
		if (i < n)
			out_text(out, " %02x", bytes[offset + i]);
		else
			out_text(out, "   ");
	}
	bytes_format_text(text, bytes + offset, n);
	out_text(out, " \"%s\"\n", text);
}

static size_t line_length(size_t length, size_t offset)
{
	return length - offset < LINE ? length - offset : LINE;
}

static void dump_lines(struct out *out, const void *bytes, size_t length)
{
	out_text(out, "       0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f\n");
	for (size_t i = 0; i < length; i += LINE)
		dump_line(out, bytes, i, line_length(length, i));
}

void out_dump(struct out *out, const char *key, const void *bytes, size_t length)
{
	if (!out_is_json(out)) {
		dump_lines(out, bytes, length);
		return;
	}
	out_array(out, key);
	for (size_t i = 0; i < length; i++)
		out_uint(out, NULL, ((const unsigned char *)bytes)[i]);
	out_end(out);
}

void out_dump_characters(struct out *out, const char *key, const void *bytes, size_t length)
{
	char text[LINE + 1];

	if (!out_is_json(out)) {
		dump_lines(out, bytes, length);
		return;
	}
	out_array(out, key);
	for (size_t i = 0; i < length; i += LINE) {
		bytes_format_text(text, (const char *)bytes + i, line_length(length, i));
		out_str(out, NULL, text);
	}
	out_end(out);
}
