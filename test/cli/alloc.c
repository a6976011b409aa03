// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Runs a whole program once for each of its allocations, which fails: those of its libraries and of
 * the C library as well. Loaded before the program, it forks in its constructor; each child goes on
 * as the program in a directory of its own:
 *
 *	$ALLOC_DIR/template/	files that each run begins with
 *	$ALLOC_DIR/SN, FN	a run in which allocation N fails alone (S), or with all that follow (F):
 *				its files, out, err, and status as waitpid() has it
 *	$ALLOC_DIR/S0		the run in which nothing fails
 *
 * After each run, the shell script $ALLOC_AFTER is called with the name of its directory: it puts what
 * the run has changed elsewhere back as it was.
 *
 * With $ALLOC_TRACE, err has the calls that led to an allocation which failed, for addr2line(1).
 *
 * It ends with the first run of each kind that does not get as far as allocation N.
 */
#undef _FILE_OFFSET_BITS

#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 20000

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong count;
static unsigned long fail_at; /* 0: none */
static bool all_that_follow;
static bool *reached; /* shared with the parent */
static _Thread_local unsigned int paused;

/* The stand-in for the kernel needs no memory of the program. */
void fail_alloc_pause(bool pause)
{
	paused += pause ? 1 : (unsigned int)-1;
}

static void trace(void)
{
	void *calls[32];

	fail_alloc_pause(true);
	backtrace_symbols_fd(calls, backtrace(calls, 32), STDERR_FILENO);
	fail_alloc_pause(false);
}

static bool fails(void)
{
	unsigned long n;

	if (!fail_at || paused)
		return false;
	n = ++count;
	if (n != fail_at && !(all_that_follow && n > fail_at))
		return false;
	*reached = true;
	if (getenv("ALLOC_TRACE"))
		trace();
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size)
{
	return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return memalign(alignment, size);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
	void *memory = memalign(alignment, size);

	if (!memory)
		return ENOMEM;
	*ret = memory;
	return 0;
}

static void stop(const char *what)
{
	perror(what);
	_exit(99);
}

static void copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	char bytes[4096];
	ssize_t n;

	if (in < 0 || out < 0)
		stop(to);
	while ((n = read(in, bytes, sizeof(bytes))) > 0)
		if (write(out, bytes, (size_t)n) != n)
			stop(to);
	close(in);
	close(out);
}

static void enter(const char *dir)
{
	DIR *template = opendir("template");
	struct dirent *entry;
	char from[512], to[512];

	if (mkdir(dir, 0755))
		stop(dir);
	while (template && (entry = readdir(template))) {
		snprintf(from, sizeof(from), "template/%.255s", entry->d_name);
		snprintf(to, sizeof(to), "%s/%.255s", dir, entry->d_name);
		if (*entry->d_name != '.')
			copy(from, to);
	}
	if (template)
		closedir(template);
	if (chdir(dir))
		stop(dir);
}

static void redirect_to(const char *file, int fd)
{
	int opened = open(file, O_WRONLY | O_CREAT | O_EXCL, 0644);

	if (opened < 0 || dup2(opened, fd) < 0)
		stop(file);
	close(opened);
}

static void call_after(char *dir)
{
	char *script = getenv("ALLOC_AFTER");
	char shell[] = "/bin/sh", path[] = "PATH=/usr/bin:/bin";
	char *argv[] = { shell, script, dir, NULL };
	char *env[] = { path, NULL };
	int status;
	pid_t child;

	if (!script)
		return;
	child = fork();
	if (!child) {
		execve(shell, argv, env);
		stop(shell);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		stop(script);
}

/* True in the child, which is the program. */
static bool run(unsigned long n, bool follow)
{
	char dir[32], path[64];
	int status, fd;
	pid_t child;

	snprintf(dir, sizeof(dir), "%c%lu", follow ? 'F' : 'S', n);
	*reached = false;
	child = fork();
	if (child < 0)
		stop("fork");
	if (!child) {
		enter(dir);
		redirect_to("out", STDOUT_FILENO);
		redirect_to("err", STDERR_FILENO);
		alarm(60);
		fail_at = n;
		all_that_follow = follow;
		return true;
	}
	if (waitpid(child, &status, 0) != child)
		stop("waitpid");
	snprintf(path, sizeof(path), "%s/status", dir);
	fd = open(path, O_WRONLY | O_CREAT, 0644);
	if (fd < 0 || dprintf(fd, "%d\n", status) < 0)
		stop(path);
	close(fd);
	call_after(dir);
	return false;
}

__attribute__((constructor)) static void run_all(void)
{
	const char *dir = getenv("ALLOC_DIR");

	if (!dir)
		return;
	if (chdir(dir))
		stop(dir);
	reached = mmap(NULL, sizeof(*reached), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (reached == MAP_FAILED)
		stop("mmap");
	if (run(0, false))
		return;
	for (int follow = 0; follow < 2; follow++) {
		for (unsigned long n = 1; n < MOST; n++) {
			if (run(n, follow))
				return;
			if (!*reached)
				break;
		}
	}
	_exit(0);
}
