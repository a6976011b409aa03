/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who this host is, from files that may be anything. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nvme/fabrics.h>
#include <nvme/log.h>
#include <nvme/util.h>

#include "unit.h"
#include "tree/hostid-private.h"

#define UUID "4c4c4544-0035-5910-804b-c4c04f503533"
#define NQN "nqn.2014-08.org.nvmexpress:uuid:" UUID
#define OTHER "11111111-2222-3333-4444-555555555555"

static char dir[] = "/tmp/hostid-XXXXXX";

/* What the library reads below /etc/nvme lies in the directory of the test. */
FILE *fopen(const char *restrict path, const char *restrict mode)
{
	static const char etc[] = "/etc/nvme/";
	int flags = *mode == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC;
	char redirected[512];
	int fd;

	if (!strncmp(path, etc, strlen(etc))) {
		snprintf(redirected, sizeof(redirected), "%s/%s", dir, path + strlen(etc));
		path = redirected;
	}
	fd = open(path, flags | O_CLOEXEC, 0600);
	return fd < 0 ? NULL : fdopen(fd, mode);
}

static void write_file(const char *name, const void *data, size_t n)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, n, file), n);
	assert_int_equal(fclose(file), 0);
}

#define WRITE(name, text) write_file(name, text, sizeof(text) - 1)

static void assert_hostnqn(const void *data, size_t n, const char *wanted, int err)
{
	char *hostnqn;

	write_file("hostnqn", data, n);
	errno = 0;
	hostnqn = nvmf_hostnqn_from_file();
	if (wanted) {
		assert_non_null(hostnqn);
		assert_string_equal(hostnqn, wanted);
	} else {
		assert_null(hostnqn);
		assert_int_equal(errno, err);
	}
	free(hostnqn);
}

#define HOSTNQN(text, wanted, err) assert_hostnqn(text, sizeof(text) - 1, wanted, err)

TEST(test_hostnqn_file)
{
	char longest[300];
	char *hostnqn;

	HOSTNQN(NQN "\n", NQN, 0);
	HOSTNQN(NQN, NQN, 0);
	HOSTNQN(NQN "\r\n", NQN, 0);
	HOSTNQN(NQN " \t\nsecond line\n", NQN, 0);
	HOSTNQN("", NULL, ENOENT);
	HOSTNQN("\n", NULL, ENOENT);
	HOSTNQN(" \r\n" NQN, NULL, ENOENT);
	HOSTNQN("\0" NQN, NULL, ENOENT);
	HOSTNQN("nqn.a b\n", NULL, EINVAL);
	HOSTNQN("nqn.a,hostid=1\n", NULL, EINVAL);
	HOSTNQN("nqn.\x1b[31m\n", NULL, EINVAL);
	memset(longest, 'n', sizeof(longest));
	longest[223] = '\n';
	write_file("hostnqn", longest, sizeof(longest));
	hostnqn = nvmf_hostnqn_from_file();
	assert_non_null(hostnqn);
	assert_int_equal(strlen(hostnqn), 223);
	free(hostnqn);
	longest[223] = 'n';
	longest[224] = '\n';
	assert_hostnqn(longest, sizeof(longest), NULL, EINVAL);
	assert_hostnqn(longest, 224, NULL, EINVAL);
}

static void assert_hostid(const void *data, size_t n, const char *wanted, int err)
{
	char *hostid;

	write_file("hostid", data, n);
	errno = 0;
	hostid = nvmf_hostid_from_file();
	if (wanted) {
		assert_non_null(hostid);
		assert_string_equal(hostid, wanted);
	} else {
		assert_null(hostid);
		assert_int_equal(errno, err);
	}
	free(hostid);
}

#define HOSTID(text, wanted, err) assert_hostid(text, sizeof(text) - 1, wanted, err)

TEST(test_hostid_file)
{
	HOSTID(UUID "\n", UUID, 0);
	HOSTID(UUID "\r\n", UUID, 0);
	HOSTID(UUID, UUID, 0);
	HOSTID("", NULL, ENOENT);
	HOSTID("4c4c4544-0035-5910\n", NULL, EINVAL);
	HOSTID(UUID "0\n", NULL, EINVAL);
	HOSTID("00000000-0000-0000-0000-000000000000\n", NULL, EINVAL);
	HOSTID("ffffffff-ffff-ffff-ffff-ffffffffffff\n", NULL, EINVAL);
	HOSTID("4c4c4544-0035-5910-804b-c4c04f50353g\n", NULL, EINVAL);
}

TEST(test_no_file)
{
	char path[300];

	assert_null(nvmf_hostnqn_from_file());
	assert_int_equal(errno, ENOENT);
	snprintf(path, sizeof(path), "%s/hostnqn", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_null(nvmf_hostnqn_from_file());
	assert_int_equal(errno, EIO);
}

static void assert_values(const char *nqn, const char *id, const char *nqn_wanted,
			  const char *id_wanted, int err)
{
	char *hostnqn, *hostid;

	setenv("LIBNVME_HOSTNQN", nqn, 1);
	setenv("LIBNVME_HOSTID", id, 1);
	errno = 0;
	hostnqn = nvmf_hostnqn_from_file();
	assert_int_equal(hostnqn ? 0 : errno, nqn_wanted ? 0 : err);
	errno = 0;
	hostid = nvmf_hostid_from_file();
	assert_int_equal(hostid ? 0 : errno, id_wanted ? 0 : err);
	if (nqn_wanted)
		assert_string_equal(hostnqn, nqn_wanted);
	if (id_wanted)
		assert_string_equal(hostid, id_wanted);
	free(hostnqn);
	free(hostid);
}

/* The variables hold names, not names of files; they count although there are files. */
TEST(test_variables_are_values)
{
	char longest[225] = {};

	WRITE("hostnqn", "nqn.of.the.file\n");
	WRITE("hostid", "4c4c4544-0035-5910-804b-c4c04f503530\n");
	assert_values(NQN, UUID, NQN, UUID, 0);
	assert_values(NQN "\n", UUID " ", NQN, UUID, 0);
	assert_values("", "", NULL, NULL, ENOENT);
	assert_values("nqn.a\nnqn.b", UUID "\n" UUID, NULL, NULL, EINVAL);
	assert_values("nqn.a,hostid=1", "not a UUID", NULL, NULL, EINVAL);
	assert_values(NQN, dir, NQN, NULL, EINVAL);
	memset(longest, 'n', 224);
	assert_values(longest, UUID, NULL, UUID, EINVAL);
	assert_values(longest + 1, UUID, longest + 1, UUID, 0);
}

static void assert_ids(const char *nqn_arg, const char *id_arg, const char *nqn, const char *id)
{
	char *hostnqn = NULL, *hostid = NULL;

	assert_int_equal(
		nvme_host_get_ids(NULL, (char *)nqn_arg, (char *)id_arg, &hostnqn, &hostid), 0);
	assert_string_equal(hostnqn, nqn);
	assert_string_equal(hostid, id);
	free(hostnqn);
	free(hostid);
}

TEST(test_get_ids)
{
	char *hostnqn = (char *)1, *hostid = (char *)1;

	WRITE("hostnqn", NQN "\n");
	WRITE("hostid", OTHER "\n");
	assert_ids(NULL, NULL, NQN, OTHER);
	assert_ids("nqn.mine", NULL, "nqn.mine", OTHER);
	assert_ids("nqn.mine", UUID, "nqn.mine", UUID);
	WRITE("hostid", "");
	assert_ids(NULL, NULL, NQN, UUID);
	WRITE("hostnqn", "");
	assert_ids(NULL, OTHER, "nqn.2014-08.org.nvmexpress:uuid:" OTHER, OTHER);

	/* A wrong file is not replaced by another identity. */
	WRITE("hostid", "not a uuid\n");
	assert_int_equal(nvme_host_get_ids(NULL, NULL, NULL, &hostnqn, &hostid), -1);
	assert_int_equal(errno, EINVAL);
	assert_ptr_equal(hostnqn, (char *)1);
	assert_ptr_equal(hostid, (char *)1);
}

/* LIBNVME_SYSFS_PATH points to a machine of our own. */
static void make_dirs(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s/", dir, name);
	for (char *p = path + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
}

static void make_machine(const char *product_uuid)
{
	make_dirs("sys/class/dmi/id");
	write_file("sys/class/dmi/id/product_uuid", product_uuid, strlen(product_uuid));
}

#define DMI_ENTRY "sys/firmware/dmi/entries/1-0"

/* Type 1, System Information, of SMBIOS 2.6 and newer. */
static void make_dmi_entry(void)
{
	static const unsigned char raw[] = {
		1,    27,   0,	  1,	1,    2,    3,	  4,	0x44, 0x45, 0x4c, 0x4c, 0x35, 0x00,
		0x10, 0x59, 0x80, 0x4b, 0xc4, 0xc0, 0x4f, 0x50, 0x35, 0x33, 6,	  0,	0,
	};

	make_dirs(DMI_ENTRY);
	write_file(DMI_ENTRY "/raw", raw, sizeof(raw));
}

static void remove_dmi_entry(void)
{
	static const char *const names[] = { DMI_ENTRY "/raw", DMI_ENTRY,
					     "sys/firmware/dmi/entries", "sys/firmware/dmi",
					     "sys/firmware" };
	char path[512];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		assert_int_equal(remove(path), 0);
	}
}

TEST(test_generate)
{
	unsigned char uuid[NVME_UUID_LEN];
	char *id, *again, *nqn;

	setenv("LIBNVME_SYSFS_PATH", dir, 1);
	make_machine("4C4C4544-0035-5910-804B-C4C04F503533\n");
	id = nvmf_hostid_generate();
	assert_string_equal(id, UUID);
	free(id);
	nqn = nvmf_hostnqn_generate();
	assert_string_equal(nqn, NQN);
	free(nqn);
	nqn = nvmf_hostnqn_generate_from_hostid((char *)OTHER);
	assert_string_equal(nqn, "nqn.2014-08.org.nvmexpress:uuid:" OTHER);
	free(nqn);

	/* The firmware's tables have it, too. */
	make_machine("00000000-0000-0000-0000-000000000000\n");
	make_dmi_entry();
	id = nvmf_hostid_generate();
	assert_string_equal(id, UUID);
	free(id);

	/* No identity: a random one, another every time. */
	remove_dmi_entry();
	id = nvmf_hostid_generate();
	again = nvmf_hostid_generate();
	assert_true(hostid_parse(id, uuid));
	assert_int_equal(uuid[6] >> 4, 4);
	assert_string_not_equal(id, again);
	free(id);
	free(again);
}

static int set_up(void **state)
{
	nvme_init_default_logging(NULL, -1, false, false);
	if (!mkdtemp(dir))
		return -1;
	unsetenv("LIBNVME_HOSTNQN");
	unsetenv("LIBNVME_HOSTID");
	unsetenv("LIBNVME_SYSFS_PATH");
	return 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = {
		"hostnqn",
		"hostid",
		"sys/class/dmi/id/product_uuid",
		"sys/class/dmi/id",
		"sys/class/dmi",
		"sys/class",
		"sys",
		"",
	};
	char path[256];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		remove(path);
	}
	memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
	return 0;
}

EACH_TEST(set_up, tear_down)
