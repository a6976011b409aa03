/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* URIs of the NVM Express Boot Specification: nvme+tcp://192.168.1.1:4420/nqn.… */
#include "base/failure.h"
#include "../fabrics.h"
#include "base/str.h"

DEFINE_CLEANUP(struct nvme_fabrics_uri *, nvme_free_uri);

/* Copy @n bytes of @s and decode %XX. Return -EINVAL for an invalid escape or %00. */
static int unescape(const char *s, size_t n, char **ret)
{
	_cleanup_(free) char *copy = malloc(n + 1);
	char *p = copy;
	int byte;

	if (!copy)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (s[i] != '%') {
			*p++ = s[i];
			continue;
		}
		byte = n - i < 3 ? -1 : str_hex_byte(&s[i + 1]);
		if (byte <= 0)
			return -EINVAL;
		*p++ = (char)byte;
		i += 2;
	}
	*p = '\0';
	*ret = steal_ptr(&copy);
	return 0;
}

/* Parse "nvme" or "nvme+tcp". */
static int parse_scheme(const char *s, size_t n, struct nvme_fabrics_uri *uri)
{
	const char *plus = memchr(s, '+', n);
	size_t len = plus ? (size_t)(plus - s) : n;

	if (!len || (plus && len + 1 == n))
		return -EINVAL;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("+-.", s[i]))
			return -EINVAL;
	uri->scheme = strndup(s, len);
	if (plus)
		uri->protocol = strndup(plus + 1, n - len - 1);
	return uri->scheme && (!plus || uri->protocol) ? 0 : -ENOMEM;
}

static int parse_port(const char *s, size_t n, int *ret)
{
	int port = 0;

	if (!n)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -EINVAL;
		port = port * 10 + (s[i] - '0');
		if (port > UINT16_MAX)
			return -EINVAL;
	}
	*ret = port;
	return 0;
}

/* Parse [userinfo@]host[:port], with an IPv6 address in brackets. */
static int parse_authority(const char *s, size_t n, struct nvme_fabrics_uri *uri)
{
	const char *end = s + n, *at = memrchr(s, '@', n), *host_end, *colon;
	int err;

	if (at) {
		err = unescape(s, (size_t)(at - s), &uri->userinfo);
		if (err)
			return err;
		s = at + 1;
	}
	if (s < end && *s == '[') {
		s++;
		host_end = memchr(s, ']', (size_t)(end - s));
		if (!host_end)
			return -EINVAL;
		colon = host_end + 1;
		if (colon < end && *colon != ':')
			return -EINVAL;
	} else {
		host_end = s;
		while (host_end < end && *host_end != ':')
			host_end++;
		colon = host_end;
	}
	if (host_end == s)
		return -EINVAL;
	err = unescape(s, (size_t)(host_end - s), &uri->host);
	if (err || colon >= end)
		return err;
	return parse_port(colon + 1, (size_t)(end - colon - 1), &uri->port);
}

/* Split the path at slashes and skip empty segments. */
static int parse_path(const char *s, size_t n, struct nvme_fabrics_uri *uri)
{
	const char *end = s + n;
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (s[i] != '/' && (!i || s[i - 1] == '/'))
			count++;
	if (!count)
		return 0;
	uri->path_segments = calloc(count + 1, sizeof(*uri->path_segments));
	if (!uri->path_segments)
		return -ENOMEM;

	for (size_t i = 0; i < count; i++) {
		const char *slash;
		int err;

		while (*s == '/')
			s++;
		slash = memchr(s, '/', (size_t)(end - s));
		if (!slash)
			slash = end;
		err = unescape(s, (size_t)(slash - s), &uri->path_segments[i]);
		if (err)
			return err;
		s = slash;
	}
	return 0;
}

static int parse(const char *str, struct nvme_fabrics_uri *uri)
{
	const char *s = strstr(str, "://");
	size_t len;
	int err;

	if (!s)
		return -EINVAL;
	err = parse_scheme(str, (size_t)(s - str), uri);
	if (err)
		return err;
	s += strlen("://");
	len = strcspn(s, "/?#");
	err = parse_authority(s, len, uri);
	if (err)
		return err;

	s += len;
	len = strcspn(s, "?#");
	err = parse_path(s, len, uri);
	s += len;
	if (!err && *s == '?') {
		len = strcspn(++s, "#");
		err = unescape(s, len, &uri->query);
		s += len;
	}
	if (!err && *s == '#')
		err = unescape(s + 1, strlen(s + 1), &uri->fragment);
	return err;
}

struct nvme_fabrics_uri *nvme_parse_uri(const char *str)
{
	_cleanup_(nvme_free_uri) struct nvme_fabrics_uri *uri = calloc(1, sizeof(*uri));
	int err = uri && str ? parse(str, uri) : uri ? -EINVAL : -ENOMEM;

	return err ? failure_null(err) : steal_ptr(&uri);
}

void nvme_free_uri(struct nvme_fabrics_uri *uri)
{
	if (!uri)
		return;
	free(uri->scheme);
	free(uri->protocol);
	free(uri->userinfo);
	free(uri->host);
	for (char **segment = uri->path_segments; segment && *segment; segment++)
		free(*segment);
	free(uri->path_segments);
	free(uri->query);
	free(uri->fragment);
	free(uri);
}
