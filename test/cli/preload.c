// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A stand-in for the kernel, loaded before the nvme command: /dev/nvme-fabrics, /dev/nvmeN, /dev/kmsg,
 * delete_controller, iopolicy and the files under /etc/nvme and /run/nvme. Everything comes from and goes to
 * the directory $FAKE_DIR:
 *
 *	written			appended: what was written to the kernel, one line each
 *	fabrics-options		what reading /dev/nvme-fabrics returns, if empty EINVAL; no file: no such device
 *	answer.N		what the Nth write to it causes, from 1, one line each:
 *				"reply TEXT", "errno N", "kmsg TEXT", "record RECORD",
 *				"symlink TARGET PATH"
 *	nvmeN/			device /dev/nvmeN exists; ngNnM/ as well
 *	nvmeN/admin-OO-LL	data of admin opcode OO (hex) with low byte LL of CDW10; io-OO-LL
 *	nvmeN/admin-OO-LL@K	the same for the Kth such command, where it differs
 *	...-LL.got		written: the data of the last such command that sends some
 *	nvmeN/nsid		the namespace that the device stands for (1); .errno: asking for it fails
 *	...-LL.status .result	completion status and result, decimal; .errno: the ioctl fails
 *	nvmeN/otherwise		the same for every other command; no file: invalid opcode
 *	failing			the number of the command, from 1 and over all devices, that fails with
 *				status 0x4006, Internal Error
 *	whole-commands		if it is there: every field of a command is noted, and the data sent
 *	NAME.claimed		opening device NAME exclusively fails, as somebody has done so, or
 *				with the number that it holds
 *	slept			if it is there: nobody sleeps; appended, how many seconds, one line each
 *	euid			the user that the command runs as
 *	delete-errno		writing delete_controller fails with this
 *	opened			if it is there: appended, what was opened, one path each
 *	count			if it is there: a byte is appended at each connect string, and N counts on
 *				from one process to the next
 *	calling			if it is there: appended at each connect string, how many sockets
 *				still wait for an answer
 *	endless-log		if it is there: the kernel's log has no end that is found
 *	unreadable		NAME ERRNO: reading an attribute of /sys of that name fails with this
 *	root/			replaces / for /etc/nvme, /run/nvme, /lib/modules, /proc/self/mountinfo and
 *				/proc/swaps
 *
 * A device has the kind and number that the made-up /sys gives it. It writes the data and metadata of a command
 * up to the ends of their pages, and refuses other data there in what it reads, unless $FAKE_EXACT is set.
 */
/* open() and open64() are two symbols here. */
#undef _FILE_OFFSET_BITS

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload.h"

#define MAX_FD 1024
#define MAX_RECORDS 64

enum kind { REAL, FABRICS, DEVICE, KMSG, DELETE, POLICY, CALL };

static struct {
	enum kind kind;
	char name[256]; /* device, or path of delete_controller */
	bool answered; /* FABRICS: a connect string was written */
	size_t position; /* of the next read */
} files[MAX_FD];

static char *records[MAX_RECORDS];
static size_t n_records;
/* Who writes to a fabrics device reads its answer: threads may connect at a time. */
static _Thread_local char reply[4096];

/* The C library's own function behind @name. */
void *preload_next(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function) {
		fprintf(stderr, "preload: no %s\n", name);
		_exit(99);
	}
	return function;
}

int preload_open(const char *path, int flags, mode_t mode)
{
	return REAL_FUNCTION(int, open, const char *, int, ...)(path, flags, mode);
}

/* Where a path really leads, until the thread asks for another one. */
static const char *redirect(const char *path)
{
	static const char *const prefixes[] = { "/etc/nvme", "/run/nvme", "/lib/modules",
						"/proc/self/mountinfo", "/proc/swaps" };
	static _Thread_local char redirected[4096];
	const char *sysfs = getenv("LIBNVME_SYSFS_PATH");

	/* Debian's show-regs has it without the variable. */
	if (sysfs && !strncmp(path, "/sys/class/nvme/", 16)) {
		snprintf(redirected, sizeof(redirected), "%s%s", sysfs, path);
		return redirected;
	}

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		if (strncmp(path, prefixes[i], strlen(prefixes[i])))
			continue;
		snprintf(redirected, sizeof(redirected), "%s/root%s", preload_dir(), path);
		return redirected;
	}
	return path;
}

static int register_fd(int fd, enum kind kind, const char *name)
{
	if (fd < 0 || fd >= MAX_FD)
		return fd;
	memset(&files[fd], 0, sizeof(files[fd]));
	files[fd].kind = kind;
	snprintf(files[fd].name, sizeof(files[fd].name), "%.255s", name);
	return fd;
}

static enum kind kind_of(int fd)
{
	return fd >= 0 && fd < MAX_FD ? files[fd].kind : REAL;
}

/* A character device stands in for those of NVMe: callers check for one. */
static int open_null(enum kind kind, const char *name)
{
	return register_fd(preload_open("/dev/null", O_RDWR | O_CLOEXEC, 0), kind, name);
}

static int open_dev(const char *name, int flags)
{
	char file[64];
	long err;

	snprintf(file, sizeof(file), "%.32s.claimed", name);
	if (flags & O_EXCL && preload_exists(file)) {
		err = preload_load_number(file, EBUSY);
		errno = err ? (int)err : EBUSY;
		return -1;
	}
	snprintf(file, sizeof(file), "%.32s.open-errno", name);
	err = preload_load_number(file, 0);
	if (err) {
		errno = (int)err;
		return -1;
	}
	if (!strcmp(name, "nvme-fabrics") ? preload_exists("fabrics-options")
					  : preload_exists(name))
		return open_null(strcmp(name, "nvme-fabrics") ? DEVICE : FABRICS, name);
	errno = ENOENT;
	return -1;
}

static bool ends_with(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n >= m && !strcmp(path + n - m, end);
}

/* Of NVMe's: a controller, a namespace, a partition, or the generic device of a namespace. */
static bool is_device(const char *path)
{
	return !strncmp(path, "/dev/nvme", 9) || !strncmp(path, "/dev/ng", 7);
}

/* errno is set then. */
static bool is_unreadable(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *line = preload_exists("unreadable") ? preload_load("unreadable", NULL) : NULL;
	char name[64] = "";
	int err = 0;
	bool is;

	is = line && sscanf(line, "%63s %d", name, &err) == 2 && slash && !strcmp(slash + 1, name);
	free(line);
	if (is)
		errno = err;
	return is;
}

static int fake_openat(int dirfd, const char *path, int flags, mode_t mode)
{
	char link[64], where[4096];
	ssize_t n;
	int fd;

	if (is_device(path))
		return open_dev(path + 5, flags);
	if (!strcmp(path, "/dev/kmsg"))
		return open_null(KMSG, path);
	path = redirect(path);
	if (is_unreadable(path))
		return -1;
	fd = REAL_FUNCTION(int, openat, int, const char *, int, ...)(dirfd, path, flags, mode);
	if (fd < 0 || fd >= MAX_FD)
		return fd;
	register_fd(fd, REAL, "");
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, where, sizeof(where) - 2);
	n = n < 0 ? 0 : n;
	where[n] = '\n';
	preload_append("opened", 0, where, (size_t)n + 1);
	where[n] = '\0';
	if (ends_with(path, "iopolicy"))
		return register_fd(fd, POLICY, "");
	return ends_with(path, "delete_controller") ? register_fd(fd, DELETE, where) : fd;
}

static mode_t mode_of(int flags, va_list ap)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
	mode_t mode;
	va_list ap;

	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	return fake_openat(AT_FDCWD, path, flags, mode);
}

int openat(int dirfd, const char *path, int flags, ...)
{
	mode_t mode;
	va_list ap;

	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	return fake_openat(dirfd, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	return REAL_FUNCTION(FILE *, fopen64, const char *, const char *)(redirect(path), mode);
}

/* What open() of two arguments is in a fortified program, Debian's for example. */
int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
	return fake_openat(AT_FDCWD, path, flags, 0);
}

/* Every file is a large one. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int dirfd, const char *path, int flags, ...) __attribute__((alias("openat")));
FILE *fopen64(const char *path, const char *mode) __attribute__((alias("fopen")));
int __open64_2(const char *path, int flags) __attribute__((alias("__open_2")));

int access(const char *path, int mode)
{
	return REAL_FUNCTION(int, access, const char *, int)(redirect(path), mode);
}

int mkdir(const char *path, mode_t mode)
{
	return REAL_FUNCTION(int, mkdir, const char *, mode_t)(redirect(path), mode);
}

int unlink(const char *path)
{
	return REAL_FUNCTION(int, unlink, const char *)(redirect(path));
}

/* The library is built for large files. */
int stat64(const char *path, struct stat64 *st)
{
	bool is_fake = is_device(path) && preload_exists(path + 5);
	int ret = REAL_FUNCTION(int, stat64, const char *,
				struct stat64 *)(is_fake ? "/dev/null" : redirect(path), st);

	if (is_fake)
		preload_describe(path + 5, st);
	return ret;
}

int fstatat64(int dirfd, const char *path, struct stat64 *st, int flags)
{
	return REAL_FUNCTION(int, fstatat64, int, const char *, struct stat64 *,
			     int)(dirfd, redirect(path), st, flags);
}

int fstat64(int fd, struct stat64 *st)
{
	int ret = REAL_FUNCTION(int, fstat64, int, struct stat64 *)(fd, st);

	if (!ret && kind_of(fd) == DEVICE)
		preload_describe(files[fd].name, st);
	return ret;
}

/* struct stat is struct stat64 where there are 64 bits. */
int fstat(int fd, struct stat *st)
{
	return fstat64(fd, (struct stat64 *)(void *)st);
}

DIR *opendir(const char *path)
{
	return REAL_FUNCTION(DIR *, opendir, const char *)(redirect(path));
}

/* Nothing leaves this machine. */
int connect(int fd, const struct sockaddr *address, socklen_t size)
{
	const struct sockaddr_in *in = (const void *)address;
	const struct sockaddr_in6 *in6 = (const void *)address;
	int ret;

	if ((address->sa_family == AF_INET && ntohl(in->sin_addr.s_addr) >> 24 != 127) ||
	    (address->sa_family == AF_INET6 && !IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr))) {
		errno = ENETUNREACH;
		return -1;
	}
	ret = REAL_FUNCTION(int, connect, int, const struct sockaddr *, socklen_t)(fd, address,
										   size);
	if (ret && errno == EINPROGRESS)
		register_fd(fd, CALL, "");
	return ret;
}

static void note_calls(void)
{
	char line[16];
	int n = 0;

	for (int fd = 0; fd < MAX_FD; fd++)
		n += files[fd].kind == CALL;
	preload_append("calling", 0, line, (size_t)snprintf(line, sizeof(line), "%d\n", n));
}

int close(int fd)
{
	if (fd >= 0 && fd < MAX_FD)
		files[fd].kind = REAL;
	return REAL_FUNCTION(int, close, int)(fd);
}

off_t lseek(int fd, off_t offset, int whence)
{
	if (kind_of(fd) != KMSG)
		return REAL_FUNCTION(off_t, lseek, int, off_t, int)(fd, offset, whence);
	if (preload_exists("endless-log")) {
		errno = ESPIPE;
		return -1;
	}
	files[fd].position = whence == SEEK_END ? n_records : 0;
	return 0;
}

off64_t lseek64(int fd, off64_t offset, int whence)
{
	return lseek(fd, offset, whence);
}

/* One more piece of @text from where the last read ended. */
static ssize_t read_text(int fd, const char *text, void *buffer, size_t size)
{
	size_t left = strlen(text) - files[fd].position;

	if (size > left)
		size = left;
	memcpy(buffer, text + files[fd].position, size);
	files[fd].position += size;
	return (ssize_t)size;
}

static ssize_t read_kmsg(int fd, char *buffer, size_t size)
{
	if (files[fd].position >= n_records) {
		errno = EAGAIN;
		return -1;
	}
	return snprintf(buffer, size, "%s", records[files[fd].position++]);
}

ssize_t read(int fd, void *buffer, size_t size)
{
	char *text;
	ssize_t n;

	switch (kind_of(fd)) {
	case KMSG:
		return read_kmsg(fd, buffer, size);
	case FABRICS:
		if (files[fd].answered)
			return read_text(fd, reply, buffer, size);
		text = preload_load("fabrics-options", NULL);
		n = text && *text ? read_text(fd, text, buffer, size) : -1;
		free(text);
		if (n < 0)
			errno = EINVAL;
		return n;
	default:
		return REAL_FUNCTION(ssize_t, read, int, void *, size_t)(fd, buffer, size);
	}
}

/* Adds a record to the kernel log, with a second line as those of devices have it. */
static void log_record(const char *prefix, const char *text)
{
	preload_pause_failures(true);
	if (n_records < MAX_RECORDS &&
	    asprintf(&records[n_records], "%s%s\n SUBSYSTEM=nvme\n", prefix, text) > 0)
		n_records++;
	preload_pause_failures(false);
}

/* Does what a line of an answer says; returns the errno that it asks for, or 0. */
static int act(char *line)
{
	char *word = strsep(&line, " "), *target;

	if (!line)
		return 0;
	if (!strcmp(word, "reply")) {
		snprintf(reply, sizeof(reply), "%s\n", line);
	} else if (!strcmp(word, "kmsg")) {
		log_record("3,1,1,-;", line);
	} else if (!strcmp(word, "record")) {
		log_record("", line);
	} else if (!strcmp(word, "symlink")) {
		target = strsep(&line, " ");
		if (!line || symlink(target, line))
			return EIO;
	} else if (!strcmp(word, "errno")) {
		return atoi(line);
	}
	return 0;
}

/* The number of this connect, which is the number of its answer, also for threads. */
static unsigned int count_connect(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static unsigned int n_connects;
	unsigned int n;
	char *bytes;
	size_t size = 0;

	pthread_mutex_lock(&lock);
	preload_append("count", 0, ".", 1);
	bytes = preload_load("count", &size);
	n = n_connects = bytes ? (unsigned int)size : n_connects + 1;
	pthread_mutex_unlock(&lock);
	free(bytes);
	return n;
}

int preload_raise(int err)
{
	if (err == EPIPE)
		pthread_kill(pthread_self(), SIGPIPE);
	return err;
}

static ssize_t write_fabrics(int fd, const char *line, size_t size)
{
	char name[32], *answer, *rest;
	int err = 0;

	preload_note("connect %.*s\n", (int)size, line);
	note_calls();
	snprintf(name, sizeof(name), "answer.%u", count_connect());
	answer = rest = preload_load(name, NULL);
	if (!answer) {
		errno = EINVAL;
		return -1;
	}
	for (char *next_line; (next_line = strsep(&rest, "\n")) != NULL;) {
		int asked = act(next_line);

		err = asked ? asked : err;
	}
	free(answer);
	files[fd].answered = true;
	files[fd].position = 0;
	errno = preload_raise(err);
	return err ? -1 : (ssize_t)size;
}

/* The controller leaves /sys: its class link and the one in its subsystem. */
static ssize_t write_delete(int fd, size_t size)
{
	char *path = files[fd].name, *slash = strrchr(path, '/');
	char command[4096], *name;
	int err = (int)preload_load_number("delete-errno", 0);

	*slash = '\0';
	name = strrchr(path, '/') + 1;
	preload_note("delete %s\n", name);
	if (err) {
		errno = preload_raise(err);
		return -1;
	}
	snprintf(command, sizeof(command), "%s/sys/class/nvme/%s", getenv("LIBNVME_SYSFS_PATH"),
		 name);
	unlink(command);
	for (int i = 0; i < 64; i++) {
		snprintf(command, sizeof(command), "%s/sys/class/nvme-subsystem/nvme-subsys%d/%s",
			 getenv("LIBNVME_SYSFS_PATH"), i, name);
		unlink(command);
	}
	return (ssize_t)size;
}

static ssize_t write_policy(int fd, const char *name, size_t size)
{
	static const char *const known[] = { "numa", "round-robin", "queue-depth" };

	preload_note("iopolicy %.*s\n", (int)size, name);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i]) == size && !memcmp(known[i], name, size))
			return REAL_FUNCTION(ssize_t, write, int, const void *, size_t)(fd, name,
											size);
	errno = EINVAL;
	return -1;
}

ssize_t write(int fd, const void *buffer, size_t size)
{
	switch (kind_of(fd)) {
	case FABRICS:
		return write_fabrics(fd, buffer, size);
	case DELETE:
		return write_delete(fd, size);
	case POLICY:
		return write_policy(fd, buffer, size);
	default:
		return REAL_FUNCTION(ssize_t, write, int, const void *, size_t)(fd, buffer, size);
	}
}

int ioctl(int fd, unsigned long request, ...)
{
	int ret, err = errno;
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (kind_of(fd) != DEVICE)
		return REAL_FUNCTION(int, ioctl, int, unsigned long, ...)(fd, request, arg);
	ret = preload_device_ioctl(files[fd].name, request, arg);
	if (ret >= 0)
		errno = err; /* as a system call does */
	return ret;
}
