// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Communication with the service manager: signals, and notifications of sd_notify(3), which are
 * datagrams of lines.
 */
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "keep.h"

/*
 * Fill in the address of a path, or of an abstract socket with a leading '@'. Return its length, or
 * 0 if the name is invalid or too long.
 */
static socklen_t address_of(const char *name, struct sockaddr_un *ret)
{
	const size_t n = strlen(name);

	if (n < 2 || n >= sizeof(ret->sun_path) || (*name != '/' && *name != '@'))
		return 0;
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(ret->sun_path, name, n);
	if (*name == '@')
		ret->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n + (*name == '/'));
}

void keep_notify(const char *fmt, ...)
{
	const char *name = getenv("NOTIFY_SOCKET");
	_cleanup_(free) char *text = NULL;
	struct sockaddr_un address;
	socklen_t size = name ? address_of(name, &address) : 0;
	va_list ap;
	int fd, n;

	if (!size)
		return;
	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0) {
		text = NULL;
		return;
	}
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* Errors are ignored: keep works without a service manager. */
	(void)!sendto(fd, text, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT, (void *)&address, size);
	close(fd);
}

void keep_notify_reloading(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	keep_notify("RELOADING=1\nMONOTONIC_USEC=%" PRId64,
		    now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000);
}

int keep_notify_watchdog(void)
{
	const char *usec = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
	unsigned long long value;
	char *end;

	if (!usec || *usec < '0' || *usec > '9' || (pid && atol(pid) != (long)getpid()))
		return -1;
	errno = 0;
	value = strtoull(usec, &end, 10);
	if (errno || *end || !value)
		return -1;
	value /= 2 * 1000;
	return value < 1 ? 1 : value > 3600000 ? 3600000 : (int)value;
}

int keep_notify_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int64_t keep_clock_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}
