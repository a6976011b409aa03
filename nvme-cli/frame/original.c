// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"
#include "original.h"

/* Plugins of nvme-cli 2.x that this program does not have. */
static const char *const plugins[] = {
	"amzn",	    "dapustor",	 "dell",    "dera",   "feat",	  "huawei",
	"ibm",	    "innogrit",	 "inspur",  "intel",  "lm",	  "mangoboost",
	"memblaze", "micron",	 "netapp",  "nvidia", "ocp",	  "seagate",
	"sed",	    "sfx",	 "shannon", "sndk",   "solidigm", "ssstc",
	"toshiba",  "transcend", "virtium", "wdc",    "ymtc",
};

/* Paths of nvme-cli's program, moved aside or not. nvme-mptcp prefers this project's nvme. */
static const char *const places[] = {
#if NVME_ALONE
	NVME_FULL,
#endif
	NVME_ORIGINAL,
	NVME_CLI,
};

static bool replaces_nvme_cli;

void original_setup(const char *argv0)
{
	const char *slash = argv0 ? strrchr(argv0, '/') : NULL;
	const char *name = slash ? slash + 1 : argv0;

	replaces_nvme_cli = NVME_BESIDE && !NVME_ALONE && name && !strcmp(name, "nvme");
}

const char *original_path(void)
{
	return replaces_nvme_cli ? NVME_ORIGINAL : NULL;
}

/* True if there is another program at @path. Executing a link to this one would never end. */
static bool is_other(const char *path)
{
	struct stat theirs, own;

	if (stat(path, &theirs))
		return false;
	return stat("/proc/self/exe", &own) || own.st_dev != theirs.st_dev ||
	       own.st_ino != theirs.st_ino;
}

bool original_is_there(void)
{
	return replaces_nvme_cli && is_other(NVME_ORIGINAL);
}

bool original_has_plugin(const char *word)
{
	for (size_t i = 0; i < sizeof(plugins) / sizeof(*plugins); i++) {
		const size_t length = strlen(plugins[i]);

		if (!strncmp(word, plugins[i], length) && (!word[length] || word[length] == '-'))
			return true;
	}
	return false;
}

const char *original_plugin_path(void)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (is_other(places[i]))
			return places[i];
	return replaces_nvme_cli ? NVME_ORIGINAL : NVME_CLI;
}

static bool is_for_plugin(char **argv)
{
	const char *word = argv[1] + strspn(argv[1], "-");

	if (argv[2] && (!strcmp(word, "help") || !strcmp(word, "h") || !strcmp(word, "?")))
		word = argv[2] + strspn(argv[2], "-");
	return original_has_plugin(word);
}

int original_take_over(char **argv)
{
	const char *path = replaces_nvme_cli ? NVME_ORIGINAL : original_plugin_path();

	/* nvme-mptcp passes on every command that it does not have. */
	if (!is_other(path) || (!replaces_nvme_cli && !NVME_ALONE && !is_for_plugin(argv)))
		return 0;
	execv(path, argv);
	return -errno;
}
