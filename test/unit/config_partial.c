/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON configuration: what is right of a file that is partly wrong, and numbers whatever the locale. */
#include <locale.h>
#include <unistd.h>

#include <libnvme.h>

#include "unit.h"

#define HOSTNQN "nqn.2014-08.org.nvmexpress:uuid:6a2b2a5c-6f2f-4f3e-8e0d-6d6f5a5c0001"
#define NQN "nqn.2024-01.org.example:a"
#define PORT(members) \
	"[{\"hostnqn\":\"" HOSTNQN "\",\"subsystems\":[{\"nqn\":\"" NQN \
	"\",\"ports\":[{\"transport\":\"mptcp\",\"traddr\":\"192.0.2.1\"," members "}]}]}]"

static char path[] = "/tmp/config-test-XXXXXX";
static nvme_root_t r;

static int begin(void **state)
{
	int fd;

	memcpy(path + strlen(path) - 6, "XXXXXX", 6);
	fd = mkstemp(path);
	close(fd);
	r = nvme_create_root(NULL, -1);
	return fd < 0 || !r ? -1 : 0;
}

static int end(void **state)
{
	nvme_free_tree(r);
	unlink(path);
	return 0;
}

static int read_text(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fputs(text, file) >= 0, 1);
	assert_int_equal(fclose(file), 0);
	errno = EBUSY;
	return nvme_read_config(r, path);
}

static nvme_ctrl_t only_ctrl(void)
{
	nvme_subsystem_t s = nvme_first_subsystem(nvme_first_host(r));
	nvme_ctrl_t c = nvme_subsystem_first_ctrl(s);

	assert_non_null(c);
	assert_null(nvme_subsystem_next_ctrl(s, c));
	return c;
}

/* What dump_config prints, to be freed. */
static char *dump(void)
{
	char *text = calloc(1, 65536);
	FILE *file = tmpfile();
	int saved = dup(STDOUT_FILENO);

	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	assert_int_equal(nvme_dump_config(r), 0);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	rewind(file);
	assert_true(fread(text, 1, 65535, file) > 0);
	fclose(file);
	return text;
}

/* Programs with a locale of their own use the library. */
TEST(numbers_have_a_point_in_every_locale)
{
	char dir[] = "/tmp/config-locale-XXXXXX", command[128];
	char *text;
	bool known;

	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command),
		 "localedef --no-archive -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1", dir, dir);
	known = system(command) >= 0 && !setenv("LOCPATH", dir, 1) &&
		setlocale(LC_NUMERIC, "de_DE.UTF-8");
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	unsetenv("LOCPATH");
	if (!known)
		skip(); /* the sources of locales are not installed */
	assert_int_equal(read_text(PORT("\"ctrl_loss_tmo\":1800.0,\"tos\":\"3.0\",\"x\":0.5")), 0);
	assert_int_equal(nvme_ctrl_get_config(only_ctrl())->ctrl_loss_tmo, 1800);
	assert_int_equal(nvme_ctrl_get_config(only_ctrl())->tos, 3);
	text = dump();
	setlocale(LC_NUMERIC, "C");
	assert_non_null(strstr(text, "\"x\":0.5"));
	free(text);
}

EACH_TEST(begin, end)
