/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cleanup.h"
#include "mask.h"

#define MASK "***"
#define MIN_PIECE_LENGTH 8 /* minimum length of a piece of a secret that is masked */
#define MIN_SUBSTRING_LENGTH 4 /* shorter secrets are masked as whole words only */

/*
 * Text that precedes a key: the prefixes of the interchange formats (NVM Express 2.0, 8.13.5.8, and
 * TCP Transport 1.0, 3.6.1.5), and the words of the kernel's drivers/nvme/host/fabrics.c, whose log
 * messages may concern another process.
 */
static const char *const key_beginnings[] = {
	"DHHC-1:",	"NVMeTLSkey-1:",   "dhchap_secret=", "dhchap_ctrl_secret=",
	"DH/CHAP key ", "DH/CHAP secret ",
};

/* Escape @secret as /dev/kmsg: the backslash and all but printable ASCII become \xNN. */
static char *escaped(const char *secret)
{
	static const char digits[] = "0123456789abcdef";
	char *copy = malloc(4 * strlen(secret) + 1), *out = copy;

	if (!copy)
		return NULL;
	for (; *secret; secret++) {
		const unsigned char c = (unsigned char)*secret;

		if (c >= 0x20 && c < 0x7f && c != '\\') {
			*out++ = (char)c;
			continue;
		}
		*out++ = '\\';
		*out++ = 'x';
		*out++ = digits[c >> 4];
		*out++ = digits[c & 0xf];
	}
	*out = '\0';
	return copy;
}

static bool is_word(const char *text, const char *at, size_t length)
{
	return (at == text || !isalnum((unsigned char)at[-1])) &&
	       !isalnum((unsigned char)at[length]);
}

/* Return the number of characters at @at, in @text, that are a piece of @secret to be masked. */
static size_t piece_at(const char *text, const char *at, const char *secret)
{
	const size_t length = strlen(secret);
	size_t longest = 0;

	if (length < MIN_SUBSTRING_LENGTH)
		return length && !strncmp(at, secret, length) && is_word(text, at, length) ? length
											   : 0;
	for (const char *from = secret; *from; from++) {
		size_t n = 0;

		while (from[n] && from[n] == at[n])
			n++;
		longest = n > longest ? n : longest;
	}
	return longest >= (length < MIN_PIECE_LENGTH ? length : MIN_PIECE_LENGTH) ? longest : 0;
}

/* Return the length of the key at @at after one of the prefixes; *@shown: the prefix's length. */
static size_t key_at(const char *at, size_t *shown)
{
	for (size_t i = 0; i < sizeof(key_beginnings) / sizeof(key_beginnings[0]); i++) {
		*shown = strlen(key_beginnings[i]);
		if (strncmp(at, key_beginnings[i], *shown))
			continue;
		/* Our own messages have "DHHC-1:..." for any key. */
		if (!strncmp(at + *shown, "...", 3))
			return 0;
		*shown += strspn(at + *shown, "'\"");
		return strcspn(at + *shown, " \t\n'\",;)");
	}
	*shown = 0;
	return 0;
}

static size_t longest_at(const char *text, const char *at, char *const patterns[], size_t n)
{
	size_t longest = 0;

	for (size_t i = 0; i < n; i++) {
		size_t length = piece_at(text, at, patterns[i]);

		longest = length > longest ? length : longest;
	}
	return longest;
}

/* @out is large enough: each character becomes at most one mask. */
static void copy_masked(const char *text, char *out, char *const patterns[], size_t n)
{
	const char *at = text;

	while (*at) {
		size_t shown = 0, hidden = key_at(at, &shown);

		if (!hidden) {
			shown = 0;
			hidden = longest_at(text, at, patterns, n);
		}
		if (!hidden) {
			*out++ = *at++;
			continue;
		}
		out = mempcpy(mempcpy(out, at, shown), MASK, strlen(MASK));
		at += shown + hidden;
	}
	*out = '\0';
}

static void free_patterns(char **patterns)
{
	for (char **pattern = patterns; pattern && *pattern; pattern++) {
		explicit_bzero(*pattern, strlen(*pattern));
		free(*pattern);
	}
	free(patterns);
}

DEFINE_CLEANUP(char **, free_patterns);

char *mask_secrets(const char *text, const char *const secrets[], size_t n)
{
	_cleanup_(free_patterns) char **patterns = calloc(2 * n + 1, sizeof(*patterns));
	char *masked = malloc(strlen(MASK) * strlen(text) + 1);
	size_t n_patterns = 0;

	if (!patterns || !masked)
		goto no_memory;
	for (size_t i = 0; i < n; i++) {
		if (!secrets[i] || !*secrets[i])
			continue;
		for (int form = 0; form < 2; form++) {
			patterns[n_patterns] = form ? escaped(secrets[i]) : strdup(secrets[i]);
			if (!patterns[n_patterns++])
				goto no_memory;
		}
	}
	copy_masked(text, masked, patterns, n_patterns);
	return masked;
no_memory:
	free(masked);
	return NULL;
}
