// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The first process of the lab's guest: loads the modules that mounting needs, puts the root
 * together, runs the commands of /job in order and powers the machine off.
 *
 * A fork costs 50 ms without KVM, so nothing here is a shell script and nothing runs that was
 * not asked for. Whatever fails is named on the console (ttyS0), where the kernel log goes too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

#define MAX_ARGS 256
#define LEAK_AGE_S 6 /* kmemleak reports no object that is younger than 5 s */
#define DEVICE_WAITS 500 /* of 10 ms each: how long a disk may take to appear */

struct mount_step {
	const char *source;
	const char *target;
	const char *type;
	unsigned long flags;
	const char *options;
};

/* /new is the writable view of the root image; the kernel's interfaces are mounted in it anew. */
static const struct mount_step root_mounts[] = {
	{ "/dev/vda", "/lower", "erofs", MS_RDONLY, NULL },
	{ "rw", "/rw", "tmpfs", 0, "size=50%" },
	{ "root", "/new", "overlay", 0, "lowerdir=/lower,upperdir=/rw/upper,workdir=/rw/work" },
	{ "/dev/vdb", "/new/usr/lib/modules", "erofs", MS_RDONLY, NULL },
	{ "dev", "/new/dev", "devtmpfs", 0, NULL },
	{ "devpts", "/new/dev/pts", "devpts", 0, "mode=620,ptmxmode=666" },
	{ "shm", "/new/dev/shm", "tmpfs", 0, NULL },
	{ "proc", "/new/proc", "proc", 0, NULL },
	{ "sysfs", "/new/sys", "sysfs", 0, NULL },
	{ "debugfs", "/new/sys/kernel/debug", "debugfs", 0, NULL },
	{ "run", "/new/run", "tmpfs", 0, "mode=755" },
	{ "tmp", "/new/tmp", "tmpfs", 0, "mode=1777" },
};

static void power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

static void __attribute__((format(printf, 1, 2), noreturn)) die(const char *fmt, ...)
{
	int err = errno;
	va_list ap;

	fprintf(stderr, "lab init: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, ": %s\n", strerror(err));
	power_off();
	_exit(1);
}

static void pause_10ms(void)
{
	struct timespec ts = { .tv_nsec = 10 * 1000 * 1000 };

	nanosleep(&ts, NULL);
}

static char *slurp(const char *path, size_t *ret_len)
{
	size_t len = 0, room = 64 * 1024;
	char *text = malloc(room);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0 || !text)
		die("%s", path);
	while ((n = read(fd, text + len, room - len - 1)) > 0) {
		len += (size_t)n;
		if (len + 1 == room) {
			room *= 2;
			text = realloc(text, room);
			if (!text)
				die("%s", path);
		}
	}
	if (n < 0)
		die("%s", path);
	close(fd);
	text[len] = '\0';
	*ret_len = len;
	return text;
}

static void load_modules(void)
{
	size_t len;
	char *list = slurp("/modules/order", &len), *save = NULL;

	for (char *name = strtok_r(list, "\n", &save); name; name = strtok_r(NULL, "\n", &save)) {
		char path[256];
		int fd;

		snprintf(path, sizeof(path), "/modules/%s", name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			die("%s", path);
		if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
			die("loading %s", name);
		close(fd);
	}
	free(list);
}

static void make_directories(const char *path)
{
	char part[4096];

	for (size_t i = 1; path[i - 1]; i++) {
		if (i >= sizeof(part))
			die("%s: path too long", path);
		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (mkdir(part, 0755) && errno != EEXIST)
			die("creating %s", part);
		if (path[i] == '\0')
			break;
	}
}

static void mount_one(const struct mount_step *step)
{
	make_directories(step->target);
	for (int i = 0; step->source[0] == '/' && access(step->source, F_OK); i++) {
		if (i == DEVICE_WAITS)
			die("%s did not appear", step->source);
		pause_10ms();
	}
	if (mount(step->source, step->target, step->type, step->flags, step->options))
		die("mounting %s on %s", step->source, step->target);
}

static void build_root(void)
{
	make_directories("/rw");
	for (size_t i = 0; i < sizeof(root_mounts) / sizeof(root_mounts[0]); i++) {
		mount_one(&root_mounts[i]);
		if (!strcmp(root_mounts[i].target, "/rw")) {
			make_directories("/rw/upper");
			make_directories("/rw/work");
		}
	}
}

static void enter_root(void)
{
	if (chdir("/new") || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
		die("entering the root");
}

/* A share of the host: "tag:path:mode", mode being ro or rw. */
static void mount_share(char *spec)
{
	char *path = strchr(spec, ':'), *mode = path ? strchr(path + 1, ':') : NULL;
	struct mount_step step = { .source = spec, .type = "9p" };

	errno = EINVAL;
	if (!mode)
		die("share %s", spec);
	*path++ = *mode++ = '\0';
	step.target = path;
	if (!strcmp(mode, "ro")) {
		step.flags = MS_RDONLY;
		step.options = "trans=virtio,version=9p2000.L,msize=524288,cache=loose";
	} else {
		step.options = "trans=virtio,version=9p2000.L,msize=524288,cache=none";
	}
	mount_one(&step);
}

/* A name under which the host knows a share: "path:target". */
static void link_name(char *spec)
{
	char *target = strchr(spec, ':'), *slash;
	char parent[4096];

	errno = EINVAL;
	if (!target)
		die("link %s", spec);
	*target++ = '\0';
	snprintf(parent, sizeof(parent), "%s", spec);
	slash = strrchr(parent, '/');
	if (slash && slash != parent) {
		*slash = '\0';
		make_directories(parent);
	}
	if (symlink(target, spec) && errno != EEXIST)
		die("linking %s", spec);
}

/* What shells and scripts find in /dev elsewhere, made by udev or its like. */
static void link_descriptors(void)
{
	static const char *const links[][2] = {
		{ "/proc/self/fd", "/dev/fd" },
		{ "/proc/self/fd/0", "/dev/stdin" },
		{ "/proc/self/fd/1", "/dev/stdout" },
		{ "/proc/self/fd/2", "/dev/stderr" },
	};

	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		if (symlink(links[i][0], links[i][1]) && errno != EEXIST)
			die("linking %s", links[i][1]);
}

static void raise_loopback(void)
{
	struct ifreq ifr = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	ifr.ifr_flags = IFF_UP;
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &ifr))
		die("raising lo");
	close(fd);
}

/* One connection over loopback; a kernel without the family or the protocol has nothing to do. */
static void talk_to_self(int family, int protocol)
{
	struct sockaddr_storage addr = { .ss_family = (sa_family_t)family };
	socklen_t len = sizeof(addr);
	int listener = socket(family, SOCK_STREAM | SOCK_CLOEXEC, protocol);
	int client = socket(family, SOCK_STREAM | SOCK_CLOEXEC, protocol), server = -1;
	char byte = 0;

	/* listening without bind() picks a free port on all addresses, connecting there reaches us */
	if (listener >= 0 && client >= 0 && !listen(listener, 1) &&
	    !getsockname(listener, (struct sockaddr *)&addr, &len) &&
	    !connect(client, (struct sockaddr *)&addr, len))
		server = accept(listener, NULL, NULL);
	if (server >= 0 && write(client, &byte, 1) == 1 && read(server, &byte, 1) == 1)
		close(server);
	close(client);
	close(listener);
}

/*
 * The first hook of netfilter or tc patches the functions that receive and send packets, and the
 * last one patches them back. One hook of each kind stays, in a network namespace that stays open.
 */
static void hook_packets(void)
{
	int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), status = 0;
	pid_t pid;

	if (own < 0 || unshare(CLONE_NEWNET))
		die("making a network namespace");
	pid = fork();
	if (!pid) {
		execlp("nft", "nft",
		       "table inet hooks {"
		       " chain a { type filter hook prerouting priority 0; };"
		       " chain b { type filter hook input priority 0; };"
		       " chain c { type filter hook forward priority 0; };"
		       " chain d { type filter hook output priority 0; };"
		       " chain e { type filter hook postrouting priority 0; }; };"
		       "table netdev hooks {"
		       " chain a { type filter hook ingress device lo priority 0; };"
		       " chain b { type filter hook egress device lo priority 0; }; }",
		       NULL);
		_exit(127); /* a root without nft makes no hooks later either */
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || (status && status != 127 << 8) ||
	    open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC) < 0 || setns(own, CLONE_NEWNET))
		die("running nft");
	close(own);
}

/*
 * Without KVM the kernel starts on one processor: QEMU 7.2 may run code that it translated while
 * the kernel was patching it on another one ("Oops: int3" in the function patched). What the
 * network patches on its first connections and hooks is patched before the others come up.
 */
static void bring_up_processors(void)
{
	char path[64];

	if (access("/sys/devices/system/cpu/cpu1/online", F_OK))
		return;
	hook_packets();
	talk_to_self(AF_INET, 0);
	talk_to_self(AF_INET6, 0);
	talk_to_self(AF_INET, IPPROTO_MPTCP);
	talk_to_self(AF_INET6, IPPROTO_MPTCP);
	for (int i = 0; i < 5; i++)
		pause_10ms(); /* the patching itself is left to a kernel worker */
	for (int cpu = 1;; cpu++) {
		int fd;

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			return;
		if (write(fd, "1", 1) != 1)
			die("starting processor %d", cpu);
		close(fd);
	}
}

static void size_terminal(void)
{
	const char *rows = getenv("LINES"), *columns = getenv("COLUMNS");
	struct winsize size = { .ws_row = (unsigned short)atoi(rows ? rows : "24"),
				.ws_col = (unsigned short)atoi(columns ? columns : "80") };

	ioctl(STDIN_FILENO, TIOCSWINSZ, &size);
}

static void __attribute__((noreturn)) child(char **argv, const char *terminal)
{
	bool interactive = strncmp(terminal, "/dev/vport", 10) != 0;
	int in, out;

	setsid();
	out = open(terminal, interactive ? O_RDWR : O_WRONLY);
	in = interactive ? out : open("/dev/null", O_RDONLY);
	if (in < 0 || out < 0)
		die("%s", terminal);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(out, STDERR_FILENO);
	if (interactive) {
		ioctl(STDIN_FILENO, TIOCSCTTY, 0);
		size_terminal();
	}
	for (int fd = STDERR_FILENO + 1; fd < 32; fd++)
		close(fd);
	execvp(argv[0], argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Runs one command; orphans that end meanwhile are reaped. Returns a shell's exit status. */
static int run(char **argv, const char *terminal)
{
	pid_t pid = fork(), ended;
	int status;

	if (pid < 0)
		die("fork");
	if (pid == 0)
		child(argv, terminal);
	do {
		ended = wait(&status);
	} while (ended != pid && (ended > 0 || errno == EINTR));
	if (ended != pid)
		die("waiting for %s", argv[0]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/*
 * Has a kernel with kmemleak look for memory that nothing refers to any more. It reports what two
 * scans found unchanged, in the kernel log.
 */
static void look_for_leaks(void)
{
	int fd = open("/sys/kernel/debug/kmemleak", O_WRONLY);

	if (fd < 0)
		return;
	for (int scan = 0; scan < 2; scan++) {
		sleep(LEAK_AGE_S);
		if (write(fd, "scan", 4) == 4)
			continue;
		if (errno == EPERM) /* kmemleak=off */
			break;
		die("scanning for leaks");
	}
	close(fd);
}

static void report(int status)
{
	FILE *file = fopen("/results/status", "w");

	if (!file || fprintf(file, "%d\n", status) < 0 || fclose(file))
		die("/results/status");
}

/*
 * /job is a sequence of NUL-terminated strings whose first letter says what the rest is:
 * M a share to mount, L a link, D the directory to run in, T the terminal, E an environment
 * variable, A an argument, X (no rest) runs the arguments gathered so far. The first command
 * that fails ends the job.
 */
static int run_job(char *job, size_t len)
{
	const char *terminal = "/dev/vport0p1";
	char *argv[MAX_ARGS + 1];
	int argc = 0, status = 0;

	for (char *word = job; word < job + len && status == 0; word += strlen(word) + 1) {
		switch (word[0]) {
		case 'M':
			mount_share(strdup(word + 1));
			break;
		case 'L':
			link_name(strdup(word + 1));
			break;
		case 'D':
			if (chdir(word + 1))
				die("entering %s", word + 1);
			break;
		case 'T':
			terminal = word + 1;
			break;
		case 'E':
			putenv(word + 1);
			break;
		case 'A':
			if (argc == MAX_ARGS) {
				errno = E2BIG;
				die("command with more than %d arguments", MAX_ARGS);
			}
			argv[argc++] = word + 1;
			break;
		case 'X':
			argv[argc] = NULL;
			status = run(argv, terminal);
			argc = 0;
			break;
		default:
			errno = EINVAL;
			die("job entry '%s'", word);
		}
	}
	return status;
}

int main(void)
{
	static const struct mount_step dev = { "dev", "/dev", "devtmpfs", 0, NULL };
	size_t len;
	char *job;
	int status;

	if (!access("/probe", F_OK)) {
		puts("lab probe: alive");
		fflush(stdout);
		power_off();
	}
	mount_one(&dev);
	load_modules();
	job = slurp("/job", &len);
	build_root();
	enter_root();
	sethostname("lab", 3);
	link_descriptors();
	raise_loopback();
	bring_up_processors();
	status = run_job(job, len);
	look_for_leaks();
	report(status);
	kill(-1, SIGTERM);
	power_off();
	return 0;
}
