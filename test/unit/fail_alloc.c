/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <dirent.h>
#include <netdb.h>
#include <stdbool.h>
#include <ifaddrs.h>
#include <json.h>
#include <keyutils.h>
#include <openssl/hmac.h>

#include "unit.h"
#include "fail_alloc.h"

/* No path here has more allocations: a loop that does not end is an error. */
#define MANY 2000

static long left = -1;
static bool for_good;
static bool happened;

void fail_alloc_after(long n)
{
	left = n;
	if (n >= 0)
		happened = false;
}

_Bool fail_alloc_happened(void)
{
	return happened;
}

static bool fails(void)
{
	if (left < 0)
		return false;
	if (left > 0) {
		left--;
		return false;
	}
	if (!for_good)
		left = -1;
	happened = true;
	errno = ENOMEM;
	return true;
}

/* What the linker calls instead, and how it calls the real one; @failure: what stands for that. */
#define WRAP(failure, type, name, params, args) \
	type __real_##name params; \
	type __wrap_##name params; \
	type __wrap_##name params \
	{ \
		return fails() ? failure : __real_##name args; \
	} \
	_Static_assert(true, "")

WRAP(NULL, void *, malloc, (size_t size), (size));
WRAP(NULL, void *, calloc, (size_t n, size_t size), (n, size));
WRAP(NULL, void *, realloc, (void *old, size_t size), (old, size));
WRAP(NULL, char *, strdup, (const char *s), (s));
WRAP(NULL, char *, strndup, (const char *s, size_t n), (s, n));
WRAP(NULL, FILE *, fopen, (const char *path, const char *mode), (path, mode));
WRAP(NULL, FILE *, fopen64, (const char *path, const char *mode), (path, mode));
WRAP(NULL, void *, reallocarray, (void *old, size_t n, size_t size), (old, n, size));
WRAP(NULL, char *, realpath, (const char *path, char *resolved), (path, resolved));
WRAP(NULL, FILE *, open_memstream, (char **text, size_t *size), (text, size));
WRAP(NULL, DIR *, opendir, (const char *path), (path));

static int fdopendir_errno;

void fail_fdopendir(int err)
{
	fdopendir_errno = err;
}

DIR *__real_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd);

DIR *__wrap_fdopendir(int fd)
{
	if (fdopendir_errno) {
		errno = fdopendir_errno;
		return NULL;
	}
	return fails() ? NULL : __real_fdopendir(fd);
}

WRAP(NULL, struct json_object *, json_object_new_array, (void), ());
WRAP(NULL, struct json_object *, json_object_new_boolean, (json_bool b), (b));
WRAP(NULL, struct json_object *, json_object_new_double, (double d), (d));
WRAP(NULL, struct json_object *, json_object_new_double_s, (double d, const char *s), (d, s));
WRAP(NULL, struct json_object *, json_object_new_int, (int32_t i), (i));
WRAP(NULL, struct json_object *, json_object_new_int64, (int64_t i), (i));
WRAP(NULL, struct json_object *, json_object_new_object, (void), ());
WRAP(NULL, struct json_object *, json_object_new_string, (const char *s), (s));
WRAP(NULL, struct json_object *, json_object_new_string_len, (const char *s, const int len),
     (s, len));
WRAP(NULL, const char *, json_object_to_json_string_ext, (struct json_object * json, int flags),
     (json, flags));

WRAP(NULL, void *, dlopen, (const char *file, int mode), (file, mode));

/* The library finds HMAC() in a library that it loads: what it finds is this one. */
static __typeof__(&HMAC) real_hmac;

static unsigned char *failing_hmac(const EVP_MD *md, const void *key, int key_len,
				   const unsigned char *data, size_t n, unsigned char *ret,
				   unsigned int *len)
{
	return fails() ? NULL : real_hmac(md, key, key_len, data, n, ret, len);
}

void *__real_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name);

void *__wrap_dlsym(void *library, const char *name)
{
	__typeof__(&HMAC) instead = failing_hmac;
	void *found = fails() ? NULL : __real_dlsym(library, name);

	if (!found || strcmp(name, "HMAC"))
		return found;
	memcpy(&real_hmac, &found, sizeof(found));
	memcpy(&found, &instead, sizeof(found));
	return found;
}

WRAP(-1, ssize_t, __getdelim, (char **line, size_t *n, int delimiter, FILE *file),
     (line, n, delimiter, file));
WRAP(-1, int, scandir64,
     (const char *path, struct dirent64 ***ret, int (*filter)(const struct dirent64 *),
      int (*order)(const struct dirent64 **, const struct dirent64 **)),
     (path, ret, filter, order));
WRAP(ENOMEM, int, posix_memalign, (void **ret, size_t alignment, size_t size),
     (ret, alignment, size));
WRAP(-1, int, getifaddrs, (struct ifaddrs * *ret), (ret));
WRAP(EAI_MEMORY, int, getaddrinfo,
     (const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **ret),
     (node, service, hints, ret));
WRAP(-1, int, json_object_array_add, (struct json_object * array, struct json_object *value),
     (array, value));
WRAP(-1, int, json_object_object_add,
     (struct json_object * object, const char *key, struct json_object *value),
     (object, key, value));
WRAP(-1, int, json_object_object_add_ex,
     (struct json_object * object, const char *const key, struct json_object *const value,
      const unsigned int options),
     (object, key, value, options));
WRAP(-1, int, keyctl_describe_alloc, (key_serial_t id, char **ret), (id, ret));
WRAP(-1, int, keyctl_read_alloc, (key_serial_t id, void **ret), (id, ret));

int __real_vasprintf(char **ret, const char *fmt, va_list args);
int __wrap_vasprintf(char **ret, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));
int __wrap_asprintf(char **ret, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What a failing asprintf() leaves behind is undefined: make it hurt. */
#define POISON ((char *)0x10)

int __wrap_vasprintf(char **ret, const char *fmt, va_list args)
{
	if (!fails())
		return __real_vasprintf(ret, fmt, args);
	*ret = POISON;
	return -1;
}

int __wrap_asprintf(char **ret, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = __wrap_vasprintf(ret, fmt, args);
	va_end(args);
	return n;
}

static long current;

void fail_alloc_begin(void)
{
	fail_alloc_after(current);
}

void fail_alloc_end(void)
{
	fail_alloc_after(-1);
}

static void each(_Bool (*once)(void))
{
	for (current = 0; current < MANY; current++) {
		bool done = once();

		if (!fail_alloc_happened()) {
			assert_true(current > 0);
			assert_true(done);
			return;
		}
	}
	fail_msg("more than %d allocations", MANY);
}

void fail_alloc_each(_Bool (*once)(void))
{
	each(once);
	for_good = true;
	each(once);
	for_good = false;
}
