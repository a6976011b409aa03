// SPDX-License-Identifier: LGPL-2.1-or-later
/* Files replaced as a whole; test/cli/test_written_files.py has modes and links of commands. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"
#include "shared/file.h"

#define WRITERS 6
#define LINES 15

static char dir[] = "/tmp/shared-file.XXXXXX";
static int signal_at_fsync;
static bool killed_at_rename;

int __real_renameat(int from, const char *old, int to, const char *new);
int __wrap_renameat(int from, const char *old, int to, const char *new);

int __wrap_renameat(int from, const char *old, int to, const char *new)
{
	if (killed_at_rename)
		kill(getpid(), SIGKILL);
	return __real_renameat(from, old, to, new);
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);

int __wrap_fsync(int fd)
{
	if (signal_at_fsync)
		kill(getpid(), signal_at_fsync);
	return __real_fsync(fd);
}

static const char *at(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned int n;
	char *path = paths[n++ % 4];

	snprintf(path, PATH_MAX, "%s/%s", dir, name);
	return path;
}

static void make(const char *name, const char *text, mode_t mode)
{
	FILE *file = fopen(at(name), "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(at(name), mode), 0);
}

static void check(const char *name, const char *text, mode_t mode)
{
	char found[4096] = "";
	struct stat st;
	FILE *file;

	assert_int_equal(lstat(at(name), &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_mode & 07777, mode);
	file = fopen(at(name), "r");
	assert_non_null(file);
	found[fread(found, 1, sizeof(found) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(found, text);
}

static size_t count_files(void)
{
	DIR *opened = opendir(dir);
	size_t n = 0;

	assert_non_null(opened);
	while (readdir(opened))
		n++;
	closedir(opened);
	return n - 2;
}

static int save(const char *name, const char *text, unsigned int flags)
{
	return file_save(at(name), text, strlen(text), flags);
}

static int set_up(void **state)
{
	memcpy(dir + sizeof(dir) - 7, "XXXXXX", 6);
	umask(022);
	return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[PATH_MAX];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

TEST(test_links)
{
	assert_int_equal(mkdir(at("sub"), 0755), 0);
	make("sub/target", "old", 0604);
	assert_int_equal(symlink("sub/target", at("link")), 0);
	assert_int_equal(symlink("link", at("link-to-link")), 0);
	assert_int_equal(save("link-to-link", "new", 0), 0);
	check("sub/target", "new", 0604);
	assert_int_equal(symlink("loop", at("loop")), 0);
	assert_int_equal(save("loop", "x", 0), -ELOOP);
	assert_int_equal(file_add_line(at("link"), "line\n", 0), 0);
	check("sub/target", "new\nline\n", 0604);
}

/* A file that others planted where everybody may write. */
TEST(test_planted)
{
	if (geteuid())
		skip();
	make("victim", "precious", 0644);
	assert_int_equal(mkdir(at("tmp"), 0755), 0);
	assert_int_equal(chmod(at("tmp"), 01777), 0);
	assert_int_equal(symlink("../victim", at("tmp/out")), 0);
	make("tmp/file", "theirs", 0666);
	assert_int_equal(lchown(at("tmp/file"), 65534, 65534), 0);
	assert_int_equal(save("tmp/file", "x", FILE_SECRET), -EACCES);
	assert_int_equal(file_add_line(at("tmp/file"), "x\n", 0), -EACCES);
	check("tmp/file", "theirs", 0666);
	/* One's own links are followed there, too. */
	assert_int_equal(save("tmp/out", "x", 0), 0);
	check("victim", "x", 0644);
}

/* The owner stays who it was. */
TEST(test_owner)
{
	struct stat st;

	if (geteuid())
		skip();
	make("theirs", "old", 0640);
	assert_int_equal(chown(at("theirs"), 65534, 1), 0);
	assert_int_equal(save("theirs", "new", 0), 0);
	check("theirs", "new", 0640);
	assert_int_equal(stat(at("theirs"), &st), 0);
	assert_int_equal(st.st_uid, 65534);
	assert_int_equal(st.st_gid, 1);
}

TEST(test_no_file)
{
	char name[32], text[8] = "";
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", ends[1]);
	assert_int_equal(file_save(name, "a", 1, FILE_SECRET), 0);
	assert_int_equal(symlink(name, at("stdout")), 0);
	assert_int_equal(file_add_line(at("stdout"), "b", 0), 0);
	assert_int_equal(save("stdout", "c", FILE_END_LINE), 0);
	assert_int_equal(read(ends[0], text, sizeof(text) - 1), 4);
	assert_string_equal(text, "abc\n");
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(file_save("/dev/null", "x", 1, FILE_SECRET), 0);
	/* A file that is open already is added to, not replaced under whoever has it. */
	make("log", "first\n", 0644);
	ends[0] = open(at("log"), O_WRONLY);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", ends[0]);
	assert_int_equal(file_save(name, "second", 6, FILE_END_LINE), 0);
	close(ends[0]);
	check("log", "first\nsecond\n", 0644);
}

TEST(test_refused)
{
	char name[300];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(save("", "x", 0), -EISDIR);
	assert_int_equal(file_save("", "x", 1, 0), -ENOENT);
	assert_int_equal(save(name, "x", 0), -ENAMETOOLONG);
	/* The longest that a file can have is one, and one more is none. */
	name[NAME_MAX + 1] = '\0';
	assert_int_equal(save(name, "x", 0), -ENAMETOOLONG);
	name[NAME_MAX] = '\0';
	assert_int_equal(save(name, "x", 0), 0);
	assert_int_equal(unlink(at(name)), 0);
	make("file", "old", 0444);
	assert_int_equal(save("file/below", "x", 0), -ENOTDIR);
	if (geteuid())
		assert_int_equal(save("file", "x", 0), -EACCES);
	check("file", "old", 0444);
	assert_int_equal(count_files(), 1);
}

static void assert_ends_by(pid_t child, int signal_number)
{
	int status;

	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), signal_number);
}

/* In a child, which ends by it: nothing of it is left, and the file is one or the other. */
TEST(test_signal)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM };

	make("file", "old", 0644);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		pid_t child = fork();

		if (!child) {
			const struct rlimit none = { 0 };

			signal(signals[i], SIG_DFL);
			setrlimit(RLIMIT_CORE, &none);
			signal_at_fsync = signals[i];
			_exit(save("file", "new", 0) ? 1 : 0);
		}
		assert_ends_by(child, signals[i]);
		check("file", "new", 0644);
		assert_int_equal(count_files(), 1);
	}
}

static void be_killed(bool at_rename)
{
	pid_t child = fork();

	if (!child) {
		killed_at_rename = at_rename;
		signal_at_fsync = at_rename ? 0 : SIGKILL;
		_exit(save("file", "never", FILE_SECRET) ? 1 : 0);
	}
	assert_ends_by(child, SIGKILL);
	check("file", "old", 0600);
}

/* What a killed writer leaves is gone after the next write to the directory. */
TEST(test_killed)
{
	int fd;

	make("file", "old", 0600);
	be_killed(false);
	be_killed(true);
	assert_int_equal(count_files(), 2);
	assert_int_equal(file_add_line(at("other"), "line\n", 0), 0);
	assert_int_equal(count_files(), 2);
	/* The temporary of a writer that lives, and what is none. */
	make(".nvme-00112233445566ff", "a key", 0600);
	make(".nvme-00112233445566fff", "longer", 0600);
	make(".nvme-00112233445566fg", "no number", 0600);
	fd = open(at(".nvme-00112233445566ff"), O_WRONLY);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	assert_int_equal(save("file", "new", 0), 0);
	assert_int_equal(count_files(), 5);
	close(fd);
	assert_int_equal(save("file", "newer", 0), 0);
	assert_int_equal(count_files(), 4);
}

/* Where everybody may write, the temporaries of others are theirs. */
TEST(test_temporaries_of_others)
{
	if (geteuid())
		skip();
	make(".nvme-0000000000000001", "theirs", 0600);
	make(".nvme-0000000000000002", "ours", 0600);
	assert_int_equal(chown(at(".nvme-0000000000000001"), 65534, 65534), 0);
	assert_int_equal(chmod(dir, 01777), 0);
	assert_int_equal(save("file", "text", 0), 0);
	assert_int_equal(count_files(), 2);
	assert_int_equal(chmod(dir, 0755), 0);
	assert_int_equal(save("file", "text", 0), 0);
	assert_int_equal(count_files(), 1);
}

TEST(test_lock)
{
	struct file_hold first = FILE_HOLD_NONE, second = FILE_HOLD_NONE;
	struct stat st;

	make("file", "text", 0644);
	assert_int_equal(symlink("file", at("link")), 0);
	assert_int_equal(file_hold(at("link"), 0, &first), 0);
	assert_int_equal(stat(at(".file.lock"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(file_hold(at("file"), 0, &second), -ETIMEDOUT);
	assert_int_equal(second.fd, -1);
	file_release_cleanup(&first);
	file_release_cleanup(&first);
	assert_int_equal(count_files(), 2);
	assert_int_equal(file_hold("/dev/null", 0, &second), 0);
	assert_int_equal(second.fd, -1);
	assert_int_equal(file_hold(at("none/file"), 0, &second), -ENOENT);
}

static void add_lines(int writer)
{
	char line[32];

	for (int i = 0; i < LINES; i++) {
		snprintf(line, sizeof(line), "writer %d line %d\n", writer, i);
		if (file_add_line(at("lines"), line, FILE_SECRET))
			_exit(1);
	}
	_exit(0);
}

TEST(test_lines)
{
	unsigned int found[WRITERS] = { 0 };
	int status, writer, line;
	FILE *file;

	for (int i = 0; i < WRITERS; i++)
		if (!fork())
			add_lines(i);
	for (int i = 0; i < WRITERS; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	file = fopen(at("lines"), "r");
	assert_non_null(file);
	while (fscanf(file, "writer %d line %d\n", &writer, &line) == 2)
		assert_int_equal(found[writer]++, line);
	assert_true(feof(file));
	fclose(file);
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(found[i], LINES);
	assert_int_equal(count_files(), 1);
	make("edited", "no end", 0644);
	assert_int_equal(file_add_line(at("edited"), "added\n", FILE_SECRET), 0);
	check("edited", "no end\nadded\n", 0600);
}

EACH_TEST(set_up, tear_down)
