// SPDX-License-Identifier: LGPL-2.1-or-later
/* Plain TCP connections that are open at the same time, to find a limit on their number. */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "rules.h"

#define OPEN_MS 3500 /* two more SYNs leave, after 1 and 3 s: a limit on their rate lets one pass */
#define AGAIN_MS 1000 /* the same for one that is refused at once */
#define RELEASE_MS 100 /* connection tracking forgets the connections that were reset */

static void wait_ms(long ms)
{
	const struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&pause, NULL);
}

/* Return a connected socket, or -errno. Closing it resets the connection. */
static int open_one(const struct path_ends *ends)
{
	const struct linger at_once = { .l_onoff = 1 };
	struct sockaddr_storage address;
	int fd = ask_open_bound(ends, SOCK_STREAM, IPPROTO_TCP), err = 0;
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	socklen_t size;

	if (fd < 0)
		return fd;
	size = ask_put_address(&ends->remote.ip, ends->remote.port, ends->ifindex, &address);
	if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)))
		err = errno;
	else if (connect(fd, (struct sockaddr *)&address, size))
		err = errno;
	if (err == EINPROGRESS) {
		size = sizeof(err);
		err = ETIMEDOUT;
		if (poll(&ready, 1, OPEN_MS) > 0 &&
		    getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &size))
			err = errno;
	}
	if (!err)
		return fd;
	close(fd);
	return -err;
}

int ask_open(struct check *c, const struct path_ends *ends, size_t n, size_t *ret)
{
	int fd[MOST_OPEN], err = 0;
	size_t done = 0;

	(void)c;
	for (; done < n && done < MOST_OPEN && !err; done += !err) {
		fd[done] = open_one(&ends[done]);
		if (fd[done] < 0 && fd[done] != -ETIMEDOUT && done && done == n - 1) {
			wait_ms(AGAIN_MS);
			fd[done] = open_one(&ends[done]);
		}
		err = fd[done] < 0 ? fd[done] : 0;
	}
	for (size_t i = 0; i < done; i++)
		close(fd[i]);
	wait_ms(RELEASE_MS);
	*ret = done;
	return err;
}
