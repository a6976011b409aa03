/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ground floor: maps, strings, base64, CRC and logging. */
#include <limits.h>

#include <libnvme.h>

#include "unit.h"
#include "base/memory.h"
#include "base/base64.h"
#include "base/log-private.h"
#include "base/map.h"
#include "base/shell.h"
#include "base/str.h"

#define KEYS 5000

/* Deleting while growing and shrinking, against a plain array. */
TEST(maps_keep_what_is_put)
{
	struct map *map = map_new(0);
	static char present[KEYS];
	char key[32];
	unsigned int x = 1;

	memset(present, 0, sizeof(present));
	for (int round = 0; round < 60000; round++) {
		size_t i;

		x = x * 1103515245 + 12345;
		i = (x >> 8) % KEYS;
		snprintf(key, sizeof(key), "nvme%zu", i);
		assert_ptr_equal(map_get(map, key), present[i] ? &present[i] : NULL);
		if (present[i] && x & 0x80) {
			map_del(map, key);
			present[i] = 0;
		} else {
			assert_int_equal(map_put(map, key, &present[i]), 0);
			present[i] = 1;
		}
	}
	map_del(map, "not there");
	for (size_t i = 0; i < KEYS; i++) {
		snprintf(key, sizeof(key), "nvme%zu", i);
		assert_ptr_equal(map_get(map, key), present[i] ? &present[i] : NULL);
	}
	assert_null(map_get(NULL, "x"));
	assert_null(map_get(map, NULL));
	map_free(map);
	map_free(NULL);
}

TEST(maps_of_numbers_keep_what_is_put)
{
	struct idmap *ids = idmap_new(0);
	static char value[KEYS][2];

	/* Twice, so that half of the values are replaced. */
	for (size_t i = 0; i < KEYS; i++)
		assert_int_equal(idmap_put(ids, (uint64_t)i << 32, &value[i][0]), 0);
	for (size_t i = 0; i < KEYS; i += 2)
		assert_int_equal(idmap_put(ids, (uint64_t)i << 32, &value[i][1]), 0);
	for (size_t i = 0; i < KEYS; i++)
		assert_ptr_equal(idmap_get(ids, (uint64_t)i << 32), &value[i][!(i % 2)]);
	assert_null(idmap_get(ids, 1));
	assert_null(idmap_get(NULL, 1));
	idmap_free(ids);
	idmap_free(NULL);
}

TEST(copies_are_bounded)
{
	char s[] = " a \t\n", dst[4];
	char *escaped = str_escape_control("a\x1b[31m\xff\x7f~ \0z", 11);

	assert_string_equal(str_trim_end(s), " a");
	assert_string_equal(escaped, "a\\x1b[31m\\xff\\x7f~ \\x00");
	free(escaped);
	assert_int_equal(str_copy(dst, sizeof(dst), "abcdef", 6), 3);
	assert_string_equal(dst, "abc");
	assert_int_equal(str_copy(dst, sizeof(dst), "ab\0cd", 5), 2);
	assert_string_equal(dst, "ab");
	assert_int_equal(str_copy(dst, 0, "ab", 2), 0);
}

TEST(numbers_are_whole)
{
	static const char *const bad[] = { "", " 1", "1 ", "abc", "0x", "1x", "-", "--1", "+ 1" };
	int64_t value = 77;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(str_parse_int(bad[i], LONG_MIN, LONG_MAX, &value), -EINVAL);
	assert_int_equal(str_parse_int(NULL, 0, 1, &value), -EINVAL);
	assert_int_equal(str_parse_int("2", 0, 1, &value), -ERANGE);
	assert_int_equal(str_parse_int("99999999999999999999", 0, LONG_MAX, &value), -ERANGE);
	assert_int_equal(value, 77);
	assert_int_equal(str_parse_int("-1", -1, 1, &value), 0);
	assert_int_equal(value, -1);
	assert_int_equal(str_parse_int("0x10", 0, 16, &value), 0);
	assert_int_equal(value, 16);
}

/* RFC 4648 section 10. */
TEST(base64_has_one_spelling)
{
	static const struct {
		const char *plain, *encoded;
	} rows[] = { { "", "" },
		     { "f", "Zg==" },
		     { "fo", "Zm8=" },
		     { "foo", "Zm9v" },
		     { "foob", "Zm9vYg==" },
		     { "fooba", "Zm9vYmE=" },
		     { "foobar", "Zm9vYmFy" } };
	static const char *const bad[] = { "Zg=",  "Zg",     "Z===", "====", "Zh==",	 "Zm9=",
					   "Zg=a", "Zm\n8=", "Zm8 ", "=m8=", "Zg==Zg==", "Zm-_" };
	unsigned char bytes[16];
	char text[16];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int len = (int)strlen(rows[i].plain);

		assert_int_equal(base64_encode((const unsigned char *)rows[i].plain, len, text),
				 strlen(rows[i].encoded));
		assert_string_equal(text, rows[i].encoded);
		assert_int_equal(base64_decode(text, (int)strlen(text), bytes), len);
		assert_memory_equal(bytes, rows[i].plain, len);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(base64_decode(bad[i], (int)strlen(bad[i]), bytes), -EINVAL);
	assert_int_equal(base64_decode("Zg==", -4, bytes), -EINVAL);
}

static void read_log(FILE *file, char *buf, size_t size)
{
	size_t len;

	fflush(file);
	rewind(file);
	len = fread(buf, 1, size - 1, file);
	buf[len] = '\0';
	assert_int_equal(ftruncate(fileno(file), 0), 0);
	rewind(file);
}

TEST(logs_go_where_the_tree_says)
{
	_cleanup_(fclose) FILE *file = tmpfile();
	nvme_root_t r = nvme_create_root(file, LOG_NOTICE);
	bool pid, timestamp;
	char buf[256], want[64];

	assert_int_equal(nvme_get_logging_level(r, &pid, &timestamp), LOG_NOTICE);
	assert_false(pid || timestamp);
	errno = EBUSY;
	log_info(r, "too quiet");
	log_err(r, "name \"%s\"", "\x1b[2Jx");
	assert_int_equal(errno, EBUSY);
	read_log(file, buf, sizeof(buf));
	assert_string_equal(buf, "name \"\\x1b[2Jx\"\n");

	nvme_init_logging(r, LOG_DEBUG, true, false);
	log_debug(r, "x");
	read_log(file, buf, sizeof(buf));
	snprintf(want, sizeof(want), "<%d> x\n", getpid());
	assert_string_equal(buf, want);

	nvme_init_logging(r, LOG_DEBUG, false, true);
	log_debug(r, "y");
	read_log(file, buf, sizeof(buf));
	assert_int_equal(buf[0], '[');
	assert_string_equal(buf + strlen(buf) - 4, "] y\n");

	nvme_init_logging(r, -1, false, false);
	log_err(r, "z");
	read_log(file, buf, sizeof(buf));
	assert_string_equal(buf, "");
	nvme_free_tree(r);
}

TEST(messages_without_a_tree_have_a_logger_too)
{
	_cleanup_(fclose) FILE *file = tmpfile();
	nvme_root_t r;
	char buf[64];

	nvme_init_default_logging(file, LOG_ERR, false, false);
	assert_int_equal(nvme_get_logging_level(NULL, NULL, NULL), LOG_ERR);
	log_err(NULL, "a");
	log_warn(NULL, "b");
	read_log(file, buf, sizeof(buf));
	assert_string_equal(buf, "a\n");
	assert_false(nvme_get_debug());
	nvme_set_debug(true);
	assert_true(nvme_get_debug());
	nvme_set_debug(false);
	assert_int_equal(nvme_get_logging_level(NULL, NULL, NULL), DEFAULT_LOGLEVEL);

	r = nvme_create_root(file, LOG_WARNING);
	nvme_set_root(r);
	assert_int_equal(nvme_get_logging_level(NULL, NULL, NULL), LOG_WARNING);
	nvme_free_tree(r);
	log_warn(NULL, "c");
	read_log(file, buf, sizeof(buf));
	assert_string_equal(buf, "c\n");
	nvme_set_root(NULL);
	assert_int_equal(nvme_get_logging_level(NULL, NULL, NULL), DEFAULT_LOGLEVEL);
}

/* What a shell makes of it is read back from one. */
static void assert_same(const char *word)
{
	_cleanup_(free) char *quoted = shell_quote(word), *command = NULL;
	char got[128] = "";
	FILE *shell;

	for (const char *at = quoted; *at; at++)
		assert_in_range(*at, ' ', '~');
	assert_true(asprintf(&command, "printf '[%%s]' %s", quoted) > 0);
	shell = popen(command, "r");
	assert_non_null(shell);
	assert_true(fread(got, 1, sizeof(got) - 1, shell) > 0);
	pclose(shell);
	assert_int_equal(got[0], '[');
	got[strlen(got) - 1] = '\0';
	assert_string_equal(got + 1, word);
}

static void assert_word(const char *word, const char *expected)
{
	_cleanup_(free) char *quoted = shell_quote(word);
	char text[SHELL_WORD(64)];

	assert_string_equal(quoted, expected);
	assert_string_equal(shell_word(word, text, sizeof(text)), expected);
	assert_int_equal(shell_is_word(word), !strcmp(word, expected));
	assert_same(word);
}

TEST(words_are_one_for_a_shell)
{
	char small[8], room[24];

	assert_word("eth0.5", "eth0.5");
	assert_word("fe80::1%eth0", "fe80::1%eth0");
	assert_word("br-1'x", "'br-1'\\''x'");
	assert_word("a b", "'a b'");
	assert_word("$(id)", "'$(id)'");
	assert_word("''", "''\\'''\\'''");
	assert_word("~", "'~'");
	assert_word("*", "'*'");
	assert_word("", "''");
	assert_word("=ls", "'=ls'");
	assert_word("-x", "-x");
	assert_word("a\\1\"`#!{,}", "'a\\1\"`#!{,}'");
	/* What a terminal shows otherwise is not pasted as it was. */
	assert_word("eth\3031", "\"$(printf 'eth\\3031')\"");
	assert_word("\1778", "\"$(printf '\\1778')\"");
	assert_word("-\001'%d\\$(id)`\"", "\"$(printf '\\055\\001\\047\\045d\\134$(id)`\"')\"");
	assert_null(shell_quote(NULL));
	/* All bytes that a name may have, however a word of it begins. */
	for (int first = 0; first < 3; first++)
		for (int c = 1; c < 256; c++) {
			const char name[] = { (char)c, "-1\377"[first], (char)c, '1', '\0' };

			if (c != '\n')
				assert_same(name);
		}
	/* Never more than there is room for. */
	assert_true(strlen(shell_word("\001\001\001\001", room, sizeof(room))) < sizeof(room));
	assert_true(strlen(shell_word("a''''''''", small, sizeof(small))) < sizeof(small));
}

/* Nothing at all is a text, too, and no lack of memory. */
TEST(texts_are_printed)
{
	const unsigned int before = memory_failures();
	char *text = NULL;

	assert_int_equal(memory_print(&text, "%s-%d", "a", 7), 0);
	assert_string_equal(text, "a-7");
	free(text);
	assert_int_equal(memory_print(&text, "%s", ""), 0);
	assert_string_equal(text, "");
	free(text);
	assert_int_equal(memory_failures(), before);
}
